//! `/account/export…`: requests an export of the caller's data, reports its state, and serves the
//! download.

use super::Request;
use crate::account::identity::SignedInUser;
use crate::error::Result;
use crate::http::{self, Response, header};

/// Starts an export. The body is ignored.
pub(super) async fn request(rq: Request<SignedInUser>) -> Result<Response> {
    let export = rq.app.exports.request(&rq.caller).await?;
    Ok(http::json(&export))
}

pub(super) async fn show(rq: Request<SignedInUser, String>) -> Result<Response> {
    let export = rq.app.exports.show(&rq.caller, &rq.path).await?;
    Ok(http::json(&export))
}

pub(super) async fn download(rq: Request<SignedInUser, String>) -> Result<Response> {
    let download = rq.app.exports.download(&rq.caller, &rq.path).await?;
    let name = format!("attachment; filename=\"{}\"", download.name);
    let answer = http::file(download.file, download.bytes);
    let answer = http::with_header(answer, header::CONTENT_TYPE, "application/json");
    let answer = http::with_header(answer, header::CACHE_CONTROL, "no-store");
    let answer = http::with_header(answer, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    Ok(http::with_header(
        answer,
        header::CONTENT_DISPOSITION,
        &name,
    ))
}
