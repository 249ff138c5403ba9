//! The scheme of Standard Webhooks: id and time are signed with the body.

use super::*;

const BODY: &str = r#"{"title":"x","n":1}"#;

struct StampedCall {
    id: &'static str,
    at_s: i64,
    offset_s: i64,
}

fn stamped(market: &Market, stamp: &StampedCall, body: &str) -> Request {
    let at_s = stamp.at_s + stamp.offset_s;
    let signature = WebhookKey::new(&market.secret).sign_standard(stamp.id, at_s, body.as_bytes());
    unsigned(&market.webhook_id, body)
        .header("webhook-id", stamp.id)
        .header("webhook-timestamp", &at_s.to_string())
        .header("webhook-signature", &signature)
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_let_in_once_and_in_time() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    let standard = json!({"scheme": "standard"});
    assert_eq!(market.patch(&standard).await.status, 200);
    refused(&market.call(BODY).await, 401, "invalid_signature");
    let at_s = clock.now().seconds();
    for (id, offset_s, status) in [
        ("a", 0, 200),
        ("a", 0, 200), // a duplicate
        ("a", 1, 200), // the same, sent again later
        ("b", -300, 200),
        ("c", 300, 200),
        ("d", -301, 401),
        ("e", 301, 401),
    ] {
        let stamp = StampedCall { id, at_s, offset_s };
        let answer = market.service.send(&stamped(&market, &stamp, BODY)).await;
        assert_eq!(answer.status, status, "{id} {offset_s}: {}", answer.text);
    }
    assert_eq!(market.sent_texts().len(), 3);
    // Any of several signatures may be the right one; one header only.
    let stamp = StampedCall {
        id: "f",
        at_s,
        offset_s: 0,
    };
    let valid = WebhookKey::new(&market.secret).sign_standard("f", at_s, BODY.as_bytes());
    for (signatures, status) in [
        (vec![format!("v1,AAAA {valid}")], 200),
        (vec![valid.clone(), valid.clone()], 401),
        (vec![valid.replace("v1,", "v1a,")], 401),
        (vec![], 401),
    ] {
        let mut request = unsigned(&market.webhook_id, BODY)
            .header("webhook-id", stamp.id)
            .header("webhook-timestamp", &at_s.to_string());
        for signature in &signatures {
            request = request.header("webhook-signature", signature);
        }
        let answer = market.service.send(&request).await;
        assert_eq!(answer.status, status, "{signatures:?}: {}", answer.text);
    }
    // An unsigned name says nothing here.
    let stamp = StampedCall {
        id: "g",
        at_s,
        offset_s: 0,
    };
    let request = stamped(&market, &stamp, BODY).header("X-Webhook-Id", "a");
    assert_eq!(market.service.send(&request).await.status, 200);
    assert_eq!(market.sent_texts().len(), 5);
    assert_eq!(market.patch(&json!({"scheme": "plain"})).await.status, 200);
    assert_eq!(market.call(BODY).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_time_or_id_is_no_signature() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    let standard = json!({"scheme": "standard"});
    assert_eq!(market.patch(&standard).await.status, 200);
    let at_s = clock.now().seconds();
    let signature = WebhookKey::new(&market.secret).sign_standard("", at_s, BODY.as_bytes());
    let without_id = unsigned(&market.webhook_id, BODY)
        .header("webhook-timestamp", &at_s.to_string())
        .header("webhook-signature", &signature);
    let without_time = unsigned(&market.webhook_id, BODY)
        .header("webhook-id", "a")
        .header("webhook-signature", &signature);
    for request in [without_id, without_time] {
        let answer = market.service.send(&request).await;
        refused(&answer, 401, "invalid_signature");
    }
}
