//! People's JSON Web Tokens (RFC 7519): which are accepted, and their claims. Pure: token, keys,
//! rules and `now` go in; claims or a refusal come out. The `jsonwebtoken` library checks
//! signatures only; every other check is made here. This module must not know where keys come from,
//! and ignores URLs in a token.

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
use header::UnverifiedToken;
pub use keys::KeySet;

/// A longer token is refused without parsing it.
pub const TOKEN_BYTES_MAX: usize = 12 * 1024;
/// The issuer recorded for tokens signed with the local development key.
pub const LOCAL_ISSUER: &str = "";

/// Signature algorithms of identity providers. HS256 is excluded on purpose: it is accepted with
/// the development key only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::Rs256, Self::Es256, Self::EdDsa];

    /// The algorithm's name in `alg`.
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

    const fn to_library(self) -> jsonwebtoken::Algorithm {
        match self {
            Self::Rs256 => jsonwebtoken::Algorithm::RS256,
            Self::Es256 => jsonwebtoken::Algorithm::ES256,
            Self::EdDsa => jsonwebtoken::Algorithm::EdDSA,
        }
    }
}

/// The rules for tokens.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Required in a provider's tokens; optional with the development key.
    pub issuer: Option<String>,
    pub audience: Option<String>,
    /// Algorithms accepted with a provider's keys.
    pub algorithms: Vec<Algorithm>,
    /// Allowed clock difference in seconds.
    pub leeway_s: u64,
}

/// The reason for refusing a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRefusal {
    /// The token is valid except that its key is unknown. Newer keys may include it.
    UnknownKey,
    /// A reason for the log, without any content of the token.
    Because(&'static str),
}

impl TokenRefusal {
    pub const fn reason(self) -> &'static str {
        match self {
            Self::UnknownKey => "no known key has signed the token",
            Self::Because(reason) => reason,
        }
    }
}

/// Verifies tokens.
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

    /// Replaces the development key; takes effect immediately.
    pub fn set_development_secret(&self, secret: &str) {
        self.development.set(Some(development_key(secret)));
    }

    /// The claims of a valid token. `keys` are the provider's keys; `None` when they were never
    /// fetched.
    pub fn verify(
        &self,
        token: &str,
        keys: Option<&KeySet>,
        now: Timestamp,
    ) -> Result<Claims, TokenRefusal> {
        let unverified = UnverifiedToken::read(token).map_err(TokenRefusal::Because)?;
        // Claims are checked first: a token with wrong claims must cost neither a signature check
        // nor a fetch of newer keys.
        if unverified.alg == "HS256" {
            let key = self.development.get();
            let key = key
                .as_ref()
                .as_ref()
                .ok_or(TokenRefusal::Because("HS256 without a development key"))?;
            let claims = claims::read_local(&unverified, &self.rules, now)?;
            check(&unverified, key, jsonwebtoken::Algorithm::HS256)?;
            return Ok(claims);
        }
        let algorithm = Algorithm::named(&unverified.alg)
            .filter(|algorithm| self.rules.algorithms.contains(algorithm))
            .ok_or(TokenRefusal::Because(
                "the token's algorithm is not accepted",
            ))?;
        let claims = claims::read_provided(&unverified, &self.rules, now)?;
        let kid = unverified.kid.as_deref();
        let key = keys
            .ok_or(TokenRefusal::UnknownKey)?
            .find(kid, algorithm)?
            .decoding();
        check(&unverified, key, algorithm.to_library())?;
        Ok(claims)
    }

    /// The time until which a token with these claims is accepted.
    pub fn accepted_until(&self, claims: &Claims) -> Timestamp {
        claims.expires_at.plus_s(self.rules.leeway_s as i64)
    }
}

fn development_key(secret: &str) -> DecodingKey {
    DecodingKey::from_secret(secret.as_bytes())
}

fn check(
    token: &UnverifiedToken,
    key: &DecodingKey,
    algorithm: jsonwebtoken::Algorithm,
) -> Result<(), TokenRefusal> {
    match crypto::verify(token.signature, token.signed.as_bytes(), key, algorithm) {
        Ok(true) => Ok(()),
        _ => Err(TokenRefusal::Because("the token's signature is invalid")),
    }
}

/// The key of a verified token in the token cache.
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
