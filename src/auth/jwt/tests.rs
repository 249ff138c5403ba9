//! Tests of token verification: every way to forge, change and misuse a token.

#[path = "../../../tests/support/signer.rs"]
mod signer;

mod headers;
mod key_sets;
mod names_and_times;
mod signatures;

use serde_json::{Map, Value, json};
use signer::{Signer, b64, hmac_token};

use super::*;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
const ISSUER: &str = "https://id.example.com/";
const SECRET: &str = "a-development-key-of-at-least-32-bytes";
const LEEWAY_S: i64 = 30;

fn rules() -> Rules {
    Rules {
        issuer: Some(ISSUER.to_owned()),
        audience: Some("chatkeep".to_owned()),
        algorithms: Algorithm::ALL.to_vec(),
        leeway_s: LEEWAY_S as u64,
    }
}

fn verifier() -> Verifier {
    Verifier::new(rules(), Some(SECRET))
}

fn set(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes()).unwrap()
}

/// Good claims with changes; `null` takes one away.
fn claims(changes: Value) -> Value {
    let mut claims = json!({
        "iss": ISSUER, "aud": "chatkeep", "sub": "user-1",
        "exp": NOW.seconds() + 60, "iat": NOW.seconds(),
    });
    merge(&mut claims, changes);
    claims
}

fn merge(into: &mut Value, changes: Value) {
    let Value::Object(changes) = changes else {
        return;
    };
    let into: &mut Map<String, Value> = into.as_object_mut().unwrap();
    for (name, value) in changes {
        match value {
            Value::Null => into.remove(&name),
            value => into.insert(name, value),
        };
    }
}

fn refusal(token: &str, keys: &KeySet) -> Option<&'static str> {
    let verdict = verifier().verify(token, Some(keys), NOW);
    verdict.err().map(TokenRefusal::reason)
}

fn header(changes: Value) -> Value {
    let mut header = json!({ "alg": "RS256", "kid": "r", "typ": "JWT" });
    merge(&mut header, changes);
    header
}
