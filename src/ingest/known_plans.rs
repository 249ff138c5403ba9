//! The plans that superpowers know of: trips, birthdays, bookings, events of a connected calendar.

use super::gate;
use super::powers::{bookings, planned_events, stored_state};
use super::turn::MessageTurn;
use crate::assistant::powers::{Facts, Plan, Power, PowerContext};
use crate::error::Result;
use crate::store::{PowerOwner, Tx};

/// The plans that are known in this chat.
pub(super) fn known(turn: &MessageTurn, tx: &Tx) -> Result<Vec<Plan>> {
    known_to(turn, tx, turn.owner(), |_| true)
}

/// The plans of these superpowers.
pub(super) fn known_to(
    turn: &MessageTurn,
    tx: &Tx,
    owner: PowerOwner,
    is_meant: impl Fn(Power) -> bool,
) -> Result<Vec<Plan>> {
    let is_own = matches!(owner, PowerOwner::User(_));
    let mut plans = Vec::new();
    if turn.flags.force_basic_mode() {
        return Ok(plans);
    }
    // What mails say of bookings is the person's own.
    let facts = Facts {
        bookings: match is_own {
            true => bookings(tx, turn.user.id, turn.zone(), turn.now)?,
            false => Vec::new(),
        },
        ..Facts::default()
    };
    let context = PowerContext {
        timezone: turn.timezone(),
        ..PowerContext::alone(turn.now, turn.user.id.0, &facts)
    };
    let rows = tx.power_states(owner)?;
    for power in Power::ALL.into_iter().filter(|power| is_meant(*power)) {
        let row = rows.iter().find(|row| row.name == power.name());
        let has_data = row.is_some() || power.uses_bookings();
        if has_data && turn.flags.superpower(power) {
            let stored = row.cloned().map(stored_state);
            plans.extend(power.occasions(stored.as_ref(), &context));
        }
    }
    if is_own
        && is_meant(Power::CalendarQueryAgent)
        && turn.flags.superpower(Power::CalendarQueryAgent)
        && gate::has_superpowers_alone(&turn.user, &turn.flags, turn.now)
    {
        plans.extend(planned_events(tx, turn.user.id, turn.timezone(), turn.now)?);
    }
    let today = turn.now.utc().with_timezone(&turn.zone()).date_naive();
    plans.retain(|plan| plan.day >= today);
    Ok(plans)
}
