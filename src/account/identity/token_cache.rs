//! Tokens that were verified, until they expire: their signature is checked and their user
//! looked up once. Nothing of a token is kept but its digest.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::SignedInUser;
use crate::auth::jwt::TokenDigest;
use crate::clock::Timestamp;
use crate::metrics::CacheMetrics;
use crate::store::UserId;

/// With so many room is made for the next.
const TOKENS_MAX: usize = 20_000;

pub(super) struct TokenCache {
    tokens: Mutex<Tokens>,
    pub(super) looks: CacheMetrics,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self {
            tokens: Mutex::default(),
            looks: CacheMetrics::into("tokens"),
        }
    }
}

#[derive(Default)]
struct Tokens {
    by_digest: HashMap<TokenDigest, Token>,
    /// How often somebody was forgotten.
    forgotten: u64,
}

struct Token {
    user: SignedInUser,
    ends_at: Timestamp,
    /// Of the keys it was verified with.
    generation: u64,
}

impl TokenCache {
    /// Who signed in with it, if that holds now and with these keys.
    pub(super) fn get(&self, token: &TokenDigest, generation: u64, now: Timestamp) -> Option<SignedInUser> {
        let tokens = self.tokens.lock();
        let known = tokens.by_digest.get(token);
        let known = known.filter(|token| token.generation == generation && now < token.ends_at);
        self.looks.found(known.is_some());
        known.map(|token| token.user.clone())
    }

    /// To be asked before a token is verified and somebody is looked up, and given to `put` afterwards.
    pub(super) fn mark(&self) -> u64 {
        self.tokens.lock().forgotten
    }

    /// Remembers it, unless somebody was forgotten since `mark`: it may have been them.
    pub(super) fn put(
        &self,
        token: TokenDigest,
        user: SignedInUser,
        ends_at: Timestamp,
        (generation, mark): (u64, u64),
        now: Timestamp,
    ) {
        let mut tokens = self.tokens.lock();
        if tokens.forgotten != mark {
            return;
        }
        tokens.make_room(now);
        let token_of = Token {
            user,
            ends_at,
            generation,
        };
        tokens.by_digest.insert(token, token_of);
    }

    pub(super) fn forget(&self, user: UserId) {
        let mut tokens = self.tokens.lock();
        tokens.forgotten += 1;
        tokens.by_digest.retain(|_, token| token.user.id != user);
    }

    pub(super) fn forget_all(&self) {
        let mut tokens = self.tokens.lock();
        tokens.forgotten += 1;
        tokens.by_digest.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.lock().by_digest.len()
    }
}

impl Tokens {
    /// What has expired goes first; where that is little, all of it: those still in use come
    /// back by themselves.
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
    fn a_token_is_remembered_until_it_ends_with_the_same_keys() {
        let remembered = TokenCache::default();
        remembered.put(token(1), user(1), Timestamp(2_000), (7, 0), NOW);
        // (token, generation of the keys, now, whether it is known)
        for (n, generation, now, known) in [
            (1, 7, 1_000, true),
            (1, 7, 1_999, true),
            (1, 7, 2_000, false),
            (1, 8, 1_000, false),
            (2, 7, 1_000, false),
        ] {
            let got = remembered.get(&token(n), generation, Timestamp(now));
            assert_eq!(got.is_some(), known, "{n} {generation} {now}");
        }
    }

    #[test]
    fn who_is_forgotten_meanwhile_is_not_remembered() {
        let remembered = TokenCache::default();
        let mark = remembered.mark();
        for n in [1, 2] {
            let until = Timestamp(2_000);
            remembered.put(token(n), user(n as i64), until, (0, mark), NOW);
        }
        remembered.forget(UserId(1));
        assert!(remembered.get(&token(1), 0, NOW).is_none());
        assert!(remembered.get(&token(2), 0, NOW).is_some());
        remembered.put(token(3), user(1), Timestamp(2_000), (0, mark), NOW);
        assert!(remembered.get(&token(3), 0, NOW).is_none());
    }

    #[test]
    fn tokens_are_bounded() {
        let remembered = TokenCache::default();
        for n in 0..TOKENS_MAX + 500 {
            let until = if n % 3 == 0 { 5_000 } else { 2_000 };
            let now = Timestamp(if n < TOKENS_MAX { 1_000 } else { 3_000 });
            remembered.put(token(n), user(1), Timestamp(until), (0, 0), now);
            assert!(remembered.tokens.lock().by_digest.len() <= TOKENS_MAX);
        }
        // The expired ones went, the others did not.
        let now = Timestamp(3_000);
        assert!(remembered.get(&token(0), 0, now).is_some());
        assert!(remembered.get(&token(1), 0, now).is_none());
    }
}
