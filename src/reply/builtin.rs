//! What the builtin, offline assistant understands of a message. The same message at the
//! same time always means the same. It decides only: it must not remember, remind or read
//! anything, which is the work of whoever applies the intent.

mod account;
mod agenda;
mod crisis;
mod follow_up;
pub(in crate::reply) mod listening;
mod memory;
mod reminder;
mod settings;
mod several;
mod small_talk;
pub(in crate::reply) mod when;
pub(in crate::reply) mod words;
mod zone;

use std::cell::Cell;

use super::wording;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;
pub use follow_up::{FollowUp, NewTime, ReminderRef, TimeChange};
pub use memory::matching::{memory_matches, memory_overlap};
pub use memory::{MEMORY_CHARS_MAX, asked_about};
pub use reminder::REMINDER_CHARS_MAX;
pub use settings::NAME_CHARS_MAX;
use std::ops::Range;
use words::Words;

/// What a message comes with.
#[derive(Debug, Clone, Copy)]
pub struct MessageContext<'a> {
    pub text: &'a str,
    pub now: Timestamp,
    /// `None`: not known, UTC is used and said.
    pub timezone: Option<Zone>,
    pub persona: &'a str,
    /// Others are there, and nothing but the name in the text tells who is meant. `false`
    /// also for a group's message that answers one of the assistant's.
    pub group: bool,
    pub has_photos: bool,
}

/// What a person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Small talk: the complete reply.
    Say(String),
    /// A question about the assistant's abilities: the complete reply.
    Help(String),
    /// A command that can't be carried out as it was said: the complete reply says why.
    Unclear(String),
    /// A reminder without its time: the complete reply asks for it.
    AskWhen {
        said: String,
        text: String,
    },
    /// A reminder without its text.
    AskWhat {
        said: String,
        send_at: Timestamp,
        recurrence: Option<Recurrence>,
    },
    /// It refers to something said or delivered before; where there is nothing, `otherwise`.
    FollowUp {
        what: FollowUp,
        otherwise: Box<Intent>,
    },
    /// Somebody wants to die or is in danger.
    Crisis,
    /// At least two requests, to be carried out in order.
    Several(Vec<Intent>),
    Status,
    Usage,
    /// At most `MEMORY_CHARS_MAX` characters, as typed.
    Remember {
        text: String,
    },
    /// `None`: everything.
    Recall {
        about: Option<String>,
    },
    Forget {
        about: String,
    },
    ForgetEverything,
    /// `text` at most `REMINDER_CHARS_MAX` characters; `send_at` after now.
    Remind {
        text: String,
        send_at: Timestamp,
        /// The zone that the time was said in, where it was named.
        zone: Option<Zone>,
        /// It comes again; `send_at` is its first time.
        recurrence: Option<Recurrence>,
    },
    ListReminders,
    /// Those of a span of time, or about something.
    FindReminders {
        span: Option<Span>,
        about: Option<String>,
    },
    /// Everything with a date in a span of time.
    Agenda(Span),
    /// `None`: all of them.
    CancelReminders {
        about: Option<String>,
        /// Only those of that day, from midnight to midnight.
        on: Option<Range<Timestamp>>,
    },
    SetTimezone(Zone),
    SetName(String),
    /// Nothing it can do: said in a direct chat, or when asked by name.
    Unknown,
}

impl Intent {
    /// Whether it counts against the commands a person may give in a minute.
    pub fn is_command(&self) -> bool {
        match self {
            Self::Say(_) | Self::Crisis | Self::Unknown => false,
            Self::FollowUp { what, otherwise } => what.is_command() || otherwise.is_command(),
            _ => true,
        }
    }

    /// Whether a command lacks something.
    pub fn is_unclear(&self) -> bool {
        matches!(
            self,
            Self::Unclear(_) | Self::AskWhen { .. } | Self::AskWhat { .. }
        )
    }

    /// Whether it is worth saying in a group unasked. What is somebody's own (memories,
    /// reminders, the account) is left alone there.
    pub fn has_something_to_say(&self) -> bool {
        matches!(self, Self::Say(_) | Self::Help(_))
    }
}

/// A span of time, as it was said: "tomorrow", "this week".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub range: Range<Timestamp>,
    pub name: String,
}

/// A message while it is being understood.
pub(in crate::reply) struct Talk<'a> {
    pub(in crate::reply) heard: &'a MessageContext<'a>,
    /// Without the assistant's name.
    pub(in crate::reply) words: Words<'a>,
    /// Where the request starts, after "hey, could you please".
    pub(in crate::reply) start: usize,
    /// In a group, nobody may have meant the assistant.
    pub(in crate::reply) spoken_to: bool,
    /// All words in lower case, for fixed phrases; "" when there are too many.
    pub(in crate::reply) phrase: String,
    /// Where `start` is in `phrase`.
    pub(in crate::reply) phrase_start: usize,
    /// What was understood so far may rest on the time zone.
    pub(in crate::reply) rests_on_zone: Cell<bool>,
}

impl Talk<'_> {
    pub(in crate::reply) fn request(&self) -> &str {
        &self.phrase[self.phrase_start..]
    }

    /// Whoever needs the zone asks here, not in `heard`: so it is known whether it matters.
    pub(in crate::reply) fn timezone(&self) -> Option<Zone> {
        self.rests_on_zone.set(true);
        self.heard.timezone
    }

    pub(in crate::reply) fn zone(&self) -> Zone {
        self.timezone().unwrap_or(Zone::UTC)
    }

    /// A stable choice among wordings.
    fn pick<'c>(&self, choices: &[&'c str]) -> &'c str {
        let at = words::stable_hash(self.heard.text) as usize;
        choices
            .get(at % choices.len().max(1))
            .copied()
            .unwrap_or_default()
    }
}

pub fn understand(heard: &MessageContext) -> Intent {
    understand_talk(&listening::listen(heard))
}

pub(in crate::reply) fn understand_talk(talk: &Talk) -> Intent {
    if talk.words.len() == 0 {
        return small_talk::wordless(talk);
    }
    if crisis::is_in(&talk.words) {
        return Intent::Crisis;
    }
    let several = talk.spoken_to.then(|| several::requests(talk)).flatten();
    let intent = several.unwrap_or_else(|| one_request(talk));
    match follow_up::read(talk) {
        Some(what) => Intent::FollowUp {
            what,
            otherwise: Box::new(intent),
        },
        None => intent,
    }
}

/// What somebody answers who was asked what to be reminded of.
pub fn reminder_answer(text: &str, persona: &str) -> String {
    let mut words = Words::new(text);
    listening::drop_name(&mut words, persona);
    reminder::answered_text(&words)
}

fn one_request(talk: &Talk) -> Intent {
    if talk.words.len() == 0 {
        return small_talk::wordless(talk);
    }
    account::command(talk)
        .or_else(|| agenda::command(talk))
        .or_else(|| reminder::command(talk))
        .or_else(|| settings::command(talk))
        .or_else(|| memory::command(talk))
        .or_else(|| small_talk::reply(talk))
        // In a group, half a command was hardly meant for the assistant.
        .filter(|intent| talk.spoken_to || !intent.is_unclear())
        .unwrap_or_else(|| small_talk::lost(talk))
}

/// What a person tells about, without what merely surrounds it.
fn tidied(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '–' | '—' | '-'))
        .to_owned()
}

/// What is asked about: also without closing punctuation and quotes.
pub(in crate::reply) fn subject(text: &str) -> String {
    text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '"' | '“' | '”' | '…')
    })
    .to_owned()
}

#[cfg(test)]
mod tests;
