//! What an amount was for, told alone after it: "on lunch" after "spent 12".

use super::corrected_value::correct_of_power;
use super::powers::changed_by;
use super::turn::MessageTurn;
use crate::assistant::powers::{Power, is_common_purchase};
use crate::error::Result;
use crate::store::{MessageRow, Tx};

/// "on lunch" or "lunch" after "spent 12", "for food" after "budget 300".
pub(super) fn with_purpose(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    const WORDS_MAX: usize = 4;
    const AMOUNT_WORDS_MAX: usize = 2;
    let names = |text: &str| {
        let lower = text.to_lowercase();
        lower.contains("on ") || lower.contains("for ")
    };
    let text = turn.message.text.trim();
    if text.split_whitespace().nth(WORDS_MAX).is_some() {
        return Ok(None); // most messages
    }
    let lower = text.to_lowercase();
    let is_linked = ["on ", "for "].iter().any(|link| lower.starts_with(link));
    let is_purpose = is_linked || is_common_purchase(&lower);
    if !is_purpose || text.contains(|c: char| c.is_ascii_digit() || c == '?') {
        return Ok(None);
    }
    let is_amount = |text: &str| {
        let lower = text.to_lowercase();
        let verbs = ["spent ", "i spent ", "i just spent ", "paid ", "i paid "];
        let amount = verbs.iter().find_map(|verb| lower.strip_prefix(verb));
        amount.is_some_and(|amount| amount.split_whitespace().count() <= AMOUNT_WORDS_MAX)
    };
    let may_lack = |last: &MessageRow| !names(&last.text) && (is_linked || is_amount(&last.text));
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
