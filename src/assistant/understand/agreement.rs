//! A yes with a request: "yes, and at 7 call ann" agrees to what was offered, if anything was, and asks
//! for something else.

use super::several::asks_for_power;
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::builtin::{
    FollowUp, Intent, MessageContext, ParsedMessage, Statement, UnknownMessage, one_request,
};
use crate::assistant::text::phrases::{Phrases, phrases};

/// A longer message is no answer.
const WORDS_MAX: usize = 40;

static YES: Phrases = Phrases::new(&["yes please", "yes pls", "yes", "yeah", "yep", "yup", "sure"]);

/// The yes, and the request after it. `None` for any other message.
pub(super) fn yes_and_request(message: &ParsedMessage<'_>) -> Option<Intent> {
    let words = &message.words;
    if !message.is_addressed || words.len() > WORDS_MAX {
        return None;
    }
    let yes_end = words.after(0, &YES)?;
    let from = words.skip(yes_end, phrases!["and also", "and", "also"]);
    let is_linked = from > yes_end || words.is_set_off(yes_end - 1);
    let context = MessageContext {
        text: words.original(from..words.len()),
        group: false, // the name was before it
        ..*message.context
    };
    let rest = read_message(&context);
    let is_of_power = || is_linked && asks_for_power(&context, message.context.group);
    let request = match one_request(&rest) {
        request @ (Intent::Remind { .. } | Intent::RemindBefore(_)) => request,
        _ if is_of_power() => Intent::Power(context.text.to_owned()),
        Intent::Unknown if is_linked => match UnknownMessage::of_parsed(&rest).statement? {
            Statement::Plan {
                text,
                send_at,
                recurrence,
            } => Intent::Remind {
                text,
                send_at,
                zone: None,
                recurrence,
            },
            _ => return None,
        },
        _ => return None,
    };
    if rest.depends_on_zone.get() {
        message.depends_on_zone.set(true);
    }
    let yes = Intent::FollowUp {
        what: FollowUp::Yes,
        // Nothing was offered.
        otherwise: Box::new(Intent::Say(String::new())),
    };
    Some(Intent::Several(vec![yes, request]))
}
