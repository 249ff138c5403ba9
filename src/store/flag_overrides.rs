//! What an operator set a flag to.

use std::collections::HashMap;

use serde_json::Value;

use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::registry;

impl Tx<'_> {
    pub fn set_flag_override(&self, key: &str, value: &Value, now: Timestamp) -> Result<()> {
        self.execute(
            "INSERT OR REPLACE INTO flag_overrides (key, value, set_at) VALUES (?1, ?2, ?3)",
            (key, value.to_string(), now.0),
        )?;
        Ok(())
    }

    pub fn remove_flag_override(&self, key: &str) -> Result<()> {
        self.execute("DELETE FROM flag_overrides WHERE key = ?1", [key])?;
        Ok(())
    }
}

impl View<'_> {
    /// All overrides of flags that this version knows.
    pub fn flag_overrides(&self) -> Result<HashMap<&'static str, Value>> {
        let mut statement = self
            .conn
            .prepare_cached("SELECT key, value FROM flag_overrides")?;
        let rows = statement.query_map([], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        let mut overrides = HashMap::new();
        for row in rows {
            let (key, value) = row?;
            if let (Some(flag), Ok(value)) = (registry::find(&key), serde_json::from_str(&value)) {
                overrides.insert(flag.key, value);
            }
        }
        Ok(overrides)
    }
}
