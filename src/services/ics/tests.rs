//! Calendars as Google, Outlook, Apple and others publish them, and hostile ones.

use std::cell::Cell;

use super::*;
use crate::model::calendar::{EventClock, Participation, window};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn read_at(bytes: &[u8], now: &str) -> Result<CalendarFile, FileError> {
    let own_emails = ["ada@example.com".to_owned()];
    read(
        bytes,
        &ExpansionContext {
            window: window(at(now)),
            zone: "Europe/Vienna".parse().unwrap(),
            own_emails: &own_emails,
            is_late: &|| false,
        },
    )
}

/// A calendar of these lines.
fn calendar(lines: &str) -> String {
    let lines: Vec<&str> = lines
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}\r\nEND:VCALENDAR\r\n",
        lines.join("\r\n")
    )
}

/// An event of these lines.
fn vevent(lines: &str) -> String {
    format!("BEGIN:VEVENT\n{lines}\nEND:VEVENT")
}

/// Starts and ends of what is found, with its instance: "11-23T08:00+1h".
fn times(lines: &str) -> String {
    let file = read_at(calendar(lines).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    let shown = file.events.iter().map(|event| {
        let time = event.time;
        let minutes = (time.ends_at.0 - time.starts_at.0) / 60_000;
        let clock = match time.clock {
            EventClock::Zoned => "",
            EventClock::Floating => "~",
            EventClock::AllDay => "*",
        };
        format!(
            "{clock}{}+{minutes}",
            time.starts_at.utc().format("%m-%dT%H:%M")
        )
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
#[rustfmt::skip] // a table: one case, one line
fn times_are_read_as_calendars_write_them() {
    let cases = [
        ("DTSTART:20261123T090000Z\nDTEND:20261123T100000Z", "11-23T09:00+60"),
        ("DTSTART;TZID=Europe/Berlin:20261123T090000\nDTEND;TZID=Europe/Berlin:20261123T093000", "11-23T08:00+30"),
        ("DTSTART;TZID=\"Europe/Berlin\":20261123T090000\nDURATION:PT45M", "11-23T08:00+45"),
        ("DTSTART;TZID=W. Europe Standard Time:20261123T090000", "11-23T08:00+0"),
        ("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261123T090000", "11-23T08:00+0"),
        ("DTSTART;TZID=/freeassociation.sourceforge.net/Tzfile/America/Argentina/Buenos_Aires:20261123T090000", "11-23T12:00+0"),
        ("DTSTART;TZID=tzone://Microsoft/Utc:20261123T090000", "11-23T09:00+0"),
        ("DTSTART;TZID=GMT+0100:20261123T090000", "11-23T08:00+0"),
        // A zone that nobody knows is the person's, in Vienna.
        ("DTSTART;TZID=Customized Time Zone:20261123T090000", "11-23T08:00+0"),
        ("DTSTART:20261123T090000\nDTEND:20261123T100000", "~11-23T09:00+60"),
        ("DTSTART;VALUE=DATE:20261123", "*11-23T00:00+1440"),
        ("DTSTART:20261123", "*11-23T00:00+1440"),
        ("DTSTART;VALUE=DATE:20261123\nDTEND;VALUE=DATE:20261125", "*11-23T00:00+2880"),
        ("DTSTART;VALUE=DATE:20261123\nDURATION:P1D", "*11-23T00:00+1440"),
        // An end before the start is none.
        ("DTSTART:20261123T090000Z\nDTEND:20261122T100000Z", "11-23T09:00+0"),
        // Start and end in two zones.
        ("DTSTART;TZID=Europe/Berlin:20261123T090000\nDTEND;TZID=America/New_York:20261123T090000", "11-23T08:00+360"),
        // Overnight as the clocks go back: seven hours on the wall are eight.
        ("DTSTART;TZID=Europe/Berlin:20261024T230000\nDTEND;TZID=Europe/Berlin:20261025T060000", "10-24T21:00+480"),
        ("DTSTART;TZID=America/New_York:20261031T230000\nDTEND;TZID=America/New_York:20261101T060000", "11-01T03:00+480"),
        ("DTSTART:20200101T090000Z", ""),
        ("DTSTART:99990101T090000Z", ""),
        ("DTSTART:00010101T090000Z", ""),
        ("DTSTART:20261399T090000Z", ""),
        ("DTSTART:soon", ""),
        ("SUMMARY:no start", ""),
        ("DTSTART:20261123T090000Z\nSTATUS:CANCELLED", ""),
    ];
    for (lines, expected) in cases {
        let found = times(&vevent(&format!("UID:a\n{lines}")));
        assert_eq!(found, expected, "{lines}");
    }
}

#[test]
#[rustfmt::skip] // a table: one case, one line
fn series_are_expanded_on_the_wall() {
    let berlin = "DTSTART;TZID=Europe/Berlin:20270326T090000\nDTEND;TZID=Europe/Berlin:20270326T100000";
    let cases = [
        // The clocks go forward on 2027-03-28.
        (format!("{berlin}\nRRULE:FREQ=DAILY;COUNT=4"), "03-26T08:00+60 03-27T08:00+60 03-28T07:00+60 03-29T07:00+60"),
        (format!("{berlin}\nRRULE:FREQ=DAILY;UNTIL=20270327"), "03-26T08:00+60 03-27T08:00+60"),
        (format!("{berlin}\nRRULE:FREQ=DAILY;UNTIL=20270328T070000Z"), "03-26T08:00+60 03-27T08:00+60 03-28T07:00+60"),
        (format!("{berlin}\nRRULE:FREQ=DAILY;UNTIL=20270327T090000"), "03-26T08:00+60 03-27T08:00+60"),
        // The time in the gap moves on; the one said twice is the first.
        ("DTSTART;TZID=Europe/Berlin:20270327T023000\nRRULE:FREQ=DAILY;COUNT=3".to_owned(), "03-27T01:30+0 03-28T01:00+0 03-29T00:30+0"),
        ("DTSTART;TZID=Europe/Berlin:20271030T023000\nRRULE:FREQ=DAILY;COUNT=3".to_owned(), "10-30T00:30+0 10-31T00:30+0 11-01T01:30+0"),
        // The start is a Friday, which the rule misses.
        (format!("{berlin}\nRRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3"), "03-26T08:00+60 03-29T07:00+60 04-05T07:00+60"),
        (format!("{berlin}\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE;TZID=Europe/Berlin:20270327T090000,20270329T090000"), "03-26T08:00+60 03-28T07:00+60"),
        (format!("{berlin}\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20270327T080000Z\nEXDATE:20270328T070000Z"), "03-26T08:00+60"),
        // Exchange leaves out a date of a series with times.
        (format!("{berlin}\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20270327"), "03-26T08:00+60 03-28T07:00+60"),
        (format!("{berlin}\nRDATE;TZID=Europe/Berlin:20270401T120000"), "03-26T08:00+60 04-01T10:00+60"),
        (format!("{berlin}\nRDATE;VALUE=PERIOD:20270401T100000Z/PT30M,20270402T100000Z/20270402T120000Z"), "03-26T08:00+60 04-01T10:00+30 04-02T10:00+120"),
        ("DTSTART;VALUE=DATE:20270101\nRRULE:FREQ=YEARLY;COUNT=2".to_owned(), "*01-01T00:00+1440"),
        ("DTSTART;VALUE=DATE:20261124\nRRULE:FREQ=DAILY;UNTIL=20261125T235959Z".to_owned(), "*11-24T00:00+1440 *11-25T00:00+1440"),
        ("DTSTART;VALUE=DATE:20261124\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20261125T000000Z".to_owned(), "*11-24T00:00+1440 *11-26T00:00+1440"),
        ("DTSTART:20261124T080000\nRRULE:FREQ=DAILY;UNTIL=20261125T080000Z".to_owned(), "~11-24T08:00+0 ~11-25T08:00+0"),
        // A birthday of long ago.
        ("DTSTART;VALUE=DATE:19520229\nRRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=29".to_owned(), "*11-29T00:00+1440 *11-29T00:00+1440"),
        // A rule that can't be read is none.
        (format!("{berlin}\nRRULE:FREQ=SOMETIMES"), "03-26T08:00+60"),
    ];
    for (lines, expected) in cases {
        let found = times(&vevent(&format!("UID:a\n{lines}")));
        assert_eq!(found, expected, "{lines}");
    }
}

/// Titles with starts and instances.
fn instances(lines: &str) -> Vec<String> {
    let file = read_at(calendar(lines).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    let shown = file.events.iter().map(|event| {
        let starts = event.time.starts_at.utc().format("%m-%dT%H:%M");
        format!("{} {starts} {}", event.details.title, event.instance)
    });
    shown.collect()
}

#[test]
#[rustfmt::skip] // a table: one case, one line
fn changed_instances_replace_those_of_the_series() {
    let series = |rest: &str| {
        vevent(&format!(
            "UID:s\nSUMMARY:Plan\nDTSTART;TZID=Europe/Berlin:20261123T090000\n\
             DTEND;TZID=Europe/Berlin:20261123T100000\nRRULE:FREQ=DAILY;COUNT=2\n{rest}"
        ))
    };
    let change = |rest: &str| vevent(&format!("UID:s\nSUMMARY:Moved\n{rest}"));
    let (first, second) = ("Plan 11-23T08:00 20261123T080000Z", "Plan 11-24T08:00 20261124T080000Z");
    let moved = "Moved 11-24T12:00 20261124T080000Z";
    let cases = [
        (series(""), vec![first, second]),
        // By the series' zone, in UTC, in another zone, and with another SEQUENCE.
        (series("") + "\n" + &change("RECURRENCE-ID;TZID=Europe/Berlin:20261124T090000\nDTSTART:20261124T120000Z"), vec![first, moved]),
        (series("SEQUENCE:4") + "\n" + &change("SEQUENCE:1\nRECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T120000Z"), vec![first, moved]),
        (change("RECURRENCE-ID;TZID=America/New_York:20261124T030000\nDTSTART:20261124T120000Z") + "\n" + &series(""), vec![first, moved]),
        (series("") + "\n" + &change("RECURRENCE-ID;VALUE=DATE:20261124\nDTSTART:20261124T120000Z"), vec![first, moved]),
        (series("") + "\n" + &change("RECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T080000Z\nSTATUS:CANCELLED"), vec![first]),
        // One without its master: only that one was invited to.
        (change("RECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T120000Z"), vec![moved]),
        // The later of two changes of one instance.
        (series("") + "\n" + &change("SEQUENCE:2\nRECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T120000Z") + "\n" + &change("SEQUENCE:1\nRECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T180000Z"), vec![first, moved]),
        (series("STATUS:CANCELLED") + "\n" + &change("RECURRENCE-ID:20261124T080000Z\nDTSTART:20261124T120000Z"), vec![]),
        (series("") + "\n" + &change("RECURRENCE-ID;RANGE=THISANDFUTURE:20261124T080000Z\nDTSTART:20261124T120000Z"), vec![first, moved]),
    ];
    for (lines, expected) in cases {
        assert_eq!(instances(&lines), expected, "{lines}");
    }
    // A date and a time of an all-day series name the same instance.
    let days = vevent("UID:d\nSUMMARY:Day\nDTSTART;VALUE=DATE:20261123\nRRULE:FREQ=DAILY;COUNT=2");
    let change = vevent("UID:d\nSUMMARY:Moved\nRECURRENCE-ID:20261124T000000Z\nDTSTART;VALUE=DATE:20261126");
    let expected = ["Day 11-23T00:00 20261123", "Moved 11-26T00:00 20261124"];
    assert_eq!(instances(&format!("{days}\n{change}")), expected);
}

#[test]
fn zones_come_from_the_rules_of_the_file() {
    let outlook = "
        BEGIN:VTIMEZONE
        TZID:Customized Time Zone
        BEGIN:STANDARD
        DTSTART:16010101T020000
        TZOFFSETFROM:-0400
        TZOFFSETTO:-0500
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=1SU;BYMONTH=11
        END:STANDARD
        BEGIN:DAYLIGHT
        DTSTART:16010101T020000
        TZOFFSETFROM:-0500
        TZOFFSETTO:-0400
        RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=2SU;BYMONTH=3
        END:DAYLIGHT
        END:VTIMEZONE
        BEGIN:VEVENT
        UID:a
        DTSTART;TZID=Customized Time Zone:20261123T090000
        END:VEVENT
        BEGIN:VEVENT
        UID:b
        DTSTART;TZID=Customized Time Zone:20270701T090000
        END:VEVENT";
    assert_eq!(times(outlook), "11-23T14:00+0 07-01T13:00+0");
    let fixed = "
        BEGIN:VTIMEZONE
        TZID:Somewhere
        BEGIN:STANDARD
        DTSTART:19700101T000000
        TZOFFSETFROM:+0545
        TZOFFSETTO:+0545
        END:STANDARD
        END:VTIMEZONE
        BEGIN:VEVENT
        UID:a
        DTSTART;TZID=Somewhere:20261123T090000
        END:VEVENT";
    assert_eq!(times(fixed), "11-23T03:15+0");
    let own = "
        X-WR-TIMEZONE:Asia/Tokyo
        BEGIN:VEVENT
        UID:a
        DTSTART;TZID=Nowhere:20261123T090000
        END:VEVENT";
    assert_eq!(times(own), "11-23T00:00+0");
}

#[test]
#[rustfmt::skip] // a table: one case, one line
fn details_are_what_people_want_to_know() {
    let lines = vevent(
        "UID:a
        DTSTART:20261123T090000Z
        SUMMARY;LANGUAGE=de:Gespräch\\, mit \\nBo
        LOCATION:Room 1\\; first floor
        DESCRIPTION:<p>See <b>notes</b></p><br>https://zoom.us/j/123?pwd=x.
        TRANSP:TRANSPARENT
        ORGANIZER;CN=Bo Berg:mailto:Bo@Example.com
        ATTENDEE;CN=ada@example.com;PARTSTAT=DECLINED:mailto:ada@example.com
        ATTENDEE;CN=\"Dee, Cy\";PARTSTAT=ACCEPTED:mailto:cy@example.com
        ATTENDEE;CUTYPE=ROOM;CN=Room 1:mailto:room@example.com",
    );
    let file = calendar(&format!("X-WR-CALNAME:Work\nREFRESH-INTERVAL;VALUE=DURATION:PT12H\n{lines}"));
    let file = read_at(file.as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    assert_eq!((file.name.as_deref(), file.refresh_ms), (Some("Work"), Some(43_200_000)));
    let details = &file.events[0].details;
    assert_eq!(details.title, "Gespräch, mit Bo");
    assert_eq!(details.place, "Room 1; first floor");
    assert_eq!((details.link.as_str(), details.is_call), ("https://zoom.us/j/123?pwd=x", true));
    assert!(details.description.starts_with("See notes"), "{}", details.description);
    assert!(!details.is_busy && details.is_declined());
    let organiser = details.organiser.as_ref().unwrap();
    assert_eq!((organiser.name.as_str(), organiser.email.as_str()), ("Bo Berg", "bo@example.com"));
    let others: Vec<_> = details.attendees.iter().map(|p| (p.name.as_str(), p.participation)).collect();
    assert_eq!(others, [("Dee, Cy", Participation::Accepted)]);
    let links = [
        ("X-GOOGLE-CONFERENCE:https://meet.google.com/abc\nURL:https://example.com", "https://meet.google.com/abc", true),
        ("X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.microsoft.com/l/1", "https://teams.microsoft.com/l/1", true),
        ("CONFERENCE;VALUE=URI;FEATURE=VIDEO:https://video.example.com/1", "https://video.example.com/1", true),
        ("URL:https://example.com/e", "https://example.com/e", false),
        ("LOCATION:https://us02web.zoom.us/j/1", "https://us02web.zoom.us/j/1", true),
        ("DESCRIPTION:see https://evilzoom.us/j/1", "", false),
        ("URL:javascript:alert(1)", "", false),
        ("CONFERENCE;VALUE=URI:tel:+1-555-0100", "", false),
    ];
    for (line, link, is_call) in links {
        let lines = calendar(&vevent(&format!("UID:a\nDTSTART:20261123T090000Z\n{line}")));
        let file = read_at(lines.as_bytes(), "2026-11-22T08:00:00Z").unwrap();
        let details = &file.events[0].details;
        assert_eq!((details.link.as_str(), details.is_call), (link, is_call), "{line}");
        assert_eq!(details.phone.is_empty(), !line.contains("tel:"), "{line}");
    }
    let apple = "X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=\"Cafe Central\":geo:48.2,16.3";
    let lines = calendar(&vevent(&format!("UID:a\nDTSTART:20261123T090000Z\n{apple}")));
    let file = read_at(lines.as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    assert_eq!(file.events[0].details.place, "Cafe Central");
}

#[test]
fn lines_fold_inside_characters() {
    let mut bytes =
        b"\xEF\xBB\xBFBEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20261123T090000Z\nSUMMARY:Caf"
            .to_vec();
    bytes.extend_from_slice(b"\xC3\r\n \xA9 au la\r\n\tit\nEND:VEVENT\nEND:VCALENDAR\n");
    let file = read_at(&bytes, "2026-11-22T08:00:00Z").unwrap();
    assert_eq!(file.events[0].details.title, "Café au lait");
}

#[test]
fn what_is_no_calendar_is_refused() {
    let event = "BEGIN:VEVENT\nUID:a\nDTSTART:20261123T090000Z\nEND:VEVENT\n";
    let cases = [
        ("".to_owned(), FileError::NotACalendar),
        (
            "<!DOCTYPE html><html><body>Sign in</body></html>".to_owned(),
            FileError::NotACalendar,
        ),
        // Cut off: what is missing would look cancelled.
        (
            format!("BEGIN:VCALENDAR\n{event}BEGIN:VEVENT\nUID:b"),
            FileError::NotACalendar,
        ),
        (format!("BEGIN:VCALENDAR\n{event}"), FileError::NotACalendar),
        (
            calendar(&event.repeat(20_001)),
            FileError::TooManyComponents,
        ),
        ("x".repeat(FILE_BYTES_MAX + 1), FileError::TooLong),
        (
            format!(
                "{}{}",
                "BEGIN:VEVENT\n".repeat(19_000),
                "END:VEVENT\n".repeat(19_000)
            ),
            FileError::NotACalendar,
        ),
    ];
    for (text, expected) in cases {
        let shown = text.get(..60).unwrap_or(&text);
        assert_eq!(
            read_at(text.as_bytes(), "2026-11-22T08:00:00Z").err(),
            Some(expected),
            "{shown}"
        );
    }
}

#[test]
fn a_series_of_many_years_has_its_instances() {
    for (rule, first) in [
        ("FREQ=HOURLY", "2026-10-18T08:00:00.000Z"),
        (
            "FREQ=HOURLY;UNTIL=20270101T000000Z", "2026-10-18T08:00:00.000Z",
        ),
        (
            "FREQ=HOURLY;INTERVAL=9;BYDAY=MO", "2026-10-19T06:00:00.000Z",
        ),
        ("FREQ=MINUTELY;INTERVAL=30", "2026-10-18T08:00:00.000Z"),
    ] {
        let lines = vevent(&format!("UID:a\nDTSTART:19700105T090000Z\nRRULE:{rule}"));
        let file = read_at(calendar(&lines).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
        let starts = file.events.iter().map(|event| event.time.starts_at);
        assert_eq!(starts.clone().min().unwrap().to_string(), first, "{rule}");
        assert!(starts.max().unwrap() > at("2026-11-22T08:00:00Z"), "{rule}");
    }
    let over = "UID:a\nDTSTART:19700105T090000Z\nRRULE:FREQ=HOURLY;UNTIL=20260101T000000Z";
    let file = read_at(calendar(&vevent(over)).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    assert!(file.events.is_empty());
}

#[test]
fn endless_rules_end() {
    let rules = [
        ("FREQ=SECONDLY", 2_000),
        ("FREQ=MINUTELY", 2_000),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", 1),
        ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", 1),
        ("FREQ=DAILY;INTERVAL=65535", 1),
    ];
    for (rule, most) in rules {
        let lines = vevent(&format!("UID:a\nDTSTART:20261122T090000Z\nRRULE:{rule}"));
        let file = read_at(calendar(&lines).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
        assert_eq!(file.events.len(), most, "{rule}");
    }
    // Of long ago: the occurrences looked at are bounded.
    let lines = vevent("UID:a\nDTSTART:19010101T090000Z\nRRULE:FREQ=SECONDLY");
    let file = read_at(calendar(&lines).as_bytes(), "2026-11-22T08:00:00Z").unwrap();
    assert!(file.events.is_empty());
    // When the time is up, nothing is returned rather than half of it.
    let looks = Cell::new(0);
    let is_late = || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    };
    let lines = vevent("UID:a\nDTSTART:20261122T090000Z\nRRULE:FREQ=SECONDLY");
    assert_too_slow(&lines, &is_late);
}

fn assert_too_slow(lines: &str, is_late: &dyn Fn() -> bool) {
    let late = read(
        calendar(lines).as_bytes(),
        &ExpansionContext {
            window: window(at("2026-11-22T08:00:00Z")),
            zone: Zone::UTC,
            own_emails: &[],
            is_late,
        },
    );
    assert_eq!(late.err(), Some(FileError::TooSlow));
}

#[test]
fn zones_of_endless_rules_end() {
    let observances = "BEGIN:STANDARD\nDTSTART:16010101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n\
                       RRULE:FREQ=SECONDLY\nEND:STANDARD\n";
    let zone = format!(
        "BEGIN:VTIMEZONE\nTZID:X\n{}END:VTIMEZONE\n",
        observances.repeat(500)
    );
    let event = vevent("UID:a\nDTSTART;TZID=X:20261130T090000\nDURATION:PT1H");
    let lines = format!("{}{event}", zone.repeat(30));
    // Nobody's clocks go like that: the person's zone is meant.
    assert_eq!(times(&lines), "11-30T08:00+60");
    let looks = Cell::new(0);
    let is_late = || {
        looks.set(looks.get() + 1);
        true
    };
    assert_too_slow(&lines, &is_late);
    assert!(looks.get() < 100, "each zone ends with its first rule");
}
