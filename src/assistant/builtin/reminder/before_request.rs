//! What stands before "remind me": the time, or other words.

use std::ops::Range;

use super::parts::{self, ReminderParts, split_request, text_of};
use super::unread_words;
use super::{ReminderText, reminder};
use crate::assistant::builtin::{Intent, ParsedMessage};
use crate::assistant::text::corrections;
use crate::assistant::text::function_words::is_yes;

/// "i'm going out, remind me at 5 to call bo": a whole request after words that tell no time.
/// `before`: where it begins.
pub(super) fn after_talk(message: &ParsedMessage, before: usize, body: usize) -> Option<Intent> {
    let words = &message.words;
    let talk = message.start..before;
    let is_answer = talk
        .clone()
        .all(|at| corrections::is_interjection(words.get(at)) || is_yes(words.get(at)));
    let is_set_off = words.original(talk.clone()).ends_with(',');
    // "i feel great today" tells of today, as a reminder without a day is for today.
    let told = match words.get(talk.end.saturating_sub(1)) {
        "today" => talk.start..talk.end - 1,
        _ => talk,
    };
    if !(is_answer || is_set_off) || unread_words::tells_when(words, told) {
        return None;
    }
    let request = ReminderText {
        body,
        lead: None,
        nothing: "",
        timer: false,
    };
    let is_whole =
        |intent: &Intent| matches!(intent, Intent::Remind { .. } | Intent::RemindBefore(_));
    Some(reminder(message, &request)).filter(is_whole)
}

/// Time and text, also with the time before the command: "at 5 remind me to buy wine for saturday".
pub(super) fn parsed_request(
    message: &ParsedMessage,
    range: Range<usize>,
    request: &ReminderText,
) -> ReminderParts {
    let words = &message.words;
    let Some(lead) = request.lead else {
        return split_request(message, range, request.timer);
    };
    let text = parts::after_link(words, range.start)..range.end;
    if let Some(parsed) = parts::day_of_thing(words, range.start, &lead, text.clone()) {
        return parsed;
    }
    let parsed = split_request(message, range, request.timer);
    // "tomorrow at 5 remind me to watch the morning show"
    let is_whole = lead.clock.is_some() && (lead.day.is_some() || lead.delay.is_some());
    if is_whole || !parsed.tail.is_empty() {
        let text = text_of(words, text);
        return ReminderParts {
            spec: Some(lead),
            text: parts::without_question(message, text),
            is_trailing: false,
            tail: 0..0,
            is_linked: true,
            ..parsed
        };
    }
    let both = parsed.spec.and_then(|spec| spec.merged(lead));
    ReminderParts {
        spec: Some(both.unwrap_or(lead)),
        ..parsed
    }
}

/// "why do you remind me today?"
pub(super) fn asks_why(message: &ParsedMessage) -> bool {
    let word = |after: usize| message.words.get(message.start + after);
    matches!(word(0), "why" | "who" | "how")
        && matches!(word(1), "do" | "did" | "does" | "are" | "will")
}
