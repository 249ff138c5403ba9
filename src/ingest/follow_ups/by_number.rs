//! Follow-ups that name reminders by number: "done 2", "cancel all but 2"; and a new time for the
//! question what to remind of.

use super::{Referent, by_words, referent};
use crate::assistant::builtin::{ReminderRef, TimeChange};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::NotedRule;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::listing::{self, described, pairs};
use crate::ingest::open_reminders;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// "make it 6" after the question what to remind of at 5.
pub(super) fn change_asked_time(
    turn: &MessageTurn,
    tx: &mut Tx,
    to: &TimeChange,
) -> Result<Option<String>> {
    if !question::is_last(turn, tx)? {
        return Ok(None);
    }
    let Some(Question::What { send_at, rule }) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    let recurrence = rule.as_ref().and_then(NotedRule::recurrence);
    // "and tuesday" is one more time.
    if turn.words().begins_with(&["and", "also"]) {
        return Ok(Some(wording::REMINDER_ONE_TIME.to_owned()));
    }
    let at = Timestamp(send_at);
    let new = match to.of_set(at, recurrence.as_ref(), turn.now, turn.zone()) {
        Ok(new) => new,
        Err(reply) => return Ok(Some(reply)),
    };
    question::ask(
        turn,
        tx,
        &Question::what(new.send_at, new.recurrence.as_ref()),
    )?;
    Ok(Some(wording::what_then(new.send_at, turn.local_now())))
}

/// Marks reminders as done: those that come once are removed, those that repeat stay.
pub(super) fn mark_done(
    turn: &MessageTurn,
    tx: &mut Tx,
    numbers: &[usize],
) -> Result<Option<String>> {
    for number in numbers {
        if !listing::has_number(turn, tx, *number)? {
            return Ok(None);
        }
    }
    let which = ReminderRef::Numbered(numbers.to_vec());
    match referent::resolve(turn, tx, &which)? {
        Some(Referent::Open(open)) => by_words::mark_open_done(turn, tx, open).map(Some),
        Some(Referent::Unclear(reply)) => Ok(Some(reply)),
        Some(Referent::Delivered(_)) | None => Ok(None),
    }
}

/// All of this direct chat: none of a group, where others go by them.
pub(super) fn cancel_all_but(
    turn: &MessageTurn,
    tx: &mut Tx,
    kept: &ReminderRef,
) -> Result<Option<String>> {
    if turn.in_group() {
        return Ok(None);
    }
    let kept = match referent::resolve(turn, tx, kept)? {
        Some(Referent::Open(open)) => open,
        Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
        Some(Referent::Delivered(_)) | None => return Ok(None),
    };
    let mut others = open_reminders::here(turn, tx)?;
    let is_of_room = |other: &Reminder| other.room == turn.room.id;
    others.retain(|other| is_of_room(other) && kept.iter().all(|one| one.id != other.id));
    if others.is_empty() {
        return Ok(Some(wording::LEFT_AS_IT_WAS.to_owned()));
    }
    open_reminders::cancel(turn, tx, &others)?;
    let others = described(&others, turn.timezone());
    Ok(Some(wording::reminders_cancelled(&pairs(&others))))
}
