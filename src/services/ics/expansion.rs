//! The instances of one event: its rule, the dates added and left out, and the instances that were
//! changed by themselves. Rules run in the local time of the event's zone.

use std::collections::{BTreeMap, HashSet};

use calcard::icalendar::{
    ICalendarComponent, ICalendarEntry, ICalendarPeriod, ICalendarProperty, ICalendarStatus,
    ICalendarValue,
};
use chrono::{Duration, NaiveDate};

use super::rule::{later_start, occurrences};
use super::wall_time::{
    Length, WallTime, length_of, start_of, until_on_wall, wall_time, wall_times,
};
use super::zones::Zones;
use super::{ExpansionContext, FileError, details};
use crate::clock::Timestamp;
use crate::model::calendar::{EventClock, EventDetails, EventFacts, EventStatus, EventTime};

/// Instances of a series within the window.
const INSTANCES_MAX: usize = 2_000;
/// Dates that are added to a series, or left out of it.
const DATES_MAX: usize = 5_000;

/// The events of one UID: a master, and instances that were changed by themselves.
pub(super) fn expand(
    components: &[&ICalendarComponent],
    zones: &Zones,
    context: &ExpansionContext,
) -> Result<Vec<EventFacts>, FileError> {
    type Events<'a> = Vec<&'a ICalendarComponent>;
    let (overrides, masters): (Events<'_>, Events<'_>) = components
        .iter()
        .copied()
        .partition(|event| event.has_property(&ICalendarProperty::RecurrenceId));
    // The last of those with the highest SEQUENCE counts.
    let master = masters.into_iter().max_by_key(|event| sequence(event));
    let mut instances: BTreeMap<Timestamp, EventFacts> = BTreeMap::new();
    if master.is_some_and(is_cancelled) {
        return Ok(Vec::new());
    }
    if let Some(master) = master {
        let details = details_of(master, context);
        for (start, length) in instances_of(master, zones, context)? {
            if let Some(facts) = facts_of(master, start, length, &details) {
                instances.insert(facts.time.starts_at, facts);
            }
        }
    }
    let start = master.and_then(|master| start_of(master, zones));
    let mut by_sequence = overrides;
    by_sequence.sort_by_key(|event| sequence(event));
    for change in by_sequence {
        let Some(id) = change.property(&ICalendarProperty::RecurrenceId) else {
            continue;
        };
        let Some(id) = wall_times(id, zones).into_iter().next() else {
            continue;
        };
        let id = start.map_or(id, |start| id.as_in(&start));
        let replaced = instances.remove(&id.instant());
        let (Some(begin), false) = (start_of(change, zones), is_cancelled(change)) else {
            continue;
        };
        let length = length_of(change, &begin, zones);
        let details = details_of(change, context);
        if let Some(mut facts) = facts_of(change, begin, length, &details) {
            facts.instance = id.key();
            facts.details.is_recurring = true;
            if let Some(replaced) = replaced {
                facts.details.rule = replaced.details.rule;
            }
            instances.insert(id.instant(), facts);
        }
    }
    let mut events: Vec<EventFacts> = instances.into_values().collect();
    events.retain(|event| {
        let time = &event.time;
        time.starts_at < context.window.end && time.ends_at >= context.window.start
    });
    Ok(events)
}

fn instances_of(
    master: &ICalendarComponent,
    zones: &Zones,
    context: &ExpansionContext,
) -> Result<Vec<(WallTime, Length)>, FileError> {
    let Some(start) = start_of(master, zones) else {
        return Ok(Vec::new());
    };
    let length = length_of(master, &start, zones);
    let mut starts: Vec<(WallTime, Length)> = vec![(start, length)];
    // Local times differ from UTC by less than a day.
    let to = context.window.end.utc().naive_utc() + Duration::days(1);
    for entry in master.properties(&ICalendarProperty::Rrule).take(10) {
        for value in &entry.values {
            let ICalendarValue::RecurrenceRule(rule) = value else {
                continue;
            };
            let until = rule
                .until
                .as_ref()
                .and_then(|until| until_on_wall(until, &start));
            let earliest = context.window.start.utc().naive_utc() - Duration::days(1);
            let lasts = length.local + length.exact;
            let from = earliest.checked_sub_signed(lasts).unwrap_or(start.local);
            let begin = later_start(rule, start.local, from);
            let found = occurrences(rule, begin, until, to, context.is_late);
            let found = found.into_iter().filter(|local| *local + lasts >= earliest);
            let found = found.take(INSTANCES_MAX);
            starts.extend(found.map(|local| (WallTime { local, ..start }, length)));
        }
        if (context.is_late)() {
            return Err(FileError::TooSlow);
        }
    }
    for entry in master.properties(&ICalendarProperty::Rdate) {
        for value in entry.values.iter().take(DATES_MAX) {
            starts.extend(added(value, entry, &start, length, zones));
        }
    }
    let (moments, dates) = left_out(master, &start, zones);
    let mut seen: HashSet<Timestamp> = HashSet::new();
    starts.retain(|(at, _)| {
        let is_out = moments.contains(&at.instant()) || dates.contains(&at.local.date());
        !is_out && seen.insert(at.instant())
    });
    starts.sort_by_key(|(at, _)| at.instant());
    let recurs = master.has_property(&ICalendarProperty::Rrule)
        || master.has_property(&ICalendarProperty::Rdate);
    if !recurs {
        starts.truncate(1);
    }
    Ok(starts)
}

/// The exceptions of EXDATE: moments, and dates whose every instance is left out.
fn left_out(
    master: &ICalendarComponent,
    start: &WallTime,
    zones: &Zones,
) -> (HashSet<Timestamp>, HashSet<NaiveDate>) {
    let entries = master.properties(&ICalendarProperty::Exdate);
    let named = entries.flat_map(|entry| wall_times(entry, zones));
    let (mut moments, mut dates) = (HashSet::new(), HashSet::new());
    for at in named.take(DATES_MAX) {
        match at.clock {
            EventClock::AllDay => {
                dates.insert(at.local.date());
            }
            _ => {
                moments.insert(at.as_in(start).instant());
            }
        }
    }
    (moments, dates)
}

/// A date of RDATE, or a period with its own length.
fn added(
    value: &ICalendarValue,
    entry: &ICalendarEntry,
    start: &WallTime,
    length: Length,
    zones: &Zones,
) -> Option<(WallTime, Length)> {
    let (at, length) = match value {
        ICalendarValue::PartialDateTime(at) => (wall_time(at, entry, zones)?, length),
        ICalendarValue::Period(ICalendarPeriod::Range { start, end }) => {
            let (from, to) = (
                wall_time(start, entry, zones)?,
                wall_time(end, entry, zones)?,
            );
            (from, Length::exact(to.instant().0 - from.instant().0))
        }
        ICalendarValue::Period(ICalendarPeriod::Duration { start, duration }) => {
            let from = wall_time(start, entry, zones)?;
            (
                from,
                Length::exact(duration.as_seconds().saturating_mul(1_000)),
            )
        }
        _ => return None,
    };
    Some((at.as_in(start), length))
}

fn details_of(event: &ICalendarComponent, context: &ExpansionContext) -> EventDetails {
    let mut details = details::details_of(event, context.own_emails);
    let rule = event.property(&ICalendarProperty::Rrule);
    details.is_recurring = rule.is_some() || event.has_property(&ICalendarProperty::Rdate);
    if let Some(ICalendarValue::RecurrenceRule(rule)) = rule.and_then(|rule| rule.values.first()) {
        details.rule = rule.to_string();
    }
    details
}

fn facts_of(
    event: &ICalendarComponent,
    start: WallTime,
    length: Length,
    details: &EventDetails,
) -> Option<EventFacts> {
    let starts_at = start.instant();
    let mut details = details.clone();
    if start.clock == EventClock::Zoned {
        details.zone = start.zone.name().to_owned();
    }
    Some(EventFacts {
        uid: uid_of(event, &start, &details.title),
        instance: match details.is_recurring {
            true => start.key(),
            false => String::new(),
        },
        object: String::new(),
        etag: None,
        time: EventTime {
            clock: start.clock,
            starts_at,
            ends_at: start.after(length)?.max(starts_at),
        },
        status: match event.status() {
            Some(ICalendarStatus::Tentative) => EventStatus::Tentative,
            _ => EventStatus::Confirmed,
        },
        details,
    })
}

/// The event's own UID, else one by start and title: the same each time the file is read.
fn uid_of(event: &ICalendarComponent, start: &WallTime, title: &str) -> String {
    match event.uid() {
        Some(uid) => details::clean(uid, 500),
        None => format!("{} {title}", start.key()),
    }
}

fn sequence(event: &ICalendarComponent) -> i64 {
    let sequence = event.property(&ICalendarProperty::Sequence);
    sequence
        .and_then(|entry| entry.values.first()?.as_integer())
        .unwrap_or(0)
}

fn is_cancelled(event: &ICalendarComponent) -> bool {
    event.status() == Some(&ICalendarStatus::Cancelled)
}
