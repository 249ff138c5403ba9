//! A provider's public keys (RFC 7517): which of them can verify people's tokens, and which one a
//! token needs. `kid` is only compared.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyOperations, PublicKeyUse};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::header::KID_BYTES_MAX;
use super::{Algorithm, TokenRefusal, strict};

/// Further keys of a set are ignored.
const KEYS_MAX: usize = 100;
/// RSA modulus sizes: at least what RFC 7518 section 3.3 demands, at most what the library accepts.
const MODULUS_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;
const COORDINATE_BYTES: usize = 32;

/// The usable keys of a provider; others were left out when the set was parsed.
#[derive(Debug)]
pub struct KeySet {
    keys: Vec<Key>,
    source: [u8; 32],
}

/// One public key.
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
    /// Parses a key set. The error completes a sentence about the response.
    pub fn parse(json: &[u8]) -> Result<Self, &'static str> {
        let set = strict::object(json).ok_or("is no JSON object")?;
        let list = set.get("keys").and_then(Value::as_array);
        let list = list.ok_or("has no list \"keys\"")?;
        Ok(Self {
            keys: list.iter().take(KEYS_MAX).filter_map(key).collect(),
            source: Sha256::digest(json).into(),
        })
    }

    /// The number of usable keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether both sets were parsed from the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        self.source == other.source
    }

    /// The key with this `kid` for the algorithm. Without a `kid`, the only key without one.
    pub(super) fn find(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<&Key, TokenRefusal> {
        let mut with_kid = self
            .keys
            .iter()
            .filter(|key| key.kid.as_deref() == kid)
            .peekable();
        if with_kid.peek().is_none() {
            return Err(TokenRefusal::UnknownKey);
        }
        let mut matching = with_kid.filter(|key| key.algorithm == algorithm);
        match (matching.next(), matching.next()) {
            (Some(key), None) => Ok(key),
            (Some(key), Some(_)) if kid.is_some() => Ok(key),
            (Some(_), Some(_)) => Err(TokenRefusal::Because("the token does not say which key")),
            (None, _) => Err(TokenRefusal::Because(
                "the token's key is for another algorithm",
            )),
        }
    }
}

/// `None` for a key of another type or use, a weak one, or a malformed one.
fn key(jwk: &Value) -> Option<Key> {
    let jwk = Jwk::deserialize(jwk).ok()?;
    let (algorithm, is_valid) = match &jwk.algorithm {
        AlgorithmParameters::RSA(key) => (Algorithm::Rs256, is_modulus(&key.n)),
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
            let is_point = is_coordinate(&key.x) && is_coordinate(&key.y);
            (Algorithm::Es256, is_point)
        }
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => {
            (Algorithm::EdDsa, is_coordinate(&key.x))
        }
        _ => return None,
    };
    let common = &jwk.common;
    let public_key_use = common.public_key_use.as_ref();
    let for_signatures = public_key_use.is_none_or(|usage| *usage == PublicKeyUse::Signature);
    let for_algorithm = common
        .key_algorithm
        .is_none_or(|key_algorithm| key_algorithm == algorithm.to_library().into());
    let operations = common.key_operations.as_ref();
    let verifies = operations.is_none_or(|list| list.contains(&KeyOperations::Verify));
    let kid = common.key_id.as_ref();
    let has_valid_kid = kid.is_none_or(|kid| kid.len() <= KID_BYTES_MAX);
    (is_valid && for_signatures && for_algorithm && verifies && has_valid_kid).then_some(())?;
    Some(Key {
        kid: kid.cloned(),
        algorithm,
        decoding: DecodingKey::from_jwk(&jwk).ok()?,
    })
}

fn is_modulus(text: &str) -> bool {
    let modulus = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let zeros = modulus.iter().take_while(|byte| **byte == 0).count();
    modulus.get(zeros).is_some_and(|first| {
        let bits = (modulus.len() - zeros) * 8 - first.leading_zeros() as usize;
        MODULUS_BITS.contains(&bits)
    })
}

fn is_coordinate(text: &str) -> bool {
    let bytes = URL_SAFE_NO_PAD.decode(text);
    bytes.is_ok_and(|bytes| bytes.len() == COORDINATE_BYTES)
}
