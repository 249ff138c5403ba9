//! `/admin/purge`: which accounts are to be erased, and have it done now.

use serde_json::json;

use super::{Request, audit};
use crate::error::Result;
use crate::http::{self, Response};
use crate::store::Change;

pub(super) async fn outlook(rq: Request) -> Result<Response> {
    Ok(http::json(&rq.app.eraser.outlook().await?))
}

/// Answers at once: the work may be long, and `outlook` tells how far it is.
pub(super) async fn start(rq: Request) -> Result<Response> {
    let (operator, now) = (audit::operator(&rq)?, rq.app.clock.now());
    let noted = rq
        .app
        .store
        .write(move |tx| tx.insert_audit(&operator, &Change::work("purge.start"), now));
    noted.await?;
    Ok(http::json(&json!({ "asked": rq.app.eraser.ask() })))
}
