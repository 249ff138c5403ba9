//! When and of what "remind me …" reminds: one case a line, `said → text → time`.

use super::*;

fn cases(table: &str) -> impl Iterator<Item = [&str; 3]> {
    table
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let mut parts = line.split('→').map(str::trim);
            [(); 3].map(|()| parts.next().expect("three columns"))
        })
}

fn remind(text: &str, at: &str) -> Intent {
    let send_at = chrono::DateTime::parse_from_rfc3339(at).expect("a time");
    Intent::Remind {
        text: text.to_owned(),
        send_at: Timestamp(send_at.timestamp_millis()),
        zone: None,
        recurrence: None,
    }
}

const WAITS: &str = "
    remind me in 20 seconds to blink → blink → 20
    remind me in 20 minutes to call mom → call mom → 1200
    remind me to call mom in 20 minutes → call mom → 1200
    Remind me to call Mom in 20 minutes. → call Mom → 1200
    Remind me in 2 hours that the shop closes → the shop closes → 7200
    please remind me in an hour to stretch → stretch → 3600
    in half an hour remind me to stretch → stretch → 1800
    remind me in 1h30 to stretch → stretch → 5400
    remind me in 1h30m to stretch → stretch → 5400
    remind me in 1h 30m: stretch → stretch → 5400
    remind me in 1 hour and 30 minutes to stretch → stretch → 5400
    remind me in an hour and a half to stretch → stretch → 5400
    remind me in two and a half hours to stretch → stretch → 9000
    remind me in 1.5 hours to stretch → stretch → 5400
    remind me in two hours to stretch → stretch → 7200
    remind me in twenty-five minutes to stretch → stretch → 1500
    remind me in forty five minutes to stretch → stretch → 2700
    remind me in 20 min to stretch please → stretch → 1200
    remind me in 45s to stretch → stretch → 45
    remind me in a couple of minutes to stretch → stretch → 120
    remind me in a few minutes to stretch → stretch → 180
    remind me to stretch 10 minutes from now → stretch → 600
    remind me in 2 days to stretch → stretch → 172800
    remind me in a week to stretch → stretch → 604800
    Can you please remind me, in 5 minutes, to call mom? → call mom → 300
    remind me to call mom in 20 minutes thank you → call mom → 1200
    set a timer for 10 minutes → timer → 600
    set a 10 minute timer → timer → 600
    I need to be reminded in 5 minutes to call → call → 300
    set a reminder in 5 minutes to read chapter 7 → read chapter 7 → 300
    remind me to fill in the form in 5 minutes → fill in the form → 300
    reminder: tea in 3 minutes → tea → 180
    hey Juno, could you please remind me in 1 minute to breathe? → breathe → 60
    Remind me to take out in 20 minutes the trash → take out the trash → 1200
    nudge me in 20 minutes about the roast → the roast → 1200
";

#[test]
fn waits() {
    for [phrase, text, seconds] in cases(WAITS) {
        let send_at = NOW.plus_s(seconds.parse().expect("seconds"));
        let expected = Intent::Remind {
            text: text.to_owned(),
            send_at,
            zone: None,
            recurrence: None,
        };
        assert_eq!(intent_of(phrase), expected, "{phrase}");
    }
}

const TIMES_OF_DAY: &str = "
    remind me at 7pm to eat → eat → 2026-03-04T19:00:00+01:00
    remind me at 7 pm to eat → eat → 2026-03-04T19:00:00+01:00
    remind me at 7:30 p.m. to eat → eat → 2026-03-04T19:30:00+01:00
    remind me to eat at 19:00 → eat → 2026-03-04T19:00:00+01:00
    remind me 19:00 to eat → eat → 2026-03-04T19:00:00+01:00
    remind me at 19h30 to eat → eat → 2026-03-04T19:30:00+01:00
    remind me at 1830 to eat → eat → 2026-03-04T18:30:00+01:00
    remind me at 7 to eat → eat → 2026-03-04T19:00:00+01:00
    remind me at 6 to eat → eat → 2026-03-04T18:00:00+01:00
    remind me at 6 am to eat → eat → 2026-03-05T06:00:00+01:00
    remind me at 11 to eat → eat → 2026-03-05T11:00:00+01:00
    remind me at 12 to eat → eat → 2026-03-05T12:00:00+01:00
    remind me at 1 to eat → eat → 2026-03-05T13:00:00+01:00
    remind me at 10 to eat → eat → 2026-03-04T22:00:00+01:00
    remind me today at 8 to eat → eat → 2026-03-04T20:00:00+01:00
    remind me this afternoon to eat → eat → 2026-03-04T15:00:00+01:00
    remind me at seven to eat → eat → 2026-03-04T19:00:00+01:00
    remind me at half past seven in the evening to eat → eat → 2026-03-04T19:30:00+01:00
    remind me at quarter to 8 pm to eat → eat → 2026-03-04T19:45:00+01:00
    remind me at 9 o'clock to eat → eat → 2026-03-04T21:00:00+01:00
    remind me to eat at noon → eat → 2026-03-05T12:00:00+01:00
    remind me to sleep at midnight → sleep → 2026-03-05T00:00:00+01:00
    remind me to eat at 1pm → eat → 2026-03-05T13:00:00+01:00
    remind me tonight to eat → eat → 2026-03-04T20:00:00+01:00
    remind me at 7 tonight to eat → eat → 2026-03-04T19:00:00+01:00
    remind me tonight at 9 to eat → eat → 2026-03-04T21:00:00+01:00
    remind me this evening to eat → eat → 2026-03-04T19:00:00+01:00
    remind me in the morning to eat → eat → 2026-03-05T09:00:00+01:00
    remind me today to eat → eat → 2026-03-04T14:00:00+01:00
";

const DAYS: &str = "
    remind me tomorrow at 9 to call mom → call mom → 2026-03-05T09:00:00+01:00
    remind me at 9 tomorrow to call mom → call mom → 2026-03-05T09:00:00+01:00
    remind me tomorrow to call mom at 5pm → call mom → 2026-03-05T17:00:00+01:00
    remind me to call mom tomorrow → call mom → 2026-03-05T09:00:00+01:00
    remind me to call mom tomorrow 10 → call mom → 2026-03-05T10:00:00+01:00
    tomorrow at 9 remind me to call mom → call mom → 2026-03-05T09:00:00+01:00
    set a reminder for tomorrow at 9 to call mom → call mom → 2026-03-05T09:00:00+01:00
    set a reminder to call mom for tomorrow at 9am → call mom → 2026-03-05T09:00:00+01:00
    remind me tomorrow morning to eat → eat → 2026-03-05T09:00:00+01:00
    remind me tomorrow evening at 8 to eat → eat → 2026-03-05T20:00:00+01:00
    remind me the day after tomorrow to eat → eat → 2026-03-06T09:00:00+01:00
    remind me on friday at 18:30 to go home → go home → 2026-03-06T18:30:00+01:00
    remind me to go home on fri at 18:30 → go home → 2026-03-06T18:30:00+01:00
    remind me tomorrow at 7 to plan → plan → 2026-03-05T07:00:00+01:00
    remind me tomorrow at 6 to plan → plan → 2026-03-05T18:00:00+01:00
    remind me on friday to plan → plan → 2026-03-06T09:00:00+01:00
    remind me this friday to plan → plan → 2026-03-06T09:00:00+01:00
    remind me next friday to plan → plan → 2026-03-13T09:00:00+01:00
    remind me next weekend to plan → plan → 2026-03-14T09:00:00+01:00
    remind me next monday to plan → plan → 2026-03-09T09:00:00+01:00
    remind me on wednesday at 10 to plan → plan → 2026-03-11T10:00:00+01:00
    remind me on wednesday at 15:00 to plan → plan → 2026-03-04T15:00:00+01:00
    remind me next wednesday at 15:00 to plan → plan → 2026-03-11T15:00:00+01:00
    remind me next week to plan → plan → 2026-03-11T09:00:00+01:00
    remind me next month to plan → plan → 2026-04-04T09:00:00+02:00
    remind me in 3 days at 8 to plan → plan → 2026-03-07T08:00:00+01:00
";

/// Clocks: 02:00 becomes 03:00 on 29 March; 03:00 becomes 02:00 on 25 October.
const DATES_AND_MORE: &str = "
    remind me on 2026-12-24 to wrap gifts → wrap gifts → 2026-12-24T09:00:00+01:00
    remind me on 2026-12-24 at 10:00 to wrap gifts → wrap gifts → 2026-12-24T10:00:00+01:00
    remind me to wrap gifts on december 24th at 5pm → wrap gifts → 2026-12-24T17:00:00+01:00
    remind me on december 24 to wrap gifts → wrap gifts → 2026-12-24T09:00:00+01:00
    remind me on 24 Dec 2027 to wrap gifts → wrap gifts → 2027-12-24T09:00:00+01:00
    remind me on the 24th of december to wrap gifts → wrap gifts → 2026-12-24T09:00:00+01:00
    remind me on january 2nd to rest → rest → 2027-01-02T09:00:00+01:00
    remind me on 24.12.2026 to wrap gifts → wrap gifts → 2026-12-24T09:00:00+01:00
    remind me on the 3rd to pay rent → pay rent → 2026-04-03T09:00:00+02:00
    remind me on feb 29 to leap → leap → 2028-02-29T09:00:00+01:00
    don't let me forget to call mom at 5pm → call mom → 2026-03-04T17:00:00+01:00
    Don’t forget to call mom at 5pm → call mom → 2026-03-04T17:00:00+01:00
    remember to call mom at 5pm → call mom → 2026-03-04T17:00:00+01:00
    wake me up at 7 → wake up → 2026-03-05T07:00:00+01:00
    set an alarm for 7 → alarm → 2026-03-05T07:00:00+01:00
    reminder: dentist at 14:15 on thursday → dentist → 2026-03-05T14:15:00+01:00
    remind me to enjoy the sun tomorrow → enjoy the sun → 2026-03-05T09:00:00+01:00
    remind me to march 5 miles tomorrow → march 5 miles → 2026-03-05T09:00:00+01:00
    remind me at 9 that the store at 42 Main Street opens → the store at 42 Main Street opens → 2026-03-04T21:00:00+01:00
    remind me at 3 to pick up the kids → pick up the kids → 2026-03-04T15:00:00+01:00
    remind me at 3 in the morning to wake → wake → 2026-03-05T03:00:00+01:00
    remind me at 3:00 to wake → wake → 2026-03-05T03:00:00+01:00
    wake me up at 5 → wake up → 2026-03-05T05:00:00+01:00
    remind me on 12/24/2026 at 9 to wrap → wrap → 2026-12-24T09:00:00+01:00
    remind me 30/11 at 5pm to swim → swim → 2026-11-30T17:00:00+01:00
    remind me 11/30 at 5pm to swim → swim → 2026-11-30T17:00:00+01:00
    remind me on 24/12 to wrap → wrap → 2026-12-24T09:00:00+01:00
    remind me to wrap at 2026-12-24T10:00 → wrap → 2026-12-24T10:00:00+01:00
    remind me to watch the 9 o'clock news at 20:55 → watch the 9 o'clock news → 2026-03-04T20:55:00+01:00
    remind me on 2026-03-29 at 02:30 to nap → nap → 2026-03-29T03:00:00+02:00
    remind me on 2026-10-25 at 02:30 to nap → nap → 2026-10-25T02:30:00+02:00
";

#[test]
fn clock_times_and_dates_in_the_persons_zone() {
    for table in [TIMES_OF_DAY, DAYS, DATES_AND_MORE] {
        for [phrase, text, at] in cases(table) {
            assert_eq!(intent_of(phrase), remind(text, at), "{phrase}");
        }
    }
    let utc = understand(&MessageContext {
        timezone: None,
        ..context("remind me at 7pm to eat")
    });
    assert_eq!(utc, remind("eat", "2026-03-04T19:00:00Z"));
}

#[test]
fn a_day_of_a_month_keeps_the_time_of_day_across_clock_changes() {
    let intent = intent_of("remind me in 30 days to look");
    assert_eq!(intent, remind("look", "2026-04-03T13:00:00+02:00"));
}

#[test]
fn what_is_wrong_with_a_reminder_is_said() {
    let long = format!("remind me in 5 minutes to {}", "x".repeat(1_001));
    let long_words = format!("remind me in 5 minutes to {}", "x ".repeat(4_000));
    let cases = [
        ("remind me", "What should I remind you of, and when"),
        (
            "remind me to call mom", "When should I remind you: call mom?",
        ),
        ("remind me in 20 minutes", "What should I remind you of?"),
        ("remind me on 2020-01-01 to party", "already passed"),
        ("remind me today at 9am to party", "already passed"),
        ("remind me in 0 minutes to party", "already passed"),
        (
            "remind me in -5 minutes to party", "When should I remind you",
        ),
        ("remind me on 2026-02-30 at 10:00 to party", "calendar"),
        ("remind me at 25:00 to party", "calendar"),
        ("remind me on february 30 to party", "calendar"),
        ("remind me in 6 years to party", "5 years"),
        ("remind me in 99999999999999999999 days to party", "5 years"),
        (
            "remind me in 99999999999999999999 seconds to party",
            "5 years",
        ),
        ("remind me on 9999-12-31 to party", "5 years"),
        ("remind me on 5/6 to party", "day from the month"),
        (
            "remind me that tomorrow is Ana's birthday",
            "When should I remind you",
        ),
        (
            "remind me to leave 10 minutes before 5pm",
            "When should I remind you",
        ),
        (
            "remind me later to call mom", "When should I remind you: call mom?",
        ),
        ("cancel everything", "Which reminder?"),
        ("remind me every minute to party", "at most every 5 minutes"),
        ("remind me to party twice a day", "At which times"),
        (long.as_str(), "1,000 characters"),
        (long_words.as_str(), "1,000 characters"),
        ("cancel my reminder", "Which reminder?"),
        ("remember", "What should I remember?"),
        ("my time zone is Atlantis", "Atlantis"),
    ];
    for (phrase, part) in cases {
        match intent_of(phrase).unless_follow_up() {
            Intent::Unclear(reply)
            | Intent::AskWhen { reply, .. }
            | Intent::AskWhat { reply, .. }
            | Intent::AskRest { reply, .. } => {
                assert!(reply.contains(part), "{phrase:.60} → {reply}");
            }
            other => panic!("{phrase:.60} → {other:?}"),
        }
    }
    let fits = format!("remind me in 5 minutes to {}", "x".repeat(1_000));
    assert!(matches!(intent_of(&fits), Intent::Remind { .. }));
}

#[test]
fn a_zone_that_is_named_is_converted_and_kept() {
    let cases = [
        (
            "remind me at 3pm Berlin time to call", "2026-03-04T15:00:00+01:00", "Europe/Berlin",
        ),
        (
            "remind me to call at 9 am PST", "2026-03-04T09:00:00-08:00", "America/Los_Angeles",
        ),
        (
            "remind me to call tomorrow at 3pm New York time",
            "2026-03-05T15:00:00-05:00",
            "America/New_York",
        ),
        (
            "remind me at 15:00 UTC to call", "2026-03-04T15:00:00Z", "UTC",
        ),
    ];
    for (phrase, at, zone) in cases {
        let Intent::Remind { send_at, .. } = remind("call", at) else {
            panic!("{at}");
        };
        let expected = Intent::Remind {
            text: "call".to_owned(),
            send_at,
            zone: Some(zone.parse().expect("a zone")),
            recurrence: None,
        };
        assert_eq!(intent_of(phrase), expected, "{phrase}");
    }
}

#[test]
fn several_requests_are_each_done() {
    let cases = [
        (
            "remind me to buy milk tomorrow at 6pm and call dad at 8pm",
            vec![
                remind("buy milk", "2026-03-05T18:00:00+01:00"),
                remind("call dad", "2026-03-05T20:00:00+01:00"),
            ],
        ),
        (
            "remind me to take meds at 8am and 8pm",
            vec![
                remind("take meds", "2026-03-05T08:00:00+01:00"),
                remind("take meds", "2026-03-04T20:00:00+01:00"),
                Intent::Say(wording::EVERY_DAY_OFFERED.to_owned()),
            ],
        ),
        (
            "remind me at 10:15 and at 11:15 tomorrow to drink",
            vec![
                remind("drink", "2026-03-05T10:15:00+01:00"),
                remind("drink", "2026-03-05T11:15:00+01:00"),
            ],
        ),
        (
            "hi! my name is Tom. remind me at 8 to run",
            vec![
                Intent::SetName("Tom".to_owned()),
                remind("run", "2026-03-04T20:00:00+01:00"),
            ],
        ),
        (
            "remind me at 8 to run\nremind me tomorrow at 9 to swim",
            vec![
                remind("run", "2026-03-04T20:00:00+01:00"),
                remind("swim", "2026-03-05T09:00:00+01:00"),
            ],
        ),
    ];
    for (phrase, expected) in cases {
        assert_eq!(intent_of(phrase), Intent::Several(expected), "{phrase}");
    }
    for phrase in [
        "remind me at 5pm to call mom. She has news.",
        "remember that Ana likes tea. Bo likes coffee.",
    ] {
        assert!(!matches!(intent_of(phrase), Intent::Several(_)), "{phrase}");
    }
}

#[test]
fn what_is_half_understood_sets_nothing() {
    let cases = [
        ("remind me 5/6 at 5pm to swim", "set nothing"),
        ("remind me yesterday at 5 to swim", "already passed"),
        ("remind me tomorrow at 9 and at noon or 3pm to swim", "time"),
        (
            "remind me every day at 9 to swim and every night at 10 to read",
            "set nothing",
        ),
        ("remind me every few days to swim", "set nothing"),
        ("remind me tomorrow every day to swim", "set nothing"),
        (
            "remind me to swim at 9 tomorrow before 5 tonight",
            "set nothing",
        ),
    ];
    for (phrase, task) in [
        ("delete my account", AccountTask::Delete),
        ("export my data", AccountTask::Export),
    ] {
        assert_eq!(intent_of(phrase), Intent::Account(task), "{phrase}");
    }
    for (phrase, part) in cases {
        match intent_of(phrase) {
            Intent::Unclear(reply) | Intent::AskWhen { reply, .. } => {
                assert!(reply.contains(part), "{phrase} → {reply}");
            }
            other => panic!("{phrase} → {other:?}"),
        }
    }
}

#[test]
fn a_wish_for_every_day_is_one_reminder_with_a_rule() {
    let cases = [
        (
            "remind me on mondays at 9 to swim",
            "swim",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "remind me weekdays at 7 to swim",
            "swim",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=7;BYMINUTE=0",
        ),
        (
            "on mondays at 9 remind me to swim",
            "swim",
            "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "remind me at 9 to swim every day", "swim", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "don't forget to swim every day at 9", "swim", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "wake me up every weekday at 6:30",
            "wake up",
            "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=6;BYMINUTE=30",
        ),
        (
            "could you remind me to swim every day?", "swim", "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
        ),
        (
            "remind me every day to check if the door is closed",
            "check if the door is closed",
            "FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
        ),
    ];
    for (phrase, expected, rule) in cases {
        match intent_of(phrase) {
            Intent::Remind {
                text,
                send_at,
                recurrence: Some(recurrence),
                ..
            } => {
                assert_eq!(
                    (text.as_str(), recurrence.rule()),
                    (expected, rule),
                    "{phrase}"
                );
                assert_eq!(recurrence.next(), Some(send_at), "{phrase}");
            }
            other => panic!("{phrase} → {other:?}"),
        }
    }
}
