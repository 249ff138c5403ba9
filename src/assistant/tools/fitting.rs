//! Arguments as models write them, made to fit the schema of a tool: numbers in quotes, whole
//! numbers with a point, one thing in the place of a list, optional fields filled with nothing. A field that the tool doesn't have is
//! refused where another one is meant or where it says when, how often or of which, and else left
//! out. An error is a sentence for the model.

use serde_json::{Map, Number, Value};

use super::Result;

/// Names that models write for a field, after its own.
const OTHER_NAMES: [(&str, &[&str]); 11] = [
    (
        "at",
        &[
            "date", "date_time", "datetime", "due", "due_at", "due_date", "remind_at", "start",
            "time", "when",
        ],
    ),
    ("date", &["at", "datetime", "day", "when"]),
    ("from", &["begin", "date", "day", "since", "start"]),
    (
        "id",
        &[
            "identifier", "ids", "number", "reminder", "reminder_id", "schedule_id",
        ],
    ),
    ("in_minutes", &["delay", "duration", "in", "minutes"]),
    ("items", &["list", "tasks", "texts", "things"]),
    (
        "query",
        &["about", "keyword", "keywords", "q", "search", "text"],
    ),
    (
        "repeat",
        &[
            "every", "frequency", "interval", "recurrence", "recurring", "rrule",
        ],
    ),
    (
        "text",
        &[
            "body", "content", "description", "fact", "memory", "message", "name", "note",
            "reminder", "subject", "task", "title", "what",
        ],
    ),
    ("timezone", &["tz", "zone"]),
    ("to", &["end", "till", "until"]),
];
/// Fields that say when, how often or of which: without them something else would be done.
const BINDING: [&str; 27] = [
    "all", "at", "byday", "count", "currency", "date", "day", "days", "duration", "end", "ends",
    "exclude", "except", "expires", "ids", "interval", "months", "offset", "start", "time",
    "timezone", "tz", "until", "utcoffset", "weekdays", "when", "zone",
];
/// Fields into which some models put all arguments.
const WRAPPERS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// Letters in which a name may differ from the one that is meant.
const LETTERS_WRONG_MAX: usize = 2;

/// The arguments with values of the types that the schema wants, and the names of the fields that
/// were left out.
pub(super) fn fitted(
    mut arguments: Map<String, Value>,
    schema: &Value,
) -> Result<(Map<String, Value>, Vec<String>)> {
    let wrapped = WRAPPERS.iter().find(|name| {
        let is_only = arguments.len() == 1 && arguments.get(**name).is_some_and(Value::is_object);
        is_only && schema["properties"].get(**name).is_none()
    });
    if let Some(Value::Object(inner)) = wrapped.and_then(|name| arguments.remove(*name)) {
        arguments = inner;
    }
    let mut left_out = Vec::new();
    let fitted = fit_fields(arguments, schema, &mut left_out)?;
    Ok((fitted, left_out))
}

fn fit_fields(
    fields: Map<String, Value>,
    schema: &Value,
    left_out: &mut Vec<String>,
) -> Result<Map<String, Value>> {
    let Some(known) = schema["properties"].as_object() else {
        left_out.extend(fields.into_iter().map(|(name, _)| name));
        return Ok(Map::new());
    };
    let given: Vec<String> = fields.keys().cloned().collect();
    let mut fitted = Map::new();
    for (name, value) in fields {
        if let Some(schema) = known.get(&name) {
            let value = fit(&name, value, schema, left_out)?;
            fitted.insert(name, value);
            continue;
        }
        let is_free = |field: &&String| !given.contains(field) && is_meant(&name, field);
        if let Some(meant) = known.keys().find(is_free)
            && !says_nothing(&value)
        {
            return Err(format!("There is no field \"{name}\"; use \"{meant}\"."));
        }
        if BINDING.contains(&plain(&name).as_str()) && !says_nothing(&value) {
            return Err(format!(
                "There is no field \"{name}\"; say it by the other fields, or leave it out and tell the person that it was not done."
            ));
        }
        left_out.push(name);
    }
    Ok(fitted)
}

fn fit(name: &str, value: Value, schema: &Value, left_out: &mut Vec<String>) -> Result<Value> {
    if let Some(any) = schema["anyOf"].as_array() {
        let some = any.iter().find(|one| one["type"] != "null");
        return some.map_or(Ok(value.clone()), |some| fit(name, value, some, left_out));
    }
    let wants = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        only => only == kind,
    };
    if wants("null") && is_filler(&value, schema) {
        return Ok(Value::Null);
    }
    // Some write JSON as a text.
    let value = match value {
        Value::String(text) if wants("array") || wants("object") => {
            match serde_json::from_str::<Value>(&text) {
                Ok(inner) if inner.is_array() || inner.is_object() => inner,
                _ => Value::String(text),
            }
        }
        value => value,
    };
    Ok(match value {
        Value::Null => Value::Null,
        Value::Object(_) if wants("string") => {
            return Err(format!("\"{name}\" must be a text."));
        }
        Value::String(text) if text.trim().is_empty() => match wants("array") {
            true => Value::Array(Vec::new()),
            // One of some words is not chosen.
            false if !choices(schema).is_empty() => Value::Null,
            false => Value::String(text),
        },
        Value::Array(values) if wants("array") => {
            let fitted = values.into_iter();
            let fitted = fitted.map(|one| fit(name, one, &schema["items"], left_out));
            Value::Array(fitted.collect::<Result<_>>()?)
        }
        Value::Array(mut values) if values.len() == 1 => {
            fit(name, values.remove(0), schema, left_out)?
        }
        one if wants("array") => vec![fit(name, one, &schema["items"], left_out)?].into(),
        Value::Object(fields) if wants("object") => {
            Value::Object(fit_fields(fields, schema, left_out)?)
        }
        value if wants("integer") => {
            let whole = whole_number(&value);
            let error = || format!("\"{name}\" must be a whole number, as 20.");
            whole.ok_or_else(error)?.into()
        }
        Value::String(text) if wants("number") => {
            let number = text.trim().parse::<f64>().ok().and_then(Number::from_f64);
            let error = || format!("\"{name}\" must be a number, as 12.5.");
            Value::Number(number.ok_or_else(error)?)
        }
        Value::String(text) if wants("boolean") => match text.trim() {
            "true" | "True" | "yes" => true.into(),
            "false" | "False" | "no" => false.into(),
            _ => return Err(format!("\"{name}\" must be true or false.")),
        },
        Value::String(text) => Value::String(of_choice(name, text, schema)?),
        Value::Number(number) if wants("string") => Value::String(number.to_string()),
        value => value,
    })
}

/// Whether some model filled an optional field with nothing: an empty text, the word for nothing, or
/// a zero where numbers begin with one.
fn is_filler(value: &Value, schema: &Value) -> bool {
    match value {
        Value::String(text) => matches!(text.trim(), "" | "null" | "undefined"),
        value => {
            let begins_later = schema["minimum"].as_f64().is_some_and(|least| least >= 1.0);
            begins_later && value.as_f64() == Some(0.0)
        }
    }
}

fn whole_number(value: &Value) -> Option<i64> {
    /// Beyond this not all whole numbers are floats.
    const MAX: f64 = 9_007_199_254_740_992.0;
    if let Some(whole) = value.as_i64() {
        return Some(whole);
    }
    let number = match value {
        Value::String(text) => text.trim().parse().ok()?,
        value => value.as_f64()?,
    };
    (number.fract() == 0.0 && number.abs() <= MAX).then_some(number as i64)
}

/// The words of which one is wanted.
fn choices(schema: &Value) -> Vec<&str> {
    // Choices with descriptions of their own stand one by one.
    let described = schema["oneOf"].as_array().into_iter().flatten();
    let each = described.chain([schema]).flat_map(|schema| {
        let choices = schema["enum"].as_array().into_iter().flatten();
        choices.chain([&schema["const"]])
    });
    each.filter_map(Value::as_str).collect()
}

/// One of some words, whatever its case. The error names all of them.
fn of_choice(name: &str, text: String, schema: &Value) -> Result<String> {
    let plain = text.trim().to_lowercase().replace([' ', '-'], "_");
    let choices = choices(schema);
    match choices.is_empty() || choices.contains(&text.as_str()) {
        true => Ok(text),
        false if choices.contains(&plain.as_str()) => Ok(plain),
        false => Err(format!("\"{name}\" must be one of {}.", choices.join(", "))),
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace(['_', '-', ' '], "")
}

/// Whether who wrote `name` means `field`.
fn is_meant(name: &str, field: &str) -> bool {
    let others = OTHER_NAMES.iter().filter(|(known, _)| *known == field);
    let mut others = others.flat_map(|(_, others)| others.iter());
    let (plain_name, plain_field) = (plain(name), plain(field));
    let is_other = others.any(|other| plain(other) == plain_name);
    let is_part = plain_field.len() >= 4
        && (plain_name.contains(&plain_field) || plain_field.contains(&plain_name))
        && plain_name.len() >= 3;
    is_other || is_part || is_near(&plain_name, &plain_field)
}

/// The name that `name` means in another form, as `functions.setReminder`. What is alike but for
/// letters may be another tool: `get_reminder` sets none.
pub fn near_name<'n>(name: &str, mut known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let singular = |name: &str| plain(name).trim_end_matches('s').to_owned();
    let meant = singular(name.rsplit(['.', ':', '/']).next().unwrap_or(name));
    known.find(|known| singular(known) == meant)
}

/// Whether few letters differ; in a short name none.
fn is_near(a: &str, b: &str) -> bool {
    let wrong_max = LETTERS_WRONG_MAX.min(a.len().min(b.len()) / 3);
    strsim::damerau_levenshtein(a, b) <= wrong_max
}
