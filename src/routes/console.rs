//! `GET /admin/`: the operator's console, a single static page. The page is public and contains no
//! data. Its script calls the admin routes with the token that the operator types.

use super::Request;
use crate::error::Result;
use crate::http::{self, Response, header};

const PAGE: &str = include_str!("console.html");
/// Content-Security-Policy: only the page's own script and style may run, by their hashes (a test
/// checks these), and the page may call this service only.
const POLICY: &str = "default-src 'none'; \
    script-src 'sha256-ptWCXP+UzH6RA5bmZLxFLr8ZXAA/VdhU+1BlfdhvMbk='; \
    style-src 'sha256-joRbgzaeFlarSOJdHlSc2UUwNaiy4ikai/wT+jQf/r4='; \
    connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

pub(super) async fn show(_: Request) -> Result<Response> {
    let response = http::with_header(http::html(PAGE), header::CONTENT_SECURITY_POLICY, POLICY);
    let response = http::with_header(response, header::REFERRER_POLICY, "no-referrer");
    Ok(http::with_header(
        response,
        header::CACHE_CONTROL,
        "no-cache",
    ))
}
