//! The identity provider's keys. They are fetched in the background and kept while the provider is
//! down. A token with a known key never waits. A token with an unknown key waits for one fetch of
//! newer keys, shared with others and limited in rate.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::watch;

use crate::auth::jwt::KeySet;
use crate::clock::{Clock, Monotonic};
use crate::metrics::Calls;
use crate::outbound::{self, Method, Request};

const FETCH_MAX: Duration = Duration::from_secs(5);
/// Keys older than this are fetched again in the background.
const AGE_MS_MAX: u64 = 10 * 60_000;
/// Shortest time between two fetches for unknown keys, and after a failed fetch.
const AGAIN_MS_MIN: u64 = 30_000;
/// The same while no keys are known.
const FIRST_AGAIN_MS_MIN: u64 = 5_000;
/// How often the job checks the keys' age.
const LOOK_EVERY: Duration = Duration::from_secs(5);

pub struct Jwks {
    url: String,
    clock: Clock,
    current: RwLock<Current>,
    pace: Mutex<Pace>,
    /// Number of finished fetches.
    ended: watch::Sender<u64>,
    pub calls: Calls,
}

/// The current keys.
#[derive(Clone, Default)]
pub(super) struct Current {
    /// `None` before the first successful fetch.
    pub(super) keys: Option<Arc<KeySet>>,
    /// Changes whenever the keys change.
    pub(super) generation: u64,
    fetched_at: Monotonic,
}

#[derive(Default)]
struct Pace {
    under_way: bool,
    failing: bool,
    /// When the last fetch began.
    began_at: Option<Monotonic>,
    /// When the last fetch for an unknown key began.
    demanded_at: Option<Monotonic>,
}

impl Jwks {
    pub fn new(url: &str, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            url: url.to_owned(),
            clock,
            current: RwLock::default(),
            pace: Mutex::default(),
            ended: watch::Sender::new(0),
            calls: Calls::of("identity"),
        })
    }

    /// Keeps the keys fresh until it is dropped.
    pub async fn run(self: Arc<Self>) {
        loop {
            self.keep_fresh();
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    pub(super) fn current(&self) -> Current {
        self.current.read().clone()
    }

    /// Starts a fetch in the background when the keys are too old or missing.
    pub(super) fn keep_fresh(self: &Arc<Self>) {
        let (now, current) = (self.clock.monotonic(), self.current());
        let loaded = current.keys.is_some();
        if loaded && now.since(current.fetched_at) < AGE_MS_MAX {
            return;
        }
        let mut pace = self.pace.lock();
        if pace.under_way || !is_over(pace.began_at, again_ms(loaded), now) {
            return;
        }
        self.begin(&mut pace, now);
    }

    /// Waits for newer keys than `seen`, if a fetch is running or allowed now. False when there is
    /// nothing to wait for.
    pub(super) async fn newer(self: &Arc<Self>, seen: &Current) -> bool {
        let mut ended = {
            let (now, mut pace) = (self.clock.monotonic(), self.pace.lock());
            let current = self.current();
            if current.generation != seen.generation {
                return true;
            }
            let ended = self.ended.subscribe();
            if !pace.under_way {
                let pause_ms = again_ms(current.keys.is_some());
                if !is_over(pace.demanded_at, pause_ms, now) {
                    return false;
                }
                pace.demanded_at = Some(now);
                self.begin(&mut pace, now);
            }
            ended
        };
        ended.changed().await.is_ok()
    }

    /// Runs in its own task, because the request that wanted it may be cancelled.
    fn begin(self: &Arc<Self>, pace: &mut MutexGuard<'_, Pace>, now: Monotonic) {
        pace.under_way = true;
        pace.began_at = Some(now);
        let this = self.clone();
        tokio::spawn(async move {
            let url = this.url.clone();
            let fetched = tokio::task::spawn_blocking(move || fetch(&url)).await;
            this.end(fetched.unwrap_or_else(|e| Err(e.to_string())));
        });
    }

    fn end(&self, fetched: Result<KeySet, String>) {
        self.calls.ended(&fetched);
        let mut pace = self.pace.lock();
        let failed = fetched.as_ref().err().cloned();
        match (&failed, pace.failing) {
            (Some(why), false) => log::warn!("identity: its keys can't be fetched: {why}"),
            (Some(why), true) => log::debug!("identity: its keys still can't be fetched: {why}"),
            (None, true) => log::info!("identity: the provider's keys can be fetched again"),
            (None, false) => {}
        }
        pace.failing = failed.is_some();
        if let Ok(keys) = fetched {
            self.put(keys);
        }
        pace.under_way = false;
        self.ended.send_modify(|count| *count += 1);
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

const fn again_ms(loaded: bool) -> u64 {
    if loaded {
        AGAIN_MS_MIN
    } else {
        FIRST_AGAIN_MS_MIN
    }
}

fn is_over(last: Option<Monotonic>, pause_ms: u64, now: Monotonic) -> bool {
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
