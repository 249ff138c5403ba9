//! Memories of people, in the database and, if configured, in an external memory service (mem0).
//! Changes for the service are rows first, and a job sends them (`outbox`). Its memories are
//! fetched before a transaction, never inside one, and cached. This module must not know who asks
//! or what memories are used for.

mod cache;
pub mod mem0;
pub mod merge;
pub mod outbox;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::flags::Flags;
use crate::metrics::{CacheMetrics, CallMetrics};
use crate::random;
use crate::store::{MemoryTaskKind, SharedStore, Tx, UserId};
use cache::MemoryCache;
use mem0::{Mem0, MemoryServiceError};
use merge::{FoundMemories, merged};

/// How long a person's answer may wait for the service.
const PERSON_WAIT_MAX: Duration = Duration::from_secs(3);
/// How long a call may take when no answer waits for it.
const CALL_MAX: Duration = Duration::from_secs(10);
/// Concurrent calls for people's answers; beyond that only local memories are used.
const CONCURRENT_CALLS_MAX: usize = 16;
/// After a failure no answer waits for the service for this long.
const PAUSE_AFTER_FAILURE_MS: u64 = 5_000;
/// Limit of memories per person in the database.
pub const MEMORIES_MAX: usize = 10_000;
/// Local memories considered for one question.
pub const READ_MAX: usize = 2_000;

/// A memory, stored here or in the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Our id (a UUID) or the service's.
    pub id: String,
    pub text: String,
    pub category: String,
    pub created_at: Option<Timestamp>,
    /// Our id of a memory that the service stores for us.
    pub kept_for: Option<String>,
}

/// The external service's memories, as far as known.
#[derive(Debug, Clone, Default)]
pub enum ServiceMemories {
    /// There is no service, or it wasn't asked.
    #[default]
    Nothing,
    Listed(Arc<mem0::List>),
    /// The service could not be reached.
    Unreachable,
}

/// A search for memories.
pub struct MemoryQuery<'a> {
    pub text: &'a str,
    /// Maximum number of memories.
    pub limit: usize,
    /// How well a memory matches a text; 0 for no match.
    pub rank: fn(&str, &str) -> usize,
    /// How long the service may take, at most 3 s.
    pub wait: Duration,
}

pub struct Memories {
    store: SharedStore,
    flags: Arc<Flags>,
    clock: Clock,
    service: Option<Arc<Mem0>>,
    cache: MemoryCache,
    calls: Arc<Semaphore>,
    wake: Arc<Notify>,
}

impl Memories {
    /// Without a `service` all memories are in the database.
    pub fn new(store: SharedStore, flags: Arc<Flags>, clock: Clock, service: Option<Mem0>) -> Self {
        Self {
            store,
            flags,
            clock,
            service: service.map(Arc::new),
            cache: MemoryCache::default(),
            calls: Arc::new(Semaphore::new(CONCURRENT_CALLS_MAX)),
            wake: Arc::default(),
        }
    }

    /// Metrics and size of the cache of the service's lists.
    pub fn cache_metrics(&self) -> (&CacheMetrics, usize) {
        (&self.cache.metrics, self.cache.len())
    }

    /// Metrics of calls to the service, if there is one.
    pub fn service_calls(&self) -> Option<&CallMetrics> {
        self.service.as_ref().map(|service| &service.calls)
    }

    /// Replaces the service's key; takes effect immediately.
    pub fn set_service_key(&self, key: Option<&str>) {
        if let Some(service) = &self.service {
            service.set_key(key);
        }
    }

    pub fn has_service(&self) -> bool {
        self.service.is_some()
    }

    /// The service's memories of a person, cached or fetched within 3 s. Call this before a
    /// transaction; `merged` then joins them with the local ones.
    pub async fn service_memories(&self, user_id: &str) -> ServiceMemories {
        let Some(service) = self.service.clone() else {
            return ServiceMemories::Nothing;
        };
        let (key, id) = (cache::ListKey::list(user_id), user_id.to_owned());
        let list = move || service.list(&id, PERSON_WAIT_MAX);
        self.list_or_fetch(key, PERSON_WAIT_MAX, list).await
    }

    /// Memories relevant to a text, for a prompt: first the service's search results, then matching
    /// local ones, then the newest. Search results are cached. If the search doesn't finish in
    /// time, a cached list is used.
    pub async fn relevant(
        &self,
        user: UserId,
        user_id: &str,
        query: &MemoryQuery<'_>,
    ) -> Result<FoundMemories> {
        let (service_memories, found) = match self.search(user_id, query).await {
            Ok(Some(list)) => (ServiceMemories::Nothing, Some(list)),
            Ok(None) => (ServiceMemories::Nothing, None),
            Err(service_memories) => (service_memories, None),
        };
        let (text, rank, limit) = (query.text.to_owned(), query.rank, query.limit);
        self.store
            .read(move |view| {
                let tasks = view.memory_tasks(user)?;
                let mut all = merged(view.memories(user, READ_MAX)?, &service_memories, &tasks);
                // A stable sort: among equals the newest stay first.
                all.memories
                    .sort_by_cached_key(|memory| Reverse(rank(&memory.text, &text)));
                if let Some(list) = found {
                    all.memories = merge::found_first(&list, all.memories, &tasks);
                }
                all.memories.truncate(limit);
                Ok(all)
            })
            .await
    }

    /// `None` without a service. The error is what is known without the search.
    async fn search(
        &self,
        user_id: &str,
        query: &MemoryQuery<'_>,
    ) -> Result<Option<Arc<mem0::List>>, ServiceMemories> {
        let Some(service) = self.service.clone() else {
            return Ok(None);
        };
        let (text, id) = (query.text.to_owned(), user_id.to_owned());
        let wait = query.wait.min(PERSON_WAIT_MAX);
        let key = cache::ListKey::search(user_id, query.text);
        let search = move || service.search(&id, &text, wait);
        match self.list_or_fetch(key, wait, search).await {
            ServiceMemories::Listed(list) => Ok(Some(list)),
            _ => Err(self.cached_list(user_id)),
        }
    }

    fn cached_list(&self, user_id: &str) -> ServiceMemories {
        let ttl_ms = self.cache_ttl_ms(user_id);
        let now = self.clock.monotonic();
        match self.cache.get(&cache::ListKey::list(user_id), ttl_ms, now) {
            cache::CacheLookup::Known(list) => ServiceMemories::Listed(list),
            _ => ServiceMemories::Unreachable,
        }
    }

    /// The list from the cache, else from `fetch`, unless a call failed recently.
    async fn list_or_fetch(
        &self,
        key: cache::ListKey,
        wait: Duration,
        fetch: impl FnOnce() -> Result<mem0::List, MemoryServiceError> + Send + 'static,
    ) -> ServiceMemories {
        let ttl_ms = self.cache_ttl_ms(&key.user_id);
        let missing_since = match self.cache.get(&key, ttl_ms, self.clock.monotonic()) {
            cache::CacheLookup::Known(list) => return ServiceMemories::Listed(list),
            cache::CacheLookup::Paused => return ServiceMemories::Unreachable,
            cache::CacheLookup::Unknown(missing_since) => missing_since,
        };
        match self.call_with_timeout(wait, fetch).await {
            Ok(list) => {
                let list = Arc::new(list);
                let now = self.clock.monotonic();
                self.cache.put(key, missing_since, list.clone(), now);
                ServiceMemories::Listed(list)
            }
            Err(error) => {
                self.record_failure(&error);
                ServiceMemories::Unreachable
            }
        }
    }

    /// The service's current list, for a job; empty without a service.
    pub async fn fetch_list(&self, user_id: &str) -> Result<ServiceMemories, MemoryServiceError> {
        let Some(service) = self.service.clone() else {
            return Ok(ServiceMemories::Nothing);
        };
        let user_id = user_id.to_owned();
        let list = blocking(move || service.list(&user_id, CALL_MAX)).await?;
        Ok(ServiceMemories::Listed(Arc::new(list)))
    }

    /// Makes the service delete all memories of a person. May be repeated. The caller removes the
    /// rows here, with `Tx::delete_memories` and `Tx::delete_memory_tasks`, first, so that nothing
    /// is added later.
    pub async fn delete_all(&self, user_id: &str) -> Result<(), MemoryServiceError> {
        if let Some(service) = self.service.clone() {
            let id = user_id.to_owned();
            blocking(move || service.delete_all(&id, CALL_MAX)).await?;
        }
        self.cache.forget(user_id);
        Ok(())
    }

    /// Stores a memory, first in the database.
    pub fn remember(
        &self,
        tx: &mut Tx,
        user: UserId,
        text: &str,
        category: &str,
        now: Timestamp,
    ) -> Result<()> {
        let id = random::ordered_uuid(now).to_string();
        self.remember_as(tx, user, &id, text, category, now)
    }

    /// Like `remember`, with the id (a UUID) from the caller.
    pub fn remember_as(
        &self,
        tx: &mut Tx,
        user: UserId,
        id: &str,
        text: &str,
        category: &str,
        now: Timestamp,
    ) -> Result<()> {
        tx.insert_memory(user, id, text, category, now)?;
        if self.has_service() {
            tx.insert_memory_task(user, MemoryTaskKind::Add, Some(id), now)?;
            self.wake_after(tx);
        }
        Ok(())
    }

    /// Deletes a memory found by `merged`: here immediately, in the service soon.
    pub fn forget(&self, tx: &mut Tx, user: UserId, memory: &Memory, now: Timestamp) -> Result<()> {
        let local_id = memory.kept_for.as_deref().unwrap_or(&memory.id);
        let mut delete_at_service = self.has_service();
        if let Some(local) = tx.memory(local_id)? {
            tx.delete_memory(user, local.id)?;
            // A memory that was never sent needn't be deleted at the service.
            delete_at_service &= tx
                .take_back_memory_add(user, local_id)?
                .is_some_and(|calls| calls > 0)
                || memory.kept_for.is_some();
        }
        if delete_at_service {
            tx.insert_memory_task(user, MemoryTaskKind::Delete, Some(&memory.id), now)?;
            self.wake_after(tx);
        }
        Ok(())
    }

    pub fn forget_all(&self, tx: &mut Tx, user: UserId, now: Timestamp) -> Result<()> {
        tx.delete_memories(user)?;
        if self.has_service() {
            tx.delete_memory_tasks(user)?;
            tx.insert_memory_task(user, MemoryTaskKind::DeleteAll, None, now)?;
            self.wake_after(tx);
        }
        Ok(())
    }

    /// Notified when a change for the external service is committed.
    pub fn task_queued(&self) -> Arc<Notify> {
        self.wake.clone()
    }

    fn wake_after(&self, tx: &mut Tx) {
        let wake = self.wake.clone();
        tx.after_commit(move || wake.notify_one());
    }

    fn cache_ttl_ms(&self, user_id: &str) -> u64 {
        let flags = self.flags.for_user(user_id);
        flags.memory_ttl_seconds().max(0) as u64 * 1_000
    }

    /// A call keeps its permit until it really ends, even if nobody waits for it.
    async fn call_with_timeout<T: Send + 'static>(
        &self,
        wait: Duration,
        call: impl FnOnce() -> Result<T, MemoryServiceError> + Send + 'static,
    ) -> Result<T, MemoryServiceError> {
        let permit = self.calls.clone().try_acquire_owned();
        let permit = permit.map_err(|_| MemoryServiceError::Busy)?;
        let calling = blocking(move || {
            let _permit = permit;
            call()
        });
        let result = tokio::time::timeout(wait, calling).await;
        result.unwrap_or_else(|_| Err(MemoryServiceError::Unreachable("it took too long".into())))
    }

    fn record_failure(&self, error: &MemoryServiceError) {
        log::warn!("the memory service: {error}");
        let until = self.clock.monotonic().plus_ms(PAUSE_AFTER_FAILURE_MS);
        self.cache.pause_until(until);
    }
}

async fn blocking<T: Send + 'static>(
    call: impl FnOnce() -> Result<T, MemoryServiceError> + Send + 'static,
) -> Result<T, MemoryServiceError> {
    let result = tokio::task::spawn_blocking(call).await;
    result.unwrap_or_else(|e| Err(MemoryServiceError::Unreachable(e.to_string())))
}
