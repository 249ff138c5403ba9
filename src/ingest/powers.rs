//! Superpowers in a message's transaction: which requested one is used, and the changes to state,
//! session and alarms. `assistant::powers` decides about understanding and wording, the gate about
//! access.

pub(super) mod alarms;
pub(super) mod answer;
pub(super) mod attempt;
pub(super) mod checkin_question;
mod facts;
pub(super) mod first_value;
pub(super) mod notice_answers;
pub(super) mod notices;
pub(super) mod recognition;
mod service_cache;
pub(super) mod state_before;

pub(super) use facts::{bookings, event_lines, planned_events};

use super::turn::MessageTurn;
use super::{gate, limits};
use crate::assistant::help::HelpGroup;
use crate::assistant::powers::{Power, StoredState};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::store::{PowerOwner, PowerState, PowerStateWrite, Tx, UserId};

/// The result of a request.
#[derive(Clone)]
pub(super) enum PowerReply {
    Said {
        text: String,
        /// Whether the superpower's state changed.
        changed: bool,
    },
    /// Nothing was done: the limit of uses a minute is reached.
    TooMany,
}

impl PowerReply {
    /// A reply that changed nothing.
    const fn unchanged(text: String) -> Self {
        Self::Said {
            text,
            changed: false,
        }
    }
}

pub(super) fn text_of(turn: &MessageTurn, reply: PowerReply) -> String {
    match reply {
        PowerReply::Said { text, .. } => text,
        PowerReply::TooMany => limits::too_many(turn),
    }
}

/// Lists what the assistant can do here, or one group of it.
pub(super) fn help(turn: &MessageTurn, tx: &Tx, group: Option<HelpGroup>) -> Result<String> {
    let powers = here(turn, tx)?;
    if let Some(group) = group {
        let lines = group.more(&powers);
        return Ok(match lines.is_empty() {
            true => wording::no_help_with(group.title()),
            false => wording::help_with(group.title(), &lines),
        });
    }
    let groups = HelpGroup::ALL.map(|group| (group.title(), group.lines(&powers)));
    let mut groups = groups.to_vec();
    groups.retain(|(_, lines)| !lines.is_empty());
    Ok(wording::help(&turn.persona.name, &groups))
}

/// The superpowers that the person has in this chat.
fn here(turn: &MessageTurn, tx: &Tx) -> Result<Vec<Power>> {
    if turn.flags.force_basic_mode() || !gate::has_superpowers(turn, tx)? {
        return Ok(Vec::new());
    }
    let is_here =
        |power: &Power| (!turn.in_group() || power.is_shared()) && turn.flags.superpower(*power);
    Ok(Power::ALL.into_iter().rev().filter(is_here).collect())
}

pub(in crate::ingest) fn stored_state(row: PowerState) -> StoredState {
    StoredState {
        state: row.state,
        previous: row.previous,
    }
}

fn state_of(power: Power, stored: StoredState) -> PowerState {
    PowerState {
        name: power.name().to_owned(),
        state: stored.state,
        previous: stored.previous,
    }
}

/// Removes all superpower state of a user: personal state, and their entries in groups' shared
/// state. Called in the transaction of an erasure, while the user's rooms are still known.
pub fn erase(tx: &mut Tx, user: UserId, now: Timestamp) -> Result<()> {
    for room in tx.rooms_with_power_states(user)? {
        let owner = PowerOwner::Room(room);
        for row in tx.power_states(owner)? {
            let Some(power) = Power::named(&row.name) else {
                continue;
            };
            let left = power
                .redact_user(&stored_state(row), user.0)
                .map_err(Error::internal)?;
            let write = PowerStateWrite::without_message(now);
            tx.set_power_state(owner, &state_of(power, left), write)?;
        }
    }
    tx.forget_power_sessions(user);
    tx.delete_power_states(user)
}

/// The superpowers whose state was last changed by a message.
pub(super) fn changed_by(turn: &MessageTurn, tx: &Tx, message_id: i64) -> Result<Vec<Power>> {
    let names = tx.power_states_written_by(turn.owner(), message_id)?;
    Ok(names.iter().filter_map(|name| Power::named(name)).collect())
}
