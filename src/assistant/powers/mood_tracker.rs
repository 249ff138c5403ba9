//! The mood tracker: a number from 1 to 10 with a word, and recent averages. It gives no advice.

mod operations;
mod read;

use std::ops::RangeInclusive;

use chrono::Datelike;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::texts::{counted, too_long};
use super::{PowerContext, Superpower, local_time};
use crate::clock::Timestamp;
pub(super) use operations::Arguments;
pub(super) use read::parse;

/// Limit of entries; older ones are removed.
const ENTRIES_KEPT_MAX: usize = 1_000;
/// Characters of a note.
const NOTE_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub enum MoodAction {
    Log {
        score: u8,
        note: String,
    },
    /// How somebody is, which need not be meant for the diary.
    LogIfInUse {
        score: u8,
        note: String,
    },
    /// Averages over this many days up to today.
    Past {
        days: i64,
    },
    /// The same, only by somebody who notes moods.
    PastIfAny {
        days: i64,
    },
    /// Of yesterday, or of the week before this one, only by somebody who notes moods.
    YesterdayIfAny,
    LastWeekIfAny,
    /// The mood that was noted last goes.
    RemoveLast,
    /// A number outside 1 to 10, or with a part of one.
    OutOfRange,
    /// The mood of another time than now, or of two.
    NotNow,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MoodState {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    /// Milliseconds since the epoch.
    at: i64,
    score: u8,
    note: String,
}

impl Superpower for MoodState {
    type Action = MoodAction;

    fn apply(&mut self, action: MoodAction, context: &PowerContext) -> Option<String> {
        Some(match action {
            // "i'm so tired" is no entry of a diary that nobody keeps.
            MoodAction::LogIfInUse { .. } if self.entries.is_empty() => return None,
            MoodAction::Log { score, note } | MoodAction::LogIfInUse { score, note } => {
                if let Some(reply) = too_long(&[&note], NOTE_CHARS_MAX) {
                    return Some(reply);
                }
                let entry = Entry {
                    at: context.now.0,
                    score,
                    note,
                };
                let reply = format!("Noted: {}.", entry.display());
                self.entries.push(entry);
                if self.entries.len() > ENTRIES_KEPT_MAX {
                    self.entries.remove(0);
                }
                format!(
                    "{reply}{}",
                    self.average(7, context)
                        .map_or_else(String::new, |(text, n)| {
                            if n > 1 {
                                format!(" This week it's {text} on average.")
                            } else {
                                String::new()
                            }
                        })
                )
            }
            MoodAction::PastIfAny { .. } | MoodAction::YesterdayIfAny | MoodAction::LastWeekIfAny
                if self.entries.is_empty() =>
            {
                return None;
            }
            MoodAction::YesterdayIfAny => {
                let yesterday = local_time::number(context.today()) - 1;
                let entries = self.on_days(yesterday..=yesterday, context);
                told(&entries, "yesterday", context)
            }
            MoodAction::Past { days } | MoodAction::PastIfAny { days } => self.past(days, context),
            MoodAction::LastWeekIfAny => self.last_week(context),
            MoodAction::RemoveLast => match self.entries.pop() {
                Some(removed) => format!(
                    "Okay, that mood is gone: {}. “undo” brings it back.",
                    removed.display()
                ),
                None => "I know of no mood of yours.".to_owned(),
            },
            MoodAction::NotNow => {
                "I can only note one mood, as it is now, so I've noted nothing. For example: “mood 7/10”."
                    .to_owned()
            }
            MoodAction::OutOfRange => {
                "Moods go from 1 (awful) to 10 (wonderful), in whole numbers. For example: “mood 7/10”.".to_owned()
            }
        })
    }

    fn data(&self, context: &PowerContext) -> Option<Value> {
        Some(self.to_json(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        self.past(7, context)
    }

    fn brief(&self, context: &PowerContext) -> Option<String> {
        let (average, _) = self.average(7, context)?;
        Some(format!("Mood in the last 7 days: {average} on average"))
    }
}

impl MoodState {
    /// Those of that many days up to today.
    fn since(&self, days: i64, context: &PowerContext) -> Vec<&Entry> {
        let today = local_time::number(context.today());
        self.on_days(today - (days - 1) as i32..=today, context)
    }

    fn on_days(&self, days: RangeInclusive<i32>, context: &PowerContext) -> Vec<&Entry> {
        let zone = context.zone();
        let day = |entry: &Entry| local_time::number(local_time::date(Timestamp(entry.at), zone));
        let entries = self.entries.iter();
        entries.filter(|entry| days.contains(&day(entry))).collect()
    }

    /// The average with one decimal as text, and the number of entries.
    fn average(&self, days: i64, context: &PowerContext) -> Option<(String, usize)> {
        average(&self.since(days, context))
    }

    fn past(&self, days: i64, context: &PowerContext) -> String {
        let when = match days {
            1 => "today".to_owned(),
            n => format!("in the last {n} days"),
        };
        told(&self.since(days, context), &when, context)
    }

    fn last_week(&self, context: &PowerContext) -> String {
        let today = context.today();
        let monday = local_time::number(today) - today.weekday().num_days_from_monday() as i32;
        let entries = self.on_days(monday - 7..=monday - 1, context);
        told(&entries, "last week", context)
    }
}

fn average(entries: &[&Entry]) -> Option<(String, usize)> {
    let count = entries.len();
    let sum: usize = entries.iter().map(|entry| usize::from(entry.score)).sum();
    let tenths = (sum * 10 + count / 2).checked_div(count)?;
    Some((format!("{}.{}", tenths / 10, tenths % 10), count))
}

fn told(entries: &[&Entry], when: &str, context: &PowerContext) -> String {
    const LISTED_MAX: usize = 14;
    let Some((average, count)) = average(entries) else {
        return format!("I know of no mood of yours {when}. Say “mood 7/10” to note one.");
    };
    let times = counted(count, "time");
    let mut text = format!("Your mood {when}: {average} on average, noted {times}.");
    for entry in entries.iter().skip(count.saturating_sub(LISTED_MAX)) {
        let at = Timestamp(entry.at).utc().with_timezone(&context.zone());
        text.push_str(&format!(
            "\n• {}: {}",
            at.format("%a %-d %b %H:%M"),
            entry.display()
        ));
    }
    if context.timezone.is_none() {
        text.push_str("\nTimes are in UTC.");
    }
    text
}

impl Entry {
    fn display(&self) -> String {
        if self.note.is_empty() {
            format!("{}/10", self.score)
        } else {
            format!("{}/10, {}", self.score, self.note)
        }
    }
}
