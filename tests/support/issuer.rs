//! An identity provider's keys over HTTP: counts how often it is asked, and answers as it is
//! told to: rightly, with garbage, with an error, or not at all.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

pub const ISSUER: &str = "https://id.example.com/";
pub const AUDIENCE: &str = "chatkeep";

/// What is answered to a request for the keys.
#[derive(Clone)]
pub enum Mode {
    Keys(Vec<Value>),
    Raw(u16, String),
    /// Nothing, until `let_go`.
    Hang(Vec<Value>),
}

pub struct Issuer {
    pub url: String,
    state: Arc<State>,
    serving: tokio::task::JoinHandle<()>,
}

struct State {
    mode: Mutex<Mode>,
    asked: AtomicUsize,
    held: Semaphore,
}

impl Issuer {
    pub async fn start(mode: Mode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/jwks", listener.local_addr().unwrap());
        let state = Arc::new(State {
            mode: Mutex::new(mode),
            asked: AtomicUsize::new(0),
            held: Semaphore::new(0),
        });
        let shared = state.clone();
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, shared.clone()));
            }
        });
        Self {
            url,
            state,
            serving,
        }
    }

    pub fn answer_with(&self, mode: Mode) {
        *self.state.mode.lock().unwrap() = mode;
    }

    /// How often it was asked for its keys.
    pub fn requests(&self) -> usize {
        self.state.asked.load(Ordering::SeqCst)
    }

    /// Answers whoever hangs.
    pub fn let_go(&self) {
        self.state.held.add_permits(1_000);
    }

    /// The service's settings.
    pub fn settings(&self) -> Vec<(&'static str, &str)> {
        vec![
            ("CHATKEEP_IDENTITY_JWKS_URL", &self.url),
            ("CHATKEEP_IDENTITY_ISSUER", ISSUER),
            ("CHATKEEP_IDENTITY_AUDIENCE", AUDIENCE),
        ]
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(mut stream: TcpStream, state: Arc<State>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else {
            return;
        };
        head.push(byte);
    }
    assert!(head.starts_with(b"GET /jwks HTTP/1.1\r\n"));
    let mode = state.mode.lock().unwrap().clone();
    // After the mode: whoever sees the count may set another one.
    state.asked.fetch_add(1, Ordering::SeqCst);
    let keys = |keys: Vec<Value>| (200, json!({ "keys": keys }).to_string());
    let (status, body) = match mode {
        Mode::Keys(list) => keys(list),
        Mode::Raw(status, body) => (status, body),
        Mode::Hang(list) => {
            state.held.acquire().await.unwrap().forget();
            keys(list)
        }
    };
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}
