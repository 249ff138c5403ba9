//! The identity provider's keys. They are fetched in the background and kept while the provider is
//! down. A token with a known key never waits. A token with an unknown key waits for one fetch of
//! newer keys, shared with others and limited in rate.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::watch;

use crate::auth::jwt::KeySet;
use crate::clock::{Clock, Monotonic};
use crate::metrics::CallMetrics;
use crate::outbound::{self, Method, Request};

const FETCH_MAX: Duration = Duration::from_secs(5);
/// Keys older than this are fetched again in the background.
const AGE_MS_MAX: u64 = 10 * 60_000;
/// Shortest time between two fetches for unknown keys, and after a failed fetch.
const RETRY_MS_MIN: u64 = 30_000;
/// Like `RETRY_MS_MIN`, while no keys are known.
const FIRST_RETRY_MS_MIN: u64 = 5_000;
/// How often the job checks the keys' age.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

pub struct Jwks {
    url: String,
    clock: Clock,
    current: RwLock<CurrentKeys>,
    fetch: Mutex<FetchState>,
    /// Number of finished fetches.
    finished: watch::Sender<u64>,
    pub calls: CallMetrics,
}

/// The current keys.
#[derive(Clone, Default)]
pub(super) struct CurrentKeys {
    /// `None` before the first successful fetch.
    pub(super) keys: Option<Arc<KeySet>>,
    /// Changes whenever the keys change.
    pub(super) generation: u64,
    fetched_at: Monotonic,
}

#[derive(Default)]
struct FetchState {
    is_running: bool,
    is_failing: bool,
    /// When the last fetch began.
    started_at: Option<Monotonic>,
    /// When the last fetch for an unknown key began.
    requested_at: Option<Monotonic>,
}

impl Jwks {
    pub fn new(url: &str, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            url: url.to_owned(),
            clock,
            current: RwLock::default(),
            fetch: Mutex::default(),
            finished: watch::Sender::new(0),
            calls: CallMetrics::of("identity"),
        })
    }

    /// Keeps the keys fresh until it is dropped.
    pub async fn run(self: Arc<Self>) {
        loop {
            let now = self.clock.now();
            self.refresh_if_old();
            self.clock.pause(now, POLL_INTERVAL).await;
        }
    }

    pub(super) fn current(&self) -> CurrentKeys {
        self.current.read().clone()
    }

    /// Starts a fetch in the background when the keys are too old or missing.
    pub(super) fn refresh_if_old(self: &Arc<Self>) {
        let (now, current) = (self.clock.monotonic(), self.current());
        let loaded = current.keys.is_some();
        if loaded && now.since(current.fetched_at) < AGE_MS_MAX {
            return;
        }
        let mut fetch = self.fetch.lock();
        if fetch.is_running || !has_elapsed(fetch.started_at, retry_pause_ms(loaded), now) {
            return;
        }
        self.begin(&mut fetch, now);
    }

    /// Waits for newer keys than `known`, if a fetch is running or allowed now. False when there is
    /// nothing to wait for.
    pub(super) async fn newer(self: &Arc<Self>, known: &CurrentKeys) -> bool {
        let mut finished = {
            let (now, mut fetch) = (self.clock.monotonic(), self.fetch.lock());
            let current = self.current();
            if current.generation != known.generation {
                return true;
            }
            let finished = self.finished.subscribe();
            if !fetch.is_running {
                let pause_ms = retry_pause_ms(current.keys.is_some());
                if !has_elapsed(fetch.requested_at, pause_ms, now) {
                    return false;
                }
                fetch.requested_at = Some(now);
                self.begin(&mut fetch, now);
            }
            finished
        };
        finished.changed().await.is_ok()
    }

    /// Starts a fetch in its own task, because the request that caused it may be cancelled.
    fn begin(self: &Arc<Self>, state: &mut MutexGuard<'_, FetchState>, now: Monotonic) {
        state.is_running = true;
        state.started_at = Some(now);
        let this = self.clone();
        tokio::spawn(async move {
            let url = this.url.clone();
            let fetched = tokio::task::spawn_blocking(move || fetch(&url)).await;
            this.end(fetched.unwrap_or_else(|e| Err(e.to_string())));
        });
    }

    fn end(&self, fetched: Result<KeySet, String>) {
        self.calls.record(&fetched);
        let mut fetch = self.fetch.lock();
        let failed = fetched.as_ref().err().cloned();
        match (&failed, fetch.is_failing) {
            (Some(why), false) => {
                log::warn!("identity: the provider's keys can't be fetched: {why}")
            }
            (Some(why), true) => {
                log::debug!("identity: the provider's keys still can't be fetched: {why}")
            }
            (None, true) => log::info!("identity: the provider's keys can be fetched again"),
            (None, false) => {}
        }
        fetch.is_failing = failed.is_some();
        if let Ok(keys) = fetched {
            self.put(keys);
        }
        fetch.is_running = false;
        self.finished.send_modify(|count| *count += 1);
    }

    fn put(&self, keys: KeySet) {
        let mut current = self.current.write();
        current.fetched_at = self.clock.monotonic();
        let same = current.keys.as_ref().is_some_and(|old| old.is_same(&keys));
        if same {
            return;
        }
        log::info!("identity: the provider has {} usable keys", keys.len());
        current.generation += 1;
        current.keys = Some(Arc::new(keys));
    }
}

const fn retry_pause_ms(loaded: bool) -> u64 {
    if loaded {
        RETRY_MS_MIN
    } else {
        FIRST_RETRY_MS_MIN
    }
}

fn has_elapsed(last: Option<Monotonic>, pause_ms: u64, now: Monotonic) -> bool {
    last.is_none_or(|at| now.since(at) >= pause_ms)
}

/// Blocks. The error never contains text of the provider.
fn fetch(url: &str) -> Result<KeySet, String> {
    let answer = outbound::send(&Request {
        headers: &[("accept", "application/json")],
        timeout: FETCH_MAX,
        ..Request::new(Method::Get, url)
    })
    .map_err(|e| e.to_string())?;
    if answer.status != 200 {
        return Err(format!("it answered {}", answer.status));
    }
    KeySet::parse(&answer.body).map_err(|why| format!("its answer {why}"))
}
