//! One of the secrets that are sealed in the database, with which a sealing key is tried.

use std::path::Path;

use super::View;
use super::inspect::open_to_inspect;
use crate::error::Result;

const ANY_SEALED: &str = "SELECT webhook_id, secret FROM webhooks
     UNION ALL SELECT service_id, credentials FROM connected_services WHERE removed_at IS NULL
     LIMIT 1";

/// A webhook's secret or a service's credentials.
#[derive(Debug, Clone)]
pub struct SealedSecret {
    /// The public id of the webhook or service.
    pub owner: String,
    pub sealed: Vec<u8>,
}

impl View<'_> {
    /// `None` when nothing is sealed.
    pub fn any_sealed_secret(&self) -> Result<Option<SealedSecret>> {
        let found = self.find(ANY_SEALED, [])?;
        Ok(found.map(|(owner, sealed)| SealedSecret { owner, sealed }))
    }
}

/// The same from a file that isn't open in this process. `None` also when it can't be read, which
/// `inspect` reports.
pub fn sealed_secret_in(database: &Path) -> Option<SealedSecret> {
    let conn = open_to_inspect(database).ok()?;
    let secret = |row: &rusqlite::Row<'_>| {
        Ok(SealedSecret {
            owner: row.get(0)?,
            sealed: row.get(1)?,
        })
    };
    conn.query_row(ANY_SEALED, [], secret).ok()
}
