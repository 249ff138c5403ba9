//! What the body of a call may be, and how much of it is read.

use support::read_answer;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::*;

/// A JSON text of so many bytes.
fn padded(bytes: usize) -> String {
    let empty = r#"{"title":"x","pad":""}"#;
    format!(
        r#"{{"title":"x","pad":"{}"}}"#,
        "p".repeat(bytes - empty.len())
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_end_at_64_kib() {
    let market = Market::open().await;
    assert_eq!(market.call(&padded(65_536)).await.status, 200);
    let answer = market.call(&padded(65_537)).await;
    refused(&answer, 413, "payload_too_large");
    // Before anything else but the id is looked at.
    let unknown = "0b0e7a3c-54d2-4a1e-9a52-5d5f3c3a2b11";
    let answer = market
        .service
        .send(&unsigned(unknown, &padded(65_537)))
        .await;
    refused(&answer, 413, "payload_too_large");
    assert_eq!(market.statuses().await, ["payload_too_large", "ok"]);
    let event = &market.events().await[0];
    assert_eq!(event["signature_valid"], false);
    assert_eq!(event["action_triggered"], "");
}

/// A call from a web page of another origin is refused and logged, a flood of them as far as other
/// refused calls.
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_web_pages_are_refused() {
    let market = market_at(&standing_clock(), &[]).await;
    let page = |body| {
        let request = market.signed(body);
        request.header("Origin", "https://elsewhere.example")
    };
    let answer = market.service.send(&page(r#"{"title":"x"}"#)).await;
    refused(&answer, 403, "origin_not_allowed");
    let event = &market.events().await[0];
    assert_eq!(event["result_status"], "invalid_signature");
    assert_eq!(event["signature_valid"], false);
    let reason = event["error_message"].as_str().unwrap();
    assert!(reason.contains("Origin"), "{reason}");
    for _ in 0..20 {
        let request = page("{}");
        let calling = (0..60).map(|_| market.service.send(&request));
        for answer in futures_util::future::join_all(calling).await {
            refused(&answer, 403, "origin_not_allowed");
        }
    }
    market.events().await; // all are written
    let logged = market
        .service
        .rows("SELECT max(serial) FROM webhook_events");
    assert_eq!(logged, [[1_000]]);
    assert!(market.sent_texts().is_empty());
}

/// Sends a head by hand, then pieces, and reads the answer.
async fn raw(market: &Market, head: &str, pieces: &[Vec<u8>]) -> Answer {
    let mut stream = TcpStream::connect(market.service.address).await.unwrap();
    let id = &market.webhook_id;
    let head = format!(
        "POST /webhooks/{id} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    for piece in pieces {
        // The service may have answered and closed before the last one.
        if stream.write_all(piece).await.is_err() {
            break;
        }
    }
    read_answer(&mut stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_a_length_is_counted_as_it_comes() {
    let market = Market::open().await;
    let chunked = |body: &str| -> Vec<Vec<u8>> {
        let chunks = body.as_bytes().chunks(1_000);
        let framed = chunks.map(|c| [format!("{:x}\r\n", c.len()).as_bytes(), c, b"\r\n"].concat());
        framed.chain([b"0\r\n\r\n".to_vec()]).collect()
    };
    let head = |body: &str| {
        let signature = WebhookKey::new(&market.secret).sign_plain(body.as_bytes());
        format!("Transfer-Encoding: chunked\r\nX-Webhook-Signature: {signature}\r\n")
    };
    for (bytes, status) in [(30, 200), (65_536, 200), (65_537, 413), (200_000, 413)] {
        let body = padded(bytes);
        let answer = raw(&market, &head(&body), &chunked(&body)).await;
        assert_eq!(answer.status, status, "{bytes}: {}", answer.text);
    }
    // What is declared too long is refused without a byte of it.
    let answer = raw(&market, "Content-Length: 65537\r\n", &[]).await;
    refused(&answer, 413, "payload_too_large");
    let expecting = "Content-Length: 65537\r\nExpect: 100-continue\r\n";
    let answer = raw(&market, expecting, &[]).await;
    refused(&answer, 413, "payload_too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_valid_json_and_nothing_else() {
    let market = Market::open().await;
    let path = format!("/marketplace/apps/{}", market.app_id);
    let draft = json!({"name": "n", "actions": [{"action_id": "say", "kind": "send_message",
        "template": "got {title}"}]});
    let update = request("PUT", &path).json(&draft).bearer(&market.token);
    assert_eq!(market.service.send(&update).await.status, 200);
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (br#"{"title":"a"}"#.to_vec(), "got a"),
        (br#"{"title":"a","title":"b"}"#.to_vec(), "got b"),
        (br#"{"title":"a\u0000b"}"#.to_vec(), "got ab"),
        (b"[1,2]".to_vec(), "got "),
        (b"\"text\"".to_vec(), "got "),
        (b" null ".to_vec(), "got "),
        (b"12".to_vec(), "got "),
        (nested(127).into_bytes(), "got "),
        (nested(128).into_bytes(), ""),
        (b"".to_vec(), ""),
        (b"{".to_vec(), ""),
        (b"{} {}".to_vec(), ""),
        (b"\xef\xbb\xbf{}".to_vec(), ""),
        (b"{\"other\":\"\xff\"}".to_vec(), ""),
        (br#"{"other":"\ud800"}"#.to_vec(), ""),
        (br#"{"other":1e400}"#.to_vec(), ""),
        (br#"{"other":NaN}"#.to_vec(), ""),
    ];
    let mut expected = Vec::new();
    for (body, text) in cases {
        let signature = WebhookKey::new(&market.secret).sign_plain(&body);
        let request = request("POST", &format!("/webhooks/{}", market.webhook_id))
            .header("X-Webhook-Signature", &signature)
            .header("Content-Type", "text/plain")
            .raw(body.clone());
        let answer = market.service.send(&request).await;
        let body_text = String::from_utf8_lossy(&body).into_owned();
        if text.is_empty() {
            assert_eq!(answer.status, 400, "{body_text}: {}", answer.text);
            assert_eq!(answer.code(), "invalid_json");
            let event = &market.events().await[0];
            assert_eq!(event["result_status"], "invalid_json", "{body_text}");
            assert_eq!(event["signature_valid"], true);
        } else {
            assert_eq!(answer.status, 200, "{body_text}: {}", answer.text);
            expected.push(text.trim_end().to_owned());
        }
    }
    assert_eq!(market.sent_texts(), expected);
}

/// Nothing is inflated.
#[tokio::test(flavor = "multi_thread")]
async fn compressed_bodies_are_refused() {
    let market = Market::open().await;
    for encoding in ["gzip", "br", "deflate, identity"] {
        let request = market.signed("{}").header("Content-Encoding", encoding);
        let answer = market.service.send(&request).await;
        refused(&answer, 415, "unsupported_media_type");
    }
    let events = market.events().await;
    assert_eq!(events.len(), 3);
    for event in events {
        assert_eq!(event["result_status"], "invalid_json");
        assert_eq!(event["signature_valid"], false);
        let reason = event["error_message"].as_str().unwrap();
        assert!(reason.contains("Content-Encoding"), "{reason}");
    }
    let request = market.signed(r#"{"title":"x"}"#);
    let request = request.header("Content-Encoding", "identity");
    assert_eq!(market.service.send(&request).await.status, 200);
}
