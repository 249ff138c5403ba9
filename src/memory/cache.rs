//! Cache of the external service's lists and search results. It is bounded, and a list fetched
//! before a change isn't cached.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::mem0::List;
use crate::clock::Monotonic;
use crate::metrics::CacheMetrics;

const LISTS_MAX: usize = 1_000;
const LISTS_BYTES_MAX: usize = 16 << 20;

pub(super) struct MemoryCache {
    state: Mutex<CachedLists>,
    pub(super) metrics: CacheMetrics,
}

impl Default for MemoryCache {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            metrics: CacheMetrics::of("memories"),
        }
    }
}

/// Identifies a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ListKey {
    pub(super) user_id: String,
    /// The search text; `None` for all memories.
    query: Option<String>,
}

impl ListKey {
    pub(super) fn list(user_id: &str) -> Self {
        Self {
            user_id: user_id.to_owned(),
            query: None,
        }
    }

    pub(super) fn search(user_id: &str, query: &str) -> Self {
        Self {
            user_id: user_id.to_owned(),
            query: Some(query.to_owned()),
        }
    }

    fn bytes(&self) -> usize {
        self.user_id.len() + self.query.as_ref().map_or(0, String::len)
    }
}

#[derive(Default)]
struct CachedLists {
    lists: HashMap<ListKey, CachedList>,
    bytes: usize,
    /// Counts invalidations.
    changes: u64,
    paused_until: Monotonic,
}

struct CachedList {
    list: Arc<List>,
    at: Monotonic,
    bytes: usize,
}

/// The time of a look-up that found nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookupTime(u64);

pub(super) enum CacheLookup {
    Known(Arc<List>),
    Unknown(LookupTime),
    /// A call failed recently.
    Paused,
}

impl MemoryCache {
    pub(super) fn get(&self, key: &ListKey, ttl_ms: u64, now: Monotonic) -> CacheLookup {
        let mut state = self.state.lock();
        match state.lists.get(key) {
            Some(cached) if now.since(cached.at) < ttl_ms => {
                self.metrics.found(true);
                return CacheLookup::Known(cached.list.clone());
            }
            Some(_) => state.drop_list(key),
            None => {}
        }
        self.metrics.found(false);
        if now < state.paused_until {
            return CacheLookup::Paused;
        }
        CacheLookup::Unknown(LookupTime(state.changes))
    }

    pub(super) fn put(
        &self,
        key: ListKey,
        looked_up_at: LookupTime,
        list: Arc<List>,
        now: Monotonic,
    ) {
        let bytes = bytes(&list) + key.bytes();
        let mut state = self.state.lock();
        if state.changes != looked_up_at.0 || bytes > LISTS_BYTES_MAX {
            return;
        }
        state.drop_list(&key);
        while state.lists.len() >= LISTS_MAX || state.bytes + bytes > LISTS_BYTES_MAX {
            let oldest = state.lists.iter().min_by_key(|(_, cached)| cached.at);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            state.drop_list(&oldest);
        }
        state.bytes += bytes;
        let cached = CachedList {
            list,
            at: now,
            bytes,
        };
        state.lists.insert(key, cached);
    }

    /// Invalidates cached and running lists of a person, because something changed.
    pub(super) fn forget(&self, user_id: &str) {
        let mut state = self.state.lock();
        state.changes += 1;
        let keys = state.lists.keys().filter(|key| key.user_id == user_id);
        for key in keys.cloned().collect::<Vec<_>>() {
            state.drop_list(&key);
        }
    }

    pub(super) fn pause_until(&self, until: Monotonic) {
        self.state.lock().paused_until = until;
    }

    pub(super) fn len(&self) -> usize {
        self.state.lock().lists.len()
    }
}

impl CachedLists {
    fn drop_list(&mut self, key: &ListKey) {
        if let Some(cached) = self.lists.remove(key) {
            self.bytes -= cached.bytes;
        }
    }
}

fn bytes(list: &List) -> usize {
    let sizes = list.memories.iter().map(|memory| {
        size_of_val(memory)
            + memory.id.len()
            + memory.text.len()
            + memory.category.len()
            + memory.kept_for.as_ref().map_or(0, String::len)
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    const TTL_MS: u64 = 60_000;

    fn list(text_bytes: usize) -> Arc<List> {
        let memory = Memory {
            id: "m".to_owned(),
            text: "x".repeat(text_bytes),
            category: String::new(),
            created_at: None,
            kept_for: None,
        };
        Arc::new(List {
            memories: vec![memory],
            is_cut: false,
        })
    }

    fn missing_since(cache: &MemoryCache, user_id: &str, now: Monotonic) -> Option<LookupTime> {
        match cache.get(&ListKey::list(user_id), TTL_MS, now) {
            CacheLookup::Unknown(changes) => Some(changes),
            _ => None,
        }
    }

    fn is_cached(cache: &MemoryCache, user_id: &str, now: Monotonic) -> bool {
        matches!(
            cache.get(&ListKey::list(user_id), TTL_MS, now),
            CacheLookup::Known(_)
        )
    }

    #[test]
    fn a_list_is_cached_until_it_expires_or_a_memory_changes() {
        let (cache, now) = (MemoryCache::default(), Monotonic(5));
        let first = missing_since(&cache, "a", now).unwrap();
        cache.put(ListKey::list("a"), first, list(3), now);
        assert!(is_cached(&cache, "a", now.plus_ms(TTL_MS - 1)));
        assert!(!is_cached(&cache, "b", now), "each has their own");
        assert!(!is_cached(&cache, "a", now.plus_ms(TTL_MS)));
        let before = missing_since(&cache, "a", now).unwrap();
        cache.forget("a");
        cache.put(ListKey::list("a"), before, list(3), now);
        assert!(!is_cached(&cache, "a", now), "fetched before the change");
        cache.pause_until(now.plus_ms(10));
        assert!(matches!(
            cache.get(&ListKey::list("a"), TTL_MS, now),
            CacheLookup::Paused
        ));
        assert!(missing_since(&cache, "a", now.plus_ms(10)).is_some());
    }

    #[test]
    fn searches_are_cached_separately_and_invalidated_together() {
        let (cache, now) = (MemoryCache::default(), Monotonic(5));
        let keys = [
            ListKey::list("a"),
            ListKey::search("a", "cats"),
            ListKey::search("a", "dogs"),
            ListKey::search("b", "cats"),
        ];
        let changes = missing_since(&cache, "a", now).unwrap();
        for key in &keys[1..] {
            cache.put(key.clone(), changes, list(3), now);
        }
        let known = |key: &ListKey| matches!(cache.get(key, TTL_MS, now), CacheLookup::Known(_));
        assert_eq!(keys.each_ref().map(known), [false, true, true, true]);
        cache.forget("a");
        assert_eq!(keys.each_ref().map(known), [false, false, false, true]);
        cache.forget("b");
        assert_eq!(cache.state.lock().bytes, 0);
    }

    #[test]
    fn lists_are_bounded_in_number_and_bytes() {
        let cache = MemoryCache::default();
        for at in 0..LISTS_MAX as u64 + 10 {
            let (user_id, now) = (at.to_string(), Monotonic(at));
            let at = missing_since(&cache, &user_id, now).unwrap();
            cache.put(ListKey::list(&user_id), at, list(1), now);
        }
        let now = Monotonic(LISTS_MAX as u64 + 10);
        assert_eq!(cache.state.lock().lists.len(), LISTS_MAX);
        assert!(!is_cached(&cache, "9", now) && is_cached(&cache, "10", now));
        let large = missing_since(&cache, "large", now).unwrap();
        cache.put(
            ListKey::list("large"),
            large,
            list(LISTS_BYTES_MAX - 500),
            now,
        );
        assert!(cache.state.lock().bytes <= LISTS_BYTES_MAX);
        assert!(is_cached(&cache, "large", now));
        let larger = missing_since(&cache, "larger", now).unwrap();
        cache.put(ListKey::list("larger"), larger, list(LISTS_BYTES_MAX), now);
        assert!(!is_cached(&cache, "larger", now) && is_cached(&cache, "large", now));
    }
}
