//! Lists in the results of a model's calls, as long as a result may be.

use serde_json::Value;

use crate::assistant::tokens::estimated_tokens;

/// Reminders and memories in one result.
const LISTED_MAX: usize = 50;
/// Estimated tokens of these; a message has several results.
const LISTED_TOKENS_MAX: usize = 3_000;

/// The first ones that a result holds, at least one, and how many there are more.
pub(super) fn that_fit(all: impl ExactSizeIterator<Item = Value>) -> (Vec<Value>, usize) {
    let count = all.len();
    let mut tokens = 0;
    let fitting = all.take(LISTED_MAX).enumerate().take_while(|(at, one)| {
        tokens += estimated_tokens(&one.to_string());
        *at == 0 || tokens <= LISTED_TOKENS_MAX
    });
    let listed: Vec<Value> = fitting.map(|(_, one)| one).collect();
    let more = count - listed.len();
    (listed, more)
}
