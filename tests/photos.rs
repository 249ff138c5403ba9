//! `POST /photo/upload`: what is taken, kept and answered, and when it goes.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::os::unix::fs::PermissionsExt as _;

use chatkeep::clock::Clock;
use serde_json::{Value, json};
use support::photo::{POSITION, direct_fields, jpeg, stored_files, upload};
use support::{Answer, Service, direct, post, read_answer, request, token};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn send(service: &Service, guid: &str, file: &[u8]) -> Answer {
    service.send(&upload("a", &direct_fields(guid), file)).await
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|window| window == what)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_a_message_whose_reply_is_a_command() {
    let service = Service::start().await;
    let mut fields = direct_fields("a-1");
    fields.extend([
        ("caption", "hello"),
        ("edge_agent_id", "a"),
        ("is_group", "false"),
        ("participants", "+15550100, +15550101"),
        ("context", r#"{"owner":"+15550101"}"#),
    ]);
    let answer = service.send(&upload("a", &fields, &jpeg("cat"))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let uploaded = answer.json();
    assert_eq!(uploaded["status"], "processing");
    let photo_id = uploaded["photo_id"].as_str().unwrap();
    let url = format!("http://127.0.0.1:8080/photo/{photo_id}");
    assert_eq!(uploaded["photo_url"], *url);
    // The file, without its position.
    let files = stored_files(&service);
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].0, format!("{photo_id}.jpeg"));
    assert!(!holds(&files[0].1, POSITION) && holds(&files[0].1, b"cat"));
    let folder = service.folder.path().join("chatkeep.db.photos");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&folder.join(&files[0].0)), 0o600);
    // The message.
    let rows = service.rows("SELECT sender, text, context, bubbles FROM messages");
    assert_eq!(rows[0][..2], [json!("+15550100"), json!("hello")]);
    let context: Value = serde_json::from_str(rows[0][2].as_str().unwrap()).unwrap();
    assert_eq!(context, json!({"owner": "+15550101", "photos": [url]}));
    assert_eq!(rows[0][3], Value::Null);
    let members = service.rows("SELECT handle FROM room_members ORDER BY handle");
    assert_eq!(members, [["+15550100"], ["+15550101"]]);
    // The reply.
    let mut relay = service.relay("a").await;
    relay.say(&json!({"type": "resume"})).await;
    let command = relay.command().await;
    assert_eq!(command["payload"]["chat_guid"], "chat;+15550100");
    assert_eq!(
        command["payload"]["in_reply_to"].as_str(),
        answer.header("x-message-id")
    );
    assert!(!command["payload"]["text"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_upload_gets_the_first_answer_and_does_nothing() {
    let service = Service::start().await;
    let first = send(&service, "a-1", &jpeg("cat")).await;
    for _ in 0..3 {
        let repeated = send(&service, "a-1", &jpeg("cat")).await;
        assert_eq!((repeated.status, &repeated.text), (200, &first.text));
        assert_eq!(repeated.header("idempotency-replayed"), Some("true"));
    }
    assert_eq!(service.rows("SELECT count(*) FROM messages"), [[1]]);
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[1]]);
    assert_eq!(stored_files(&service).len(), 1);
    let other = send(&service, "a-1", &jpeg("dog")).await;
    assert_eq!(
        (other.status, other.code().as_str()),
        (422, "idempotency_key_reused")
    );
    assert_eq!(stored_files(&service).len(), 1);
    // Another relay's names are its own.
    let elsewhere = upload("b", &direct_fields("a-1"), &jpeg("dog"));
    assert_eq!(service.send(&elsewhere).await.status, 200);
    assert_eq!(stored_files(&service).len(), 2);
}

/// Two at once: one is taken, the other gets its answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_race_of_one_upload_keeps_one_photo() {
    let service = Service::start().await;
    let all = [(); 6].map(|()| async { send(&service, "a-1", &jpeg("cat")).await });
    let answers = futures_util::future::join_all(all).await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.text), (200, &answers[0].text));
    }
    assert_eq!(stored_files(&service).len(), 1);
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[1]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_did_not_ask_gets_no_reply() {
    let service = Service::start().await;
    let fields = |guid, caption| {
        let mut fields = vec![("user_phone", "+15550100"), ("chat_guid", "group")];
        fields.extend([
            ("attachment_guid", guid),
            ("is_group", "true"),
            ("caption", caption),
        ]);
        fields
    };
    let silent = service
        .send(&upload("a", &fields("a-1", "look"), &jpeg("cat")))
        .await;
    assert_eq!(silent.json()["status"], "stored");
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[0]]);
    let named = upload("a", &fields("a-2", "Juno, look"), &jpeg("cat"));
    assert_eq!(service.send(&named).await.json()["status"], "processing");
    assert_eq!(service.rows("SELECT count(*) FROM commands"), [[1]]);
    let repeated = service
        .send(&upload("a", &fields("a-1", "look"), &jpeg("cat")))
        .await;
    assert_eq!(repeated.text, silent.text);
    assert_eq!(service.rows("SELECT mode FROM rooms"), [["group"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_leaves_no_file() {
    let service = Service::start().await;
    for bytes in [&b"GIF89a"[..], b"plain words", b"\xff\xd8\xff\xe1\xff"] {
        let answer = send(&service, "a-1", bytes).await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (415, "unsupported_media_type")
        );
        assert!(
            answer.text.contains("JPEG, PNG, WebP or HEIC"),
            "{}",
            answer.text
        );
    }
    for missing in ["user_phone", "chat_guid", "attachment_guid"] {
        let mut fields = direct_fields("a-1");
        fields.retain(|(name, _)| *name != missing);
        let answer = service.send(&upload("a", &fields, &jpeg("cat"))).await;
        assert_eq!(answer.status, 422, "{missing}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], format!("/{missing}"));
    }
    for (name, value, field) in [
        ("is_group", "perhaps", "/is_group"),
        ("participants", "[1]", "/participants"),
        ("context", r#"{"photos":["ftp://x"]}"#, "/context/photos/0"),
        ("user_phone", "twice", "/user_phone"),
    ] {
        let mut fields = direct_fields("a-1");
        fields.push((name, value));
        let answer = service.send(&upload("a", &fields, &jpeg("cat"))).await;
        assert_eq!(answer.status, 422, "{name}: {}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], field);
    }
    let empty = send(&service, "a-1", b"").await;
    assert_eq!(
        (empty.status, empty.code().as_str()),
        (422, "validation_failed")
    );
    let mut foreign = direct_fields("a-1");
    foreign.push(("edge_agent_id", "b"));
    let answer = service.send(&upload("a", &foreign, &jpeg("cat"))).await;
    assert_eq!(answer.status, 401);
    let large = send(&service, "a-1", &vec![0xff; 20 * 1024 * 1024 + 1]).await;
    assert_eq!(
        (large.status, large.code().as_str()),
        (413, "payload_too_large")
    );
    let json = request("POST", "/photo/upload")
        .bearer(&token("a"))
        .json(&json!({}));
    assert_eq!(service.send(&json).await.status, 415);
    service.set_flag("rate_limit.photos_per_hour", 1).await;
    assert_eq!(send(&service, "a-1", &jpeg("cat")).await.status, 200);
    let limited = send(&service, "a-2", &jpeg("cat")).await;
    assert_eq!(
        (limited.status, limited.code().as_str()),
        (429, "rate_limited")
    );
    assert_eq!(stored_files(&service).len(), 1);
    assert_eq!(service.rows("SELECT count(*) FROM messages"), [[1]]);
}

/// A body that breaks off keeps nothing, and the connection is not used again.
#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_ends_early_is_refused() {
    let service = Service::start().await;
    let whole = upload("a", &direct_fields("a-1"), &jpeg("cat"));
    let cut = request("POST", "/photo/upload")
        .header(
            "Content-Type",
            "multipart/form-data; boundary=a-line-between",
        )
        .bearer(&token("a"))
        .raw(
            b"--a-line-between\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc"
                .to_vec(),
        );
    let answer = service.send(&cut).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (422, "validation_failed")
    );
    assert_eq!(service.send(&whole).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_may_name_an_uploaded_photo() {
    let service = Service::start().await;
    let uploaded = send(&service, "a-1", &jpeg("cat")).await.json();
    let mut message = direct("+15550100", "and this one?");
    message["context"] = json!({"photos": [uploaded["photo_url"]]});
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    message["context"] = json!({"photos": ["http://127.0.0.1:9/photo/1"]});
    let request = post("/edge/message", &message).bearer(&token("a"));
    assert_eq!(service.send(&request).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_after_their_days_and_uploads_that_were_cut_off_after_an_hour() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let answer = send(&service, "a-1", &jpeg("cat")).await;
    let photos = service.folder.path().join("chatkeep.db.photos");
    for orphan in ["0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11.jpeg", "x.part"] {
        std::fs::write(photos.join(orphan), "x").unwrap();
    }
    std::fs::write(photos.join("notes.txt"), "somebody else's").unwrap();
    service.app.photos.remove_old().await.unwrap();
    assert_eq!(stored_files(&service).len(), 4, "an hour is not over");
    clock.advance(2 * 60 * 60 * 1000);
    service.app.photos.remove_old().await.unwrap();
    let names = |service: &Service| -> Vec<String> {
        stored_files(service)
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    };
    let photo = answer.json()["photo_id"].as_str().unwrap().to_owned();
    let mut expected = vec![format!("{photo}.jpeg"), "notes.txt".to_owned()];
    expected.sort();
    assert_eq!(names(&service), expected);
    clock.advance(7 * DAY_MS - 3 * 60 * 60 * 1000);
    service.app.photos.remove_old().await.unwrap();
    assert_eq!(names(&service).len(), 2);
    clock.advance(60 * 60 * 1000 + 1);
    service.app.photos.remove_old().await.unwrap();
    assert_eq!(names(&service), ["notes.txt"]);
    // The row stays for repetitions, then it goes too.
    let rows = || service.rows("SELECT removed_at IS NULL FROM photos");
    assert_eq!(rows(), [[0]]);
    clock.advance(8 * DAY_MS);
    let now = clock.now();
    let removed = service.app.store.write(move |tx| tx.remove_old_rows(now));
    removed.await.unwrap();
    assert!(rows().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_can_not_be_removed_keeps_no_other() {
    let clock = Clock::fixed(Clock::system().now());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let mut files = Vec::new();
    for guid in ["a-1", "a-2"] {
        let answer = send(&service, guid, &jpeg(guid)).await.json();
        let name = format!("{}.jpeg", answer["photo_id"].as_str().unwrap());
        let photos = service.folder.path().join("chatkeep.db.photos");
        files.push(photos.join(name));
        clock.advance(1_000);
    }
    std::fs::remove_file(&files[0]).unwrap();
    std::fs::create_dir_all(files[0].join("in the way")).unwrap();
    clock.advance(8 * DAY_MS);
    clock.confirm();
    let error = service.app.photos.remove_old().await.unwrap_err();
    let named = files[0].display().to_string();
    assert!(error.cause.unwrap().contains(&named));
    assert!(!files[1].exists());
    let kept = service.rows("SELECT removed_at IS NULL FROM photos ORDER BY id");
    assert_eq!(kept, [[1], [0]]);
    std::fs::remove_dir_all(&files[0]).unwrap();
    service.app.photos.remove_old().await.unwrap();
    let kept = service.rows("SELECT removed_at IS NULL FROM photos ORDER BY id");
    assert_eq!(kept, [[0], [0]]);
}

/// A relay that has too much to do is told so, and nothing is kept.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_outbox_refuses_an_upload() {
    let service = Service::start().await;
    assert_eq!(send(&service, "a-1", &jpeg("cat")).await.status, 200);
    service.fill_outbox("a", 10_000, false).await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    let answer = send(&service, "a-2", &jpeg("cat")).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (503, "unavailable")
    );
    assert_eq!(stored_files(&service).len(), 1);
    assert_eq!(service.rows("SELECT count(*) FROM messages"), [[1]]);
}

/// Nothing of a body that says that it is too large is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn a_declared_length_beyond_the_cap_is_refused_at_once() {
    let service = Service::start().await;
    let mut stream = TcpStream::connect(service.address).await.unwrap();
    let head = format!(
        "POST /photo/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 22000000\r\n\r\n",
        token("a")
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = read_answer(&mut stream).await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (413, "payload_too_large")
    );
}
