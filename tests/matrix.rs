//! The relay for Matrix against a stub that keeps a homeserver's rules: what people get in their
//! rooms, what the service is told, and that kills neither lose nor repeat anything.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use chatkeep::clock::Clock;
use chatkeep::outbound::{self, Method};
use serde_json::{Value, json};
use support::matrix::{BOT, Fault, Matrix, PASSWORD};
use support::photo::{POSITION, jpeg, stored_files};
use support::process::Process;
use support::programs::{KilledService, Ledger, Program, SLOW, Server, kills, until};
use support::{Service, eventually, get};

const ADA: &str = "@ada:stub";
const BO: &str = "@bo:stub";
const CY: &str = "@cy:elsewhere";
const DIRECT: &str = "!direct:stub";
/// Ids of new rooms name no server.
const GROUP: &str = "!-group";

async fn service(matrix: &Matrix, allow: &str) -> Service {
    service_in(tempfile::tempdir().unwrap(), matrix, allow).await
}

/// The relay has read everything up to its start.
async fn service_in(folder: tempfile::TempDir, matrix: &Matrix, allow: &str) -> Service {
    let own = matrix.settings(allow);
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let service = Service::in_folder(folder, &settings, Clock::system()).await;
    eventually("a mark", async || stored_mark(&service).is_some()).await;
    service
}

fn stored_mark(service: &Service) -> Option<String> {
    let path = service
        .folder
        .path()
        .join("chatkeep.db.relay-matrix.session");
    let text = std::fs::read_to_string(path).ok()?;
    let session: Value = serde_json::from_str(&text).ok()?;
    session["since"].as_str().map(str::to_owned)
}

async fn until_texts(matrix: &Matrix, room: &str, count: usize) -> Vec<String> {
    let what = format!("{count} messages in {room}");
    eventually(&what, async || matrix.texts(room).len() >= count).await;
    matrix.texts(room)
}

/// Everything that happened went up and is stored as read.
async fn until_read(service: &Service, matrix: &Matrix) {
    eventually("everything read", async || {
        stored_mark(service) == Some(matrix.mark())
    })
    .await;
}

fn messages(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT sender, text FROM messages ORDER BY id")
}

fn texts(service: &Service) -> Vec<Value> {
    let rows = service.rows("SELECT text FROM messages ORDER BY id");
    rows.into_iter().map(|row| row[0].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_once() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    matrix.say(DIRECT, ADA, "from before the first start");
    let service = service(&matrix, ADA).await;
    let id = matrix.say(DIRECT, ADA, "my name is Ada");
    let answers = until_texts(&matrix, DIRECT, 1).await;
    assert_eq!(answers, ["Nice to meet you, Ada!"]);
    until_read(&service, &matrix).await;
    let rooms = service.rows(
        "SELECT chat_guid, mode, sender, text, json_extract(context, '$.message_id')
         FROM messages JOIN rooms ON rooms.id = room_id",
    );
    let sender = format!("matrix:{ADA}");
    let expected = json!([[
        format!("matrix:{DIRECT}"),
        "direct",
        sender,
        "my name is Ada",
        id
    ]]);
    assert_eq!(json!(rooms), expected);
    assert_eq!(matrix.calls("/receipt/m.read/").len(), 1);
    assert_eq!(matrix.sent(DIRECT)[0]["msgtype"], "m.text");
    eventually("a healthy relay", async || {
        let health = service.send(&get("/health")).await.json();
        health["checks"]["matrix"] == "ok" && health["checks"]["relays"] == 1
    })
    .await;
    let numbers = service.admin("GET", "/metrics", &Value::Null).await.text;
    assert!(
        numbers.contains(r#"chatkeep_relay_up{relay="matrix"} 1"#),
        "{numbers}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_of_the_allowed_are_accepted() {
    let matrix = Matrix::start();
    matrix.invite("!early", ADA);
    matrix.invite("!stranger", BO);
    let service = service(&matrix, &format!("{ADA},matrix:@*:elsewhere")).await;
    eventually("the early one", async || matrix.is_joined("!early")).await;
    // What was written with the invitation is answered, what stood there before it is not.
    matrix.room("!old", &[CY]);
    matrix.say("!by-server", CY, "nobody's business");
    matrix.invite("!by-server", CY);
    matrix.say("!by-server", CY, "my name is Cy");
    let answers = until_texts(&matrix, "!by-server", 1).await;
    assert_eq!(answers, ["Nice to meet you, Cy!"]);
    until_read(&service, &matrix).await;
    assert_eq!(texts(&service), ["my name is Cy"]);
    matrix.invite("!late", BO);
    assert!(!matrix.is_joined("!stranger"));
    // A longer list lets in those whose invitations are open.
    let (_, folder) = service.stop().await;
    let _service = service_in(folder, &matrix, "everyone").await;
    eventually("the open ones", async || {
        matrix.is_joined("!stranger") && matrix.is_joined("!late")
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_removed_comes_back_when_invited() {
    let matrix = Matrix::start();
    let service = service(&matrix, ADA).await;
    matrix.invite("!tea", ADA);
    eventually("the bot joins", async || matrix.is_joined("!tea")).await;
    matrix.say("!tea", ADA, "my name is Ada");
    until_texts(&matrix, "!tea", 1).await;
    matrix.remove_from("!tea", ADA);
    until_read(&service, &matrix).await;
    assert!(!matrix.is_joined("!tea"));
    matrix.say("!tea", ADA, "nobody's business");
    matrix.invite("!tea", ADA);
    eventually("the bot joins again", async || matrix.is_joined("!tea")).await;
    matrix.say("!tea", ADA, "my name is Eda");
    let answers = until_texts(&matrix, "!tea", 2).await;
    until_read(&service, &matrix).await;
    assert_eq!(answers[1], "Nice to meet you, Eda!");
    assert_eq!(texts(&service), ["my name is Ada", "my name is Eda"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_those_on_the_list_get_in() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    matrix.room("!bo", &[BO]);
    matrix.room(GROUP, &[ADA, BO]);
    let service = service(&matrix, &format!("{ADA},{GROUP}")).await;
    matrix.say("!bo", BO, "let me in");
    matrix.say(GROUP, BO, "Juno, hello");
    matrix.say(DIRECT, ADA, "hello");
    until_texts(&matrix, DIRECT, 1).await;
    until_texts(&matrix, GROUP, 1).await;
    until_read(&service, &matrix).await;
    let senders = service.rows("SELECT DISTINCT sender FROM messages ORDER BY sender");
    assert_eq!(
        senders,
        [[format!("matrix:{ADA}")], [format!("matrix:{BO}")]]
    );
    assert!(matrix.texts("!bo").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_is_answered_when_it_asks() {
    let matrix = Matrix::start();
    matrix.room(GROUP, &[ADA]);
    let service = service(&matrix, "everyone").await;
    matrix.say(GROUP, ADA, "my name is Ada");
    until_texts(&matrix, GROUP, 1).await;
    // A third one makes a group of it.
    matrix.join(GROUP, BO);
    matrix.say(GROUP, ADA, "nice weather");
    let mention = json!({"msgtype": "m.text", "body": "Juno Bot: status",
                         "m.mentions": {"user_ids": [BOT]}});
    matrix.message(GROUP, BO, mention);
    until_texts(&matrix, GROUP, 2).await;
    let own = matrix.event(
        GROUP,
        BOT,
        json!({"type": "m.room.message", "content": {
        "msgtype": "m.text", "body": "said"}}),
    );
    let reply = json!({"msgtype": "m.text", "body": format!("> <{BOT}> said\n\nusage"),
                       "m.relates_to": {"m.in_reply_to": {"event_id": own}}});
    matrix.message(GROUP, BO, reply);
    let to_ada = matrix.say(GROUP, ADA, "to Bo");
    let reply = json!({"msgtype": "m.text", "body": "fine",
                       "m.relates_to": {"m.in_reply_to": {"event_id": to_ada}}});
    matrix.message(GROUP, BO, reply);
    until_texts(&matrix, GROUP, 4).await;
    until_read(&service, &matrix).await;
    assert_eq!(matrix.texts(GROUP).len(), 4);
    let lines = [
        "my name is Ada", "nice weather", "status", "usage", "to Bo", "fine",
    ];
    assert_eq!(texts(&service), lines);
    let modes = service.rows("SELECT mode FROM rooms ORDER BY id");
    assert_eq!(modes, [["direct"], ["group"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_comes() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.say(DIRECT, ADA, "remind me in 1 second to **stretch**");
    let answers = until_texts(&matrix, DIRECT, 2).await;
    assert_eq!(answers[1], "⏰ Reminder: **stretch**");
    let sent = matrix.sent(DIRECT)[1].clone();
    assert_eq!(
        sent["formatted_body"],
        "<p>⏰ Reminder: <strong>stretch</strong></p>"
    );
    eventually("the command is finished", async || {
        service.rows("SELECT state FROM commands") == [["completed"]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_uploaded_and_answered() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.put_file("cat", &jpeg("cat"));
    let photo = |id: &str| {
        json!({"msgtype": "m.image", "url": format!("mxc://stub/{id}"),
                                  "body": "what is it?", "filename": "cat.jpg"})
    };
    matrix.message(DIRECT, ADA, photo("cat"));
    until_texts(&matrix, DIRECT, 1).await;
    matrix.message(DIRECT, ADA, photo("gone"));
    let answers = until_texts(&matrix, DIRECT, 2).await;
    assert!(
        answers[1].contains("couldn't get that photo"),
        "{answers:?}"
    );
    until_read(&service, &matrix).await;
    let sender = format!("matrix:{ADA}");
    assert_eq!(messages(&service), [[json!(sender), json!("what is it?")]]);
    let files = stored_files(&service);
    assert_eq!(files.len(), 1);
    let has_position = |window: &[u8]| window == POSITION;
    assert!(!files[0].1.windows(POSITION.len()).any(has_position));
}

/// Where it wasn't asked, the assistant doesn't say that it could not get a photo.
#[tokio::test(flavor = "multi_thread")]
async fn a_groups_photo_that_is_gone_is_answered_if_the_assistant_is_asked() {
    let matrix = Matrix::start();
    matrix.room(GROUP, &[ADA, BO]);
    let service = service(&matrix, ADA).await;
    let mut photo = json!({"msgtype": "m.image", "url": "mxc://stub/gone", "body": "cat.jpg"});
    matrix.message(GROUP, ADA, photo.clone());
    until_read(&service, &matrix).await;
    photo["m.mentions"] = json!({"user_ids": [BOT]});
    matrix.message(GROUP, ADA, photo);
    until_read(&service, &matrix).await;
    let answers = until_texts(&matrix, GROUP, 1).await;
    assert!(
        answers[0].contains("couldn't get that photo"),
        "{answers:?}"
    );
    assert_eq!(matrix.texts(GROUP).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_read_is_answered_politely() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    matrix.room(GROUP, &[ADA, BO]);
    let service = service(&matrix, "everyone").await;
    matrix.message(DIRECT, ADA, json!({"msgtype": "m.audio", "body": "a.ogg"}));
    matrix.event(
        DIRECT,
        ADA,
        json!({"type": "m.sticker", "content": {"body": "s"}}),
    );
    let answers = until_texts(&matrix, DIRECT, 2).await;
    assert!(answers[0].contains("can't hear"), "{answers:?}");
    // Of bots, of what happens to a room, and in a group nothing is said.
    matrix.event(
        GROUP,
        ADA,
        json!({"type": "m.sticker", "content": {"body": "s"}}),
    );
    matrix.message(
        DIRECT,
        ADA,
        json!({"msgtype": "m.notice", "body": "I am a bot"}),
    );
    matrix.message(DIRECT, ADA, json!({}));
    until_read(&service, &matrix).await;
    assert_eq!(matrix.texts(DIRECT).len() + matrix.texts(GROUP).len(), 2);
    assert!(messages(&service).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_early_change_is_a_correction_and_a_late_one_nothing() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, "everyone").await;
    let first = matrix.say(DIRECT, ADA, "my name is Ida");
    let change = |text: &str, after_s: u64| {
        let content = json!({"msgtype": "m.text", "body": format!("* {text}"),
            "m.new_content": {"msgtype": "m.text", "body": text},
            "m.relates_to": {"rel_type": "m.replace", "event_id": first}});
        let at_ms = 1_700_000_000_000 + after_s * 1000;
        json!({"type": "m.room.message", "content": content, "origin_server_ts": at_ms})
    };
    // The second one changes no word, and is not answered.
    matrix.event(DIRECT, ADA, change("my name is Ada", 59));
    matrix.event(DIRECT, ADA, change("my name is Ada", 60));
    matrix.event(DIRECT, ADA, change("my name is Eda", 61));
    matrix.event(DIRECT, BO, change("my name is Bo", 1));
    let answers = until_texts(&matrix, DIRECT, 2).await;
    until_read(&service, &matrix).await;
    assert_eq!(answers[1], "Nice to meet you, Ada!");
    assert_eq!(matrix.texts(DIRECT).len(), 2);
    assert_eq!(messages(&service).len(), 2);
    let corrects = "SELECT json_extract(context, '$.corrects') FROM messages ORDER BY id";
    assert_eq!(service.rows(corrects)[1], [first]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_room_gets_one_plain_notice() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, "everyone").await;
    matrix.say(DIRECT, ADA, "remind me in 1 second to stretch");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.encrypt(DIRECT);
    let unreadable = json!({"type": "m.room.encrypted", "content": {"ciphertext": "x"}});
    matrix.event(DIRECT, ADA, unreadable.clone());
    eventually("the notice", async || {
        let sent = matrix.sent(DIRECT);
        sent.iter()
            .filter(|one| one["msgtype"] == "m.notice")
            .count()
            == 1
    })
    .await;
    eventually("the reminder ends", async || {
        let rows = service.rows("SELECT state FROM commands");
        rows == [["failed"]] || rows == [["completed"]]
    })
    .await;
    until_read(&service, &matrix).await;
    let (_, folder) = service.stop().await;
    let service = service_in(folder, &matrix, "everyone").await;
    let before = matrix.sent(DIRECT).len();
    matrix.event(DIRECT, ADA, unreadable);
    until_read(&service, &matrix).await;
    assert_eq!(matrix.sent(DIRECT).len(), before, "one notice is enough");
    assert_eq!(messages(&service).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_obeyed_and_a_lost_answer_repeats_nothing() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    matrix.room("!bo", &[BO]);
    let service = service(&matrix, "everyone").await;
    let later = json!({"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 50});
    let later = Fault::Refuse(429, later);
    matrix.fail(DIRECT, [later.clone(), later, Fault::Lose, Fault::Lose]);
    matrix.say(DIRECT, ADA, "my name is Ada");
    // It waits for its turn, but its answer is sent once.
    eventually("it is sent for the last time", async || {
        matrix.calls("/send/m.room.message/").len() == 5
    })
    .await;
    until_read(&service, &matrix).await;
    assert_eq!(matrix.texts(DIRECT), ["Nice to meet you, Ada!"]);
    // Whoever removed the bot gets no more; the command ends.
    matrix.say("!bo", BO, "remind me in 1 hour to stretch");
    until_texts(&matrix, "!bo", 1).await;
    let removed = json!({"errcode": "M_FORBIDDEN", "error": "not in the room"});
    matrix.fail("!bo", [Fault::Refuse(403, removed)]);
    service.remind_now().await;
    eventually("the command ends", async || {
        service.rows("SELECT state FROM commands") == [["failed"]]
    })
    .await;
}

/// More than one answer holds, while nobody read.
#[tokio::test(flavor = "multi_thread")]
async fn a_gap_is_filled() {
    let matrix = Matrix::start();
    matrix.room(GROUP, &[ADA, BO]);
    let service = service(&matrix, "everyone").await;
    service.set_flag("rate_limit.enabled", false).await;
    let (_, folder) = service.stop().await;
    for number in 0..95 {
        matrix.say(GROUP, ADA, &format!("number {number}"));
    }
    let service = service_in(folder, &matrix, "everyone").await;
    until_read(&service, &matrix).await;
    let expected: Vec<String> = (0..95).map(|number| format!("number {number}")).collect();
    assert_eq!(texts(&service), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_waits_for_a_bot_that_was_removed() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.say(DIRECT, ADA, "remind me in 1 hour to stretch");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.remove_from(DIRECT, ADA);
    until_read(&service, &matrix).await;
    service.remind_now().await;
    eventually("the reminder is being sent", async || {
        service.rows("SELECT count(*) FROM commands WHERE attempts > 0") == [[1]]
    })
    .await;
    matrix.invite(DIRECT, ADA);
    let texts = until_texts(&matrix, DIRECT, 2).await;
    assert!(texts[1].contains("stretch"), "{texts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgraded_rooms_reminders_come_in_the_new_one() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.say(DIRECT, ADA, "remind me in 1 hour to stretch");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.upgrade(DIRECT, "!new:stub", ADA);
    until_read(&service, &matrix).await;
    service.remind_now().await;
    eventually("the reminder is being sent", async || {
        service.rows("SELECT count(*) FROM commands WHERE attempts > 0") == [[1]]
    })
    .await;
    matrix.invite("!new:stub", ADA);
    eventually("the bot joins", async || matrix.is_joined("!new:stub")).await;
    let texts = until_texts(&matrix, "!new:stub", 1).await;
    assert!(texts[0].contains("stretch"), "{texts:?}");
    assert_eq!(matrix.texts(DIRECT).len(), 1);
}

/// Waits until a command was withdrawn from its chat.
async fn until_withdrawn(service: &Service) {
    eventually("a command that waits for another chat", async || {
        service.rows("SELECT state FROM commands") == [["expired"]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_private_is_sent_where_somebody_reads_along() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.say(DIRECT, ADA, "remind me in 1 hour to take my pill");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.join(DIRECT, BO);
    until_read(&service, &matrix).await;
    service.remind_now().await;
    until_withdrawn(&service).await;
    // Also after a restart, with Bo alone in the room.
    matrix.leave(DIRECT, ADA);
    until_read(&service, &matrix).await;
    let (_, folder) = service.stop().await;
    let service = service_in(folder, &matrix, ADA).await;
    matrix.room("!own", &[ADA]);
    matrix.say("!own", ADA, "hello");
    let texts = until_texts(&matrix, "!own", 2).await;
    let is_told = |text: &String| text == "⏰ Reminder: take my pill";
    assert!(texts.iter().any(is_told), "{texts:?}");
    assert_eq!(matrix.texts(DIRECT).len(), 1);
    let modes = service.rows("SELECT mode, count(*) FROM rooms GROUP BY mode");
    assert_eq!(json!(modes), json!([["direct", 2]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_has_another_person_is_no_more_the_first_ones() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, "everyone").await;
    matrix.say(DIRECT, ADA, "remind me in 1 hour to take my pill");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.join(DIRECT, BO);
    matrix.leave(DIRECT, ADA);
    matrix.say(DIRECT, BO, "my name is Bo");
    let texts = until_texts(&matrix, DIRECT, 2).await;
    assert_eq!(texts[1], "Nice to meet you, Bo!");
    let came = service.remind_now().await;
    eventually("hers waits", async || {
        let waiting = format!("SELECT text FROM reminders WHERE due_at > {}", came.0);
        service.rows(&format!("{waiting} AND due_at < send_at")) == [["take my pill"]]
    })
    .await;
    matrix.say(DIRECT, BO, "remind me in 1 second to run");
    let texts = until_texts(&matrix, DIRECT, 4).await;
    assert_eq!(texts[3], "⏰ Reminder: run");
    assert_eq!(matrix.texts(DIRECT).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgraded_direct_room_that_is_a_group_gets_nothing_private() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.say(DIRECT, ADA, "remind me in 1 hour to take my pill");
    until_texts(&matrix, DIRECT, 1).await;
    matrix.upgrade(DIRECT, "!new:stub", ADA);
    matrix.join("!new:stub", BO);
    matrix.invite("!new:stub", ADA);
    until_read(&service, &matrix).await;
    service.remind_now().await;
    until_withdrawn(&service).await;
    matrix.room("!own", &[ADA]);
    matrix.say("!own", ADA, "hello");
    let texts = until_texts(&matrix, "!own", 2).await;
    assert!(
        texts.iter().any(|text| text.contains("take my pill")),
        "{texts:?}"
    );
    assert!(matrix.texts("!new:stub").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_is_renewed_for_the_same_device() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let service = service(&matrix, ADA).await;
    matrix.end_token();
    matrix.say(DIRECT, ADA, "my name is Ada");
    until_texts(&matrix, DIRECT, 1).await;
    until_read(&service, &matrix).await;
    let (_, folder) = service.stop().await;
    let _service = service_in(folder, &matrix, ADA).await;
    eventually("another login", async || matrix.logins().len() >= 3).await;
    let devices: Vec<Value> = matrix
        .logins()
        .iter()
        .map(|one| one["device_id"].clone())
        .collect();
    assert!(
        devices.iter().all(|device| *device == devices[0]),
        "{devices:?}"
    );
}

fn chatkeep(folder: &Path, matrix: &Matrix, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"));
    command.env("EDGE_SECRET", support::EDGE_SECRET);
    command.envs(matrix.settings(ADA));
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn check_says_who_the_bot_is() {
    let matrix = Matrix::start();
    matrix.room(DIRECT, &[ADA]);
    let folder = tempfile::tempdir().unwrap();
    let _process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let run = |change: &[(&str, &str)]| {
        let mut command = chatkeep(folder.path(), &matrix, &["relay", "matrix", "--check"]);
        let output = command.envs(change.iter().copied()).output().unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let printed = text(&output.stdout) + &text(&output.stderr);
        assert!(
            !printed.contains(PASSWORD) && !printed.contains("not-this-one"),
            "{printed}"
        );
        (output.status.code(), printed)
    };
    let (code, printed) = run(&[]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains(BOT) && printed.contains("in 1 rooms"),
        "{printed}"
    );
    assert!(printed.contains("Allowed: @ada:stub"), "{printed}");
    assert!(printed.contains("accepts the agent matrix"), "{printed}");
    let made = std::fs::read_dir(folder.path()).unwrap();
    let made = made.map(|entry| entry.unwrap().file_name());
    let made = made.filter(|name| name.to_str().unwrap().contains("relay"));
    assert_eq!(made.count(), 0, "a check writes nothing");
    assert_eq!(
        matrix.calls("logout").len(),
        1,
        "nor does its device remain"
    );
    let (code, printed) = run(&[("CHATKEEP_RELAY_MATRIX_PASSWORD", "not-this-one")]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("does not take the name or the password"),
        "{printed}"
    );
    let token = [
        ("CHATKEEP_RELAY_MATRIX_PASSWORD", ""),
        ("CHATKEEP_RELAY_MATRIX_TOKEN", "not-this-one"),
    ];
    let (code, printed) = run(&token);
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("does not know the access token"),
        "{printed}"
    );
    let (code, printed) = run(&[("CHATKEEP_RELAY_MATRIX_PASSWORD", "")]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("relay.matrix.password"), "{printed}");
    let (code, printed) = run(&[("CHATKEEP_RELAY_MATRIX_ALLOW", "ada")]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("relay.matrix.allow"), "{printed}");
}

/// Relay and service, programs of their own, are killed in turn at any moment: every message is
/// kept once and answered once, because the homeserver knows transaction ids.
#[tokio::test(flavor = "multi_thread")]
async fn kills_neither_lose_nor_repeat_anything() {
    let matrix = Matrix::start();
    let rooms = ["!one", "!two", "!three"];
    for room in rooms {
        matrix.room(room, &[ADA]);
    }
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let settings = matrix.settings("everyone");
    let mut service = KilledService::start(&database).await;
    let start_relay = |url: &str| Program::relay("matrix", folder.path(), url, &settings);
    let mut relay = start_relay(&service.url);
    let session = folder.path().join("relay.db.relay-matrix.session");
    let stored = || std::fs::read_to_string(&session).unwrap_or_default();
    eventually("a mark", async || stored().contains("\"since\":\"s")).await;
    let mut names = Vec::new();
    for round in 0..kills("MATRIX_KILLS", 10) {
        for room in rooms {
            let name = format!("N{round}{}", &room[1..]);
            matrix.say(room, ADA, &format!("my name is {name}"));
            names.push((room, name));
        }
        let sent = || {
            rooms
                .iter()
                .map(|room| matrix.texts(room).len())
                .sum::<usize>()
        };
        // Sometimes before anything was sent, sometimes in the middle, sometimes after.
        let expected_count = sent() + (round % 4) as usize;
        eventually("some answers", async || sent() >= expected_count).await;
        if round % 2 == 0 {
            drop(relay);
            relay = start_relay(&service.url);
        } else {
            service.kill(&database).await;
        }
    }
    let all = names.len();
    until(Duration::from_secs(60), "every answer", async || {
        rooms
            .iter()
            .map(|room| matrix.texts(room).len())
            .sum::<usize>()
            >= all
    })
    .await;
    eventually("everything read", async || {
        stored().contains(&matrix.mark())
    })
    .await;
    for room in rooms {
        let of_room = names.iter().filter(|(of, _)| *of == room);
        let expected: Vec<String> = of_room
            .map(|(_, name)| format!("Nice to meet you, {name}!"))
            .collect();
        assert_eq!(matrix.texts(room), expected);
    }
    assert_eq!(
        support::rows(&database, "SELECT count(*) FROM messages"),
        [[all]]
    );
    drop(relay);
}

/// A real homeserver.
struct Synapse(Server);

impl Synapse {
    async fn call(&self, token: &str, method: Method, path: &str, body: &Value) -> Value {
        let path = format!("/_matrix/client/v3{path}");
        self.ask(token, method, &path, Some(body), None).await
    }

    async fn upload(&self, token: &str, photo: &[u8]) -> Value {
        let path = "/_matrix/media/v3/upload?filename=cat.jpg";
        let photo = Some(("image/jpeg", photo));
        self.ask(token, Method::Post, path, None, photo).await
    }

    /// Waits as long as the homeserver asks to.
    async fn ask(
        &self,
        token: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
        raw: Option<(&str, &[u8])>,
    ) -> Value {
        let url = format!("http://{}{path}", self.0.address);
        let bearer = format!("Bearer {token}");
        let headers = [("authorization", bearer.as_str())];
        let headers = if token.is_empty() { &[][..] } else { &headers };
        loop {
            let request = outbound::Request {
                headers,
                body,
                raw,
                ..outbound::Request::new(method, &url)
            };
            let answer = tokio::task::block_in_place(|| outbound::send(&request)).unwrap();
            let answer_body: Value = serde_json::from_slice(&answer.body).unwrap();
            if answer.status != 429 {
                assert_eq!(answer.status, 200, "{path}: {answer_body}");
                return answer_body;
            }
            let wait_ms = answer_body["retry_after_ms"].as_u64().unwrap();
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        }
    }

    async fn register(&self, name: &str) -> Person {
        let account =
            json!({"username": name, "password": PASSWORD, "auth": {"type": "m.login.dummy"}});
        let created = self.call("", Method::Post, "/register", &account).await;
        Person {
            id: created["user_id"].as_str().unwrap().to_owned(),
            token: created["access_token"].as_str().unwrap().to_owned(),
        }
    }
}

/// Somebody with an account on the homeserver.
struct Person {
    id: String,
    token: String,
}

impl Person {
    async fn make_room(&self, server: &Synapse, invited: &[&str], is_direct: bool) -> String {
        let room = json!({"preset": "private_chat", "invite": invited, "is_direct": is_direct});
        let created = server
            .call(&self.token, Method::Post, "/createRoom", &room)
            .await;
        created["room_id"].as_str().unwrap().to_owned()
    }

    async fn send(&self, server: &Synapse, room: &str, content: &Value) {
        let transaction = Clock::system().now().0;
        let path = format!("/rooms/{room}/send/m.room.message/{transaction}");
        server.call(&self.token, Method::Put, &path, content).await;
    }

    async fn say(&self, server: &Synapse, room: &str, text: &str) {
        let content = json!({"msgtype": "m.text", "body": text});
        self.send(server, room, &content).await;
    }

    /// What somebody wrote in a room, in its order.
    async fn heard(&self, server: &Synapse, room: &str, from: &str) -> Vec<String> {
        let path = format!("/rooms/{room}/messages?dir=f&limit=1000");
        let answer = server
            .call(&self.token, Method::Get, &path, &Value::Null)
            .await;
        let events = answer["chunk"].as_array().unwrap();
        let own = events.iter().filter(|event| event["sender"] == from);
        let texts = own.filter_map(|event| event["content"]["body"].as_str());
        texts.map(str::to_owned).collect()
    }
}

/// Direct and group, a reply, a reminder and a photo; then relay, service and homeserver are
/// killed in turn, and every message is answered once.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Synapse: examples/relays/try matrix installs it and runs this"]
async fn a_real_homeserver_gets_its_answers() {
    let mut server = Synapse(Server::start("SYNAPSE").await);
    let run = Clock::system().now().0;
    let juno = server.register(&format!("juno{run}")).await;
    let ada = server.register(&format!("ada{run}")).await;
    let bo = server.register(&format!("bo{run}")).await;
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let settings = vec![
        (
            "CHATKEEP_RELAY_MATRIX_HOMESERVER",
            format!("http://{}", server.0.address),
        ),
        ("CHATKEEP_RELAY_MATRIX_USER", juno.id.clone()),
        ("CHATKEEP_RELAY_MATRIX_PASSWORD", PASSWORD.to_owned()),
        (
            "CHATKEEP_RELAY_MATRIX_ALLOW",
            format!("{},{}", ada.id, bo.id),
        ),
    ];
    let mut service = KilledService::start(&database).await;
    let start_relay = |url: &str| Program::relay("matrix", folder.path(), url, &settings);
    let mut relay = start_relay(&service.url);

    let direct = ada.make_room(&server, &[&juno.id], true).await;
    ada.say(&server, &direct, "my name is Ada").await;
    ada.say(&server, &direct, "remind me in 1 second to stretch")
        .await;
    let received = async |server: &Synapse, room: &str, count: usize| {
        until(SLOW, &format!("{count} answers"), async || {
            ada.heard(server, room, &juno.id).await.len() >= count
        })
        .await;
        ada.heard(server, room, &juno.id).await
    };
    let answers = received(&server, &direct, 3).await;
    assert_eq!(answers[0], "Nice to meet you, Ada!");
    assert_eq!(answers[2], "⏰ Reminder: stretch");

    let upload = server.upload(&ada.token, &jpeg("cat")).await;
    let content = json!({"msgtype": "m.image", "body": "what is it?", "filename": "cat.jpg",
                         "url": upload["content_uri"]});
    ada.send(&server, &direct, &content).await;
    received(&server, &direct, 4).await;
    let photos = support::rows(&database, "SELECT count(*) FROM photos");
    assert_eq!(photos, [[1]]);

    let group = ada.make_room(&server, &[&juno.id, &bo.id], false).await;
    server
        .call(
            &bo.token,
            Method::Post,
            &format!("/join/{group}"),
            &json!({}),
        )
        .await;
    until(SLOW, "the bot joins", async || {
        let path = format!("/rooms/{group}/joined_members");
        let members = server
            .call(&ada.token, Method::Get, &path, &Value::Null)
            .await;
        members["joined"].get(&juno.id).is_some()
    })
    .await;
    bo.say(&server, &group, "nice weather").await;
    let mention = json!({"msgtype": "m.text", "body": "what can you do?",
                         "m.mentions": {"user_ids": [juno.id]}});
    bo.send(&server, &group, &mention).await;
    received(&server, &group, 1).await;
    let modes = support::rows(&database, "SELECT DISTINCT mode FROM rooms ORDER BY mode");
    assert_eq!(modes, [["direct"], ["group"]]);

    let rooms = [direct, ada.make_room(&server, &[&juno.id], true).await];
    let mut ledgers = [
        Ledger::of(received(&server, &rooms[0], 4).await),
        Ledger::default(),
    ];
    for round in 0..kills("MATRIX_KILLS", 30) {
        for (room, ledger) in rooms.iter().zip(&mut ledgers) {
            let words = ledger.name(&format!("N{round}"));
            ada.say(&server, room, &words).await;
        }
        let words = ledgers[0].reminder(round);
        ada.say(&server, &rooms[0], &words).await;
        match round % 3 {
            0 => {
                drop(relay);
                relay = start_relay(&service.url);
            }
            1 => service.kill(&database).await,
            _ => server.0.kill().await,
        }
    }
    for (room, ledger) in rooms.iter().zip(ledgers) {
        let all = received(&server, room, ledger.len()).await;
        ledger.check(all);
    }
    drop(relay);
}
