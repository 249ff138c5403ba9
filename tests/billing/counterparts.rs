//! The vendor's own code and independent imitations of its service as judges of what we send
//! and take. None of it is needed otherwise: these tests are run by hand, see the guide (testing).

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use support::eventually;

const SDK: &str = "CHATKEEP_TEST_STRIPE_SDK";
const LOCALSTRIPE: &str = "CHATKEEP_TEST_LOCALSTRIPE";
const EMULATE: &str = "CHATKEEP_TEST_EMULATE";

fn named(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set"))
}

/// The types of the vendor's SDK that a request must fit.
fn type_of(asked: &stripe::RecordedRequest) -> Option<&'static str> {
    let path: Vec<&str> = asked.path.split('/').skip(2).collect();
    Some(match (asked.method.as_str(), path.as_slice()) {
        ("POST", ["customers"]) => "CustomerCreateParams",
        ("DELETE", ["customers", _]) => "CustomerDeleteParams",
        ("GET", ["customers", _, "payment_methods"]) => "CustomerListPaymentMethodsParams",
        ("POST", ["checkout", "sessions"]) => "Checkout.SessionCreateParams",
        ("GET", ["subscriptions"]) => "SubscriptionListParams",
        ("GET", ["subscriptions", _]) => "SubscriptionRetrieveParams",
        ("POST", ["subscriptions", _]) => "SubscriptionUpdateParams",
        ("GET", ["invoices"]) => "InvoiceListParams",
        ("GET", ["charges"]) => "ChargeListParams",
        ("GET", ["events"]) => "EventListParams",
        _ => return None,
    })
}

/// What a form or query means: brackets are objects and lists, numbers are numbers.
fn meaning(asked: &stripe::RecordedRequest) -> Value {
    let mut whole = json!({});
    let fields = asked.form.iter().map(|(k, v)| (k.clone(), vec![v.clone()]));
    let query = asked.query.iter().map(|(k, v)| (k.clone(), v.clone()));
    for (name, values) in fields.chain(query) {
        for value in values {
            let value = serde_json::from_str(&value)
                .ok()
                .filter(|v: &Value| v.is_u64() || v.is_boolean())
                .unwrap_or(json!(value));
            put(&mut whole, &name.replace(']', ""), value);
        }
    }
    whole
}

fn put(place: &mut Value, path: &str, value: Value) {
    let (step, rest) = match path.split_once('[') {
        Some((step, rest)) => (step, Some(rest)),
        None => (path, None),
    };
    let list = |place: &mut Value| {
        if !place.is_array() {
            *place = json!([]);
        }
    };
    let inner = if step.is_empty() {
        list(place);
        let items = place.as_array_mut().unwrap();
        items.push(json!(null));
        items.last_mut().unwrap()
    } else if let Ok(at) = step.parse::<usize>() {
        list(place);
        let items = place.as_array_mut().unwrap();
        while items.len() <= at {
            items.push(json!({}));
        }
        &mut items[at]
    } else {
        if !place.is_object() {
            *place = json!({});
        }
        &mut place[step]
    };
    match rest {
        Some(rest) => put(inner, rest, value),
        None => *inner = value,
    }
}

/// Everything that we ever send.
async fn all_requests() -> Vec<stripe::RecordedRequest> {
    let world = World::start().await;
    let mut all = Vec::new();
    let sent = support::direct("+15550123", "hello");
    world.service.edge_message("a", &sent).await;
    let user = world.service.user_id("+15550123");
    assert_eq!(
        world
            .checkout(&user, json!({"plan": "annual"}))
            .await
            .status,
        200
    );
    assert_eq!(
        world
            .top_up(&user, json!({"amount_cents": 500}))
            .await
            .status,
        200
    );
    let of = world.stripe.subscribe("sub_1", "cus_1", json!({}));
    world
        .events(&[event("evt_1", "customer.subscription.created", 10, of)])
        .await;
    world.status(&user).await;
    world.stripe.state().invoices = (0..3)
        .map(|n| {
            json!({"id": format!("in_{n}"), "customer": "cus_1", "created": 5, "total": 1,
                "payments": {"data": [{"payment": {"payment_intent": "pi_1"}}]}})
        })
        .collect();
    let path = "/billing/history?limit=1&starting_after=in_0";
    assert_eq!(world.get(&user, path).await.status, 200);
    let page = world
        .service
        .admin("POST", "/admin/billing/reconcile", &json!({}))
        .await;
    assert_eq!(page.status, 200, "{}", page.text);
    let now = world.clock.now();
    let id = world.service.app.store.write(move |tx| {
        let id = tx.user_id(&user)?.unwrap();
        tx.cancel_at_period_end(id, now)?;
        Ok(id)
    });
    let id = id.await.unwrap();
    let wait = async |path: &str, all: &mut Vec<stripe::RecordedRequest>| {
        eventually("a call", async || {
            all.extend(world.stripe.requests());
            let last = all.iter().rev().find(|request| request.method != "GET");
            last.is_some_and(|request| request.path == path)
        })
        .await;
    };
    wait("/v1/subscriptions/sub_1", &mut all).await;
    let deletion = world
        .service
        .app
        .store
        .write(move |tx| tx.delete_customer_of(id, now));
    deletion.await.unwrap();
    wait("/v1/customers/cus_1", &mut all).await;
    all
}

/// What we read, as the vendor's types have it.
const READS: &str = r#"
declare const subscription: Stripe.Subscription;
declare const invoice: Stripe.Invoice;
declare const charge: Stripe.Charge;
declare const session: Stripe.Checkout.Session;
declare const method: Stripe.PaymentMethod;
export const read = [
  subscription.id, subscription.customer, subscription.status, subscription.created,
  subscription.cancel_at_period_end, subscription.trial_start, subscription.trial_end,
  subscription.metadata, subscription.items.data[0].current_period_end,
  subscription.items.data[0].price.id, subscription.items.data[0].price.recurring?.interval,
  invoice.id, invoice.created, invoice.total, invoice.currency, invoice.description,
  invoice.number, invoice.status, invoice.hosted_invoice_url, invoice.customer,
  invoice.payments?.data[0].payment.payment_intent,
  invoice.parent?.subscription_details?.subscription,
  invoice.parent?.subscription_details?.metadata,
  charge.id, charge.payment_intent, charge.receipt_url,
  session.id, session.url, session.mode, session.payment_status, session.amount_total,
  session.customer, session.client_reference_id, session.subscription, session.metadata,
  method.id, method.customer,
];
export const statuses: Record<Stripe.Subscription.Status, string> = {
  trialing: '', active: '', past_due: '', unpaid: '', paused: '', canceled: '',
  incomplete: '', incomplete_expired: '',
};
const kinds: Stripe.Event['type'][] = [
  'customer.subscription.created', 'customer.subscription.updated',
  'customer.subscription.deleted', 'customer.subscription.paused',
  'customer.subscription.resumed', 'invoice.payment_failed', 'invoice.paid',
  'invoice.payment_succeeded', 'checkout.session.completed',
  'checkout.session.async_payment_succeeded', 'payment_method.attached',
  'payment_method.detached', 'customer.deleted',
];
export const version: typeof Stripe.API_VERSION = '2026-10-28.endive';
export { kinds };
"#;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the npm packages stripe and typescript in the folder $CHATKEEP_TEST_STRIPE_SDK"]
async fn requests_fit_the_vendors_types() {
    let folder = PathBuf::from(named(SDK));
    let all = all_requests().await;
    let mut text = "import Stripe from 'stripe';\n".to_owned();
    let mut types = std::collections::BTreeSet::new();
    for (n, request) in all.iter().enumerate() {
        let of = type_of(request).unwrap_or_else(|| panic!("no type for {request:?}"));
        types.insert(of);
        let value = meaning(request);
        text += &format!("export const r{n}: Stripe.{of} = {value};\n");
    }
    assert_eq!(types.len(), 10, "{types:?}");
    text += READS;
    std::fs::write(folder.join("chatkeep.ts"), text).unwrap();
    let checked = Command::new("node")
        .args(["node_modules/typescript/bin/tsc", "--noEmit", "--strict"])
        .args([
            "--skipLibCheck", "--types", "", "--module", "nodenext", "--target", "es2022",
        ])
        .arg("chatkeep.ts")
        .current_dir(&folder)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{printed}");
}

fn script(folder: &Path, text: &str, arguments: &[&str]) -> String {
    let output = Command::new("node")
        .args(["-e", text, "--"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// The vendor signs, we verify; we sign, the vendor verifies.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the npm packages stripe and typescript in the folder $CHATKEEP_TEST_STRIPE_SDK"]
async fn signatures_are_the_vendors() {
    let folder = PathBuf::from(named(SDK));
    let world = World::start().await;
    let user = world.customer("cus_1").await;
    let of = subscription("sub_1", "cus_1", "active", ANNUAL);
    let body = event("evt_1", "customer.subscription.created", 10, of).to_string();
    let at = world.clock.now().seconds();
    let vendor_signature = script(
        &folder,
        "const S = require('stripe'); const s = new S('sk_test_1');
         const [payload, secret, timestamp] = process.argv.slice(1);
         console.log(s.webhooks.generateTestHeaderString(
           {payload, secret, timestamp: Number(timestamp)}));",
        &[&body, WEBHOOK_SECRET, &at.to_string()],
    );
    let delivery = request("POST", "/payment/events")
        .header("Stripe-Signature", &vendor_signature)
        .raw(body.clone());
    let answer = world.service.send(&delivery).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(
        world.standing(&user).await,
        ("active".into(), json!("annual"))
    );
    let own_signature = payment_signature::sign(body.as_bytes(), WEBHOOK_SECRET, at);
    let kind = script(
        &folder,
        "const S = require('stripe'); const s = new S('sk_test_1');
         const [payload, secret, header] = process.argv.slice(1);
         console.log(s.webhooks.constructEvent(payload, header, secret).type);",
        &[&body, WEBHOOK_SECRET, &own_signature],
    );
    assert_eq!(kind, "customer.subscription.created");
}

/// Calls the API of the imitated provider.
fn call_stub(base: &str, method: &str, path: &str, form: &[(&str, &str)]) -> Value {
    let mut command = Command::new("curl");
    command.args(["-s", "-X", method, &format!("{base}{path}")]);
    command.args(["-H", "Authorization: Bearer sk_test_12345"]);
    for (name, value) in form {
        command.args(["--data-urlencode", &format!("{name}={value}")]);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text).unwrap_or(json!(text))
}

fn id_of(object: &Value) -> String {
    object["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{object}"))
        .to_owned()
}

/// A service whose provider is at that address.
async fn beside(base: &str, more: &[(&str, &str)]) -> World {
    let mut settings = vec![
        ("CHATKEEP_BILLING_API_BASE", base),
        ("CHATKEEP_BILLING_SECRET_KEY", "sk_test_12345"),
    ];
    settings.extend(more);
    let stripe = Stripe::start();
    let folder = tempfile::tempdir().unwrap();
    World::again(stripe, folder, Clock::system(), &settings).await
}

/// Subscriptions, their ends and customers, with webhooks that it signs and sends itself.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs localstripe at $CHATKEEP_TEST_LOCALSTRIPE"]
async fn a_subscription_lives_and_ends_at_localstripe() {
    let base = named(LOCALSTRIPE);
    let plan = format!("plan_{}", chatkeep::random::uuid().simple());
    let world = beside(&base, &[("CHATKEEP_BILLING_PRICE_MONTHLY", &plan)]).await;
    let events = format!("http://{}/payment/events", world.service.address);
    let hook = [("url", events.as_str()), ("secret", WEBHOOK_SECRET)];
    call_stub(&base, "POST", "/_config/webhooks/chatkeep", &hook);
    let month = [
        ("id", plan.as_str()),
        ("amount", "1000"),
        ("currency", "usd"),
        ("interval", "month"),
        ("product[name]", "Monthly"),
    ];
    id_of(&call_stub(&base, "POST", "/v1/plans", &month));
    // It has no checkout, but the customer is made before that is seen.
    let user = world.user().await;
    assert_eq!(
        world
            .checkout(&user, json!({"plan": "monthly"}))
            .await
            .status,
        503
    );
    let rows = world.service.rows("SELECT customer_id FROM users");
    let customer = rows[0][0].as_str().expect("a customer").to_owned();
    let known = call_stub(&base, "GET", &format!("/v1/customers/{customer}"), &[]);
    assert_eq!(known["metadata"]["user_id"], json!(user));
    let card = [
        ("type", "card"),
        ("card[number]", "4242424242424242"),
        ("card[exp_month]", "12"),
        ("card[exp_year]", "2040"),
        ("card[cvc]", "123"),
    ];
    let method = id_of(&call_stub(&base, "POST", "/v1/payment_methods", &card));
    let attach = format!("/v1/payment_methods/{method}/attach");
    id_of(&call_stub(
        &base,
        "POST",
        &attach,
        &[("customer", &customer)],
    ));
    let pays = [("invoice_settings[default_payment_method]", method.as_str())];
    id_of(&call_stub(
        &base,
        "POST",
        &format!("/v1/customers/{customer}"),
        &pays,
    ));
    let begin = [("customer", customer.as_str()), ("items[0][plan]", &plan)];
    let subscription = call_stub(&base, "POST", "/v1/subscriptions", &begin);
    let name = id_of(&subscription);
    eventually("the event", async || {
        !world.service.rows("SELECT 1 FROM subscriptions").is_empty()
    })
    .await;
    // What its events can't tell, comparing does.
    let page = world
        .service
        .admin("POST", "/admin/billing/reconcile", &json!({}))
        .await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert_eq!(
        world.standing(&user).await,
        ("active".into(), json!("monthly"))
    );
    let status = world.status(&user).await;
    assert_eq!(status["subscription_id"], json!(name));
    assert!(status["current_period_end"].is_string());
    let repeated = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(repeated.code(), "already_subscribed");
    let (owner, now) = (user.clone(), world.clock.now());
    let cancellation = world.service.app.store.write(move |tx| {
        let id = tx.user_id(&owner)?.unwrap();
        tx.cancel_at_period_end(id, now)?;
        Ok(id)
    });
    let id = cancellation.await.unwrap();
    let path = format!("/v1/subscriptions/{name}");
    let ends = || call_stub(&base, "GET", &path, &[])["cancel_at_period_end"].clone();
    eventually("the end", async || ends() == true).await;
    let cancellation = world
        .service
        .app
        .store
        .write(move |tx| tx.reactivate_subscription(id, now));
    cancellation.await.unwrap();
    eventually("no end", async || ends() == false).await;
    call_stub(&base, "DELETE", &path, &[]);
    eventually("the end of it", async || {
        world.service.rows("SELECT status FROM users") == [["canceled"]]
    })
    .await;
    let deletion = world
        .service
        .app
        .store
        .write(move |tx| tx.delete_customer_of(id, now));
    deletion.await.unwrap();
    eventually("no customer", async || {
        let known = call_stub(&base, "GET", &format!("/v1/customers/{customer}"), &[]);
        known["deleted"] == true || known["error"].is_object()
    })
    .await;
}

/// A checkout whose page is there and can be paid.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs emulate's stripe at $CHATKEEP_TEST_EMULATE"]
async fn a_checkout_is_paid_at_emulate() {
    let base = named(EMULATE);
    let product = id_of(&call_stub(
        &base,
        "POST",
        "/v1/products",
        &[("name", "Monthly")],
    ));
    let price = [
        ("product", product.as_str()),
        ("currency", "usd"),
        ("unit_amount", "1000"),
        ("recurring[interval]", "month"),
    ];
    let price = id_of(&call_stub(&base, "POST", "/v1/prices", &price));
    let world = beside(&base, &[("CHATKEEP_BILLING_PRICE_MONTHLY", &price)]).await;
    // It knows no prices made for one checkout.
    world.service.set_flag("payment.trial_enabled", false).await;
    let user = world.user().await;
    let answer = world.checkout(&user, json!({"plan": "monthly"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let session = answer.json();
    let path = format!(
        "/v1/checkout/sessions/{}",
        session["session_id"].as_str().unwrap()
    );
    let stored = call_stub(&base, "GET", &path, &[]);
    assert_eq!(stored["metadata"]["user_id"], json!(user));
    assert_eq!(stored["status"], "open");
    let rows = world.service.rows("SELECT customer_id FROM users");
    assert_eq!(stored["customer"], rows[0][0]);
    let page = call_stub(
        &base,
        "GET",
        &format!("/checkout/{}", stored["id"].as_str().unwrap()),
        &[],
    );
    assert!(page.as_str().unwrap().contains("Monthly"), "{page}");
    call_stub(
        &base,
        "POST",
        &format!("/checkout/{}/complete", stored["id"].as_str().unwrap()),
        &[],
    );
    let paid = call_stub(&base, "GET", &path, &[]);
    assert_eq!(paid["payment_status"], "paid");
    // Its event as the provider would deliver it.
    let mut object = paid.clone();
    object["client_reference_id"] = json!(user);
    object["customer"] = rows[0][0].clone();
    world
        .events(&[event("evt_1", "checkout.session.completed", 10, object)])
        .await;
}
