//! The core of relays with a network made for the tests: commands over the WebSocket and by
//! polling, in order by chat, once over restarts.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chatkeep::edge::queue;
use chatkeep::relay::{
    self, Authorities, Credentials, Network, RelaySettings, RelayStatus, SendError, StopReason,
    Uplink,
};
use serde_json::{Value, json};
use support::programs::until;
use support::{Service, direct, eventually, http_stub, token};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the network takes at no time.
const NEVER_TAKEN: &str = "never taken";
/// What is left out only after many tries.
const SLOWEST: Duration = Duration::from_secs(3600);
/// What the service breaks at.
const BREAKS: &str = "breaks";

/// What a chat got, and what becomes of what is sent to it.
#[derive(Default)]
struct NetworkState {
    sent: Mutex<Vec<(String, String)>>,
    faults: Mutex<HashMap<String, VecDeque<SendError>>>,
    /// Chats that nothing is sent to until they are let go.
    stuck: Mutex<Vec<String>>,
    let_go: Notify,
    /// What somebody writes in the chat x, when the relay starts.
    written: Mutex<Vec<&'static str>>,
    /// Where typing was shown, and whether it began.
    typing: Mutex<Vec<(String, bool)>>,
}

#[derive(Clone, Default)]
struct Chats(Arc<NetworkState>);

impl Chats {
    fn sent(&self, chat: &str) -> Vec<String> {
        let sent = self.0.sent.lock().unwrap();
        let texts = sent.iter().filter(|(to, _)| to == chat);
        texts.map(|(_, text)| text.clone()).collect()
    }
}

impl Network for Chats {
    async fn incoming(&self, uplink: Uplink<Self>) -> StopReason {
        uplink.status().set_network(None);
        let written = std::mem::take(&mut *self.0.written.lock().unwrap());
        for text in written {
            let message = json!({"chat_guid": "x", "mode": "direct", "text": text});
            uplink.message(text, &message).await;
        }
        std::future::pending().await
    }

    async fn send(&self, chat: &str, bubble: &str, _id: &str) -> Result<(), SendError> {
        loop {
            let let_go = self.0.let_go.notified();
            if !self
                .0
                .stuck
                .lock()
                .unwrap()
                .iter()
                .any(|stuck| stuck == chat)
            {
                break;
            }
            let_go.await;
        }
        if bubble == NEVER_TAKEN {
            let why = "not now".to_owned();
            return Err(SendError::Later { wait: None, why });
        }
        let fault = self
            .0
            .faults
            .lock()
            .unwrap()
            .get_mut(chat)
            .and_then(VecDeque::pop_front);
        if let Some(unsent) = fault {
            return Err(unsent);
        }
        let sent = (chat.to_owned(), bubble.to_owned());
        self.0.sent.lock().unwrap().push(sent);
        Ok(())
    }

    async fn typing(&self, chat: &str, is_on: bool) {
        let event = (chat.to_owned(), is_on);
        self.0.typing.lock().unwrap().push(event);
    }
}

/// A running relay; it is broken off when dropped, as by a kill.
struct RunningRelay(tokio::task::JoinHandle<StopReason>);

impl Drop for RunningRelay {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn start(url: &str, folder: &Path, chats: &Chats) -> RunningRelay {
    start_trusting(url, folder, chats, None)
}

fn start_trusting(
    url: &str,
    folder: &Path,
    chats: &Chats,
    authorities: Option<Authorities>,
) -> RunningRelay {
    let settings = settings(url, folder, authorities);
    let running = relay::run(settings, chats.clone(), Arc::new(RelayStatus::default()));
    RunningRelay(tokio::spawn(running))
}

fn settings(url: &str, folder: &Path, authorities: Option<Authorities>) -> RelaySettings {
    RelaySettings {
        url: url.to_owned(),
        credentials: Credentials {
            agent_id: "a".to_owned(),
            token: token("a"),
        },
        state: folder.join("relay.state"),
        authorities,
    }
}

fn url(service: &Service) -> String {
    format!("http://{}", service.address)
}

/// Makes the chat known and queues a command for each text.
async fn queue(service: &Service, chat: &str, texts: &[&str]) {
    let mut message = direct(&format!("sender of {chat}"), "ok");
    message["chat_guid"] = json!(chat);
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    for text in texts {
        let (hub, now) = (service.app.hub.clone(), service.app.clock.now());
        let (chat, text) = (chat.to_owned(), (*text).to_owned());
        let queued = service.app.store.write(move |tx| {
            let agent = tx.agent("a", now)?.id;
            let room = tx.room(&chat)?.expect("a known chat").id;
            let message = queue::OutgoingMessage {
                agent,
                room,
                chat_guid: &chat,
                text: &text,
                user: None,
                app_creator: None,
                is_one_bubble: false,
            };
            queue::send_message(tx, &hub, &message, now)
        });
        assert!(queued.await.unwrap());
    }
}

async fn until_states(service: &Service, expected: &[&str]) {
    eventually(&format!("{expected:?}"), async || {
        let states = service.rows("SELECT state FROM commands ORDER BY id");
        states
            .iter()
            .map(|row| row[0].as_str().unwrap())
            .eq(expected.iter().copied())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_that_is_stuck_holds_up_no_other() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    chats.0.stuck.lock().unwrap().push("x".to_owned());
    queue(&service, "x", &["x1", "x2"]).await;
    queue(&service, "y", &["y1", "y2", "y3"]).await;
    let _running = start(&url(&service), folder.path(), &chats);
    let rest = ["completed"; 3];
    until_states(
        &service,
        &["executing", "queued", rest[0], rest[1], rest[2]],
    )
    .await;
    assert_eq!(chats.sent("y"), ["y1", "y2", "y3"]);
    chats.0.stuck.lock().unwrap().clear();
    chats.0.let_go.notify_waiters();
    until_states(&service, &["completed"; 5]).await;
    assert_eq!(chats.sent("x"), ["x1", "x2"]);
}

/// What was sent before a kill is reported after it, and not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_is_not_sent_again_after_a_restart() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    queue(&service, "x", &["x1"]).await;
    // A way to the service on which no ack gets through.
    let deaf = proxy(&service, Way::Down).await;
    let running = start(&deaf, folder.path(), &chats);
    eventually("it is noted", async || {
        let noted = std::fs::read_to_string(folder.path().join("relay.state"));
        noted.is_ok_and(|text| text.contains("completed"))
    })
    .await;
    drop(running);
    assert_ne!(service.rows("SELECT state FROM commands"), [["completed"]]);
    let _running = start(&url(&service), folder.path(), &chats);
    until_states(&service, &["completed"]).await;
    assert_eq!(chats.sent("x"), ["x1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_of_the_network_are_reported() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    let wait = Some(Duration::from_millis(10));
    let why = || "not now".to_owned();
    let faults = [
        SendError::Later { wait, why: why() },
        SendError::Later {
            wait: None,
            why: why(),
        },
    ];
    chats
        .0
        .faults
        .lock()
        .unwrap()
        .insert("x".to_owned(), faults.into());
    let never = SendError::Never("blocked".to_owned());
    chats
        .0
        .faults
        .lock()
        .unwrap()
        .insert("y".to_owned(), [never].into());
    queue(&service, "x", &["x1"]).await;
    queue(&service, "y", &["y1", "y2"]).await;
    let _running = start(&url(&service), folder.path(), &chats);
    until_states(&service, &["completed", "failed", "completed"]).await;
    assert_eq!(
        (chats.sent("x"), chats.sent("y")),
        (vec!["x1".into()], vec!["y2".into()])
    );
    let rows = service.rows("SELECT error FROM commands WHERE state = 'failed'");
    assert_eq!(rows, [["blocked"]]);
}

/// Behind a proxy that knows no WebSockets.
#[tokio::test(flavor = "multi_thread")]
async fn where_no_websocket_opens_it_polls() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    queue(&service, "x", &["x1", "x2"]).await;
    queue(&service, "y", &["y1"]).await;
    let url = proxy(&service, Way::NoSockets).await;
    let _running = start(&url, folder.path(), &chats);
    until_states(&service, &["completed"; 3]).await;
    assert_eq!(
        (chats.sent("x"), chats.sent("y")),
        (vec!["x1".into(), "x2".into()], vec!["y1".into()])
    );
    assert_eq!(service.app.hub.connected(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_not_taken_ends_the_relay() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    let mut settings = settings(&url(&service), folder.path(), None);
    settings.credentials.agent_id = "b".to_owned();
    let stop = relay::run(settings, chats, Arc::new(RelayStatus::default())).await;
    assert!(
        stop.0.contains("does not take this relay's token"),
        "{}",
        stop.0
    );
    assert!(!stop.0.contains(&token("a")));
}

/// Each would repeat what the other has sent.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_relay_with_the_same_state_ends() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    queue(&service, "x", &["x1"]).await;
    let _running = start(&url(&service), folder.path(), &chats);
    until_states(&service, &["completed"]).await;
    let settings = settings(&url(&service), folder.path(), None);
    let stop = relay::run(settings, chats.clone(), Arc::new(RelayStatus::default())).await;
    assert!(stop.0.contains("another relay uses it"), "{}", stop.0);
}

/// What breaks the service or is never taken by the network is left out after some tries, and what
/// comes behind it goes on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes 10 minutes, all of it the relay's own waits"]
async fn what_never_works_is_left_out() {
    let service = http_stub::start(|request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let (status, answer) = match (request.target.as_str(), body["text"].as_str()) {
            ("/edge/message", Some(BREAKS)) => (500, json!({"detail": "x"})),
            ("/edge/message", Some(text)) => (200, json!({"reply_bubbles": [text]})),
            ("/edge/sync", _) => (200, json!({"commands": []})),
            _ => (404, json!({})),
        };
        Some((status, "application/json", answer.to_string().into()))
    });
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    *chats.0.written.lock().unwrap() = vec![BREAKS, NEVER_TAKEN, "hello"];
    let started = Instant::now();
    let _running = start(&format!("http://{service}"), folder.path(), &chats);
    until(SLOWEST, "what comes behind", async || {
        chats.sent("x").contains(&"hello".to_owned())
    })
    .await;
    let sent = chats.sent("x");
    assert_eq!(sent.len(), 2);
    assert!(sent[0].contains("Could you send it again?"), "{sent:?}");
    // Minutes each: what passes by itself is waited for.
    assert!(started.elapsed() > Duration::from_secs(300));
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_is_shown_and_taken_back() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    queue(&service, "x", &["x1"]).await;
    let _running = start(&url(&service), folder.path(), &chats);
    // From here on the service knows what the relay can show.
    until_states(&service, &["completed"]).await;
    let now = service.app.clock.now();
    let agent = service.app.store.write(move |tx| tx.agent("a", now)).await;
    let agent = agent.unwrap().id;
    for is_on in [true, false] {
        service.app.hub.show_typing(agent, "x", is_on, 5_000);
        eventually("typing", async || {
            let events = chats.0.typing.lock().unwrap();
            events.last() == Some(&("x".to_owned(), is_on))
        })
        .await;
    }
}

/// Over a WebSocket with TLS, as to a service behind a proxy.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_reached_over_tls() {
    let service = Service::start().await;
    let (folder, chats) = (tempfile::tempdir().unwrap(), Chats::default());
    queue(&service, "x", &["x1", "x2"]).await;
    let (url, pem) = support::tls::proxy(service.address).await;
    let authorities = Authorities::read(pem.as_bytes()).unwrap();
    let _running = start_trusting(&url, folder.path(), &chats, Some(authorities));
    until_states(&service, &["completed"; 2]).await;
    assert_eq!(chats.sent("x"), ["x1", "x2"]);
    assert_eq!(service.app.hub.connected(), 1);
}

/// How a proxy disturbs.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// On a WebSocket what the relay says does not arrive, once it is open.
    Down,
    /// A WebSocket is answered with 502.
    NoSockets,
}

/// The address of a proxy in front of the service.
async fn proxy(service: &Service, way: Way) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, to) = (listener.local_addr().unwrap(), service.address);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            tokio::spawn(pass(near, to, way));
        }
    });
    format!("http://{address}")
}

async fn pass(mut near: TcpStream, to: std::net::SocketAddr, way: Way) -> Option<()> {
    let mut head = vec![0; 4096];
    let length = near.read(&mut head).await.ok()?;
    let head = &head[..length];
    let is_socket = head.starts_with(b"GET /edge/ws");
    if is_socket && way == Way::NoSockets {
        let refusal = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return near.write_all(refusal).await.ok();
    }
    let mut far = TcpStream::connect(to).await.ok()?;
    far.write_all(head).await.ok()?;
    if is_socket {
        let (mut from_service, _to_service) = far.split();
        let (_from_relay, mut to_relay) = near.split();
        return tokio::io::copy(&mut from_service, &mut to_relay)
            .await
            .ok()
            .map(drop);
    }
    copy_bidirectional(&mut near, &mut far).await.ok().map(drop)
}
