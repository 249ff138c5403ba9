//! Claims: which must be there, of which shape, and when they hold.

use serde_json::{Map, Value};

use super::header::Unverified;
use super::{LOCAL_ISSUER, Refusal, Rules};
use crate::clock::Timestamp;

/// OpenID Connect allows 255.
const SUBJECT_BYTES_MAX: usize = 255;
/// The last second of the year 9999.
const SECONDS_MAX: f64 = 253_402_300_799.0;
/// A longer text of a profile is passed over.
const PROFILE_BYTES_MAX: usize = 254;
/// Digits in a phone number, `+` not counted.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 3..=32;

/// What a token says of its bearer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// `""` for the local development key.
    pub issuer: String,
    pub subject: String,
    pub issued_at: Option<Timestamp>,
    pub expires_at: Timestamp,
    pub profile: Profile,
}

/// What the issuer knows of a person; what has no sensible shape is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Only a verified one, without spaces and punctuation.
    pub phone: Option<String>,
    /// Not one that the issuer says is unverified.
    pub email: Option<String>,
    pub name: Option<String>,
    /// As it was sent; not checked to be a zone.
    pub timezone: Option<String>,
}

/// Of a token that a provider is to have signed: `iss` and `aud` must be there and ours.
pub(super) fn read_provided(
    token: &Unverified<'_>,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, Refusal> {
    let (Some(issuer), Some(audience)) = (&rules.issuer, &rules.audience) else {
        return refuse("no identity provider is configured");
    };
    if !is_issuer(token.claims.get("iss"), issuer) {
        return refuse("the token is another issuer's");
    }
    if !has_audience(token.claims.get("aud"), audience) {
        return refuse("the token is meant for somebody else");
    }
    read(token, issuer, rules, now)
}

/// Of a token of the development key: `iss` and `aud` may be missing; where they stand and
/// are configured they must be ours.
pub(super) fn read_local(
    token: &Unverified<'_>,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, Refusal> {
    let sent = |name: &str| token.claims.get(name);
    let fits = |sent: Option<&Value>, ours: &Option<String>, check: Check| {
        let both = sent.and(ours.as_deref());
        both.is_none_or(|ours| check(sent, ours))
    };
    if !fits(sent("iss"), &rules.issuer, is_issuer) {
        return refuse("the token is another issuer's");
    }
    if !fits(sent("aud"), &rules.audience, has_audience) {
        return refuse("the token is meant for somebody else");
    }
    read(token, LOCAL_ISSUER, rules, now)
}

fn read(
    token: &Unverified<'_>,
    issuer: &str,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, Refusal> {
    let sent = &token.claims;
    let leeway_s = rules.leeway_s as i64;
    let wrong = Refusal::Because("one of exp, nbf and iat is no time");
    let expires_at = time(sent, "exp").ok_or(wrong)?;
    let not_before = time(sent, "nbf").ok_or(wrong)?;
    let issued_at = time(sent, "iat").ok_or(wrong)?;
    let Some(expires_at) = expires_at else {
        return refuse("the token has no exp");
    };
    if expires_at.plus_s(leeway_s) <= now {
        return refuse("the token has expired");
    }
    let latest = now.plus_s(leeway_s);
    if not_before.is_some_and(|from| from > latest) {
        return refuse("the token is not valid yet");
    }
    if issued_at.is_some_and(|at| at > latest) {
        return refuse("the token was issued in the future");
    }
    let subject = sent.get("sub").and_then(Value::as_str).unwrap_or_default();
    let plain = !subject.chars().any(char::is_control);
    if !(1..=SUBJECT_BYTES_MAX).contains(&subject.len()) || !plain {
        return refuse("the token has no usable sub");
    }
    Ok(Claims {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
        issued_at,
        expires_at,
        profile: profile(sent),
    })
}

type Check = fn(Option<&Value>, &str) -> bool;

fn refuse<T>(reason: &'static str) -> Result<T, Refusal> {
    Err(Refusal::Because(reason))
}

/// One string, to the letter; never one of a list.
fn is_issuer(sent: Option<&Value>, issuer: &str) -> bool {
    sent.and_then(Value::as_str) == Some(issuer)
}

/// A string, or a list of strings that has it.
fn has_audience(sent: Option<&Value>, audience: &str) -> bool {
    match sent {
        Some(Value::String(one)) => one == audience,
        Some(Value::Array(list)) => {
            list.iter().all(Value::is_string) && list.iter().any(|one| one == audience)
        }
        _ => false,
    }
}

/// A NumericDate: a number of seconds, perhaps with a fraction, that lies in history. The
/// outer `None`: it stands there and is none.
fn time(sent: &Map<String, Value>, name: &str) -> Option<Option<Timestamp>> {
    let Some(value) = sent.get(name) else {
        return Some(None);
    };
    let seconds = value.as_f64()?;
    let is_sane = (0.0..=SECONDS_MAX).contains(&seconds);
    is_sane.then_some(Some(Timestamp((seconds * 1000.0) as i64)))
}

fn profile(sent: &Map<String, Value>) -> Profile {
    let text = |name: &str| {
        let text = sent.get(name)?.as_str()?.trim();
        let plain = !text.chars().any(char::is_control);
        let fits = (1..=PROFILE_BYTES_MAX).contains(&text.len());
        (plain && fits).then(|| text.to_owned())
    };
    let says = |name: &str, verdict: bool| sent.get(name) == Some(&Value::Bool(verdict));
    let phone = text("phone_number").filter(|_| says("phone_number_verified", true));
    let email = text("email").filter(|_| !says("email_verified", false));
    Profile {
        phone: phone.and_then(|phone| phone_number(&phone)),
        email: email.filter(|email| is_email(email)),
        name: text("name"),
        timezone: text("zoneinfo"),
    }
}

/// As chat networks write it: `+1 (555) 010-0` is `+15550100`.
fn phone_number(text: &str) -> Option<String> {
    let number: String = text.chars().filter(|c| !" -().".contains(*c)).collect();
    let digits = number.strip_prefix('+').unwrap_or(&number);
    let is_number = PHONE_DIGITS.contains(&digits.len());
    (is_number && digits.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// Something that mail can be sent to; whether it arrives is another matter.
fn is_email(text: &str) -> bool {
    let spaced = text.contains(|c: char| c.is_whitespace() || "<>,;\"".contains(c));
    matches!(text.split_once('@'), Some((local, domain))
        if !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !spaced)
}
