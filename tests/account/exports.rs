//! Exports: everything that is kept of a person, for that person only, once it is complete,
//! for as long as was said, and across restarts.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::mem0::Mem0;
use crate::support::process::Process;
use crate::support::{
    Answer, RelaySocket, Service, direct, eventually, get, group, request, token,
};
use chatkeep::auth::jwt;
use chatkeep::clock::{Clock, Timestamp};
use chatkeep::server::RunEnd;
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PHONE: &str = "+15550101";
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const IDENTITY_SECRET: &str = "an-identity-secret-of-at-least-32-bytes";

/// A person who has written once, and their token.
async fn person(service: &Service, phone: &str) -> String {
    let answer = service.edge_message("a", &direct(phone, "hello")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    service.user_token(&service.user_id(phone))
}

async fn ask(service: &Service, token: &str) -> String {
    let answer = service
        .send(&request("POST", "/account/export").bearer(token))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["job_id"].as_str().unwrap().to_owned()
}

async fn status(service: &Service, token: &str, job: &str) -> Answer {
    let path = format!("/account/export/{job}");
    service.send(&get(&path).bearer(token)).await
}

async fn download(service: &Service, token: &str, job: &str) -> Answer {
    let path = format!("/account/export/{job}/download");
    service.send(&get(&path).bearer(token)).await
}

async fn becomes(service: &Service, token: &str, job: &str, expected: &str) -> Value {
    eventually(expected, async || {
        status(service, token, job).await.json()["status"] == expected
    })
    .await;
    status(service, token, job).await.json()
}

/// The document of a person who asks for it now.
async fn exported(service: &Service, token: &str) -> Value {
    let job = ask(service, token).await;
    becomes(service, token, &job, "ready").await;
    let answer = download(service, token, &job).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn execute(service: &Service, sql: &str) {
    let conn = Connection::open(service.folder.path().join("chatkeep.db")).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    conn.execute_batch(sql).unwrap();
}

fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.join("exports")) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn fixed() -> Clock {
    Clock::fixed(Clock::system().now())
}

async fn at(clock: &Clock) -> Service {
    Service::in_folder(tempfile::tempdir().unwrap(), &[], clock.clone()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_goes_from_queued_to_ready_and_its_file_is_private() {
    let clock = fixed();
    let start = clock.now();
    let service = at(&clock).await;
    let token = person(&service, PHONE).await;
    let started = Instant::now();
    let answer = service
        .send(&request("POST", "/account/export").bearer(&token).raw("?!"))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let queued = answer.json();
    let job = queued["job_id"].as_str().unwrap().to_owned();
    assert_eq!(
        queued,
        json!({
            "job_id": job, "status": "queued", "download_url": null, "expires_at": null,
            "error": null,
            "message": "Your export is being prepared. Ask for its status until it is ready.",
        })
    );
    let ready = becomes(&service, &token, &job, "ready").await;
    assert!(
        started.elapsed() < Duration::from_secs(9),
        "{:?}",
        started.elapsed()
    );
    assert_eq!(
        ready,
        json!({
            "job_id": job, "status": "ready", "error": null,
            "download_url": format!("/account/export/{job}/download"),
            "expires_at": start.plus_ms(7 * DAY_MS).to_string(),
        })
    );
    let answer = download(&service, &token, &job).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let name = format!("attachment; filename=\"service_export_{job}.json\"");
    assert_eq!(answer.header("content-disposition"), Some(name.as_str()));
    let length = answer.header("content-length").unwrap();
    assert_eq!(length, answer.text.len().to_string());
    let path = format!("/account/export/{job}/download");
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let head = request("HEAD", &path).bearer(&token).bytes();
    stream.write_all(&head).await.unwrap();
    let mut head = String::new();
    stream.read_to_string(&mut head).await.unwrap();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(
        head.contains(&format!("content-length: {length}\r\n")),
        "{head}"
    );
    assert!(head.ends_with("\r\n\r\n"), "no body: {head}");
    let folder = service.folder.path().join("exports");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(
        files(service.folder.path()),
        [format!("service_export_{job}.json")]
    );
    assert_eq!(
        mode(&folder.join(format!("service_export_{job}.json"))),
        0o600
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_kept_is_in_the_file() {
    let clock = fixed();
    let start = clock.now();
    let service = at(&clock).await;
    let token = person(&service, PHONE).await;
    let user_id = service.user_id(PHONE);
    clock.advance(1_000);
    for text in [
        "remember that my cat is called Ada", "remind me in 3 hours to call Bo",
    ] {
        clock.advance(1_000);
        let answer = service.edge_message("a", &direct(PHONE, text)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    execute(
        &service,
        "UPDATE users SET name = 'Ann', pronouns = 'she', language = 'de', email = 'ann@example.com',
           display_name = 'Annie', timezone = 'Europe/Vienna', status = 'active', plan = 'annual',
           credit_balance = 1250, trial_started_at = 1000, trial_expires_at = 2000,
           customer_id = 'cus_1', deletion_requested_at = 1, deletion_scheduled_for = 9999999999999;
         INSERT INTO personality_profiles VALUES (1, 61, 62, 63, 64, 65, '{\"calm\":true}',
           '[\"kind\"]', '[\"tea\"]', '[\"truth\"]', 'not JSON', 'juno', 4, 3000);
         INSERT INTO traits (user_id, name, category, confidence, strength, created_at)
           VALUES (1, 'patient', 'temper', 80, 70, 4000);
         INSERT INTO relationships (user_id, persona_id, trust_score, rapport_score, stage, updated_at)
           VALUES (1, 'juno', 7, 8, 'friend', 5000);
         INSERT INTO connected_services (service_id, user_id, kind, name, scope, host, credentials,
             connected_at)
           VALUES ('v', 1, 'caldav', 'Work', 'calendar', 'dav.example.com', x'00', 6000);
         INSERT INTO connected_services (service_id, user_id, kind, name, scope, host, credentials,
             connected_at, removed_at)
           VALUES ('w', 1, 'ics', '', 'calendar.read', '', x'', 6000, 6001);
         INSERT INTO miniapp_sessions (session_id, user_id, app_id, state, started_at, message_count)
           VALUES ('s', 1, 'bill_split', 'active', 7000, 3);
         INSERT INTO power_states (user_id, power, state, previous, updated_at)
           VALUES (1, 'mood_tracker', '{\"entries\":[{\"score\":7}]}', '{}', 8000);
         INSERT INTO power_states (room_id, power, state, updated_at)
           VALUES (1, 'bill_split', '{\"shared\":true}', 8000);
         INSERT INTO photos (photo_id, user_id, agent_id, message_id, format, bytes, is_processed,
             created_at, removed_at)
           VALUES ('0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b12', 1, 1, 1, 'png', 8, 1, 8000, 9000);",
    );
    let document = exported(&service, &token).await;
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 20, "{keys:?}");
    let at = |ms: i64| Timestamp(ms).to_string();
    let after = |ms: i64| start.plus_ms(ms).to_string();
    let memory = &document["memories"][0];
    let reminder = &document["reminders"][0];
    let texts = document["messages"].as_array().unwrap().iter();
    let texts: Vec<&str> = texts.map(|m| m["text"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        [
            "remind me in 3 hours to call Bo", "remember that my cat is called Ada", "hello",
        ]
    );
    let replies = service.rows("SELECT bubbles FROM messages ORDER BY id DESC");
    for (message, row) in document["messages"].as_array().unwrap().iter().zip(replies) {
        let bubbles: Vec<String> = serde_json::from_str(row[0].as_str().unwrap()).unwrap();
        assert_eq!(message["reply_text"], bubbles.join("\n"));
        assert_eq!(message["chat_guid"], format!("chat;{PHONE}"));
        assert_eq!(message["sent_at"], at(1_700_000_000_000));
    }
    let expected = json!({
        "export_version": "1.0",
        "exported_at": after(3_000),
        "user_id": user_id,
        "profile": {
            "phone": PHONE, "name": "Ann", "pronouns": "she", "language": "de", "email": "ann@example.com",
            "display_name": "Annie", "timezone": "Europe/Vienna",
            "created_at": after(0),
            "last_active_at": after(3_000),
        },
        "subscription": {
            "status": "active", "plan": "annual", "credit_balance": 1250,
            "trial_started_at": at(1000), "trial_expires_at": at(2000),
        },
        "personality_profile": {
            "openness": 61, "conscientiousness": 62, "extraversion": 63, "agreeableness": 64,
            "neuroticism": 65, "personality_summary": {"calm": true},
            "top_personality_traits": ["kind"], "top_interests": ["tea"],
            "core_values": ["truth"], "lifestyle_traits": [], "selected_persona_id": "juno",
            "total_photos_analyzed": 4, "last_analysis_at": at(3000),
        },
        "traits": [{
            "name": "patient", "category": "temper", "confidence": 80, "strength": 70,
            "created_at": at(4000),
        }],
        "relationships": [{
            "persona_id": "juno", "trust_score": 7, "rapport_score": 8, "stage": "friend",
            "updated_at": at(5000),
        }],
        "connected_services": [{
            "scope": "calendar", "connected_at": at(6000), "expires_at": null,
        }],
        "installed_apps": [],
        "apps": [],
        "webhooks": [],
        "miniapp_sessions": [{
            "app_id": "bill_split", "state": "active", "started_at": at(7000),
            "ended_at": null, "message_count": 3,
        }],
        "memories": [{
            "id": memory["id"], "text": "my cat is called Ada", "category": "said",
            "created_at": after(2_000),
        }],
        "billing": {
            "customer_id": "cus_1",
            "note": "Your payments and invoices are listed at GET /billing/history.",
        },
        "reminders": [{
            "id": reminder["id"], "chat_guid": format!("chat;{PHONE}"), "text": "call Bo",
            "send_at": after(3_000 + 3 * 60 * 60 * 1000), "created_at": after(3_000),
            "rule": null, "timezone": null,
        }],
        "superpowers": [{
            "name": "mood_tracker", "state": {"entries": [{"score": 7}]}, "updated_at": at(8000),
        }],
        "photos": [{
            "photo_id": "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b12", "format": "png", "bytes": 8,
            "created_at": at(8000), "removed_at": at(9000),
        }],
        "messages": document["messages"],
        "omitted": [],
    });
    assert_eq!(document, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_of_whom_nothing_is_known_gets_a_whole_file_too() {
    let service = Service::start().await;
    let id = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    let document = exported(&service, &service.user_token(id)).await;
    assert_eq!(document["user_id"], id);
    let profile = &document["profile"];
    for unknown in [
        "phone", "name", "pronouns", "language", "email", "display_name",
    ] {
        assert_eq!(profile[unknown], "", "{unknown}");
    }
    assert_eq!(profile["timezone"], "UTC");
    assert_eq!(profile["last_active_at"], Value::Null);
    assert_eq!(
        document["subscription"],
        json!({
            "status": "free", "plan": null, "credit_balance": 0, "trial_started_at": null,
            "trial_expires_at": null,
        })
    );
    assert_eq!(document["personality_profile"], Value::Null);
    assert_eq!(document["billing"]["customer_id"], "");
    for list in [
        "traits", "relationships", "connected_services", "miniapp_sessions", "installed_apps",
        "apps", "webhooks", "memories", "reminders", "superpowers", "photos", "messages",
        "omitted",
    ] {
        assert_eq!(document[list], json!([]), "{list}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creator_gets_their_apps_and_webhooks_without_secrets() {
    let service = Service::with(&[("CHATKEEP_SERVER_PUBLIC_URL", "https://chat.example/")]).await;
    let token = person(&service, PHONE).await;
    let post = async |path: &str, body: &Value, token: &str| {
        let answer = service
            .send(&request("POST", path).json(body).bearer(token))
            .await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    let say = json!({"action_id": "say", "kind": "send_message", "template": "{title}"});
    let door = json!({"name": "Door bell", "description": "At home", "actions": [say]});
    let app = post("/marketplace/apps", &door, &token).await;
    let hooks = format!("/marketplace/webhooks/{}", app["app_id"].as_str().unwrap());
    let front = json!({
        "action_id": "say", "description": "Front door", "payload_mapping": {"title": "a.b"},
    });
    let hook = post(&hooks, &front, &token).await;
    let rotate = format!(
        "{hooks}/{}/rotate-secret",
        hook["webhook_id"].as_str().unwrap()
    );
    let rotated = post(&rotate, &json!({}), &token).await;
    let other = person(&service, "+15550102").await;
    let theirs = post("/marketplace/apps", &door, &other).await;
    let theirs = format!(
        "/marketplace/webhooks/{}",
        theirs["app_id"].as_str().unwrap()
    );
    post(&theirs, &front, &other).await;

    let document = exported(&service, &token).await;
    assert_eq!(document["apps"], json!([app]));
    let listed = service.send(&get(&hooks).bearer(&token)).await.json();
    let mut expected = listed["webhooks"].clone();
    expected[0]["app_id"] = app["app_id"].clone();
    assert_eq!(document["webhooks"], expected);
    let url = format!(
        "https://chat.example/webhooks/{}",
        hook["webhook_id"].as_str().unwrap()
    );
    assert_eq!(document["webhooks"][0]["url"], url);

    let text = document.to_string();
    let stored = service.rows("SELECT lower(hex(secret)) FROM webhooks");
    let secrets = [&hook["secret"], &rotated["new_secret"], &stored[0][0]];
    for secret in secrets {
        assert!(!text.contains(secret.as_str().unwrap()), "{text}");
    }
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_followed_later_is_an_answer() {
    let service = Service::start().await;
    let token = person(&service, PHONE).await;
    let replies = "UPDATE messages SET bubbles = NULL, late = '[\"Paris.\",\"In France.\"]'";
    execute(&service, replies);
    let document = exported(&service, &token).await;
    assert_eq!(document["messages"][0]["reply_text"], "Paris.\nIn France.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_wrote_in_a_group_stays_theirs() {
    let service = Service::start().await;
    let token = person(&service, PHONE).await;
    let say = async |phone: &str, text: &str| {
        let answer = service.edge_message("a", &group("team", phone, text)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["reply_text"].as_str().unwrap().to_owned()
    };
    say("+15550102", "my door code is 7777").await;
    let reply = say(PHONE, "Juno, hello").await;
    assert_ne!(reply, "");
    say(PHONE, "and a word to all").await;
    let other_answer = say("+15550102", "Juno, remind me in 2 hours to buy 8888 roses").await;
    assert!(other_answer.contains("8888"), "{other_answer}");
    let document = exported(&service, &token).await;
    let messages = document["messages"].as_array().unwrap();
    let texts: Vec<(&str, &str, Option<&str>)> = messages
        .iter()
        .map(|m| {
            let text = |key: &str| m[key].as_str();
            (
                text("chat_guid").unwrap(),
                text("text").unwrap(),
                text("reply_text"),
            )
        })
        .collect();
    assert_eq!(texts.len(), 3, "{texts:?}");
    assert_eq!(texts[1], ("team", "and a word to all", None));
    assert_eq!(texts[2], ("team", "Juno, hello", Some(reply.as_str())));
    let text = document.to_string();
    assert!(!text.contains("7777") && !text.contains("8888"), "{text}");
    assert!(!text.contains("+15550102"), "{text}");
}

/// Owner, somebody else, nobody, and the owner with a token that has expired.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_its_owners_alone() {
    let service = Service::start().await;
    let owner = person(&service, PHONE).await;
    let other = person(&service, "+15550102").await;
    let secret = service.app.config.identity.hs256_secret.as_ref().unwrap();
    let id = service.user_id(PHONE);
    let expired = jwt::issue(secret.expose(), &id, -600, service.app.clock.now());
    let job = ask(&service, &owner).await;
    becomes(&service, &owner, &job, "ready").await;
    let paths = [
        format!("/account/export/{job}"),
        format!("/account/export/{job}/download"),
        format!("/account/export/{}", job.to_uppercase()),
        format!("/account/export/{}/download", job.to_uppercase()),
    ];
    for path in &paths {
        for (token, expected, code) in [
            (Some(&owner), 200, ""),
            (Some(&other), 403, "export_not_owned"),
            (Some(&expired), 401, "unauthorized"),
            (None, 401, "unauthorized"),
        ] {
            let mut call = get(path);
            if let Some(token) = token {
                call = call.bearer(token);
            }
            let answer = service.send(&call).await;
            assert_eq!(answer.status, expected, "{path}: {}", answer.text);
            if expected != 200 {
                assert_eq!(answer.code(), code);
                assert!(!answer.text.contains(PHONE));
            }
        }
    }
    for token in [Some(&expired), None] {
        let mut call = request("POST", "/account/export");
        if let Some(token) = token {
            call = call.bearer(token);
        }
        assert_eq!(service.send(&call).await.status, 401);
    }
    for unknown in [
        "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11".to_owned(),
        "no-uuid".to_owned(),
        "%2e%2e%2fchatkeep.db".to_owned(),
        format!("{job}0"),
    ] {
        for end in ["", "/download"] {
            let path = format!("/account/export/{unknown}{end}");
            let answer = service.send(&get(&path).bearer(&owner)).await;
            assert_eq!(answer.status, 404, "{path}: {}", answer.text);
            assert_eq!(answer.code(), "export_not_found");
        }
    }
    let rows = service.rows("SELECT count(*), count(DISTINCT user_id) FROM export_jobs");
    assert_eq!(rows, [[1, 1]], "nobody else has one now");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_a_day_are_made_and_a_restart_forgives_nothing() {
    let clock = fixed();
    let service = at(&clock).await;
    let token = person(&service, PHONE).await;
    let other = person(&service, "+15550102").await;
    ask(&service, &token).await;
    clock.advance(1_000);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    ask(&service, &token).await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let refused = async || {
        let token = service.user_token(&service.user_id(PHONE));
        let answer = service
            .send(&request("POST", "/account/export").bearer(&token))
            .await;
        if answer.status == 200 {
            return None;
        }
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (429, "rate_limited")
        );
        Some(answer.header("retry-after").unwrap().to_owned())
    };
    assert_eq!(refused().await.as_deref(), Some("86399"));
    ask(&service, &other).await;
    clock.advance(DAY_MS - 1_000 - 1);
    assert_eq!(refused().await.as_deref(), Some("1"));
    clock.advance(1);
    assert_eq!(refused().await, None, "the first has left the day");
    assert_eq!(refused().await.as_deref(), Some("1"));
    let jobs = service.rows("SELECT count(*) FROM export_jobs JOIN users ON users.id = export_jobs.user_id WHERE phone = '+15550101'");
    assert_eq!(jobs, [[3]], "those refused are no jobs");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_lasts_seven_days_and_its_job_thirty_more() {
    let clock = fixed();
    let start = clock.now();
    let service = at(&clock).await;
    let token = person(&service, PHONE).await;
    let job = ask(&service, &token).await;
    becomes(&service, &token, &job, "ready").await;
    clock.advance(7 * DAY_MS - 1);
    let token = service.user_token(&service.user_id(PHONE));
    assert_eq!(download(&service, &token, &job).await.status, 200);
    clock.advance(1);
    for _ in 0..2 {
        let expired = status(&service, &token, &job).await;
        assert_eq!(expired.status, 200);
        assert_eq!(
            expired.json(),
            json!({
                "job_id": job, "status": "expired", "download_url": null, "error": null,
                "expires_at": start.plus_ms(7 * DAY_MS).to_string(),
            })
        );
        let expired_answer = download(&service, &token, &job).await;
        assert_eq!(
            (expired_answer.status, expired_answer.code().as_str()),
            (410, "export_expired")
        );
        eventually("the file is removed", async || {
            files(service.folder.path()).is_empty()
        })
        .await;
    }
    clock.advance(30 * DAY_MS - 1);
    let token = service.user_token(&service.user_id(PHONE));
    assert_eq!(status(&service, &token, &job).await.status, 200);
    assert_eq!(download(&service, &token, &job).await.status, 410);
    clock.advance(1);
    for answer in [
        status(&service, &token, &job).await,
        download(&service, &token, &job).await,
    ] {
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (404, "export_not_found")
        );
    }
    let now = clock.now();
    let removed = service.app.store.write(move |tx| tx.remove_old_rows(now));
    removed.await.unwrap();
    assert_eq!(service.rows("SELECT count(*) FROM export_jobs"), [[0]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_somebody_removed_is_said_to_be_gone() {
    let service = Service::start().await;
    let token = person(&service, PHONE).await;
    let job = ask(&service, &token).await;
    becomes(&service, &token, &job, "ready").await;
    let folder = service.folder.path().join("exports");
    let aside = service.folder.path().join("aside");
    std::fs::rename(&folder, &aside).unwrap();
    let answer = download(&service, &token, &job).await;
    assert_eq!(
        answer.status, 503,
        "the disk may come back: {}",
        answer.text
    );
    std::fs::rename(&aside, &folder).unwrap();
    assert_eq!(download(&service, &token, &job).await.status, 200);
    std::fs::remove_file(folder.join(format!("service_export_{job}.json"))).unwrap();
    for _ in 0..2 {
        let answer = download(&service, &token, &job).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (410, "export_expired")
        );
        let answer = status(&service, &token, &job).await.json();
        assert_eq!(answer["status"], "expired");
        assert_eq!(answer["download_url"], Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_takes_no_files_fails_the_job_and_says_no_path() {
    let service = Service::start().await;
    let token = person(&service, PHONE).await;
    let folder = service.folder.path().join("exports");
    std::fs::write(&folder, "in the way").unwrap();
    let job = ask(&service, &token).await;
    let failed = becomes(&service, &token, &job, "failed").await;
    assert_eq!(
        failed,
        json!({
            "job_id": job, "status": "failed", "download_url": null, "expires_at": null,
            "error": "The file could not be written. Ask for another export later.",
        })
    );
    let answer = download(&service, &token, &job).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (400, "export_not_ready")
    );
    std::fs::remove_file(&folder).unwrap();
    let document = exported(&service, &token).await;
    assert_eq!(document["messages"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_restart_finds_is_taken_up_or_cleared_away() {
    let service = Service::start().await;
    let token = person(&service, PHONE).await;
    let user_id = service.user_id(PHONE);
    let ready = ask(&service, &token).await;
    becomes(&service, &token, &ready, "ready").await;
    let (_, folder) = service.stop().await;
    let conn = Connection::open(folder.path().join("chatkeep.db")).unwrap();
    let job_id = |number: u32| format!("00000000-0000-4000-8000-{number:012}");
    let [processing, queued, failed, hopeless] = [1, 2, 3, 4].map(job_id);
    let jobs = [
        (&processing, "processing"),
        (&queued, "queued"),
        (&failed, "failed"),
    ];
    for (job, status) in jobs {
        conn.execute(
            "INSERT INTO export_jobs (job_id, user_id, status, error, created_at)
             VALUES (?1, 1, ?2, ?2, 0)",
            [job, status],
        )
        .unwrap();
    }
    conn.execute(
        "UPDATE export_jobs SET starts = 19 WHERE status = 'processing'",
        [],
    )
    .unwrap();
    conn.execute(
        "INSERT INTO export_jobs (job_id, user_id, status, starts, created_at)
         VALUES (?1, 1, 'processing', 20, 0)",
        [&hopeless],
    )
    .unwrap();
    conn.close().unwrap();
    let exports = folder.path().join("exports");
    for name in [
        &format!("service_export_{processing}.json.part"),
        "service_export_nobody.json.part",
        "service_export_nobody.json",
        &format!("service_export_{failed}.json"),
        "somebody's notes.json",
    ] {
        std::fs::write(exports.join(name), "leftover").unwrap();
    }
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    let token = service.user_token(&user_id);
    let answer = status(&service, &token, &hopeless).await.json();
    assert!(answer["status"] == "processing" || answer["status"] == "failed");
    for job in [&processing, &queued] {
        becomes(&service, &token, job, "ready").await;
        let document = download(&service, &token, job).await.json();
        assert_eq!(document["user_id"], user_id.as_str());
    }
    assert_eq!(download(&service, &token, &ready).await.status, 200);
    assert_eq!(
        status(&service, &token, &failed).await.json()["status"],
        "failed"
    );
    becomes(&service, &token, &hopeless, "failed").await;
    let mut expected = vec![
        format!("service_export_{ready}.json"),
        format!("service_export_{processing}.json"),
        format!("service_export_{queued}.json"),
        "somebody's notes.json".to_owned(),
    ];
    expected.sort();
    assert_eq!(files(service.folder.path()), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_is_not_done_yet_has_nothing_to_download() {
    // Two hold both places; they end when their memory service gives up.
    let mem0 = Mem0::start();
    mem0.set_mode("hang");
    let settings = mem0.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let service = Service::with(&settings).await;
    let token_of = |phone: &str| service.user_token(&service.user_id(phone));
    let token = person(&service, PHONE).await;
    let (first, second) = (ask(&service, &token).await, ask(&service, &token).await);
    for job in [&first, &second] {
        let view = becomes(&service, &token, job, "processing").await;
        let progress = view["progress"].as_f64().unwrap();
        assert!((0.0..=1.0).contains(&progress), "{view}");
        assert_eq!(view["download_url"], Value::Null);
    }
    let waiting = ask(&service, &person(&service, "+15550102").await).await;
    let other = token_of("+15550102");
    let view = status(&service, &other, &waiting).await.json();
    assert_eq!(
        (&view["status"], view.get("progress")),
        (&json!("queued"), None)
    );
    for (token, job) in [(&token, &first), (&other, &waiting)] {
        let answer = download(&service, token, job).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (400, "export_not_ready")
        );
    }
    let started = Instant::now();
    let (ended, folder) = service.stop().await;
    assert_eq!(ended, RunEnd::Clean);
    assert!(
        started.elapsed() < Duration::from_secs(9),
        "{:?}",
        started.elapsed()
    );
    mem0.set_mode("");
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    for (phone, job) in [(PHONE, first), (PHONE, second), ("+15550102", waiting)] {
        let token = service.user_token(&service.user_id(phone));
        becomes(&service, &token, &job, "ready").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_persons_exports_can_be_erased_while_one_is_made() {
    let mem0 = Mem0::start();
    mem0.set_mode("hang");
    let settings = mem0.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let service = Service::with(&settings).await;
    let token = person(&service, PHONE).await;
    let other = person(&service, "+15550102").await;
    let (mine, other_job) = (ask(&service, &token).await, ask(&service, &other).await);
    becomes(&service, &token, &mine, "processing").await;
    let public_id = service.user_id(PHONE);
    let person = service.app.store.look_up(|view| view.person(&public_id));
    let user = person.unwrap().unwrap().id;
    for _ in 0..2 {
        service.app.exports.erase(user).await.unwrap();
        assert_eq!(status(&service, &token, &mine).await.status, 404);
    }
    mem0.set_mode("");
    becomes(&service, &other, &other_job, "ready").await;
    eventually("only the other's file is there", async || {
        files(service.folder.path()) == [format!("service_export_{other_job}.json")]
    })
    .await;
    assert_eq!(service.rows("SELECT count(*) FROM export_jobs"), [[1]]);
}

/// A database with one person of so many messages and memories, and the person's id.
async fn large(messages: u64, memories: u64) -> (tempfile::TempDir, String) {
    let service = Service::start().await;
    person(&service, PHONE).await;
    let user_id = service.user_id(PHONE);
    let (_, folder) = service.stop().await;
    let conn = Connection::open(folder.path().join("chatkeep.db")).unwrap();
    conn.execute_batch(&format!(
        "BEGIN;
         INSERT INTO messages (room_id, user_id, previous_id, sent_s, received_at, sender, text,
           counted, unwritten, bubbles)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {messages} - 1)
         SELECT 1, 1, i, 1700000000, 1700000000000 + i, '{PHONE}',
           'message ' || i || ' with words of the usual length, as people write them', 0, -1,
           '[\"An answer of the usual length to message ' || i || '.\"]' FROM n;
         UPDATE room_heads SET message_id = {messages};
         INSERT INTO memories (memory_id, user_id, text, category, created_at)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {memories})
         SELECT 'memory-' || i, 1, 'something worth remembering, number ' || i, 'said', i FROM n;
         COMMIT;"
    ))
    .unwrap();
    conn.close().unwrap();
    (folder, user_id)
}

struct Run {
    service: Process,
    token: String,
}

impl Run {
    fn start(folder: &Path, user_id: &str) -> Self {
        let exports = folder.join("exports");
        let settings = [
            ("CHATKEEP_IDENTITY_HS256_SECRET", IDENTITY_SECRET),
            ("CHATKEEP_EXPORTS_DIR", exports.to_str().unwrap()),
        ];
        let service = Process::start(&folder.join("chatkeep.db"), &settings).unwrap();
        let token = jwt::issue(IDENTITY_SECRET, user_id, 3600, Clock::system().now());
        Self { service, token }
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.service.send(&get(path).bearer(&self.token)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    async fn ask(&self) -> String {
        let call = request("POST", "/account/export").bearer(&self.token);
        let answer = self.service.send(&call).await.json();
        format!("/account/export/{}", answer["job_id"].as_str().unwrap())
    }

    async fn is_under_way(&self, path: &str) {
        eventually("some of it is done", async || {
            let view = self.get(path).await;
            assert_ne!(view["status"], "ready", "too small for this test");
            view["progress"]
                .as_f64()
                .is_some_and(|progress| progress > 0.3)
        })
        .await;
    }

    async fn is_ready(&self, path: &str) {
        let start = Instant::now();
        loop {
            let view = self.get(path).await;
            if view["status"] == "ready" {
                return;
            }
            let log = self.service.log();
            assert!(start.elapsed() < Duration::from_secs(60), "{view}: {log}");
            assert_ne!(view["status"], "failed", "{log}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn check_whole(folder: &Path, messages: u64, memories: u64) -> PathBuf {
    let [name] = files(folder).try_into().unwrap();
    let path = folder.join("exports").join(name);
    let document: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(document["omitted"], json!([]));
    let numbers = |list: &str, number: fn(&str) -> u64| -> Vec<u64> {
        let items = document[list].as_array().unwrap().iter();
        items
            .map(|item| number(item["text"].as_str().unwrap()))
            .collect()
    };
    let second_word = |text: &str| text.split(' ').nth(1).map_or(0, |n| n.parse().unwrap());
    let last_word = |text: &str| text.rsplit(' ').next().unwrap().parse().unwrap();
    let expected: Vec<u64> = (0..messages).rev().collect();
    assert!(
        numbers("messages", second_word) == expected,
        "every message, once"
    );
    let expected: Vec<u64> = (1..=memories).collect();
    assert!(
        numbers("memories", last_word) == expected,
        "every memory, once"
    );
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_file_that_can_not_be_removed_is_logged_once_an_hour() {
    let (folder, user_id) = large(10, 1).await;
    let run = Run::start(folder.path(), &user_id);
    run.is_ready(&run.ask().await).await;
    let file = check_whole(folder.path(), 10, 1);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir_all(file.join("in the way")).unwrap();
    let conn = Connection::open(folder.path().join("chatkeep.db")).unwrap();
    conn.busy_timeout(Duration::from_secs(5)).unwrap();
    conn.execute("UPDATE export_jobs SET expires_at = 1", ())
        .unwrap();
    // Its start and its end each look for expired files.
    run.is_ready(&run.ask().await).await;
    run.service.log_with("can't be removed").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let log = run.service.log();
    let lines: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("can't be removed"))
        .collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].contains(file.to_str().unwrap()), "{log}");
}

/// The end comes in the middle of an export, with relays on a hundred sockets: all are told, it
/// ends well, and what was not finished is finished by the next start.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_among_a_hundred_relays_survives_a_signal() {
    const MESSAGES: u64 = 40_000;
    let (folder, user_id) = large(MESSAGES, 1_000).await;
    let mut run = Run::start(folder.path(), &user_id);
    let mut relays = Vec::new();
    for n in 0..100 {
        let (agent, address) = (format!("agent-{n}"), run.service.address);
        let relay = RelaySocket::open(address, &agent, &token(&agent)).await;
        relays.push(relay.unwrap());
    }
    let path = run.ask().await;
    eventually("it is under way", async || {
        run.get(&path).await["status"] != "queued"
    })
    .await;
    run.service.signal("TERM");
    for relay in &mut relays {
        let close = relay.closed().await.expect("a close frame");
        assert_eq!(u16::from(close.code), 1012);
    }
    let status = run.service.ended(Duration::from_secs(10));
    assert_eq!(status.code(), Some(0), "{}", run.service.log());
    let run = Run::start(folder.path(), &user_id);
    run.is_ready(&path).await;
    check_whole(folder.path(), MESSAGES, 1_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_survives_kills_and_ends_at_once_on_a_signal() {
    const MESSAGES: u64 = 40_000;
    let (folder, user_id) = large(MESSAGES, 1_000).await;
    let mut run = Run::start(folder.path(), &user_id);
    let path = run.ask().await;
    run.is_under_way(&path).await;
    run.service.kill();
    assert!(files(folder.path())[0].ends_with(".part"));
    for _ in 0..5 {
        let mut run = Run::start(folder.path(), &user_id);
        run.is_under_way(&path).await;
        run.service.signal("TERM");
        let status = run.service.ended(Duration::from_secs(5));
        assert_eq!(status.code(), Some(0), "{}", run.service.log());
    }
    let database = folder.path().join("chatkeep.db");
    assert!(
        !database.with_extension("db-wal").exists(),
        "the log was moved"
    );
    let run = Run::start(folder.path(), &user_id);
    run.is_ready(&path).await;
    check_whole(folder.path(), MESSAGES, 1_000);
}

/// `cargo test --release --test account a_hundred_thousand -- --ignored --nocapture`
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while; what it measures wants a quiet machine"]
async fn a_hundred_thousand_messages_and_memories_take_little_memory() {
    const ROWS: u64 = 100_000;
    let (folder, user_id) = large(ROWS, ROWS).await;
    let run = Run::start(folder.path(), &user_id);
    assert_eq!(run.service.send(&get("/health")).await.status, 200);
    let resident_kib = |name: &str| -> u64 {
        let path = format!("/proc/{}/status", run.service.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let before = resident_kib("VmRSS:");
    let started = Instant::now();
    let path = run.ask().await;
    run.is_ready(&path).await;
    let elapsed = started.elapsed();
    let most = resident_kib("VmHWM:");
    let file = check_whole(folder.path(), ROWS, ROWS);
    let bytes = std::fs::metadata(file).unwrap().len();
    println!("{elapsed:?}, {bytes} bytes, {before} KiB resident before, {most} at most");
    assert!(most - before < 32 * 1024, "{} KiB more", most - before);
}
