//! A zone at the end of a reminder's text, which belongs to its time: "at 3pm to call bo berlin
//! time".

use super::parts::{ReminderParts, text_of};
use crate::assistant::text::phrases::phrases;
use crate::assistant::text::words::Words;
use crate::assistant::text::zone;
use crate::clock::Zone;

/// Words of "in new york city time".
const ZONE_WORDS_MAX: usize = 5;

/// The zone at the end of a text, and the index where its words begin. "read about berlin time" is no
/// time in Berlin.
pub(super) fn trailing(words: &Words) -> Option<(Zone, usize)> {
    let last = words.len().checked_sub(1)?;
    let end = words.get(last);
    // Others are words or names, too: "see my pt", "was das ist".
    let is_abbreviation = match end {
        "est" | "edt" | "pst" | "pdt" | "cet" | "cest" | "gmt" | "utc" | "jst" | "aest" => true,
        "cst" | "cdt" | "mst" | "mdt" | "bst" | "ist" => {
            let typed = words.original(last..last + 1);
            typed.starts_with(|c: char| c.is_ascii_uppercase())
        }
        _ => end.starts_with("utc+") || end.starts_with("utc-"),
    };
    if end != "time" && !is_abbreviation {
        return None; // most texts
    }
    let first = last.saturating_sub(ZONE_WORDS_MAX - 1).max(1);
    let (zone, at) = (first..=last).find_map(|at| {
        let (zone, end) = zone::after_time(words, at)?;
        (end == last + 1).then_some((zone, at))
    })?;
    let at = match words.get(at - 1) {
        "in" | "at" if at > 1 => at - 1,
        "about" | "of" | "for" | "with" | "the" | "a" | "my" | "to" | "into" | "on" | "check" => {
            return None;
        }
        _ => at,
    };
    let is_after_number = words.get(at - 1).starts_with(|c: char| c.is_ascii_digit());
    (!is_after_number).then_some((zone, at))
}

/// Whether a text ends with a zone.
pub(super) fn is_left(words: &Words) -> bool {
    let last = words.len().saturating_sub(2);
    trailing(words).is_some() || words.after(last, phrases!["local time"]) == Some(words.len())
}

/// "landing in new york at 6pm local time": the zone of the place in the text.
fn local(parts: ReminderParts, said: &Words) -> ReminderParts {
    let spec = parts
        .spec
        .filter(|spec| spec.clock.is_some() && spec.zone.is_none());
    let is_named = |words: &Words| {
        (1..words.len()).any(|at| words.after(at, phrases!["local time"]).is_some())
    };
    let words = Words::new(&parts.text);
    // "ask about local time in tokyo" is the text.
    let is_local = is_named(said) && !is_named(&words);
    let Some(mut spec) = spec.filter(|_| is_local) else {
        return parts;
    };
    spec.zone = (0..words.len()).find_map(|at| {
        let from = words.after(at, phrases!["in", "at", "to"])?;
        let ends = (from + 1..=words.len().min(from + ZONE_WORDS_MAX)).rev();
        ends.into_iter()
            .find_map(|end| zone::find(&words.phrase(from..end)))
    });
    ReminderParts {
        spec: Some(spec),
        ..parts
    }
}

/// With the zone at the end of the text as that of the time of day.
/// `said`: the words of the request.
pub(super) fn taken(parts: ReminderParts, said: &Words) -> ReminderParts {
    let parts = local(parts, said);
    let is_open = |zone: Option<Zone>| zone.is_none();
    let spec = parts
        .spec
        .filter(|spec| spec.clock.is_some() && is_open(spec.zone));
    let Some(mut spec) = spec else {
        return parts;
    };
    let words = Words::new(&parts.text);
    let Some((zone, at)) = trailing(&words) else {
        return parts;
    };
    spec.zone = Some(zone);
    spec.is_summer_time = zone::is_summer_time(words.get(at));
    ReminderParts {
        text: text_of(&words, 0..at),
        spec: Some(spec),
        ..parts
    }
}
