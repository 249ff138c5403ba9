//! Chat completions as JSON: building requests and parsing answers. Answers are untrusted: anything
//! that isn't a valid reply is a failure.

mod readable;
mod written;

use std::fmt;

use serde_json::{Map, Value, json};

use crate::assistant::prompt::{Prompt, PromptMessage, Role, ToolExchange};
use crate::assistant::tokens::estimated_tokens;
use crate::config::MaxTokensField;
pub(super) use readable::readable;
use readable::without_tokens;
pub use written::UNREADABLE_CALL;
pub(super) use written::before_written_call;
use written::written_calls;

/// Bytes of a server's id of a call.
const CALL_ID_BYTES_MAX: usize = 128;
/// Calls of tools in one reply that the model is told of; more are left out.
const TOOL_CALLS_MAX: usize = 64;
/// Bytes of a tool's name that servers take.
const TOOL_NAME_BYTES_MAX: usize = 64;

/// A model's reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// At most `REPLY_CHARS_MAX` characters; empty only with a tool call.
    pub text: String,
    /// Calls of offered tools, or of tools that the model invented.
    pub calls: Vec<ToolCall>,
    /// The reply ended because it reached its token limit.
    pub cut_off: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The server's, or one of ours where it has none.
    pub id: String,
    pub name: String,
    /// JSON, or whatever the model wrote.
    pub arguments: String,
}

/// The tokens of a request, with or without a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    /// The server reported no numbers; estimated from the texts.
    pub estimated: bool,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.estimated |= other.estimated;
    }
}

/// Why there is no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFailure {
    /// No answer in time.
    TimedOut,
    /// No connection, or it broke before the answer was complete.
    Unreachable,
    /// HTTP 429.
    Busy { retry_after_s: Option<u64> },
    /// Any other status than 200.
    Status(u16),
    /// 200 with something other than a chat completion.
    Garbled,
    /// An empty reply.
    Empty,
    /// The model called a tool although none was offered.
    ToolCall,
    /// The model or its server refused to answer.
    Refused,
    /// An internal error.
    Internal,
}

impl ModelFailure {
    /// The code for programs and operators.
    pub const fn code(self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::Unreachable => "unreachable",
            Self::Busy { .. } => "busy",
            Self::Status(_) => "status",
            Self::Garbled => "garbled",
            Self::Empty => "empty",
            Self::ToolCall => "tool_call",
            Self::Refused => "refused",
            Self::Internal => "internal",
        }
    }

    /// The pause before a retry; `None` when retrying is useless.
    pub(super) fn retry_after_ms(self, pause_ms: u64) -> Option<u64> {
        match self {
            Self::Unreachable | Self::Status(500..) => Some(pause_ms),
            Self::Busy {
                retry_after_s: Some(s),
            } => Some(s.saturating_mul(1000)),
            _ => None,
        }
    }

    /// The failure, and what an operator may have to change where it tells that.
    pub fn with_advice(self) -> String {
        let advice = match self {
            Self::Unreachable => "is reply.base_url right?",
            Self::Status(401 | 403) => "check reply.api_key",
            Self::Status(404) => "check reply.base_url and reply.model",
            Self::Status(300..400) | Self::Garbled => {
                "check reply.base_url; most end with /v1, and none is redirected"
            }
            Self::Status(400 | 422) => "check reply.model and reply.max_tokens_field",
            Self::Busy { .. } => "it takes no more requests now, or the account has no credit",
            _ => return self.to_string(),
        };
        format!("{self}: {advice}")
    }

    /// Whether a server without tool support may answer like this.
    pub(super) const fn may_mean_no_tool_support(self) -> bool {
        matches!(self, Self::Status(400 | 404 | 422 | 500..))
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            other => f.write_str(other.code()),
        }
    }
}

pub(super) fn request(
    prompt: &Prompt,
    model: &str,
    field: MaxTokensField,
    tokens_max: i64,
) -> Value {
    let system = format!("{}\n\n{}", prompt.system, prompt.time);
    let mut messages = vec![json!({ "role": "system", "content": system })];
    messages.extend(prompt.messages.iter().map(message));
    messages.extend(prompt.exchanges.iter().flat_map(exchange));
    let field = match field {
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
        MaxTokensField::MaxTokens => "max_tokens",
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages.into());
    body.insert(field.to_owned(), tokens_max.into());
    if !prompt.tools.is_empty() {
        let tools = prompt.tools.iter().map(|tool| tool.offer().clone());
        body.insert("tools".to_owned(), tools.collect());
        if prompt.must_speak {
            body.insert("tool_choice".to_owned(), "none".into());
        }
    }
    Value::Object(body)
}

/// The calls in the assistant's own message, a message for each result, and a note to it.
fn exchange(exchange: &ToolExchange) -> Vec<Value> {
    let calls = exchange.calls.iter().map(|call| {
        json!({
            "id": call.id,
            "type": "function",
            "function": {
                "name": name_for_server(&call.name),
                "arguments": arguments_for_server(&call.arguments),
            },
        })
    });
    let text = (!exchange.text.is_empty()).then_some(&exchange.text);
    let calls: Vec<Value> = calls.collect();
    let mut message = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let mut messages = vec![message];
    messages.extend(
        exchange
            .calls
            .iter()
            .map(|call| json!({ "role": "tool", "tool_call_id": call.id, "content": call.result })),
    );
    if !exchange.note.is_empty() {
        messages.push(json!({ "role": "user", "content": exchange.note }));
    }
    messages
}

/// Servers refuse a conversation with other names, also where the model wrote them.
fn name_for_server(name: &str) -> String {
    let plain = name
        .chars()
        .map(|c| match c.is_ascii_alphanumeric() || c == '-' {
            true => c,
            false => '_',
        });
    match name {
        "" => "unknown".to_owned(),
        _ => plain.take(TOOL_NAME_BYTES_MAX).collect(),
    }
}

/// Some servers read the arguments as JSON again, and fail where they are none.
fn arguments_for_server(arguments: &str) -> String {
    match serde_json::from_str::<Value>(arguments) {
        Ok(Value::Object(_)) => arguments.to_owned(),
        _ if arguments.trim().is_empty() => "{}".to_owned(),
        _ => json!({ "unreadable": arguments }).to_string(),
    }
}

fn message(message: &PromptMessage) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    if message.photos.is_empty() {
        return json!({ "role": role, "content": message.text });
    }
    let text = (!message.text.is_empty()).then(|| json!({ "type": "text", "text": message.text }));
    let photos = message.photos.iter();
    let photos = photos.map(|url| json!({ "type": "image_url", "image_url": { "url": url } }));
    let parts: Vec<Value> = text.into_iter().chain(photos).collect();
    json!({ "role": role, "content": parts })
}

/// Parses the answer to `request`, and its cost.
pub(super) fn reply(answer: &[u8], request: &Value) -> (Usage, Result<ModelReply, ModelFailure>) {
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else {
        return (Usage::default(), Err(ModelFailure::Garbled));
    };
    let parsed = read_reply(&answer, request);
    let usage = match (stated_usage(&answer), &parsed) {
        (Some(usage), _) => usage,
        (None, Ok(parsed)) => Usage {
            prompt_tokens: estimated_tokens(&texts(request)) as u64,
            completion_tokens: parsed.estimated_tokens() as u64,
            estimated: true,
        },
        (None, Err(_)) => Usage::default(),
    };
    (usage, parsed)
}

fn read_reply(answer: &Value, request: &Value) -> Result<ModelReply, ModelFailure> {
    let choice = answer.pointer("/choices/0").ok_or(ModelFailure::Garbled)?;
    let message = choice.get("message").and_then(Value::as_object);
    let message = message.ok_or(ModelFailure::Garbled)?;
    let finish = choice.get("finish_reason").and_then(Value::as_str);
    let text = match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect()
        }
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err(ModelFailure::Garbled),
    };
    let text = readable(&text);
    let refused = finish == Some("content_filter")
        || message.get("refusal").is_some_and(Value::is_string) && text.is_empty();
    if refused {
        return Err(ModelFailure::Refused);
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let wants_tool = finish == Some("tool_calls") || calls.is_some_and(|c| !c.is_empty());
    let cut_off = finish == Some("length");
    let may_call = request.get("tool_choice").is_none() && request.get("tools").is_some();
    // Servers of before had one call, in a field of its own.
    let only = message.get("function_call").filter(|call| call.is_object());
    let called = calls.into_iter().flatten().chain(only);
    let mut tool_calls: Vec<ToolCall> = called
        .take(TOOL_CALLS_MAX)
        .map(|call| {
            let id = call.get("id").and_then(Value::as_str);
            let id = id.filter(|id| (1..=CALL_ID_BYTES_MAX).contains(&id.len()));
            tool_call(id, call.get("function").unwrap_or(call))
        })
        .filter(|_| may_call)
        .collect();
    let written = match tool_calls.is_empty() {
        true => written_calls(&text, request),
        false => Vec::new(),
    };
    // A call in words is no reply, also where no call is possible any more.
    if !written.is_empty() && !may_call {
        return Err(ModelFailure::ToolCall);
    }
    tool_calls.extend(written.into_iter().take(TOOL_CALLS_MAX));
    let text = without_tokens(text);
    if !tool_calls.is_empty() {
        name_calls(&mut tool_calls);
        return Ok(ModelReply {
            text,
            calls: tool_calls,
            cut_off,
        });
    }
    if text.is_empty() {
        return Err(match wants_tool {
            true => ModelFailure::ToolCall,
            false => ModelFailure::Empty,
        });
    }
    Ok(ModelReply {
        text: if cut_off { text + "…" } else { text },
        calls: Vec::new(),
        cut_off,
    })
}

/// `{"name", "arguments"}`; the arguments are JSON in a string, with some servers JSON itself.
fn tool_call(id: Option<&str>, function: &Value) -> ToolCall {
    let name = function.get("name").and_then(Value::as_str);
    let arguments = ["arguments", "parameters"]
        .into_iter()
        .find_map(|field| function.get(field));
    ToolCall {
        id: id.unwrap_or_default().to_owned(),
        name: name.unwrap_or_default().to_owned(),
        arguments: match arguments {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        },
    }
}

/// Results refer to calls by id, so each call has its own id.
fn name_calls(calls: &mut [ToolCall]) {
    for at in 0..calls.len() {
        let id = &calls[at].id;
        if id.is_empty() || calls[..at].iter().any(|before| before.id == *id) {
            calls[at].id = format!("call_{at}");
        }
    }
}

impl ModelReply {
    fn estimated_tokens(&self) -> usize {
        let calls = self.calls.iter();
        let calls =
            calls.map(|call| estimated_tokens(&call.name) + estimated_tokens(&call.arguments));
        estimated_tokens(&self.text) + calls.sum::<usize>()
    }
}

/// `None` when the server didn't report usage.
fn stated_usage(answer: &Value) -> Option<Usage> {
    let stated = |name: &str| answer.pointer("/usage")?.get(name)?.as_u64();
    Some(Usage {
        // No context is larger; an invalid number must not overflow a sum.
        prompt_tokens: stated("prompt_tokens")?.min(TOKENS_MAX),
        completion_tokens: stated("completion_tokens")?.min(TOKENS_MAX),
        estimated: false,
    })
}

const TOKENS_MAX: u64 = 100_000_000;

/// All texts of a request, without photos.
fn texts(request: &Value) -> String {
    let messages = request.get("messages").and_then(Value::as_array);
    let mut all = String::new();
    for message in messages.into_iter().flatten() {
        match message.get("content") {
            Some(Value::String(text)) => all.push_str(text),
            Some(Value::Array(parts)) => {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                all.extend(texts);
            }
            _ => {}
        }
    }
    all.extend(request.get("tools").map(Value::to_string));
    all
}

#[cfg(test)]
mod tests;
