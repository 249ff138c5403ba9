//! Erasing, the main part: removes the rows of an account being erased, a bounded number per
//! transaction, so that no message waits long. Two lists name the tables with personal data.

use super::erasures::Erasure;
use super::{AgentId, CommandState, RoomId, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::redaction;

/// Rows removed from one table in one transaction.
const ROWS_MAX: i64 = 500;
/// Relay events scanned in one transaction.
const EVENTS_MAX: i64 = 2_000;
/// Commands ended and removed in one transaction.
const COMMANDS_MAX: i64 = 500;

/// Tables whose rows belong to one user. ?1 is the user's id, ?2 the maximum number of rows. Every
/// new table with a user needs a line here.
#[rustfmt::skip] // one line per table
const USER_TABLES: &[(&str, &str)] = &[
    ("reminders", "DELETE FROM reminders WHERE id IN (SELECT id FROM reminders WHERE user_id = ?1 LIMIT ?2)"),
    ("dialogs", "DELETE FROM dialogs WHERE (room_id, user_id) IN (SELECT room_id, user_id FROM dialogs WHERE user_id = ?1 LIMIT ?2)"),
    ("removed_items", "DELETE FROM removed_items WHERE id IN (SELECT id FROM removed_items WHERE user_id = ?1 OR removed_by = ?1 LIMIT ?2)"),
    ("memories", "DELETE FROM memories WHERE id IN (SELECT id FROM memories WHERE user_id = ?1 LIMIT ?2)"),
    ("usage_days", "DELETE FROM usage_days WHERE (user_id, day) IN (SELECT user_id, day FROM usage_days WHERE user_id = ?1 LIMIT ?2)"),
    ("identities", "DELETE FROM identities WHERE (issuer, subject) IN (SELECT issuer, subject FROM identities WHERE user_id = ?1 LIMIT ?2)"),
    ("personality_profiles", "DELETE FROM personality_profiles WHERE user_id IN (SELECT user_id FROM personality_profiles WHERE user_id = ?1 LIMIT ?2)"),
    ("traits", "DELETE FROM traits WHERE id IN (SELECT id FROM traits WHERE user_id = ?1 LIMIT ?2)"),
    ("relationships", "DELETE FROM relationships WHERE id IN (SELECT id FROM relationships WHERE user_id = ?1 LIMIT ?2)"),
    ("mail_facts", "DELETE FROM mail_facts WHERE id IN (SELECT id FROM mail_facts WHERE user_id = ?1 LIMIT ?2)"),
    ("mail_items", "DELETE FROM mail_items WHERE id IN (SELECT id FROM mail_items WHERE user_id = ?1 LIMIT ?2)"),
    ("calendar_events", "DELETE FROM calendar_events WHERE id IN (SELECT id FROM calendar_events WHERE user_id = ?1 LIMIT ?2)"),
    ("calendar_changes", "DELETE FROM calendar_changes WHERE id IN (SELECT id FROM calendar_changes WHERE user_id = ?1 LIMIT ?2)"),
    ("calendars", "DELETE FROM calendars WHERE id IN (SELECT id FROM calendars WHERE user_id = ?1 LIMIT ?2)"),
    ("connect_links", "DELETE FROM connect_links WHERE token_digest IN (SELECT token_digest FROM connect_links WHERE user_id = ?1 LIMIT ?2)"),
    ("connected_services", "DELETE FROM connected_services WHERE id IN (SELECT id FROM connected_services WHERE user_id = ?1 LIMIT ?2)"),
    ("miniapp_sessions", "DELETE FROM miniapp_sessions WHERE id IN (SELECT id FROM miniapp_sessions WHERE user_id = ?1 LIMIT ?2)"),
    ("subscriptions", "DELETE FROM subscriptions WHERE id IN (SELECT id FROM subscriptions WHERE user_id = ?1 LIMIT ?2)"),
    ("provider_tasks", "DELETE FROM provider_tasks WHERE id IN (SELECT id FROM provider_tasks WHERE user_id = ?1 LIMIT ?2)"),
    ("provider_keys", "DELETE FROM provider_keys WHERE (user_id, operation) IN (SELECT user_id, operation FROM provider_keys WHERE user_id = ?1 LIMIT ?2)"),
    ("memory_tasks", "DELETE FROM memory_tasks WHERE id IN (SELECT id FROM memory_tasks WHERE user_id = ?1 LIMIT ?2)"),
    ("power_states", "DELETE FROM power_states WHERE id IN (SELECT id FROM power_states WHERE user_id = ?1 LIMIT ?2)"),
    ("power_alarms", "DELETE FROM power_alarms WHERE (user_id, power) IN (SELECT user_id, power FROM power_alarms WHERE user_id = ?1 LIMIT ?2)"),
    // What others did last in a group may quote the account's reminders.
    ("dialogs", "UPDATE dialogs SET latest = NULL, latest_at = NULL WHERE (room_id, user_id) IN (SELECT d.room_id, d.user_id FROM room_authors AS a JOIN dialogs AS d ON d.room_id = a.room_id WHERE a.user_id = ?1 AND d.user_id <> ?1 AND d.latest IS NOT NULL LIMIT ?2)"),
    ("room_authors", "DELETE FROM room_authors WHERE (user_id, room_id) IN (SELECT user_id, room_id FROM room_authors WHERE user_id = ?1 LIMIT ?2)"),
    ("app_rooms", "DELETE FROM app_rooms WHERE id IN (SELECT id FROM app_rooms WHERE installed_by = ?1 LIMIT ?2)"),
    ("topups", "DELETE FROM topups WHERE session_id IN (SELECT session_id FROM topups WHERE user_id = ?1 LIMIT ?2)"),
];

/// Tables whose rows belong to one room, for a room that is removed. ?1 is the room.
#[rustfmt::skip] // one line per table
const ROOM_TABLES: &[(&str, &str)] = &[
    ("app_rooms", "DELETE FROM app_rooms WHERE room_id = ?1"),
    ("power_states", "DELETE FROM power_states WHERE room_id = ?1"),
    ("power_alarms", "DELETE FROM power_alarms WHERE room_id = ?1"),
    ("miniapp_sessions", "DELETE FROM miniapp_sessions WHERE room_id = ?1"),
    ("dialogs", "DELETE FROM dialogs WHERE room_id = ?1"),
    ("connect_links", "DELETE FROM connect_links WHERE room_id = ?1"),
    ("removed_items", "DELETE FROM removed_items WHERE room_id = ?1"),
    ("room_members", "DELETE FROM room_members WHERE room_id = ?1"),
    ("room_authors", "DELETE FROM room_authors WHERE room_id = ?1"),
    ("room_heads", "DELETE FROM room_heads WHERE room_id = ?1"),
    ("rooms", "DELETE FROM rooms WHERE id = ?1"),
];

/// The result of one transaction.
#[derive(Debug, Default)]
pub struct ErasureStep {
    /// Commands that the step ended before they were finished: agent and seq.
    pub ended: Vec<(AgentId, u64)>,
    /// Only the ledger and the tombstone are left.
    pub done: bool,
}

impl Tx<'_> {
    /// Removes some of an account's rows. Call this until it is done, each time with the current
    /// ledger.
    pub fn erase_some_rows(&mut self, erasure: &Erasure, now: Timestamp) -> Result<ErasureStep> {
        self.settle_deferred()?;
        let mut erased = ErasureStep::default();
        let more = self.erase_commands(erasure, now, &mut erased)?
            || self.erase_events(erasure)?
            || self.erase_in_rooms(erasure, now, &mut erased)?
            || self.erase_from_tables(erasure.user)?
            || self.erase_limit_uses(erasure)?;
        if !more {
            self.cache.erased_words = None;
            self.forget_commands_looked_through(erasure.user)?;
            self.cut_statuses()?;
            if let Some(phone) = &erasure.phone {
                self.erase_from_audit(phone)?;
            }
            self.erase_user(erasure.user)?;
            self.end_rows(erasure.user, now)?;
            erased.done = true;
        }
        Ok(erased)
    }

    /// First the unfinished ones, so that none is sent any more; then all are looked through.
    fn erase_commands(
        &mut self,
        erasure: &Erasure,
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<bool> {
        let after = self.commands_looked_through(erasure.user)?;
        // Commands to other people's direct chats belong to them, but contain the app creator's
        // text.
        let unfinished = "SELECT agent_id, seq, id FROM commands INDEXED BY commands_unfinished
                          WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing')
                            AND (user_id = ?1 OR app_creator_id = ?1) LIMIT ?2";
        if after.is_none() {
            let found: Vec<(AgentId, i64, i64)> =
                self.all(unfinished, (erasure.user, COMMANDS_MAX))?;
            for (agent, seq, id) in &found {
                self.end_and_erase((*agent, *seq as u64, *id), now, erased)?;
            }
            if !found.is_empty() {
                return Ok(true);
            }
        }
        self.look_through_commands(erasure, after.unwrap_or(0), now, &mut erased.ended)
    }

    /// Ends commands never handed out in a room that is removed. The outbox is bounded.
    fn erase_waiting_commands(
        &mut self,
        room: RoomId,
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<()> {
        for command in self.unfinished_in(room) {
            let sql = "SELECT state = 'queued' FROM commands WHERE id = ?1";
            if self.one(sql, [command.2])? {
                self.end_and_erase(command, now, erased)?;
            }
        }
        Ok(())
    }

    /// Agent, seq and row of the command.
    fn end_and_erase(
        &mut self,
        (agent, seq, id): (AgentId, u64, i64),
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<()> {
        if self.finish_command(agent, seq, CommandState::Expired, None, now)? {
            erased.ended.push((agent, seq));
        }
        self.run("DELETE FROM commands WHERE id = ?1", [id])
    }

    /// Removes relay events of the user's direct chats, or with the phone number. Events have no
    /// index, so they are scanned once, in steps. True when there are more.
    fn erase_events(&self, erasure: &Erasure) -> Result<bool> {
        let first: Option<i64> = self.one("SELECT min(id) FROM edge_events", [])?;
        let last: Option<i64> = self.one("SELECT max(id) FROM edge_events", [])?;
        let (Some(first), Some(last)) = (first, last) else {
            return Ok(false);
        };
        let after = erasure.event_id.max(first - 1);
        if after >= last {
            return Ok(false);
        }
        let to = last.min(after + EVENTS_MAX);
        self.run(
            "DELETE FROM edge_events WHERE id > ?1 AND id <= ?2 AND received_at <= ?3
             AND (thread_id IN (SELECT chat_guid FROM rooms WHERE owner_id = ?4 AND mode = 'direct')
               OR instr(thread_id, ?5) OR instr(details, ?6))",
            (
                after,
                to,
                erasure.started_at,
                erasure.user,
                erasure.phone.as_deref().map(redaction::core),
                erasure.phone.as_deref().map(redaction::core),
            ),
        )?;
        // Events of a group may quote anybody in it.
        self.run(
            "UPDATE edge_events SET details = NULL WHERE id > ?1 AND id <= ?2 AND received_at <= ?3
             AND thread_id IN (SELECT chat_guid FROM room_authors JOIN rooms ON rooms.id = room_id
                               WHERE user_id = ?4)",
            (after, to, erasure.started_at, erasure.user),
        )?;
        self.set_event_looked_at(erasure.user, to)?;
        Ok(true)
    }

    /// Reduces relay statuses from before only numbers were stored. There is one row per agent.
    fn cut_statuses(&self) -> Result<()> {
        self.run(
            "UPDATE agents SET status =
               (SELECT json_group_object(key, value) FROM json_each(agents.status)
                WHERE key IN ('uptime_seconds', 'scheduled_messages', 'active_rules')
                  AND type IN ('integer', 'real'))
             WHERE json_valid(status)",
            (),
        )
    }

    fn erase_from_tables(&self, user: UserId) -> Result<bool> {
        let mut more = false;
        for (_, delete) in USER_TABLES {
            more |= self.execute(delete, (user, ROWS_MAX))? as i64 >= ROWS_MAX;
        }
        Ok(more)
    }

    /// Removes counted uses of limits for the phone number or the id.
    fn erase_limit_uses(&self, erasure: &Erasure) -> Result<bool> {
        let subjects = [erasure.phone.as_ref(), Some(&erasure.user_id)];
        let mut more = false;
        for subject in subjects.into_iter().flatten() {
            let removed = self.execute(
                "DELETE FROM limit_uses WHERE (kind, subject, used_at) IN
                 (WITH RECURSIVE kinds(kind) AS (SELECT min(kind) FROM limit_uses UNION ALL
                    SELECT (SELECT min(kind) FROM limit_uses WHERE kind > kinds.kind)
                    FROM kinds WHERE kind IS NOT NULL)
                  SELECT kind, subject, used_at FROM limit_uses
                  WHERE kind IN (SELECT kind FROM kinds) AND subject = ?1 LIMIT ?2)",
                (subject, ROWS_MAX),
            )?;
            more |= removed as i64 >= ROWS_MAX;
        }
        Ok(more)
    }

    /// Removes the user's row. Its id is not reused, because memory may still refer to it.
    fn erase_user(&self, user: UserId) -> Result<()> {
        let last = self.meta_number("last_user_id")?.unwrap_or(0);
        self.set_meta_number("last_user_id", last.max(user.0))?;
        self.run("DELETE FROM users WHERE id = ?1", [user])
    }

    /// Removes a room whose messages are gone.
    pub(super) fn erase_room(
        &mut self,
        room: RoomId,
        chat_guid: &str,
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<()> {
        for author in self.authors(room)? {
            self.run(
                "DELETE FROM reminders WHERE user_id = ?1 AND room_id = ?2",
                (author, room),
            )?;
            self.cache.authors.remove(&(author, room));
        }
        self.erase_waiting_commands(room, now, erased)?;
        for (_, delete) in ROOM_TABLES {
            self.run(delete, [room])?;
        }
        self.forget_room(chat_guid);
        Ok(())
    }

    pub(super) fn authors(&self, room: RoomId) -> Result<Vec<UserId>> {
        self.all(
            "SELECT user_id FROM room_authors WHERE room_id = ?1",
            [room],
        )
    }

    pub(super) fn forget_room(&mut self, chat_guid: &str) {
        self.cache.touched = true;
        self.cache.rooms.remove(chat_guid);
        self.cache.direct_chats.clear();
    }
}
