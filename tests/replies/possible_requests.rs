//! Requests in words that nobody foresaw: the model is asked once more by a neutral note, and plain
//! talk costs one request.

use serde_json::json;

use super::caches::ask;
use super::claims::DENIAL;
use super::support::model_server::{Mode, calling};
use super::{count, reply, service};

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

const NOTE: &str = "If this message asked for something to be done, call the tool for it now";

#[tokio::test(flavor = "multi_thread")]
async fn what_may_be_a_request_is_asked_about_once() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (n, (text, claim)) in [
        (
            "I need a wake-up at 6:45 tomorrow", "You got it, 6:45 tomorrow!",
        ),
        ("jot down that the boiler code is 4471", "Jotted down!"),
        ("wipe everything you know about me", "All wiped."),
        ("email Ana that I am late", "I emailed Ana."),
        (
            "ich brauch morgen um 6:45 einen Weckruf",
            "ich weck dich um 6:45!",
        ),
        ("hau Butter auf die Einkaufsliste", "Butter steht drauf."),
    ]
    .into_iter()
    .enumerate()
    {
        let before = model.requests().len();
        model.next(says(claim));
        let set = json!({"text": format!("rest {n}"), "in_minutes": 60});
        model.next(Mode::Json(calling(&[("set_reminder", set)])));
        model.next(says("In an hour."));
        assert_eq!(reply(&service, "ana", text).await, "In an hour.", "{text}");
        let asked = &model.requests()[before..];
        let told = asked[1].messages();
        assert_eq!(told[told.len() - 2], ("assistant".to_owned(), claim.into()));
        assert!(
            told.last().unwrap().1.as_str().unwrap().contains(NOTE),
            "{text}"
        );
        assert_eq!(count(&service, "reminders"), n as i64 + 1);
        // Once: the same answer again is sent.
        let before = model.requests().len();
        model.next(says(claim));
        model.next(says(claim));
        assert_eq!(reply(&service, "ana", text).await, claim, "{text}");
        assert_eq!(model.requests().len() - before, 2, "{text}");
    }
}

/// Requests to remind at a time are certain in any language, however the answer is worded.
#[tokio::test(flavor = "multi_thread")]
async fn requests_to_remind_at_a_time_are_certain() {
    let (service, model) = service().await;
    service.set_flag("rate_limit.enabled", false).await;
    for (text, claim) in [
        ("despiértame a las 6:45", "Te despierto a las 6:45."),
        ("préviens-moi demain à 9h", "je te préviens demain à 9h"),
        ("svegliami alle 6:45", "Ti sveglio alle 6:45."),
        (
            "erinnere mich um 18 Uhr an Mama", "Ich denke für dich dran.",
        ),
        ("разбуди меня в 6:45", "Разбужу тебя в 6:45."),
        ("6:45に起こして", "6:45に起こします"),
        ("beni 6:45'te uyandır", "Tamamdır."),
    ] {
        let before = model.requests().len();
        model.next(says(claim));
        model.next(says(claim));
        let said = reply(&service, "ana", text).await;
        assert!(said.starts_with(&format!("{claim}\n(")), "{text}: {said}");
        assert_eq!(model.requests().len() - before, 2, "{text}");
    }
    for (text, answer) in [
        ("rappelle-moi ce qu'on fait demain", "Rien, je crois."),
        ("erinnere mich um 18 Uhr an Mama", "Meinst du heute?"),
        ("午後6時に起こして", "すみません、できません。"),
    ] {
        model.next(says(answer));
        model.next(says(answer));
        let said = reply(&service, "ana", text).await;
        model.forget();
        assert_eq!(said, answer, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_talk_is_asked_once_and_never_contradicted() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (text, answer) in [
        ("i am so tired today", "Sleep well!"),
        (
            "who set the 100m record", "Usain Bolt; it was set in Berlin.",
        ),
        (
            "how do i set an alarm on my iphone",
            "In the clock app; saved alarms are listed there.",
        ),
        (
            "how do i cancel my gym membership", "Call them; it is cancelled at once.",
        ),
        (
            "wie ändert man den Namen im Pass", "Beim Amt; er wird dort geändert.",
        ),
        ("comment annuler un vol", "Le vol est annulé sur leur site."),
        (
            "hoe verwijder ik een app",
            "Ingedrukt houden; dan is hij verwijderd.",
        ),
        ("forget about it", "Okay, forgotten."),
        ("vergiss es", "Okay, vergessen."),
        (
            "change le ton du mail",
            "Bonjour Bo, le rendez-vous est annulé.",
        ),
        ("cambia el texto, más corto", "El vuelo está cancelado."),
        (
            "sag es auf Englisch: der Termin ist abgesagt",
            "The meeting is cancelled.",
        ),
        ("what happened at 9", "The shop opened."),
        ("the train at 9 was late", "Oh no, that is annoying!"),
    ] {
        let before = model.requests().len();
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
        assert_eq!(model.requests().len() - before, 1, "{text}");
    }
}

/// After a call that failed, or that found nothing, an answer that says so is no claim.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_of_a_call_that_did_nothing_is_no_claim() {
    let (service, model) = service().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    let list = ("list_reminders", json!({"matching": "swimming"}));
    let recall = ("recall", json!({"query": "wifi"}));
    let past = (
        "set_reminder",
        json!({"text": "run", "at": "2020-01-01T09:00"}),
    );
    for (text, call, answer) in [
        (
            "cancel my swimming reminder",
            list.clone(),
            "You have no reminder for swimming.",
        ),
        (
            "forget my wifi password",
            recall,
            "There is no wifi password that I know of.",
        ),
        (
            "remind me yesterday at 9 to run",
            past.clone(),
            "Der Zeitpunkt ist schon vorbei.",
        ),
    ] {
        model.next(Mode::Json(calling(&[call])));
        model.next(says(answer));
        assert_eq!(reply(&service, "ana", text).await, answer, "{text}");
    }
    for answer in [
        "Tell me when and I will set it.", "When should I remind you",
    ] {
        model.next(says(answer));
        let said = reply(&service, "ana", "remind me to eat").await;
        assert_eq!(said, answer);
    }
    // A claim is one.
    for call in [list, past] {
        model.next(Mode::Json(calling(&[call])));
        model.next(says("It is set already!"));
        let said = reply(&service, "ana", "remind me in 2 hours to rest").await;
        assert_eq!(said, format!("It is set already!\n{DENIAL}"));
    }
}

/// An answer to what may be a request is not kept for the next one.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_request_is_not_cached() {
    let (service, model) = service().await;
    service.set_flag("cache.response.enabled", true).await;
    service.set_flag("rate_limit.enabled", false).await;
    // In rooms of their own, so that nothing was said before.
    for (text, answer, requests) in [
        ("pack die Belege in mein Budget", "Erledigt, 30 rein.", 4),
        ("tell me of Bath", "A town.", 1),
    ] {
        let before = model.requests().len();
        model.usually(says(answer));
        for room in ["r1", "r2"] {
            let said = ask(&service, "ana", &format!("{room} {text}"), text).await;
            assert_eq!(said, answer, "{text}");
        }
        assert_eq!(model.requests().len() - before, requests, "{text}");
    }
}

/// Under the kill switch a claim of a superpower's change is contradicted.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_to_a_superpower_that_is_off_is_not_done() {
    let (service, model) = super::tools::subscribed().await;
    service.set_flag("rate_limit.enabled", false).await;
    service.set_flag("llm.force_basic_mode", true).await;
    for (text, claim) in [
        ("spent 40 on shoes", "Noted 40 on shoes."),
        ("add honey to my list", "Honey is on it!"),
        ("mood 7/10", "Logged."),
    ] {
        model.usually(says(claim));
        let said = reply(&service, "ana", text).await;
        assert_eq!(said, format!("{claim}\n{DENIAL}"), "{text}");
    }
    assert_eq!(count(&service, "power_states"), 0);
    model.usually(says("A town."));
    assert_eq!(reply(&service, "ana", "tell me of Bath").await, "A town.");
}
