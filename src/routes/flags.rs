//! `/admin/feature-flags…`: every flag with its value and the value's source, and the operator's
//! overrides.

use serde_json::{Map, Value, json};

use super::caller::Admin;
use super::{Request, audit};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::flags::registry::{self, Flag};
use crate::flags::{FlagView, Override};
use crate::http::{self, Response};
use crate::store::Operator;

const SET_BY_CHARS_MAX: usize = 64;

/// The state of the feature flag provider.
pub(super) async fn status(rq: Request<Admin>) -> Result<Response> {
    let status = rq.app.flags.status();
    Ok(http::json(&json!({
        "initialized": status.initialized(),
        "is_connected": status.is_connected,
        "circuit_breaker_open": status.circuit_breaker_open,
        "timestamp": rq.app.clock.now(),
    })))
}

pub(super) async fn list(rq: Request<Admin>) -> Result<Response> {
    let flags = registry::all().iter();
    let flags: Vec<FlagView> = flags.map(|flag| rq.app.flags.view(flag)).collect();
    Ok(http::json(&json!({ "flags": flags })))
}

pub(super) async fn set(mut rq: Request<Admin, String>) -> Result<Response> {
    let flag = find_flag(&rq.path)?;
    let body = rq.json().await?;
    let value = body.get("value").unwrap_or(&Value::Null);
    if let Err(expected) = flag.parse_override(value) {
        return Err(Error::invalid_field(
            "/value",
            format!("must be {expected}."),
        ));
    }
    let now = rq.app.clock.now();
    let mut operator = audit::operator(&rq)?;
    if let Some(name) = set_by(&body)? {
        operator.name = name;
    }
    let overriding = Override {
        value: value.clone(),
        set_at: now,
        set_by: operator.name.clone(),
        expires_at: expires_at(&body, now)?,
    };
    change(&rq, flag, now, Some(overriding), operator).await?;
    Ok(http::json(&rq.app.flags.view(flag)))
}

pub(super) async fn unset(rq: Request<Admin, String>) -> Result<Response> {
    let flag = find_flag(&rq.path)?;
    let operator = audit::operator(&rq)?;
    change(&rq, flag, rq.app.clock.now(), None, operator).await?;
    Ok(http::json(&rq.app.flags.view(flag)))
}

fn find_flag(key: &str) -> Result<&'static Flag> {
    registry::find(key).ok_or_else(|| Error {
        detail: format!(
            "There is no feature flag with this key; the nearest is {}.",
            registry::nearest(key)
        ),
        ..Error::not_found()
    })
}

fn set_by(body: &Map<String, Value>) -> Result<Option<String>> {
    let name = match body.get("set_by") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value.as_str().unwrap_or_default(),
    };
    let is_valid = (1..=SET_BY_CHARS_MAX).contains(&name.chars().count())
        && !name.chars().any(char::is_control);
    if is_valid {
        return Ok(Some(name.to_owned()));
    }
    let expected = "must be a name of 1-64 characters.";
    Err(Error::invalid_field("/set_by", expected))
}

fn expires_at(body: &Map<String, Value>, now: Timestamp) -> Result<Option<Timestamp>> {
    let invalid = |message: &str| Error::invalid_field("/expires_at", message);
    let value = match body.get("expires_at") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value.as_str().and_then(Timestamp::parse),
    };
    let Some(at) = value else {
        return Err(invalid(
            "must be a time like \"2030-01-31T12:00:00Z\", with its offset.",
        ));
    };
    if at <= now {
        return Err(invalid("must be in the future."));
    }
    Ok(Some(at))
}

/// Stores or removes an override. It takes effect immediately: memory is updated right after the
/// commit.
async fn change(
    rq: &Request<Admin, String>,
    flag: &'static Flag,
    now: Timestamp,
    set: Option<Override>,
    operator: Operator,
) -> Result<()> {
    let flags = rq.app.flags.clone();
    rq.app
        .store
        .write(move |tx| {
            tx.change_flag_override(flag.key, set.as_ref(), &operator, now)?;
            let overrides = tx.flag_overrides()?;
            tx.after_commit(move || flags.set_overrides(overrides));
            Ok(())
        })
        .await
}
