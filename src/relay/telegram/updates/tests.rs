//! Parsing of Telegram's messages.

use super::*;

fn bot() -> Bot {
    Bot::read(&json!({"id": 666, "username": "JunoBot"})).unwrap()
}

fn private(text: &str) -> Value {
    json!({
        "message_id": 7, "date": 1_700_000_000, "from": {"id": 501, "is_bot": false},
        "chat": {"id": 501, "type": "private"}, "text": text,
    })
}

fn group(text: &str, entities: Value) -> Value {
    json!({
        "message_id": 8, "date": 1_700_000_000, "from": {"id": 501}, "text": text,
        "chat": {"id": -42, "type": "supergroup"}, "entities": entities,
    })
}

#[test]
fn a_private_message_is_direct() {
    let read = TelegramMessage::read(&private("hi"), &bot(), false).unwrap();
    assert_eq!(
        read.incoming.message("hi"),
        json!({
            "chat_guid": "telegram:501", "mode": "direct", "sender": "telegram:501", "text": "hi",
            "timestamp": 1_700_000_000, "context": {"message_id": "telegram:501:7"},
        })
    );
}

#[test]
fn a_group_says_whom_it_addresses() {
    let cases = [
        ("hi all", json!([]), "hi all", false),
        (
            "@JunoBot, hi",
            json!([{"type": "mention", "offset": 0, "length": 8}]),
            "hi",
            true,
        ),
        (
            "😀 @junobot hi",
            json!([{"type": "mention", "offset": 3, "length": 8}]),
            "😀  hi",
            true,
        ),
        (
            "@Other hi",
            json!([{"type": "mention", "offset": 0, "length": 6}]),
            "@Other hi",
            false,
        ),
        (
            "/help",
            json!([{"type": "bot_command", "offset": 0, "length": 5}]),
            "help",
            true,
        ),
        (
            "/reminders@JunoBot",
            json!([{"type": "bot_command", "offset": 0, "length": 18}]),
            "reminders",
            true,
        ),
        (
            "/help@OtherBot",
            json!([{"type": "bot_command", "offset": 0, "length": 14}]),
            "/help@OtherBot",
            false,
        ),
        (
            "Juno hi",
            json!([{"type": "text_mention", "offset": 0, "length": 4, "user": {"id": 666}}]),
            "hi",
            true,
        ),
    ];
    for (text, entities, spoken, is_addressed) in cases {
        let read = TelegramMessage::read(&group(text, entities), &bot(), false).unwrap();
        assert_eq!(read.text.as_deref(), Some(spoken), "{text}");
        assert_eq!(
            read.incoming.context()["reply_to_assistant"],
            is_addressed,
            "{text}"
        );
        assert!(read.incoming.is_group);
    }
    let mut reply = group("yes", json!([]));
    reply["reply_to_message"] = json!({"from": {"id": 666}});
    assert!(
        TelegramMessage::read(&reply, &bot(), false)
            .unwrap()
            .incoming
            .is_addressed
    );
}

#[test]
fn a_links_word_after_start_is_left_out() {
    for (text, spoken) in [
        ("/start", "hello"),
        ("/start from-a-link", "hello"),
        ("/start what time is it?", "hello what time is it?"),
    ] {
        let mut message = private(text);
        message["entities"] = json!([{"type": "bot_command", "offset": 0, "length": 6}]);
        let read = TelegramMessage::read(&message, &bot(), false).unwrap();
        assert_eq!(read.text.as_deref(), Some(spoken), "{text}");
    }
}

#[test]
fn whose_messages_are_not_heard() {
    let mut of_bot = private("hi");
    of_bot["from"]["is_bot"] = true.into();
    let mut channel = private("hi");
    channel["chat"]["type"] = "channel".into();
    let mut nobodys = private("hi");
    nobodys["from"] = Value::Null;
    let mut linked_channels = group("hi", json!([]));
    linked_channels["is_automatic_forward"] = true.into();
    for message in [of_bot, channel, nobodys, linked_channels] {
        assert_eq!(
            TelegramMessage::read(&message, &bot(), false),
            None,
            "{message}"
        );
    }
}

#[test]
fn a_change_within_a_minute_is_a_correction() {
    let mut message = private("hi there");
    message["edit_date"] = json!(1_700_000_060);
    let read = TelegramMessage::read(&message, &bot(), true).unwrap();
    assert!(read.incoming.key.starts_with("telegram:501:7:1700000060:"));
    message["text"] = "hi you".into();
    let same_second = TelegramMessage::read(&message, &bot(), true).unwrap();
    assert_ne!(same_second.incoming.key, read.incoming.key);
    assert_eq!(read.incoming.context()["corrects"], "telegram:501:7");
    message["edit_date"] = json!(1_700_000_061);
    assert_eq!(TelegramMessage::read(&message, &bot(), true), None);
}

#[test]
fn a_delivered_reminder_names_what_it_is_of() {
    let cases = [
        ("⏰ Reminder: call bo: now", Some("call bo: now")),
        (
            "⏰ Rappel : boire\n(ce rappel est en retard, il était prévu : hier)",
            Some("boire"),
        ),
        ("⏰ Reminder: call bo (work)", Some("call bo (work)")),
        ("⏰ Reminder: one\ntwo", Some("one\ntwo")),
        ("Okay.", None),
    ];
    for (text, what) in cases {
        assert_eq!(reminded_of(text), what, "{text}");
    }
}

#[test]
fn the_largest_photo_that_is_handed_out() {
    let photo = json!({"photo": [
        {"file_id": "s", "file_size": 10}, {"file_id": "m"}, {"file_id": "l", "file_size": 30_000_000},
    ]});
    assert_eq!(largest_photo(&photo), Some("m"));
    assert_eq!(largest_photo(&json!({"text": "hi"})), None);
}

#[test]
fn chats_are_read_back() {
    assert_eq!(chat_id("telegram:-1007"), Some(-1007));
    assert_eq!(chat_id("matrix:5"), None);
    assert_eq!(chat_id("telegram:x"), None);
}
