//! Tables of phrases and the rules that they mean.

use super::*;
use crate::clock::{Timestamp, Zone};

fn rules(phrase: &str) -> String {
    // Monday, 23 November 2026, 14:00 in Berlin.
    let now = Timestamp::parse("2026-11-23T13:00:00Z").unwrap();
    let zone: Zone = "Europe/Berlin".parse().unwrap();
    let words = Words::new(phrase);
    let Some((repeat, range)) = find(&words, 0..words.len()) else {
        return "none".to_owned();
    };
    let rest = [
        words.phrase(0..range.start),
        words.phrase(range.end..words.len()),
    ];
    let rules = match repeat.recurrences(now, zone) {
        Ok(rules) => rules,
        Err(problem) => return format!("{problem:?}"),
    };
    let lines = rules.iter().map(|rule| {
        let first = rule.next().unwrap().utc().with_timezone(&zone);
        format!("{} {}", first.format("%m-%d %H:%M"), rule.rule())
    });
    let rest = rest.join(" ");
    format!(
        "{} | {}",
        lines.collect::<Vec<_>>().join(" + "),
        rest.trim()
    )
}

/// What is said, and: first time, rule | what is left of the words.
#[rustfmt::skip] // a table
const CASES: &[(&str, &str)] = &[
        (
            "every day at 9 to run",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "every day at 6 to run",
            "11-23 18:00 FREQ=DAILY;BYHOUR=18;BYMINUTE=0 | to run",
        ),
        (
            "every 1.5 hours to run",
            "11-23 15:30 FREQ=MINUTELY;INTERVAL=90 | to run",
        ),
        (
            "every mon/wed/fri at 5 to run",
            "11-23 17:00 FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=17;BYMINUTE=0 | to run",
        ),
        (
            "the next 3 mondays at 8 to run",
            "11-30 08:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0;UNTIL=20261214T080000 | to run",
        ),
        ("every friday the 13th to run", "none"),
        ("to plan for the next 3 days", "none"),
        (
            "to run every day",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "on mondays at 9 to swim",
            "11-30 09:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0 | to swim",
        ),
        (
            "weekdays at 7 to run",
            "11-24 07:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0 | to run",
        ),
        (
            "every other week to run",
            "11-30 09:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;INTERVAL=2 | to run",
        ),
        (
            "every 2 weeks on friday at 5pm to pay",
            "11-27 17:00 FREQ=WEEKLY;BYDAY=FR;BYHOUR=17;BYMINUTE=0;INTERVAL=2 | to pay",
        ),
        (
            "on the 1st of each month to pay",
            "12-01 09:00 FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "on the 31st of every month to pay",
            "11-30 09:00 FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "on the last day of the month to pay",
            "11-30 09:00 FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "on the first monday of each month to pay",
            "12-07 09:00 FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "every 3 hours until 8pm to drink",
            "11-23 17:00 FREQ=HOURLY;INTERVAL=3;UNTIL=20261123T200000 | to drink",
        ),
        (
            "every 2 hours between 9am and 5pm to drink",
            "11-23 15:00 FREQ=DAILY;BYHOUR=9,11,13,15,17;BYMINUTE=0 | to drink",
        ),
        (
            "to run every fri at 9",
            "11-27 09:00 FREQ=WEEKLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "to run daily",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "at 9 daily to run",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "every tue and thu at 18:30 to train",
            "11-24 18:30 FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=18;BYMINUTE=30 | to train",
        ),
        ("mon, wed and fri at 7am to run", "none"),
        (
            "every mon, wed and fri at 7am to run",
            "11-25 07:00 FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=7;BYMINUTE=0 | to run",
        ),
        (
            "to take meds every day at 8am and 8pm",
            "11-23 20:00 FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0 | to take meds",
        ),
        (
            "to take meds every day at 8am and 8:30pm",
            "11-24 08:00 FREQ=DAILY;BYHOUR=8;BYMINUTE=0 + 11-23 20:30 FREQ=DAILY;BYHOUR=20;BYMINUTE=30 | to take meds",
        ),
        (
            "every morning to stretch",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0 | to stretch",
        ),
        (
            "every monday morning at 8 to plan",
            "11-30 08:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0 | to plan",
        ),
        (
            "every night to read",
            "11-23 20:00 FREQ=DAILY;BYHOUR=20;BYMINUTE=0 | to read",
        ),
        (
            "every year on may 3 to call",
            "05-03 09:00 FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3;BYHOUR=9;BYMINUTE=0 | to call",
        ),
        (
            "every december 24th to call",
            "12-24 09:00 FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24;BYHOUR=9;BYMINUTE=0 | to call",
        ),
        (
            "every day at 9 for 5 days to run",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20261128T090000 | to run",
        ),
        (
            "every day until friday to run",
            "11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0;UNTIL=20261127T235959 | to run",
        ),
        (
            "every day except sunday to run",
            "11-24 09:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA;BYHOUR=9;BYMINUTE=0 | to run",
        ),
        (
            "every 30 minutes to stand",
            "11-23 14:30 FREQ=MINUTELY;INTERVAL=30 | to stand",
        ),
        ("every minute to stand", "Rule(TooOften)"),
        (
            "every hour to stand",
            "11-23 15:00 FREQ=HOURLY;INTERVAL=1 | to stand",
        ),
        (
            "once a week to call mom",
            "11-30 09:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0 | to call mom",
        ),
        (
            "every 15th to pay",
            "12-15 09:00 FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "on the 1st and 15th of each month to pay",
            "12-01 09:00 FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=0 | to pay",
        ),
        (
            "every other monday at 9 to swim",
            "11-30 09:00 FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;INTERVAL=2 | to swim",
        ),
        (
            "every weekend to rest",
            "11-28 09:00 FREQ=WEEKLY;BYDAY=SA,SU;BYHOUR=9;BYMINUTE=0 | to rest",
        ),
        (
            "monday to friday at 7 to run",
            "11-24 07:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0 | to run",
        ),
        (
            "every day from friday at 8 to run",
            "11-27 08:00 FREQ=DAILY;BYHOUR=8;BYMINUTE=0 | to run",
        ),
        (
            "every day starting tomorrow at 8 to run",
            "11-24 08:00 FREQ=DAILY;BYHOUR=8;BYMINUTE=0 | to run",
        ),
        ("tomorrow to read the daily news", "none"),
        ("at 5 to check every door", "none"),
        ("at 5 to tell each other", "none"),
        ("tomorrow at 9 to run", "none"),
        ("friday at 9 to run", "none"),
];

#[test]
fn how_often_is_read_from_plain_words() {
    let cases = CASES;
    let mut wrong = Vec::new();
    for (phrase, expected) in cases {
        let found = rules(phrase);
        if found != *expected {
            wrong.push(format!(
                "{phrase}\n  found    {found}\n  expected {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_comes_again_is_told_from_what_comes_once() {
    let cases = [
        ("twice a day to drink", true),
        ("3 times a week to drink", true),
        ("every first to pay", false),
        ("tomorrow to read the daily news", false),
        ("at 5 to check every door", false),
        ("tomorrow at 9 to run", false),
    ];
    for (phrase, expected) in cases {
        let words = Words::new(phrase);
        assert_eq!(repeats(&words, 0..words.len()), expected, "{phrase}");
    }
}

/// In an hour that the clock repeats, the first time is never now or in the past.
#[test]
fn the_first_time_is_ahead_in_a_repeated_hour() {
    let zone: Zone = "Europe/Berlin".parse().unwrap();
    // What is said, when, and the first time. At 01:00Z the clock goes back from 03:00 to 02:00.
    let cases = [
        ("every hour to stand", "2027-10-31T00:00:02Z", "10-31T02:00"),
        ("every hour to stand", "2027-10-31T00:10:00Z", "10-31T02:10"),
        (
            "every 20 minutes until 4am to stand", "2027-10-31T01:10:00Z", "10-31T02:10",
        ),
        (
            "every 20 minutes to stand", "2027-10-31T00:10:00Z", "10-31T00:30",
        ),
    ];
    for (phrase, now, expected) in cases {
        let now = Timestamp::parse(now).unwrap();
        let words = Words::new(phrase);
        let (repeat, _) = find(&words, 0..words.len()).unwrap();
        let rules = repeat.recurrences(now, zone).unwrap();
        let first = rules[0].next().unwrap().utc().format("%m-%dT%H:%M");
        assert_eq!(first.to_string(), expected, "{phrase} {now}");
    }
}
