//! Subscriptions and payments over the wire, with a payment provider that keeps its state and
//! fails in every way.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

#[path = "../support/stripe.rs"]
mod stripe;
#[path = "../support/mod.rs"]
mod support;

mod checkout;
mod counterparts;
mod events;
mod history;
mod others;
mod outages;
mod reconcile;
mod status;
mod tasks;

use chatkeep::auth::payment_signature;
use chatkeep::clock::Clock;
use serde_json::{Value, json};
use stripe::{Stripe, WEBHOOK_SECRET};
use support::{Answer, Service, get, post, request};

const MONTHLY: &str = "price_monthly";
const ANNUAL: &str = "price_annual";

struct World {
    service: Service,
    stripe: Stripe,
    clock: Clock,
}

impl World {
    async fn start() -> Self {
        Self::with(&[]).await
    }

    /// With more settings, named as in the environment.
    async fn with(more: &[(&str, &str)]) -> Self {
        let stripe = Stripe::start();
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed(Clock::system().now());
        Self::again(stripe, folder, clock, more).await
    }

    async fn again(
        stripe: Stripe,
        folder: tempfile::TempDir,
        clock: Clock,
        more: &[(&str, &str)],
    ) -> Self {
        let settings = stripe.settings();
        let mut settings: Vec<(&str, &str)> =
            settings.iter().map(|(k, v)| (*k, v.as_str())).collect();
        settings.extend(more);
        let service = Service::in_folder(folder, &settings, clock.clone()).await;
        // What it compares with the provider at its start is over, and the next time is in an
        // hour: it takes nothing from under a test.
        support::eventually("the first comparison", async || {
            let metrics = service.admin("GET", "/metrics", &json!(null)).await.text;
            let ran = "chatkeep_job_runs_total{job=\"payment_reconcile\"} ";
            let runs = metrics.lines().find_map(|line| line.strip_prefix(ran));
            runs.is_some_and(|runs| runs != "0")
        })
        .await;
        Self {
            service,
            stripe,
            clock,
        }
    }

    /// Signs in; the new user's id.
    async fn user(&self) -> String {
        let id = chatkeep::random::uuid().to_string();
        let answer = self.get(&id, "/billing/history").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        id
    }

    /// A user whom the provider knows, with no call to it.
    async fn customer(&self, customer_id: &str) -> String {
        let user = self.user().await;
        let (customer_copy, id) = (customer_id.to_owned(), user.clone());
        let tied = self.service.app.store.write(move |tx| {
            let id = tx.user_id(&id)?.unwrap();
            tx.tie_customer(id, &customer_copy)
        });
        assert!(tied.await.unwrap());
        let known = json!({"id": customer_id});
        self.stripe
            .state()
            .customers
            .insert(customer_id.to_owned(), known);
        user
    }

    async fn get(&self, user: &str, path: &str) -> Answer {
        let token = self.service.user_token(user);
        self.service.send(&get(path).bearer(&token)).await
    }

    async fn checkout(&self, user: &str, body: Value) -> Answer {
        self.post(user, "/api/v1/payment/checkout/subscription", body)
            .await
    }

    async fn top_up(&self, user: &str, body: Value) -> Answer {
        self.post(user, "/api/v1/payment/checkout/topup", body)
            .await
    }

    async fn post(&self, user: &str, path: &str, body: Value) -> Answer {
        let token = self.service.user_token(user);
        self.service.send(&post(path, &body).bearer(&token)).await
    }

    async fn status(&self, user: &str) -> Value {
        let answer = self.get(user, "/api/v1/payment/status").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Status and plan.
    async fn standing(&self, user: &str) -> (String, Value) {
        let status = self.status(user).await;
        let word = status["subscription_status"].as_str().unwrap().to_owned();
        (word, status["subscription_plan"].clone())
    }

    /// Delivers an event as the provider does.
    async fn event(&self, event: &Value) -> Answer {
        self.signed(event.to_string(), WEBHOOK_SECRET).await
    }

    async fn signed(&self, body: String, secret: &str) -> Answer {
        let at = self.clock.now().seconds();
        let signature = payment_signature::sign(body.as_bytes(), secret, at);
        let delivery = request("POST", "/payment/events")
            .header("Content-Type", "application/json; charset=utf-8")
            .header("Stripe-Signature", &signature)
            .raw(body);
        self.service.send(&delivery).await
    }

    /// Delivers events that are taken.
    async fn events(&self, events: &[Value]) {
        for event in events {
            let answer = self.event(event).await;
            assert_eq!(answer.status, 200, "{event}: {}", answer.text);
            assert_eq!(answer.json(), json!({"received": true}));
        }
    }
}

/// An event of that id and time about an object.
fn event(id: &str, kind: &str, created: i64, object: Value) -> Value {
    json!({
        "id": id, "object": "event", "api_version": "2026-10-28.endive", "type": kind,
        "created": created, "livemode": true, "data": {"object": object},
    })
}

/// A subscription as events show it.
fn subscription(id: &str, customer: &str, status: &str, price: &str) -> Value {
    json!({
        "id": id, "object": "subscription", "customer": customer, "status": status,
        "created": 1_790_000_000, "cancel_at_period_end": false, "metadata": {},
        "trial_start": null, "trial_end": null,
        "items": {"object": "list", "data": [
            {"current_period_end": 1_800_000_000, "price": {"id": price}},
        ]},
    })
}

/// A paid checkout of credit that the user began here, as events show it.
fn bought(id: &str, user: &str, cents: i64) -> Value {
    json!({
        "id": id, "object": "checkout.session", "mode": "payment", "payment_status": "paid",
        "amount_total": cents, "currency": "usd", "client_reference_id": user,
        "metadata": {"user_id": user},
    })
}

/// An invoice for a subscription, as events show it.
fn invoice(subscription: &str, customer: &str) -> Value {
    json!({
        "id": "in_1", "object": "invoice", "customer": customer,
        "parent": {"subscription_details": {"subscription": subscription, "metadata": {}}},
    })
}

/// The same with other fields.
fn with(mut object: Value, fields: Value) -> Value {
    let more = fields.as_object().unwrap().clone();
    object.as_object_mut().unwrap().extend(more);
    object
}
