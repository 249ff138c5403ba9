//! Cancels the reminders that a message names by their text, day or time of day. A repeating
//! reminder isn't ended by a message about one day. Its wording is in `assistant::wording`.

use std::ops::Range;

use super::dialog::question;
use super::dialog::question::Question;
use super::listing::{self, described, listed, pairs};
use super::{calendar_events, open_reminders, referent, reminder_requests};
use crate::assistant;
use crate::assistant::builtin::RemindersToCancel;
use crate::assistant::powers::choice;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// "cancel the 8 one" of what comes at 8, 13 and 20: the reply that refuses it.
fn other_hours(found: &[Reminder], minutes: &[u32]) -> Option<String> {
    let is_named = |(hour, minute): &(u8, u8)| {
        let minute = u32::from(*hour) * 60 + u32::from(*minute);
        minutes.contains(&minute)
    };
    referent::hours_of_one(found, |times| {
        !minutes.is_empty() && !times.iter().all(is_named)
    })
}

pub(super) fn cancel_requested(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &RemindersToCancel,
) -> Result<String> {
    let about = request.about.as_deref();
    let (mut found, on) = found_or_last_timer(turn, tx, request)?;
    if let (true, Some(name), None) = (found.is_empty(), about, &request.on)
        && let Some(reply) = calendar_events::delete_named(turn, tx, name)?
    {
        return Ok(reply);
    }
    for kept in &request.kept {
        let (stays, _) = open_reminders::search(turn, tx, kept)?;
        if stays.is_empty() {
            return Ok(wording::NOTHING_TO_KEEP.to_owned());
        }
        found.retain(|one| stays.iter().all(|other| other.id != one.id));
    }
    let refused = nothing_found(&found, request).or_else(|| other_hours(&found, &request.minutes));
    if let Some(reply) = refused {
        return Ok(reply);
    }
    let is_timer = about.is_some_and(|about| matches!(about, "timer" | "alarm"));
    if turn.in_group() && (request.is_own || is_timer && !request.several) {
        let own = own_of(turn, &found);
        if own.is_empty() && !found.is_empty() {
            return ask_which(turn, tx, &found);
        }
        found = own;
    }
    let is_one_thing = !is_timer && found.windows(2).all(|pair| pair[0].text == pair[1].text);
    if found.len() > 1 && !request.several && !(request.minutes.is_empty() && is_one_thing) {
        return ask_which(turn, tx, &found);
    }
    // "all" said in private means none of a group, where others go by them.
    let of_groups = match turn.in_group() || about.is_some() {
        true => Vec::new(),
        false => of_groups(turn, tx, &found)?,
    };
    found.retain(|one| of_groups.iter().all(|other| other.id != one.id));
    if found.len() > 1 && is_of_all(request) && !is_said_in_full(turn) {
        return ask_to_cancel_all(turn, tx, &found);
    }
    let is_of_one_day = on.is_some();
    let (kept, ended): (Vec<Reminder>, Vec<Reminder>) = found
        .into_iter()
        .partition(|reminder| is_of_one_day && reminder.recurrence.is_some());
    let (ended_texts, timezone) = (listing::described_here(turn, tx, &ended)?, turn.timezone());
    let mut replies = Vec::new();
    if !ended.is_empty() {
        replies.push(wording::reminders_cancelled(&pairs(&ended_texts)));
    }
    for reminder in &kept {
        replies.extend(leave_out(turn, tx, reminder, on.as_ref())?);
    }
    open_reminders::cancel(turn, tx, &ended)?;
    if !of_groups.is_empty() {
        listing::note(turn, tx, &of_groups)?;
        let texts = described(&of_groups, timezone);
        let listed = pairs(&texts);
        replies.push(wording::group_reminders_stay(&listed, turn.local_now()));
    }
    Ok(match (replies.is_empty(), turn.in_group()) {
        (true, true) => wording::NO_REMINDER_IN_GROUP.to_owned(),
        (true, false) => wording::reminders_cancelled(&[]),
        (false, _) => replies.join("\n"),
    })
}

/// The reminders that are meant, and the day that limits them.
fn found_or_last_timer(
    turn: &MessageTurn,
    tx: &Tx,
    request: &RemindersToCancel,
) -> Result<(Vec<Reminder>, Option<Range<Timestamp>>)> {
    let (found, on) = open_reminders::search(turn, tx, request)?;
    let is_timer = request.about.as_deref() == Some("timer") && on.is_none();
    match found.is_empty() && is_timer {
        true => Ok((referent::last_timer(turn, tx)?, on)),
        false => Ok((found, on)),
    }
}

/// The reminders of other chats that are groups.
fn of_groups(turn: &MessageTurn, tx: &Tx, all: &[Reminder]) -> Result<Vec<Reminder>> {
    let mut found = Vec::new();
    for reminder in all {
        if reminder.room != turn.room.id && tx.is_group(reminder.room)? {
            found.push(reminder.clone());
        }
    }
    Ok(found)
}

/// Whether nothing limits it.
fn is_of_all(request: &RemindersToCancel) -> bool {
    let any = RemindersToCancel {
        several: request.several,
        is_own: request.is_own,
        ..RemindersToCancel::default()
    };
    *request == any
}

/// Whether these are the words that end all of them at once, as the answers name them.
fn is_said_in_full(turn: &MessageTurn) -> bool {
    let text = turn.message.text.to_lowercase();
    text.contains("cancel all reminders")
}

/// Asks whether to cancel these, which are all.
fn ask_to_cancel_all(turn: &MessageTurn, tx: &mut Tx, all: &[Reminder]) -> Result<String> {
    let ids = all.iter().map(|one| one.schedule_id.clone()).collect();
    question::ask(turn, tx, &Question::CancelAll { ids })?;
    Ok(wording::cancel_all_reminders(all.len()))
}

/// Cancels those of them that are still open.
pub(super) fn cancel_all(turn: &MessageTurn, tx: &mut Tx, ids: &[String]) -> Result<String> {
    let mut open = open_reminders::here(turn, tx)?;
    open.retain(|one| ids.contains(&one.schedule_id));
    let texts = listing::described_here(turn, tx, &open)?;
    open_reminders::cancel(turn, tx, &open)?;
    Ok(wording::reminders_cancelled(&pairs(&texts)))
}

/// What is said of none where that is more than that there is no such reminder.
fn nothing_found(found: &[Reminder], request: &RemindersToCancel) -> Option<String> {
    if !found.is_empty() {
        return None;
    }
    let about = request.about.as_deref();
    match about.is_some_and(assistant::names_time) {
        true => Some(wording::REMINDERS_TO_CANCEL_UNCLEAR.to_owned()),
        false => (!request.kept.is_empty()).then(|| wording::LEFT_AS_IT_WAS.to_owned()),
    }
}

/// In a group "my" are those that this person set, and a timer is of who set it.
fn own_of(turn: &MessageTurn, found: &[Reminder]) -> Vec<Reminder> {
    let own = found.iter().filter(|one| one.user == turn.user.id);
    own.cloned().collect()
}

/// Leaves out the times of a repeating reminder on one day, or says why not.
fn leave_out(
    turn: &MessageTurn,
    tx: &mut Tx,
    reminder: &Reminder,
    day: Option<&Range<Timestamp>>,
) -> Result<Option<String>> {
    let skipped = match day {
        Some(day) => reminder_requests::skip(turn, tx, reminder, day)?,
        None => None,
    };
    let not_left_out = || {
        let recurrence = reminder.recurrence.as_ref()?;
        Some(wording::day_not_left_out(
            &reminder.text,
            recurrence,
            turn.timezone(),
        ))
    };
    Ok(skipped.or_else(not_left_out))
}

/// "2", "the second", "dad": the answer to the question which one to cancel.
pub(super) fn chosen(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::CancelWhich { ids }) = question::read_open(turn, tx)? else {
        return Ok(None); // most messages
    };
    if !question::is_last(turn, tx)? {
        return Ok(None);
    }
    let mut open = open_reminders::here(turn, tx)?;
    open.retain(|one| ids.contains(&one.schedule_id));
    if open.len() == ids.len() && assistant::means_all(&turn.message.text, open.len()) {
        question::close(turn, tx)?;
        open_reminders::cancel(turn, tx, &open)?;
        return Ok(Some(wording::reminders_cancelled(&listed(&open))));
    }
    let texts: Vec<&str> = open.iter().map(|one| one.text.as_str()).collect();
    let chosen = choice(&turn.message.text, &texts).filter(|_| open.len() == ids.len());
    let Some(one) = chosen.and_then(|at| open.get(at)) else {
        return Ok(None);
    };
    question::close(turn, tx)?;
    open_reminders::cancel(turn, tx, std::slice::from_ref(one))?;
    let one = std::slice::from_ref(one);
    Ok(Some(wording::reminders_cancelled(&listed(one))))
}

/// Asks which of these reminders to cancel; the answer may be a number or words of one.
pub(super) fn ask_which(turn: &MessageTurn, tx: &mut Tx, reminders: &[Reminder]) -> Result<String> {
    let ids = reminders.iter().map(|one| one.schedule_id.clone());
    let question = Question::CancelWhich { ids: ids.collect() };
    question::ask(turn, tx, &question)?;
    let how = match reminders.len() {
        1 => "with its number, like “cancel 1”",
        _ => "with its number, like “cancel 2”",
    };
    listing::ask_which(turn, tx, how, reminders)
}
