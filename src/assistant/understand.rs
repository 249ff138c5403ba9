//! What a message means: the builtin assistant's requests, and the superpowers that it may request.

mod several;

use super::builtin::listening::listen;
use super::builtin::{Intent, MessageContext, Talk, crisis, follow_up, one_request, small_talk};
use super::powers::{PowerCalls, recognise_talk};
use crate::clock::Zone;

/// The complete understanding of a message.
#[derive(Debug, Clone)]
pub struct Understanding {
    /// The meaning without superpowers.
    pub intent: Intent,
    /// Superpowers that it may request without a session.
    pub calls: PowerCalls,
    /// In another time zone the meaning might differ.
    pub rests_on_zone: bool,
    /// The time zone with which it was understood.
    pub zone: Option<Zone>,
}

impl Understanding {
    /// Whether it means the same to somebody in that time zone.
    pub fn holds_in(&self, zone: Option<Zone>) -> bool {
        !self.rests_on_zone || self.zone == zone
    }
}

/// The meaning without superpowers.
pub fn understand(context: &MessageContext) -> Intent {
    intent_of(&listen(context))
}

/// The message is parsed once.
pub fn understand_all(context: &MessageContext<'_>) -> Understanding {
    let talk = listen(context);
    Understanding {
        calls: recognise_talk(&talk),
        intent: intent_of(&talk),
        rests_on_zone: talk.rests_on_zone.get(),
        zone: context.timezone,
    }
}

fn intent_of(talk: &Talk) -> Intent {
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
