//! Feature flags: one table of every flag, and typed reads of a snapshot. A read is a look
//! into memory. Asking for a flag that the table lacks is an error in the code that asks.

pub mod registry;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value;

use registry::{Flag, Kind, Preset};

/// Every flag's value now: an operator's override, else the default.
pub struct Flags {
    production: bool,
    overrides: RwLock<Arc<HashMap<&'static str, Value>>>,
}

impl Flags {
    pub fn new(production: bool) -> Self {
        Self {
            production,
            overrides: RwLock::default(),
        }
    }

    pub fn boolean(&self, key: &str) -> bool {
        match self.value(flag(key, Kind::Boolean)) {
            Value::Bool(on) => on,
            _ => false,
        }
    }

    pub fn integer(&self, key: &str) -> i64 {
        let flag = flag(key, Kind::Integer);
        self.value(flag).as_i64().unwrap_or_default()
    }

    pub fn number(&self, key: &str) -> f64 {
        self.value(flag(key, Kind::Number))
            .as_f64()
            .unwrap_or_default()
    }

    /// A `rate_limit.*` count, less in strict mode: rounded down, at least 1. None at all
    /// stays none.
    pub fn rate_limit(&self, key: &str) -> u64 {
        let limit = self.integer(key).max(0) as u64;
        if limit == 0 || !self.boolean("rate_limit.strict_mode_enabled") {
            return limit;
        }
        let multiplier = self.number("rate_limit.strict_mode_multiplier").max(0.0);
        // 50 × 0.58 is 29, which floating point puts just below.
        ((limit as f64 * multiplier + 1e-6) as u64).max(1)
    }

    /// Whether a superpower of that name exists and is offered.
    pub fn superpower(&self, name: &str) -> bool {
        registry::superpower(name)
            .is_some_and(|flag| self.boolean("superpower.enabled") && self.boolean(flag.key))
    }

    /// The flag's value and where it comes from: `override` or `default`.
    pub fn shown(&self, flag: &'static Flag) -> (Value, &'static str) {
        let source = if self.overrides().contains_key(flag.key) {
            "override"
        } else {
            "default"
        };
        (self.value(flag), source)
    }

    /// Replaces all overrides; their types have been checked.
    pub fn set_overrides(&self, overrides: HashMap<&'static str, Value>) {
        *self
            .overrides
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(overrides);
    }

    fn overrides(&self) -> Arc<HashMap<&'static str, Value>> {
        self.overrides
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Within the flag's range.
    fn value(&self, flag: &'static Flag) -> Value {
        if let Some(value) = self.overrides().get(flag.key) {
            return flag.clamped(value);
        }
        match flag.default {
            Preset::Boolean(on) => on.into(),
            Preset::InDevelopment => (!self.production).into(),
            Preset::Integer(n) => n.into(),
            Preset::Number(n) => n.into(),
        }
    }
}

/// The table's row; a key or type that the table lacks is a mistake of the code that asks.
fn flag(key: &str, kind: Kind) -> &'static Flag {
    let flag = registry::find(key);
    debug_assert!(flag.is_some_and(|f| f.kind() == kind), "flag {key}");
    flag.unwrap_or(&registry::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_mode_halves_and_never_reaches_zero() {
        let flags = Flags::new(false);
        let with = |limit: i64| {
            flags.set_overrides(HashMap::from([
                ("rate_limit.strict_mode_enabled", true.into()),
                ("rate_limit.user_messages_per_minute", limit.into()),
            ]));
            flags.rate_limit("rate_limit.user_messages_per_minute")
        };
        assert_eq!([with(20), with(5), with(1)], [10, 2, 1]);
        assert_eq!([with(0), with(-3)], [0, 0]);
    }

    #[test]
    fn multiplied_limits_are_exact() {
        let flags = Flags::new(false);
        for (limit, multiplier, expected) in [
            (50, 0.58, 29),
            (100, 0.29, 29),
            (20, 0.35, 7),
            (20, 0.349, 6),
            (20, 1.5, 30),
            (20, -1.0, 1),
        ] {
            flags.set_overrides(HashMap::from([
                ("rate_limit.strict_mode_enabled", true.into()),
                ("rate_limit.strict_mode_multiplier", multiplier.into()),
                ("rate_limit.photos_per_hour", limit.into()),
            ]));
            assert_eq!(
                flags.rate_limit("rate_limit.photos_per_hour"),
                expected,
                "{limit} × {multiplier}"
            );
        }
    }

    #[test]
    fn superpowers_need_the_master_switch() {
        for (production, name, offered) in [
            (false, "todo_list", true),
            (true, "todo_list", false),
            (false, "juggling", false),
        ] {
            assert_eq!(Flags::new(production).superpower(name), offered, "{name}");
        }
    }

    #[test]
    fn numbers_are_clamped() {
        let flags = Flags::new(false);
        for (value, read) in [(1, 3), (3, 3), (99, 20)] {
            flags.set_overrides(HashMap::from([("context.max_messages", value.into())]));
            assert_eq!(flags.integer("context.max_messages"), read);
            let flag = registry::find("context.max_messages").unwrap();
            assert_eq!(flags.shown(flag), (read.into(), "override"));
        }
    }
}
