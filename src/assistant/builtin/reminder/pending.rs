//! Listing open reminders, and what is not possible: pausing them, and looking back at those that came.

use crate::assistant::builtin::{Intent, ParsedMessage, wording};
use crate::assistant::text::phrases::{Phrases, phrases};

pub(super) fn lists(request: &str) -> bool {
    phrases![
        "reminders", "next reminder", "my next reminder", "whats my next reminder",
        "what is my next reminder", "when is my next reminder", "whens my next reminder",
        "my reminders", "all reminders", "all my reminders", "upcoming reminders",
        "pending reminders", "list reminders", "list my reminders", "list all reminders",
        "list all my reminders", "show reminders", "show my reminders", "show me my reminders",
        "show all reminders", "show all my reminders", "show me all my reminders",
        "see my reminders", "what reminders do i have", "what reminders do we have",
        "which reminders do we have", "our reminders", "show our reminders",
        "what reminders are left", "which reminders are left", "what reminders do i have left",
        "which reminders do i have left", "how many reminders are left",
        "whats left of my reminders", "what is left of my reminders", "what reminders have i set",
        "which reminders do i have", "what are my reminders", "whats on my reminders",
        "do i have reminders", "do i have any reminders", "what reminders are set",
        "what reminders are there", "how many reminders do i have", "what will you remind me of",
        "what will you remind me about", "what did i ask you to remind me of",
        "what did i ask you to remind me about", "when will you remind me", "whats next",
        "what is next", "whats coming up", "what do i have", "what have i got",
        "what do i have coming up", "what have i got coming up"
    ]
    .contains(request)
}

/// "pause my reminders", "resume it": there is no pause without an end.
pub(super) fn paused(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let at = message.start + 1;
    let is_meant = (at..words.len().min(at + 6))
        .any(|at| matches!(words.get(at), "reminder" | "reminders" | "alarm" | "alarms"));
    let is_it = words.len() == at + 1 && matches!(words.get(at), "it" | "that" | "this");
    (message.is_addressed && (is_meant || is_it))
        .then(|| Intent::unclear(wording::REMINDERS_NOT_PAUSED))
}

/// "did you remind me yesterday?"
pub(super) fn came(message: &ParsedMessage) -> Option<Intent> {
    static HAS_COME: Phrases = Phrases::new(&[
        "did you remind", "did u remind", "didnt you remind", "have you reminded",
        "did you ever remind", "why did you remind", "why didnt you remind", "when did you remind",
        "what did you remind",
    ]);
    let is_asked = message.words.after(message.start, &HAS_COME).is_some();
    is_asked.then(|| Intent::Say(wording::REMINDERS_COME_UNLISTED.to_owned()))
}
