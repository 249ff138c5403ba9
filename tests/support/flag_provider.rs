//! A provider of flags as the outside world has them: LaunchDarkly's polling protocol and
//! OFREP, with ETags, compression and every way to fail, in a process of its own. What it
//! serves is told it over HTTP.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

pub const KEY: &str = "sdk-key-of-the-tests";
const LISTEN: &str = "FLAG_PROVIDER_LISTEN";
/// How long the mode "hang" says nothing.
const HANG: Duration = Duration::from_secs(60);
/// The header of an answer that is sent byte by byte.
const TRICKLE: &str = "X-Trickle: yes\r\n";

/// A flag in LaunchDarkly's words that is `value` for everybody.
pub fn flag(key: &str, value: impl Into<Value>) -> Value {
    json!({
        "key": key, "version": 1, "on": true, "salt": "salt", "clientSide": false,
        "variations": [value.into()], "fallthrough": { "variation": 0 }, "offVariation": 0,
        "targets": [], "rules": [], "prerequisites": [],
    })
}

/// A segment that holds these users.
pub fn segment(key: &str, users: &[&str]) -> Value {
    json!({
        "key": key, "version": 1, "salt": "salt", "included": users, "excluded": [], "rules": [],
    })
}

/// A condition: is the user in the segment?
pub fn in_segment(segment: &str) -> Value {
    json!({ "attribute": "", "op": "segmentMatch", "values": [segment], "negate": false })
}

/// The provider's process; it is killed when dropped.
pub struct ProviderProcess {
    pub address: SocketAddr,
    child: Child,
}

impl ProviderProcess {
    pub fn start() -> Self {
        Self::at("127.0.0.1:0".parse().unwrap())
    }

    /// Runs the test `provider_process` of this very executable.
    pub fn at(address: SocketAddr) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "provider_process", "--ignored", "--nocapture"])
            .env(LISTEN, address.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines
            .find_map(|line| line.unwrap().split_once("listening on ")?.1.parse().ok())
            .unwrap();
        Self { address, child }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What it serves from now on: any of `mode`, `flags`, `segments`, `values`.
    pub fn serve(&self, what: &Value) {
        call(self.address, "POST", "/__control", &what.to_string());
    }

    /// What it was asked: status, and whether the question was conditional.
    pub fn requests(&self) -> Vec<Value> {
        let answer = call(self.address, "GET", "/__asked", "");
        serde_json::from_str(&answer).unwrap()
    }

    pub fn kill(mut self) -> SocketAddr {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.address
    }
}

impl Drop for ProviderProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn call(address: SocketAddr, method: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: p\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[derive(Default)]
struct State {
    version: u64,
    mode: String,
    flags: Value,
    segments: Value,
    values: Value,
    asked: Vec<Value>,
}

/// What the process does, until it is killed.
pub fn run() {
    let Ok(address) = std::env::var(LISTEN) else {
        return;
    };
    let listener = TcpListener::bind(address).unwrap();
    println!("listening on {}", listener.local_addr().unwrap());
    let state = Arc::new(Mutex::new(State::default()));
    for stream in listener.incoming() {
        let (stream, state) = (stream.unwrap(), state.clone());
        std::thread::spawn(move || answer(stream, &state));
    }
}

struct RecordedRequest {
    line: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl RecordedRequest {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut next = || {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            Some(line.trim_end().to_owned())
        };
        let line = next()?;
        let mut headers = Vec::new();
        while let Some((name, value)) = next()?.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut request = Self {
            line,
            headers,
            body: String::new(),
        };
        let length: u64 = request.header("content-length").parse().unwrap_or(0);
        reader.take(length).read_to_string(&mut request.body).ok()?;
        Some(request)
    }

    fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(n, _)| n == name);
        found.map_or("", |(_, value)| value)
    }
}

fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    let Some(asked) = RecordedRequest::read(&stream) else {
        return;
    };
    let (status, headers, body) = decide(&asked, state);
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    let _ = stream.write_all(head.as_bytes());
    if headers.starts_with(TRICKLE) {
        for byte in body {
            std::thread::sleep(Duration::from_millis(500));
            if stream.write_all(&[byte]).is_err() {
                return;
            }
        }
        return;
    }
    let _ = stream.write_all(&body);
}

type FlagResponse = (u16, String, Vec<u8>);

fn decide(asked: &RecordedRequest, state: &Mutex<State>) -> FlagResponse {
    let plain = |status, body: Value| (status, String::new(), body.to_string().into_bytes());
    let mut at = state.lock().unwrap();
    let data = match asked.line.as_str() {
        "POST /__control HTTP/1.1" => {
            let context: Value = serde_json::from_str(&asked.body).unwrap();
            at.version += 1;
            at.mode = context["mode"].as_str().unwrap_or("ok").to_owned();
            at.flags = context["flags"].clone();
            at.segments = context["segments"].clone();
            at.values = context["values"].clone();
            return plain(200, json!({}));
        }
        "GET /__asked HTTP/1.1" => return plain(200, Value::Array(at.asked.clone())),
        "GET /sdk/latest-all HTTP/1.1" if asked.header("authorization") == KEY => {
            by_key("flags", &at.flags, &at.segments)
        }
        "POST /ofrep/v1/evaluate/flags HTTP/1.1"
            if asked.header("authorization") == format!("Bearer {KEY}")
                && asked.body.contains("targetingKey") =>
        {
            json!({ "flags": at.values })
        }
        _ => return plain(401, json!({})),
    };
    let etag = format!("\"{}-{}\"", std::process::id(), at.version);
    let known = asked.header("if-none-match") == etag;
    let mode = at.mode.clone();
    let status = if known && matches!(mode.as_str(), "ok" | "gzip") {
        304
    } else {
        200
    };
    let conditional = !asked.header("if-none-match").is_empty();
    at.asked
        .push(json!({ "status": status, "conditional": conditional }));
    drop(at);
    let compressed = asked.header("accept-encoding").contains("gzip");
    let text = data.to_string().into_bytes();
    let tagged = format!("ETag: {etag}\r\n");
    match mode.as_str() {
        "ok" | "gzip" if status == 304 => (304, tagged, Vec::new()),
        "ok" => (200, tagged, text),
        "gzip" if compressed => (200, tagged + "Content-Encoding: gzip\r\n", gzip(&text)),
        "gzip" => plain(400, json!({})),
        "hang" => {
            std::thread::sleep(HANG);
            plain(200, data)
        }
        "trickle" => (200, TRICKLE.into(), text),
        "garbage" => (200, tagged, b"<html>hello</html>".to_vec()),
        "shape" => plain(200, json!({ "flags": 7 })),
        "huge" => (200, tagged, vec![b' '; 2 << 20]),
        "bomb" => (
            200,
            "Content-Encoding: gzip\r\n".into(),
            gzip(&vec![b' '; 64 << 20]),
        ),
        "redirect" => (302, "Location: /__asked\r\n".into(), Vec::new()),
        "later" => (429, "Retry-After: 1\r\n".into(), Vec::new()),
        status => plain(status.parse().unwrap(), json!({})),
    }
}

/// Lists with keys as the protocol has them: objects by key.
fn by_key(name: &str, flags: &Value, segments: &Value) -> Value {
    let object = |list: &Value| {
        let entries = list.as_array().map_or(&[][..], Vec::as_slice).iter();
        let keyed = entries.map(|entry| (entry["key"].as_str().unwrap().to_owned(), entry.clone()));
        Value::Object(keyed.collect())
    };
    json!({ name: object(flags), "segments": object(segments) })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
