//! The state of a superpower before "no, 25" takes a value in it back: restored where the new
//! value is refused.

use super::{attempt, first_value};
use crate::assistant::powers::{Power, StoredState};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::store::{PowerState, PowerStateWrite, Tx};

/// A superpower in the database before a value in it is corrected.
pub(in crate::ingest) struct StateBefore {
    row: PowerState,
    write: PowerStateWrite,
    alarm: Option<Timestamp>,
    /// The state with the value that `row` corrected.
    first: Option<String>,
}

impl StateBefore {
    /// `None`: nothing is stored. A first value of an earlier correction is not returned to any
    /// more.
    pub(in crate::ingest) fn read(
        turn: &MessageTurn,
        tx: &Tx,
        power: Power,
    ) -> Result<Option<Self>> {
        let name = power.name();
        let write = tx.power_state_write(turn.owner(), name)?;
        let row = tx.power_state(turn.owner(), name)?;
        let Some((row, write)) = row.zip(write) else {
            return Ok(None);
        };
        Ok(Some(Self {
            row,
            write,
            alarm: tx.power_alarm_at(turn.user.id, name)?,
            first: first_value::take(turn, tx, power)?,
        }))
    }

    /// The new value was refused: all is as it was before the first one was taken back.
    pub(in crate::ingest) fn restore(
        self,
        turn: &MessageTurn,
        tx: &mut Tx,
        power: Power,
    ) -> Result<()> {
        let stored = StoredState {
            state: self.row.state.clone(),
            previous: self.row.previous.clone(),
        };
        attempt::keep(turn, tx, power, stored, self.alarm)?;
        tx.set_power_state(turn.owner(), &self.row, self.write)?;
        self.keep_earlier(turn, tx, power)
    }

    /// Nothing was corrected.
    pub(in crate::ingest) fn keep_earlier(
        self,
        turn: &MessageTurn,
        tx: &Tx,
        power: Power,
    ) -> Result<()> {
        match self.first.zip(self.write.message_id) {
            Some((first, message_id)) => first_value::keep(turn, tx, power, first, message_id),
            None => Ok(()),
        }
    }

    /// The value is corrected: "undo" returns to the first one.
    pub(in crate::ingest) fn keep_first(
        self,
        turn: &MessageTurn,
        tx: &Tx,
        power: Power,
    ) -> Result<()> {
        first_value::keep(turn, tx, power, self.row.state, turn.message_id)
    }
}
