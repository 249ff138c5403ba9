//! What a message means to the builtin assistant: its words with the facts that change their
//! meaning. Pure. It must not know what follows from the meaning.

use super::{Message, Mode};
use crate::assistant::powers::PowerCalls;
use crate::assistant::{self, Intent, MessageContext, Understanding};
use crate::clock::{Timestamp, Zone};

/// The meaning of a message for the builtin engine.
pub(super) fn understand(
    message: &Message,
    persona: &str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> Intent {
    assistant::understand(&context_of(message, persona, timezone, now))
}

/// The same, with the superpowers that the message may request.
pub(super) fn understand_all(
    message: &Message,
    persona: &str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> Understanding {
    assistant::understand_all(&context_of(message, persona, timezone, now))
}

/// The superpowers that a message may request.
pub(super) fn recognise(
    message: &Message,
    persona: &str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> PowerCalls {
    assistant::powers::recognise(&context_of(message, persona, timezone, now))
}

/// The superpowers that one of several requests in a message asks for.
pub(super) fn recognise_part(
    (message, text): (&Message, &str),
    persona: &str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> PowerCalls {
    let context = MessageContext {
        text,
        group: false, // only one of the parts contains the name
        ..context_of(message, persona, timezone, now)
    };
    assistant::powers::recognise(&context)
}

/// Whether it is one of the few words that the builtin assistant always answers.
pub(super) fn is_fixed_command(message: &Message, persona: &str) -> bool {
    message.photos == 0 && assistant::is_fixed_command(&message.text, persona)
}

fn context_of<'a>(
    message: &'a Message,
    persona: &'a str,
    timezone: Option<Zone>,
    now: Timestamp,
) -> MessageContext<'a> {
    MessageContext {
        text: &message.text,
        now,
        timezone,
        persona,
        group: message.mode == Mode::Group && !message.reply_to_assistant,
        has_photos: message.photos > 0,
    }
}
