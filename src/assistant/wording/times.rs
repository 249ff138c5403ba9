//! Wording of times: "in 20 minutes", "tomorrow at 09:00", with "UTC" when the person's zone is
//! unknown.

use std::ops::Range;

use chrono::{DateTime, Datelike};

use super::texts::counted;
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// A hint for answers with a time of day in a guessed zone.
pub(super) const ZONE_HINT: &str =
    " I don't know your time zone yet; tell me, for example “my time zone is Europe/Berlin”.";

/// The wording of a future time, and whether it may have been a time of day.
pub(super) fn upcoming(at: Timestamp, now: LocalNow) -> (String, bool) {
    let moment = day_and_time(at, now);
    match short_wait(at.0.saturating_sub(now.at.0)) {
        Some((wait, is_hours)) => (format!("in {wait}, {moment}"), is_hours),
        None => (moment, true),
    }
}

/// "today at 18:00 (Monday, 23 November)".
pub(super) fn day_and_time(at: Timestamp, now: LocalNow) -> String {
    let clock = clock(local(at, now.zone), now.zone);
    let date = date(at, now);
    match days_between(now.at, at, now.zone) {
        -1 => format!("yesterday at {clock} ({date})"),
        0 => format!("today at {clock} ({date})"),
        1 => format!("tomorrow at {clock} ({date})"),
        _ => format!("on {date} at {clock}"),
    }
}

/// The moment in the zone that the person named: ", that's 15:00 in Europe/Berlin".
pub(super) fn in_zone(at: Timestamp, zone: Zone) -> String {
    format!(
        ", that's {} in {}",
        clock(local(at, Some(zone)), Some(zone)),
        zone_name(zone)
    )
}

/// A line's start in a list of reminders: "Today 19:00", "Friday, 3 January 09:00".
pub(super) fn listed(at: Timestamp, now: LocalNow) -> String {
    let day = match days_between(now.at, at, now.zone) {
        0 => "Today".to_owned(),
        1 => "Tomorrow".to_owned(),
        _ => date(at, now),
    };
    format!("{day} {}", clock(local(at, now.zone), now.zone))
}

/// The start of a list's line, always with weekday and date.
pub(super) fn listed_in_full(at: Timestamp, now: LocalNow) -> String {
    format!("{} {}", date(at, now), clock(local(at, now.zone), now.zone))
}

pub fn time_now(now: LocalNow) -> String {
    let hint = match now.zone {
        Some(_) => "",
        None => {
            " Tell me your time zone for your local time, for example “my time zone is Europe/Berlin”."
        }
    };
    format!("It's {}.{hint}", clock(local(now.at, now.zone), now.zone))
}

pub fn time_in(now: Timestamp, zone: Zone, place: &str) -> String {
    format!(
        "It's {} in {place}.",
        clock(local(now, Some(zone)), Some(zone))
    )
}

pub fn date_now(now: LocalNow) -> String {
    let zone = if now.zone.is_none() { " (UTC)" } else { "" };
    format!(
        "It's {}{zone}.",
        local(now.at, now.zone).format("%A, %-d %B %Y")
    )
}

/// The week of ISO 8601, from its Monday to its Sunday.
pub fn week_now(now: LocalNow) -> String {
    let zone = if now.zone.is_none() { " (UTC)" } else { "" };
    let week = local(now.at, now.zone)
        .date_naive()
        .week(chrono::Weekday::Mon);
    let named = |day: chrono::NaiveDate| day.format("%A, %-d %B").to_string();
    let of_year = week.first_day().iso_week();
    format!(
        "It's week {} of {}{zone}: {} to {}.",
        of_year.week(),
        of_year.year(),
        named(week.first_day()),
        named(week.last_day())
    )
}

/// "In 4 days: Friday, 27 November 2026."
pub fn date_of(day: Timestamp, now: LocalNow) -> String {
    let when = match days_between(now.at, day, now.zone) {
        0 => "Today".to_owned(),
        1 => "Tomorrow".to_owned(),
        days => format!("In {days} days"),
    };
    format!("{when}: {}.", local(day, now.zone).format("%A, %-d %B %Y"))
}

/// "In 4 weeks and 1 day: Friday, 25 December 2026.", and less than a week in days.
pub fn weeks_until(day: Timestamp, now: LocalNow) -> String {
    let days = days_between(now.at, day, now.zone);
    let counted = |n: i64, unit| counted(n.unsigned_abs() as usize, unit);
    let weeks = counted(days / 7, "week");
    let when = match days % 7 {
        _ if days < 7 => return date_of(day, now),
        0 => weeks,
        rest => format!("{weeks} and {}", counted(rest, "day")),
    };
    format!(
        "In {when}: {}.",
        local(day, now.zone).format("%A, %-d %B %Y")
    )
}

/// A zone's usual name; IANA's fixed offsets have the opposite sign.
pub(super) fn zone_name(zone: Zone) -> String {
    match zone
        .name()
        .strip_prefix("Etc/GMT")
        .and_then(|rest| rest.split_at_checked(1))
    {
        Some(("+", hours)) => format!("UTC-{hours}"),
        Some(("-", hours)) => format!("UTC+{hours}"),
        _ => zone.name().to_owned(),
    }
}

fn local(at: Timestamp, timezone: Option<Zone>) -> DateTime<Zone> {
    at.utc().with_timezone(&timezone.unwrap_or(Zone::UTC))
}

fn clock(at: DateTime<Zone>, timezone: Option<Zone>) -> String {
    let zone = if timezone.is_none() { " UTC" } else { "" };
    format!("{}{zone}", at.format("%H:%M"))
}

fn days_between(now: Timestamp, at: Timestamp, timezone: Option<Zone>) -> i64 {
    local(at, timezone)
        .date_naive()
        .signed_duration_since(local(now, timezone).date_naive())
        .num_days()
}

/// "today", "tomorrow", "on Friday, 3 January".
pub fn day_name(day: Timestamp, now: Timestamp, zone: Zone) -> String {
    match days_between(now, day, Some(zone)) {
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        _ => format!("on {}", date(day, LocalNow::new(now, zone))),
    }
}

/// "Monday"
pub(super) fn weekday(day: Timestamp, timezone: Option<Zone>) -> String {
    local(day, timezone).format("%A").to_string()
}

/// "tomorrow after 10:00". `link`: "after".
pub fn limited_day(link: &str, at: Timestamp, now: Timestamp, zone: Zone) -> String {
    let clock = clock(local(at, Some(zone)), Some(zone));
    format!("{} {link} {clock}", day_name(at, now, zone))
}

/// "tomorrow from 09:00 to 10:00", a span within a day.
pub fn hours_of_day(span: &Range<Timestamp>, now: Timestamp, zone: Zone) -> String {
    let first = limited_day("from", span.start, now, zone);
    format!(
        "{first} to {}",
        clock(local(span.end, Some(zone)), Some(zone))
    )
}

/// "Friday, 3 January", with the year if it isn't the current one.
pub(super) fn date(at: Timestamp, now: LocalNow) -> String {
    let (at, today) = (local(at, now.zone), local(now.at, now.zone));
    let pattern = if at.year() == today.year() {
        "%A, %-d %B"
    } else {
        "%A, %-d %B %Y"
    };
    at.format(pattern).to_string()
}

/// The wording of a short wait: whole seconds up to two minutes, whole minutes up to two hours,
/// whole hours up to half a day. `true`: the hours could also mean a time of day.
fn short_wait(ms: i64) -> Option<(String, bool)> {
    let unit = |n: i64, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    if ms <= 0 || ms % 1_000 != 0 {
        return None;
    }
    match ms / 1_000 {
        s if s % 3_600 == 0 && s <= 12 * 3_600 => Some((unit(s / 3_600, "hour"), true)),
        s if s % 60 == 0 && s < 7_200 => Some((unit(s / 60, "minute"), false)),
        s if s < 120 => Some((unit(s, "second"), false)),
        _ => None,
    }
}
