//! Trying a webhook on a sample: what would be read and said, and the command that does it.

use super::*;

async fn rehearse(market: &Market, body: &str) -> Answer {
    let path = format!("{}/test", market.path());
    let request = request("POST", &path).bearer(&market.token).raw(body);
    market.service.send(&request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_and_everything_is_shown() {
    let market = Market::open().await;
    let tried = rehearse(&market, r#"{"title":"it's","list":[1],"no":null}"#).await;
    assert_eq!(tried.status, 200, "{}", tried.text);
    let tried = tried.json();
    assert_eq!(tried["fields"], json!({"title": "it's"}));
    assert_eq!(tried["missing"], json!([]));
    assert_eq!(tried["text"], "it's ");
    let mapping = json!({"payload_mapping": {"title": "a.0.b", "n": "a.1", "o": "a.0"}});
    assert_eq!(market.patch(&mapping).await.status, 200);
    let tried = rehearse(&market, r#"{"a":[{"b":"x"}]}"#).await.json();
    assert_eq!(tried["fields"], json!({"title": "x", "o": {"b": "x"}}));
    assert_eq!(tried["missing"], json!(["a.1"]));
    assert_eq!(tried["text"], "x ");
    refused(&rehearse(&market, "{").await, 422, "validation_failed");
    let long = format!("\"{}\"", "x".repeat(65_536));
    refused(&rehearse(&market, &long).await, 413, "payload_too_large");
    let path = format!("{}/test", market.path());
    let text = request("POST", &path).header("Content-Type", "text/plain");
    let answer = market
        .service
        .send(&text.bearer(&market.token).raw("{}"))
        .await;
    refused(&answer, 415, "unsupported_media_type");
    assert_eq!(market.sent_texts().len(), 0);
    assert_eq!(market.events().await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn required_fields_without_a_value_are_named() {
    let market = Market::open().await;
    let path = format!("/marketplace/apps/{}", market.app_id);
    let mut action = says("say", "{who}");
    action["parameters"] = json!(["who", "when"]);
    let draft = json!({"name": "n", "actions": [action]});
    let update = request("PUT", &path).json(&draft).bearer(&market.token);
    assert_eq!(market.service.send(&update).await.status, 200);
    let mapping = json!({"payload_mapping": {"when": "at"}});
    assert_eq!(market.patch(&mapping).await.status, 200);
    let tried = rehearse(&market, r#"{"who":"Ada"}"#).await.json();
    assert_eq!(tried["fields"], json!({}));
    assert_eq!(tried["missing"], json!(["at", "who", "when"]));
    assert_eq!(tried["text"], "");
}

/// The command is for a shell, so a shell runs it.
#[tokio::test(flavor = "multi_thread")]
async fn the_command_works_as_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, &[], Clock::system()).await;
    let market = Market::on(service).await;
    let body = "{\"title\":\"it's \\\"$HOME\\\" `x` \\\\ ü\",\n \"n\": 1}";
    let address = market.service.address.to_string();
    for scheme in ["plain", "standard"] {
        let change = json!({"scheme": scheme});
        assert_eq!(market.patch(&change).await.status, 200);
        let tried = rehearse(&market, body).await.json();
        let curl = tried["curl"].as_str().unwrap();
        // The service listens elsewhere than its configuration says.
        let curl = curl.replace("127.0.0.1:8080", &address);
        assert!(!curl.contains(&market.secret));
        let ran = tokio::task::spawn_blocking(move || {
            let command = format!("{curl} --noproxy '*' -s -o /dev/null -w '%{{http_code}}'");
            std::process::Command::new("sh")
                .args(["-c", &command])
                .output()
        });
        let output = ran.await.unwrap().unwrap();
        let status = String::from_utf8_lossy(&output.stdout).into_owned();
        if status.is_empty() {
            return; // there is no curl on this machine
        }
        assert_eq!(status, "200", "{output:?}");
    }
    let expected = "it's \"$HOME\" `x` \\ ü 1";
    assert_eq!(market.sent_texts(), [expected, expected]);
}
