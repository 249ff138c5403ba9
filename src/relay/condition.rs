//! The state of a relay for its operator.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The state of a relay's two connections, each with its current problem.
#[derive(Debug)]
pub struct Condition {
    network: Mutex<Option<String>>,
    service: Mutex<Option<String>>,
    restarts: AtomicU64,
}

impl Default for Condition {
    fn default() -> Self {
        let starting = || Mutex::new(Some("starting".to_owned()));
        Self {
            network: starting(),
            service: starting(),
            restarts: AtomicU64::new(0),
        }
    }
}

impl Condition {
    /// `None`: the network answers.
    pub fn set_network(&self, trouble: Option<&str>) {
        set(&self.network, "the network", trouble);
    }

    /// `None`: the service answers.
    pub fn set_service(&self, trouble: Option<&str>) {
        set(&self.service, "the service", trouble);
    }

    /// The relay ended and was restarted.
    pub fn restarted(&self, why: &str) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.set_network(Some(why));
    }

    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// The current problem, without secrets; `None` when both connections work.
    pub fn trouble(&self) -> Option<String> {
        let of = |end: &Mutex<Option<String>>| end.lock().clone();
        of(&self.network).or_else(|| of(&self.service))
    }
}

/// Logs each new problem once.
fn set(end: &Mutex<Option<String>>, name: &str, trouble: Option<&str>) {
    let mut known = end.lock();
    if known.as_deref() == trouble {
        return;
    }
    match trouble {
        Some(trouble) => log::warn!("relay, {name}: {trouble}"),
        None => log::info!("relay: {name} answers"),
    }
    *known = trouble.map(str::to_owned);
}
