//! What a model says that it did and did not: it is asked once more, and what was not done is said.

use serde_json::{Value, json};

use super::support::model_server::{Mode, calling, completion};
use super::support::{self, Service, direct, group};
use super::tools::{subscribe, subscribed, told_of};
use super::{
    acting, count, know_zones, legacy, reply, say, service, service_at, service_of, service_with,
};

const IN_GERMAN: &str = "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)";
const SURE: &str = "remind me in 2 hours to rest";
pub(super) const DENIAL: &str = "(Nothing was set, noted or changed for this message.)";
/// As small models say it.
const CLAIMS: [&str; 8] = [
    "All set! ✅ I'll remind you.",
    "Erledigt! Ich erinnere dich in zwei Stunden.",
    "¡Listo! Te lo recordaré.",
    "C'est fait, je te le rappellerai.",
    "完了しました。2時間後にお知らせします。",
    "Готово! Напомню через два часа.",
    "تم! سأذكرك بعد ساعتين.",
    "Done.\n\nAnything else? I set it for two hours from now.",
];

/// What is added to each after a message that tells no language: in its own where there is a
/// sentence in it.
const DENIALS: [&str; 8] = [
    DENIAL,
    "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)",
    "(Para este mensaje no se ha programado, anotado ni cambiado nada.)",
    "(Rien n'a été programmé, noté ni modifié pour ce message.)",
    DENIAL,
    DENIAL,
    DENIAL,
    DENIAL,
];

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

fn rest() -> Mode {
    let arguments = json!({"text": "rest", "in_minutes": 120});
    Mode::Json(calling(&[("set_reminder", arguments)]))
}

async fn newest(service: &Service) -> Value {
    let id = service.rows("SELECT max(id) FROM messages")[0][0].clone();
    let path = format!("/admin/messages/{id}");
    service.admin("GET", &path, &Value::Null).await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_claims_without_a_call_is_asked_once_more() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (n, claim) in CLAIMS.into_iter().enumerate() {
        let before = model.requests().len();
        model.next(says(claim));
        model.next(rest());
        model.next(says("In two hours."));
        assert_eq!(reply(&service, "ana", SURE).await, "In two hours.");
        assert_eq!(count(&service, "reminders"), n as i64 + 1);
        let asked = &model.requests()[before..];
        assert_eq!(asked.len(), 3);
        let told = asked[1].messages();
        assert_eq!(told[told.len() - 2], ("assistant".to_owned(), claim.into()));
        let note = told[told.len() - 1].1.as_str().unwrap();
        assert!(note.contains("You called no tool"), "{note}");
        assert_eq!(newest(&service).await["model"]["is_asked_again"], true);
        assert_eq!(told_of(&service, "tools").await, "set_reminder: done");
    }
    // Nothing of it is part of what was said.
    model.next(says("A town."));
    reply(&service, "ana", "tell me of Bath").await;
    let told = model.last_request().body.to_string();
    assert!(!told.contains("You called no tool"), "{told}");
    assert!(!told.contains(CLAIMS[7]), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_claims_again_is_contradicted() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for claim in CLAIMS {
        let denial = DENIAL; // in the language of the message
        model.usually(says(claim));
        for text in [
            SURE,
            "remember that my bike is red",
            "my name is Ida",
            "my timezone is Europe/Berlin",
            "cancel all reminders",
            "remind me at 6pm to run. remember that I am old",
        ] {
            let before = model.requests().len();
            let answer = say(&service, "ana", text).await;
            let bubbles = answer["reply_bubbles"].as_array().unwrap();
            assert_eq!(bubbles.last().unwrap(), denial, "{text}: {answer}");
            assert_eq!(model.requests().len() - before, 2, "{text}");
        }
        let message = group("g", "ana", &format!("Juno, {SURE}"));
        let answer = service.edge_message("a", &message).await.json();
        let said = answer["reply_text"].as_str().unwrap();
        assert!(said.ends_with(denial), "{said}");
        let answer = legacy(&service, "ben", SURE).await.json();
        assert!(answer["reply_text"].as_str().unwrap().ends_with(denial));
    }
    for (n, (claim, denial)) in CLAIMS.into_iter().zip(DENIALS).enumerate() {
        model.usually(says(claim));
        let said = reply(&service, &format!("dan{n}"), "Track run 9:30").await;
        assert!(said.ends_with(denial), "{said}");
    }
    for table in ["reminders", "memories"] {
        assert_eq!(count(&service, table), 0);
    }
    // What a superpower would keep, and keeps not.
    subscribe(&service, "ana").await;
    for text in [
        "add milk to my list", "spent 12 on lunch", "Bo's birthday is on 3 May",
    ] {
        model.usually(says(CLAIMS[0]));
        let said = reply(&service, "ana", text).await;
        assert!(said.ends_with(DENIAL), "{text}: {said}");
    }
    assert_eq!(count(&service, "power_states"), 0);
    // A question after the claim makes it no better.
    for claim in ["All set! Anything else?", "¡Listo! ¿Algo más?"] {
        model.usually(says(claim));
        let said = reply(&service, "ana", SURE).await;
        assert_eq!(said, format!("{claim}\n{DENIAL}"));
    }
    // From a group nothing is remembered.
    model.usually(says("Remembered!"));
    let message = group("g", "ana", "Juno, remember that the code is 5");
    let answer = service.edge_message("a", &message).await.json();
    let denied = format!("Remembered!\n{DENIAL}");
    assert_eq!(answer["reply_text"], denied.as_str());
    assert_eq!(count(&service, "memories"), 0);
    // In the language that they chose.
    model.usually(Mode::Echo);
    let profile = ("set_profile", json!({"language": "de"}));
    acting(&service, &model, "ana", &[profile]).await;
    model.usually(says(CLAIMS[1]));
    let said = reply(&service, "ana", SURE).await;
    let denial = "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)";
    assert_eq!(said, format!("{}\n{denial}", CLAIMS[1]));
}

/// Never in the language of an older message where this one is in another script.
#[tokio::test(flavor = "multi_thread")]
async fn a_denial_is_in_the_language_of_the_message() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let in_dutch = "(Voor dit bericht is niets ingesteld, genoteerd of gewijzigd.)";
    for (text, claim, denial) in [
        (
            "herinner me morgen aan het hardlopen", "Done, I'll remind you.", in_dutch,
        ),
        ("hallo wie gehts", "Te avisaré.", DENIALS[1]),
        ("herinner me morgen aan het hardlopen", "Done!", in_dutch),
        (
            "напомни мне завтра в 9",
            "Хорошо, напомню завтра в 9.",
            DENIAL,
        ),
        (
            "przypomnij mi jutro o 9 żebym biegał", "Dobrze, przypomnę ci jutro.", DENIAL,
        ),
        (
            "明日9時にリマインドして", "明日9時にお知らせします。", DENIAL,
        ),
        ("Track run 9:30", "✅ Logged", in_dutch),
    ] {
        if text.starts_with("Track") {
            model.usually(says("Oké."));
            reply(&service, "ana", "goed, dank je wel, tot morgen").await;
        }
        model.usually(says(claim));
        let said = reply(&service, "ana", text).await;
        assert!(said.ends_with(denial), "{text}: {said}");
    }
}

/// What is right stays as it is, and costs one request.
#[tokio::test(flavor = "multi_thread")]
async fn right_answers_are_left_alone() {
    let (service, model) = subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (text, answer) in [
        (SURE, "At what time exactly?"),
        (SURE, "Meinst du heute? 😊"),
        ("remind me to rest", "Sure! When?"),
        ("tell me of Bath", "A town."),
        ("what's my name?", "Ana."),
        ("what do you remember about me?", "Nothing yet."),
        ("make it 10", "All right."),
        ("thanks!", "You're welcome."),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
        assert_eq!(model.requests().len() - before, 1, "{text}");
    }
    // A request to remind at a time is one in any language.
    let before = model.requests().len();
    for _ in 0..2 {
        model.next(says("All right."));
    }
    let said = reply(&service, "ana", "erinnere mich um 6 ans Laufen").await;
    assert_eq!(said, format!("All right.\n{IN_GERMAN}"));
    assert_eq!(model.requests().len() - before, 2);
    // In a group nobody's name is set.
    model.next(says("Hello Ida."));
    let message = group("g", "ana", "Juno, my name is Ida");
    let answer = service.edge_message("a", &message).await.json();
    assert_eq!(answer["reply_text"], "Hello Ida.");
    // What an edited message says was done for its first version.
    let mut message = direct("ana", SURE);
    message["context"] = json!({"message_id": "1"});
    model.next(rest());
    model.next(says("In two hours."));
    service.edge_message("a", &message).await;
    message["text"] = format!("{SURE}!").into();
    message["context"] = json!({"message_id": "2", "corrects": "1"});
    model.next(says("It is set."));
    let answer = service.edge_message("a", &message).await.json();
    assert_eq!(answer["reply_text"], "It is set.");
    // A superpower may be asked for what needs no tool; nothing is added.
    let before = model.requests().len();
    for answer in ["25 each.", "Each pays 25."] {
        model.next(says(answer));
    }
    let said = reply(&service, "ana", "split 100 by 4 people").await;
    assert_eq!(said, "Each pays 25.");
    assert_eq!(model.requests().len() - before, 2);
}

/// One that claims after calls that failed, or that only looked.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_claims_after_a_call_that_failed_is_contradicted() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    let past = || {
        let arguments = json!({"text": "rest", "at": "2020-01-01T09:00"});
        ("set_reminder", arguments)
    };
    let calls = [
        vec![past()],
        vec![past(), ("list_reminders", json!({}))],
        vec![("set_alarm", json!({"at": "10:00"}))],
        vec![("set_reminder", json!({"when": "soon"}))],
        vec![("recall", json!({"query": "rest"}))],
    ];
    for (calls, claim) in calls.iter().zip(CLAIMS) {
        let before = model.requests().len();
        model.next(Mode::Json(calling(calls)));
        model.next(says(claim));
        let answer = say(&service, "ana", SURE).await;
        let bubbles = answer["reply_bubbles"].as_array().unwrap();
        assert_eq!(bubbles.last().unwrap(), DENIAL, "{answer}");
        assert_eq!(model.requests().len() - before, 2);
    }
    // Of what was asked in another language it is known that all of it was refused.
    model.next(Mode::Json(calling(&calls[0])));
    model.next(says("Erledigt, ist gestellt!"));
    let said = reply(&service, "ana", "stell mir bitte was für 9").await;
    assert_eq!(said, format!("Erledigt, ist gestellt!\n{}", DENIALS[1]));
    assert_eq!(count(&service, "reminders"), 0);
    // It called once more, and was right in the end.
    model.next(Mode::Json(calling(&calls[0])));
    model.next(rest());
    model.next(says("In two hours."));
    assert_eq!(reply(&service, "ana", SURE).await, "In two hours.");
    // It asks back; a question at the end may follow a claim.
    for (answer, denied) in [
        ("When then?", "When then?".to_owned()),
        (
            "It is set. Anything else?",
            format!("It is set. Anything else?\n{DENIAL}"),
        ),
    ] {
        model.next(Mode::Json(calling(&calls[0])));
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", SURE).await, denied);
    }
    assert_eq!(count(&service, "reminders"), 1);
}

/// What is set in the place of what a reply tells, in each language.
const SET_INSTEAD: [(&str, &str, &str); 4] = [
    (
        "remind me tomorrow at 9 to run", "Done: tomorrow at 09:00. Enjoy!",
        "Enjoy!\n(What is set: “run”, {}.)",
    ),
    (
        "recuerdame manana a las 9 correr",
        "¡Listo! Te recordaré mañana a las 9. Que te vaya bien.",
        "¡Listo! Que te vaya bien.\n(Lo que está programado: “run”, {}.)",
    ),
    (
        "erinnere mich morgen um 9 ans Laufen", "Ich erinnere dich morgen um 9 Uhr.",
        "(Eingestellt ist: “run”, {}.)",
    ),
    (
        "rappelle-moi demain à 9h de courir",
        "C'est noté pour demain à 9h.",
        "(Ce qui est programmé : “run”, {}.)",
    ),
];

/// The same day of 2029 in these languages.
const DAYS: [&str; 4] = [
    "Saturday, 5 May 2029, 20:00", "sábado, 5 de mayo de 2029, 20:00",
    "Samstag, 5. Mai 2029, 20:00", "samedi 5 mai 2029, 20:00",
];

fn run_at(at: &str) -> Mode {
    let arguments = json!({"text": "run", "at": at});
    Mode::Json(calling(&[("set_reminder", arguments)]))
}

/// The model is told what is set, and may set it right or say it as it is.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_tells_another_time_than_it_set_is_asked_once_more() {
    let (service, model) = &service_at("2027-05-05T12:00:00Z").await;
    know_zones(service);
    service.set_flag("rate_limit.enabled", false).await;
    for (text, claim, _) in SET_INSTEAD {
        let before = model.requests().len();
        model.next(run_at("2029-05-05T20:00"));
        model.next(says(claim));
        model.next(says("On 5 May 2029 at 20:00."));
        assert_eq!(reply(service, "ana", text).await, "On 5 May 2029 at 20:00.");
        let asked = &model.requests()[before..];
        assert_eq!(asked.len(), 3, "{text}");
        let told = asked[2].messages();
        assert_eq!(told[told.len() - 2], ("assistant".to_owned(), claim.into()));
        let note = told[told.len() - 1].1.as_str().unwrap();
        assert!(note.contains("Saturday 2029-05-05T20:00"), "{note}");
        assert_eq!(newest(service).await["model"]["is_asked_again"], true);
    }
    assert_eq!(count(service, "reminders"), 4);
    // It meant another time, and sets it right by the id that it was told.
    model.next(run_at("2029-05-05T20:00"));
    model.next(says("Done: tomorrow at 09:00."));
    model.next(Mode::Answer(|asked| {
        let id = &asked.results()[0]["id"];
        let arguments = json!({"id": id, "at": "2027-05-06T09:00"});
        calling(&[("change_reminder", arguments)])
    }));
    model.next(says("Done: tomorrow at 09:00."));
    let said = reply(service, "ana", SET_INSTEAD[0].0).await;
    assert_eq!(said, "Done: tomorrow at 09:00.");
    let newest_one = "SELECT strftime('%FT%R', send_at / 1000, 'unixepoch') FROM reminders \
                      ORDER BY id DESC LIMIT 1";
    assert_eq!(service.rows(newest_one), [["2027-05-06T09:00"]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_tells_another_time_again_is_set_right() {
    let (service, model) = &service_at("2027-05-05T12:00:00Z").await;
    know_zones(service);
    service.set_flag("rate_limit.enabled", false).await;
    for ((text, claim, instead), day) in SET_INSTEAD.into_iter().zip(DAYS) {
        let before = model.requests().len();
        model.next(run_at("2029-05-05T20:00"));
        model.next(says(claim));
        model.next(says(claim));
        let said = reply(service, "ana", text).await;
        assert_eq!(said, instead.replace("{}", day), "{text}");
        assert_eq!(model.requests().len() - before, 3);
    }
    // Only the day, or only the half of the day, is another.
    for (at, claim) in [
        ("2029-05-05T09:00", "I'll remind you tomorrow at 09:00."),
        ("2027-05-06T09:00", "I'll remind you tomorrow at 9 pm."),
        ("2027-05-06T21:00", "Ich erinnere dich morgen um 09:00."),
        ("2027-05-06T09:00", "I'll remind you on Friday at 9."),
    ] {
        model.next(run_at(at));
        model.next(says(claim));
        model.next(says(claim));
        let said = reply(service, "ana", SET_INSTEAD[0].0).await;
        assert!(
            said.starts_with('(') && !said.contains(claim),
            "{claim}: {said}"
        );
    }
}

/// Replies that tell what is set, in whatever words, cost no request more.
#[tokio::test(flavor = "multi_thread")]
async fn true_times_are_left_alone() {
    let (service, model) = &service_at("2027-05-05T12:00:00Z").await;
    know_zones(service);
    service.set_flag("rate_limit.enabled", false).await;
    for (at, answer) in [
        ("2027-05-06T21:00", "Done: tomorrow at 9 pm."),
        (
            "2027-05-06T21:00",
            "Tomorrow at 9 in the evening, as you asked.",
        ),
        ("2027-05-06T21:00", "Mañana a las 9 de la noche te aviso."),
        ("2027-05-06T09:00", "Morgen früh um 9 Uhr."),
        ("2027-05-06T09:00", "Il est programmé jeudi à 9h."),
        (
            "2027-05-06T09:00",
            "Set for Thursday, 6 May, at 9:00, an hour before your call at 10:00.",
        ),
        ("2027-05-06T09:00", "It is set."),
        ("2027-05-06T09:00", "It is set for nine."),
        (
            "2027-05-06T09:00",
            "Tomorrow at 9. Shall I make it 10:00 on Friday?",
        ),
    ] {
        let before = model.requests().len();
        model.next(run_at(at));
        model.next(says(answer));
        assert_eq!(reply(service, "ana", SET_INSTEAD[0].0).await, answer);
        assert_eq!(model.requests().len() - before, 2, "{answer}");
    }
    // A 9 that may be in the morning stays, and the hour of the evening follows it.
    let before = model.requests().len();
    model.next(run_at("2027-05-06T21:00"));
    model.next(says("Tomorrow at 9, as you asked."));
    assert_eq!(
        reply(service, "ana", SET_INSTEAD[0].0).await,
        "Tomorrow at 9, as you asked.\n(What is set: “run”, Thursday, 6 May 2027, 21:00.)"
    );
    assert_eq!(model.requests().len() - before, 2);
    // Two, one of which is named.
    let both = json!([{"text": "eat", "at": "2027-05-06T13:00"}, {"text": "run", "at": "2027-05-06T09:00"}]);
    let calls: Vec<(&str, Value)> = both
        .as_array()
        .unwrap()
        .iter()
        .map(|arguments| ("set_reminder", arguments.clone()))
        .collect();
    model.next(Mode::Json(calling(&calls)));
    model.next(says("Both are set, the first one at 9:00."));
    let said = reply(service, "ana", "please see to it").await;
    assert_eq!(said, "Both are set, the first one at 9:00.");
    // One that comes several times a day.
    let often =
        json!({"text": "drink", "at": "2027-05-06T09:00", "repeat": "FREQ=HOURLY;INTERVAL=3"});
    model.next(Mode::Json(calling(&[("set_reminder", often)])));
    model.next(says("From 9:00 on: 12:00, 15:00, 18:00, every day."));
    let said = reply(service, "ana", "please see to it").await;
    assert_eq!(said, "From 9:00 on: 12:00, 15:00, 18:00, every day.");
}

/// Of requests in other languages, which the builtin assistant does not understand.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_in_another_language_without_a_call_is_contradicted() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (text, claim, denial) in FOREIGN {
        let before = model.requests().len();
        model.next(says(claim));
        model.next(says(claim));
        let said = reply(&service, "ana", text).await;
        assert_eq!(
            said,
            format!("{}\n{denial}", claim.replace("\n\n", "\n")),
            "{text}"
        );
        let asked = &model.requests()[before..];
        assert_eq!(asked.len(), 2, "{text}");
        let told = asked[1].messages();
        let note = told[told.len() - 1].1.as_str().unwrap();
        assert!(note.contains("You called no tool"), "{note}");
        assert_eq!(count(&service, "reminders"), 0);
    }
    // It only looked, and claims.
    model.next(Mode::Json(calling(&[("list_reminders", json!({}))])));
    model.next(says(FOREIGN[0].1));
    model.next(rest());
    model.next(says("En dos horas."));
    assert_eq!(reply(&service, "ana", FOREIGN[0].0).await, "En dos horas.");
    assert_eq!(count(&service, "reminders"), 1);
}

const FOREIGN: [(&str, &str, &str); 10] = [
    (
        "recuerdame manana a las 9 correr",
        "¡Listo! Te recordaré mañana a las 9.",
        DENIALS[2],
    ),
    (
        "erinnere mich morgen um 9 ans Laufen",
        "Alles klar, ich erinnere dich morgen um 9. Noch etwas?",
        DENIALS[1],
    ),
    ("setz bitte Milch auf meine Liste", "Erledigt!", DENIALS[1]),
    (
        "rappelle-moi demain de courir", "D'accord, je te le rappellerai.", DENIALS[3],
    ),
    ("ajoute du lait à ma liste", "C'est fait !", DENIALS[3]),
    (
        "ricordami domani di correre",
        "Certo, ti ricorderò domani di correre.",
        "(Per questo messaggio non è stato impostato, annotato né cambiato nulla.)",
    ),
    (
        "herinner me morgen aan het hardlopen",
        "Komt goed, ik herinner je er morgen aan.",
        "(Voor dit bericht is niets ingesteld, genoteerd of gewijzigd.)",
    ),
    (
        "me lembra amanhã às 9 de correr",
        "Claro, vou te lembrar amanhã às 9.",
        "(Nada foi programado, anotado nem alterado para esta mensagem.)",
    ),
    (
        "påminn mig imorgon att springa",
        "Okej, jag påminner dig imorgon.",
        "(Inget har ställts in, antecknats eller ändrats för det här meddelandet.)",
    ),
    (
        "could you nudge me about the oven in a bit",
        "Sure thing, I'll remind you about the oven.",
        DENIAL,
    ),
];

/// Ordinary talk in these languages costs one request, and stays as it is.
#[tokio::test(flavor = "multi_thread")]
async fn ordinary_talk_in_other_languages_is_left_alone() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (text, answer) in [
        (
            "erzähl mir von Bath",
            "Bath ist eine Stadt. Sie erinnert mich an Rom.",
        ),
        (
            "wie setzt man einen Teig an?", "Mehl und Wasser mischen. Fertig 👌",
        ),
        ("erinnerst du dich an Rom?", "Ja, Rom ist schön."),
        (
            "kannst du mich an etwas erinnern?",
            "Klar! Sag mir, woran, dann erinnere ich dich.",
        ),
        (
            "¿puedes recordarme algo?",
            "Sí, si me dices cuándo te lo recordaré.",
        ),
        ("¿estás listo?", "Listo para ayudarte."),
        (
            "cuéntame un chiste",
            "Te recuerdo que soy malo con los chistes.",
        ),
        ("rappelle-moi la capitale de la France", "C'est Paris."),
        (
            "parle-moi de Bath", "Je te rappelle que Bath est une ville.",
        ),
        ("mi parli di Bath?", "È una città; ti ricordo che è antica."),
        (
            "vertel me iets",
            "Ik kan je aan iets herinneren als je wilt.",
        ),
        ("tudo bem?", "Tudo ótimo, e você?"),
        ("hur mår du?", "Bra, tack! Det är klart att jag mår bra."),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
        assert_eq!(model.requests().len() - before, 1, "{text}");
    }
    // What tells of a reminder that is set.
    model.next(rest());
    model.next(says("In two hours."));
    reply(&service, "ana", SURE).await;
    for (text, answer) in [
        ("danke dir sehr", "Gern! Ich erinnere dich dann."),
        (
            "erinnerst du mich?", "Ja, ich erinnere dich in zwei Stunden.",
        ),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
        assert_eq!(model.requests().len() - before, 1, "{text}");
    }
}

/// Nothing of it is cached, and a server that takes no tools is not asked for calls.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_not_kept_and_not_asked_of_servers_without_tools() {
    let (service, model) = service().await;
    service.set_flag("cache.response.enabled", true).await;
    let sure = "remember that my bike is red";
    for _ in 0..2 {
        model.next(says("Noted!"));
        model.next(says("Noted!"));
        let said = reply(&service, "ana", sure).await;
        assert_eq!(said, format!("Noted!\n{DENIAL}"));
    }
    assert_eq!(model.requests().len(), 4);
    // What is plain is done by the builtin assistant, as where the model is down.
    let (service, model) = super::service().await;
    model.usually(Mode::MindsTools(400));
    let said = reply(&service, "ana", sure).await;
    assert!(said.contains("basic assistant"), "{said}");
    assert_eq!(model.requests().len(), 2);
    let kept = service.rows("SELECT text FROM memories");
    assert_eq!(kept, [["my bike is red"]]);
    // What refers to something said before is the model's, and nothing was done for it.
    for _ in 0..2 {
        let said = reply(&service, "ana", "snooze").await;
        assert!(said.ends_with(&format!("snooze\n{DENIAL}")), "{said}");
    }
}

const STREAM: &[(&str, &str)] = &[("CHATKEEP_REPLY_STREAM", "true")];

/// Of a message that asks for something nothing is heard before a tool was called.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_beside_a_call_is_not_streamed() {
    let (service, model) = service_with(STREAM).await;
    let _relay = service.relay("a").await;
    let mut beside = calling(&[("set_reminder", json!({"text": "rest", "in_minutes": 120}))]);
    beside["choices"][0]["message"]["content"] = "All set!\n\nIt is done.\n\nBye!".into();
    model.next(Mode::Json(beside));
    model.next(Mode::JsonInParts(completion("In two hours.", "stop")));
    assert_eq!(reply(&service, "ana", SURE).await, "In two hours.");
    model.next(says("All set!\n\nDone.\n\nBye!"));
    model.next(says("I can't.\n\nSorry."));
    let said = reply(&service, "ana", SURE).await;
    assert_eq!(said, "I can't.\nSorry.");
    assert_eq!(count(&service, "commands"), 0);
    assert_eq!(count(&service, "reminders"), 1);
}

/// Where it was heard all the same, the model is told so: of a call that failed, and of one that
/// was never made as the service ended.
#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_was_heard_is_corrected() {
    let (service, model) = service_with(STREAM).await;
    subscribe(&service, "ana").await;
    let _relay = service.relay("a").await;
    let text = "we have run out of milk again";
    let done = json!({"operation": "done", "items": ["tea"]});
    let mut beside = calling(&[("todo_list", done)]);
    beside["choices"][0]["message"]["content"] = "All set!\n\nIt is done.".into();
    model.next(Mode::TextFirst(beside));
    model.next(Mode::JsonInParts(completion("No, it is not.", "stop")));
    say(&service, "ana", text).await;
    model.release_first(model.requests().len());
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    let sent = "SELECT json_extract(payload, '$.text') FROM commands ORDER BY id";
    let corrected = format!("No, it is not.\n{DENIAL}");
    assert_eq!(service.rows(sent), [["All set!"], [corrected.as_str()]]);
    let result = &model.last_request().results()[0];
    let note = result["already_read"].as_str().unwrap();
    assert!(note.contains("it was not done"), "{result}");
    // It ends between the claim and its call.
    model.next(Mode::Parts(
        vec!["It is on the list.\n\nAny", "thing else?"],
        true,
    ));
    let before = model.requests().len();
    say(&service, "ana", text).await;
    support::eventually("heard", async || count(&service, "commands") == 3).await;
    let (_, folder) = service.stop().await;
    let add = json!({"operation": "add", "items": ["milk"]});
    model.next(Mode::Json(calling(&[("todo_list", add)])));
    model.next(says("Milk is there."));
    let service = service_of(&model, folder, STREAM).await;
    model.release();
    support::eventually("ended", async || count(&service, "pending_replies") == 0).await;
    let told = model.requests()[before + 1].messages();
    let note = told.last().unwrap().1.as_str().unwrap();
    assert!(
        note.contains("Only what the result of a tool says"),
        "{note}"
    );
    let kept = format!("{:?}", service.rows("SELECT state FROM power_states"));
    assert_eq!(kept.matches("milk").count(), 1, "{kept}");
}
