//! Reminders: set, listed, cancelled, and delivered: by the service where the relay has a
//! queue, by the relay where it has none.

use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};

use super::support::{self, Service, direct};
use super::{assert_fields, count, legacy_message, reply, say, service_at, standing_clock};

fn assert_schedule(schedule: &Value, send_at: Timestamp, deliver_by: &str) {
    assert_fields(
        schedule,
        &["schedule_id", "chat_guid", "text", "send_at", "deliver_by"],
    );
    let id = schedule["schedule_id"].as_str().unwrap();
    assert!(id.parse::<uuid::Uuid>().is_ok(), "{id}");
    assert_eq!(schedule["chat_guid"], "chat;ana");
    assert_eq!(schedule["send_at"], send_at.to_string());
    assert_eq!(schedule["deliver_by"], deliver_by);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_arrives_over_the_socket() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let answer = say(&service, "ana", "remind me in 1 second to stretch").await;
    let schedule = answer["schedule_message"].clone();
    let command = relay.command().await;
    assert_eq!(command["command_type"], "send_message_now");
    assert_eq!(command["payload"]["text"], schedule["text"]);
    assert_eq!(command["payload"]["chat_guid"], "chat;ana");
    assert_eq!(command["payload"]["thread_id"], "chat;ana");
    relay.ack(&command, "completed").await;
    support::eventually("completed", async || {
        service.rows("SELECT state FROM commands") == [["completed"]]
    })
    .await;
    assert_eq!(count(&service, "reminders"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_language_becomes_a_time() {
    // A Thursday.
    let clock = Clock::fixed(Timestamp::from_seconds(1_795_089_600));
    assert_eq!(clock.now().to_string(), "2026-11-19T12:00:00.000Z");
    let service = service_at(&clock, &[]).await;
    service.set_flag("rate_limit.enabled", false).await;
    let cases = [
        (
            "remind me in 20 seconds to stretch", "2026-11-19T12:00:20.000Z",
        ),
        (
            "remind me in 20 minutes to stretch", "2026-11-19T12:20:00.000Z",
        ),
        (
            "remind me in 3 hours to stretch", "2026-11-19T15:00:00.000Z",
        ),
        ("remind me in 2 days to stretch", "2026-11-21T12:00:00.000Z"),
        ("remind me at 7pm to stretch", "2026-11-19T19:00:00.000Z"),
        (
            "remind me tomorrow at 9 to stretch", "2026-11-20T09:00:00.000Z",
        ),
        (
            "remind me on friday at 18:30 to stretch",
            "2026-11-20T18:30:00.000Z",
        ),
        ("remind me to stretch at 7pm", "2026-11-19T19:00:00.000Z"),
    ];
    for (text, send_at) in cases {
        let answer = legacy_message(&service, &direct("ana", text)).await.json();
        let schedule = &answer["schedule_message"];
        assert_eq!(schedule["send_at"], send_at, "{text}: {answer}");
        assert!(schedule["text"].as_str().unwrap().contains("stretch"));
    }
    let text = "remind me on 2026-12-24 to stretch";
    let answer = legacy_message(&service, &direct("ana", text)).await.json();
    let send_at = answer["schedule_message"]["send_at"].as_str().unwrap();
    assert!(send_at.starts_with("2026-12-24T"), "{send_at}");
    // In the person's own time zone, once it is known: CET is an hour ahead.
    legacy_message(&service, &direct("ana", "my time zone is Europe/Berlin")).await;
    let text = "remind me tomorrow at 9 to stretch";
    let answer = legacy_message(&service, &direct("ana", text)).await.json();
    assert_eq!(
        answer["schedule_message"]["send_at"],
        "2026-11-20T08:00:00.000Z"
    );
    for text in [
        "remind me", "remind me to stretch", "remind me at 25:00 to stretch",
    ] {
        let answer = legacy_message(&service, &direct("ana", text)).await.json();
        assert_eq!(answer["schedule_message"], Value::Null, "{text}");
        assert_eq!(answer["should_respond"], true, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_delivers_depends_on_the_endpoint() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let text = "remind me in 20 minutes to stretch";
    let send_at = clock.now().plus_s(20 * 60);
    let answer = legacy_message(&service, &direct("ana", text)).await.json();
    assert_schedule(&answer["schedule_message"], send_at, "relay");
    assert_eq!(count(&service, "reminders"), 0, "the relay has it");
    let told = answer["reply_text"].as_str().unwrap();
    assert!(
        told.contains("I can't list, move or cancel it here."),
        "{told}"
    );
    for text in [
        "reminders", "my reminders for today", "cancel my reminder to stretch",
    ] {
        let answer = legacy_message(&service, &direct("ana", text)).await.json();
        let told = answer["reply_text"].as_str().unwrap();
        assert!(told.contains("isn't among them"), "{text}: {told}");
    }
    let answer = say(&service, "ana", text).await;
    assert_schedule(&answer["schedule_message"], send_at, "service");
    let rows = service.rows("SELECT schedule_id, send_at FROM reminders");
    let id = answer["schedule_message"]["schedule_id"].clone();
    assert_eq!(rows, [[id, send_at.0.into()]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_that_came_due_while_down_is_delivered() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let answer = say(&service, "ana", "remind me in 20 minutes to stretch").await;
    assert_eq!(count(&service, "commands"), 0);
    let (_, folder) = service.stop().await;
    clock.advance(20 * 60_000);
    let service = Service::in_folder(folder, &[], clock).await;
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert_eq!(
        command["payload"]["text"],
        answer["schedule_message"]["text"]
    );
    assert_eq!(count(&service, "reminders"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn reminders_are_listed_and_cancelled() {
    let service = Service::start().await;
    for what in ["water the plants", "call mom", "call the bank"] {
        say(&service, "ana", &format!("remind me in 3 hours to {what}")).await;
    }
    say(&service, "ben", "remind me in 3 hours to call ben").await;
    let listed = reply(&service, "ana", "reminders").await;
    for what in ["water the plants", "call mom", "call the bank"] {
        assert!(listed.contains(what), "{listed}");
    }
    assert!(!listed.contains("ben"), "{listed}");
    let answer = reply(&service, "ana", "cancel my reminder to call mom").await;
    assert!(answer.contains("cancelled"), "{answer}");
    let remaining = "SELECT text FROM reminders JOIN users ON users.id = reminders.user_id
                WHERE phone = 'ana' ORDER BY reminders.id";
    assert_eq!(
        service.rows(remaining),
        [["water the plants"], ["call the bank"]]
    );
    let answer = reply(&service, "ana", "cancel my reminder to feed the shark").await;
    assert!(answer.contains("no such reminder"), "{answer}");
    reply(&service, "ana", "cancel all reminders").await;
    assert_eq!(service.rows("SELECT text FROM reminders"), [["call ben"]]);
    let none = reply(&service, "ana", "reminders").await;
    assert!(none.contains("no reminders"), "{none}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminders_text_has_a_largest_size() {
    let service = Service::start().await;
    let ask = |chars: usize| format!("remind me in 3 hours to {}", "é".repeat(chars));
    let answer = say(&service, "ana", &ask(1_000)).await;
    let text = answer["schedule_message"]["text"].as_str().unwrap();
    assert!(text.contains(&"é".repeat(1_000)), "{text}");
    let answer = say(&service, "ana", &ask(1_001)).await;
    assert_eq!(answer["schedule_message"], json!(null));
    assert!(
        answer["reply_text"].as_str().unwrap().contains("1,000"),
        "{answer}"
    );
    assert_eq!(count(&service, "reminders"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_was_taken_out_of_a_group_reminds_it_no_more() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    let in_group = |sender: &str, people: [&str; 2], text: &str| {
        let mut body = support::group("room", sender, text);
        body["participants"] = json!(people);
        body
    };
    for (sender, what) in [("ana", "dance"), ("ben", "sing")] {
        let text = format!("Juno, remind us in 20 minutes to {what}");
        let body = in_group(sender, ["ana", "ben"], &text);
        let answer = service.edge_message("a", &body).await.json();
        assert_eq!(answer["should_respond"], true, "{answer}");
    }
    let left = in_group("ben", ["ben", "cleo"], "hi all");
    assert_eq!(service.edge_message("a", &left).await.status, 200);
    assert_eq!(count(&service, "reminders"), 2);
    clock.advance(20 * 60_000);
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "⏰ Reminder: sing");
    support::eventually("none is left", async || count(&service, "reminders") == 0).await;
    assert_eq!(count(&service, "commands"), 1);
}
