//! The state of a superpower before a value in it was corrected, to which "undo" returns.

use serde::{Deserialize, Serialize};

use crate::assistant::powers::Power;
use crate::error::{Error, Result};
use crate::ingest::turn::MessageTurn;
use crate::store::{RemovedItem, Tx};

/// A superpower's state before a value in it was corrected.
#[derive(Serialize, Deserialize)]
struct FirstValue {
    power: String,
    /// The state as JSON.
    state: String,
}

/// Keeps the state with the first value, to which "undo" returns. `message_id`: the message that
/// wrote the state which corrects it.
pub(in crate::ingest) fn keep(
    turn: &MessageTurn,
    tx: &Tx,
    power: Power,
    state: String,
    message_id: i64,
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
        message_id,
        room: None,
        kind: "corrected_state",
        item: serde_json::to_string(&item).map_err(Error::internal)?,
    };
    tx.keep_removed(&item, turn.now)
}

/// The state with the value that was corrected by the last change, if one was.
pub(in crate::ingest) fn take(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<Option<String>> {
    let write = tx.power_state_write(turn.owner(), power.name())?;
    let message_id = write.and_then(|write| write.message_id);
    let Some(message_id) = message_id.filter(|_| !turn.in_group()) else {
        return Ok(None);
    };
    let items = tx.take_removed(turn.user.id, message_id, true)?.into_iter();
    let mut firsts =
        items.filter_map(|(_, _, item)| serde_json::from_str::<FirstValue>(&item).ok());
    let first = firsts.find(|first| first.power == power.name());
    Ok(first.map(|first| first.state))
}
