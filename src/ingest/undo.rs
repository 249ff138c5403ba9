//! "undo": everything that the person's last message changed here is taken back, together. What
//! somebody else in a group has changed since stays.

use super::undo_question::{self, stays};
use crate::assistant::powers::{Power, PowerAction};
use crate::assistant::wording;
use crate::error::Result;
use crate::ingest::dialog::latest::{
    self, ItemEvent, LastNamed, NotedReminder, ReminderChange, StatedFact,
};
use crate::ingest::dialog::{LATEST_MS, NUMBERS_MS};
use crate::ingest::listing::{described, listed, pairs};
use crate::ingest::open_reminders::{self, ReminderRequest};
use crate::ingest::powers::{self, answer, attempt};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{birthdays, memories, reminder_requests};
use crate::store::{Reminder, Tx};

/// Says so where there is nothing to take back.
pub(in crate::ingest) fn last_or_nothing(turn: &MessageTurn, tx: &mut Tx) -> Result<String> {
    let outcome = take_back_newest(turn, tx)?;
    match in_words(turn, tx, outcome)? {
        Some(undone) => Ok(undone),
        None => nothing(turn, tx),
    }
}

fn nothing(turn: &MessageTurn, tx: &Tx) -> Result<String> {
    let language = turn.fixed_language(tx)?;
    Ok(wording::nothing_to_undo_in(language.as_deref()).to_owned())
}

/// What became of the last change when it was to be taken back.
#[derive(Debug)]
pub(in crate::ingest) enum UndoOutcome {
    /// What was done, in sentences for the person. A name and a time zone stay, and it says so.
    Undone(String),
    /// Nothing of it is left.
    Gone,
    TooLate,
    UndoneAlready,
    /// This message itself did it.
    Own,
    /// There is no change, or something was said since that may be meant instead.
    NoChange,
}

pub(in crate::ingest) fn undo_last(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let outcome = take_back_last(turn, tx)?;
    in_words(turn, tx, outcome)
}

fn in_words(turn: &MessageTurn, tx: &Tx, outcome: UndoOutcome) -> Result<Option<String>> {
    let language = turn.fixed_language(tx)?;
    let language = language.as_deref();
    Ok(match outcome {
        UndoOutcome::Undone(text) => Some(text),
        UndoOutcome::Gone => Some(wording::nothing_to_undo_in(language).to_owned()),
        UndoOutcome::TooLate => Some(wording::too_late_to_undo_in(language).to_owned()),
        UndoOutcome::UndoneAlready => Some(wording::undone_already_in(language).to_owned()),
        UndoOutcome::NoChange | UndoOutcome::Own => None,
    })
}

/// Takes back what the person's newest change in this chat did, also where only a superpower knows
/// of it.
pub(in crate::ingest) fn take_back_newest(turn: &MessageTurn, tx: &mut Tx) -> Result<UndoOutcome> {
    let named = latest::read_own(turn, tx, LATEST_MS)?.and_then(|(latest, _)| latest.message_id);
    match answer::newest_change(turn, tx)? {
        Some((message_id, _)) if message_id == turn.message_id => Ok(UndoOutcome::Own),
        _ if named == Some(turn.message_id) => Ok(UndoOutcome::Own),
        Some((message_id, at)) if named.is_none_or(|named| named < message_id) => {
            if turn.now.0 - at.0 > NUMBERS_MS {
                return Ok(UndoOutcome::TooLate);
            }
            let undone = answer::take_back_of_powers(turn, tx, message_id)?;
            Ok(match undone.is_empty() {
                true => UndoOutcome::Gone,
                false => UndoOutcome::Undone(undone.join("\n")),
            })
        }
        _ => take_back_last(turn, tx),
    }
}

/// Takes back all that the person's last change in this chat did.
fn take_back_last(turn: &MessageTurn, tx: &mut Tx) -> Result<UndoOutcome> {
    let latest = latest::read_own(turn, tx, LATEST_MS)?;
    let Some((latest, at)) = latest else {
        return Ok(UndoOutcome::NoChange);
    };
    if turn.now.0 - at.0 > NUMBERS_MS {
        return Ok(UndoOutcome::TooLate);
    }
    if latest.is_undone {
        return Ok(UndoOutcome::UndoneAlready);
    }
    if stays(&latest) && !undo_question::is_only_undone_since(turn, tx, &latest)? {
        return Ok(UndoOutcome::NoChange);
    }
    let mut undone: Vec<String> = take_back(turn, tx, &latest)?.into_iter().collect();
    if let Some(message_id) = latest.message_id {
        undone.extend(answer::take_back_of_powers(turn, tx, message_id)?);
    }
    if undone.is_empty() {
        return Ok(UndoOutcome::Gone);
    }
    // It is still what "it" means, but is not done again by "undo". A name stays.
    latest::revise(turn, tx, |latest| latest.is_undone |= latest.fact.is_none())?;
    Ok(UndoOutcome::Undone(undone.join("\n")))
}

/// "delete that": what the last message told a superpower. `None`: it told none, or took something
/// away, which "delete that" would bring back.
pub(in crate::ingest) fn told_last(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    const REMOVING: [&str; 12] = [
        "remove", "delete", "clear", "cancel", "drop", "done", "got", "bought", "cross", "check",
        "tick", "undo",
    ];
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(None);
    };
    if turn.words_of(&last.text).has_any(&REMOVING) {
        return Ok(None);
    }
    // "i want to cancel it" of a subscription that was told.
    let wants_to_cancel = turn.message.text.to_lowercase().contains("cancel");
    let is_subscription = |power: &Power| {
        matches!(
            power,
            Power::MembershipRenewal | Power::CancellationProtector
        )
    };
    if wants_to_cancel
        && powers::changed_by(turn, tx, last.id)?
            .iter()
            .any(is_subscription)
    {
        return Ok(Some(wording::SUBSCRIPTION_STAYS.to_owned()));
    }
    match answer::has_only_added(turn, tx, last.id)? {
        None => Ok(None),
        Some(false) => Ok(Some(wording::NOT_DELETED_BY_UNDO.to_owned())),
        Some(true) => {
            let undone = answer::take_back_of_powers(turn, tx, last.id)?;
            Ok((!undone.is_empty()).then(|| undone.join("\n")))
        }
    }
}

/// `None`: there is nothing of it any more.
pub(in crate::ingest) fn take_back(
    turn: &MessageTurn,
    tx: &mut Tx,
    latest: &LastNamed,
) -> Result<Option<String>> {
    let mut replies = Vec::new();
    let bring_back = |tx: &mut Tx<'_>| match latest.message_id {
        Some(message_id) => bring_back(turn, tx, message_id),
        None => Ok(None),
    };
    if let Some(fact) = &latest.fact {
        let undone = undo_fact(turn, tx, fact)?;
        let first = match fact {
            StatedFact::CorrectedMemory(_) => bring_back(tx)?,
            _ => None,
        };
        replies.push(first.unwrap_or(undone));
    }
    for id in &latest.changes.memories {
        let is_fact = matches!(
            &latest.fact,
            Some(StatedFact::Memory(fact) | StatedFact::CorrectedMemory(fact)) if fact == id
        );
        if !is_fact {
            replies.push(undo_fact(turn, tx, &StatedFact::Memory(id.clone()))?);
        }
    }
    if latest.changes.has_removed {
        replies.extend(bring_back(tx)?);
    }
    for change in &latest.changes.changed {
        replies.extend(change_back(turn, tx, change)?);
    }
    replies.extend(cancel_set(turn, tx, latest)?);
    Ok((!replies.is_empty()).then(|| replies.join("\n")))
}

/// `None`: it is gone.
fn change_back(turn: &MessageTurn, tx: &mut Tx, change: &ReminderChange) -> Result<Option<String>> {
    let Some(open) = tx.reminder(&change.after.schedule_id)? else {
        return Ok(None);
    };
    let now = turn.now;
    if is_changed_since(turn, tx, &change.after, &open)? {
        return Ok(Some(wording::changed_since(
            &open.text,
            open.send_at,
            turn.local_now(),
        )));
    }
    let (recurrence, send_at) = change.before.next_after(now);
    if send_at <= now {
        let before = (send_at, open.send_at);
        return Ok(Some(wording::time_has_passed(
            &open.text,
            before,
            turn.local_now(),
        )));
    }
    let earlier = ReminderRequest {
        text: &change.before.text,
        send_at,
        recurrence: recurrence.as_ref(),
    };
    reminder_requests::change(turn, tx, &open, &earlier).map(Some)
}

/// Cancels what was set. What came before, and was put off by it, counts as come again.
fn cancel_set(turn: &MessageTurn, tx: &mut Tx, latest: &LastNamed) -> Result<Option<String>> {
    let (mut open, mut replies) = (Vec::new(), Vec::new());
    for set in &latest.changes.set {
        match tx.reminder(&set.schedule_id)? {
            Some(row) if is_changed_since(turn, tx, set, &row)? => {
                replies.push(wording::changed_since(
                    &row.text,
                    row.send_at,
                    turn.local_now(),
                ));
            }
            row => open.extend(row),
        }
    }
    open_reminders::cancel(turn, tx, &open)?;
    let delivery = latest.came_before.clone();
    let delivery = delivery.filter(|delivery| {
        let mut ids = open.iter().map(|one| &one.schedule_id);
        !open.is_empty() && ids.all(|id| delivery.put_off.contains(id))
    });
    match delivery {
        Some(delivery) => {
            replies.push(wording::snooze_taken_back(&listed(&open)));
            let latest = LastNamed {
                reminders: delivery.reminders,
                ..LastNamed::of(ItemEvent::Delivered, &[])
            };
            latest.note(turn, tx)?;
        }
        None if !open.is_empty() => {
            let language = turn.fixed_language(tx)?;
            let cancelled = wording::set_taken_back_in(language.as_deref(), &listed(&open));
            replies.push(cancelled);
        }
        None => {}
    }
    Ok((!replies.is_empty()).then(|| replies.join("\n")))
}

/// Whether somebody has changed a group's reminder since.
fn is_changed_since(
    turn: &MessageTurn,
    tx: &Tx,
    noted: &NotedReminder,
    row: &Reminder,
) -> Result<bool> {
    let (_, next) = noted.next_after(turn.now);
    let is_skipped = row.recurrence.is_some() && row.send_at > next;
    Ok((!noted.is_still(row) || is_skipped) && tx.is_group(row.room)?)
}

/// Restores items that a message deleted.
pub(in crate::ingest) fn bring_back(
    turn: &MessageTurn,
    tx: &mut Tx,
    message_id: i64,
) -> Result<Option<String>> {
    let (mut reminders, mut memories) = (Vec::new(), Vec::new());
    for (kind, user, item) in tx.take_removed(turn.user.id, message_id, false)? {
        match kind.as_str() {
            "reminder" => reminders.extend(open_reminders::restore(turn, tx, user, &item)?),
            "birthday" => memories.extend(birthdays::restore(turn, tx, &item)?),
            _ => memories.push(memories::restore(turn, tx, &item)?),
        }
    }
    if reminders.is_empty() && memories.is_empty() {
        return Ok(None);
    }
    LastNamed::of(ItemEvent::Set, &reminders).note(turn, tx)?;
    Ok(Some(wording::brought_back_in(
        turn.fixed_language(tx)?.as_deref(),
        &pairs(&described(&reminders, turn.timezone())),
        &memories,
        turn.local_now(),
    )))
}

/// Forgets the memory; of a name or a zone, says that it stays.
pub(in crate::ingest) fn undo_fact(
    turn: &MessageTurn,
    tx: &mut Tx,
    fact: &StatedFact,
) -> Result<String> {
    let id = match fact {
        StatedFact::Memory(id) | StatedFact::CorrectedMemory(id) => id,
        StatedFact::Name => return Ok(wording::NAME_STAYS.to_owned()),
        StatedFact::TimeZone => return Ok(wording::TIMEZONE_STAYS.to_owned()),
        StatedFact::FormOfAddress => return Ok(wording::FORM_OF_ADDRESS_STAYS.to_owned()),
        StatedFact::Notices => return Ok(wording::NOTICES_STAY.to_owned()),
    };
    let known = memories::known(turn, tx)?.memories;
    let Some(memory) = known.into_iter().find(|memory| memory.id == *id) else {
        return nothing(turn, tx);
    };
    memories::forget(turn, tx, &[memory.id], &[], &memory.text)?;
    let language = turn.fixed_language(tx)?;
    Ok(wording::memory_taken_back_in(
        language.as_deref(),
        &memory.text,
    ))
}

/// "yes" to it: only what was named.
pub(in crate::ingest) fn confirmed(
    turn: &MessageTurn,
    tx: &mut Tx,
    message_id: i64,
    power: Option<&str>,
) -> Result<String> {
    let power = power.and_then(Power::named);
    if undo_question::changed_by(turn, tx, power)? != Some(message_id) {
        return nothing(turn, tx);
    }
    let undone = match power {
        Some(power) => {
            attempt::act(turn, tx, power, PowerAction::Undo)?.map(|it| powers::text_of(turn, it))
        }
        None => undo_last(turn, tx)?,
    };
    undone.map_or_else(|| nothing(turn, tx), Ok)
}
