//! Wording about reminders before an event.

use super::quoted;

/// An example of a time, for questions.
const SAY_WHEN: &str = "Say it with a time, for example “on friday at 9”.";

/// "remind me on the day at 8", where no day was told.
pub const ON_WHICH_DAY: &str =
    "On which day? I've set nothing. Say it with the day, like “remind me on friday at 8 to …”.";

/// "remind me the day before"; `what`: what to remind of, "" for the event.
pub fn before_what(what: &str) -> String {
    let what = match what {
        "" => "pack",
        what => what,
    };
    format!(
        "Before what? I've set nothing. Say it like “remind me the day before my trip to {}”.",
        quoted(what)
    )
}

pub fn how_long_before(event: &str) -> String {
    format!(
        "How long before? I've set nothing yet. Say it with that, like “remind me an hour before {0}” or “remind me the day before {0} at 18:00”.",
        quoted(event)
    )
}

pub fn no_such_event(event: &str, what: &str) -> String {
    format!(
        "I don't know when that is: “{}”. So I've set nothing yet. When should I remind you: {}? {SAY_WHEN}",
        quoted(event),
        quoted(what)
    )
}

/// `event`: its name and day.
pub fn event_without_hour(event: &str, what: &str) -> String {
    format!(
        "I know only the day, not the hour ({event}). When should I remind you: {}? {SAY_WHEN}",
        quoted(what)
    )
}

/// `event`: its name and day.
pub fn event_too_soon(event: &str, what: &str) -> String {
    format!(
        "That would have been before now ({event}). When should I remind you instead: {}?",
        quoted(what)
    )
}

/// `event`: its name and day.
pub fn event_begun(event: &str, what: &str) -> String {
    format!(
        "That would be after it has begun ({event}). When should I remind you instead: {}? {SAY_WHEN}",
        quoted(what)
    )
}

/// `names`: what the person was asked about.
pub fn which_was_it(names: &[&str]) -> String {
    let lines = names.iter().map(|name| quoted(name));
    super::numbered_list("Which one was that? Say its number:", lines, names.len())
}

/// `events`: their names and days.
pub fn which_event(events: &[&str]) -> String {
    let lines = events.iter().map(|event| quoted(event));
    super::numbered_list(
        "Which one do you mean? Say its number:",
        lines,
        events.len(),
    )
}
