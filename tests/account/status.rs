//! A person's own account: what it shows, how its deletion is asked for and taken back.

use crate::support::{Answer, Service, direct, eventually, get, post, request};
use chatkeep::clock::{Clock, Timestamp};
use serde_json::{Value, json};

const PHONE: &str = "+15550100";
const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;

/// A service whose clock stands, and the token of somebody who has written.
async fn started() -> (Service, Clock, String) {
    let clock = Clock::fixed(Timestamp::parse("2030-01-15T23:59:59Z").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_eq!(
        service.edge_message("a", &direct(PHONE, "hi")).await.status,
        200
    );
    let token = service.user_token(&service.user_id(PHONE));
    (service, clock, token)
}

/// The token is valid an hour; the tests' clocks go further.
fn fresh(service: &Service) -> String {
    service.user_token(&service.user_id(PHONE))
}

async fn ask(service: &Service, token: &str, body: &Value) -> Answer {
    service
        .send(&post("/account/deletion", body).bearer(token))
        .await
}

async fn cancel(service: &Service, token: &str) -> Answer {
    service
        .send(&request("DELETE", "/account/deletion").bearer(token))
        .await
}

async fn status(service: &Service, token: &str) -> Value {
    let answer = service.send(&get("/account").bearer(token)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn phrase() -> Value {
    json!({"confirmation": "DELETE MY ACCOUNT"})
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_says_what_is_known() {
    let (service, _, token) = started().await;
    let user_id = service.user_id(PHONE);
    assert_eq!(
        status(&service, &token).await,
        json!({
            "user_id": user_id,
            "phone": PHONE,
            "name": "",
            "email": "",
            "created_at": "2030-01-15T23:59:59.000Z",
            "subscription_status": "free",
            "deletion_requested": false,
            "deletion_scheduled_for": null,
        })
    );
    let named = direct(PHONE, "my name is Ada");
    assert_eq!(service.edge_message("a", &named).await.status, 200);
    let grant = format!("/admin/users/{user_id}/grant");
    let granted = service
        .admin("PUT", &grant, &json!({"plan": "annual"}))
        .await;
    assert_eq!(granted.status, 200, "{}", granted.text);
    let current = status(&service, &token).await;
    assert_eq!(current["name"], "Ada");
    assert_eq!(current["subscription_status"], "active");
    // Somebody whom no chat network knows.
    let stranger = service.user_token("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11");
    let current = status(&service, &stranger).await;
    assert_eq!(
        (&current["phone"], &current["user_id"]),
        (&json!(""), &json!("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deletion_is_asked_for_and_taken_back() {
    let (service, clock, token) = started().await;
    assert_eq!(cancel(&service, &token).await.code(), "NO_DELETION_PENDING");
    let wrong = ask(
        &service,
        &token,
        &json!({"confirmation": "delete my account"}),
    )
    .await;
    assert_eq!(
        (wrong.status, wrong.code().as_str()),
        (400, "INVALID_CONFIRMATION")
    );
    let requested = ask(&service, &token, &phrase()).await;
    assert_eq!(requested.status, 200, "{}", requested.text);
    let body = requested.json();
    assert_eq!(body["deletion_date"], "2030-02-14");
    assert_eq!(body["can_cancel_until"], "2030-02-14");
    assert!(body["message"].as_str().unwrap().contains("2030-02-14"));
    assert_eq!(body.as_object().unwrap().len(), 3);
    // Whatever is sent, whoever has asked already is told so.
    let repeated = ask(&service, &token, &json!({"confirmation": "no"})).await;
    assert_eq!(
        (repeated.status, repeated.code().as_str()),
        (400, "ALREADY_SCHEDULED")
    );
    let current = status(&service, &token).await;
    assert_eq!(current["deletion_requested"], true);
    assert_eq!(
        current["deletion_scheduled_for"],
        "2030-02-14T23:59:59.000Z"
    );
    // Everything goes on meanwhile, and over a restart.
    let answer = service.edge_message("a", &direct(PHONE, "hello")).await;
    assert_eq!(answer.json()["should_respond"], true);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    clock.advance(30 * DAY_MS);
    let taken_back = cancel(&service, &fresh(&service)).await;
    assert_eq!(taken_back.status, 200, "{}", taken_back.text);
    assert_eq!(taken_back.json().as_object().unwrap().len(), 1);
    assert!(taken_back.json()["message"].is_string());
    let current = status(&service, &fresh(&service)).await;
    assert_eq!(current["deletion_requested"], false);
    assert_eq!(current["deletion_scheduled_for"], Value::Null);
    let query = "SELECT deletion_requested_at, deletion_scheduled_for FROM users";
    assert_eq!(service.rows(query), [[Value::Null, Value::Null]]);
    let repeated = cancel(&service, &fresh(&service)).await;
    assert_eq!(repeated.code(), "NO_DELETION_PENDING");
    // It may be asked for anew.
    assert_eq!(ask(&service, &fresh(&service), &phrase()).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_last_moment_there_is_no_way_back() {
    let (service, clock, token) = started().await;
    assert_eq!(ask(&service, &token, &phrase()).await.status, 200);
    // The day's purge runs before the last moment, and none is due between it and the next day's.
    clock.advance(30 * DAY_MS - HOUR_MS);
    eventually("the day's purge", async || {
        !service
            .rows("SELECT value FROM meta WHERE key = 'purged_at'")
            .is_empty()
    })
    .await;
    clock.advance(HOUR_MS + 1);
    let late = cancel(&service, &fresh(&service)).await;
    assert_eq!(
        (late.status, late.code().as_str()),
        (400, "GRACE_PERIOD_EXPIRED")
    );
    let repeated = ask(&service, &fresh(&service), &phrase()).await;
    assert_eq!(repeated.code(), "ALREADY_SCHEDULED");
    assert_eq!(
        status(&service, &fresh(&service)).await["deletion_requested"],
        true
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_make_no_sense_are_refused_and_count() {
    let (service, clock, token) = started().await;
    for body in ["{}", r#"{"confirmation":null}"#, r#"{"confirmation":1}"#] {
        let invalid = request("POST", "/account/deletion")
            .raw(body)
            .bearer(&token);
        let answer = service.send(&invalid).await;
        assert_eq!(answer.status, 422, "{body}");
        assert_eq!(answer.code(), "validation_failed");
        assert_eq!(
            answer.json()["errors"][0]["field"],
            "/confirmation",
            "{body}"
        );
    }
    let fourth = ask(&service, &token, &phrase()).await;
    assert_eq!(
        (fourth.status, fourth.code().as_str()),
        (429, "rate_limited")
    );
    assert_eq!(fourth.header("retry-after"), Some("3600"));
    assert_eq!(status(&service, &token).await["deletion_requested"], false);
    // A restart forgives nothing, an hour does.
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    assert_eq!(ask(&service, &token, &phrase()).await.status, 429);
    // Taking back, and others, are not limited by it.
    assert_eq!(cancel(&service, &token).await.status, 400);
    let other = service.user_token("0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11");
    assert_eq!(ask(&service, &other, &json!([])).await.status, 422);
    assert_eq!(
        ask(&service, &other, &json!({"confirmation": ""}))
            .await
            .code(),
        "INVALID_CONFIRMATION"
    );
    clock.advance(3_600_000);
    assert_eq!(ask(&service, &fresh(&service), &phrase()).await.status, 200);
    let large = json!({"confirmation": "x".repeat(5000)});
    assert_eq!(ask(&service, &fresh(&service), &large).await.status, 413);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_once_exactly_one_wins() {
    let (service, _, token) = started().await;
    let service = std::sync::Arc::new(service);
    let at_once = async |what: fn() -> crate::support::Request| {
        let tasks: Vec<_> = (0..20)
            .map(|_| {
                let (service, token) = (service.clone(), token.clone());
                tokio::spawn(async move {
                    let answer = service.send(&what().bearer(&token)).await;
                    match answer.status {
                        200 => "200".to_owned(),
                        _ => answer.code(),
                    }
                })
            })
            .collect();
        let mut outcomes = Vec::new();
        for task in tasks {
            outcomes.push(task.await.unwrap());
        }
        move |code: &str| outcomes.iter().filter(|outcome| *outcome == code).count()
    };
    let count = at_once(|| post("/account/deletion", &phrase())).await;
    assert_eq!(
        (
            count("200"),
            count("ALREADY_SCHEDULED"),
            count("rate_limited")
        ),
        (1, 2, 17)
    );
    let count = at_once(|| request("DELETE", "/account/deletion")).await;
    assert_eq!((count("200"), count("NO_DELETION_PENDING")), (1, 19));
}
