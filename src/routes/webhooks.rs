//! `POST /webhooks/{webhook_id}`: signed calls from outside services to an app's webhook.

use serde_json::json;

use super::{Request, address};
use crate::auth::webhook_signature::Stamp;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{self, Response};
use crate::marketplace::WebhookCaller;
use crate::marketplace::ingestion::WebhookCall;
use crate::model::public_id::PublicId;

pub(super) async fn receive(mut rq: Request<(), String>) -> Result<Response> {
    let webhook = PublicId::parse(&rq.path).ok_or_else(invalid_webhook_id)?;
    let caller = WebhookCaller::at(address::of(&rq.app, &rq.exchange));
    rq.exchange.check_encoding()?;
    let body = match rq.exchange.read_body(rq.body_bytes_max).await {
        Err(error) if error.kind == ErrorKind::TooLarge => {
            rq.app.marketplace.too_large(webhook, caller).await?;
            return Err(error);
        }
        body => body?,
    };
    let header = |name| rq.exchange.header(name).ok().flatten();
    let stamp = || {
        Some(Stamp {
            id: header("webhook-id")?,
            timestamp: header("webhook-timestamp")?,
            signatures: header("webhook-signature")?,
        })
    };
    let names = rq.exchange.headers.get_all("x-webhook-id");
    let names = names.iter().map(|name| name.as_bytes());
    let call = WebhookCall {
        webhook,
        caller,
        signature: header("x-webhook-signature"),
        delivery_id: names.filter(|name| !name.is_empty()).collect(),
        stamp: stamp(),
        body: &body,
    };
    let quota = rq.app.marketplace.call(&call).await?;
    let response = http::json(&json!({"status": "ok"}));
    Ok(http::with_quota(response, &quota))
}

fn invalid_webhook_id() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "invalid_webhook_id",
        "The path does not end with a webhook's id, which is a UUID.",
    )
}
