//! A payment provider as the outside world has it: Stripe's API with its state, its forms, its
//! idempotency keys, and every way to fail. It checks how it is spoken to, and says so by 400.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

pub const SECRET_KEY: &str = "sk_live_canary_of_the_tests";
pub const TEST_SECRET_KEY: &str = "sk_test_canary_of_the_tests";
pub const WEBHOOK_SECRET: &str = "whsec_live_canary";
pub const TEST_WEBHOOK_SECRET: &str = "whsec_test_canary";
const VERSION: &str = "2026-10-28.endive";
/// How long the mode "hang" says nothing, and the mode "trickle" little.
const HANG: Duration = Duration::from_secs(30);
/// The pause between two bytes, and how soon the end of both is noticed.
const TRICKLE: Duration = Duration::from_millis(500);
/// How long the mode "slow" takes for every answer.
const SLOW: Duration = Duration::from_secs(3);

/// The provider; its thread ends with the process.
#[derive(Clone)]
pub struct Stripe {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub struct State {
    /// ok, slow, refuse, hang, 500, 500-once, 429-once, garbage, types, trickle, huge, redirect
    mode: String,
    hangs_no_more: bool,
    made: u64,
    asked: Vec<RecordedRequest>,
    answers: HashMap<String, (String, u16, Value)>,
    pub customers: HashMap<String, Value>,
    pub sessions: HashMap<String, Value>,
    pub subscriptions: HashMap<String, Value>,
    pub methods: HashMap<String, usize>,
    /// Newest first, as all lists.
    pub invoices: Vec<Value>,
    pub charges: Vec<Value>,
    pub undelivered: Vec<Value>,
    /// All of them, whether they were delivered or not.
    pub events: Vec<Value>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    pub query: HashMap<String, Vec<String>>,
    pub headers: HashMap<String, String>,
    pub form: HashMap<String, String>,
}

impl Stripe {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let stripe = Self { address, state };
        let serving = stripe.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let stripe = serving.clone();
                std::thread::spawn(move || stripe.answer(stream.unwrap()));
            }
        });
        stripe
    }

    /// Settings of a service that uses it.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let plain = [
            ("CHATKEEP_BILLING_PROVIDER", "stripe"),
            ("CHATKEEP_BILLING_SECRET_KEY", SECRET_KEY),
            ("CHATKEEP_BILLING_PUBLISHABLE_KEY", "pk_live_1"),
            ("CHATKEEP_BILLING_WEBHOOK_SECRET", WEBHOOK_SECRET),
            ("CHATKEEP_BILLING_TEST_SECRET_KEY", TEST_SECRET_KEY),
            ("CHATKEEP_BILLING_TEST_PUBLISHABLE_KEY", "pk_test_1"),
            ("CHATKEEP_BILLING_TEST_WEBHOOK_SECRET", TEST_WEBHOOK_SECRET),
            ("CHATKEEP_BILLING_PRICE_MONTHLY", "price_monthly"),
            ("CHATKEEP_BILLING_PRICE_ANNUAL", "price_annual"),
        ];
        let mut settings: Vec<_> = plain.map(|(key, value)| (key, value.to_owned())).into();
        settings.push((
            "CHATKEEP_BILLING_API_BASE",
            format!("http://{}", self.address),
        ));
        settings
    }

    pub fn mode(&self, mode: &str) {
        self.state().mode = mode.to_owned();
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// What it was asked so far, and forgets it.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.state().asked)
    }

    /// The same, of one method and path.
    pub fn requests_for(&self, method: &str, path: &str) -> Vec<RecordedRequest> {
        let mut requests = self.requests();
        requests.retain(|request| request.method == method && request.path == path);
        requests
    }

    /// Subscribes a customer; the subscription as events show it.
    pub fn subscribe(&self, id: &str, customer: &str, fields: Value) -> Value {
        let mut subscription = json!({
            "id": id, "object": "subscription", "customer": customer, "status": "active",
            "created": 1_790_000_000, "cancel_at_period_end": false, "metadata": {},
            "trial_start": null, "trial_end": null,
            "items": {"data": [{"current_period_end": 1_800_000_000, "price": {"id": "price_monthly"}}]},
        });
        let object = subscription.as_object_mut().unwrap();
        object.extend(fields.as_object().unwrap().clone());
        let mut state = self.state();
        state
            .subscriptions
            .insert(id.to_owned(), subscription.clone());
        subscription
    }

    fn answer(&self, mut stream: TcpStream) {
        let Some(asked) = RecordedRequest::read(&stream) else {
            return;
        };
        let mode = {
            let mut state = self.state();
            state.asked.push(asked.clone());
            let mode = state.mode.clone();
            if mode.ends_with("-once") {
                state.mode = String::new();
            }
            mode
        };
        let plain = |status: u16, body: &str| response(status, "", body.as_bytes());
        let bytes = match mode.as_str() {
            "refuse" => return,
            "hang" => {
                self.hang(|| true);
                return;
            }
            // What it failed at is done all the same, and the answer kept, as with the real one.
            "500" | "500-once" => {
                self.keep(&asked, 500, &json!({"error": {"type": "api_error"}}));
                plain(500, r#"{"error":{"type":"api_error"}}"#)
            }
            "500-final" => response(500, "Stripe-Should-Retry: false\r\n", b"{}"),
            "429-once" => response(429, "Retry-After: 0\r\n", b"{}"),
            "garbage" => plain(200, "<html>hello</html>"),
            "types" => plain(200, r#"{"id":7,"url":[],"data":"none","deleted":"yes"}"#),
            "huge" => response(200, "", &vec![b' '; 8 << 20]),
            "redirect" => response(302, "Location: http://169.254.169.254/\r\n", b""),
            "trickle" => {
                let _ = stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 1000\r\n\r\n");
                self.hang(|| stream.write_all(b" ").is_ok());
                return;
            }
            mode => {
                if mode == "slow" {
                    std::thread::sleep(SLOW);
                }
                let (status, body) = self.judge(&asked);
                plain(status, &body.to_string())
            }
        };
        let _ = stream.write_all(&bytes);
    }

    /// Ends requests that hang or trickle, also later ones.
    pub fn end_hanging(&self) {
        self.state().hangs_no_more = true;
    }

    fn hang(&self, mut go_on: impl FnMut() -> bool) {
        let until = Instant::now() + HANG;
        while Instant::now() < until && !self.state().hangs_no_more && go_on() {
            std::thread::sleep(TRICKLE);
        }
    }

    fn keep(&self, asked: &RecordedRequest, status: u16, body: &Value) {
        if let Some(key) = asked.headers.get("idempotency-key") {
            let entry = (asked.operation(), status, body.clone());
            self.state().answers.entry(key.clone()).or_insert(entry);
        }
    }

    fn judge(&self, asked: &RecordedRequest) -> (u16, Value) {
        if let Err(why) = asked.check() {
            return (400, error("invalid_request_error", "", why));
        }
        let key = asked.headers.get("idempotency-key");
        let stored = key.and_then(|key| self.state().answers.get(key).cloned());
        match stored {
            Some((operation, status, body)) if operation == asked.operation() => {
                return (status, body);
            }
            Some(_) => return (400, error("idempotency_error", "", "key")),
            None => {}
        }
        let (status, body) = self.state().act(asked);
        self.keep(asked, status, &body);
        (status, body)
    }
}

impl State {
    fn act(&mut self, asked: &RecordedRequest) -> (u16, Value) {
        let path: Vec<&str> = asked.path.trim_start_matches('/').split('/').collect();
        let missing = |param: &str| {
            (
                404,
                error("invalid_request_error", "resource_missing", param),
            )
        };
        match (asked.method.as_str(), path.as_slice()) {
            ("POST", ["v1", "customers"]) => {
                let id = self.id("cus");
                let customer = json!({"id": id, "object": "customer", "form": asked.form});
                self.customers.insert(id, customer.clone());
                (200, customer)
            }
            ("DELETE", ["v1", "customers", id]) => match self.customers.remove(*id) {
                Some(_) => {
                    let own = self.subscriptions.values_mut();
                    for subscription in own.filter(|s| s["customer"] == **id) {
                        subscription["status"] = json!("canceled");
                    }
                    (200, json!({"id": id, "deleted": true}))
                }
                None => missing("id"),
            },
            ("GET", ["v1", "customers", id, "payment_methods"]) => {
                let count = self.methods.get(*id).copied().unwrap_or(0);
                let methods = (0..count).map(|n| json!({"id": format!("pm_{n}")}));
                (
                    200,
                    json!({"data": methods.collect::<Vec<_>>(), "has_more": false}),
                )
            }
            ("POST", ["v1", "checkout", "sessions"]) => {
                let customer = asked.form.get("customer").cloned().unwrap_or_default();
                if !self.customers.contains_key(&customer) {
                    return (
                        400,
                        error("invalid_request_error", "resource_missing", "customer"),
                    );
                }
                let id = self.id("cs");
                let url = format!("https://checkout.example/c/{id}#x");
                let session = json!({"id": id, "url": url, "form": asked.form});
                self.sessions.insert(id, session.clone());
                (200, session)
            }
            ("GET", ["v1", "subscriptions"]) => {
                let customer = asked.one("customer");
                let all = self.subscriptions.values();
                let own = all.filter(|s| s["customer"] == *customer).cloned();
                (
                    200,
                    json!({"data": own.collect::<Vec<_>>(), "has_more": false}),
                )
            }
            ("GET", ["v1", "subscriptions", id]) => match self.subscriptions.get(*id) {
                Some(subscription) => (200, subscription.clone()),
                None => missing("id"),
            },
            ("POST", ["v1", "subscriptions", id]) => match self.subscriptions.get_mut(*id) {
                Some(subscription) => {
                    let ends = asked.form.get("cancel_at_period_end");
                    subscription["cancel_at_period_end"] = json!(ends.unwrap() == "true");
                    (200, subscription.clone())
                }
                None => missing("id"),
            },
            ("GET", ["v1", "invoices"]) => page(&self.invoices, asked),
            ("GET", ["v1", "charges"]) => page(&self.charges, asked),
            ("GET", ["v1", "events"]) if asked.one("delivery_success") == "false" => {
                page(&self.undelivered, asked)
            }
            ("GET", ["v1", "events"]) => {
                let from: i64 = asked.one("created[gte]").parse().unwrap_or(0);
                let since = |event: &&Value| event["created"].as_i64() >= Some(from);
                let events: Vec<Value> = self.events.iter().filter(since).cloned().collect();
                page(&events, asked)
            }
            _ => (404, error("invalid_request_error", "", "")),
        }
    }

    fn id(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}_{}", self.made)
    }
}

impl RecordedRequest {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut next = || {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            Some(line.trim_end().to_owned())
        };
        let line = next()?;
        let mut parts = line.split(' ');
        let (method, target) = (parts.next()?.to_owned(), parts.next()?);
        let mut headers = HashMap::new();
        while let Some((name, value)) = next()?.split_once(": ") {
            headers.insert(name.to_ascii_lowercase(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|n| n.parse().ok());
        let mut body = String::new();
        reader
            .take(length.unwrap_or(0))
            .read_to_string(&mut body)
            .ok()?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
        for (name, value) in pairs(query) {
            by_name.entry(name).or_default().push(value);
        }
        Some(Self {
            method,
            path: path.to_owned(),
            query: by_name,
            headers,
            form: pairs(&body).into_iter().collect(),
        })
    }

    /// What the real one would refuse, or take for something else.
    fn check(&self) -> Result<(), &'static str> {
        let header = |name: &str| self.headers.get(name).map_or("", String::as_str);
        let keys = [SECRET_KEY, TEST_SECRET_KEY].map(|key| format!("Bearer {key}"));
        if !keys.iter().any(|key| header("authorization") == key) {
            return Err("authorization");
        }
        if header("stripe-version") != VERSION {
            return Err("stripe_version");
        }
        if self.method == "POST" {
            if header("content-type") != "application/x-www-form-urlencoded" {
                return Err("content_type");
            }
            if header("idempotency-key").is_empty() {
                return Err("idempotency_key");
            }
        }
        if self.form.contains_key("payment_method_types[0]") {
            return Err("payment_method_types");
        }
        let mut names = self.form.keys().chain(self.query.keys());
        if names.any(|name| name.contains('%') || name == "BROKEN") {
            return Err("encoding");
        }
        Ok(())
    }

    pub fn one(&self, name: &str) -> &str {
        self.query.get(name).map_or("", |values| values[0].as_str())
    }

    fn operation(&self) -> String {
        let mut form: Vec<_> = self.form.iter().collect();
        form.sort();
        format!("{} {} {form:?}", self.method, self.path)
    }
}

/// Names as they came; values decoded. A pair that is not encoded as it should be: BROKEN.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~%".contains(&b);
            let decoded = decode(value).filter(|_| value.bytes().all(plain));
            match decoded {
                Some(value) => (name.to_owned(), value),
                None => ("BROKEN".to_owned(), value.to_owned()),
            }
        })
        .collect()
}

fn decode(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn page(items: &[Value], asked: &RecordedRequest) -> (u16, Value) {
    let after = asked.one("starting_after");
    let customer = asked.one("customer");
    let own: Vec<&Value> = items
        .iter()
        .filter(|item| customer.is_empty() || item["customer"] == *customer)
        .collect();
    let from = match after {
        "" => 0,
        after => match own.iter().position(|item| item["id"] == *after) {
            Some(at) => at + 1,
            None => {
                let missing = error(
                    "invalid_request_error", "resource_missing", "starting_after",
                );
                return (400, missing);
            }
        },
    };
    let limit: usize = asked.one("limit").parse().unwrap_or(10);
    let data: Vec<Value> = own[from..]
        .iter()
        .take(limit)
        .map(|v| (*v).clone())
        .collect();
    let has_more = from + data.len() < own.len();
    (
        200,
        json!({"object": "list", "data": data, "has_more": has_more}),
    )
}

fn error(kind: &str, code: &str, param: &str) -> Value {
    let mut error = Map::new();
    error.insert("type".into(), kind.into());
    error.insert("code".into(), code.into());
    error.insert("param".into(), param.into());
    error.insert("message".into(), format!("about {SECRET_KEY}").into());
    json!({ "error": error })
}

fn response(status: u16, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    [head.as_bytes(), body].concat()
}
