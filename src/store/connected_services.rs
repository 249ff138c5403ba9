//! The calendars and mailboxes that people connected. A service's fetched data is deleted before
//! its own row, a bounded number of rows in each transaction.

use std::collections::HashMap;

use super::query::{Text, from_row, number};
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::connected_service::{ServiceKind, ServiceState};

/// Rows of each table that are removed in one transaction.
const REMOVED_ROWS_MAX: i64 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServiceId(pub i64);
number!(ServiceId);

#[derive(Debug, Clone)]
pub struct ServiceRow {
    pub id: ServiceId,
    /// UUID
    pub service_id: String,
    pub user: UserId,
    pub kind: ServiceKind,
    pub name: String,
    pub scope: String,
    pub host: String,
    /// Sealed; empty once it is disconnected.
    pub credentials: Vec<u8>,
    pub state: ServiceState,
    pub error: Option<String>,
    pub failures: i64,
    /// JSON
    pub sync_state: String,
    pub connected_at: Timestamp,
    pub last_sync_at: Option<Timestamp>,
}

pub struct NewService<'a> {
    pub service_id: &'a str,
    pub user: UserId,
    pub kind: ServiceKind,
    pub name: &'a str,
    pub host: &'a str,
    /// Sealed
    pub credentials: &'a [u8],
    pub next_sync_at: Timestamp,
    pub now: Timestamp,
}

/// How a sync ended.
#[derive(Debug, Clone)]
pub struct SyncResult {
    pub state: ServiceState,
    pub error: Option<String>,
    pub failures: i64,
    pub next_sync_at: Option<Timestamp>,
    /// When it succeeded.
    pub synced_at: Option<Timestamp>,
    /// JSON; `None`: as it was.
    pub sync_state: Option<String>,
}

const COLUMNS: &str = "SELECT id, service_id, user_id, kind, name, scope, host, credentials, state,
       error, failures, sync_state, connected_at, last_sync_at
     FROM connected_services";

impl Tx<'_> {
    pub fn insert_service(&self, new: &NewService) -> Result<ServiceId> {
        self.run(
            "INSERT INTO connected_services (service_id, user_id, kind, name, scope, host,
               credentials, connected_at, next_sync_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                new.service_id,
                new.user,
                Text(new.kind),
                new.name,
                new.kind.scope(),
                new.host,
                new.credentials,
                new.now,
                new.next_sync_at,
            ),
        )?;
        Ok(ServiceId(self.conn.last_insert_rowid()))
    }

    /// Other credentials, for a service whose password was changed.
    pub fn replace_credentials(
        &self,
        id: ServiceId,
        sealed: &[u8],
        next_sync_at: Timestamp,
    ) -> Result<()> {
        self.run(
            "UPDATE connected_services SET credentials = ?2, state = 'ok', error = NULL,
               failures = 0, refusal_told = 0, next_sync_at = ?3
             WHERE id = ?1 AND removed_at IS NULL",
            (id, sealed, next_sync_at),
        )
    }

    pub fn rename_service(&self, id: ServiceId, name: &str) -> Result<()> {
        self.run(
            "UPDATE connected_services SET name = ?2 WHERE id = ?1",
            (id, name),
        )
    }

    /// Puts the next sync off before this one begins, so that a crash costs one pause. False:
    /// it was disconnected.
    pub fn begin_sync(&self, id: ServiceId, next: Timestamp) -> Result<bool> {
        let begun = self.execute(
            "UPDATE connected_services SET next_sync_at = ?2
             WHERE id = ?1 AND removed_at IS NULL",
            (id, next),
        )?;
        Ok(begun > 0)
    }

    /// Writes how a sync with these credentials ended, unless it was disconnected or connected
    /// anew meanwhile.
    pub fn end_sync(&self, service: &ServiceRow, result: &SyncResult) -> Result<bool> {
        let ended = self.execute(
            "UPDATE connected_services SET state = ?2, error = ?3, failures = ?4, next_sync_at = ?5,
               last_sync_at = coalesce(?6, last_sync_at), sync_state = coalesce(?7, sync_state),
               refusal_told = iif(?2 = 'refused', refusal_told, 0)
             WHERE id = ?1 AND removed_at IS NULL AND credentials = ?8",
            (service.id, Text(result.state), &result.error, result.failures, result.next_sync_at, result.synced_at, &result.sync_state, &service.credentials),
        )?;
        Ok(ended > 0)
    }

    /// True the first time since the credentials stopped working.
    pub fn take_refusal_notice(&self, id: ServiceId) -> Result<bool> {
        let updated = self.execute(
            "UPDATE connected_services SET refusal_told = 1
             WHERE id = ?1 AND state = 'refused' AND refusal_told = 0 AND removed_at IS NULL",
            [id],
        )?;
        Ok(updated > 0)
    }

    /// Removes the credentials and hides all that was fetched; `remove_fetched_rows` does the rest.
    /// What a mail says that another mailbox of the person has too stays.
    pub fn disconnect_service(&self, id: ServiceId, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE mail_facts SET service_id = copy.service_id, mail_id = copy.id
             FROM mail_items AS mail
             JOIN connected_services AS other ON other.user_id = mail.user_id
               AND other.id <> mail.service_id AND other.removed_at IS NULL
             JOIN mail_items AS copy ON copy.service_id = other.id
               AND copy.mail_key = mail.mail_key AND copy.mail_key NOT GLOB 'uid *'
             WHERE mail_facts.service_id = ?1 AND mail.id = mail_facts.mail_id",
            [id],
        )?;
        self.run(
            "UPDATE connected_services SET removed_at = ?2, credentials = x'', host = '', name = '',
               error = NULL, sync_state = '{}', next_sync_at = NULL
             WHERE id = ?1 AND removed_at IS NULL",
            (id, now),
        )
    }

    /// Removes a bounded number of a disconnected service's rows, and at the end the service. Call
    /// it until it returns true.
    pub fn remove_fetched_rows(&self, id: ServiceId) -> Result<bool> {
        for sql in [
            "DELETE FROM mail_facts WHERE id IN
             (SELECT id FROM mail_facts WHERE service_id = ?1 LIMIT ?2)",
            "DELETE FROM mail_items WHERE id IN
             (SELECT id FROM mail_items WHERE service_id = ?1 LIMIT ?2)",
            "DELETE FROM calendar_events WHERE id IN
             (SELECT id FROM calendar_events WHERE calendar_id IN
                (SELECT id FROM calendars WHERE service_id = ?1) LIMIT ?2)",
            "DELETE FROM calendar_changes WHERE id IN
             (SELECT id FROM calendar_changes WHERE calendar_id IN
                (SELECT id FROM calendars WHERE service_id = ?1) LIMIT ?2)",
            "DELETE FROM calendars WHERE id IN
             (SELECT id FROM calendars WHERE service_id = ?1 LIMIT ?2)",
        ] {
            if self.execute(sql, (id, REMOVED_ROWS_MAX))? as i64 >= REMOVED_ROWS_MAX {
                return Ok(false);
            }
        }
        self.run(
            "DELETE FROM connected_services WHERE id = ?1 AND removed_at IS NOT NULL",
            [id],
        )?;
        Ok(true)
    }
}

/// How much of what a user's services hold has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceChanges {
    pub user: UserId,
    pub last_at: Timestamp,
    pub count: i64,
}

impl View<'_> {
    /// A user's services, oldest first.
    pub fn services(&self, user: UserId) -> Result<Vec<ServiceRow>> {
        self.all(
            &format!("{COLUMNS} WHERE user_id = ?1 AND removed_at IS NULL ORDER BY id"),
            [user],
        )
    }

    /// The changes after `since`, which a query lists with user and time, by user.
    pub(super) fn service_changes(
        &self,
        sql: &str,
        since: Timestamp,
    ) -> Result<Vec<ServiceChanges>> {
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([since.0])?;
        // SQLite would sort the rows of everybody in memory.
        let mut changes: HashMap<i64, (i64, i64)> = HashMap::new();
        while let Some(row) = rows.next()? {
            let (last_at, count) = changes.entry(row.get(0)?).or_default();
            *last_at = row.get::<_, i64>(1)?.max(*last_at);
            *count += 1;
        }
        let changes = changes.into_iter();
        Ok(changes
            .map(|(user, (last_at, count))| ServiceChanges {
                user: UserId(user),
                last_at: Timestamp(last_at),
                count,
            })
            .collect())
    }

    /// The people with a connected service.
    pub fn users_with_services(&self) -> Result<Vec<UserId>> {
        self.all(
            "SELECT DISTINCT user_id FROM connected_services WHERE removed_at IS NULL",
            [],
        )
    }

    /// A user's service by its public id.
    pub fn service(&self, user: UserId, service_id: &str) -> Result<Option<ServiceRow>> {
        self.find(
            &format!("{COLUMNS} WHERE service_id = ?2 AND user_id = ?1 AND removed_at IS NULL"),
            (user, service_id),
        )
    }

    /// Any user's service by its number.
    pub fn service_row(&self, id: ServiceId) -> Result<Option<ServiceRow>> {
        self.find(
            &format!("{COLUMNS} WHERE id = ?1 AND removed_at IS NULL"),
            [id],
        )
    }

    /// Services whose time has come, longest due first.
    pub fn due_services(&self, now: Timestamp, limit: usize) -> Result<Vec<ServiceRow>> {
        self.all(
            &format!(
                "{COLUMNS} WHERE next_sync_at <= ?1 AND next_sync_at IS NOT NULL
                 ORDER BY next_sync_at LIMIT ?2"
            ),
            (now, limit as i64),
        )
    }

    /// Mailboxes that work, those connected first.
    pub fn mailboxes(&self, limit: usize) -> Result<Vec<ServiceRow>> {
        self.all(
            &format!(
                "{COLUMNS} INDEXED BY connected_services_mail
                 WHERE kind = 'imap' AND state = 'ok' AND removed_at IS NULL ORDER BY id LIMIT ?1"
            ),
            [limit as i64],
        )
    }

    /// Time zone and mail address of the person whose services are read; `None`: they are gone.
    pub fn service_owner(&self, user: UserId) -> Result<Option<(Option<String>, Option<String>)>> {
        self.find("SELECT timezone, email FROM users WHERE id = ?1", [user])
    }

    /// Services that refused their credentials, if the person has not been told.
    pub fn untold_refusals(&self) -> Result<Vec<ServiceRow>> {
        self.all(
            &format!(
                "{COLUMNS} INDEXED BY connected_services_refused
                 WHERE state = 'refused' AND refusal_told = 0 AND removed_at IS NULL LIMIT 64"
            ),
            [],
        )
    }

    /// Disconnected services of which rows are left.
    pub fn disconnected_services(&self) -> Result<Vec<ServiceId>> {
        self.all(
            "SELECT id FROM connected_services INDEXED BY connected_services_removed
             WHERE removed_at IS NOT NULL LIMIT 64",
            [],
        )
    }
}

from_row!(ServiceRow: id, service_id, user, kind as Text, name, scope, host, credentials,
    state as Text, error, failures, sync_state, connected_at, last_sync_at);
