//! An edited message: what its earlier version did is undone before the new one is carried out, so
//! that nothing is done twice. What can't be undone stays, and the reply says so.

use super::dialog::latest::{self, ItemEvent, LastNamed, MessageChanges, StatedFact};
use super::dialog::question;
use super::message_versions::{self, EarlierVersion};
use super::powers::{self, answer};
use super::turn::MessageTurn;
use super::undo;
use super::{limits, open_reminders};
use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::RequestStrength;
use crate::assistant::{self, Intent, MessageContext, Understanding, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{MessageRow, Tx};

/// The result of an edited message.
pub(super) enum EditOutcome {
    /// The new version is handled like any other message.
    Unneeded,
    /// The earlier version is undone; the sentence that says so.
    Undone(String),
    /// The earlier version stays, and nothing else is done.
    Refused(String),
}

/// Undoes what the earlier version of an edited message did. Limits come first: an edit that
/// they refuse takes nothing back.
pub(super) fn replace_version(
    turn: &mut MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<EditOutcome> {
    if turn.left_to_model || turn.agent.is_none() || turn.earlier_version.is_none() {
        return Ok(EditOutcome::Unneeded);
    }
    if !is_within_limits(turn, intent) {
        return Ok(EditOutcome::Refused(limits::too_many(turn)));
    }
    turn.is_admitted = true;
    match last_effective(turn, tx)?.cloned() {
        Some(earlier) if adds_to_yes(turn, &earlier, intent) => Ok(EditOutcome::Unneeded),
        Some(earlier) => correct(turn, tx, &earlier),
        None => Ok(EditOutcome::Unneeded),
    }
}

/// "yes" became "yes and dad at 6": what was agreed to stays.
fn adds_to_yes(turn: &MessageTurn, earlier: &MessageRow, intent: &Intent) -> bool {
    let is_yes = |intent: &Intent| {
        matches!(
            intent,
            Intent::FollowUp {
                what: FollowUp::Yes,
                ..
            }
        )
    };
    let adds = match intent {
        Intent::Several(requests) => requests.first().is_some_and(is_yes),
        _ => false,
    };
    let earlier = turn.context_then(earlier);
    adds && (is_yes(&assistant::understand(&earlier))
        || assistant::is_consent(&turn.words_of(earlier.text)))
}

/// Whether the message is an edit that changes no word, as one with a link's preview, or only the
/// words of a yes: it is not answered.
pub(super) fn says_the_same(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let Some(earlier) = last_effective(turn, tx)? else {
        return Ok(false); // most messages
    };
    let agrees = |context: &MessageContext| {
        let understood = assistant::understand(context);
        matches!(
            understood,
            Intent::FollowUp {
                what: FollowUp::Yes,
                ..
            }
        ) || assistant::is_consent(&turn.words_of(context.text))
    };
    let agree = !turn.in_group()
        && is_noted(turn, tx, earlier.id)?
        && agrees(&turn.context_then(earlier))
        && agrees(&turn.context());
    Ok(agree || message_versions::has_same_words(earlier, &turn.message))
}

/// The newest version that did something, or else the newest: one that a limit refused did
/// nothing.
fn last_effective<'t>(turn: &'t MessageTurn<'_>, tx: &Tx<'_>) -> Result<Option<&'t MessageRow>> {
    let Some(EarlierVersion { rows, .. }) = &turn.earlier_version else {
        return Ok(None); // most messages
    };
    for row in rows {
        if is_noted(turn, tx, row.id)? {
            return Ok(Some(row));
        }
    }
    Ok(rows.first())
}

/// Counts the message towards the limits of commands and of uses of superpowers.
fn is_within_limits(turn: &MessageTurn, intent: &Intent) -> bool {
    match &turn.requested_power {
        Some(power) => limits::may_use_power(turn, power.is_explicit()),
        None => limits::may_carry_out(turn, intent),
    }
}

fn correct(turn: &MessageTurn, tx: &mut Tx, earlier: &MessageRow) -> Result<EditOutcome> {
    let understood = assistant::understand_all(&turn.context_then(earlier));
    if let Intent::FollowUp { what, .. } = &understood.intent
        && matches!(
            what,
            FollowUp::Change { .. } | FollowUp::Snooze(_) | FollowUp::SnoozeNumbered { .. }
        )
    {
        return correct_time(turn, tx, earlier);
    }
    drop_question_of(turn, tx, message_versions::acted_at(earlier))?;
    let is_last = turn.room.head == Some(earlier.id);
    let noted = latest::read_of_request(turn, tx, earlier.id)?;
    let changes = noted.as_ref().map(|latest| &latest.changes);
    let has_changes = changes.is_some_and(|changes| *changes != MessageChanges::default());
    // A name or a time zone is replaced by the new one.
    let stated = noted.as_ref().and_then(|latest| latest.fact.as_ref());
    if stated.is_some_and(StatedFact::stays) && !has_changes {
        return Ok(EditOutcome::Unneeded);
    }
    let is_known = has_changes && noted.is_some_and(|latest| !latest.is_undone)
        || is_last && is_for_powers_only(turn, tx, earlier.id, &understood)?
        || is_one_request(turn, &understood);
    if is_known && undo_all_of(turn, tx, earlier.id)? {
        return Ok(EditOutcome::Undone(
            wording::EARLIER_VERSION_UNDONE.to_owned(),
        ));
    }
    let is_request = is_request(turn, &understood);
    // An edit that asks for nothing, or of which nothing is left to undo, has only taken back what the
    // version before it did.
    let took_back = message_versions::is_edited(earlier) && (!is_request || is_known);
    let did_something = match is_last {
        true => is_noted(turn, tx, earlier.id)? && !took_back,
        false => is_request,
    };
    Ok(match did_something {
        true => EditOutcome::Refused(wording::EARLIER_VERSION_STAYS.to_owned()),
        false => EditOutcome::Unneeded,
    })
}

/// The earlier version moved reminders, or put them off. They are as before, so that the new
/// one counts from there and means the same ones.
fn correct_time(turn: &MessageTurn, tx: &mut Tx, earlier: &MessageRow) -> Result<EditOutcome> {
    let latest = latest::read_of_request(turn, tx, earlier.id)?;
    let Some(latest) = latest.filter(|latest| !latest.reminders.is_empty()) else {
        let is_last = turn.room.head == Some(earlier.id);
        return Ok(match is_last {
            true => EditOutcome::Unneeded, // it did nothing yet
            false => EditOutcome::Refused(wording::EARLIER_VERSION_STAYS.to_owned()),
        });
    };
    let mut open = Vec::new();
    for noted in &latest.reminders {
        if let Some(reminder) = tx.reminder(&noted.schedule_id)? {
            match latest.event {
                ItemEvent::Changed => open_reminders::restore_time(turn, tx, &reminder, noted)?,
                _ => open.push(reminder),
            }
        }
    }
    if latest.event == ItemEvent::Set {
        open_reminders::cancel(turn, tx, &open)?;
        let delivered = LastNamed::of(ItemEvent::Delivered, &open);
        delivered.note(turn, tx)?;
    }
    forget_changes(turn, tx)?;
    Ok(EditOutcome::Undone(
        wording::EARLIER_VERSION_UNDONE.to_owned(),
    ))
}

/// Forgets the changes of this message, so that no later "undo" or edit takes them back: they
/// replace those of an earlier version.
fn forget_changes(turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
    tx.take_removed(turn.user.id, turn.message_id, false)?;
    latest::revise(turn, tx, |latest| {
        latest.changes = MessageChanges::default()
    })
}

fn is_request(turn: &MessageTurn, understood: &Understanding) -> bool {
    let mut calls = understood.calls.calls.iter();
    let is_called = calls
        .any(|call| call.strength == RequestStrength::Clear && turn.flags.superpower(call.power));
    is_called || understood.intent.is_command() && !understood.intent.is_unclear()
}

/// It asks superpowers for something, and nothing else: several things, or what one of them has kept for it.
fn is_for_powers_only(
    turn: &MessageTurn,
    tx: &Tx,
    message_id: i64,
    understood: &Understanding,
) -> Result<bool> {
    Ok(match &understood.intent {
        Intent::Several(requests) => requests.iter().all(|one| matches!(one, Intent::Power(_))),
        Intent::Unknown | Intent::Power(_) => {
            let is_called = !understood.calls.calls.is_empty();
            is_called && !powers::changed_by(turn, tx, message_id)?.is_empty()
        }
        _ => false,
    })
}

/// The new version asks for one thing, without reference to what was said before.
fn is_one_request(turn: &MessageTurn, understood: &Understanding) -> bool {
    let refers = matches!(
        understood.intent,
        Intent::Several(_) | Intent::FollowUp { .. }
    );
    is_request(turn, understood) && !refers
}

/// The question that was asked then is not open any more.
fn drop_question_of(turn: &MessageTurn, tx: &mut Tx, at: Timestamp) -> Result<()> {
    let question = tx.question(turn.room.id, turn.user.id)?;
    match question {
        Some((_, asked)) if asked == at => question::close(turn, tx),
        _ => Ok(()),
    }
}

/// Whether anything that a message changed is still the last change.
fn is_noted(turn: &MessageTurn, tx: &Tx, message_id: i64) -> Result<bool> {
    Ok(latest::read_of_request(turn, tx, message_id)?.is_some()
        || !powers::changed_by(turn, tx, message_id)?.is_empty())
}

/// Undoes what a message did. Whether it was anything.
fn undo_all_of(turn: &MessageTurn, tx: &mut Tx, message_id: i64) -> Result<bool> {
    let mut is_undone = match latest::read_of_request(turn, tx, message_id)? {
        Some(latest) => undo::take_back(turn, tx, &latest)?.is_some(),
        // Something else was named since; what it removed is still kept.
        None => undo::bring_back(turn, tx, message_id)?.is_some(),
    };
    is_undone |= !answer::take_back_of_powers(turn, tx, message_id)?.is_empty();
    forget_changes(turn, tx)?;
    Ok(is_undone)
}
