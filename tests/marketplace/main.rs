//! Apps and webhooks over the wire: who may manage them, what a call brings about, and what
//! becomes of calls that are refused.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod actions;
mod apps;
mod bodies;
mod call_preview;
mod events;
mod ingestion;
mod limits;
mod members;
mod rotation;
mod sealing;
mod shares;
mod standard;
mod webhooks;

use chatkeep::auth::webhook_signature::WebhookKey;
use chatkeep::clock::Clock;
use serde_json::{Value, json};
use support::{Answer, Request, Service, direct, get, post, request, standing_clock};

const CREATOR: &str = "+15550101";

/// A service with one app and one webhook of it.
struct Market {
    service: Service,
    token: String,
    app_id: String,
    webhook_id: String,
    secret: String,
}

impl Market {
    /// Whose app says "{title} {n}" to the creator.
    async fn open() -> Self {
        Self::on(Service::start().await).await
    }

    async fn on(service: Service) -> Self {
        let token = creator(&service).await;
        let app_id = app(&service, &token, &json!([says("say", "{title} {n}")])).await;
        let created = hook(&service, &token, &app_id, &json!({"action_id": "say"})).await;
        Self {
            webhook_id: created["webhook_id"].as_str().unwrap().to_owned(),
            secret: created["secret"].as_str().unwrap().to_owned(),
            service,
            token,
            app_id,
        }
    }

    fn signed(&self, body: &str) -> Request {
        signed(&self.webhook_id, &self.secret, body)
    }

    async fn call(&self, body: &str) -> Answer {
        self.service.send(&self.signed(body)).await
    }

    fn path(&self) -> String {
        format!("/marketplace/webhooks/{}/{}", self.app_id, self.webhook_id)
    }

    async fn patch(&self, change: &Value) -> Answer {
        let request = request("PATCH", &self.path()).json(change);
        self.service.send(&request.bearer(&self.token)).await
    }

    /// Newest first.
    async fn events(&self) -> Vec<Value> {
        let answer = self.manage("GET", "/events?limit=200").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["events"].as_array().unwrap().clone()
    }

    /// Newest first.
    async fn statuses(&self) -> Vec<String> {
        let events = self.events().await;
        let status = |event: &Value| event["result_status"].as_str().unwrap().to_owned();
        events.iter().map(status).collect()
    }

    async fn manage(&self, method: &str, below: &str) -> Answer {
        let path = format!("{}{below}", self.path());
        let request = request(method, &path).bearer(&self.token);
        self.service.send(&request).await
    }

    fn sent_texts(&self) -> Vec<String> {
        sent_texts(&self.service)
    }
}

/// The creator is known from a direct chat, by agent `a`; their token.
async fn creator(service: &Service) -> String {
    person(service, CREATOR).await
}

async fn person(service: &Service, phone: &str) -> String {
    let answer = service.edge_message("a", &direct(phone, "hello")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    service.user_token(&service.user_id(phone))
}

fn says(action_id: &str, template: &str) -> Value {
    json!({"action_id": action_id, "kind": "send_message", "template": template})
}

async fn app(service: &Service, token: &str, actions: &Value) -> String {
    let body = json!({"name": "Door bell", "actions": actions});
    let answer = service
        .send(&post("/marketplace/apps", &body).bearer(token))
        .await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["app_id"].as_str().unwrap().to_owned()
}

async fn hook(service: &Service, token: &str, app_id: &str, body: &Value) -> Value {
    let answer = create_hook(service, token, app_id, body).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

async fn create_hook(service: &Service, token: &str, app_id: &str, body: &Value) -> Answer {
    let path = format!("/marketplace/webhooks/{app_id}");
    service.send(&post(&path, body).bearer(token)).await
}

fn signed(webhook_id: &str, secret: &str, body: &str) -> Request {
    let signature = WebhookKey::new(secret).sign_plain(body.as_bytes());
    unsigned(webhook_id, body).header("X-Webhook-Signature", &signature)
}

fn unsigned(webhook_id: &str, body: &str) -> Request {
    request("POST", &format!("/webhooks/{webhook_id}")).raw(body)
}

/// The texts of all commands, in their order.
fn sent_texts(service: &Service) -> Vec<String> {
    let rows = service.rows("SELECT payload FROM commands WHERE room_id <> 0 ORDER BY id");
    let text = |row: &Vec<Value>| {
        let payload: Value = serde_json::from_str(row[0].as_str().unwrap()).unwrap();
        payload["text"].as_str().unwrap().to_owned()
    };
    rows.iter().map(text).collect()
}

async fn market_at(clock: &Clock, settings: &[(&str, &str)]) -> Market {
    let folder = tempfile::tempdir().unwrap();
    Market::on(Service::in_folder(folder, settings, clock.clone()).await).await
}

fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.code(), code, "{}", answer.text);
}
