//! What a message that is no known request may still mean, with what is stored of the person.

use super::words::Words;
use super::{FollowUp, ParsedMessage, follow_up, memory, parsing, reminder};

#[derive(Debug, Clone)]
pub struct UnknownMessage {
    /// The reminder that it names by its words, and what to do with it.
    pub named_follow_up: Option<FollowUp>,
    /// The subject of a question: "what's the wifi password?".
    pub asked_about: Option<String>,
    /// A thing to do with its time, without "remind me".
    pub may_be_reminder: bool,
}

impl UnknownMessage {
    pub fn read(text: &str, persona: &str) -> Self {
        let words = Words::new(text);
        let mut unnamed = Words::new(text);
        parsing::drop_name(&mut unnamed, persona);
        Self::of(text, &words, &unnamed)
    }

    /// The same of a parsed message.
    pub(in crate::assistant) fn of_parsed(message: &ParsedMessage) -> Self {
        let context = message.context;
        match message.is_addressed && message.words.is_whole() {
            true => Self::of(context.text, &message.words, &message.words),
            false => Self::read(context.text, context.persona),
        }
    }

    /// `unnamed`: the words without the assistant's name.
    fn of(text: &str, words: &Words, unnamed: &Words) -> Self {
        Self {
            named_follow_up: follow_up::read_named(unnamed),
            asked_about: memory::asked_about(text, words),
            may_be_reminder: reminder::may_be_reminder(text, words),
        }
    }
}
