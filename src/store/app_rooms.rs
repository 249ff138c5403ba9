//! Rooms in which an app is installed, and the app's sessions there.

use rusqlite::params;
use schemars::JsonSchema;
use serde::Serialize;

use super::power_sessions::{ENDED_AT_ONCE_MAX, SESSION_QUIET_MS};
use super::prepared::PreparedStatement;
use super::query::{from_row, read};
use super::rooms::{ChatTarget, FORMER, is_relay_name};
use super::{AppId, RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::public_id::PublicId;

/// An app as members of its room see it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct RoomApp {
    #[schemars(with = "PublicId")]
    pub app_id: String,
    pub name: String,
    pub description: String,
    pub installed_at: Timestamp,
    /// Handle of the person who installed the app; null if that person is no longer a member, so
    /// that the app can't write.
    pub installed_by: Option<String>,
}

/// SQL: whether the user ?2 is a member of a room. A group's members are those whom its relay last
/// listed and those who wrote since. A direct chat's member is its owner.
const TAKES_PART: &str = "(rooms.mode = 'direct' AND rooms.owner_id = ?2 OR EXISTS
   (SELECT 1 FROM room_members JOIN users ON users.phone = handle
    WHERE room_id = rooms.id AND users.id = ?2))";
/// SQL: whether the person who installed an app is a member of its room.
const INSTALLER_TAKES_PART: &str =
    "(rooms.mode = 'direct' AND rooms.owner_id = app_rooms.installed_by OR EXISTS
   (SELECT 1 FROM room_members m JOIN users ON users.phone = m.handle
    WHERE m.room_id = rooms.id AND users.id = app_rooms.installed_by))";

impl Tx<'_> {
    /// The room of that name, if the user is a member.
    pub fn room_of_member(&self, chat_guid: &str, user: UserId) -> Result<Option<RoomId>> {
        if !is_relay_name(chat_guid) {
            return Ok(None);
        }
        self.find(
            &format!("SELECT id FROM rooms WHERE chat_guid = ?1 AND {TAKES_PART}"),
            (chat_guid, user),
        )
    }

    /// Whether the user is still a member of the room.
    pub fn takes_part(&self, room: RoomId, user: UserId) -> Result<bool> {
        self.exists(
            &format!("SELECT 1 FROM rooms WHERE id = ?1 AND {TAKES_PART}"),
            (room, user),
        )
    }

    /// Installing twice changes nothing: the first installation counts while its installer is a
    /// member.
    pub fn install_app(
        &mut self,
        app: AppId,
        room: RoomId,
        installer: UserId,
        now: Timestamp,
    ) -> Result<()> {
        self.cache.uninstalled.remove(&app);
        self.run(
            "INSERT OR IGNORE INTO app_rooms (app_id, room_id, installed_at, installed_by)
             VALUES (?1, ?2, ?3, ?4)",
            (app, room, now, installer),
        )?;
        self.run(
            &format!(
                "UPDATE app_rooms SET installed_at = ?3, installed_by = ?4
                 WHERE app_id = ?1 AND room_id = ?2 AND NOT EXISTS
                   (SELECT 1 FROM rooms WHERE rooms.id = ?2 AND {INSTALLER_TAKES_PART})"
            ),
            (app, room, now, installer),
        )
    }

    pub fn uninstall_app(&self, app: AppId, room: RoomId) -> Result<()> {
        self.run(
            "DELETE FROM app_rooms WHERE app_id = ?1 AND room_id = ?2",
            (app, room),
        )
    }

    pub fn count_app_rooms(&self, app: AppId) -> Result<usize> {
        self.one("SELECT count(*) FROM app_rooms WHERE app_id = ?1", [app])
    }

    pub fn count_room_apps(&self, room: RoomId) -> Result<usize> {
        self.one("SELECT count(*) FROM app_rooms WHERE room_id = ?1", [room])
    }

    /// Whether the app is installed in any room. That it is in none is cached: the apps of
    /// people who use them alone are.
    pub fn is_installed(&mut self, app: AppId) -> Result<bool> {
        if self.cache.uninstalled.contains(&app) {
            return Ok(false);
        }
        let is_installed = self.count_app_rooms(app)? > 0;
        if !is_installed {
            self.cache.put_uninstalled(app);
        }
        Ok(is_installed)
    }

    /// The rooms in which a current member installed the app.
    pub fn app_targets(&self, app: AppId) -> Result<Vec<ChatTarget>> {
        self.all(
            &format!(
                "SELECT room_id, chat_guid, agent_id, mode = 'group' FROM app_rooms
                 JOIN rooms ON rooms.id = room_id
                 WHERE app_id = ?1 AND {INSTALLER_TAKES_PART} ORDER BY room_id"
            ),
            [app],
        )
    }

    pub(super) fn target(&self, room: RoomId) -> Result<ChatTarget> {
        self.one(
            "SELECT id, chat_guid, agent_id, mode = 'group' FROM rooms WHERE id = ?1",
            [room],
        )
    }

    pub fn is_group(&self, room: RoomId) -> Result<bool> {
        Ok(self.target(room)?.group)
    }

    /// The user's direct chat with the newest message. `with_agent` limits this to chats that take
    /// commands. If there is only one of these, it is cached.
    pub fn newest_direct_chat(
        &mut self,
        user: UserId,
        with_agent: bool,
    ) -> Result<Option<ChatTarget>> {
        if with_agent && let Some(chat) = self.cache.direct_chats.get(&user) {
            return Ok(Some(chat.clone()));
        }
        let deferred = &self.cache.deferred;
        let (mut newest, mut chats): (Option<(i64, ChatTarget)>, _) = (None, 0);
        let params = params![user.0, with_agent, FORMER];
        self.prepared
            .query(PreparedStatement::DirectChats, params, &mut |row| {
                chats += 1;
                let deferred = deferred.head(row.get(0)?);
                let head = match deferred {
                    Some(head) => Some(head.message_id),
                    None => row.get(4)?,
                };
                if let Some(head) = head
                    && newest.as_ref().is_none_or(|(newest, _)| head > *newest)
                {
                    newest = Some((head, read(row)?));
                }
                Ok(())
            })?;
        let newest = newest.map(|(_, target)| target);
        if with_agent
            && chats == 1
            && let Some(chat) = &newest
        {
            let has_written = self.has_written();
            self.cache.put_direct_chat(user, chat.clone(), has_written);
        }
        Ok(newest)
    }

    /// Starts a session of an app in a room, unless one is running. An app's session has no turns,
    /// so it ends after the time that a superpower's session may be idle.
    pub fn start_app_session(
        &self,
        session_id: &str,
        app_id: &str,
        user: UserId,
        room: RoomId,
        now: Timestamp,
    ) -> Result<()> {
        self.run(
            "INSERT INTO miniapp_sessions (session_id, user_id, room_id, app_id, state, started_at)
             SELECT ?1, ?3, ?4, ?2, 'active', ?5 WHERE NOT EXISTS
               (SELECT 1 FROM miniapp_sessions
                WHERE room_id = ?4 AND app_id = ?2 AND state = 'active' AND started_at > ?6)",
            (
                session_id,
                app_id,
                user,
                room,
                now,
                now.0 - SESSION_QUIET_MS,
            ),
        )
    }

    /// Ends expired sessions; true when there may be more.
    pub(super) fn end_app_sessions(&self, now: Timestamp) -> Result<bool> {
        let ended = self.execute(
            "UPDATE miniapp_sessions SET state = 'ended', ended_at = started_at + ?2
             WHERE id IN (SELECT id FROM miniapp_sessions
                          WHERE state = 'active' AND last_at IS NULL AND started_at <= ?1 - ?2
                          LIMIT ?3)",
            (now, SESSION_QUIET_MS, ENDED_AT_ONCE_MAX),
        )?;
        Ok(ended as i64 >= ENDED_AT_ONCE_MAX)
    }
}

impl View<'_> {
    /// Whether the user has a direct chat that takes commands.
    pub fn has_direct_chat(&self, user: UserId) -> Result<bool> {
        self.one(
            "SELECT EXISTS (SELECT 1 FROM rooms
             WHERE owner_id = ?1 AND mode = 'direct' AND agent_id IS NOT NULL
               AND instr(chat_guid, ?2) = 0)",
            (user, FORMER),
        )
    }

    /// The room of that name, if the user is a member or its owner.
    pub fn room_to_manage(&self, chat_guid: &str, user: UserId) -> Result<Option<RoomId>> {
        if !is_relay_name(chat_guid) {
            return Ok(None);
        }
        self.find(
            &format!(
                "SELECT id FROM rooms WHERE chat_guid = ?1 AND (owner_id = ?2 OR {TAKES_PART})"
            ),
            (chat_guid, user),
        )
    }

    /// A room's apps, oldest first.
    pub fn room_apps(&self, room: RoomId) -> Result<Vec<RoomApp>> {
        self.all(
            &format!(
                "SELECT apps.app_id, name, description, installed_at, iif({INSTALLER_TAKES_PART},
                   (SELECT phone FROM users WHERE users.id = installed_by), NULL)
                 FROM app_rooms JOIN rooms ON rooms.id = room_id JOIN apps ON apps.id = app_rooms.app_id
                 WHERE room_id = ?1 ORDER BY app_rooms.id"
            ),
            [room],
        )
    }
}

from_row!(ChatTarget: room, chat_guid, agent, group);
from_row!(RoomApp: app_id, name, description, installed_at, installed_by);
