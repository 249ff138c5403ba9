//! What a message that is no known request may still mean, with what is stored of the person.

use super::parsing::read_message;
use super::reminder;
use super::{
    FactChange, FollowUp, Intent, MessageContext, ParsedMessage, crisis, follow_up, memory, needed,
    parsing, small_talk, wording,
};
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;
use crate::clock::Timestamp;
use crate::model::recurrence::Recurrence;

static HOW_LONG_LEFT: Phrases = Phrases::new(&[
    "how long left", "how long is left", "how long do i have left", "how much longer",
    "how much time is left", "how much time left", "how much time do i have left", "time left",
    "how long is it left", "how long to go", "how many minutes left",
]);

/// A longer text only talks.
const STATEMENT_BYTES_MAX: usize = 200;

#[derive(Debug, Clone)]
pub struct PossibleMeanings {
    /// The reminder that it names by its words, and what to do with it.
    pub named_follow_up: Option<FollowUp>,
    /// The subject of a question: "what's the wifi password?".
    pub asked_about: Option<String>,
    /// In a direct chat only.
    pub statement: Option<Statement>,
    /// The message may correct a value of what was said last.
    pub may_correct: bool,
    /// The answer to the feeling that it tells of.
    pub reply_to_talk: Option<&'static str>,
    /// The language in which it is written, if that is not English (a tag of BCP 47).
    pub foreign_language: Option<&'static str>,
    /// The message may say that a crisis is over.
    pub may_end_crisis: bool,
    /// "how long left": of a timer.
    pub asks_how_long_left: bool,
    /// "list", "show all": which list is said by what was before.
    pub asks_for_list: bool,
}

/// A statement that asks for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// A plain fact about oneself.
    Fact(String),
    /// A fact that has another value now.
    Changed(FactChange),
    /// A thing that is needed or used up, for a list.
    Needed(String),
    /// A place and the days there: "rome from 3 to 7 december".
    Trip(String),
    /// Something to do and its time, after now.
    Plan {
        text: String,
        send_at: Timestamp,
        recurrence: Option<Recurrence>,
    },
    /// Two of them, once each: what, and when.
    Plans(Vec<(String, Timestamp)>),
}

impl PossibleMeanings {
    pub fn read(context: &MessageContext) -> Self {
        Self::of_parsed(&read_message(context))
    }

    /// Reads a parsed message.
    pub(in crate::assistant) fn of_parsed(message: &ParsedMessage) -> Self {
        let context = message.context;
        if message.is_addressed && message.words.is_whole() {
            return Self::of(message, &message.words, &message.words);
        }
        let words = Words::new(context.text);
        let mut unnamed = Words::new(context.text);
        parsing::drop_name(&mut unnamed, context.persona);
        Self::of(message, &words, &unnamed)
    }

    /// `unnamed`: the words without the assistant's name.
    fn of(message: &ParsedMessage, words: &Words, unnamed: &Words) -> Self {
        Self {
            named_follow_up: follow_up::read_named(unnamed),
            asked_about: memory::asked_about(message.context.text, words),
            statement: statement(message),
            may_correct: follow_up::may_correct(unnamed),
            reply_to_talk: small_talk::reply_to_talk(message.context.text, unnamed),
            foreign_language: wording::foreign_language_of(message.context.text, words),
            may_end_crisis: crisis::may_be_over(words),
            asks_how_long_left: asks_how_long_left(message.request()),
            asks_for_list: asks_for_list(unnamed),
        }
    }
}

fn asks_how_long_left(request: &str) -> bool {
    HOW_LONG_LEFT.contains(request.strip_suffix(" now").unwrap_or(request))
}

fn statement(message: &ParsedMessage) -> Option<Statement> {
    let context = message.context;
    if context.group || context.text.len() > STATEMENT_BYTES_MAX || message.words.is_question() {
        return None;
    }
    let changed = memory::fact::changed_fact(message).map(Statement::Changed);
    let fact = || memory::fact::stated_fact(message).map(Statement::Fact);
    let found = changed
        .or_else(fact)
        .or_else(|| needed::needed_thing(message).map(Statement::Needed));
    let found = found.or_else(|| needed::trip(message).map(Statement::Trip));
    found.or_else(|| match reminder::spoken_of(message)? {
        Intent::Remind {
            text,
            send_at,
            recurrence,
            ..
        } => Some(Statement::Plan {
            text,
            send_at,
            recurrence,
        }),
        Intent::Several(each) => {
            let plans = each.into_iter().filter_map(|one| match one {
                Intent::Remind { text, send_at, .. } => Some((text, send_at)),
                _ => None,
            });
            Some(Statement::Plans(plans.collect()))
        }
        _ => None,
    })
}

fn asks_for_list(words: &Words) -> bool {
    static REQUESTS: Phrases = Phrases::new(&[
        "list", "list all", "list them", "show", "show all", "show me", "show me all", "show them",
        "show list", "show me the list", "whats open", "what is open", "whats left", "all",
    ]);
    words.after(0, &REQUESTS) == Some(words.len())
}
