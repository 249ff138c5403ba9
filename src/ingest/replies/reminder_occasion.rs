//! When and how often a reminder comes that a model's call sets or changes. An error is a sentence for
//! the model.

use super::reminder_json::local_time;
use crate::assistant::tools::ReminderTime;
use crate::clock::{Timestamp, at_wall_time};
use crate::ingest::turn::MessageTurn;
use crate::model::recurrence::{GAP_S_MIN, Recurrence, RecurrenceError};
use crate::store::Reminder;

const MINUTE_MS: u64 = 60_000;

/// When and how often a reminder comes.
pub(super) struct Occasion {
    pub(super) send_at: Timestamp,
    pub(super) recurrence: Option<Recurrence>,
    /// The first time by the rule is another than the one that was asked for.
    pub(super) is_moved: bool,
}

pub(super) fn occasion(
    turn: &MessageTurn,
    at: ReminderTime,
    repeat: Option<&str>,
) -> Result<Occasion, String> {
    let zone = turn.zone();
    let first = match at {
        ReminderTime::Moment(moment) => Some(moment),
        ReminderTime::Local(time) => at_wall_time(time, zone),
    };
    let first = first.ok_or("There is no such time.")?;
    if let Some(rule) = repeat {
        let on_wall = first.utc().with_timezone(&zone).naive_local();
        let recurrence = Recurrence::new(&with_local_end(rule), on_wall, zone);
        let recurrence = recurrence.map_err(rule_error)?;
        // A first time that has passed is as good as the next.
        let progress = recurrence.progress(turn.now);
        let (recurrence, send_at) = progress.next.ok_or("That never comes again.")?;
        let is_moved = first > turn.now && send_at.0.abs_diff(first.0) >= MINUTE_MS;
        return Ok(Occasion {
            send_at,
            recurrence: Some(recurrence),
            is_moved,
        });
    }
    if first <= turn.now {
        let now = local_time(turn.now, zone);
        return Err(format!("That time has passed; it is {now} now."));
    }
    Ok(Occasion {
        send_at: first,
        recurrence: None,
        is_moved: false,
    })
}

pub(super) fn changed_occasion(
    turn: &MessageTurn,
    reminder: &Reminder,
    at: Option<ReminderTime>,
    repeat: Option<&str>,
) -> Result<Occasion, String> {
    let known = reminder.recurrence.as_ref().map(Recurrence::rule);
    let rule = repeat.or(known).filter(|rule| !rule.is_empty());
    match (at, repeat) {
        (None, None) => Ok(Occasion {
            send_at: reminder.send_at,
            recurrence: reminder.recurrence.clone(),
            is_moved: false,
        }),
        (at, _) => {
            let at = at.unwrap_or(ReminderTime::Moment(reminder.send_at));
            let occasion = occasion(turn, at, rule)?;
            match repeat {
                None if occasion.is_moved => Err(format!(
                    "That is no time of its rule, {}, so nothing was changed. For another rule give \
                     \"repeat\" too; to move only the next time, give \"only_next\": true.",
                    rule.unwrap_or_default()
                )),
                _ => Ok(occasion),
            }
        }
    }
}

/// Small models write the end of a local day as one in UTC, and dates with their marks.
fn with_local_end(rule: &str) -> String {
    const DATE_DIGITS: usize = 8;
    let upper = rule.to_ascii_uppercase();
    let is_through_the_day = ["HOURLY", "MINUTELY"]
        .iter()
        .any(|part| upper.contains(part));
    let parts = rule.split(';').map(|part| {
        let value = match part.split_once('=') {
            Some((key, value)) if key.trim().eq_ignore_ascii_case("UNTIL") => {
                value.trim().replace(['-', ':'], "").to_ascii_uppercase()
            }
            _ => return part.to_owned(),
        };
        let local = match value.get(DATE_DIGITS..) {
            Some("T000000Z" | "T000000") if !is_through_the_day => &value[..DATE_DIGITS],
            Some("T235959Z" | "T000000Z") => value.trim_end_matches('Z'),
            _ => &value,
        };
        format!("UNTIL={local}")
    });
    parts.collect::<Vec<String>>().join(";")
}

fn rule_error(error: RecurrenceError) -> String {
    match error {
        RecurrenceError::Unreadable => {
            "\"repeat\" must be a rule of RFC 5545 like FREQ=WEEKLY;BYDAY=MO.".to_owned()
        }
        RecurrenceError::TooOften => {
            format!("A reminder comes at most every {} minutes.", GAP_S_MIN / 60)
        }
        RecurrenceError::Never => "That rule never comes.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_day_is_a_local_one() {
        for (rule, expected) in [
            (
                "FREQ=DAILY;UNTIL=20261205T235959Z", "FREQ=DAILY;UNTIL=20261205T235959",
            ),
            (
                "FREQ=DAILY;UNTIL=20261205T000000Z;INTERVAL=2",
                "FREQ=DAILY;UNTIL=20261205;INTERVAL=2",
            ),
            ("FREQ=DAILY;UNTIL=2026-12-05", "FREQ=DAILY;UNTIL=20261205"),
            (
                "FREQ=DAILY;until=2026-12-05T23:59:59", "FREQ=DAILY;UNTIL=20261205T235959",
            ),
            (
                "FREQ=HOURLY;UNTIL=20261205T000000Z", "FREQ=HOURLY;UNTIL=20261205T000000",
            ),
            (
                "FREQ=DAILY;UNTIL=20261205T170000Z", "FREQ=DAILY;UNTIL=20261205T170000Z",
            ),
            ("RRULE:FREQ=DAILY;COUNT=3", "RRULE:FREQ=DAILY;COUNT=3"),
        ] {
            assert_eq!(with_local_end(rule), expected, "{rule}");
        }
    }
}
