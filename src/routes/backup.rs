//! `/admin/backup`: makes the service copy its database, for `chatkeep backup`.

use schemars::JsonSchema;
use serde::Serialize;

use super::Request;
use super::caller::Admin;
use crate::error::Result;
use crate::http::{self, Response};

#[derive(Serialize, JsonSchema)]
pub(super) struct StartedBackup {
    started: bool,
    /// The number of this backup; null if another one is running.
    #[schemars(range(min = 1))]
    id: Option<u64>,
}

/// Starts a copy and answers immediately; `show` reports its progress.
pub(super) async fn start(rq: Request<Admin>) -> Result<Response> {
    let id = rq.app.backups.start().await;
    let started = id.is_some();
    Ok(http::json(&StartedBackup { started, id }))
}

pub(super) async fn show(rq: Request<Admin>) -> Result<Response> {
    Ok(http::json(&rq.app.backups.status()))
}

/// Ends the job: the copy was taken over or is no longer needed.
pub(super) async fn end(rq: Request<Admin>) -> Result<Response> {
    rq.app.backups.end().await;
    Ok(http::json(&rq.app.backups.status()))
}
