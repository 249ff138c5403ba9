//! What messages mean, by table.

mod reminders;
mod zones;

use super::*;
use crate::assistant::{understand, understand_all};

/// Wednesday, 4 March 2026, 12:00 UTC: 13:00 in Berlin.
const NOW: Timestamp = Timestamp(1_772_625_600_000);

fn context(text: &str) -> MessageContext<'_> {
    MessageContext {
        timezone: Some("Europe/Berlin".parse().unwrap()),
        ..MessageContext::direct(text, NOW)
    }
}

fn intent_of(text: &str) -> Intent {
    let intent = understand(&context(text));
    let somewhere = MessageContext {
        timezone: None,
        ..context(text)
    };
    let understood = understand_all(&somewhere);
    // What doesn't rest on the zone is the same in all.
    assert!(
        understood.depends_on_zone || understood.intent == intent,
        "{text}"
    );
    intent
}

#[test]
fn what_rests_on_the_time_zone_is_known() {
    for (text, rests) in [
        ("hello", false),
        ("remember that I like tea", false),
        (
            "Hello, this is note 17 about our table on the terrace",
            false,
        ),
        ("what can you do?", false),
        ("what time is it?", true),
        ("what's the date", true),
        ("remind me to call Ana tomorrow at 7pm", true),
        ("Ana's birthday is on May 3", true),
        ("focus until 5pm", true),
    ] {
        let understood = understand_all(&context(text));
        assert_eq!(understood.depends_on_zone, rests, "{text}");
    }
}

#[test]
fn memories() {
    let remember = |text: &str| Intent::Remember {
        text: text.to_owned(),
    };
    let recall = |about: &str| Intent::Recall {
        about: (!about.is_empty()).then(|| about.to_owned()),
    };
    let forget = |about: &str| Intent::Forget {
        about: about.to_owned(),
    };
    let cases = [
        (
            "remember that my wifi password is Hunter2!",
            remember("my wifi password is Hunter2!"),
        ),
        ("Remember I like tea", remember("I like tea")),
        ("please remember: milk, eggs", remember("milk, eggs")),
        ("Juno, remember that I like  tea", remember("I like  tea")),
        (
            "note that the key is under the mat",
            remember("the key is under the mat"),
        ),
        (
            "note: the key is under the mat",
            remember("the key is under the mat"),
        ),
        (
            "don't forget that I'm allergic to nuts",
            remember("I'm allergic to nuts"),
        ),
        (
            "remember I meet Bob tomorrow at 9",
            remember("I meet Bob tomorrow at 9"),
        ),
        ("what do you remember", recall("")),
        ("What do you remember about me?", recall("")),
        ("what do you know about me", recall("")),
        ("what do you remember about my bike?", recall("my bike")),
        (
            "do you remember my wifi password?",
            recall("my wifi password"),
        ),
        ("what's my wifi password?", recall("wifi password")),
        ("remember my wifi password?", recall("my wifi password")),
        ("my memories", recall("")),
        ("forget my wifi password", forget("my wifi password")),
        ("forget that I like tea.", forget("I like tea")),
        ("forget about the bike", forget("the bike")),
        ("forget everything", Intent::ForgetEverything),
        ("forget everything about me!", Intent::ForgetEverything),
        ("forget everything about my ex", forget("my ex")),
    ];
    for (phrase, intent) in cases {
        assert_eq!(intent_of(phrase), intent, "{phrase}");
    }
    let long = format!("remember {}", "x".repeat(MEMORY_CHARS_MAX + 1));
    assert!(matches!(intent_of(&long), Intent::Unclear(_)));
    let Intent::FollowUp { what, otherwise } = intent_of("forget it") else {
        panic!("it refers to what was just set");
    };
    assert_eq!(what, FollowUp::NeverMind);
    assert!(matches!(*otherwise, Intent::Say(_)));
}

#[test]
fn a_task_is_no_memory() {
    let asked = Intent::AskWhen {
        reply: wording::reminder_without_time("buy milk"),
        text: "buy milk".to_owned(),
        month: None,
    };
    assert_eq!(intent_of("remember to buy milk"), asked);
}

fn cancel(about: &str) -> Intent {
    Intent::CancelReminders(RemindersToCancel {
        about: (!about.is_empty()).then(|| about.to_owned()),
        several: about.is_empty(),
        ..RemindersToCancel::default()
    })
}

#[test]
fn other_commands() {
    let cases = [
        ("status", Intent::Status),
        ("/status", Intent::Status),
        ("Juno status", Intent::Status),
        ("status juno", Intent::Status),
        ("usage?", Intent::Usage),
        ("How many messages do I have left?", Intent::Usage),
        ("reminders", Intent::ListReminders),
        ("show me my reminders please", Intent::ListReminders),
        ("what are my reminders?", Intent::ListReminders),
        ("cancel all reminders", cancel("")),
        ("cancel all my reminders", cancel("")),
        ("delete my reminders", cancel("")),
        ("cancel my reminder to call mom", cancel("call mom")),
        (
            "cancel the reminder about the dentist.",
            cancel("the dentist"),
        ),
        ("cancel the dentist reminder", cancel("dentist")),
        ("how many reminders do I have?", Intent::ListReminders),
        ("forget my reminder to call mom", cancel("call mom")),
        ("don't remind me to call mom", cancel("call mom")),
        (
            "my timezone is Europe/Berlin",
            Intent::SetTimezone("Europe/Berlin".parse().unwrap()),
        ),
        (
            "my time zone is New York",
            Intent::SetTimezone("America/New_York".parse().unwrap()),
        ),
        (
            "set my timezone to utc+2",
            Intent::SetTimezone("Etc/GMT-2".parse().unwrap()),
        ),
        (
            "I live in Tokyo.",
            Intent::SetTimezone("Asia/Tokyo".parse().unwrap()),
        ),
        ("my name is Ana", Intent::SetName("Ana".to_owned())),
        (
            "hi, my name is Ana María!",
            Intent::SetName("Ana María".to_owned()),
        ),
        (
            "my name is Ana and I like it",
            Intent::SetName("Ana".to_owned()),
        ),
        ("call me Ana", Intent::SetName("Ana".to_owned())),
        (
            "you can call me Ana please",
            Intent::SetName("Ana".to_owned()),
        ),
        ("call me tomorrow", Intent::Unknown),
        ("I'm in trouble", Intent::Unknown),
        ("what is the meaning of life", Intent::Unknown),
        ("", Intent::Unknown),
        ("   ", Intent::Unknown),
    ];
    for (phrase, intent) in cases {
        assert_eq!(intent_of(phrase), intent, "{phrase}");
    }
}

#[test]
fn reminders_of_a_day_and_crises() {
    let midnight = |day| {
        let date = chrono::NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        let zone = "Europe/Berlin".parse().unwrap();
        crate::assistant::text::when::at_hour(date, 0, 0, zone).unwrap()
    };
    let on = |day| {
        Intent::CancelReminders(RemindersToCancel {
            on: Some(midnight(day)..midnight(day + 1)),
            several: true,
            ..RemindersToCancel::default()
        })
    };
    let cases = [
        ("cancel all reminders for tomorrow", on(5)),
        ("cancel my reminders for friday", on(6)),
        ("cancel all reminders for today", on(4)),
        (
            "cancel my reminder to call mom tomorrow",
            Intent::CancelReminders(RemindersToCancel {
                about: Some("call mom".to_owned()),
                with_time: Some("call mom tomorrow".to_owned()),
                on: Some(midnight(5)..midnight(6)),
                ..RemindersToCancel::default()
            }),
        ),
        ("I want to die", Intent::Crisis(CrisisKind::Despair)),
        (
            "Juno, I don't want to live anymore",
            Intent::Crisis(CrisisKind::Despair),
        ),
    ];
    for (phrase, intent) in cases {
        assert_eq!(intent_of(phrase), intent, "{phrase}");
    }
}

#[test]
fn help_is_offered() {
    for phrase in [
        "help", "Help!", "/help", "what can you do?", "can you help me", "?", "Juno, help",
        "can you help?",
    ] {
        assert!(matches!(intent_of(phrase), Intent::Help(_)), "{phrase}");
    }
}

#[test]
fn small_talk_is_answered() {
    let cases = [
        ("hi", ""),
        ("Hello Juno!", ""),
        ("Juno", ""),
        ("hey juno", ""),
        ("hey there, good morning", ""),
        ("hola", ""),
        ("thanks!", ""),
        ("thank you, Juno", ""),
        ("thanks for the reminder", ""),
        ("good morning juno, how are you?", ""),
        ("bye", ""),
        ("who are you?", "Juno"),
        ("what's your name", "Juno"),
        ("tell me a joke", ""),
        ("juno tell me a joke", ""),
        ("can you tell me a joke?", ""),
        ("what time is it?", "13:00"),
        ("hey juno what time is it", "13:00"),
        ("What time is it in Tokyo?", "21:00"),
        ("what day is it", "Wednesday, 4 March 2026"),
        ("ok", ""),
        ("👍", ""),
        ("👍🏽", ""),
        ("❤️", ""),
    ];
    for (phrase, part) in cases {
        match intent_of(phrase) {
            Intent::Say(reply) => assert!(
                !reply.is_empty() && reply.contains(part),
                "{phrase} → {reply}"
            ),
            other => panic!("{phrase} → {other:?}"),
        }
        assert_eq!(intent_of(phrase), intent_of(phrase));
    }
}

#[test]
fn groups_are_left_in_peace() {
    let group = |text| {
        understand(&MessageContext {
            group: true,
            ..context(text)
        })
    };
    for phrase in [
        "ok", "lol", "where are my keys?", "thanks for the fish", "forget it", "cancel that",
        "can you remind me where the party is?", "remember", "see the photo",
    ] {
        assert!(!group(phrase).has_something_to_say(), "{phrase}");
    }
    assert!(matches!(
        group("Juno, remind me in 5 minutes to go"),
        Intent::Remind { .. }
    ));
    assert!(matches!(group("ok juno"), Intent::Say(_)));
    assert!(matches!(
        group("where are my keys, juno?"),
        Intent::Recall { .. }
    ));
    assert_eq!(
        group("remind me in 5 minutes to call Juno"),
        Intent::Remind {
            text: "call Juno".to_owned(),
            send_at: NOW.plus_s(300),
            zone: None,
            recurrence: None,
        }
    );
}

#[test]
fn photos_are_kindly_declined() {
    let photo = |text, group| {
        understand(&MessageContext {
            has_photos: true,
            group,
            ..context(text)
        })
    };
    assert!(matches!(photo("", false), Intent::Say(_)));
    assert!(matches!(
        photo("what is the plant in this picture", false),
        Intent::Say(_)
    ));
    assert!(matches!(photo("juno look", true), Intent::Say(_)));
    assert_eq!(photo("", true), Intent::Unknown);
    assert_eq!(photo("status", false), Intent::Status);
}

#[test]
fn commands_count_and_small_talk_does_not() {
    for phrase in [
        "help", "status", "usage", "remember x", "what do you remember", "reminders",
        "call me Ana", "remind me",
    ] {
        assert!(intent_of(phrase).is_command(), "{phrase}");
    }
    for phrase in [
        "hi", "thanks", "what time is it", "what is the meaning of life",
    ] {
        assert!(!intent_of(phrase).is_command(), "{phrase}");
    }
}

#[test]
fn no_text_is_too_odd() {
    let odd = [
        "remind me in", "remind me at", "remind me on the", "remind me at :", "remind me at 1:",
        "remind me at 7:3", "in", "remind me at é", "at 24:00 remind me to x",
        "remind me at 7:é0 to x", "remind me on 2026-é-01 to x", "İİİ remind me", "\u{0}",
        "!!! ???", "remind me at 1h to x", "remind me in 1h2h3h4h5h to x", "remember\u{a0}x",
        "Juno Juno Juno", "juno", "cancel", "set", "my time zone", "call me", "what's my",
        "i'm in", "timer", "forget", "-", "1h30", "remind me in 20minuteſ to x",
        "remind me in a quarter of", "dont forget to", "remind me at half past",
    ];
    for text in odd {
        for persona in ["Juno", "", "é", "?!"] {
            let _ = understand(&MessageContext {
                persona,
                ..context(text)
            });
        }
        for now in [i64::MIN, i64::MAX, 0, -1] {
            let _ = understand(&MessageContext {
                now: Timestamp(now),
                ..context(text)
            });
            let _ = understand(&MessageContext {
                now: Timestamp(now),
                ..context("remind me tomorrow at 9 to x")
            });
            let _ = understand(&MessageContext {
                now: Timestamp(now),
                ..context("remind me in 400 years to x")
            });
        }
    }
}
