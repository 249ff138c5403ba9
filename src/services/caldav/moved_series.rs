//! A whole series at another time of the day, in the text of a calendar resource (RFC 5545): its
//! start, the days that are left out or added, and its end, all by the same shift. Instances that
//! were moved by themselves stay where they are; whatever else the resource holds stays as it is.

use super::instance::SeriesLines;
use super::resource::{
    Line, MoveProblem, events_with, folded, logical_lines, next_version, replaced,
};
use crate::clock::Timestamp;
use crate::model::calendar::EventTime;
use crate::services::ics::ExpansionContext;
use crate::services::ics::series::{Series, Shift};

/// Parts of a rule that name times of the day by themselves.
const OWN_TIMES: [&str; 3] = ["BYHOUR", "BYMINUTE", "BYSECOND"];
/// Series that come several times a day.
const SHORT_STEPS: [&str; 3] = ["HOURLY", "MINUTELY", "SECONDLY"];

/// Whether the series begins at that time of the day already.
pub(super) fn is_at(
    resource: &str,
    (uid, instance): (&str, &str),
    to: &EventTime,
    context: &ExpansionContext,
) -> bool {
    let series = Series::read(resource, uid, context);
    let shift = series.and_then(|series| series.shift(instance, to, context.zone));
    shift.is_some_and(Shift::is_none)
}

/// The resource with the series at the time of the day to which one of its instances moves.
pub(super) fn moved_series(
    resource: &str,
    (uid, instance): (&str, &str),
    to: &EventTime,
    context: &ExpansionContext,
    now: Timestamp,
) -> Result<String, MoveProblem> {
    let found = SeriesLines::read(resource, uid, context)?;
    let shift = found.series.shift(instance, to, context.zone);
    let shift = shift.ok_or(MoveProblem::OtherDay)?;
    let master = found.master()?;
    let mut text = String::new();
    for (at, line) in found.lines.iter().enumerate() {
        let event = found.events.iter().find(|event| event.contains(&at));
        let shifted = match event {
            Some(event) if *event == master => shifted_in_series(line, shift)?,
            Some(event) => shifted_in_instance(line, &found.lines[event.clone()], shift)?,
            None => None,
        };
        match shifted {
            Some(shifted) => text.push_str(&folded(&shifted)),
            None => text.push_str(line.raw),
        }
    }
    for n in 0..found.events.len() {
        let lines = logical_lines(&text);
        let Some(event) = events_with(&lines, uid).into_iter().nth(n) else {
            return Err(MoveProblem::NotThere);
        };
        let next = next_version(&lines[event.clone()], &[], Vec::new(), now);
        text = replaced(&lines, event, &next);
    }
    Ok(text)
}

/// `None`: the line stays as it is.
fn shifted_in_series(line: &Line, shift: Shift) -> Result<Option<String>, MoveProblem> {
    match line.name().as_str() {
        "DTSTART" | "DTEND" | "EXDATE" | "RDATE" => shifted(line, shift),
        "RRULE" => shifted_rule(line, shift).map(Some),
        "EXRULE" => Err(MoveProblem::OwnTimes),
        _ => Ok(None),
    }
}

fn shifted_in_instance(
    line: &Line,
    event: &[Line],
    shift: Shift,
) -> Result<Option<String>, MoveProblem> {
    let after_name = |name: &str| {
        let found = event.iter().find(|line| line.name() == name)?;
        found.text().get(name.len()..).map(str::to_owned)
    };
    let named = after_name("RECURRENCE-ID");
    match line.name().as_str() {
        "RECURRENCE-ID" if line.text().to_ascii_uppercase().contains(";RANGE=") => {
            Err(MoveProblem::OwnTimes)
        }
        "RECURRENCE-ID" => shifted(line, shift),
        // It was changed, but not moved.
        "DTSTART" | "DTEND" if named == after_name("DTSTART") => shifted(line, shift),
        _ => Ok(None),
    }
}

/// A property whose values are dates, which stay, and times.
fn shifted(line: &Line, shift: Shift) -> Result<Option<String>, MoveProblem> {
    let text = line.text();
    let (name, values) = text.rsplit_once(':').ok_or(MoveProblem::OwnTimes)?;
    let values = values.split(',').map(|value| shifted_time(value, shift));
    let values: Vec<String> = values.collect::<Result<_, _>>()?;
    Ok(Some(format!("{name}:{}", values.join(","))))
}

fn shifted_time(value: &str, shift: Shift) -> Result<String, MoveProblem> {
    shift.moved(value.trim()).ok_or(MoveProblem::OwnTimes)
}

fn shifted_rule(line: &Line, shift: Shift) -> Result<String, MoveProblem> {
    let text = line.text();
    let (name, rule) = text.split_once(':').ok_or(MoveProblem::OwnTimes)?;
    let part = |part: &str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (key, upper) = (key.to_ascii_uppercase(), value.to_ascii_uppercase());
        match key.as_str() {
            "FREQ" if SHORT_STEPS.contains(&upper.as_str()) => Err(MoveProblem::OwnTimes),
            "UNTIL" => Ok(format!("UNTIL={}", shifted_time(&upper, shift)?)),
            key if OWN_TIMES.contains(&key) => Err(MoveProblem::OwnTimes),
            _ => Ok(part.to_owned()),
        }
    };
    let parts: Vec<String> = rule.trim().split(';').map(part).collect::<Result<_, _>>()?;
    Ok(format!("{name}:{}", parts.join(";")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Zone;
    use crate::model::calendar::{EventClock, window};
    use crate::services::ics;

    /// Every Monday at 10:00 in Berlin; 9 November is left out, 30 November moved by itself,
    /// and 7 December has another title.
    const WEEKLY: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nSEQUENCE:1\r\n\
        DTSTART;TZID=Europe/Berlin:20261019T100000\r\nDTEND;TZID=Europe/Berlin:20261019T103000\r\n\
        RRULE:FREQ=WEEKLY;UNTIL=20261214T090000Z\r\n\
        EXDATE;TZID=Europe/Berlin:20261109T100000,20261116T100000\r\nSUMMARY:Stand-up\r\n\
        BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:a\r\n\
        RECURRENCE-ID;TZID=Europe/Berlin:20261130T100000\r\nDTSTART:20261130T130000Z\r\n\
        DTEND:20261130T133000Z\r\nSUMMARY:Stand-up\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:a\r\n\
        RECURRENCE-ID;TZID=Europe/Berlin:20261207T100000\r\n\
        DTSTART;TZID=Europe/Berlin:20261207T100000\r\nDTEND;TZID=Europe/Berlin:20261207T110000\r\n\
        SUMMARY:Long stand-up\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    const INSTANCE: (&str, &str) = ("a", "20261123T090000Z");

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

    fn to(starts: &str) -> EventTime {
        let starts_at = Timestamp::parse(starts).unwrap();
        EventTime {
            clock: EventClock::Zoned,
            starts_at,
            ends_at: starts_at.plus_s(1_800),
        }
    }

    /// Starts and titles of those ahead.
    fn starts(text: &str) -> Vec<String> {
        let mut events = ics::read(text.as_bytes(), &context()).unwrap().events;
        events.retain(|event| event.time.starts_at > now());
        events.sort_by_key(|event| event.time.starts_at);
        let starts = events.iter().map(|event| {
            let at = event.time.starts_at.utc().format("%m-%d %H:%M");
            format!("{at} {}", event.details.title)
        });
        starts.collect()
    }

    #[test]
    fn a_series_is_moved_with_all_that_names_its_times() {
        let at = to("2026-11-23T13:15:00Z");
        let moved = moved_series(WEEKLY, INSTANCE, &at, &context(), now()).unwrap();
        assert_eq!(
            starts(&moved),
            [
                "11-23 13:15 Stand-up", "11-30 13:00 Stand-up", "12-07 13:15 Long stand-up",
                "12-14 13:15 Stand-up"
            ]
        );
        for line in [
            "DTSTART;TZID=Europe/Berlin:20261019T141500\r\n",
            "RRULE:FREQ=WEEKLY;UNTIL=20261214T131500Z\r\n",
            "EXDATE;TZID=Europe/Berlin:20261109T141500,20261116T141500\r\n",
            "RECURRENCE-ID;TZID=Europe/Berlin:20261130T141500\r\nDTSTART:20261130T130000Z\r\n",
            "DTEND;TZID=Europe/Berlin:20261207T151500\r\n",
            "BEGIN:VALARM\r\nTRIGGER:-PT15M\r\nEND:VALARM\r\n",
        ] {
            assert!(moved.contains(line), "{line}{moved}");
        }
        assert_eq!(moved.matches("SEQUENCE:").count(), 3);
        assert!(is_at(&moved, INSTANCE, &at, &context()));
        assert!(!is_at(WEEKLY, INSTANCE, &at, &context()));
    }

    #[test]
    fn what_can_not_be_moved_as_a_whole_stays() {
        let moved = |text: &str, at: &str| {
            moved_series(text, INSTANCE, &to(at), &context(), now()).map(drop)
        };
        let day = "2026-11-23T13:00:00Z";
        assert_eq!(moved(WEEKLY, day), Ok(()));
        assert_eq!(
            moved(WEEKLY, "2026-11-24T13:00:00Z"),
            Err(MoveProblem::OtherDay)
        );
        for (from, with) in [
            ("FREQ=WEEKLY", "FREQ=WEEKLY;BYHOUR=10,12"),
            ("FREQ=WEEKLY", "FREQ=HOURLY"),
            (
                "SUMMARY:Stand-up\r\nBEGIN:VALARM", "EXRULE:FREQ=DAILY\r\nBEGIN:VALARM",
            ),
            ("RECURRENCE-ID;", "RECURRENCE-ID;RANGE=THISANDFUTURE;"),
        ] {
            let text = WEEKLY.replace(from, with);
            assert_eq!(moved(&text, day), Err(MoveProblem::OwnTimes), "{with}");
        }
        let whole_days = WEEKLY.replace(
            "DTSTART;TZID=Europe/Berlin:20261019T100000",
            "DTSTART;VALUE=DATE:20261019",
        );
        assert_eq!(moved(&whole_days, day), Err(MoveProblem::OtherDay));
    }
}
