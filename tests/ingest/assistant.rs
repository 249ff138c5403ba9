//! What the builtin assistant does by itself: memories, the time zone, the name, status.

use chatkeep::clock::{Clock, Timestamp};

use super::support::{Service, direct, group};
use super::{count, legacy_message, reply, say, service_at, standing_clock};

#[tokio::test(flavor = "multi_thread")]
async fn it_remembers_recalls_and_forgets() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let nothing = reply(&service, "ana", "what do you remember about my bike?").await;
    assert!(nothing.contains("don't remember anything"), "{nothing}");
    for fact in [
        "my bike lock code is 4321", "my sister's birthday is on 5 June",
        "I am allergic to peanuts",
    ] {
        let answer = reply(&service, "ana", &format!("remember that {fact}")).await;
        assert!(answer.contains(fact), "{answer}");
    }
    say(&service, "ben", "remember that my bike is red").await;
    let bike = reply(&service, "ana", "what do you remember about my bike?").await;
    assert!(
        bike.contains("4321") && !bike.contains("peanuts") && !bike.contains("red"),
        "{bike}"
    );
    let all = reply(&service, "ana", "what do you remember?").await;
    for word in ["4321", "5 June", "peanuts"] {
        assert!(all.contains(word), "{all}");
    }
    assert!(!all.contains("red"), "never another's: {all}");

    // A restart changes nothing.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock).await;
    let bike = reply(&service, "ana", "what do you remember about my bike?").await;
    assert!(bike.contains("4321"), "{bike}");
    let reply_text = reply(&service, "ana", "forget my bike lock code").await;
    assert!(reply_text.contains("Shall I forget this?"), "{reply_text}");
    assert_eq!(count(&service, "memories"), 4);
    reply(&service, "ana", "yes").await;
    let rows = service.rows("SELECT text FROM memories JOIN users ON users.id = memories.user_id WHERE phone = 'ana' ORDER BY memories.id");
    assert_eq!(rows.len(), 2, "{rows:?}");
    let deleted = reply(&service, "ana", "forget my submarine").await;
    assert!(deleted.contains("nothing to forget"), "{deleted}");
    assert_eq!(count(&service, "memories"), 3);
    reply(&service, "ana", "forget everything").await;
    assert_eq!(count(&service, "memories"), 3);
    reply(&service, "ana", "yes").await;
    assert_eq!(
        service.rows("SELECT text FROM memories"),
        [["my bike is red"]]
    );
}

/// What was set and what wasn't is named each.
#[tokio::test(flavor = "multi_thread")]
async fn reminders_beyond_the_limit_are_named() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service.set_flag("rate_limit.enabled", false).await;
    service
        .set_flag("free_tier.daily_message_limit", 1_000)
        .await;
    for n in 0..199 {
        clock.advance(2_000);
        let text = format!("remind me in {} minutes to stretch", 600 + n);
        say(&service, "ana", &text).await;
    }
    assert_eq!(count(&service, "reminders"), 199);
    let answer = reply(
        &service,
        "ana",
        "remind me at 15:00, 16:00 and 18:00 to drink",
    )
    .await;
    let lines: Vec<&str> = answer.lines().collect();
    assert!(lines[0].starts_with("Okay"), "{answer}");
    for (line, hour) in lines[1..].iter().zip(["16:00", "18:00"]) {
        assert!(
            line.contains("isn't set: drink") && line.contains(hour),
            "{answer}"
        );
    }
    assert_eq!(count(&service, "reminders"), 200);
}

/// A relay without commands has the reminders itself.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_chat_app_has_is_not_changed() {
    let service = Service::start().await;
    let told = async |text: &str| {
        let answer = legacy_message(&service, &direct("ana", text)).await;
        answer.json()["reply_text"].as_str().unwrap().to_owned()
    };
    told("remind me in 3 hours to call mum").await;
    for text in [
        "cancel 1", "cancel it", "did you set it?", "undo", "move it to 5",
    ] {
        let answer = told(text).await;
        assert!(answer.contains("your chat app"), "{text}: {answer}");
    }
    let answer = told("thanks").await;
    assert!(!answer.contains("your chat app"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_stay_out_of_groups() {
    let service = Service::start().await;
    say(
        &service,
        "ana",
        "remember that the wifi password is hunter2",
    )
    .await;
    let ask = "juno, what do you remember about the wifi?";
    for sender in ["ana", "ben"] {
        let answer = service.edge_message("a", &group("room", sender, ask)).await;
        let answer = answer.json();
        let text = answer["reply_text"].as_str().unwrap();
        assert!(!text.contains("hunter2"), "{sender}: {text}");
        assert!(text.contains("direct chat"), "{sender}: {text}");
        // Who asks is told where nobody reads along.
        let rows = service.rows(
            "SELECT count(*) FROM commands WHERE payload LIKE '%hunter2%'
               AND json_extract(payload, '$.chat_guid') = 'chat;ana'",
        );
        assert_eq!(rows, [[1]], "{sender}");
        for change in [
            "juno, remember that it is hunter3", "juno, forget everything",
        ] {
            let answer = service
                .edge_message("a", &group("room", sender, change))
                .await;
            let reply_text = answer.json()["reply_text"].to_string();
            assert!(reply_text.contains("between the two of us"), "{reply_text}");
        }
    }
    assert_eq!(
        service.rows("SELECT text FROM memories"),
        [["the wifi password is hunter2"]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_zone_and_the_name_are_kept() {
    let service = Service::start().await;
    let unknown = reply(&service, "ana", "status").await;
    assert!(
        unknown.contains("UTC") && unknown.contains("free plan"),
        "{unknown}"
    );
    let set = reply(&service, "ana", "my time zone is Europe/Berlin").await;
    assert!(set.contains("Berlin"), "{set}");
    say(&service, "ana", "my name is Ana").await;
    say(&service, "ana", "remember that I like tea").await;
    say(&service, "ana", "remind me in 2 hours to drink it").await;
    let status = reply(&service, "ana", "status").await;
    for word in ["Ana", "Berlin", "1 memory", "1 reminder", "free plan"] {
        assert!(status.contains(word), "{word}: {status}");
    }
    let rows = service.rows("SELECT name, timezone FROM users");
    assert_eq!(rows, [["Ana", "Europe/Berlin"]]);
    let unclear = reply(&service, "ana", "my time zone is Atlantis").await;
    assert!(unclear.contains("Atlantis"), "{unclear}");
    assert_eq!(
        service.rows("SELECT timezone FROM users"),
        [["Europe/Berlin"]]
    );
    // No limit is in effect, so none is told.
    let usage = reply(&service, "ana", "usage").await;
    assert!(!usage.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_cannot_do_it_says() {
    let service = Service::start().await;
    let help = reply(&service, "ana", "help").await;
    for word in ["remind me", "remember that", "status"] {
        assert!(help.contains(word), "{help}");
    }
    let lost = reply(&service, "ana", "book a table for two in Lisbon").await;
    assert!(lost.contains("help"), "{lost}");
}

/// The same answer in the reply and its bubbles, each short enough to send.
#[tokio::test(flavor = "multi_thread")]
async fn a_long_answer_comes_in_short_bubbles() {
    let service = Service::start().await;
    for n in 0..8 {
        let fact = format!("fact {n} is {}", "a long story. ".repeat(30));
        say(&service, "ana", &format!("remember that {fact}")).await;
    }
    let answer = say(&service, "ana", "what do you remember?").await;
    let bubbles: Vec<&str> = answer["reply_bubbles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bubble| bubble.as_str().unwrap())
        .collect();
    assert!(bubbles.len() > 1);
    assert!(
        bubbles
            .iter()
            .all(|b| b.chars().count() <= 600 && !b.trim().is_empty())
    );
    assert_eq!(answer["reply_text"], bubbles.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_in_a_crisis_gets_a_number_whatever_the_limits() {
    let service = service_at(&standing_clock(), &[]).await;
    service.set_flag("free_tier.daily_message_limit", 1).await;
    say(&service, "+4915112345678", "hello").await;
    let denied = say(&service, "+4915112345678", "hello").await;
    assert_eq!(denied["access"]["code"], "message_limit_reached");
    let answer = say(&service, "+4915112345678", "I just want to die").await;
    assert_eq!(answer["access"], serde_json::Value::Null);
    let reply_text = answer["reply_text"].as_str().unwrap();
    assert!(reply_text.contains("0800 111 0 111"), "{reply_text}");
    assert!(!reply_text.contains("help”"), "{reply_text}");
    let reply_text = reply(&service, "someone", "I'm thinking of killing myself").await;
    assert!(reply_text.contains("findahelpline.com"), "{reply_text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_borne_out_by_the_rows() {
    // Noon: it is the same day in UTC and in Berlin.
    let noon = Timestamp::parse("2026-11-23T12:00:00Z").unwrap();
    let clock = Clock::fixed(noon);
    let service = service_at(&clock, &[]).await;
    let reply = async |text: &str| {
        clock.advance(1_000);
        reply(&service, "ana", text).await
    };
    let texts = || service.rows("SELECT text FROM reminders ORDER BY text");
    let none: [[&str; 1]; 0] = [];
    for half_understood in [
        "remind me on mondays at 9 to swim and on fridays at 8 to run",
        "remind me twice a day to swim",
        "remind me yesterday at 5 to swim",
        "remind me 5/6 at 5pm to swim",
        "remind me at 9 tomorrow to swim at noon or at 3pm",
    ] {
        let answer = reply(half_understood).await;
        assert!(
            !answer.contains("I'll remind you"),
            "{half_understood}: {answer}"
        );
        assert_eq!(texts(), none, "{half_understood}");
    }
    let both = "hi! my name is Tom. remind me to buy milk tomorrow at 6pm and call dad at 8pm";
    let answer = reply(both).await;
    for part in [
        "Tom", "tomorrow at 18:00", "buy milk", "tomorrow at 20:00", "call dad",
    ] {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    assert_eq!(texts(), [["buy milk"], ["call dad"]]);
    assert_eq!(service.rows("SELECT name FROM users"), [["Tom"]]);
    let answer = reply("remind me tomorrow at 3pm Berlin time to call").await;
    assert!(answer.contains("15:00 in Europe/Berlin"), "{answer}");
    let answer = reply("cancel all reminders for tomorrow").await;
    assert!(answer.contains("cancelled 3"), "{answer}");
    assert_eq!(texts(), none);
}
