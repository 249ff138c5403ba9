//! Parses which payments go off the bill: "remove the hotel", "take ana's dinner off the bill".

use super::BillSplitAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength::{self, Clear, InSession, Soft};
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::Phrases;

/// A longer text names no payment.
const NAME_WORDS_MAX: usize = 10;

/// In a group the bill is meant also where it was not spoken of just before.
pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BillSplitAction)> {
    let words = &message.words;
    static VERBS: Phrases = Phrases::new(&[
        "remove", "delete", "drop", "scratch", "cross off", "cross out", "strike off", "strike",
        "take off", "take out", "take away", "take back", "take", "undo",
    ]);
    let from = words.after(at, &VERBS)?;
    static BILL: Phrases = Phrases::new(&[
        "from the bill", "from our bill", "from my bill", "off the bill", "off our bill",
        "off my bill", "on the bill", "again off the bill",
    ]);
    let of_bill = (from + 1..end).find(|n| words.after(*n, &BILL) == Some(end));
    let until = of_bill.unwrap_or(end);
    static LAST: Phrases = Phrases::new(&["again", "off", "out", "away", "back"]);
    let last = (from + 1..until).find(|n| words.after(*n, &LAST) == Some(until));
    let until = last.unwrap_or(until);
    // "take ana home", "undo that"
    let is_open = from == at + 1 && matches!(words.get(at), "take" | "undo");
    if is_open && of_bill.is_none() && last.is_none() {
        return None;
    }
    let named = parsers::things(words.original(from..until.max(from)));
    let is_named = (1..=NAME_WORDS_MAX).contains(&until.saturating_sub(from)) && !named.is_empty();
    let strength = match of_bill {
        Some(_) => Clear,
        None if message.context.group => Soft,
        None => InSession,
    };
    let action = BillSplitAction::Remove {
        named,
        is_of_bill: of_bill.is_some(),
    };
    is_named.then_some((strength, action))
}
