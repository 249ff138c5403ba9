//! Signing in by JWT, through a real socket: whose keys count and since when, who a token's
//! person is, and what is remembered of either.

#![allow(clippy::unwrap_used)]

#[path = "../support/issuer.rs"]
mod issuer;
mod keys;
mod people;
#[path = "../support/signer.rs"]
mod signer;
#[path = "../support/mod.rs"]
mod support;
mod usage;

use chatkeep::clock::{Clock, Timestamp};
use issuer::{AUDIENCE, ISSUER, Issuer};
use serde_json::{Value, json};
use support::{Answer, Service, get};

/// 2027-01-15T08:00:00Z
const START: Timestamp = Timestamp::from_seconds(1_800_000_000);
const MINUTE_MS: i64 = 60_000;
const UUID: &str = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";

/// A service that believes the issuer, on a clock that stands.
async fn started(issuer: &Issuer) -> (Service, Clock) {
    let clock = Clock::fixed(START);
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &issuer.settings(), clock.clone()).await;
    (service, clock)
}

/// Good claims of somebody, for an hour, with more.
fn claims(sub: &str, more: Value) -> Value {
    let now = START.seconds();
    let mut claims =
        json!({ "iss": ISSUER, "aud": AUDIENCE, "sub": sub, "exp": now + 3600, "iat": now });
    let fields = claims.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    claims
}

async fn usage(service: &Service, token: &str, user_id: &str) -> Answer {
    let path = format!("/api/v1/usage/limits/{user_id}");
    service.send(&get(&path).bearer(token)).await
}

/// 401 or not: nobody's usage is asked for, so a token that counts gets 404.
async fn is_let_in(service: &Service, token: &str) -> bool {
    let answer = usage(service, token, "nobody").await;
    match (answer.status, answer.code().as_str()) {
        (404, "user_not_found") => true,
        (401, "unauthorized") => {
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            false
        }
        _ => panic!("{answer:?}"),
    }
}
