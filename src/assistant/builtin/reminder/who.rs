//! Who is to be reminded, where it is not who writes: "remind everyone", "remind Bo".

use super::parts::split_request;
use crate::assistant::builtin::{Intent, ParsedMessage, wording};
use crate::assistant::text::phrases::Phrases;

/// "remind everyone" in a group, whose reminders are for all in it.
pub(super) fn everyone_here(message: &ParsedMessage) -> Option<usize> {
    static NAMES: Phrases = Phrases::new(&[
        "remind everyone", "remind everybody", "remind all of us", "remind us all",
        "remind the group",
    ]);
    let body = message.words.after(message.start, &NAMES)?;
    message.context.group.then_some(body)
}

/// "remind Bo at 5 to call": nobody else can be reminded.
pub(super) fn somebody_else(message: &ParsedMessage) -> Option<Intent> {
    let (words, at) = (&message.words, message.start);
    let is_asked = words.get(at) == "remind" && message.is_addressed && !words.is_question();
    if !is_asked {
        return None;
    }
    let name_to = (at + 2..words.len().min(at + 4)).find(|from| {
        let parsed = split_request(message, *from..words.len(), false);
        parsed.spec.is_some() && !parsed.text.is_empty()
    });
    name_to
        .is_some()
        .then(|| Intent::Unclear(wording::reminds_only_here(message.context.group)))
}
