//! Calls that change only the next time of a reminder that comes again.

use serde_json::json;

use super::reminder_json::{local_time, reminder_state, to_json, with_zone};
use super::reminder_occasion::occasion;
use super::result::CallResult;
use crate::assistant::tools::ReminderTime;
use crate::error::Result;
use crate::ingest::open_reminders::{self, ReminderRequest};
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// Leaves the next time of `reminder` out. With `at` or `text` a reminder that comes once is set in its
/// place. `new_id`: its id.
pub(super) fn change_next(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    text: Option<&str>,
    at: Option<ReminderTime>,
    new_id: &str,
) -> Result<CallResult> {
    let mut json = json!({ "left_out": local_time(reminder.send_at, turn.zone()) });
    let mut state = None;
    if at.is_some() || text.is_some() {
        let at = at.unwrap_or(ReminderTime::Moment(reminder.send_at));
        let once = match occasion(turn, at, None) {
            Ok(once) => once,
            Err(error) => return Ok(CallResult::refused("not a time", error)),
        };
        if text.is_none() && once.send_at == reminder.send_at {
            let error = "That is its next time already, so nothing was changed. To leave it out, \
                         give \"only_next\" without \"at\".";
            return Ok(CallResult::refused("no change", error));
        }
        let request = ReminderRequest {
            text: text.unwrap_or(&reminder.text),
            send_at: once.send_at,
            recurrence: None,
        };
        let Ok(set) = open_reminders::set_as(turn, tx, &request, new_id, reminder.room)? else {
            let error = "One more reminder can't be set, so nothing was changed.";
            return Ok(CallResult::refused("too many reminders", error));
        };
        json["once"] = to_json(turn, &set);
        state = Some(reminder_state(turn, &set));
    }
    let rest = reminder.recurrence.as_ref();
    let rest = rest.and_then(|one| one.progress(reminder.send_at.max(turn.now)).next);
    match rest {
        Some((recurrence, send_at)) => {
            let request = ReminderRequest {
                text: &reminder.text,
                send_at,
                recurrence: Some(&recurrence),
            };
            let changed = open_reminders::change(turn, tx, reminder, &request)?;
            json["series"] = to_json(turn, &changed);
            state = Some(reminder_state(turn, &changed));
        }
        None => {
            open_reminders::cancel(turn, tx, std::slice::from_ref(reminder))?;
            json["series"] = "That was its last time, so it has ended.".into();
        }
    }
    Ok(CallResult {
        reminder: state,
        ..CallResult::done(with_zone(turn, json))
    })
}
