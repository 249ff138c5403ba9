//! Requests in which the time stands before the noun: "set a 10 minute timer", "set a daily reminder
//! at 9 to journal".

use super::{ReminderText, command, reminder};
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::builtin::{Intent, MessageContext, ParsedMessage};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when;

/// "set a 10 minute timer", "10 min timer for pasta".
pub(super) fn timer_first(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let set = words.after(
        message.start,
        phrases!["set a", "set an", "start a", "make a"],
    );
    let from = set.unwrap_or(message.start);
    let (spec, end) = when::read_duration(words, from)?;
    let body = words.after(end, phrases!["timer", "reminder", "alarm"])?;
    let nothing = if words.get(end) == "alarm" {
        "alarm"
    } else {
        "timer"
    };
    Some(reminder(
        message,
        &ReminderText {
            body,
            lead: Some(spec),
            nothing,
            timer: false,
        },
    ))
}

/// "set a daily reminder at 9 to journal".
pub(super) fn often_first(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let links = [
        "set a", "set me a", "set up a", "create a", "make a", "give me a", "add a", "i want a",
        "i need a", "schedule a", "a",
    ];
    // The longest phrase wins.
    let at = links
        .iter()
        .filter_map(|link| words.after(message.start, &[*link]))
        .max()?;
    let often = matches!(
        words.get(at),
        "daily" | "weekly" | "monthly" | "yearly" | "hourly"
    );
    let body = words
        .after(at + 1, phrases!["reminder", "alarm"])
        .filter(|_| often)?;
    let rest = words.original(body..words.len());
    let text = format!("remind me {} {rest}", words.get(at));
    let context = MessageContext {
        text: &text,
        timezone: message.timezone(),
        ..*message.context
    };
    command(&read_message(&context))
}
