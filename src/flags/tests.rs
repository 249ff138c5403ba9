//! Every flag as the specification has it, against every kind of value a provider may send.

use super::*;
use crate::model::power::Power;
use serde_json::json;

/// Key, type, default in development, default in production, least, most.
const EXPECTED: &str = "
llm.max_tokens.reflex integer 500 500 100 2000
llm.max_tokens.deep_reasoning integer 2000 2000 500 4000
llm.max_tokens.default integer 1000 1000 200 3000
llm.max_tokens.vision integer 1500 1500 500 3000
pipeline.classifier_v2_enabled boolean false false
llm.force_basic_mode boolean false false
cache.response.enabled boolean true true
cache.memory.ttl_seconds integer 300 300 60 3600
cache.llm_response.ttl_seconds integer 3600 3600 300 7200
workflow.calendar_v2 boolean false false
workflow.email_urgency boolean true true
context.reduced_history_enabled boolean false false
context.max_messages integer 10 10 3 20
media.photo_batching_enabled boolean false false
media.photo_batch_size integer 3 3 1 10
metrics.token_monitoring_enabled boolean true true
metrics.detailed_logging_enabled boolean false false
payment.processor_enabled boolean true true
payment.trial_enabled boolean true true
payment.trial_amount_cents integer 500 500 100 5000
payment.paywall_enabled boolean false false
payment.processor_test_mode boolean false false
payment.topup_enabled boolean true true
payment.topup_min_amount_cents integer 500 500
payment.topup_max_amount_cents integer 10000 10000
rate_limit.enabled boolean true true
rate_limit.message_budget_threshold integer 5 5
rate_limit.commands_per_minute integer 10 10
rate_limit.miniapp_actions_per_minute integer 20 20
rate_limit.user_messages_per_minute integer 20 20
rate_limit.photos_per_hour integer 50 50
rate_limit.strict_mode_enabled boolean false false
rate_limit.strict_mode_multiplier number 0.5 0.5
free_tier.enabled boolean true true
free_tier.daily_message_limit integer 50 50
free_tier.superpowers_disabled boolean true true
superpower.enabled boolean true false
superpower.user_created.enabled boolean true false
";

const SUPERPOWERS: &str = "travel_brain reservation_prep tickets_vault birthday_reminder
    post_event_checkin cancellation_protector membership_renewal package_tracking call_prep
    focus_protector calendar_morning calendar_events email_urgency evening_prep
    destination_prep calendar_stress_agent calendar_query_agent calendar_list_agent
    gmail_mindreader_agent trip_planner bill_split todo_list mood_tracker budget_tracker
    habit_tracker daily_summary";

struct Row {
    key: String,
    kind: String,
    /// In development, in production.
    defaults: [Value; 2],
    range: Option<(i64, i64)>,
}

fn rows() -> Vec<Row> {
    let json = |word: &str| serde_json::from_str(word).unwrap();
    let table = EXPECTED.trim().lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse().ok());
        Row {
            key: words[0].to_owned(),
            kind: words[1].to_owned(),
            defaults: [json(words[2]), json(words[3])],
            range: number(4).zip(number(5)),
        }
    });
    let superpowers = SUPERPOWERS.split_whitespace().map(|name| Row {
        key: format!("superpower.{name}.enabled"),
        kind: "boolean".to_owned(),
        defaults: [json!(true), json!(true)],
        range: None,
    });
    table.chain(superpowers).collect()
}

fn new(production: bool) -> Flags {
    Flags::new(production, Clock::fixed(Timestamp(0)))
}

fn with_overrides(values: &[(&'static str, Value)]) -> Flags {
    let flags = new(false);
    let overrides = values
        .iter()
        .map(|(key, value)| (*key, make_override(value.clone())));
    flags.set_overrides(overrides.collect());
    flags
}

fn make_override(value: Value) -> Override {
    Override {
        value,
        set_at: Timestamp(0),
        set_by: "a test".to_owned(),
        expires_at: None,
    }
}

fn set_provider_value(flags: &Flags, key: &'static str, value: Value) {
    let values = HashMap::from([(key, value)]);
    flags.set_provided(Arc::new(ProviderValues::values(&values)));
}

/// The typed read of a flag.
fn read(flags: &Flags, flag: &Flag) -> Value {
    let flags = flags.for_all();
    flags.typed_value(flag.key).unwrap_or_else(|| {
        let of_flag = |power: &Power| power.flag() == flag.key;
        let power = Power::ALL.into_iter().find(of_flag).unwrap();
        bool::from(flags.value(registry::position_of(power))).into()
    })
}

/// Values that a provider may send for a flag of this type, and the expected value; `None` for the
/// default.
fn provider_cases(row: &Row) -> Vec<(Value, Option<Value>)> {
    let mut cases = vec![
        (json!(null), None),
        (json!("true"), None),
        (json!("7"), None),
        (json!([1]), None),
        (json!({ "value": true }), None),
    ];
    let (least, most) = row.range.unwrap_or((i64::MIN, i64::MAX));
    match row.kind.as_str() {
        "boolean" => cases.extend([
            (json!(true), Some(json!(true))),
            (json!(false), Some(json!(false))),
            (json!(1), None),
            (json!(0), None),
        ]),
        "integer" => cases.extend([
            (json!(least), Some(json!(least))),
            (json!(most), Some(json!(most))),
            (json!(least.saturating_sub(1)), Some(json!(least))),
            (json!(most.saturating_add(1)), Some(json!(most))),
            (json!(i64::MIN), Some(json!(least))),
            (json!(i64::MAX), Some(json!(most))),
            (json!(7.0), Some(json!(7.clamp(least, most)))),
            (json!(7.5), None),
            (json!(1e300), None),
            (json!(u64::MAX), None),
            (json!(true), None),
        ]),
        _ => cases.extend([
            (json!(0.25), Some(json!(0.25))),
            (json!(2), Some(json!(2.0))),
            (json!(true), None),
        ]),
    }
    cases
}

#[test]
fn every_flag_has_its_type_default_and_range() {
    let rows = rows();
    assert_eq!(rows.len(), registry::all().len());
    for row in &rows {
        let flag = registry::find(&row.key).unwrap_or_else(|| panic!("{} is missing", row.key));
        assert_eq!(flag.kind().as_str(), row.kind, "{}", row.key);
        assert_eq!(flag.range, row.range, "{}", row.key);
        for (production, default) in [false, true].into_iter().zip(&row.defaults) {
            let flags = new(production);
            assert_eq!(read(&flags, flag), *default, "{} {production}", row.key);
            let view = flags.view(flag);
            assert_eq!((&view.value, &view.default), (default, default));
            assert_eq!(view.source, Origin::Default);
        }
    }
}

#[test]
fn every_flag_accepts_valid_values_and_is_its_default_otherwise() {
    for row in rows() {
        let flag = registry::find(&row.key).unwrap();
        for (production, default) in [false, true].into_iter().zip(&row.defaults) {
            for (value, expected) in provider_cases(&row) {
                let flags = new(production);
                set_provider_value(&flags, flag.key, value.clone());
                let expected_value = expected.clone().unwrap_or(default.clone());
                assert_eq!(read(&flags, flag), expected_value, "{} {value}", row.key);
                let from_provider = flags.view(flag).source == Origin::Provider;
                assert_eq!(from_provider, expected.is_some(), "{} {value}", row.key);
                assert_eq!(
                    flags.sources.lock().warned.contains(flag.key),
                    expected.is_none()
                );
            }
        }
    }
}

#[test]
fn an_override_beats_the_provider_until_it_expires() {
    let clock = Clock::fixed(Timestamp(0));
    let flags = Flags::new(false, clock.clone());
    let flag = registry::find("context.max_messages").unwrap();
    let state = || (flags.for_all().max_messages(), flags.view(flag).source);
    assert_eq!(state(), (10, Origin::Default));
    set_provider_value(&flags, flag.key, json!(7));
    assert_eq!(state(), (7, Origin::Provider));
    let ending = Override {
        expires_at: Some(Timestamp(60_000)),
        ..make_override(json!(99))
    };
    flags.set_overrides(HashMap::from([(flag.key, ending)]));
    assert_eq!(state(), (20, Origin::Override));
    assert_eq!(flags.view(flag).set_by.as_deref(), Some("a test"));
    clock.advance(59_999);
    assert_eq!(state(), (20, Origin::Override));
    clock.advance(1);
    assert_eq!(state(), (7, Origin::Provider));
    assert_eq!(flags.view(flag).set_by, None);
    flags.set_provided(Arc::default());
    assert_eq!(state(), (10, Origin::Default));
}

#[test]
fn strict_mode_multiplies_exactly_and_never_reaches_zero() {
    for (limit, multiplier, expected) in [
        (20, 0.5, 10),
        (5, 0.5, 2),
        (1, 0.5, 1),
        (0, 0.5, 0),
        (-3, 0.5, 0),
        (50, 0.58, 29),
        (100, 0.29, 29),
        (20, 0.35, 7),
        (20, 0.349, 6),
        (20, 1.5, 30),
        (20, -1.0, 1),
    ] {
        let flags = with_overrides(&[
            ("rate_limit.strict_mode_enabled", json!(true)),
            ("rate_limit.strict_mode_multiplier", json!(multiplier)),
            ("rate_limit.photos_per_hour", json!(limit)),
        ]);
        let reader = flags.for_all();
        let read = reader.rate_limit(reader.photos_per_hour());
        assert_eq!(read, expected, "{limit} × {multiplier}");
    }
}

#[test]
fn superpowers_need_the_master_switch_and_no_kill_switch() {
    for (production, overridden, name, offered) in [
        (false, "", "todo_list", true),
        (true, "", "todo_list", false),
        (false, "", "juggling", false),
        (false, "llm.force_basic_mode", "todo_list", false),
        (true, "superpower.enabled", "todo_list", true),
    ] {
        let flags = new(production);
        if let Some(flag) = registry::find(overridden) {
            flags.set_overrides(HashMap::from([(flag.key, make_override(json!(true)))]));
        }
        let power = Power::named(name);
        assert_eq!(
            power.is_some_and(|power| flags.for_all().superpower(power)),
            offered,
            "{name} {overridden}"
        );
    }
}

#[test]
fn the_health_follows_the_provider() {
    let of = |configured, has_answered, is_connected, circuit_breaker_open| {
        let status = FlagProviderStatus {
            configured,
            has_answered,
            answered_at: None,
            is_connected,
            circuit_breaker_open,
        };
        status.health()
    };
    assert_eq!(of(false, false, false, false), "ok");
    assert_eq!(of(true, false, false, false), "defaults");
    assert_eq!(of(true, true, true, false), "ok");
    assert_eq!(of(true, true, false, false), "failing");
    assert_eq!(of(true, true, false, true), "defaults");
}
