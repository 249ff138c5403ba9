//! A part that the last message lacked: its hour, or what it was for.

use super::{correct_by, correct_of_power};
use crate::assistant;
use crate::assistant::powers::Power;
use crate::error::Result;
use crate::ingest::powers::changed_by;
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

/// "at 8" after "dinner at luigi on saturday", a booking or an event that was noted without its hour.
pub(in crate::ingest) fn with_hour(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
) -> Result<Option<String>> {
    let Some(last) = turn.said_last(tx)?.filter(|_| turn.agent.is_some()) else {
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

/// "on lunch" after "spent 12", "for food" after "budget 300".
pub(in crate::ingest) fn with_purpose(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
) -> Result<Option<String>> {
    const WORDS_MAX: usize = 4;
    let names = |text: &str| {
        let lower = text.to_lowercase();
        lower.contains("on ") || lower.contains("for ")
    };
    let text = turn.message.text.trim();
    let lower = text.to_lowercase();
    let is_short = text.split_whitespace().count() <= WORDS_MAX;
    let is_purpose = ["on ", "for "].iter().any(|link| lower.starts_with(link));
    if !is_purpose || !is_short || text.contains(|c: char| c.is_ascii_digit() || c == '?') {
        return Ok(None); // most messages
    }
    let Some(last) = turn.said_last(tx)?.filter(|last| !names(&last.text)) else {
        return Ok(None);
    };
    match changed_by(turn, tx, last.id)?[..] {
        [power @ Power::BudgetTracker] => {
            let whole = format!("{} {text}", last.text.trim());
            correct_of_power(turn, tx, power, Some(&whole), None)
        }
        _ => Ok(None),
    }
}
