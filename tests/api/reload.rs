//! SIGHUP: what a running service takes from its configuration, what waits for the next start,
//! and that nothing changes where the configuration can't be used.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::process::Process;
use crate::support::telegram::{TOKEN, Telegram};
use crate::support::{Answer, RelaySocket, Request, direct, eventually, get, post};
use chatkeep::auth::edge_token;
use chatkeep::clock::Clock;
use serde_json::json;

const AGENT: &str = "bridge";
const BEFORE: &str = "before-before-before-before-before";
const AFTER: &str = "after-after-after-after-after-after";

/// A service whose settings all come from files in a folder.
struct ReloadedService {
    process: Process,
    folder: tempfile::TempDir,
}

impl ReloadedService {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_secrets(folder.path(), BEFORE);
        fs::write(path("service.toml"), settings("Juno", "")).unwrap();
        let config = path("service.toml");
        let from_the_file = [
            ("CHATKEEP_CONFIG", config.to_str().unwrap()),
            ("EDGE_SECRET", ""),
            ("CHATKEEP_ADMIN_TOKEN", ""),
        ];
        let process = Process::start(&path("chatkeep.db"), &from_the_file).unwrap();
        Self { process, folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// Tells the service to reload, until its log says so with `words`.
    async fn reload(&self, words: &str) {
        let known = self.log().matches(words).count();
        self.process.signal("HUP");
        eventually(words, async || self.log().matches(words).count() > known).await;
    }

    async fn status(&self, request: Request) -> u16 {
        self.process.send(&request).await.status
    }

    async fn admin(&self, token: &str) -> u16 {
        self.status(get("/admin/edge-agents").bearer(token)).await
    }

    async fn say(&self, secret: &str, text: &str) -> Answer {
        let message = post("/edge/message", &direct("+15550100", text));
        self.process.send(&message.bearer(&token(secret))).await
    }
}

fn token(secret: &str) -> String {
    edge_token::issue(secret, AGENT, "+15550100", Clock::system().now().seconds())
}

fn write_secrets(folder: &Path, word: &str) {
    for name in ["edge", "admin", "legacy"] {
        fs::write(folder.join(name), format!("{name}-{word}\n")).unwrap();
    }
}

fn settings(persona: &str, more: &str) -> String {
    format!(
        "[log]\nfile = \"log\"\n[edge]\nsecret_file = \"edge\"\nlegacy_secret_file = \"legacy\"\n\
         [admin]\ntoken_file = \"admin\"\n[reply]\npersona_name = \"{persona}\"\n{more}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_texts_and_the_log_are_taken_and_the_rest_is_named() {
    let service = ReloadedService::start();
    let (old, new) = (format!("edge-{BEFORE}"), format!("edge-{AFTER}"));
    let answer = service.say(&old, "hello").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let address = service.process.address;
    let mut relay = RelaySocket::open(address, AGENT, &token(&old))
        .await
        .unwrap();

    write_secrets(service.folder.path(), AFTER);
    let more = "[storage]\nreaders = 5\n[server]\ntrusted_proxies = [\"192.0.2.1\"]\n";
    let text = settings("Ada", more).replace("[edge]", "level = \"debug\"\n[edge]");
    fs::write(service.path("service.toml"), text).unwrap();
    fs::rename(service.path("log"), service.path("log.1")).unwrap();
    service.reload("reload: admin.token, edge.legacy_secret, edge.secret, log.level, reply.persona_name, server.trusted_proxies changed").await;

    let log = service.log();
    assert!(
        log.contains("storage.readers has changed, which takes effect at the next start"),
        "{log}"
    );
    assert!(!log.contains(AFTER) && !log.contains(BEFORE), "{log}");
    assert_eq!(
        relay.closed().await.map(|close| close.code.into()),
        Some(1012_u16)
    );
    assert_eq!(
        RelaySocket::open(address, AGENT, &token(&old)).await.err(),
        Some(401)
    );
    RelaySocket::open(address, AGENT, &token(&new))
        .await
        .unwrap();
    assert_eq!(service.say(&old, "hello").await.status, 401);
    let reply_text = service.say(&new, "what is your name?").await;
    assert_eq!(reply_text.status, 200, "{}", reply_text.text);
    assert!(reply_text.text.contains("Ada"), "{}", reply_text.text);
    assert_eq!(service.admin(&format!("admin-{BEFORE}")).await, 401);
    assert_eq!(service.admin(&format!("admin-{AFTER}")).await, 200);
    for (word, expected) in [(BEFORE, 401), (AFTER, 200)] {
        let message = post("/orchestrator/message", &direct("+15550101", "hello"));
        let status = service
            .status(message.bearer(&format!("legacy-{word}")))
            .await;
        assert_eq!(status, expected, "{word}");
    }
    // At the level of before, why a credential was refused was not told.
    eventually("debug lines", async || service.log().contains(" DEBUG ")).await;
    let rotated = fs::read_to_string(service.path("log.1")).unwrap();
    assert!(rotated.contains(" INFO "), "{rotated}");
    assert!(!rotated.contains("reload:"), "{rotated}");
    assert_eq!(service.process.log(), "", "nothing goes to stderr");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_that_can_not_be_used_changes_nothing() {
    let service = ReloadedService::start();
    service.reload("reload: nothing that may change").await;
    write_secrets(service.folder.path(), AFTER);
    let file = service.path("service.toml");
    let sound = fs::read_to_string(&file).unwrap();
    for (text, expected) in [
        (format!("{sound}[reply"), "not valid TOML"),
        (
            format!("{sound}tone = \"kind\"\n"),
            "reply.tone: is not a known key",
        ),
        (
            sound.replace("\"edge\"", "\"nowhere\""),
            "edge.secret: the file nowhere",
        ),
    ] {
        fs::write(&file, text).unwrap();
        fs::rename(service.path("log"), service.path("log.1")).unwrap();
        service.reload("the settings stay as they were").await;
        let log = service.log();
        assert!(log.contains(expected), "{log}");
        assert_eq!(service.admin(&format!("admin-{BEFORE}")).await, 200);
        assert_eq!(
            service.say(&format!("edge-{BEFORE}"), "hello").await.status,
            200
        );
    }
    fs::write(&file, &sound).unwrap();
    service.reload("reload: admin.token").await;
    assert_eq!(service.admin(&format!("admin-{AFTER}")).await, 200);
    let health = service.process.send(&get("/health")).await.json();
    assert_eq!(health["status"], json!("ok"));
}

/// A relay takes its new list, goes when its section goes, and comes when one comes.
#[tokio::test(flavor = "multi_thread")]
async fn a_relay_is_started_anew_with_its_section() {
    let telegram = Telegram::start();
    let service = ReloadedService::start();
    let section = |allow: &str| {
        format!(
            "[relay.telegram]\ntoken = \"{TOKEN}\"\nbase_url = \"http://{}\"\nallow = [{allow}]\n",
            telegram.address
        )
    };
    let config = service.path("service.toml");
    let write = |more: &str| fs::write(&config, settings("Juno", more)).unwrap();
    let health = async || service.process.send(&get("/health")).await.json();
    assert!(health().await["checks"].get("telegram").is_none());

    write(&section(""));
    service
        .reload(
            "reload: relay.telegram.allow, relay.telegram.base_url, relay.telegram.token changed",
        )
        .await;
    telegram.say(501, "hello");
    eventually("a stranger in the log", async || {
        service.log().contains("allow = [\"501\"]")
    })
    .await;
    eventually("a healthy relay", async || {
        health().await["checks"]["telegram"] == "ok"
    })
    .await;
    // Else the next relay reads it again.
    eventually("it confirmed", async || telegram.unconfirmed() == 0).await;

    write(&section("\"501\""));
    service.reload("reload: relay.telegram.allow changed").await;
    telegram.say(501, "my name is Ada");
    eventually("an answer", async || {
        telegram.texts(501) == ["Nice to meet you, Ada!"]
    })
    .await;

    write("");
    service
        .reload(
            "reload: relay.telegram.allow, relay.telegram.base_url, relay.telegram.token changed",
        )
        .await;
    assert!(health().await["checks"].get("telegram").is_none());
}
