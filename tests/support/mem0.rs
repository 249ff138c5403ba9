//! A memory service as the outside world has it: mem0's self-hosted server with its lists,
//! searches and deletions, and every way to fail.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

pub const KEY: &str = "memory-key-of-the-tests";
/// What the real one lists at most, and unasked.
const LISTED_MAX: usize = 1_000;
const LISTED_DEFAULT: usize = 20;
/// How long the mode "hang" says nothing, unless it changes before.
const HANG: Duration = Duration::from_secs(20);

/// A running stub; its threads end with the process.
pub struct Mem0 {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    mode: String,
    memories: Vec<Value>,
    asked: Vec<String>,
    made: usize,
}

impl Mem0 {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, state) = (stream.unwrap(), shared.clone());
                std::thread::spawn(move || answer(stream, &state));
            }
        });
        Self { address, state }
    }

    /// The settings of a service that uses it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        vec![
            ("CHATKEEP_MEMORY_PROVIDER", "mem0".to_owned()),
            (
                "CHATKEEP_MEMORY_BASE_URL",
                format!("http://{}", self.address),
            ),
            ("CHATKEEP_MEMORY_API_KEY", KEY.to_owned()),
        ]
    }

    /// How it behaves from now on: "" as it should; "hang", "lost" (does it and fails),
    /// "garbage", "shape", "huge", "redirect", or a status.
    pub fn set_mode(&self, mode: &str) {
        self.state().mode = mode.to_owned();
    }

    /// A memory that somebody else put there.
    pub fn put(&self, user_id: &str, text: &str, created_at: &str) {
        self.state().insert(user_id, text, &Value::Null, created_at);
    }

    pub fn texts(&self, user_id: &str) -> Vec<String> {
        let state = self.state();
        let own = state.memories.iter().filter(|m| m["user_id"] == user_id);
        own.map(|m| m["memory"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn memories(&self) -> Vec<Value> {
        self.state().memories.clone()
    }

    /// The first lines of what it was asked.
    pub fn requests(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl State {
    fn insert(&mut self, user_id: &str, text: &str, metadata: &Value, created_at: &str) -> String {
        self.made += 1;
        let id = format!("there-{}", self.made);
        self.memories.push(json!({
            "id": id, "memory": text, "hash": "h", "user_id": user_id,
            "metadata": metadata, "created_at": created_at, "updated_at": null,
        }));
        id
    }
}

fn answer(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(&stream);
    let mut line = String::new();
    let (mut length, mut key) = (0, String::new());
    if reader.read_line(&mut line).is_err() {
        return;
    }
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).is_err() || header.trim().is_empty() {
            break;
        }
        let (name, value) = header.trim().split_once(": ").unwrap();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "x-api-key" => key = value.to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let line = line.trim().trim_end_matches(" HTTP/1.1").to_owned();
    let mode = {
        let mut state = state.lock().unwrap();
        state.asked.push(line.clone());
        state.mode.clone()
    };
    let does = matches!(mode.as_str(), "" | "lost");
    let (mut status, mut response_body) = match key == KEY {
        false => (401, json!({"detail": "Invalid API key"})),
        true if does => serve(&mut state.lock().unwrap(), &line, &body),
        true => (200, Value::Null),
    };
    let mut head = String::new();
    let mut bytes = None;
    match mode.as_str() {
        "" => {}
        "hang" => {
            let start = Instant::now();
            while start.elapsed() < HANG && state.lock().unwrap().mode == "hang" {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        "garbage" => bytes = Some(b"<html>hello</html>".to_vec()),
        "shape" => response_body = json!({"results": [{"id": 7}]}),
        "huge" => bytes = Some(vec![b' '; 16 << 20]),
        "redirect" => (status, head) = (302, "Location: http://127.0.0.1:1/\r\n".to_owned()),
        "lost" => (status, response_body) = (500, json!({"detail": "it broke afterwards"})),
        other => (status, response_body) = (other.parse().unwrap(), json!({"detail": "no"})),
    }
    let bytes = bytes.unwrap_or_else(|| response_body.to_string().into_bytes());
    let length = bytes.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{head}\r\n"
    );
    let mut stream = &stream;
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(&bytes);
}

/// What the real one does when nothing is wrong.
fn serve(state: &mut State, line: &str, body: &Value) -> (u16, Value) {
    let (method, target) = line.split_once(' ').unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let param = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let of = |user_id: &str, state: &State| -> Vec<Value> {
        let own = state.memories.iter().filter(|m| m["user_id"] == user_id);
        own.cloned().collect()
    };
    let not_found = (404, json!({"detail": "Memory not found"}));
    match (method, path, path.strip_prefix("/memories/")) {
        ("POST", "/memories", _) => {
            assert_eq!(body["infer"], false);
            let text = body["messages"][0]["content"].as_str().unwrap();
            let user_id = body["user_id"].as_str().unwrap();
            let id = state.insert(user_id, text, &body["metadata"], "2026-05-01T00:00:00Z");
            (
                200,
                json!({"results": [{"id": id, "memory": text, "event": "ADD"}]}),
            )
        }
        ("GET", "/memories", _) => {
            let most = param("top_k").and_then(|k| k.parse().ok());
            let mut own = of(param("user_id").unwrap(), state);
            own.truncate(most.unwrap_or(LISTED_DEFAULT).min(LISTED_MAX));
            (200, json!({"results": own}))
        }
        ("DELETE", "/memories", _) => {
            let user_id = param("user_id").unwrap();
            state.memories.retain(|m| m["user_id"] != user_id);
            (200, json!({"message": "All relevant memories deleted"}))
        }
        ("POST", "/search", _) => {
            let word = body["query"].as_str().unwrap().to_lowercase();
            let mut own = of(body["filters"]["user_id"].as_str().unwrap(), state);
            own.retain(|m| m["memory"].as_str().unwrap().to_lowercase().contains(&word));
            (200, json!({"results": own}))
        }
        ("GET", _, Some(id)) => match state.memories.iter().find(|m| m["id"] == id) {
            Some(memory) => (200, memory.clone()),
            None => (200, Value::Null),
        },
        ("DELETE", _, Some(id)) => {
            let before = state.memories.len();
            state.memories.retain(|m| m["id"] != id);
            if state.memories.len() == before {
                return not_found;
            }
            (200, json!({"message": "Memory deleted successfully"}))
        }
        _ => not_found,
    }
}
