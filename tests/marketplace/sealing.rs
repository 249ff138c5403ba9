//! Secrets are kept so that the database alone gives none of them away.

use super::*;

const BODY: &str = r#"{"title":"x","n":1}"#;

/// Stops the market's service and starts another on its folder.
async fn restarted(
    market: Market,
    settings: &[(&str, &str)],
    change: impl FnOnce(&std::path::Path),
) -> Market {
    let (_, folder) = market.service.stop().await;
    change(folder.path());
    let service = Service::in_folder(folder, settings, Clock::system()).await;
    Market {
        service,
        token: market.token,
        app_id: market.app_id,
        webhook_id: market.webhook_id,
        secret: market.secret,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_holds_no_secret_and_the_key_is_beside_it() {
    let market = Market::open().await;
    assert_eq!(market.call(BODY).await.status, 200);
    let secret = market.secret.clone();
    let market = restarted(market, &[], |folder| {
        let key = std::fs::read_to_string(folder.join("sealing.key")).unwrap();
        assert_eq!(key.trim_end().len(), 64);
        let bytes = hex::decode(&secret).unwrap();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let content = std::fs::read(&path).unwrap();
            let holds = |part: &[u8]| content.windows(part.len()).any(|w| w == part);
            assert!(!holds(secret.as_bytes()), "{}", path.display());
            assert!(!holds(&bytes), "{}", path.display());
            let is_key = path.ends_with("sealing.key");
            assert_eq!(
                holds(key.trim_end().as_bytes()),
                is_key,
                "{}",
                path.display()
            );
        }
    })
    .await;
    assert_eq!(market.call(BODY).await.status, 200);
    for request in [
        get(&market.path().replace(&market.webhook_id, "")),
        get(&format!("{}/events", market.path())),
    ] {
        let answer = market.service.send(&request.bearer(&market.token)).await;
        assert!(!answer.text.contains(&market.secret), "{}", answer.text);
    }
}

/// It is never made anew while something is sealed with the lost one.
#[tokio::test(flavor = "multi_thread")]
async fn without_the_key_webhooks_wait_for_it() {
    let market = Market::open().await;
    let mut key = Vec::new();
    let market = restarted(market, &[], |folder| {
        key = std::fs::read(folder.join("sealing.key")).unwrap();
        std::fs::remove_file(folder.join("sealing.key")).unwrap();
    })
    .await;
    refused(&market.call(BODY).await, 503, "unavailable");
    let body = json!({"action_id": "say"});
    let answer = create_hook(&market.service, &market.token, &market.app_id, &body).await;
    refused(&answer, 503, "unavailable");
    let answer = market.manage("POST", "/rotate-secret").await;
    refused(&answer, 503, "unavailable");
    assert!(!market.service.folder.path().join("sealing.key").exists());
    let market = restarted(market, &[], |folder| {
        std::fs::write(folder.join("sealing.key"), &key).unwrap();
    })
    .await;
    assert_eq!(market.call(BODY).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_key_opens_nothing_until_secrets_are_rotated() {
    let market = Market::open().await;
    let settings = [(
        "CHATKEEP_MARKETPLACE_SEALING_KEY", "another key of the operator's",
    )];
    let market = restarted(market, &settings, |_| ()).await;
    refused(&market.call(BODY).await, 503, "unavailable");
    let rotated = market.manage("POST", "/rotate-secret").await.json();
    let secret = rotated["new_secret"].as_str().unwrap();
    let request = signed(&market.webhook_id, secret, BODY);
    assert_eq!(market.service.send(&request).await.status, 200);
}

/// `chatkeep check`, with the key beside the database and with another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_check_names_a_key_that_opens_nothing() {
    let market = Market::open().await;
    restarted(market, &[], |folder| {
        let errors_with = |key: Option<&str>| {
            let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chatkeep"));
            command.arg("check").current_dir(folder);
            command.env("CHATKEEP_STORAGE_PATH", folder.join("chatkeep.db"));
            if let Some(key) = key {
                command.env("CHATKEEP_MARKETPLACE_SEALING_KEY", key);
            }
            String::from_utf8(command.output().unwrap().stderr).unwrap()
        };
        let own = errors_with(None);
        assert!(!own.contains("marketplace.sealing_key"), "{own}");
        let other = errors_with(Some("another key of the operator's"));
        assert!(
            other.contains("marketplace.sealing_key: this is not"),
            "{other}"
        );
    })
    .await;
}

/// A production configuration that says nothing of the key starts all the same.
#[tokio::test(flavor = "multi_thread")]
async fn production_keeps_its_key_beside_the_database() {
    let settings = [
        ("ENVIRONMENT", "production"),
        (
            "CHATKEEP_IDENTITY_HS256_SECRET",
            "an-identity-secret-of-at-least-32-bytes",
        ),
    ];
    let market = Market::on(Service::with(&settings).await).await;
    let market = restarted(market, &settings, |folder| {
        assert!(folder.join("sealing.key").exists());
        assert!(!folder.join("secrets.toml").exists());
    })
    .await;
    assert_eq!(market.call(BODY).await.status, 200);
}

/// A secret that was moved to another webhook's row opens nothing there.
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_belongs_to_its_webhook() {
    let market = Market::open().await;
    let body = json!({"action_id": "say"});
    hook(&market.service, &market.token, &market.app_id, &body).await;
    let market = restarted(market, &[], |folder| {
        let conn = rusqlite::Connection::open(folder.join("chatkeep.db")).unwrap();
        let sql =
            "UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = 2) WHERE id = 1";
        conn.execute(sql, []).unwrap();
    })
    .await;
    refused(&market.call(BODY).await, 503, "unavailable");
}
