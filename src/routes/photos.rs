//! `POST /photo/upload`: a relay uploads a photo, which is a message.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Request;
use super::ingest::{self, ID_BYTES_MAX, PARTICIPANTS_MAX, TEXT_BYTES_MAX};
use crate::auth::edge_token::AgentName;
use crate::error::{Error, Result};
use crate::http::{self, Fields, Form, FormLimits, Response};
use crate::ingest::{Endpoint, Message, Mode, RequestKey};
use crate::media::UPLOAD_BYTES_MAX;
use crate::model::public_id::PublicId;
use crate::store::Digest;

/// The photo and the rest of the form.
pub(super) const BODY_BYTES_MAX: usize = UPLOAD_BYTES_MAX + 256 * 1024;
const FILE: &str = "file";

/// The form's fields other than the photo.
struct Upload {
    message: Message,
    attachment_guid: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct UploadedPhoto {
    #[schemars(with = "PublicId")]
    photo_id: String,
    /// A URL for `context.photos` of this relay's later messages. The photo isn't served at this
    /// URL.
    #[schemars(example = &"https://chat.example.com/photo/0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11")]
    photo_url: String,
    /// `processing`: a reply follows as a command. `stored`: no reply follows, for example in a
    /// group that did not address the assistant.
    #[schemars(extend("enum" = ["processing", "stored"]))]
    status: &'static str,
}

pub(super) async fn upload(mut rq: Request<AgentName>) -> Result<Response> {
    let agent = rq.caller.0;
    let photos = rq.app.photos.clone();
    let _permit = photos.upload_permit().await?;
    let limits = FormLimits {
        body_bytes_max: rq.body_bytes_max,
        file_name: FILE,
        file_bytes_max: UPLOAD_BYTES_MAX,
    };
    let form = rq.exchange.read_form(limits).await?;
    let now = rq.app.clock.now();
    let Upload {
        mut message,
        attachment_guid,
    } = read(&form, &agent, now.seconds())?;
    let Some(photo) = form.file.filter(|photo| !photo.is_empty()) else {
        return Err(Error::invalid_field("/file", "is required."));
    };
    let scope = format!("edge:{agent}");
    let key = format!("attachment_guid {attachment_guid}");
    // The hash covers the fields, not the body: a repeated request may use another multipart
    // boundary.
    let texts = Value::Object(form.texts).to_string();
    let repeat = RequestKey::Key {
        key: Digest::of(&[scope.as_bytes(), key.as_bytes()]),
        body: Digest::of(&[texts.as_bytes(), &photo]),
    };
    let stored = photos.store_photo(photo).await?;
    message.context = Some(with_photo(&message, &photos.url(&stored.photo_id)));
    message.photos = 1;
    let prepared = rq
        .app
        .ingest
        .prepare(Endpoint::Edge(agent), message, repeat);
    let outcome = rq.app.ingest.receive_photo(prepared, stored.clone()).await;
    let is_used = match &outcome {
        Ok((_, uploaded)) => uploaded.photo_id == stored.photo_id,
        Err(_) => false,
    };
    if !is_used {
        photos.discard(&stored).await;
    }
    let (outcome, uploaded) = outcome?;
    let answer = http::json(&UploadedPhoto {
        photo_url: photos.url(&uploaded.photo_id),
        photo_id: uploaded.photo_id,
        status: match uploaded.is_processed {
            true => "processing",
            false => "stored",
        },
    });
    Ok(ingest::with_message_headers(
        answer, &outcome, outcome.replayed,
    ))
}

/// Reads the form's fields and reports every invalid one. `now_s` is used as the message's time,
/// because the form has none.
fn read(form: &Form, agent: &str, now_s: i64) -> Result<Upload> {
    let mut fields = Fields::of(&form.texts);
    let agent_id = fields.value("edge_agent_id");
    if agent_id.is_some_and(|agent_id| agent_id != agent && agent_id != "") {
        return Err(Error::unauthorized("the form names another agent"));
    }
    let mut message = Message {
        chat_guid: ingest::read_chat_guid(&mut fields, "chat_guid"),
        mode: match fields.optional_one_of("is_group", &["false", "true", ""]) {
            Some("true") => Mode::Group,
            _ => Mode::Direct,
        },
        sender: fields.required_string("user_phone", 1..=ID_BYTES_MAX),
        text: fields
            .optional_string("caption", 0..=TEXT_BYTES_MAX)
            .unwrap_or_default(),
        timestamp: now_s,
        ..Message::default()
    };
    let attachment_guid = fields.required_string("attachment_guid", 1..=ID_BYTES_MAX);
    let mut inner = Map::new();
    match participants(&form.texts) {
        Ok(participants) => _ = inner.insert("participants".to_owned(), participants),
        Err(message) => fields.refuse("participants", message),
    }
    if let Some(context) = context(&form.texts) {
        inner.insert("context".to_owned(), context);
    }
    fields.finish()?;
    let mut nested = Fields::of(&inner);
    message.participants = nested
        .optional_string_list("participants", PARTICIPANTS_MAX, 1..=ID_BYTES_MAX)
        .unwrap_or_default();
    nested.nested("context", |context| {
        ingest::read_context(context, &mut message, |_| false);
    });
    message.context = inner.get("context").map(Value::to_string);
    nested.finish()?;
    Ok(Upload {
        message,
        attachment_guid,
    })
}

/// Participants as a JSON list, or as names separated by commas.
fn participants(texts: &Map<String, Value>) -> Result<Value, String> {
    let text = texts.get("participants").and_then(Value::as_str);
    let text = text.unwrap_or_default().trim();
    if text.starts_with('[') {
        let list = serde_json::from_str::<Vec<String>>(text);
        return list.map(Value::from).map_err(|_| {
            "must be a JSON list of strings, or names separated by commas.".to_owned()
        });
    }
    let names = text.split(',').map(str::trim);
    Ok(names.filter(|name| !name.is_empty()).collect())
}

/// The message's context. A text that isn't a JSON object becomes a note.
fn context(texts: &Map<String, Value>) -> Option<Value> {
    let text = texts.get("context").and_then(Value::as_str)?;
    if text.trim().is_empty() {
        return None;
    }
    let object = serde_json::from_str(text).ok().filter(Value::is_object);
    Some(object.unwrap_or_else(|| json!({ "note": text })))
}

/// The message's context with this photo as the only photo.
fn with_photo(message: &Message, url: &str) -> String {
    let context = message.context.as_deref();
    let context = context.and_then(|json| serde_json::from_str(json).ok());
    let mut context: Value = context.unwrap_or_else(|| json!({}));
    context["photos"] = json!([url]);
    context.to_string()
}
