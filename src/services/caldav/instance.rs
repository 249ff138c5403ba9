//! One instance of a series in the text of a calendar resource (RFC 5545): moved by an event of
//! its own (RECURRENCE-ID), left out by EXDATE. Whatever else the resource holds stays as it is.

use std::ops::Range;

use super::resource::{
    Line, MoveProblem, RULES, TIMES, end, events_with, logical_lines, next_version, replaced, start,
};
use crate::clock::Timestamp;
use crate::model::calendar::EventTime;
use crate::services::ics::ExpansionContext;
use crate::services::ics::series::Series;

/// The events of one UID in a resource.
pub(super) struct SeriesLines<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) series: Series,
    pub(super) events: Vec<Range<usize>>,
}

/// The resource with one instance at another time.
pub(super) fn moved_instance(
    resource: &str,
    (uid, instance): (&str, &str),
    to: &EventTime,
    context: &ExpansionContext,
    now: Timestamp,
) -> Result<String, MoveProblem> {
    let found = SeriesLines::read(resource, uid, context)?;
    let times = [start(to), end(to)];
    if let Some(changed) = found.changed(instance) {
        let moved = next_version(&found.lines[changed.clone()], &TIMES, times.into(), now);
        return Ok(replaced(&found.lines, changed, &moved));
    }
    let master = found.master()?;
    let mut added = vec![found.named(&master, "RECURRENCE-ID", instance)?];
    added.extend(times);
    let left_out = [&TIMES[..], &RULES[..]].concat();
    let own = next_version(&found.lines[master.clone()], &left_out, added, now);
    Ok(replaced(&found.lines, master.end..master.end, &own))
}

/// The resource without one instance. `None`: nothing is left of it.
pub(super) fn without_instance(
    resource: &str,
    (uid, instance): (&str, &str),
    context: &ExpansionContext,
    now: Timestamp,
) -> Result<Option<String>, MoveProblem> {
    let found = SeriesLines::read(resource, uid, context)?;
    let text = match found.changed(instance) {
        Some(_) if found.events.len() == 1 => return Ok(None),
        Some(changed) => replaced(&found.lines, changed, ""),
        None => resource.to_owned(),
    };
    // An instance that somebody was invited to, without its series.
    if !found.series.instances.contains(&None) {
        return Ok(Some(text));
    }
    let found = SeriesLines::read(&text, uid, context)?;
    let master = found.master()?;
    let added = vec![found.named(&master, "EXDATE", instance)?];
    let series = next_version(&found.lines[master.clone()], &[], added, now);
    Ok(Some(replaced(&found.lines, master, &series)))
}

impl<'a> SeriesLines<'a> {
    pub(super) fn read(
        resource: &'a str,
        uid: &str,
        context: &ExpansionContext,
    ) -> Result<Self, MoveProblem> {
        let lines = logical_lines(resource);
        let events = events_with(&lines, uid);
        let series = Series::read(resource, uid, context);
        let series =
            series.filter(|series| !events.is_empty() && series.instances.len() == events.len());
        Ok(Self {
            series: series.ok_or(MoveProblem::NotThere)?,
            lines,
            events,
        })
    }

    /// The event that changes this instance.
    fn changed(&self, instance: &str) -> Option<Range<usize>> {
        let mut pairs = self.series.instances.iter().zip(&self.events);
        let found = pairs.find(|(changed, _)| changed.as_deref() == Some(instance));
        found.map(|(_, event)| event.clone())
    }

    pub(super) fn master(&self) -> Result<Range<usize>, MoveProblem> {
        let mut pairs = self.series.instances.iter().zip(&self.events);
        let found = pairs.find(|(changed, _)| changed.is_none());
        found
            .map(|(_, event)| event.clone())
            .ok_or(MoveProblem::NotThere)
    }

    /// A property that names an instance as the series writes its start: in its zone, in UTC,
    /// or as a date.
    fn named(
        &self,
        master: &Range<usize>,
        property: &str,
        instance: &str,
    ) -> Result<String, MoveProblem> {
        let mut lines = self.lines[master.clone()].iter();
        let start = lines.find(|line| line.name() == "DTSTART");
        let wall = self.series.wall_time_of(instance);
        let (Some(start), Some(wall)) = (start, wall) else {
            return Err(MoveProblem::NotThere);
        };
        let (text, value) = (start.text(), start.value());
        let value = value.trim();
        let parameters = text.trim_end();
        let parameters = parameters
            .strip_suffix(value)
            .and_then(|text| text.strip_suffix(':'))
            .and_then(|text| text.get("DTSTART".len()..))
            .unwrap_or_default();
        let form = match (value.contains('T'), value.ends_with('Z')) {
            (false, _) => "%Y%m%d",
            (true, true) => "%Y%m%dT%H%M%SZ",
            (true, false) => "%Y%m%dT%H%M%S",
        };
        Ok(format!("{property}{parameters}:{}", wall.format(form)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Zone;
    use crate::model::calendar::{EventClock, window};
    use crate::services::ics;

    const WEEKLY: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nSEQUENCE:1\r\n\
        DTSTART;TZID=Europe/Berlin:20261019T100000\r\nDTEND;TZID=Europe/Berlin:20261019T103000\r\n\
        RRULE:FREQ=WEEKLY\r\nEXDATE;TZID=Europe/Berlin:20261109T100000\r\nSUMMARY:Stand-up\r\n\
        X-OWN:1\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:a\r\n\
        RECURRENCE-ID;TZID=Europe/Berlin:20261130T100000\r\nDTSTART:20261130T130000Z\r\n\
        DTEND:20261130T133000Z\r\nSUMMARY:Stand-up\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-22T08:00:00Z").unwrap()
    }

    fn context() -> ExpansionContext<'static> {
        ExpansionContext {
            window: window(now()),
            zone: Zone::UTC,
            own_emails: &[],
            is_late: &|| false,
        }
    }

    /// Starts and titles of the next four instances.
    fn starts(text: &str) -> Vec<String> {
        let file = ics::read(text.as_bytes(), &context()).unwrap();
        let mut events = file.events;
        events.retain(|event| event.time.starts_at > now());
        events.sort_by_key(|event| event.time.starts_at);
        let starts = events.iter().take(4);
        starts
            .map(|event| event.time.starts_at.utc().format("%m-%d %H:%M").to_string())
            .collect()
    }

    fn time(starts: &str, ends: &str) -> EventTime {
        EventTime {
            clock: EventClock::Zoned,
            starts_at: Timestamp::parse(starts).unwrap(),
            ends_at: Timestamp::parse(ends).unwrap(),
        }
    }

    #[test]
    fn one_instance_is_moved_and_the_series_stays() {
        let to = time("2026-11-23T13:00:00Z", "2026-11-23T13:30:00Z");
        let instance = ("a", "20261123T090000Z");
        let moved = moved_instance(WEEKLY, instance, &to, &context(), now()).unwrap();
        let own = "BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:Stand-up\r\nX-OWN:1\r\n\
            RECURRENCE-ID;TZID=Europe/Berlin:20261123T100000\r\nDTSTART:20261123T130000Z\r\n\
            DTEND:20261123T133000Z\r\nDTSTAMP:20261122T080000Z\r\nLAST-MODIFIED:20261122T080000Z\r\n\
            SEQUENCE:2\r\nEND:VEVENT\r\n";
        let expected = WEEKLY.replacen("END:VEVENT\r\n", &format!("END:VEVENT\r\n{own}"), 1);
        assert_eq!(moved, expected);
        let expected = ["11-23 13:00", "11-30 13:00", "12-07 09:00", "12-14 09:00"];
        assert_eq!(starts(&moved), expected);
        // Again: it has an event of its own now.
        let to = time("2026-11-24T07:00:00Z", "2026-11-24T07:30:00Z");
        let again = moved_instance(&moved, instance, &to, &context(), now()).unwrap();
        let expected = ["11-24 07:00", "11-30 13:00", "12-07 09:00", "12-14 09:00"];
        assert_eq!(starts(&again), expected);
        assert_eq!(again.matches("BEGIN:VEVENT").count(), 3);
        let there = ics::series::instance_time(&again, "a", instance.1, &context());
        assert_eq!(there, Ok(Some(to)));
    }

    #[test]
    fn one_instance_is_left_out() {
        let without =
            |text: &str, instance: &str| without_instance(text, ("a", instance), &context(), now());
        let text = without(WEEKLY, "20261123T090000Z").unwrap().unwrap();
        assert!(text.contains("EXDATE;TZID=Europe/Berlin:20261123T100000\r\nDTSTAMP"));
        assert!(text.contains("EXDATE;TZID=Europe/Berlin:20261109T100000\r\n"));
        let expected = ["11-30 13:00", "12-07 09:00", "12-14 09:00", "12-21 09:00"];
        assert_eq!(starts(&text), expected);
        // One that was moved before.
        let text = without(&text, "20261130T090000Z").unwrap().unwrap();
        assert_eq!(starts(&text)[0], "12-07 09:00");
        assert_eq!(text.matches("BEGIN:VEVENT").count(), 1);
        let gone = ics::series::instance_time(&text, "a", "20261130T090000Z", &context());
        assert_eq!(gone, Ok(None));
    }

    #[test]
    fn instances_are_named_as_the_series_writes_them() {
        let cases = [
            (
                "DTSTART:20261123T090000Z", "20261123T090000Z", "EXDATE:20261123T090000Z\r\n",
            ),
            (
                "DTSTART:20261123T090000", "20261130T090000", "EXDATE:20261130T090000\r\n",
            ),
            (
                "DTSTART;VALUE=DATE:20261123", "20261130", "EXDATE;VALUE=DATE:20261130\r\n",
            ),
            (
                "DTSTART;TZID=\r\n W. Europe Standard Time:20261123T100000",
                "20261130T090000Z",
                "EXDATE;TZID=W. Europe Standard Time:20261130T100000\r\n",
            ),
        ];
        for (start, instance, expected) in cases {
            let text = format!(
                "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n{start}\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
            );
            let left = without_instance(&text, ("a", instance), &context(), now());
            let left = left.unwrap().unwrap();
            assert!(left.contains(expected), "{start}: {left}");
            let found = ics::series::instance_time(&left, "a", instance, &context());
            assert_eq!(found, Ok(None), "{start}");
        }
        // An instance alone, as it comes with an invitation.
        let (from, to) = (
            WEEKLY.find("BEGIN:VEVENT").unwrap(),
            WEEKLY.rfind("BEGIN:VEVENT").unwrap(),
        );
        let alone = format!("{}{}", &WEEKLY[..from], &WEEKLY[to..]);
        let left = without_instance(&alone, ("a", "20261130T090000Z"), &context(), now());
        assert_eq!(left, Ok(None));
        for text in ["", "<html>", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"] {
            let left = without_instance(text, ("a", "20261130T090000Z"), &context(), now());
            assert_eq!(left, Err(MoveProblem::NotThere), "{text}");
        }
    }
}
