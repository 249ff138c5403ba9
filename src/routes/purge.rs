//! `/admin/purge`: lists accounts that are due for erasure and starts their erasure.

use schemars::JsonSchema;
use serde::Serialize;

use super::caller::Admin;
use super::{Request, audit};
use crate::error::Result;
use crate::http::{self, Response};
use crate::store::Change;

pub(super) async fn outlook(rq: Request<Admin>) -> Result<Response> {
    Ok(http::json(&rq.app.eraser.outlook().await?))
}

#[derive(Serialize, JsonSchema)]
pub(super) struct StartedPurge {
    /// The number of this request, as in `progress`.
    #[schemars(range(min = 1))]
    asked: u64,
}

/// Starts the erasure and answers immediately; `outlook` reports its progress.
pub(super) async fn start(rq: Request<Admin>) -> Result<Response> {
    let (operator, now) = (audit::operator(&rq)?, rq.app.clock.now());
    let recording = rq
        .app
        .store
        .write(move |tx| tx.insert_audit(&operator, &Change::work("purge.start"), now));
    recording.await?;
    let asked = rq.app.eraser.request_purge();
    Ok(http::json(&StartedPurge { asked }))
}
