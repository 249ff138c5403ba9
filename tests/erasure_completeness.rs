//! No table is forgotten: every one with a column that leads to a person stands in the list
//! below, with how the purge empties it and where the export has it; and a database with a
//! row of theirs in each holds nothing of them after a purge.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use chatkeep::account::erasure::PurgeRun;
use chatkeep::clock::{Clock, Timestamp};
use rusqlite::Connection;
use support::{Service, direct, eventually, get, group, request};

const PHONE: &str = "+15550177";
const EMAIL: &str = "gone@example.com";
const TEXT: &str = "quixotic";
const USER_ID: &str = "7d1f7e0c-3f0e-4a55-9c58-0f6a0c0ffee1";

/// Where a person finds it in an export.
enum ExportPlace {
    /// The field of the file.
    In(&'static str),
    /// Why it is not in it.
    Not(&'static str),
}
use ExportPlace::{In, Not};

struct Table {
    name: &'static str,
    /// Columns that lead to a person, directly or over a room or a message of theirs.
    links: &'static [&'static str],
    /// How a purge empties it.
    emptied: &'static str,
    exported: ExportPlace,
    /// Makes a row of theirs; {user} is the number, {room} a group. Empty: messages make it.
    fill: &'static str,
    /// Counts what is left of theirs.
    left: &'static str,
}

const EXPIRES: ExportPlace = Not("digests that expire by themselves");
const FETCHED: ExportPlace =
    Not("fetched from the person's own calendar or mailbox, where it stands");
const INTERNAL: ExportPlace = Not("how the service keeps its word, nothing about the person");

#[rustfmt::skip] // a table
const TABLES: &[Table] = &[
    Table { name: "users", links: &["user_id", "phone", "email", "customer_id"], emptied: "the last row to go", exported: In("profile"),
        fill: "", left: "SELECT count(*) FROM users WHERE id = {user}" },
    Table { name: "rooms", links: &["owner_id", "chat_guid"], emptied: "direct chats as a whole, groups pass to another author", exported: Not("each message names its chat"),
        fill: "", left: "SELECT count(*) FROM rooms WHERE owner_id = {user} OR chat_guid LIKE '%{phone}%'" },
    Table { name: "audit", links: &["subject"], emptied: "the name becomes 'erased'", exported: Not("what operators did"),
        fill: "INSERT INTO audit (at, operator, action, subject) VALUES (0, '{phone}', 'relay_tokens.revoke', '{phone}')", left: "SELECT count(*) FROM audit WHERE '{phone}' IN (subject, operator)" },
    Table { name: "room_members", links: &["handle", "room_id"], emptied: "with each room", exported: Not("the chats somebody wrote in stand with their messages"),
        fill: "", left: "SELECT count(*) FROM room_members WHERE handle = '{phone}'" },
    Table { name: "room_heads", links: &["room_id", "message_id"], emptied: "points at what others wrote, or goes", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM room_heads WHERE message_id NOT IN (SELECT id FROM messages)" },
    Table { name: "messages", links: &["user_id", "room_id", "sender"], emptied: "taken out of the rooms' chains", exported: In("messages"),
        fill: "", left: "SELECT count(*) FROM messages WHERE user_id = {user} OR sender = '{phone}' OR context LIKE '%{phone}%'" },
    Table { name: "room_authors", links: &["user_id", "room_id"], emptied: "with each room", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM room_authors WHERE user_id = {user}" },
    Table { name: "usage_days", links: &["user_id"], emptied: "by user", exported: Not("counts of the messages, which are in the file themselves"),
        fill: "", left: "SELECT count(*) FROM usage_days WHERE user_id = {user}" },
    Table { name: "idempotency_keys", links: &["message_id"], emptied: "with each message", exported: EXPIRES,
        fill: "", left: "SELECT count(*) FROM idempotency_keys WHERE message_id NOT IN (SELECT id FROM messages)" },
    Table { name: "undelivered_answers", links: &["message_id"], emptied: "with each message", exported: EXPIRES,
        fill: "INSERT INTO undelivered_answers (request, message_id, created_at) SELECT zeroblob(32), id, received_at FROM messages WHERE user_id = {user} LIMIT 1",
        left: "SELECT count(*) FROM undelivered_answers WHERE message_id NOT IN (SELECT id FROM messages)" },
    Table { name: "commands", links: &["user_id", "room_id", "app_creator_id"], emptied: "ended first, then all looked through", exported: Not("what relays were told: replies stand with the messages, reminders by themselves"),
        fill: "INSERT INTO commands (agent_id, seq, command_id, room_id, kind, payload, state, created_at, expires_at, user_id)
               SELECT 1, 1000, 'c', {room}, 'send_message_now', '{\"text\":\"quixotic\"}', 'completed', 1, 1, {user}",
        left: "SELECT count(*) FROM commands WHERE user_id = {user}" },
    Table { name: "edge_events", links: &["thread_id"], emptied: "those of direct chats, or with the phone in them", exported: INTERNAL,
        fill: "INSERT INTO edge_events (agent_id, event_id, event_type, thread_id, details, received_at) VALUES (1, 'e', 'error', 'chat;{phone}', '\"quixotic\"', 1)",
        left: "SELECT count(*) FROM edge_events WHERE thread_id LIKE '%{phone}%'" },
    Table { name: "reminders", links: &["user_id", "room_id", "message_id"], emptied: "by user", exported: In("reminders"),
        fill: "", left: "SELECT count(*) FROM reminders WHERE user_id = {user}" },
    Table { name: "dialogs", links: &["user_id", "room_id"], emptied: "by user", exported: Not("what short messages refer to for some minutes; the reminders and memories meant stand by themselves"),
        fill: "INSERT INTO dialogs (room_id, user_id, question, asked_at, used_at) VALUES ({room}, {user}, '\"quixotic\"', 1, 4000000000000)",
        left: "SELECT count(*) FROM dialogs WHERE user_id = {user}" },
    Table { name: "removed_items", links: &["user_id", "room_id", "message_id"], emptied: "by user, whose it was or who took it away", exported: Not("what the person took away, for the minutes in which it can come back"),
        fill: "INSERT INTO removed_items (user_id, removed_by, kind, item, removed_at) VALUES ({user}, {user}, 'memory', '\"quixotic\"', 4000000000000)",
        left: "SELECT count(*) FROM removed_items WHERE {user} IN (user_id, removed_by)" },
    Table { name: "memories", links: &["user_id"], emptied: "by user", exported: In("memories"),
        fill: "", left: "SELECT count(*) FROM memories WHERE user_id = {user}" },
    Table { name: "limit_uses", links: &["subject"], emptied: "by phone and by id", exported: EXPIRES,
        fill: "INSERT INTO limit_uses VALUES ('exports', '{user_id}', 1, 1), ('photos', '{phone}', 1, 1), ('photos', 'x', 1, 1)",
        left: "SELECT count(*) FROM limit_uses WHERE subject IN ('{user_id}', '{phone}')" },
    Table { name: "identities", links: &["subject", "user_id"], emptied: "at once", exported: Not("the identity provider's own name for the person"),
        fill: "INSERT INTO identities VALUES ('https://id.example.com', 'quixotic', {user}, 1)",
        left: "SELECT count(*) FROM identities WHERE user_id = {user}" },
    Table { name: "personality_profiles", links: &["user_id"], emptied: "by user", exported: In("personality_profile"),
        fill: "INSERT INTO personality_profiles (user_id, top_interests) VALUES ({user}, '[\"quixotic\"]')",
        left: "SELECT count(*) FROM personality_profiles WHERE user_id = {user}" },
    Table { name: "traits", links: &["user_id"], emptied: "by user", exported: In("traits"),
        fill: "INSERT INTO traits (user_id, name, category, confidence, strength, created_at) VALUES ({user}, 'quixotic', 'c', 1, 1, 1)",
        left: "SELECT count(*) FROM traits WHERE user_id = {user}" },
    Table { name: "relationships", links: &["user_id"], emptied: "by user", exported: In("relationships"),
        fill: "INSERT INTO relationships (user_id, persona_id, trust_score, rapport_score, stage, updated_at) VALUES ({user}, 'p', 1, 1, 'quixotic', 1)",
        left: "SELECT count(*) FROM relationships WHERE user_id = {user}" },
    Table { name: "connected_services", links: &["user_id"], emptied: "by user", exported: In("connected_services"),
        fill: "INSERT INTO connected_services (id, service_id, user_id, kind, name, scope, host, credentials, connected_at) VALUES (1, 'quixotic', {user}, 'imap', 'quixotic', 'mail.read', 'quixotic', CAST('quixotic' AS BLOB), 1)",
        left: "SELECT count(*) FROM connected_services WHERE user_id = {user}" },
    Table { name: "connect_links", links: &["user_id", "room_id"], emptied: "by user", exported: EXPIRES,
        fill: "INSERT INTO connect_links (token_digest, user_id, room_id, kind, created_at, expires_at) VALUES (x'01', {user}, {room}, 'mail', 1, 4000000000000)",
        left: "SELECT count(*) FROM connect_links WHERE user_id = {user}" },
    Table { name: "calendars", links: &["user_id"], emptied: "by user", exported: FETCHED,
        fill: "INSERT INTO calendars (id, calendar_id, service_id, user_id, path, name) VALUES (1, 'quixotic', 1, {user}, 'quixotic', 'quixotic')",
        left: "SELECT count(*) FROM calendars WHERE user_id = {user}" },
    Table { name: "calendar_changes", links: &["user_id"], emptied: "by user", exported: Not("changes on their way to the person's own calendar server, for minutes"),
        fill: "INSERT INTO calendar_changes (user_id, calendar_id, change, done, due_at, created_at) VALUES ({user}, 1, '{\"add\":{\"uid\":\"q\",\"title\":\"quixotic\",\"time\":{\"clock\":\"zoned\",\"starts_at\":\"2030-01-01T00:00:00.000Z\",\"ends_at\":\"2030-01-01T01:00:00.000Z\"}}}', 'quixotic', 4000000000000, 1)",
        left: "SELECT count(*) FROM calendar_changes WHERE user_id = {user}" },
    Table { name: "calendar_events", links: &["user_id"], emptied: "by user", exported: FETCHED,
        fill: "INSERT INTO calendar_events (calendar_id, user_id, uid, instance, object, clock, starts_at, ends_at, status, facts, first_seen_at, changed_at) VALUES (1, {user}, 'quixotic', '', '', 'zoned', 1, 2, 'confirmed', '{\"title\":\"quixotic\"}', 1, 1)",
        left: "SELECT count(*) FROM calendar_events WHERE user_id = {user}" },
    Table { name: "mail_items", links: &["user_id"], emptied: "by user", exported: FETCHED,
        fill: "INSERT INTO mail_items (id, service_id, user_id, mailbox, uid_validity, uid, mail_key, received_at, extract, first_seen_at) VALUES (1, 1, {user}, 'INBOX', 1, 1, 'quixotic', 1, '{\"subject\":\"quixotic\"}', 1)",
        left: "SELECT count(*) FROM mail_items WHERE user_id = {user}" },
    Table { name: "mail_facts", links: &["user_id"], emptied: "by user", exported: FETCHED,
        fill: "INSERT INTO mail_facts (service_id, user_id, mail_id, kind, fact_key, status, clock, data, first_seen_at, changed_at) VALUES (1, {user}, 1, 'parcel', 'quixotic', 'confirmed', 'zoned', '{}', 1, 1)",
        left: "SELECT count(*) FROM mail_facts WHERE user_id = {user}" },
    Table { name: "miniapp_sessions", links: &["user_id", "room_id"], emptied: "by user", exported: In("miniapp_sessions"),
        fill: "INSERT INTO miniapp_sessions (session_id, user_id, room_id, app_id, state, started_at) VALUES ('quixotic', {user}, {room}, 'a', 'active', 1)",
        left: "SELECT count(*) FROM miniapp_sessions WHERE user_id = {user}" },
    Table { name: "subscriptions", links: &["user_id", "customer_id"], emptied: "by user", exported: In("subscription"),
        fill: "INSERT INTO subscriptions (subscription_id, user_id, customer_id, status, status_s) VALUES ('sub_quixotic', {user}, 'cus_quixotic', 'active', 1)",
        left: "SELECT count(*) FROM subscriptions WHERE user_id = {user}" },
    Table { name: "provider_tasks", links: &["user_id", "subject"], emptied: "by user; that the provider is to forget them goes when it has", exported: INTERNAL,
        fill: "INSERT INTO provider_tasks (kind, subject, user_id, key, due_at) VALUES ('reactivate', 'sub_quixotic', {user}, 'k', 4000000000000)",
        left: "SELECT count(*) FROM provider_tasks WHERE user_id = {user} OR subject LIKE '%quixotic'" },
    Table { name: "provider_keys", links: &["user_id"], emptied: "by user", exported: INTERNAL,
        fill: "INSERT INTO provider_keys VALUES ({user}, 'customer', 'k', 1)",
        left: "SELECT count(*) FROM provider_keys WHERE user_id = {user}" },
    Table { name: "topups", links: &["user_id"], emptied: "by user", exported: In("subscription"),
        fill: "INSERT INTO topups VALUES ('cs_quixotic', {user}, 500, 1)",
        left: "SELECT count(*) FROM topups WHERE user_id = {user}" },
    Table { name: "pending_replies", links: &["message_id", "room_id"], emptied: "when the reply is made, or its message is gone", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM pending_replies WHERE message_id NOT IN (SELECT id FROM messages)" },
    Table { name: "done_calls", links: &["message_id"], emptied: "with the reply's message", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM done_calls WHERE message_id NOT IN (SELECT id FROM messages)" },
    Table { name: "export_jobs", links: &["user_id"], emptied: "by user, their files first", exported: INTERNAL,
        fill: "INSERT INTO export_jobs (job_id, user_id, status, created_at, expires_at, forgotten_at) VALUES ('0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b77', {user}, 'ready', 1, 4000000000000, 5000000000000)",
        left: "SELECT count(*) FROM export_jobs WHERE user_id = {user}" },
    Table { name: "photos", links: &["user_id", "message_id"], emptied: "by user, their files first", exported: In("photos"),
        fill: "INSERT INTO photos (photo_id, user_id, agent_id, message_id, format, bytes, is_processed, created_at) VALUES ('0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b80', {user}, 1, 1, 'jpeg', 8, 0, 1)",
        left: "SELECT count(*) FROM photos WHERE user_id = {user}" },
    Table { name: "memory_tasks", links: &["user_id"], emptied: "by user; then the memory service forgets all of theirs", exported: INTERNAL,
        fill: "INSERT INTO memory_tasks (user_id, kind, memory_id, due_at, created_at) VALUES ({user}, 'add', 'quixotic', 1, 1)",
        left: "SELECT count(*) FROM memory_tasks WHERE user_id = {user}" },
    Table { name: "apps", links: &["creator_id"], emptied: "with webhooks, events and places", exported: In("apps"),
        fill: "INSERT INTO apps (id, app_id, creator_id, name, description, actions, created_at) VALUES (1, '0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b78', {user}, 'quixotic', '', '[]', 1);
               INSERT INTO webhooks (webhook_id, app_id, action_id, description, payload_mapping, scheme, rate_limit, is_active, secret, version, created_at, updated_at)
                 VALUES ('0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b79', 1, 'a', 'quixotic', '{}', 'plain', 60, 1, x'00', 1, 1, 1);
               INSERT INTO webhook_events SELECT id, 0, 1, 'e', 1, 'quixotic', 'ok', NULL, '192.0.2.1', 1 FROM webhooks;
               INSERT INTO new_webhook_events SELECT 1, id, 2, 'f', 1, 'quixotic', 'ok', NULL, '192.0.2.1', 1 FROM webhooks",
        left: "SELECT (SELECT count(*) FROM apps WHERE creator_id = {user}) + (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM webhook_events) + (SELECT count(*) FROM new_webhook_events)" },
    Table { name: "app_rooms", links: &["room_id", "installed_by"], emptied: "with the app, the room, or who installed it", exported: In("installed_apps"),
        fill: "INSERT INTO apps (id, app_id, creator_id, name, description, actions, created_at) SELECT 2, '0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b80', max(id), 'other', '', '[]', 1 FROM users WHERE id <> {user};
               INSERT INTO app_rooms (app_id, room_id, installed_at, installed_by) SELECT 1, id, 1, owner_id FROM rooms;
               INSERT INTO app_rooms (app_id, room_id, installed_at, installed_by) SELECT 2, id, 1, {user} FROM rooms WHERE id = {room}",
        left: "SELECT count(*) FROM app_rooms" },
    Table { name: "power_states", links: &["user_id", "room_id", "message_id"], emptied: "by user; what they said in a group's is taken out", exported: In("superpowers"),
        fill: "INSERT INTO power_states (user_id, power, state, updated_at) VALUES ({user}, 'mood_tracker', '{\"quixotic\":1}', 1)",
        left: "SELECT count(*) FROM power_states WHERE user_id = {user}" },
    Table { name: "power_alarms", links: &["user_id", "room_id"], emptied: "by user", exported: INTERNAL,
        fill: "INSERT INTO power_alarms VALUES ({user}, 'daily_summary', {room}, 4000000000000, 4000000000000)",
        left: "SELECT count(*) FROM power_alarms WHERE user_id = {user}" },
    Table { name: "erasures", links: &["user_id", "public_id", "phone", "email"], emptied: "when it is over", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM erasures" },
    Table { name: "erased_users", links: &["user_id"], emptied: "stays: an id that is given to nobody again", exported: INTERNAL,
        fill: "", left: "SELECT count(*) - 1 FROM erased_users" },
    Table { name: "erased_identities", links: &["identity"], emptied: "stays: a keyed digest, by which an old token is refused", exported: INTERNAL,
        fill: "", left: "SELECT 0" },
    Table { name: "outgoing_mails", links: &["recipient"], emptied: "when a server has taken it, after 3 days at most", exported: INTERNAL,
        fill: "", left: "SELECT count(*) FROM outgoing_mails" },
];

/// Names of columns by which a row may be somebody's.
const LINKS: [&str; 18] = [
    "app_creator_id", "identity", "user_id", "public_id", "owner_id", "creator_id", "phone",
    "handle", "sender", "email", "recipient", "subject", "customer_id", "room_id", "chat_guid",
    "thread_id", "message_id", "author_id",
];

/// Columns called so that lead to nobody.
const HARMLESS: [(&str, &str); 4] = [
    ("edge_events", "event_id"),
    ("outgoing_mails", "subject"),
    ("erasures", "room_id"),
    ("erasures", "message_id"),
];

/// By table, the columns that lead to a person: by their names, or as foreign keys.
fn links(conn: &Connection) -> BTreeMap<String, BTreeSet<String>> {
    let read = |sql: &str| -> Vec<(String, String)> {
        let mut statement = conn.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    };
    let named = read(
        "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_xinfo(m.name) c WHERE m.type = 'table'",
    );
    let foreign = read(
        "SELECT m.name, f.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
         WHERE m.type = 'table' AND f.\"table\" IN ('users', 'rooms', 'messages')",
    );
    let mut links = BTreeMap::<String, BTreeSet<String>>::new();
    let named = named.into_iter().filter(|(table, column)| {
        LINKS.contains(&column.as_str()) && !HARMLESS.contains(&(table, column))
    });
    for (table, column) in named.chain(foreign) {
        links.entry(table).or_default().insert(column);
    }
    links
}

#[test]
fn every_table_with_a_person_in_it_is_listed() {
    let conn = Connection::open_in_memory().unwrap();
    conn.execute_batch(include_str!("../schema.sql")).unwrap();
    let found = links(&conn);
    let listed: BTreeMap<String, BTreeSet<String>> = TABLES
        .iter()
        .map(|table| {
            let links = table.links.iter().map(|link| (*link).to_owned());
            (table.name.to_owned(), links.collect())
        })
        .collect();
    assert_eq!(found, listed, "found in the schema, and listed here");
    for table in TABLES {
        let reason = match &table.exported {
            In(text) | Not(text) => *text,
        };
        assert!(
            !reason.is_empty() && !table.emptied.is_empty(),
            "{}",
            table.name
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_person_is_left_in_any_table() {
    let clock = Clock::fixed(Timestamp::parse("2026-11-20T08:00:00Z").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let exports = folder.path().join("exports");
    let settings = [("CHATKEEP_EXPORTS_DIR", exports.to_str().unwrap().to_owned())];
    let settings = settings.each_ref().map(|(k, v)| (*k, v.as_str()));
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    let mut keyed = direct(PHONE, "remember that I am quixotic");
    keyed["context"] = serde_json::json!({"message_id": "k", "note": TEXT});
    let mut other = group("g", "+15550178", "mine stays");
    other["participants"] = serde_json::json!([PHONE, "+15550178"]);
    other["context"] = serde_json::json!({"owner": PHONE});
    let bodies = [
        keyed,
        direct(PHONE, "remind me in 90 days to be quixotic"),
        group("g", PHONE, TEXT),
        other,
    ];
    for body in bodies {
        let answer = service.edge_message("a", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Some columns say more than messages do; and rows that nothing makes yet.
    let (_, folder) = service.stop().await;
    let path = folder.path().join("chatkeep.db");
    let conn = Connection::open(&path).unwrap();
    let number = |sql: &str| -> i64 { conn.query_row(sql, [], |row| row.get(0)).unwrap() };
    let user = number(&format!("SELECT id FROM users WHERE phone = '{PHONE}'"));
    let room = number("SELECT id FROM rooms WHERE chat_guid = 'g'");
    let written = |sql: &str| {
        sql.replace("{user}", &user.to_string())
            .replace("{room}", &room.to_string())
            .replace("{phone}", PHONE)
            .replace("{user_id}", USER_ID)
    };
    conn.execute_batch(&written(&format!(
        "UPDATE users SET user_id = '{USER_ID}', email = '{EMAIL}', name = '{TEXT}', display_name = '{TEXT}',
           pronouns = '{TEXT}', language = '{TEXT}', customer_id = 'cus_{TEXT}', deletion_requested_at = 1, deletion_scheduled_for = 2
         WHERE id = {{user}}"
    )))
    .unwrap();
    for table in TABLES {
        conn.execute_batch(&written(table.fill)).unwrap();
    }
    let emptied_later = [
        "erasures", "erased_users", "erased_identities", "outgoing_mails", "undelivered_answers",
        "pending_replies", "done_calls", "idempotency_keys", "room_heads",
    ];
    for table in TABLES
        .iter()
        .filter(|table| !emptied_later.contains(&table.name))
    {
        let rows = number(&written(table.left));
        assert!(rows > 0, "{} has nothing to empty", table.name);
    }
    drop(conn);
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    assert_exported(&service).await;
    let file = exports.join("service_export_0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b77.json");
    std::fs::write(&file, TEXT).unwrap();
    let photos = service.folder.path().join("chatkeep.db.photos");
    std::fs::create_dir(&photos).unwrap();
    let photo = photos.join("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b80.jpeg");
    std::fs::write(&photo, TEXT).unwrap();
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    assert!(!file.exists() && !photo.exists());
    for table in TABLES {
        let remaining = service.rows(&written(table.left));
        assert_eq!(remaining, [[0]], "{}: {}", table.name, table.emptied);
    }
    assert_eq!(service.rows("SELECT text FROM messages"), [["mine stays"]]);
    assert_no_trace(service.folder.path());
    let (_, folder) = service.stop().await;
    assert_no_trace(folder.path());
}

/// What others were told in a group quotes the person, names their phone, and so does the
/// group's own name.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_others_were_told_quotes_a_person() {
    const BEN: &str = "+15550178";
    const REST: &str = "+15550179";
    let clock = Clock::fixed(Timestamp::parse("2026-11-20T08:00:00Z").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.set_flag("rate_limit.enabled", false).await;
    let named = format!("chat;{PHONE},{BEN}");
    let say = async |service: &Service, chat: &str, sender: &str, text: &str| {
        let mut body = group(chat, sender, text);
        // Chat networks send along what a message answers to.
        let quoted = (sender == BEN).then_some("add quixotic socks\nand tea");
        body["context"] = serde_json::json!({"owner": REST, "reply_to": {"text": quoted}});
        body["metadata"] = serde_json::json!({"filter_reason": quoted});
        let answer = service.edge_message("a", &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["reply_text"].as_str().unwrap().to_owned()
    };
    let subscriber = direct(REST, "hello");
    assert_eq!(service.edge_message("a", &subscriber).await.status, 200);
    let path = format!("/admin/users/{}/grant", service.user_id(REST));
    let plan = serde_json::json!({"plan": "annual"});
    assert_eq!(service.admin("PUT", &path, &plan).await.status, 200);
    for chat in [named.as_str(), "plain"] {
        for (sender, text, secret) in [
            (PHONE, "add quixotic socks to our list", "quixotic"),
            (PHONE, "plan a trip to quixotic falls", "quixotic"),
            (PHONE, "juno, Bo paid 90 for quixotic pizza", "quixotic"),
            (BEN, "add milk to our list", "Added milk"),
            (BEN, "add a call to +15550177 to our list", PHONE),
            (BEN, "what's on our list?", "quixotic"),
            (BEN, "show our trip", "quixotic"),
            (BEN, "show the bill", "quixotic"),
            (
                BEN,
                "juno, remind me in 90 days to water the plants",
                "plants",
            ),
        ] {
            let reply_text = say(&service, chat, sender, text).await;
            assert!(reply_text.contains(secret), "{text} → {reply_text}");
        }
    }
    let room = format!("SELECT id FROM rooms WHERE chat_guid = '{named}'");
    let before = service.rows(&room);
    let (_, folder) = service.stop().await;
    let conn = Connection::open(folder.path().join("chatkeep.db")).unwrap();
    conn.execute_batch(&format!(
        "UPDATE users SET deletion_requested_at = 1, deletion_scheduled_for = 2 WHERE phone = '{PHONE}';
         UPDATE agents SET status = '{{\"uptime_seconds\":7,\"chat\":\"{PHONE} quixotic\"}}',
           ended_seq = 2004;
         INSERT INTO commands (agent_id, seq, command_id, room_id, kind, payload, state, created_at, expires_at, finished_at, user_id)
           SELECT 1, 2000 + 2 * (id % 2) + n, 'c' || id || '/' || n, id, 'send_message_now',
             json_object('chat_guid', chat_guid, 'text', 'tea' || char(10) || 'quixotic', 'bubbles', json_array('tea' || char(10) || 'quixotic')),
             iif(n, 'completed', 'queued'), 1, 4000000000000, iif(n, 1, NULL), (SELECT id FROM users WHERE phone = '{BEN}')
           FROM rooms, (SELECT 0 AS n UNION SELECT 1) WHERE mode = 'group';
         INSERT INTO dialogs (room_id, user_id, private_answers, private_answers_at, used_at)
           SELECT id, (SELECT id FROM users WHERE phone = '{BEN}'),
             json_array(json_object('at', 1, 'asked', 'who is {PHONE}', 'answer', 'tea' || char(10) || 'quixotic')), 1, 4000000000000
           FROM rooms WHERE mode = 'direct';
         INSERT INTO edge_events (agent_id, event_id, event_type, thread_id, details, received_at)
           VALUES (1, 'e1', 'error', 'plain', '\"quixotic\"', 1), (1, 'e2', 'error', '{named}', '{{}}', 1)"
    ))
    .unwrap();
    drop(conn);
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    // Of the relay's state its numbers stay; of what waits what quotes nobody.
    assert_eq!(
        service.rows("SELECT status FROM agents"),
        [["{\"uptime_seconds\":7}"]]
    );
    let waiting = service.rows("SELECT json_extract(payload, '$.text') FROM commands");
    assert_eq!(waiting, [["tea\n…"]]);
    let told = service
        .rows("SELECT json_extract(private_answers, '$[0].answer') FROM dialogs WHERE private_answers IS NOT NULL");
    assert_eq!(told, [["tea\n…"]]);
    assert_eq!(
        service.rows("SELECT event_id, details FROM edge_events"),
        [["e1".into(), serde_json::Value::Null]]
    );
    let replies = service.rows("SELECT group_concat(bubbles) FROM messages");
    let replies = replies[0][0].as_str().unwrap();
    assert!(
        replies.contains("2. milk") && replies.contains("Added milk"),
        "{replies}"
    );
    let quoted = service.rows(
        "SELECT DISTINCT json_extract(context, '$.reply_to.text'), json_extract(metadata, '$.filter_reason')
         FROM messages WHERE room_id IN (SELECT id FROM rooms WHERE mode = 'group')",
    );
    assert_eq!(quoted, [["…\nand tea", "…\nand tea"]]);
    assert_eq!(service.rows("SELECT count(*) FROM reminders"), [[2]]);
    assert_no_trace(service.folder.path());
    let (_, folder) = service.stop().await;
    assert_no_trace(folder.path());
    // The relay goes on naming the chat as it does, and finds the same room.
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let list = say(&service, &named, BEN, "what's on our list?").await;
    assert!(list.contains("milk") && !list.contains("socks"), "{list}");
    assert_eq!(service.rows(&room), before);
    let texts = service.rows(&format!(
        "SELECT count(*) FROM messages WHERE room_id = ({room})"
    ));
    assert_eq!(texts, [[7]], "Ben's, of before and now");
}

/// What is said to be in an export is there.
async fn assert_exported(service: &Service) {
    let token = service.user_token(USER_ID);
    let call = request("POST", "/account/export").bearer(&token);
    let job = service.send(&call).await.json()["job_id"].clone();
    let path = format!("/account/export/{}", job.as_str().unwrap());
    eventually("the export", async || {
        let view = service.send(&get(&path).bearer(&token)).await.json();
        view["status"] == "ready"
    })
    .await;
    let download = get(&format!("{path}/download")).bearer(&token);
    let file = service.send(&download).await.json();
    for table in TABLES {
        if let In(section) = table.exported {
            let exported = &file[section];
            let some = exported
                .as_array()
                .map_or(exported.is_object(), |rows| !rows.is_empty());
            assert!(some, "{} in {section}: {exported}", table.name);
        }
    }
}

/// Database, log, shared memory, exports: all bytes.
fn assert_no_trace(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_trace(&path);
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else {
            continue; // a log that was emptied and removed meanwhile
        };
        for trace in [PHONE, EMAIL, TEXT] {
            let found = bytes.windows(trace.len()).any(|w| w == trace.as_bytes());
            assert!(!found, "{trace} in {}", path.display());
        }
    }
}
