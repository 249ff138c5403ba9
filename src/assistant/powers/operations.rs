//! What superpowers need to read the arguments of a language model's calls: typed arguments, from
//! which their JSON Schema comes as well, and the action that they mean. The arguments of a
//! superpower stand in its file, or in a file `operations.rs` of its own. An error is a sentence for
//! the model.

use std::fmt::Display;
use std::ops::RangeInclusive;

use chrono::{NaiveDate, NaiveTime, Timelike};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::local_time;
use super::money::Money;
use super::planned_time::PlannedTime;
use crate::clock::{Timestamp, Zone};

/// Days back for which something is entered.
pub(super) const DAYS_BACK_MAX: i64 = 366;
/// Days ahead at which plans and calendars are looked at.
const DAYS_AHEAD_MAX: i64 = 60;
/// Things in one call.
pub(super) const THINGS_MAX: usize = 50;

/// The message that a call is made for.
#[derive(Debug, Clone, Copy)]
pub struct CallContext {
    /// When it was said.
    pub now: Timestamp,
    /// The person's.
    pub zone: Zone,
    /// The message came with photos.
    pub has_photos: bool,
}

impl CallContext {
    /// In the person's time zone.
    pub fn today(self) -> NaiveDate {
        local_time::date(self.now, self.zone)
    }
}

pub(super) type Result<T> = std::result::Result<T, String>;

/// The arguments of a superpower's tool.
pub(super) trait Arguments<A>: DeserializeOwned + JsonSchema {
    /// The tool's description for models.
    const DESCRIPTION: &str;

    /// What a model that calls it with them asks for; `None`: to take back what was done last.
    fn action(self, context: CallContext) -> Result<Option<A>>;
}

/// The JSON Schema of a tool's arguments.
pub fn schema<T: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    for described_elsewhere in ["title", "description"] {
        schema.remove(described_elsewhere);
    }
    schema.to_value()
}

/// Arguments as a model wrote them; a field that says nothing is left out. The error says what is
/// wrong with them.
pub fn read<T: DeserializeOwned>(arguments: &str) -> Result<T> {
    let mut fields = argument_fields(arguments)?;
    fields.retain(|name, value| !is_absent(name, value));
    serde_json::from_value(Value::Object(fields)).map_err(unusable)
}

/// Models fill fields that nobody needs with null, an empty text or "none".
fn is_absent(name: &str, value: &Value) -> bool {
    /// Fields for which an empty text means nothing.
    const OPTIONAL: [&str; 11] = [
        "amount", "at", "chat", "from", "in_minutes", "language", "matching", "name", "pronouns",
        "timezone", "to",
    ];
    match value.as_str() {
        Some("") => OPTIONAL.contains(&name),
        Some("none" | "null") => name == "repeat",
        Some(_) => false,
        None => value.is_null(),
    }
}

/// The fields of a call's arguments. Servers send none as nothing, as null or as an empty text, and
/// some send the JSON as a text in JSON.
pub fn argument_fields(arguments: &str) -> Result<Map<String, Value>> {
    let none = |text: &str| matches!(text.trim(), "" | "null" | "[]");
    if none(arguments) {
        return Ok(Map::new());
    }
    let mut value: Value = serde_json::from_str(arguments).map_err(unusable)?;
    if let Value::String(text) = &value {
        value = match none(text) {
            true => return Ok(Map::new()),
            false => serde_json::from_str(text).map_err(unusable)?,
        };
    }
    serde_json::from_value(value).map_err(unusable)
}

fn unusable(error: serde_json::Error) -> String {
    format!("The arguments can't be used: {error}.")
}

/// Without control characters and spaces around it.
pub fn clean(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

/// A text that says something.
pub(super) fn optional(text: Option<&str>) -> Option<String> {
    text.map(clean).filter(|text| !text.is_empty())
}

pub(super) fn needed(text: Option<&str>, name: &str) -> Result<String> {
    given(optional(text), name)
}

pub(super) fn given<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| format!("\"{name}\" is needed for that operation."))
}

/// A number in `range`.
pub(super) fn within<T: PartialOrd + Display>(
    value: Option<T>,
    range: RangeInclusive<T>,
    name: &str,
) -> Result<T> {
    let value = value.filter(|value| range.contains(value));
    let (min, max) = (range.start(), range.end());
    value.ok_or_else(|| format!("\"{name}\" must be from {min} to {max}."))
}

pub(super) fn all_needed(texts: &[String], name: &str) -> Result<Vec<String>> {
    let texts = texts.iter().map(|text| clean(text));
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    match texts.len() {
        0 => given(None, name),
        1..=THINGS_MAX => Ok(texts),
        _ => Err(format!("\"{name}\" takes at most {THINGS_MAX} at once.")),
    }
}

pub(super) fn date(text: Option<&str>, name: &str) -> Result<Option<NaiveDate>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let parsed = NaiveDate::parse_from_str(text, "%Y-%m-%d");
    parsed
        .map(Some)
        .map_err(|_| format!("\"{name}\" must be a date like 2026-12-24."))
}

/// Today or a day ahead at which plans and calendars are looked at.
pub fn planned_day(
    text: Option<&str>,
    name: &str,
    context: CallContext,
) -> Result<Option<NaiveDate>> {
    let (day, today) = (date(text, name)?, context.today());
    let ahead = day.map_or(0, |day| (day - today).num_days());
    match (0..=DAYS_AHEAD_MAX).contains(&ahead) {
        true => Ok(day),
        false => Err(format!(
            "\"{name}\" must be today ({today}) or at most {DAYS_AHEAD_MAX} days ahead."
        )),
    }
}

/// A day that has not passed.
pub(super) fn coming_day(
    text: Option<&str>,
    name: &str,
    context: CallContext,
) -> Result<Option<NaiveDate>> {
    let (day, today) = (date(text, name)?, context.today());
    match day {
        Some(day) if day < today => Err(format!("\"{name}\" has passed; today is {today}.")),
        day => Ok(day),
    }
}

/// Days before today; 0 where no date is given.
pub(super) fn days_ago(text: Option<&str>, today: NaiveDate) -> Result<i64> {
    let days = date(text, "date")?.map_or(0, |date| (today - date).num_days());
    match days {
        0..=DAYS_BACK_MAX => Ok(days),
        _ => Err(format!(
            "\"date\" must be today ({today}) or a day of the year before."
        )),
    }
}

/// A time of day, in minutes after midnight.
pub(super) fn minute(text: Option<&str>, name: &str) -> Result<Option<u32>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let time = NaiveTime::parse_from_str(text, "%H:%M")
        .or_else(|_| NaiveTime::parse_from_str(text, "%H:%M:%S"))
        .map_err(|_| format!("\"{name}\" must be a time of day like 08:00."))?;
    Ok(Some(time.hour() * 60 + time.minute()))
}

pub(super) fn needed_minute(text: Option<&str>, name: &str) -> Result<u32> {
    given(minute(text, name)?, name)
}

/// The day of something planned, which is not over yet, and its time of day.
pub(super) fn planned_time(
    day: Option<&str>,
    time: Option<&str>,
    context: CallContext,
) -> Result<Option<PlannedTime>> {
    let (day, minute, today) = (date(day, "date")?, minute(time, "time")?, context.today());
    let Some(day) = day else {
        return match minute {
            None => Ok(None),
            Some(_) => Err("\"time\" goes with \"date\".".to_owned()),
        };
    };
    let is_over = minute.is_some_and(|minute| {
        day == today && minute < local_time::minute_of_day(context.now, context.zone)
    });
    match day < today || is_over {
        true => Err(format!("That is over; today is {today}. Nothing was kept.")),
        false => Ok(Some(PlannedTime { day, minute })),
    }
}

pub(super) fn needed_time(
    day: Option<&str>,
    time: Option<&str>,
    context: CallContext,
) -> Result<PlannedTime> {
    given(planned_time(day, time, context)?, "date")
}

pub(super) fn money(amount: Option<f64>, currency: Option<&str>) -> Result<Money> {
    Money::of(given(amount, "amount")?, optional(currency).as_deref())
        .ok_or_else(|| "\"amount\" must be more than 0 and at most 10 million.".to_owned())
}

pub(super) fn one(mut texts: Vec<String>, name: &str) -> Result<String> {
    match (texts.pop(), texts.is_empty()) {
        (Some(text), true) => Ok(text),
        _ => Err(format!(
            "\"{name}\" takes one at a time for that operation."
        )),
    }
}
