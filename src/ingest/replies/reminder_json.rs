//! A reminder as a language model reads it in the results of its calls.

use serde_json::{Value, json};

use super::result::ReminderState;
use crate::assistant::wording;
use crate::clock::{Timestamp, Zone};
use crate::ingest::turn::MessageTurn;
use crate::store::Reminder;

/// Characters of a reminder's id that a model gets: its end, as its beginning is that of all that
/// were set within a minute.
pub(super) const ID_CHARS: usize = 8;

const DAY_S: i64 = 24 * 3_600;
/// Times of one day that are compared with what is told.
const TIMES_A_DAY: usize = 48;
/// Times of a reminder that comes again, after its next one.
const NEXT_TIMES: usize = 2;

/// Beside times for somebody whose zone is not known.
const UNKNOWN_ZONE: &str = "UTC, as the person's time zone is not known: say so, and ask for it";

pub(super) fn to_json(turn: &MessageTurn, reminder: &Reminder) -> Value {
    let mut value = json!({
        "id": short_id(&reminder.schedule_id),
        "text": reminder.text,
        "at": local_time(reminder.send_at, turn.zone()),
    });
    if let Some(recurrence) = &reminder.recurrence {
        value["repeat"] = recurrence.rule().into();
        let times = recurrence.upcoming(NEXT_TIMES + 1).into_iter().skip(1);
        let times: Vec<String> = times.map(|at| local_time(at, turn.zone())).collect();
        value["then"] = times.into();
        let left_out = recurrence.left_out();
        if !left_out.is_empty() {
            let times = left_out.iter().map(|at| local_time(*at, turn.zone()));
            value["left_out"] = times.collect::<Vec<String>>().into();
        }
        if let Some(last) = recurrence.last() {
            value["last"] = local_time(last, turn.zone()).into();
        }
    }
    if reminder.room != turn.room.id {
        value["chat"] = "another chat of the person".into();
    } else if turn.in_group() {
        value["chat"] = "this group, which all of it read".into();
    }
    value
}

/// A result with the zone of its times, where that is not known, or others of a group may have another.
pub(super) fn with_zone(turn: &MessageTurn, mut result: Value) -> Value {
    match turn.timezone() {
        None => result["timezone"] = UNKNOWN_ZONE.into(),
        Some(zone) if turn.in_group() => result["timezone"] = zone.name().into(),
        Some(_) => {}
    }
    result
}

/// A reminder as a call left it, to be compared with the reply's text.
pub(super) fn reminder_state(turn: &MessageTurn, reminder: &Reminder) -> ReminderState {
    let recurrence = reminder.recurrence.as_ref();
    ReminderState {
        id: short_id(&reminder.schedule_id).to_owned(),
        text: reminder.text.clone(),
        at: Some(reminder.send_at),
        zone: turn.zone(),
        rule: recurrence.map(|recurrence| recurrence.rule().to_owned()),
        often: recurrence.map(|one| wording::recurrence_phrase(one, turn.timezone())),
        of_day: recurrence.map_or_else(Vec::new, |one| {
            let day = reminder.send_at..reminder.send_at.plus_s(DAY_S);
            one.within(&day, TIMES_A_DAY)
        }),
        ends: recurrence.map_or_else(Vec::new, |one| {
            one.last().into_iter().chain(one.end()).collect()
        }),
        is_of_group: turn.in_group() && reminder.room == turn.room.id,
    }
}

/// The id of a reminder as a model gets it.
pub(super) fn short_id(schedule_id: &str) -> &str {
    let start = schedule_id.len().saturating_sub(ID_CHARS);
    schedule_id.get(start..).unwrap_or(schedule_id)
}

/// With the weekday, which models get wrong by themselves.
pub(super) fn local_time(at: Timestamp, zone: Zone) -> String {
    let local = at.utc().with_timezone(&zone);
    local.format("%A %Y-%m-%dT%H:%M").to_string()
}
