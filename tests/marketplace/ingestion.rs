//! Calls of a webhook: whose signature is let in, which are known again.

use super::*;

const BODY: &str = r#"{"title":"Parcel","n":1}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_call_reaches_the_relay_and_is_recorded() {
    let market = Market::open().await;
    let mut relay = market.service.relay("a").await;
    let answer = market.call(BODY).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json(), json!({"status": "ok"}));
    let command = relay.command().await;
    assert_eq!(command["command_type"], "send_message_now", "{command}");
    assert_eq!(command["payload"]["text"], "Parcel 1", "{command}");
    assert_eq!(command["payload"]["chat_guid"], format!("chat;{CREATOR}"));
    let events = market.events().await;
    let event = &events[0];
    let expected = json!({
        "event_id": event["event_id"], "signature_valid": true, "action_triggered": "say",
        "result_status": "ok", "error_message": null, "ip_address": "127.0.0.1",
        "created_at": event["created_at"],
    });
    assert_eq!(events, [expected]);
}

/// The vector is for the secret `ab` × 32, which is not one that a webhook gets: each case is
/// made from this webhook's own secret in the same way.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_right_signature_is_let_in() {
    let market = Market::open().await;
    let valid = WebhookKey::new(&market.secret).sign_plain(BODY.as_bytes());
    let of_bytes = {
        let text: String = hex::decode(&market.secret)
            .unwrap()
            .into_iter()
            .map(char::from)
            .collect();
        WebhookKey::new(&text).sign_plain(BODY.as_bytes())
    };
    let cases: Vec<(Vec<String>, bool)> = vec![
        (vec![valid.clone()], true),
        (vec![valid.to_uppercase()], true),
        (vec![], false),
        (vec![String::new()], false),
        (vec![valid[..63].to_owned()], false),
        (vec![format!("{valid}0")], false),
        (vec![format!("sha256={valid}")], false),
        (vec![valid.clone(), valid.clone()], false),
        (vec![format!("{valid}, {valid}")], false),
        (vec!["0".repeat(64)], false),
        (vec![of_bytes], false),
        (vec![format!("{}\u{e9}", &valid[..62])], false),
        (vec![market.secret.clone()], false),
    ];
    let mut let_in = 0;
    for (signatures, expected) in cases {
        let mut request = unsigned(&market.webhook_id, BODY);
        for signature in &signatures {
            request = request.header("X-Webhook-Signature", signature);
        }
        let answer = market.service.send(&request).await;
        if expected {
            let_in += 1;
            assert_eq!(answer.status, 200, "{signatures:?}: {}", answer.text);
        } else {
            refused(&answer, 401, "invalid_signature");
        }
        let event = &market.events().await[0];
        assert_eq!(event["signature_valid"], expected, "{signatures:?}");
    }
    assert_eq!(market.sent_texts().len(), let_in);
    // Signed for another body.
    let request = unsigned(&market.webhook_id, "{}").header("X-Webhook-Signature", &valid);
    let answer = market.service.send(&request).await;
    refused(&answer, 401, "invalid_signature");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_webhook_s_id_is_one() {
    let market = Market::open().await;
    for id in ["x", "0b0e7a3c54d24a1e9a525d5f3c3a2b11", "%20", "..."] {
        let answer = market.service.send(&unsigned(id, BODY)).await;
        refused(&answer, 400, "invalid_webhook_id");
    }
    let unknown = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    for _ in 0..2 {
        let answer = market.service.send(&unsigned(unknown, BODY)).await;
        refused(&answer, 404, "webhook_not_found");
    }
    let upper = signed(&market.webhook_id.to_uppercase(), &market.secret, BODY);
    assert_eq!(market.service.send(&upper).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inactive_webhook_is_as_if_it_were_not_there() {
    let market = Market::open().await;
    assert_eq!(market.patch(&json!({"is_active": false})).await.status, 200);
    refused(&market.call(BODY).await, 404, "webhook_not_found");
    assert_eq!(market.patch(&json!({"is_active": true})).await.status, 200);
    assert_eq!(market.call(BODY).await.status, 200);
    assert_eq!(market.statuses().await, ["ok", "inactive"]);
    let event = &market.events().await[1];
    assert_eq!(event["signature_valid"], false);
    assert_eq!(event["action_triggered"], "");
    assert_eq!(market.manage("DELETE", "").await.status, 200);
    refused(&market.call(BODY).await, 404, "webhook_not_found");
    assert_eq!(market.sent_texts().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_names_itself_does_nothing_again_for_a_day() {
    let clock = standing_clock();
    let market = market_at(&clock, &[]).await;
    let named = |name: &str| market.signed(BODY).header("X-Webhook-Id", name);
    let request = named("delivery 1");
    let calling = (0..50).map(|_| market.service.send(&request));
    for answer in futures_util::future::join_all(calling).await {
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(answer.json(), json!({"status": "ok"}));
    }
    assert_eq!(market.sent_texts(), ["Parcel 1"]);
    let statuses = market.statuses().await;
    let of = |expected: &str| statuses.iter().filter(|status| *status == expected).count();
    assert_eq!((of("ok"), of("duplicate")), (1, 49));

    assert_eq!(market.service.send(&named("delivery 2")).await.status, 200);
    assert_eq!(market.sent_texts().len(), 2);
    // Without a name, and with an empty one, each call counts.
    for request in [market.signed(BODY), named("")] {
        assert_eq!(market.service.send(&request).await.status, 200);
    }
    assert_eq!(market.sent_texts().len(), 4);
    clock.advance(24 * 3_600_000 - 1);
    assert_eq!(market.service.send(&named("delivery 1")).await.status, 200);
    assert_eq!(market.sent_texts().len(), 4);
    clock.advance(1);
    assert_eq!(market.service.send(&named("delivery 1")).await.status, 200);
    assert_eq!(market.sent_texts().len(), 5);
}

/// What failed was not done, so its repetition does it.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_remembered_of_what_was_done_and_by_webhook() {
    let market = Market::open().await;
    let service = &market.service;
    let named = |body: &str| market.signed(body).header("X-Webhook-Id", "one");
    // Nothing in it: the text would be empty.
    refused(&service.send(&named("{}")).await, 500, "action_failed");
    assert_eq!(service.send(&named(BODY)).await.status, 200);
    // Known again by its name alone.
    assert_eq!(service.send(&named("{}")).await.status, 200);
    assert_eq!(market.sent_texts(), ["Parcel 1"]);
    let body = json!({"action_id": "say"});
    let other = hook(service, &market.token, &market.app_id, &body).await;
    let (id, secret) = (&other["webhook_id"], &other["secret"]);
    let request = signed(id.as_str().unwrap(), secret.as_str().unwrap(), BODY);
    let answer = service.send(&request.header("X-Webhook-Id", "one")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(market.sent_texts().len(), 2);
}
