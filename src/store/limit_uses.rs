//! Uses of limits with a window of an hour or more. They are stored, so that a restart doesn't
//! reset them.

use super::Tx;
use crate::clock::Timestamp;
use crate::error::Result;

impl Tx<'_> {
    /// Uses within the window that ends now, oldest first: time and count. A use in the future (the
    /// clock was set back) counts as now.
    pub fn limit_uses(
        &self,
        kind: &str,
        subject: &str,
        window_ms: i64,
        now: Timestamp,
    ) -> Result<Vec<(Timestamp, u64)>> {
        self.all(
            "SELECT min(used_at, ?4), count FROM limit_uses
             WHERE kind = ?1 AND subject = ?2 AND used_at > ?3 ORDER BY used_at",
            (kind, subject, now.0 - window_ms, now),
        )
    }

    /// Moves uses in the future (the clock was set back) to now. Otherwise they would count until
    /// the clock has caught up.
    pub(super) fn pull_back_limit_uses(&self, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT INTO limit_uses (kind, subject, used_at, count)
             SELECT kind, subject, ?1, sum(count) FROM limit_uses INDEXED BY limit_uses_age
             WHERE used_at > ?1 GROUP BY kind, subject
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [now],
        )?;
        self.run("DELETE FROM limit_uses WHERE used_at > ?1", [now])
    }

    pub fn insert_limit_use(
        &self,
        kind: &str,
        subject: &str,
        count: u64,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO limit_uses (kind, subject, used_at, count) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + ?4",
            (kind, subject, now, count as i64),
        )
    }
}
