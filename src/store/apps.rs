//! Apps, created by users, with their actions as JSON.

use serde::Serialize;
use serde_json::Value;

use super::exported::{PAGE_ROWS, PageOf};
use super::query::{JsonOrNull, from_row, number};
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AppId(pub i64);
number!(AppId);

#[derive(Debug, Clone)]
pub struct AppRow {
    pub id: AppId,
    /// A UUID.
    pub app_id: String,
    pub creator: UserId,
    pub name: String,
    pub description: String,
    /// A JSON array.
    pub actions: String,
    pub created_at: Timestamp,
}

/// The fields of a new app.
pub struct NewApp<'a> {
    pub app_id: &'a str,
    pub creator: UserId,
    pub name: &'a str,
    pub description: &'a str,
    pub actions: &'a str,
    pub now: Timestamp,
}

/// An app in its creator's export.
#[derive(Debug, Serialize)]
pub struct ExportedApp {
    pub app_id: String,
    pub name: String,
    pub description: String,
    pub actions: Value,
    pub created_at: Timestamp,
}

const COLUMNS: &str = "SELECT id, app_id, creator_id, name, description, actions, created_at
     FROM apps";

impl Tx<'_> {
    pub fn insert_app(&self, new: &NewApp) -> Result<()> {
        self.run(
            "INSERT INTO apps (app_id, creator_id, name, description, actions, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                new.app_id, new.creator, new.name, new.description, new.actions, new.now,
            ),
        )
    }

    pub fn update_app(&self, row: &AppRow) -> Result<()> {
        self.run(
            "UPDATE apps SET name = ?2, description = ?3, actions = ?4 WHERE id = ?1",
            (row.id, &row.name, &row.description, &row.actions),
        )
    }

    /// Deletes the app and its installations. Its webhooks must be deleted before.
    pub fn delete_app(&self, app: AppId) -> Result<()> {
        self.run("DELETE FROM app_rooms WHERE app_id = ?1", [app])?;
        self.run("DELETE FROM apps WHERE id = ?1", [app])
    }

    pub fn count_apps(&self, creator: UserId) -> Result<usize> {
        self.one("SELECT count(*) FROM apps WHERE creator_id = ?1", [creator])
    }
}

impl View<'_> {
    /// By the public id.
    pub fn app(&self, app_id: &str) -> Result<Option<AppRow>> {
        self.find(&format!("{COLUMNS} WHERE app_id = ?1"), [app_id])
    }

    /// A creator's apps, oldest first.
    pub fn apps(&self, creator: UserId) -> Result<Vec<AppRow>> {
        self.all(
            &format!("{COLUMNS} WHERE creator_id = ?1 ORDER BY id"),
            [creator],
        )
    }

    pub fn apps_page(&self, creator: UserId, after: i64) -> Result<PageOf<ExportedApp>> {
        self.all(
            "SELECT id, app_id, name, description, actions, created_at
             FROM apps WHERE creator_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (creator, after, PAGE_ROWS as i64),
        )
    }
}

from_row!(ExportedApp: app_id, name, description, actions as JsonOrNull, created_at);
from_row!(AppRow: id, app_id, creator, name, description, actions, created_at);
