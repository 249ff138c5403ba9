//! The relay for XMPP against a stub that keeps a server's rules: what people get in their chats and
//! rooms, sessions that break, are resumed or forgotten, and that kills neither lose nor repeat
//! anything.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use chatkeep::clock::Clock;
use serde_json::{Value, json};
use support::http_stub;
use support::photo::jpeg;
use support::process::Process;
use support::programs::{KilledService, Ledger, Program, SLOW, kills, until};
use support::xmpp::{BOT, Fault, PASSWORD, Xmpp};
use support::{Service, eventually, get};

const ADA: &str = "ada@localhost";
const BO: &str = "bo@localhost";
const PROGRESS: &str = "chatkeep.db.relay-xmpp.read";

/// The relay has read everything up to its start, and is in its rooms.
async fn service(xmpp: &Xmpp, allow: &str) -> Service {
    service_in(tempfile::tempdir().unwrap(), xmpp, allow).await
}

async fn service_in(folder: tempfile::TempDir, xmpp: &Xmpp, allow: &str) -> Service {
    let own = xmpp.settings(allow);
    let settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let service = Service::in_folder(folder, &settings, Clock::system()).await;
    until_ready(&service).await;
    service
}

async fn until_ready(service: &Service) {
    eventually("a healthy relay", async || {
        let health = service.send(&get("/health")).await.json();
        health["checks"]["xmpp"] == "ok"
    })
    .await;
}

async fn until_texts(xmpp: &Xmpp, to: &str, count: usize) -> Vec<String> {
    let what = format!("{count} messages to {to}");
    eventually(&what, async || xmpp.texts(to).len() >= count).await;
    xmpp.texts(to)
}

/// The archive's id is stored as the last one that was read.
async fn until_read(service: &Service, archive: &str, id: &str) {
    let path = service.folder.path().join(PROGRESS);
    until(SLOW, "everything read", async || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let progress: Value = serde_json::from_str(&text).unwrap_or_default();
        progress["read"][archive] == id
    })
    .await;
}

fn texts(service: &Service) -> Vec<Value> {
    let rows = service.rows("SELECT text FROM messages ORDER BY id");
    rows.into_iter().map(|row| row[0].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_answered_once() {
    let xmpp = Xmpp::start().await;
    xmpp.say(ADA, "from before the first start");
    let service = service(&xmpp, ADA).await;
    let id = xmpp.say(ADA, "my name is Ada");
    let answers = until_texts(&xmpp, ADA, 1).await;
    until_read(&service, BOT, &id).await;
    assert_eq!(answers, ["Nice to meet you, Ada!"]);
    let rows = service.rows(
        "SELECT chat_guid, mode, sender, text, json_extract(context, '$.message_id')
         FROM messages JOIN rooms ON rooms.id = room_id",
    );
    let (chat, key) = (format!("xmpp:{ADA}"), format!("xmpp:{BOT}:{id}"));
    assert_eq!(
        json!(rows),
        json!([[chat, "direct", chat, "my name is Ada", key]])
    );
    assert_eq!(xmpp.texts(ADA).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_those_on_the_list_get_in() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Bo", BO)]);
    let service = service(&xmpp, &format!("{ADA},{room}")).await;
    xmpp.say(BO, "let me in");
    xmpp.say_in(&room, "Bo", "juno: hello");
    for person in [ADA, BO] {
        xmpp.stanza(&format!(
            "<presence xmlns='jabber:client' from='{person}' to='{BOT}' type='subscribe'/>"
        ));
    }
    let id = xmpp.say(ADA, "hello");
    until_texts(&xmpp, ADA, 1).await;
    until_texts(&xmpp, &room, 1).await;
    until_read(&service, BOT, &id).await;
    eventually("the allowed see the bot", async || {
        xmpp.presences(ADA) == ["subscribed", "subscribe"]
    })
    .await;
    assert!(xmpp.presences(BO).is_empty());
    assert!(xmpp.sent(BO).is_empty());
    let senders = service.rows("SELECT DISTINCT sender FROM messages ORDER BY sender");
    assert_eq!(senders, [[format!("xmpp:{ADA}")], [format!("xmpp:{BO}")]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_is_answered_when_it_asks() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Ada", ADA), ("Bo", BO)]);
    xmpp.say_in(&room, "Ada", "from before");
    let service = service(&xmpp, &room).await;
    assert!(xmpp.is_joined(&room));
    xmpp.say_in(&room, "Ada", "nice weather");
    xmpp.say_in(&room, "Bo", "juno: status");
    until_texts(&xmpp, &room, 1).await;
    let reply = |to: &str, text: &str| {
        format!("<body>{text}</body><reply xmlns='urn:xmpp:reply:0' to='{room}/{to}' id='1'/>")
    };
    xmpp.message_in(&room, "Bo", &reply("juno", "usage"));
    let id = xmpp.message_in(&room, "Ada", &reply("Bo", "fine"));
    until_texts(&xmpp, &room, 2).await;
    until_read(&service, &room, &id).await;
    assert_eq!(xmpp.texts(&room).len(), 2);
    assert_eq!(texts(&service), ["nice weather", "status", "usage", "fine"]);
    assert_eq!(service.rows("SELECT mode FROM rooms"), [["group"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_removed_comes_back_when_invited() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Ada", ADA)]);
    let service = service(&xmpp, ADA).await;
    xmpp.invite(&room, BO);
    xmpp.invite(&room, ADA);
    eventually("the bot joins", async || xmpp.is_joined(&room)).await;
    xmpp.say_in(&room, "Ada", "juno: my name is Ada");
    until_texts(&xmpp, &room, 1).await;
    xmpp.remove_from(&room);
    let path = service.folder.path().join(PROGRESS);
    eventually("the room is forgotten", async || {
        let text = std::fs::read_to_string(&path).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()["rooms"] == json!([])
    })
    .await;
    // What was invited is entered anew after a restart, what removed the bot is not.
    let (_, folder) = service.stop().await;
    let service = service_in(folder, &xmpp, ADA).await;
    assert!(!xmpp.is_joined(&room));
    xmpp.invite(&room, ADA);
    eventually("the bot joins again", async || xmpp.is_joined(&room)).await;
    xmpp.say_in(&room, "Ada", "juno: status");
    until_texts(&xmpp, &room, 2).await;
    let (_, folder) = service.stop().await;
    let _service = service_in(folder, &xmpp, ADA).await;
    assert!(xmpp.is_joined(&room));
    assert_eq!(xmpp.texts(&room).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_is_resumed() {
    let xmpp = Xmpp::start().await;
    let service = service(&xmpp, ADA).await;
    xmpp.say(ADA, "my name is Ada");
    until_texts(&xmpp, ADA, 1).await;
    xmpp.break_connection();
    xmpp.say(ADA, "my name is Ida");
    // The second answer is taken, and the connection breaks before the server says so.
    xmpp.fail(ADA, [Fault::Break]);
    let id = xmpp.say(ADA, "my name is Eda");
    until(SLOW, "two more answers", async || {
        xmpp.texts(ADA).len() >= 3
    })
    .await;
    until_ready(&service).await;
    until(SLOW, "a resumed session", async || xmpp.is_online()).await;
    let names = ["Ada", "Ida", "Eda"].map(|name| format!("Nice to meet you, {name}!"));
    until_read(&service, BOT, &id).await;
    assert_eq!(xmpp.texts(ADA), names);
    assert_eq!(xmpp.resumptions(), 2);
    assert_eq!(texts(&service).len(), 3);
}

/// The server answers a resumption with `<failed/>` without a number, as Prosody does.
#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_session_begins_anew() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Ada", ADA)]);
    let service = service(&xmpp, &format!("{ADA},{room}")).await;
    xmpp.say(ADA, "my name is Ada");
    until_texts(&xmpp, ADA, 1).await;
    xmpp.forget_session();
    let id = xmpp.say(ADA, "my name is Ida");
    xmpp.say_in(&room, "Ada", "juno: my name is Ida");
    until(SLOW, "both answers", async || {
        xmpp.texts(ADA).len() >= 2 && !xmpp.texts(&room).is_empty()
    })
    .await;
    until_read(&service, BOT, &id).await;
    let names = ["Ada", "Ida"].map(|name| format!("Nice to meet you, {name}!"));
    assert_eq!(xmpp.texts(ADA), names);
    assert_eq!(xmpp.texts(&room), names[1..]);
    assert!(xmpp.is_joined(&room));
    assert_eq!((xmpp.resumptions(), texts(&service).len()), (0, 3));
}

/// The server has taken an answer, and neither it nor the relay knows its session any more: the
/// archive tells.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_took_is_not_sent_again() {
    let xmpp = Xmpp::start().await;
    let service = service(&xmpp, ADA).await;
    xmpp.fail(ADA, [Fault::BreakAndForget]);
    xmpp.say(ADA, "my name is Ada");
    until_texts(&xmpp, ADA, 1).await;
    until(SLOW, "another login", async || xmpp.logins() >= 2).await;
    let id = xmpp.say(ADA, "my name is Ida");
    until(SLOW, "the last answer", async || xmpp.texts(ADA).len() >= 2).await;
    until_read(&service, BOT, &id).await;
    let names = ["Ada", "Ida"].map(|name| format!("Nice to meet you, {name}!"));
    assert_eq!(xmpp.texts(ADA), names);
}

/// What was written while nobody read comes from the archive, page by page. In a room, most of it
/// is not for the assistant: no answer is waited for.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_meanwhile_is_read() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Ada", ADA)]);
    let running = service(&xmpp, &room).await;
    running.set_flag("rate_limit.enabled", false).await;
    let (_, folder) = running.stop().await;
    let expected: Vec<String> = (0..120).map(|number| format!("number {number}")).collect();
    let ids = expected.iter().map(|text| xmpp.say_in(&room, "Ada", text));
    let last = ids.collect::<Vec<String>>().pop().unwrap();
    let running = service_in(folder, &xmpp, &room).await;
    until_read(&running, &room, &last).await;
    assert_eq!(texts(&running), expected);
    // The archive has lost what was read last: what it holds counts as new.
    let (_, folder) = running.stop().await;
    xmpp.empty_archives();
    let last = xmpp.say_in(&room, "Ada", "number 120");
    let running = service_in(folder, &xmpp, &room).await;
    until_read(&running, &room, &last).await;
    assert_eq!(texts(&running).len(), 121);
    assert!(xmpp.texts(&room).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_and_typing_are_sent() {
    let xmpp = Xmpp::start().await;
    let _service = service(&xmpp, ADA).await;
    let id = xmpp.message(
        ADA,
        "<body>my name is Ada</body><request xmlns='urn:xmpp:receipts'/>",
    );
    until_texts(&xmpp, ADA, 1).await;
    let phone = format!("{ADA}/phone");
    let sent = xmpp.sent(ADA);
    let receipt = sent.iter().find_map(|one| {
        assert!(one.attr("to") == Some(ADA) || one.attr("to") == Some(&phone));
        one.get_child("received", "urn:xmpp:receipts")
    });
    assert_eq!(
        receipt.unwrap().attr("id"),
        Some(format!("of-{id}").as_str())
    );
    let answer = sent.last().unwrap();
    assert!(answer.has_child("active", "http://jabber.org/protocol/chatstates"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_early_change_is_a_correction() {
    let xmpp = Xmpp::start().await;
    let service = service(&xmpp, "everyone").await;
    let id = xmpp.say(ADA, "my name is Ida");
    until_texts(&xmpp, ADA, 1).await;
    let change = |of: &str| {
        format!(
            "<body>my name is Ada</body><replace xmlns='urn:xmpp:message-correct:0' id='of-{of}'/>"
        )
    };
    // Of nobody's message, and of somebody else's.
    xmpp.message(ADA, &change("a99"));
    xmpp.message(BO, &change(&id));
    let last = xmpp.message(ADA, &change(&id));
    let answers = until_texts(&xmpp, ADA, 2).await;
    until_read(&service, BOT, &last).await;
    assert_eq!(answers[1], "Nice to meet you, Ada!");
    assert_eq!(texts(&service).len(), 2);
    let corrects = "SELECT json_extract(context, '$.corrects') FROM messages ORDER BY id";
    assert_eq!(service.rows(corrects)[1], [format!("xmpp:{BOT}:{id}")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_read_is_answered_politely() {
    let xmpp = Xmpp::start().await;
    let service = service(&xmpp, ADA).await;
    let file =
        |url: &str| format!("<body>{url}</body><x xmlns='jabber:x:oob'><url>{url}</url></x>");
    xmpp.message(ADA, &file("https://example.com/voice.opus"));
    xmpp.message(ADA, &file("http://127.0.0.2:1/cat.jpg"));
    let encrypted = "<body>no</body><encrypted xmlns='eu.siacs.conversations.axolotl'/>";
    xmpp.message(ADA, encrypted);
    xmpp.message(ADA, encrypted);
    xmpp.message(ADA, "<body></body>");
    let last = xmpp.message(
        ADA,
        "<composing xmlns='http://jabber.org/protocol/chatstates'/>",
    );
    until_read(&service, BOT, &last).await;
    let answers = xmpp.texts(ADA);
    let words = ["can't hear", "couldn't get that photo", "encrypted"];
    for (answer, word) in answers.iter().zip(words) {
        assert!(answer.contains(word), "{answers:?}");
    }
    assert!(texts(&service).len() <= 1, "{:?}", texts(&service));
}

/// The server's other ports are not to be called because somebody says so.
#[tokio::test(flavor = "multi_thread")]
async fn photos_come_from_the_upload_service_only() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let place = |name: &'static str| {
        let calls = calls.clone();
        let address = http_stub::start(move |request| {
            calls.lock().unwrap().push((name, request.target));
            Some((200, "image/jpeg", jpeg("cat")))
        });
        format!("http://127.0.0.1:{}", address.port())
    };
    let (uploads, other) = (place("uploads"), place("other"));
    let xmpp = Xmpp::start().await;
    xmpp.offer_uploads(&uploads);
    let service = service(&xmpp, ADA).await;
    let photo = |url: &str| format!("<x xmlns='jabber:x:oob'><url>{url}</url></x>");
    xmpp.message(ADA, &photo(&format!("{other}/cat.jpg")));
    let port = other.rsplit_once(':').unwrap().1;
    xmpp.message(ADA, &photo(&format!("http://localhost:{port}/cat.jpg")));
    let last = xmpp.message(ADA, &photo(&format!("{uploads}/2/cat.jpg")));
    until_read(&service, BOT, &last).await;
    let photos = service.rows("SELECT count(*) FROM photos");
    let calls = calls.lock().unwrap().clone();
    assert_eq!(calls, [("uploads", "/2/cat.jpg".to_owned())]);
    assert_eq!(photos, [[1]]);
    let refusals = xmpp.texts(ADA).into_iter();
    let refusals = refusals.filter(|text| text.contains("couldn't get that photo"));
    assert_eq!(refusals.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_obeyed_and_a_reminder_comes() {
    let xmpp = Xmpp::start().await;
    let service = service(&xmpp, "everyone").await;
    xmpp.fail(ADA, [Fault::Refuse("wait", "resource-constraint")]);
    xmpp.say(ADA, "remind me in 1 second to stretch");
    let answers = until_texts(&xmpp, ADA, 2).await;
    assert_eq!(answers[1], "⏰ Reminder: stretch");
    eventually("the command is finished", async || {
        service.rows("SELECT state FROM commands") == [["completed"]]
    })
    .await;
    // Nobody is there any more: the command ends.
    xmpp.say(BO, "remind me in 1 hour to stretch");
    until_texts(&xmpp, BO, 1).await;
    xmpp.fail(BO, [Fault::Refuse("cancel", "item-not-found")]);
    service.remind_now().await;
    eventually("the command ends", async || {
        service.rows("SELECT state FROM commands ORDER BY id DESC LIMIT 1") == [["failed"]]
    })
    .await;
    assert_eq!((xmpp.texts(ADA).len(), xmpp.texts(BO).len()), (2, 1));
}

fn check(folder: &Path, xmpp: &Xmpp, change: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(["relay", "xmpp", "--check"]);
    command.current_dir(folder).env_clear();
    command.env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"));
    command.env("EDGE_SECRET", support::EDGE_SECRET);
    command.envs(xmpp.settings(ADA));
    command.envs(change.iter().copied());
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&stdout) + &text(&stderr);
    assert!(!printed.contains(PASSWORD), "{printed}");
    (status.code(), printed)
}

#[tokio::test(flavor = "multi_thread")]
async fn check_says_who_the_bot_is() {
    let xmpp = Xmpp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let _process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let (code, view) = check(folder.path(), &xmpp, &[]);
    assert_eq!(code, Some(0), "{view}");
    for part in [BOT, "resumes broken connections", "Allowed: ada@localhost"] {
        assert!(view.contains(part), "{view}");
    }
    assert!(view.contains("accepts the agent xmpp"), "{view}");
    for (name, value, why) in [
        (
            "CHATKEEP_RELAY_XMPP_PASSWORD", "wrong", "does not take the password",
        ),
        ("CHATKEEP_RELAY_XMPP_PASSWORD", "", "relay.xmpp.password"),
        (
            "CHATKEEP_RELAY_XMPP_SERVER", "127.0.0.1:1", "no connection to the server",
        ),
        ("CHATKEEP_RELAY_XMPP_ALLOW", "ada", "relay.xmpp.allow"),
        ("CHATKEEP_RELAY_XMPP_CA_FILE", "none.pem", "can't read"),
    ] {
        let (code, view) = check(folder.path(), &xmpp, &[(name, value)]);
        assert_eq!(code, Some(1), "{view}");
        assert!(view.contains(why), "{view}");
    }
}

/// A server that wants TLS, with a certificate that the web does not trust.
/// A new account can be tested before the first start.
#[tokio::test(flavor = "multi_thread")]
async fn check_needs_no_service_for_the_account() {
    let xmpp = Xmpp::start().await;
    let folder = tempfile::tempdir().unwrap();
    let tested = xmpp.clone();
    let path = folder.path().to_owned();
    let checking = tokio::task::spawn_blocking(move || check(&path, &tested, &[]));
    let (code, printed) = checking.await.unwrap();
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains(&format!("XMPP: {BOT}")), "{printed}");
    assert!(
        printed.contains("no service runs on this database"),
        "{printed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_wants_a_certificate_that_is_trusted() {
    let (xmpp, certificate) = Xmpp::start_with_tls().await;
    let folder = tempfile::tempdir().unwrap();
    let _process = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let path = folder.path().join("ca.pem");
    std::fs::write(&path, certificate).unwrap();
    let ca_file = ("CHATKEEP_RELAY_XMPP_CA_FILE", path.to_str().unwrap());
    let (code, view) = check(folder.path(), &xmpp, &[]);
    assert_eq!(code, Some(1), "{view}");
    assert!(
        view.contains("certificate is not good for localhost")
            && view.contains("relay.xmpp.ca_file"),
        "{view}"
    );
    // Of another name than the one that the certificate is for.
    let other = ("CHATKEEP_RELAY_XMPP_JID", "juno@example.com");
    let (code, view) = check(folder.path(), &xmpp, &[ca_file, other]);
    assert_eq!(code, Some(1), "{view}");
    assert!(view.contains("not good for example.com"), "{view}");
    let own = xmpp.settings(ADA);
    let mut settings: Vec<(&str, &str)> = own.iter().map(|(k, v)| (*k, v.as_str())).collect();
    settings.push(ca_file);
    let _service = Service::with(&settings).await;
    eventually("a login", async || xmpp.is_online()).await;
    xmpp.say(ADA, "my name is Ada");
    let answers = until_texts(&xmpp, ADA, 1).await;
    assert_eq!(answers, ["Nice to meet you, Ada!"]);
}

/// Relay, service and connection are killed in turn at any moment: every message is answered once,
/// every reminder comes once, because the archive knows what was sent.
#[tokio::test(flavor = "multi_thread")]
async fn kills_neither_lose_nor_repeat_anything() {
    let xmpp = Xmpp::start().await;
    let room = xmpp.room("tea", &[("Ada", ADA)]);
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    let settings = xmpp.settings(&format!("{ADA},{room}"));
    let mut service = KilledService::start(&database).await;
    let start_relay = |url: &str| Program::relay("xmpp", folder.path(), url, &settings);
    let mut relay = start_relay(&service.url);
    eventually("the first start", async || xmpp.is_joined(&room)).await;
    let progress = folder.path().join("relay.db.relay-xmpp.read");
    eventually("the room's archive", async || {
        let stored = std::fs::read_to_string(&progress).unwrap_or_default();
        stored.contains(&format!("\"{room}\":"))
    })
    .await;
    let (mut direct, mut in_room) = (Ledger::default(), Ledger::default());
    for round in 0..kills("XMPP_KILLS", 10) {
        xmpp.say(ADA, &direct.name(&format!("N{round}")));
        xmpp.say(ADA, &direct.reminder(round));
        let words = in_room.name(&format!("N{round}"));
        xmpp.say_in(&room, "Ada", &format!("juno: {words}"));
        let sent = || xmpp.texts(ADA).len() + xmpp.texts(&room).len();
        // Sometimes before anything was sent, sometimes in the middle, sometimes after.
        let expected = sent() + (round % 4) as usize;
        until(SLOW, "some answers", async || sent() >= expected).await;
        match round % 4 {
            0 | 2 => {
                drop(relay);
                relay = start_relay(&service.url);
            }
            1 => service.kill(&database).await,
            _ => xmpp.forget_session(),
        }
    }
    for (to, ledger) in [(ADA, direct), (room.as_str(), in_room)] {
        until(SLOW, "every answer", async || {
            xmpp.texts(to).len() >= ledger.len()
        })
        .await;
        ledger.check(xmpp.texts(to));
    }
    drop(relay);
}
