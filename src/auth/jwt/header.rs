//! Splits a token (RFC 7515) into its parts and parses its header strictly, without verifying
//! anything. `jku`, `x5u`, `jwk` and `x5c` are ignored: keys are never taken from a token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::{TOKEN_BYTES_MAX, strict};

/// A longer `kid` matches no key.
pub(super) const KID_BYTES_MAX: usize = 512;

/// The parts of a token whose signature isn't checked yet.
pub(super) struct UnverifiedToken<'a> {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    pub(super) claims: Map<String, Value>,
    /// The bytes that the signature covers.
    pub(super) signed: &'a str,
    /// The signature as sent, in base64.
    pub(super) signature: &'a str,
}

impl<'a> UnverifiedToken<'a> {
    pub(super) fn read(token: &'a str) -> Result<Self, &'static str> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err("the token is too long");
        }
        let parts: Vec<&str> = token.splitn(4, '.').collect();
        let [header, claims, signature] = parts[..] else {
            return Err("the token does not have three parts");
        };
        let mut header = object(header).ok_or("the token's header is no JSON object")?;
        if header.contains_key("crit") {
            return Err("the token requires an extension (crit) that is not supported");
        }
        if !is_access_token(header.get("typ")) {
            return Err("the token has another type (typ)");
        }
        let Some(Value::String(alg)) = header.remove("alg") else {
            return Err("the token names no algorithm");
        };
        let kid = match header.remove("kid") {
            None => None,
            Some(Value::String(kid)) if kid.len() <= KID_BYTES_MAX => Some(kid),
            Some(_) => return Err("the token's kid is no text or too long"),
        };
        Ok(Self {
            alg,
            kid,
            claims: object(claims).ok_or("the token's claims are no JSON object")?,
            signed: &token[..header_and_claims(token, signature)],
            signature,
        })
    }
}

fn header_and_claims(token: &str, signature: &str) -> usize {
    token.len() - signature.len() - 1
}

fn object(part: &str) -> Option<Map<String, Value>> {
    strict::object(&URL_SAFE_NO_PAD.decode(part).ok()?)
}

/// `typ` may be absent, `JWT` or `at+jwt` (RFC 9068). It is a media type, so case doesn't matter
/// and `application/` may precede it (RFC 7515 section 4.1.9). An identity token is a `JWT` too;
/// `aud` decides whether a token was issued for this service.
fn is_access_token(typ: Option<&Value>) -> bool {
    let Some(typ) = typ else {
        return true;
    };
    let typ = typ.as_str().unwrap_or_default().to_ascii_lowercase();
    let name = typ.strip_prefix("application/").unwrap_or(&typ);
    matches!(name, "jwt" | "at+jwt")
}
