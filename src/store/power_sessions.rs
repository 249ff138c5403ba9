//! Sessions of superpowers: rows of `miniapp_sessions`. Active sessions are also in memory, so that
//! messages without a session need no query. A person has at most one session per room.

use std::collections::HashMap;

use rusqlite::Connection;

use super::{RoomId, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;

/// A session ends this long after its last turn.
pub const SESSION_QUIET_MS: i64 = 30 * 60 * 1000;

/// Sessions ended in one call of housekeeping.
pub(super) const ENDED_AT_ONCE_MAX: i64 = 500;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerSession {
    id: i64,
    /// The superpower's name.
    pub name: String,
    /// When the session was last used.
    pub last_at: Timestamp,
}

impl PowerSession {
    fn is_over(&self, now: Timestamp) -> bool {
        now.0.saturating_sub(self.last_at.0) >= SESSION_QUIET_MS
    }
}

impl Tx<'_> {
    /// The active session.
    pub fn power_session(
        &self,
        user: UserId,
        room: RoomId,
        now: Timestamp,
    ) -> Option<&PowerSession> {
        let session = self.cache.sessions.get(&(user, room))?;
        (!session.is_over(now)).then_some(session)
    }

    /// Counts a use of a superpower, in a new session unless one of it is active. `session_id`
    /// is used for a new session.
    pub fn count_power_use(
        &mut self,
        user: UserId,
        room: RoomId,
        name: &str,
        session_id: impl FnOnce() -> String,
        now: Timestamp,
    ) -> Result<()> {
        let going_on = self
            .power_session(user, room, now)
            .filter(|session| session.name == name)
            .cloned();
        let session = match going_on {
            Some(session) => {
                self.run(
                    "UPDATE miniapp_sessions SET message_count = message_count + 1, last_at = ?2
                     WHERE id = ?1",
                    (session.id, now),
                )?;
                PowerSession {
                    last_at: now,
                    ..session
                }
            }
            None => {
                self.end_power_session(user, room, now)?;
                self.run(
                    "INSERT INTO miniapp_sessions
                       (session_id, user_id, room_id, app_id, state, started_at, message_count, last_at)
                     VALUES (?1, ?2, ?3, ?4, 'active', ?5, 1, ?5)",
                    (session_id(), user, room, name, now),
                )?;
                PowerSession {
                    id: self.conn.last_insert_rowid(),
                    name: name.to_owned(),
                    last_at: now,
                }
            }
        };
        self.cache.put_session((user, room), session);
        Ok(())
    }

    /// Ends the user's session in the room, if there is one.
    pub fn end_power_session(&mut self, user: UserId, room: RoomId, now: Timestamp) -> Result<()> {
        let Some(session) = self.cache.take_session(&(user, room)) else {
            return Ok(());
        };
        let ended_at = now
            .0
            .min(session.last_at.0.saturating_add(SESSION_QUIET_MS));
        self.run(
            "UPDATE miniapp_sessions SET state = 'ended', ended_at = ?2
             WHERE id = ?1 AND state = 'active'",
            (session.id, ended_at),
        )
    }

    /// Removes from memory the sessions of a user whose rows will be erased.
    pub fn forget_power_sessions(&mut self, user: UserId) {
        self.cache.drop_sessions(|(of, _), _| *of == user);
    }

    /// Ends idle sessions; true when there may be more.
    pub(super) fn end_quiet_sessions(&mut self, now: Timestamp) -> Result<bool> {
        self.cache.drop_sessions(|_, session| session.is_over(now));
        let ended = self.execute(
            "UPDATE miniapp_sessions SET state = 'ended', ended_at = last_at + ?2
             WHERE id IN (SELECT id FROM miniapp_sessions
                          WHERE state = 'active' AND last_at <= ?1 - ?2
                          ORDER BY last_at LIMIT ?3)",
            (now, SESSION_QUIET_MS, ENDED_AT_ONCE_MAX),
        )?;
        Ok(ended as i64 >= ENDED_AT_ONCE_MAX)
    }
}

/// The active sessions, by user and room.
pub(super) fn active(
    conn: &Connection,
) -> rusqlite::Result<HashMap<(UserId, RoomId), PowerSession>> {
    let mut statement = conn.prepare(
        "SELECT user_id, room_id, id, app_id, last_at FROM miniapp_sessions
         WHERE state = 'active' AND last_at IS NOT NULL AND room_id IS NOT NULL ORDER BY last_at",
    )?;
    let sessions = statement.query_map([], |row| {
        let session = PowerSession {
            id: row.get(2)?,
            name: row.get(3)?,
            last_at: row.get(4)?,
        };
        Ok(((row.get(0)?, row.get(1)?), session))
    })?;
    sessions.collect()
}
