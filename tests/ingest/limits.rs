//! Rate limits: messages a minute and photos an hour by sender, commands a minute by user.
//! Exact sliding windows, on a clock that moves by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use chatkeep::clock::{Clock, Timestamp};
use chatkeep::error::Error;
use serde_json::{Value, json};

use super::support::{Answer, Service, direct, eventually, group};
use super::{assert_no_rows, count, legacy_message, reply, say, service_at, standing_clock};

const HOUR_MS: i64 = 3_600_000;

fn assert_limited(answer: &Answer, retry_after_s: u64) {
    assert_eq!(answer.status, 429, "{}", answer.text);
    assert_eq!(answer.code(), "rate_limited");
    let seconds = retry_after_s.to_string();
    assert_eq!(answer.header("retry-after"), Some(seconds.as_str()));
}

fn with_photos(sender: &str, photos: usize) -> Value {
    let mut body = direct(sender, "");
    body["context"] = json!({"photos": vec!["https://example.org/p.jpg"; photos]});
    body
}

async fn send_photos(service: &Service, sender: &str, photos: usize) -> Answer {
    service
        .edge_message("a", &with_photos(sender, photos))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sender_has_20_messages_in_any_minute_on_both_endpoints() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let message = direct("ana", "hello");
    for n in 0..20 {
        let answer = if n % 2 == 0 {
            service.edge_message("a", &message).await
        } else {
            legacy_message(&service, &message).await
        };
        assert_eq!(answer.status, 200, "{n}: {}", answer.text);
        clock.advance(1_000); // the first at 0 s, the last at 19 s
    }
    assert_limited(&service.edge_message("a", &message).await, 40);
    assert_limited(&service.edge_message("b", &message).await, 40);
    assert_limited(&legacy_message(&service, &message).await, 40);
    let other_room = json!({"chat_guid": "elsewhere", "mode": "group", "sender": "ana",
        "text": "hello", "timestamp": 1});
    assert_limited(&service.edge_message("a", &other_room).await, 40);
    assert_eq!(count(&service, "messages"), 20);
    assert_eq!(count(&service, "rooms"), 1);
    say(&service, "ben", "hello").await;
    clock.advance(39_999);
    assert_limited(&legacy_message(&service, &message).await, 1);
    clock.advance(1);
    say(&service, "ana", "hello").await;
    assert_limited(&service.edge_message("a", &message).await, 1);
    clock.advance(1_000);
    say(&service, "ana", "hello").await;
    assert_eq!(count(&service, "messages"), 23);
    assert_eq!(service.rows("SELECT sum(count) FROM usage_days"), [[23]]);
}

/// What is refused for another reason uses nothing.
#[tokio::test(flavor = "multi_thread")]
async fn refused_messages_use_no_limit() {
    let service = service_at(&standing_clock(), &[]).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 1)
        .await;
    let mut wrong = direct("ana", "hello");
    wrong["timestamp"] = json!("now");
    for _ in 0..5 {
        assert_eq!(service.edge_message("a", &wrong).await.status, 422);
    }
    say(&service, "ana", "hello").await;
    assert_limited(
        &service.edge_message("a", &direct("ana", "hello")).await,
        60,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limited_first_message_leaves_no_row() {
    let service = service_at(&standing_clock(), &[]).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 0)
        .await;
    let answer = service.edge_message("a", &with_photos("ana", 1)).await;
    assert_limited(&answer, 60);
    assert_no_rows(&service);
}

#[tokio::test(flavor = "multi_thread")]
async fn strict_mode_halves_and_the_master_switch_ends_all_limits() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service
        .set_flag("rate_limit.strict_mode_enabled", true)
        .await;
    let message = direct("ana", "hello");
    for _ in 0..10 {
        say(&service, "ana", "hello").await;
    }
    assert_limited(&service.edge_message("a", &message).await, 60);
    assert_eq!(send_photos(&service, "ben", 25).await.status, 200);
    assert_limited(&send_photos(&service, "ben", 1).await, 3600);
    service
        .set_flag("rate_limit.strict_mode_multiplier", 0.01)
        .await;
    say(&service, "cleo", "at least one").await;
    assert_limited(
        &service.edge_message("a", &direct("cleo", "hello")).await,
        60,
    );
    service.set_flag("rate_limit.enabled", false).await;
    for _ in 0..30 {
        say(&service, "ana", "hello").await;
    }
    assert_eq!(send_photos(&service, "ben", 60).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_are_counted_one_by_one_and_a_restart_forgives_nothing() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    assert_eq!(send_photos(&service, "ana", 30).await.status, 200);
    clock.advance(600_000);
    assert_limited(&send_photos(&service, "ana", 21).await, 3000);
    assert_eq!(send_photos(&service, "ana", 20).await.status, 200);
    assert_limited(&send_photos(&service, "ana", 1).await, 3000);
    say(&service, "ana", "words are no photos").await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_limited(&send_photos(&service, "ana", 1).await, 3000);
    assert_limited(&send_photos(&service, "ana", 31).await, 3600);
    assert_eq!(send_photos(&service, "ben", 50).await.status, 200);
    clock.advance(HOUR_MS - 600_000 - 1);
    assert_limited(&send_photos(&service, "ana", 1).await, 1);
    clock.advance(1);
    assert_eq!(send_photos(&service, "ana", 30).await.status, 200);
    assert_limited(&send_photos(&service, "ana", 1).await, 600);
    // More at once than the limit never fits, which the text says.
    let answer = send_photos(&service, "cleo", 51).await;
    assert_limited(&answer, 3600);
    assert_eq!(
        answer.json()["detail"],
        "The message has more photos (51) than an hour allows (50), so it is refused at any time; \
         send fewer photos in a message."
    );
    assert_eq!(
        service.rows("SELECT count(*) FROM users WHERE phone = 'cleo'"),
        [[0]]
    );
}

/// A message that one limit refuses uses nothing of the other.
#[tokio::test(flavor = "multi_thread")]
async fn the_two_limits_of_a_message_are_used_together_or_not_at_all() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 2)
        .await;
    assert_eq!(send_photos(&service, "ana", 49).await.status, 200);
    assert_limited(&send_photos(&service, "ana", 2).await, 3600);
    assert_eq!(send_photos(&service, "ana", 0).await.status, 200);
    assert_limited(&send_photos(&service, "ana", 1).await, 60);
    clock.advance(60_000);
    assert_eq!(send_photos(&service, "ana", 1).await.status, 200);
    assert_limited(&send_photos(&service, "ana", 1).await, 3540);
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_sent_before_the_clock_was_set_back_still_count() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    assert_eq!(send_photos(&service, "ana", 50).await.status, 200);
    let (_, folder) = service.stop().await;
    let earlier = Clock::fixed(clock.now().plus_ms(-2 * HOUR_MS));
    let service = Service::in_folder(
        folder,
        &[("EDGE_SECRET", super::support::EDGE_SECRET)],
        earlier.clone(),
    )
    .await;
    let bearer = chatkeep::auth::edge_token::issue(
        super::support::EDGE_SECRET,
        "a",
        "p",
        earlier.now().seconds(),
    );
    let request = super::support::post(super::EDGE, &with_photos("ana", 1)).bearer(&bearer);
    assert_limited(&service.send(&request).await, 3600);
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_have_a_limit_that_is_told_in_words() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    for n in 0..10 {
        say(
            &service,
            "ana",
            &format!("remember that fact number {n} is true"),
        )
        .await;
    }
    assert_eq!(count(&service, "memories"), 10);
    for command in [
        "remember that I was here", "forget fact", "remind me in 1 hour to go",
    ] {
        let answer = say(&service, "ana", command).await;
        assert_eq!(answer["should_respond"], true);
        assert_eq!(answer["schedule_message"], Value::Null);
        let text = answer["reply_text"].as_str().unwrap();
        assert!(text.contains("nothing has been changed"), "{text}");
    }
    assert_eq!(count(&service, "memories"), 10);
    assert_eq!(count(&service, "reminders"), 0);
    // Small talk is no command, and others have their own.
    let hello = reply(&service, "ana", "hello").await;
    assert!(!hello.contains("nothing has been changed"), "{hello}");
    say(&service, "ben", "remember that I was here").await;
    assert_eq!(count(&service, "memories"), 11);
    clock.advance(59_999);
    let late = reply(&service, "ana", "remember that I was here").await;
    assert!(late.contains("nothing has been changed"), "{late}");
    clock.advance(1);
    say(&service, "ana", "remember that I was here").await;
    assert_eq!(count(&service, "memories"), 12);
}

/// Each request of a message is a command; all are done or none, and a retry counts nothing.
#[tokio::test(flavor = "multi_thread")]
async fn several_requests_in_one_message_are_several_commands() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service.set_flag("rate_limit.commands_per_minute", 3).await;
    let two = "remember that my cat is called Ada. Remind me in 2 hours to call Bo.";
    let mut keyed = direct("ana", two);
    keyed["context"] = json!({"message_id": "m-1"});
    for _ in 0..5 {
        let answer = service.edge_message("a", &keyed).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let kept = || (count(&service, "memories"), count(&service, "reminders"));
    assert_eq!(kept(), (1, 1));
    let refused = async |text: &str| {
        let said = reply(&service, "ana", text).await;
        said.contains("nothing has been changed")
    };
    assert!(refused(two).await, "four in a minute");
    assert_eq!(kept(), (1, 1));
    assert!(!refused("remember that I was here").await);
    assert!(refused("remember that I was there").await);
    assert_eq!(kept(), (2, 1));
    clock.advance(60_000);
    assert!(!refused("remind me at 8am, 12pm and 6pm to drink water").await);
    assert_eq!(kept(), (2, 4));
    assert!(!refused(two).await, "the reminder was one command");
    assert!(refused("remember that I was there").await);
    // More than the limit of any minute are done when there was none before.
    service.set_flag("rate_limit.commands_per_minute", 1).await;
    clock.advance(60_000);
    assert!(!refused("remember that tea is green. Remind me in 3 hours to sleep.").await);
    assert!(refused("remember that I was there").await);
}

/// Asking for a superpower is a command, also where nobody else would be answered.
#[tokio::test(flavor = "multi_thread")]
async fn superpowers_count_as_commands() {
    let service = service_at(&standing_clock(), &[]).await;
    let mut body = group("room", "ana", "the weather is fine");
    body["context"] = json!({"superpower": "todo_list"});
    service.set_flag("rate_limit.commands_per_minute", 2).await;
    // Nobody here is subscribed.
    service.set_flag("free_tier.enabled", false).await;
    for expects_notice in [false, false, true] {
        let answer = service.edge_message("a", &body).await.json();
        assert_eq!(answer["should_respond"], true);
        let text = answer["reply_text"].as_str().unwrap();
        assert_eq!(
            text.contains("nothing has been changed"),
            expects_notice,
            "{text}"
        );
    }
    // One that is not offered is no command.
    service
        .set_flag("superpower.todo_list.enabled", false)
        .await;
    let answer = service.edge_message("a", &body).await.json();
    assert_eq!(answer["should_respond"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_in_a_crisis_is_answered_beyond_every_limit() {
    let service = Service::start().await;
    service
        .set_flag("rate_limit.user_messages_per_minute", 1)
        .await;
    service.set_flag("free_tier.daily_message_limit", 1).await;
    say(&service, "ana", "hello").await;
    assert_eq!(
        service
            .edge_message("a", &direct("ana", "hello"))
            .await
            .status,
        429
    );
    for _ in 0..3 {
        let said = reply(&service, "ana", "I want to die").await;
        assert!(said.contains("findahelpline.com"), "{said}");
        assert!(
            !said.contains("ubscri") && !said.contains("help”"),
            "{said}"
        );
    }
    // So is what they say next.
    for next in ["please help me", "i took the pills already", "no", "hello?"] {
        let said = reply(&service, "ana", next).await;
        assert!(said.starts_with("I'm still here"), "{next}: {said}");
    }
    let photos = json!(["https://example.com/a.jpg"]);
    let mut body = direct("ana", "look");
    body["context"] = json!({"photos": photos});
    assert_eq!(service.edge_message("a", &body).await.status, 429);
    let command = direct("ana", "remind me at 5 to call bo");
    assert_eq!(service.edge_message("a", &command).await.status, 429);
    let said = reply(&service, "ana", "i'm safe now").await;
    assert!(said.contains("glad"), "{said}");
    assert_eq!(
        service
            .edge_message("a", &direct("ana", "hello"))
            .await
            .status,
        429
    );
    // What else is asked for in an emergency is within the limits, and said where it is not done.
    let said = reply(
        &service,
        "ana",
        "i smell gas, remind me at 5 to call the landlord",
    )
    .await;
    assert!(
        said.ends_with("I've done nothing else of your message."),
        "{said}"
    );
}

/// A transaction is undone and run again where another message's part of it fails.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_transaction_is_run_again_counts_once() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    service.set_flag("rate_limit.commands_per_minute", 3).await;
    say(&service, "ana", "hello").await;
    let store = &service.app.store;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (go_on, going_on) = std::sync::mpsc::channel::<()>();
    store.post(move |_| {
        let _ = begun.send(());
        let _ = going_on.recv();
        Ok(())
    });
    has_begun.await.unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let command = direct("ana", "remember that my cat is called Ada");
    let answered = service.edge_message("a", &command);
    let failed = async {
        // The message is in the queue before this.
        eventually("the message waits", async || store.queued() > 0).await;
        let failing = store.write_repeatable(move |tx| {
            counted.fetch_add(1, Ordering::Relaxed);
            tx.agent("made for nothing", Timestamp(1))?;
            Err::<(), _>(Error::not_found())
        });
        let released = async { go_on.send(()).unwrap() };
        tokio::join!(biased; failing, released).0
    };
    let (answer, failed) = tokio::join!(answered, failed);
    assert!(answer.status == 200 && failed.is_err(), "{}", answer.text);
    assert_eq!(runs.load(Ordering::Relaxed), 2, "all of it ran again");
    for text in ["remember that I was here", "remember that I was there"] {
        let answer = reply(&service, "ana", text).await;
        assert!(!answer.contains("nothing has been changed"), "{answer}");
    }
    let refused = reply(&service, "ana", "remember that I was nowhere").await;
    assert!(refused.contains("nothing has been changed"), "{refused}");
}

/// The hour after a crisis belongs to the person: in each of their direct chats.
#[tokio::test(flavor = "multi_thread")]
async fn a_crisis_told_elsewhere_is_known_in_each_direct_chat() {
    let service = Service::start().await;
    service.set_flag("free_tier.daily_message_limit", 1).await;
    say(&service, "ana", "hello").await;
    let answer = service
        .edge_message("a", &group("g", "ana", "juno i want to kill myself"))
        .await;
    assert!(answer.text.contains("findahelpline.com"), "{}", answer.text);
    let said = reply(&service, "ana", "please help me").await;
    assert!(said.starts_with("I'm still here"), "{said}");
    let said = reply(&service, "ana", "i'm safe now").await;
    assert!(said.contains("glad"), "{said}");
    let denied = say(&service, "ana", "please help me").await;
    assert_eq!(denied["access"]["code"], "message_limit_reached");
}
