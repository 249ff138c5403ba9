//! Changing the time of reminders that a message refers to: "make it 10", "move 2 to friday".

use super::{Referent, referent, snooze, subject};
use crate::assistant::builtin::{BeforeEvent, NewTime, ReminderRef, TimeChange};
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::dialog::NUMBERS_MS;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed};
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::open_reminders::{self, ReminderRequest};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{corrected_value, reminder_requests};
use crate::ingest::{event_reminders, listing};
use crate::store::{Reminder, Tx};

/// The most messages that are read: a request for a reminder before something, and its corrections.
const OFFSETS_MAX: usize = 5;

/// "change that to Ava" after a memory renames no reminder.
pub(super) fn rename_meant(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
    text: &str,
) -> Result<Option<String>> {
    if *which == ReminderRef::Latest
        && let Some(reply) = corrected_value::correct(turn, tx)?
    {
        return Ok(Some(reply));
    }
    if *which == ReminderRef::Latest && subject::is_another(turn, tx)? {
        return Ok(Some(wording::CHANGE_UNCLEAR.to_owned()));
    }
    rename(turn, tx, which, text)
}

/// "make it 10", "move the last one to 11", "move 2 to friday".
pub(super) fn change(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
    to: &TimeChange,
) -> Result<Option<String>> {
    match which {
        ReminderRef::Latest => super::change_last(turn, tx, to),
        ReminderRef::Last
            if subject::has_changed(turn, tx)? || listing::last_shown(turn, tx)?.is_none() =>
        {
            super::change_last(turn, tx, to)
        }
        _ => change_time(turn, tx, which, to),
    }
}

pub(super) fn change_time(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
    to: &TimeChange,
) -> Result<Option<String>> {
    let unit_s = match which {
        ReminderRef::Latest | ReminderRef::Together(_) => counted_in(turn, tx)?,
        _ => None,
    };
    let counted = unit_s.and_then(|unit_s| to.counted(unit_s));
    let to = counted.as_ref().unwrap_or(to);
    let open = match referent::resolve(turn, tx, which)? {
        None => return Ok(None),
        Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
        Some(Referent::Delivered(delivered)) => {
            // "wait 10" is not ten o'clock.
            let minutes = match turn.words().begins_with(&["wait"]) {
                true => to.counted(60),
                false => None,
            };
            let to = snooze::of_delivered(minutes.as_ref().unwrap_or(to), &delivered, turn);
            let Ok(new) = to.of_new(turn.now, turn.zone()) else {
                return Ok(Some(wording::REMINDER_PAST.to_owned()));
            };
            return Ok(Some(snooze::put_off(turn, tx, &delivered, &new)?));
        }
        Some(Referent::Open(mut open)) => {
            open.sort_by_key(|reminder| reminder.send_at);
            open
        }
    };
    let [reminder] = open.as_slice() else {
        let is_one_thing = open.windows(2).all(|pair| pair[0].text == pair[1].text);
        let are_named = !matches!(which, ReminderRef::Latest | ReminderRef::About(_));
        if are_named || *which == ReminderRef::Latest && to.is_repeat() && is_one_thing {
            return Ok(Some(change_each(turn, tx, &open, to)?));
        }
        let reply =
            listing::ask_which(turn, tx, "with its number, like “move 2 to friday”", &open)?;
        return Ok(Some(reply));
    };
    let recurrence = reminder.recurrence.as_ref();
    let early =
        assistant::reminder_matches(&reminder.text, "alarm").then(|| to.clone().of_waking());
    let to = early.as_ref().unwrap_or(to);
    let new = to.of_set(reminder.send_at, recurrence, turn.now, turn.zone());
    Ok(Some(match new {
        Ok(new) if new.recurrence.is_some() && turn.agent.is_none() => {
            wording::REMINDER_REPEATS_NOT_HERE.to_owned()
        }
        // "fridays at 11 instead"
        Ok(new) if !names_change(turn) && to.ends_other_days(&new, recurrence) => {
            wording::OTHER_DAYS_STAY.to_owned()
        }
        Ok(new) => {
            let reply = reminder_requests::move_to(turn, tx, reminder, &new)?;
            let unit_s = unit_s.filter(|_| counted.is_some()).or_else(|| to.unit_s());
            if unit_s.is_some() {
                latest::revise(turn, tx, |latest| latest.counted_in_s = unit_s)?;
            }
            reply
        }
        Err(reply) => reply,
    }))
}

/// "make it …", "change it to …", "only …": all of it is meant.
fn names_change(turn: &MessageTurn) -> bool {
    let words = ["make", "change", "move", "set", "only", "every"];
    turn.words().has_any(&words)
}

/// "10 minutes before": another offset for what was just said, or a reminder before what was told or
/// set.
pub(super) fn remind_before(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &BeforeEvent,
    is_more: bool,
) -> Result<Option<String>> {
    if !is_more && let Some(reply) = change_offset(turn, tx)? {
        return Ok(Some(reply));
    }
    let Some(event) = event_reminders::just_told(turn, tx)? else {
        return Ok(None);
    };
    // The answer to "When?": what was asked about is the text.
    if let Some(Question::When { text, .. }) = question::read_open(turn, tx)?
        && question::is_last(turn, tx)?
    {
        question::close(turn, tx)?;
        return event_reminders::remind_of_plan(turn, tx, request, &event, &text).map(Some);
    }
    event_reminders::remind(turn, tx, request).map(Some)
}

/// "make it 2 hours before", right after a reminder before an event was asked for or set. `None`: it
/// was not, or this is from now on.
pub(super) fn change_offset(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if !assistant::is_other_offset(&turn.words()) {
        return Ok(None); // most messages
    }
    let request = offset_said(turn, tx)?;
    let open_question = question::read_open(turn, tx)?;
    let is_asked = match &open_question {
        Some(Question::When { .. } | Question::Which { .. }) => true,
        Some(Question::Rest { before, .. }) => assistant::names_offset(before),
        _ => false,
    };
    if is_asked && question::is_last(turn, tx)? {
        let Some(Intent::RemindBefore(request)) = request else {
            return Ok(None);
        };
        question::close(turn, tx)?;
        return event_reminders::remind(turn, tx, &request).map(Some);
    }
    if !event_reminders::is_last_before_event(turn, tx)? {
        return Ok(None);
    }
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    // It is no time from now on.
    let (Some(request), [reminder]) = (request, open.as_slice()) else {
        return Ok(Some(wording::CHANGE_UNCLEAR.to_owned()));
    };
    let reply = move_before(turn, tx, reminder, request)?;
    latest::revise(turn, tx, |latest| latest.is_before = true)?;
    Ok(Some(reply))
}

/// The request for a reminder before something that was said just before, with the offset that this
/// message names.
fn offset_said(turn: &MessageTurn, tx: &Tx) -> Result<Option<Intent>> {
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(None);
    };
    let mut messages = tx.view().chain(last.id, OFFSETS_MAX)?;
    messages.retain(|one| one.user == turn.user.id);
    for one in messages {
        let text = assistant::with_other_offset(&one.text, &turn.words());
        let understood = text.map(|text| turn.understand(&text));
        if let Some(Intent::RemindBefore(_) | Intent::Remind { .. }) = understood {
            return Ok(understood);
        }
        // "no, two weeks" may have followed the request before.
        if !assistant::is_other_offset(&turn.words_of(&one.text)) {
            break;
        }
    }
    Ok(None)
}

/// To the moment that the request names.
fn move_before(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    request: Intent,
) -> Result<String> {
    let once = |text, send_at| ReminderRequest {
        text,
        send_at,
        recurrence: None,
    };
    let request = match request {
        Intent::RemindBefore(request) => request,
        // "dentist at 3, remind me an hour before"
        Intent::Remind {
            text,
            send_at,
            recurrence: None,
            ..
        } => return reminder_requests::change(turn, tx, reminder, &once(&text, send_at)),
        _ => return Ok(wording::CHANGE_UNCLEAR.to_owned()),
    };
    let plans = event_reminders::known(turn, tx)?;
    let event = match request.text_without_event() {
        Some(_) => event_reminders::told_lately(turn, tx, OFFSETS_MAX + 1)?,
        None => match request.known(&plans).1.as_slice() {
            [event] => Some((*event).clone()),
            _ => None,
        },
    };
    let Some(event) = event else {
        return Ok(wording::CHANGE_UNCLEAR.to_owned());
    };
    match request.moment(&event, turn.zone(), turn.now) {
        Ok(at) => reminder_requests::change(turn, tx, reminder, &once(&reminder.text, at)),
        Err(_) => Ok(wording::REMINDER_PAST.to_owned()),
    }
}

/// The unit in seconds in which the last one was set or moved: 60 for "in 30 min".
fn counted_in(turn: &MessageTurn, tx: &Tx) -> Result<Option<i64>> {
    let latest = latest::read_named(turn, tx)?;
    let latest = latest.filter(|(_, at)| turn.now.0 - at.0 <= NUMBERS_MS);
    Ok(latest.and_then(|(latest, _)| latest.counted_in_s))
}

/// Another text at the same time.
pub(super) fn rename(
    turn: &MessageTurn,
    tx: &mut Tx,
    which: &ReminderRef,
    text: &str,
) -> Result<Option<String>> {
    let open = match referent::resolve(turn, tx, which)? {
        None => return Ok(None),
        Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
        Some(Referent::Delivered(_)) => return Ok(Some(wording::ALREADY_DELIVERED.to_owned())),
        Some(Referent::Open(open)) => open,
    };
    let [reminder] = open.as_slice() else {
        let how = "with a word of it, like “rename my swim reminder to …”";
        return listing::ask_which(turn, tx, how, &open).map(Some);
    };
    let request = ReminderRequest {
        text,
        send_at: reminder.send_at,
        recurrence: reminder.recurrence.as_ref(),
    };
    reminder_requests::change(turn, tx, reminder, &request).map(Some)
}

/// One word for another in the text of the last one; `None`: it has no such word.
pub(super) fn reword(
    turn: &MessageTurn,
    tx: &mut Tx,
    old: &str,
    new: &str,
) -> Result<Option<String>> {
    let Some(Referent::Open(mut open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    open.retain(|reminder| assistant::reworded(&reminder.text, old, new).is_some());
    let [reminder] = open.as_slice() else {
        return Ok(None);
    };
    let Some(text) = assistant::reworded(&reminder.text, old, new) else {
        return Ok(None);
    };
    let request = ReminderRequest {
        text: &text,
        send_at: reminder.send_at,
        recurrence: reminder.recurrence.as_ref(),
    };
    reminder_requests::change(turn, tx, reminder, &request).map(Some)
}

/// "i meant cy" right after a reminder that names somebody else.
pub(in crate::ingest) fn correct_person(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if !turn.may_correct() {
        return Ok(None); // most messages
    }
    let Some(person) = assistant::corrected_value(&turn.words()) else {
        return Ok(None);
    };
    if !latest::is_of_last_message(turn, tx)? {
        return Ok(None);
    }
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    let [reminder] = open.as_slice() else {
        return Ok(None);
    };
    let Some(text) = assistant::with_other_person(&reminder.text, &person) else {
        return Ok(None);
    };
    let latest = latest::read_named(turn, tx)?;
    let was_changed = latest.is_some_and(|(latest, _)| latest.event == ItemEvent::Changed);
    let here = open_reminders::here(turn, tx)?;
    if was_changed && here.iter().any(|one| one.text.eq_ignore_ascii_case(&text)) {
        return Ok(Some(wording::another_is_named_so(&text)));
    }
    let request = ReminderRequest {
        text: &text,
        send_at: reminder.send_at,
        recurrence: reminder.recurrence.as_ref(),
    };
    reminder_requests::change(turn, tx, reminder, &request).map(Some)
}

/// Whether the person's last message set, changed or listed reminders.
pub(in crate::ingest) fn was_about_reminders(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let here = open_reminders::here(turn, tx)?;
    Ok(latest::is_of_last_message(turn, tx)? || listing::just_shown(turn, tx, &here)?.is_some())
}

/// One thing that was set for several times, or those that were named by their numbers.
pub(super) fn change_each(
    turn: &MessageTurn,
    tx: &mut Tx,
    open: &[Reminder],
    to: &TimeChange,
) -> Result<String> {
    change_each_to(turn, tx, open, |reminder| {
        let recurrence = reminder.recurrence.as_ref();
        to.of_set(reminder.send_at, recurrence, turn.now, turn.zone())
    })
}

/// Where one of them can't be changed so, none is.
pub(super) fn change_each_to(
    turn: &MessageTurn,
    tx: &mut Tx,
    open: &[Reminder],
    new_time: impl Fn(&Reminder) -> std::result::Result<NewTime, String>,
) -> Result<String> {
    let mut changes = Vec::new();
    for reminder in open {
        match new_time(reminder) {
            Ok(new) if new.recurrence.is_some() && turn.agent.is_none() => {
                return Ok(wording::REMINDER_REPEATS_NOT_HERE.to_owned());
            }
            Ok(new) => changes.push((reminder, new)),
            Err(error) => return Ok(error),
        }
    }
    let mut replies = Vec::new();
    for (reminder, new) in changes {
        replies.push(reminder_requests::move_to(turn, tx, reminder, &new)?);
    }
    // `undo` takes back all of them.
    LastNamed::of(ItemEvent::Changed, open).note(turn, tx)?;
    Ok(replies.join("\n"))
}
