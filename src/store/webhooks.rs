//! Webhooks, which trigger an app's action when an outside service calls. Every change increases
//! the version, so that a running call notices that it was decided on old data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::exported::{PAGE_ROWS, PageOf};
use super::query::{JsonOrNull, from_row, number};
use super::{AppId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::public_id::PublicId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WebhookId(pub i64);
number!(WebhookId);

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
pub struct CallableWebhookRow {
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

/// A webhook in the export of its app's creator. It has no secret.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportedWebhook {
    #[schemars(with = "PublicId")]
    pub webhook_id: String,
    #[schemars(with = "PublicId")]
    pub app_id: String,
    pub action_id: String,
    pub description: String,
    #[schemars(with = "BTreeMap<String, String>")]
    pub payload_mapping: Value,
    #[schemars(extend("enum" = ["plain", "standard"]))]
    pub scheme: String,
    pub is_active: bool,
    #[schemars(range(min = 1, max = 600))]
    pub rate_limit_per_minute: u64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

const COLUMNS: &str = "SELECT id, webhook_id, app_id, action_id, description,
       payload_mapping, scheme, rate_limit, is_active, secret, version, created_at, updated_at
     FROM webhooks";

impl Tx<'_> {
    pub fn insert_webhook(&self, new: &NewWebhook) -> Result<()> {
        self.run(
            "INSERT INTO webhooks (webhook_id, app_id, action_id, description, payload_mapping,
               scheme, rate_limit, is_active, secret, version, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, 1, ?9, ?9)",
            (
                new.webhook_id, new.app, new.action_id, new.description, new.payload_mapping,
                new.scheme, new.rate_limit as i64, new.secret, new.now,
            ),
        )
    }

    pub fn count_webhooks(&self, app: AppId) -> Result<usize> {
        self.one("SELECT count(*) FROM webhooks WHERE app_id = ?1", [app])
    }

    /// Writes the changeable fields; the version increases.
    pub fn update_webhook(&mut self, row: &WebhookRow) -> Result<()> {
        self.run(
            "UPDATE webhooks SET description = ?2, payload_mapping = ?3, scheme = ?4,
             rate_limit = ?5, is_active = ?6, secret = ?7, updated_at = ?8,
             version = version + 1 WHERE id = ?1",
            (
                row.id, &row.description, &row.payload_mapping, &row.scheme, row.rate_limit as i64,
                row.is_active, &row.secret, row.updated_at,
            ),
        )?;
        self.cache.remove_event_cursor(row.id);
        Ok(())
    }

    /// The app's actions have changed, so its webhooks get a new version.
    pub fn renew_webhooks(&mut self, app: AppId) -> Result<()> {
        self.run(
            "UPDATE webhooks SET version = version + 1 WHERE app_id = ?1",
            [app],
        )?;
        self.cache.clear_event_cursors();
        Ok(())
    }

    /// Deletes the webhook and its events.
    pub fn delete_webhook(&mut self, webhook: WebhookId) -> Result<()> {
        self.settle_webhook_events()?;
        self.run(
            "DELETE FROM webhook_events WHERE webhook_id = ?1",
            [webhook],
        )?;
        self.run("DELETE FROM webhooks WHERE id = ?1", [webhook])?;
        self.cache.remove_event_cursor(webhook);
        Ok(())
    }
}

impl View<'_> {
    /// An app's webhook by its public id.
    pub fn webhook(&self, app: AppId, webhook_id: &str) -> Result<Option<WebhookRow>> {
        self.find(
            &format!("{COLUMNS} WHERE webhook_id = ?2 AND app_id = ?1"),
            (app, webhook_id),
        )
    }

    /// An app's webhooks, oldest first.
    pub fn webhooks(&self, app: AppId) -> Result<Vec<WebhookRow>> {
        self.all(&format!("{COLUMNS} WHERE app_id = ?1 ORDER BY id"), [app])
    }

    pub fn webhooks_page(&self, creator: UserId, after: i64) -> Result<PageOf<ExportedWebhook>> {
        // The creator's few apps first: without that all webhooks would be read.
        self.all(
            "SELECT webhooks.id, webhook_id, apps.app_id, action_id, webhooks.description,
               payload_mapping, scheme, is_active, rate_limit, webhooks.created_at, updated_at
             FROM apps CROSS JOIN webhooks ON webhooks.app_id = apps.id
             WHERE creator_id = ?1 AND webhooks.id > ?2 ORDER BY webhooks.id LIMIT ?3",
            (creator, after, PAGE_ROWS as i64),
        )
    }

    pub fn has_webhook(&self, webhook_id: &str) -> Result<bool> {
        self.one(
            "SELECT EXISTS (SELECT 1 FROM webhooks WHERE webhook_id = ?1)",
            [webhook_id],
        )
    }

    /// A webhook by its public id alone, for a call.
    pub fn called_webhook(&self, webhook_id: &str) -> Result<Option<CallableWebhookRow>> {
        let webhook: Option<WebhookRow> =
            self.find(&format!("{COLUMNS} WHERE webhook_id = ?1"), [webhook_id])?;
        let Some(webhook) = webhook else {
            return Ok(None);
        };
        let (app_id, creator, actions) = self.one(
            "SELECT app_id, creator_id, actions FROM apps WHERE id = ?1",
            [webhook.app],
        )?;
        Ok(Some(CallableWebhookRow {
            webhook,
            app_id,
            creator,
            actions,
        }))
    }
}

from_row!(ExportedWebhook: webhook_id, app_id, action_id, description,
    payload_mapping as JsonOrNull, scheme, is_active, rate_limit_per_minute, created_at, updated_at);
from_row!(WebhookRow: id, webhook_id, app, action_id, description, payload_mapping, scheme,
    rate_limit, is_active, secret, version, created_at, updated_at);
