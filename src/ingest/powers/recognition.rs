//! Which superpower a message requests: by name, explicitly, or as the one in use.

use super::changed_by;
use crate::assistant::powers::{
    self, Power, PowerAction, PowerCall, PowerCalls, RequestStrength, SessionCommand,
};
use crate::assistant::{Intent, Understanding};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::FlagReader;
use crate::ingest::dialog::LATEST_MS;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed};
use crate::ingest::requested_power::{PowerAttempt, PowerRequest, RequestedPower};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Message, Mode, gate, undo_question};
use crate::store::Tx;

/// The offered superpower that the message requests. Cheap when no word of the message concerns
/// one.
pub(in crate::ingest) fn find_requested_power(
    turn: &MessageTurn,
    tx: &Tx,
    understood: &Understanding,
) -> Result<Option<RequestedPower>> {
    let (message, flags) = (&*turn.message, &turn.flags);
    if let Some(request) = kept_plan(turn, understood)
        && gate::has_superpowers(turn, tx)?
    {
        return Ok(Some(request));
    }
    let named = message.superpower.as_deref();
    let session = tx.power_session(turn.user.id, turn.room.id, turn.now);
    if named.is_none() && session.is_none() && !understood.calls.may_begin() {
        return Ok(None);
    }
    if flags.force_basic_mode() {
        return Ok(None);
    }
    let zone = turn.timezone();
    let calls = if understood.holds_in(zone) && session.is_none() && named.is_none() {
        understood.calls.clone()
    } else {
        powers::recognise(&turn.context())
    };
    let named = named.and_then(Power::named);
    if let Some(power) = named.filter(|power| flags.superpower(*power)) {
        return Ok(Some(by_name(power, &calls, &understood.intent)));
    }
    if let Some(request) = calls.notices
        && message.mode == Mode::Direct
        && gate::has_superpowers(turn, tx)?
    {
        return Ok(Some(RequestedPower::explicit(PowerRequest::Notices(
            request,
        ))));
    }
    let used_at = session.map(|session| session.last_at);
    let session = session.and_then(|session| Power::named(&session.name));
    let session = session.filter(|power| flags.superpower(*power));
    let session = session.filter(|power| message.mode == Mode::Direct || power.is_shared());
    let is_done = calls.session_command == Some(SessionCommand::Done)
        && matches!(understood.intent, Intent::FollowUp { .. });
    if is_done && has_reminder_come(turn, tx, used_at)? {
        return Ok(None);
    }
    let calls = match session {
        Some(power) => without_last_of_session(turn, tx, power, calls)?,
        None => calls,
    };
    let calls = without_other_sums(turn, tx, calls)?;
    if let Some(reports) = several_reports(message, &calls, &understood.intent)
        && gate::has_superpowers(turn, tx)?
    {
        return Ok(Some(reports));
    }
    if let Some(called) = explicit_call(message, &calls, session, &understood.intent, flags) {
        return Ok(Some(called));
    }
    let attempts = implicit_calls(message, &calls, session, &understood.intent, flags);
    if attempts.is_empty() || !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    Ok(Some(RequestedPower::implicit(PowerRequest::Try(attempts))))
}

/// "undo" and "delete the last one" mean the reminder that was named after what the session changed.
fn without_last_of_session(
    turn: &MessageTurn,
    tx: &Tx,
    session: Power,
    mut calls: PowerCalls,
) -> Result<PowerCalls> {
    let is_last = |call: &PowerCall| {
        call.strength == RequestStrength::InSession && call.action.removes_last()
    };
    let is_undo = calls.session_command == Some(SessionCommand::Undo);
    let takes_last = is_undo || calls.calls.iter().any(is_last);
    if takes_last && is_reminder_latest(turn, tx, session)? {
        calls.session_command = calls.session_command.filter(|_| !is_undo);
        calls.calls.retain(|call| !is_last(call));
    }
    Ok(calls)
}

/// Whether a reminder came in this chat after the last use of a superpower.
fn has_reminder_come(turn: &MessageTurn, tx: &Tx, used_at: Option<Timestamp>) -> Result<bool> {
    let latest = latest::read_own(turn, tx, LATEST_MS)?;
    let came = latest.filter(|(latest, _)| latest.event == ItemEvent::Delivered);
    Ok(came.is_some_and(|(_, at)| used_at.is_some_and(|used_at| at > used_at)))
}

/// "and 50 for books" is one more expense only right after one: after a budget or a debt it may be of its
/// kind.
fn without_other_sums(turn: &MessageTurn, tx: &Tx, mut calls: PowerCalls) -> Result<PowerCalls> {
    let is_supposed = |call: &PowerCall| call.action.may_be_expense();
    let is_more = calls.calls.iter().any(is_supposed) && turn.words().begins_with(&["and"]);
    if !is_more {
        return Ok(calls); // most messages
    }
    let last = turn.previous_message(tx)?;
    let changed = match &last {
        Some(last) => changed_by(turn, tx, last.id)?,
        None => Vec::new(),
    };
    let names_budget = last.is_some_and(|last| last.text.to_lowercase().contains("budget"));
    let is_of_budget = changed == [Power::BudgetTracker] && !names_budget;
    if !changed.is_empty() && !is_of_budget {
        calls.calls.retain(|call| !is_supposed(call));
    }
    if !is_of_budget {
        for call in &mut calls.calls {
            call.action.set_apart();
        }
    }
    Ok(calls)
}

/// "please note that I have a dentist appointment on monday at 10": what is to be remembered is kept
/// with its day, where it is a booking or an event.
fn kept_plan(turn: &MessageTurn, understood: &Understanding) -> Option<RequestedPower> {
    let Intent::Remember { text } = &understood.intent else {
        return None; // most messages
    };
    let is_alone = turn.message.mode == Mode::Direct && turn.message.superpower.is_none();
    if !is_alone || turn.flags.force_basic_mode() {
        return None;
    }
    // "remember that my flight is at 5" is a fact as well.
    let lower = text.to_lowercase();
    let has_one = [
        "i have ", "i've got ", "ive got ", "i got ", "we have ", "we've got ",
    ];
    if !has_one.iter().any(|begin| lower.starts_with(begin)) {
        return None;
    }
    let calls = turn.recognise(text);
    let kept = calls
        .calls
        .into_iter()
        .filter(|call| call.action.keeps_plan() && turn.flags.superpower(call.power));
    let attempts: Vec<PowerAttempt> = kept.map(|call| PowerAttempt::of(&call, false)).collect();
    (!attempts.is_empty()).then_some(RequestedPower::implicit(PowerRequest::Try(attempts)))
}

/// Whether a reminder was set, changed or removed, or a fact was noted, after the superpower in
/// use last changed: then "undo" refers to that.
fn is_reminder_latest(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<bool> {
    let latest = latest::read_own(turn, tx, LATEST_MS)?;
    let can_be_undone =
        |latest: &LastNamed| latest.event != ItemEvent::Delivered || latest.fact.is_some();
    let Some((latest, at)) = latest.filter(|(latest, _)| can_be_undone(latest)) else {
        return Ok(false);
    };
    let Some(write) = tx.power_state_write(turn.owner(), power.name())? else {
        return Ok(true);
    };
    // Of what one message did, a name or a time zone alone is not taken back.
    let can_be_taken_back = !undo_question::stays(&latest);
    Ok(match (latest.message_id, write.message_id) {
        (Some(named), Some(changed)) => named > changed || named == changed && can_be_taken_back,
        _ => at >= write.at,
    })
}

/// The relay names it: its understanding of the text, or else its overview. Another kind of command
/// stays one.
fn by_name(power: Power, calls: &PowerCalls, understood: &Intent) -> RequestedPower {
    match (calls.of(power), calls.session_command) {
        (Some(call), _) => RequestedPower::to_do(power, call.action.clone(), true),
        (None, Some(SessionCommand::Undo)) => RequestedPower::to_do(power, PowerAction::Undo, true),
        (None, Some(SessionCommand::Done)) => RequestedPower::explicit(PowerRequest::End(power)),
        (None, None) if understood.is_command() => RequestedPower::explicit(PowerRequest::Other),
        (None, None) => RequestedPower::to_do(power, PowerAction::Overview, true),
    }
}

/// Reports of several kinds in a direct chat.
fn several_reports(
    message: &Message,
    calls: &PowerCalls,
    understood: &Intent,
) -> Option<RequestedPower> {
    let is_alone = message.mode == Mode::Direct && !calls.clauses.is_empty();
    (is_alone && understood.defers_to_power(true))
        .then(|| RequestedPower::implicit(PowerRequest::Each(calls.clauses.clone())))
}

/// "undo" or "done", for the superpower in use.
fn session_request(power: Power, calls: &PowerCalls) -> Option<RequestedPower> {
    // "all done" ticks off the list in use.
    let marks_all_done = || {
        let call = calls.of(power);
        call.is_some_and(|call| call.action.marks_all_done())
    };
    match calls.session_command? {
        SessionCommand::Undo => Some(RequestedPower::to_do(power, PowerAction::Undo, false)),
        SessionCommand::Done if calls.is_addressed && !marks_all_done() => {
            Some(RequestedPower::implicit(PowerRequest::End(power)))
        }
        SessionCommand::Done => None,
    }
}

/// An explicit request, or a text about the superpower in use.
fn explicit_call(
    message: &Message,
    calls: &PowerCalls,
    session: Option<Power>,
    understood: &Intent,
    flags: &FlagReader,
) -> Option<RequestedPower> {
    if let Some(command) = session.and_then(|power| session_request(power, calls)) {
        return Some(command);
    }
    if !understood.defers_to_power(false) {
        return None;
    }
    let clear = |call: &&PowerCall| {
        let is_clear = match call.strength {
            RequestStrength::Clear => true,
            // "add milk" after an expense; "add bo" is for the bill in use.
            RequestStrength::Opening => session.is_none_or(|power| calls.of(power).is_none()),
            RequestStrength::Soft | RequestStrength::InSession => false,
        };
        is_clear && may_request(message, calls, call, flags)
    };
    let used = session.and_then(|power| calls.of(power)).filter(clear);
    // The packing list is a trip's, where there is one.
    let of_trip = calls.of(Power::TripPlanner).filter(clear);
    let of_trip = of_trip.filter(|_| calls.calls.iter().any(|call| call.action.names_list()));
    let call = of_trip
        .or(used)
        .or_else(|| calls.calls.iter().find(clear))?;
    let others = calls.calls.iter().filter(clear);
    let others: Vec<&PowerCall> = others.filter(|other| other.power != call.power).collect();
    // A list that somebody named like a superpower is meant, if there is one.
    let own_list = others.iter().filter(|other| other.action.names_list());
    let mut attempts: Vec<PowerAttempt> =
        own_list.map(|call| PowerAttempt::of(call, false)).collect();
    // "remove the hotel" in a group: of what it shares, if it is there.
    let is_personal = message.mode == Mode::Group && !call.power.is_shared();
    let shared = calls.calls.iter().filter(|other| {
        is_personal
            && calls.is_addressed
            && other.power.is_shared()
            && other.strength == RequestStrength::Soft
            && may_request(message, calls, other, flags)
    });
    attempts.extend(shared.map(|call| PowerAttempt::of(call, false)));
    // "delete my hotel": one that was told, before those of mails.
    let told = calls.of(Power::ReservationPrep).filter(|told| {
        call.power == Power::TravelBrain
            && told.strength == RequestStrength::Soft
            && may_request(message, calls, told, flags)
    });
    attempts.extend(told.map(|call| PowerAttempt::of(call, false)));
    // "clear the list" right after a packing list was shown, "remove the hotel" after a bill.
    let in_use = session.and_then(|power| calls.of(power));
    if let Some(in_use) = in_use.filter(|call| call.action.is_of_what_is_in_use()) {
        attempts.insert(0, PowerAttempt::of(in_use, false));
    }
    attempts.push(PowerAttempt::of(call, true));
    attempts.extend(others.iter().map(|call| PowerAttempt::of(call, true)));
    Some(RequestedPower::explicit(PowerRequest::Try(attempts)))
}

/// Texts that may be ordinary talk: for the superpower in use, or for any if the person has a
/// session. Each is tried, starting with the one in use; if none matches, that one is tried again.
fn implicit_calls(
    message: &Message,
    calls: &PowerCalls,
    session: Option<Power>,
    understood: &Intent,
    flags: &FlagReader,
) -> Vec<PowerAttempt> {
    let here = |call: &&PowerCall| message.mode == Mode::Direct || call.power.is_shared();
    let used = session
        .and_then(|power| calls.of(power))
        .filter(here)
        .filter(|call| may_request(message, calls, call, flags))
        .filter(|call| calls.is_addressed || call.strength != RequestStrength::InSession)
        .filter(|_| understood.defers_to_power(false));
    let mut attempts: Vec<PowerAttempt> = used
        .iter()
        .map(|call| PowerAttempt::of(call, false))
        .collect();
    let soft = calls.calls.iter().filter(|call| {
        call.strength == RequestStrength::Soft
            && calls.is_addressed
            && Some(call.power) != used.map(|used| used.power)
            && may_request(message, calls, call, flags)
            && understood.defers_to_power(true)
    });
    // In a group, what it shares comes first.
    let (shared, personal): (Vec<&PowerCall>, Vec<_>) = soft.partition(here);
    let soft = shared.into_iter().chain(personal);
    attempts.extend(soft.map(|call| PowerAttempt::of(call, false)));
    // "remember that Ana's birthday is on 3 May"
    let remembered = calls.of(Power::BirthdayReminder).filter(|call| {
        matches!(understood, Intent::Remember { .. })
            && call.action.keeps_birthday()
            && here(call)
            && may_request(message, calls, call, flags)
    });
    attempts.extend(remembered.map(|call| PowerAttempt::of(call, false)));
    attempts.extend(used.iter().map(|call| PowerAttempt::of(call, true)));
    attempts
}

/// Whether the superpower is offered and may be requested. In a group, a personal one needs the
/// assistant to be addressed.
fn may_request(
    message: &Message,
    calls: &PowerCalls,
    call: &PowerCall,
    flags: &FlagReader,
) -> bool {
    let is_addressed = message.mode == Mode::Direct || calls.is_addressed || call.power.is_shared();
    is_addressed && flags.superpower(call.power)
}
