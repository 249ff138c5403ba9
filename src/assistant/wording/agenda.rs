//! Wording of lists of reminders and of what a day holds.

use super::quoted;
use super::reminders::numbered_reminders;
use crate::assistant::LocalNow;
use crate::clock::Timestamp;
/// Reminders within a span of time ("tomorrow") or about something.
pub fn reminders_found(
    reminders: &[(&str, Timestamp)],
    span: Option<&str>,
    about: Option<&str>,
    now: LocalNow,
) -> String {
    let which = match (span, about) {
        (Some(span), _) => format!(" {span}"),
        (None, Some(about)) => format!(" about “{}”", quoted(about)),
        (None, None) => String::new(),
    };
    if reminders.is_empty() {
        return format!("You have no reminders{which}.");
    }
    let count = super::account::counted(reminders.len(), "reminder", "reminders");
    let lines = numbered_reminders(reminders, now);
    super::numbered_list(&format!("{count}{which}:"), lines, reminders.len())
}

/// Days of a question that are not understood.
pub const ASKED_DAYS_UNCLEAR: &str = "I'm not sure which days you mean. I know for example “what do I have tomorrow?”, “what do I have on friday evening?” and “reminders for this week”.";

/// A line's end for a reminder whose later times are not listed.
pub fn comes_more_often(what: &str, listed: usize) -> String {
    format!(
        "“{}” comes more often than that: these are its first {listed} times.",
        quoted(what)
    )
}

/// In a group; those of the direct chat are not named there.
pub fn no_reminders_of_group(span: Option<&str>) -> String {
    let which = span.map_or_else(String::new, |span| format!(" ({})", quoted(span)));
    format!("This group has no reminders{which}.")
}

/// Entries within a span of time; `more`: those without a time of day.
pub fn agenda(
    reminders: &[(&str, Timestamp)],
    more: &[String],
    span: &str,
    now: LocalNow,
) -> String {
    if reminders.is_empty() && more.is_empty() {
        return format!("I know of nothing {span}.");
    }
    let lines = numbered_reminders(reminders, now);
    let mut title = format!("{span}:");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let mut reply = super::numbered_list(&title, lines, reminders.len());
    for line in more {
        reply.push_str(&format!("\n• {line}"));
    }
    reply
}

/// `agenda`: from reminders and superpowers only. `may_connect`: the person may connect a calendar.
pub fn agenda_without_calendar(agenda: &str, may_connect: bool) -> String {
    let hint = match may_connect {
        true => "\nSay “connect my calendar” to connect one.",
        false => "",
    };
    format!("I see no calendar of yours, only what you told me here.\n{agenda}{hint}")
}

/// `agenda`: of somebody who was not told yet that a calendar can be connected.
pub fn agenda_with_offer(agenda: &str) -> String {
    format!("{agenda}\nWith your calendar I also tell what is in it: say “connect my calendar”.")
}
