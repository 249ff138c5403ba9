//! The running service, through which commands change data while it holds the database.

use serde_json::Value;

use crate::config::{Config, Secret};
use crate::outbound::{Answer, Call, NoAnswer};
use crate::store;

/// Asks it for `path` with one of the functions of `outbound`; `None` when no service runs on
/// this database. Any answer but 200 is an error.
pub(super) fn ask(
    config: &Config,
    send: fn(&Call<'_>) -> Result<Answer, NoAnswer>,
    path: &str,
    body: &Value,
) -> Result<Option<Value>, String> {
    let Some(holder) = store::holder(&config.storage.path) else {
        return Ok(None);
    };
    let address = holder
        .address
        .ok_or("another command holds the database; try again when it is done")?;
    let token = config.admin.token.as_ref().map_or("", Secret::expose);
    let answer = send(&Call::new(&format!("{address}{path}"), token, body))
        .map_err(|e| format!("the running service at {address} does not answer: {e}"))?;
    match answer.status {
        200 => Ok(Some(answer.body)),
        401 => Err(format!(
            "the running service at {address} has another admin.token; \
             use its configuration (--config and the same environment)"
        )),
        status => Err(match answer.body.get("detail").and_then(Value::as_str) {
            Some(detail) => format!("the running service refused: {detail}"),
            None => format!("the running service refused with {status}"),
        }),
    }
}
