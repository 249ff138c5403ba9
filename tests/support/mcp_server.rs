//! A server of the Model Context Protocol as the outside world has them, on a free port: with a
//! handshake and sessions, or of the newest revision without, and with ways to fail. It knows
//! two tools, `add_note` and `list_notes`, on two pages.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

use super::http_stub::{self, HttpRequest};

pub const TOKEN: &str = "mcp-token-of-the-tests";
/// What the server says of its troubles, which no log may hold.
pub const INTERNALS: &str = "internals-of-the-mcp-server";
const SESSION: &str = "session-1";
/// How soon the end of hanging is noticed.
const LOOK: Duration = Duration::from_millis(20);

/// How calls are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    Answered,
    /// The note is kept, and the connection breaks.
    BrokenOff,
    /// The note is kept, and the status is 500.
    Status500,
    /// The note is kept, and there is never an answer.
    Unanswered,
    /// Nothing is kept: the tool says that it failed.
    Failed,
    /// Nothing is kept: an error of JSON-RPC.
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Answers are JSON.
    Json,
    /// Answers are events, and the stream ends.
    Events,
    /// Answers are events, and the stream stays open.
    OpenEvents,
    /// Revision 2026-07-28: no handshake.
    Newest,
    /// 200 with something else.
    Garbage,
    /// Takes connections and says nothing.
    Silent,
}

#[derive(Debug)]
struct State {
    style: Style,
    calls: Calls,
    notes: Vec<String>,
    /// Method of each request that was let in, with the revision that its header names.
    asked: Vec<(String, Option<String>)>,
    has_session: bool,
    hangs_no_more: bool,
    description: String,
}

#[derive(Clone)]
pub struct McpServer {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl McpServer {
    pub fn start(style: Style) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            state: Arc::new(Mutex::new(State {
                style,
                calls: Calls::Answered,
                notes: Vec::new(),
                asked: Vec::new(),
                has_session: false,
                hangs_no_more: false,
                description: "Keeps a note.".to_owned(),
            })),
        };
        let shared = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (server, stream) = (shared.clone(), stream.unwrap());
                std::thread::spawn(move || server.serve(stream));
            }
        });
        server
    }

    /// The section of a configuration file that names it.
    pub fn section(&self, name: &str, more: &str) -> String {
        format!(
            "[[reply.mcp]]\nname = \"{name}\"\nurl = \"http://{}/mcp\"\ntoken = \"{TOKEN}\"\n{more}\n",
            self.address
        )
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub fn answer_calls(&self, calls: Calls) {
        self.state().calls = calls;
    }

    pub fn set_style(&self, style: Style) {
        self.state().style = style;
    }

    /// Its sessions end: it answers 404 to their ids.
    pub fn end_sessions(&self) {
        self.state().has_session = false;
    }

    pub fn notes(&self) -> Vec<String> {
        self.state().notes.clone()
    }

    /// The methods of its requests so far.
    pub fn requests(&self) -> Vec<String> {
        let asked = self.state().asked.clone();
        asked.into_iter().map(|(method, _)| method).collect()
    }

    /// The revisions that headers named, without those of handshakes.
    pub fn versions(&self) -> Vec<Option<String>> {
        let asked = self.state().asked.clone();
        let later = asked
            .into_iter()
            .filter(|(method, _)| method != "initialize");
        later.map(|(_, version)| version).collect()
    }

    fn serve(&self, mut stream: TcpStream) {
        let Some(request) = http_stub::read(&stream) else {
            return;
        };
        let style = self.state().style;
        if style == Style::Silent {
            wait_for_the_end(&mut stream);
            return;
        }
        let (status, body) = match self.answer(&request) {
            Answer::None => return,
            Answer::Never => {
                self.hang(&mut stream);
                return;
            }
            Answer::Status(status, body) => (status, body),
        };
        let is_events = matches!(style, Style::Events | Style::OpenEvents) && status == 200;
        let text = match is_events {
            true => format!(
                ": hello\n\nevent: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{}}}}\n\nevent: message\ndata: {body}\n\n"
            ),
            false => body.to_string(),
        };
        let text = match style {
            Style::Garbage => format!("<html>{INTERNALS}"),
            _ => text,
        };
        let kind = if is_events {
            "text/event-stream"
        } else {
            "application/json"
        };
        let mut head =
            format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n");
        if style != Style::Newest && body.pointer("/result/protocolVersion").is_some() {
            head.push_str(&format!("Mcp-Session-Id: {SESSION}\r\n"));
        }
        if !is_events {
            head.push_str(&format!("Content-Length: {}\r\n", text.len()));
        }
        let _ = stream.write_all(format!("{head}\r\n{text}").as_bytes());
        if style == Style::OpenEvents && is_events {
            wait_for_the_end(&mut stream);
        }
    }

    /// Breaks off calls that are never answered, also later ones.
    pub fn end_hanging(&self) {
        self.state().hangs_no_more = true;
    }

    /// Until the other side hangs up, or `end_hanging`.
    fn hang(&self, stream: &mut TcpStream) {
        stream.set_read_timeout(Some(LOOK)).unwrap();
        while !self.state().hangs_no_more && stream.read(&mut [0; 1]).is_err() {}
    }

    fn answer(&self, request: &HttpRequest) -> Answer {
        if request.bearer.as_deref() != Some(TOKEN) {
            return Answer::Status(401, json!({ "error": INTERNALS }));
        }
        let accepts = request.headers.get("accept").map_or("", String::as_str);
        assert!(accepts.contains("application/json") && accepts.contains("text/event-stream"));
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let (id, method) = (body["id"].clone(), body["method"].as_str().unwrap());
        let header = |name: &str| request.headers.get(name).cloned();
        let mut state = self.state();
        let version = header("mcp-protocol-version");
        state.asked.push((method.to_owned(), version.clone()));
        let result = |result: Value| {
            Answer::Status(200, json!({"jsonrpc": "2.0", "id": id, "result": result}))
        };
        let error = |status: u16, code: i64| {
            let error = json!({"code": code, "message": INTERNALS});
            Answer::Status(status, json!({"jsonrpc": "2.0", "id": id, "error": error}))
        };
        let is_newest = state.style == Style::Newest;
        match method {
            "initialize" if is_newest => return error(400, -32601),
            "initialize" => {
                state.has_session = true;
                assert_eq!(body["params"]["protocolVersion"], "2025-11-25");
                return result(json!({
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "notes", "version": "1"},
                }));
            }
            "notifications/initialized" => return Answer::Status(202, Value::Null),
            _ => {}
        }
        let is_theirs = match is_newest {
            true => {
                let meta = &body["params"]["_meta"];
                meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
                    && version.as_deref() == Some("2026-07-28")
                    && header("mcp-method").as_deref() == Some(method)
                    && header("mcp-name").as_deref() == body["params"]["name"].as_str()
            }
            false => {
                version.as_deref() == Some("2025-06-18")
                    && header("mcp-session-id").as_deref() == Some(SESSION)
            }
        };
        assert!(is_theirs, "{body} {:?}", request.headers);
        if !is_newest && !state.has_session {
            return error(404, -32001);
        }
        match method {
            "tools/list" if body["params"]["cursor"].is_null() => result(json!({
                "tools": [tool("add_note", &state.description)], "nextCursor": "2",
            })),
            "tools/list" => result(json!({"tools": [
                tool("list_notes", "Lists the notes."),
                {"name": "broken", "inputSchema": {"type": "string"}},
            ]})),
            "tools/call" => self.call(&mut state, &body["params"], result, error),
            other => panic!("{other}"),
        }
    }

    fn call(
        &self,
        state: &mut State,
        params: &Value,
        result: impl Fn(Value) -> Answer,
        error: impl Fn(u16, i64) -> Answer,
    ) -> Answer {
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        if params["name"] == "list_notes" {
            return result(text(&state.notes.join("; ")));
        }
        let calls = state.calls;
        if !matches!(calls, Calls::Failed | Calls::Refused) {
            let note = params["arguments"]["text"].as_str().unwrap_or_default();
            state.notes.push(note.to_owned());
        }
        match calls {
            Calls::Answered => result(text(&format!("Kept. {} notes.", state.notes.len()))),
            Calls::Failed => {
                let mut failed = text("The shelf is full.");
                failed["isError"] = true.into();
                result(failed)
            }
            Calls::Refused => error(200, -32602),
            Calls::BrokenOff => Answer::None,
            Calls::Unanswered => Answer::Never,
            Calls::Status500 => error(500, -32603),
        }
    }
}

enum Answer {
    /// The connection breaks off.
    None,
    Never,
    Status(u16, Value),
}

fn tool(name: &str, description: &str) -> Value {
    let properties = json!({"text": {"type": "string"}});
    json!({"name": name, "description": description,
        "inputSchema": {"type": "object", "properties": properties}})
}

/// Until the other side hangs up.
fn wait_for_the_end(stream: &mut TcpStream) {
    let mut rest = [0; 1];
    let _ = stream.read(&mut rest);
}
