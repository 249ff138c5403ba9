//! Reads what a superpower keeps, lets it act on that, and writes what is kept then.

use chrono::NaiveDate;

use super::{Plan, Power, PowerContext, PowerOutcome, StoredState, Superpower};
use crate::clock::Timestamp;

/// Characters of JSON kept for one owner. Every superpower's own bounds keep it far below.
const STATE_BYTES_MAX: usize = 512 * 1024;

fn read<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<S, serde_json::Error> {
    let stored = stored.map(|stored| stored.state.as_str());
    let mut state = match stored {
        Some(stored) => serde_json::from_str(stored)?,
        None => S::default(),
    };
    state.take_in(scene);
    Ok(state)
}

pub(super) fn act<S: Superpower>(
    power: Power,
    stored: Option<&StoredState>,
    action: S::Action,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(stored, scene)?;
    let mut after = before.clone();
    let reply = after.apply(action, scene);
    if reply.is_none() || after == before {
        return Ok(unchanged(&before, reply, scene));
    }
    let state = serde_json::to_string(&after)?;
    if state.len() > STATE_BYTES_MAX {
        return Ok(unchanged(&before, Some(full(power)), scene));
    }
    let previous = match stored {
        Some(stored) if after.is_same_but_in_use(&before) => stored.previous.clone(),
        _ => Some(serde_json::to_string(&before.before(&after))?),
    };
    let effect = after.effect();
    let stored = StoredState { state, previous };
    Ok(PowerOutcome {
        reply,
        alarm: after.alarm(scene),
        questions: Vec::new(),
        // What is done elsewhere is not kept, and can't be undone here.
        stored: effect.is_none().then_some(stored),
        effect,
    })
}

/// How things stand.
pub(super) fn overview<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let state = read::<S>(stored, scene)?;
    Ok(unchanged(&state, Some(state.overview(scene)), scene))
}

fn unchanged<S: Superpower>(
    state: &S,
    reply: Option<String>,
    scene: &PowerContext<'_>,
) -> PowerOutcome {
    PowerOutcome {
        reply,
        stored: None,
        alarm: state.alarm(scene),
        questions: Vec::new(),
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
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let now = read::<S>(stored, scene)?;
    let Some(previous) = stored.and_then(|stored| stored.previous.as_ref()) else {
        let reply = format!("There's nothing to undo for the {}.", power.title());
        return Ok(unchanged(&now, Some(reply), scene));
    };
    let mut before: S = serde_json::from_str(previous)?;
    before.take_in(scene);
    Ok(PowerOutcome {
        reply: Some(format!(
            "Okay, I've taken back the last change.\n{}",
            before.overview(scene)
        )),
        alarm: before.alarm(scene),
        questions: Vec::new(),
        effect: None,
        stored: Some(StoredState {
            state: previous.clone(),
            previous: None,
        }),
    })
}

pub(super) fn on_alarm<S: Superpower>(
    stored: Option<&StoredState>,
    at: Timestamp,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(stored, scene)?;
    let mut after = before.clone();
    let reply = after.on_alarm(at, scene);
    let questions = match reply {
        Some(_) => after.questions().to_vec(),
        None => Vec::new(),
    };
    Ok(PowerOutcome {
        reply,
        questions,
        effect: None,
        alarm: after.alarm(scene),
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

pub(super) fn alarm<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<Option<Timestamp>, serde_json::Error> {
    Ok(read::<S>(stored, scene)?.alarm(scene))
}

pub(super) fn plans<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Vec<Plan> {
    read::<S>(stored, scene).map_or_else(|_| Vec::new(), |state| state.plans(scene))
}

pub(super) fn occasions<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Vec<Plan> {
    read::<S>(stored, scene).map_or_else(|_| Vec::new(), |state| state.occasions(scene))
}

pub(super) fn brief<S: Superpower>(
    stored: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Option<String> {
    read::<S>(stored, scene).ok()?.brief(scene)
}

pub(super) fn between<S: Superpower>(
    stored: Option<&StoredState>,
    (from, to): (NaiveDate, NaiveDate),
    scene: &PowerContext<'_>,
) -> Vec<String> {
    read::<S>(stored, scene).map_or_else(|_| Vec::new(), |state| state.between(from, to))
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
