//! What the log says of requests, and what nothing may ever say: a service at its most
//! talkative is given secrets in every place and made to fail in every way, and then its log
//! and all its errors are searched.

#![allow(clippy::unwrap_used)]

mod support;

#[path = "support/signer.rs"]
mod signer;
#[path = "support/stripe.rs"]
mod stripe;

use std::collections::HashSet;
use std::time::Duration;

use chatkeep::auth::edge_token;
use chatkeep::auth::webhook_signature::WebhookKey;
use chatkeep::clock::Clock;
use serde_json::{Value, json};
use stripe::Stripe;
use support::mem0::{self, Mem0};
use support::model_server::{INTERNALS, Mode, ModelServer};
use support::process::Process;
use support::{ADMIN_TOKEN, Answer, EDGE_SECRET, RelaySocket, Request, eventually};
use support::{get, post, request};

const LEGACY_SECRET: &str = "legacy-canary-of-the-tests";
const IDENTITY_SECRET: &str = "identity-canary-of-at-least-32-bytes";
const FLAGS_KEY: &str = "sdk-canary-of-the-tests";
const MODEL_KEY: &str = "sk-model-canary-of-the-tests";
const MAIL_PASSWORD: &str = "mail-canary-of-the-tests";
const SEALING_KEY: &str = "5ea1cafe5ea1cafe5ea1cafe5ea1cafe5ea1cafe5ea1cafe5ea1cafe5ea1cafe";
/// Of every phone here.
const PHONE: &str = "5550142";
const SENDER: &str = "+15550142001";
/// In every text here.
const TEXT: &str = "xyzzy";
const EMAIL: &str = "canary@example.com";
const NAME: &str = "Canary Bird";
const AGENT: &str = "relay.15550142004";
const DAY_S: i64 = 86_400;

/// A service that logs everything, and everybody that it asks.
struct Talkative {
    process: Process,
    folder: tempfile::TempDir,
    model: ModelServer,
    memories: Mem0,
    stripe: Stripe,
    /// Made on the way; to be found nowhere.
    secrets: Vec<String>,
    errors: Vec<Answer>,
}

impl Talkative {
    async fn start() -> Self {
        let (model, memories, stripe) =
            (ModelServer::start().await, Mem0::start(), Stripe::start());
        let mut settings: Vec<(String, String)> = model.settings();
        let beside = memories.settings().into_iter().chain(stripe.settings());
        settings.extend(beside.map(|(name, value)| (name.to_owned(), value)));
        let elsewhere = format!("http://{}", model.address);
        let plain = [
            ("CHATKEEP_LOG", "trace"),
            ("RELAY_WEBHOOK_SECRET", LEGACY_SECRET),
            ("CHATKEEP_IDENTITY_HS256_SECRET", IDENTITY_SECRET),
            ("CHATKEEP_FLAGS_PROVIDER", "launchdarkly"),
            ("CHATKEEP_FLAGS_BASE_URL", &elsewhere),
            ("FLAGS_SDK_KEY", FLAGS_KEY),
            ("CHATKEEP_REPLY_API_KEY", MODEL_KEY),
            ("CHATKEEP_MARKETPLACE_SEALING_KEY", SEALING_KEY),
            ("CHATKEEP_MAIL_FROM", "Juno <juno@example.com>"),
        ];
        settings.extend(plain.map(|(name, value)| (name.to_owned(), value.to_owned())));
        settings.push((
            "CHATKEEP_MAIL_SMTP_URL".to_owned(),
            format!("smtp://juno:{MAIL_PASSWORD}@127.0.0.1:9"),
        ));
        let settings: Vec<(&str, &str)> = settings
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let process = Process::start(&folder.path().join("chatkeep.db"), &settings).unwrap();
        Self {
            process,
            folder,
            model,
            memories,
            stripe,
            secrets: Vec::new(),
            errors: Vec::new(),
        }
    }

    async fn send(&mut self, request: Request) -> Answer {
        let answer = self.process.send(&request).await;
        if answer.status >= 400 {
            self.errors.push(answer.clone());
        }
        answer
    }

    fn secret(&mut self, secret: impl Into<String>) -> String {
        self.secrets.push(secret.into());
        self.secrets.last().unwrap().clone()
    }

    fn edge_token(&mut self) -> String {
        let now = Clock::system().now().seconds();
        let token = edge_token::issue(EDGE_SECRET, AGENT, SENDER, now);
        self.secret(token)
    }

    fn user_token(&mut self, sub: &str, ttl_s: i64) -> String {
        let now = Clock::system().now().seconds();
        let claims = json!({
            "sub": sub, "exp": now + ttl_s, "iat": now, "email": EMAIL, "name": NAME,
            "phone_number": SENDER, "phone_number_verified": true,
        });
        let header = json!({"alg": "HS256", "typ": "JWT"});
        let token = signer::hmac_token(IDENTITY_SECRET.as_bytes(), &header, &claims);
        let signature = token.rsplit('.').next().unwrap().to_owned();
        self.secret(signature);
        token
    }

    async fn messages(&mut self) {
        let token = self.edge_token();
        let message = |text: &str| {
            json!({
                "chat_guid": format!("any;-;{SENDER}"), "mode": "direct", "sender": SENDER,
                "text": format!("{text} {TEXT}"), "timestamp": 1_700_000_000,
                "participants": [SENDER, "+15550142002"], "context": {"owner": "+15550142003"},
            })
        };
        for text in [
            "hello", "remember that I like", "remind me in 2 hours to", "what is",
        ] {
            let answer = self
                .send(post("/edge/message", &message(text)).bearer(&token))
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        for mode in [Mode::Status(500, None), Mode::Garbage, Mode::Close] {
            self.model.next(mode.clone());
            self.model.next(mode);
            let answer = self
                .send(post("/edge/message", &message("why")).bearer(&token))
                .await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        for mode in ["500", "garbage", "lost"] {
            self.memories.set_mode(mode);
            let call = message("what do you remember about");
            self.send(post("/edge/message", &call).bearer(&token)).await;
        }
        self.memories.set_mode("");
        let legacy = post("/orchestrator/message", &message("hello"));
        self.send(legacy.clone().bearer(LEGACY_SECRET)).await;
        self.send(legacy.bearer(&format!("{LEGACY_SECRET}x"))).await;
        let raw = format!("{{\"chat_guid\": \"{TEXT}\", \"sender\": \"{SENDER}\", \"{TEXT}\": 1");
        self.send(request("POST", "/edge/message").bearer(&token).raw(raw))
            .await;
        let mut wrong = message("hello");
        wrong["mode"] = json!(TEXT);
        wrong["participants"] = json!([SENDER, 7]);
        self.send(post("/edge/message", &wrong).bearer(&token))
            .await;
        self.send(post("/edge/message", &wrong).bearer(EDGE_SECRET))
            .await;
        self.send(post("/edge/message", &wrong).bearer(&format!("{token}0")))
            .await;
        let keyed = post("/edge/message", &message("keyed")).bearer(&token);
        let keyed = keyed.header("Idempotency-Key", TEXT);
        self.send(keyed.clone()).await;
        self.send(keyed.raw(message("another").to_string())).await;
    }

    async fn relays(&mut self) {
        let token = self.edge_token();
        let mut relay = RelaySocket::open(self.process.address, AGENT, &token)
            .await
            .unwrap();
        for frame in [
            json!({"type": TEXT, "data": SENDER}),
            json!({"type": "command_ack", "data": {"command_id": TEXT, "status": TEXT}}),
            json!({"type": "status", "data": {"phone": SENDER, "text": TEXT}}),
        ] {
            relay.say(&frame).await;
        }
        relay.settle().await;
        for agent in [AGENT, "another"] {
            let path = format!("/edge/ws?edge_agent_id={agent}&token={token}");
            self.send(get(&path).bearer(&token)).await;
        }
        let poll = json!({
            "edge_agent_id": AGENT, "acks": [{"command_id": TEXT, "status": "failed", "error": TEXT}],
            "pending_events": [{"event_id": TEXT, "type": TEXT, "data": {"phone": SENDER}}],
            "status": {"phone": SENDER},
        });
        self.send(post("/edge/sync", &poll).bearer(&token)).await;
        let path = format!("/admin/edge-agents/{AGENT}/revoke");
        self.send(request("POST", &path).bearer(ADMIN_TOKEN)).await;
        self.send(post("/edge/sync", &poll).bearer(&token)).await;
    }

    async fn people(&mut self, token: &str, user_id: &str) {
        let expired = self.user_token("somebody", -600);
        self.send(get("/account").bearer(&expired)).await;
        self.send(get(&format!("/account?access_token={token}")).bearer(&format!("{token}x")))
            .await;
        let paths = [
            "/account".to_owned(),
            "/billing/history".to_owned(),
            "/api/v1/payment/status".to_owned(),
            format!("/api/v1/usage/limits/{user_id}"),
            format!("/api/v1/usage/limits/{SENDER}"),
            format!("/account/export/{TEXT}"),
            format!("/nowhere/{SENDER}?secret={ADMIN_TOKEN}&text={TEXT}"),
        ];
        for path in &paths {
            self.send(get(path).bearer(token)).await;
        }
        for mode in ["ok", "500", "garbage", "refuse"] {
            self.stripe.mode(mode);
            let checkout = json!({"plan": "monthly", "success_url": format!("https://{TEXT}.example/{SENDER}")});
            self.send(post("/api/v1/payment/checkout/subscription", &checkout).bearer(token))
                .await;
            let plain = json!({"plan": "monthly"});
            self.send(post("/api/v1/payment/checkout/subscription", &plain).bearer(token))
                .await;
            self.send(get("/billing/history").bearer(token)).await;
        }
        let event = json!({"id": TEXT, "type": TEXT, "data": {"object": {"email": EMAIL}}});
        let forged =
            post("/payment/events", &event).header("Stripe-Signature", stripe::WEBHOOK_SECRET);
        self.send(forged).await;
        let export = self
            .send(request("POST", "/account/export").bearer(token))
            .await;
        assert_eq!(export.status, 200, "{}", export.text);
        self.send(post("/account/deletion", &json!({"confirmation": TEXT})).bearer(token))
            .await;
    }

    async fn webhooks(&mut self, token: &str) {
        let action = json!({
            "action_id": "say", "kind": "send_message", "template": format!("{TEXT} {{title}}"),
            "parameters": ["title"],
        });
        let app = json!({"name": format!("{NAME} {TEXT}"), "actions": [action]});
        let app = self
            .send(post("/marketplace/apps", &app).bearer(token))
            .await
            .json();
        let app_id = app["app_id"].as_str().unwrap();
        let path = format!("/marketplace/webhooks/{app_id}");
        let mapped = json!({"action_id": "say", "payload_mapping": {"title": format!("{TEXT}.0")}});
        self.send(post(&path, &json!({"action_id": TEXT})).bearer(token))
            .await;
        for settings in [json!({"action_id": "say"}), mapped] {
            let hook = self.send(post(&path, &settings).bearer(token)).await.json();
            let secret = self.secret(hook["secret"].as_str().unwrap());
            let id = hook["webhook_id"].as_str().unwrap();
            let call = |body: &str, secret: &str| {
                let signature = WebhookKey::new(secret).sign_plain(body.as_bytes());
                let call = request("POST", &format!("/webhooks/{id}")).raw(body);
                call.header("X-Webhook-Signature", &signature)
            };
            let body = json!({"title": format!("{TEXT} {SENDER}")}).to_string();
            self.send(call(&body, &secret)).await;
            self.send(call(&body, &format!("{secret}0"))).await;
            self.send(call(&format!("{{{TEXT} {SENDER}"), &secret))
                .await;
            self.send(call("{}", &secret)).await;
            let large = TEXT.repeat(20_000);
            self.send(call(&large, &secret)).await;
            let rotate = format!("{path}/{id}/rotate-secret");
            let rotated = self
                .send(request("POST", &rotate).bearer(token))
                .await
                .json();
            self.secret(rotated["new_secret"].as_str().unwrap());
            self.send(get(&format!("{path}/{id}/events?limit={TEXT}")).bearer(token))
                .await;
        }
    }

    async fn operators(&mut self, user_id: &str) {
        let grant = json!({"plan": TEXT, "until": SENDER});
        for call in [
            get("/admin/users").bearer(&format!("{ADMIN_TOKEN}x")),
            get(&format!("/admin/users?phone={SENDER}")).bearer(ADMIN_TOKEN),
            get(&format!("/admin/users/{TEXT}")).bearer(ADMIN_TOKEN),
            get("/admin/messages/1?text=true").bearer(ADMIN_TOKEN),
            get(&format!("/admin/messages/{TEXT}")).bearer(ADMIN_TOKEN),
            get("/admin/feature-flags").bearer(ADMIN_TOKEN),
            get("/admin/edge-agents").bearer(ADMIN_TOKEN),
            get("/metrics").bearer(ADMIN_TOKEN),
            get(&format!("/metrics?token={ADMIN_TOKEN}")),
            request("PUT", &format!("/admin/feature-flags/{TEXT}"))
                .json(&json!({"value": TEXT}))
                .bearer(ADMIN_TOKEN),
            request("PUT", &format!("/admin/users/{user_id}/grant"))
                .json(&grant)
                .bearer(ADMIN_TOKEN),
            post(
                "/admin/billing/reconcile",
                &json!({"after": "", "dry_run": true}),
            )
            .bearer(ADMIN_TOKEN),
        ] {
            self.send(call).await;
        }
    }

    /// Its account is erased, and nobody takes the mail that says so.
    async fn erase(&mut self, user_id: &str) {
        self.stripe.mode("ok");
        let past = (Clock::system().now().seconds() - DAY_S) * 1000;
        let other = rusqlite::Connection::open(self.folder.path().join("chatkeep.db")).unwrap();
        other.busy_timeout(Duration::from_secs(5)).unwrap();
        let due = "UPDATE users SET deletion_requested_at = ?1, deletion_scheduled_for = ?1
                   WHERE user_id = ?2";
        assert_eq!(other.execute(due, (past, user_id)).unwrap(), 1);
        self.send(request("POST", "/admin/purge").bearer(ADMIN_TOKEN))
            .await;
        let process = &self.process;
        eventually("the purge tells of the account and the mail", async || {
            let log = process.log();
            log.contains("was erased") && log.contains("a mail could not be sent")
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_anybodys_own_gets_into_the_log_or_an_error() {
    let mut service = Talkative::start().await;
    service.messages().await;
    service.relays().await;
    let token = service.user_token("canary-subject", 3600);
    let account = service.send(get("/account").bearer(&token)).await;
    assert_eq!(account.status, 200, "{}", account.text);
    let database = service.folder.path().join("chatkeep.db");
    let named = format!("SELECT user_id FROM users WHERE phone = '{SENDER}'");
    let rows = support::rows(&database, &named);
    let user_id = rows[0][0].as_str().unwrap().to_owned();
    service.people(&token, &user_id).await;
    service.webhooks(&token).await;
    service.operators(&user_id).await;
    service.erase(&user_id).await;
    service.process.signal("TERM");
    assert_eq!(
        service.process.ended(Duration::from_secs(20)).code(),
        Some(0)
    );

    let mut never: Vec<String> = [
        EDGE_SECRET,
        ADMIN_TOKEN,
        LEGACY_SECRET,
        IDENTITY_SECRET,
        FLAGS_KEY,
        MODEL_KEY,
        MAIL_PASSWORD,
        SEALING_KEY,
        stripe::SECRET_KEY,
        stripe::TEST_SECRET_KEY,
        stripe::WEBHOOK_SECRET,
        mem0::KEY,
        INTERNALS,
        PHONE,
        TEXT,
        EMAIL,
        NAME,
    ]
    .map(str::to_owned)
    .into();
    never.extend(service.secrets.clone());
    let log = service.process.log();
    let statuses: HashSet<u16> = service.errors.iter().map(|answer| answer.status).collect();
    for status in [400, 401, 404, 405, 413, 422, 503] {
        assert!(statuses.contains(&status) || status == 405, "{statuses:?}");
    }
    assert!(
        log.contains("route=/webhooks/{webhook_id} status=500"),
        "{log}"
    );
    for secret in never {
        let leak = log.lines().find(|line| line.contains(&secret));
        assert_eq!(leak, None, "{secret}");
        for answer in &service.errors {
            assert!(!answer.text.contains(&secret), "{secret}: {}", answer.text);
        }
    }
}

/// One line a request, with what an operator looks for.
#[tokio::test(flavor = "multi_thread")]
async fn every_request_has_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let json_lines = [("CHATKEEP_LOG_FORMAT", "json")];
    let database = folder.path().join("chatkeep.db");
    let mut service = Process::start(&database, &json_lines).unwrap();
    let token = edge_token::issue(EDGE_SECRET, AGENT, SENDER, Clock::system().now().seconds());
    let message = support::direct(SENDER, TEXT);
    for call in [
        post("/edge/message", &message)
            .bearer(&token)
            .header("X-Request-Id", "mine-1"),
        get("/health").header("X-Request-Id", "mine-2"),
        get("/admin/users").header("X-Request-Id", "mine-3"),
        get("/admin/users/x")
            .bearer(ADMIN_TOKEN)
            .header("X-Request-Id", "mine-4"),
        request("FROB", "/\u{7f}?\"").header("X-Request-Id", "mine-5"),
        request("FROB", "/a/b").header("X-Request-Id", "mine-6"),
    ] {
        service.send(&call).await;
    }
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(20)).code(), Some(0));
    let log = service.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    let entries: Vec<Value> = lines
        .iter()
        .filter(|line| line["target"] == "chatkeep::http::access")
        .map(|line| {
            assert!(line["ms"].as_f64().is_some_and(|ms| ms >= 0.0), "{line}");
            json!([
                line["request_id"], line["method"], line["route"], line["status"], line["who"]
            ])
        })
        .collect();
    let expected = [
        json!([
            "mine-1", "POST", "/edge/message", 200, "agent:relay.*********04"
        ]),
        json!(["mine-2", "GET", "/health", 200, "anyone"]),
        json!(["mine-3", "GET", "/admin/users", 401, "-"]),
        json!(["mine-4", "GET", "/admin/users/{user_id}", 404, "admin"]),
        json!(["mine-6", "other", "unmatched", 404, "-"]),
    ];
    assert_eq!(entries, expected);
    let quiet = [("CHATKEEP_LOG", "info,chatkeep::http::access=off")];
    let mut service = Process::start(&database, &quiet).unwrap();
    service.send(&get("/health")).await;
    service.signal("TERM");
    assert_eq!(service.ended(Duration::from_secs(20)).code(), Some(0));
    let log = service.log();
    assert!(
        log.contains("stopping") && !log.contains("/health"),
        "{log}"
    );
}
