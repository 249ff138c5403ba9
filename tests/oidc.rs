//! Signing in with tokens of a real OpenID provider, over the rotation of its keys. It needs
//! one that runs: the readme says how to start it.

#![allow(clippy::unwrap_used)]

#[path = "support/signer.rs"]
mod signer;
mod support;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use signer::b64;
use support::{Answer, Service, get};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const PROVIDER: &str = "CHATKEEP_TEST_OIDC";
const CLIENT: &str = "tester";
const RESOURCE: &str = "urn:assistant-api";
const AUDIENCE: &str = "assistant-api";

struct Provider {
    url: String,
}

impl Provider {
    async fn call(&self, request: support::Request) -> Answer {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&request.bytes()).await.unwrap();
        support::read_answer(&mut stream).await
    }

    /// An access token by client credentials.
    async fn token(&self) -> String {
        let secret = format!("{CLIENT}:{CLIENT}-secret");
        let basic = base64::engine::general_purpose::STANDARD.encode(secret);
        let form = format!("grant_type=client_credentials&scope=api&resource={RESOURCE}");
        let request = support::request("POST", "/token")
            .header("Authorization", &format!("Basic {basic}"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .raw(form);
        let answer = self.call(request).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let body = chunked(&answer);
        body["access_token"].as_str().unwrap().to_owned()
    }

    async fn rotate(&self) {
        let answer = self.call(support::request("POST", "/_rotate")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

/// The JSON of an answer that may have come in chunks.
fn chunked(answer: &Answer) -> Value {
    let from = answer.text.find('{').unwrap();
    let to = answer.text.rfind('}').unwrap();
    serde_json::from_str(&answer.text[from..=to]).unwrap()
}

fn part(token: &str, number: usize) -> Value {
    let part = token.split('.').nth(number).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

async fn usage(service: &Service, token: &str, user_id: &str) -> Answer {
    let path = format!("/api/v1/usage/limits/{user_id}");
    service.send(&get(&path).bearer(token)).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a running OpenID provider, named by CHATKEEP_TEST_OIDC"]
async fn people_of_a_real_provider_sign_in_before_and_after_a_rotation() {
    let url = std::env::var(PROVIDER).expect("CHATKEEP_TEST_OIDC is set");
    let provider = Provider { url };
    let jwks = format!("{}/jwks", provider.url);
    let service = Service::with(&[
        ("CHATKEEP_IDENTITY_JWKS_URL", &jwks),
        ("CHATKEEP_IDENTITY_ISSUER", &provider.url),
        ("CHATKEEP_IDENTITY_AUDIENCE", AUDIENCE),
    ])
    .await;
    let first = provider.token().await;
    let header = part(&first, 0);
    println!("{header} {}", part(&first, 1));
    assert_eq!(header["typ"], "at+jwt");
    let answer = usage(&service, &first, "nobody").await;
    assert_eq!(
        (answer.status, answer.code()),
        (404, "user_not_found".into())
    );
    let user = service.rows("SELECT user_id FROM users");
    let user = user[0][0].as_str().unwrap().to_owned();
    let answer = usage(&service, &first, &user).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["messages"]["remaining"], 50);

    // Bent, it opens nothing.
    let mut claims = part(&first, 1);
    claims["sub"] = "somebody else".into();
    let parts: Vec<&str> = first.split('.').collect();
    let bent = format!("{}.{}.{}", parts[0], b64(claims.to_string()), parts[2]);
    assert_eq!(usage(&service, &bent, &user).await.status, 401);

    provider.rotate().await;
    let second = provider.token().await;
    assert_ne!(part(&second, 0)["kid"], header["kid"]);
    let answer = usage(&service, &second, &user).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    // The provider no longer lists the key of the first.
    assert_eq!(usage(&service, &first, &user).await.status, 401);
    assert_eq!(service.rows("SELECT count(*) FROM users")[0][0], 1);
}
