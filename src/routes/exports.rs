//! `/account/export…`: ask for everything that is kept of oneself, see how far it is, and
//! download it.

use super::Request;
use crate::error::Result;
use crate::http::{self, Response, header};

/// Whatever is in the body is ignored.
pub(super) async fn request(rq: Request) -> Result<Response> {
    let shown = rq.app.exports.request(rq.who()?).await?;
    Ok(http::json(&shown))
}

pub(super) async fn show(rq: Request) -> Result<Response> {
    let shown = rq.app.exports.show(rq.who()?, job_id(&rq)).await?;
    Ok(http::json(&shown))
}

pub(super) async fn download(rq: Request) -> Result<Response> {
    let download = rq.app.exports.download(rq.who()?, job_id(&rq)).await?;
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
