//! Apps, created by users, with their actions as JSON.

use rusqlite::{OptionalExtension, Row};

use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AppId(pub i64);

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

const COLUMNS: &str = "SELECT id, app_id, creator_id, name, description, actions, created_at
     FROM apps";

impl Tx<'_> {
    pub fn insert_app(&self, new: &NewApp<'_>) -> Result<()> {
        self.execute(
            "INSERT INTO apps (app_id, creator_id, name, description, actions, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                new.app_id, new.creator.0, new.name, new.description, new.actions, new.now.0,
            ),
        )?;
        Ok(())
    }

    pub fn update_app(&self, row: &AppRow) -> Result<()> {
        self.execute(
            "UPDATE apps SET name = ?2, description = ?3, actions = ?4 WHERE id = ?1",
            (row.id.0, &row.name, &row.description, &row.actions),
        )?;
        Ok(())
    }

    /// Deletes the app and its installations. Its webhooks must be deleted before.
    pub fn delete_app(&self, app: AppId) -> Result<()> {
        self.execute("DELETE FROM app_rooms WHERE app_id = ?1", [app.0])?;
        self.execute("DELETE FROM apps WHERE id = ?1", [app.0])?;
        Ok(())
    }

    pub fn count_apps(&self, creator: UserId) -> Result<usize> {
        let count: i64 = self
            .conn
            .prepare_cached("SELECT count(*) FROM apps WHERE creator_id = ?1")?
            .query_row([creator.0], |row| row.get(0))?;
        Ok(count as usize)
    }
}

impl View<'_> {
    /// By the public id.
    pub fn app(&self, app_id: &str) -> Result<Option<AppRow>> {
        Ok(self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE app_id = ?1"))?
            .query_row([app_id], row_from)
            .optional()?)
    }

    /// A creator's apps, oldest first.
    pub fn apps(&self, creator: UserId) -> Result<Vec<AppRow>> {
        let mut statement = self
            .conn
            .prepare_cached(&format!("{COLUMNS} WHERE creator_id = ?1 ORDER BY id"))?;
        let rows = statement.query_map([creator.0], row_from)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn row_from(row: &Row<'_>) -> rusqlite::Result<AppRow> {
    Ok(AppRow {
        id: AppId(row.get(0)?),
        app_id: row.get(1)?,
        creator: UserId(row.get(2)?),
        name: row.get(3)?,
        description: row.get(4)?,
        actions: row.get(5)?,
        created_at: Timestamp(row.get(6)?),
    })
}
