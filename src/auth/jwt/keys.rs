//! A provider's public keys (RFC 7517): which of them can check signatures of people's
//! tokens, and which one a token means. `kid` is a name to compare and nothing else.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::header::KID_BYTES_MAX;
use super::{Algorithm, Refusal, strict};

/// Keys of a set beyond these are passed over.
const KEYS_MAX: usize = 100;
/// A modulus as RFC 7518 section 3.3 wants it, and no longer than the library takes.
const MODULUS_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;
const COORDINATE_BYTES: usize = 32;

/// Keys that can be used; those that can't were left out when it was read.
#[derive(Debug)]
pub struct KeySet {
    keys: Vec<Key>,
    source: [u8; 32],
}

/// One key.
#[derive(Debug)]
pub(super) struct Key {
    kid: Option<String>,
    algorithm: Algorithm,
    decoding: DecodingKey,
}

impl Key {
    pub(super) fn decoding(&self) -> &DecodingKey {
        &self.decoding
    }
}

impl KeySet {
    /// The error completes a sentence about the answer that `json` is.
    pub fn parse(json: &[u8]) -> Result<Self, &'static str> {
        let set = strict::object(json).ok_or("is no JSON object")?;
        let list = set.get("keys").and_then(Value::as_array);
        let list = list.ok_or("has no list \"keys\"")?;
        let keys = list.iter().take(KEYS_MAX).filter_map(Value::as_object);
        Ok(Self {
            keys: keys.filter_map(key).collect(),
            source: Sha256::digest(json).into(),
        })
    }

    /// How many keys can be used.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether it was read from the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        self.source == other.source
    }

    /// The key of that name, if it is one for the algorithm. Without a name: the one key
    /// without a name that is.
    pub(super) fn find(&self, kid: Option<&str>, algorithm: Algorithm) -> Result<&Key, Refusal> {
        let mut named = self
            .keys
            .iter()
            .filter(|key| key.kid.as_deref() == kid)
            .peekable();
        if named.peek().is_none() {
            return Err(Refusal::UnknownKey);
        }
        let mut fitting = named.filter(|key| key.algorithm == algorithm);
        match (fitting.next(), fitting.next()) {
            (Some(key), None) => Ok(key),
            (Some(key), Some(_)) if kid.is_some() => Ok(key),
            (Some(_), Some(_)) => Err(Refusal::Because("the token does not say which key")),
            (None, _) => Err(Refusal::Because("the token's key is for another algorithm")),
        }
    }
}

/// `None` for a key of another kind or use, a weak one, or one that is malformed.
fn key(jwk: &Map<String, Value>) -> Option<Key> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let (algorithm, decoding) = match (text("kty")?, text("crv")) {
        ("RSA", _) => (Algorithm::Rs256, rsa(text("n")?, text("e")?)?),
        ("EC", Some("P-256")) => {
            let (x, y) = (text("x")?, text("y")?);
            (coordinate(x) && coordinate(y)).then_some(())?;
            let decoding = DecodingKey::from_ec_components(x, y).ok()?;
            (Algorithm::Es256, decoding)
        }
        ("OKP", Some("Ed25519")) => {
            let x = text("x").filter(|x| coordinate(x))?;
            (Algorithm::EdDsa, DecodingKey::from_ed_components(x).ok()?)
        }
        _ => return None,
    };
    let for_signatures = jwk.get("use").is_none_or(|wanted| wanted == "sig");
    let for_algorithm = jwk.get("alg").is_none_or(|alg| alg == algorithm.name());
    let operations = jwk.get("key_ops").map(|list| list.as_array());
    let verifies = operations.is_none_or(|list| list.is_some_and(|l| l.contains(&"verify".into())));
    let kid = match jwk.get("kid") {
        None => None,
        Some(kid) => Some(kid.as_str()?.to_owned()),
    };
    let short = kid.as_ref().is_none_or(|kid| kid.len() <= KID_BYTES_MAX);
    (for_signatures && for_algorithm && verifies && short).then_some(Key {
        kid,
        algorithm,
        decoding,
    })
}

fn rsa(n: &str, e: &str) -> Option<DecodingKey> {
    let modulus = URL_SAFE_NO_PAD.decode(n).ok()?;
    let zeros = modulus.iter().take_while(|byte| **byte == 0).count();
    let first = modulus.get(zeros)?;
    let bits = (modulus.len() - zeros) * 8 - first.leading_zeros() as usize;
    if !MODULUS_BITS.contains(&bits) {
        return None;
    }
    DecodingKey::from_rsa_components(n, e).ok()
}

fn coordinate(text: &str) -> bool {
    let bytes = URL_SAFE_NO_PAD.decode(text);
    bytes.is_ok_and(|bytes| bytes.len() == COORDINATE_BYTES)
}
