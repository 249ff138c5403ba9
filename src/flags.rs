//! Feature flags: one table of all flags, and typed reads of a snapshot in memory. An operator's
//! override takes precedence over the provider's value, which takes precedence over the default. A
//! read never waits for the network: a job polls the provider (`poller`) and publishes a new
//! snapshot.

mod breaker;
mod launchdarkly;
mod ofrep;
pub mod poller;
pub mod provider;
mod provider_values;
mod reader;
pub mod registry;
mod snapshot;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard, RwLock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::clock::{Clock, Timestamp};
use crate::metrics::CallMetrics;
use provider_values::ProviderValues;
pub use reader::FlagReader;
use registry::Flag;
pub use registry::Scalar;
pub use snapshot::Origin;
use snapshot::Snapshot;

/// Longest name of who set an override.
pub const SET_BY_CHARS_MAX: usize = 64;

/// An operator's override of a flag.
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    pub value: Value,
    pub set_at: Timestamp,
    /// "admin API", or the user who ran the command.
    pub set_by: String,
    /// The override ends at this time.
    pub expires_at: Option<Timestamp>,
}

/// A flag as operators see it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Flag")]
pub struct FlagView {
    #[schemars(example = &"llm.force_basic_mode")]
    pub key: Cow<'static, str>,
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["boolean", "integer", "number"]))]
    pub kind: Cow<'static, str>,
    #[schemars(extend("type" = ["boolean", "number"]))]
    pub value: Value,
    pub source: Origin,
    #[schemars(extend("type" = ["boolean", "number"]))]
    pub default: Value,
    /// Whether this version uses the flag.
    pub in_use: bool,
    pub description: Cow<'static, str>,
    pub set_at: Option<Timestamp>,
    pub set_by: Option<String>,
    pub expires_at: Option<Timestamp>,
}

/// All flags.
// As the admin API and `chatkeep flags list --json` show them.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct FlagList {
    pub flags: Vec<FlagView>,
}

/// The state of the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlagProviderStatus {
    /// Whether a provider is configured.
    pub configured: bool,
    /// Whether it has answered since the start.
    pub has_answered: bool,
    /// When it last answered.
    pub answered_at: Option<Timestamp>,
    /// Whether it answered the last request.
    pub is_connected: bool,
    /// The provider failed three times in a row, so defaults are used.
    pub circuit_breaker_open: bool,
}

/// The current values of all flags.
pub struct Flags {
    production: bool,
    charges_nobody: bool,
    clock: Clock,
    sources: Mutex<Sources>,
    snapshot: RwLock<Arc<Snapshot>>,
    /// Calls to the provider.
    pub calls: CallMetrics,
}

#[derive(Default)]
struct Sources {
    overrides: HashMap<&'static str, Override>,
    provided: Arc<ProviderValues>,
    status: FlagProviderStatus,
    /// Flags for which a value of a wrong type was logged.
    warned: HashSet<&'static str>,
}

impl Flags {
    pub fn new(production: bool, clock: Clock) -> Self {
        let snapshot = Snapshot::new(production, &HashMap::new(), Arc::default());
        Self {
            production,
            charges_nobody: false,
            clock,
            sources: Mutex::default(),
            snapshot: RwLock::new(Arc::new(snapshot)),
            calls: CallMetrics::of("flags"),
        }
    }

    /// Everybody counts as subscribed if this is set (`access.charge_nobody`).
    pub fn charging_nobody(mut self, charges_nobody: bool) -> Self {
        self.charges_nobody = charges_nobody;
        self
    }

    /// The flags for the service itself.
    pub fn for_all(&self) -> FlagReader<'_> {
        FlagReader {
            snapshot: self.snapshot(),
            user_values: None,
            charges_nobody: self.charges_nobody,
            clock: &self.clock,
        }
    }

    /// The flags for the user with this public id, if the provider distinguishes users.
    pub fn for_user(&self, public_id: &str) -> FlagReader<'_> {
        let snapshot = self.snapshot();
        FlagReader {
            user_values: snapshot.provided.user_values(public_id),
            charges_nobody: self.charges_nobody,
            snapshot,
            clock: &self.clock,
        }
    }

    /// Whether `for_user` can differ from `for_all` now.
    pub fn differ_by_user(&self) -> bool {
        self.snapshot().provided.differs_by_user()
    }

    /// All flags by key.
    pub fn list(&self) -> FlagList {
        let flags = registry::all().iter().enumerate();
        let mut flags: Vec<FlagView> = flags.map(|(at, flag)| self.view_at(at, flag)).collect();
        flags.sort_by(|one, other| one.key.cmp(&other.key));
        FlagList { flags }
    }

    pub fn view(&self, flag: &'static Flag) -> FlagView {
        self.view_at(registry::position(flag), flag)
    }

    fn view_at(&self, position: usize, flag: &'static Flag) -> FlagView {
        let default = flag.default(self.production);
        let (value, source) = self.snapshot().read(position, None, &self.clock);
        let over = self.sources.lock().overrides.get(flag.key).cloned();
        let over = over.filter(|_| source == Origin::Override);
        FlagView {
            key: flag.key.into(),
            kind: flag.kind().as_str().into(),
            value: value.to_json(),
            source,
            default: default.to_json(),
            in_use: flag.in_use,
            description: flag.about.into(),
            set_at: over.as_ref().map(|over| over.set_at),
            expires_at: over.as_ref().and_then(|over| over.expires_at),
            set_by: over.map(|over| over.set_by),
        }
    }

    pub fn status(&self) -> FlagProviderStatus {
        self.sources.lock().status
    }

    /// Replaces all overrides.
    pub fn set_overrides(&self, overrides: HashMap<&'static str, Override>) {
        let mut sources = self.sources.lock();
        sources.overrides = overrides;
        self.publish(&sources);
    }

    /// Replaces the provider's values.
    fn set_provided(&self, provided: Arc<ProviderValues>) {
        let mut sources = self.sources.lock();
        for flag in &provided.invalid {
            if sources.warned.insert(flag.key) {
                log::warn!(
                    "flags: the provider's value of {} is not of type {}; the default is used",
                    flag.key,
                    flag.kind().as_str()
                );
            }
        }
        sources.provided = provided;
        self.publish(&sources);
    }

    fn set_status(&self, change: impl FnOnce(&mut FlagProviderStatus)) {
        change(&mut self.sources.lock().status);
    }

    /// Publishes a snapshot while the sources are locked.
    fn publish(&self, sources: &MutexGuard<'_, Sources>) {
        let provided = sources.provided.clone();
        let snapshot = Snapshot::new(self.production, &sources.overrides, provided);
        let mut current = self.snapshot.write();
        *current = Arc::new(snapshot);
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().clone()
    }
}

impl FlagProviderStatus {
    /// Whether the configured values are in use. Without a provider this is always true.
    pub fn initialized(self) -> bool {
        self.has_answered || !self.configured
    }

    /// The state for the health check. "ok": as configured. "failing": the provider doesn't answer
    /// and its last values are used. "defaults": defaults are used instead.
    pub fn health(self) -> &'static str {
        match self {
            Self {
                configured: false, ..
            } => "ok",
            Self {
                circuit_breaker_open: true,
                ..
            }
            | Self {
                has_answered: false,
                ..
            } => "defaults",
            Self {
                is_connected: true, ..
            } => "ok",
            _ => "failing",
        }
    }
}

#[cfg(test)]
mod tests;
