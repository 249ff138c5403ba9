//! What a restore carries over from the current database into the copy of a backup: people's
//! requests and revoked access since the backup was made. The current database is attached as
//! `present`; only the copy is written.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::Connection;

use super::super::webhook_events;

/// One kind of carried-over rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedRows {
    /// The key for programs.
    pub key: &'static str,
    /// The text for people, followed by a count.
    pub what: &'static str,
    /// Changed rows of the copy.
    pub count: usize,
}

/// The key and the text of what is reported, and the SQL statement; `None`: it only keeps the copy
/// consistent. `?1` is the newest time that the backup knows. Later statements rely on earlier ones.
const RULES: &[(Option<(&str, &str)>, &str)] = &[
    (
        Some(("deletion_requests", "deletions of accounts, asked for or taken back")),
        "UPDATE main.users SET deletion_requested_at = iif(p.deletion_scheduled_for IS NULL, NULL,
             coalesce(p.deletion_requested_at, p.deletion_scheduled_for)),
           deletion_scheduled_for = p.deletion_scheduled_for
         FROM present.users AS p
         WHERE p.user_id = users.user_id
           AND p.deletion_scheduled_for IS NOT users.deletion_scheduled_for",
    ),
    (
        // Deletion is due at once, without another notification.
        Some(("erased_accounts", "erased accounts")),
        "UPDATE main.users SET deletion_requested_at = 0, deletion_scheduled_for = 0, email = NULL
         WHERE user_id IN (SELECT user_id FROM present.erased_users)",
    ),
    (
        // Ids of erased accounts.
        None,
        "INSERT OR IGNORE INTO main.erased_users (user_id, erased_at)
         SELECT user_id, erased_at FROM present.erased_users",
    ),
    (
        Some(("used_registrations", "registration tokens of relays that were used")),
        "INSERT OR IGNORE INTO main.used_registrations (nonce, expires_at)
         SELECT nonce, expires_at FROM present.used_registrations",
    ),
    (
        // The key of the digests of erased identities. A backup has the same key or none.
        None,
        "INSERT INTO main.meta (key, value)
         SELECT key, value FROM present.meta WHERE key = 'identity_digest_key'
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    ),
    (
        // Digests of erased identities.
        None,
        "INSERT INTO main.erased_identities (identity, erased_at)
         SELECT identity, erased_at FROM present.erased_identities WHERE true
         ON CONFLICT (identity) DO UPDATE SET erased_at = max(erased_at, excluded.erased_at)",
    ),
    (
        Some(("revoked_agents", "relays whose tokens were revoked")),
        "INSERT INTO main.agents (agent_id, tokens_valid_from_s, created_at)
         SELECT agent_id, tokens_valid_from_s, created_at FROM present.agents
         WHERE tokens_valid_from_s IS NOT NULL
         ON CONFLICT (agent_id) DO UPDATE SET tokens_valid_from_s = excluded.tokens_valid_from_s
         WHERE excluded.tokens_valid_from_s > coalesce(agents.tokens_valid_from_s, 0)",
    ),
    (
        // Rows of the audit trail.
        // Rows with equal content are stored once.
        None,
        "INSERT INTO main.audit (at, operator, address, action, subject, before, after)
         SELECT at, operator, address, action, subject, before, after FROM present.audit
         WHERE at >= ?1
         EXCEPT SELECT at, operator, address, action, subject, before, after FROM main.audit",
    ),
    (
        Some(("deleted_webhooks", "deleted webhooks")),
        "DELETE FROM main.webhooks WHERE
           webhook_id IN (SELECT target FROM present.ended_access WHERE kind = 'webhook')
           OR app_id IN (SELECT id FROM main.apps WHERE app_id IN
               (SELECT target FROM present.ended_access WHERE kind = 'app'))",
    ),
    (
        // Calls of deleted webhooks.
        None,
        "DELETE FROM main.webhook_events WHERE webhook_id NOT IN (SELECT id FROM main.webhooks)",
    ),
    (
        Some(("removed_installations", "apps removed from rooms")),
        "DELETE FROM main.app_rooms WHERE EXISTS
           (SELECT 1 FROM main.apps AS a, main.rooms AS r, present.ended_access AS e
            WHERE a.id = app_rooms.app_id AND r.id = app_rooms.room_id
              AND (e.kind = 'app' AND e.target = a.app_id
                OR e.kind = 'installation' AND e.ended_at >= app_rooms.installed_at
                  AND e.target = a.app_id || ' ' || r.id || ' ' || r.created_at
                  AND NOT EXISTS (SELECT 1 FROM present.app_rooms AS i
                    JOIN present.apps AS pa ON pa.id = i.app_id
                    WHERE pa.app_id = a.app_id AND i.room_id = r.id)))",
    ),
    (
        // Rooms whose members changed.
        // A list that differs is written again with the next message.
        None,
        "UPDATE main.rooms SET members = zeroblob(length(members))
         WHERE EXISTS (SELECT 1 FROM present.rooms AS p
           WHERE p.chat_guid = rooms.chat_guid AND p.members <> rooms.members)",
    ),
    (
        Some(("removed_members", "members removed from rooms")),
        "DELETE FROM main.room_members WHERE EXISTS
           (SELECT 1 FROM main.rooms AS r JOIN present.rooms AS p ON p.chat_guid = r.chat_guid
            WHERE r.id = room_members.room_id AND NOT EXISTS
              (SELECT 1 FROM present.room_members AS m
               WHERE m.room_id = p.id AND m.handle = room_members.handle))",
    ),
    (
        // Commands for chats that became groups.
        // Commands waiting for the chat belong to one person and must not be sent to the group.
        None,
        "UPDATE main.commands SET state = 'expired', finished_at = created_at
         WHERE (state = 'queued' OR state = 'sent' OR state = 'received' OR state = 'executing') AND app_creator_id IS NULL
           AND room_id IN (SELECT r.id FROM main.rooms AS r
             JOIN present.rooms AS p ON p.chat_guid = r.chat_guid
             WHERE r.mode = 'direct' AND p.mode = 'group')",
    ),
    (
        // Apps in chats that became groups.
        None,
        "DELETE FROM main.app_rooms WHERE room_id IN
           (SELECT r.id FROM main.rooms AS r JOIN present.rooms AS p ON p.chat_guid = r.chat_guid
            WHERE r.mode = 'direct' AND p.mode = 'group')",
    ),
    (
        // Like `Tx::end_direct_chat`; `FORMER` of rooms.rs is between name and id.
        Some(("former_direct_chats", "direct chats that became groups")),
        "UPDATE main.rooms SET chat_guid = chat_guid || char(1) || 'direct ' || id, agent_id = NULL
         WHERE mode = 'direct' AND EXISTS (SELECT 1 FROM present.rooms AS p
           WHERE p.chat_guid = rooms.chat_guid AND p.mode = 'group')",
    ),
    (
        Some(("deleted_apps", "deleted apps")),
        "DELETE FROM main.apps
         WHERE app_id IN (SELECT target FROM present.ended_access WHERE kind = 'app')",
    ),
    (
        Some(("deactivated_webhooks", "webhooks switched off")),
        "UPDATE main.webhooks SET is_active = 0, version = max(webhooks.version, p.version) + 1
         FROM present.webhooks AS p
         WHERE p.webhook_id = webhooks.webhook_id AND p.updated_at > webhooks.updated_at
           AND webhooks.is_active = 1 AND p.is_active = 0",
    ),
    (
        // Changing a scheme invalidated the signatures of the other scheme.
        Some(("webhook_secrets", "webhook secrets and schemes")),
        "UPDATE main.webhooks SET secret = p.secret, scheme = p.scheme,
           version = max(webhooks.version, p.version) + 1
         FROM present.webhooks AS p
         WHERE p.webhook_id = webhooks.webhook_id AND p.updated_at > webhooks.updated_at
           AND (p.secret <> webhooks.secret OR p.scheme <> webhooks.scheme)",
    ),
    (
        // Times of webhooks.
        None,
        "UPDATE main.webhooks SET updated_at = p.updated_at FROM present.webhooks AS p
         WHERE p.webhook_id = webhooks.webhook_id AND p.updated_at > webhooks.updated_at",
    ),
    (
        Some(("webhook_deliveries", "calls of webhooks that count once")),
        "INSERT OR IGNORE INTO main.webhook_deliveries (delivery, created_at)
         SELECT delivery, created_at FROM present.webhook_deliveries ORDER BY id",
    ),
    (
        Some(("ended_grants", "grants that were taken back or cut short")),
        "UPDATE main.users SET granted_plan = p.granted_plan, granted_until = p.granted_until
         FROM present.users AS p
         JOIN present.ended_access AS e ON e.kind = 'grant' AND e.target = p.user_id
         WHERE p.user_id = users.user_id AND e.ended_at >= ?1 AND users.granted_plan IS NOT NULL
           AND (p.granted_plan IS NULL
             OR coalesce(p.granted_until, 9e18) < coalesce(users.granted_until, 9e18))",
    ),
    (
        Some(("flags", "feature flags that were set")),
        "INSERT INTO main.flag_overrides (key, value, set_at, set_by, expires_at)
         SELECT key, value, set_at, set_by, expires_at FROM present.flag_overrides WHERE true
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, set_at = excluded.set_at,
           set_by = excluded.set_by, expires_at = excluded.expires_at
         WHERE excluded.set_at > flag_overrides.set_at",
    ),
    (
        Some(("unset_flags", "feature flags that were unset")),
        "DELETE FROM main.flag_overrides
         WHERE key NOT IN (SELECT key FROM present.flag_overrides) AND EXISTS
           (SELECT 1 FROM present.ended_access AS e
            WHERE e.kind = 'flag' AND e.target = flag_overrides.key
              AND e.ended_at >= flag_overrides.set_at)",
    ),
    (
        // Changes of calendars, which may have been carried out since.
        None,
        "DELETE FROM main.calendar_changes",
    ),
    (
        // Facts of disconnected mailboxes.
        None,
        "DELETE FROM main.mail_facts WHERE service_id IN (SELECT id FROM main.connected_services WHERE service_id IN
           (SELECT target FROM present.ended_access WHERE kind = 'service'))",
    ),
    (
        // Mails of disconnected mailboxes.
        None,
        "DELETE FROM main.mail_items WHERE service_id IN (SELECT id FROM main.connected_services WHERE service_id IN
           (SELECT target FROM present.ended_access WHERE kind = 'service'))",
    ),
    (
        // Events of disconnected calendars.
        None,
        "DELETE FROM main.calendar_events WHERE calendar_id IN
           (SELECT id FROM main.calendars WHERE service_id IN (SELECT id FROM main.connected_services WHERE service_id IN
             (SELECT target FROM present.ended_access WHERE kind = 'service')))",
    ),
    (
        // Calendars of disconnected services.
        None,
        "DELETE FROM main.calendars WHERE service_id IN (SELECT id FROM main.connected_services WHERE service_id IN
           (SELECT target FROM present.ended_access WHERE kind = 'service'))",
    ),
    (
        Some(("disconnected_services", "services that were disconnected")),
        "DELETE FROM main.connected_services WHERE service_id IN
           (SELECT target FROM present.ended_access WHERE kind = 'service')",
    ),
    (
        // Links to connect services.
        None,
        "DELETE FROM main.connect_links",
    ),
    (
        // Notes of ended access.
        None,
        "INSERT INTO main.ended_access (kind, target, ended_at)
         SELECT kind, target, ended_at FROM present.ended_access WHERE true
         ON CONFLICT (kind, target) DO UPDATE SET ended_at = excluded.ended_at",
    ),
];

/// Changes the copy behind `conn`. Changes nothing when the current database can't be read.
pub(in crate::store) fn carry_over(
    conn: &mut Connection,
    present: &Path,
    as_of: i64,
) -> rusqlite::Result<Vec<CarriedRows>> {
    let path = present.as_os_str().as_bytes();
    conn.execute("ATTACH CAST(?1 AS TEXT) AS present", [path])?;
    let carried = apply(conn, as_of);
    conn.execute("DETACH present", [])?;
    carried
}

fn apply(conn: &mut Connection, as_of: i64) -> rusqlite::Result<Vec<CarriedRows>> {
    let tx = conn.transaction()?;
    webhook_events::move_into_rings(&tx)?;
    let mut carried = Vec::new();
    for (reported, sql) in RULES {
        let mut statement = tx.prepare(sql)?;
        let count = match statement.parameter_count() {
            0 => statement.execute([])?,
            _ => statement.execute([as_of])?,
        };
        carried.extend(reported.map(|(key, what)| CarriedRows { key, what, count }));
    }
    tx.commit()?;
    Ok(carried)
}
