//! The table of flags: key, type, default, range, description, whether this version uses it, and
//! the method that reads it. The superpowers' flags are derived from the table of superpowers.

use std::sync::LazyLock;

use serde_json::Value;

use crate::model::power::Power;

/// Larger doubles can't represent every integer.
const EXACT_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagType {
    Boolean,
    Integer,
    Number,
}

impl FlagType {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
        }
    }
}

/// A flag's default.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Preset {
    Boolean(bool),
    /// True in development, false in production.
    InDevelopment,
    Integer(i64),
    Number(f64),
}

#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Lower case, dots and underscores; case-sensitive.
    pub key: &'static str,
    preset: Preset,
    /// Values outside are clamped when read.
    pub range: Option<(i64, i64)>,
    pub about: &'static str,
    /// Whether this version uses it.
    pub in_use: bool,
}

impl Flag {
    pub const fn kind(&self) -> FlagType {
        match self.preset {
            Preset::Boolean(_) | Preset::InDevelopment => FlagType::Boolean,
            Preset::Integer(_) => FlagType::Integer,
            Preset::Number(_) => FlagType::Number,
        }
    }

    /// The default value.
    pub const fn default(&self, production: bool) -> Scalar {
        match self.preset {
            Preset::Boolean(on) => Scalar::Boolean(on),
            Preset::InDevelopment => Scalar::Boolean(!production),
            Preset::Integer(n) => Scalar::Integer(n),
            Preset::Number(n) => Scalar::Number(n),
        }
    }

    /// Parses an operator's value, within the flag's range. Stricter than `parse`, so that mistakes
    /// are noticed: 7.0 is no integer, and a number without a range must not be negative. The error
    /// continues "must be".
    pub fn parse_override(&self, json: &Value) -> Result<Scalar, &'static str> {
        let has_exact_form = self.kind() != FlagType::Integer || json.is_i64();
        let value = self.parse(json).filter(|_| has_exact_form);
        let negative = json.as_f64().is_some_and(|number| number < 0.0);
        match value {
            Some(_) if negative && self.range.is_none() => Err("0 or more"),
            Some(value) => Ok(value),
            None => Err(match self.kind() {
                FlagType::Boolean => "true or false",
                FlagType::Integer => "a whole number, without a decimal point",
                FlagType::Number => "a number",
            }),
        }
    }

    /// Parses a provider's value. `None` for another type. A whole number is an integer in any
    /// notation; a string is never a number. Clamped to the flag's range.
    pub fn parse(&self, json: &Value) -> Option<Scalar> {
        let scalar = match self.kind() {
            FlagType::Boolean => Scalar::Boolean(json.as_bool()?),
            FlagType::Integer => {
                Scalar::Integer(json.as_i64().or_else(|| as_whole(json.as_f64()?))?)
            }
            FlagType::Number => Scalar::Number(json.as_f64()?),
        };
        Some(self.clamp(scalar))
    }

    /// Clamps a value to the flag's range.
    pub(super) fn clamp(&self, value: Scalar) -> Scalar {
        match (value, self.range) {
            (Scalar::Integer(n), Some((least, most))) => Scalar::Integer(n.clamp(least, most)),
            _ => value,
        }
    }

    const fn unused(mut self) -> Self {
        self.in_use = false;
        self
    }

    const fn within(mut self, least: i64, most: i64) -> Self {
        self.range = Some((least, most));
        self
    }
}

fn as_whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= EXACT_INTEGER_MAX;
    exact.then_some(number as i64)
}

const fn row(key: &'static str, preset: Preset, about: &'static str) -> Flag {
    Flag {
        key,
        preset,
        range: None,
        about,
        in_use: true,
    }
}

/// Hands the table to another macro, in lines `method of Reader: key, default, description, limits`.
#[rustfmt::skip] // one flag per line
macro_rules! flag_table {
    ($then:ident) => { $then! {
        max_tokens_reflex: "llm.max_tokens.reflex", Integer(500), "Tokens of a reply to small talk", within(100, 2000);
        max_tokens_deep_reasoning: "llm.max_tokens.deep_reasoning", Integer(2000), "Tokens of a reply that needs thought", within(500, 4000);
        max_tokens_default: "llm.max_tokens.default", Integer(1000), "Tokens of any other reply", within(200, 3000);
        max_tokens_vision: "llm.max_tokens.vision", Integer(1500), "Tokens of a reply about photos", within(500, 3000);
        second_classifier: "pipeline.classifier_v2_enabled", Boolean(false), "The second, combined classifier";
        force_basic_mode: "llm.force_basic_mode", Boolean(false), "Kill switch: short, basic replies only";
        caches_replies: "cache.response.enabled", Boolean(true), "Caches answers to repeated questions";
        memory_ttl_seconds: "cache.memory.ttl_seconds", Integer(300), "Seconds for which fetched memories are cached", within(60, 3600);
        reply_ttl_seconds: "cache.llm_response.ttl_seconds", Integer(3600), "Seconds for which a model's reply is cached", within(300, 7200);
        second_briefing: "workflow.calendar_v2", Boolean(false), "The second version of briefings";
        tells_urgent_mail: "workflow.email_urgency", Boolean(true), "Notifies users of urgent mail";
        reduced_history: "context.reduced_history_enabled", Boolean(false), "Shorter history for the model";
        max_messages: "context.max_messages", Integer(10), "Messages of history for the model", within(3, 20);
        photo_batching: "media.photo_batching_enabled", Boolean(false), "Several photos in one call";
        photo_batch_size: "media.photo_batch_size", Integer(3), "Photos in one call", within(1, 10);
        token_monitoring: "metrics.token_monitoring_enabled", Boolean(true), "Counts tokens";
        detailed_logging: "metrics.detailed_logging_enabled", Boolean(false), "Logs more about each reply";
        payment_enabled: "payment.processor_enabled", Boolean(true), "Takes payments";
        trial_enabled: "payment.trial_enabled", Boolean(true), "Offers a trial";
        trial_amount_cents: "payment.trial_amount_cents", Integer(500), "Price of a trial", within(100, 5000);
        paywall_enabled: "payment.paywall_enabled", Boolean(false), "Free users may send no messages";
        payment_test_mode: "payment.processor_test_mode", Boolean(false), "Uses the provider's test keys";
        topup_enabled: "payment.topup_enabled", Boolean(true), "Sells credit";
        topup_min_amount_cents: "payment.topup_min_amount_cents", Integer(500), "Smallest top-up";
        topup_max_amount_cents: "payment.topup_max_amount_cents", Integer(10000), "Largest top-up";
        rate_limit_enabled: "rate_limit.enabled", Boolean(true), "Limits messages, photos and commands";
        message_budget_threshold: "rate_limit.message_budget_threshold", Integer(5), "Messages of people in a group before the assistant writes unasked";
        commands_per_minute: "rate_limit.commands_per_minute", Integer(10), "A user's commands per minute";
        miniapp_actions_per_minute: "rate_limit.miniapp_actions_per_minute", Integer(20), "A user's messages with superpowers per minute";
        user_messages_per_minute: "rate_limit.user_messages_per_minute", Integer(20), "A sender's messages per minute";
        photos_per_hour: "rate_limit.photos_per_hour", Integer(50), "A sender's photos per hour";
        strict_mode_enabled: "rate_limit.strict_mode_enabled", Boolean(false), "Multiplies the limits by the strict mode multiplier";
        strict_mode_multiplier: "rate_limit.strict_mode_multiplier", Number(0.5), "The factor for limits in strict mode";
        free_tier_enabled: "free_tier.enabled", Boolean(true), "Free users are limited";
        daily_message_limit: "free_tier.daily_message_limit", Integer(50), "A free user's messages a day";
        free_superpowers_disabled: "free_tier.superpowers_disabled", Boolean(true), "No superpowers for free users in direct chats";
        superpowers_enabled: "superpower.enabled", InDevelopment, "The master switch of all superpowers";
        user_created_superpowers: "superpower.user_created.enabled", InDevelopment, "Superpowers that users create; this version has none", unused();
    } };
}
pub(super) use flag_table;

macro_rules! rows {
    ($($name:ident: $key:literal, $preset:ident $(($default:literal))?, $about:literal
        $(, $more:ident($($value:literal),*))*;)*) => {
        const FLAGS: &[Flag] = &[
            $(row($key, Preset::$preset $(($default))?, $about)$(.$more($($value),*))*,)*
        ];

        /// The flags' positions in the table.
        #[expect(non_camel_case_types)]
        pub(super) enum FlagPosition {
            $($name,)*
        }
    };
}

flag_table!(rows);

/// The table, and then a flag for each superpower.
static ALL: LazyLock<Vec<Flag>> = LazyLock::new(|| {
    let superpowers =
        Power::ALL.map(|power| row(power.flag(), Preset::Boolean(true), "This superpower"));
    FLAGS.iter().copied().chain(superpowers).collect()
});

/// Every flag, in no order that means something.
pub fn all() -> &'static [Flag] {
    &ALL
}

pub fn find(key: &str) -> Option<&'static Flag> {
    ALL.iter().find(|flag| flag.key == key)
}

/// The position in `all`.
pub(super) fn position(flag: &'static Flag) -> usize {
    let known = ALL.iter().position(|known| known.key == flag.key);
    known.expect("flags are made by the table only")
}

/// The position in `all` of a superpower's flag.
pub(super) const fn position_of(power: Power) -> usize {
    FLAGS.len() + power as usize
}

/// Keys that are less similar than this, of 1, are not near.
const SIMILARITY_MIN: f64 = 0.8;

/// The key most similar to an unknown one, if one is near.
pub fn nearest(key: &str) -> Option<&'static str> {
    let flags = ALL.iter().map(|flag| flag.key);
    let similar = flags.map(|known| (strsim::jaro_winkler(key, known), known));
    let nearest = similar.max_by(|(one, _), (other, _)| one.total_cmp(other));
    nearest
        .filter(|(similarity, _)| *similarity >= SIMILARITY_MIN)
        .map(|(_, known)| known)
}

/// A flag's typed value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar {
    Boolean(bool),
    Integer(i64),
    Number(f64),
}

impl Scalar {
    pub fn to_json(self) -> Value {
        match self {
            Self::Boolean(on) => on.into(),
            Self::Integer(n) => n.into(),
            Self::Number(n) => n.into(),
        }
    }
}

impl From<Scalar> for bool {
    fn from(value: Scalar) -> Self {
        matches!(value, Scalar::Boolean(true))
    }
}

impl From<Scalar> for i64 {
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Integer(n) => n,
            _ => 0,
        }
    }
}

impl From<Scalar> for f64 {
    fn from(value: Scalar) -> Self {
        match value {
            Scalar::Number(n) => n,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_once() {
        assert_eq!(all().len(), FLAGS.len() + Power::ALL.len());
        for flag in all() {
            assert_eq!(find(flag.key).map(|f| f.key), Some(flag.key));
            assert_eq!(
                all().iter().filter(|f| f.key == flag.key).count(),
                1,
                "{}",
                flag.key
            );
        }
        assert!(find("Rate_limit.enabled").is_none());
        for power in Power::ALL {
            let key = format!("superpower.{}.enabled", power.name());
            assert_eq!(all()[position_of(power)].key, key);
        }
        assert!(Power::named("user_created").is_none());
    }

    #[test]
    fn the_nearest_key_is_the_intended_one() {
        for (typed, expected) in [
            ("llm.force_basic", "llm.force_basic_mode"),
            (
                "free_tier.daily_messages_limit", "free_tier.daily_message_limit",
            ),
            ("superpower.todo.enabled", "superpower.todo_list.enabled"),
        ] {
            assert_eq!(nearest(typed), Some(expected));
        }
        for typed in ["nope", "x", "dark_mode"] {
            assert_eq!(nearest(typed), None, "{typed}");
        }
    }
}
