//! Birthdays where memories are recalled and forgotten. Only in direct chats: birthdays are a
//! person's own.

use super::powers::stored_state;
use super::turn::MessageTurn;
use crate::assistant::powers::{
    self, Facts, Power, PowerAction, PowerContext, StoredBirthday, keep_again, remove_birthday,
};
use crate::error::{Error, Result};
use crate::store::{PowerOwner, RemovedItem, Tx};

const POWER: Power = Power::BirthdayReminder;

impl MessageTurn<'_> {
    /// All of the person's birthdays, also while the superpower is switched off.
    pub(super) fn birthdays(&self, tx: &Tx<'_>) -> Result<Vec<StoredBirthday>> {
        let row = tx.power_state(PowerOwner::User(self.user.id), POWER.name())?;
        let facts = Facts::default();
        Ok(row.map_or_else(Vec::new, |row| {
            powers::birthdays(&stored_state(row), &self.birthday_context(&facts))
        }))
    }

    /// Forgets those of these names; this can be undone for some minutes. How many there were.
    pub(super) fn forget_birthdays(&self, tx: &mut Tx<'_>, names: &[String]) -> Result<usize> {
        let mut forgotten = 0;
        for birthday in self.birthdays(tx)? {
            if !names.contains(&birthday.name) {
                continue;
            }
            self.change_birthdays(tx, remove_birthday(&birthday.name))?;
            let removed = RemovedItem {
                user: self.user.id,
                removed_by: self.user.id,
                room: None,
                kind: "birthday",
                item: birthday.item,
            };
            tx.keep_removed(&removed, self.now)?;
            forgotten += 1;
        }
        Ok(forgotten)
    }

    /// Restores a forgotten birthday. Returns its line.
    pub(super) fn restore_birthday(&self, tx: &mut Tx<'_>, item: &str) -> Result<Option<String>> {
        if let Some(action) = keep_again(item) {
            self.change_birthdays(tx, action)?;
        }
        let mut all = self.birthdays(tx)?;
        all.retain(|birthday| birthday.item == item);
        Ok(all.pop().map(|birthday| birthday.line))
    }

    fn change_birthdays(&self, tx: &mut Tx<'_>, action: PowerAction) -> Result<()> {
        let owner = PowerOwner::User(self.user.id);
        let stored = tx.power_state(owner, POWER.name())?.map(stored_state);
        let facts = Facts::default();
        let context = self.birthday_context(&facts);
        let outcome = POWER.act(stored.as_ref(), action, &context);
        let outcome = outcome.map_err(Error::internal)?;
        match outcome.stored {
            Some(stored) => self.keep(tx, POWER, stored, outcome.alarm),
            None => Ok(()),
        }
    }

    fn birthday_context<'f>(&self, facts: &'f Facts) -> PowerContext<'f> {
        PowerContext {
            timezone: self.timezone(),
            reachable: self.agent.is_some(),
            ..PowerContext::alone(self.now, self.user.id.0, facts)
        }
    }
}
