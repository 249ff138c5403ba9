//! The arguments of the tools for what the builtin assistant keeps, as a model writes them.

use chrono::{DateTime, Months, NaiveDate, NaiveDateTime};
use schemars::JsonSchema;
use serde::Deserialize;

use super::super::builtin::{NAME_CHARS_MAX, REMINDER_CHARS_MAX};
use super::super::powers::operations::{CallContext, clean, planned_day};
use super::super::text::when::YEARS_AHEAD_MAX;
use super::{Operation, ProfileChange, ReminderChat, ReminderTime, Result};
use crate::clock::{Timestamp, Zone, at_wall_time};

/// How far ahead a reminder may be, counted in minutes.
const MINUTES_MAX: i64 = YEARS_AHEAD_MAX as i64 * 366 * 24 * 60;
const TO_BEFORE_FROM: &str = "\"to\" must not be before \"from\".";
/// In the place of a rule.
const ONCE: &str = "once";
/// The hour of a day without one.
const DAY_HOUR: u32 = 9;
/// Bytes of a language tag.
const LANGUAGE_BYTES_MAX: usize = 35;
/// Characters of pronouns.
const PRONOUNS_CHARS_MAX: usize = 40;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetReminder {
    /// What to remind of, in the person's words and without the time.
    text: String,
    /// Local time of the person, as 2026-12-24T18:30, or a date (at 9); or give in_minutes.
    at: Option<String>,
    in_minutes: Option<i64>,
    /// A rule of RFC 5545 for a reminder that comes again, as FREQ=WEEKLY;BYDAY=MO,WE.
    repeat: Option<String>,
    /// Where it comes: in this chat, or in the person's own chat with you.
    #[serde(default)]
    chat: ReminderChat,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListReminders {
    /// Only those from this local time or date on.
    from: Option<String>,
    /// Only those before this local time, or to the end of this date.
    to: Option<String>,
    /// Only those whose text has these words.
    matching: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ChangeReminder {
    /// As list_reminders or set_reminder gave it.
    id: String,
    text: Option<String>,
    /// Local time, as 2026-12-24T18:30; or give in_minutes.
    at: Option<String>,
    #[schemars(range(min = 1))]
    in_minutes: Option<i64>,
    /// A rule of RFC 5545; "once" for a reminder that comes once.
    repeat: Option<String>,
    /// true: of a series only the next time is moved to "at", or left out without "at".
    #[serde(default)]
    only_next: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CancelReminder {
    /// As list_reminders or set_reminder gave it.
    pub(super) id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remember {
    /// The fact, in a sentence that can stand alone.
    pub(super) text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Recall {
    /// Words of what is looked for; "" for the newest.
    pub(super) query: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Forget {
    /// As recall gave them.
    pub(super) ids: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SetProfile {
    name: Option<String>,
    /// An IANA name, as Europe/Berlin.
    timezone: Option<String>,
    /// The tag of the language to write in, as de or pt-BR.
    language: Option<String>,
    /// As the person said them, as she/her.
    pronouns: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Agenda {
    /// The day, or the first one, YYYY-MM-DD; today without it.
    from: Option<String>,
    /// The last day.
    to: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArguments {}

impl SetReminder {
    pub(super) fn operation(self, context: CallContext) -> Result<Operation> {
        let at = time(self.at.as_deref(), self.in_minutes, context)?;
        Ok(Operation::SetReminder {
            text: bounded(&self.text, "text", REMINDER_CHARS_MAX)?,
            at: at.ok_or("\"at\" or \"in_minutes\" is needed.")?,
            repeat: self.repeat.filter(|rule| !rule.trim().is_empty()),
            chat: self.chat,
        })
    }
}

impl ListReminders {
    pub(super) fn operation(self) -> Result<Operation> {
        let bound = |text: Option<String>, name, is_end| match text {
            Some(text) if !text.trim().is_empty() => day_or_time(&text, name, is_end).map(Some),
            _ => Ok(None),
        };
        Ok(Operation::ListReminders {
            from: bound(self.from, "from", false)?,
            to: bound(self.to, "to", true)?,
            matching: self
                .matching
                .map(|text| clean(&text))
                .filter(|t| !t.is_empty()),
        })
    }
}

impl Agenda {
    pub(super) fn operation(self, context: CallContext) -> Result<Operation> {
        let days = [&self.from, &self.to].map(|day| day.as_deref().and_then(date));
        if let [Some(from), Some(to)] = days
            && to < from
        {
            return Err(TO_BEFORE_FROM.to_owned());
        }
        let from = planned_day(self.from.as_deref(), "from", context)?;
        let from = from.unwrap_or_else(|| context.today());
        let to = planned_day(self.to.as_deref(), "to", context)?.unwrap_or(from);
        match to < from {
            true => Err(TO_BEFORE_FROM.to_owned()),
            false => Ok(Operation::Agenda { from, to }),
        }
    }
}

impl ChangeReminder {
    pub(super) fn operation(self, context: CallContext) -> Result<Operation> {
        let at = time(self.at.as_deref(), self.in_minutes, context)?;
        let text = self
            .text
            .map(|text| bounded(&text, "text", REMINDER_CHARS_MAX));
        let text = text.transpose()?;
        if text.is_none() && at.is_none() && self.repeat.is_none() && !self.only_next {
            return Err("Give \"text\", \"at\", \"in_minutes\" or \"repeat\".".to_owned());
        }
        Ok(Operation::ChangeReminder {
            id: self.id,
            text,
            at,
            repeat: self.repeat.map(|rule| match rule.trim() {
                ONCE => String::new(),
                rule => rule.to_owned(),
            }),
            only_next: self.only_next,
        })
    }
}

impl SetProfile {
    pub(super) fn operation(self) -> Result<Operation> {
        let name = self.name.map(|name| bounded(&name, "name", NAME_CHARS_MAX));
        let zone = |name: String| {
            let zone = name.trim().parse::<Zone>();
            zone.map_err(|_| "\"timezone\" must be an IANA name, as Europe/Berlin.".to_owned())
        };
        let timezone = self.timezone.map(zone).transpose()?;
        let language = self.language.as_deref().map(language_tag).transpose()?;
        let pronouns = self.pronouns;
        let pronouns = pronouns.map(|text| bounded(&text, "pronouns", PRONOUNS_CHARS_MAX));
        if name.is_none() && timezone.is_none() && language.is_none() && pronouns.is_none() {
            let error = "Give \"name\", \"timezone\", \"language\" or \"pronouns\".";
            return Err(error.to_owned());
        }
        Ok(Operation::SetProfile(ProfileChange {
            name: name.transpose()?,
            timezone,
            language,
            pronouns: pronouns.transpose()?,
        }))
    }
}

/// A tag in the form of BCP 47; that there is such a language is not checked.
fn language_tag(text: &str) -> Result<String> {
    let tag = text.trim();
    let mut parts = tag.split('-');
    let has_language = parts.next().is_some_and(|part| {
        (2..=3).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphabetic())
    });
    let is_subtag = |part: &str| {
        (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric())
    };
    if has_language && parts.all(is_subtag) && tag.len() <= LANGUAGE_BYTES_MAX {
        return Ok(tag.to_owned());
    }
    Err("\"language\" must be a language tag, as de or pt-BR.".to_owned())
}

pub(super) fn bounded(text: &str, name: &str, chars_max: usize) -> Result<String> {
    let text = clean(text);
    match text.chars().count() {
        0 => Err(format!("\"{name}\" must not be empty.")),
        n if n > chars_max => Err(format!("\"{name}\" takes at most {chars_max} characters.")),
        _ => Ok(text),
    }
}

fn time(
    at: Option<&str>,
    in_minutes: Option<i64>,
    context: CallContext,
) -> Result<Option<ReminderTime>> {
    let time = stated_time(at, in_minutes, context.now)?;
    let moment = time.and_then(|time| match time {
        ReminderTime::Moment(moment) => Some(moment),
        ReminderTime::Local(local) => at_wall_time(local, context.zone),
    });
    let latest = context
        .now
        .utc()
        .checked_add_months(Months::new(12 * YEARS_AHEAD_MAX));
    match (moment, latest) {
        (Some(moment), Some(latest)) if moment.utc() > latest => Err(format!(
            "A reminder is set at most {YEARS_AHEAD_MAX} years ahead, so this one was not set."
        )),
        _ => Ok(time),
    }
}

fn stated_time(
    at: Option<&str>,
    in_minutes: Option<i64>,
    now: Timestamp,
) -> Result<Option<ReminderTime>> {
    let at = at.map(str::trim).filter(|at| !at.is_empty());
    // Some models fill each field.
    let in_minutes = in_minutes.filter(|minutes| at.is_none() || *minutes != 0);
    match (at, in_minutes) {
        (Some(_), Some(_)) => Err("Give either \"at\" or \"in_minutes\".".to_owned()),
        (None, None) => Ok(None),
        (None, Some(minutes)) if (1..=MINUTES_MAX).contains(&minutes) => {
            Ok(Some(ReminderTime::Moment(now.plus_s(minutes * 60))))
        }
        (None, Some(_)) => Err(format!("\"in_minutes\" must be from 1 to {MINUTES_MAX}.")),
        // An offset is no local time, but says plainly which moment is meant.
        (Some(at), None) => moment(at)
            .map(ReminderTime::Moment)
            .or_else(|| local_time(at).map(ReminderTime::Local))
            .or_else(|| {
                date(at)?
                    .and_hms_opt(DAY_HOUR, 0, 0)
                    .map(ReminderTime::Local)
            })
            .map(Some)
            .ok_or_else(|| not_a_time(at)),
    }
}

fn not_a_time(at: &str) -> String {
    let digit = |c: char| if c.is_ascii_digit() { '0' } else { c };
    let form: String = at.chars().map(digit).collect();
    let is_whole = [
        "0000-00-00", "0000-00-00T00:00", "0000-00-00 00:00", "0000-00-00T00:00:00",
    ];
    match is_whole.contains(&form.as_str()) {
        true => "\"at\": there is no such day, or no such time of day.".to_owned(),
        false => "\"at\" must be a local time like 2026-12-24T18:30, without a zone.".to_owned(),
    }
}

/// A time with its offset from UTC, also without seconds.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.replacen(' ', "T", 1).replace(['Z', 'z'], "+00:00");
    [
        "%Y-%m-%dT%H:%M%:z", "%Y-%m-%dT%H:%M:%S%.f%:z", "%Y-%m-%dT%H:%M%z",
        "%Y-%m-%dT%H:%M:%S%.f%z",
    ]
    .into_iter()
    .find_map(|form| DateTime::parse_from_str(&text, form).ok())
    .map(|moment| Timestamp(moment.timestamp_millis()))
}

fn date(text: &str) -> Option<NaiveDate> {
    NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok()
}

pub(super) fn local_time(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim().replacen(' ', "T", 1);
    [
        "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S%.f",
    ]
    .into_iter()
    .find_map(|form| NaiveDateTime::parse_from_str(&text, form).ok())
}

/// A date's first moment, or the one after its last.
fn day_or_time(text: &str, name: &str, is_end: bool) -> Result<NaiveDateTime> {
    if let Some(time) = local_time(text) {
        return Ok(time);
    }
    let day = date(text).and_then(|day| if is_end { day.succ_opt() } else { Some(day) });
    let midnight = day.and_then(|day| day.and_hms_opt(0, 0, 0));
    midnight.ok_or_else(|| {
        format!("\"{name}\" must be a local time like 2026-12-24T18:30, or a date like 2026-12-24.")
    })
}
