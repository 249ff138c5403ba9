//! A new secret in the place of the old one, also under calls.

use std::sync::Mutex;

use super::*;

const BODY: &str = r#"{"title":"x","n":1}"#;

async fn rotate(market: &Market) -> String {
    let answer = market.manage("POST", "/rotate-secret").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let answer = answer.json();
    assert_eq!(answer["webhook_id"], market.webhook_id);
    assert_eq!(answer.as_object().unwrap().len(), 2, "{answer}");
    answer["new_secret"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_old_secret_fails_at_once_and_the_new_one_works() {
    let market = Market::open().await;
    assert_eq!(market.call(BODY).await.status, 200);
    let new = rotate(&market).await;
    assert_eq!(new.len(), 64);
    assert_ne!(new, market.secret);
    refused(&market.call(BODY).await, 401, "invalid_signature");
    let request = signed(&market.webhook_id, &new, BODY);
    assert_eq!(market.service.send(&request).await.status, 200);
}

/// At every moment one secret is good: the last one that was answered, or the one that is on
/// its way.
#[tokio::test(flavor = "multi_thread")]
async fn rotation_under_calls_leaves_no_gap() {
    let market = Market::open().await;
    let limit = json!({"rate_limit_per_minute": 600});
    assert_eq!(market.patch(&limit).await.status, 200);
    let current = Mutex::new((market.secret.clone(), 0));
    let rotating = async {
        for round in 1..=20 {
            let new = rotate(&market).await;
            let old = std::mem::replace(&mut *current.lock().unwrap(), (new, round));
            // Its rotation was answered: it is of no use any more.
            let late = signed(&market.webhook_id, &old.0, BODY);
            let answer = market.service.send(&late).await;
            refused(&answer, 401, "invalid_signature");
        }
    };
    let calling = async {
        let mut accepted = 0;
        while current.lock().unwrap().1 < 20 {
            let (secret, round) = current.lock().unwrap().clone();
            let request = signed(&market.webhook_id, &secret, BODY);
            let answer = market.service.send(&request).await;
            let rotated_since = {
                let (_, now) = *current.lock().unwrap();
                now > round
            };
            match answer.status {
                200 => accepted += 1,
                // The new one was committed and its answer on the way.
                401 => {}
                _ => panic!("{}: {} {rotated_since}", answer.status, answer.text),
            }
        }
        accepted
    };
    let ((), accepted) = tokio::join!(rotating, calling);
    let (last, _) = current.lock().unwrap().clone();
    let request = signed(&market.webhook_id, &last, BODY);
    assert_eq!(market.service.send(&request).await.status, 200);
    assert_eq!(market.sent_texts().len(), accepted + 1);
}

/// Two at once: both are answered, and only one of the secrets is good.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_rotations_at_once_the_later_holds() {
    let market = Market::open().await;
    for _ in 0..10 {
        let (a, b) = tokio::join!(rotate(&market), rotate(&market));
        let mut accepted = 0;
        for secret in [a, b] {
            let request = signed(&market.webhook_id, &secret, BODY);
            let answer = market.service.send(&request).await;
            accepted += usize::from(answer.status == 200);
        }
        assert_eq!(accepted, 1);
    }
}
