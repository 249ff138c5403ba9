//! Webhooks, which trigger an app's action when an outside service calls. Every change increases
//! the version, so that a running call notices that it was decided on old data.

use rusqlite::{OptionalExtension, Row};

use super::{AppId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WebhookId(pub i64);

#[derive(Debug, Clone)]
pub struct WebhookRow {
    pub id: WebhookId,
    /// A UUID in lower case.
    pub webhook_id: String,
    pub app: AppId,
    pub action_id: String,
    pub description: String,
    /// JSON object
    pub payload_mapping: String,
    pub scheme: String,
    /// Calls per minute.
    pub rate_limit: u64,
    pub is_active: bool,
    /// The sealed secret.
    pub secret: Vec<u8>,
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A webhook with the fields of its app that a call needs.
#[derive(Debug, Clone)]
pub struct CalledRow {
    pub webhook: WebhookRow,
    /// UUID
    pub app_id: String,
    pub creator: UserId,
    /// JSON array
    pub actions: String,
}

pub struct NewWebhook<'a> {
    pub webhook_id: &'a str,
    pub app: AppId,
    pub action_id: &'a str,
    pub description: &'a str,
    pub payload_mapping: &'a str,
    pub scheme: &'a str,
    pub rate_limit: u64,
    pub secret: &'a [u8],
    pub now: Timestamp,
}

const COLUMNS: &str = "SELECT id, webhook_id, app_id, action_id, description,
       payload_mapping, scheme, rate_limit, is_active, secret, version, created_at, updated_at
     FROM webhooks";

impl Tx<'_> {
    pub fn insert_webhook(&self, new: &NewWebhook<'_>) -> Result<()> {
        self.execute(
            "INSERT INTO webhooks (webhook_id, app_id, action_id, description, payload_mapping,
               scheme, rate_limit, is_active, secret, version, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, 1, ?9, ?9)",
            (
                new.webhook_id, new.app.0, new.action_id, new.description, new.payload_mapping,
                new.scheme, new.rate_limit as i64, new.secret, new.now.0,
            ),
        )?;
        Ok(())
    }

    pub fn count_webhooks(&self, app: AppId) -> Result<usize> {
        let count: i64 = self
            .conn
            .prepare_cached("SELECT count(*) FROM webhooks WHERE app_id = ?1")?
            .query_row([app.0], |row| row.get(0))?;
        Ok(count as usize)
    }

    /// Writes the changeable fields; the version increases.
    pub fn update_webhook(&mut self, row: &WebhookRow) -> Result<()> {
        self.execute(
            "UPDATE webhooks SET description = ?2, payload_mapping = ?3, scheme = ?4,
               rate_limit = ?5, is_active = ?6, secret = ?7, updated_at = ?8,
               version = version + 1 WHERE id = ?1",
            (
                row.id.0, &row.description, &row.payload_mapping, &row.scheme,
                row.rate_limit as i64, row.is_active, &row.secret, row.updated_at.0,
            ),
        )?;
        self.cache.remove_event_cursor(row.id);
        Ok(())
    }

    /// The app's actions have changed, so its webhooks get a new version.
    pub fn renew_webhooks(&mut self, app: AppId) -> Result<()> {
        self.execute(
            "UPDATE webhooks SET version = version + 1 WHERE app_id = ?1",
            [app.0],
        )?;
        self.cache.clear_event_cursors();
        Ok(())
    }

    /// Deletes the webhook and its events.
    pub fn delete_webhook(&mut self, webhook: WebhookId) -> Result<()> {
        self.settle_webhook_events()?;
        self.execute(
            "DELETE FROM webhook_events WHERE webhook_id = ?1",
            [webhook.0],
        )?;
        self.execute("DELETE FROM webhooks WHERE id = ?1", [webhook.0])?;
        self.cache.remove_event_cursor(webhook);
        Ok(())
    }
}

impl View<'_> {
    /// An app's webhook by its public id.
    pub fn webhook(&self, app: AppId, webhook_id: &str) -> Result<Option<WebhookRow>> {
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE webhook_id = ?2 AND app_id = ?1"))?
            .query_row((app.0, webhook_id), row_from)
            .optional()?)
    }

    /// An app's webhooks, oldest first.
    pub fn webhooks(&self, app: AppId) -> Result<Vec<WebhookRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE app_id = ?1 ORDER BY id"))?;
        let rows = statement.query_map([app.0], row_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    pub fn has_webhook(&self, webhook_id: &str) -> Result<bool> {
        Ok(self
            .conn
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM webhooks WHERE webhook_id = ?1)")?
            .query_row([webhook_id], |row| row.get(0))?)
    }

    /// A webhook by its public id alone, for a call.
    pub fn called_webhook(&self, webhook_id: &str) -> Result<Option<CalledRow>> {
        let webhook = self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE webhook_id = ?1"))?
            .query_row([webhook_id], row_from)
            .optional()?;
        let Some(webhook) = webhook else {
            return Ok(None);
        };
        let called = self
            .conn
            .prepare_cached("SELECT app_id, creator_id, actions FROM apps WHERE id = ?1")?
            .query_row([webhook.app.0], |row| {
                Ok(CalledRow {
                    app_id: row.get(0)?,
                    creator: UserId(row.get(1)?),
                    actions: row.get(2)?,
                    webhook,
                })
            })?;
        Ok(Some(called))
    }

    /// The webhook whose secret was sealed first: public id and sealed secret.
    pub fn first_sealed(&self) -> Result<Option<(String, Vec<u8>)>> {
        Ok(self
            .conn
            .prepare_cached("SELECT webhook_id, secret FROM webhooks ORDER BY id LIMIT 1")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?)
    }
}

fn row_from(row: &Row<'_>) -> rusqlite::Result<WebhookRow> {
    Ok(WebhookRow {
        id: WebhookId(row.get(0)?),
        webhook_id: row.get(1)?,
        app: AppId(row.get(2)?),
        action_id: row.get(3)?,
        description: row.get(4)?,
        payload_mapping: row.get(5)?,
        scheme: row.get(6)?,
        rate_limit: row.get::<_, i64>(7)? as u64,
        is_active: row.get(8)?,
        secret: row.get(9)?,
        version: row.get(10)?,
        created_at: Timestamp(row.get(11)?),
        updated_at: Timestamp(row.get(12)?),
    })
}
