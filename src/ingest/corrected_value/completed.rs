//! What the last message lacked, told alone after it: an hour, or what an amount was for.

use super::{correct_by, correct_of_power};
use crate::assistant;
use crate::assistant::powers::{Power, is_common_purchase};
use crate::error::Result;
use crate::ingest::powers::changed_by;
use crate::ingest::turn::MessageTurn;
use crate::store::{MessageRow, Tx};

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

/// "on lunch" or "lunch" after "spent 12", "for food" after "budget 300".
pub(in crate::ingest) fn with_purpose(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    const WORDS_MAX: usize = 4;
    const AMOUNT_WORDS_MAX: usize = 2;
    let text = turn.message.text.trim();
    if text.split_whitespace().nth(WORDS_MAX).is_some() {
        return Ok(None); // most messages
    }
    let is_linked = turn.words().begins_with(&["on", "for"]);
    let is_purpose = is_linked || is_common_purchase(&text.to_lowercase());
    if !is_purpose || text.contains(|c: char| c.is_ascii_digit() || c == '?') {
        return Ok(None);
    }
    let is_amount = |text: &str| {
        let lower = text.to_lowercase();
        let verbs = ["spent ", "i spent ", "i just spent ", "paid ", "i paid "];
        let amount = verbs.iter().find_map(|verb| lower.strip_prefix(verb));
        amount.is_some_and(|amount| amount.split_whitespace().count() <= AMOUNT_WORDS_MAX)
    };
    let names_purpose = |last: &MessageRow| turn.words_of(&last.text).has_any(&["on", "for"]);
    let may_lack = |last: &MessageRow| !names_purpose(last) && (is_linked || is_amount(&last.text));
    let Some(last) = turn.previous_message(tx)?.filter(may_lack) else {
        return Ok(None);
    };
    match changed_by(turn, tx, last.id)?[..] {
        [power @ Power::BudgetTracker] => {
            let link = if is_linked { "" } else { "on " };
            let whole = format!("{} {link}{text}", last.text.trim());
            correct_of_power(turn, tx, power, Some(&whole), None)
        }
        _ => Ok(None),
    }
}
