//! The relay for Telegram, run by the service, against a stub that keeps the Bot API's rules:
//! what people get in their chats, and what the service is told.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::Command;

use chatkeep::clock::Clock;
use serde_json::{Value, json};
use support::photo::{POSITION, jpeg, stored_files};
use support::process::{Process, ask};
use support::programs::{KilledService, LOG, Ledger, Program, SLOW, kills, until};
use support::telegram::{BOT, Fault, TOKEN, Telegram};
use support::{Service, eventually, get, post};

const ADA: i64 = 501;
const BO: i64 = 502;
const GROUP: i64 = -1007;

async fn service(telegram: &Telegram, allow: &str) -> Service {
    let own = telegram.settings(allow);
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    Service::with(&settings).await
}

async fn until_texts(telegram: &Telegram, chat: i64, count: usize) -> Vec<String> {
    let what = format!("{count} messages for {chat}");
    eventually(&what, async || telegram.texts(chat).len() >= count).await;
    telegram.texts(chat)
}

async fn until_confirmed(telegram: &Telegram) {
    eventually("everything confirmed", async || telegram.unconfirmed() == 0).await;
}

fn messages(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT sender, text FROM messages ORDER BY id")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_once() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    telegram.say(ADA, "my name is Ada");
    let texts = until_texts(&telegram, ADA, 1).await;
    assert_eq!(texts, ["Nice to meet you, Ada!"]);
    until_confirmed(&telegram).await;
    let rooms = service.rows(
        "SELECT chat_guid, mode, sender, text, json_extract(context, '$.message_id')
         FROM messages JOIN rooms ON rooms.id = room_id",
    );
    let expected = json!([[
        "telegram:501", "direct", "telegram:501", "my name is Ada", "telegram:501:1"
    ]]);
    assert_eq!(json!(rooms), expected);
    assert_eq!(telegram.texts(ADA).len(), 1);
    eventually("a healthy relay", async || {
        let health = service.send(&get("/health")).await.json();
        health["checks"]["telegram"] == "ok" && health["checks"]["relays"] == 1
    })
    .await;
    let numbers = service.admin("GET", "/metrics", &Value::Null).await.text;
    assert!(
        numbers.contains(r#"chatkeep_relay_up{relay="telegram"} 1"#),
        "{numbers}"
    );
    assert!(numbers.contains(r#"chatkeep_relay_restarts{relay="telegram"} 0"#));
}

/// Without a token there is nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn no_relay_runs_unasked() {
    let service = Service::start().await;
    let health = service.send(&get("/health")).await.json();
    assert_eq!(health["checks"].get("telegram"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_those_on_the_list_get_in() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501,telegram:-1007").await;
    telegram.say(BO, "let me in");
    telegram.message(BO, -1008, json!({"text": "Juno, let us in"}));
    telegram.say(ADA, "hello");
    until_texts(&telegram, ADA, 1).await;
    // An allowed group lets in everybody in it.
    telegram.message(BO, GROUP, json!({"text": "Juno, hello"}));
    until_texts(&telegram, GROUP, 1).await;
    until_confirmed(&telegram).await;
    let senders: Vec<Value> = messages(&service)
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    assert_eq!(senders, ["telegram:501", "telegram:502"]);
    assert!(telegram.texts(BO).is_empty() && telegram.texts(-1008).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_is_answered_when_it_asks() {
    let telegram = Telegram::start();
    let service = service(&telegram, "everyone").await;
    telegram.message(ADA, GROUP, json!({"text": "nice weather"}));
    let mention = format!("@{BOT} status");
    let length = mention.len() - " status".len();
    let entities = json!([{"type": "mention", "offset": 0, "length": length}]);
    telegram.message(ADA, GROUP, json!({"text": mention, "entities": entities}));
    let reply = json!({"text": "usage", "reply_to_message": {"from": {"id": 666}}});
    telegram.message(BO, GROUP, reply);
    until_texts(&telegram, GROUP, 2).await;
    until_confirmed(&telegram).await;
    assert_eq!(telegram.texts(GROUP).len(), 2);
    let texts: Vec<Value> = messages(&service)
        .into_iter()
        .map(|row| row[1].clone())
        .collect();
    assert_eq!(texts, ["nice weather", "status", "usage"]);
    assert_eq!(service.rows("SELECT mode FROM rooms"), [["group"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_comes_with_buttons() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    telegram.say(ADA, "remind me in 1 second to stretch");
    let texts = until_texts(&telegram, ADA, 2).await;
    assert_eq!(texts[1], "⏰ Reminder: stretch");
    let reminder = telegram.sent()[1].clone();
    let buttons = reminder["reply_markup"]["inline_keyboard"][0].clone();
    assert_eq!(buttons[0]["callback_data"], "done");
    assert_eq!(buttons[1]["text"], "Snooze 10 min");
    assert_eq!(telegram.sent()[0].get("reply_markup"), None);
    telegram.press(
        ADA,
        &reminder,
        buttons[1]["callback_data"].as_str().unwrap(),
    );
    let texts = until_texts(&telegram, ADA, 3).await;
    assert!(texts[2].contains("in 10 minutes, "), "{}", texts[2]);
    assert!(texts[2].ends_with("): stretch."), "{}", texts[2]);
    assert_eq!(service.rows("SELECT text FROM reminders"), [["stretch"]]);
    telegram.press(ADA, &reminder, "done");
    until_confirmed(&telegram).await;
    assert_eq!(telegram.calls("answerCallbackQuery").len(), 2);
    let bare = telegram.calls("editMessageReplyMarkup");
    assert_eq!(
        bare[1],
        json!({"chat_id": ADA, "message_id": reminder["message_id"]})
    );
    // A second press sets none, and neither does one under a message that can't be read any more.
    telegram.press(ADA, &reminder, "snooze");
    telegram.press(ADA, &json!({"chat_id": ADA, "message_id": 1}), "snooze");
    until_confirmed(&telegram).await;
    assert_eq!(service.rows("SELECT count(*) FROM reminders"), [[1]]);
    assert_eq!(telegram.texts(ADA).len(), 3);
    let notices = telegram.calls("answerCallbackQuery");
    assert_eq!(notices[2].get("text"), None);
    let notice = notices[3]["text"].as_str().unwrap();
    assert!(notice.contains("can't read that reminder"), "{notice}");
    let late = "⏰ Reminder: drink\n(this is late, it was due today at 13:57)";
    telegram.press(
        ADA,
        &json!({"chat_id": ADA, "message_id": 9, "text": late}),
        "snooze",
    );
    let texts = until_texts(&telegram, ADA, 4).await;
    assert!(texts[3].ends_with("): drink."), "{}", texts[3]);
    // Nobody else's press does anything.
    telegram.press(
        BO,
        &json!({"chat_id": BO, "message_id": 1, "text": "⏰ Reminder: x"}),
        "snooze",
    );
    until_confirmed(&telegram).await;
    assert_eq!(service.rows("SELECT count(*) FROM reminders"), [[2]]);
    eventually("the command is finished", async || {
        service.rows("SELECT state FROM commands") == [["completed"]]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_uploaded_and_answered() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    telegram.put_file("large", &jpeg("cat"));
    let photo =
        json!([{"file_id": "small", "file_size": 10}, {"file_id": "large", "file_size": 99}]);
    telegram.message(ADA, ADA, json!({"photo": photo, "caption": "what is it?"}));
    until_texts(&telegram, ADA, 1).await;
    until_confirmed(&telegram).await;
    assert_eq!(
        messages(&service),
        [[json!("telegram:501"), json!("what is it?")]]
    );
    let files = stored_files(&service);
    assert_eq!(files.len(), 1);
    assert!(
        !files[0]
            .1
            .windows(POSITION.len())
            .any(|window| window == POSITION)
    );
    assert_eq!(telegram.texts(ADA).len(), 1);
}

/// A server that asks to wait or moves the file is obeyed; one that moves it into this machine's
/// network is not.
#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_fetched_where_it_may_be() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    telegram.put_file("cat", &jpeg("cat"));
    let moved = |to: &str| (302, "text/plain", to.as_bytes().to_vec());
    let later = (429, "text/plain", Vec::new());
    telegram.answer_files([later, moved(&format!("/file/bot{TOKEN}/photos/cat"))]);
    let photo = json!([{"file_id": "cat"}]);
    telegram.message(ADA, ADA, json!({"photo": photo}));
    until_texts(&telegram, ADA, 1).await;
    assert_eq!(stored_files(&service).len(), 1);
    telegram.answer_files([moved("http://127.0.0.2:9/cat")]);
    let file = json!({"file_id": "cat", "mime_type": "image/jpeg"});
    telegram.message(ADA, ADA, json!({"document": file}));
    let texts = until_texts(&telegram, ADA, 2).await;
    assert!(texts[1].contains("couldn't get that photo"), "{texts:?}");
    // Nor is a file taken that is no photo, whatever it calls itself.
    telegram.put_file("cat", b"GIF89a");
    telegram.message(ADA, ADA, json!({"document": file}));
    let texts = until_texts(&telegram, ADA, 3).await;
    assert!(texts[2].contains("JPEG, PNG, WebP and HEIC"), "{texts:?}");
    until_confirmed(&telegram).await;
    assert_eq!(stored_files(&service).len(), 1);
}

/// A group on the list that becomes a supergroup is let in by its new id.
#[tokio::test(flavor = "multi_thread")]
async fn a_group_with_a_new_id_is_the_same_group() {
    let telegram = Telegram::start();
    let service = service(&telegram, "-1007").await;
    telegram.message(BO, GROUP, json!({"text": "Juno, hello"}));
    until_texts(&telegram, GROUP, 1).await;
    telegram.message(BO, GROUP, json!({"migrate_to_chat_id": -9009}));
    telegram.message(BO, -9009, json!({"text": "Juno, hello"}));
    until_texts(&telegram, -9009, 1).await;
    telegram.message(BO, -9010, json!({"text": "Juno, hello"}));
    until_confirmed(&telegram).await;
    assert_eq!(messages(&service).len(), 2);
}

/// Telegram can't be reached when the relay starts.
#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_is_down_is_waited_for() {
    let telegram = Telegram::start();
    telegram.set_down(true);
    telegram.say(ADA, "my name is Ada");
    let service = service(&telegram, "501").await;
    eventually("an attempt", async || telegram.broken() > 0).await;
    let health = service.send(&get("/health")).await.json();
    assert_ne!(health["checks"]["telegram"], "ok");
    telegram.set_down(false);
    until_texts(&telegram, ADA, 1).await;
    eventually("a healthy relay", async || {
        let health = service.send(&get("/health")).await.json();
        health["checks"]["telegram"] == "ok"
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_read_is_answered_politely() {
    let telegram = Telegram::start();
    let service = service(&telegram, "everyone").await;
    telegram.message(ADA, ADA, json!({"voice": {"file_id": "v"}}));
    telegram.message(ADA, ADA, json!({"sticker": {"file_id": "s"}}));
    let texts = until_texts(&telegram, ADA, 2).await;
    assert!(texts[0].contains("can't hear"), "{texts:?}");
    // In a group, and of what happens to a chat, nothing is said.
    telegram.message(ADA, GROUP, json!({"sticker": {"file_id": "s"}}));
    telegram.message(ADA, ADA, json!({"pinned_message": {"text": "x"}}));
    until_confirmed(&telegram).await;
    assert_eq!(telegram.sent().len(), 2);
    assert!(messages(&service).is_empty());
}

/// The service takes no such text; the network does.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_service_refuses_is_answered() {
    let telegram = Telegram::start();
    let service = service(&telegram, "everyone").await;
    telegram.say(ADA, "a\0b");
    telegram.message(ADA, GROUP, json!({"text": "a\0b"}));
    let texts = until_texts(&telegram, ADA, 1).await;
    assert!(texts[0].contains("can't take that message"), "{texts:?}");
    until_confirmed(&telegram).await;
    assert_eq!(telegram.sent().len(), 1);
    assert!(messages(&service).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_early_change_is_a_correction_and_a_late_one_nothing() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    let (date, soon, late) = (1_700_000_000, 1_700_000_010, 1_700_000_099);
    telegram.message(ADA, ADA, json!({"text": "my name is Ida", "date": date}));
    until_texts(&telegram, ADA, 1).await;
    telegram.message(
        ADA,
        ADA,
        json!({"text": "my name is Ada", "date": date, "edit_date": soon, "message_id": 1}),
    );
    telegram.message(
        ADA,
        ADA,
        json!({"text": "my name is Eda", "date": date, "edit_date": late, "message_id": 1}),
    );
    let texts = until_texts(&telegram, ADA, 2).await;
    until_confirmed(&telegram).await;
    assert_eq!(texts[1], "Nice to meet you, Ada!");
    assert_eq!(messages(&service).len(), 2);
    let corrects = "SELECT json_extract(context, '$.corrects') FROM messages ORDER BY id";
    assert_eq!(service.rows(corrects)[1], ["telegram:501:1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_other_than_words_are_not_answered() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    let (date, soon) = (1_700_000_000, 1_700_000_010);
    let location = json!({"latitude": 1.5, "longitude": 2.5, "live_period": 900});
    let place = telegram.message(ADA, ADA, json!({"location": location, "date": date}));
    until_texts(&telegram, ADA, 1).await;
    let moved = json!({"location": location, "date": date, "edit_date": soon, "message_id": place});
    telegram.message(ADA, ADA, moved);
    let name = telegram.say(ADA, "my name is Ada");
    until_texts(&telegram, ADA, 2).await;
    // The preview of a link changes no word, and is not answered.
    let edit =
        |text: &str| json!({"text": text, "date": date, "edit_date": soon, "message_id": name});
    telegram.message(ADA, ADA, edit("my name is Ada"));
    // Two edits within a second.
    telegram.message(ADA, ADA, edit("my name is Eda"));
    telegram.message(ADA, ADA, edit("my name is Ida"));
    let texts = until_texts(&telegram, ADA, 4).await;
    until_confirmed(&telegram).await;
    assert_eq!(
        texts[2..],
        ["Nice to meet you, Eda!", "Nice to meet you, Ida!"]
    );
    assert_eq!(telegram.texts(ADA).len(), 4);
    assert_eq!(messages(&service).len(), 3);
}

/// It waits as long as it is told, and another chat does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_chat_holds_up_no_other() {
    let telegram = Telegram::start();
    let _service = service(&telegram, "everyone").await;
    telegram.fail(ADA, [Fault::Hang]);
    telegram.say(ADA, "my name is Ada");
    eventually("the first is under way", async || {
        !telegram.calls("sendMessage").is_empty()
    })
    .await;
    telegram.say(ADA, "my name is Ida");
    telegram.say(BO, "my name is Bo");
    assert_eq!(
        until_texts(&telegram, BO, 1).await,
        ["Nice to meet you, Bo!"]
    );
    assert!(telegram.texts(ADA).is_empty());
    assert!(telegram.unconfirmed() >= 2, "Ada's are not confirmed");
    telegram.let_go();
    let texts = until_texts(&telegram, ADA, 2).await;
    assert_eq!(texts, ["Nice to meet you, Ada!", "Nice to meet you, Ida!"]);
    until_confirmed(&telegram).await;
    assert_eq!(telegram.sent().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_obeyed() {
    let telegram = Telegram::start();
    let service = service(&telegram, "everyone").await;
    let later = Fault::Refuse(
        429,
        "Too Many Requests: retry after 1",
        json!({"retry_after": 1}),
    );
    telegram.fail(ADA, [later.clone(), later]);
    telegram.say(ADA, "my name is Ada");
    assert_eq!(
        until_texts(&telegram, ADA, 1).await,
        ["Nice to meet you, Ada!"]
    );
    // What can't be rendered goes as it is.
    let unparsed = Fault::Refuse(400, "Bad Request: can't parse entities: x", Value::Null);
    telegram.fail(ADA, [unparsed]);
    telegram.say(ADA, "remember that 1 < 2 & 3 > 2");
    until_texts(&telegram, ADA, 2).await;
    let sent = telegram.calls("sendMessage");
    let (marked_up, plain) = (&sent[sent.len() - 2], &sent[sent.len() - 1]);
    assert_eq!(marked_up["parse_mode"], "HTML");
    assert!(
        marked_up["text"]
            .as_str()
            .unwrap()
            .contains("1 &lt; 2 &amp; 3"),
        "{marked_up}"
    );
    assert_eq!(plain.get("parse_mode"), None);
    assert!(
        plain["text"].as_str().unwrap().contains("1 < 2 & 3"),
        "{plain}"
    );
    // A group with another id gets its messages there.
    let moved = Fault::Refuse(400, "group upgraded", json!({"migrate_to_chat_id": -9009}));
    telegram.fail(GROUP, [moved]);
    telegram.message(ADA, GROUP, json!({"text": "Juno, hello"}));
    until_texts(&telegram, -9009, 1).await;
    // Whoever blocked the bot gets no more; the command ends.
    telegram.say(BO, "remind me in 1 hour to stretch");
    until_texts(&telegram, BO, 1).await;
    telegram.fail(
        BO,
        [Fault::Refuse(
            403,
            "Forbidden: bot was blocked by the user",
            Value::Null,
        )],
    );
    service.remind_now().await;
    eventually("the command ends", async || {
        service.rows("SELECT state FROM commands") == [["failed"]]
    })
    .await;
    until_confirmed(&telegram).await;
}

/// An answer that is lost may have been sent: that bubble comes twice, and nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_repeats_one_bubble() {
    let telegram = Telegram::start();
    let service = service(&telegram, "501").await;
    telegram.fail(ADA, [Fault::Lose]);
    telegram.say(ADA, "my name is Ada");
    let texts = until_texts(&telegram, ADA, 2).await;
    assert_eq!(texts, ["Nice to meet you, Ada!", "Nice to meet you, Ada!"]);
    until_confirmed(&telegram).await;
    assert_eq!(messages(&service).len(), 1);
}

fn chatkeep(folder: &Path, telegram: &Telegram, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(arguments).current_dir(folder).env_clear();
    command.env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"));
    command.env("EDGE_SECRET", support::EDGE_SECRET);
    command.envs(telegram.settings("501"));
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn check_says_who_the_bot_is() {
    let telegram = Telegram::start();
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let arguments = ["relay", "telegram", "--check"];
    let output = chatkeep(folder.path(), &telegram, &arguments)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(
        printed.contains(&format!("@{BOT} (666)")) && printed.contains("Allowed: 501"),
        "{printed}"
    );
    assert!(printed.contains("accepts the agent telegram"), "{printed}");
    // A wrong token is named, not shown.
    let mut wrong = chatkeep(folder.path(), &telegram, &arguments);
    let output = wrong
        .env("CHATKEEP_RELAY_TELEGRAM_TOKEN", "1:wrong")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.contains("does not know the bot's token") && !errors.contains("1:wrong"),
        "{errors}"
    );
    // Without any, and with the service's own refused.
    let mut without = chatkeep(folder.path(), &telegram, &arguments);
    let output = without
        .env_remove("CHATKEEP_RELAY_TELEGRAM_TOKEN")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("@BotFather"), "{errors}");
    let mut foreign = chatkeep(folder.path(), &telegram, &arguments);
    let output = foreign
        .env("EDGE_SECRET", "another-secret-of-at-least-32-bytes")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        errors.contains("does not take this relay's token"),
        "{errors}"
    );
    drop(process);
}

/// Relay, service and Telegram are killed in turn at any moment: every message is kept once and
/// answered once but for one bubble a chat and kill; every reminder comes likewise. Nothing that
/// either logs holds the bot's token.
#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_nothing_and_repeat_one_bubble_at_most() {
    let telegram = Telegram::start();
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let settings = telegram.settings("everyone");
    let mut service = KilledService::start(&database).await;
    let start_relay = |url: &str| Program::relay("telegram", folder.path(), url, &settings);
    let mut relay = start_relay(&service.url);
    let mut ledgers = [1, 2, 3].map(|chat| (chat, Ledger::default()));
    let mut written = 0;
    let mut log = String::new();
    let count = kills("TELEGRAM_KILLS", 10);
    for round in 0..count {
        for (chat, ledger) in &mut ledgers {
            telegram.say(*chat, &ledger.name(&format!("N{round}x{chat}")));
            written += 1;
        }
        telegram.say(1, &ledgers[0].1.reminder(round));
        written += 1;
        let before = telegram.sent().len();
        // Sometimes before anything was sent, sometimes in the middle, sometimes after.
        let expected_count = before + (round % 4) as usize;
        until(SLOW, "some answers", async || {
            telegram.sent().len() >= expected_count
        })
        .await;
        match round % 3 {
            0 => {
                drop(relay);
                relay = start_relay(&service.url);
            }
            1 => {
                service.kill(&database).await;
                log += &service.process.log();
            }
            _ => {
                telegram.set_down(true);
                telegram.fail(2, [Fault::Lose]);
                let before = telegram.broken();
                until(SLOW, "an attempt", async || telegram.broken() > before).await;
                telegram.set_down(false);
            }
        }
    }
    let expected: usize = ledgers.iter().map(|(_, ledger)| ledger.len()).sum();
    until(SLOW, "every answer", async || {
        telegram.sent().len() >= expected
    })
    .await;
    until(SLOW, "everything confirmed", async || {
        telegram.unconfirmed() == 0
    })
    .await;
    until(SLOW, "every reminder", async || {
        let sent = "SELECT count(*) FROM commands WHERE state = 'completed'";
        support::rows(&database, sent) == [[count]]
    })
    .await;
    let stored = support::rows(&database, "SELECT count(*) FROM messages");
    assert_eq!(stored, [[written]], "each was kept once");
    let mut repeated = 0;
    for (chat, ledger) in ledgers {
        repeated += ledger.check_with_repeats(telegram.texts(chat));
    }
    println!("{repeated} bubbles repeated by {count} kills");
    // Each chat may be between sending and noting.
    assert!(repeated as u64 <= 3 * count, "{repeated} of {count} kills");
    log += &service.process.log();
    log += &std::fs::read_to_string(folder.path().join(LOG)).unwrap();
    assert!(!log.contains(TOKEN), "{log}");
}

/// Against a server of the Bot API that others wrote.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs npm's telegram-test-api at CHATKEEP_TEST_TELEGRAM"]
async fn the_counterpart_gets_its_answers() {
    let url = std::env::var("CHATKEEP_TEST_TELEGRAM").unwrap();
    let address = url.trim_start_matches("http://").parse().unwrap();
    // Bots of earlier runs are others.
    let token = format!("{}:counterpart", Clock::system().now().0);
    let settings = [
        ("CHATKEEP_RELAY_TELEGRAM_TOKEN", token.as_str()),
        ("CHATKEEP_RELAY_TELEGRAM_BASE_URL", &url),
        ("CHATKEEP_RELAY_TELEGRAM_ALLOW", "501"),
    ];
    let service = Service::with(&settings).await;
    let person = json!({"id": ADA, "first_name": "Ada", "username": "ada", "is_bot": false});
    let chat = json!({"id": ADA, "type": "private", "first_name": "Ada"});
    let say_in = async |chat: &Value, text: &str| {
        let date = Clock::system().now().seconds();
        let message =
            json!({"botToken": token, "from": person, "chat": chat, "date": date, "text": text});
        let answer = ask(address, &post("/sendMessage", &message)).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text);
    };
    let say = async |text: &str| say_in(&chat, text).await;
    let heard_in = async |chat: i64| {
        let request = post("/getUpdates", &json!({"token": token, "chatId": chat}));
        let answer = ask(address, &request).await.unwrap().json();
        let messages = answer["result"].as_array().cloned().unwrap_or_default();
        let texts = messages
            .iter()
            .map(|one| one["message"]["text"].as_str().unwrap().to_owned());
        texts.collect::<Vec<String>>()
    };
    let received = async || heard_in(ADA).await;
    say("my name is Ada").await;
    eventually("an answer", async || {
        received()
            .await
            .contains(&"Nice to meet you, Ada!".to_owned())
    })
    .await;
    say("remind me in 1 second to stretch").await;
    eventually("a reminder", async || {
        received()
            .await
            .contains(&"⏰ Reminder: stretch".to_owned())
    })
    .await;
    let group = json!({"id": GROUP, "type": "group", "title": "Tea"});
    say_in(&group, "nice weather").await;
    say_in(&group, "Juno, status").await;
    eventually("an answer in the group", async || {
        heard_in(GROUP).await.len() == 1
    })
    .await;
    let stored = service.rows("SELECT count(*) FROM messages");
    assert_eq!(stored, [[4]]);
}

/// It makes its own tokens, so nobody is asked for one.
#[tokio::test(flavor = "multi_thread")]
async fn a_revocation_of_the_relay_inside_is_got_over() {
    let telegram = Telegram::start();
    let folder = tempfile::tempdir().unwrap();
    let own = telegram.settings("501");
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let database = folder.path().join("chatkeep.db");
    let service = Process::start(&database, &settings).unwrap();
    service.log_with("relay telegram: the service works").await;
    let revoke = support::request("POST", "/admin/edge-agents/telegram/revoke");
    let revoke = revoke.bearer(support::ADMIN_TOKEN);
    assert_eq!(service.send(&revoke).await.status, 200);
    let log = service.log_with("it gets another one").await;
    assert!(!log.contains("CHATKEEP_EDGE_TOKEN"), "{log}");
    telegram.say(ADA, "my name is Ada");
    until_texts(&telegram, ADA, 1).await;
    // As after a revocation with a clock that was ahead.
    drop(service);
    let ahead = "UPDATE agents SET tokens_valid_from_s = unixepoch() + 86400";
    let database_file = rusqlite::Connection::open(&database).unwrap();
    database_file.execute(ahead, []).unwrap();
    drop(database_file);
    let service = Process::start(&database, &settings).unwrap();
    service
        .log_with("chatkeep token revoke --agent-id telegram")
        .await;
    telegram.say(ADA, "my name is Ida");
    assert_eq!(service.send(&revoke).await.status, 200);
    until_texts(&telegram, ADA, 2).await;
}

/// The relay inside the service is closed with 1012 then, as is any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_clean_stop_of_the_service_is_no_warning_of_its_relay() {
    let telegram = Telegram::start();
    let folder = tempfile::tempdir().unwrap();
    let own = telegram.settings("501");
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let mut service = Process::start(&folder.path().join("chatkeep.db"), &settings).unwrap();
    service.log_with("relay telegram: the service works").await;
    service.log_with("relay telegram: the network works").await;
    service.signal("TERM");
    let status = service.ended(std::time::Duration::from_secs(20));
    let log = service.log();
    assert!(status.success(), "{log}");
    let end = &log[log.find("stopping; a second signal").unwrap()..];
    assert!(!end.contains("WARN"), "{end}");
    assert!(
        end.contains("relay telegram: the service stops or restarts"),
        "{end}"
    );
}
