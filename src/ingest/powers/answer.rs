//! Answers to a message that requests a superpower: which attempt answers, and what is said where
//! none does.

use super::{PowerReply, alarms, attempt, changed_by, notices, text_of};
use serde_json::Value;

use crate::access::Access;
use crate::assistant::powers::{
    self, NoticeRequest, Power, PowerAction, PowerCall, RequestStrength,
};
use crate::assistant::{Intent, MessageContext, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, StatedFact};
use crate::ingest::requested_power::{PowerAttempt, PowerRequest, RequestedPower};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{agenda, gate, limits, listing, memories};
use crate::store::Tx;

/// `understood` is the meaning without superpowers. `None`: nothing was done, and the message
/// is answered as if no superpower had been requested.
pub(in crate::ingest) fn answer_requested_power(
    turn: &MessageTurn,
    tx: &mut Tx,
    called: &RequestedPower,
    understood: &Intent,
) -> Result<Option<String>> {
    if let Some(power) = called.undone() {
        return undo(turn, tx, called, power);
    }
    let text = match &called.what {
        PowerRequest::Try(attempts) => {
            let mut did = None;
            for (n, attempt) in attempts.iter().enumerate() {
                let is_last_resort = n > 0 && attempt.sure && !called.explicit;
                if is_last_resort && let Some(known) = memories::answer(turn, tx)? {
                    return Ok(Some(known));
                }
                did = attempt::run(turn, tx, attempt, called.explicit)?;
                if did.is_some() {
                    did = with_other_cancelled(turn, tx, did, (&attempts[n..], called.explicit))?;
                    break;
                }
            }
            if did.is_none() {
                did = say_nothing_is_known(turn, tx, attempts, understood)?;
            }
            match did {
                Some(reply) => {
                    let text = text_of(turn, reply);
                    listing::forget_after(turn, tx, &text)?;
                    text
                }
                None => return Ok(None), // it refers to nothing that is stored
            }
        }
        PowerRequest::Each(clauses) => return answer_each(turn, tx, clauses),
        PowerRequest::End(_) | PowerRequest::Notices(_)
            if !limits::may_use_power(turn, called.explicit) =>
        {
            limits::too_many(turn)
        }
        PowerRequest::End(power) => end(turn, tx, *power, called.explicit)?,
        PowerRequest::Notices(request) => text_of(turn, set_notices(turn, tx, *request)?),
        PowerRequest::Other => {
            if understood.is_command() || limits::may_command(turn) {
                return Ok(None);
            }
            limits::too_many(turn)
        }
    };
    Ok(Some(text))
}

/// "i cancelled the hotel": besides the warning of its free cancellation the booking, and the other way
/// round. The first of these attempts has been made.
fn with_other_cancelled(
    turn: &MessageTurn,
    tx: &mut Tx,
    did: Option<PowerReply>,
    (attempts, explicit): (&[PowerAttempt], bool),
) -> Result<Option<PowerReply>> {
    let is_report = |one: &PowerAttempt| one.action.reports_cancelled();
    let (
        Some(PowerReply::Said {
            mut text,
            changed: true,
        }),
        Some(first),
    ) = (did.clone(), attempts.first().filter(|one| is_report(one)))
    else {
        return Ok(did);
    };
    let others = attempts.iter().skip(1);
    for other in others.filter(|one| is_report(one) && one.power != first.power) {
        let unsure = PowerAttempt {
            sure: false,
            ..other.clone()
        };
        if let Some(PowerReply::Said {
            text: more,
            changed: true,
        }) = attempt::run(turn, tx, &unsure, explicit)?
        {
            text.push_str(&format!("\n{more}"));
        }
    }
    Ok(Some(PowerReply::Said {
        text,
        changed: true,
    }))
}

/// Takes back what the message did that changed the superpower last, also with other superpowers.
fn undo(
    turn: &MessageTurn,
    tx: &mut Tx,
    called: &RequestedPower,
    power: Power,
) -> Result<Option<String>> {
    let write = tx.power_state_write(turn.owner(), power.name())?;
    let changed_by = write.as_ref().and_then(|write| write.message_id);
    let said = turn.message.text.to_lowercase();
    let is_delete = ["delete", "remove", "forget", "cancel"]
        .iter()
        .any(|verb| said.contains(verb));
    if is_delete
        && let Some(message_id) = changed_by
        && has_only_added(turn, tx, message_id)? == Some(false)
    {
        return Ok(Some(wording::NOT_DELETED_BY_UNDO.to_owned()));
    }
    let attempt = PowerAttempt::sure(power, PowerAction::Undo);
    let Some(reply) = attempt::run(turn, tx, &attempt, called.explicit)? else {
        return Ok(None);
    };
    let is_undone = matches!(reply, PowerReply::Said { changed: true, .. });
    let mut texts = vec![text_of(turn, reply)];
    if is_undone && let Some(message_id) = changed_by {
        texts.extend(take_back_of_powers(turn, tx, message_id)?);
    }
    let text = texts.join("\n");
    listing::forget_after(turn, tx, &text)?;
    Ok(Some(text))
}

/// The newest message of the person that changed a superpower's state here, and when. `None` also
/// where the person may not use that superpower now.
pub(in crate::ingest) fn newest_change(
    turn: &MessageTurn,
    tx: &Tx,
) -> Result<Option<(i64, Timestamp)>> {
    let Some((message_id, at)) = tx.newest_power_change(turn.owner())? else {
        return Ok(None);
    };
    let message = tx.view().message(message_id)?;
    let is_own = message.is_some_and(|message| message.user == turn.user.id);
    let changed = changed_by(turn, tx, message_id)?;
    let are_on = changed.iter().all(|power| turn.flags.superpower(*power));
    let is_theirs = is_own && are_on && gate::has_superpowers(turn, tx)?;
    Ok(is_theirs.then_some((message_id, at)))
}

/// Takes back what superpowers changed for a message. Returns their replies.
pub(in crate::ingest) fn take_back_of_powers(
    turn: &MessageTurn,
    tx: &mut Tx,
    message_id: i64,
) -> Result<Vec<String>> {
    let mut undone = Vec::new();
    for power in changed_by(turn, tx, message_id)? {
        if let Some(PowerReply::Said {
            text,
            changed: true,
        }) = attempt::act(turn, tx, power, PowerAction::Undo)?
        {
            undone.push(text);
        }
    }
    Ok(undone)
}

/// Whether what superpowers changed for a message is new, so that nothing comes back when it is undone.
/// `None`: they changed nothing for it.
pub(in crate::ingest) fn has_only_added(
    turn: &MessageTurn,
    tx: &Tx,
    message_id: i64,
) -> Result<Option<bool>> {
    let mut has_added = None;
    for power in changed_by(turn, tx, message_id)? {
        if let Some(stored) = tx.power_state(turn.owner(), power.name())? {
            let before = stored.previous.as_deref().unwrap_or("{}");
            let is_new = adds_only(before, &stored.state);
            has_added = Some(has_added.unwrap_or(true) && is_new);
        }
    }
    if has_added.is_some() && tx.has_corrected_state(turn.user.id, message_id)? {
        return Ok(Some(false));
    }
    Ok(has_added)
}

/// Whether a change took nothing away and changed no entry. What is over may be gone beside what is new.
fn adds_only(before: &str, after: &str) -> bool {
    let parsed = |state: &str| serde_json::from_str::<Value>(state).unwrap_or_default();
    let (before, after) = (parsed(before), parsed(after));
    let (old, new) = (entries_in(&before), entries_in(&after));
    let added: Vec<&Value> = new
        .iter()
        .copied()
        .filter(|one| !old.contains(one))
        .collect();
    let mut gone = old.iter().filter(|one| !new.contains(one));
    let id = |value: &Value| value.get("id").and_then(Value::as_u64);
    let is_in_place = |gone: &Value, one: &Value| id(gone).is_some() && id(gone) == id(one);
    !gone.any(|gone| added.is_empty() || added.iter().any(|one| is_in_place(gone, one)))
}

/// The entries of all lists of a state.
fn entries_in(state: &Value) -> Vec<&Value> {
    match state {
        Value::Array(entries) => entries.iter().collect(),
        Value::Object(fields) => fields.values().flat_map(entries_in).collect(),
        _ => Vec::new(),
    }
}

/// Ends the conversation about a superpower, and what runs only until the person is done.
fn end(turn: &MessageTurn, tx: &mut Tx, power: Power, explicit: bool) -> Result<String> {
    let alarm = tx.power_alarm_at(turn.user.id, power.name())?;
    let still_sends = !turn.in_group() && alarm.is_some_and(|at| at > turn.now);
    let action = power.stop_of_running().filter(|_| still_sends);
    let stopped = match action {
        Some(action) => {
            let attempt = PowerAttempt::sure(power, action);
            attempt::run(turn, tx, &attempt, explicit)?
        }
        None => None,
    };
    if stopped.is_none() {
        attempt::count_use(turn, tx, power)?;
    }
    tx.end_power_session(turn.user.id, turn.room.id, turn.now)?;
    Ok(match stopped {
        Some(reply) => text_of(turn, reply),
        None => wording::superpower_ended(power.title(), still_sends),
    })
}

/// "Where's my hotel?", "did Ana write?", "when does netflix renew?" that no superpower, no
/// memory and no reminder answers: what the one that it is for says nevertheless.
fn say_nothing_is_known(
    turn: &MessageTurn,
    tx: &mut Tx,
    attempts: &[PowerAttempt],
    understood: &Intent,
) -> Result<Option<PowerReply>> {
    let is_question = match understood.unless_follow_up() {
        Intent::Recall { about: Some(about) } => {
            if memories::knows_of(turn, tx, about)? || agenda::asks_for_reminder(turn, tx, about)? {
                return Ok(None);
            }
            false // the memories may say that they don't know either
        }
        Intent::Unknown if memories::answer(turn, tx)?.is_some() => return Ok(None),
        Intent::Unknown => turn.possible_meanings().asked_about.is_some(),
        _ => return Ok(None),
    };
    let may_answer =
        |power: Power| power.lacks_service(false, false) || is_question && power.quotes_others();
    let of_kept = attempts.iter().filter_map(|attempt| {
        let action = attempt.action.when_none_is_known()?;
        Some((attempt.power, action))
    });
    let others = attempts.iter().filter(|attempt| may_answer(attempt.power));
    let others = others.map(|attempt| (attempt.power, attempt.action.clone()));
    for (power, action) in of_kept.chain(others) {
        let attempt = PowerAttempt::sure(power, action);
        if let Some(reply) = attempt::run(turn, tx, &attempt, false)? {
            return Ok(Some(reply));
        }
    }
    Ok(None)
}

/// Does what one of several requests asks a superpower for. Returns what is said about it.
pub(in crate::ingest) fn answer_part(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: &str,
) -> Result<String> {
    let reply = answer_text(turn, tx, text)?;
    Ok(reply.unwrap_or_else(|| wording::part_not_understood(text)))
}

/// Does what a request asks a superpower for. `None`: no superpower understands it.
pub(in crate::ingest) fn answer_text(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: &str,
) -> Result<Option<String>> {
    let calls = powers::recognise(&MessageContext {
        group: false, // only one of the parts contains the name
        ..turn.context_of(text)
    });
    if !calls.clauses.is_empty() && !turn.in_group() {
        return answer_each(turn, tx, &calls.clauses);
    }
    let is_sure = |call: &PowerCall| match call.strength {
        RequestStrength::Clear => true,
        RequestStrength::Opening => !turn.in_group(),
        RequestStrength::Soft | RequestStrength::InSession => false,
    };
    let is_offered = |call: &&PowerCall| {
        (is_sure(call) || call.strength == RequestStrength::Soft)
            && turn.flags.superpower(call.power)
    };
    let mut calls: Vec<&PowerCall> = calls.calls.iter().filter(is_offered).collect();
    calls.sort_by_key(|call| !is_sure(call));
    if let (Access::Deny(denial), Some(call)) = (gate::superpower_access(turn, tx)?, calls.first())
    {
        // What may be ordinary talk is not refused.
        return Ok(is_sure(call).then(|| denial.reply(&turn.persona)));
    }
    for call in calls {
        let attempt = PowerAttempt::of(call, is_sure(call));
        if let Some(reply) = attempt::run(turn, tx, &attempt, false)? {
            return Ok(Some(text_of(turn, reply)));
        }
    }
    Ok(None)
}

/// Reports of several kinds. `None`: there is nothing to note.
fn answer_each(turn: &MessageTurn, tx: &mut Tx, clauses: &[String]) -> Result<Option<String>> {
    let (mut replies, mut left) = (Vec::new(), Vec::new());
    for clause in clauses {
        match answer_text(turn, tx, clause)? {
            // A refusal is said once.
            Some(reply) if replies.contains(&reply) => {}
            Some(reply) => replies.push(reply),
            None => left.push(wording::part_not_understood(clause)),
        }
    }
    if replies.is_empty() {
        return Ok(None);
    }
    replies.extend(left);
    Ok(Some(replies.join("\n")))
}

pub(in crate::ingest) fn set_notices(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: NoticeRequest,
) -> Result<PowerReply> {
    let mut preferences = notices::preferences(tx, turn.user.id)?;
    let before = preferences.clone();
    let text = preferences.apply(request, turn.now);
    let changed = preferences != before;
    if changed {
        notices::keep(tx, turn.user.id, &preferences, turn.now)?;
        latest::note_fact(turn, tx, StatedFact::Notices)?;
    }
    if preferences.waking != before.waking {
        alarms::plan(turn, tx, turn.timezone(), |_| true)?;
    }
    Ok(PowerReply::Said { text, changed })
}
