//! Links by which a person connects a service in a browser. Only digests of their tokens are
//! kept.

use super::query::from_row;
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
        self.run(
            "INSERT INTO connect_links (token_digest, user_id, room_id, kind, created_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (token, link.user, link.room, if link.is_for_mail { "mail" } else { "calendar" }, now, link.expires_at),
        )
    }

    /// False: it was used before.
    pub fn use_connect_link(&self, token: &Digest, now: Timestamp) -> Result<bool> {
        let used = self.execute(
            "UPDATE connect_links SET used_at = ?2 WHERE token_digest = ?1 AND used_at IS NULL",
            (token, now),
        )?;
        Ok(used > 0)
    }

    /// Removes those that ended before `before`.
    pub fn delete_connect_links(&self, before: Timestamp) -> Result<()> {
        self.run("DELETE FROM connect_links WHERE expires_at < ?1", [before])
    }
}

impl View<'_> {
    pub fn connect_link(&self, token: &Digest) -> Result<Option<ConnectLink>> {
        self.find(
            "SELECT user_id, room_id, kind = 'mail', expires_at, used_at IS NOT NULL
             FROM connect_links WHERE token_digest = ?1",
            [token],
        )
    }
}

from_row!(ConnectLink: user, room, is_for_mail, expires_at, is_used);
