//! Cancelling without words of a reminder: "cancel everything tomorrow", "cancel my alarm".

use std::ops::Range;

use super::{at_time, limited, limits, time_before};
use crate::assistant::builtin::{Intent, ParsedMessage, RemindersToCancel, wording};
use crate::assistant::text::phrases::Phrases;

/// "cancel all", "cancel everything until friday": reminders, as the assistant cancels nothing else
/// so.
pub(super) fn everything(message: &ParsedMessage, range: Range<usize>) -> Option<Intent> {
    let words = &message.words;
    static ALL: Phrases =
        Phrases::new(&["everything", "all of them", "all of it", "them all", "all"]);
    let from = words.after(range.start, &ALL)?;
    if words.get(message.start) != "cancel" || !message.is_addressed {
        return None;
    }
    if from >= range.end {
        return Some(Intent::unclear(wording::WHICH_REMINDER));
    }
    match limits(message, from..range.end, true, false) {
        Ok(limits) => limits.map(Intent::CancelReminders),
        Err(reply) => Some(Intent::Unclear(reply)),
    }
}

/// "my alarm tomorrow", "the 7am alarm", "all alarms": an alarm without words of its own.
pub(super) fn alarm(message: &ParsedMessage, range: Range<usize>, is_all: bool) -> Option<Intent> {
    const BEFORE_WORDS_MAX: usize = 3;
    let words = &message.words;
    let is_alarm = |at: &usize| matches!(words.get(*at), "alarm" | "alarms" | "wake-up" | "timer");
    let noun = (range.start..range.end.min(range.start + BEFORE_WORDS_MAX)).find(is_alarm)?;
    let is_asked = matches!(
        words.get(message.start),
        "cancel" | "delete" | "remove" | "clear"
    );
    let several = is_all || words.get(noun) == "alarms";
    let about = RemindersToCancel {
        about: Some(words.get(noun).trim_end_matches('s').to_owned()),
        several,
        ..RemindersToCancel::default()
    };
    let rest = noun + 1..range.end;
    let spec = time_before(words, range.start, noun).filter(|_| noun > range.start);
    let found = match (spec, rest.is_empty()) {
        _ if !is_asked || noun > range.start && spec.is_none() => return None,
        (None, true) => Ok(Some(RemindersToCancel::default())),
        (Some(spec), true) => at_time(message, &spec, several).map(Some),
        (None, false) => limits(message, rest, several, false),
        (Some(_), false) => Ok(None),
    };
    match found {
        Ok(limits) => limited(about, limits?).map(Intent::CancelReminders),
        Err(reply) => Some(Intent::Unclear(reply)),
    }
}
