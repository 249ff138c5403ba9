//! What a request for a reminder before something sets or asks.

use std::ops::Range;

use super::parts::{split_request, text_of};
use super::repeats::repeats;
use super::{REMINDER_CHARS_MAX, before, before_time};
use crate::assistant::builtin::{Intent, ParsedMessage, wording};

pub(super) fn read(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    if let Some(found) = before_time::read(message, range.clone()) {
        return Some(found.intent(message));
    }
    if let Some(each) = before::several(message, range.clone()) {
        return Some(Intent::Several(
            each.into_iter().map(Intent::RemindBefore).collect(),
        ));
    }
    let found = before::read(message, range.clone())?;
    if found.has_time_left() {
        let text = text_of(&message.words, range);
        return Some(Intent::Unclear(wording::reminder_half_understood(&text)));
    }
    if repeats(&message.words, range.clone()) {
        return Some(Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR));
    }
    let parsed = split_request(message, range, false);
    if found.has_text_over(REMINDER_CHARS_MAX) {
        return Some(Intent::Unclear(wording::reminder_too_long(
            REMINDER_CHARS_MAX,
        )));
    }
    match parsed.spec {
        // Two times: which one is meant?
        Some(spec) if spec.day.is_some() || spec.delay.is_some() => Some(Intent::Unclear(
            wording::reminder_half_understood(&parsed.text),
        )),
        _ => Some(Intent::RemindBefore(found)),
    }
}
