//! What a message means: the builtin assistant's requests, and the superpowers that it may request.

mod agreement;
mod paraphrase;
mod several;

use super::builtin::parsing::read_message;
use super::builtin::{
    CrisisKind, FollowUp, Intent, MessageContext, ParsedMessage, PossibleMeanings, crisis,
    follow_up, one_request, small_talk,
};
use super::powers::{PowerCalls, recognise_message};
use crate::clock::{Timestamp, Zone};

/// The complete understanding of a message.
#[derive(Debug, Clone)]
pub struct Understanding {
    /// The meaning without superpowers.
    pub intent: Intent,
    /// The possible meanings of a message that is no known request.
    pub unknown: Option<PossibleMeanings>,
    /// Superpowers that it may request without a session.
    pub calls: PowerCalls,
    /// In another time zone the meaning might differ.
    pub depends_on_zone: bool,
    /// The time zone with which it was understood.
    pub zone: Option<Zone>,
}

impl Understanding {
    /// Whether it means the same to somebody in that time zone.
    pub fn holds_in(&self, zone: Option<Zone>) -> bool {
        !self.depends_on_zone || self.zone == zone
    }
}

/// The meaning without superpowers.
pub fn understand(context: &MessageContext) -> Intent {
    intent_of(&read_message(context))
}

/// A greeting, a farewell or thanks, which ask for nothing.
pub fn is_courtesy(context: &MessageContext) -> bool {
    small_talk::is_courtesy(&read_message(context))
}

/// Builds the tables of words that the first message would otherwise wait for: some 20 ms of work.
pub fn build_word_tables() {
    understand_all(&MessageContext {
        text: "I can't come at 8, thanks",
        now: Timestamp(0),
        timezone: None,
        persona: "",
        group: false,
        has_photos: false,
    });
}

/// The message is parsed once, or twice where it is a request in other words.
pub fn understand_all(context: &MessageContext) -> Understanding {
    let message = read_message(context);
    let typed = understood(&message);
    let is_request = |found: &Understanding| {
        found.intent != Intent::Unknown
            || found.calls.may_begin()
            || found.calls.session_command.is_some()
    };
    if is_request(&typed) {
        return typed;
    }
    let Some(text) = paraphrase::paraphrase(&message) else {
        return typed; // talk
    };
    let other_words = understood(&read_message(&MessageContext {
        text: &text,
        group: false, // its name is not repeated
        ..*context
    }));
    let is_told = |found: &Understanding| {
        let meanings = found.unknown.as_ref();
        meanings.is_some_and(|unknown| unknown.statement.is_some())
    };
    match is_request(&other_words) || is_told(&other_words) && !is_told(&typed) {
        true => other_words,
        false => typed,
    }
}

fn understood(message: &ParsedMessage) -> Understanding {
    let intent = intent_of(message);
    let is_unknown = message.is_addressed && intent == Intent::Unknown;
    Understanding {
        calls: recognise_message(message, intent.defers_to_power(true)),
        unknown: is_unknown.then(|| PossibleMeanings::of_parsed(message)),
        intent,
        depends_on_zone: message.depends_on_zone.get(),
        zone: message.context.timezone,
    }
}

fn intent_of(message: &ParsedMessage) -> Intent {
    if message.words.len() == 0 {
        return small_talk::wordless(message);
    }
    match crisis::kind(&message.words) {
        None | Some(CrisisKind::Emergency)
            if crisis::is_emergency_before_request(&message.words) =>
        {
            emergency_and_reminders(request_of(message))
        }
        Some(kind) => Intent::Crisis(kind),
        None => request_of(message),
    }
}

/// "i smell gas, remind me at 5 to call the landlord": what to do about the gas, and the reminder.
fn emergency_and_reminders(intent: Intent) -> Intent {
    let sets = |one: &Intent| matches!(one, Intent::Remind { .. } | Intent::RemindBefore(_));
    let mut requests = match intent {
        Intent::Several(requests) => requests,
        intent => vec![intent],
    };
    requests.retain(sets);
    let emergency = Intent::Crisis(CrisisKind::Emergency);
    if requests.is_empty() {
        return emergency;
    }
    requests.insert(0, emergency);
    Intent::Several(requests)
}

fn request_of(message: &ParsedMessage) -> Intent {
    if let Some(intent) = agreement::yes_and_request(message) {
        return intent;
    }
    let several = message
        .is_addressed
        .then(|| several::requests(message))
        .flatten();
    let intent = several.unwrap_or_else(|| one_request(message));
    match follow_up::read(message) {
        Some(FollowUp::ChangeUnclear(_) | FollowUp::Instead { .. })
            if matches!(intent, Intent::Several(_)) =>
        {
            intent
        }
        Some(what) => Intent::FollowUp {
            what,
            otherwise: Box::new(intent),
        },
        None => intent,
    }
}
