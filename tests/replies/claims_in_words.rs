//! Claims and told times in words that the builtin assistant does not read, and what only sounds like
//! them.

use serde_json::{Value, json};

use super::claims::DENIAL;
use super::support::group;
use super::support::model_server::{Mode, calling};
use super::{count, know_zones, reply, service, service_at};

const IN_GERMAN: &str = "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)";

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

/// What is claimed without a call, and the beginning of what follows it.
const CLAIMED: [(&str, &str, &str); 27] = [
    (
        "erinnere mich morgen um 9 ans Laufen", "Alles klar, steht! Morgen 9 Uhr.", IN_GERMAN,
    ),
    (
        "erinnere mich morgen um 9 ans Laufen", "Ist eingestellt für morgen um 9.", IN_GERMAN,
    ),
    (
        "kannst du mich morgen um 9 ans Laufen erinnern?",
        "Klar, mach ich!",
        IN_GERMAN,
    ),
    (
        "merk dir dass mein Auto in der Garage 4 steht",
        "Hab ich mir gemerkt.",
        IN_GERMAN,
    ),
    (
        "merk dir dass mein Auto in der Garage 4 steht",
        "Alles klar, das merke ich mir.",
        IN_GERMAN,
    ),
    (
        "füg Milch zur Liste hinzu", "Milch ist auf der Liste.", IN_GERMAN,
    ),
    (
        "füg Milch zur Liste hinzu", "Habe ich hinzugefügt!", IN_GERMAN,
    ),
    (
        "lösche meine Erinnerung", "Die Erinnerung ist gelöscht.", IN_GERMAN,
    ),
    ("storniere die Erinnerung", "Ist storniert.", IN_GERMAN),
    (
        "verschieb die Erinnerung auf 10", "Habe ich verschoben.", IN_GERMAN,
    ),
    ("nenn mich Tom", "Ist gespeichert.", IN_GERMAN),
    ("mach das rückgängig", "Ist rückgängig gemacht.", IN_GERMAN),
    ("lösche mein Konto", "Dein Konto ist gelöscht.", IN_GERMAN),
    (
        "recuérdame mañana a las 9 correr",
        "Perfecto, queda programado para mañana a las 9.",
        "(Para este",
    ),
    (
        "añade leche a la lista", "He añadido leche a la lista.", "(Para este",
    ),
    ("borra mi cuenta", "Tu cuenta ha sido eliminada.", DENIAL),
    (
        "ajoute du lait à ma liste", "J'ai ajouté du lait à ta liste.", "(Rien n'a",
    ),
    (
        "напомни мне завтра в 9",
        "Хорошо, напомню завтра в 9.",
        DENIAL,
    ),
    (
        "przypomnij mi jutro o 9", "Dobrze, przypomnę ci jutro o 9.", DENIAL,
    ),
    (
        "明日9時にリマインドして",
        "はい、明日9時にお知らせします。",
        DENIAL,
    ),
    (
        "could you ping me tomorrow 9 about the run",
        "Sure, I have scheduled that for 9:00 tomorrow.",
        DENIAL,
    ),
    (
        "could you ping me tomorrow 9 about the run",
        "Sure, it is on your reminders.",
        DENIAL,
    ),
    ("log that I ran today", "Logged!", DENIAL),
    (
        "scrap all my reminders", "All your reminders are cancelled.", DENIAL,
    ),
    (
        "get rid of the reminder about the run",
        "The reminder about the run has been removed.",
        DENIAL,
    ),
    (
        "i want to delete all my data and account",
        "Your account has been deleted.",
        "(",
    ),
    (
        "ich heiße Tom", "Schön, Tom, habe ich mir notiert.", IN_GERMAN,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn claims_in_many_words_are_contradicted() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (n, (text, claim, denial)) in CLAIMED.into_iter().enumerate() {
        let before = model.requests().len();
        model.next(says(claim));
        model.next(says(claim));
        // Each by somebody else, as the language of earlier messages counts.
        let said = reply(&service, &format!("person{n}"), text).await;
        let rest = said
            .strip_prefix(claim)
            .unwrap_or_else(|| panic!("{text}: {said}"));
        assert!(rest.trim_start().starts_with(denial), "{text}: {said}");
        assert_eq!(model.requests().len() - before, 2, "{text}");
    }
    // The basic mode offers no tools, and nothing of it is kept in the cache.
    service.set_flag("llm.force_basic_mode", true).await;
    service.set_flag("cache.response.enabled", true).await;
    for (text, claim, denial) in [
        (
            "erinnere mich ans Laufen", "Erledigt, ich erinnere dich.", IN_GERMAN,
        ),
        ("recuérdame correr", "¡Listo! Te avisaré.", "(Para este"),
        (
            "please put eggs there", "Done, eggs are on the list.", DENIAL,
        ),
    ] {
        for _ in 0..2 {
            let before = model.requests().len();
            model.next(says(claim));
            let said = reply(&service, "ana", text).await;
            assert!(said.contains(denial), "{text}: {said}");
            assert_eq!(model.requests().len() - before, 1, "{text}");
        }
    }
    assert_eq!(count(&service, "reminders"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_sounds_like_a_claim_is_left_alone() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (text, answer) in [
        (
            "remind me of the plot of Hamlet", "Hamlet is a prince who hesitates.",
        ),
        (
            "note that Paris is nicer than Rome", "I agree, Paris is lovely.",
        ),
        (
            "don't remind me, that was embarrassing", "Ha, my lips are sealed.",
        ),
        (
            "what happens if i say remind me at 9?", "Then you get a reminder at 9.",
        ),
        (
            "translate \"I will remind you\" into German",
            "Ich werde dich erinnern.",
        ),
        (
            "how do you say \"te recordaré\" in English",
            "I will remind you.",
        ),
        (
            "write a poem about reminders", "Done! Here it is: roses are red",
        ),
        ("did you add milk?", "Yes, milk is on your list."),
        ("are my reminders set?", "All your reminders are set."),
        ("setz dich", "Gerne, ich sitze schon."),
        ("hast du die Milch notiert?", "Ja, die ist notiert."),
        ("i need to remember to breathe", "Breathe in slowly."),
        (
            "kannst du das löschen?", "Das kann ich leider nicht löschen.",
        ),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
        assert_eq!(model.requests().len() - before, 1, "{text}");
    }
}

/// A tool that a group has not, and an honest answer.
#[tokio::test(flavor = "multi_thread")]
async fn in_groups_private_messages_are_known_in_other_words() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let nothing_sent = "(In deinen eigenen Chat wurde für diese Nachricht nichts geschickt.)";
    for claim in [
        "Ich habe es dir privat geschickt.",
        "Ich habe dir direkt geschrieben.",
        "Schau in deine Direktnachrichten.",
        "Das habe ich dir eben unter vier Augen geschrieben.",
    ] {
        model.next(says(claim));
        model.next(says(claim));
        let message = group("g", "ana", "juno, wie lautet mein WLAN Passwort?");
        let answer = service.edge_message("a", &message).await.json();
        assert_eq!(
            answer["reply_text"],
            format!("{claim}\n{nothing_sent}"),
            "{claim}"
        );
    }
    model.next(Mode::Json(calling(&[("recall", json!({"query": "WLAN"}))])));
    model.next(says("Weiß ich nicht."));
    let message = group("g", "ana", "juno, wie lautet mein WLAN Passwort?");
    let answer = service.edge_message("a", &message).await.json();
    assert_eq!(answer["reply_text"], "Weiß ich nicht.");
    // What claims nothing.
    for (text, answer) in [
        ("juno, who is my best friend", "Hopefully someone here!"),
        (
            "juno, what is my star sign if I was born in May",
            "Taurus or Gemini.",
        ),
        (
            "juno, how do I send a direct message on instagram?",
            "Tap the plane for your direct messages.",
        ),
    ] {
        model.usually(says(answer));
        let message = group("g", "ana", text);
        let said = service.edge_message("a", &message).await.json();
        assert_eq!(said["reply_text"], answer, "{text}");
    }
}

async fn told(arguments: &[Value], told: &str) -> (String, usize) {
    let (service, model) = service_at("2027-05-05T12:00:00Z").await;
    know_zones(&service);
    let calls: Vec<(&str, Value)> = arguments
        .iter()
        .map(|arguments| ("set_reminder", arguments.clone()))
        .collect();
    model.next(Mode::Json(calling(&calls)));
    model.usually(says(told));
    let said = reply(&service, "ana", "please see to it").await;
    (said, model.requests().len())
}

/// Relative times, hours in words, dates in figures and repetitions, told otherwise than they are set.
#[tokio::test(flavor = "multi_thread")]
async fn other_times_in_words_are_set_right() {
    let run = |at: &str| json!({"text": "run", "at": at});
    let soon = |minutes: i64| json!({"text": "run", "in_minutes": minutes});
    let weekly = json!({"text": "run", "at": "2027-05-10T08:00", "repeat": "FREQ=WEEKLY;BYDAY=MO"});
    let evening = run("2027-05-06T20:00");
    for (set, claim) in [
        (evening.clone(), "Ich erinnere dich morgen um neun Uhr."),
        (evening.clone(), "Te aviso mañana a las nueve."),
        (evening.clone(), "Tomorrow, eight thirty... I mean at noon."),
        (evening.clone(), "Nächste Woche also."),
        (evening.clone(), "In drei Tagen."),
        (evening.clone(), "Am 9.5. um 20:00."),
        (evening.clone(), "Jeden Tag um 20:00."),
        (soon(20), "Ich melde mich in zwei Stunden."),
        (soon(20), "Okay, in 2 hours."),
        (soon(90), "In half an hour it is."),
        (soon(20), "Vale, en dos horas."),
        (weekly.clone(), "Every Tuesday at 8:00."),
        (weekly.clone(), "Every weekday."),
        (evening.clone(), "Tomorrow at 8 in the morning."),
        (evening.clone(), "Morgen um viertel nach acht."),
        (evening.clone(), "Los jueves a las 20:00."),
        (evening.clone(), "Donnerstag, den 13., um 20:00."),
        (soon(45), "In einer Viertelstunde."),
        (weekly.clone(), "Every other week."),
    ] {
        let (said, requests) = told(std::slice::from_ref(&set), claim).await;
        assert!(
            !said.contains(claim) && said.contains("“run”"),
            "{claim}: {said}"
        );
        assert_eq!(requests, 3, "{claim}");
    }
    for (set, answer) in [
        (evening.clone(), "Morgen um acht Uhr abends."),
        (evening.clone(), "Am 6.5. um 20:00."),
        (evening.clone(), "Mañana a las ocho de la tarde."),
        (evening.clone(), "Donnerstag, den 6., um 8 Uhr abends."),
        (evening, "Tomorrow at 20:00. I can also do it every day."),
        (soon(20), "In 20 minutes."),
        (soon(120), "In zwei Stunden, also um 14:00."),
        (weekly.clone(), "Montags um 8 Uhr früh."),
        (weekly, "Every Monday at 8:00."),
    ] {
        let (said, requests) = told(std::slice::from_ref(&set), answer).await;
        assert_eq!((said.as_str(), requests), (answer, 2));
    }
    // Two that are taken for each other.
    let both = [
        run("2027-05-06T09:00"),
        json!({"text": "call bo", "at": "2027-05-06T20:00"}),
    ];
    let (said, _) = told(&both, "Done: call bo at 9:00, run at 20:00.").await;
    assert!(said.starts_with("(What is set"), "{said}");
    let (said, requests) = told(&both, "Done: run at 9:00, call bo at 20:00.").await;
    assert_eq!(
        (said.as_str(), requests),
        ("Done: run at 9:00, call bo at 20:00.", 2)
    );
}

/// Before any model is asked, in whatever order of words; in a language without texts of its own in the
/// one that the person chose.
#[tokio::test(flavor = "multi_thread")]
async fn a_crisis_is_never_left_to_the_model() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    let profile = ("set_profile", json!({"language": "de-AT"}));
    super::acting(&service, &model, "+4915112345678", &[profile]).await;
    let before = model.requests().len();
    for text in [
        "ich bringe mich heute um",
        "ich bringe mich heute noch um",
        "ich werde mich heute abend umbringen",
        "erinnere mich morgen um 9, ich bringe mich heute um",
        "я сегодня себя убью",
        "死にたい",
    ] {
        let said = reply(&service, "+4915112345678", text).await;
        assert!(
            said.contains("0800 111 0 111") && said.contains("Du bist wichtig"),
            "{text}: {said}"
        );
    }
    let said = reply(&service, "+4915112345678", "i want to kill myself").await;
    assert!(said.contains("you"), "{said}");
    assert_eq!(model.requests().len(), before);
}

/// The message only states something, and the answer says that it was noted.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_says_that_it_noted_a_statement_is_contradicted() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (asked, answer) in [
        ("lunch 11.50", "Recorded 11.50 for lunch."),
        ("gastei 12 no almoço", "Anotado!"),
        ("昼食に1200円使った", "記録しました。"),
        ("öğle yemeğine 12 harcadım", "Kaydettim."),
        ("listeye yumurta ekle", "Yumurtayı listeye ekledim."),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        model.next(says(answer));
        let said = reply(&service, "ana", asked).await;
        assert!(
            said.starts_with(answer) && said.len() > answer.len(),
            "{said}"
        );
        assert_eq!(model.requests().len() - before, 2);
    }
    for (asked, answer) in [
        ("I logged my hours", "Logged! Now rest."),
        (
            "mein Zug fährt um 18 Uhr", "Alles klar, um 18 Uhr. Gute Fahrt!",
        ),
        ("電車は6時に出ます", "6時ですね。"),
        (
            "write a limerick about a tuesday at 9", "There was a Tuesday at nine.",
        ),
        ("my mood is great", "Lovely!"),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", asked).await, answer);
        assert_eq!(model.requests().len() - before, 1, "{asked}");
    }
    // Asked about once, and sent.
    for (asked, answer) in [
        ("I hate mondays", "Noted! No more of them."),
        (
            "git: I want to undo my commit",
            "Use `git reset`. The commit is removed.",
        ),
    ] {
        model.next(says(answer));
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", asked).await, answer);
    }
}
