//! The wording of the assistant's messages, except superpowers'. Short, warm, plain English.

mod account;
mod agenda;
mod apologies;
mod calendar;
mod care;
mod connecting;
mod delivered;
mod fixed_answers;
mod follow_ups;
mod language;
mod languages;
mod memories;
mod named_numbers;
mod named_times;
mod occasions;
mod recurring;
mod reminders;
mod skipping;
pub(in crate::assistant) mod texts;
mod times;
mod undo;

pub use account::*;
pub use agenda::*;
pub use apologies::{
    Apology, NextReminder, account_stays, apology, called_elsewhere, cut_short, english_only,
    memory_forgotten, message_cut, no_export, not_done, not_known, nothing_done, nothing_sent,
    reminder_at, reminder_cancelled, times_in_utc, unseen_photos, what_is_set, what_was_done,
    without_model,
};
pub use care::{
    CrisisKind, HOW_TO_DELETE_ACCOUNT, HOW_TO_EXPORT_DATA, NOTHING_ELSE_DONE, UNKNOWN_AFTER_CRISIS,
    WHAT_IS_KEPT, after_crisis, crisis, crisis_over, has_crisis_texts,
};
pub use connecting::*;
pub use delivered::{late_reminder_text, reminder_text};
pub use fixed_answers::*;
pub use follow_ups::*;
pub(in crate::assistant) use language::foreign_language_of;
pub use language::{language_of, may_have_sentences};
pub use memories::*;
pub use named_numbers::{KnownNumbers, NamedNumber, numbers_for_things, numbers_of, told_numbers};
pub use named_times::{
    NamedTimes, has_part_of_hour, is_month, is_unit_of_time, tells_number_in_words,
};
pub use occasions::*;
pub use recurring::{
    COMES_ONLY_ONCE, MINUTES_DIFFER, OTHER_DAYS_STAY, RECURRING_STAYS, REMINDER_REPEATS_NOT_HERE,
    comes_at_hours, day_not_left_out, listed_text, next_dates, not_before_each_time,
    recurrence_phrase, recurrence_refused, recurring_reminder_set,
};
pub use reminders::*;
pub use skipping::*;
pub use times::{
    date_now, date_of, day_name, hours_of_day, limited_day, time_in, time_now, week_now,
    weeks_until,
};
pub use undo::*;

use crate::model::excerpt;

/// Open reminders per person.
pub const OPEN_REMINDERS_MAX: usize = 200;

/// Memories and reminders shown in one list; further ones are counted.
pub const LISTED_MAX: usize = 30;

/// Characters quoted from a person's text in one place.
const QUOTE_CHARS_MAX: usize = 200;

pub const ONE_REQUEST_ONLY: &str =
    "That's several things at once, so I've done none of them. Please send each by itself.";

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

/// A person's words, shortened.
fn quoted(text: &str) -> String {
    quoted_to(text, QUOTE_CHARS_MAX)
}

fn quoted_to(text: &str, chars_max: usize) -> String {
    excerpt::at_most(text.to_owned(), chars_max)
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
