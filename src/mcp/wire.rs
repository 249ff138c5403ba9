//! The messages of the Model Context Protocol: JSON-RPC in JSON or in a stream of events. What
//! servers say is untrusted. It opens no connection.

use serde_json::{Map, Value, json};

/// Characters of a result that a model is told.
const TEXT_CHARS_MAX: usize = 8_000;
/// The last revision with a handshake.
const WITH_HANDSHAKE: &str = "2025-11-25";
/// Older revisions that a server may answer with.
const OLDER: [&str; 2] = ["2025-06-18", "2025-03-26"];
/// The revision without one: each request says who asks.
pub(super) const WITHOUT_HANDSHAKE: &str = "2026-07-28";

/// How requests to a server are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct McpSession {
    /// The revision of the protocol.
    pub(super) version: String,
    /// The server's id of the session, if it gave one.
    pub(super) id: Option<String>,
}

impl McpSession {
    pub(super) fn has_handshake(&self) -> bool {
        self.version != WITHOUT_HANDSHAKE
    }
}

/// The result of a tool, as a model is told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    pub text: String,
    /// The server says that the tool failed.
    pub is_error: bool,
}

/// A server's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RpcResponse {
    Result(Value),
    /// The request was refused: the code of JSON-RPC and the server's words.
    Error(i64, String),
}

fn client() -> Value {
    json!({ "name": "chatkeep", "version": env!("CARGO_PKG_VERSION") })
}

pub(super) fn initialize(id: u64) -> Value {
    let params = json!({
        "protocolVersion": WITH_HANDSHAKE,
        "capabilities": {},
        "clientInfo": client(),
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params })
}

/// Says that the handshake is done. It is no request and gets no reply.
pub(super) fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

/// The revision that the server chose; `None`: none that is spoken here.
pub(super) fn version(result: &Value) -> Option<String> {
    let version = result.get("protocolVersion")?.as_str()?;
    let is_known = version == WITH_HANDSHAKE || OLDER.contains(&version);
    is_known.then(|| version.to_owned())
}

pub(super) fn request(
    id: u64,
    method: &str,
    mut params: Map<String, Value>,
    session: &McpSession,
) -> Value {
    if !session.has_handshake() {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": session.version,
            "io.modelcontextprotocol/clientInfo": client(),
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        params.insert("_meta".to_owned(), meta);
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// The reply to the request `id`, in JSON or in a stream of events so far. Notifications and
/// requests of the server are passed over.
pub(super) fn reply(body: &[u8], id: u64) -> Option<RpcResponse> {
    let text = std::str::from_utf8(body).ok()?;
    if let Ok(message) = serde_json::from_str::<Value>(text) {
        return reply_in(&message, id);
    }
    // An event ends with an empty line.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = text.split("\n\n");
    events.find_map(|event| {
        let lines = event.lines().filter_map(|line| {
            let data = line.strip_prefix("data:")?;
            Some(data.strip_prefix(' ').unwrap_or(data))
        });
        let data: Vec<&str> = lines.collect();
        let message = serde_json::from_str::<Value>(&data.join("\n")).ok()?;
        reply_in(&message, id)
    })
}

fn reply_in(message: &Value, id: u64) -> Option<RpcResponse> {
    // Before 2025-06-18 several could come at once.
    if let Some(all) = message.as_array() {
        return all.iter().find_map(|message| reply_in(message, id));
    }
    let error = message.get("error").filter(|error| error.is_object());
    // An error about a request that could not be read has no id.
    let is_ours = match message.get("id") {
        Some(Value::Null) | None => error.is_some(),
        Some(of) => of.as_u64() == Some(id),
    };
    if !is_ours {
        return None;
    }
    if let Some(error) = error {
        let code = error.get("code").and_then(Value::as_i64).unwrap_or(0);
        let words = error.get("message").and_then(Value::as_str);
        return Some(RpcResponse::Error(
            code,
            readable(words.unwrap_or_default()),
        ));
    }
    let result = message.get("result").filter(|result| result.is_object())?;
    Some(RpcResponse::Result(result.clone()))
}

/// `None`: it is no result of a tool, or the server waits for more input.
pub(super) fn tool_result(result: &Value) -> Option<ToolResult> {
    let kind = result.get("resultType").and_then(Value::as_str);
    if kind.is_some_and(|kind| kind != "complete") {
        return None;
    }
    let parts = result.get("content").and_then(Value::as_array);
    let structured = result.get("structuredContent");
    if parts.is_none() && structured.is_none() {
        return None;
    }
    let texts: Vec<String> = parts.into_iter().flatten().map(part).collect();
    let text = match (texts.is_empty(), structured) {
        (true, Some(structured)) => structured.to_string(),
        _ => texts.join("\n"),
    };
    Some(ToolResult {
        text: readable(&text),
        is_error: result.get("isError") == Some(&Value::Bool(true)),
    })
}

fn part(part: &Value) -> String {
    let field = |name: &str| part.get(name).and_then(Value::as_str);
    match field("type") {
        Some("text") => field("text").unwrap_or_default().to_owned(),
        Some("resource") => {
            let text = part.pointer("/resource/text").and_then(Value::as_str);
            text.map_or("[a file that can't be shown]".to_owned(), str::to_owned)
        }
        Some("resource_link") => format!("[a link: {}]", field("uri").unwrap_or_default()),
        Some("image") => "[an image that can't be shown]".to_owned(),
        Some("audio") => "[a sound that can't be played]".to_owned(),
        _ => "[something that can't be shown]".to_owned(),
    }
}

/// Without control characters, within the limit.
fn readable(text: &str) -> String {
    let printable = text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
    let mut short: String = printable.take(TEXT_CHARS_MAX).collect();
    if short.len() < text.len() && short.chars().count() == TEXT_CHARS_MAX {
        short.push_str(" [the rest is cut off]");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_found_in_json_and_in_events() {
        let result = Some(RpcResponse::Result(json!({"ok": 1})));
        for (body, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"ok":1}}"#, &result),
            (
                r#"[{"id":6,"result":{}},{"id":7,"result":{"ok":1}}]"#,
                &result,
            ),
            (
                "event: message\ndata: {\"id\":7,\"result\":{\"ok\":1}}\n\n",
                &result,
            ),
            (
                "data:{\"id\":7,\r\ndata:\"result\":{\"ok\":1}}\r\n\r\n",
                &result,
            ),
            (
                ": ping\n\ndata: {\"method\":\"notifications/progress\"}\n\nid: 4\ndata: {\"id\":7,\"method\":\"ping\"}\n\ndata: {\"id\":7,\"result\":{\"ok\":1}}\n\n",
                &result,
            ),
            // A server that forgot the last empty line.
            ("data: {\"id\":7,\"result\":{\"ok\":1}}", &result),
            ("data: {\"id\":7,\"result\":{\"ok\":", &None),
            (r#"{"id":8,"result":{"ok":1}}"#, &None),
            (r#"{"id":7,"result":3}"#, &None),
            ("<html>", &None),
            ("", &None),
        ] {
            assert_eq!(&reply(body.as_bytes(), 7), expected, "{body}");
        }
        let refused = br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
        assert_eq!(
            reply(refused, 7),
            Some(RpcResponse::Error(-32600, "no".to_owned()))
        );
    }

    #[test]
    fn results_are_texts() {
        for (result, text, is_error) in [
            (
                json!({"content": [{"type": "text", "text": "a\u{7}b"}]}),
                "ab",
                false,
            ),
            (
                json!({"content": [{"type": "text", "text": "no"}], "isError": true}),
                "no",
                true,
            ),
            (
                json!({"content": [{"type": "image", "data": "x"}, {"type": "text", "text": "a"}]}),
                "[an image that can't be shown]\na",
                false,
            ),
            (
                json!({"content": [], "structuredContent": {"n": 1}}),
                "{\"n\":1}",
                false,
            ),
            (
                json!({"content": [{"type": "text", "text": "a"}], "structuredContent": {"n": 1}}),
                "a",
                false,
            ),
        ] {
            let found = tool_result(&result).unwrap();
            assert_eq!((found.text.as_str(), found.is_error), (text, is_error));
        }
        assert_eq!(tool_result(&json!({})), None);
        let waits = json!({"resultType": "input_required", "content": []});
        assert_eq!(tool_result(&waits), None);
        let long = json!({"content": [{"type": "text", "text": "x".repeat(9_000)}]});
        let text = tool_result(&long).unwrap().text;
        assert!(text.ends_with("x [the rest is cut off]"));
        assert!(text.chars().count() < TEXT_CHARS_MAX + 30);
    }
}
