//! Overrides of feature flags: the value, who set it, when, and until when.

use std::collections::HashMap;

use serde_json::json;

use super::{Change, Operator, Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::{Override, registry};
use crate::model::masking::masked;

impl Tx<'_> {
    /// Sets or removes an override.
    pub fn change_flag_override(
        &self,
        key: &str,
        set: Option<&Override>,
        operator: &Operator,
        now: Timestamp,
    ) -> Result<()> {
        let as_json = |set: &Override| json!({"value": set.value, "expires_at": set.expires_at});
        let before = self.flag_overrides()?.get(key).map(as_json);
        match set {
            Some(set) => self.set_flag_override(key, set)?,
            None => self.remove_flag_override(key, now)?,
        }
        if set.is_none() && before.is_none() {
            return Ok(());
        }
        let change = Change {
            action: if set.is_some() {
                "flag.set"
            } else {
                "flag.unset"
            },
            subject: key.to_owned(),
            before: json!(before),
            after: json!(set.map(as_json)),
        };
        self.insert_audit(operator, &change, now)
    }

    /// Sets an override, and removes expired ones.
    fn set_flag_override(&self, key: &str, set: &Override) -> Result<()> {
        self.remove_expired_flag_overrides(set.set_at)?;
        self.run(
            "INSERT OR REPLACE INTO flag_overrides (key, value, set_at, set_by, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (
                key,
                set.value.to_string(),
                set.set_at,
                masked(&set.set_by),
                set.expires_at,
            ),
        )
    }

    fn remove_flag_override(&self, key: &str, now: Timestamp) -> Result<()> {
        self.remove_expired_flag_overrides(now)?;
        self.run("DELETE FROM flag_overrides WHERE key = ?1", [key])
    }

    fn remove_expired_flag_overrides(&self, now: Timestamp) -> Result<()> {
        self.run("DELETE FROM flag_overrides WHERE expires_at <= ?1", [now])
    }
}

impl View<'_> {
    /// All overrides of flags that this version knows, expired ones included.
    pub fn flag_overrides(&self) -> Result<HashMap<&'static str, Override>> {
        let rows: Vec<(String, String, _, _, _)> = self.all(
            "SELECT key, value, set_at, set_by, expires_at FROM flag_overrides",
            [],
        )?;
        let mut overrides = HashMap::new();
        for (key, value, set_at, set_by, expires_at) in rows {
            if let (Some(flag), Ok(value)) = (registry::find(&key), serde_json::from_str(&value)) {
                let set = Override {
                    value,
                    set_at,
                    set_by,
                    expires_at,
                };
                overrides.insert(flag.key, set);
            }
        }
        Ok(overrides)
    }
}
