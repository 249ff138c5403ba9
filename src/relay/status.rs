//! The state of a relay for its operator: whether the service and the network are reached.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// The state of a relay's two connections and its journal, each with its current problem.
#[derive(Debug)]
pub struct RelayStatus {
    /// The relay's network, for the log.
    name: &'static str,
    network: Mutex<Option<String>>,
    service: Mutex<Option<String>>,
    journal: Mutex<Option<String>>,
    restarts: AtomicU64,
}

impl Default for RelayStatus {
    fn default() -> Self {
        Self::of("")
    }
}

impl RelayStatus {
    /// The state of a relay that is about to start.
    pub fn of(name: &'static str) -> Self {
        let starting = || Mutex::new(Some("starting".to_owned()));
        Self {
            name,
            network: starting(),
            service: starting(),
            journal: Mutex::default(),
            restarts: AtomicU64::new(0),
        }
    }

    /// `None`: the network answers.
    pub fn set_network(&self, problem: Option<&str>) {
        self.set(&self.network, "network", problem);
    }

    /// `None`: the service answers.
    pub fn set_service(&self, problem: Option<&str>) {
        self.set(&self.service, "service", problem);
    }

    /// The service said that it stops or restarts.
    pub fn note_service_restart(&self) {
        log::info!("relay {}: the service stops or restarts", self.name);
        *self.service.lock() = Some("it stops or restarts".to_owned());
    }

    /// `None`: what is sent is noted.
    pub fn set_journal(&self, problem: Option<&str>) {
        self.set(&self.journal, "journal", problem);
    }

    pub fn network_answers(&self) -> bool {
        self.network.lock().is_none()
    }

    /// The relay ended and was restarted.
    pub fn restarted(&self, why: &str) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
        self.set_network(Some(why));
    }

    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    /// The current problem, without secrets; `None` when everything works.
    pub fn problem(&self) -> Option<String> {
        let of = |end: &Mutex<Option<String>>| end.lock().clone();
        let network = of(&self.network);
        network
            .or_else(|| of(&self.service))
            .or_else(|| of(&self.journal))
    }

    /// Logs each new problem once.
    fn set(&self, end: &Mutex<Option<String>>, what: &str, problem: Option<&str>) {
        let mut known = end.lock();
        if known.as_deref() == problem {
            return;
        }
        let name = self.name;
        match problem {
            Some(problem) => log::warn!("relay {name}: the {what} does not work: {problem}"),
            None => log::info!("relay {name}: the {what} works"),
        }
        *known = problem.map(str::to_owned);
    }
}
