//! Accounts whose date has passed: what is left of them and of others, whatever happens on
//! the way.

use std::path::Path;

use crate::stripe::Stripe;
use crate::support::{Service, direct, eventually, get, group, post};
use chatkeep::account::erasure::{PurgeRun, PurgeStep};
use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};

const ANA: &str = "+15550101";
const BEN: &str = "+15550102";
const EMAIL: &str = "ana.secret@example.com";
const DAY_MS: i64 = 86_400_000;
/// What nobody may find afterwards.
const TRACES: [&str; 6] = [ANA, EMAIL, "xylophone", "Anastasia", "walrus", "marzipan"];

fn morning() -> Clock {
    Clock::fixed(Timestamp::parse("2026-11-20T08:00:00Z").unwrap())
}

async fn say(service: &Service, body: &Value) -> Value {
    let answer = service.edge_message("a", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn execute(folder: &Path, sql: &str) {
    let conn = rusqlite::Connection::open(folder.join("chatkeep.db")).unwrap();
    conn.busy_timeout(crate::support::PATIENCE).unwrap();
    conn.execute_batch(sql).unwrap();
}

/// Ana and Ben have written, alone and in two groups, one each; Ana is to be deleted, and her
/// days are over.
async fn ana_goes(clock: &Clock, settings: &[(&str, &str)]) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, settings, clock.clone()).await;
    for text in [
        "my name is Anastasia",
        "remember that my xylophone is red",
        "remind me in 30 days to feed the walrus",
        "remind me on 2099-01-01 to buy marzipan",
    ] {
        say(&service, &direct(ANA, text)).await;
    }
    let mut keyed = direct(ANA, "xylophone with a key");
    keyed["context"] = json!({"message_id": "key-1"});
    say(&service, &keyed).await;
    say(&service, &direct(BEN, "remember that I like tea")).await;
    for (chat, owner) in [("ours", ANA), ("theirs", BEN)] {
        for n in 0..3 {
            for (sender, text) in [(ANA, "xylophone"), (BEN, "tea")] {
                let mut message = group(chat, sender, &format!("{text} {chat} {n}"));
                message["participants"] = json!([ANA, BEN]);
                message["context"] = json!({"owner": owner, "note": format!("tel:{ANA}")});
                say(&service, &message).await;
            }
        }
    }
    clock.advance(60_000);
    execute(
        service.folder.path(),
        &format!(
            "UPDATE users SET email = '{EMAIL}' WHERE phone = '{ANA}';
             INSERT INTO edge_events (agent_id, event_id, event_type, thread_id, details, received_at)
               SELECT id, 'e1', 'error', 'chat;{ANA}', '{{\"text\":\"walrus\"}}', created_at FROM agents;
             INSERT INTO edge_events (agent_id, event_id, event_type, thread_id, received_at)
               SELECT id, 'e2', 'error', 'theirs', created_at FROM agents;
             INSERT INTO limit_uses SELECT 'photos', '{ANA}', created_at, 1 FROM agents"
        ),
    );
    ask_for_deletion(&service, ANA).await;
    // It is not there at night, so that each test can purge when it likes.
    let (_, folder) = service.stop().await;
    clock.advance(30 * DAY_MS + 1);
    let service = Service::in_folder(folder, settings, clock.clone()).await;
    // The first reminder becomes a command that nobody fetches.
    eventually("a command", async || {
        service.rows("SELECT count(*) FROM commands WHERE user_id = 1") == [[1]]
    })
    .await;
    service
}

async fn ask_for_deletion(service: &Service, phone: &str) {
    let token = service.user_token(&service.user_id(phone));
    let body = json!({"confirmation": "DELETE MY ACCOUNT"});
    let request = post("/account/deletion", &body).bearer(&token);
    assert_eq!(service.send(&request).await.status, 200);
}

/// Asks the running service for a purge and waits for its end.
async fn purge(service: &Service) -> Value {
    let answer = service.admin("POST", "/admin/purge", &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = answer.json()["asked"].as_u64().unwrap();
    let mut status = Value::Null;
    eventually("the purge", async || {
        status = outlook(service).await;
        status["progress"]["over"].as_u64().unwrap() >= answer
    })
    .await;
    status
}

async fn outlook(service: &Service) -> Value {
    let answer = service.admin("GET", "/admin/purge", &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

/// The texts of a room from its head on.
fn history(service: &Service, chat: &str) -> Vec<String> {
    let rows = service.rows(&format!(
        "WITH RECURSIVE chain(id, previous_id, text) AS (
           SELECT messages.id, previous_id, text FROM rooms JOIN room_heads ON room_heads.room_id = rooms.id
             JOIN messages ON messages.id = message_id WHERE chat_guid = '{chat}'
           UNION ALL SELECT messages.id, messages.previous_id, messages.text
             FROM chain JOIN messages ON messages.id = chain.previous_id)
         SELECT text FROM chain"
    ));
    rows.iter()
        .map(|row| row[0].as_str().unwrap().to_owned())
        .collect()
}

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
        for trace in TRACES {
            let found = bytes.windows(trace.len()).any(|w| w == trace.as_bytes());
            assert!(!found, "{trace} in {}", path.display());
        }
    }
}

/// Ben has lost nothing, and nothing is half there.
fn assert_others_whole(service: &Service) {
    for chat in ["ours", "theirs"] {
        let expected: Vec<String> = (0..3).rev().map(|n| format!("tea {chat} {n}")).collect();
        assert_eq!(history(service, chat), expected);
    }
    let owners = "SELECT DISTINCT phone FROM rooms JOIN users ON users.id = owner_id";
    assert_eq!(service.rows(owners), [[BEN]]);
    assert_eq!(service.rows("SELECT text FROM memories"), [["I like tea"]]);
    let events = "SELECT event_id FROM edge_events";
    assert_eq!(service.rows(events), [["e2"]]);
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[0]]);
    let contexts = "SELECT DISTINCT context FROM messages WHERE context IS NOT NULL ORDER BY 1";
    assert_eq!(
        service.rows(contexts),
        [
            [json!({"note": "tel:erased", "owner": BEN}).to_string()],
            [json!({"note": "tel:erased", "owner": "erased"}).to_string()],
        ]
    );
    let lost = "SELECT count(*) FROM messages WHERE user_id NOT IN (SELECT id FROM users)";
    assert_eq!(service.rows(lost), [[0]]);
    assert_eq!(service.rows("PRAGMA integrity_check"), [["ok"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_but_a_tombstone() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    let user_id = service.user_id(ANA);
    let status = outlook(&service).await;
    assert_eq!(status["due"][0]["user_id"], user_id);
    assert_eq!(
        status["due"][0]["deletion_scheduled_for"],
        "2026-12-20T08:01:00.000Z"
    );
    let mut relay = service.relay("a").await;
    let command = relay.command().await;
    assert!(
        command["payload"]["text"]
            .as_str()
            .unwrap()
            .contains("walrus")
    );
    let status = purge(&service).await;
    assert_eq!(
        (&status["due"], &status["under_way"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(status["progress"]["erased"], 1);
    assert_others_whole(&service);
    assert_eq!(
        service.rows("SELECT user_id, erased_at FROM erased_users"),
        [[json!(user_id), json!(clock.now().0)]]
    );
    assert_eq!(
        service.rows("SELECT * FROM erasures"),
        Vec::<Vec<Value>>::new()
    );
    assert_no_trace(service.folder.path());
    // Nobody signs in, and the phone is somebody new's.
    let old = service.user_token(&user_id);
    let refused = service.send(&get("/account").bearer(&old)).await;
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (401, "unauthorized")
    );
    say(&service, &direct(ANA, "hello")).await;
    assert_ne!(service.user_id(ANA), user_id);
    assert_eq!(history(&service, &format!("chat;{ANA}")), ["hello"]);
    let memories = say(&service, &direct(ANA, "what do you remember?")).await;
    assert!(!memories.to_string().contains("xylophone"), "{memories}");
    // Numbers are not given again, and the old key means nothing.
    let numbers = "SELECT min(id) > 2, (SELECT min(id) FROM messages WHERE text = 'hello') > 12
                   FROM users WHERE phone <> '+15550102'";
    assert_eq!(service.rows(numbers), [[1, 1]]);
    let mut keyed = direct(ANA, "another text");
    keyed["context"] = json!({"message_id": "key-1"});
    say(&service, &keyed).await;
    drop(relay);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_may_be_cut_off_after_every_step() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    let user_id = service.user_id(ANA);
    // A long room, so that its chain takes several steps: Ana's, Ben's, and stretches of
    // both.
    let (_, folder) = service.stop().await;
    execute(
        folder.path(),
        "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
         INSERT INTO messages (id, room_id, user_id, previous_id, sent_s, received_at, sender, text,
             counted, unwritten)
           SELECT 1000 + n, rooms.id, iif(n % 7 = 0 OR n > 2600, ben.id, ana.id),
             iif(n = 1, message_id, 999 + n), 1, 1, '+15550101', 'xylophone ' || n, 0, 0
           FROM n, rooms JOIN room_heads ON room_heads.room_id = rooms.id, users ana, users ben
           WHERE chat_guid = 'theirs' AND ana.phone = '+15550101' AND ben.phone = '+15550102';
         UPDATE messages SET sender = '+15550102', text = 'tea ' || id
           WHERE id > 1000 AND user_id = (SELECT id FROM users WHERE phone = '+15550102');
         UPDATE room_heads SET message_id = 4000
           WHERE room_id = (SELECT id FROM rooms WHERE chat_guid = 'theirs')",
    );
    let mut folder = folder;
    let mut steps = Vec::new();
    loop {
        let service = Service::in_folder(folder, &[], clock.clone()).await;
        let step = service.app.eraser.advance(&mut PurgeRun::default()).await;
        let Some(step) = step.unwrap() else {
            folder = service.stop().await.1;
            break;
        };
        steps.push(step);
        let old = service.user_token(&user_id);
        assert_eq!(
            service.send(&get("/account").bearer(&old)).await.status,
            401
        );
        folder = service.stop().await.1;
    }
    assert_eq!(steps.first(), Some(&PurgeStep::Begun));
    assert_eq!(
        steps[steps.len() - 2..],
        [PurgeStep::Compacted, PurgeStep::Ended]
    );
    assert!(steps.len() > 12, "{steps:?}");
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let long = history(&service, "theirs");
    let expected = (1..=3000).filter(|n| n % 7 == 0 || *n > 2600).count();
    assert_eq!(long.len(), expected + 3);
    assert!(long.iter().all(|text| text.starts_with("tea ")));
    execute(
        service.folder.path(),
        "UPDATE room_heads SET message_id = (SELECT max(id) FROM messages WHERE id < 1000)
           WHERE room_id = (SELECT id FROM rooms WHERE chat_guid = 'theirs');
         DELETE FROM messages WHERE id > 1000",
    );
    assert_others_whole(&service);
    let (_, folder) = service.stop().await;
    assert_no_trace(folder.path());
}

/// A file that can't be removed delays the erasure of its person alone.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_remains_delays_nobody_else() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    ask_for_deletion(&service, BEN).await;
    clock.advance(30 * DAY_MS + 1);
    // Before its row, for which the job of old photos would find no file otherwise.
    let photo = service.folder.path().join("chatkeep.db.photos/p1.png");
    std::fs::create_dir_all(photo.join("in the way")).unwrap();
    execute(
        service.folder.path(),
        "INSERT INTO photos (photo_id, user_id, agent_id, message_id, format, bytes, is_processed,
             created_at)
           SELECT 'p1', 1, 1, max(id), 'png', 8, 1, 1 FROM messages WHERE user_id = 1",
    );
    let status = purge(&service).await;
    assert_eq!(status["progress"]["erased"], 1, "{status}");
    assert_eq!(status["under_way"].as_array().unwrap().len(), 1, "{status}");
    assert_eq!(
        service.rows("SELECT count(*) FROM messages WHERE user_id = 2"),
        [[0]]
    );
    std::fs::remove_dir_all(&photo).unwrap();
    let status = purge(&service).await;
    assert_eq!(status["progress"]["erased"], 2, "{status}");
    assert_eq!(status["under_way"], json!([]), "{status}");
}

/// A minute after a start what has begun goes on. Who is due only by a wrong clock stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_continuation_begins_nothing() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    let eraser = &service.app.eraser;
    let begun = eraser.advance(&mut PurgeRun::default()).await.unwrap();
    assert_eq!(begun, Some(PurgeStep::Begun));
    // Without a step of the clock, which would begin the daily purge as well.
    ask_for_deletion(&service, BEN).await;
    execute(
        service.folder.path(),
        "UPDATE users SET deletion_scheduled_for = 1 WHERE phone = '+15550102'",
    );
    assert!(!eraser.run(PurgeRun::continuation()).await.unwrap());
    let left = "SELECT DISTINCT user_id FROM messages ORDER BY user_id";
    let after = service.rows(left);
    assert!(after.contains(&vec![json!(2)]), "{after:?}");
    assert!(!after.contains(&vec![json!(1)]), "{after:?}");
    assert!(!eraser.run(PurgeRun::default()).await.unwrap());
    assert!(!service.rows(left).contains(&vec![json!(2)]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_phones_new_owner_keeps_what_is_theirs() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    let old = service.user_id(ANA);
    let mut run = PurgeRun::default();
    let is_started = service.app.eraser.advance(&mut run).await.unwrap();
    assert_eq!(is_started, Some(PurgeStep::Begun));
    // Between any two steps somebody writes from the phone, into the old chats too.
    let mut message_count = 0;
    loop {
        clock.advance(60_000);
        say(&service, &direct(ANA, &format!("fresh {message_count}"))).await;
        let mut message = group("ours", ANA, &format!("fresh {message_count}"));
        message["participants"] = json!([ANA, BEN]);
        say(&service, &message).await;
        message_count += 1;
        match service.app.eraser.advance(&mut run).await.unwrap() {
            None => break,
            Some(_) => assert!(message_count < 100),
        }
    }
    assert_ne!(service.user_id(ANA), old);
    let fresh: Vec<String> = (0..message_count)
        .rev()
        .map(|n| format!("fresh {n}"))
        .collect();
    assert_eq!(history(&service, &format!("chat;{ANA}")), fresh);
    let own_history = history(&service, "ours");
    assert_eq!(own_history[..message_count], fresh);
    assert_eq!(
        own_history[message_count..],
        ["tea ours 2", "tea ours 1", "tea ours 0"]
    );
    let owner = format!(
        "SELECT phone FROM rooms JOIN users ON users.id = owner_id WHERE chat_guid = 'chat;{ANA}'"
    );
    assert_eq!(service.rows(&owner), [[ANA]]);
    say(&service, &direct(ANA, "hi")).await;
    let mut message = group("ours", BEN, "tea");
    message["participants"] = json!([ANA, BEN]);
    say(&service, &message).await;
    let members = format!(
        "SELECT chat_guid FROM room_members JOIN rooms ON rooms.id = room_id
         WHERE handle = '{ANA}' ORDER BY 1"
    );
    assert_eq!(
        service.rows(&members),
        [[format!("chat;{ANA}")], ["ours".to_owned()]]
    );
    assert_eq!(
        service.rows("SELECT count(*) FROM messages WHERE text LIKE '%xylophone%'"),
        [[0]]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn it_runs_by_itself_at_half_past_three() {
    let clock = morning();
    let service = ana_goes(&clock, &[]).await;
    // The one of this night was missed: it comes ten minutes after the start.
    assert_eq!(outlook(&service).await["due"].as_array().unwrap().len(), 1);
    clock.advance(600_000);
    eventually("the missed purge", async || {
        outlook(&service).await["progress"]["erased"] == 1
    })
    .await;
    // Ben asks; nothing happens before the night after his last day.
    ask_for_deletion(&service, BEN).await;
    clock.advance(30 * DAY_MS + 1);
    eventually("the nightly purge", async || {
        outlook(&service).await["progress"]["erased"] == 2
    })
    .await;
    assert_eq!(service.rows("SELECT count(*) FROM users"), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_taken_back_stays() {
    let clock = morning();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    say(&service, &direct(BEN, "hi")).await;
    ask_for_deletion(&service, BEN).await;
    // The very last moment.
    clock.advance(30 * DAY_MS);
    let status = purge(&service).await;
    assert_eq!(status["progress"]["erased"], 0);
    assert_eq!(service.rows("SELECT count(*) FROM users"), [[1]]);
    assert_eq!(service.rows("SELECT count(*) FROM erased_users"), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_down_delays_only_its_own_step() {
    let clock = morning();
    let stripe = Stripe::start();
    let settings = stripe.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    say(&service, &direct(ANA, "hi")).await;
    stripe
        .state()
        .customers
        .insert("cus_1".into(), json!({"id": "cus_1"}));
    stripe.subscribe("sub_1", "cus_1", json!({}));
    execute(
        service.folder.path(),
        "UPDATE users SET customer_id = 'cus_1';
         INSERT INTO subscriptions (subscription_id, user_id, customer_id, status, status_s, began_s)
           VALUES ('sub_1', 1, 'cus_1', 'active', 1, 1)",
    );
    // What is paid for ends with its period, and goes on when the wish is taken back.
    let token = service.user_token(&service.user_id(ANA));
    let is_to_end = async |expected: bool| {
        eventually("the provider knows", async || {
            stripe.state().subscriptions["sub_1"]["cancel_at_period_end"] == expected
        })
        .await;
    };
    ask_for_deletion(&service, ANA).await;
    is_to_end(true).await;
    let taken_back = crate::support::request("DELETE", "/account/deletion").bearer(&token);
    assert_eq!(service.send(&taken_back).await.status, 200);
    is_to_end(false).await;
    ask_for_deletion(&service, ANA).await;
    is_to_end(true).await;
    eventually("nothing is left to tell", async || {
        service.rows("SELECT count(*) FROM provider_tasks") == [[0]]
    })
    .await;
    let (_, folder) = service.stop().await;
    clock.advance(30 * DAY_MS + 1);
    stripe.mode("500");
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    let status = purge(&service).await;
    assert_eq!(status["progress"]["erased"], 0);
    assert_eq!(status["under_way"][0]["waits_for_others"], true);
    assert_eq!(service.rows("SELECT count(*) FROM users"), [[0]]);
    assert_eq!(service.rows("SELECT count(*) FROM subscriptions"), [[0]]);
    let refused = service.send(&get("/account").bearer(&token)).await;
    assert_eq!(refused.status, 401);
    // Once it is there again the rest follows by itself, also after a restart.
    let (_, folder) = service.stop().await;
    stripe.mode("ok");
    let service = Service::in_folder(folder, &settings, clock.clone()).await;
    eventually("the provider forgets", async || {
        clock.advance(120_000);
        stripe.state().customers.is_empty()
    })
    .await;
    eventually("the erasure ends", async || {
        clock.advance(60_000);
        outlook(&service).await["progress"]["erased"] == 1
    })
    .await;
    let remaining = "SELECT (SELECT count(*) FROM erasures), (SELECT count(*) FROM provider_tasks)";
    assert_eq!(service.rows(remaining), [[0, 0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_service_that_is_down_delays_only_its_own_step() {
    let clock = morning();
    let folder = tempfile::tempdir().unwrap();
    let nowhere = [
        ("CHATKEEP_MEMORY_PROVIDER", "mem0"),
        ("CHATKEEP_MEMORY_BASE_URL", "http://127.0.0.1:9"),
    ];
    let service = Service::in_folder(folder, &nowhere, clock.clone()).await;
    say(&service, &direct(ANA, "remember that my xylophone is red")).await;
    ask_for_deletion(&service, ANA).await;
    let (_, folder) = service.stop().await;
    clock.advance(30 * DAY_MS + 1);
    let service = Service::in_folder(folder, &nowhere, clock.clone()).await;
    let status = purge(&service).await;
    assert_eq!(status["progress"]["erased"], 0);
    assert_eq!(status["under_way"][0]["waits_for_others"], true);
    assert_eq!(service.rows("SELECT count(*) FROM users"), [[0]]);
    assert_eq!(service.rows("SELECT count(*) FROM memories"), [[0]]);
    assert_eq!(service.rows("SELECT count(*) FROM memory_tasks"), [[0]]);
    // The bytes are gone already, and the service goes on asking by itself.
    let compacted = "SELECT count(*) FROM meta WHERE key = 'compaction_due'";
    assert_eq!(service.rows(compacted), [[0]]);
    clock.advance(60_000);
    eventually("another try", async || {
        outlook(&service).await["progress"]["over"] == 1
            && service.rows("SELECT value FROM meta WHERE key = 'purged_at'")
                == [[clock.now().0.to_string()]]
    })
    .await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_eq!(purge(&service).await["progress"]["erased"], 1);
    assert_eq!(service.rows("SELECT count(*) FROM erasures"), [[0]]);
}
