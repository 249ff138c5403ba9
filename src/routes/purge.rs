//! `/admin/purge`: lists accounts that are due for erasure and starts their erasure.

use serde_json::json;

use super::caller::Admin;
use super::{Request, audit};
use crate::error::Result;
use crate::http::{self, Response};
use crate::store::Change;

pub(super) async fn outlook(rq: Request<Admin>) -> Result<Response> {
    Ok(http::json(&rq.app.eraser.outlook().await?))
}

/// Starts the erasure and answers immediately; `outlook` reports its progress.
pub(super) async fn start(rq: Request<Admin>) -> Result<Response> {
    let (operator, now) = (audit::operator(&rq)?, rq.app.clock.now());
    let recording = rq
        .app
        .store
        .write(move |tx| tx.insert_audit(&operator, &Change::work("purge.start"), now));
    recording.await?;
    Ok(http::json(
        &json!({ "asked": rq.app.eraser.request_purge() }),
    ))
}
