//! `POST /webhooks/{webhook_id}`: signed calls from outside services to an app's webhook.

use super::answers::StatusAnswer;
use super::{Caller, Request, address, origin};
use crate::auth::webhook_signature::SignatureHeaders;
use crate::error::{Error, ErrorKind, Result};
use crate::http::{self, Bytes, Response};
use crate::marketplace::WebhookCaller;
use crate::marketplace::ingestion::WebhookCall;
use crate::model::public_id::PublicId;

pub(super) async fn receive(mut rq: Request<(), String>) -> Result<Response> {
    let webhook = PublicId::parse(&rq.path).ok_or_else(invalid_webhook_id)?;
    let caller = WebhookCaller::at(address::of(&rq.app, &rq.exchange));
    let body = match read_body(&mut rq).await {
        Ok(body) => body,
        Err(refusal) => {
            let marketplace = &rq.app.marketplace;
            marketplace.log_unread(webhook, caller, &refusal).await?;
            return Err(refusal);
        }
    };
    let header = |name| rq.exchange.header(name).ok().flatten();
    let stamp = || {
        Some(SignatureHeaders {
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
    let response = http::json(&StatusAnswer::OK);
    Ok(http::with_quota(response, &quota))
}

async fn read_body(rq: &mut Request<(), String>) -> Result<Bytes> {
    origin::check(&rq.app, Caller::Anyone, &rq.exchange)?;
    rq.exchange.check_encoding()?;
    rq.exchange.read_body(rq.body_bytes_max).await
}

fn invalid_webhook_id() -> Error {
    Error::new(
        ErrorKind::BadRequest,
        "invalid_webhook_id",
        "The path does not end with a webhook's id, which is a UUID.",
    )
}
