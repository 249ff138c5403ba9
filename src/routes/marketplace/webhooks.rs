//! `/marketplace/webhooks…`: an app's webhooks, their secrets, and the log of their calls.

use schemars::JsonSchema;
use serde::Serialize;

use super::apps::message_body;
use crate::account::identity::SignedInUser;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::http::{self, Fields, Response};
use crate::marketplace::actions::ACTION_ID_CHARS_MAX;
use crate::marketplace::mapping::{FIELDS_MAX, Mapping, PATH_BYTES_MAX, is_path};
use crate::marketplace::template::FIELD_CHARS_MAX;
use crate::marketplace::webhook_cache::SignatureScheme;
use crate::marketplace::webhooks::{RATE_LIMIT_MAX, WebhookDraft, WebhookSecret, WebhookView};
use crate::model::public_id::PublicId;
use crate::routes::Request;
use crate::routes::request::JsonBody;
use crate::store::EventRow;

const DESCRIPTION_BYTES_MAX: usize = 2_000;
const EVENTS_DEFAULT: usize = 50;
const EVENTS_MAX: usize = 200;

pub(in crate::routes) struct NewWebhook(WebhookDraft);

impl JsonBody for NewWebhook {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let action_id = fields.required_string("action_id", 1..=ACTION_ID_CHARS_MAX);
        Self(WebhookDraft {
            action_id,
            ..read_draft(fields)
        })
    }
}

pub(in crate::routes) async fn create(
    rq: Request<SignedInUser, String, NewWebhook>,
) -> Result<Response> {
    let (caller, app, NewWebhook(draft)) = (rq.caller.id, rq.path, rq.body);
    let created = rq.app.marketplace.create_webhook(caller, app, draft);
    Ok(http::json(&created.await?))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::routes) struct WebhookList {
    webhooks: Vec<WebhookView>,
    total: usize,
}

pub(in crate::routes) async fn list(rq: Request<SignedInUser, String>) -> Result<Response> {
    let (caller, app) = (rq.caller.id, rq.path);
    let webhooks = rq.app.marketplace.webhooks(caller, app).await?;
    let total = webhooks.len();
    Ok(http::json(&WebhookList { webhooks, total }))
}

pub(in crate::routes) struct WebhookChange(WebhookDraft);

impl JsonBody for WebhookChange {
    fn from_fields(fields: &mut Fields, _: Timestamp) -> Self {
        let draft = read_draft(fields);
        Self(WebhookDraft {
            is_active: fields.optional_bool("is_active"),
            ..draft
        })
    }
}

pub(in crate::routes) async fn update(
    rq: Request<SignedInUser, (String, String), WebhookChange>,
) -> Result<Response> {
    let (caller, (app, webhook), WebhookChange(draft)) = (rq.caller.id, rq.path, rq.body);
    let marketplace = &rq.app.marketplace;
    let updated = marketplace.update_webhook(caller, app, webhook, draft);
    Ok(http::json(&updated.await?))
}

pub(in crate::routes) async fn delete(
    rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    let (caller, (app, webhook)) = (rq.caller.id, rq.path);
    rq.app
        .marketplace
        .delete_webhook(caller, app, webhook)
        .await?;
    Ok(message_body("The webhook is deleted."))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::routes) struct RotatedSecret {
    #[schemars(with = "PublicId")]
    webhook_id: String,
    #[schemars(with = "WebhookSecret")]
    new_secret: String,
}

pub(in crate::routes) async fn rotate(
    rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    let (caller, (app, webhook)) = (rq.caller.id, rq.path);
    let marketplace = &rq.app.marketplace;
    let (webhook_id, new_secret) = marketplace.rotate_secret(caller, app, webhook).await?;
    Ok(http::json(&RotatedSecret {
        webhook_id,
        new_secret,
    }))
}

#[derive(Serialize, JsonSchema)]
pub(in crate::routes) struct WebhookEvents {
    events: Vec<EventRow>,
    /// Number of stored events.
    total: usize,
}

pub(in crate::routes) async fn events(
    rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    let limit = rq.query_integer("limit", EVENTS_DEFAULT, 1..=EVENTS_MAX)?;
    let (caller, (app, webhook)) = (rq.caller.id, rq.path);
    let marketplace = &rq.app.marketplace;
    let (events, total) = marketplace.events(caller, app, webhook, limit).await?;
    Ok(http::json(&WebhookEvents { events, total }))
}

pub(in crate::routes) async fn test(
    mut rq: Request<SignedInUser, (String, String)>,
) -> Result<Response> {
    rq.exchange.check_json()?;
    let body = rq.exchange.read_body(rq.body_bytes_max).await?;
    let (caller, (app, webhook)) = (rq.caller.id, rq.path);
    let marketplace = &rq.app.marketplace;
    let preview = marketplace
        .preview_call(caller, app, webhook, &body)
        .await?;
    Ok(http::json(&preview))
}

/// The fields that creating and updating a webhook share.
fn read_draft(fields: &mut Fields) -> WebhookDraft {
    let limits = 1..=RATE_LIMIT_MAX as i64;
    WebhookDraft {
        description: fields.optional_string("description", 0..=DESCRIPTION_BYTES_MAX),
        payload_mapping: fields.nested("payload_mapping", read_mapping),
        rate_limit: fields
            .optional_integer("rate_limit_per_minute", limits)
            .map(|limit| limit as u64),
        scheme: fields.optional_one_of("scheme", &SignatureScheme::NAMES),
        ..WebhookDraft::default()
    }
}

fn read_mapping(fields: &mut Fields) -> Mapping {
    let mut mapping = Mapping::default();
    let names: Vec<&String> = fields.names().collect();
    for name in names {
        if mapping.iter().count() == FIELDS_MAX {
            fields.refuse(
                name,
                format!("is one field too many: {FIELDS_MAX} at most."),
            );
            break;
        }
        if name.is_empty() || name.chars().count() > FIELD_CHARS_MAX {
            let expected = format!("must have a name of 1 to {FIELD_CHARS_MAX} characters.");
            fields.refuse(name, expected);
        }
        let path = fields.required_string(name, 1..=PATH_BYTES_MAX);
        if !path.is_empty() && !is_path(&path) {
            fields.refuse(name, "must be a path like \"items.0.title\".");
        }
        mapping.insert(name, &path);
    }
    mapping
}
