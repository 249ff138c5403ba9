//! Ten minutes before calls and meetings with others: who takes part, where to dial in, and
//! what is remembered of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events;
use super::facts::EventFact;
use super::notice::{self, Notice, SentNotices};
use super::operations::{self, CallContext};
use super::texts;
use super::{PowerContext, RequestStrength, Superpower};
use crate::assistant::builtin::ParsedMessage;
use crate::clock::Timestamp;

const BEFORE_S: i64 = 10 * 60;
/// People that are named.
const PEOPLE_MAX: usize = 6;
/// Memories in one message.
const MEMORIES_MAX: usize = 3;
/// A shorter name is in too many memories.
const NAME_CHARS_MIN: usize = 3;

#[derive(Debug, Clone, PartialEq)]
pub enum CallPrepAction {
    /// The next call.
    Show,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CallPrepState {
    sent: SentNotices,
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, CallPrepAction)> {
    let is_asked = [
        "call prep", "prepare me for my call", "prepare me for my next call",
        "prep me for my call", "prepare me for my meeting", "prepare me for my next meeting",
        "prep my next call", "who is in my next call", "who is in my next meeting",
    ]
    .contains(&message.request());
    is_asked.then_some((RequestStrength::Clear, CallPrepAction::Show))
}

fn is_call(event: &EventFact) -> bool {
    let has_line = event.is_call || !event.phone.is_empty();
    event.is_on() && !event.is_all_day && (has_line || !event.people.is_empty())
}

fn notices(context: &PowerContext) -> Vec<Notice> {
    let calls = context.facts.events.iter().filter(|event| is_call(event));
    calls
        .map(|event| Notice {
            key: format!("call {} {}", event.id, event.starts_at.0),
            planned: event.starts_at.plus_s(-BEFORE_S),
            over: event.starts_at,
            text: described(event, context),
        })
        .collect()
}

fn described(event: &EventFact, context: &PowerContext) -> String {
    let mut text = format!("📞 {}: {}", event.start_text(context), event.title());
    if !event.people.is_empty() {
        let mut named: Vec<String> = event
            .people
            .iter()
            .take(PEOPLE_MAX)
            .map(|name| events::one_line(name))
            .collect();
        if event.people.len() > PEOPLE_MAX {
            named.push(format!("{} more", event.people.len() - PEOPLE_MAX));
        }
        text.push_str(&format!("\nWith {}", texts::joined(&named)));
    }
    let places = event.place_texts();
    if !places.is_empty() {
        text.push_str(&format!("\nWhere: {}", places.join(", ")));
    }
    if let Some(answer) = last_time(event, &context.facts.memories) {
        text.push_str(&format!("\nLast time: {answer}"));
    }
    let known = remembered(event, &context.facts.memories);
    if !known.is_empty() {
        text.push_str(&format!("\nYou told me: {}", known.join("; ")));
    }
    text
}

/// The person's answer to the question how the last event of the same title was.
fn last_time(event: &EventFact, memories: &[String]) -> Option<String> {
    let start = format!("{} on ", event.title());
    let line = memories.iter().find(|memory| memory.starts_with(&start))?;
    let (_, answer) = line.split_once(": ")?;
    Some(events::one_line(answer))
}

/// The newest memories in which somebody's first name is a word.
fn remembered(event: &EventFact, memories: &[String]) -> Vec<String> {
    let names: Vec<String> = event
        .people
        .iter()
        .filter_map(|name| name.split([' ', '@', '.']).next())
        .filter(|name| name.chars().count() >= NAME_CHARS_MIN)
        .map(str::to_lowercase)
        .collect();
    let is_about = |memory: &&String| {
        let lower = memory.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        words.any(|word| names.iter().any(|name| name == word))
    };
    memories
        .iter()
        .filter(is_about)
        .take(MEMORIES_MAX)
        .map(|text| events::one_line(text))
        .collect()
}

impl Superpower for CallPrepState {
    type Action = CallPrepAction;

    fn apply(&mut self, _action: CallPrepAction, context: &PowerContext) -> Option<String> {
        Some(self.overview(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_calendar {
            return events::not_connected(
                "tell you ten minutes before a call who takes part and where to dial in",
            );
        }
        let mut calls = context.facts.events.iter().filter(|event| is_call(event));
        match calls.find(|event| event.starts_at > context.now) {
            Some(event) => described(event, context),
            None => "I see no call or meeting with others in the days ahead.".to_owned(),
        }
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        self.sent.next(&notices(context), context)
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        notice::joined(&self.sent.take_due(notices(context), context))
    }
}

/// The arguments of a language model, which can only ask for it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

impl operations::Arguments<CallPrepAction> for Arguments {
    const DESCRIPTION: &str = "The next call or meeting with others: who takes part, where to dial in, what is remembered of them.";

    fn action(self, _: CallContext) -> operations::Result<Option<CallPrepAction>> {
        Ok(Some(CallPrepAction::Show))
    }
}
