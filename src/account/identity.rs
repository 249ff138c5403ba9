//! From a token to the person: who signs in. The token is checked, its user found or made;
//! who has just been here is let in from memory. It must not know which route is wanted.

pub mod jwks;
mod person;
mod token_cache;

use std::sync::Arc;

use crate::auth::jwt::{self, Claims, Refusal, TOKEN_BYTES_MAX, Verifier};
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, Result};
use crate::metrics::CacheMetrics;
use crate::store::{Person, SharedStore, UserId};
use jwks::{Current, Jwks};
use person::Subject;
use token_cache::TokenCache;

/// Looks for newer keys in one sign-in: one that was under way when it came, and its own.
const LOOKS_MAX: usize = 2;

/// Who calls.
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
    /// The provider's keys; `None`: there is no provider.
    jwks: Option<Arc<Jwks>>,
    remembered: TokenCache,
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
            remembered: TokenCache::default(),
        }
    }

    /// 401 for anything but a token that is accepted now.
    pub async fn sign_in(&self, bearer: Option<&str>) -> Result<SignedInUser> {
        let token = bearer.ok_or_else(Error::no_credential)?;
        if token.len() > TOKEN_BYTES_MAX {
            return Err(Error::unauthorized("the token is too long"));
        }
        let now = self.clock.now();
        if let Some(jwks) = &self.jwks {
            jwks.keep_fresh();
        }
        let digest = jwt::digest(token);
        let keys = self.keys();
        if let Some(user) = self.remembered.get(&digest, keys.generation, now) {
            return Ok(user);
        }
        let mark = self.remembered.mark();
        let (claims, generation) = self.verified(token, keys, now).await?;
        let ends_at = self.verifier.accepted_until(&claims);
        let person = self.person(claims, now).await?;
        let user = SignedInUser {
            id: person.id,
            user_id: person.user_id.into(),
        };
        let seen = (generation, mark);
        self.remembered.put(digest, user.clone(), ends_at, seen, now);
        Ok(user)
    }

    /// What the memory of tokens found, and how many it has.
    pub fn cached(&self) -> (&CacheMetrics, usize) {
        (&self.remembered.looks, self.remembered.len())
    }

    /// Ends what is remembered of a user's tokens. To be called right after the commit that
    /// erased them, or that unties an identity of theirs.
    pub fn forget(&self, user: UserId) {
        self.remembered.forget(user);
    }

    /// From now on local tokens are signed with this; what was signed with another has ended.
    pub fn set_development_secret(&self, secret: &str) {
        self.verifier.set_development_secret(secret);
        self.remembered.forget_all();
    }

    /// The claims, and which keys they were verified with. Only a token whose key is unknown
    /// waits, for newer keys.
    async fn verified(
        &self,
        token: &str,
        mut keys: Current,
        now: Timestamp,
    ) -> Result<(Claims, u64)> {
        let mut looks = 0;
        loop {
            let refusal = match self.verifier.verify(token, keys.keys.as_deref(), now) {
                Ok(claims) => return Ok((claims, keys.generation)),
                Err(refusal) => refusal,
            };
            let refused = || Error::unauthorized(refusal.reason());
            let jwks = self.jwks.as_ref().ok_or_else(refused)?;
            if refusal != Refusal::UnknownKey || looks == LOOKS_MAX || !jwks.newer(&keys).await {
                return Err(refused());
            }
            looks += 1;
            keys = self.keys();
        }
    }

    /// Found by look-ups alone where nothing is to be written.
    async fn person(&self, claims: Claims, now: Timestamp) -> Result<Person> {
        let subject = Subject::of(claims);
        if let Some(person) = self.store.look_up(|view| subject.look_up(view))? {
            return Ok(person);
        }
        self.store.write(move |tx| subject.settle(tx, now)).await
    }

    fn keys(&self) -> Current {
        self.jwks
            .as_ref()
            .map_or_else(Current::default, |jwks| jwks.current())
    }
}
