//! "another one", which doesn't say of what.

use crate::assistant::builtin::FollowUp;
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

/// One more joke after a joke. What else it may be of is not said.
pub(super) fn one_more(turn: &MessageTurn, tx: &Tx) -> Result<String> {
    const MESSAGES_MAX: usize = 20;
    let messages = match turn.room.head {
        Some(head) => tx.view().chain(head, MESSAGES_MAX)?,
        None => Vec::new(),
    };
    let mut own = messages.iter().filter(|one| one.user == turn.user.id);
    let is_again = |text: &str| {
        let what = assistant::understand(&turn.context_of(text));
        matches!(
            what,
            Intent::FollowUp {
                what: FollowUp::Another,
                ..
            }
        )
    };
    let is_reaction = |text: &str| {
        let word = text
            .trim()
            .trim_end_matches(['!', '.', ')', ':'])
            .to_lowercase();
        let reactions = [
            "ha", "haha", "hahaha", "lol", "lmao", "rofl", "funny", "nice", "good one", "great",
            "ok", "thanks", "nice one",
        ];
        reactions.contains(&word.as_str())
    };
    let mut told = 1;
    let first = own.find(|one| {
        let is_asked_again = is_again(&one.text);
        told += usize::from(is_asked_again);
        !is_asked_again && !is_reaction(&one.text)
    });
    let joke = first.filter(|one| assistant::asks_for_joke(&turn.words_of(&one.text)));
    Ok(match joke {
        Some(request) => assistant::joke_after(&request.text, told).to_owned(),
        None => wording::ANOTHER_OF_WHAT.to_owned(),
    })
}
