//! Rules, their occurrences and changes.

use super::*;

fn wall(text: &str) -> NaiveDateTime {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()
}

fn zone(name: &str) -> Zone {
    name.parse().unwrap()
}

pub(super) fn rule(rule: &str, from: &str, at: &str) -> Recurrence {
    Recurrence::new(rule, wall(from), zone(at)).unwrap()
}

#[test]
fn occurrences_are_those_of_a_clock_on_the_wall() {
    // Rule, start, zone, and the moments in UTC.
    let cases = [
        (
            "FREQ=DAILY", "2026-03-28 09:00", "Europe/Berlin",
            "03-28T08:00 03-29T07:00 03-30T07:00",
        ),
        (
            "FREQ=DAILY", "2026-10-24 09:00", "Europe/Berlin",
            "10-24T07:00 10-25T08:00 10-26T08:00",
        ),
        // 02:30 is skipped once, and occurs twice once.
        (
            "FREQ=DAILY", "2026-03-28 02:30", "Europe/Berlin",
            "03-28T01:30 03-29T01:00 03-30T00:30",
        ),
        (
            "FREQ=DAILY", "2026-10-24 02:30", "Europe/Berlin",
            "10-24T00:30 10-25T00:30 10-26T01:30",
        ),
        (
            "FREQ=DAILY", "2026-03-07 09:00", "America/New_York",
            "03-07T14:00 03-08T13:00 03-09T13:00",
        ),
        (
            "FREQ=WEEKLY;BYDAY=MO,FR;INTERVAL=2", "2026-11-23 09:00", "UTC",
            "11-23T09:00 11-27T09:00 12-07T09:00",
        ),
        (
            "RRULE:FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1",
            "2026-01-31 09:00",
            "UTC",
            "01-31T09:00 02-28T09:00 03-31T09:00",
        ),
        (
            "FREQ=MONTHLY;BYDAY=1MO", "2026-11-23 09:00", "UTC",
            "12-07T09:00 01-04T09:00 02-01T09:00",
        ),
        (
            "FREQ=HOURLY;INTERVAL=3;UNTIL=20261123T200000",
            "2026-11-23 17:00",
            "UTC",
            "11-23T17:00 11-23T20:00",
        ),
        (
            "FREQ=DAILY;COUNT=2", "2026-11-23 17:00", "UTC", "11-23T17:00 11-24T17:00",
        ),
        (
            "FREQ=DAILY;UNTIL=20261124", "2026-11-23 17:00", "UTC", "11-23T17:00 11-24T17:00",
        ),
        (
            "FREQ=DAILY;UNTIL=20261124T160000Z", "2026-11-23 17:00", "Europe/Berlin",
            "11-23T16:00 11-24T16:00",
        ),
    ];
    for (text, from, at, expected) in cases {
        let found = rule(text, from, at).upcoming(3);
        let found: Vec<String> = found
            .iter()
            .map(|at| at.utc().format("%m-%dT%H:%M").to_string())
            .collect();
        assert_eq!(found.join(" "), expected, "{text} {from} {at}");
    }
}

/// Times that a change of the clock skips were one moment, so nothing was missed.
#[test]
fn skipped_times_count_once() {
    // Rule, start, zone, now, how many were due, and the next.
    let cases = [
        (
            "FREQ=MINUTELY;INTERVAL=5", "2027-03-28 01:55", "Europe/Berlin", "2027-03-28 00:55", 1,
            "03-28T01:00",
        ),
        (
            "FREQ=MINUTELY;INTERVAL=5", "2027-03-28 02:00", "Europe/Berlin", "2027-03-28 01:00", 1,
            "03-28T01:05",
        ),
        (
            "FREQ=MINUTELY;INTERVAL=30", "2027-03-28 01:30", "Europe/Berlin", "2027-03-28 01:30",
            3, "03-28T02:00",
        ),
        (
            "FREQ=HOURLY", "2027-03-28 02:00", "Europe/Berlin", "2027-03-28 01:00", 1,
            "03-28T02:00",
        ),
        (
            "FREQ=HOURLY", "2027-03-14 02:00", "America/New_York", "2027-03-14 07:00", 1,
            "03-14T08:00",
        ),
        // Santiago skips midnight.
        (
            "FREQ=DAILY;BYHOUR=0,1", "2027-09-05 00:00", "America/Santiago", "2027-09-05 04:00", 1,
            "09-06T03:00",
        ),
        // After some days without the service.
        (
            "FREQ=HOURLY", "2027-03-27 12:00", "Europe/Berlin", "2027-03-29 10:00", 48,
            "03-29T11:00",
        ),
    ];
    for (text, from, at, now, due, next) in cases {
        let now = Timestamp(wall(now).and_utc().timestamp_millis());
        let progress = rule(text, from, at).progress(now);
        let found = progress
            .next
            .map(|(_, at)| at.utc().format("%m-%dT%H:%M").to_string());
        assert_eq!(
            (progress.due, found.as_deref()),
            (due, Some(next)),
            "{text} {from}"
        );
    }
    let moments = rule("FREQ=HOURLY", "2027-03-28 01:00", "Europe/Berlin").upcoming(3);
    let hours: Vec<i64> = moments.iter().map(|at| at.seconds() / 3_600 % 24).collect();
    assert_eq!(hours, [0, 1, 2]);
}

#[test]
fn what_cannot_be_kept_is_refused() {
    use RecurrenceError::{Never, TooOften, Unreadable};
    let cases = [
        ("", Unreadable),
        ("every day", Unreadable),
        ("FREQ=DAILY;BYDAY=É", Unreadable),
        ("FREQ=DAILY;BYDAY=X", Unreadable),
        ("FREQ=SECONDLY", TooOften),
        ("FREQ=MINUTELY", TooOften),
        ("FREQ=HOURLY;BYMINUTE=0,1", TooOften),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", Never),
    ];
    for (text, expected) in cases {
        let found = Recurrence::new(text, wall("2026-11-23 09:00"), Zone::UTC);
        assert_eq!(found, Err(expected), "{text}");
    }
    let long = format!("FREQ=DAILY;{}", "BYHOUR=1;".repeat(100));
    assert!(Recurrence::new(&long, wall("2026-11-23 09:00"), Zone::UTC).is_err());
}

#[test]
fn it_moves_on_and_knows_what_was_missed() {
    let daily = rule("FREQ=DAILY", "2026-03-28 02:30", "Europe/Berlin");
    let now = Timestamp(wall("2026-03-30 12:00").and_utc().timestamp_millis());
    let progress = daily.progress(now);
    assert_eq!(progress.due, 3);
    let (next, at) = progress.next.unwrap();
    assert_eq!(at.to_string(), "2026-03-31T00:30:00.000Z");
    // Only the text is stored, and it lacks the skipped time.
    let again = Recurrence::parse(&next.to_text(), next.zone()).unwrap();
    assert_eq!(again, next);
    assert_eq!(again.to_text(), "DTSTART:20260331T023000\nRRULE:FREQ=DAILY");
    let ended = rule("FREQ=DAILY;COUNT=1", "2026-03-28 02:30", "UTC").progress(now);
    assert_eq!((ended.due, ended.next), (1, None));
    let day = |day: &str| Timestamp(wall(day).and_utc().timestamp_millis());
    let fewer = next.without(&(day("2026-04-02 00:00")..day("2026-04-03 00:00")));
    let fewer = fewer.unwrap();
    assert_eq!(
        fewer.to_text(),
        "DTSTART:20260331T023000\nRRULE:FREQ=DAILY\nEXDATE:20260402T023000"
    );
    let again = Recurrence::parse(&fewer.to_text(), fewer.zone()).unwrap();
    assert_eq!(again, fewer);
    let times: Vec<String> = again.upcoming(3).iter().map(ToString::to_string).collect();
    assert_eq!(
        times.join(" "),
        "2026-03-31T00:30:00.000Z 2026-04-01T00:30:00.000Z 2026-04-03T00:30:00.000Z"
    );
    // At another hour the same day stays left out; what has passed is no longer kept.
    let moved = fewer.at_time(9, 0, now).unwrap();
    assert_eq!(moved.left_out.len(), 1);
    let passed = fewer.progress(day("2026-04-02 12:00")).next.unwrap().0;
    assert_eq!(
        passed.to_text(),
        "DTSTART:20260403T023000\nRRULE:FREQ=DAILY"
    );
    // The next one is no later one.
    let is_next = next.without(&(now..day("2026-04-03 00:00")));
    assert_eq!(is_next, None);
    let later = daily.at_time(21, 15, now).unwrap();
    assert_eq!(
        later.next().unwrap().to_string(),
        "2026-03-30T19:15:00.000Z"
    );
}
