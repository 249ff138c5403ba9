//! Reads what a superpower keeps, lets it act on that, and writes what is kept then.

use chrono::NaiveDate;

use super::{Action, Plan, Power, PowerContext, PowerOutcome, StoredState, Superpower};
use crate::clock::Timestamp;

/// Characters of JSON kept for one owner. Every superpower's own bounds keep it far below.
const STATE_BYTES_MAX: usize = 512 * 1024;

fn read<S: Superpower>(
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<S, serde_json::Error> {
    let kept = kept.map(|kept| kept.state.as_str());
    let mut state = match kept {
        Some(kept) => serde_json::from_str(kept)?,
        None => S::default(),
    };
    state.take_in(scene);
    Ok(state)
}

pub(super) fn act<S: Superpower>(
    power: Power,
    kept: Option<&StoredState>,
    action: Action,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(kept, scene)?;
    match action {
        Action::Overview => Ok(PowerOutcome {
            said: Some(before.overview(scene)),
            kept: None,
            alarm: before.alarm(scene),
            asked: None,
            effect: None,
        }),
        Action::Undo => undo(power, &before, kept, scene),
        action => {
            let Some(action) = S::own(action) else {
                return Ok(unchanged(&before, Some(before.overview(scene)), scene));
            };
            let mut after = before.clone();
            let said = after.apply(action, scene);
            if said.is_none() || after == before {
                return Ok(unchanged(&before, said, scene));
            }
            let state = serde_json::to_string(&after)?;
            if state.len() > STATE_BYTES_MAX {
                return Ok(unchanged(&before, Some(full(power)), scene));
            }
            let previous = match kept {
                Some(kept) if after.is_same_but_in_use(&before) => kept.previous.clone(),
                _ => Some(serde_json::to_string(&before.before(&after))?),
            };
            let effect = after.effect();
            let kept = StoredState { state, previous };
            Ok(PowerOutcome {
                said,
                alarm: after.alarm(scene),
                asked: None,
                // What is done elsewhere is not kept, and can't be undone here.
                kept: effect.is_none().then_some(kept),
                effect,
            })
        }
    }
}

fn unchanged<S: Superpower>(
    state: &S,
    said: Option<String>,
    scene: &PowerContext<'_>,
) -> PowerOutcome {
    PowerOutcome {
        said,
        kept: None,
        alarm: state.alarm(scene),
        asked: None,
        effect: None,
    }
}

fn full(power: Power) -> String {
    format!(
        "Your {} is as long as I can keep it. Please clear some of it first.",
        power.title()
    )
}

fn undo<S: Superpower>(
    power: Power,
    now: &S,
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let Some(previous) = kept.and_then(|kept| kept.previous.as_ref()) else {
        let said = format!("There's nothing to undo for the {}.", power.title());
        return Ok(unchanged(now, Some(said), scene));
    };
    let mut before: S = serde_json::from_str(previous)?;
    before.take_in(scene);
    Ok(PowerOutcome {
        said: Some(format!(
            "Okay, I've taken back the last change.\n{}",
            before.overview(scene)
        )),
        alarm: before.alarm(scene),
        asked: None,
        effect: None,
        kept: Some(StoredState {
            state: previous.clone(),
            previous: None,
        }),
    })
}

pub(super) fn on_alarm<S: Superpower>(
    kept: Option<&StoredState>,
    at: Timestamp,
    scene: &PowerContext<'_>,
) -> Result<PowerOutcome, serde_json::Error> {
    let before = read::<S>(kept, scene)?;
    let mut after = before.clone();
    let said = after.on_alarm(at, scene);
    let asked = said.as_ref().and_then(|_| after.asked().map(str::to_owned));
    Ok(PowerOutcome {
        said,
        asked,
        effect: None,
        alarm: after.alarm(scene),
        kept: (after != before)
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
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Result<Option<Timestamp>, serde_json::Error> {
    Ok(read::<S>(kept, scene)?.alarm(scene))
}

pub(super) fn plans<S: Superpower>(
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Vec<Plan> {
    read::<S>(kept, scene).map_or_else(|_| Vec::new(), |state| state.plans(scene))
}

pub(super) fn occasions<S: Superpower>(
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Vec<Plan> {
    read::<S>(kept, scene).map_or_else(|_| Vec::new(), |state| state.occasions(scene))
}

pub(super) fn brief<S: Superpower>(
    kept: Option<&StoredState>,
    scene: &PowerContext<'_>,
) -> Option<String> {
    read::<S>(kept, scene).ok()?.brief(scene)
}

pub(super) fn between<S: Superpower>(
    kept: Option<&StoredState>,
    (from, to): (NaiveDate, NaiveDate),
    scene: &PowerContext<'_>,
) -> Vec<String> {
    read::<S>(kept, scene).map_or_else(|_| Vec::new(), |state| state.between(from, to))
}

pub(super) fn redact_user<S: Superpower>(
    kept: &StoredState,
    by: i64,
) -> Result<StoredState, serde_json::Error> {
    let mut state: S = serde_json::from_str(&kept.state)?;
    state.erase(by);
    Ok(StoredState {
        state: serde_json::to_string(&state)?,
        previous: None,
    })
}
