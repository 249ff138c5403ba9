//! Tool calls of a language model on the builtin assistant's data: reminders, memories and the
//! profile. Inside a transaction; an error in a result is a sentence for the model.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Map, Value, json};

use super::private_answer;
use super::reminder_json::{ID_CHARS, local_time, reminder_state, to_json};
use super::result::{CallResult, ReminderState};
use crate::assistant::builtin::Span;
use crate::assistant::tools::{Operation, ProfileChange, ReminderChat, ReminderTime};
use crate::assistant::{self, wording};
use crate::clock::{Timestamp, at_wall_time};
use crate::error::{Error, Result};
use crate::ingest::dialog::latest::{self, StatedFact};
use crate::ingest::open_reminders::{self, ReminderRefusal, ReminderRequest};
use crate::ingest::powers::alarms;
use crate::ingest::reply::Schedule;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{agenda, carry_out, memories};
use crate::memory::MEMORIES_MAX;
use crate::model::recurrence::{GAP_S_MIN, Recurrence, RecurrenceError};
use crate::store::{Reminder, Tx};

/// Reminders and memories in one result.
const LISTED_MAX: usize = 50;
/// The category of what somebody said to the assistant.
const SAID: &str = "said";

/// When and how often a reminder comes.
struct Occasion {
    send_at: Timestamp,
    recurrence: Option<Recurrence>,
}

/// `new_id`: a UUID for what it makes.
pub(super) fn run(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
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
        } => match reminder_named(turn, tx, id)? {
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
            "how": wording::how_to_export_data(),
        }))),
        Operation::DeleteAccount => Ok(CallResult::done(json!({
            "deleted": false,
            "how": wording::how_to_delete_account(),
        }))),
        Operation::Usage => usage(turn, tx),
        Operation::AnswerPrivately { text } => private_answer::send(turn, tx, text),
        // Done by whoever carries out superpowers.
        Operation::Power(..) | Operation::Notices(_) => {
            Ok(CallResult::refused("garbled", "This is a superpower."))
        }
    }
}

/// From the first to the last day.
fn days(turn: &MessageTurn<'_>, from: NaiveDate, to: NaiveDate) -> Span {
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
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
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
    Ok(CallResult {
        reminder: Some(reminder_state(turn, &changed)),
        ..CallResult::done(to_json(turn, &changed))
    })
}

fn cancel_reminder(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    reminder: Reminder,
) -> Result<CallResult> {
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

fn set_profile(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    change: &ProfileChange,
) -> Result<CallResult> {
    let user = turn.user.id;
    let mut set = Map::new();
    if let Some(name) = &change.name {
        tx.set_user_name(&turn.message.sender, user, name)?;
        set.insert("name".to_owned(), name.as_str().into());
    }
    if let Some(zone) = change.timezone {
        tx.set_user_timezone(&turn.message.sender, user, zone.name())?;
        alarms::plan(turn, tx, Some(zone), |_| true)?;
        set.insert("timezone".to_owned(), zone.name().into());
        set.insert("now".to_owned(), local_time(turn.now, zone).into());
    }
    if let Some(language) = &change.language {
        tx.set_user_language(user, language)?;
        set.insert("language".to_owned(), language.as_str().into());
    }
    if let Some(pronouns) = &change.pronouns {
        tx.set_user_pronouns(user, pronouns)?;
        set.insert("pronouns".to_owned(), pronouns.as_str().into());
    }
    Ok(CallResult::done(Value::Object(set)))
}

fn occasion(
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
        return Ok(Occasion {
            send_at,
            recurrence: Some(recurrence),
        });
    }
    if first <= turn.now {
        let now = local_time(turn.now, zone);
        return Err(format!("That time has passed; it is {now} now."));
    }
    Ok(Occasion {
        send_at: first,
        recurrence: None,
    })
}

fn changed_occasion(
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
        }),
        (at, _) => occasion(
            turn,
            at.unwrap_or(ReminderTime::Moment(reminder.send_at)),
            rule,
        ),
    }
}

fn set_reminder(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
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
    let mut json = to_json(turn, &reminder);
    if turn.agent.is_none() && !is_elsewhere {
        json["sent_by"] = "the person's chat app, if it can; say that you have asked it to, \
                                and promise nothing"
            .into();
    }
    let schedule = match is_elsewhere {
        true => None,
        false => Some(schedule(turn, tx, &reminder)?),
    };
    Ok(CallResult {
        schedule,
        reminder: Some(reminder_state(turn, &reminder)),
        ..CallResult::done(json)
    })
}

/// The `schedule_message` object for the relay.
fn schedule(turn: &MessageTurn<'_>, tx: &Tx<'_>, reminder: &Reminder) -> Result<Value> {
    let language = turn
        .ingest
        .language_of_notices(tx, turn.user.id, turn.in_group())?;
    let schedule = Schedule {
        schedule_id: &reminder.schedule_id,
        chat_guid: &turn.message.chat_guid,
        text: &wording::reminder_text(&reminder.text, language.as_deref()),
        send_at: reminder.send_at,
        deliver_by: if turn.agent.is_some() {
            "service"
        } else {
            "relay"
        },
    };
    serde_json::to_value(schedule).map_err(Error::internal)
}

fn list_reminders(
    turn: &MessageTurn<'_>,
    tx: &Tx<'_>,
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
    let listed: Vec<Value> = found
        .iter()
        .take(LISTED_MAX)
        .map(|r| to_json(turn, r))
        .collect();
    Ok(CallResult::done(json!({
        "reminders": listed,
        "more": found.len().saturating_sub(LISTED_MAX),
    })))
}

/// By the end of its id, among the reminders that may be shown in this chat.
fn reminder_named(
    turn: &MessageTurn<'_>,
    tx: &Tx<'_>,
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

fn remember(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    text: &str,
    new_id: &str,
) -> Result<CallResult> {
    if tx.count_memories(turn.user.id)? >= MEMORIES_MAX {
        let error = "No more memories can be kept; some have to be forgotten first.";
        return Ok(CallResult::refused("too many memories", error));
    }
    if let Some(id) = memories::same(turn, tx, text)? {
        return Ok(CallResult::done(json!({ "id": id, "text": text })));
    }
    let memories = &turn.ingest.memories;
    memories.remember_as(tx, turn.user.id, new_id, text, SAID, turn.now)?;
    latest::note_fact(turn, tx, StatedFact::Memory(new_id.to_owned()))?;
    Ok(CallResult::done(json!({ "id": new_id, "text": text })))
}

fn recall(turn: &MessageTurn<'_>, tx: &Tx<'_>, query: &str) -> Result<CallResult> {
    let known = memories::known(turn, tx)?;
    let mut found: Vec<(usize, &crate::memory::Memory)> = known
        .memories
        .iter()
        .map(|memory| (assistant::memory_overlap(&memory.text, query), memory))
        .filter(|(overlap, _)| query.is_empty() || *overlap > 0)
        .collect();
    found.sort_by_key(|(overlap, _)| std::cmp::Reverse(*overlap));
    let listed = found
        .iter()
        .take(LISTED_MAX)
        .map(|(_, memory)| json!({ "id": memory.id, "text": memory.text }));
    Ok(CallResult::done(json!({
        "memories": listed.collect::<Vec<_>>(),
        "incomplete": known.is_cut_off,
    })))
}

fn forget(turn: &MessageTurn<'_>, tx: &mut Tx<'_>, ids: &[String]) -> Result<CallResult> {
    let known = memories::known(turn, tx)?;
    let mut found = Vec::new();
    for id in ids {
        let Some(memory) = known.memories.iter().find(|memory| memory.id == *id) else {
            let error =
                "One of the ids is of no memory, so nothing was forgotten; recall gives the ids.";
            return Ok(CallResult::refused("no such memory", error));
        };
        found.push(memory);
    }
    memories::forget(turn, tx, ids, &[], "")?;
    let texts: Vec<&str> = found.iter().map(|memory| memory.text.as_str()).collect();
    Ok(CallResult::done(json!({ "forgotten": texts })))
}

fn usage(turn: &MessageTurn<'_>, tx: &Tx<'_>) -> Result<CallResult> {
    let facts = carry_out::facts(turn, tx)?;
    Ok(CallResult::done(json!({
        "name": facts.name,
        "subscribed": facts.subscribed,
        "plan": facts.plan,
        "messages_today": facts.messages_used_today,
        "messages_a_day": facts.daily_limit,
        "memories": facts.memories,
        "reminders": facts.reminders,
        "timezone": facts.timezone.map(|zone| zone.name()),
    })))
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
