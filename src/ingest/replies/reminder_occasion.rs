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
    turn: &MessageTurn<'_>,
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
        let recurrence = Recurrence::new(rule, on_wall, zone).map_err(rule_error)?;
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
    turn: &MessageTurn<'_>,
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
