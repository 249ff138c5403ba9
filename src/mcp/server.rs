//! One server: its session, its tools as they were listed last, and the requests to it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::CallOutcome;
use super::wire::{self, McpSession, RpcResponse};
use crate::assistant::tools::RemoteTool;
use crate::clock::{Clock, Monotonic};
use crate::config::McpServer;
use crate::outbound::{self, Method, NoAnswer, Request, Response};

/// Tools of one server.
const TOOLS_MAX: usize = 32;
/// Pages of a list of tools.
const PAGES_MAX: usize = 10;
/// Bytes of an answer.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;
/// Time in which a server says which tools it has.
const LISTING_MS_MAX: u64 = 3_000;
/// How long a list is used.
const LIST_KEPT_MS: u64 = 60_000;
/// How long a server that failed is left alone, doubled each time up to the second.
const PAUSE_MS_MIN: u64 = 10_000;
const PAUSE_MS_MAX: u64 = 300_000;
/// Bytes of a session's id.
const SESSION_ID_BYTES_MAX: usize = 1_024;

const ACCEPT: &str = "application/json, text/event-stream";
const SESSION_ID: &str = "mcp-session-id";

pub(super) struct Server {
    settings: McpServer,
    clock: Clock,
    session: Mutex<Option<McpSession>>,
    /// Held while a list is fetched, so that one message asks and the others wait.
    listed: tokio::sync::Mutex<ListedTools>,
    next_id: AtomicU64,
}

#[derive(Default)]
struct ListedTools {
    tools: Arc<[Arc<RemoteTool>]>,
    /// The server is not asked again before this time.
    until: Option<Monotonic>,
    failures: u32,
}

/// Why a server can't be used. It never holds what the server said.
#[derive(Debug)]
enum Failure {
    /// There was no connection.
    Unreachable,
    NoAnswer,
    Status(u16),
    /// An error of JSON-RPC, in the server's words.
    Refused(String),
    Garbled,
    /// No revision of the protocol that is spoken here.
    Version,
    /// The session has ended.
    SessionOver,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Unreachable => f.write_str("it can't be reached"),
            Self::NoAnswer => f.write_str("it does not answer in time or breaks off"),
            Self::Status(401 | 403) => f.write_str("it refuses the token"),
            Self::Status(status) => write!(f, "it answers with status {status}"),
            Self::Refused(_) => f.write_str("it refuses the request"),
            Self::Garbled => f.write_str("its answer is not of the Model Context Protocol"),
            Self::Version => f.write_str("it speaks another revision of the protocol"),
            Self::SessionOver => f.write_str("its sessions end at once"),
        }
    }
}

impl From<NoAnswer> for Failure {
    fn from(none: NoAnswer) -> Self {
        match none.is_unsent {
            true => Self::Unreachable,
            false => Self::NoAnswer,
        }
    }
}

impl From<Failure> for CallOutcome {
    /// The outcome of a call of a tool whose request failed.
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unreachable | Failure::Version | Failure::SessionOver => Self::NotCalled,
            Failure::Status(..500) => Self::NotCalled,
            Failure::Refused(words) => Self::Refused(words),
            Failure::NoAnswer | Failure::Status(_) | Failure::Garbled => Self::Unknown,
        }
    }
}

impl Server {
    pub(super) fn new(settings: McpServer, clock: Clock) -> Self {
        Self {
            settings,
            clock,
            session: Mutex::new(None),
            listed: tokio::sync::Mutex::default(),
            next_id: AtomicU64::new(1),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.settings.name
    }

    pub(super) fn in_groups(&self) -> bool {
        self.settings.groups
    }

    /// The server's tools; none for a while after it failed.
    pub(super) async fn tools(self: Arc<Self>) -> Arc<[Arc<RemoteTool>]> {
        let mut listed = self.listed.lock().await;
        let now = self.clock.monotonic();
        if listed.until.is_some_and(|until| now < until) {
            return listed.tools.clone();
        }
        let server = self.clone();
        let fetched = tokio::task::spawn_blocking(move || server.list()).await;
        let fetched = fetched.unwrap_or(Err(Failure::Garbled));
        let kept_ms = match fetched {
            Ok(tools) => {
                listed.tools = tools.into();
                listed.failures = 0;
                LIST_KEPT_MS
            }
            Err(failure) => {
                log::warn!(
                    "the MCP server {} offers no tools for now: {failure}",
                    self.name()
                );
                listed.tools = Arc::default();
                let pause_ms = PAUSE_MS_MIN << listed.failures.min(10);
                listed.failures += 1;
                pause_ms.min(PAUSE_MS_MAX)
            }
        };
        listed.until = Some(self.clock.monotonic().plus_ms(kept_ms));
        listed.tools.clone()
    }

    /// Asks the server for its tools. Blocking.
    fn list(&self) -> Result<Vec<Arc<RemoteTool>>, Failure> {
        let until = self.clock.monotonic().plus_ms(LISTING_MS_MAX);
        let (mut tools, mut cursor) = (Vec::new(), None::<String>);
        for _ in 0..PAGES_MAX {
            let mut params = Map::new();
            if let Some(cursor) = cursor {
                params.insert("cursor".to_owned(), cursor.into());
            }
            let page = self.ask("tools/list", &params, None, until)?;
            let listed = page.get("tools").and_then(Value::as_array);
            for tool in listed.ok_or(Failure::Garbled)? {
                match RemoteTool::read(self.name(), tool) {
                    Ok(tool) => tools.push(Arc::new(tool)),
                    Err(why) => log::warn!(
                        "the MCP server {}: a tool is not offered: {why}",
                        self.name()
                    ),
                }
            }
            cursor = page
                .get("nextCursor")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if cursor.is_none() || tools.len() > TOOLS_MAX {
                break;
            }
        }
        let mut names = std::collections::HashSet::new();
        tools.retain(|tool| names.insert(tool.name.clone()));
        if tools.len() > TOOLS_MAX {
            log::warn!(
                "the MCP server {} has more than {TOOLS_MAX} tools; the first ones are offered",
                self.name()
            );
            tools.truncate(TOOLS_MAX);
        }
        Ok(tools)
    }

    /// Calls a tool. Blocking.
    pub(super) fn call(
        &self,
        own_name: &str,
        arguments: Map<String, Value>,
        time_max: Duration,
    ) -> CallOutcome {
        let until = self.clock.monotonic().plus_ms(time_max.as_millis() as u64);
        let mut params = Map::new();
        params.insert("name".to_owned(), own_name.into());
        params.insert("arguments".to_owned(), Value::Object(arguments));
        // Connected before, so that what fails there is known not to have called anything.
        if let Err(failure) = self.session(until) {
            log::warn!("the MCP server {}: {failure}", self.name());
            return CallOutcome::NotCalled;
        }
        match self.ask("tools/call", &params, Some(own_name), until) {
            Ok(result) => {
                wire::tool_result(&result).map_or(CallOutcome::Unknown, CallOutcome::Answered)
            }
            Err(failure) => {
                log::warn!("the MCP server {}: a call failed: {failure}", self.name());
                failure.into()
            }
        }
    }

    /// A request and its result. Where the session has ended, which did nothing, it is sent once
    /// more in a new one.
    fn ask(
        &self,
        method: &str,
        params: &Map<String, Value>,
        of_tool: Option<&str>,
        until: Monotonic,
    ) -> Result<Value, Failure> {
        let session = self.session(until)?;
        match self.ask_in(&session, method, params, of_tool, until) {
            Err(Failure::SessionOver) => {
                self.session.lock().take_if(|kept| *kept == session);
                let session = self.session(until)?;
                self.ask_in(&session, method, params, of_tool, until)
            }
            other => other,
        }
    }

    fn ask_in(
        &self,
        session: &McpSession,
        method: &str,
        params: &Map<String, Value>,
        of_tool: Option<&str>,
        until: Monotonic,
    ) -> Result<Value, Failure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let body = wire::request(id, method, params.clone(), session);
        let mut headers = vec![("mcp-protocol-version", session.version.as_str())];
        if !session.has_handshake() {
            headers.push(("mcp-method", method));
            headers.extend(of_tool.map(|name| ("mcp-name", name)));
        }
        if let Some(id) = &session.id {
            headers.push((SESSION_ID, id));
        }
        let answer = self.post(&headers, &body, Some(id), until)?;
        match (answer.status, wire::reply(&answer.body, id)) {
            (404, _) if session.id.is_some() => Err(Failure::SessionOver),
            (..500, Some(RpcResponse::Error(_, words))) => Err(Failure::Refused(words)),
            (200, Some(RpcResponse::Result(result))) => Ok(result),
            (200, _) => Err(Failure::Garbled),
            (status, _) => Err(Failure::Status(status)),
        }
    }

    /// The session of before, or a new one.
    fn session(&self, until: Monotonic) -> Result<McpSession, Failure> {
        let session = self.session.lock().clone();
        if let Some(session) = session {
            return Ok(session);
        }
        let session = self.connect(until)?;
        *self.session.lock() = Some(session.clone());
        Ok(session)
    }

    /// With a handshake, else as the newest revision has it.
    fn connect(&self, until: Monotonic) -> Result<McpSession, Failure> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let answer = self.post(&[], &wire::initialize(id), Some(id), until)?;
        let result = match (answer.status, wire::reply(&answer.body, id)) {
            (200, Some(RpcResponse::Result(result))) => result,
            // A server of the newest revision knows no handshake.
            (200 | 400 | 404, Some(RpcResponse::Error(..))) => {
                let session = McpSession {
                    version: wire::WITHOUT_HANDSHAKE.to_owned(),
                    id: None,
                };
                self.ask_in(&session, "tools/list", &Map::new(), None, until)?;
                return Ok(session);
            }
            (200, _) => return Err(Failure::Garbled),
            (status, _) => return Err(Failure::Status(status)),
        };
        let session_id = answer.header(SESSION_ID).map(str::to_owned);
        let session = McpSession {
            version: wire::version(&result).ok_or(Failure::Version)?,
            id: session_id.filter(|id| (1..=SESSION_ID_BYTES_MAX).contains(&id.len())),
        };
        let mut headers = vec![("mcp-protocol-version", session.version.as_str())];
        if let Some(id) = &session.id {
            headers.push((SESSION_ID, id));
        }
        let noted = self.post(&headers, &wire::initialized(), None, until)?;
        match noted.status {
            200..300 => Ok(session),
            status => Err(Failure::Status(status)),
        }
    }

    /// `id`: of the request, whose reply ends the answer.
    fn post(
        &self,
        headers: &[(&str, &str)],
        body: &Value,
        id: Option<u64>,
        until: Monotonic,
    ) -> Result<Response, Failure> {
        let left_ms = until.since(self.clock.monotonic());
        if left_ms == 0 {
            return Err(Failure::Unreachable);
        }
        let bearer = self.settings.token.as_ref();
        let bearer = bearer.map(|token| format!("Bearer {}", token.expose()));
        let mut all = vec![("accept", ACCEPT)];
        all.extend(
            bearer
                .iter()
                .map(|bearer| ("authorization", bearer.as_str())),
        );
        all.extend_from_slice(headers);
        let request = Request {
            headers: &all,
            body: Some(body),
            timeout: Duration::from_millis(left_ms),
            answer_bytes_max: ANSWER_BYTES_MAX,
            ..Request::new(Method::Post, &self.settings.url)
        };
        let is_whole = &mut |body: &[u8]| id.is_some_and(|id| wire::reply(body, id).is_some());
        Ok(outbound::send_until(&request, is_whole)?)
    }
}
