//! The calendars and mailboxes that people connected. A service's fetched data is deleted before
//! its own row, a bounded number of rows in each transaction.

use std::collections::HashMap;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{OptionalExtension, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::connected_service::{ServiceKind, ServiceState};

/// Rows of each table that are removed in one transaction.
const REMOVED_ROWS_MAX: i64 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ServiceId(pub i64);

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
    pub fn insert_service(&self, new: &NewService<'_>) -> Result<ServiceId> {
        self.execute(
            "INSERT INTO connected_services (service_id, user_id, kind, name, scope, host,
               credentials, connected_at, next_sync_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                new.service_id,
                new.user.0,
                Text(new.kind),
                new.name,
                new.kind.scope(),
                new.host,
                new.credentials,
                new.now.0,
                new.next_sync_at.0,
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
        self.execute(
            "UPDATE connected_services SET credentials = ?2, state = 'ok', error = NULL,
               failures = 0, refusal_told = 0, next_sync_at = ?3
             WHERE id = ?1 AND removed_at IS NULL",
            (id.0, sealed, next_sync_at.0),
        )?;
        Ok(())
    }

    pub fn rename_service(&self, id: ServiceId, name: &str) -> Result<()> {
        self.execute(
            "UPDATE connected_services SET name = ?2 WHERE id = ?1",
            (id.0, name),
        )?;
        Ok(())
    }

    /// Puts the next sync off before this one begins, so that a crash costs one pause. False:
    /// it was disconnected.
    pub fn begin_sync(&self, id: ServiceId, next: Timestamp) -> Result<bool> {
        let begun = self.execute(
            "UPDATE connected_services SET next_sync_at = ?2
             WHERE id = ?1 AND removed_at IS NULL",
            (id.0, next.0),
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
            (
                service.id.0,
                Text(result.state),
                &result.error,
                result.failures,
                result.next_sync_at.map(|at| at.0),
                result.synced_at.map(|at| at.0),
                &result.sync_state,
                &service.credentials,
            ),
        )?;
        Ok(ended > 0)
    }

    /// True the first time since the credentials stopped working.
    pub fn take_refusal_notice(&self, id: ServiceId) -> Result<bool> {
        let updated = self.execute(
            "UPDATE connected_services SET refusal_told = 1
             WHERE id = ?1 AND state = 'refused' AND refusal_told = 0 AND removed_at IS NULL",
            [id.0],
        )?;
        Ok(updated > 0)
    }

    /// Removes the credentials and hides all that was fetched; `remove_fetched_rows` does the rest.
    /// What a mail says that another mailbox of the person has too stays.
    pub fn disconnect_service(&self, id: ServiceId, now: Timestamp) -> Result<()> {
        self.execute(
            "UPDATE mail_facts SET service_id = copy.service_id, mail_id = copy.id
             FROM mail_items AS mail
             JOIN connected_services AS other ON other.user_id = mail.user_id
               AND other.id <> mail.service_id AND other.removed_at IS NULL
             JOIN mail_items AS copy ON copy.service_id = other.id
               AND copy.mail_key = mail.mail_key AND copy.mail_key NOT GLOB 'uid *'
             WHERE mail_facts.service_id = ?1 AND mail.id = mail_facts.mail_id",
            [id.0],
        )?;
        self.execute(
            "UPDATE connected_services SET removed_at = ?2, credentials = x'', host = '', name = '',
               error = NULL, sync_state = '{}', next_sync_at = NULL
             WHERE id = ?1 AND removed_at IS NULL",
            (id.0, now.0),
        )?;
        Ok(())
    }

    /// Removes some of what was fetched of a disconnected service, and at last its own row. To
    /// be called until it returns true.
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
            if self.execute(sql, (id.0, REMOVED_ROWS_MAX))? as i64 >= REMOVED_ROWS_MAX {
                return Ok(false);
            }
        }
        self.execute(
            "DELETE FROM connected_services WHERE id = ?1 AND removed_at IS NOT NULL",
            [id.0],
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
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} WHERE user_id = ?1 AND removed_at IS NULL ORDER BY id"
        ))?;
        let rows = statement.query_map([user.0], service_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
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

    /// Whoever has connected something.
    pub fn users_with_services(&self) -> Result<Vec<UserId>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT DISTINCT user_id FROM connected_services WHERE removed_at IS NULL",
        )?;
        let rows = statement.query_map([], |row| row.get(0).map(UserId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// A user's service by its public id.
    pub fn service(&self, user: UserId, service_id: &str) -> Result<Option<ServiceRow>> {
        Ok(self
            .conn
            .prepare_cached(&format!(
                "{COLUMNS} WHERE service_id = ?2 AND user_id = ?1 AND removed_at IS NULL"
            ))?
            .query_row((user.0, service_id), service_from)
            .optional()?)
    }

    /// Any user's service by its number.
    pub fn service_row(&self, id: ServiceId) -> Result<Option<ServiceRow>> {
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE id = ?1 AND removed_at IS NULL"))?
            .query_row([id.0], service_from)
            .optional()?)
    }

    /// Services whose time has come, longest due first.
    pub fn due_services(&self, now: Timestamp, limit: usize) -> Result<Vec<ServiceRow>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} WHERE next_sync_at <= ?1 AND next_sync_at IS NOT NULL
             ORDER BY next_sync_at LIMIT ?2"
        ))?;
        let rows = statement.query_map((now.0, limit as i64), service_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Mailboxes that work, those connected first.
    pub fn mailboxes(&self, limit: usize) -> Result<Vec<ServiceRow>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} INDEXED BY connected_services_mail
             WHERE kind = 'imap' AND state = 'ok' AND removed_at IS NULL ORDER BY id LIMIT ?1"
        ))?;
        let rows = statement.query_map([limit as i64], service_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Time zone and mail address of the person whose services are read; `None`: they are gone.
    pub fn service_owner(&self, user: UserId) -> Result<Option<(Option<String>, Option<String>)>> {
        Ok(self
            .conn
            .prepare_cached("SELECT timezone, email FROM users WHERE id = ?1")?
            .query_row([user.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?)
    }

    /// The service whose credentials were sealed first: its public id, the sealed credentials.
    pub fn first_sealed_credentials(&self) -> Result<Option<(String, Vec<u8>)>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT service_id, credentials FROM connected_services
                 WHERE removed_at IS NULL ORDER BY id LIMIT 1",
            )?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?)
    }

    /// Services that refuse their credentials, of which the person was not told yet.
    pub fn untold_refusals(&self) -> Result<Vec<ServiceRow>> {
        let mut statement = self.conn.prepare_cached(&format!(
            "{COLUMNS} INDEXED BY connected_services_refused
             WHERE state = 'refused' AND refusal_told = 0 AND removed_at IS NULL LIMIT 64"
        ))?;
        let rows = statement.query_map([], service_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Disconnected services of which rows are left.
    pub fn disconnected_services(&self) -> Result<Vec<ServiceId>> {
        let mut statement = self.conn.prepare_cached(
            "SELECT id FROM connected_services INDEXED BY connected_services_removed
             WHERE removed_at IS NOT NULL LIMIT 64",
        )?;
        let rows = statement.query_map([], |row| row.get(0).map(ServiceId))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn service_from(row: &Row<'_>) -> rusqlite::Result<ServiceRow> {
    Ok(ServiceRow {
        id: ServiceId(row.get(0)?),
        service_id: row.get(1)?,
        user: UserId(row.get(2)?),
        kind: row.get::<_, Text<_>>(3)?.0,
        name: row.get(4)?,
        scope: row.get(5)?,
        host: row.get(6)?,
        credentials: row.get(7)?,
        state: row.get::<_, Text<_>>(8)?.0,
        error: row.get(9)?,
        failures: row.get(10)?,
        sync_state: row.get(11)?,
        connected_at: Timestamp(row.get(12)?),
        last_sync_at: row.get::<_, Option<i64>>(13)?.map(Timestamp),
    })
}

/// A variant of an enum, kept as its name.
pub(super) struct Text<T>(pub(super) T);

impl<T: Serialize> ToSql for Text<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_value(&self.0) {
            Ok(Value::String(name)) => Ok(name.into()),
            _ => Err(rusqlite::Error::ToSqlConversionFailure("not a name".into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Text<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = Value::String(value.as_str()?.to_owned());
        let variant = serde_json::from_value(name);
        variant.map(Self).map_err(|e| FromSqlError::Other(e.into()))
    }
}

/// A structure, kept as JSON.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize> ToSql for Json<T> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match serde_json::to_string(&self.0) {
            Ok(text) => Ok(text.into()),
            Err(e) => Err(rusqlite::Error::ToSqlConversionFailure(e.into())),
        }
    }
}

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let structure = serde_json::from_str(value.as_str()?);
        structure
            .map(Self)
            .map_err(|e| FromSqlError::Other(e.into()))
    }
}
