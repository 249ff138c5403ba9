//! Edited messages: what they mean is done once.

use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};

use super::support::{Service, direct};
use super::{count, reply, service_at, standing_clock};

/// A Thursday, 12:00 UTC.
const NOW_S: i64 = 1_795_089_600;

async fn service() -> (Clock, Service) {
    let clock = Clock::fixed(Timestamp::from_seconds(NOW_S));
    let service = service_at(&clock, &[]).await;
    service.set_flag("rate_limit.enabled", false).await;
    (clock, service)
}

/// The times of somebody's reminders.
fn due(service: &Service, sender: &str) -> Vec<String> {
    let rows = service.rows(&format!(
        "SELECT send_at FROM reminders JOIN users ON users.id = reminders.user_id
         WHERE phone = '{sender}' ORDER BY send_at"
    ));
    let times = rows.iter().map(|row| Timestamp(row[0].as_i64().unwrap()));
    times.map(|at| at.to_string()).collect()
}

fn version(text: &str, id: &str, corrects: Option<&str>) -> Value {
    let mut message = direct("ana", text);
    message["context"] = json!({"message_id": id});
    if let Some(corrects) = corrects {
        message["context"]["corrects"] = corrects.into();
    }
    message
}

/// The reply to a message, some time after the one before.
async fn send(
    service: &Service,
    clock: &Clock,
    text: &str,
    id: &str,
    corrects: Option<&str>,
) -> String {
    clock.advance(1_000);
    let message = version(text, id, corrects);
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{text}: {}", answer.text);
    answer.json()["reply_text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_message_is_done_once() {
    let (clock, service) = service().await;
    let at = |hour: u32| format!("2026-11-19T{hour}:00:00.000Z");
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    let reply = send(&service, &clock, "remind me at 6pm to call", "2", Some("1")).await;
    assert!(reply.contains("took back"), "{reply}");
    assert!(reply.contains("today at 18:00"), "{reply}");
    assert_eq!(due(&service, "ana"), [at(18)]);
    // Edited again; networks name the first version.
    let again = "remind me at 7pm to call";
    let reply = send(&service, &clock, again, "3", Some("1")).await;
    assert_eq!(due(&service, "ana"), [at(19)]);
    // The relay repeats the request.
    let repeated = send(&service, &clock, again, "3", Some("1")).await;
    assert_eq!(repeated, reply);
    assert_eq!(due(&service, "ana"), [at(19)]);
    assert_eq!(count(&service, "messages"), 3);
    let counted = "SELECT count(*) FROM messages WHERE counted";
    assert_eq!(service.rows(counted)[0][0], 1);
    assert_eq!(service.rows("SELECT count FROM usage_days")[0][0], 1);
}

/// Other words of a yes take nothing back.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_yes_is_the_same_yes() {
    let (clock, service) = service().await;
    send(&service, &clock, "i have to call mum at 5pm", "1", None).await;
    send(&service, &clock, "yes", "2", None).await;
    clock.advance(1_000);
    let edited = version("yes please", "3", Some("2"));
    let answer = service.edge_message("a", &edited).await.json();
    assert_eq!(answer["should_respond"], false, "{answer}");
    assert_eq!(due(&service, "ana"), ["2026-11-19T17:00:00.000Z"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_edited_message_stated_is_replaced() {
    let (clock, service) = service().await;
    service.set_flag("free_tier.daily_message_limit", 4).await;
    let sent = [
        ("remember that my bike is red", "1", None, "took back"),
        ("remember that my bike is blue", "2", Some("1"), "took back"),
        ("remind me to stretch", "3", None, "When"),
        ("remind me at 5pm to stretch", "4", Some("3"), "17:00"),
        ("make it 6pm", "5", None, "18:00"),
        ("make it 8pm", "6", Some("5"), "20:00"),
        ("my name is Ida", "7", None, "Ida"),
        ("my name is Ada", "8", Some("7"), "Nice to meet you, Ada"),
    ];
    for (n, (text, id, corrects, says)) in sent.into_iter().enumerate() {
        let reply = send(&service, &clock, text, id, corrects).await;
        assert_eq!(reply.contains(says), n != 0, "{text}: {reply}");
    }
    assert_eq!(
        service.rows("SELECT text FROM memories"),
        [["my bike is blue"]]
    );
    assert_eq!(due(&service, "ana"), ["2026-11-19T20:00:00.000Z"]);
}

/// The new version counts from the time before the first one, and means what it names itself.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_snooze_replaces_the_first_one() {
    let (clock, service) = service().await;
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    send(&service, &clock, "remind me at 6pm to eat", "2", None).await;
    let steps = [
        ("snooze 1 for 10 minutes", None, ["17:10", "18:00"]),
        ("snooze 1 for 20 minutes", Some("s0"), ["17:20", "18:00"]),
        ("snooze 2 for 30 minutes", Some("s0"), ["17:00", "18:30"]),
        ("snooze 1 and 2 for 1 hour", Some("s0"), ["18:00", "19:00"]),
        ("snooze 1 till 9pm", Some("s0"), ["18:00", "21:00"]),
        ("move 2 to 8pm", Some("s0"), ["17:00", "20:00"]),
        ("undo", None, ["17:00", "18:00"]),
    ];
    send(&service, &clock, "reminders", "list", None).await;
    for (n, (text, corrects, hours)) in steps.into_iter().enumerate() {
        let said = send(&service, &clock, text, &format!("s{n}"), corrects).await;
        assert_eq!(said.contains("took back"), corrects.is_some(), "{said}");
        let times = hours.map(|hour| format!("2026-11-19T{hour}:00.000Z"));
        assert_eq!(due(&service, "ana"), times, "{text}: {said}");
    }
    // `undo` takes back all that were moved together.
    send(&service, &clock, "snooze 1 and 2 for 1 hour", "7", None).await;
    send(&service, &clock, "undo", "8", None).await;
    let times = ["17", "18"].map(|hour| format!("2026-11-19T{hour}:00:00.000Z"));
    assert_eq!(due(&service, "ana"), times);
    // Something else was done since.
    send(&service, &clock, "snooze 1 for 10 minutes", "9", None).await;
    send(&service, &clock, "remind me at 9pm to run", "10", None).await;
    let again = "snooze 1 for 20 minutes";
    let said = send(&service, &clock, again, "11", Some("9")).await;
    assert!(said.contains("I've changed nothing now"), "{said}");
    let times = ["17:10", "18:00", "21:00"].map(|hour| format!("2026-11-19T{hour}:00.000Z"));
    assert_eq!(due(&service, "ana"), times);
}

/// What has come is put off once, from when the message was changed.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_snooze_of_what_has_come_is_done_once() {
    let clock = standing_clock();
    let (noon, service) = (clock.now(), service_at(&clock, &[]).await);
    service.set_flag("rate_limit.enabled", false).await;
    let mut relay = service.relay("a").await;
    send(&service, &clock, "remind me in 1 minute to call", "1", None).await;
    clock.advance(60_000);
    let command = relay.command().await;
    assert!(command["payload"]["text"].to_string().contains("call"));
    relay.ack(&command, "completed").await;
    for (text, id, corrects, minutes) in [
        ("snooze 10 min", "2", None, 10),
        ("snooze 20 min", "3", Some("2"), 20),
        ("snooze", "4", Some("2"), 10),
        ("snooze till 5pm", "5", Some("2"), 0),
    ] {
        let said = send(&service, &clock, text, id, corrects).await;
        let expected = match minutes {
            0 => noon.plus_s(5 * 3_600).to_string(),
            minutes => clock.now().plus_s(minutes * 60).to_string(),
        };
        assert_eq!(due(&service, "ana"), [expected], "{text}: {said}");
        assert!(said.contains("call"), "{said}");
    }
    // What is not understood is said, and that the first version counts for nothing.
    let said = send(&service, &clock, "snooze like a bear", "6", Some("2")).await;
    assert!(said.contains("took back"), "{said}");
    assert_eq!(due(&service, "ana").len(), 0, "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_undone_stays_and_is_not_done_twice() {
    let (clock, service) = service().await;
    let two = "remind me at 4pm to call. remember that my cat is old";
    send(&service, &clock, two, "1", None).await;
    let edited = "remind me at 5pm to call. remember that my cat is old";
    let reply = send(&service, &clock, edited, "2", Some("1")).await;
    assert!(reply.contains("took back"), "{reply}");
    // Something else was done since.
    send(&service, &clock, "remind me at 7pm to eat", "3", None).await;
    send(&service, &clock, "remind me at 8pm to run", "4", None).await;
    let reply = send(&service, &clock, "remind me at 9pm to eat", "5", Some("3")).await;
    assert!(reply.contains("I've changed nothing now"), "{reply}");
    let hours = ["17", "19", "20"].map(|hour| format!("2026-11-19T{hour}:00:00.000Z"));
    assert_eq!(due(&service, "ana"), hours);
    assert_eq!(count(&service, "memories"), 1);
    // What did nothing, is unknown, somebody else's or old is a message like any other.
    send(&service, &clock, "remidn", "6", None).await;
    let others = [
        ("remind me at 9pm to eat", "7", "6"),
        ("remind me at 9pm to eat", "8", "unknown"),
    ];
    for (text, id, corrects) in others {
        let reply = send(&service, &clock, text, id, Some(corrects)).await;
        assert!(reply.starts_with("Okay"), "{reply}");
    }
    clock.advance(11 * 60_000);
    let reply = send(&service, &clock, "remind me at 9pm to run", "9", Some("8")).await;
    assert!(reply.starts_with("Okay"), "{reply}");
    let mut others = version("remind me at 9pm to run", "10", Some("9"));
    others["sender"] = "bo".into();
    let answer = service.edge_message("a", &others).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(due(&service, "ana").len(), 6);
}

/// A version that took the one before it back and did nothing itself is replaced like any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_edited_twice() {
    let (clock, service) = service().await;
    send(&service, &clock, "hello", "first", None).await;
    let path = format!("/admin/users/{}/grant", service.user_id("ana"));
    let plan = json!({"plan": "annual"});
    assert_eq!(service.admin("PUT", &path, &plan).await.status, 200);
    service.set_flag("rate_limit.enabled", false).await;
    for (n, (versions, done)) in [
        (
            ["spent 5 on tea", "spnt 6 on tea", "spent 6 on tea"],
            "Noted: 6",
        ),
        (
            [
                "add milk to my list", "ad egs too my lst", "add eggs to my list",
            ],
            "Added eggs. 1",
        ),
        (
            [
                "add oats to my list", "what is the time?", "add rice to my list",
            ],
            "Added rice. 2",
        ),
        (
            [
                "add figs to my list", "add nuts to my list and", "add nuts to my list",
            ],
            "Added nuts. 3",
        ),
        (
            [
                "remind me at 9pm to call bo", "remind me to call bo",
                "remind me at 10pm to call bo",
            ],
            "22:00",
        ),
        (["remind me at 9pm to call cy", "hello", "hello!"], ""),
        (
            ["add tea to my list", "help", "add ham to my list"],
            "Added ham. 4",
        ),
        (
            [
                "remind me at 8pm to call dan", "cancel all reminders to call dan",
                "remind me at 8pm to call dan",
            ],
            "20:00",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let id = |version: usize| format!("{n} {version}");
        for (version, text) in versions.into_iter().enumerate() {
            let first = id(0);
            let corrects = (version > 0).then_some(first.as_str());
            let said = send(&service, &clock, text, &id(version), corrects).await;
            assert!(!said.contains("already done"), "{text}: {said}");
            assert!(version < 2 || said.contains(done), "{text}: {said}");
        }
    }
    assert_eq!(
        due(&service, "ana"),
        ["2026-11-19T20:00:00.000Z", "2026-11-19T22:00:00.000Z"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_that_changes_no_word_is_not_answered() {
    let (clock, service) = service().await;
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    let same = send(&service, &clock, "remind me at 5pm to call", "2", Some("1")).await;
    assert_eq!(same, "");
    let reply = send(&service, &clock, "remind me at 6pm to call", "3", Some("1")).await;
    assert!(reply.contains("took back"), "{reply}");
    let same = send(&service, &clock, "remind me at 6pm to call", "4", Some("1")).await;
    assert_eq!(same, "");
    let back = send(&service, &clock, "remind me at 5pm to call", "5", Some("1")).await;
    assert!(back.contains("today at 17:00"), "{back}");
    assert_eq!(due(&service, "ana").len(), 1);

    // In a group the edit may be the first version that is for the assistant.
    for (id, is_addressed, answers) in [
        ("g1", false, false),
        ("g2", true, true),
        ("g3", true, false),
    ] {
        let mut message = version("remind me at 7pm to eat", id, (id != "g1").then_some("g1"));
        message["mode"] = "group".into();
        message["chat_guid"] = "group".into();
        message["context"]["reply_to_assistant"] = is_addressed.into();
        let answer = service.edge_message("a", &message).await.json();
        assert_eq!(answer["should_respond"], answers, "{id}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_the_last_free_message_is_answered() {
    let (clock, service) = service().await;
    service.set_flag("free_tier.daily_message_limit", 1).await;
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    let reply = send(&service, &clock, "remind me at 6pm to call", "2", Some("1")).await;
    assert!(reply.contains("18:00"), "{reply}");
    let refused = super::say(&service, "ana", "hello").await;
    assert!(!refused["access"].is_null(), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_after_a_restart_finds_the_first_version() {
    let (clock, service) = service().await;
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    send(&service, &clock, "remind me at 6pm to call", "2", Some("1")).await;
    assert_eq!(due(&service, "ana"), ["2026-11-19T18:00:00.000Z"]);
    assert_eq!(
        reply(&service, "ana", "reminders")
            .await
            .matches("call")
            .count(),
        1
    );
}

/// An edit that a limit refuses takes nothing back.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_beyond_a_limit_leaves_the_first_version() {
    let (clock, service) = service().await;
    service.set_flag("free_tier.enabled", false).await;
    let path = "/admin/users/{}/grant";
    let both = [
        ("remind me at 5pm to call", "remind me at 6pm to call"),
        ("add milk to my list", "add silk to my list"),
    ];
    send(&service, &clock, "remind me at 9pm to sleep", "0", None).await;
    let path = path.replace("{}", &service.user_id("ana"));
    let plan = json!({"plan": "annual"});
    assert_eq!(service.admin("PUT", &path, &plan).await.status, 200);
    service.set_flag("rate_limit.commands_per_minute", 2).await;
    for (n, (first, second)) in both.into_iter().enumerate() {
        let kept = || {
            let lists = service.rows("SELECT state FROM power_states WHERE power = 'todo_list'");
            (due(&service, "ana"), format!("{lists:?}"))
        };
        let id = |version: &str| format!("{n}{version}");
        service.set_flag("rate_limit.enabled", true).await;
        clock.advance(61_000);
        send(&service, &clock, first, &id("a"), None).await;
        let before = kept();
        // The second command of the minute is let in, and the third is not.
        send(&service, &clock, "reminders", &id("b"), None).await;
        let said = send(&service, &clock, second, &id("c"), Some(&id("a"))).await;
        assert!(said.contains("nothing has been changed"), "{said}");
        assert_eq!(kept(), before, "{second}");
        // A minute later it replaces the first version, and counts once.
        clock.advance(61_000);
        let said = send(&service, &clock, second, &id("d"), Some(&id("a"))).await;
        assert!(said.contains("took back"), "{said}");
        assert_ne!(kept(), before, "{second}");
        send(&service, &clock, "reminders", &id("e"), None).await;
        let said = send(&service, &clock, "reminders", &id("f"), None).await;
        assert!(said.contains("nothing has been changed"), "{said}");
    }
}

/// Two messages that arrive in the same millisecond are undone one by one.
#[tokio::test(flavor = "multi_thread")]
async fn messages_of_one_millisecond_are_undone_apart() {
    let (clock, service) = service().await;
    let list = |service: &Service| {
        let rows = service.rows("SELECT state FROM power_states WHERE power = 'todo_list'");
        format!("{rows:?}")
    };
    send(&service, &clock, "hi", "0", None).await;
    let path = format!("/admin/users/{}/grant", service.user_id("ana"));
    let plan = json!({"plan": "annual"});
    assert_eq!(service.admin("PUT", &path, &plan).await.status, 200);
    let at_once = |text: &'static str, id: &'static str| {
        let (service, message) = (&service, version(text, id, None));
        async move {
            let answer = service.edge_message("a", &message).await;
            assert_eq!(answer.status, 200, "{text}: {}", answer.text);
        }
    };
    at_once("add milk to my list", "1").await;
    at_once("remind me at 5pm to call", "2").await;
    let reply = send(&service, &clock, "undo", "3", None).await;
    assert!(reply.contains("call"), "{reply}");
    assert_eq!(due(&service, "ana").len(), 0);
    assert!(list(&service).contains("milk"), "{reply}");
    // Of what two messages cancelled, the last one's comes back.
    at_once("remind me at 5pm to call", "4").await;
    at_once("remind me at 6pm to run", "5").await;
    clock.advance(1_000);
    at_once("cancel the call reminder", "6").await;
    at_once("cancel the run reminder", "7").await;
    assert_eq!(due(&service, "ana").len(), 0);
    let reply = send(&service, &clock, "undo", "8", None).await;
    assert!(reply.contains("run") && !reply.contains("call"), "{reply}");
    assert_eq!(due(&service, "ana"), ["2026-11-19T18:00:00.000Z"]);
}

/// What the earlier version cancelled comes back.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_edited_message_cancelled_is_there_again() {
    for is_spoken_since in [false, true] {
        let (clock, service) = service().await;
        let five = "2026-11-19T17:00:00.000Z";
        send(&service, &clock, "remind me at 5pm to call", "1", None).await;
        send(&service, &clock, "remind me at 6pm to run", "2", None).await;
        send(&service, &clock, "cancel the call reminder", "3", None).await;
        let mut expected = vec![five];
        if is_spoken_since {
            send(&service, &clock, "remind me at 7pm to eat", "4", None).await;
            expected.push("2026-11-19T19:00:00.000Z");
        }
        let text = "cancel the run reminder";
        let reply = send(&service, &clock, text, "5", Some("3")).await;
        assert!(reply.contains("took back"), "{reply}");
        assert_eq!(due(&service, "ana"), expected, "{reply}");
    }
    // By its number in a list, and of several requests.
    let (clock, service) = service().await;
    send(&service, &clock, "remind me at 5pm to call", "1", None).await;
    send(&service, &clock, "remind me at 6pm to run", "2", None).await;
    send(&service, &clock, "my reminders", "3", None).await;
    send(&service, &clock, "cancel 1", "4", None).await;
    let reply = send(&service, &clock, "cancel 2", "5", Some("4")).await;
    assert!(reply.contains("took back"), "{reply}");
    assert_eq!(due(&service, "ana"), ["2026-11-19T17:00:00.000Z"]);
    let text = "remind me at 7pm to eat and at 8pm to read";
    send(&service, &clock, text, "6", None).await;
    let text = "remind me at 7pm to eat and at 9pm to read";
    let reply = send(&service, &clock, text, "7", Some("6")).await;
    assert!(reply.contains("took back"), "{reply}");
    assert_eq!(due(&service, "ana").len(), 3, "{reply}");
}
