//! Messages from relays: `POST /edge/message` and `POST /orchestrator/message`.

mod usual;

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Request;
use super::caller::LegacyRelay;
use crate::app::App;
use crate::auth::edge_token::AgentName;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::http::header::HeaderName;
use crate::http::{self, Bytes, Connection, Fields, Response};
use crate::ingest::{Endpoint, IngestOutcome, Message, Mode, PreparedMessage, RequestKey};
use crate::store::{Digest, is_relay_name};

pub(super) const TEXT_BYTES_MAX: usize = 32 * 1024;
pub(super) const ID_BYTES_MAX: usize = 512;
pub(super) const PARTICIPANTS_MAX: usize = 512;
/// Higher than any configured limit of photos. The body's size limits them too.
const PHOTOS_MAX: usize = 4_096;
const PHOTO_BYTES_MAX: usize = JSON_BYTES_MAX;
const JSON_BYTES_MAX: usize = super::JSON_BYTES_MAX;
const NAMES: Names = Names {
    chat_guid: "chat_guid",
    mode: "mode",
    text: "text",
    timestamp: "timestamp",
};
/// The names that older relays use.
const OLD_NAMES: Names = Names {
    chat_guid: "thread_id",
    mode: "is_group",
    text: "filtered_text",
    timestamp: "original_timestamp",
};
/// The largest integer that every JSON parser keeps exact: 2^53 - 1.
const TIMESTAMP_MAX: i64 = (1 << 53) - 1;
const KEY_CHARS_MAX: usize = 255;
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// The message's id for operators, as used by `/admin/messages/{id}` and the log.
const MESSAGE_ID: HeaderName = HeaderName::from_static("x-message-id");
const LEGACY: &str = "legacy";

/// The names of the fields that have an older name.
struct Names {
    chat_guid: &'static str,
    mode: &'static str,
    text: &'static str,
    timestamp: &'static str,
}

impl Names {
    const fn all(&self) -> [&'static str; 4] {
        [self.chat_guid, self.mode, self.text, self.timestamp]
    }
}

pub(super) async fn edge_message(mut rq: Request<AgentName>) -> Result<Response> {
    let body = rq.json_bytes().await?;
    let agent = rq.caller.0.clone();
    let scope = format!("edge:{agent}");
    let prepared = read(&rq, &body, Endpoint::Edge(agent), &scope)?;
    drop(body);
    receive(rq.app, rq.exchange.connection, prepared).await
}

pub(super) async fn legacy_message(mut rq: Request<LegacyRelay>) -> Result<Response> {
    rq.app.retries.record_legacy_use();
    let body = rq.json_bytes().await?;
    let prepared = read(&rq, &body, Endpoint::Legacy, LEGACY)?;
    drop(body);
    receive(rq.app, rq.exchange.connection, prepared).await
}

/// The parsed message and the key that identifies a repeated request.
fn read<C>(
    rq: &Request<C>,
    body: &Bytes,
    endpoint: Endpoint,
    scope: &str,
) -> Result<Box<PreparedMessage>> {
    let is_own_photo = |url: &str| rq.app.photos.id_in(url).is_some();
    let (message, message_id) = read_body(body, endpoint != Endpoint::Legacy, is_own_photo)?;
    let scope = scope.as_bytes();
    let key = header_key(rq)?.or(message_id);
    let repeat = match key {
        Some(key) => RequestKey::Key {
            key: Digest::of(&[scope, key.as_bytes()]),
            body: Digest::of(&[body]),
        },
        None => RequestKey::Body(Digest::of(&[scope, rq.exchange.path.as_bytes(), body])),
    };
    Ok(rq.app.ingest.prepare(endpoint, message, repeat))
}

/// The parsed message and its `context.message_id`, which is the idempotency key when the header is
/// missing. A body that `usual` does not accept is parsed field by field, which also reports its
/// mistakes.
fn read_body(
    body: &Bytes,
    with_context: bool,
    is_own_photo: impl Fn(&str) -> bool,
) -> Result<(Message, Option<String>)> {
    if with_context && let Some(message) = usual::read(body, &is_own_photo) {
        return Ok(message);
    }
    let json = http::parse_json(body)?;
    let message = read_message(&json, with_context, is_own_photo)?;
    let message_id = with_context.then(|| message_id(&json)).flatten();
    Ok((message, message_id))
}

async fn receive(
    app: Arc<App>,
    connection: Connection,
    prepared: Box<PreparedMessage>,
) -> Result<Response> {
    let in_flight = match &prepared.repeat {
        RequestKey::Key { .. } => None,
        RequestKey::Body(request) => Some(app.retries.enter(*request, &connection).await),
    };
    let outcome = app.ingest.receive(prepared).await?;
    let response = http::json_bytes(outcome.answer.to_json().map_err(Error::internal)?);
    Ok(match in_flight {
        Some(in_flight) => {
            let response = with_message_headers(response, &outcome, false);
            in_flight.watch_answer(&app.ingest, &connection, outcome);
            response
        }
        None => with_message_headers(response, &outcome, outcome.replayed),
    })
}

/// Adds the headers of an answer to a message. `is_replayed`: the answer is that of an earlier
/// request with the same key.
pub(super) fn with_message_headers(
    response: Response,
    outcome: &IngestOutcome,
    is_replayed: bool,
) -> Response {
    let mut response = http::with_header(response, MESSAGE_ID, &outcome.message_id.to_string());
    for quota in outcome.quotas.iter().flatten() {
        response = http::with_quota(response, quota);
    }
    if is_replayed {
        response = http::with_header(response, REPLAYED, "true");
    }
    response
}

/// The `Idempotency-Key` header.
fn header_key<C>(rq: &Request<C>) -> Result<Option<String>> {
    let invalid = |_| {
        let detail =
            "The Idempotency-Key header must be sent once, as 1 to 255 visible ASCII characters.";
        Error {
            detail: detail.to_owned(),
            ..Error::invalid_field("", detail)
        }
    };
    let header = rq.exchange.header("idempotency-key").map_err(invalid)?;
    let Some(key) = header else {
        return Ok(None);
    };
    if key.is_empty() || key.len() > KEY_CHARS_MAX || !key.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(invalid(Error::bad_request("")));
    }
    Ok(Some(key.to_owned()))
}

fn message_id(body: &Map<String, Value>) -> Option<String> {
    let id = body.get("context")?.get("message_id")?.as_str()?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// Reads the body's fields and reports every invalid one.
fn read_message(
    body: &Map<String, Value>,
    with_context: bool,
    is_own_photo: impl Fn(&str) -> bool,
) -> Result<Message> {
    let mut fields = Fields::of(body);
    let names = match uses_old_names(&mut fields, with_context) {
        true => OLD_NAMES,
        false => NAMES,
    };
    let mut message = Message {
        chat_guid: read_chat_guid(&mut fields, names.chat_guid),
        mode: match names.mode {
            "is_group" => mode_of(fields.required_bool(names.mode)),
            mode => mode_of(fields.one_of(mode, &["direct", "group"]) == "group"),
        },
        sender: fields.required_string("sender", 1..=ID_BYTES_MAX),
        text: fields.required_string(names.text, 0..=TEXT_BYTES_MAX),
        timestamp: match names.timestamp {
            "original_timestamp" => original_timestamp(&mut fields),
            name => fields.required_integer(name, 0..=TIMESTAMP_MAX),
        },
        participants: fields
            .optional_string_list("participants", PARTICIPANTS_MAX, 1..=ID_BYTES_MAX)
            .unwrap_or_default(),
        ..Message::default()
    };
    if with_context {
        fields.nested("metadata", check_metadata);
        if has_content(body, "metadata") {
            message.metadata = object_json(body, "metadata");
        }
        fields.nested("context", |context| {
            read_context(context, &mut message, is_own_photo);
        });
        message.context = object_json(body, "context");
    }
    fields.finish()?;
    Ok(message)
}

/// The relay's name of the chat.
pub(super) fn read_chat_guid(fields: &mut Fields, name: &str) -> String {
    let chat_guid = fields.required_string(name, 1..=ID_BYTES_MAX);
    if !is_relay_name(&chat_guid) {
        let message = "is the service's own name for an ended chat; send the chat's name.";
        fields.refuse(name, message);
    }
    chat_guid
}

/// Whether the message uses the old names. A message with current and old names is refused, because
/// it may contain two different texts.
fn uses_old_names(fields: &mut Fields, may_be_old: bool) -> bool {
    let is_sent = |fields: &Fields<'_>, name: &&str| fields.value(name).is_some();
    let old_names = OLD_NAMES.all();
    let Some(old_name) = old_names.iter().find(|name| is_sent(fields, name)) else {
        return false;
    };
    if !may_be_old {
        return false;
    }
    for present in NAMES.all() {
        if is_sent(fields, &present) {
            let message = format!(
                "must not be sent together with {old_name}; use either the current or the old names."
            );
            fields.refuse(present, message);
        }
    }
    true
}

/// Unix seconds, or the ISO 8601 time that older relays may send.
fn original_timestamp(fields: &mut Fields) -> i64 {
    let name = "original_timestamp";
    let time = fields.value(name).and_then(Value::as_str);
    let Some(time) = time.and_then(Timestamp::parse) else {
        return fields.required_integer(name, 0..=TIMESTAMP_MAX);
    };
    if time.seconds() < 0 {
        fields.refuse(name, "must not be before 1970.");
    }
    time.seconds()
}

fn mode_of(is_group: bool) -> Mode {
    if is_group { Mode::Group } else { Mode::Direct }
}

fn check_metadata(metadata: &mut Fields) {
    metadata.optional_string("filter_reason", 0..=TEXT_BYTES_MAX);
    metadata.optional_bool("was_redacted");
    metadata.optional_string_list("redacted_fields", PARTICIPANTS_MAX, 0..=ID_BYTES_MAX);
}

/// `is_own_photo`: whether a URL is that of a photo uploaded to this service.
pub(super) fn read_context(
    context: &mut Fields,
    message: &mut Message,
    is_own_photo: impl Fn(&str) -> bool,
) {
    message.owner = context.optional_string("owner", 1..=ID_BYTES_MAX);
    message.superpower = context.optional_string("superpower", 1..=ID_BYTES_MAX);
    message.reply_to_assistant = context
        .optional_bool("reply_to_assistant")
        .unwrap_or_default();
    let photos = context.optional_string_list("photos", PHOTOS_MAX, 1..=PHOTO_BYTES_MAX);
    let photos = photos.unwrap_or_default();
    for (at, url) in photos.iter().enumerate() {
        if !is_photo_url(url) && !is_own_photo(url) {
            let message = "must be an https: or data: URL, or a photo_url of an upload.";
            context.refuse_item("photos", at, message);
        }
    }
    message.photos = photos.len();
}

fn is_photo_url(url: &str) -> bool {
    let has_scheme = |scheme: &str| {
        url.get(..scheme.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(scheme))
    };
    has_scheme("https://") || has_scheme("data:")
}

/// The object as JSON for the database; `None` when it is empty.
fn object_json(body: &Map<String, Value>, name: &str) -> Option<String> {
    let value = body.get(name)?;
    let is_empty = value.as_object()?.is_empty();
    // Serializes a reference: `to_string` on a `Value` takes twice as long.
    (!is_empty).then(|| serde_json::to_string(value).ok())?
}

/// Whether the object has a field that differs from its default.
fn has_content(body: &Map<String, Value>, name: &str) -> bool {
    let fields = body.get(name).and_then(Value::as_object);
    fields.is_some_and(|fields| {
        fields.values().any(|value| match value {
            Value::Null | Value::Bool(false) => false,
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        })
    })
}
