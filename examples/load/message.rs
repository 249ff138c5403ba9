//! What the generator sends: edge tokens made with the secret the service was started with, and
//! messages of about 600 bytes whose variable digits are written into place.

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::{Result, client};

pub(crate) const BODY_BYTES: usize = 600;
const SENDER_DIGITS: usize = 7;
pub(crate) const SERIAL_DIGITS: usize = 10;

/// What relays name the assistant among those who take part.
pub(crate) const ASSISTANT: &str = "juno.example";

/// How a relay names the direct chat of a phone number.
pub(crate) fn chat_guid(phone: &str) -> String {
    format!("iMessage;-;{phone}")
}

/// A context as messages have it, as it is kept.
pub(crate) fn context() -> String {
    json!({"locale": "en-US", "note": "x".repeat(200), "photos": null, "service": "iMessage"})
        .to_string()
}

/// `{agent}:{phone}:{issued_at}:{mac}` in base64.
pub(crate) fn edge_token(secret: &str, agent_id: &str) -> Result<String> {
    let issued_at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let claim = format!("{agent_id}:+15550000000:{issued_at}");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(claim.as_bytes());
    let mac = hex::encode(mac.finalize().into_bytes());
    Ok(URL_SAFE_NO_PAD.encode(format!("{claim}:{mac}")))
}

/// A person's token (HS256), good for an hour.
pub(crate) fn user_token(secret: &str, user_id: &str) -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let claims = serde_json::json!({ "sub": user_id, "iat": now, "exp": now + 3600 });
    let head = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
    mac.update(signed.as_bytes());
    let mac = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    Ok(format!("{signed}.{mac}"))
}

/// The phone number of the nth sender; their chat is named by it.
pub(crate) fn sender(number: u64) -> String {
    format!("+1555{number:0SENDER_DIGITS$}")
}

/// Of so many messages one has photos and one asks for a reminder.
const SPECIAL_OF: u64 = 20;

/// What people send: most of it is talk, a twentieth photos and a twentieth reminders.
pub(crate) struct Templates {
    talk: Template,
    photos: Template,
    reminder: Template,
}

impl Templates {
    pub(crate) fn new(address: SocketAddr, token: &str) -> Result<Self> {
        let mark = "@".repeat(SERIAL_DIGITS);
        let talk = format!("Hello, this is note {mark} about our table on the terrace");
        let photo = json!(["https://photos.example/7c1f.jpeg"]);
        let reminder = format!("remind me in 20 days to look at note {mark}");
        Ok(Self {
            photos: Template::new(address, token, &talk, &photo)?,
            reminder: Template::new(address, token, &reminder, &Value::Null)?,
            talk: Template::new(address, token, &talk, &Value::Null)?,
        })
    }

    pub(crate) fn message(&mut self, sender: u64, serial: u64) -> &[u8] {
        // Everybody sends some of each.
        let template = match (sender + serial / 1_000) % SPECIAL_OF {
            7 => &mut self.photos,
            13 => &mut self.reminder,
            _ => &mut self.talk,
        };
        template.message(sender, serial)
    }
}

/// A request that becomes another message by changing digits in place.
struct Template {
    bytes: Vec<u8>,
    sender_at: Vec<usize>,
    serial_at: Vec<usize>,
}

impl Template {
    fn new(address: SocketAddr, token: &str, text: &str, photos: &Value) -> Result<Self> {
        let sender_mark = "#".repeat(SENDER_DIGITS);
        let serial_mark = "@".repeat(SERIAL_DIGITS);
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let body = |note: &str| {
            let sender = format!("+1555{sender_mark}");
            json!({
                "chat_guid": chat_guid(&sender), "mode": "direct", "sender": sender,
                "text": text,
                "timestamp": timestamp, "participants": [sender, ASSISTANT],
                "metadata": {"filter_reason": "", "was_redacted": false, "redacted_fields": []},
                "context": {"service": "iMessage", "locale": "en-US", "note": note,
                    "photos": photos},
            })
            .to_string()
        };
        let padding = BODY_BYTES.saturating_sub(body("").len());
        let body = body(&"x".repeat(padding));
        let bytes = client::request("POST", "/edge/message", address, token, &body).into_bytes();
        Ok(Self {
            sender_at: positions(&bytes, sender_mark.as_bytes()),
            serial_at: positions(&bytes, serial_mark.as_bytes()),
            bytes,
        })
    }

    fn message(&mut self, sender: u64, serial: u64) -> &[u8] {
        write_digits(&mut self.bytes, &self.sender_at, SENDER_DIGITS, sender);
        write_digits(&mut self.bytes, &self.serial_at, SERIAL_DIGITS, serial);
        &self.bytes
    }
}

pub(crate) fn positions(bytes: &[u8], mark: &[u8]) -> Vec<usize> {
    let windows = bytes.windows(mark.len()).enumerate();
    windows
        .filter(|(_, window)| *window == mark)
        .map(|(at, _)| at)
        .collect()
}

pub(crate) fn write_digits(bytes: &mut [u8], places: &[usize], digits: usize, mut number: u64) {
    for digit in (0..digits).rev() {
        for place in places {
            bytes[place + digit] = b'0' + (number % 10) as u8;
        }
        number /= 10;
    }
}
