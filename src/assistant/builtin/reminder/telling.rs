//! Reminders requested with verbs that mostly mean something else: "tell me at 5 to leave", "text
//! me tomorrow at 9 about the rent".

use super::parts::split_request;
use super::{ReminderText, reminder};
use crate::assistant::builtin::{Intent, ParsedMessage};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;

/// Only with a time.
pub(super) fn tell(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let body = words.after(
        message.start,
        phrases!["tell me", "text me", "message me", "write me"],
    )?;
    let is_link = |at: usize| matches!(words.get(at), "to" | "that" | "about");
    let is_timed = match when::read(words, body) {
        Some((spec, end)) => is_link(end) && spec.day != Some(when::Day::Over),
        None => {
            words.get(body) == "to"
                && split_request(message, body..words.len(), false)
                    .spec
                    .is_some()
        }
    };
    let request = ReminderText {
        body,
        lead: None,
        nothing: "",
        timer: false,
    };
    // "can you tell me at 8 to leave?" asks for it; "tell me to leave at 8?" wonders.
    let is_asked = !words.is_question() || message.start > 0;
    (is_timed && is_asked).then(|| reminder(message, &request))
}
