//! Wording of replies, checked word by word.

use super::*;
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// Wednesday, 4 March 2026, 12:00 UTC.
const NOW: Timestamp = Timestamp(1_772_625_600_000);

#[test]
fn reminders_are_confirmed_with_their_time() {
    let cases = [
        (20, "in 20 seconds, today at 13:00 (Wednesday, 4 March)"),
        (90, "in 90 seconds, today at 13:01 (Wednesday, 4 March)"),
        (60, "in 1 minute, today at 13:01 (Wednesday, 4 March)"),
        (1_200, "in 20 minutes, today at 13:20 (Wednesday, 4 March)"),
        (5_400, "in 90 minutes, today at 14:30 (Wednesday, 4 March)"),
        (7_200, "in 2 hours, today at 15:00 (Wednesday, 4 March)"),
        (9_000, "today at 15:30 (Wednesday, 4 March)"),
        (86_400, "tomorrow at 13:00 (Thursday, 5 March)"),
        (2 * 86_400, "on Friday, 6 March at 13:00"),
        (365 * 86_400, "on Thursday, 4 March 2027 at 13:00"),
    ];
    for (seconds, when) in cases {
        let text = reminder_set(
            "call mom",
            true,
            NOW.plus_s(seconds),
            LocalNow::new(NOW, Some("Europe/Berlin".parse().unwrap())),
            None,
        );
        assert_eq!(text, format!("Okay, I'll remind you {when}: call mom."));
    }
    let unknown = reminder_set(
        "call mom",
        true,
        NOW.plus_s(86_400),
        LocalNow::new(NOW, None),
        None,
    );
    assert!(
        unknown.starts_with("Okay, I'll remind you tomorrow at 12:00 UTC (Thursday, 5 March): call mom. I don't know"),
        "{unknown}"
    );
    let berlin = "Europe/Berlin".parse().ok();
    let elsewhere = reminder_set(
        "call mom",
        true,
        NOW.plus_s(9_000),
        LocalNow::new(NOW, berlin),
        Some(Zone::UTC),
    );
    assert_eq!(
        elsewhere,
        "Okay, I'll remind you today at 15:30 (Wednesday, 4 March), that's 14:30 in UTC: call mom."
    );
    assert_eq!(reminder_text("call mom", None), "⏰ Reminder: call mom");
}

#[test]
fn lists_are_bounded() {
    let many: Vec<String> = (0..40).map(|n| format!("thing {n}")).collect();
    let text = recalled(&many, None);
    assert_eq!(text.lines().count(), 1 + LISTED_MAX + 1);
    assert!(text.ends_with("… and 10 more."));
    assert_eq!(
        recalled(&["I like tea"], Some("tea")),
        "You told me: I like tea"
    );
    assert_eq!(
        recalled::<&str>(&[], Some("tea")),
        "I don't remember anything about “tea”."
    );
    let two = [("a", NOW.plus_s(3_600)), ("b", NOW.plus_s(90_000))];
    assert_eq!(
        reminders(&two, LocalNow::new(NOW, None)),
        "You have 2 reminders:\n1. Today 13:00 UTC: a\n2. Tomorrow 13:00 UTC: b"
    );
}

#[test]
fn accounts_are_told_of() {
    let free = AccountFacts {
        messages_used_today: 3,
        daily_limit: Some(50),
        memories: 1,
        reminders: 2,
        ..AccountFacts::default()
    };
    assert_eq!(
        usage(&free),
        "You've used 3 of 50 messages today; 47 left until midnight UTC."
    );
    assert_eq!(
        status(&free),
        "I don't know your name yet; you are on the free plan.\nYou've used 3 of 50 messages today; 47 left until midnight UTC.\n\
         I keep 1 memory and 2 reminders for you.\nYour time zone isn't known, so times are in UTC."
    );
    assert_eq!(
        timezone_set("Etc/GMT-2".parse().unwrap(), NOW),
        "Okay, your time zone is UTC+2. It's 14:00 there."
    );
    let paid = AccountFacts {
        name: Some("Ana"),
        subscribed: true,
        plan: Some("annual"),
        timezone: Some("Asia/Tokyo".parse().unwrap()),
        ..AccountFacts::default()
    };
    assert!(
        status(&paid)
            .starts_with("You are Ana and subscribed (annual plan).\nYour messages are unlimited.")
    );
}
