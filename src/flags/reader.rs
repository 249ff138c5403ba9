//! Typed reads of a snapshot. Reading a flag that doesn't exist, or as another type, is a bug of
//! the caller.

use std::sync::Arc;

use super::provider_values::UserValues;
use super::registry::{self, FlagType, Scalar};
use super::snapshot::Snapshot;
use crate::clock::Clock;

/// In floating point 50 × 0.58 is slightly less than 29.
const ROUNDING: f64 = 1e-6;

/// The flags at one moment, for the service or one user.
pub struct Reader<'a> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) user_values: Option<UserValues>,
    /// `access.charge_nobody`: limits and superpowers treat everybody as subscribed.
    pub charges_nobody: bool,
    pub(super) clock: &'a Clock,
}

impl Reader<'_> {
    pub fn boolean(&self, key: &str) -> bool {
        matches!(
            self.value(key, FlagType::Boolean),
            Some(Scalar::Boolean(true))
        )
    }

    /// Clamped to the flag's range.
    pub fn integer(&self, key: &str) -> i64 {
        match self.value(key, FlagType::Integer) {
            Some(Scalar::Integer(value)) => value,
            _ => 0,
        }
    }

    pub fn number(&self, key: &str) -> f64 {
        match self.value(key, FlagType::Number) {
            Some(Scalar::Number(value)) => value,
            _ => 0.0,
        }
    }

    /// A `rate_limit.*` count. Strict mode reduces it, rounded down, to at least 1; 0 stays 0.
    pub fn rate_limit(&self, key: &str) -> u64 {
        let limit = self.integer(key).max(0) as u64;
        if limit == 0 || !self.boolean("rate_limit.strict_mode_enabled") {
            return limit;
        }
        let multiplier = self.number("rate_limit.strict_mode_multiplier").max(0.0);
        ((limit as f64 * multiplier + ROUNDING) as u64).max(1)
    }

    /// Whether a superpower of that name exists and is available: the flag and the master switch
    /// are on, the kill switch is off.
    pub fn superpower(&self, name: &str) -> bool {
        registry::superpower(name)
            .is_some_and(|flag| self.may_offer_superpowers() && self.boolean(flag.key))
    }

    /// The same apart from the kill switch.
    pub fn superpower_apart_from_basic_mode(&self, name: &str) -> bool {
        registry::superpower(name)
            .is_some_and(|flag| self.boolean("superpower.enabled") && self.boolean(flag.key))
    }

    /// Whether any superpower is available.
    pub fn any_superpower(&self) -> bool {
        let mut flags = registry::superpowers().filter_map(registry::superpower);
        self.may_offer_superpowers() && flags.any(|flag| self.boolean(flag.key))
    }

    fn may_offer_superpowers(&self) -> bool {
        self.boolean("superpower.enabled") && !self.boolean("llm.force_basic_mode")
    }

    fn value(&self, key: &str, kind: FlagType) -> Option<Scalar> {
        let position = registry::position(key);
        let flag = position.and_then(|at| registry::all().get(at));
        debug_assert!(flag.is_some_and(|f| f.kind() == kind), "flag {key}");
        let resolved = self
            .snapshot
            .read(position?, self.user_values.as_ref(), self.clock);
        resolved.map(|(value, _)| value)
    }
}
