//! The name by which a person is called.

use super::dialog::latest::{self, StatedFact};
use super::turn::MessageTurn;
use crate::assistant::wording;
use crate::error::Result;
use crate::store::Tx;

pub(super) fn set(turn: &MessageTurn, tx: &mut Tx, name: &str) -> Result<String> {
    tx.set_user_name(&turn.message.sender, turn.user.id, name)?;
    latest::note_fact(turn, tx, StatedFact::Name)?;
    Ok(wording::name_set(name))
}
