//! Photos: who looks at them, how many at once.

use serde_json::json;

use super::service;
use super::support::Service;
use super::support::direct;
use super::support::model_server::{Mode, ModelRequest, ModelServer, calling};
use super::support::photo::{direct_fields, jpeg, stored_files, upload};
use super::tools::subscribed;

async fn send(service: &Service, text: &str, photos: usize) -> String {
    let mut message = direct("ana", text);
    let urls = (1..=photos).map(|n| format!("https://example.com/{n}.jpg"));
    message["context"] = json!({ "photos": urls.collect::<Vec<_>>() });
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["reply_text"].as_str().unwrap().to_owned()
}

/// The names of the photos in a call.
fn shown_in(asked: &ModelRequest) -> Vec<String> {
    let said = asked.messages();
    let parts = said.iter().filter_map(|(_, content)| content.as_array());
    let urls = parts
        .flatten()
        .filter_map(|part| part.pointer("/image_url/url")?.as_str());
    urls.map(|url| url.replace("https://example.com/", ""))
        .collect()
}

/// The names of the photos in each call.
fn shown(model: &ModelServer) -> Vec<Vec<String>> {
    model.requests().iter().map(shown_in).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_is_looked_at_by_the_model_for_photos() {
    let (service, model) = service().await;
    model.usually(Mode::Say("A cat.".to_owned()));
    let mut message = direct("ana", "what is it?");
    message["context"] = json!({ "photos": ["data:image/png;base64,iVBORw0KGgo="] });
    let answer = service.edge_message("a", &message).await;
    assert_eq!(answer.json()["reply_text"], "A cat.");
    let asked = model.last_request();
    assert_eq!(asked.body["model"], "test-vision");
    assert_eq!(asked.body["max_completion_tokens"], 1500);
    let parts = json!([
        { "type": "text", "text": "what is it?" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } },
    ]);
    assert_eq!(asked.messages(), [("user".to_owned(), parts)]);
    // Without words too.
    assert_eq!(send(&service, "", 1).await, "A cat.");
    // Later it is known that there was one.
    send(&service, "tell me more", 0).await;
    let told = model.last_request().messages();
    assert!(
        told[0]
            .1
            .as_str()
            .unwrap()
            .contains("[1 photo that you can't see]")
    );
    assert_eq!(model.last_request().body["model"], "test-model");
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_go_one_by_one_or_in_batches() {
    let (service, model) = service().await;
    model.next(Mode::Say("One.".to_owned()));
    model.next(Mode::Say("Two.".to_owned()));
    assert_eq!(send(&service, "look", 2).await, "One.\nTwo.");
    assert_eq!(shown(&model), [["1.jpg"], ["2.jpg"]]);
    service.set_flag("media.photo_batching_enabled", true).await;
    send(&service, "look again", 7).await;
    let calls: Vec<usize> = shown(&model)[2..].iter().map(Vec::len).collect();
    assert_eq!(calls, [3, 3, 1]);
    service.set_flag("media.photo_batch_size", 10).await;
    send(&service, "and again", 7).await;
    assert_eq!(shown(&model).last().unwrap().len(), 7);
    service
        .set_flag("media.photo_batching_enabled", false)
        .await;
    let before = model.requests().len();
    send(&service, "at many", 9).await;
    assert_eq!(
        model.requests().len() - before,
        9,
        "every photo is looked at"
    );
}

/// "Put this receipt in my budget": each call offers the tools, with what was said of the photos
/// before.
#[tokio::test(flavor = "multi_thread")]
async fn tools_do_what_photos_show() {
    let (service, model) = subscribed().await;
    let spent = |amount: i64, purpose: &str| {
        let expenses = json!([{"amount": amount, "purpose": purpose}]);
        let arguments = json!({"operation": "spent", "expenses": expenses});
        ("budget_tracker", arguments)
    };
    model.next(Mode::Say("A receipt: 12 for lunch.".to_owned()));
    model.next(Mode::Json(calling(&[
        spent(12, "lunch"),
        spent(30, "shoes"),
    ])));
    model.next(Mode::Say("Both are in your budget.".to_owned()));
    let said = send(&service, "put these receipts in my budget", 2).await;
    assert_eq!(said, "A receipt: 12 for lunch.\nBoth are in your budget.");
    let asked = model.requests();
    let [first, last, told] = &asked[asked.len() - 3..] else {
        panic!("{asked:?}");
    };
    for asked in [first, last, told] {
        assert_eq!(asked.body["model"], "test-vision");
    }
    assert!(first.tools().contains(&"budget_tracker"));
    assert!(last.tools().contains(&"budget_tracker"));
    assert_eq!(shown_in(last), ["2.jpg"]);
    let before = format!("{:?}", last.messages());
    assert!(
        before.contains("[you said of the photos before: A receipt: 12 for lunch.]"),
        "{before}"
    );
    // The photo stays in the prompt beside the results of the calls.
    assert_eq!(shown_in(told), ["2.jpg"]);
    let results = told.results();
    assert!(
        results.len() == 2 && results.iter().all(|result| result["ok"] == true),
        "{results:?}"
    );
    let states = format!("{:?}", service.rows("SELECT state FROM power_states"));
    for part in ["lunch", "shoes"] {
        assert!(states.contains(part), "{part}: {states}");
    }
}

fn spent(amount: i64, purpose: &str) -> Mode {
    let expenses = json!([{"amount": amount, "purpose": purpose}]);
    let arguments = json!({"operation": "spent", "expenses": expenses});
    Mode::Json(calling(&[("budget_tracker", arguments)]))
}

/// What the model does for one photo is done, whichever it is, and it is told so with the next.
#[tokio::test(flavor = "multi_thread")]
async fn tools_do_what_each_photo_shows() {
    let (service, model) = subscribed().await;
    let before = model.requests().len();
    for (n, purpose) in ["lunch", "shoes", "tea"].into_iter().enumerate() {
        model.next(spent(12 + n as i64, purpose));
        model.next(Mode::Say(format!("Noted: {purpose}.")));
    }
    let said = send(&service, "put these receipts in my budget", 3).await;
    assert_eq!(said, "Noted: lunch.\nNoted: shoes.\nNoted: tea.");
    let asked = &model.requests()[before..];
    let shown: Vec<Vec<String>> = asked.iter().map(shown_in).collect();
    assert_eq!(
        shown,
        [
            ["1.jpg"],
            ["1.jpg"],
            ["2.jpg"],
            ["2.jpg"],
            ["3.jpg"],
            ["3.jpg"]
        ]
    );
    assert!(
        asked
            .iter()
            .all(|asked| asked.tools().contains(&"budget_tracker"))
    );
    let last = format!("{:?}", asked[4].messages());
    for part in ["Noted: lunch. Noted: shoes.", "not to be repeated", "shoes"] {
        assert!(last.contains(part), "{part}: {last}");
    }
    let states = format!("{:?}", service.rows("SELECT state FROM power_states"));
    for part in ["lunch", "shoes", "tea"] {
        assert!(states.contains(part), "{part}: {states}");
    }
    // One that fails takes nothing back of those before.
    model.next(spent(20, "wine"));
    model.next(Mode::Say("Noted: wine.".to_owned()));
    model.next(spent(21, "beer"));
    model.next(Mode::Status(400, None));
    model.next(Mode::Status(403, None));
    let said = send(&service, "put these in my budget too", 3).await;
    let unseen = "(Photos of this message that were not looked at: 2–3.)";
    assert_eq!(said, format!("Noted: wine.\n{unseen}"));
    let states = format!("{:?}", service.rows("SELECT state FROM power_states"));
    assert!(
        states.contains("wine") && !states.contains("beer"),
        "{states}"
    );
    // One that only calls leaves a request for each of the others.
    let before = model.requests().len();
    for n in 0..5 {
        let arguments = json!({"query": n.to_string()});
        model.next(Mode::Json(calling(&[("recall", arguments)])));
    }
    model.usually(Mode::Say("A receipt.".to_owned()));
    let said = send(&service, "and these", 3).await;
    assert_eq!(said, "A receipt.\nA receipt.\nA receipt.");
    assert_eq!(model.requests().len() - before, 8);
}

/// Two photos may show equal receipts: the second is not dropped unsaid.
#[tokio::test(flavor = "multi_thread")]
async fn equal_receipts_on_two_photos_are_told_apart() {
    let (service, model) = subscribed().await;
    let text = "put these receipts in my budget";
    for (second, in_budget) in [("Taxi (2)", 2), ("Taxi", 3)] {
        model.next(spent(12, "Taxi"));
        model.next(Mode::Say("12.".to_owned()));
        model.next(spent(12, "Taxi"));
        model.next(spent(12, second));
        model.next(Mode::Say("12.".to_owned()));
        let said = send(&service, text, 2).await;
        let results = model.last_request().results();
        assert_eq!(results[0]["ok"], false, "{results:?}");
        assert!(results[0]["error"].as_str().unwrap().contains("Taxi (2)"));
        assert_eq!(results[1]["ok"], second != "Taxi", "{results:?}");
        assert_eq!(
            said.contains("(Not all of this was done.)"),
            second == "Taxi",
            "{said}"
        );
        let states = format!("{:?}", service.rows("SELECT state FROM power_states"));
        assert_eq!(states.matches("Taxi").count(), in_budget, "{states}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_be_seen_is_said_when_the_rest_fails() {
    let (service, model) = service().await;
    // One that fails loses none of the others, whichever it is.
    for (answers, said) in [
        (
            [None, Some("Two."), Some("Three.")],
            "Two.\nThree.\n(Photos of this message that were not looked at: 1.)",
        ),
        (
            [Some("One."), None, Some("Three.")],
            "One.\nThree.\n(Photos of this message that were not looked at: 2.)",
        ),
        (
            [Some("One."), None, None],
            "One.\n(Photos of this message that were not looked at: 2–3.)",
        ),
    ] {
        let before = model.requests().len();
        for answer in answers {
            model.next(match answer {
                Some(text) => Mode::Say(text.to_owned()),
                None => Mode::Status(403, None),
            });
        }
        assert_eq!(send(&service, "look", 3).await, said);
        assert_eq!(model.requests().len() - before, 3);
    }
    // After two that fail the server is taken to be down.
    let before = model.requests().len();
    model.next(Mode::Say("One.".to_owned()));
    model.next(Mode::Status(403, None));
    model.next(Mode::Status(403, None));
    let said = "One.\n(Photos of this message that were not looked at: 2–5.)";
    assert_eq!(send(&service, "look", 5).await, said);
    assert_eq!(model.requests().len() - before, 3);
    // In the language of the answer, and after several that were seen.
    service.set_flag("media.photo_batching_enabled", true).await;
    let asked = "was ist auf den Fotos zu sehen?";
    model.next(Mode::Say(
        "Das sind drei Katzen, und alle sind müde.".to_owned(),
    ));
    model.next(Mode::Status(401, None));
    let said = send(&service, asked, 4).await;
    let unseen = "(Nicht angesehene Fotos dieser Nachricht: 4.)";
    assert!(said.ends_with(unseen), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kill_switch_closes_its_eyes() {
    let (service, model) = service().await;
    service.set_flag("llm.force_basic_mode", true).await;
    send(&service, "what is it?", 1).await;
    let asked = model.last_request();
    assert_eq!(asked.body["model"], "test-model");
    assert_eq!(asked.body["max_completion_tokens"], 200);
    assert_eq!(
        asked.messages()[0].1,
        "what is it?\n[1 photo that you can't see]"
    );
}

/// An uploaded photo is shown itself, and its reply follows as a command.
#[tokio::test(flavor = "multi_thread")]
async fn an_uploaded_photo_is_shown_to_the_model() {
    let (service, model) = service().await;
    model.usually(Mode::Say("A cat.".to_owned()));
    let mut fields = direct_fields("a-1");
    fields.push(("caption", "what is it?"));
    let answer = service.send(&upload("a", &fields, &jpeg("cat"))).await;
    assert_eq!(answer.json()["status"], "processing");
    let mut relay = service.relay("a").await;
    relay.say(&json!({"type": "resume"})).await;
    let command = relay.command().await;
    assert_eq!(command["payload"]["text"], "A cat.");
    let asked = model.last_request();
    assert_eq!(asked.body["model"], "test-vision");
    let said = asked.messages();
    assert_eq!(said[0].1[0]["text"], "what is it?");
    let url = said[0].1[1]["image_url"]["url"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(url.starts_with("data:image/jpeg;base64,/9j/"), "{url}");
    // A later message may name it, as long as its file is there and its relay asks.
    let named = async |agent: &str, text: &str| {
        let mut message = direct("+15550100", text);
        message["context"] = json!({"photos": [answer.json()["photo_url"]]});
        service.edge_message(agent, &message).await;
        model.last_request().messages().last().unwrap().1.clone()
    };
    assert_eq!(named("a", "and now?").await[1]["image_url"]["url"], *url);
    let unseen = json!("whose is it?\n[1 photo that you can't see]");
    assert_eq!(named("b", "whose is it?").await, unseen);
    let (name, _) = stored_files(&service).remove(0);
    let file = service.folder.path().join("chatkeep.db.photos").join(name);
    std::fs::remove_file(file).unwrap();
    let unseen = json!("once more?\n[1 photo that you can't see]");
    assert_eq!(named("a", "once more?").await, unseen);
}

/// Of more photos than are looked at, the model is told which nobody sees.
#[tokio::test(flavor = "multi_thread")]
async fn photos_that_are_not_looked_at_are_named() {
    let (service, model) = service().await;
    model.usually(Mode::Say("A cat.".to_owned()));
    let said = send(&service, "look", 22).await;
    let unseen = "(Photos of this message that were not looked at: 21–22.)";
    assert!(said.ends_with(unseen), "{said}");
    let requests = model.requests().into_iter();
    let texts = requests.map(|asked| asked.body.to_string());
    // The last request is for a shorter reply, and shows none.
    let texts: Vec<String> = texts.filter(|text| text.contains("[photos ")).collect();
    assert_eq!(texts.len(), 20);
    let unseen = "up to photo 20 are looked at apart, those from photo 21 on are not looked at";
    for (at, text) in texts.iter().enumerate() {
        let number = at + 1;
        assert!(text.contains(&format!("[photos {number} to {number} of 22; ")));
        assert!(text.contains(unseen), "{text}");
        assert_eq!(text.contains(": say so]"), number == 20, "{text}");
    }
}
