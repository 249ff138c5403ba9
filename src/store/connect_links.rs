//! Links by which a person connects a service in a browser. Only digests of their tokens are
//! kept.

use rusqlite::OptionalExtension;

use super::{Digest, RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectLink {
    pub user: UserId,
    /// The room in which the link was requested; `None`: not in a chat.
    pub room: Option<RoomId>,
    /// The link connects a mailbox, not a calendar.
    pub is_for_mail: bool,
    pub expires_at: Timestamp,
    /// A service was connected with it.
    pub is_used: bool,
}

impl Tx<'_> {
    pub fn insert_connect_link(
        &self,
        token: &Digest,
        link: &ConnectLink,
        now: Timestamp,
    ) -> Result<()> {
        self.execute(
            "INSERT INTO connect_links (token_digest, user_id, room_id, kind, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                token,
                link.user.0,
                link.room.map(|room| room.0),
                if link.is_for_mail { "mail" } else { "calendar" },
                now.0,
                link.expires_at.0,
            ),
        )?;
        Ok(())
    }

    /// False: it was used before.
    pub fn use_connect_link(&self, token: &Digest, now: Timestamp) -> Result<bool> {
        let used = self.execute(
            "UPDATE connect_links SET used_at = ?2 WHERE token_digest = ?1 AND used_at IS NULL",
            (token, now.0),
        )?;
        Ok(used > 0)
    }

    /// Removes those that ended before `before`.
    pub fn delete_connect_links(&self, before: Timestamp) -> Result<()> {
        self.execute(
            "DELETE FROM connect_links WHERE expires_at < ?1",
            [before.0],
        )?;
        Ok(())
    }
}

impl View<'_> {
    pub fn connect_link(&self, token: &Digest) -> Result<Option<ConnectLink>> {
        Ok(self
            .conn
            .prepare_cached(
                "SELECT user_id, room_id, kind = 'mail', expires_at, used_at IS NOT NULL
                 FROM connect_links WHERE token_digest = ?1",
            )?
            .query_row([token], |row| {
                Ok(ConnectLink {
                    user: UserId(row.get(0)?),
                    room: row.get::<_, Option<i64>>(1)?.map(RoomId),
                    is_for_mail: row.get(2)?,
                    expires_at: Timestamp(row.get(3)?),
                    is_used: row.get(4)?,
                })
            })
            .optional()?)
    }
}
