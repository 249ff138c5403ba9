//! The state of a superpower before a value in it was corrected, to which "undo" returns.

use serde::{Deserialize, Serialize};

use crate::assistant::powers::Power;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::turn::MessageTurn;
use crate::store::{RemovedItem, Tx};

/// A superpower's state before a value in it was corrected.
#[derive(Serialize, Deserialize)]
struct FirstValue {
    power: String,
    /// As JSON.
    state: String,
}

/// Keeps the state with the first value, to which "undo" returns. `at`: when the state that corrects
/// it was written.
pub(in crate::ingest) fn keep(
    turn: &MessageTurn<'_>,
    tx: &Tx<'_>,
    power: Power,
    state: String,
    at: Timestamp,
) -> Result<()> {
    if turn.in_group() {
        return Ok(());
    }
    let item = FirstValue {
        power: power.name().to_owned(),
        state,
    };
    let item = RemovedItem {
        user: turn.user.id,
        removed_by: turn.user.id,
        room: None,
        kind: "corrected_state",
        item: serde_json::to_string(&item).map_err(Error::internal)?,
    };
    tx.keep_removed(&item, at)
}

/// The state with the value that was corrected by the last change, if one was.
pub(in crate::ingest) fn take(
    turn: &MessageTurn<'_>,
    tx: &Tx<'_>,
    power: Power,
) -> Result<Option<String>> {
    let written_at = tx.power_state_written_at(turn.owner(), power.name())?;
    let Some(at) = written_at.filter(|_| !turn.in_group()) else {
        return Ok(None);
    };
    let items = tx.take_removed(turn.user.id, at, true)?.into_iter();
    let mut firsts =
        items.filter_map(|(_, _, item)| serde_json::from_str::<FirstValue>(&item).ok());
    let first = firsts.find(|first| first.power == power.name());
    Ok(first.map(|first| first.state))
}
