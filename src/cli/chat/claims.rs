//! Compares the claims of an answer with the rows before and after it: every claimed change must be
//! in the rows, and every change of the rows must be claimed.

use chrono::{NaiveDateTime, Timelike};

use super::script::ReminderLine;
use crate::clock::{Timestamp, Zone};
use crate::store::Reminder;

/// From then on the day of a reminder is said.
const FAR_MS: i64 = 13 * 3_600_000;
/// Characters of a text that have to be said back.
const TEXT_CHARS: usize = 40;
/// How answers begin that tell of a change by a superpower.
const POWER_CLAIMS: [&str; 9] = [
    "Added ", "Removed ", "✓ ", "Noted", "Okay, I track", "Okay, the ", "Okay, I've taken back",
    "Okay, no trip", "Well done!",
];

/// The stored rows of one person.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Rows {
    pub(super) reminders: Vec<Reminder>,
    pub(super) memories: Vec<String>,
    /// The superpowers' state for the person, as JSON.
    pub(super) powers: Vec<(String, String)>,
}

/// Each as a sentence.
pub(super) fn false_claims(
    answer: &str,
    (before, after): (&Rows, &Rows),
    zone: Zone,
    now: Timestamp,
) -> Vec<String> {
    let mut found = untold_reminders(answer, (before, after), zone, now);
    let is_gone = |old: &Reminder| {
        let mut now = after.reminders.iter();
        now.all(|new| new.schedule_id != old.schedule_id)
    };
    let is_set_otherwise = before.reminders != after.reminders;
    let gone = before.reminders.iter().any(is_gone);
    let is_kept_otherwise = before.powers != after.powers;
    let tells_change = POWER_CLAIMS.iter().any(|claim| answer.starts_with(claim));
    let (was, is) = (before.memories.len(), after.memories.len());
    found.extend([
        (
            answer.contains("I'll remind you") && !is_set_otherwise,
            "no reminder was set",
        ),
        (
            answer.contains("I've cancelled") && !gone,
            "nothing was cancelled",
        ),
        (
            gone && !answer.contains("cancelled"),
            "a reminder went without a word",
        ),
        (
            answer.starts_with("Okay, now ") && !is_set_otherwise,
            "nothing was moved",
        ),
        (
            tells_change && !is_kept_otherwise && !is_set_otherwise,
            "nothing was kept by a superpower",
        ),
        (
            answer.contains("I'll remember that") && is <= was,
            "nothing was remembered",
        ),
        (
            answer.contains("I've forgotten") && is >= was && !is_kept_otherwise,
            "nothing was forgotten",
        ),
        (
            is < was && !answer.contains("forgotten"),
            "a memory went without a word",
        ),
    ]);
    let false_ones = found.into_iter().filter(|(is_false, _)| *is_false);
    false_ones.map(|(_, why)| why.to_owned()).collect()
}

/// What the answer leaves out of reminders that are new or have another time. `true`: it does.
fn untold_reminders(
    answer: &str,
    (before, after): (&Rows, &Rows),
    zone: Zone,
    now: Timestamp,
) -> Vec<(bool, &'static str)> {
    let mut found = Vec::new();
    let mut unlisted = hidden_lines(answer);
    for reminder in &after.reminders {
        let was = before.reminders.iter();
        let was = was
            .clone()
            .find(|old| old.schedule_id == reminder.schedule_id);
        match was {
            None => {
                let missing = missing_lines(answer, reminder, zone, now);
                let is_told = !missing.iter().any(|(is_missing, _)| *is_missing);
                if is_told || unlisted == 0 {
                    found.extend(missing);
                } else {
                    unlisted -= 1;
                }
            }
            Some(old) if old.send_at != reminder.send_at => {
                let time = line_of(reminder, zone).at.format("%H:%M").to_string();
                found.push((!answer.contains(&time), "a new time is not said back"));
            }
            Some(_) => {}
        }
    }
    found
}

/// How many lines of lists the answer only counts: "… and 5 more."
fn hidden_lines(answer: &str) -> usize {
    let count = |line: &str| {
        let count = line.strip_prefix("… and ")?.strip_suffix(" more.")?;
        count.parse::<usize>().ok()
    };
    answer.lines().filter_map(count).sum()
}

/// What an answer must say of a reminder that is new.
fn missing_lines(
    answer: &str,
    reminder: &Reminder,
    zone: Zone,
    now: Timestamp,
) -> [(bool, &'static str); 4] {
    let says = |text: &str| answer.contains(text);
    let text: String = reminder.text.chars().take(TEXT_CHARS).collect();
    let at = line_of(reminder, zone).at;
    let says_time = says(&at.format("%H:%M").to_string())
        || [" second", " minute", " hour"].into_iter().any(says);
    let is_far = reminder.send_at.0 - now.0 > FAR_MS;
    let says_day = says(&at.format("%A, %-d %B").to_string());
    let says_often = ["every", "each"].into_iter().any(says);
    [
        (!says(&text), "a reminder's text is not said back"),
        (!says_time, "a reminder's time is not said back"),
        (is_far && !says_day, "a reminder's day is not said back"),
        (
            reminder.recurrence.is_some() && !says_often,
            "how often it comes is not said back",
        ),
    ]
}

/// A reminder as a script writes it.
pub(super) fn line_of(reminder: &Reminder, zone: Zone) -> ReminderLine {
    let recurrence = reminder.recurrence.as_ref();
    let local = reminder.send_at.utc().with_timezone(&zone);
    ReminderLine {
        at: to_the_minute(local.naive_local()),
        text: reminder.text.clone(),
        rule: recurrence.map(|recurrence| recurrence.rule().to_owned()),
    }
}

fn to_the_minute(time: NaiveDateTime) -> NaiveDateTime {
    let minute = time.with_second(0).and_then(|time| time.with_nanosecond(0));
    minute.unwrap_or(time)
}
