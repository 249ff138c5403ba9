//! What is said when a time of a repeating reminder is left out.

use super::{quoted, times};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// The reminder comes no longer at the first of two moments, but at the second.
pub fn time_skipped(what: &str, (skipped, next): (Timestamp, Timestamp), now: LocalNow) -> String {
    format!(
        "Okay, I leave out “{}” {}. It comes again {}; “undo” takes that back.",
        quoted(what),
        times::day_and_time(skipped, now),
        times::day_and_time(next, now),
    )
}

pub fn last_time_skipped(what: &str) -> String {
    format!(
        "Okay, that would have been the last time, so “{}” is cancelled. “undo” brings it back.",
        quoted(what),
    )
}

/// Later times than the next one are left out.
pub fn later_times_skipped(
    what: &str,
    (first, last): (Timestamp, Timestamp),
    next: Timestamp,
    now: LocalNow,
) -> String {
    let date = |at| times::date(at, now);
    let left_out = match first == last {
        true => times::day_and_time(first, now),
        false if date(first) == date(last) => {
            let at = |time| times::day_and_time(time, now);
            format!("from {} to {}", at(first), at(last))
        }
        false => format!("from {} to {}", date(first), date(last)),
    };
    format!(
        "Okay, I leave out “{}” {left_out}. It comes next {}; “undo” takes that back.",
        quoted(what),
        times::day_and_time(next, now),
    )
}

/// `max`: of one reminder.
pub fn too_many_skipped(what: &str, next: Timestamp, max: usize, now: LocalNow) -> String {
    format!(
        "I can leave out {max} times of one reminder, not more, so I changed nothing: “{0}” comes {1}. Name a shorter span, or “cancel my reminder to {0}” ends all of it.",
        quoted(what),
        times::day_and_time(next, now)
    )
}

/// "not on monday": that one, or each?
pub fn skipped_once_or_always(day: Timestamp, now: LocalNow) -> String {
    let (name, lower) = weekday(day, now.zone);
    format!(
        "Only on {}, or never on {name}s? I've changed nothing yet: say “not this {lower}” or “not on {lower}s”.",
        times::date(day, now),
    )
}

fn weekday(day: Timestamp, timezone: Option<Zone>) -> (String, String) {
    let name = times::weekday(day, timezone);
    let lower = name.to_lowercase();
    (name, lower)
}

/// "pause it", "resume it"
pub const REMINDERS_NOT_PAUSED: &str = "I can't pause a reminder without an end, so I changed nothing. “pause it until friday” leaves out its times until then, “skip the next one” only one, and “cancel that” ends it.";

/// `about`: the words that were to name it.
pub fn nothing_to_skip(about: Option<&str>) -> String {
    let named = match about {
        Some(about) => format!(" with “{about}” in its text"),
        None => String::new(),
    };
    format!(
        "No repeating reminder{named} comes then, so there's nothing to leave out. “reminders” shows the ones you have; I leave out one day or span of one reminder at a time."
    )
}
