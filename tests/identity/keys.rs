//! Where keys come from: fetched once, shared by all, kept when the provider is down, gone
//! when it no longer lists them.

use chatkeep::clock::Clock;
use serde_json::json;

use crate::issuer::{Issuer, Mode};
use crate::signer::Signer;
use crate::support::{Service, eventually};
use crate::{MINUTE_MS, claims, is_let_in, started};

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_key_opens_and_is_fetched_once() {
    let signers = [Signer::rsa("r"), Signer::es256("e"), Signer::ed25519("d")];
    let keys = signers.each_ref().map(Signer::jwk).to_vec();
    let issuer = Issuer::start(Mode::Keys(keys)).await;
    let (service, _) = started(&issuer).await;
    for round in 0..3 {
        for signer in &signers {
            let token = signer.token(&claims("user-1", json!({ "round": round })));
            assert!(is_let_in(&service, &token).await, "{}", signer.kid);
        }
    }
    assert_eq!(issuer.requests(), 1);
    assert_eq!(service.rows("SELECT count(*) FROM users")[0][0], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_fetched_at_the_start_and_nobody_waits_for_them_there() {
    let signer = Signer::rsa("r");
    let issuer = Issuer::start(Mode::Hang(vec![signer.jwk()])).await;
    let (service, _) = started(&issuer).await;
    eventually("the first fetch", async || issuer.requests() == 1).await;
    let health = service.send(&crate::support::get("/health")).await;
    assert_eq!(health.status, 200);
    // The first tokens wait for that very fetch.
    let service = std::sync::Arc::new(service);
    let waiting: Vec<_> = (0..20)
        .map(|n| {
            let token = signer.token(&claims("user-1", json!({ "n": n })));
            let service = service.clone();
            tokio::spawn(async move { is_let_in(&service, &token).await })
        })
        .collect();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    issuer.let_go();
    for one in waiting {
        assert!(one.await.unwrap());
    }
    assert_eq!(issuer.requests(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_key_is_looked_for_once_in_30_seconds() {
    let (old, new, last) = (Signer::rsa("1"), Signer::rsa("2"), Signer::rsa("3"));
    let issuer = Issuer::start(Mode::Keys(vec![old.jwk()])).await;
    let (service, clock) = started(&issuer).await;
    assert!(is_let_in(&service, &old.token(&claims("user-1", json!({})))).await);

    // Rotated: the new key is found at once, and the old one has ended.
    issuer.answer_with(Mode::Keys(vec![new.jwk()]));
    assert!(is_let_in(&service, &new.token(&claims("user-1", json!({})))).await);
    assert_eq!(issuer.requests(), 2);
    let token = old.token(&claims("user-1", json!({})));
    assert!(
        !is_let_in(&service, &token).await,
        "remembered beyond its key"
    );

    // Within 30 s nobody is asked again, whatever a token claims.
    issuer.answer_with(Mode::Keys(vec![last.jwk()]));
    for kid in ["3", "../../dev/null", "' OR 1=1 --", "x"] {
        let header = json!({ "alg": "RS256", "kid": kid });
        let token = last.token_with(&header, &claims("user-1", json!({})));
        assert!(!is_let_in(&service, &token).await, "{kid}");
    }
    assert_eq!(issuer.requests(), 2);
    clock.advance(MINUTE_MS / 2);
    let token = last.token(&claims("user-1", json!({})));
    assert!(is_let_in(&service, &token).await);
    assert_eq!(issuer.requests(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_unknown_keys_at_once_share_one_look() {
    let (known, unknown) = (Signer::es256("known"), Signer::es256("unknown"));
    let issuer = Issuer::start(Mode::Keys(vec![known.jwk()])).await;
    let (service, _) = started(&issuer).await;
    let first = known.token(&claims("user-1", json!({})));
    assert!(is_let_in(&service, &first).await);
    issuer.answer_with(Mode::Hang(vec![known.jwk()]));
    let service = std::sync::Arc::new(service);
    let waiting: Vec<_> = (0..20)
        .map(|n| {
            let token = unknown.token(&claims("user-1", json!({ "n": n })));
            let service = service.clone();
            tokio::spawn(async move { is_let_in(&service, &token).await })
        })
        .collect();
    eventually("the look", async || issuer.requests() == 2).await;
    // Who has a known key waits for nobody, remembered or not.
    let second = known.token(&claims("user-2", json!({})));
    assert!(is_let_in(&service, &second).await);
    assert!(is_let_in(&service, &first).await);
    issuer.let_go();
    for one in waiting {
        assert!(!one.await.unwrap());
    }
    assert_eq!(issuer.requests(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_renewed_in_the_background_and_kept_through_failures() {
    let (old, new) = (Signer::es256("old"), Signer::es256("new"));
    let issuer = Issuer::start(Mode::Keys(vec![old.jwk()])).await;
    let (service, clock) = started(&issuer).await;
    let token = old.token(&claims("user-1", json!({})));
    assert!(is_let_in(&service, &token).await);
    let mut request_count = 1;
    for invalid in [
        Mode::Raw(500, "{}".into()),
        Mode::Raw(200, "<html>hello</html>".into()),
        Mode::Raw(200, r#"{"keys":7}"#.into()),
        Mode::Raw(302, String::new()),
        Mode::Raw(200, " ".repeat(2 << 20)),
        Mode::Raw(404, r#"{"keys":[]}"#.into()),
    ] {
        issuer.answer_with(invalid);
        clock.advance(10 * MINUTE_MS);
        assert!(is_let_in(&service, &token).await);
        request_count += 1;
        eventually("another try", async || issuer.requests() == request_count).await;
        let fresh = old.token(&claims("user-1", json!({ "n": request_count })));
        assert!(is_let_in(&service, &fresh).await, "the old keys serve");
    }
    // While it hangs, too; what it says in the end holds, and what it left out does not.
    issuer.answer_with(Mode::Hang(vec![new.jwk()]));
    clock.advance(MINUTE_MS / 2);
    let short = claims("user-1", json!({ "exp": crate::START.seconds() + 86_400 }));
    let token = old.token(&short);
    assert!(is_let_in(&service, &token).await);
    eventually("another try", async || {
        issuer.requests() == request_count + 1
    })
    .await;
    assert!(is_let_in(&service, &token).await);
    issuer.let_go();
    eventually("the end of the old key", async || {
        !is_let_in(&service, &token).await
    })
    .await;
    assert!(is_let_in(&service, &new.token(&short)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_late_is_found_when_it_comes() {
    let signer = Signer::rsa("r");
    let issuer = Issuer::start(Mode::Raw(503, String::new())).await;
    let (service, clock) = started(&issuer).await;
    let token = signer.token(&claims("user-1", json!({})));
    assert!(!is_let_in(&service, &token).await);
    let request_count = issuer.requests();
    assert!((1..=2).contains(&request_count), "{request_count}");
    assert!(!is_let_in(&service, &token).await);
    assert!(!is_let_in(&service, &token).await);
    let request_count = issuer.requests();
    assert!((1..=2).contains(&request_count), "{request_count}");
    issuer.answer_with(Mode::Keys(vec![signer.jwk()]));
    clock.advance(5_000);
    assert!(is_let_in(&service, &token).await);
    // The development key goes beside it.
    let local = service.user_token(crate::UUID);
    assert!(is_let_in(&service, &local).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_anyway_makes_nobody_look() {
    let (signer, other) = (Signer::rsa("r"), Signer::rsa("other"));
    let issuer = Issuer::start(Mode::Keys(vec![signer.jwk()])).await;
    let (service, _) = started(&issuer).await;
    let valid = claims("user-1", json!({}));
    assert!(is_let_in(&service, &signer.token(&valid)).await);
    let jku = format!("{}-elsewhere", issuer.url);
    let header = json!({ "alg": "RS256", "kid": "r", "jku": jku, "x5u": jku });
    assert!(!is_let_in(&service, &other.token_with(&header, &valid)).await);
    for wrong in [
        json!({ "iss": "https://other.example.com/" }),
        json!({ "aud": ["other"] }),
        json!({ "exp": crate::START.seconds() - 30 }),
        json!({ "nbf": crate::START.seconds() + 31 }),
    ] {
        let token = other.token(&claims("user-1", wrong.clone()));
        assert!(!is_let_in(&service, &token).await, "{wrong}");
    }
    assert_eq!(issuer.requests(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_token_ends_when_it_expires() {
    let signer = Signer::rsa("r");
    let issuer = Issuer::start(Mode::Keys(vec![signer.jwk()])).await;
    let (service, clock) = started(&issuer).await;
    let token = signer.token(&claims(
        "user-1",
        json!({ "exp": crate::START.seconds() + 60 }),
    ));
    for (advance_ms, let_in) in [(0, true), (0, true), (89_999, true), (1, false), (0, false)] {
        clock.advance(advance_ms);
        assert_eq!(is_let_in(&service, &token).await, let_in);
    }
}

/// No development key is made there, and HS256 never goes with a provider's.
#[tokio::test(flavor = "multi_thread")]
async fn production_takes_the_providers_tokens_only() {
    let signer = Signer::rsa("r");
    let issuer = Issuer::start(Mode::Keys(vec![signer.jwk()])).await;
    let mut settings = issuer.settings();
    settings.push(("ENVIRONMENT", "production"));
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &settings, Clock::fixed(crate::START)).await;
    assert!(is_let_in(&service, &signer.token(&claims("user-1", json!({})))).await);
    let pem = signer.public_pem();
    for secret in [pem.as_bytes(), b"", crate::support::EDGE_SECRET.as_bytes()] {
        let header = json!({ "alg": "HS256", "kid": "r" });
        let token = crate::signer::hmac_token(secret, &header, &claims("user-1", json!({})));
        assert!(!is_let_in(&service, &token).await);
    }
}
