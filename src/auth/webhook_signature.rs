//! Signatures of webhook calls, in two schemes, both HMAC-SHA256 with the webhook's 64-character
//! secret as key. Plain: the hex digest of the body. Standard (the Standard Webhooks
//! specification): base64 over id, time and body, which prevents replays. Pure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::clock::Timestamp;

/// How far the caller's clock may differ from ours, in both directions.
const TOLERANCE_S: u64 = 300;
const DIGEST_BYTES: usize = 32;
const VERSION: &str = "v1";

/// The signature's headers in a Standard Webhooks call; each occurs once.
#[derive(Debug, Clone, Copy, Default)]
pub struct SignatureHeaders<'a> {
    pub id: &'a str,
    /// Unix seconds
    pub timestamp: &'a str,
    /// `v1,` and base64; several are separated by spaces.
    pub signatures: &'a str,
}

/// The HMAC key of a secret. Computed once and cloned for each call.
#[derive(Clone)]
pub struct WebhookKey(Hmac<Sha256>);

impl WebhookKey {
    pub fn new(secret: &str) -> Self {
        Self(Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length"))
    }

    /// `signature` must be 64 hex digits, in either case.
    pub fn verifies_plain(&self, signature: Option<&str>, body: &[u8]) -> bool {
        let mut digest = [0; DIGEST_BYTES];
        let is_hex = hex::decode_to_slice(signature.unwrap_or_default(), &mut digest).is_ok();
        // Computed also for a malformed signature, so that timing tells nothing about it.
        let is_match = self
            .0
            .clone()
            .chain_update(body)
            .verify_slice(&digest)
            .is_ok();
        is_hex & is_match
    }

    pub fn verifies_standard(
        &self,
        headers: &SignatureHeaders,
        body: &[u8],
        now: Timestamp,
    ) -> bool {
        let sent_at = seconds(headers.timestamp);
        let is_recent = sent_at.is_some_and(|at| now.seconds().abs_diff(at) <= TOLERANCE_S);
        let key = self.standard(headers.id, headers.timestamp, body);
        let mut is_match = false;
        for signature in headers.signatures.split(' ') {
            let Some((VERSION, encoded)) = signature.split_once(',') else {
                continue;
            };
            let digest = STANDARD.decode(encoded).unwrap_or_default();
            is_match |= key.clone().verify_slice(&digest).is_ok();
        }
        is_recent & is_match & !headers.id.is_empty()
    }

    /// Lower-case hex.
    pub fn sign_plain(&self, body: &[u8]) -> String {
        hex::encode(self.0.clone().chain_update(body).finalize().into_bytes())
    }

    pub fn sign_standard(&self, id: &str, timestamp_s: i64, body: &[u8]) -> String {
        let mac = self.standard(id, &timestamp_s.to_string(), body).finalize();
        format!("{VERSION},{}", STANDARD.encode(mac.into_bytes()))
    }

    fn standard(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mac = self.0.clone().chain_update(id).chain_update(".");
        mac.chain_update(timestamp)
            .chain_update(".")
            .chain_update(body)
    }
}

/// Digits only, no signs or spaces.
fn seconds(text: &str) -> Option<i64> {
    let is_digits = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = br#"{"event":"ping","n":1}"#;
    const SIGNATURE: &str = "37cceb9c60e279e3a3686886386cc2afc4da027804fca9e3e22a89235a4b9584";

    fn key() -> WebhookKey {
        WebhookKey::new(&"ab".repeat(32))
    }

    #[test]
    fn plain_signatures() {
        assert_eq!(key().sign_plain(BODY), SIGNATURE);
        let by_bytes: Hmac<Sha256> = Hmac::new_from_slice(&[0xab; 32]).unwrap();
        let by_bytes = hex::encode(by_bytes.chain_update(BODY).finalize().into_bytes());
        let cases = [
            (Some(SIGNATURE.to_owned()), true),
            (Some(SIGNATURE.to_uppercase()), true),
            (
                Some(format!("37CC{}", SIGNATURE.strip_prefix("37cc").unwrap())),
                true,
            ),
            (None, false),
            (Some(String::new()), false),
            (Some(SIGNATURE[..63].to_owned()), false),
            (Some(SIGNATURE[..62].to_owned()), false),
            (Some(format!("{SIGNATURE}0")), false),
            (Some(format!("{SIGNATURE}00")), false),
            (Some(format!("sha256={SIGNATURE}")), false),
            (Some(format!(" {SIGNATURE}")), false),
            (Some("0".repeat(64)), false),
            (Some("z".repeat(64)), false),
            (Some(by_bytes), false),
        ];
        for (signature, expected) in cases {
            let verdict = key().verifies_plain(signature.as_deref(), BODY);
            assert_eq!(verdict, expected, "{signature:?}");
        }
        assert!(!key().verifies_plain(Some(SIGNATURE), b"{}"));
    }

    #[test]
    fn standard_signatures() {
        let now = Timestamp::from_seconds(1_800_000_000);
        let valid = key().sign_standard("msg_1", now.seconds(), BODY);
        let other = WebhookKey::new("another").sign_standard("msg_1", now.seconds(), BODY);
        let at = |offset: i64| (now.seconds() + offset).to_string();
        let late = |offset| key().sign_standard("msg_1", now.seconds() + offset, BODY);
        let cases = [
            ("msg_1", at(0), valid.clone(), true),
            ("msg_1", at(0), format!("{other} {valid}"), true),
            ("msg_1", at(0), format!("v1a,xyz {valid}"), true),
            ("msg_1", at(-300), late(-300), true),
            ("msg_1", at(300), late(300), true),
            ("msg_1", at(-301), late(-301), false),
            ("msg_1", at(301), late(301), false),
            ("msg_1", at(1), valid.clone(), false),
            ("msg_2", at(0), valid.clone(), false),
            (
                "",
                at(0),
                key().sign_standard("", now.seconds(), BODY),
                false,
            ),
            ("msg_1", at(0), other, false),
            ("msg_1", at(0), valid.replace("v1,", "v2,"), false),
            ("msg_1", at(0), valid.replace("v1,", ""), false),
            ("msg_1", at(0), String::new(), false),
            ("msg_1", format!("+{}", at(0)), valid.clone(), false),
            ("msg_1", String::new(), valid, false),
        ];
        for (id, timestamp, signatures, expected) in cases {
            let headers = SignatureHeaders {
                id,
                timestamp: &timestamp,
                signatures: &signatures,
            };
            let verdict = key().verifies_standard(&headers, BODY, now);
            assert_eq!(verdict, expected, "{headers:?}");
        }
    }

    /// The example of the Standard Webhooks specification, whose key is given decoded.
    #[test]
    fn the_published_example_verifies() {
        let key = WebhookKey(
            Hmac::new_from_slice(&STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap())
                .unwrap(),
        );
        let headers = SignatureHeaders {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp: "1614265330",
            signatures: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        };
        let now = Timestamp::from_seconds(1_614_265_330);
        assert!(key.verifies_standard(&headers, br#"{"test": 2432232314}"#, now));
    }
}
