//! Tries a webhook with a sample payload: shows the fields read, the text, and a command for a real
//! call. Nothing is sent, stored or logged.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::mapping::survey;
use super::payload::{self, NotJson};
use super::webhook_cache::{CachedWebhook, SignatureScheme};
use super::webhooks::owned_webhook;
use super::{Marketplace, no_sealing_key};
use crate::auth::webhook_signature::WebhookKey;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::UserId;

/// What a call with a payload would do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallPreview {
    /// The fields read from the payload.
    pub fields: Map<String, Value>,
    /// Paths without a value, and required fields without a value.
    pub missing: Vec<String>,
    /// The text that would be sent; empty for an action without a text.
    pub text: String,
    /// A signed curl command for the same call.
    pub curl: String,
}

impl Marketplace {
    pub async fn preview_call(
        self: &Arc<Self>,
        caller: UserId,
        app_id: String,
        webhook_id: String,
        body: &[u8],
    ) -> Result<CallPreview> {
        let row = self
            .store
            .read(move |view| owned_webhook(view, caller, &app_id, &webhook_id))
            .await?;
        let id = PublicId::parse(&row.webhook_id).ok_or_else(super::webhook_not_found)?;
        let hook = self.hook(id).await?.ok_or_else(super::webhook_not_found)?;
        let sample = sample(body)?;
        let (fields, mut missing) = survey(&hook.mapping, &sample);
        let mut text = String::new();
        if let Some(action) = &hook.action {
            let values = action.lookup.read(body).map_err(not_json)?;
            text = action.text(&values);
            missing.extend(action.missing(&values).into_iter().map(str::to_owned));
        }
        let key = hook.key.as_ref().ok_or_else(no_sealing_key)?;
        Ok(CallPreview {
            fields,
            missing,
            text,
            curl: self.curl(&hook, &row.webhook_id, key, body),
        })
    }

    fn curl(
        &self,
        hook: &CachedWebhook,
        webhook_id: &str,
        key: &WebhookKey,
        body: &[u8],
    ) -> String {
        let headers = headers(hook.scheme, key, body, self.clock.now());
        let headers: String = headers
            .iter()
            .map(|(name, value)| format!(" -H '{name}: {value}'"))
            .collect();
        let url = quote(&self.url(webhook_id));
        let body = quote(&String::from_utf8_lossy(body));
        format!("curl -X POST {url} -H 'Content-Type: application/json'{headers} --data-raw {body}")
    }
}

fn headers(
    scheme: SignatureScheme,
    key: &WebhookKey,
    body: &[u8],
    now: Timestamp,
) -> Vec<(&'static str, String)> {
    match scheme {
        SignatureScheme::Plain => vec![("X-Webhook-Signature", key.sign_plain(body))],
        SignatureScheme::Standard => {
            let id = format!("msg_{}", random::ordered_uuid(now));
            let signature = key.sign_standard(&id, now.seconds(), body);
            vec![
                ("webhook-id", id),
                ("webhook-timestamp", now.seconds().to_string()),
                ("webhook-signature", signature),
            ]
        }
    }
}

fn sample(body: &[u8]) -> Result<Value> {
    let mut values = payload::pick(body, &[Vec::new()]).map_err(not_json)?;
    Ok(values.pop().flatten().unwrap_or_default())
}

fn not_json(NotJson(message): NotJson) -> Error {
    Error::invalid_field("", format!("{message}; send the sample as JSON."))
}

/// Quotes a text as one word for a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_is_one_word_for_a_shell() {
        assert_eq!(quote("{\"a\": \"it's\"}"), r#"'{"a": "it'\''s"}'"#);
    }
}
