//! JSON Web Tokens (RFC 7519) of people: which are accepted, and what they say. Pure: a token,
//! keys, rules and `now` in; claims, or a reason for the log, out. The library checks
//! signatures only; everything it is lenient about is decided here. It must not know where
//! keys come from, and follows no address that a token names.

mod claims;
mod header;
mod keys;
mod strict;
#[cfg(test)]
mod tests;

use jsonwebtoken::{DecodingKey, EncodingKey, Header, crypto};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::clock::Timestamp;
use crate::setting::Setting;
pub use claims::{Claims, Profile};
use header::Unverified;
pub use keys::KeySet;

/// A longer one is refused unread.
pub const TOKEN_BYTES_MAX: usize = 12 * 1024;
/// The issuer of what the local development key signed.
pub const LOCAL_ISSUER: &str = "";

/// Signatures of an identity provider. HS256 is missing on purpose: it goes with the
/// development key and with no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// As `alg` in a header.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }

    const fn in_library(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}

/// What a token must be and carry.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Wanted of a provider's tokens; the development key's may leave them out.
    pub issuer: Option<String>,
    pub audience: Option<String>,
    /// Accepted with a provider's keys.
    pub algorithms: Vec<Algorithm>,
    /// Seconds by which clocks may differ.
    pub leeway_s: u64,
}

/// Why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// All is right with it, save that its key is not among those known. Newer keys may
    /// have it.
    UnknownKey,
    /// A reason for the log; nothing of the token is in it.
    Because(&'static str),
}

impl Refusal {
    pub const fn reason(self) -> &'static str {
        match self {
            Self::UnknownKey => "no known key has signed the token",
            Self::Because(reason) => reason,
        }
    }
}

/// Decides on tokens.
pub struct Verifier {
    rules: Rules,
    /// The local development key (HS256).
    development: Setting<Option<DecodingKey>>,
}

impl Verifier {
    pub fn new(rules: Rules, development_secret: Option<&str>) -> Self {
        Self {
            rules,
            development: Setting::new(development_secret.map(development_key)),
        }
    }

    /// From now on only local tokens signed with this are accepted.
    pub fn set_development_secret(&self, secret: &str) {
        self.development.set(Some(development_key(secret)));
    }

    /// What the token says of its bearer, if it is to be believed now. `keys` are the
    /// provider's; `None`: they have never been fetched.
    pub fn verify(
        &self,
        token: &str,
        keys: Option<&KeySet>,
        now: Timestamp,
    ) -> Result<Claims, Refusal> {
        let unverified = Unverified::read(token).map_err(Refusal::Because)?;
        // The claims come first: a token that is wrong anyway is worth neither a signature's
        // arithmetic nor a look for newer keys.
        if unverified.alg == "HS256" {
            let key = self.development.get();
            let key = key
                .as_ref()
                .as_ref()
                .ok_or(Refusal::Because("HS256 without a development key"))?;
            let claims = claims::read_local(&unverified, &self.rules, now)?;
            check(&unverified, key, jsonwebtoken::Algorithm::HS256)?;
            return Ok(claims);
        }
        let algorithm = Algorithm::named(&unverified.alg)
            .filter(|algorithm| self.rules.algorithms.contains(algorithm))
            .ok_or(Refusal::Because("the token's algorithm is not accepted"))?;
        let claims = claims::read_provided(&unverified, &self.rules, now)?;
        let kid = unverified.kid.as_deref();
        let key = keys
            .ok_or(Refusal::UnknownKey)?
            .find(kid, algorithm)?
            .decoding();
        check(&unverified, key, algorithm.in_library())?;
        Ok(claims)
    }

    /// Until when a token with these claims is accepted.
    pub fn ends(&self, claims: &Claims) -> Timestamp {
        claims.expires_at.plus_s(self.rules.leeway_s as i64)
    }
}

fn development_key(secret: &str) -> DecodingKey {
    DecodingKey::from_secret(secret.as_bytes())
}

fn check(
    token: &Unverified<'_>,
    key: &DecodingKey,
    algorithm: jsonwebtoken::Algorithm,
) -> Result<(), Refusal> {
    match crypto::verify(token.signature, token.signed.as_bytes(), key, algorithm) {
        Ok(true) => Ok(()),
        _ => Err(Refusal::Because("the token's signature is wrong")),
    }
}

/// What a token is remembered by.
pub type TokenDigest = [u8; 32];

pub fn digest(token: &str) -> TokenDigest {
    Sha256::digest(token).into()
}

/// Makes a token with the development key.
pub fn issue(secret: &str, subject: &str, ttl_s: i64, now: Timestamp) -> String {
    let claims = json!({
        "sub": subject,
        "iat": now.seconds(),
        "exp": now.seconds() + ttl_s,
    });
    let key = EncodingKey::from_secret(secret.as_bytes());
    jsonwebtoken::encode(&Header::default(), &claims, &key).expect("claims are plain JSON")
}
