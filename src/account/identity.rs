//! Signing in: verifies a person's token and finds or creates its user. Recently verified tokens
//! come from a cache.

pub mod jwks;
mod person;
mod token_cache;

use std::sync::Arc;

use crate::auth::jwt::{self, Claims, TOKEN_BYTES_MAX, TokenRefusal, Verifier};
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, Result};
use crate::metrics::CacheMetrics;
use crate::store::{Person, SharedStore, UserId};
use jwks::{CurrentKeys, Jwks};
use person::Subject;
use token_cache::TokenCache;

/// Waits for newer keys in one sign-in: for a running fetch, and for one of its own.
const FETCHES_MAX: usize = 2;

/// A signed-in person.
#[derive(Debug, Clone)]
pub struct SignedInUser {
    pub id: UserId,
    /// The public id, a UUID.
    pub user_id: Arc<str>,
}

/// Signs people in.
pub struct Identity {
    store: SharedStore,
    clock: Clock,
    verifier: Verifier,
    /// The provider's keys; `None` without a provider.
    jwks: Option<Arc<Jwks>>,
    tokens: TokenCache,
}

impl Identity {
    pub fn new(
        store: SharedStore,
        clock: Clock,
        verifier: Verifier,
        jwks: Option<Arc<Jwks>>,
    ) -> Self {
        Self {
            store,
            clock,
            verifier,
            jwks,
            tokens: TokenCache::default(),
        }
    }

    /// 401 unless the token is valid now.
    pub async fn sign_in(&self, bearer: Option<&str>) -> Result<SignedInUser> {
        let token = bearer.ok_or_else(Error::no_credential)?;
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Error::unauthorized("the token is too long"));
        }
        let now = self.clock.now();
        if let Some(jwks) = &self.jwks {
            jwks.refresh_if_old();
        }
        let digest = jwt::digest(token);
        let keys = self.keys();
        if let Some(user) = self.tokens.get(&digest, keys.generation, now) {
            return Ok(user);
        }
        let forget_count = self.tokens.forget_count();
        let (claims, generation) = self.verify(token, keys, now).await?;
        let ends_at = self.verifier.accepted_until(&claims);
        let person = self.person(claims, now).await?;
        let user = SignedInUser {
            id: person.id,
            user_id: person.user_id.into(),
        };
        let verified_with = (generation, forget_count);
        self.tokens
            .put(digest, user.clone(), ends_at, verified_with, now);
        Ok(user)
    }

    /// The token cache's metrics and size.
    pub fn token_cache_metrics(&self) -> (&CacheMetrics, usize) {
        (&self.tokens.metrics, self.tokens.len())
    }

    /// Removes a user's tokens from the cache. Call this right after the commit that erased the
    /// user or unlinked an identity.
    pub fn forget(&self, user: UserId) {
        self.tokens.forget(user);
    }

    /// Replaces the development key. Tokens signed with the old key are no longer accepted.
    pub fn set_development_secret(&self, secret: &str) {
        self.verifier.set_development_secret(secret);
        self.tokens.forget_all();
    }

    /// The claims, and the keys they were verified with. Only a token with an unknown key waits for
    /// newer keys.
    async fn verify(
        &self,
        token: &str,
        mut keys: CurrentKeys,
        now: Timestamp,
    ) -> Result<(Claims, u64)> {
        let mut fetches = 0;
        loop {
            let refusal = match self.verifier.verify(token, keys.keys.as_deref(), now) {
                Ok(claims) => return Ok((claims, keys.generation)),
                Err(refusal) => refusal,
            };
            let refused = || Error::unauthorized(refusal.reason());
            let jwks = self.jwks.as_ref().ok_or_else(refused)?;
            if refusal != TokenRefusal::UnknownKey
                || fetches == FETCHES_MAX
                || !jwks.newer(&keys).await
            {
                return Err(refused());
            }
            fetches += 1;
            keys = self.keys();
        }
    }

    /// Uses look-ups only, if nothing must be written.
    async fn person(&self, claims: Claims, now: Timestamp) -> Result<Person> {
        let subject = Subject::of(claims);
        if let Some(person) = self.store.look_up(|view| subject.look_up(view))? {
            return Ok(person);
        }
        self.store
            .write(move |tx| subject.find_or_create(tx, now))
            .await
    }

    fn keys(&self) -> CurrentKeys {
        self.jwks
            .as_ref()
            .map_or_else(CurrentKeys::default, |jwks| jwks.current())
    }
}
