//! Access that was ended since a backup was made stays ended when the backup is restored.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::process::Process;
use crate::support::{ADMIN_TOKEN, Answer, EDGE_SECRET, direct, get, post, request, rows, token};
use chatkeep::auth::webhook_signature::WebhookKey;
use serde_json::{Value, json};
use tempfile::TempDir;

const CREATOR: &str = "+15550101";
const OTHER: &str = "+15550199";

fn done(folder: &Path, arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_chatkeep"))
        .env_clear()
        .env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"))
        .env("CHATKEEP_EXPORTS_DIR", folder.join("exports"))
        .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("EDGE_SECRET", EDGE_SECRET)
        .current_dir(folder)
        .stdin(Stdio::null())
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A service with people and apps that outlives a restore.
struct RestoredService {
    folder: TempDir,
    service: Option<Process>,
    person: String,
}

struct Webhook {
    app_id: String,
    id: String,
    secret: String,
}

impl RestoredService {
    async fn open() -> Self {
        let folder = TempDir::new().unwrap();
        let mut town = Self {
            folder,
            service: None,
            person: String::new(),
        };
        town.start();
        assert_eq!(town.say(&token("a")).await.status, 200);
        let output = done(town.folder(), &format!("token user --phone {CREATOR}"));
        town.person = output.trim().to_owned();
        town
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn start(&mut self) {
        let exports = self.folder().join("exports");
        let settings = [("CHATKEEP_EXPORTS_DIR", exports.to_str().unwrap())];
        let database = self.folder().join("chatkeep.db");
        self.service = Some(Process::start(&database, &settings).unwrap());
    }

    fn stop(&mut self) {
        let mut service = self.service.take().unwrap();
        service.signal("TERM");
        assert_eq!(service.ended(Duration::from_secs(30)).code(), Some(0));
    }

    /// Stops the service, restores the backup, and starts it again; what was carried over.
    fn restore(&mut self, backup: &str) -> BTreeMap<String, u64> {
        self.stop();
        let printed = done(self.folder(), &format!("restore {backup} --yes --json"));
        let printed: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(printed["warnings"], json!([]));
        self.start();
        serde_json::from_value(printed["carried_over"].clone()).unwrap()
    }

    async fn send(&self, request: &crate::support::Request) -> Answer {
        self.service.as_ref().unwrap().send(request).await
    }

    async fn manage(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let mut call = request(method, &format!("/marketplace{path}"));
        if let Some(body) = body {
            call = call.json(body);
        }
        let answer = self.send(&call.bearer(&self.person)).await;
        assert!(answer.status < 300, "{method} {path}: {}", answer.text);
        answer.json()
    }

    async fn app(&self) -> String {
        let action = json!({"action_id": "say", "kind": "send_message", "template": "{n}"});
        let body = json!({"name": "Door bell", "actions": [action]});
        let created = self.manage("POST", "/apps", Some(&body)).await;
        created["app_id"].as_str().unwrap().to_owned()
    }

    async fn webhook(&self, app_id: &str) -> Webhook {
        let body = json!({"action_id": "say"});
        let path = format!("/webhooks/{app_id}");
        let created = self.manage("POST", &path, Some(&body)).await;
        Webhook {
            app_id: app_id.to_owned(),
            id: created["webhook_id"].as_str().unwrap().to_owned(),
            secret: created["secret"].as_str().unwrap().to_owned(),
        }
    }

    async fn call(&self, webhook: &Webhook, name: &str) -> Answer {
        let body = r#"{"n":1}"#;
        let signature = WebhookKey::new(&webhook.secret).sign_plain(body.as_bytes());
        let call = request("POST", &format!("/webhooks/{}", webhook.id)).raw(body);
        let call = call.header("X-Webhook-Signature", &signature);
        self.send(&call.header("X-Webhook-Id", name)).await
    }

    async fn say(&self, token: &str) -> Answer {
        let message = post("/edge/message", &direct(CREATOR, "hello"));
        self.send(&message.bearer(token)).await
    }

    /// The value of a flag, and where it comes from.
    async fn flag(&self, key: &str) -> (Value, Value) {
        let listed = get("/admin/feature-flags").bearer(ADMIN_TOKEN);
        let listed = self.send(&listed).await.json();
        let mut flags = listed["flags"].as_array().unwrap().iter();
        let flag = flags.find(|flag| flag["key"] == key).unwrap();
        (flag["value"].clone(), flag["source"].clone())
    }

    fn run(&self, arguments: &str) -> String {
        done(self.folder(), arguments)
    }

    fn execute(&self, sql: &str) {
        let database = self.folder().join("chatkeep.db");
        let conn = rusqlite::Connection::open(database).unwrap();
        conn.busy_timeout(crate::support::PATIENCE).unwrap();
        conn.execute_batch(sql).unwrap();
    }

    fn count(&self, sql: &str) -> i64 {
        let found = rows(&self.folder().join("chatkeep.db"), sql);
        found[0][0].as_i64().unwrap()
    }
}

impl Webhook {
    fn path(&self) -> String {
        format!("/webhooks/{}/{}", self.app_id, self.id)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ended_since_the_backup_stays_ended() {
    let mut town = RestoredService::open().await;
    let kept_app = town.app().await;
    let gone_app = town.app().await;
    let rotated = town.webhook(&kept_app).await;
    let deleted = town.webhook(&kept_app).await;
    let switched_off = town.webhook(&kept_app).await;
    let untouched = town.webhook(&kept_app).await;
    let of_gone_app = town.webhook(&gone_app).await;
    let room = format!("/apps/{kept_app}/rooms/chat;{CREATOR}").replace('+', "%2B");
    town.manage("PUT", &room, None).await;
    town.run(&format!("user grant --phone {CREATOR} --plan annual"));
    town.run("flags set superpower.enabled false");
    town.run("backup b.db");

    // An agent that the backup has never heard of.
    let old_tokens = [token("late"), token("a")];
    for token in &old_tokens {
        assert_eq!(town.say(token).await.status, 200);
    }
    town.run("token revoke --agent-id late");
    town.run("token revoke --agent-id a");
    let secret = town
        .manage("POST", &format!("{}/rotate-secret", rotated.path()), None)
        .await;
    let secret = secret["new_secret"].as_str().unwrap().to_owned();
    town.manage("DELETE", &deleted.path(), None).await;
    let off = json!({"is_active": false});
    town.manage("PATCH", &switched_off.path(), Some(&off)).await;
    town.manage("DELETE", &format!("/apps/{gone_app}"), None)
        .await;
    town.manage("DELETE", &room, None).await;
    town.run(&format!("user revoke --phone {CREATOR}"));
    town.run("flags set llm.force_basic_mode true");
    town.run("flags unset superpower.enabled");
    assert_eq!(town.call(&untouched, "once").await.status, 200);
    let inactive = town.call(&switched_off, "1").await;
    town.execute("INSERT INTO used_registrations VALUES ('00', 99999999999)");

    // Twice: what was carried over the first time is known the second time too.
    for (deliveries, round) in [(1, "first"), (2, "second")] {
        let carried = town.restore("b.db");
        let expected = [
            ("deactivated_webhooks", 1),
            ("deleted_apps", 1),
            ("deleted_webhooks", 2),
            ("deletion_requests", 0),
            ("disconnected_services", 0),
            ("ended_grants", 1),
            ("erased_accounts", 0),
            ("flags", 1),
            ("former_direct_chats", 0),
            ("removed_installations", 1),
            ("removed_members", 0),
            ("revoked_agents", 2),
            ("unset_flags", 1),
            ("used_registrations", 1),
            ("webhook_deliveries", deliveries),
            ("webhook_secrets", 1),
        ];
        let expected = expected.map(|(key, count)| (key.to_owned(), count));
        assert_eq!(carried, BTreeMap::from(expected), "{round}");
        for token in &old_tokens {
            assert_eq!(town.say(token).await.status, 401, "{round}: {token}");
        }
        assert_eq!(town.call(&rotated, round).await.status, 401, "{round}");
        let renewed = Webhook {
            secret: secret.clone(),
            app_id: rotated.app_id.clone(),
            id: rotated.id.clone(),
        };
        assert_eq!(town.call(&renewed, round).await.status, 200, "{round}");
        assert_eq!(town.call(&deleted, round).await.status, 404, "{round}");
        assert_eq!(town.call(&of_gone_app, round).await.status, 404, "{round}");
        let answer = town.call(&switched_off, round).await;
        assert_eq!(answer.status, inactive.status, "{round}: {}", answer.text);
        // The same call again does nothing again.
        assert_eq!(town.call(&untouched, "once").await.status, 200);
        let newest = "SELECT result_status = 'duplicate' FROM
               (SELECT created_at, result_status FROM webhook_events
                UNION ALL SELECT created_at, result_status FROM new_webhook_events)
             ORDER BY created_at DESC LIMIT 1";
        assert_eq!(town.count(newest), 1);
        assert_eq!(town.count("SELECT count(*) FROM app_rooms"), 0);
        let used = "SELECT count(*) FROM used_registrations";
        assert_eq!(town.count(used), 1);
        let user = town.run(&format!("user show --phone {CREATOR} --json"));
        assert!(!user.contains("annual"), "{round}: {user}");
        let (value, _) = town.flag("llm.force_basic_mode").await;
        assert_eq!(value, true, "{round}");
        let (value, source) = town.flag("superpower.enabled").await;
        assert_eq!((value, source), (json!(true), json!("default")), "{round}");
    }
}

/// What the backup has and the present database never knew is no access that was ended.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_present_database_never_knew_comes_back() {
    let mut town = RestoredService::open().await;
    town.run("backup early.db");
    let app = town.app().await;
    let webhook = town.webhook(&app).await;
    town.run(&format!("user grant --phone {CREATOR} --plan annual"));
    town.run("flags set llm.force_basic_mode true");
    town.run("backup late.db");
    // The wrong one first.
    town.restore("early.db");
    assert_eq!(town.call(&webhook, "1").await.status, 404);
    let carried = town.restore("late.db");
    assert!(carried.values().all(|count| *count == 0), "{carried:?}");
    assert_eq!(town.call(&webhook, "2").await.status, 200);
    let user = town.run(&format!("user show --phone {CREATOR} --json"));
    assert!(user.contains("annual"), "{user}");
    let (value, _) = town.flag("llm.force_basic_mode").await;
    assert_eq!(value, true);
}

/// A person reads what was carried over; what was given back since is not ended.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_carried_over_is_printed() {
    let mut town = RestoredService::open().await;
    let app = town.app().await;
    let room = format!("/apps/{app}/rooms/chat;{CREATOR}").replace('+', "%2B");
    town.manage("PUT", &room, None).await;
    let grant = format!("user grant --phone {CREATOR} --plan annual");
    town.run(&grant);
    town.run("backup b.db");
    town.manage("DELETE", &room, None).await;
    town.manage("PUT", &room, None).await;
    town.run(&format!("user revoke --phone {CREATOR}"));
    town.run(&grant);
    town.run("token revoke --agent-id a");
    town.stop();
    let printed = town.run("restore b.db --yes");
    let expected =
        "Carried over from the database that was there: relays whose tokens were revoked (1).";
    assert!(printed.lines().any(|line| line == expected), "{printed}");
    assert_eq!(town.count("SELECT count(*) FROM app_rooms"), 1);
    let revoked = "SELECT count(*) FROM audit WHERE action = 'relay_tokens.revoke'";
    assert_eq!(town.count(revoked), 1, "the audit trail goes on");
    let granted = "SELECT count(*) FROM users WHERE granted_plan = 'annual'";
    assert_eq!(town.count(granted), 1);
}

/// A removed member's app stays silent, and a chat that became a group stays one: what was said
/// in it before is not shown there.
#[tokio::test(flavor = "multi_thread")]
async fn who_takes_part_in_a_room_is_as_before_the_restore() {
    let mut town = RestoredService::open().await;
    let agent = token("a");
    let written =
        async |town: &RestoredService, chat: &str, mode: &str, members: &[&str], text: &str| {
            let mut message = crate::support::group(chat, CREATOR, text);
            message["mode"] = mode.into();
            message["participants"] = json!(members);
            let sent = post("/edge/message", &message).bearer(&agent);
            let answer = town.send(&sent).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        };
    written(&town, "walkers", "group", &[CREATOR, OTHER], "hello").await;
    let private = "remind me in 3 hours to buy a ring";
    written(&town, "pair", "direct", &[CREATOR], private).await;
    town.run("backup b.db");
    written(&town, "walkers", "group", &[CREATOR], "hello").await;
    written(&town, "pair", "group", &[CREATOR, OTHER], "hello").await;
    let carried = town.restore("b.db");
    assert_eq!(carried["removed_members"], 1);
    assert_eq!(carried["former_direct_chats"], 1);
    let named = "SELECT count(*) FROM rooms WHERE chat_guid = 'pair'";
    assert_eq!(town.count(named), 0, "the group begins anew");
    let member = format!("SELECT count(*) FROM room_members WHERE handle = '{OTHER}'");
    assert_eq!(town.count(&member), 0);
    written(&town, "walkers", "group", &[CREATOR, OTHER], "hello").await;
    assert_eq!(town.count(&member), 1, "the relay's next list counts");
}

/// A disconnected calendar stays away, with its credentials and all that was fetched.
#[tokio::test(flavor = "multi_thread")]
async fn a_disconnected_service_is_not_restored() {
    let mut town = RestoredService::open().await;
    let service = |id: i64| {
        format!(
            "INSERT INTO connected_services (id, service_id, user_id, kind, name, scope, host,
               credentials, connected_at) SELECT {id}, 's{id}', min(id), 'imap', 'n', 'mail.read', 'h',
               x'01', 1 FROM users;
             INSERT INTO calendars (id, calendar_id, service_id, user_id, path, name)
               SELECT {id}, 'c{id}', {id}, min(id), '', 'n' FROM users;
             INSERT INTO calendar_events (calendar_id, user_id, uid, instance, object, clock, starts_at,
               ends_at, status, facts, first_seen_at, changed_at)
               SELECT {id}, min(id), 'u', '', '', 'zoned', 1, 2, 'confirmed', '{{}}', 1, 1 FROM users;
             INSERT INTO mail_items (id, service_id, user_id, mailbox, uid_validity, uid, mail_key,
               received_at, extract, first_seen_at)
               SELECT {id}, {id}, min(id), 'INBOX', 1, 1, 'k', 1, '{{}}', 1 FROM users;
             INSERT INTO mail_facts (service_id, user_id, mail_id, kind, fact_key, status, clock, data,
               first_seen_at, changed_at)
               SELECT {id}, min(id), {id}, 'parcel', '{id}', 'pending', 'zoned', '{{}}', 1, 1 FROM users;"
        )
    };
    town.execute(&service(1));
    town.execute(&service(2));
    town.run("backup b.db");
    town.execute("UPDATE connected_services SET removed_at = 1, credentials = x'' WHERE id = 1");
    let carried = town.restore("b.db");
    assert_eq!(carried["disconnected_services"], 1, "{carried:?}");
    for table in [
        "connected_services", "calendars", "calendar_events", "mail_items", "mail_facts",
    ] {
        let remaining = format!("SELECT count(*) FROM {table}");
        assert_eq!(town.count(&remaining), 1, "{table}");
    }
}
