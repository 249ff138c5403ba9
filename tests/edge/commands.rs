//! Commands in an agent's outbox, queued as the service's own producers queue them.

use chatkeep::clock::Clock;
use chatkeep::edge::queue;
use serde_json::{Value, json};

use crate::support::{Service, direct, eventually};

/// Makes the chat known, brought by the agent.
pub(crate) async fn chat(service: &Service, agent: &str, chat: &str) {
    // A sender for each chat: messages are limited by the minute.
    let mut message = direct(&format!("sender of {chat}"), "ok");
    message["chat_guid"] = json!(chat);
    let answer = service.edge_message(agent, &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Queues a message for a chat at its agent; false when the agent has too many.
pub(crate) async fn queue(service: &Service, agent: &str, chat: &str, text: &str) -> bool {
    let (hub, now) = (service.app.hub.clone(), service.app.clock.now());
    let (agent, chat, text) = (agent.to_owned(), chat.to_owned(), text.to_owned());
    let queued = service.app.store.write(move |tx| {
        let agent = tx.agent(&agent, now)?.id;
        let room = tx.room(&chat)?.expect("a known chat").id;
        let message = queue::OutgoingMessage {
            agent,
            room,
            chat_guid: &chat,
            text: &text,
            user: None,
            is_one_bubble: false,
            app_creator: None,
        };
        queue::send_message(tx, &hub, &message, now)
    });
    queued.await.unwrap()
}

/// A chat of the agent with a command for each text.
pub(crate) async fn chat_with(service: &Service, agent: &str, name: &str, texts: &[&str]) {
    chat(service, agent, name).await;
    for text in texts {
        assert!(queue(service, agent, name, text).await);
    }
}

/// All commands in order: seq, state.
pub(crate) fn states(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT seq, state FROM commands ORDER BY id")
}

pub(crate) async fn until_states(service: &Service, expected: &[(u64, &str)]) {
    let expected: Vec<Vec<Value>> = expected
        .iter()
        .map(|(seq, state)| vec![json!(seq), json!(state)])
        .collect();
    eventually(&format!("{expected:?}"), async || {
        states(service) == expected
    })
    .await;
}

/// A clock that stands still, at the time that tokens are made with.
pub(crate) fn clock() -> Clock {
    Clock::fixed(Clock::system().now())
}

/// A service whose time is moved by hand.
pub(crate) async fn service_at(clock: &Clock, settings: &[(&str, &str)]) -> Service {
    Service::in_folder(tempfile::tempdir().unwrap(), settings, clock.clone()).await
}
