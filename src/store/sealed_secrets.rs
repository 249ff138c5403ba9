//! One of the secrets that are sealed in the database, with which a sealing key is tried.

use std::path::Path;

use super::View;
use super::file::inspect::open_to_inspect;
use crate::error::Result;

/// A webhook's secret, else a service's credentials.
const FIRST_SEALED: [&str; 2] = [
    "SELECT webhook_id, secret FROM webhooks ORDER BY id LIMIT 1",
    "SELECT service_id, credentials FROM connected_services
     WHERE removed_at IS NULL ORDER BY id LIMIT 1",
];

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
        for sql in FIRST_SEALED {
            if let Some((owner, sealed)) = self.find(sql, [])? {
                return Ok(Some(SealedSecret { owner, sealed }));
            }
        }
        Ok(None)
    }
}

/// A sealed secret of a file that isn't open in this process. `None` also when it can't be read,
/// which `inspect` reports.
pub fn sealed_secret_in(database: &Path) -> Option<SealedSecret> {
    let conn = open_to_inspect(database).ok()?;
    let secret = |row: &rusqlite::Row<'_>| {
        Ok(SealedSecret {
            owner: row.get(0)?,
            sealed: row.get(1)?,
        })
    };
    let mut found = FIRST_SEALED.into_iter();
    found.find_map(|sql| conn.query_row(sql, [], secret).ok())
}
