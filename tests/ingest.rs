//! `POST /edge/message` and `POST /orchestrator/message`, over the wire.

mod support;

use support::{Service, direct};

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_and_kept() {
    let service = Service::start().await;
    let answer = service
        .edge_message("a", &direct("+15550101", "hello"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["should_respond"], true);
    let rows = service.rows("SELECT sender, text FROM messages");
    assert_eq!(rows, [["+15550101", "hello"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_arrives_over_the_socket() {
    let service = Service::start().await;
    let mut relay = service.relay("a").await;
    let answer = service
        .edge_message(
            "a",
            &direct("+15550101", "remind me in 1 second to stretch"),
        )
        .await;
    let schedule = answer.json()["schedule_message"].clone();
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], schedule["text"]);
    relay.ack(&command, "completed").await;
    support::eventually("completed", async || {
        service.rows("SELECT state FROM commands") == [["completed"]]
    })
    .await;
}
