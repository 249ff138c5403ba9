//! Tool calls of a language model on the builtin assistant's data: reminders here, the others in
//! `kept_facts`. Inside a transaction; an error in a result is a sentence for the model.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::json;

use super::changed_series::change_next;
use super::fitting_list::that_fit;
use super::kept_facts::{forget, recall, remember, set_profile, usage};
use super::private_answer;
use super::reminder_json::{ID_CHARS, local_time, reminder_state, to_json, with_zone};
use super::reminder_occasion::{Occasion, changed_occasion, occasion};
use super::result::{CallResult, NOT_OWN_CHANGE, OWN_CHANGE, ReminderState};
use crate::assistant::builtin::Span;
use crate::assistant::tools::{Operation, ReminderChat, ReminderTime};
use crate::assistant::wording;
use crate::clock::{Timestamp, at_wall_time};
use crate::error::Result;
use crate::ingest::agenda;
use crate::ingest::open_reminders::{self, ReminderRefusal, ReminderRequest};
use crate::ingest::reply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::undo::{UndoOutcome, take_back_newest};
use crate::store::{Reminder, Tx};

/// Times of a reminder that comes again, where some days are asked for.
const TIMES_MAX: usize = 10;
/// Beside a series of which a call changed the time.
const WHOLE_SERIES: &str = "The whole series was changed: it first comes then, and goes on by its rule. For \
                            one time alone there is \"only_next\".";
/// Beside a reminder whose first time is another than the one that was asked for.
const NO_TIME_OF_RULE: &str = "The time that you gave is none of the rule, so it first comes at this one: say \
                               so, or change it.";

/// For a call that leaves out the next time of a reminder without others.
const COMES_ONCE: &str =
    "It comes only once, so there is no other time of it: cancel it, or give it another time.";

/// `new_id`: a UUID for what it makes.
pub(super) fn run(
    turn: &MessageTurn,
    tx: &mut Tx,
    operation: &Operation,
    new_id: &str,
) -> Result<CallResult> {
    match operation {
        Operation::SetReminder {
            text,
            at,
            repeat,
            chat,
        } => match occasion(turn, *at, repeat.as_deref()) {
            Ok(occasion) => set_reminder(turn, tx, text, &occasion, *chat, new_id),
            Err(error) => Ok(CallResult::refused("not a time", error)),
        },
        Operation::ListReminders { from, to, matching } => {
            list_reminders(turn, tx, *from, *to, matching.as_deref())
        }
        Operation::ChangeReminder {
            id,
            text,
            at,
            repeat,
            only_next,
        } => match reminder_named(turn, tx, id)? {
            Ok(reminder) if *only_next && reminder.recurrence.is_some() => {
                change_next(turn, tx, &reminder, text.as_deref(), *at, new_id)
            }
            Ok(_) if *only_next && at.is_none() && text.is_none() => {
                Ok(CallResult::refused("comes once", COMES_ONCE))
            }
            Ok(reminder) => {
                let repeat = repeat.as_deref();
                change_reminder(turn, tx, &reminder, text.as_deref(), *at, repeat)
            }
            Err(refused) => Ok(refused),
        },
        Operation::CancelReminder { id } => match reminder_named(turn, tx, id)? {
            Ok(reminder) => cancel_reminder(turn, tx, reminder),
            Err(refused) => Ok(refused),
        },
        Operation::Remember { text } => remember(turn, tx, text, new_id),
        Operation::Recall { query } => recall(turn, tx, query),
        Operation::Forget { ids } => forget(turn, tx, ids),
        Operation::SetProfile(change) => set_profile(turn, tx, change),
        Operation::Agenda { from, to } => {
            let span = days(turn, *from, *to);
            Ok(CallResult::quoting(&agenda::of_span(
                turn, tx, &span, true,
            )?))
        }
        Operation::ExportAccount => Ok(CallResult::done(json!({
            "started": false,
            "how": wording::HOW_TO_EXPORT_DATA,
        }))),
        Operation::DeleteAccount => Ok(CallResult::done(json!({
            "deleted": false,
            "how": wording::HOW_TO_DELETE_ACCOUNT,
        }))),
        Operation::Usage => usage(turn, tx),
        Operation::Undo => undo(turn, tx),
        Operation::AnswerPrivately { text } => private_answer::send(turn, tx, text),
        // Done by whoever carries out superpowers.
        Operation::Power(..) | Operation::Notices(_) => {
            Ok(CallResult::refused("garbled", "This is a superpower."))
        }
    }
}

fn undo(turn: &MessageTurn, tx: &mut Tx) -> Result<CallResult> {
    let error = match take_back_newest(turn, tx)? {
        UndoOutcome::Undone(text) => return Ok(CallResult::done(json!({ "undone": text }))),
        UndoOutcome::TooLate => {
            "The last change is more than 10 minutes old; change or cancel it by its own tool."
        }
        UndoOutcome::UndoneAlready => "The last change was taken back already.",
        UndoOutcome::Own => return Ok(CallResult::refused(OWN_CHANGE, NOT_OWN_CHANGE)),
        UndoOutcome::Gone | UndoOutcome::NoChange => {
            "Nothing of the last minutes in this chat can be taken back by this tool; a superpower \
             may have an operation \"undo\" of its own."
        }
    };
    Ok(CallResult::refused("nothing to undo", error))
}

/// From the first to the last day.
fn days(turn: &MessageTurn, from: NaiveDate, to: NaiveDate) -> Span {
    let midnight = |day: Option<NaiveDate>| {
        let at = day.and_then(|day| at_wall_time(day.and_time(NaiveTime::MIN), turn.zone()));
        at.unwrap_or(turn.now)
    };
    Span {
        range: midnight(Some(from))..midnight(to.succ_opt()),
        name: match from == to {
            true => format!("on {from}"),
            false => format!("from {from} to {to}"),
        },
    }
}

fn change_reminder(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    text: Option<&str>,
    at: Option<ReminderTime>,
    repeat: Option<&str>,
) -> Result<CallResult> {
    let occasion = match changed_occasion(turn, reminder, at, repeat) {
        Ok(occasion) => occasion,
        Err(error) => return Ok(CallResult::refused("not a time", error)),
    };
    let request = ReminderRequest {
        text: text.unwrap_or(&reminder.text),
        send_at: occasion.send_at,
        recurrence: occasion.recurrence.as_ref(),
    };
    let changed = open_reminders::change(turn, tx, reminder, &request)?;
    let mut json = with_zone(turn, to_json(turn, &changed));
    if reminder.recurrence.is_some() && changed.recurrence.is_some() && at.is_some() {
        json["note"] = WHOLE_SERIES.into();
    }
    Ok(CallResult {
        reminder: Some(reminder_state(turn, &changed)),
        ..CallResult::done(json)
    })
}

fn cancel_reminder(turn: &MessageTurn, tx: &mut Tx, reminder: Reminder) -> Result<CallResult> {
    let value = to_json(turn, &reminder);
    let now = ReminderState {
        at: None,
        ..reminder_state(turn, &reminder)
    };
    open_reminders::cancel(turn, tx, &[reminder])?;
    Ok(CallResult {
        reminder: Some(now),
        ..CallResult::done(json!({ "cancelled": value }))
    })
}

fn set_reminder(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: &str,
    occasion: &Occasion,
    chat: ReminderChat,
    new_id: &str,
) -> Result<CallResult> {
    let is_elsewhere = chat == ReminderChat::Direct && turn.in_group();
    let room = match is_elsewhere {
        false => Some(turn.room.id),
        true => tx
            .newest_direct_chat(turn.user.id, true)?
            .map(|chat| chat.room),
    };
    let Some(room) = room else {
        let error = "The person has no chat of their own with you; they have to write there first.";
        return Ok(CallResult::refused("no such chat", error));
    };
    let request = ReminderRequest {
        text,
        send_at: occasion.send_at,
        recurrence: occasion.recurrence.as_ref(),
    };
    let reminder = match open_reminders::set_as(turn, tx, &request, new_id, room)? {
        Ok(reminder) => reminder,
        Err(ReminderRefusal::TooMany) => {
            let error =
                "The person has as many reminders as anybody may have; one has to go first.";
            return Ok(CallResult::refused("too many reminders", error));
        }
        Err(ReminderRefusal::NoQueue) => {
            let error = "Reminders that come again can't be brought to this chat.";
            return Ok(CallResult::refused("no repetition here", error));
        }
    };
    let mut json = with_zone(turn, to_json(turn, &reminder));
    if occasion.is_moved {
        json["note"] = NO_TIME_OF_RULE.into();
    }
    if turn.agent.is_none() && !is_elsewhere {
        json["sent_by"] = "the person's chat app, if it can; say that you have asked it to, \
                                and promise nothing"
            .into();
    }
    let schedule = match is_elsewhere {
        true => None,
        false => Some(reply::schedule(turn, tx, &reminder)?),
    };
    Ok(CallResult {
        schedule,
        reminder: Some(reminder_state(turn, &reminder)),
        ..CallResult::done(json)
    })
}

fn list_reminders(
    turn: &MessageTurn,
    tx: &Tx,
    from: Option<NaiveDateTime>,
    to: Option<NaiveDateTime>,
    matching: Option<&str>,
) -> Result<CallResult> {
    let zone = turn.zone();
    let bound = |time: Option<NaiveDateTime>, open| {
        time.and_then(|time| at_wall_time(time, zone))
            .unwrap_or(Timestamp(open))
    };
    let within = bound(from, i64::MIN)..bound(to, i64::MAX);
    let within = (from.is_some() || to.is_some()).then_some(&within);
    let found = open_reminders::matching(turn, tx, matching, within)?;
    let (listed, more) = that_fit(found.iter().map(|reminder| {
        let mut json = to_json(turn, reminder);
        if let Some(within) = within.filter(|_| reminder.recurrence.is_some()) {
            let times = reminder.moments(within, TIMES_MAX).into_iter();
            let times: Vec<String> = times.map(|at| local_time(at, zone)).collect();
            json["times"] = times.into();
        }
        json
    }));
    let json = json!({ "reminders": listed, "more": more });
    Ok(CallResult::done(with_zone(turn, json)))
}

/// By the end of its id, among the reminders that may be shown in this chat.
fn reminder_named(
    turn: &MessageTurn,
    tx: &Tx,
    id: &str,
) -> Result<std::result::Result<Reminder, CallResult>> {
    let id = id.trim().to_ascii_lowercase();
    let mut found = open_reminders::here(turn, tx)?;
    found.retain(|reminder| id.len() >= ID_CHARS && reminder.schedule_id.ends_with(&id));
    Ok(match (found.pop(), found.is_empty()) {
        (Some(reminder), true) => Ok(reminder),
        _ => Err(CallResult::refused(
            "no such reminder",
            "There is no open reminder of that id; list_reminders gives the ids.",
        )),
    })
}
