//! `/account/export…`: requests an export of the caller's data, reports its state, and serves the
//! download.

use super::Request;
use crate::error::Result;
use crate::http::{self, Response, header};

/// Starts an export. The body is ignored.
pub(super) async fn request(rq: Request) -> Result<Response> {
    let export = rq.app.exports.request(rq.user()?).await?;
    Ok(http::json(&export))
}

pub(super) async fn show(rq: Request) -> Result<Response> {
    let export = rq.app.exports.show(rq.user()?, job_id(&rq)).await?;
    Ok(http::json(&export))
}

pub(super) async fn download(rq: Request) -> Result<Response> {
    let download = rq.app.exports.download(rq.user()?, job_id(&rq)).await?;
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

fn job_id(rq: &Request) -> &str {
    rq.params.get("job_id").unwrap_or_default()
}
