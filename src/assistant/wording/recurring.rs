//! Wording of recurring reminders: "every Monday at 09:00", and their next dates.

use chrono::{Datelike, NaiveDateTime, Weekday};

use super::texts::{counted, joined};
use super::{quoted, stop, times};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::{Frequency, GAP_S_MIN, Pattern, Recurrence, RecurrenceError};

const WORKDAYS: [Weekday; 5] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
];

/// Mentions it when the time zone is a guess.
pub fn recurring_reminder_set(what: &str, recurrence: &Recurrence, now: LocalNow) -> String {
    let first = recurrence.next().unwrap_or(now.at);
    format!(
        "Okay, I'll remind you {}, first {}: {}{}{}",
        recurrence_phrase(recurrence, now.zone),
        times::day_and_time(first, now),
        quoted(what),
        stop(what),
        match now.zone {
            Some(_) => "",
            None => times::ZONE_HINT,
        }
    )
}

pub const REMINDER_REPEATS_NOT_HERE: &str = "I can't repeat reminders in this chat, so I've set nothing. One for one time works: “remind me tomorrow at 9 to …”.";

/// "10 minutes before pills", which come every day.
pub fn not_before_each_time(what: &str, recurrence: &Recurrence, timezone: Option<Zone>) -> String {
    format!(
        "“{}” comes {}, and I can't remind you before each of its times, so I've set nothing. A second reminder can: “remind me every day at 9 to …”, with its own hour.",
        quoted(what),
        recurrence_phrase(recurrence, timezone)
    )
}

/// A message about one day doesn't end a recurring reminder.
pub fn day_not_left_out(what: &str, recurrence: &Recurrence, timezone: Option<Zone>) -> String {
    format!(
        "“{0}” comes {1}. I can't leave that out, so it stays; “cancel my reminder to {0}” ends all of it.",
        quoted(what),
        recurrence_phrase(recurrence, timezone)
    )
}

/// "not on sundays" for a reminder that doesn't repeat.
pub const COMES_ONLY_ONCE: &str = "That reminder comes only once, so nothing has changed. Say for example “make it every weekday”, “move it to friday” or “cancel that”.";

/// "make it 9:30 on weekends" for a reminder of every day.
pub const OTHER_DAYS_STAY: &str = "I can't give some of its days another time, so nothing has changed. A second reminder can: “remind me on weekends at 9:30 to …”.";

/// "make it 9", "cancel the 8pm one" for a reminder that comes at several hours of a day.
pub fn comes_at_hours(times: &[(u8, u8)]) -> String {
    let times: Vec<String> = times
        .iter()
        .map(|(hour, minute)| format!("{hour:02}:{minute:02}"))
        .collect();
    let times = times.join(" and ");
    format!(
        "That one reminder comes at {times}, so nothing has changed. Say all its times, like “make it every day at 9 and 20”, or “cancel that” to end it."
    )
}

/// "make it 8:30 and 20:00"
pub const MINUTES_DIFFER: &str = "One reminder comes at the same minute of each hour, so nothing has changed. For other minutes set a second one, like “remind me every day at 8:30 to …”.";

/// A recurring reminder can't be moved to another day.
pub const RECURRING_STAYS: &str = "That reminder comes again and again, so I've left it as it is. Say for example “make it 10:00”, “make it every friday” or “cancel that”.";

/// A rule that is refused.
pub fn recurrence_refused(error: RecurrenceError) -> String {
    match error {
        RecurrenceError::TooOften => format!(
            "I repeat reminders at most every {} minutes, so I've set nothing.",
            GAP_S_MIN / 60
        ),
        RecurrenceError::Never => {
            "That would end before it begins, so I've set nothing.".to_owned()
        }
        RecurrenceError::Unreadable => super::REMINDER_REPEATS_UNCLEAR.to_owned(),
    }
}

/// The next dates of a recurring reminder.
pub fn next_dates(what: &str, recurrence: &Recurrence, count: usize, now: LocalNow) -> String {
    let mut text = format!(
        "“{}” comes {}. Next:",
        quoted(what),
        recurrence_phrase(recurrence, now.zone)
    );
    for at in recurrence.upcoming(count) {
        text.push_str(&format!("\n• {}", times::listed_in_full(at, now)));
    }
    text
}

/// A reminder's text in a list, with its recurrence.
pub fn listed_text(text: &str, recurrence: Option<&Recurrence>, timezone: Option<Zone>) -> String {
    match recurrence {
        Some(recurrence) => format!("{text} ({})", recurrence_phrase(recurrence, timezone)),
        None => text.to_owned(),
    }
}

/// "every Monday at 09:00", with the zone where it is another than the person's.
pub fn recurrence_phrase(recurrence: &Recurrence, timezone: Option<Zone>) -> String {
    let Some(pattern) = recurrence.pattern().filter(|pattern| pattern.is_whole) else {
        return "again and again".to_owned();
    };
    let mut text = every(&pattern);
    if !pattern.times.is_empty() {
        let times: Vec<String> = pattern
            .times
            .iter()
            .map(|(hour, minute)| format!("{hour:02}:{minute:02}"))
            .collect();
        text.push_str(&format!(" at {}", joined(&times)));
    }
    if let Some(until) = pattern.until {
        text.push_str(&format!(" until {}", end(until, &pattern)));
    }
    if let Some(days) = left_out(recurrence) {
        text.push_str(&match recurrence.is_through_the_day() {
            // On those days it comes at other times.
            true => {
                let count = recurrence.left_out().len();
                format!(", without {} on {days}", counted(count, "time"))
            }
            false => format!(", not on {days}"),
        });
    }
    if timezone.is_some_and(|own| own != recurrence.zone())
        || timezone.is_none() && recurrence.zone() != Zone::UTC
    {
        text.push_str(&format!(" in {}", times::zone_name(recurrence.zone())));
    } else if timezone.is_none() {
        text.push_str(" UTC");
    }
    text
}

/// The days on which it doesn't come though its rule does: "1 and 3 December".
fn left_out(recurrence: &Recurrence) -> Option<String> {
    const NAMED_MAX: usize = 3;
    let times = recurrence.left_out();
    let name = |at: &Timestamp| {
        let day = at.utc().with_timezone(&recurrence.zone());
        format!("{} {}", day.day(), month(day.month() as u8))
    };
    let mut days: Vec<String> = times.iter().map(name).collect();
    days.dedup();
    match days.as_slice() {
        [] => None,
        days if days.len() <= NAMED_MAX => Some(joined(days)),
        [first, .., last] => Some(format!("{} days from {first} to {last}", days.len())),
        _ => None,
    }
}

fn every(pattern: &Pattern) -> String {
    let unit = match pattern.frequency {
        Frequency::Yearly => "year",
        Frequency::Monthly => "month",
        Frequency::Weekly => "week",
        Frequency::Daily => "day",
        Frequency::Hourly => "hour",
        Frequency::Minutely => "minute",
        Frequency::Secondly => "second",
    };
    let each = match pattern.interval {
        0 | 1 => format!("every {unit}"),
        2 => format!("every other {unit}"),
        n => format!("every {n} {unit}s"),
    };
    match pattern.frequency {
        Frequency::Weekly => on_weekdays(pattern, &each),
        Frequency::Monthly => on_days_of_month(pattern, &each),
        Frequency::Yearly if !pattern.month_days.is_empty() => {
            let months = pattern.months.iter().map(|n| month(*n).to_owned());
            let days: Vec<String> = pattern
                .month_days
                .iter()
                .map(|day| day.to_string())
                .collect();
            let months: Vec<String> = months.collect();
            format!("{each} on {} {}", joined(&days), joined(&months))
        }
        Frequency::Daily if !pattern.weekdays.is_empty() => on_weekdays(pattern, &each),
        _ => each,
    }
}

fn on_weekdays(pattern: &Pattern, each: &str) -> String {
    let days: Vec<Weekday> = pattern.weekdays.iter().map(|(_, day)| *day).collect();
    let named = match days.as_slice() {
        days if *days == WORKDAYS => "weekday".to_owned(),
        [Weekday::Sat, Weekday::Sun] => "Saturday and Sunday".to_owned(),
        days => {
            let names: Vec<String> = days.iter().map(|day| weekday(*day).to_owned()).collect();
            joined(&names)
        }
    };
    match (pattern.interval, pattern.frequency) {
        (0 | 1, _) => format!("every {named}"),
        (_, Frequency::Weekly) if days.len() < WORKDAYS.len() => format!("{each} on {named}"),
        _ => format!("{each} ({named})"),
    }
}

fn on_days_of_month(pattern: &Pattern, each: &str) -> String {
    let each = match pattern.interval {
        0 | 1 => "of each month".to_owned(),
        _ => each.to_owned(),
    };
    if let [(nth, day)] = pattern.weekdays.as_slice() {
        return format!("on the {} {} {each}", place(*nth), weekday(*day));
    }
    let days: Vec<String> = pattern
        .month_days
        .iter()
        .map(|day| match day {
            -1 => "last day".to_owned(),
            day => ordinal(*day),
        })
        .collect();
    let mut text = format!("on the {} {each}", joined(&days));
    if pattern.month_days.iter().any(|day| *day > 28) {
        text.push_str(" (the last day of shorter ones)");
    }
    text
}

fn end(until: NaiveDateTime, pattern: &Pattern) -> String {
    match pattern.times.is_empty() {
        true => until.format("%H:%M on %A, %-d %B %Y").to_string(),
        false => until.format("%A, %-d %B %Y").to_string(),
    }
}

fn place(nth: i16) -> String {
    match nth {
        -1 => "last".to_owned(),
        n => ordinal(n as i8),
    }
}

pub(super) fn ordinal(n: i8) -> String {
    let end = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{end}")
}

fn weekday(day: Weekday) -> &'static str {
    match day {
        Weekday::Mon => "Monday",
        Weekday::Tue => "Tuesday",
        Weekday::Wed => "Wednesday",
        Weekday::Thu => "Thursday",
        Weekday::Fri => "Friday",
        Weekday::Sat => "Saturday",
        Weekday::Sun => "Sunday",
    }
}

fn month(n: u8) -> &'static str {
    match n {
        1 => "January",
        2 => "February",
        3 => "March",
        4 => "April",
        5 => "May",
        6 => "June",
        7 => "July",
        8 => "August",
        9 => "September",
        10 => "October",
        11 => "November",
        _ => "December",
    }
}
