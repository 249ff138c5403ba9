//! One attempt to use a superpower: what it does with its state, and the alarms that follow.

use serde_json::Value;

use super::service_cache::ServiceCache;
use super::{PowerReply, alarms, facts, first_value, notices, state_of, stored_state};
use crate::assistant::powers::{
    Facts, LackingPart, NoticePreferences, Power, PowerAction, PowerContext, PowerEffect,
    PowerOutcome, StoredState,
};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::after_crisis;
use crate::ingest::dialog::question::{self, QUESTION_MS, Question};
use crate::ingest::requested_power::PowerAttempt;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{calendar_changes, direct_chat, gate, limits};
use crate::random;
use crate::store::{PowerOwner, PowerStateWrite, Tx};

/// `None`: no answer and no change.
pub(super) fn run(
    turn: &MessageTurn,
    tx: &mut Tx,
    attempt: &PowerAttempt,
    explicit: bool,
) -> Result<Option<PowerReply>> {
    let power = attempt.power;
    let is_answered_alone = is_answered_alone(turn, power);
    if let Some(refused) = refused_at_once(turn, attempt, explicit) {
        return Ok(refused);
    }
    let stored = stored_for(turn, tx, attempt)?;
    let mut preferences = notices::preferences(tx, turn.user.id)?;
    let facts = facts_for(turn, tx, power)?;
    let lacks_service = power.lacks_service(facts.has_calendar, facts.has_mailbox);
    let is_known = preferences.is_offered(power) && !attempt.action.adds_event();
    let is_told_before = lacks_service && is_known && !explicit;
    if is_told_before && !attempt.sure {
        return Ok(None);
    }
    let context = PowerContext {
        now: turn.now,
        timezone: turn.timezone(),
        group: turn.in_group() && power.is_shared(),
        by: turn.user.id.0,
        name: turn.user.name.as_deref(),
        sure: attempt.sure,
        reachable: turn.agent.is_some(),
        waking: preferences.waking,
        muted: preferences.is_muted(power),
        facts: &facts,
    };
    let outcome = power
        .act(stored.as_ref(), attempt.action.clone(), &context)
        .map_err(Error::internal)?;
    let Some(mut reply) = outcome.reply.clone() else {
        return Ok(None);
    };
    if is_told_before {
        reply = power.not_connected().to_owned();
    }
    if !limits::may_use_power(turn, explicit) {
        return Ok(Some(PowerReply::TooMany));
    }
    let changes_state = outcome.stored.is_some() && !outcome.is_only_shown;
    let lacking = attempt.action.lacks(&reply);
    let asks_more = outcome.effect.is_some() || lacking.is_some();
    if is_answered_alone && (changes_state || asks_more) {
        let may_be_shared = power == Power::BudgetTracker;
        let text = wording::changed_alone(may_be_shared);
        return Ok(Some(PowerReply::unchanged(text)));
    }
    let changed =
        changes_state || matches!(outcome.effect, Some(PowerEffect::SwitchCalendar { .. }));
    if let Some(asked) = apply(turn, tx, power, outcome, &mut preferences)? {
        reply = asked;
    }
    note_lacking(turn, tx, lacking)?;
    if let Some(offer) = first_offer(turn, tx, power, &facts, &mut preferences)? {
        reply = format!("{reply}{offer}");
    }
    match is_answered_alone {
        true => reply = direct_chat::answer(turn, tx, &reply)?,
        false => count_use(turn, tx, power)?,
    }
    Ok(Some(PowerReply::Said {
        text: reply,
        changed,
    }))
}

/// Before anything is read: what is answered in a direct chat that there isn't, and an "undo" that
/// a limit refuses, for which the way back is kept.
fn refused_at_once(
    turn: &MessageTurn,
    attempt: &PowerAttempt,
    explicit: bool,
) -> Option<Option<PowerReply>> {
    if is_answered_alone(turn, attempt.power) && !may_answer_alone(turn) {
        let text = wording::superpower_alone(attempt.power.title());
        return Some(attempt.sure.then(|| PowerReply::unchanged(text)));
    }
    let is_undo = attempt.action == PowerAction::Undo;
    (is_undo && !limits::may_use_power(turn, explicit)).then_some(Some(PowerReply::TooMany))
}

/// The state to which an action is applied. "undo" of a correction returns to the first value.
fn stored_for(turn: &MessageTurn, tx: &Tx, attempt: &PowerAttempt) -> Result<Option<StoredState>> {
    let power = attempt.power;
    let stored = tx.power_state(owner_of(turn, power), power.name())?;
    let mut stored = stored.map(stored_state);
    if attempt.action == PowerAction::Undo
        && let Some(stored) = &mut stored
        && let Some(first) = first_value::take(turn, tx, power)?
    {
        stored.previous = Some(first);
    }
    Ok(stored)
}

/// Stores the state, and runs the requested effect. Returns the effect's reply.
fn apply(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    outcome: PowerOutcome,
    preferences: &mut NoticePreferences,
) -> Result<Option<String>> {
    let reply = match outcome.effect {
        Some(PowerEffect::SwitchCalendar { calendar, on }) => {
            alarms::switch_calendar(turn, tx, (calendar, on))?;
            None
        }
        Some(PowerEffect::ChangeCalendar(request)) => calendar_changes::ask(turn, tx, request)?,
        // A model asks by itself.
        Some(PowerEffect::AskWhich(_) | PowerEffect::AskWhether(_)) if turn.by_model => None,
        Some(PowerEffect::AskWhether(request)) => {
            question::ask(turn, tx, &Question::OfferedRequest(request))?;
            None
        }
        Some(PowerEffect::AskWhich(choices)) => {
            question::ask(turn, tx, &Question::WhichRequest { choices })?;
            None
        }
        None => None,
    };
    if outcome.stored.is_some() {
        notices::resume_summary(turn, tx, power, preferences)?;
    }
    match outcome.stored {
        Some(stored) if outcome.is_only_shown => keep_shown(turn, tx, power, stored)?,
        Some(stored) => keep(turn, tx, power, stored, outcome.alarm)?,
        None => {}
    }
    Ok(reply)
}

/// A personal superpower in a group: questions are answered in the person's direct chat, and
/// nothing is changed.
fn is_answered_alone(turn: &MessageTurn, power: Power) -> bool {
    turn.in_group() && !power.is_shared()
}

/// Whether the person would be answered there.
fn may_answer_alone(turn: &MessageTurn) -> bool {
    !turn.by_model && gate::has_superpowers_alone(&turn.user, &turn.flags, turn.now)
}

fn owner_of(turn: &MessageTurn, power: Power) -> PowerOwner {
    match is_answered_alone(turn, power) {
        true => PowerOwner::User(turn.user.id),
        false => turn.owner(),
    }
}

/// The reply asks for what is missing: the answer to it completes the request.
fn note_lacking(turn: &MessageTurn, tx: &mut Tx, lacking: Option<LackingPart>) -> Result<()> {
    match lacking {
        Some(lacking) if !turn.by_model => {
            let LackingPart {
                before,
                after,
                answer,
            } = lacking;
            let rest = Question::Rest {
                before,
                after,
                answer,
            };
            question::ask(turn, tx, &rest)
        }
        _ => Ok(()),
    }
}

/// Records that the person was told what the superpower would do with a calendar or mailbox. A
/// line about that, where the superpower's reply does not contain it.
fn first_offer(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    facts: &Facts,
    preferences: &mut NoticePreferences,
) -> Result<Option<String>> {
    // A model knows from its prompt what may be connected.
    let offer = power.offer(facts).filter(|_| !turn.by_model);
    let lacks_service = power.lacks_service(facts.has_calendar, facts.has_mailbox);
    let is_shared = matches!(owner_of(turn, power), PowerOwner::Room(_));
    let is_new = !is_shared && !preferences.is_offered(power);
    if !is_new || !lacks_service && offer.is_none() {
        return Ok(None);
    }
    // Nobody in a crisis is told what else there is.
    if after_crisis::words(turn, tx, QUESTION_MS)?.is_some() {
        return Ok(None);
    }
    preferences.note_offer(power);
    notices::keep(tx, turn.user.id, preferences, turn.now)?;
    Ok(offer.map(|offer| format!("\n{offer}")))
}

/// Facts from outside the superpower's state; none for what a group shares, as they are
/// personal.
fn facts_for(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<Facts> {
    if matches!(owner_of(turn, power), PowerOwner::Room(_)) {
        return Ok(Facts::default());
    }
    let person = (turn.user.id, turn.timezone());
    let mut known = ServiceCache::default();
    facts::gather(tx, power, person, &turn.flags, &mut known, turn.now)
}

/// Writes what was shown: "undo" means what was changed last.
fn keep_shown(turn: &MessageTurn, tx: &Tx, power: Power, stored: StoredState) -> Result<()> {
    let owner = owner_of(turn, power);
    let write = tx.power_state_write(owner, power.name())?;
    let write = write.unwrap_or(PowerStateWrite::without_message(turn.now));
    tx.set_power_state(owner, &state_of(power, stored), write)
}

/// Writes a superpower's new state, its alarm and its plans.
pub(in crate::ingest) fn keep(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    stored: StoredState,
    alarm: Option<Timestamp>,
) -> Result<()> {
    let mut state = state_of(power, stored);
    // All that one message changes is undone together.
    let write = tx.power_state_write(turn.owner(), power.name())?;
    if write.is_some_and(|write| write.message_id == Some(turn.message_id)) {
        let before = tx.power_state(turn.owner(), power.name())?;
        state.previous = before.and_then(|before| before.previous).or(state.previous);
    }
    tx.set_power_state(turn.owner(), &state, turn.power_state_write())?;
    if power.has_alarms() {
        let here = turn.agent.map(|_| turn.room.id);
        let user = turn.user.id;
        turn.ingest
            .set_alarm(tx, power, user, here, alarm, turn.now)?;
    }
    if power.has_plans() && !turn.in_group() {
        alarms::plan(turn, tx, turn.timezone(), Power::needs_plans)?;
    }
    Ok(())
}

/// Executes a tool call of a language model, which counts as a command. The caller checks
/// access.
pub(in crate::ingest) fn act(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    action: PowerAction,
) -> Result<Option<PowerReply>> {
    run(turn, tx, &PowerAttempt::sure(power, action), true)
}

/// The superpower's state here as typed fields, for a language model.
pub(in crate::ingest) fn data(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<Option<Value>> {
    let stored = tx.power_state(owner_of(turn, power), power.name())?;
    let stored = stored.map(stored_state);
    let facts = match power.uses_bookings() {
        true => facts_for(turn, tx, power)?,
        false => Facts::default(),
    };
    let context = PowerContext {
        timezone: turn.timezone(),
        group: turn.in_group() && power.is_shared(),
        ..PowerContext::alone(turn.now, turn.user.id.0, &facts)
    };
    Ok(power.data(stored.as_ref(), &context))
}

/// Runs an action only if it is about something that is stored. `None`: it is not.
pub(in crate::ingest) fn act_if_known(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    action: PowerAction,
) -> Result<Option<PowerReply>> {
    let attempt = PowerAttempt {
        sure: false,
        ..PowerAttempt::sure(power, action)
    };
    run(turn, tx, &attempt, false)
}

pub(super) fn count_use(turn: &MessageTurn, tx: &mut Tx, power: Power) -> Result<()> {
    let id = || random::uuid().to_string();
    tx.count_power_use(turn.user.id, turn.room.id, power.name(), id, turn.now)
}
