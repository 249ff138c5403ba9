//! Which zone of the IANA database a calendar means: by its name, by Windows' name, by the rules
//! that the file itself gives, else the calendar's own zone, else the person's.

use std::cell::Cell;
use std::collections::HashMap;
use std::str::FromStr;

use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarProperty,
    ICalendarValue,
};
use chrono::{Datelike, Duration, NaiveDateTime, TimeZone};

use super::ExpansionContext;
use super::rule::{CHECK_INTERVAL, occurrences};
use crate::clock::Zone;

/// Changes that the rules of one zone may name. Those of a real one come twice a year.
const CHANGES_MAX: usize = 1_000;

/// The zones of a file.
pub(super) struct Zones {
    /// Zones read from the rules in the file, by name.
    of_rules: HashMap<String, Zone>,
    /// The zone for unknown names.
    pub(super) default: Zone,
}

impl Zones {
    pub(super) fn of(
        calendar: &ICalendar,
        default: Option<&str>,
        context: &ExpansionContext,
    ) -> Self {
        let mut of_rules = HashMap::new();
        for component in &calendar.components {
            if component.component_type != ICalendarComponentType::VTimezone {
                continue;
            }
            let Some(name) = super::text_of(component, &ICalendarProperty::Tzid) else {
                continue;
            };
            if by_name(name).is_some() {
                continue;
            }
            let location = super::own_property(component, "X-LIC-LOCATION").and_then(by_name);
            let zone = location.or_else(|| by_rules(calendar, component, context));
            if let Some(zone) = zone {
                of_rules.insert(name.to_owned(), zone);
            }
        }
        Self {
            of_rules,
            default: default.and_then(by_name).unwrap_or(context.zone),
        }
    }

    pub(super) fn named(&self, name: &str) -> Zone {
        by_name(name)
            .or_else(|| self.of_rules.get(name).copied())
            .unwrap_or(self.default)
    }
}

/// A zone of the IANA database, also by Windows' name or after a prefix.
fn by_name(name: &str) -> Option<Zone> {
    let name = name.trim();
    let last = |count: usize| {
        let parts: Vec<&str> = name.rsplitn(count + 1, '/').take(count).collect();
        parts.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    if let Ok(zone) = name.parse() {
        return Some(zone);
    }
    // As "/freeassociation.sourceforge.net/Europe/Berlin".
    if name.matches('/').count() > 1 {
        let zone = [3, 2].iter().find_map(|count| last(*count).parse().ok());
        if zone.is_some() {
            return zone;
        }
    }
    if name.eq_ignore_ascii_case("tzone://Microsoft/Utc") {
        return Some(Zone::UTC);
    }
    if let Some(zone) = by_offset(name) {
        return Some(zone);
    }
    let known = Tz::from_str(name).ok()?.name()?;
    known.parse().ok()
}

/// "GMT+0100", as Apple writes it.
fn by_offset(name: &str) -> Option<Zone> {
    let offset = name
        .strip_prefix("GMT")
        .or_else(|| name.strip_prefix("UTC"))?;
    let (sign, digits) = match offset.as_bytes().first()? {
        b'+' => ('-', &offset[1..]),
        b'-' => ('+', &offset[1..]),
        _ => return None,
    };
    let digits = digits.replace(':', "");
    let hours: u32 = match digits.len() {
        1 | 2 => digits.parse().ok()?,
        4 if digits.ends_with("00") => digits[..2].parse().ok()?,
        _ => return None,
    };
    // The database counts the other way round.
    format!("Etc/GMT{sign}{hours}").parse().ok()
}

/// The zone whose clocks go as the file says for the next year.
fn by_rules(
    calendar: &ICalendar,
    zone: &ICalendarComponent,
    context: &ExpansionContext,
) -> Option<Zone> {
    let from = context.window.start.utc().naive_utc();
    let to = from + Duration::days(365);
    let mut changes: Vec<(NaiveDateTime, i64)> = Vec::new();
    for id in &zone.component_ids {
        let observance = calendar.component_by_id(*id)?;
        let offset = |name| offset_s(observance.property(name)?);
        let before = offset(&ICalendarProperty::Tzoffsetfrom)?;
        let after = offset(&ICalendarProperty::Tzoffsetto)?;
        for onset in onsets(observance, from, to, context) {
            changes.push((onset - Duration::seconds(before), after));
        }
        if changes.len() > CHANGES_MAX || (context.is_late)() {
            return None;
        }
    }
    changes.sort();
    let first = changes.first()?.0;
    // Between two changes the offset is that of the earlier one.
    let probes = (0..=365i64).step_by(5).filter_map(|day| {
        let at = from + Duration::days(day);
        let offset = changes.iter().take_while(|(onset, _)| *onset <= at).last();
        (at >= first).then_some((at, offset?.1))
    });
    let probes: Vec<(NaiveDateTime, i64)> = probes.collect();
    let agrees = |zone: &Zone| {
        probes.iter().all(|(at, offset)| {
            let local = zone.offset_from_utc_datetime(at);
            i64::from(chrono::Offset::fix(&local).local_minus_utc()) == *offset
        })
    };
    let usual = [
        "Europe/Berlin", "Europe/London", "America/New_York", "America/Chicago",
    ];
    let usual = usual.iter().filter_map(|name| name.parse().ok());
    let all = Zone::names().filter_map(|name| name.parse().ok());
    usual.chain(all).find(agrees)
}

/// When an observance begins, on the wall before it: the last time before `from`, and all up
/// to `to`, or more than are counted.
fn onsets(
    observance: &ICalendarComponent,
    from: NaiveDateTime,
    to: NaiveDateTime,
    context: &ExpansionContext,
) -> Vec<NaiveDateTime> {
    let start = observance.property(&ICalendarProperty::Dtstart);
    let start =
        start.and_then(|entry| entry.values.first()?.as_partial_date_time()?.to_date_time());
    let Some(start) = start.map(|start| start.date_time) else {
        return Vec::new();
    };
    let rule = observance.property(&ICalendarProperty::Rrule);
    let Some(ICalendarValue::RecurrenceRule(rule)) = rule.and_then(|entry| entry.values.first())
    else {
        return vec![start];
    };
    // Outlook's rules begin in 1601; years before the last are no matter.
    let year = start.year().max(from.year() - 2);
    let start = start.with_year(year).unwrap_or(start);
    let steps = Cell::new(0);
    let is_enough = || {
        steps.set(steps.get() + CHECK_INTERVAL);
        steps.get() > CHANGES_MAX || (context.is_late)()
    };
    occurrences(rule, start, None, to, &is_enough)
}

/// Seconds of a TZOFFSETFROM or TZOFFSETTO.
fn offset_s(entry: &ICalendarEntry) -> Option<i64> {
    let offset = entry.values.first()?.as_partial_date_time()?;
    let seconds =
        i64::from(offset.tz_hour?) * 3_600 + i64::from(offset.tz_minute.unwrap_or(0)) * 60;
    Some(if offset.tz_minus { -seconds } else { seconds })
}
