//! Wording of answers to messages that refer to a reminder or a memory.

use super::reminders::{numbered_reminders, reminders_cancelled};
use super::{list, quoted, recurrence_phrase, stop, times};
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;

pub fn reminder_moved(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let when = next_time(send_at, recurrence, now, timezone);
    format!("Okay, now {when}: {}{}", quoted(what), stop(what))
}

/// It is to be what it is.
pub fn is_already_so(
    what: &str,
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let when = next_time(send_at, recurrence, now, timezone);
    format!("It is so already, {when}: {}{}", quoted(what), stop(what))
}

fn next_time(
    send_at: Timestamp,
    recurrence: Option<&Recurrence>,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let when = times::day_and_time(send_at, now, timezone);
    match recurrence {
        Some(recurrence) => format!("{}, next {when}", recurrence_phrase(recurrence, timezone)),
        None => when,
    }
}

/// `next`: the next time of a recurring reminder.
pub fn reminder_done(
    texts: &[&str],
    next: Option<Timestamp>,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let what: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    let what = what.join("; ");
    let next = match next {
        Some(next) => format!(
            " It comes again {}.",
            times::day_and_time(next, now, timezone)
        ),
        None => String::new(),
    };
    format!("Good: {what}{}{next}", stop(&what))
}

pub fn comes_once(
    what: &str,
    send_at: Timestamp,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    format!(
        "“{}” comes once, {}.",
        quoted(what),
        times::day_and_time(send_at, now, timezone)
    )
}

/// Several match; their numbers are valid for some minutes. `how`: how to name one, with an example.
pub fn which_of_these(
    how: &str,
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let lines = numbered_reminders(reminders, now, timezone);
    super::numbered_list(&format!("Which one? Say it {how}:"), lines, reminders.len())
}

/// No reminder was delivered that could be postponed.
pub fn not_come_yet(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let each = each_still(reminders, "to come", now, timezone);
    format!(
        "No reminder has come here that I could put off. {each} “make it …” with a time moves it."
    )
}

pub fn nothing_to_snooze() -> String {
    "There's no reminder here to put off. “reminders” shows the ones you have.".to_owned()
}

pub fn nothing_due() -> String {
    "No reminder is due here, so there's nothing to tick off. “reminders” shows what is to come."
        .to_owned()
}

pub fn nothing_to_undo() -> String {
    "There's nothing I can undo. What I set, moved or took away can be undone for 10 minutes."
        .to_owned()
}

/// "make it 7 or 8"
pub fn change_unclear() -> String {
    "I'm not sure what to change, so I've left it as it is. Say one thing, like “make it 19:00” or “change the text to buy milk”."
        .to_owned()
}

/// "make it 45"
pub fn number_unclear(number: u32) -> String {
    format!(
        "I'm not sure what you mean by {number}, so I've left it as it is. Say it like “make it 19:00” or “make it in {number} minutes”."
    )
}

/// "undo" after a message that changed nothing. `changed_by`: the message whose change it would take
/// back.
pub fn undo_unsure(changed_by: Option<&str>) -> String {
    let change = match changed_by {
        Some(text) => format!("what “{}” changed", quoted(text)),
        None => "the change before it".to_owned(),
    };
    format!(
        "There's nothing to take back of your last message. Shall I take back {change}? Say “yes”."
    )
}

pub fn undone_already() -> String {
    "I've taken back the last change already, and can't go back further. Nothing has changed."
        .to_owned()
}

pub fn too_late_to_undo() -> String {
    "That's more than 10 minutes ago, so I can't take it back any more. Nothing has changed."
        .to_owned()
}

/// After "undo", of a reminder that somebody else has changed since.
pub fn changed_since(
    what: &str,
    send_at: Timestamp,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    format!(
        "Somebody has changed “{}” since, so it stays as it is, {}. “cancel my reminder to …” ends it.",
        quoted(what),
        times::day_and_time(send_at, now, timezone)
    )
}

/// After "undo", of a reminder whose earlier time has passed.
pub fn time_has_passed(
    what: &str,
    (before, is): (Timestamp, Timestamp),
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    format!(
        "It was for {}, which has passed, so “{}” stays as it is, {}.",
        times::day_and_time(before, now, timezone),
        quoted(what),
        times::day_and_time(is, now, timezone)
    )
}

/// After "undo" of "snooze": the reminders that it set are cancelled.
pub fn snooze_taken_back(reminders: &[(&str, Timestamp)]) -> String {
    let cancelled = reminders_cancelled(reminders);
    match reminders {
        [_] => format!("{cancelled} It has come already; “snooze 10 min” puts it off again."),
        _ => format!("{cancelled}\nThey have come already; “snooze 10 min” puts them off again."),
    }
}

/// After "undo": the newest memory is forgotten.
pub fn memory_taken_back(text: &str) -> String {
    format!("Okay, I've forgotten that: {}", quoted(text))
}

/// After "undo", where the last change was the name.
pub fn name_stays() -> String {
    "I can't take back a name. Tell me the right one: “my name is …”. What came before it stays as it is."
        .to_owned()
}

/// After "undo", where the last change was the time zone.
pub fn timezone_stays() -> String {
    "I can't take back a time zone. Tell me the right one: “my time zone is …”. What came before it stays as it is."
        .to_owned()
}

/// For reminders that were set when UTC was assumed, once the zone is known.
pub fn reminders_set_in_utc(reminders: &[(&str, Timestamp)], now: Timestamp, zone: Zone) -> String {
    let day_and_time = |at| times::day_and_time(at, now, Some(zone));
    let meant = |at: Timestamp| at.utc().format("%H:%M");
    match reminders {
        [(what, at)] => format!(
            "Before that I went by UTC: “{}” comes {}. If you meant {} there, say “make it {}”.",
            quoted(what),
            day_and_time(*at),
            meant(*at),
            meant(*at)
        ),
        several => {
            let lines = numbered_reminders(several, now, Some(zone));
            let example = several.first().map(|(_, at)| meant(*at).to_string());
            format!(
                "{}\nIf you meant other times, move them: “move 1 to {}”.",
                super::numbered_list(
                    "Before that I went by UTC. Now these come:",
                    lines,
                    several.len(),
                ),
                example.unwrap_or_default()
            )
        }
    }
}

/// "done" about reminders that were not delivered yet.
pub fn still_set(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let each = each_still(reminders, "set", now, timezone);
    format!("{each} If it's done, say “cancel that”.")
}

/// A reminder that would come during a focus session.
pub fn after_focus(until: Timestamp, now: Timestamp, timezone: Option<Zone>) -> String {
    format!(
        "You're in focus, so it comes after that, {}; “stop focus” ends it.",
        times::day_and_time(until, now, timezone)
    )
}

/// In a direct chat: the reminder of a group.
pub fn in_a_group(text: &str) -> String {
    format!("{text} (in a group)")
}

/// "all" said in a direct chat means none of a group; they are numbered.
pub fn group_reminders_stay(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    super::numbered_list(
        "These are of groups, so they stay. “cancel 1” with the number cancels one:",
        numbered_reminders(reminders, now, timezone),
        reminders.len(),
    )
}

/// A sentence for each.
fn each_still(
    reminders: &[(&str, Timestamp)],
    state: &str,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let each = reminders.iter().map(|(text, send_at)| {
        let when = times::day_and_time(*send_at, now, timezone);
        format!("“{}” is still {state}, {when}.", quoted(text))
    });
    each.collect::<Vec<String>>().join(" ")
}

/// After "never mind", for reminders that were just set or moved.
pub fn reminders_stay(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let lines = reminders.iter().map(|(what, at)| {
        format!(
            "{}: {}",
            times::day_and_time(*at, now, timezone),
            quoted(what)
        )
    });
    let lines: Vec<String> = lines.collect();
    match lines.as_slice() {
        [line] => format!("Okay. The reminder stays, {line}. “undo” takes the last change back."),
        lines => list(
            "Okay. The reminders stay; “undo” takes the last change back:",
            lines.iter().cloned(),
            lines.len(),
        ),
    }
}

/// "move it forward an hour"
pub fn earlier_or_later() -> String {
    "Earlier or later? I've left it as it is. Say for example “make it an hour earlier” or “make it an hour later”."
        .to_owned()
}

/// No reminder is about it, and nothing else that is known here.
pub fn nothing_to_move(about: &str, has_calendar: bool) -> String {
    let calendar = match has_calendar {
        true => "",
        false => " I see no calendar of yours.",
    };
    format!(
        "I know of no reminder about “{}”, so I've moved nothing.{calendar} “reminders” shows the ones you have.",
        quoted(about)
    )
}

pub fn left_as_it_was() -> String {
    "Okay, I've left everything as it was.".to_owned()
}

/// "done 2" for what hasn't come.
pub fn done_before_it_came(reminders: &[(&str, Timestamp)]) -> String {
    let what: Vec<String> = reminders.iter().map(|(text, _)| quoted(text)).collect();
    let what = what.join("; ");
    let it = if reminders.len() == 1 { "it" } else { "them" };
    format!("Good: {what}{} I've cancelled {it}.", stop(&what))
}

/// "done 2" for what comes again.
pub fn repeating_stays(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let each = each_still(reminders, "set", now, timezone);
    format!("{each} “cancel” with its number ends it.")
}

/// The time of a reminder whose text is still asked for.
pub fn what_then(at: Timestamp, now: Timestamp, timezone: Option<Zone>) -> String {
    format!(
        "Okay, {}. What should I remind you of?",
        times::day_and_time(at, now, timezone)
    )
}

pub fn already_delivered() -> String {
    "That reminder has come already, and won't come again.".to_owned()
}

pub fn no_numbers() -> String {
    "I don't know which list you mean any more. “reminders” shows them with their numbers."
        .to_owned()
}

pub fn no_such_number(number: usize) -> String {
    format!(
        "There's no number {number} that is still open. “reminders” shows them with their numbers."
    )
}

/// Deleted items were restored.
pub fn brought_back(
    reminders: &[(&str, Timestamp)],
    memories: &[String],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let lines = reminders.iter().map(|(what, at)| {
        format!(
            "{}: {}",
            times::listed_in_full(*at, now, timezone),
            quoted(what)
        )
    });
    let lines: Vec<String> = lines
        .chain(memories.iter().map(|text| quoted(text)))
        .collect();
    let count = lines.len();
    list(
        "Okay, I've taken that back. Here again:",
        lines.into_iter(),
        count,
    )
}

/// Reminders within a span of time ("tomorrow") or about something.
pub fn reminders_found(
    reminders: &[(&str, Timestamp)],
    span: Option<&str>,
    about: Option<&str>,
    now: Timestamp,
    timezone: Option<Zone>,
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
    let lines = numbered_reminders(reminders, now, timezone);
    super::numbered_list(&format!("{count}{which}:"), lines, reminders.len())
}

/// Of a reminder whose later times are not listed.
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
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    if reminders.is_empty() && more.is_empty() {
        return format!("I know of nothing {span}.");
    }
    let lines = numbered_reminders(reminders, now, timezone);
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

/// `memories` would be deleted.
pub fn forget_these(memories: &[&str]) -> String {
    let lines = memories.iter().map(|text| quoted(text));
    let title = match memories.len() {
        1 => "Shall I forget this? Say “yes”.".to_owned(),
        n => format!("Shall I forget these {n} things? Say “yes”, or name fewer."),
    };
    list(&title, lines, memories.len())
}

pub fn forget_everything(count: usize) -> String {
    match count {
        1 => "Shall I forget the one thing I remember? Say “yes”.".to_owned(),
        n => format!("Shall I forget all {n} things I remember? Say “yes”."),
    }
}
