//! `/admin/backup`: makes the service copy its database, for `chatkeep backup`.

use serde_json::json;

use super::Request;
use super::caller::Admin;
use crate::error::Result;
use crate::http::{self, Response};

/// Starts a copy and answers immediately; `show` reports its progress.
pub(super) async fn start(rq: Request<Admin>) -> Result<Response> {
    let id = rq.app.backups.start().await;
    Ok(http::json(&json!({ "started": id.is_some(), "id": id })))
}

pub(super) async fn show(rq: Request<Admin>) -> Result<Response> {
    Ok(http::json(&rq.app.backups.status()))
}

/// Ends the job: the copy was taken over or is no longer needed.
pub(super) async fn end(rq: Request<Admin>) -> Result<Response> {
    rq.app.backups.end().await;
    Ok(http::json(&rq.app.backups.status()))
}
