//! Reads of a snapshot. The table of flags gives `FlagReader` a method for each flag.

use std::sync::Arc;

use super::provider_values::UserValues;
use super::registry::{self, FlagPosition, Scalar, flag_table};
use super::snapshot::Snapshot;
use crate::clock::Clock;
use crate::model::power::Power;

/// In floating point 50 × 0.58 is slightly less than 29.
const ROUNDING: f64 = 1e-6;

/// The flags at one moment, for the service or one user.
pub struct FlagReader<'a> {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) user_values: Option<UserValues>,
    /// `access.charge_nobody`: limits and superpowers treat everybody as subscribed.
    pub charges_nobody: bool,
    pub(super) clock: &'a Clock,
}

impl FlagReader<'_> {
    /// A `rate_limit.*` count. Strict mode reduces it, rounded down, to at least 1; 0 stays 0.
    pub fn rate_limit(&self, count: i64) -> u64 {
        let limit = count.max(0) as u64;
        if limit == 0 || !self.strict_mode_enabled() {
            return limit;
        }
        let multiplier = self.strict_mode_multiplier().max(0.0);
        ((limit as f64 * multiplier + ROUNDING) as u64).max(1)
    }

    /// Whether a superpower is available: the flag and the master switch are on, the kill switch is
    /// off.
    pub fn superpower(&self, power: Power) -> bool {
        self.superpower_apart_from_basic_mode(power) && !self.force_basic_mode()
    }

    /// The same apart from the kill switch.
    pub fn superpower_apart_from_basic_mode(&self, power: Power) -> bool {
        self.superpowers_enabled() && self.value(registry::position_of(power)).into()
    }

    /// Whether any superpower is available.
    pub fn any_superpower(&self) -> bool {
        Power::ALL.into_iter().any(|power| self.superpower(power))
    }

    /// The value of the flag at a position of the table.
    pub(super) fn value(&self, position: usize) -> Scalar {
        let user_values = self.user_values.as_ref();
        self.snapshot.read(position, user_values, self.clock).0
    }
}

/// The type of the values of a preset.
macro_rules! value_type {
    (Boolean) => {
        bool
    };
    (InDevelopment) => {
        bool
    };
    (Integer) => {
        i64
    };
    (Number) => {
        f64
    };
}

macro_rules! reads {
    ($($name:ident: $key:literal, $preset:ident $(($default:literal))?, $about:literal
        $(, $more:ident($($value:literal),*))*;)*) => {
        impl FlagReader<'_> {
            $(#[doc = $about]
            pub fn $name(&self) -> value_type!($preset) {
                self.value(FlagPosition::$name as usize).into()
            })*
        }

        #[cfg(test)]
        impl FlagReader<'_> {
            /// The typed read of the flag with that key, but a superpower's.
            pub(super) fn typed_value(&self, key: &str) -> Option<serde_json::Value> {
                match key {
                    $($key => Some(self.$name().into()),)*
                    _ => None,
                }
            }
        }
    };
}

flag_table!(reads);
