//! What is offered, and what calls mean.

use super::arguments::local_time;
use super::*;

/// Wednesday, 4 March 2026, 12:00 UTC.
const NOW: Timestamp = Timestamp(1_772_625_600_000);

fn context() -> CallContext {
    CallContext {
        now: NOW,
        zone: Zone::UTC,
        has_photos: false,
    }
}

fn operation(tool: Tool, arguments: &Value) -> Result<Operation> {
    tool.read(&arguments.to_string(), context())
}

fn local(text: &str) -> ReminderTime {
    ReminderTime::Local(local_time(text).unwrap())
}

#[test]
fn every_tool_is_offered_with_the_schema_of_its_arguments() {
    let mut names: Vec<&str> = Tool::all().map(Tool::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Tool::all().count());
    for power in Power::ALL {
        assert!(
            Tool::all().any(|tool| tool == Tool::Power(power)),
            "{power:?}"
        );
    }
    let mut tokens = 0;
    for tool in Tool::all() {
        let function = &tool.offer()["function"];
        assert_eq!(function["name"], tool.name());
        assert_ne!(function["description"], "");
        let parameters = &function["parameters"];
        // Servers refuse anything else at the top.
        assert_eq!(parameters["type"], "object", "{parameters}");
        assert_eq!(parameters["additionalProperties"], false, "{parameters}");
        for forbidden in ["oneOf", "anyOf", "$ref", "definitions", "$schema"] {
            assert!(parameters.get(forbidden).is_none(), "{parameters}");
        }
        tokens += tool.tokens();
    }
    assert!(tokens < 6_500, "{tokens}");
}

#[test]
fn calls_mean_operations() {
    let reminder = |at, repeat: Option<&str>, chat| Operation::SetReminder {
        text: "call mom".to_owned(),
        at,
        repeat: repeat.map(str::to_owned),
        chat,
    };
    let here = ReminderChat::Here;
    for (tool, arguments, expected) in [
        (
            Tool::SetReminder,
            json!({"text": " call mom ", "at": "2026-12-24T18:30"}),
            reminder(local("2026-12-24T18:30"), None, here),
        ),
        (
            Tool::SetReminder,
            json!({"text": "call mom", "at": "2026-12-24 18:30:00", "repeat": "FREQ=DAILY"}),
            reminder(local("2026-12-24T18:30"), Some("FREQ=DAILY"), here),
        ),
        (
            Tool::SetReminder,
            json!({"text": "call mom", "at": "2026-03-04T13:00:00+01:00", "repeat": ""}),
            reminder(ReminderTime::Moment(NOW), None, here),
        ),
        (
            Tool::SetReminder,
            json!({"text": "call mom", "in_minutes": 20, "chat": "direct"}),
            reminder(
                ReminderTime::Moment(NOW.plus_s(1200)),
                None,
                ReminderChat::Direct,
            ),
        ),
        (
            Tool::ListReminders,
            json!({"from": "2026-03-05", "to": "2026-03-05", "matching": "mom"}),
            Operation::ListReminders {
                from: local_time("2026-03-05T00:00"),
                to: local_time("2026-03-06T00:00"),
                matching: Some("mom".to_owned()),
            },
        ),
        (
            Tool::SetProfile,
            json!({"timezone": "Europe/Berlin", "language": "pt-BR", "pronouns": " they/them "}),
            Operation::SetProfile(ProfileChange {
                name: None,
                timezone: "Europe/Berlin".parse().ok(),
                language: Some("pt-BR".to_owned()),
                pronouns: Some("they/them".to_owned()),
            }),
        ),
        (Tool::Usage, json!({}), Operation::Usage),
    ] {
        assert_eq!(operation(tool, &arguments), Ok(expected), "{arguments}");
    }
    for nothing in ["", " ", "null", "\"\"", "[]", "{}", "\"null\"", "\"{}\""] {
        let read = Tool::Usage.read(nothing, context());
        assert_eq!(read, Ok(Operation::Usage), "{nothing:?}");
    }
    let fields = r#"{"from": null, "to": "", "matching": "mom"}"#;
    let in_text = Value::from(fields).to_string();
    for arguments in [fields, &in_text] {
        let read = Tool::ListReminders.read(arguments, context());
        let matching = Some("mom".to_owned());
        let (from, to) = (None, None);
        let expected = Operation::ListReminders { from, to, matching };
        assert_eq!(read, Ok(expected), "{arguments}");
    }
}

#[test]
fn times_may_have_an_offset_or_no_hour_and_are_within_5_years() {
    let at = |at: &str| match operation(Tool::SetReminder, &json!({"text": "a", "at": at})) {
        Ok(Operation::SetReminder { at, .. }) => Ok(at),
        Ok(other) => Err(format!("{other:?}")),
        Err(error) => Err(error),
    };
    let in_half_an_hour = ReminderTime::Moment(NOW.plus_s(1800));
    for (text, expected) in [
        ("2026-03-04T17:30+05:00", in_half_an_hour),
        ("2026-03-04T17:30:00+0500", in_half_an_hour),
        ("2026-03-04 12:30Z", in_half_an_hour),
        ("2031-03-04", local("2031-03-04T09:00")),
        ("2031-03-04T12:00", local("2031-03-04T12:00")),
    ] {
        assert_eq!(at(text), Ok(expected), "{text}");
    }
    for text in [
        "2099-01-02T09:00", "2031-03-04T12:01", "2031-03-05T09:00Z", "2031-03-05",
    ] {
        let error = at(text).unwrap_err();
        assert!(error.contains("at most 5 years ahead"), "{text}: {error}");
        let changed = operation(Tool::ChangeReminder, &json!({"id": "1a2b3c4d", "at": text}));
        assert_eq!(changed, Err(error), "{text}");
    }
}

/// What is meant plainly is understood, however it is written.
#[test]
fn arguments_are_fitted_to_the_schema() {
    let in_5 = |text: &str| Operation::SetReminder {
        text: text.to_owned(),
        at: ReminderTime::Moment(NOW.plus_s(300)),
        repeat: None,
        chat: ReminderChat::Here,
    };
    for (arguments, expected) in [
        (json!({"text": "a", "in_minutes": 5.0}), in_5("a")),
        (json!({"text": "a", "in_minutes": "5"}), in_5("a")),
        (json!({"text": "a", "in_minutes": " 5.0 "}), in_5("a")),
        (json!({"text": 7, "in_minutes": [5]}), in_5("7")),
        (
            json!({"text": ["a"], "in_minutes": 5, "chat": "Here"}),
            in_5("a"),
        ),
        (
            json!({"text": "a", "in_minutes": 5, "priority": "high"}),
            in_5("a"),
        ),
        (
            json!({"text": "a", "in_minutes": 5, "when": null, "title": "b"}),
            in_5("a"),
        ),
    ] {
        let read = operation(Tool::SetReminder, &arguments);
        assert_eq!(read, Ok(expected), "{arguments}");
    }
    // Without these it would be another reminder.
    for (name, value) in [
        ("timezone", json!("America/New_York")),
        ("until", json!("2026-12-31")),
        ("count", json!(3)),
    ] {
        let arguments = json!({"text": "a", "in_minutes": 5, name: value});
        let refused = operation(Tool::SetReminder, &arguments);
        assert!(refused.is_err_and(|error| error.contains(name)), "{name}");
    }
    let forget = |ids: Value| operation(Tool::Forget, &json!({ "ids": ids }));
    let one = Ok(Operation::Forget {
        ids: vec!["a1".to_owned()],
    });
    for ids in [json!("a1"), json!(["a1"]), json!("[\"a1\"]")] {
        assert_eq!(forget(ids.clone()), one, "{ids}");
    }
    let usage = json!({"of": "Ana"}).to_string();
    assert_eq!(Tool::Usage.read(&usage, context()), Ok(Operation::Usage));
    assert_eq!(Tool::Usage.ignored_fields(&usage), ["of"]);
    // What superpowers are called with.
    let tool = Tool::Power(Power::BudgetTracker);
    let spent = |expenses: Value| json!({"operation": "spent", "expenses": expenses});
    let plain = operation(tool, &spent(json!([{"amount": 12, "purpose": "lunch"}])));
    assert!(plain.is_ok(), "{plain:?}");
    for arguments in [
        spent(json!([{"amount": "12", "purpose": "lunch"}])),
        spent(json!({"amount": 12.0, "purpose": "lunch"})),
        spent(json!(
            "[{\"amount\": 12, \"purpose\": \"lunch\", \"emoji\": \"🍝\"}]"
        )),
        json!({"operation": "Spent", "expenses": {"amount": "12", "purpose": ["lunch"]}}),
    ] {
        assert_eq!(operation(tool, &arguments), plain, "{arguments}");
    }
    let tool = Tool::Power(Power::TodoList);
    let add = |items: Value| operation(tool, &json!({"operation": "add", "items": items}));
    assert_eq!(add(json!("milk")), add(json!(["milk"])));
    assert!(add(json!("")).is_err());
}

/// Some models fill all fields.
#[test]
fn what_is_filled_with_nothing_is_absent() {
    let todo = Tool::Power(Power::TodoList);
    let birthday = Tool::Power(Power::BirthdayReminder);
    let add = json!({"operation": "add", "items": ["milk"]});
    let groceries = json!({"operation": "add", "items": ["milk"], "list": "Groceries"});
    let keep = json!({"operation": "keep", "name": "Bo", "month": 5, "day": 4});
    let change = json!({"id": "a1", "text": "run"});
    for (tool, plain, filled) in [
        (
            todo,
            &add,
            json!({"operation": "add", "items": ["milk"], "list": "null", "date": ""}),
        ),
        (
            todo,
            &add,
            json!({"operation": "add", "items": ["milk"], "list": "default"}),
        ),
        (
            todo,
            &add,
            json!({"operation": "add", "items": ["milk"], "list": "To-Do list"}),
        ),
        (
            todo,
            &groceries,
            json!({"operation": "add", "items": ["milk"], "list": "Groceries list"}),
        ),
        (
            birthday,
            &keep,
            json!({"operation": "keep", "name": "Bo", "month": 5, "day": 4, "year": 0}),
        ),
        (
            Tool::ChangeReminder,
            &change,
            json!({"id": "a1", "text": "run", "at": "", "in_minutes": 0, "repeat": "", "only_next": false}),
        ),
    ] {
        let expected = operation(tool, plain);
        assert!(expected.is_ok(), "{expected:?}");
        assert_eq!(operation(tool, &filled), expected, "{filled}");
    }
    let once = operation(
        Tool::ChangeReminder,
        &json!({"id": "a1", "text": "", "repeat": "once"}),
    );
    let is_once = |operation: &Operation| matches!(operation, Operation::ChangeReminder { text: None, repeat: Some(rule), .. } if rule.is_empty());
    assert!(once.as_ref().is_ok_and(is_once), "{once:?}");
    for list in ["", "default", "to-do list"] {
        let delete = json!({"operation": "delete_list", "list": list});
        assert!(
            operation(todo, &delete).is_err_and(|error| error.contains("list")),
            "{list}"
        );
    }
}

#[test]
fn days_are_in_bounds() {
    let agenda = json!({"from": "2030-01-02", "to": "2020-01-01"});
    let refused = operation(Tool::Agenda, &agenda);
    assert!(refused.is_err_and(|error| error.contains("before \"from\"")));
}

#[test]
fn errors_name_the_field_that_is_meant() {
    for (tool, arguments, named) in [
        (
            Tool::SetReminder,
            json!({"text": "a", "when": "2026-12-24T18:30"}),
            "no field \"when\"; use \"at\"",
        ),
        (
            Tool::SetReminder,
            json!({"title": "a", "in_minutes": 5}),
            "use \"text\"",
        ),
        (
            Tool::SetReminder,
            json!({"text": "a", "inMinuts": 5}),
            "use \"in_minutes\"",
        ),
        (
            Tool::SetReminder,
            json!({"text": "a", "in_minutes": 5.5}),
            "\"in_minutes\" must be a whole number",
        ),
        (
            Tool::ChangeReminder,
            json!({"reminder_id": "1a2b3c4d", "in_minutes": 5}),
            "use \"id\"",
        ),
        (
            Tool::Power(Power::BudgetTracker),
            json!({"operation": "spent", "expenses": [{"amount": "a lot", "purpose": "tea"}]}),
            "\"amount\" must be a number",
        ),
    ] {
        let error = operation(tool, &arguments).unwrap_err();
        assert!(error.contains(named), "{}: {error}", tool.name());
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let long = "x".repeat(ARGUMENTS_BYTES_MAX);
    for (tool, arguments, named) in [
        (
            Tool::SetReminder,
            json!({"text": "a"}),
            "\"at\" or \"in_minutes\"",
        ),
        (
            Tool::SetReminder,
            json!({"text": "", "in_minutes": 5}),
            "\"text\"",
        ),
        (
            Tool::SetReminder,
            json!({"text": "a", "at": "tomorrow"}),
            "2026-12-24T18:30",
        ),
        (
            Tool::SetReminder,
            json!({"text": "a", "in_minutes": 0}),
            "\"in_minutes\"",
        ),
        (
            Tool::SetReminder,
            json!({"text": "a", "in_minutes": 5, "at": "2026-12-24T18:30"}),
            "either",
        ),
        (
            Tool::SetReminder,
            json!({"text": long, "in_minutes": 5}),
            "too long",
        ),
        (
            Tool::SetReminder,
            json!({"command": "remind me"}),
            "missing field `text`",
        ),
        (Tool::ListReminders, json!({"from": "monday"}), "\"from\""),
        (Tool::ChangeReminder, json!({"id": "1"}), "Give"),
        (Tool::Forget, json!({"ids": []}), "\"ids\""),
        (Tool::SetProfile, json!({}), "Give"),
        (Tool::SetProfile, json!({"timezone": "Bielefeld"}), "IANA"),
        (
            Tool::SetProfile,
            json!({"language": "German"}),
            "language tag",
        ),
        (
            Tool::SetProfile,
            json!({"language": "de-<b>"}),
            "language tag",
        ),
        (
            Tool::SetProfile,
            json!({"pronouns": "x".repeat(41)}),
            "\"pronouns\"",
        ),
        (Tool::Remember, Value::Null, "missing field"),
        (Tool::Remember, json!({"text": null}), "missing field"),
        (Tool::Usage, json!([1]), "arguments"),
        (Tool::Usage, json!(true), "arguments"),
        (Tool::Usage, json!("no JSON"), "arguments"),
    ] {
        let error = operation(tool, &arguments).unwrap_err();
        assert!(error.contains(named), "{}: {error}", tool.name());
    }
}
