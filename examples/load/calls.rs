//! Calls of webhooks: each goes to the webhook of one creator, whose chat it writes to, and is
//! signed anew because each says another number.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::{StreamExt, TryStreamExt, stream};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::message::{BODY_BYTES, SERIAL_DIGITS, positions, sender, write_digits};
use crate::service::{HS256_SECRET, Service};
use crate::{Result, client, rows};

/// The most that a webhook can be given.
pub(crate) const CALLS_PER_MINUTE: u64 = 600;
const SETUPS_AT_ONCE: usize = 64;
/// Precedes a call's number in the command's text.
const MARK: &str = "parcel ";
const SIGNATURE_DIGITS: usize = 64;

/// A webhook and its key.
#[derive(Clone)]
pub(crate) struct Hook {
    id: String,
    key: Hmac<Sha256>,
}

/// Gives each of the first `count` senders an app and a webhook; they write from agents taken
/// in turn.
pub(crate) async fn hooks(service: &Service, count: u64, tokens: &[String]) -> Result<Vec<Hook>> {
    let address = service.address();
    let greetings = (0..count).map(|number| {
        let token = &tokens[(number % tokens.len() as u64) as usize];
        greet(address, number, token)
    });
    let greetings = stream::iter(greetings).buffer_unordered(SETUPS_AT_ONCE);
    greetings.try_for_each(|()| async { Ok(()) }).await?;
    let users = rows::user_ids(&service.database())?;
    let making = users.iter().map(|user| make(address, user));
    stream::iter(making)
        .buffered(SETUPS_AT_ONCE)
        .try_collect()
        .await
}

async fn greet(address: SocketAddr, number: u64, token: &str) -> Result<()> {
    let phone = sender(number);
    let body = json!({
        "chat_guid": format!("iMessage;-;{phone}"), "mode": "direct", "sender": phone,
        "text": "hello", "timestamp": 1_700_000_000, "participants": [phone],
    });
    let answer = client::call(address, "POST", "/edge/message", token, Some(&body)).await?;
    expect_ok(answer).map(drop)
}

async fn make(address: SocketAddr, user_id: &str) -> Result<Hook> {
    let jwt = jwt(user_id)?;
    let app = json!({"name": "Parcels", "actions": [{
        "action_id": "say", "kind": "send_message", "template": format!("{MARK}{{n}} has come"),
    }]});
    let app = client::call(address, "POST", "/marketplace/apps", &jwt, Some(&app)).await?;
    let app = expect_ok(app)?;
    let path = format!(
        "/marketplace/webhooks/{}",
        app["app_id"].as_str().unwrap_or_default()
    );
    let hook = json!({"action_id": "say", "rate_limit_per_minute": CALLS_PER_MINUTE});
    let hook = expect_ok(client::call(address, "POST", &path, &jwt, Some(&hook)).await?)?;
    let text = |name: &str| hook[name].as_str().unwrap_or_default().to_owned();
    Ok(Hook {
        id: text("webhook_id"),
        key: Hmac::new_from_slice(text("secret").as_bytes())?,
    })
}

fn expect_ok((status, body): (u16, Value)) -> Result<Value> {
    match status {
        200 => Ok(body),
        _ => Err(format!("setting webhooks up: {status} {body}").into()),
    }
}

/// HS256, with the development key that the service was started with.
fn jwt(user_id: &str) -> Result<String> {
    let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let header = encode(json!({"alg": "HS256", "typ": "JWT"}));
    let claims = encode(json!({"sub": user_id, "exp": 4_000_000_000_u64}));
    let mut mac = Hmac::<Sha256>::new_from_slice(HS256_SECRET.as_bytes())?;
    mac.update(format!("{header}.{claims}").as_bytes());
    let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    Ok(format!("{header}.{claims}.{signature}"))
}

/// A request that becomes a call of any webhook by writing into places of it.
#[derive(Clone)]
pub(crate) struct Calls {
    request: Vec<u8>,
    hooks: Arc<Vec<Hook>>,
    id_at: usize,
    serial_at: Vec<usize>,
    signature_at: usize,
    body_at: usize,
    signed: bool,
}

impl Calls {
    /// Unsigned ones carry a signature of nothing but zeroes.
    pub(crate) fn new(address: SocketAddr, hooks: Arc<Vec<Hook>>, signed: bool) -> Result<Self> {
        let mark = "@".repeat(SERIAL_DIGITS);
        let body = |note: &str| {
            format!(
                r#"{{"event":"delivered","n":"{mark}","item":{{"weight_kg":1.5,"tags":["a","b"]}},"note":"{note}"}}"#
            )
        };
        let padding = BODY_BYTES.saturating_sub(body("").len());
        let body = body(&"x".repeat(padding));
        let zeroes = "0".repeat(SIGNATURE_DIGITS);
        let id = &hooks.first().ok_or("no webhooks were made")?.id;
        let request = format!(
            "POST /webhooks/{id} HTTP/1.1\r\nHost: {address}\r\nX-Webhook-Signature: {zeroes}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes();
        let place = |text: &str| positions(&request, text.as_bytes()).into_iter().next();
        Ok(Self {
            id_at: place(id).ok_or("no place for an id")?,
            serial_at: positions(&request, mark.as_bytes()),
            signature_at: place(&zeroes).ok_or("no place for a signature")?,
            body_at: request.len() - body.len(),
            request,
            hooks,
            signed,
        })
    }

    pub(crate) fn call(&mut self, serial: u64) -> &[u8] {
        let at = (serial % self.hooks.len() as u64) as usize;
        let (request, hook) = (&mut self.request, &self.hooks[at]);
        request[self.id_at..self.id_at + hook.id.len()].copy_from_slice(hook.id.as_bytes());
        write_digits(request, &self.serial_at, SERIAL_DIGITS, serial);
        if self.signed {
            let mut mac = hook.key.clone();
            mac.update(&request[self.body_at..]);
            let signature = hex::encode(mac.finalize().into_bytes());
            let place = self.signature_at..self.signature_at + SIGNATURE_DIGITS;
            request[place].copy_from_slice(signature.as_bytes());
        }
        request
    }
}

/// Which call a command is of.
pub(crate) fn serial(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once(MARK)?;
    rest.get(..SERIAL_DIGITS)?.parse().ok()
}
