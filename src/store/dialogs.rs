//! The context of short messages, per person and chat: the assistant's open question, the last item
//! named or delivered, the numbers of a list, questions from a group that were answered here; and
//! deleted items that can be restored. The writer of the JSON defines its meaning.

use super::housekeeping::ROWS_MAX;
use super::query::{Columns, FromRow, from_row};
use super::{RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// How long a deleted item can be restored.
pub const REMOVED_KEPT_MS: i64 = 10 * 60_000;

/// Longer than any part of a dialog is used: a day, and how old `used_at` may be.
const DIALOGS_KEPT_MS: i64 = 24 * 60 * 60_000 + USED_AT_OLD_MS;

/// How far `used_at`, which has an index, may be behind the newest part.
const USED_AT_OLD_MS: i64 = 60 * 60_000;

/// JSON and the time it was written.
pub type JsonAt = (String, Timestamp);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dialog {
    pub question: Option<JsonAt>,
    pub latest: Option<JsonAt>,
    pub listed: Option<JsonAt>,
    /// Questions from a group that were answered in this direct chat.
    pub private_answers: Option<JsonAt>,
}

/// The part of a dialog that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DialogPart {
    Question,
    Latest,
    Listed,
    PrivateAnswers,
}

/// A deleted item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedItem {
    /// The person it belonged to.
    pub user: UserId,
    pub removed_by: UserId,
    /// The message with which it was deleted.
    pub message_id: i64,
    /// The room of a reminder.
    pub room: Option<RoomId>,
    /// `reminder`, `memory`, `birthday`, or `corrected_state`: a superpower's state before a
    /// correction.
    pub kind: &'static str,
    /// The item as JSON.
    pub item: String,
}

impl View<'_> {
    pub fn dialog(&self, room: RoomId, user: UserId) -> Result<Dialog> {
        let found = self.find(
            "SELECT question, asked_at, latest, latest_at, listed, listed_at,
                    private_answers, private_answers_at
             FROM dialogs WHERE room_id = ?1 AND user_id = ?2",
            (room, user),
        )?;
        Ok(found.unwrap_or_default())
    }

    /// The reminders that a person deleted with a message, as JSON.
    pub fn removed_reminders(&self, removed_by: UserId, message_id: i64) -> Result<Vec<String>> {
        self.all(
            "SELECT item FROM removed_items
             WHERE removed_by = ?1 AND message_id = ?2 AND kind = 'reminder' ORDER BY id",
            (removed_by, message_id),
        )
    }

    /// The item that was last named or delivered to any person in a room.
    pub fn latest_in_room(&self, room: RoomId) -> Result<Option<JsonAt>> {
        self.find(
            "SELECT latest, latest_at FROM dialogs
             WHERE room_id = ?1 AND latest IS NOT NULL ORDER BY latest_at DESC LIMIT 1",
            [room],
        )
    }
}

impl Tx<'_> {
    /// The assistant's open question to a person in a room, and when it was asked. That there
    /// is none is cached: it is so for most people.
    pub fn question(&mut self, room: RoomId, user: UserId) -> Result<Option<JsonAt>> {
        if self.cache.without_question.contains(&(user, room)) {
            return Ok(None);
        }
        let question = self.dialog(room, user)?.question;
        if question.is_none() {
            self.cache.put_without_question(user, room);
        }
        Ok(question)
    }

    /// `None` clears the part.
    pub fn set_dialog(
        &mut self,
        room: RoomId,
        user: UserId,
        part: DialogPart,
        json: Option<&str>,
        now: Timestamp,
    ) -> Result<()> {
        if part == DialogPart::Question {
            self.cache.without_question.remove(&(user, room));
        }
        let (text, at) = match part {
            DialogPart::Question => ("question", "asked_at"),
            DialogPart::Latest => ("latest", "latest_at"),
            DialogPart::Listed => ("listed", "listed_at"),
            DialogPart::PrivateAnswers => ("private_answers", "private_answers_at"),
        };
        let is_there = self.execute(
            &format!(
                "UPDATE dialogs SET {text} = ?3, {at} = iif(?3 IS NULL, NULL, ?4)
                 WHERE room_id = ?1 AND user_id = ?2 AND used_at >= ?5"
            ),
            (room, user, json, now, now.0 - USED_AT_OLD_MS),
        )? > 0;
        if !is_there {
            self.run(
                &format!(
                    "INSERT INTO dialogs (room_id, user_id, {text}, {at}, used_at)
                     VALUES (?1, ?2, ?3, iif(?3 IS NULL, NULL, ?4), ?4)
                     ON CONFLICT DO UPDATE SET {text} = excluded.{text}, {at} = excluded.{at},
                       used_at = excluded.used_at"
                ),
                (room, user, json, now),
            )?;
        }
        Ok(())
    }

    /// What was delivered last in one chat was delivered in another one now, for "snooze".
    pub fn carry_delivery(
        &mut self,
        (from, to): (RoomId, RoomId),
        user: UserId,
        now: Timestamp,
    ) -> Result<()> {
        let delivered: Option<String> = self.find(
            "SELECT latest FROM dialogs WHERE room_id = ?1 AND user_id = ?2
               AND json_extract(latest, '$.event') = 'delivered'",
            (from, user),
        )?;
        match delivered {
            Some(latest) => self.set_dialog(to, user, DialogPart::Latest, Some(&latest), now),
            None => Ok(()),
        }
    }

    pub fn keep_removed(&self, item: &RemovedItem, now: Timestamp) -> Result<()> {
        self.run(
            "INSERT INTO removed_items
               (user_id, removed_by, message_id, room_id, kind, item, removed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                item.user, item.removed_by, item.message_id, item.room, item.kind, &item.item, now,
            ),
        )
    }

    /// Takes the items that a person deleted with a message: kind, owner, JSON.
    pub fn take_removed(
        &self,
        removed_by: UserId,
        message_id: i64,
        first_values: bool,
    ) -> Result<Vec<(String, UserId, String)>> {
        let mut rows: Vec<(i64, (String, UserId, String))> = self.all(
            "DELETE FROM removed_items WHERE removed_by = ?1 AND message_id = ?2
               AND (kind = 'corrected_state') = ?3
             RETURNING id, kind, user_id, item",
            (removed_by, message_id, first_values),
        )?;
        rows.sort_by_key(|(id, _)| *id);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }

    /// Whether a message of this person corrected a value of a superpower.
    pub fn has_corrected_state(&self, user: UserId, message_id: i64) -> Result<bool> {
        self.one(
            "SELECT EXISTS (SELECT 1 FROM removed_items
             WHERE removed_by = ?1 AND message_id = ?2 AND kind = 'corrected_state')",
            (user, message_id),
        )
    }

    /// Deletes outdated dialogs and items that can't be restored any more; true when there may be
    /// more.
    pub(super) fn delete_old_dialogs(&self, now: Timestamp) -> Result<bool> {
        let removed = self.execute(
            "DELETE FROM removed_items WHERE id IN
             (SELECT id FROM removed_items
              WHERE removed_at < ?1 ORDER BY removed_at LIMIT ?2)",
            (now.0 - REMOVED_KEPT_MS, ROWS_MAX),
        )?;
        let dialogs = self.execute(
            "DELETE FROM dialogs WHERE (room_id, user_id) IN
             (SELECT room_id, user_id FROM dialogs
              WHERE used_at < ?1 ORDER BY used_at LIMIT ?2)",
            (now.0 - DIALOGS_KEPT_MS, ROWS_MAX),
        )?;
        Ok(removed.max(dialogs) as i64 >= ROWS_MAX)
    }
}

from_row!(Dialog: question as StoredPart, latest as StoredPart, listed as StoredPart,
    private_answers as StoredPart);

/// A part's columns: its JSON and its time.
struct StoredPart(Option<JsonAt>);

impl FromRow for StoredPart {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let (json, at) = FromRow::read(columns)?;
        Ok(Self(Option::zip(json, at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    const HOUR_MS: i64 = 60 * 60_000;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_dialog_is_kept_a_day_after_its_newest_part() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_in(folder.path());
        // When parts were written, in hours; how long after that it is looked for, and whether it
        // is there.
        let cases: [(&[i64], i64, bool); 5] = [
            (&[0], 24, true),
            (&[0], 26, false),
            (&[0, 1], 24, true),
            (&[0, 1, 2], 24, true),
            (&[0, 20], 26, false),
        ];
        for (written_h, later_h, is_there) in cases {
            let found = store.write(move |tx| {
                let (room, user) = (RoomId(1), UserId(1));
                tx.execute(
                    "INSERT OR IGNORE INTO users (id, user_id, created_at) VALUES (1, 'u', 1)",
                    [],
                )?;
                tx.execute(
                    "INSERT OR IGNORE INTO rooms (id, chat_guid, mode, owner_id, members, created_at)
                     VALUES (1, 'c', 'direct', 1, x'', 1)",
                    [],
                )?;
                tx.execute("DELETE FROM dialogs", [])?;
                let at = |hours: &i64| Timestamp(hours * HOUR_MS);
                for written in written_h.iter().map(at) {
                    tx.set_dialog(room, user, DialogPart::Latest, Some("{}"), written)?;
                }
                let last = written_h.last().map_or(Timestamp(0), at);
                tx.delete_old_dialogs(last.plus_ms(later_h * HOUR_MS))?;
                Ok((tx.dialog(room, user)?.latest, last))
            });
            let (latest, last) = found.await.unwrap();
            let expected = is_there.then(|| ("{}".to_owned(), last));
            assert_eq!(latest, expected, "{written_h:?} {later_h}");
        }
    }
}
