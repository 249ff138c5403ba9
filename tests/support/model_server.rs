//! A server of chat completions as the outside world has them, on a free port, with every way
//! to fail. What it was asked is kept, as is how many calls were under way at once.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};

/// How the server answers.
#[derive(Debug, Clone)]
pub enum Mode {
    /// `reply N: …` with the last user message, and usage.
    Echo,
    Say(String),
    /// Exactly this JSON, with 200.
    Json(Value),
    /// The status with an error body that must never be seen, `Retry-After` if given.
    Status(u16, Option<u64>),
    /// Bytes that are no HTTP body of JSON.
    Garbage,
    /// The JSON that this makes of the request.
    Answer(fn(&ModelRequest) -> Value),
    /// Says that more comes, and closes.
    CutOff,
    /// Closes without a word.
    Close,
    /// Answers after this time.
    Slow(Duration),
    /// Answers when `release` is called.
    Held,
    /// The same, with exactly this JSON.
    HeldJson(Value),
    /// The status when it is offered tools, else an echo.
    MindsTools(u16),
    /// In parts, as events: the first part, and the others when `release` is called. False: then
    /// the connection breaks off.
    Parts(Vec<&'static str>, bool),
    /// Exactly this JSON in parts, with its calls.
    JsonInParts(Value),
    /// The same: its text, and the rest when `release` is called.
    TextFirst(Value),
}

/// What a server's error says, which nobody must see.
pub const INTERNALS: &str = "upstream-secret-sk-12345";

#[derive(Clone)]
pub struct ModelServer {
    pub address: SocketAddr,
    state: Arc<State>,
}

struct State {
    /// For the next calls, one each; then `usual`.
    next: Mutex<Vec<Mode>>,
    usual: Mutex<Mode>,
    asked: Mutex<Vec<ModelRequest>>,
    released: watch::Sender<usize>,
    under_way: AtomicUsize,
    answered: watch::Sender<usize>,
    most_under_way: AtomicUsize,
    came: Notify,
}

#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub path: String,
    pub authorization: Option<String>,
    pub body: Value,
}

impl ModelRequest {
    pub fn system(&self) -> &str {
        assert_eq!(self.body["messages"][0]["role"], "system");
        self.body["messages"][0]["content"].as_str().unwrap()
    }

    /// The names of the tools that are offered.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().into_iter().flatten();
        tools
            .map(|tool| tool["function"]["name"].as_str().unwrap())
            .collect()
    }

    /// The results of the tools that were called, in order.
    pub fn results(&self) -> Vec<Value> {
        let messages = self.body["messages"].as_array().unwrap().iter();
        let results = messages.filter(|message| message["role"] == "tool");
        results
            .map(|message| serde_json::from_str(message["content"].as_str().unwrap()).unwrap())
            .collect()
    }

    /// Roles and contents after the system message.
    pub fn messages(&self) -> Vec<(String, Value)> {
        let messages = self.body["messages"].as_array().unwrap();
        let after_system = messages[1..].iter();
        after_system
            .map(|m| (m["role"].as_str().unwrap().to_owned(), m["content"].clone()))
            .collect()
    }
}

impl ModelServer {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            state: Arc::new(State {
                next: Mutex::default(),
                usual: Mutex::new(Mode::Echo),
                asked: Mutex::default(),
                released: watch::Sender::new(0),
                under_way: AtomicUsize::new(0),
                answered: watch::Sender::new(0),
                most_under_way: AtomicUsize::new(0),
                came: Notify::new(),
            }),
        };
        let state = server.state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, state.clone()));
            }
        });
        server
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The settings of a service that asks this server.
    pub fn settings(&self) -> Vec<(String, String)> {
        [
            ("CHATKEEP_REPLY_ENGINE", "openai"),
            ("CHATKEEP_REPLY_BASE_URL", &self.base_url()),
            ("CHATKEEP_REPLY_MODEL", "test-model"),
            ("CHATKEEP_REPLY_VISION_MODEL", "test-vision"),
            ("CHATKEEP_REPLY_API_KEY", "model-key"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    pub fn usually(&self, mode: Mode) {
        *self.state.usual.lock().unwrap() = mode;
    }

    /// For the next call only, after those said before.
    pub fn next(&self, mode: Mode) {
        self.state.next.lock().unwrap().push(mode);
    }

    /// Lets held calls be answered, those that wait and those to come.
    pub fn release(&self) {
        self.state.released.send_replace(usize::MAX);
    }

    /// Lets the oldest so many held calls be answered.
    pub fn release_first(&self, calls: usize) {
        self.state.released.send_replace(calls);
    }

    /// What was said to be answered next, and was not asked for, is not answered any more.
    pub fn forget(&self) {
        self.state.next.lock().unwrap().clear();
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.asked.lock().unwrap().clone()
    }

    pub fn last_request(&self) -> ModelRequest {
        self.requests().pop().unwrap()
    }

    pub fn most_under_way(&self) -> usize {
        self.state.most_under_way.load(Ordering::SeqCst)
    }

    /// Waits until so many calls have been answered in all.
    pub async fn answered(&self, count: usize) {
        let mut answered = self.state.answered.subscribe();
        let waiting = answered.wait_for(|answered| *answered >= count);
        let waited = tokio::time::timeout(super::PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{count} answers in time");
    }

    /// Waits until so many calls have come in all.
    pub async fn calls(&self, count: usize) {
        let waiting = async {
            loop {
                let mut arrival = std::pin::pin!(self.state.came.notified());
                arrival.as_mut().enable();
                if self.requests().len() >= count {
                    return;
                }
                arrival.await;
            }
        };
        let waited = tokio::time::timeout(super::PATIENCE, waiting).await;
        assert!(waited.is_ok(), "{count} calls in time");
    }
}

/// An answer like those of the real servers.
pub fn completion(content: impl Into<Value>, finish: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "test-model",
        "choices": [{
            "index": 0, "finish_reason": finish,
            "message": { "role": "assistant", "content": content.into() },
        }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
    })
}

/// An answer that calls tools, each with its arguments.
pub fn calling(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<(&str, String)> = calls
        .iter()
        .map(|(name, arguments)| (*name, arguments.to_string()))
        .collect();
    calling_with(&calls)
}

/// The same with arguments as they are.
pub fn calling_with(calls: &[(&str, String)]) -> Value {
    let calls = calls.iter().enumerate().map(|(n, (name, arguments))| {
        json!({"id": format!("call_{n}"), "type": "function",
            "function": {"name": name, "arguments": arguments}})
    });
    let calls: Vec<Value> = calls.collect();
    let mut answer = completion(Value::Null, "tool_calls");
    answer["choices"][0]["message"]["tool_calls"] = calls.into();
    answer
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    let Some(asked) = read(&mut stream).await else {
        return;
    };
    let (number, mode) = {
        let mut all = state.asked.lock().unwrap();
        // Before it can be seen that the call came: another answer may be set then.
        let mut next = state.next.lock().unwrap();
        let mode = match next.is_empty() {
            true => state.usual.lock().unwrap().clone(),
            false => next.remove(0),
        };
        all.push(asked.clone());
        (all.len(), mode)
    };
    let under_way = state.under_way.fetch_add(1, Ordering::SeqCst) + 1;
    state.most_under_way.fetch_max(under_way, Ordering::SeqCst);
    state.came.notify_waiters();
    let answer = match &mode {
        Mode::Parts(parts, is_whole) => {
            let (first, rest) = parts.split_first().unwrap();
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
            let begins = format!(
                "{head}{}",
                delta(&json!({"role": "assistant", "content": first}))
            );
            let _ = stream.write_all(begins.as_bytes()).await;
            let mut released = state.released.subscribe();
            let _ = released.wait_for(|calls| *calls >= number).await;
            let rest = rest.iter().map(|part| delta(&json!({"content": part})));
            let end = if *is_whole {
                the_end("stop")
            } else {
                String::new()
            };
            (rest.collect::<String>() + &end).into_bytes()
        }
        Mode::TextFirst(whole) => {
            let (text, rest) = in_parts(whole);
            let _ = stream.write_all(text.as_bytes()).await;
            let mut released = state.released.subscribe();
            let _ = released.wait_for(|calls| *calls >= number).await;
            rest.into_bytes()
        }
        mode => answer(mode, &asked, number, &state).await,
    };
    state.under_way.fetch_sub(1, Ordering::SeqCst);
    let _ = stream.write_all(&answer).await;
    let _ = stream.shutdown().await;
    state.answered.send_modify(|count| *count += 1);
}

async fn answer(mode: &Mode, asked: &ModelRequest, number: usize, state: &State) -> Vec<u8> {
    let echo = || {
        let last = asked.messages().pop().map(|(_, content)| content);
        let last = last.unwrap_or_default();
        let text = last.as_str().map_or(last.to_string(), str::to_owned);
        completion(format!("reply {number}: {text}"), "stop")
    };
    match mode {
        Mode::Echo => json_answer(200, &echo(), None),
        Mode::Say(text) => json_answer(200, &completion(text.as_str(), "stop"), None),
        Mode::Json(body) => json_answer(200, body, None),
        Mode::Answer(make) => json_answer(200, &make(asked), None),
        Mode::Status(status, retry_after) => {
            let error =
                json!({"error": {"message": INTERNALS, "type": "t", "param": null, "code": "c"}});
            json_answer(*status, &error, *retry_after)
        }
        Mode::Garbage => {
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>{INTERNALS}").into_bytes()
        }
        Mode::CutOff => {
            let whole = json_answer(200, &echo(), None);
            whole[..whole.len() - 20].to_vec()
        }
        Mode::Close => Vec::new(),
        Mode::Slow(time) => {
            tokio::time::sleep(*time).await;
            json_answer(200, &echo(), None)
        }
        Mode::Held | Mode::HeldJson(_) => {
            let mut released = state.released.subscribe();
            let _ = released.wait_for(|calls| *calls >= number).await;
            match mode {
                Mode::HeldJson(body) => json_answer(200, body, None),
                _ => json_answer(200, &echo(), None),
            }
        }
        Mode::MindsTools(status) if asked.body.get("tools").is_some() => {
            let error = json!({"error": {"message": format!("no tools, {INTERNALS}")}});
            json_answer(*status, &error, None)
        }
        Mode::MindsTools(_) => json_answer(200, &echo(), None),
        Mode::JsonInParts(whole) => {
            let (text, rest) = in_parts(whole);
            (text + &rest).into_bytes()
        }
        Mode::Parts(..) | Mode::TextFirst(_) => unreachable!("written part by part"),
    }
}

fn delta(delta: &Value) -> String {
    let part = json!({"object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    format!("data: {part}\n\n")
}

fn the_end(finish: &str) -> String {
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}});
    format!("data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// A completion as events: its text letter by letter, and its calls with their arguments in
/// halves.
fn in_parts(whole: &Value) -> (String, String) {
    let choice = &whole["choices"][0];
    let mut text =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            .to_owned();
    for letter in choice["message"]["content"]
        .as_str()
        .unwrap_or_default()
        .chars()
    {
        text.push_str(&delta(&json!({"content": letter.to_string()})));
    }
    let mut body = String::new();
    let calls = choice["message"]["tool_calls"]
        .as_array()
        .into_iter()
        .flatten();
    for (index, call) in calls.enumerate() {
        let arguments = call["function"]["arguments"].as_str().unwrap();
        let (begin, end) = arguments.split_at(arguments.len() / 2);
        let name = &call["function"]["name"];
        let first = json!({"index": index, "id": call["id"], "function": {"name": name, "arguments": begin}});
        body.push_str(&delta(&json!({"tool_calls": [first]})));
        let second = json!({"index": index, "function": {"arguments": end}});
        body.push_str(&delta(&json!({"tool_calls": [second]})));
    }
    body.push_str(&the_end(choice["finish_reason"].as_str().unwrap()));
    (text, body)
}

fn json_answer(status: u16, body: &Value, retry_after: Option<u64>) -> Vec<u8> {
    let body = body.to_string();
    let retry = retry_after.map_or(String::new(), |s| format!("Retry-After: {s}\r\n"));
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nConnection: close\r\n{retry}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

async fn read(stream: &mut TcpStream) -> Option<ModelRequest> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let n = stream.read(&mut buffer).await.ok().filter(|n| *n > 0)?;
        bytes.extend(&buffer[..n]);
        let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let header = |name: &str| {
            let mut lines = head.lines().skip(1);
            lines.find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        let length: usize = header("content-length")?.parse().ok()?;
        let body = &bytes[end + 4..];
        if body.len() >= length {
            return Some(ModelRequest {
                path: head.split(' ').nth(1)?.to_owned(),
                authorization: header("authorization"),
                body: serde_json::from_slice(body).ok()?,
            });
        }
    }
}
