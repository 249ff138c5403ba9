//! What relays of the first version of the protocol call: `POST /edge/command/ack` and
//! `POST /edge/register`.

use chatkeep::auth::registration_token;
use chatkeep::clock::Clock;
use serde_json::{Value, json};

use crate::commands::{chat_with, states};
use crate::support::{Answer, EDGE_SECRET, RelaySocket, Service, direct, post, token};

async fn poll(service: &Service, agent: &str, body: &Value) -> Value {
    let request = post("/edge/sync", body).bearer(&token(agent));
    let answer = service.send(&request).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn ack(service: &Service, agent: &str, body: &Value) -> Answer {
    let request = post("/edge/command/ack", body).bearer(&token(agent));
    service.send(&request).await
}

fn id(command: &Value) -> &str {
    command["command_id"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ack_by_http_finishes_its_command_once() {
    let service = Service::start().await;
    chat_with(&service, "a", "chat", &["one"]).await;
    let polled = poll(&service, "a", &json!({})).await;
    let command = id(&polled["commands"][0]);
    let completion = json!({"command_id": command, "success": true, "error": null,
                      "timestamp": "2026-11-21T04:36:00Z"});
    // Another agent's report is of no command of its own.
    let foreign = ack(&service, "b", &completion).await;
    assert_eq!(
        (foreign.status, foreign.code().as_str()),
        (404, "command_not_found")
    );
    assert_eq!(states(&service), [[json!(1), json!("sent")]]);
    for _ in 0..2 {
        let answer = ack(&service, "a", &completion).await;
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({"status": "ok"}))
        );
        assert_eq!(states(&service), [[json!(1), json!("completed")]]);
    }
    let late = json!({"command_id": command, "success": false});
    assert_eq!(ack(&service, "a", &late).await.status, 200);
    assert_eq!(states(&service), [[json!(1), json!("completed")]]);
}

/// What failed is not completed by the cumulative `last_command_id` of the next poll.
#[tokio::test(flavor = "multi_thread")]
async fn a_failure_by_http_is_not_completed_by_the_next_poll() {
    let service = Service::start().await;
    chat_with(&service, "a", "x", &["one"]).await;
    chat_with(&service, "a", "y", &["two"]).await;
    let polled = poll(&service, "a", &json!({})).await;
    let commands = polled["commands"].as_array().unwrap();
    assert_eq!(commands.len(), 2);
    let failed = json!({"command_id": id(&commands[0]), "success": false, "error": "offline",
                        "retryable": true});
    assert_eq!(ack(&service, "a", &failed).await.status, 200);
    poll(&service, "a", &json!({"last_command_id": id(&commands[1])})).await;
    let states = states(&service);
    assert_ne!(states[0][1], "completed");
    assert_eq!(states[1][1], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ack_that_says_nothing_is_refused() {
    let service = Service::start().await;
    for (body, part, field) in [
        (json!({}), "command_id", "/command_id"),
        (json!({"command_id": "x"}), "status or success", "/success"),
        (
            json!({"command_id": 1, "success": true}),
            "command_id",
            "/command_id",
        ),
        (
            json!({"command_id": "x", "success": "yes"}),
            "true or false",
            "/success",
        ),
        (
            json!({"command_id": "x", "status": 1, "success": true}),
            "completed or failed",
            "/status",
        ),
    ] {
        let answer = ack(&service, "a", &body).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (422, "validation_failed")
        );
        assert!(answer.text.contains(part), "{body}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], field, "{body}");
    }
}

async fn register(service: &Service, token: &str) -> Answer {
    let body = json!({"user_phone": "+15550100", "registration_token": token});
    service.send(&post("/edge/register", &body)).await
}

fn registration(nonce: &str, ttl_s: i64) -> String {
    let now = Clock::system().now();
    registration_token::issue(EDGE_SECRET, nonce, now.plus_s(ttl_s))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_token_makes_one_relay() {
    let service = Service::start().await;
    let token = registration("n1", 60);
    let answer = register(&service, &token).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let registered = answer.json();
    let agent = registered["edge_agent_id"].as_str().unwrap();
    let edge_token = registered["edge_token"].as_str().unwrap();
    // The token that was answered brings messages and opens a socket.
    let message = post("/edge/message", &direct("+15550100", "hi")).bearer(edge_token);
    assert_eq!(service.send(&message).await.status, 200);
    let socket = RelaySocket::open(service.address, agent, edge_token).await;
    assert_eq!(socket.ok().unwrap().hello["data"]["agent_id"], agent);
    let repeated = register(&service, &token).await;
    assert_eq!(
        (repeated.status, repeated.code().as_str()),
        (401, "unauthorized")
    );
    // Also after a restart.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    assert_eq!(register(&service, &token).await.status, 401);
    // Another relay has another name.
    let other = register(&service, &registration("n2", 60)).await.json();
    assert_ne!(other["edge_agent_id"], agent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_race_for_a_registration_token_has_one_winner() {
    let service = Service::start().await;
    for round in 0..5 {
        let token = registration(&format!("race {round}"), 60);
        let all = [(); 8].map(|()| register(&service, &token));
        let answers = futures_util::future::join_all(all).await;
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        let lost = answers.iter().filter(|answer| answer.status == 401).count();
        assert_eq!((won, lost), (1, 7));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_registers_nobody() {
    let service = Service::start().await;
    let foreign = registration_token::issue("another", "n", Clock::system().now().plus_s(9));
    for token in [&registration("n", -1), &foreign, &token("a"), "garbage"] {
        let answer = register(&service, token).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, "unauthorized")
        );
        assert!(
            answer.text.contains("chatkeep token registration"),
            "{}",
            answer.text
        );
    }
    let valid = registration("kept", 60);
    for phone in ["", "a:b", "a\nb"] {
        let body = json!({"user_phone": phone, "registration_token": valid});
        let answer = service.send(&post("/edge/register", &body)).await;
        assert_eq!(answer.status, 422, "{phone:?}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], "/user_phone");
    }
    // A refused request uses nothing up.
    assert_eq!(register(&service, &valid).await.status, 200);
    assert_eq!(
        service.rows("SELECT nonce FROM used_registrations"),
        [[json!("kept")]]
    );
}
