//! Several requests in one message, one per sentence or line. Each is done or named as not
//! understood; a message with one request is not split.

use crate::assistant::builtin::{Intent, MessageContext, Talk, listening, one_request};
use crate::assistant::powers::{Strength, recognise};
use crate::assistant::wording;

/// Longer messages, or those with more parts, are not split.
const TEXT_BYTES_MAX: usize = 4_096;
const PARTS_MAX: usize = 8;

/// `None` for at most one request.
pub(super) fn requests(talk: &Talk) -> Option<Intent> {
    let mut requests = Vec::new();
    for text in parts(talk.context.text)? {
        let context = MessageContext {
            text,
            group: false, // only one of the parts contains the name
            ..*talk.context
        };
        let part = listening::listen(&context);
        let intent = one_request(&part);
        if part.rests_on_zone.get() {
            talk.rests_on_zone.set(true);
        }
        requests.push((intent, context));
    }
    let commands = requests.iter().filter(|(intent, _)| intent.is_command());
    let commands = commands.count();
    if commands == 0 {
        return None;
    }
    let asks_for_power = |(intent, context): &(Intent, MessageContext)| {
        let calls = (!intent.is_command()).then(|| recognise(context).calls);
        let mut calls = calls.into_iter().flatten();
        calls.any(|call| call.strength == Strength::Clear)
    };
    if requests.iter().any(asks_for_power) {
        return Some(Intent::Unclear(wording::one_request_only()));
    }
    let each = requests
        .into_iter()
        .filter_map(|(intent, context)| match intent {
            Intent::Say(_) => None,
            Intent::Unknown => Some(Intent::Unclear(wording::part_not_understood(context.text))),
            intent => Some(intent),
        });
    (commands > 1).then(|| Intent::Several(each.collect()))
}

fn parts(text: &str) -> Option<Vec<&str>> {
    if text.len() > TEXT_BYTES_MAX || !text.contains(['\n', '.', '!', '?', ';']) {
        return None;
    }
    let mut parts = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(at) = [". ", "! ", "? ", "; "]
            .iter()
            .filter_map(|mark| rest.find(mark))
            .min()
        {
            parts.push(rest[..=at].trim());
            rest = &rest[at + 2..];
        }
        parts.push(rest.trim());
    }
    parts.retain(|part| !part.is_empty());
    (2..=PARTS_MAX).contains(&parts.len()).then_some(parts)
}
