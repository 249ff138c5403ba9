//! What is told in a direct chat stays out of groups, also of one that was a direct chat.

use chatkeep::clock::{Clock, Timestamp};
use chatkeep::edge::hub::Hub;
use serde_json::{Value, json};

use super::support::{RelaySocket, Service, direct, eventually, group};
use super::{say, service_at, standing_clock};

const HOUR_MS: i64 = 3_600_000;

/// What is answered to somebody who speaks in the room.
async fn ask(service: &Service, room: &str, sender: &str, text: &str) -> String {
    let answer = service.edge_message("a", &group(room, sender, text)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["reply_text"].as_str().unwrap().to_owned()
}

/// A direct message in a chat of that name.
fn alone(chat: &str, sender: &str, text: &str) -> Value {
    let mut body = direct(sender, text);
    body["chat_guid"] = json!(chat);
    body
}

/// Chat and text of all commands.
fn commands(service: &Service) -> Vec<(String, String)> {
    let rows = service.rows(
        "SELECT json_extract(payload, '$.chat_guid'), json_extract(payload, '$.text')
         FROM commands WHERE state = 'queued' ORDER BY id",
    );
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows.iter()
        .map(|row| (text(&row[0]), text(&row[1])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reminder_belongs_to_the_room_where_it_was_set() {
    let service = Service::start().await;
    say(&service, "ana", "remind me in 2 hours to see the doctor").await;
    ask(
        &service, "g", "ana", "juno, remind me in 3 hours to buy beer",
    )
    .await;
    let answer = ask(&service, "g", "ben", "juno, reminders").await;
    assert!(answer.contains("buy beer"), "{answer}");
    assert!(!answer.contains("doctor"), "{answer}");
    assert_eq!(commands(&service), []);
    // Who has others is told of them alone.
    let answer = ask(&service, "g", "ana", "juno, reminders").await;
    assert!(
        answer.contains("buy beer") && answer.contains("direct chat"),
        "{answer}"
    );
    assert!(!answer.contains("doctor"), "{answer}");
    let texts = commands(&service);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert_eq!(texts[0].0, "chat;ana");
    assert!(
        texts[0].1.contains("doctor") && !texts[0].1.contains("beer"),
        "{texts:?}"
    );
    // Nothing of a direct chat is cancelled from a group.
    let refusal = ask(
        &service,
        "g",
        "ana",
        "juno, cancel my reminder to see the doctor",
    )
    .await;
    assert!(refusal.contains("no such reminder"), "{refusal}");
    ask(&service, "g", "ben", "juno, cancel all reminders").await;
    assert_eq!(
        service.rows("SELECT text FROM reminders"),
        [["see the doctor"]]
    );
    let other = ask(&service, "other", "ana", "juno, reminders").await;
    assert!(other.contains("no reminders"), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_hears_no_more_of_an_account_than_its_messages() {
    let service = Service::start().await;
    say(&service, "ana", "my time zone is Europe/Berlin").await;
    say(&service, "ana", "remember that I like tea").await;
    let status = ask(&service, "g", "ana", "juno, status").await;
    assert!(status.contains("50 messages"), "{status}");
    for private in ["Berlin", "memory", "reminder"] {
        assert!(!status.contains(private), "{status}");
    }
}

/// What ana says in the direct chat "room".
async fn tell_in_private(service: &Service) {
    for text in [
        "remember that I hid a key", "remind me in 1 hour to see the doctor",
    ] {
        let answer = service.edge_message("a", &alone("room", "ana", text)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_chat_that_becomes_a_group_stays_one() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    tell_in_private(&service).await;
    // Ben comes in: nothing of before is the group's.
    let reply_text = ask(&service, "room", "ben", "juno, reminders").await;
    assert!(reply_text.contains("no reminders"), "{reply_text}");
    let rooms = "SELECT mode, phone FROM rooms JOIN users ON users.id = owner_id
                 WHERE chat_guid = 'room'";
    assert_eq!(service.rows(rooms), [["group", "ana"]]);
    // It is a group also when the relay calls it direct again.
    let unasked = service
        .edge_message("a", &alone("room", "ana", "reminders"))
        .await;
    assert_eq!(unasked.json()["should_respond"], false, "{}", unasked.text);
    let response = alone("room", "ana", "juno, what do you remember about me?");
    let response = service.edge_message("a", &response).await;
    assert!(!response.text.contains("hid a key"), "{}", response.text);
    assert_eq!(service.rows(rooms), [["group", "ana"]]);
    assert_eq!(commands(&service), []);
    // The reminder waits for a direct chat.
    clock.advance(2 * HOUR_MS);
    eventually("the postponed reminder", async || {
        service.app.ingest.reminders.now();
        service.rows("SELECT due_at > send_at FROM reminders") == [[1]]
    })
    .await;
    say(&service, "ana", "hi").await;
    clock.advance(HOUR_MS);
    eventually("the reminder", async || {
        service.app.ingest.reminders.now();
        !commands(&service).is_empty()
    })
    .await;
    let [(chat, text)] = &commands(&service)[..] else {
        panic!("one command");
    };
    assert_eq!(chat, "chat;ana");
    let late = "⏰ Reminder: see the doctor\n(this is late, it was due ";
    assert!(text.starts_with(late), "{text}");
    // What was said alone is still Ana's, under the name it had.
    let rows = service.rows("SELECT count(*) FROM rooms WHERE mode = 'direct'");
    assert_eq!(rows, [[2]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_a_direct_chat_does_not_reach_the_group() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    say(&service, "ana", "hi").await;
    let text = "remind me in 1 hour to see the doctor";
    service.edge_message("a", &alone("room", "ana", text)).await;
    clock.advance(HOUR_MS);
    eventually("the command", async || {
        service.app.ingest.reminders.now();
        commands(&service).len() == 1
    })
    .await;
    assert_eq!(commands(&service)[0].0, "room");
    ask(&service, "room", "ben", "juno, hello").await;
    let expected = (
        "chat;ana".to_owned(),
        "⏰ Reminder: see the doctor".to_owned(),
    );
    assert_eq!(commands(&service), [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_chat_ends_when_somebody_else_writes_there_alone() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    tell_in_private(&service).await;
    let answer = service
        .edge_message("a", &alone("room", "ben", "reminders"))
        .await;
    assert!(answer.text.contains("no reminders"), "{}", answer.text);
    let rooms = "SELECT mode, phone FROM rooms JOIN users ON users.id = owner_id
                 WHERE chat_guid = 'room'";
    assert_eq!(service.rows(rooms), [["direct", "ben"]]);
    // What Ana asks in a group isn't answered there.
    let answer = ask(&service, "g", "ana", "juno, what do you remember about me?").await;
    assert!(!answer.contains("key"), "{answer}");
    clock.advance(HOUR_MS);
    eventually("the postponed reminder", async || {
        service.app.ingest.reminders.now();
        service.rows("SELECT due_at > send_at FROM reminders") == [[1]]
    })
    .await;
    assert_eq!(commands(&service), []);
    // She takes the chat again.
    let answer = service.edge_message("a", &alone("room", "ana", "hi")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(service.rows(rooms), [["direct", "ana"]]);
    // What waited comes at once, without a clock that goes on.
    eventually("the reminder", async || commands(&service).len() == 1).await;
    assert_eq!(commands(&service)[0].0, "room");
}

/// A reminder of Ana's, handed out to the relay for her chat.
async fn reminded(service: &Service, relay: &mut RelaySocket, clock: &Clock, chat: &str) -> Value {
    let text = "remind me in 1 hour to take my pill";
    let answer = service.edge_message("a", &alone(chat, "ana", text)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    clock.advance(HOUR_MS);
    service.app.ingest.reminders.now();
    let command = relay.command().await;
    assert_eq!(command["payload"]["chat_guid"], chat);
    command
}

/// The reminder comes in another chat, and "snooze" there means it.
async fn comes_in(service: &Service, relay: &mut RelaySocket, chat: &str) {
    let command = relay.command().await;
    assert_eq!(command["payload"]["chat_guid"], chat);
    assert_eq!(command["payload"]["text"], "⏰ Reminder: take my pill");
    relay.ack(&command, "completed").await;
    let answer = service
        .edge_message("a", &alone(chat, "ana", "snooze 10 min"))
        .await;
    assert!(answer.text.contains("take my pill"), "{}", answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_under_way_is_not_sent_into_the_group() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    relay.settle().await;
    let command = reminded(&service, &mut relay, &clock, "room").await;
    ask(&service, "room", "ben", "juno, hello").await;
    relay.ack(&command, "failed").await;
    relay.settle().await;
    // Nobody but Ana has a direct chat of hers.
    say(&service, "ben", "hi").await;
    let states = "SELECT state, json_extract(payload, '$.chat_guid') FROM commands ORDER BY id";
    assert_eq!(json!(service.rows(states)), json!([["expired", "room"]]));
    say(&service, "ana", "hi").await;
    comes_in(&service, &mut relay, "chat;ana").await;
    let expected = json!([["moved", "room"], ["completed", "chat;ana"]]);
    eventually("the acknowledgement", async || {
        json!(service.rows(states)) == expected
    })
    .await;
    // Where she has another direct chat it goes there at once.
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    relay.settle().await;
    say(&service, "ana", "hi").await;
    reminded(&service, &mut relay, &clock, "room").await;
    ask(&service, "room", "ben", "juno, hello").await;
    comes_in(&service, &mut relay, "chat;ana").await;
    let moved = "SELECT state, error FROM commands WHERE room_id =
                 (SELECT id FROM rooms WHERE chat_guid LIKE 'room' || char(1) || '%')";
    assert_eq!(json!(service.rows(moved)), json!([["moved", null]]));
}

/// How the operator reads the errors of the commands that ended.
async fn listed_errors(service: &Service) -> Vec<String> {
    let list = service.admin("GET", "/admin/commands", &json!({})).await;
    let commands = list.json()["commands"].clone();
    let errors = commands.as_array().unwrap().iter();
    errors
        .map(|c| c["error"].as_str().unwrap().to_owned())
        .collect()
}

/// One reminder of Ana's for a chat that ended, while she has no other.
async fn one_waits(service: &Service, clock: &Clock) -> Timestamp {
    let mut relay = service.relay("a").await;
    relay.settle().await;
    reminded(service, &mut relay, clock, "room").await;
    ask(service, "room", "ben", "juno, hello").await;
    let rows = service.rows("SELECT expires_at FROM commands WHERE state = 'expired'");
    Timestamp(rows[0][0].as_i64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_says_until_when_a_command_waits_and_that_it_is_lost() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let until = one_waits(&service, &clock).await;
    let waits = format!(
        "Its direct chat ended. Until {until} it waits for another direct chat of the person; then it is lost."
    );
    let look = async |now: Timestamp| {
        let store = &service.app.store;
        let lost = store.write(move |tx| Hub::report_lost(tx, now, 10));
        lost.await.unwrap();
        listed_errors(&service).await
    };
    assert_eq!(look(until.plus_ms(-1)).await, [waits]);
    let lost =
        format!("Its direct chat ended, and the person had no other until {until}: it is lost.");
    assert_eq!(look(until).await, [lost.as_str()]);
    assert_eq!(look(until).await, [lost.as_str()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_waited_under_an_earlier_build_is_sent() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    one_waits(&service, &clock).await;
    let (_, folder) = service.stop().await;
    let database = folder.path().join("chatkeep.db");
    let stored = "UPDATE commands SET error =
        'Its direct chat ended; it waits for another direct chat of the person.'
        WHERE error IS NOT NULL";
    let changed = rusqlite::Connection::open(database)
        .unwrap()
        .execute(stored, []);
    assert_eq!(changed.unwrap(), 1);
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    let errors = listed_errors(&service).await;
    assert!(errors[0].contains(" it waits for another"), "{errors:?}");
    let mut relay = service.relay("a").await;
    relay.settle().await;
    say(&service, "ana", "hi").await;
    comes_in(&service, &mut relay, "chat;ana").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_reports_that_others_read_a_direct_chat() {
    let clock = standing_clock();
    let service = service_at(&clock, &[]).await;
    let mut relay = service.relay("a").await;
    relay.settle().await;
    let command = reminded(&service, &mut relay, &clock, "room").await;
    let ack = json!({"command_id": command["command_id"], "status": "failed",
                     "error": "three people", "retryable": false, "reason": "not_private"});
    let report = json!({"type": "command_ack", "data": ack});
    relay.say(&report).await;
    relay.settle().await;
    let states = "SELECT state FROM commands ORDER BY id";
    eventually("it waits", async || service.rows(states) == [["expired"]]).await;
    // A second report changes nothing.
    relay.say(&report).await;
    say(&service, "ana", "hi").await;
    comes_in(&service, &mut relay, "chat;ana").await;
    // A group's message is sent again: the relay will know that it is a group.
    ask(
        &service, "g", "ana", "juno, remind me in 1 hour to buy beer",
    )
    .await;
    clock.advance(HOUR_MS);
    service.app.ingest.reminders.now();
    loop {
        let command = relay.command().await;
        if command["payload"]["chat_guid"] != "g" {
            relay.ack(&command, "completed").await;
            continue;
        }
        let ack = json!({"command_id": command["command_id"], "success": false,
                         "retryable": false, "reason": "not_private"});
        relay
            .say(&json!({"type": "command_ack", "data": ack}))
            .await;
        break;
    }
    let refused = "SELECT state, refused FROM commands WHERE refused > 0";
    eventually("it is sent again later", async || {
        json!(service.rows(refused)) == json!([["sent", 1]])
    })
    .await;
}
