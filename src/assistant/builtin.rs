//! The builtin, offline assistant's understanding of a message. The same message at the same time
//! always has the same meaning. It only decides: callers apply the intent.

mod account;
mod agenda;
mod connecting;
pub(in crate::assistant) mod crisis;
mod dates;
pub(in crate::assistant) mod follow_up;
mod memory;
mod needed;
pub(in crate::assistant) mod parsing;
pub(in crate::assistant) mod reminder;
mod settings;
pub(in crate::assistant) mod small_talk;
mod unknown;

use std::cell::Cell;

use super::help::HelpGroup;
use super::wording;
use crate::assistant::LocalNow;
use crate::assistant::text::clauses::begins_clause;
use crate::assistant::text::function_words::is_question_word;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::{Words, stable_hash};
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;
pub use crisis::CrisisKind;
pub use follow_up::{
    DoneReport, FollowUp, NewTime, ReminderRef, TimeChange, answered_time, by_years,
    corrected_value, counted_unit_s, hour_or_people, is_day_for_span, is_time_answer, may_be_value,
    may_restate, name_and_day, named_apart, names_day, names_days_span, names_hour, names_it,
    names_time, only_hour, restated, reworded, second_request, time_shift, unit_of_s, value_near,
    with_corrected_value, with_other_person,
};
pub use memory::MEMORY_CHARS_MAX;
pub(in crate::assistant) use memory::asked_about;
pub use memory::fact::{FactChange, separate_facts};
pub use memory::matching::{
    may_answer, memory_answers, memory_is_meant, memory_matches, memory_names, memory_overlap,
};
pub use reminder::before::{
    BeforeEvent, BeforeProblem, EventReading, around_missing_event, event_name, is_other_offset,
    names_offset, with_other_offset,
};
pub use reminder::{ANYTHING_TO_REMIND, REMINDER_CHARS_MAX, REMINDER_TO_CANCEL, reminder_matches};
pub(in crate::assistant) use settings::is_first_name;
pub use settings::{NAME_CHARS_MAX, NAME_IS, TIME_ZONE_IS};
use std::ops::Range;
pub use unknown::{PossibleMeanings, Statement};

/// A message's text and context.
#[derive(Debug, Clone, Copy)]
pub struct MessageContext<'a> {
    pub text: &'a str,
    pub now: Timestamp,
    /// `None` when unknown: UTC is used and mentioned.
    pub timezone: Option<Zone>,
    pub persona: &'a str,
    /// In a group the assistant is addressed only by its name in the text. `false` also for a
    /// group's message that answers the assistant.
    pub group: bool,
    pub has_photos: bool,
}

#[cfg(test)]
impl<'a> MessageContext<'a> {
    /// In a direct chat with Juno, of somebody without a time zone.
    pub(in crate::assistant) fn direct(text: &'a str, now: Timestamp) -> Self {
        Self {
            text,
            now,
            timezone: None,
            persona: "Juno",
            group: false,
            has_photos: false,
        }
    }
}

/// A person's request, as the builtin assistant understands it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Small talk: the complete reply.
    Say(String),
    /// A question about the assistant's abilities, or about a group of them.
    Help(Option<HelpGroup>),
    /// An impossible or incomplete command: the complete reply says why.
    Unclear(String),
    /// A reminder without its time: the complete reply asks for it.
    AskWhen {
        reply: String,
        text: String,
        /// The month of a time without a day.
        month: Option<u32>,
    },
    /// A reminder without its text.
    AskWhat {
        reply: String,
        send_at: Timestamp,
        recurrence: Option<Recurrence>,
    },
    /// A request that lacks a part: the answer to the reply goes between these words.
    AskRest {
        reply: String,
        before: String,
        after: String,
    },
    /// The message refers to something named or delivered before; `otherwise` applies if there is
    /// nothing.
    FollowUp {
        what: FollowUp,
        otherwise: Box<Intent>,
    },
    /// The person may be suicidal, in danger or in an emergency.
    Crisis(CrisisKind),
    /// At least two requests, to be carried out in order.
    Several(Vec<Intent>),
    /// One of several requests that a superpower understands, as typed.
    Power(String),
    /// What somebody tells beside other requests, and asks nothing for.
    Statement(Statement),
    Status,
    /// "what's my name?": told alone, also where it is asked in a group.
    Profile(ProfilePart),
    Usage,
    /// To delete the account, or to get a file of all data: the reply tells how.
    Account(AccountTask),
    /// At most `MEMORY_CHARS_MAX` characters, as typed.
    Remember {
        text: String,
    },
    /// `None` means everything.
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
        /// The zone named with the time, if any.
        zone: Option<Zone>,
        /// For a recurring reminder, whose first time is `send_at`.
        recurrence: Option<Recurrence>,
    },
    /// At some time before an event that is known here.
    RemindBefore(BeforeEvent),
    ListReminders,
    /// Reminders within a span of time, or about something.
    FindReminders {
        span: Option<Span>,
        about: Option<String>,
    },
    /// All dated entries within a span of time.
    Agenda {
        span: Span,
        /// The person asks for their calendar.
        of_calendar: bool,
    },
    CancelReminders(RemindersToCancel),
    SetTimezone(Zone),
    SetName(String),
    /// A link to the page on which a calendar is connected.
    ConnectCalendar,
    ConnectMail,
    /// No known request: answered in a direct chat, or when addressed by name.
    Unknown,
}

/// The parts of a person's profile that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfilePart {
    Name,
    TimeZone,
}

/// Tasks that are done on the account's page, never by a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountTask {
    Delete,
    Export,
}

/// Which reminders to cancel; without limits all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemindersToCancel {
    pub about: Option<String>,
    /// Only those of this day, from midnight to midnight.
    pub on: Option<Range<Timestamp>>,
    /// Only those at one of these minutes after midnight; empty for any time of day.
    pub minutes: Vec<u32>,
    /// `about` with the words of the time, which may as well belong to a reminder's text.
    pub with_time: Option<String>,
    /// Only the one of them that comes next.
    pub is_next: bool,
    /// The reminders that stay.
    pub kept: Vec<Self>,
    /// All reminders that are found; otherwise one of them.
    pub several: bool,
    /// In a group: only those that the person set.
    pub is_own: bool,
}

impl Intent {
    /// Nothing is done: the fixed reply says why.
    fn unclear(reply: &str) -> Self {
        Self::Unclear(reply.to_owned())
    }

    /// The crisis that it tells of, alone or beside a request.
    pub fn crisis(&self) -> Option<CrisisKind> {
        match self {
            Self::Crisis(kind) => Some(*kind),
            Self::Several(requests) => requests.iter().find_map(Self::crisis),
            _ => None,
        }
    }

    /// Whether it counts towards the limit of commands per minute.
    pub fn is_command(&self) -> bool {
        self.commands() > 0
    }

    /// The number of commands that it counts as: each of several requests is one. A reminder at
    /// several times is one request.
    pub fn commands(&self) -> u64 {
        match self {
            Self::Say(_) | Self::Crisis(_) | Self::Unknown | Self::Statement(_) => 0,
            Self::FollowUp { what, .. } if what.is_command() => 1,
            Self::FollowUp { otherwise, .. } => otherwise.commands(),
            Self::Several(requests) => {
                let is_same =
                    |at: usize| at > 0 && requests[at].is_at_another_time(&requests[at - 1]);
                let new = (0..requests.len()).filter(|at| !is_same(*at));
                new.map(|at| requests[at].commands()).sum::<u64>().max(1)
            }
            _ => 1,
        }
    }

    fn is_at_another_time(&self, before: &Self) -> bool {
        match (self, before) {
            (Self::Remind { text, .. }, Self::Remind { text: earlier, .. }) => text == earlier,
            _ => false,
        }
    }

    /// The meaning of the same words when there is nothing that they follow up.
    pub fn unless_follow_up(&self) -> &Self {
        match self {
            Self::FollowUp { otherwise, .. } => otherwise.unless_follow_up(),
            other => other,
        }
    }

    /// Whether this meaning gives way to a superpower. `soft`: which is not explicitly requested.
    pub fn defers_to_power(&self, soft: bool) -> bool {
        match self {
            Self::Unknown => true,
            intent if intent.is_unclear() => true,
            Self::FollowUp { otherwise, .. } => otherwise.defers_to_power(soft),
            Self::Say(_) | Self::Agenda { .. } => !soft,
            // "when is my sister's birthday?" may refer to a memory.
            Self::Recall { about: Some(_) } => soft,
            _ => false,
        }
    }

    /// Whether a command is incomplete.
    pub fn is_unclear(&self) -> bool {
        matches!(
            self,
            Self::Unclear(_)
                | Self::Account(_)
                | Self::AskWhen { .. }
                | Self::AskWhat { .. }
                | Self::AskRest { .. }
        )
    }

    /// Whether it is worth an unprompted message in a group. Personal requests (memories,
    /// reminders, the account) aren't.
    pub fn has_something_to_say(&self) -> bool {
        matches!(self, Self::Say(_) | Self::Help(_))
    }
}

/// A span of time and its wording: "tomorrow", "this week", "on Friday, 27 November".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub range: Range<Timestamp>,
    pub name: String,
}

/// The words of a message, ready to be read by the files beside this one.
pub(in crate::assistant) struct ParsedMessage<'a> {
    pub(in crate::assistant) context: &'a MessageContext<'a>,
    /// The words without the assistant's name.
    pub(in crate::assistant) words: Words<'a>,
    /// Where the request starts, after "hey, could you please".
    pub(in crate::assistant) start: usize,
    /// False in a group where the message does not name the assistant.
    pub(in crate::assistant) is_addressed: bool,
    /// All words in lower case, for fixed phrases; empty when there are too many.
    pub(in crate::assistant) phrase: String,
    /// The position of `start` in `phrase`.
    pub(in crate::assistant) phrase_start: usize,
    /// Whether the result may depend on the time zone.
    pub(in crate::assistant) depends_on_zone: Cell<bool>,
}

impl ParsedMessage<'_> {
    pub(in crate::assistant) fn request(&self) -> &str {
        &self.phrase[self.phrase_start..]
    }

    /// The person's zone. Use this instead of `context`, because it records that the zone matters.
    pub(in crate::assistant) fn timezone(&self) -> Option<Zone> {
        self.depends_on_zone.set(true);
        self.context.timezone
    }

    pub(in crate::assistant) fn zone(&self) -> Zone {
        self.timezone().unwrap_or(Zone::UTC)
    }

    fn local_now(&self) -> LocalNow {
        LocalNow::new(self.context.now, self.timezone())
    }

    /// Chooses a wording, always the same one for the same text.
    fn pick<'c>(&self, choices: &[&'c str]) -> &'c str {
        let at = stable_hash(self.context.text) as usize;
        choices
            .get(at % choices.len().max(1))
            .copied()
            .unwrap_or_default()
    }
}

/// The words of a text without the assistant's name.
pub fn words_without_name<'a>(text: &'a str, persona: &str) -> Words<'a> {
    let mut words = Words::new(text);
    parsing::drop_name(&mut words, persona);
    words
}

/// The text from an answer to the question what to remind of.
pub fn reminder_answer(words: &Words) -> String {
    reminder::answered_text(words)
}

/// Whether a text begins with something to do: "call mom".
pub fn begins_with_task(words: &Words) -> bool {
    reminder::is_task_word(words.get(0)) || words.get(0) == "to"
}

/// Whether a request to a superpower only asks for something to be shown or told: "what's on my
/// list", "my habits".
pub fn only_asks(words: &Words) -> bool {
    words.len() <= 2 || asks(words)
}

/// Whether it is a question, or asks for something to be shown.
pub fn asks(words: &Words) -> bool {
    let asks = phrases!["show", "list", "do", "does", "did", "is", "are", "am"];
    words.is_question() || is_question_word(words.get(0)) || asks.contains(words.get(0))
}

/// The language in which a text tells of a crisis, as a tag of BCP 47. `None`: it tells of none.
pub fn crisis_language(text: &str) -> Option<&'static str> {
    crisis::language(&Words::new(text))
}

/// Whether it says that a crisis is over: "he's fine now".
pub fn crisis_is_over(text: &str) -> bool {
    crisis::is_over(&Words::new(text))
}

/// Whether it plainly asks for something that has nothing to do with a crisis just before.
pub fn is_unrelated_to_crisis(words: &Words) -> bool {
    crisis::is_unrelated(words)
}

/// Whether these are no name but a sentence: "lunch is at 2".
pub fn is_sentence(text: &str) -> bool {
    let words = Words::new(text);
    begins_clause(&words, 0, words.len())
}

/// Whether an answer means all of what was asked about: "both", of two.
pub fn means_all(text: &str, count: usize) -> bool {
    let words = Words::new(text);
    match words.phrase(0..words.len()).as_str() {
        "both" | "both of them" | "them both" | "both please" | "both of these" => count == 2,
        "all" | "all of them" | "them all" | "all of these" | "all please" => true,
        _ => false,
    }
}

/// Whether it asks what time or day it is.
pub fn asks_for_time(words: &Words) -> bool {
    static ASKS: Phrases = Phrases::new(&[
        "what time is it", "whats the time", "what is the time", "what day is it",
        "whats the date", "what is the date", "what date is it",
    ]);
    words.after(0, &ASKS).is_some()
}

/// Whether a joke is asked for: "another one" may be asked for then.
pub fn asks_for_joke(words: &Words) -> bool {
    small_talk::asks_for_joke(words)
}

/// The joke that is told when so many have been told since that request for one.
pub fn joke_after(request: &str, told: usize) -> &'static str {
    small_talk::joke_after(request, told)
}

/// Whether words of a crisis are only a figure of speech in it.
pub fn is_figure_of_speech(text: &str) -> bool {
    crisis::is_figure_of_speech(&Words::new(text))
}

/// Whether it agrees to an offer, in more ways than "yes".
pub fn is_consent(words: &Words) -> bool {
    follow_up::is_consent(words)
}

/// The text that completes a request of which a part was asked for, without the assistant's name.
/// Empty for a question.
pub fn missing_part(words: &Words) -> String {
    match reminder::may_answer(words) {
        true => words.original(0..words.len()).to_owned(),
        false => String::new(),
    }
}

/// A reminder's request where the answer to the question when is more than one time: "at 5 and at 7",
/// "after dinner", or names its text again: "in 10 minutes to jump". `None` for another message.
pub fn request_with_answer(words: &Words, what: &str) -> Option<String> {
    if !reminder::may_answer(words) {
        return None;
    }
    let from = words.skip(0, phrases!["either", "maybe"]);
    let read = when::read(words, from).or_else(|| when::read_hour_alone(words, from));
    let is_time = read.is_some()
        || words
            .after(from, phrases!["after", "before", "between"])
            .is_some();
    let has_text = read.is_some_and(|(_, end)| words.get(end) == "to" && end + 1 < words.len());
    let time = words.original(from..words.len());
    is_time.then(|| match has_text {
        true => format!("remind me {time}"),
        false => format!("remind me {time} to {what}"),
    })
}

/// The meaning of a message with one request.
pub(in crate::assistant) fn one_request(message: &ParsedMessage) -> Intent {
    if message.words.len() == 0 {
        return small_talk::wordless(message);
    }
    connecting::command(message)
        .or_else(|| account::command(message))
        .or_else(|| agenda::command(message))
        .or_else(|| dates::command(message))
        .or_else(|| reminder::command(message))
        .or_else(|| settings::command(message))
        .or_else(|| memory::command(message))
        .or_else(|| small_talk::reply(message))
        // In a group, an incomplete command is hardly meant for the assistant.
        .filter(|intent| message.is_addressed || !intent.is_unclear())
        .unwrap_or_else(|| small_talk::lost(message))
}

/// A text without surrounding white space and punctuation.
fn tidied(text: &str) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '–' | '—' | '-'))
        .to_owned()
}

/// The subject of a question: also without closing punctuation and quotes.
pub(in crate::assistant) fn subject(text: &str) -> String {
    text.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '"' | '“' | '”' | '…')
    })
    .to_owned()
}

#[cfg(test)]
mod tests;
