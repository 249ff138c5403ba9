//! Frames of the relay protocol as JSON texts. Pure.

use std::fmt;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::Timestamp;
use crate::store::{Command, CommandState};

/// A frame sent by a relay. Unknown fields are ignored.
#[derive(Debug, Deserialize)]
pub(super) struct Frame {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) data: Value,
}

impl Frame {
    /// `None` when the text isn't an object with a `type`.
    pub(super) fn read(text: &str) -> Option<Self> {
        // serde would accept an array as the fields in their order.
        let is_object = text.trim_start().starts_with('{');
        serde_json::from_str(text).ok().filter(|_| is_object)
    }
}

/// A field of a relay's report that is invalid, and what it must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidField {
    pub name: &'static str,
    pub message: &'static str,
}

impl InvalidField {
    pub(super) const fn new(name: &'static str, message: &'static str) -> Self {
        Self { name, message }
    }
}

impl fmt::Display for InvalidField {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {}", self.name, self.message)
    }
}

/// The position in the command sequence that a relay reports after connecting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resume {
    pub(super) epoch: Option<String>,
    pub(super) last_seq: u64,
    pub(super) typing: bool,
}

impl Resume {
    pub(super) fn read(data: &Value) -> Result<Self, InvalidField> {
        let capabilities = data.get("capabilities").and_then(Value::as_array);
        let epoch = match data.get("epoch") {
            None | Some(Value::Null) => None,
            Some(Value::String(epoch)) => Some(epoch.clone()),
            Some(_) => return Err(InvalidField::new("epoch", "must be a string.")),
        };
        let last_seq = match data.get("last_seq") {
            None | Some(Value::Null) => 0,
            Some(seq) => seq
                .as_u64()
                .ok_or(InvalidField::new("last_seq", "must be a whole number."))?,
        };
        Ok(Self {
            epoch,
            last_seq,
            typing: capabilities.is_some_and(|list| list.iter().any(|name| name == "typing")),
        })
    }
}

/// A relay's report about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ack {
    pub command_id: String,
    pub report: CommandReport,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandReport {
    Received,
    Executing,
    Completed,
    Failed {
        retryable: bool,
    },
    /// Others than the direct chat's person would read it.
    NotPrivate,
}

/// The `reason` of a failure with which a relay reports `CommandReport::NotPrivate`.
const NOT_PRIVATE: &str = "not_private";

/// An event reported by a relay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayEvent {
    pub event_id: String,
    pub event_type: String,
    pub thread_id: Option<String>,
    /// The details as JSON.
    pub details: Option<String>,
}

/// Longest relay text stored with a command, and longest event name.
const TEXT_BYTES_MAX: usize = 2_000;
const STATUS_BYTES_MAX: usize = 16 * 1024;

impl CommandReport {
    /// The state that the report gives the command.
    pub(super) const fn state(self) -> CommandState {
        match self {
            Self::Received => CommandState::Received,
            Self::Executing => CommandState::Executing,
            Self::Completed => CommandState::Completed,
            Self::Failed { .. } | Self::NotPrivate => CommandState::Failed,
        }
    }
}

/// Refuses a field that is neither missing nor of that type.
fn check_type<'v>(
    field: &impl Fn(&'static str) -> Option<&'v Value>,
    name: &'static str,
    is_of_type: impl Fn(&Value) -> bool,
    expected: &'static str,
) -> Result<(), InvalidField> {
    match field(name).filter(|value| !value.is_null()) {
        Some(value) if !is_of_type(value) => Err(InvalidField::new(name, expected)),
        _ => Ok(()),
    }
}

impl Ack {
    /// Reads a call over HTTP, whose answer names a field of a wrong type. Over the socket such a field
    /// is ignored, because a report that is refused would have its command sent again.
    pub fn read_strictly<'v>(
        field: impl Fn(&'static str) -> Option<&'v Value>,
    ) -> Result<Self, InvalidField> {
        check_type(
            &field,
            "retryable",
            Value::is_boolean,
            "must be true or false.",
        )?;
        check_type(&field, "error", Value::is_string, "must be a string.")?;
        check_type(&field, "reason", Value::is_string, "must be a string.")?;
        Self::read(field)
    }

    /// Reads both forms: `status`, or `success` true or false. `field` finds a field by its name.
    pub fn read<'v>(
        field: impl Fn(&'static str) -> Option<&'v Value>,
    ) -> Result<Self, InvalidField> {
        let field = |name| field(name).filter(|value| !value.is_null());
        let command_id = field("command_id")
            .and_then(Value::as_str)
            .filter(|id| !id.is_empty())
            .ok_or(InvalidField::new("command_id", "must be a string."))?;
        // Relays in the field never send `retryable`.
        let retryable = field("retryable").and_then(Value::as_bool) != Some(false);
        let failure = match field("reason").and_then(Value::as_str) {
            Some(NOT_PRIVATE) => CommandReport::NotPrivate,
            _ => CommandReport::Failed { retryable },
        };
        let report = match (field("status"), field("success")) {
            (Some(status), _) => match status.as_str() {
                Some("received") => CommandReport::Received,
                Some("executing") => CommandReport::Executing,
                Some("completed") => CommandReport::Completed,
                Some("failed") => failure,
                _ => {
                    let expected = "must be received, executing, completed or failed.";
                    return Err(InvalidField::new("status", expected));
                }
            },
            (None, Some(Value::Bool(true))) => CommandReport::Completed,
            (None, Some(Value::Bool(false))) => failure,
            (None, Some(_)) => return Err(InvalidField::new("success", "must be true or false.")),
            (None, None) => {
                let expected = "is missing; send status or success.";
                return Err(InvalidField::new("success", expected));
            }
        };
        Ok(Self {
            command_id: command_id.to_owned(),
            report,
            error: field("error").and_then(Value::as_str).map(|error| {
                let end = error.floor_char_boundary(TEXT_BYTES_MAX);
                error[..end].to_owned()
            }),
        })
    }
}

impl RelayEvent {
    /// Reads a call over HTTP. Unlike over the socket, a field of a wrong type is an error.
    pub fn read_strictly<'v>(
        field: impl Fn(&'static str) -> Option<&'v Value>,
    ) -> Result<Self, InvalidField> {
        check_type(&field, "thread_id", Value::is_string, "must be a string.")?;
        Self::read(field)
    }

    /// `field` finds a field by its name.
    pub fn read<'v>(
        field: impl Fn(&'static str) -> Option<&'v Value>,
    ) -> Result<Self, InvalidField> {
        let text = |name| {
            field(name)
                .and_then(Value::as_str)
                .filter(|text| (1..=TEXT_BYTES_MAX).contains(&text.len()))
                .map(str::to_owned)
        };
        let required = |name| {
            let expected = "must be a string of 1 to 2000 bytes.";
            text(name).ok_or(InvalidField::new(name, expected))
        };
        Ok(Self {
            event_id: required("event_id")?,
            event_type: required("event_type")?,
            thread_id: text("thread_id"),
            details: field("details")
                .filter(|details| !details.is_null())
                .map(Value::to_string),
        })
    }
}

/// The numeric fields of a status that are stored. Other fields may hold personal data.
const STATUS_NUMBERS: [&str; 3] = ["uptime_seconds", "scheduled_messages", "active_rules"];

/// The numbers of a relay's status as JSON, to be stored.
pub fn read_status(status: &serde_json::Map<String, Value>) -> Result<String, InvalidField> {
    if json!(status).to_string().len() > STATUS_BYTES_MAX {
        let expected = "must be at most 16,384 bytes of JSON.";
        return Err(InvalidField::new("status", expected));
    }
    let mut numbers = status.clone();
    numbers.retain(|name, value| STATUS_NUMBERS.contains(&name.as_str()) && value.is_number());
    Ok(json!(numbers).to_string())
}

/// The service's settings that `hello` announces.
#[derive(Debug, Clone)]
pub(super) struct HelloSettings {
    pub(super) epoch: String,
    pub(super) heartbeat_s: u64,
    pub(super) silence_s: u64,
    pub(super) ack_timeout_s: u64,
    pub(super) max_in_flight: usize,
}

pub(super) fn hello(
    agent_id: &str,
    head_seq: u64,
    settings: &HelloSettings,
    now: Timestamp,
) -> String {
    json!({"type": "hello", "data": {
        "protocol": 1,
        "agent_id": agent_id,
        "epoch": settings.epoch,
        "head_seq": head_seq,
        "heartbeat_s": settings.heartbeat_s,
        "silence_s": settings.silence_s,
        "ack_timeout_s": settings.ack_timeout_s,
        "max_in_flight": settings.max_in_flight,
        "server_time": now,
    }})
    .to_string()
}

pub(super) const PONG: &str = r#"{"type":"pong"}"#;

pub(super) fn error(code: &str, message: &str) -> String {
    json!({"type": "error", "data": {"code": code, "message": message}}).to_string()
}

pub(super) fn event_ack(event_id: &str) -> String {
    json!({"type": "event_ack", "data": {"event_id": event_id}}).to_string()
}

pub(super) fn bye(code: u16, reason: &str, retry_after_ms: Option<u64>) -> String {
    let mut data = json!({"code": code, "reason": reason});
    if let Some(ms) = retry_after_ms {
        data["retry_after_ms"] = ms.into();
    }
    json!({"type": "bye", "data": data}).to_string()
}

pub(super) fn typing(
    chat_guid: &str,
    on: bool,
    ttl_ms: u64,
    now: Timestamp,
    until: Timestamp,
) -> String {
    json!({"type": "command", "data": {
        "command_type": "typing",
        "timestamp": now,
        "expires_at": until,
        "payload": {"thread_id": chat_guid, "chat_guid": chat_guid, "on": on, "ttl_ms": ttl_ms},
    }})
    .to_string()
}

pub(super) fn command(command: &Command) -> String {
    format!(r#"{{"type":"command","data":{}}}"#, command_data(command))
}

/// A command as a frame's `data` and as an entry of a poll's answer. The stored payload is JSON and
/// is sent unchanged.
pub(super) fn command_data(command: &Command) -> String {
    format!(
        r#"{{"command_id":"{}","command_type":"{}","seq":{},"priority":"normal","timestamp":"{}","expires_at":"{}","attempt":{},"payload":{}}}"#,
        command.command_id,
        command.kind,
        command.seq,
        command.created_at,
        command.expires_at,
        command.attempts,
        command.payload,
    )
}
