//! `/admin/feature-flags…`: every flag with its value and the value's source, and the operator's
//! overrides.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::caller::Admin;
use super::request::JsonBody;
use super::{Request, audit};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::flags::registry::{self, Flag};
use crate::flags::{Override, SET_BY_CHARS_MAX};
use crate::http::{self, Fields, Response};
use crate::model::masking::masked;
use crate::store::Operator;

/// The state of the feature flag provider.
#[derive(Serialize, JsonSchema)]
pub(super) struct FlagProvider {
    initialized: bool,
    is_connected: bool,
    circuit_breaker_open: bool,
    timestamp: Timestamp,
}

pub(super) async fn status(rq: Request<Admin>) -> Result<Response> {
    let status = rq.app.flags.status();
    Ok(http::json(&FlagProvider {
        initialized: status.initialized(),
        is_connected: status.is_connected,
        circuit_breaker_open: status.circuit_breaker_open,
        timestamp: rq.app.clock.now(),
    }))
}

pub(super) async fn list(rq: Request<Admin>) -> Result<Response> {
    Ok(http::json(&rq.app.flags.list()))
}

/// A new override.
pub(super) struct FlagChange {
    value: Value,
    set_by: Option<String>,
    expires_at: Option<Timestamp>,
}

impl JsonBody for FlagChange {
    fn from_fields(fields: &mut Fields, now: Timestamp) -> Self {
        Self {
            value: fields.value("value").cloned().unwrap_or_default(),
            set_by: set_by(fields),
            expires_at: expires_at(fields, now),
        }
    }
}

pub(super) async fn set(rq: Request<Admin, String, FlagChange>) -> Result<Response> {
    let flag = find_flag(&rq.path)?;
    if let Err(expected) = flag.parse_override(&rq.body.value) {
        let expected = format!("must be {expected}.");
        return Err(Error::invalid_field("/value", expected));
    }
    let now = rq.app.clock.now();
    let mut operator = audit::operator(&rq)?;
    if let Some(name) = &rq.body.set_by {
        operator.name.clone_from(name);
    }
    let overriding = Override {
        value: rq.body.value.clone(),
        set_at: now,
        set_by: masked(&operator.name).into_owned(),
        expires_at: rq.body.expires_at,
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
        detail: match registry::nearest(key) {
            Some(near) => {
                format!("There is no feature flag with this key; the nearest is {near}.")
            }
            None => "There is no feature flag with this key.".to_owned(),
        },
        ..Error::not_found()
    })
}

fn set_by(fields: &mut Fields) -> Option<String> {
    let name = fields.value("set_by")?.as_str().unwrap_or_default();
    let is_valid = (1..=SET_BY_CHARS_MAX).contains(&name.chars().count())
        && !name.chars().any(char::is_control);
    if !is_valid {
        fields.refuse("set_by", "must be a name of 1-64 characters.");
    }
    Some(name.to_owned())
}

fn expires_at(fields: &mut Fields, now: Timestamp) -> Option<Timestamp> {
    let text = fields.value("expires_at")?.as_str();
    let at = text.and_then(Timestamp::parse);
    let expected = match at {
        None => "must be a time like \"2030-01-31T12:00:00Z\", with its offset.",
        Some(at) if at <= now => "must be in the future.",
        at => return at,
    };
    fields.refuse("expires_at", expected);
    None
}

/// Stores or removes an override. It takes effect immediately: memory is updated right after the
/// commit.
async fn change<B>(
    rq: &Request<Admin, String, B>,
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
