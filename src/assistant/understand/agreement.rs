//! A yes with a request: "yes, and at 7 call ann" agrees to what was offered, if anything was, and asks
//! for something else.

use super::several::asks_for_power;
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::builtin::{
    FollowUp, Intent, MessageContext, ParsedMessage, PossibleMeanings, Statement, follow_up,
    one_request,
};
use crate::assistant::powers::{PowerCall, RequestStrength, recognise};
use crate::assistant::text::function_words::is_yes;
use crate::assistant::text::phrases::phrases;
use crate::assistant::wording;

/// A longer message is no answer.
const WORDS_MAX: usize = 40;

/// A reminder of something to do and its time.
fn stated_plan(message: &ParsedMessage, is_linked: bool) -> Option<Intent> {
    let stated = is_linked.then(|| PossibleMeanings::of_parsed(message).statement)??;
    let Statement::Plan {
        text,
        send_at,
        recurrence,
    } = stated
    else {
        return None;
    };
    // "yes and at 7 too"
    if matches!(text.as_str(), "too" | "also" | "as well" | "again") {
        return None;
    }
    Some(Intent::Remind {
        text,
        send_at,
        zone: None,
        recurrence,
    })
}

/// The yes, and the request after it. `None` for any other message.
pub(super) fn yes_and_request(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    if !message.is_addressed || words.len() > WORDS_MAX {
        return None;
    }
    let yes_end = is_yes(words.get(0)).then(|| words.skip(1, phrases!["please", "pls"]))?;
    let from = words.skip(yes_end, phrases!["and also", "and", "also", "but"]);
    let is_linked = from > yes_end || words.is_set_off(yes_end - 1);
    let context = MessageContext {
        text: words.original(from..words.len()),
        group: false, // the name was before it
        ..*message.context
    };
    let rest = read_message(&context);
    // "yes but make it 7"
    if let Some(what @ FollowUp::Change { .. }) = follow_up::read(&rest) {
        return Some(Intent::FollowUp {
            what,
            otherwise: Box::new(Intent::Unknown),
        });
    }
    if words.get(yes_end) == "but" {
        return None;
    }
    // "yes, an hour before" instead of the time itself, "yes and an hour before" besides it
    if let Some(what @ FollowUp::OneBefore { .. }) = follow_up::read(&rest) {
        let before = Intent::FollowUp {
            what,
            otherwise: Box::new(Intent::Unclear(wording::part_not_understood(context.text))),
        };
        return Some(match matches!(words.get(from - 1), "and" | "also") {
            true => Intent::Several(vec![yes(), before]),
            false => before,
        });
    }
    let again = match follow_up::read(&rest) {
        Some(FollowUp::Time(time)) if words.get(from - 1) == "also" => Some(FollowUp::Again(time)),
        what => what.filter(|what| matches!(what, FollowUp::Again(_))),
    };
    if let Some(what) = again {
        let otherwise = Intent::Unclear(wording::part_not_understood(context.text));
        let again = Intent::FollowUp {
            what,
            otherwise: Box::new(otherwise),
        };
        return Some(Intent::Several(vec![yes(), again]));
    }
    let is_of_power = || {
        let is_clear = |call: &PowerCall| call.strength == RequestStrength::Clear;
        match is_linked {
            true => asks_for_power(&context, message.context.group),
            false => recognise(&context).calls.iter().any(is_clear),
        }
    };
    let request = match one_request(&rest) {
        request @ (Intent::Remind { .. } | Intent::RemindBefore(_)) => request,
        _ if is_of_power() => Intent::Power(context.text.to_owned()),
        Intent::Unknown if let Some(plan) = stated_plan(&rest, is_linked) => plan,
        // "yes and eggs"
        Intent::Unknown if from > yes_end && from < words.len() => {
            Intent::Unclear(wording::part_not_understood(context.text))
        }
        _ => return None,
    };
    if rest.depends_on_zone.get() {
        message.depends_on_zone.set(true);
    }
    Some(Intent::Several(vec![yes(), request]))
}

fn yes() -> Intent {
    Intent::FollowUp {
        what: FollowUp::Yes,
        // Nothing was offered.
        otherwise: Box::new(Intent::Say(String::new())),
    }
}
