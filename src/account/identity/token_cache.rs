//! Cache of verified tokens, until they expire: it saves the signature check and the user's
//! look-up. Only digests of tokens are stored.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::SignedInUser;
use crate::auth::jwt::TokenDigest;
use crate::clock::Timestamp;
use crate::metrics::CacheMetrics;
use crate::store::UserId;

/// Room is made when the cache has this many tokens.
const TOKENS_MAX: usize = 20_000;

pub(super) struct TokenCache {
    tokens: Mutex<Tokens>,
    pub(super) metrics: CacheMetrics,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self {
            tokens: Mutex::default(),
            metrics: CacheMetrics::of("tokens"),
        }
    }
}

#[derive(Default)]
struct Tokens {
    by_digest: HashMap<TokenDigest, CachedToken>,
    /// Counts how often users were removed from the cache.
    forget_count: u64,
}

struct CachedToken {
    user: SignedInUser,
    ends_at: Timestamp,
    /// Generation of the keys it was verified with.
    generation: u64,
}

impl TokenCache {
    /// The user of a cached token, if it hasn't expired and the keys are the same.
    pub(super) fn get(
        &self,
        token: &TokenDigest,
        generation: u64,
        now: Timestamp,
    ) -> Option<SignedInUser> {
        let tokens = self.tokens.lock();
        let cached = tokens.by_digest.get(token);
        let cached = cached.filter(|token| token.generation == generation && now < token.ends_at);
        self.metrics.found(cached.is_some());
        cached.map(|token| token.user.clone())
    }

    /// Call this before verifying a token and looking up its user, and pass the result to `put`.
    pub(super) fn forget_count(&self) -> u64 {
        self.tokens.lock().forget_count
    }

    /// Caches a token, unless a user was removed since `forget_count`: it may be the same user.
    pub(super) fn put(
        &self,
        token: TokenDigest,
        user: SignedInUser,
        ends_at: Timestamp,
        (generation, forget_count): (u64, u64),
        now: Timestamp,
    ) {
        let mut tokens = self.tokens.lock();
        if tokens.forget_count != forget_count {
            return;
        }
        tokens.make_room(now);
        let cached = CachedToken {
            user,
            ends_at,
            generation,
        };
        tokens.by_digest.insert(token, cached);
    }

    pub(super) fn forget(&self, user: UserId) {
        let mut tokens = self.tokens.lock();
        tokens.forget_count += 1;
        tokens.by_digest.retain(|_, token| token.user.id != user);
    }

    pub(super) fn forget_all(&self) {
        let mut tokens = self.tokens.lock();
        tokens.forget_count += 1;
        tokens.by_digest.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.lock().by_digest.len()
    }
}

impl Tokens {
    /// Removes expired tokens, or all if few have expired: tokens in use are cached again.
    fn make_room(&mut self, now: Timestamp) {
        if self.by_digest.len() < TOKENS_MAX {
            return;
        }
        self.by_digest.retain(|_, token| now < token.ends_at);
        if self.by_digest.len() > TOKENS_MAX / 2 {
            self.by_digest.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: i64) -> SignedInUser {
        SignedInUser {
            id: UserId(id),
            user_id: "a".into(),
        }
    }

    fn token(n: usize) -> TokenDigest {
        let mut digest = [0; 32];
        digest[..8].copy_from_slice(&n.to_le_bytes());
        digest
    }

    const NOW: Timestamp = Timestamp(1_000);

    #[test]
    fn a_token_is_cached_until_it_expires_or_the_keys_change() {
        let cache = TokenCache::default();
        cache.put(token(1), user(1), Timestamp(2_000), (7, 0), NOW);
        // (token, generation of the keys, now, whether it is cached)
        for (n, generation, now, is_cached) in [
            (1, 7, 1_000, true),
            (1, 7, 1_999, true),
            (1, 7, 2_000, false),
            (1, 8, 1_000, false),
            (2, 7, 1_000, false),
        ] {
            let user = cache.get(&token(n), generation, Timestamp(now));
            assert_eq!(user.is_some(), is_cached, "{n} {generation} {now}");
        }
    }

    #[test]
    fn a_user_forgotten_during_verification_is_not_cached() {
        let cache = TokenCache::default();
        let forget_count = cache.forget_count();
        for n in [1, 2] {
            let until = Timestamp(2_000);
            cache.put(token(n), user(n as i64), until, (0, forget_count), NOW);
        }
        cache.forget(UserId(1));
        assert!(cache.get(&token(1), 0, NOW).is_none());
        assert!(cache.get(&token(2), 0, NOW).is_some());
        cache.put(token(3), user(1), Timestamp(2_000), (0, forget_count), NOW);
        assert!(cache.get(&token(3), 0, NOW).is_none());
    }

    #[test]
    fn tokens_are_bounded() {
        let cache = TokenCache::default();
        for n in 0..TOKENS_MAX + 500 {
            let until = if n % 3 == 0 { 5_000 } else { 2_000 };
            let now = Timestamp(if n < TOKENS_MAX { 1_000 } else { 3_000 });
            cache.put(token(n), user(1), Timestamp(until), (0, 0), now);
            assert!(cache.tokens.lock().by_digest.len() <= TOKENS_MAX);
        }
        // Only the expired tokens were removed.
        let now = Timestamp(3_000);
        assert!(cache.get(&token(0), 0, now).is_some());
        assert!(cache.get(&token(1), 0, now).is_none());
    }
}
