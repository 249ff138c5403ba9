//! The text of a calendar resource (RFC 5545) as it is written: a new event, and one that is
//! moved. Whatever else a resource holds stays as it is, byte for byte.

use std::ops::Range;

use crate::clock::Timestamp;
use crate::model::calendar::{EventClock, EventTime};

/// Octets of a line, without its end.
const LINE_BYTES_MAX: usize = 75;
/// Properties with an event's time.
pub(super) const TIMES: [&str; 3] = ["DTSTART", "DTEND", "DURATION"];
/// Properties that make an event a series.
pub(super) const RULES: [&str; 4] = ["RRULE", "RDATE", "EXRULE", "EXDATE"];
/// Properties that each version of an event replaces.
const STAMPS: [&str; 2] = ["DTSTAMP", "LAST-MODIFIED"];
const PRODUCT: &str = concat!("-//Chatkeep//", env!("CARGO_PKG_VERSION"), "//EN");

/// Why an event can't be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveProblem {
    /// The event has a rule, or instances of its own.
    Repeats,
    /// The resource holds no event with that UID.
    NotThere,
    /// A series moves within its days only.
    OtherDay,
    /// The series' rule names times of its own.
    OwnTimes,
}

/// A resource with one event.
pub(super) fn new_event(uid: &str, title: &str, time: &EventTime, now: Timestamp) -> String {
    let mut text = String::new();
    for line in [
        "BEGIN:VCALENDAR".to_owned(),
        "VERSION:2.0".to_owned(),
        format!("PRODID:{PRODUCT}"),
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{uid}"),
        format!("DTSTAMP:{}", utc_time(now)),
        start(time),
        end(time),
        format!("SUMMARY:{}", escaped(title)),
        "END:VEVENT".to_owned(),
        "END:VCALENDAR".to_owned(),
    ] {
        text.push_str(&folded(&line));
    }
    text
}

/// The resource with its event at another time, in its next version.
pub(super) fn moved_event(
    resource: &str,
    uid: &str,
    to: &EventTime,
    now: Timestamp,
) -> Result<String, MoveProblem> {
    let lines = logical_lines(resource);
    let range = event_with(&lines, uid)?;
    let moved = next_version(&lines[range.clone()], &TIMES, vec![start(to), end(to)], now);
    Ok(replaced(&lines, range, &moved))
}

/// The lines of an event without some of its properties, with others, in its next version.
pub(super) fn next_version(
    event: &[Line],
    left_out: &[&str],
    mut added: Vec<String>,
    now: Timestamp,
) -> String {
    let (mut text, mut depth, mut sequence) = (String::new(), 0, 0);
    for line in event {
        let name = line.name();
        match name.as_str() {
            "BEGIN" => depth += 1,
            "END" => depth -= 1,
            "SEQUENCE" if depth == 1 => {
                sequence = line.value().trim().parse().unwrap_or(0);
                continue;
            }
            // Of the event itself; an alarm has a DURATION of its own.
            name if depth == 1 && (STAMPS.contains(&name) || left_out.contains(&name)) => continue,
            _ => {}
        }
        if depth == 0 {
            added.extend([
                format!("DTSTAMP:{}", utc_time(now)),
                format!("LAST-MODIFIED:{}", utc_time(now)),
                format!("SEQUENCE:{}", sequence + 1),
            ]);
            text.extend(added.drain(..).map(|line| folded(&line)));
        }
        text.push_str(line.raw);
    }
    text
}

/// The resource with other text in the place of some of its lines.
pub(super) fn replaced(lines: &[Line], range: Range<usize>, text: &str) -> String {
    let raw = |lines: &[Line<'_>]| lines.iter().map(|line| line.raw).collect::<String>();
    format!(
        "{}{text}{}",
        raw(&lines[..range.start]),
        raw(&lines[range.end..])
    )
}

/// The start of the event, and whether it is there.
pub(super) fn is_at(resource: &str, uid: &str, time: &EventTime) -> bool {
    let lines = logical_lines(resource);
    let Ok(range) = event_with(&lines, uid) else {
        return false;
    };
    let expected = start(time);
    lines[range].iter().any(|line| line.text() == expected)
}

/// The resource holds an event with that UID.
pub(super) fn holds(resource: &str, uid: &str) -> bool {
    let lines = logical_lines(resource);
    lines.iter().any(|line| line.is_uid(uid))
}

/// A content line with the lines that continue it.
pub(super) struct Line<'a> {
    /// The text with its line ends.
    pub(super) raw: &'a str,
}

impl Line<'_> {
    pub(super) fn text(&self) -> String {
        let unfolded = self.raw.replace("\r\n", "\n");
        let unfolded = unfolded.replace("\n ", "").replace("\n\t", "");
        unfolded.trim_end_matches('\n').to_owned()
    }

    /// The property's name in upper case.
    pub(super) fn name(&self) -> String {
        let text = self.text();
        let name = text.split([':', ';']).next().unwrap_or_default();
        name.trim().to_ascii_uppercase()
    }

    pub(super) fn value(&self) -> String {
        let text = self.text();
        text.split_once(':')
            .map_or(String::new(), |(_, value)| value.to_owned())
    }

    fn is_uid(&self, uid: &str) -> bool {
        self.name() == "UID" && self.value().trim() == uid
    }

    fn is_event(&self, name: &str) -> bool {
        self.name() == name && self.value().trim().eq_ignore_ascii_case("VEVENT")
    }
}

pub(super) fn logical_lines(resource: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let (mut start, mut at) = (0, 0);
    for raw in resource.split_inclusive('\n') {
        if at > start && !raw.starts_with([' ', '\t']) {
            lines.push(Line {
                raw: &resource[start..at],
            });
            start = at;
        }
        at += raw.len();
    }
    if at > start {
        lines.push(Line {
            raw: &resource[start..at],
        });
    }
    lines
}

/// The lines of the one event with that UID, its BEGIN and END too.
fn event_with(lines: &[Line], uid: &str) -> Result<Range<usize>, MoveProblem> {
    let mut found = events_with(lines, uid);
    let event = found.pop().ok_or(MoveProblem::NotThere)?;
    let repeats = |line: &Line<'_>| {
        let name = line.name();
        name == "RECURRENCE-ID" || RULES.contains(&name.as_str())
    };
    match !found.is_empty() || lines[event.clone()].iter().any(repeats) {
        true => Err(MoveProblem::Repeats),
        false => Ok(event),
    }
}

/// The lines of each event with that UID.
pub(super) fn events_with(lines: &[Line], uid: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut begun = None;
    for (at, line) in lines.iter().enumerate() {
        if line.is_event("BEGIN") {
            begun = Some(at);
        } else if line.is_event("END")
            && let Some(begin) = begun.take()
            && lines[begin..=at].iter().any(|line| line.is_uid(uid))
        {
            found.push(begin..at + 1);
        }
    }
    found
}

pub(super) fn start(time: &EventTime) -> String {
    bound("DTSTART", time, time.starts_at)
}

pub(super) fn end(time: &EventTime) -> String {
    bound("DTEND", time, time.ends_at)
}

fn bound(name: &str, time: &EventTime, at: Timestamp) -> String {
    match time.clock {
        EventClock::Zoned => format!("{name}:{}", utc_time(at)),
        EventClock::Floating => format!("{name}:{}", at.utc().format("%Y%m%dT%H%M%S")),
        EventClock::AllDay => format!("{name};VALUE=DATE:{}", at.utc().format("%Y%m%d")),
    }
}

fn utc_time(at: Timestamp) -> String {
    at.utc().format("%Y%m%dT%H%M%SZ").to_string()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace(';', "\\;")
        .replace(',', "\\,")
        .replace(['\r', '\n'], " ")
}

/// With its end; a long line goes on in the next ones.
pub(super) fn folded(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 2);
    let mut length = 0;
    for character in line.chars() {
        if length + character.len_utf8() > LINE_BYTES_MAX {
            text.push_str("\r\n ");
            length = 1;
        }
        text.push(character);
        length += character.len_utf8();
    }
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(clock: EventClock, starts_at: &str, ends_at: &str) -> EventTime {
        EventTime {
            clock,
            starts_at: Timestamp::parse(starts_at).unwrap(),
            ends_at: Timestamp::parse(ends_at).unwrap(),
        }
    }

    #[test]
    fn a_new_event_has_what_it_needs() {
        let time = time(
            EventClock::Zoned,
            "2026-11-24T12:00:00Z",
            "2026-11-24T13:00:00Z",
        );
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let text = new_event("u-1", "lunch; with Bo, é\n", &time, now);
        for line in [
            "BEGIN:VCALENDAR\r\n",
            "UID:u-1\r\nDTSTAMP:20261122T080000Z\r\nDTSTART:20261124T120000Z\r\nDTEND:20261124T130000Z\r\n",
            "SUMMARY:lunch\\; with Bo\\, é \r\n",
            "END:VCALENDAR\r\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert!(is_at(&text, "u-1", &time) && holds(&text, "u-1"));
        let long = new_event("u-1", &"é".repeat(200), &time, now);
        assert!(long.lines().all(|line| line.len() <= LINE_BYTES_MAX));
        assert!(
            logical_lines(&long)
                .iter()
                .any(|line| line.text() == format!("SUMMARY:{}", "é".repeat(200)))
        );
    }

    const RESOURCE: &str = "BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n\
        BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n\
        BEGIN:VEVENT\r\nUID:a\r\nSEQUENCE:3\r\nDTSTART;TZID=\r\n Europe/Berlin:20261124T130000\r\n\
        DURATION:PT1H\r\nSUMMARY:lunch\r\nX-OWN;A=\"b:c\":d\r\n e\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\n\
        DURATION:PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    #[test]
    fn a_moved_event_keeps_everything_else() {
        let now = Timestamp::parse("2026-11-22T08:00:00Z").unwrap();
        let to = time(
            EventClock::Zoned,
            "2026-11-24T13:00:00Z",
            "2026-11-24T14:00:00Z",
        );
        let moved = moved_event(RESOURCE, "a", &to, now).unwrap();
        let expected = RESOURCE
            .replace("SEQUENCE:3\r\nDTSTART;TZID=\r\n Europe/Berlin:20261124T130000\r\nDURATION:PT1H\r\n", "")
            .replace(
                "END:VEVENT\r\n",
                "DTSTART:20261124T130000Z\r\nDTEND:20261124T140000Z\r\nDTSTAMP:20261122T080000Z\r\n\
                 LAST-MODIFIED:20261122T080000Z\r\nSEQUENCE:4\r\nEND:VEVENT\r\n",
            );
        assert_eq!(moved, expected);
        assert!(is_at(&moved, "a", &to) && !is_at(RESOURCE, "a", &to));
        let day = time(
            EventClock::AllDay,
            "2026-11-25T00:00:00Z",
            "2026-11-26T00:00:00Z",
        );
        let moved = moved_event(RESOURCE, "a", &day, now).unwrap();
        assert!(
            moved.contains("DTSTART;VALUE=DATE:20261125\r\nDTEND;VALUE=DATE:20261126\r\n"),
            "{moved}"
        );
    }

    #[test]
    fn what_repeats_or_is_not_there_is_not_moved() {
        let now = Timestamp(0);
        let to = time(
            EventClock::Zoned,
            "2026-11-24T13:00:00Z",
            "2026-11-24T14:00:00Z",
        );
        let moved = |text: &str| moved_event(text, "a", &to, now);
        let weekly = RESOURCE.replace("SUMMARY", "RRULE:FREQ=WEEKLY\r\nSUMMARY");
        assert_eq!(moved(&weekly), Err(MoveProblem::Repeats));
        let twice = RESOURCE.replace(
            "END:VCALENDAR",
            "BEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\nEND:VCALENDAR",
        );
        assert_eq!(moved(&twice), Err(MoveProblem::Repeats));
        for text in ["", "BEGIN:VEVENT\r\nUID:b\r\nEND:VEVENT\r\n", "<html>"] {
            assert_eq!(moved(text), Err(MoveProblem::NotThere), "{text}");
        }
    }
}
