//! Claims of a model about short messages, private answers, the account, and several things at
//! once: what was not done is said.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::group;
use super::support::model_server::{Mode, ModelServer, calling, calling_with};
use super::tools::{subscribe, subscribed};
use super::{Service, acting, count, know_zones, reply, say, service, service_at};

const NOT_SENT: &str = "(Nothing was sent to your own chat for this message.)";
pub(super) const NOT_ALL: &str = "(Not all of this was done.)";

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

fn remind(text: &str, minutes: i64) -> (&'static str, Value) {
    ("set_reminder", json!({"text": text, "in_minutes": minutes}))
}

/// What is answered, and how often the model was asked.
async fn claimed(
    service: &Service,
    model: &ModelServer,
    text: &str,
    claim: &str,
) -> (String, usize) {
    let before = model.requests().len();
    model.usually(says(claim));
    let said = reply(service, "ana", text).await;
    model.usually(Mode::Echo);
    (said, model.requests().len() - before)
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_about_what_was_set_before_are_contradicted() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    let summary = json!({"operation": "every_day", "time": "08:00"});
    acting(
        &service,
        &model,
        "ana",
        &[remind("call mom", 60), ("daily_summary", summary)],
    )
    .await;
    let memory = ("remember", json!({"text": "The bike code is 1234"}));
    acting(&service, &model, "ana", &[memory]).await;
    acting(&service, &model, "ana", &[remind("stretch", 90)]).await;
    let kept = |service: &Service| {
        let rows = service.rows("SELECT text, send_at FROM reminders ORDER BY id");
        let states = service.rows("SELECT state FROM power_states ORDER BY power");
        (rows, states, count(service, "memories"))
    };
    let before = kept(&service);
    assert!(format!("{before:?}").contains("8"), "{before:?}");
    for text in [
        "snooze", "snooze 10 min", "make it 10", "move it to friday", "cancel that",
        "cancel my call reminder", "undo that", "stop my daily summary", "forget my bike code",
        "forget everything", "change the text to buy milk", "stop parcels", "remind me to rest",
        "remind me again in 10 minutes",
    ] {
        let (said, asked) = claimed(&service, &model, text, "All done!").await;
        assert_eq!((said, asked), (format!("All done!\n{DENIAL}"), 2), "{text}");
    }
    assert_eq!(kept(&service), before);
    // What is done, or asked back, is left alone.
    let id = service.rows("SELECT schedule_id FROM reminders ORDER BY id")[1][0].clone();
    let id = &id.as_str().unwrap()[28..];
    model.next(Mode::Json(calling(&[(
        "change_reminder",
        json!({"id": id, "in_minutes": 10}),
    )])));
    model.next(says("In ten minutes."));
    assert_eq!(reply(&service, "ana", "snooze").await, "In ten minutes.");
    let (said, asked) = claimed(&service, &model, "forget my bike code", "Really?").await;
    assert_eq!((said.as_str(), asked), ("Really?", 1));
    let (said, asked) = claimed(&service, &model, "remind me to rest", "Sure! When?").await;
    assert_eq!((said.as_str(), asked), ("Sure! When?", 1));
    // The answer to that question belongs to the request.
    for text in ["in 10 minutes", "at 6pm"] {
        claimed(&service, &model, "remind me to rest", "Sure! When?").await;
        let (said, _) = claimed(&service, &model, text, "Set!").await;
        assert_eq!(said, format!("Set!\n{DENIAL}"), "{text}");
    }
    // What was spoken of, and nothing that is kept.
    let (said, asked) = claimed(&service, &model, "what's 5 + 5?", "10").await;
    assert_eq!((said.as_str(), asked), ("10", 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn how_an_account_is_deleted_is_always_told() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (text, path) in [
        ("delete my account", "POST /account/deletion"),
        ("please delete all my data", "POST /account/deletion"),
        ("export my data", "POST /account/export"),
    ] {
        let (said, asked) = claimed(&service, &model, text, "Done, it is gone!").await;
        assert!(said.starts_with("Done, it is gone!\n("), "{said}");
        assert!(said.contains(path) && asked == 2, "{said}");
    }
    model.next(Mode::Json(calling(&[("delete_account", json!({}))])));
    model.next(says("Das geht mit POST /account/deletion."));
    let said = reply(&service, "ana", "delete my account").await;
    assert_eq!(said, "Das geht mit POST /account/deletion.");
    model.next(Mode::Json(calling(&[("delete_account", json!({}))])));
    model.next(says("Dein Konto ist gelöscht."));
    let said = reply(&service, "ana", "lösche mein konto").await;
    assert!(said.contains("POST /account/deletion"), "{said}");
    let result = &model.last_request().results()[0];
    assert_eq!(result["deleted"], false, "{result}");
    assert!(
        result["how"]
            .as_str()
            .unwrap()
            .contains("DELETE MY ACCOUNT"),
        "{result}"
    );
    // It is not in a language that the person didn't choose.
    acting(
        &service,
        &model,
        "ana",
        &[("set_profile", json!({"language": "de"}))],
    )
    .await;
    let (said, _) = claimed(&service, &model, "delete my account", "Erledigt!").await;
    assert!(said.contains("Dein Konto ist nicht gelöscht"), "{said}");
    assert_eq!(count(&service, "users"), 1);
}

/// The answer without a last sentence that tells what was done.
fn without_done(said: &str) -> &str {
    const LEADS: [&str; 3] = ["(What was done: ", "(What is set: ", "(Eingestellt ist: "];
    let is_done = |last: &&str| LEADS.iter().any(|lead| last.starts_with(lead));
    let last = said.rsplit('\n').next().filter(is_done);
    last.map_or(said, |last| said[..said.len() - last.len()].trim_end())
}

/// One of several calls failed, or was never made.
#[tokio::test(flavor = "multi_thread")]
async fn what_of_several_things_was_not_done_is_said() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let past = (
        "set_reminder",
        json!({"text": "call dad", "at": "2020-01-01T09:00"}),
    );
    let undone = "(Das wurde nicht gemacht: “call dad”.)";
    for (text, calls, expected) in [
        (
            "beides bitte",
            vec![remind("buy milk", 60), past.clone()],
            undone,
        ),
        (
            "beides bitte",
            vec![past.clone(), remind("buy milk", 60)],
            undone,
        ),
        (
            "both please",
            vec![remind("buy milk", 60), ("set_alarm", json!({"at": "9"}))],
            NOT_ALL,
        ),
        (
            "both please",
            vec![
                remind("buy milk", 60),
                ("cancel_reminder", json!({"id": "0"})),
            ],
            NOT_ALL,
        ),
        // One that is missing.
        (
            "remind me at 6pm to run. remember that I am old",
            vec![remind("run", 60)],
            NOT_ALL,
        ),
        (
            "remind me at 6pm to run and at 8pm to eat",
            vec![remind("run", 60)],
            NOT_ALL,
        ),
    ] {
        model.next(Mode::Json(calling(&calls)));
        model.next(says("Both set!"));
        let said = reply(&service, "ana", text).await;
        let rest = without_done(&said);
        assert_eq!(rest, format!("Both set!\n{expected}"), "{text}: {calls:?}");
        assert!(expected != NOT_ALL || rest != said, "{said}");
    }
    let garbled = [("set_reminder", "{\"text\": \"a".to_owned())];
    let mut both = calling(&[remind("buy milk", 60)]);
    let second = calling_with(&garbled)["choices"][0]["message"]["tool_calls"][0].clone();
    both["choices"][0]["message"]["tool_calls"]
        .as_array_mut()
        .unwrap()
        .push(second);
    model.next(Mode::Json(both));
    model.next(says("Both set!"));
    let said = reply(&service, "ana", "both please").await;
    assert_eq!(without_done(&said), format!("Both set!\n{NOT_ALL}"));
    assert_ne!(without_done(&said), said);
    // It was made good, or is asked about.
    model.next(Mode::Json(calling(&[remind("buy milk", 60), past.clone()])));
    model.next(Mode::Json(calling(&[remind("call dad", 70)])));
    model.next(says("Both set!"));
    let said = reply(&service, "ana", "both please").await;
    assert_eq!(without_done(&said), "Both set!");
    model.next(Mode::Json(calling(&[remind("buy bread", 60), past])));
    model.next(says("When shall I remind you of dad?"));
    let said = reply(&service, "ana", "both please").await;
    assert_eq!(without_done(&said), "When shall I remind you of dad?");
    // All of several requests are done.
    let text = "remind me at 6pm to run. remember that I am old";
    let both = [remind("run", 60), ("remember", json!({"text": "Is old"}))];
    model.next(Mode::Json(calling(&both)));
    model.next(says("Both done!"));
    let said = reply(&service, "ana", text).await;
    assert_eq!(without_done(&said), "Both done!");
    let mut daily = remind("meds", 60);
    daily.1["repeat"] = json!("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0");
    model.next(Mode::Json(calling(&[daily])));
    model.next(says("Twice a day."));
    let said = reply(&service, "ana", "remind me to take meds at 8am and 8pm").await;
    assert_eq!(said, "Twice a day.");
}

/// Questions, claims of a private answer, and what is added to them, in their language.
const NOTHING_SENT: [(&str, &str, &str); 4] = [
    (
        "Juno, what's my passport number?", "I sent it to you.", NOT_SENT,
    ),
    (
        "Juno, what are my reminders?", "I sent them to your own chat.", NOT_SENT,
    ),
    (
        "Juno, was steht bei mir an?",
        "Das steht in unserem Chat.",
        "(In deinen eigenen Chat wurde für diese Nachricht nichts geschickt.)",
    ),
    (
        "Juno, ¿cuándo es mi vuelo y desde qué terminal sale?",
        "Te lo mandé en privado hace un momento, con la terminal y la hora.",
        "(Para este mensaje no se ha enviado nada a tu propio chat.)",
    ),
];

/// A private answer that was never sent, in any language.
#[tokio::test(flavor = "multi_thread")]
async fn claims_of_a_private_answer_are_contradicted() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    service.set_flag("cache.response.enabled", false).await;
    reply(&service, "ana", "tell me of Bath").await;
    let ask = async |text: &str| {
        let before = model.requests().len();
        let answer = service.edge_message("a", &group("g", "ana", text)).await;
        let said = answer.json()["reply_text"].as_str().unwrap().to_owned();
        (said, model.requests().len() - before)
    };
    for (text, claim, denial) in NOTHING_SENT {
        model.usually(says(claim));
        let (said, asked) = ask(text).await;
        assert_eq!((said, asked), (format!("{claim}\n{denial}"), 2), "{text}");
    }
    assert_eq!(count(&service, "commands"), 0);
    // It calls when it is asked once more.
    let privately = || Mode::Json(calling(&[("answer_privately", json!({}))]));
    for claim in ["I sent it to your own chat.", "Done."] {
        model.next(says(claim));
        model.next(privately());
        model.next(says("X1234567"));
        model.next(says("It is in our chat."));
        let (said, asked) = ask("Juno, what's my passport number?").await;
        assert_eq!((said.as_str(), asked), ("It is in our chat.", 4));
    }
    assert_eq!(count(&service, "commands"), 2);
    // One that could not be sent.
    model.next(privately());
    model.next(Mode::Status(401, None));
    model.next(says("It is in our chat."));
    let (said, _) = ask("Juno, what's my passport number?").await;
    assert_eq!(said, format!("It is in our chat.\n{NOT_SENT}"));
    // What nobody asked for, and what is the group's.
    for (text, answer) in [
        ("Juno, tell us of Bath", "A town."),
        ("Juno, what did Ben say?", "That it rained."),
        ("Juno, cat in French?", "Le chat."),
        ("Juno, how are you?", "Great, happy to chat!"),
    ] {
        model.usually(says(answer));
        assert_eq!(ask(text).await, (answer.to_owned(), 1));
    }
    let own = json!({"text": "see the doctor", "in_minutes": 60, "chat": "direct"});
    model.next(Mode::Json(calling(&[("set_reminder", own)])));
    model.next(says("I'll write to you in our chat in an hour."));
    let (said, _) = ask("Juno, remind me privately in 1 hour to see the doctor").await;
    assert_eq!(said, "I'll write to you in our chat in an hour.");
}

/// The state of a superpower decides whether a request would change it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_kept_can_not_be_changed() {
    let (service, model) = service().await;
    subscribe(&service, "ana").await;
    let milk = ("todo_list", json!({"operation": "add", "items": ["milk"]}));
    acting(&service, &model, "ana", &[milk]).await;
    let (said, asked) = claimed(&service, &model, "remove milk from my list", "Gone!").await;
    assert_eq!((said, asked), (format!("Gone!\n{DENIAL}"), 2));
    let (said, _) = claimed(&service, &model, "show my list", "Milk.").await;
    assert_eq!(said, "Milk.");
    let answer = say(&service, "ana", "hello").await;
    assert_eq!(answer["should_respond"], true);
}

/// What was asked for is compared with what was done by kind and number.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_called_for_a_part_is_said() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    let add = |thing: &str| ("todo_list", json!({"operation": "add", "items": [thing]}));
    let spent = |amount: i64, purpose: &str| {
        let expense = json!({"amount": amount, "purpose": purpose});
        let arguments = json!({"operation": "spent", "expenses": [expense]});
        ("budget_tracker", arguments)
    };
    let keep = |text: &str| ("remember", json!({ "text": text }));
    let open = || {
        let rows = service.rows("SELECT substr(schedule_id, 29) FROM reminders ORDER BY id");
        rows.into_iter().map(|row| row[0].clone())
    };
    let cancel = |id: Value| ("cancel_reminder", json!({ "id": id }));
    let ask = async |text: &str, calls: &[(&str, Value)]| {
        model.next(Mode::Json(calling(calls)));
        model.next(says("All done!"));
        reply(&service, "ana", text).await
    };
    let lacks = format!("All done!\n{NOT_ALL}");
    for (text, calls, expected) in [
        // Parts of superpowers.
        (
            "add milk to my list and remind me at 6pm to run",
            vec![remind("run", 60)],
            &lacks[..],
        ),
        (
            "add tea to my list and remind me at 6pm to eat",
            vec![remind("eat", 61), add("tea")],
            "All done!",
        ),
        (
            "spent 12 on lunch. remember that I am old",
            vec![keep("I am old")],
            &lacks,
        ),
        (
            "spent 13 on lunch. remember that I am tall",
            vec![keep("I am tall"), spent(13, "lunch")],
            "All done!",
        ),
        // A call of another kind.
        (
            "remind me at 6pm to dance",
            vec![keep("Dances at 6pm")],
            &lacks,
        ),
        ("remember that I like rum", vec![add("rum")], "All done!"),
        ("add gin to my list", vec![keep("Needs gin")], &lacks),
        (
            "my name is Ida",
            vec![("set_profile", json!({"language": "en"}))],
            &lacks,
        ),
        // One call for both.
        (
            "remember that my bike is red. remember that my car is blue",
            vec![keep("The bike is red, the car is blue")],
            "All done!",
        ),
        (
            "remember that my hat is red. remember that my coat is blue",
            vec![keep("The hat is red")],
            &lacks,
        ),
    ] {
        let said = ask(text, &calls).await;
        assert_eq!(without_done(&said), expected, "{text}: {calls:?}");
    }
    // Of two, and of all, one was cancelled.
    acting(&service, &model, "ana", &[remind("walk", 64)]).await;
    let text = "cancel the run reminder. cancel the eat reminder";
    let ids: Vec<Value> = open().collect();
    assert_eq!(ids.len(), 3);
    let said = ask(text, &[cancel(ids[0].clone())]).await;
    assert_eq!(without_done(&said), lacks);
    let text = "cancel all reminders";
    let said = ask(text, &[cancel(ids[1].clone())]).await;
    assert_eq!(without_done(&said), lacks);
    acting(&service, &model, "ana", &[remind("sit", 65)]).await;
    let all: Vec<_> = open().map(cancel).collect();
    let said = ask(text, &all).await;
    assert_eq!(without_done(&said), "All done!");
    assert_eq!(count(&service, "reminders"), 0);
}

/// What is no request, and what is refused honestly, needs no sentence.
#[tokio::test(flavor = "multi_thread")]
async fn what_claims_nothing_is_not_contradicted() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    service.set_flag("cache.response.enabled", false).await;
    for (text, answer, calls) in [
        ("remind me who wrote Faust", "Goethe, in two parts.", 1),
        ("remember the Alamo", "A battle of 1836, in Texas.", 1),
        ("call me Ishmael", "Some years ago, never mind how long.", 1),
        ("remind me at 6pm to run", "I can't set reminders here.", 2),
        (
            "remember that my bike is red",
            "Sorry, I'm not able to keep that. Anything else?",
            2,
        ),
    ] {
        let said = claimed(&service, &model, text, answer).await;
        assert_eq!(said, (answer.to_owned(), calls), "{text}");
    }
    for (text, claim) in [
        ("remember the Alamo", "Got it!"),
        ("call me Ishmael", "I'll call you Ishmael."),
        ("remind me at 6pm to run", "I can't wait to remind you!"),
    ] {
        let (said, _) = claimed(&service, &model, text, claim).await;
        assert_eq!(said, format!("{claim}\n{DENIAL}"), "{text}");
    }
    // After a call that failed, also in another language.
    let past = (
        "set_reminder",
        json!({"text": "run", "at": "2020-01-01T09:00"}),
    );
    for (answer, denied) in [
        ("I can't set reminders in the past.", ""),
        ("Das kann ich leider nicht.", ""),
        (
            "Erledigt!",
            "(Nothing was set, noted or changed for this message.)",
        ),
    ] {
        model.next(Mode::Json(calling(std::slice::from_ref(&past))));
        model.next(says(answer));
        let said = reply(&service, "ana", "remind me at 6pm to run").await;
        assert_eq!(said, format!("{answer}\n{denied}").trim_end());
    }
    assert_eq!(
        count(&service, "reminders") + count(&service, "memories"),
        0
    );
}

/// What counts is what is set after all calls of the message.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_later_call_took_back_is_not_told_as_set() {
    let (service, model) = service_at("2027-05-05T12:00:00Z").await;
    know_zones(&service);
    service.set_flag("rate_limit.enabled", false).await;
    let set = || {
        let arguments = json!({"text": "bins", "at": "2027-05-08T09:00"});
        Mode::Json(calling(&[("set_reminder", arguments)]))
    };
    let cancel = || {
        Mode::Answer(|asked| {
            let id = &asked.results()[0]["id"];
            calling(&[("cancel_reminder", json!({"id": id}))])
        })
    };
    let in_german = "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)";
    for (text, claim, denial) in [
        (
            "remind me on saturday at 9 of the bins", "Done: Saturday at 9:00, bins.", DENIAL,
        ),
        (
            "am Samstag um 9 sind die Tonnen dran",
            "Die Tonnen kommen am Samstag um 9:00 Uhr.",
            in_german,
        ),
    ] {
        let before = model.requests().len();
        model.next(set());
        model.next(cancel());
        model.next(says(claim));
        model.next(says(claim));
        let said = reply(&service, "ana", text).await;
        assert_eq!(said, format!("{claim}\n{denial}"));
        let asked = &model.requests()[before..];
        assert_eq!(asked.len(), 4, "{text}");
        let note = asked[3].messages().last().unwrap().1.clone();
        let note = note.as_str().unwrap();
        assert!(note.contains("nothing is set now"), "{note}");
    }
    assert_eq!(count(&service, "reminders"), 0);
    // Another one is set, and the first one is told.
    model.next(set());
    model.next(Mode::Answer(|asked| {
        let id = &asked.results()[0]["id"];
        let run = json!({"text": "run", "at": "2027-05-09T10:00"});
        calling(&[
            ("cancel_reminder", json!({"id": id})),
            ("set_reminder", run),
        ])
    }));
    let claim = "Bins: Saturday at 9:00.";
    model.next(says(claim));
    model.next(says(claim));
    let said = reply(&service, "ana", "please see to it").await;
    assert_eq!(said, "(What is set: “run”, Sunday, 9 May 2027, 10:00.)");
    // It says that it took it back.
    model.next(set());
    model.next(cancel());
    model.next(says("No, I set nothing."));
    let said = reply(&service, "ana", "please see to it").await;
    assert_eq!(said, "No, I set nothing.");
}

/// One of several with the same name is asked for, by their days or numbers.
#[tokio::test(flavor = "multi_thread")]
async fn which_of_several_is_removed_is_asked() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    let keep = |tool: &'static str, fields: &[Value]| -> Vec<(&'static str, Value)> {
        fields.iter().map(|one| (tool, one.clone())).collect()
    };
    let checkins = keep(
        "post_event_checkin",
        &[
            json!({"operation": "keep", "what": "job interview A", "date": "2099-12-03"}),
            json!({"operation": "keep", "what": "job interview B", "date": "2099-12-05"}),
        ],
    );
    let tickets = keep(
        "tickets_vault",
        &[
            json!({"operation": "keep", "ticket": "cc", "date": "2099-12-03"}),
            json!({"operation": "keep", "ticket": "cc", "date": "2099-12-04"}),
        ],
    );
    let trials = keep(
        "cancellation_protector",
        &[
            json!({"operation": "keep", "what": "film trial", "date": "2099-12-03"}),
            json!({"operation": "keep", "what": "music trial", "date": "2099-12-04"}),
        ],
    );
    let renewals = keep(
        "membership_renewal",
        &[
            json!({"operation": "keep", "what": "gym north", "date": "2099-12-03", "every": "year"}),
            json!({"operation": "keep", "what": "gym south", "date": "2099-12-04", "every": "year"}),
        ],
    );
    let parcels = keep(
        "package_tracking",
        &[
            json!({"operation": "keep", "parcel": "shoes from Bo", "date": "2099-12-03"}),
            json!({"operation": "keep", "parcel": "shoes from Cy", "date": "2099-12-04"}),
        ],
    );
    for (calls, vague, exact) in [
        (
            checkins,
            json!({"operation": "remove", "what": "interview"}),
            json!({"operation": "remove", "what": "interview", "date": "2099-12-05"}),
        ),
        (
            tickets,
            json!({"operation": "remove", "ticket": "c"}),
            json!({"operation": "remove", "ticket": "2"}),
        ),
        (
            trials,
            json!({"operation": "remove", "what": "trial"}),
            json!({"operation": "remove", "what": "2"}),
        ),
        (
            renewals,
            json!({"operation": "remove", "what": "gym"}),
            json!({"operation": "remove", "what": "gym south"}),
        ),
        (
            parcels,
            json!({"operation": "arrived", "parcel": "shoes"}),
            json!({"operation": "remove", "parcel": "2"}),
        ),
    ] {
        let tool = calls[0].0;
        acting(&service, &model, "ana", &calls).await;
        let kept = service.rows("SELECT state FROM power_states ORDER BY power");
        model.next(Mode::Json(calling(&[(tool, vague)])));
        model.next(says("Which one?"));
        reply(&service, "ana", "please see to it").await;
        let result = model.last_request().results()[0].clone();
        assert_eq!(result["ok"], false, "{tool}: {result}");
        let error = result["error"].as_str().unwrap();
        for part in ["Which one?", "3 December", "December 2099"] {
            assert!(error.contains(part), "{tool}: {error}");
        }
        assert_eq!(
            service.rows("SELECT state FROM power_states ORDER BY power"),
            kept
        );
        acting(&service, &model, "ana", &[(tool, exact)]).await;
        let state = format!("SELECT state FROM power_states WHERE power = '{tool}'");
        let state = service.rows(&state)[0][0].as_str().unwrap().to_owned();
        let state: Value = serde_json::from_str(&state).unwrap();
        let mut values = state.as_object().unwrap().values();
        let left = values.find_map(|value| value.get("list")).unwrap();
        assert_eq!(left.as_array().unwrap().len(), 1, "{tool}: {left}");
        // The first one is still there.
        assert_ne!(left[0]["id"], 2, "{tool}: {left}");
    }
}

/// The person's own name on a bill is the person.
#[tokio::test(flavor = "multi_thread")]
async fn the_persons_own_name_on_a_bill_means_them() {
    let (service, model) = subscribed().await;
    acting(
        &service,
        &model,
        "ana",
        &[("set_profile", json!({"name": "Ada"}))],
    )
    .await;
    let people = json!({"operation": "add_people", "people": ["Bo", "me"]});
    let paid = json!({"operation": "paid", "payer": "Ada", "amount": 30, "currency": "EUR"});
    acting(
        &service,
        &model,
        "ana",
        &[("bill_split", people), ("bill_split", paid)],
    )
    .await;
    model.next(Mode::Json(calling(&[(
        "bill_split",
        json!({"operation": "who_owes"}),
    )])));
    model.next(says("Bo owes you 15."));
    reply(&service, "ana", "who owes what?").await;
    let data = &model.last_request().results()[0]["data"];
    assert_eq!(data["people"], json!(["Bo", "me"]), "{data}");
    assert_eq!(data["debts"][0]["from"], "Bo", "{data}");
    let settle =
        json!({"operation": "settle", "payer": "Bo", "to": "ada", "amount": 15, "currency": "EUR"});
    model.next(Mode::Json(calling(&[("bill_split", settle)])));
    model.next(says("You are even."));
    reply(&service, "ana", "bo paid me back").await;
    let data = &model.last_request().results()[0]["data"];
    assert_eq!(data["debts"], json!([]), "{data}");
}

/// "undo" after what can't be taken back, or was refused, takes back nothing older.
#[tokio::test(flavor = "multi_thread")]
async fn undo_takes_back_nothing_before_the_last_change() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    acting(&service, &model, "ana", &[remind("old", 60)]).await;
    let hours = json!({"operation": "set_hours", "from": "08:00", "to": "22:00"});
    for (call, said) in [
        (
            ("set_profile", json!({"name": "Kim"})),
            "I can't take back a name.",
        ),
        (
            ("set_profile", json!({"language": "en-GB"})),
            "That can't be undone: it was how I write to you.",
        ),
        (
            ("own_messages", hours),
            "That can't be undone: it was what I send you by myself.",
        ),
    ] {
        acting(&service, &model, "ana", &[call]).await;
        let undone = reply(&service, "ana", "undo").await;
        assert!(undone.starts_with(said), "{undone}");
        assert_eq!(count(&service, "reminders"), 1);
    }
    let milk = ("todo_list", json!({"operation": "add", "items": ["milk"]}));
    acting(&service, &model, "ana", std::slice::from_ref(&milk)).await;
    model.next(Mode::Json(calling(&[milk])));
    model.next(says("Milk is there already."));
    reply(&service, "ana", "and add milk").await;
    let undone = reply(&service, "ana", "undo").await;
    assert!(!undone.contains("old"), "{undone}");
    assert_eq!(count(&service, "reminders"), 1);
}

/// A look-up that was first called in a way that isn't there, or that found nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_up_changes_nothing() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    acting(&service, &model, "ana", &[remind("call mom", 60)]).await;
    let list = |operation: &str| ("todo_list", json!({"operation": operation}));
    let remove = json!({"operation": "remove", "items": ["butter"]});
    let reminders = || vec![("list_reminders", json!({}))];
    for (asked, calls, answer) in [
        (
            "what's on my list?",
            vec![list("list"), list("show")],
            "There's nothing on your list.",
        ),
        (
            "what do I get from you automatically?",
            vec![("own_messages", json!({"operation": "list"}))],
            "Nothing so far.",
        ),
        (
            "what's 17*23?",
            vec![("python", json!({"code": "17*23"}))],
            "17*23 = 391",
        ),
        (
            "remove butter from my list",
            vec![("todo_list", remove)],
            "I don't see butter on your list.",
        ),
        (
            "cancel the dentist reminder",
            reminders(),
            "You don't have a dentist reminder.",
        ),
        (
            "dişçi hatırlatıcısını sil",
            reminders(),
            "Dişçi hatırlatıcısı yok.",
        ),
    ] {
        for call in calls {
            model.next(Mode::Json(calling(&[call])));
        }
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", asked).await, answer);
        model.forget();
    }
}

/// "undo" takes back all that one message did, also where it told a name.
#[tokio::test(flavor = "multi_thread")]
async fn undo_takes_back_what_was_done_beside_a_name() {
    let (service, model) = subscribed().await;
    let add = json!({"operation": "add", "items": ["milk"]});
    let calls = [
        remind("call mom", 60),
        ("todo_list", add),
        ("remember", json!({"text": "The bike is red"})),
        ("set_profile", json!({"name": "Bob"})),
    ];
    acting(&service, &model, "ana", &calls).await;
    let said = reply(&service, "ana", "undo").await;
    assert_eq!(count(&service, "reminders"), 0, "{said}");
    assert_eq!(count(&service, "memories"), 0, "{said}");
    let state = service.rows("SELECT state FROM power_states");
    assert!(!format!("{state:?}").contains("milk"), "{state:?}");
}
