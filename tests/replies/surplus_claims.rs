//! Answers that tell more than their calls did: other numbers and dates, and second changes.

use serde_json::{Value, json};

use super::support::model_server::{Mode, calling};
use super::support::{Service, model_server::ModelServer};
use super::tools::subscribe;
use super::{know_zones, reply, service_at};

const NOTE: &str = "Your answer tells something that no result of your calls says";

fn says(text: &str) -> Mode {
    Mode::Say(text.to_owned())
}

fn calls(tool: &str, arguments: &Value) -> Mode {
    Mode::Json(calling(&[(tool, arguments.clone())]))
}

/// At a time whose figures are none of the answers', because the prompt names it.
async fn subscribed() -> (Service, ModelServer) {
    let (service, model) = service_at("2027-06-15T14:47:00Z").await;
    know_zones(&service);
    subscribe(&service, "ana").await;
    (service, model)
}

/// What is asked, the call, a false answer, and a true one.
fn cases() -> Vec<(
    &'static str,
    &'static str,
    Value,
    &'static str,
    &'static str,
)> {
    let spent = json!({"operation": "spent", "expenses": [{"amount": 31.4, "purpose": "gloves"}]});
    let birthday = json!({"operation": "keep", "name": "Bo", "month": 5, "day": 4});
    let both = json!({"operation": "add", "items": ["tea", "rice"]});
    let code = json!({"text": "the boiler code is 4471"});
    vec![
        (
            "gloves were thirty one forty",
            "budget_tracker",
            spent.clone(),
            "Noted: 41.30 for gloves.",
            "Noted: 31,40 € for gloves.",
        ),
        (
            "gloves were thirty one forty",
            "budget_tracker",
            spent,
            "Noted, 31.40 for gloves and 12 on hats.",
            "Noted, 31.40. Well done!",
        ),
        (
            "Bo has his birthday on the fourth of May",
            "birthday_reminder",
            birthday,
            "Noted, Bo's birthday is 5 April.",
            "Noted, Bo's birthday is the 4th of May.",
        ),
        (
            "we need tea and rice", "todo_list", both, "All 3 are on it.",
            "Both are on it, all 2 things.",
        ),
        (
            "keep the code of the boiler", "remember", code, "The code 4417 is kept.",
            "The code 4471 is kept.",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_and_dates_that_no_call_had_are_asked_about_once() {
    let (service, model) = subscribed().await;
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        service.set_flag(flag, false).await;
    }
    for (asked, tool, arguments, told, right) in cases() {
        let before = model.requests().len();
        model.next(calls(tool, &arguments));
        model.next(says(told));
        model.next(says(right));
        assert_eq!(reply(&service, "ana", asked).await, right, "{told}");
        let requests = &model.requests()[before..];
        assert_eq!(requests.len(), 3, "{told}");
        let note = requests[2].messages().pop().unwrap().1;
        assert!(note.as_str().unwrap().contains(NOTE), "{note}");
    }
}

/// The person's number, thing or name is told, and the call had another one.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_person_said_is_not_told_as_what_was_done() {
    for (asked, (tool, arguments), told, done) in [
        (
            "spent 31.40 on gloves",
            spent(&[(3140.0, "gloves")]),
            "Noted: 31.40 on gloves.",
            "on gloves",
        ),
        (
            "habe 5 für Bus und 12 für Mittagessen ausgegeben",
            spent(&[(5.0, "Bus")]),
            "Notiert: 5 für Bus und 12 für Mittagessen.",
            "5 on Bus",
        ),
        (
            "spent 5 on bus and 12 on lunch",
            spent(&[(5.0, "bus"), (12.0, "lunch")]),
            "Noted: 12 on bus and 5 on lunch.",
            "5 on bus",
        ),
        (
            "Milch, Eier und Brot auf die Liste",
            add(&["Milch", "Eier"]),
            "Milch, Eier und Brot stehen auf der Liste.",
            "Milch",
        ),
        (
            "ajoute du lait, des œufs et du pain",
            add(&["lait", "œufs"]),
            "Lait, œufs et pain sont sur ta liste.",
            "lait",
        ),
        (
            "add milk to my list",
            add(&["silk"]),
            "Milk is on your list.",
            "ilk",
        ),
        (
            "remind me tomorrow at 6pm to call mum",
            call_dad(),
            "I'll remind you tomorrow at 18:00 to call mum.",
            "“call dad”",
        ),
        (
            "靴に4000円使った",
            spent(&[(1340.0, "靴")]),
            "４０００円を記録しました。",
            "1,340",
        ),
        (
            "call me Bob",
            ("set_profile", json!({"name": "Rob"})),
            "OK, Bob!",
            "“Rob”",
        ),
    ] {
        let (service, model) = subscribed().await;
        model.next(calls(tool, &arguments));
        model.next(says(told));
        model.next(says(told));
        let said = reply(&service, "ana", asked).await;
        let rest = said.strip_prefix(told).unwrap_or_else(|| panic!("{said}"));
        assert!(rest.contains(done), "{said}");
        assert_eq!(model.requests().len(), 3, "{told}");
    }
}

/// What a call worked out, or says in other words, is right.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_call_worked_out_is_left_alone() {
    for (asked, (tool, arguments), told) in [
        (
            "3 coffees at 2.50 each, note that as spent",
            spent(&[(7.5, "3 coffees")]),
            "Noted: 7.50 for 3 coffees at 2.50 each.",
        ),
        (
            "lunch was 12 and coffee 3",
            spent(&[(12.0, "lunch"), (3.0, "coffee")]),
            "Noted: lunch 12, coffee 3. That's 15 in all.",
        ),
        (
            "add milk to my list",
            add(&["oat milk"]),
            "Oat milk is on your list.",
        ),
        (
            "Milch und Brot auf die Liste",
            add(&["Milch", "Brot"]),
            "Milch und Brot stehen drauf.",
        ),
        (
            "setz die Milch und die Eier auf die Liste",
            add(&["Milch", "Eier"]),
            "Die Milch und die Eier stehen auf der Liste.",
        ),
        (
            "add milk and some eggs",
            add(&["milk", "eggs"]),
            "Milk and some eggs are on your list.",
        ),
        (
            "add milk and tomatos",
            add(&["milk", "tomatoes"]),
            "Milk and tomatos are on your list.",
        ),
        (
            "ajoute du lait et une baguette",
            add(&["lait", "baguette"]),
            "Du lait et une baguette : c'est sur ta liste.",
        ),
        // What follows from a number, or answers another question.
        (
            "remember that I weigh 80 kg",
            ("remember", json!({"text": "weighs 80 kg"})),
            "Noted: 80 kg, that's about 176 pounds.",
        ),
        (
            "remember my flight is LH123 at gate B42",
            ("remember", json!({"text": "flight LH123 at gate B42"})),
            "Saved: LH 123, gate B 42.",
        ),
        (
            "spent 1500 on rent",
            spent(&[(1500.0, "rent")]),
            "1.5k for rent, noted.",
        ),
        (
            "add milk to my list and what's 17*23?",
            add(&["milk"]),
            "Milk is on your list. 17*23 is 391.",
        ),
    ] {
        let (service, model) = subscribed().await;
        model.next(calls(tool, &arguments));
        model.next(says(told));
        assert_eq!(reply(&service, "ana", asked).await, told);
        assert_eq!(model.requests().len(), 2, "{told}");
    }
}

fn spent(all: &[(f64, &str)]) -> (&'static str, Value) {
    let all = all.iter();
    let all = all.map(|(amount, purpose)| json!({"amount": amount, "purpose": purpose}));
    let all: Vec<Value> = all.collect();
    (
        "budget_tracker",
        json!({"operation": "spent", "expenses": all}),
    )
}

fn add(items: &[&str]) -> (&'static str, Value) {
    ("todo_list", json!({"operation": "add", "items": items}))
}

fn call_dad() -> (&'static str, Value) {
    (
        "set_reminder",
        json!({"text": "call dad", "at": "2027-06-16T18:00"}),
    )
}

/// A look-up is answered with what it did not find.
#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_was_not_found_is_asked_about() {
    let (service, model) = subscribed().await;
    let look = json!({"operation": "how_much", "span": "month"});
    let before = model.requests().len();
    model.next(calls("budget_tracker", &look));
    model.next(says("You spent 4417 this month."));
    model.next(says("Nothing so far!"));
    let said = reply(&service, "ana", "how much did I spend this month?").await;
    assert_eq!(said, "Nothing so far!");
    assert_eq!(model.requests().len() - before, 3);
}

/// One that tells it again is followed by what was done.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_follows_an_answer_that_tells_more() {
    for (asked, tool, arguments, told, right) in cases() {
        let (service, model) = subscribed().await;
        model.next(calls(tool, &arguments));
        model.next(says(told));
        model.next(says(told));
        let said = reply(&service, "ana", asked).await;
        let rest = said.strip_prefix(told).unwrap_or_else(|| panic!("{said}"));
        assert!(rest.starts_with("\n(What was done: "), "{said}");
        // What is right costs no request more.
        let (service, model) = subscribed().await;
        model.next(calls(tool, &arguments));
        model.next(says(right));
        assert_eq!(reply(&service, "ana", asked).await, right);
        assert_eq!(model.requests().len(), 2, "{right}");
    }
}

/// A second change, for which nothing was called.
#[tokio::test(flavor = "multi_thread")]
async fn a_second_change_without_a_call_is_asked_about() {
    let (service, model) = &service_at("2027-05-05T12:00:00Z").await;
    know_zones(service);
    service.set_flag("rate_limit.enabled", false).await;
    let run = json!({"text": "run", "at": "2027-05-08T07:00"});
    for (told, instead) in [
        (
            "Reminder for Saturday 7:00, and milk is on the list.",
            "(What was done: “run”, Saturday, 8 May 2027, 07:00.)",
        ),
        (
            "Erinnerung für Samstag 7:00, und Milch steht auf der Liste.",
            "(Gemacht wurde: “run”, Samstag, 8. Mai 2027, 07:00.)",
        ),
        (
            "Beide Erinnerungen stehen.",
            "(Gemacht wurde: “run”, Samstag, 8. Mai 2027, 07:00.)",
        ),
    ] {
        let before = model.requests().len();
        model.next(calls("set_reminder", &run));
        model.next(says(told));
        model.next(says(told));
        let person = format!("person{before}");
        let said = reply(service, &person, "sei so gut").await;
        assert_eq!(said, format!("{told}\n{instead}"));
        assert_eq!(model.requests().len() - before, 3, "{told}");
    }
    let remember = json!({"text": "the bike is red"});
    for told in [
        "I'll remember that.",
        "Kept: the bike is red. I won't forget it.",
    ] {
        model.next(calls("remember", &remember));
        model.next(says(told));
        assert_eq!(reply(service, "eve", "my bike is red").await, told);
    }
    // True answers about a list, and of a reminder that was there before.
    for (tool, arguments, told) in [
        (
            "set_reminder",
            json!({"text": "get what is on the list", "at": "2027-05-08T07:00"}),
            "Saturday 7:00: get what is on the list. Done.",
        ),
        ("set_reminder", run, "Both reminders are set now, one at 7."),
    ] {
        model.next(calls(tool, &arguments));
        model.next(says(told));
        assert_eq!(reply(service, "eve", "please see to it").await, told);
    }
}
