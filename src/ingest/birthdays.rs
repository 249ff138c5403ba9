//! Birthdays where memories are recalled and forgotten. Only in direct chats: birthdays are a
//! person's own.

use super::powers::{attempt, stored_state};
use super::turn::MessageTurn;
use crate::assistant::powers::{
    self, Facts, Power, PowerAction, PowerContext, StoredBirthday, keep_again, remove_birthday,
};
use crate::error::{Error, Result};
use crate::store::{PowerOwner, RemovedItem, Tx};

const POWER: Power = Power::BirthdayReminder;

/// All of the person's birthdays, also while the superpower is switched off.
pub(super) fn all(turn: &MessageTurn, tx: &Tx) -> Result<Vec<StoredBirthday>> {
    let row = tx.power_state(PowerOwner::User(turn.user.id), POWER.name())?;
    let facts = Facts::default();
    Ok(row.map_or_else(Vec::new, |row| {
        powers::birthdays(&stored_state(row), &context(turn, &facts))
    }))
}

/// Forgets those of these names; this can be undone for some minutes. How many there were.
pub(super) fn forget(turn: &MessageTurn, tx: &mut Tx, names: &[String]) -> Result<usize> {
    let mut forgotten = 0;
    for birthday in all(turn, tx)? {
        if !names.contains(&birthday.name) {
            continue;
        }
        change(turn, tx, remove_birthday(&birthday.name))?;
        let removed = RemovedItem {
            user: turn.user.id,
            removed_by: turn.user.id,
            message_id: turn.message_id,
            room: None,
            kind: "birthday",
            item: birthday.item,
        };
        tx.keep_removed(&removed, turn.now)?;
        forgotten += 1;
    }
    Ok(forgotten)
}

/// Restores a forgotten birthday. Returns its line.
pub(super) fn restore(turn: &MessageTurn, tx: &mut Tx, item: &str) -> Result<Option<String>> {
    if let Some(action) = keep_again(item) {
        change(turn, tx, action)?;
    }
    let mut all = all(turn, tx)?;
    all.retain(|birthday| birthday.item == item);
    Ok(all.pop().map(|birthday| birthday.line))
}

fn change(turn: &MessageTurn, tx: &mut Tx, action: PowerAction) -> Result<()> {
    let owner = PowerOwner::User(turn.user.id);
    let stored = tx.power_state(owner, POWER.name())?.map(stored_state);
    let facts = Facts::default();
    let context = context(turn, &facts);
    let outcome = POWER.act(stored.as_ref(), action, &context);
    let outcome = outcome.map_err(Error::internal)?;
    match outcome.stored {
        Some(stored) => attempt::keep(turn, tx, POWER, stored, outcome.alarm),
        None => Ok(()),
    }
}

fn context<'f>(turn: &MessageTurn<'_>, facts: &'f Facts) -> PowerContext<'f> {
    PowerContext {
        timezone: turn.timezone(),
        reachable: turn.agent.is_some(),
        ..PowerContext::alone(turn.now, turn.user.id.0, facts)
    }
}
