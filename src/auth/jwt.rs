//! JSON Web Tokens (RFC 7519) of people: which are accepted, and what they say.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use super::signatures;
use crate::clock::Timestamp;

/// What a token says of its bearer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claims {
    pub sub: String,
    /// Unix seconds
    pub iat: i64,
    /// Unix seconds
    pub exp: i64,
}

/// The local development key (HS256).
pub struct DevelopmentKey(DecodingKey);

impl DevelopmentKey {
    pub fn new(secret: &str) -> Self {
        signatures::install();
        Self(DecodingKey::from_secret(secret.as_bytes()))
    }

    /// The error is for the log.
    pub fn verify(&self, token: &str, leeway_s: u64, now: Timestamp) -> Result<Claims, String> {
        let mut rules = Validation::new(Algorithm::HS256);
        rules.validate_exp = false; // by our own clock, below
        rules.set_required_spec_claims(&["exp", "sub"]);
        let claims: Claims = jsonwebtoken::decode(token, &self.0, &rules)
            .map_err(|e| e.to_string())?
            .claims;
        if claims.exp + (leeway_s as i64) <= now.seconds() {
            return Err("the token has expired".to_owned());
        }
        Ok(claims)
    }
}

/// Makes a token with the development key.
pub fn issue(secret: &str, subject: &str, ttl_s: i64, now: Timestamp) -> String {
    let claims = Claims {
        sub: subject.to_owned(),
        iat: now.seconds(),
        exp: now.seconds() + ttl_s,
    };
    signatures::install();
    let key = EncodingKey::from_secret(secret.as_bytes());
    jsonwebtoken::encode(&Header::default(), &claims, &key).expect("claims are plain JSON")
}
