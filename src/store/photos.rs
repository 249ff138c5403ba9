//! Photos uploaded by relays: one row per photo; the file has its id as name. The row outlives the
//! file, so that a repeated upload gets the same answer.

use schemars::JsonSchema;
use serde::Serialize;

use super::exported::{PAGE_ROWS, PageOf};
use super::query::from_row;
use super::{AgentId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::public_id::PublicId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Photo {
    /// A UUID.
    pub photo_id: String,
    pub user: UserId,
    pub agent: AgentId,
    /// jpeg, png, webp or heic.
    pub format: String,
    /// The reply to its message will follow as a command.
    pub is_processed: bool,
    /// Whether the file still exists.
    pub is_kept: bool,
}

pub struct NewPhoto<'a> {
    pub photo_id: &'a str,
    pub user: UserId,
    pub agent: AgentId,
    pub message_id: i64,
    pub format: &'a str,
    pub bytes: u64,
    pub is_processed: bool,
    pub now: Timestamp,
}

/// A photo that a relay uploaded for the person. The file is not in the export.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ExportedPhoto {
    #[schemars(with = "PublicId")]
    pub photo_id: String,
    #[schemars(extend("enum" = ["jpeg", "png", "webp", "heic"]))]
    pub format: String,
    #[schemars(range(min = 0))]
    pub bytes: i64,
    pub created_at: Timestamp,
    /// When its file was removed; null while the file exists.
    pub removed_at: Option<Timestamp>,
}

const COLUMNS: &str = "SELECT photo_id, user_id, agent_id, format, is_processed, removed_at IS NULL
     FROM photos";

impl Tx<'_> {
    pub fn insert_photo(&self, photo: &NewPhoto) -> Result<()> {
        self.run(
            "INSERT INTO photos (photo_id, user_id, agent_id, message_id, format, bytes, is_processed, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (photo.photo_id, photo.user, photo.agent, photo.message_id, photo.format, photo.bytes as i64, photo.is_processed, photo.now),
        )
    }

    pub fn set_photo_removed(&self, photo_id: &str, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE photos SET removed_at = ?2 WHERE photo_id = ?1",
            (photo_id, now),
        )
    }

    pub fn delete_photo(&self, photo_id: &str) -> Result<()> {
        self.run("DELETE FROM photos WHERE photo_id = ?1", [photo_id])
    }

    pub(super) fn delete_forgotten_photos(
        &self,
        removed_before: Timestamp,
        rows_max: i64,
    ) -> Result<usize> {
        self.execute(
            "DELETE FROM photos WHERE id IN
             (SELECT id FROM photos WHERE removed_at < ?1 ORDER BY removed_at LIMIT ?2)",
            (removed_before, rows_max),
        )
    }
}

impl View<'_> {
    pub fn photo(&self, photo_id: &str) -> Result<Option<Photo>> {
        self.find(&format!("{COLUMNS} WHERE photo_id = ?1"), [photo_id])
    }

    /// The photo of a message.
    pub fn photo_of_message(&self, message_id: i64) -> Result<Option<Photo>> {
        self.find(&format!("{COLUMNS} WHERE message_id = ?1"), [message_id])
    }

    /// Some of a person's photos, with or without files.
    pub fn photos_of(&self, user: UserId, limit: usize) -> Result<Vec<Photo>> {
        self.photos_where("WHERE user_id = ?1 ORDER BY id LIMIT ?2", user.0, limit)
    }

    /// Photos with a file from before a time, oldest first.
    pub fn photos_before(&self, moment: Timestamp, limit: usize) -> Result<Vec<Photo>> {
        self.photos_where(
            "WHERE removed_at IS NULL AND created_at < ?1 ORDER BY created_at LIMIT ?2",
            moment.0,
            limit,
        )
    }

    pub fn photos_page(&self, user: UserId, after: i64) -> Result<PageOf<ExportedPhoto>> {
        self.all(
            "SELECT id, photo_id, format, bytes, created_at, removed_at
             FROM photos WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
            (user, after, PAGE_ROWS as i64),
        )
    }

    fn photos_where(&self, condition: &str, value: i64, limit: usize) -> Result<Vec<Photo>> {
        self.all(&format!("{COLUMNS} {condition}"), (value, limit as i64))
    }
}

from_row!(Photo: photo_id, user, agent, format, is_processed, is_kept);
from_row!(ExportedPhoto: photo_id, format, bytes, created_at, removed_at);
