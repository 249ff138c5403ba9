//! Edge tokens: base64 of `{agent_id}:{phone}:{issued_at}:{mac}`, where `mac` is the lower-case hex
//! HMAC-SHA256 of the first three joined by `:`. The code is pure except for caches of verified
//! tokens and revocations.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use parking_lot::RwLock;
use sha2::Sha256;

use crate::clock::Timestamp;
use crate::setting::Setting;

const AGENT_ID_CHARS_MAX: usize = 64;
/// How far ahead of the clock a token may be dated. One that is made right after a revocation needs
/// a later time than now.
const FUTURE_S_MAX: i64 = 60;
const DAY_S: i64 = 86_400;
/// The cache of verified tokens is emptied when it has this many entries.
const CACHED_TOKENS_MAX: usize = 16_384;
/// The agent of a development request that sends the raw secret without naming an agent.
const DEVELOPMENT_AGENT: &str = "dev";

/// The log's reason when a relay set up for development is refused in production.
pub const RAW_SECRET_REFUSED: &str = "the raw edge secret is accepted in development only; \
     make a token with `chatkeep token edge`";

type HmacSha256 = Hmac<Sha256>;

/// The name of an authenticated agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AgentName(pub String);

/// Whether `name` is a valid agent id: 1-64 of `[A-Za-z0-9._-]`.
pub fn is_agent_id(name: &str) -> bool {
    (1..=AGENT_ID_CHARS_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

/// Makes a token. `phone` must not contain a `:`.
pub fn issue(secret: &str, agent_id: &str, phone: &str, issued_at_s: i64) -> String {
    sign_with(secret, &format!("{agent_id}:{phone}:{issued_at_s}"))
}

/// Until when a revocation now ends an agent's tokens, all times in Unix seconds. Soon after an earlier
/// one that is a later second, perhaps in the future. An earlier one further ahead was made with a
/// wrong clock, and no token would be accepted until then: it is replaced.
pub fn revocation_time(now_s: i64, earlier_s: Option<i64>) -> i64 {
    match earlier_s {
        Some(earlier_s) if (now_s..=now_s + FUTURE_S_MAX).contains(&earlier_s) => earlier_s + 1,
        _ => now_s,
    }
}

/// The time of a token that is made now, later than the revocation of earlier ones. `None` if the
/// revocation lies so far ahead that no such token would be accepted yet.
pub fn issue_time(now_s: i64, revoked_until_s: Option<i64>) -> Option<i64> {
    let time_s = revoked_until_s.map_or(now_s, |until_s| now_s.max(until_s + 1));
    (time_s <= now_s + FUTURE_S_MAX).then_some(time_s)
}

/// The problem of an agent for which no token can be made, with what to do.
pub fn revoked_ahead(agent_id: &str) -> String {
    format!(
        "the tokens of {agent_id} were ended at a time that lies ahead; if the clock is right now, \
         end them again: chatkeep token revoke --agent-id {agent_id}"
    )
}

/// The agent named in a token, without checking the token.
pub fn agent_in(token: &str) -> Option<String> {
    let text = decode(token)?;
    let agent = text.split(':').next().filter(|agent| is_agent_id(agent))?;
    (text.split(':').count() == 4).then(|| agent.to_owned())
}

/// The text, a colon and its mac, as base64.
fn sign(key: HmacSha256, text: &str) -> String {
    let mac = key.chain_update(text).finalize().into_bytes();
    URL_SAFE_NO_PAD.encode(format!("{text}:{}", hex::encode(mac)))
}

/// Like `sign`, for other tokens signed with `edge.secret`. Their texts must not have the three
/// parts of an edge token.
pub(super) fn sign_with(secret: &str, text: &str) -> String {
    sign(hmac_key(secret), text)
}

pub struct EdgeTokenSettings<'a> {
    pub secrets: Secrets<'a>,
    pub ttl_days: u64,
    /// Whether the raw secret is accepted as a bearer token.
    pub development: bool,
}

/// The secrets that sign tokens.
#[derive(Clone, Copy)]
pub struct Secrets<'a> {
    pub secret: &'a str,
    pub previous_secret: Option<&'a str>,
}

/// Verifies tokens.
pub struct Verifier {
    keys: Setting<Keys>,
    ttl_s: i64,
    development: bool,
    /// Per agent, the time (Unix seconds) up to which its tokens are revoked.
    valid_from: RwLock<HashMap<String, i64>>,
}

/// HMAC keys; made once and cloned per request.
struct Keys {
    /// The raw secret's length and mac, for development.
    secret_bytes: usize,
    secret_mac: Vec<u8>,
    key: HmacSha256,
    previous: Option<HmacSha256>,
    /// Tokens with a correct mac, already parsed. Age and revocation are checked on each use.
    verified: RwLock<HashMap<String, Claim>>,
}

/// The contents of a token.
#[derive(Clone)]
struct Claim {
    agent: AgentName,
    issued_at_s: i64,
}

impl Keys {
    fn of(secrets: Secrets) -> Self {
        let key = hmac_key(secrets.secret);
        let mac = key.clone().chain_update(secrets.secret).finalize();
        Self {
            secret_bytes: secrets.secret.len(),
            secret_mac: mac.into_bytes().to_vec(),
            key,
            previous: secrets.previous_secret.map(hmac_key),
            verified: RwLock::default(),
        }
    }

    fn cached_claim(&self, token: &str) -> Option<Claim> {
        self.verified.read().get(token).cloned()
    }

    fn cache_claim(&self, token: &str, claim: &Claim) {
        let mut verified = self.verified.write();
        if verified.len() >= CACHED_TOKENS_MAX {
            verified.clear();
        }
        verified.insert(token.to_owned(), claim.clone());
    }
}

impl Verifier {
    pub fn new(settings: &EdgeTokenSettings, revocations: Vec<(String, i64)>) -> Self {
        Self {
            keys: Setting::new(Keys::of(settings.secrets)),
            ttl_s: settings.ttl_days as i64 * DAY_S,
            development: settings.development,
            valid_from: RwLock::new(revocations.into_iter().collect()),
        }
    }

    /// The agent of a bearer token. `named` is the agent that the request names elsewhere; it must
    /// be the same. The error is for the log only.
    pub fn verify(
        &self,
        bearer: Option<&str>,
        stated_agent: Option<&str>,
        now: Timestamp,
    ) -> Result<AgentName, &'static str> {
        let bearer = bearer.ok_or("no bearer token")?;
        if let Some(agent) = self.raw_secret(bearer, stated_agent)? {
            return Ok(agent);
        }
        let keys = self.keys.get();
        let claim = match keys.cached_claim(bearer) {
            Some(claim) => claim,
            None => {
                let claim = claim(bearer, &keys)?;
                keys.cache_claim(bearer, &claim);
                claim
            }
        };
        let agent = claim.agent.0.as_str();
        self.check_age(agent, claim.issued_at_s, now)?;
        if stated_agent.is_some_and(|stated_agent| stated_agent != agent) {
            return Err("the token belongs to another agent");
        }
        Ok(claim.agent)
    }

    /// When a token that was verified becomes too old. `None`: it is the raw secret.
    pub fn ends_at(&self, bearer: &str) -> Option<Timestamp> {
        let issued_at_s = self.keys.get().cached_claim(bearer)?.issued_at_s;
        let ends_s = issued_at_s.checked_add(self.ttl_s)?.checked_add(1)?;
        ends_s.checked_mul(1_000).map(Timestamp)
    }

    /// Makes a token with the current secret.
    pub fn issue(&self, agent_id: &str, phone: &str, issued_at_s: i64) -> String {
        let signed = format!("{agent_id}:{phone}:{issued_at_s}");
        sign(self.keys.get().key.clone(), &signed)
    }

    /// Until when the agent's tokens are revoked (Unix seconds).
    pub fn revoked_until(&self, agent_id: &str) -> Option<i64> {
        self.valid_from.read().get(agent_id).copied()
    }

    /// The signed text of a token with a correct mac.
    pub(super) fn signed_text(&self, token: &str) -> Result<String, &'static str> {
        signed_text(token, &self.keys.get())
    }

    /// Replaces the secrets; takes effect immediately.
    pub fn set_secrets(&self, secrets: Secrets) {
        self.keys.set(Keys::of(secrets));
    }

    /// Revokes an agent's tokens issued up to `seconds`.
    pub fn revoke(&self, agent_id: &str, seconds: i64) {
        let mut valid_from = self.valid_from.write();
        valid_from.insert(agent_id.to_owned(), seconds);
    }

    fn raw_secret(
        &self,
        bearer: &str,
        stated_agent: Option<&str>,
    ) -> Result<Option<AgentName>, &'static str> {
        // Compares macs of texts with equal length, so that timing tells nothing about the secret.
        let keys = self.keys.get();
        let mac = || keys.key.clone().chain_update(bearer);
        let is_secret =
            bearer.len() == keys.secret_bytes && mac().verify_slice(&keys.secret_mac).is_ok();
        if !is_secret {
            return Ok(None);
        }
        if !self.development {
            return Err(
                "the raw edge secret is accepted in development only; make a token with \
                 `chatkeep token edge`",
            );
        }
        let name = stated_agent.unwrap_or(DEVELOPMENT_AGENT);
        if !is_agent_id(name) {
            return Err("the agent id is invalid");
        }
        Ok(Some(AgentName(name.to_owned())))
    }

    fn check_age(&self, agent: &str, issued_at: i64, now: Timestamp) -> Result<(), &'static str> {
        let age = now.seconds().saturating_sub(issued_at);
        if age < -FUTURE_S_MAX {
            return Err("the token was issued in the future");
        }
        if age > self.ttl_s {
            return Err("the token is too old");
        }
        if self
            .revoked_until(agent)
            .is_some_and(|from| issued_at <= from)
        {
            return Err("the token was revoked");
        }
        Ok(())
    }
}

/// The contents of a token with a correct mac.
fn claim(token: &str, keys: &Keys) -> Result<Claim, &'static str> {
    let signed = signed_text(token, keys)?;
    let mut parts = signed.split(':');
    let (Some(agent), Some(_phone), Some(issued_at), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return Err("the token does not have four parts");
    };
    if !is_agent_id(agent) {
        return Err("the token's agent id is invalid");
    }
    Ok(Claim {
        agent: AgentName(agent.to_owned()),
        issued_at_s: issued_at.parse().map_err(|_| "issued_at is no number")?,
    })
}

fn signed_text(token: &str, keys: &Keys) -> Result<String, &'static str> {
    let text = decode(token).ok_or("the token is not base64 text")?;
    let (signed, mac) = text.rsplit_once(':').ok_or("the token has no mac")?;
    check_mac(signed, mac, keys)?;
    Ok(signed.to_owned())
}

fn check_mac(signed: &str, mac: &str, keys: &Keys) -> Result<(), &'static str> {
    if mac.bytes().any(|b| b.is_ascii_uppercase()) {
        return Err("the token's mac is not in lower case");
    }
    let mac = hex::decode(mac).map_err(|_| "the token's mac is not hex")?;
    // Both macs are always computed, so that timing doesn't tell which secret is in use.
    let current = keys.key.clone().chain_update(signed).verify_slice(&mac);
    let previous = keys
        .previous
        .as_ref()
        .map(|key| key.clone().chain_update(signed).verify_slice(&mac));
    if current.is_ok() | previous.is_some_and(|p| p.is_ok()) {
        Ok(())
    } else {
        Err("the token's mac is invalid")
    }
}

fn hmac_key(secret: &str) -> HmacSha256 {
    HmacSha256::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length")
}

/// Accepts the standard and the URL-safe alphabet, with or without padding.
fn decode(token: &str) -> Option<String> {
    let unpadded = token.trim_end_matches('=');
    if token.len() - unpadded.len() > 2 {
        return None;
    }
    let engine = if unpadded.contains(['-', '_']) {
        &URL_SAFE_NO_PAD
    } else {
        &STANDARD_NO_PAD
    };
    String::from_utf8(engine.decode(unpadded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::STANDARD;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn verifier(development: bool) -> Verifier {
        let settings = EdgeTokenSettings {
            secrets: Secrets {
                secret: SECRET,
                previous_secret: Some("the-previous-secret"),
            },
            ttl_days: 365,
            development,
        };
        Verifier::new(&settings, vec![("revoked".to_owned(), NOW.seconds() - 10)])
    }

    fn at(secret: &str, agent: &str, offset_s: i64) -> String {
        issue(secret, agent, "+15550100", NOW.seconds() + offset_s)
    }

    #[test]
    fn a_revocation_ends_earlier_tokens_and_locks_nobody_out() {
        for (earlier, until, issued) in [
            (None, 100, Some(101)),
            (Some(99), 100, Some(101)),
            (Some(100), 101, Some(102)),
            (Some(159), 160, None), // for a second
            (Some(160), 161, None),
            (Some(161), 100, Some(101)),
            (Some(86_500), 100, Some(101)),
        ] {
            assert_eq!(revocation_time(100, earlier), until, "{earlier:?}");
            assert_eq!(issue_time(100, Some(until)), issued, "{earlier:?}");
        }
        assert_eq!(issue_time(100, None), Some(100));
        assert_eq!(issue_time(100, Some(50)), Some(100));
    }

    #[test]
    fn accepted_tokens() {
        let token = at(SECRET, "a.b-c_1", 0);
        let text = String::from_utf8(
            STANDARD_NO_PAD
                .decode(token.replace('-', "+").replace('_', "/"))
                .unwrap(),
        )
        .unwrap();
        let upper = {
            let (signed, mac) = text.rsplit_once(':').unwrap();
            STANDARD.encode(format!("{signed}:{}", mac.to_uppercase()))
        };
        let colon = issue(SECRET, "a", "+1555:0100", NOW.seconds());
        let cases: Vec<(&str, String, Option<&str>, bool)> = vec![
            ("good", token.clone(), None, true),
            ("good, named", token.clone(), Some("a.b-c_1"), true),
            ("good, padded standard", STANDARD.encode(&text), None, true),
            ("another agent named", token.clone(), Some("other"), false),
            (
                "previous secret",
                at("the-previous-secret", "a", 0),
                None,
                true,
            ),
            ("foreign secret", at("x", "a", 0), None, false),
            ("60 s ahead", at(SECRET, "a", 60), None, true),
            ("61 s ahead", at(SECRET, "a", 61), None, false),
            ("365 days old", at(SECRET, "a", -365 * DAY_S), None, true),
            ("older", at(SECRET, "a", -365 * DAY_S - 1), None, false),
            ("revoked before", at(SECRET, "revoked", -10), None, false),
            (
                "issued after the revocation",
                at(SECRET, "revoked", -9),
                None,
                true,
            ),
            ("upper-case mac", upper, None, false),
            ("agent id with a space", at(SECRET, "a b", 0), None, false),
            (
                "agent id too long",
                at(SECRET, &"a".repeat(65), 0),
                None,
                false,
            ),
            ("a colon in the phone", colon, None, false),
            ("not base64", "%%%".to_owned(), None, false),
            ("empty", String::new(), None, false),
            ("raw secret", SECRET.to_owned(), None, false),
        ];
        for (case, token, stated_agent, expected) in cases {
            let verifier = verifier(false);
            for time in ["the first time", "again"] {
                let result = verifier.verify(Some(&token), stated_agent, NOW);
                assert_eq!(result.is_ok(), expected, "{case}, {time}: {result:?}");
            }
        }
        assert!(verifier(false).verify(None, None, NOW).is_err());
    }

    #[test]
    fn a_cached_token_expires_like_any_other() {
        let verifier = verifier(false);
        let token = at(SECRET, "agent", 0);
        let days = |days: i64| Timestamp::from_seconds(NOW.seconds() + days * DAY_S);
        let verify = |named, now| verifier.verify(Some(&token), named, now);
        assert_eq!(verify(None, NOW), Ok(AgentName("agent".into())));
        assert!(verify(Some("other"), NOW).is_err());
        assert!(verify(Some("agent"), days(365)).is_ok());
        assert!(verify(None, days(366)).is_err());
        assert!(verify(None, days(-1)).is_err());
        verifier.revoke("agent", NOW.seconds());
        assert_eq!(verify(None, NOW), Err("the token was revoked"));
        let unrevoked = at(SECRET, "other", 0);
        let verify = || verifier.verify(Some(&unrevoked), None, NOW);
        assert!(verify().is_ok());
        verifier.set_secrets(Secrets {
            secret: "another-secret-of-thirty-two-bytes",
            previous_secret: None,
        });
        assert_eq!(verify(), Err("the token's mac is invalid"));
    }

    #[test]
    fn the_token_cache_is_bounded() {
        let verifier = verifier(false);
        for serial in 0..CACHED_TOKENS_MAX as i64 + 10 {
            let token = at(SECRET, "agent", -serial);
            assert!(verifier.verify(Some(&token), None, NOW).is_ok());
        }
        assert_eq!(verifier.keys.get().verified.read().len(), 10);
    }

    #[test]
    fn a_token_with_a_changed_bit_is_refused() {
        let verifier = verifier(false);
        let token = at(SECRET, "agent", 0);
        assert!(verifier.verify(Some(&token), None, NOW).is_ok());
        for index in 0..token.len() {
            for bit in 0..7 {
                let mut bytes = token.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else {
                    continue;
                };
                let result = verifier.verify(Some(&changed), None, NOW);
                assert!(result.is_err(), "byte {index} bit {bit}");
            }
        }
    }

    #[test]
    fn the_raw_secret_is_for_development() {
        let verify = |named| verifier(true).verify(Some(SECRET), named, NOW);
        assert_eq!(verify(None), Ok(AgentName("dev".into())));
        assert_eq!(verify(Some("mine")), Ok(AgentName("mine".into())));
        assert!(verify(Some("not/mine")).is_err());
    }
}
