//! The wording of the assistant's messages, except superpowers'. Short, warm, plain English. It
//! decides nothing and must not know messages.

mod account;
mod apologies;
mod care;
mod connecting;
mod follow_ups;
mod occasions;
mod recurring;
mod times;

pub use account::*;
pub use apologies::{Apology, apology, called_elsewhere, cut_short, without_model};
pub use care::{crisis, how_to_delete_account, how_to_export_data};
pub use connecting::*;
pub use follow_ups::*;
pub use occasions::*;
pub use recurring::{
    day_not_left_out, listed_text, next_dates, recurrence_phrase, recurrence_refused,
    recurring_reminder_set, recurring_stays, reminder_repeats_not_here,
};
pub use times::{date_now, time_in, time_now};

use crate::clock::Zone;

use crate::clock::Timestamp;

/// Open reminders per person.
pub const OPEN_REMINDERS_MAX: usize = 200;

/// Memories and reminders shown in one list; further ones are counted.
pub const LISTED_MAX: usize = 30;

/// Characters quoted from a person's text in one place.
const QUOTE_CHARS_MAX: usize = 200;

/// The text of a due reminder.
pub fn reminder_text(what: &str) -> String {
    format!("⏰ Reminder: {what}")
}

/// The same for one that was due `due` times, or is late; `last`: its last due time.
pub fn late_reminder_text(
    what: &str,
    due: usize,
    last: Timestamp,
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    let when = times::moment(last, now, timezone);
    let note = match due {
        0 | 1 => format!("this is late, it was due {when}"),
        _ => format!("it was due {due} times since the last one, most recently {when}"),
    };
    format!("{}\n({note})", reminder_text(what))
}

/// Mentions it when the time zone is a guess. `is_own` is false for a reminder that only the relay
/// can send: the service doesn't promise it.
pub fn reminder_set(
    what: &str,
    is_own: bool,
    send_at: Timestamp,
    now: Timestamp,
    timezone: Option<Zone>,
    said_in: Option<Zone>,
) -> String {
    let (when, is_clock) = times::upcoming(send_at, now, timezone);
    let hint = if timezone.is_none() && is_clock {
        times::ZONE_HINT
    } else {
        ""
    };
    let there = said_in
        .filter(|zone| Some(*zone) != timezone)
        .map_or_else(String::new, |zone| times::in_zone(send_at, zone));
    let who = if is_own {
        "I'll remind you"
    } else {
        "I've asked your chat app to remind you"
    };
    format!(
        "Okay, {who} {when}{there}: {}{}{hint}",
        quoted(what),
        stop(what)
    )
}

/// `reminders`: text and time, soonest first.
pub fn reminders(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    if reminders.is_empty() {
        return "You have no reminders. Say “remind me tomorrow at 9 to …” to set one.".to_owned();
    }
    let lines = numbered_reminders(reminders, now, timezone);
    let title = if reminders.len() == 1 {
        "You have 1 reminder:".to_owned()
    } else {
        format!("You have {} reminders:", reminders.len())
    };
    numbered_list(&title, lines, reminders.len())
}

/// A group's reminders.
pub fn reminders_of_group(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> String {
    if reminders.is_empty() {
        return "This group has no reminders.".to_owned();
    }
    let lines = numbered_reminders(reminders, now, timezone);
    let count = counted(reminders.len(), "reminder", "reminders");
    numbered_list(&format!("This group has {count}:"), lines, reminders.len())
}

/// Today's reminders for the daily summary; `None` without any.
pub fn reminders_of_day(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> Option<String> {
    let lines: Vec<String> = reminders
        .iter()
        .map(|(what, at)| (times::listed(*at, now, timezone), what))
        .filter_map(|(when, what)| {
            let time = when.strip_prefix("Today ")?;
            Some(format!("{time} {}", quoted(what)))
        })
        .take(LISTED_MAX)
        .collect();
    (!lines.is_empty()).then(|| format!("Reminders: {}", lines.join("; ")))
}

/// `reminders`: text and time.
pub fn reminders_cancelled(reminders: &[(&str, Timestamp)]) -> String {
    match reminders {
        [] => "I found no such reminder. “reminders” shows the ones you have.".to_owned(),
        [(what, _)] => format!(
            "Okay, I've cancelled that reminder: {}{}",
            quoted(what),
            stop(what)
        ),
        many => list(
            &format!("Okay, I've cancelled {} reminders:", many.len()),
            many.iter().map(|(what, _)| quoted(what)),
            many.len(),
        ),
    }
}

pub fn no_reminder_in_group() -> String {
    "I found no such reminder of this group. Your own ones I cancel in our direct chat.".to_owned()
}

pub fn reminders_full() -> String {
    format!(
        "You already have {OPEN_REMINDERS_MAX} reminders waiting, which is as many as I can keep. Cancel one first: “cancel my reminder to …”."
    )
}

pub fn reminder_repeats_unclear() -> String {
    "I'm not sure how often you mean, so I've set nothing. I know for example “every day at 9”, “on mondays at 18:30”, “every 3 hours until 8pm” and “on the 1st of each month”.".to_owned()
}

/// "tuesday 27 november", which is a Friday.
pub fn weekday_mismatch() -> String {
    "That date is another day of the week. Which of the two do you mean, the weekday or the date?"
        .to_owned()
}

pub fn reminder_one_time() -> String {
    "One time for each reminder, please: “remind me at 10:15 to …”, then the next one.".to_owned()
}

/// The text still contains words of time.
pub fn reminder_half_understood(what: &str) -> String {
    format!(
        "I'm not sure which time you mean, so I've set nothing: {}{} Could you say it as one time and one thing, like “remind me tomorrow at 9 to …”?",
        quoted(what),
        stop(what),
    )
}

pub fn one_request_only() -> String {
    "That's several things at once, so I've done none of them. Please send each by itself."
        .to_owned()
}

/// One of several requests was understood, and can't be done.
pub fn part_not_done(text: &str) -> String {
    format!(
        "I did nothing for this part: {}{} Please send it by itself, with its day and what it is about.",
        quoted(text),
        stop(text)
    )
}

/// One of several sentences wasn't understood.
pub fn part_not_understood(text: &str) -> String {
    format!(
        "I didn't understand this part, and did nothing for it: {}",
        quoted(text)
    )
}

/// Something to do and a time, without a request.
pub fn say_remind_me(text: &str) -> String {
    format!(
        "I've set nothing. For a reminder begin with “remind me”: “remind me to {}”.",
        quoted(text.trim())
    )
}

pub fn reminder_date_ambiguous() -> String {
    "I can't tell the day from the month there. Please write the date like “5 June” or “2026-06-05”.".to_owned()
}

pub fn reminder_empty() -> String {
    "What should I remind you of, and when? For example: “remind me in 20 minutes to check the oven”.".to_owned()
}

pub fn reminder_without_text() -> String {
    "What should I remind you of? For example: “remind me in 20 minutes to check the oven”."
        .to_owned()
}

pub fn reminder_without_time(what: &str) -> String {
    format!(
        "When should I remind you: {}{} Say it with a time I understand, for example “in 2 hours”, “tomorrow at 9” or “on friday at 18:30”.",
        quoted(what),
        if what.ends_with('?') { "" } else { "?" },
    )
}

/// "friday's exam at 8"
pub fn reminder_day_unsure(what: &str) -> String {
    format!(
        "I'm not sure which day you mean. {}",
        reminder_without_time(what)
    )
}

/// `time`: words of a time that was not understood.
pub fn reminder_time_unknown(time: &str, what: &str) -> String {
    format!(
        "I don't know when that is: “{}”. {}",
        quoted(time),
        reminder_without_time(what)
    )
}

/// After one thing was set for several times of a day.
pub fn every_day_offered() -> String {
    "For every day, say “make it every day”.".to_owned()
}

pub fn reminder_past() -> String {
    "That time has already passed. When should I remind you instead?".to_owned()
}

pub fn reminder_too_long(chars_max: usize) -> String {
    format!(
        "That's too long for a reminder. Please keep it to {} characters.",
        thousands(chars_max)
    )
}

pub fn reminder_too_far(years_max: u32) -> String {
    format!(
        "That's too far ahead. I can remind you of something at most {years_max} years from now."
    )
}

pub fn reminder_no_such_time() -> String {
    "I can't find that time on the calendar. Could you check the date and the hour?".to_owned()
}

pub fn which_reminder() -> String {
    "Which reminder? Say “cancel my reminder to …”, or “cancel all reminders”.".to_owned()
}

pub fn remembered(text: &str) -> String {
    format!("I'll remember that: {}", quoted(text))
}

pub fn memory_empty() -> String {
    "What should I remember? For example: “remember that my bike lock code is 4321”.".to_owned()
}

pub fn memory_too_long(chars_max: usize) -> String {
    format!(
        "That's too long for me to remember. Please keep it to {} characters.",
        thousands(chars_max)
    )
}

/// `memories`: newest first; `about`: the subject asked about, if any.
pub fn recalled<S: AsRef<str>>(memories: &[S], about: Option<&str>) -> String {
    let lines = memories
        .iter()
        .map(|memory| quoted_to(memory.as_ref(), QUOTE_CHARS_MAX * 10));
    match (memories, about) {
        ([], Some(about)) => format!("I don't remember anything about “{}”.", quoted(about)),
        ([], None) => {
            "I don't remember anything about you yet. Say “remember that …” to change that."
                .to_owned()
        }
        ([one], Some(_)) => format!(
            "You told me: {}",
            quoted_to(one.as_ref(), QUOTE_CHARS_MAX * 10)
        ),
        (many, Some(about)) => list(
            &format!("What I remember about “{}”:", quoted(about)),
            lines,
            many.len(),
        ),
        (many, None) => list("What I remember:", lines, many.len()),
    }
}

/// No memory answers it. `near`: memories with some of its words.
pub fn recalled_near(near: &[&str], about: &str) -> String {
    let nothing = recalled::<&str>(&[], Some(about));
    let near = near
        .iter()
        .map(|memory| quoted_to(memory, QUOTE_CHARS_MAX * 10));
    let near: Vec<String> = near.collect();
    match near.as_slice() {
        [] => nothing,
        near => list(
            &format!("{nothing} What comes near:"),
            near.iter().cloned(),
            near.len(),
        ),
    }
}

pub fn forgotten(count: usize, about: &str) -> String {
    match count {
        0 => format!(
            "I don't remember anything about “{}”, so there's nothing to forget.",
            quoted(about)
        ),
        1 => "Okay, I've forgotten that.".to_owned(),
        n => format!("Okay, I've forgotten {n} things about “{}”.", quoted(about)),
    }
}

pub fn everything_forgotten(count: usize) -> String {
    match count {
        0 => "I don't remember anything about you, so there's nothing to forget.".to_owned(),
        1 => "Okay, I've forgotten the one thing I remembered.".to_owned(),
        n => format!("Okay, I've forgotten all {n} things I remembered."),
    }
}

/// Added to the answer when a memory service can't be reached.
pub fn with_memories_cut_off(reply: &str) -> String {
    format!("{reply}\n\nI can't reach all of my memory right now, so ask me again later.")
}

/// The same for a deletion that will be done later.
pub fn everything_will_be_forgotten() -> String {
    "Okay, I've forgotten everything here. I can't reach the rest of my memory right now; it \
     goes as soon as I can."
        .to_owned()
}

pub fn never_mind() -> String {
    "Okay, never mind. To take a memory away, say “forget” and what it's about.".to_owned()
}

/// A person's words, shortened.
fn quoted(text: &str) -> String {
    quoted_to(text, QUOTE_CHARS_MAX)
}

fn quoted_to(text: &str, chars_max: usize) -> String {
    use unicode_segmentation::UnicodeSegmentation;
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut chars = 0;
    for grapheme in text.graphemes(true) {
        chars += grapheme.chars().count();
        if chars >= chars_max {
            break;
        }
        short.push_str(grapheme);
    }
    short.push('…');
    short
}

/// A full stop, unless the text has punctuation at its end.
fn stop(text: &str) -> &'static str {
    let cut_short = text.chars().count() > QUOTE_CHARS_MAX;
    if cut_short
        || text
            .trim_end_matches(['"', '”'])
            .ends_with(['.', '!', '?', '…'])
    {
        ""
    } else {
        "."
    }
}

fn numbered_reminders(
    reminders: &[(&str, Timestamp)],
    now: Timestamp,
    timezone: Option<Zone>,
) -> impl Iterator<Item = String> {
    reminders
        .iter()
        .map(move |(what, at)| format!("{}: {}", times::listed(*at, now, timezone), quoted(what)))
}

/// Lines with numbers that are valid for some minutes.
fn numbered_list(title: &str, lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = title.to_owned();
    for (n, line) in (1..).zip(lines.take(LISTED_MAX)) {
        text.push_str(&format!("\n{n}. {line}"));
    }
    if count > LISTED_MAX {
        text.push_str(&format!("\n… and {} more.", count - LISTED_MAX));
    }
    text
}

fn list(title: &str, lines: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = title.to_owned();
    for line in lines.take(LISTED_MAX) {
        text.push_str("\n• ");
        text.push_str(&line);
    }
    if count > LISTED_MAX {
        text.push_str(&format!("\n… and {} more.", count - LISTED_MAX));
    }
    text
}

fn thousands(n: usize) -> String {
    if n < 1_000 {
        n.to_string()
    } else {
        format!("{},{:03}", n / 1_000, n % 1_000)
    }
}

#[cfg(test)]
mod tests;
