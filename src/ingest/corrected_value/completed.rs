//! What the last message lacked, told alone after it: an hour, or what an amount was for.

use super::correct_by;
use crate::assistant;
use crate::assistant::powers::Power;
use crate::error::Result;
use crate::ingest::powers::changed_by;
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

/// "at 8" after "dinner at luigi on saturday", a booking or an event that was noted without its hour.
pub(in crate::ingest) fn with_hour(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(last) = turn.previous_message(tx)?.filter(|_| turn.agent.is_some()) else {
        return Ok(None);
    };
    let is_event =
        |power: &Power| matches!(power, Power::ReservationPrep | Power::PostEventCheckin);
    let [power] = changed_by(turn, tx, last.id)?[..] else {
        return Ok(None);
    };
    let has_hours = assistant::names_hour(&last.text) || assistant::names_days_span(&last.text);
    if !is_event(&power) || has_hours {
        return Ok(None);
    }
    let hour = turn.message.text.trim();
    let link = if hour.starts_with(|c: char| c.is_ascii_digit()) {
        "at "
    } else {
        ""
    };
    correct_by(turn, tx, &format!("make it {link}{hour}"))
}
