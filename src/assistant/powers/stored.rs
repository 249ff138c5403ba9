//! Parses a superpower's stored state, applies an action to it, and serializes the new state.

use super::{Power, PowerContext, PowerOutcome, StoredState, Superpower};
use crate::clock::Timestamp;

/// Bytes of an owner's JSON. Every superpower's own limits keep it far smaller.
const STATE_BYTES_MAX: usize = 512 * 1024;

/// The stored state, with the facts from elsewhere.
pub(super) fn read<S: Superpower>(
    stored: Option<&StoredState>,
    context: &PowerContext,
) -> Result<S, serde_json::Error> {
    let stored = stored.map(|stored| stored.state.as_str());
    let mut state = match stored {
        Some(stored) => serde_json::from_str(stored)?,
        None => S::default(),
    };
    state.add_facts(context);
    Ok(state)
}

pub(super) fn act<S: Superpower>(
    power: Power,
    stored: Option<&StoredState>,
    action: S::Action,
    context: &PowerContext,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(stored, context)?;
    let mut after = before.clone();
    let reply = after.apply(action, context);
    if reply.is_none() || after == before {
        return Ok(unchanged(&before, reply, context));
    }
    let state = serde_json::to_string(&after)?;
    if state.len() > STATE_BYTES_MAX {
        return Ok(unchanged(&before, Some(full(power)), context));
    }
    let previous = match after.equals_except_shown(&before) {
        true => stored.and_then(|stored| stored.previous.clone()),
        false => Some(serde_json::to_string(&before.undo_state(&after))?),
    };
    let effect = after.effect();
    let stored = StoredState { state, previous };
    Ok(PowerOutcome {
        reply,
        is_only_shown: after.equals_except_shown(&before),
        alarm: after.alarm(context),
        questions: Vec::new(),
        announced: Vec::new(),
        // An effect elsewhere is not part of the state, and can't be undone here.
        stored: effect.is_none().then_some(stored),
        effect,
    })
}

/// The overview of the state.
pub(super) fn overview<S: Superpower>(
    stored: Option<&StoredState>,
    context: &PowerContext,
) -> Result<PowerOutcome, serde_json::Error> {
    let state = read::<S>(stored, context)?;
    Ok(unchanged(&state, Some(state.overview(context)), context))
}

/// A reply that changes nothing. What may be ordinary talk gets none where nothing is stored.
pub(super) fn reply_only<S: Superpower>(
    stored: Option<&StoredState>,
    reply: String,
    context: &PowerContext,
) -> Result<PowerOutcome, serde_json::Error> {
    let is_meant = context.sure || stored.is_some();
    let state = read::<S>(stored, context)?;
    Ok(unchanged(&state, is_meant.then_some(reply), context))
}

fn unchanged<S: Superpower>(
    state: &S,
    reply: Option<String>,
    context: &PowerContext,
) -> PowerOutcome {
    PowerOutcome {
        reply,
        stored: None,
        is_only_shown: false,
        alarm: state.alarm(context),
        questions: Vec::new(),
        announced: Vec::new(),
        effect: None,
    }
}

fn full(power: Power) -> String {
    format!(
        "Your {} is as long as I can keep it. Please clear some of it first.",
        power.title()
    )
}

pub(super) fn undo<S: Superpower>(
    power: Power,
    stored: Option<&StoredState>,
    context: &PowerContext,
) -> Result<PowerOutcome, serde_json::Error> {
    let now = read::<S>(stored, context)?;
    let nothing = || format!("There's nothing to undo for the {}.", power.title());
    let Some(previous) = stored.and_then(|stored| stored.previous.as_ref()) else {
        return Ok(unchanged(&now, Some(nothing()), context));
    };
    let mut before: S = serde_json::from_str(previous)?;
    before.add_facts(context);
    if before == now {
        return Ok(unchanged(&now, Some(nothing()), context));
    }
    Ok(PowerOutcome {
        reply: Some(format!(
            "Okay, I've taken back the last change.\n{}",
            before.overview(context)
        )),
        alarm: before.alarm(context),
        questions: Vec::new(),
        announced: Vec::new(),
        effect: None,
        is_only_shown: false,
        stored: Some(StoredState {
            state: previous.clone(),
            previous: None,
        }),
    })
}

pub(super) fn on_alarm<S: Superpower>(
    stored: Option<&StoredState>,
    at: Timestamp,
    context: &PowerContext,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(stored, context)?;
    let mut after = before.clone();
    let reply = after.on_alarm(at, context);
    let questions = match reply {
        Some(_) => after.questions().to_vec(),
        None => Vec::new(),
    };
    let announced = match reply {
        Some(_) => after.announced().to_vec(),
        None => Vec::new(),
    };
    Ok(PowerOutcome {
        reply,
        questions,
        announced,
        effect: None,
        is_only_shown: false,
        alarm: after.alarm(context),
        stored: (after != before)
            .then(|| {
                Ok::<_, serde_json::Error>(StoredState {
                    state: serde_json::to_string(&after)?,
                    previous: None,
                })
            })
            .transpose()?,
    })
}

pub(super) fn redact_user<S: Superpower>(
    stored: &StoredState,
    by: i64,
) -> Result<StoredState, serde_json::Error> {
    let mut state: S = serde_json::from_str(&stored.state)?;
    state.erase(by);
    Ok(StoredState {
        state: serde_json::to_string(&state)?,
        previous: None,
    })
}
