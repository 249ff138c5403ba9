//! Claims of a token: which are required, their types, and the times they allow.

use serde_json::{Map, Value};

use super::header::UnverifiedToken;
use super::{LOCAL_ISSUER, Rules, TokenRefusal};
use crate::clock::Timestamp;

/// OpenID Connect allows 255 bytes.
const SUBJECT_BYTES_MAX: usize = 255;
/// The last second of the year 9999.
const SECONDS_MAX: f64 = 253_402_300_799.0;
/// A longer profile text is ignored.
const PROFILE_BYTES_MAX: usize = 254;
/// Digits of a phone number, without `+`.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 3..=32;

/// The claims of an accepted token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// Empty for the local development key.
    pub issuer: String,
    pub subject: String,
    pub issued_at: Option<Timestamp>,
    pub expires_at: Timestamp,
    pub profile: Profile,
}

/// The profile claims of a person. Malformed ones are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// Only a verified number, without spaces and punctuation.
    pub phone: Option<String>,
    /// Left out when the issuer says it is unverified.
    pub email: Option<String>,
    pub name: Option<String>,
    /// The time zone's name as the token has it, not checked.
    pub timezone: Option<String>,
}

/// Reads the claims of a provider's token: `iss` and `aud` are required and must match.
pub(super) fn read_provided(
    token: &UnverifiedToken,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, TokenRefusal> {
    let (Some(issuer), Some(audience)) = (&rules.issuer, &rules.audience) else {
        return refuse("no identity provider is configured");
    };
    if !is_issuer(token.claims.get("iss"), issuer) {
        return refuse("the token is from another issuer");
    }
    if !has_audience(token.claims.get("aud"), audience) {
        return refuse("the token is for another audience");
    }
    read(token, issuer, rules, now)
}

/// Reads the claims of a local token: `iss` and `aud` are optional, but must match if both present
/// and configured. An issuer is one string in any case.
pub(super) fn read_local(
    token: &UnverifiedToken,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, TokenRefusal> {
    let claim = |name: &str| token.claims.get(name);
    let matches = |claim: Option<&Value>, expected: &Option<String>, check: Check| {
        let present = claim.and(expected.as_deref());
        present.is_none_or(|expected| check(claim, expected))
    };
    let is_text = claim("iss").is_none_or(Value::is_string);
    if !is_text || !matches(claim("iss"), &rules.issuer, is_issuer) {
        return refuse("the token is from another issuer");
    }
    if !matches(claim("aud"), &rules.audience, has_audience) {
        return refuse("the token is for another audience");
    }
    read(token, LOCAL_ISSUER, rules, now)
}

fn read(
    token: &UnverifiedToken,
    issuer: &str,
    rules: &Rules,
    now: Timestamp,
) -> Result<Claims, TokenRefusal> {
    let claim = &token.claims;
    let leeway_s = rules.leeway_s as i64;
    let invalid = TokenRefusal::Because("one of exp, nbf and iat is no time");
    let expires_at = time(claim, "exp").ok_or(invalid)?;
    let not_before = time(claim, "nbf").ok_or(invalid)?;
    let issued_at = time(claim, "iat").ok_or(invalid)?;
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
    let subject = claim.get("sub").and_then(Value::as_str).unwrap_or_default();
    let is_printable = !subject.chars().any(char::is_control);
    if !(1..=SUBJECT_BYTES_MAX).contains(&subject.len()) || !is_printable {
        return refuse("the token has no usable sub");
    }
    Ok(Claims {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
        issued_at,
        expires_at,
        profile: profile(claim),
    })
}

type Check = fn(Option<&Value>, &str) -> bool;

fn refuse<T>(reason: &'static str) -> Result<T, TokenRefusal> {
    Err(TokenRefusal::Because(reason))
}

/// The issuer must be one string, equal to the configured one; a list is refused.
fn is_issuer(claim: Option<&Value>, issuer: &str) -> bool {
    claim.and_then(Value::as_str) == Some(issuer)
}

/// The audience is a string or a list of strings; one must match.
fn has_audience(claim: Option<&Value>, audience: &str) -> bool {
    match claim {
        Some(Value::String(audience_claim)) => audience_claim == audience,
        Some(Value::Array(list)) => {
            list.iter().all(Value::is_string)
                && list.iter().any(|audience_claim| audience_claim == audience)
        }
        _ => false,
    }
}

/// A NumericDate: seconds, perhaps with a fraction, up to the year 9999. The outer `None` means a
/// malformed value.
fn time(claim: &Map<String, Value>, name: &str) -> Option<Option<Timestamp>> {
    let Some(value) = claim.get(name) else {
        return Some(None);
    };
    let seconds = value.as_f64()?;
    let is_sane = (0.0..=SECONDS_MAX).contains(&seconds);
    is_sane.then_some(Some(Timestamp((seconds * 1000.0) as i64)))
}

fn profile(claim: &Map<String, Value>) -> Profile {
    let text = |name: &str| {
        let text = claim.get(name)?.as_str()?.trim();
        let is_printable = !text.chars().any(char::is_control);
        let fits = (1..=PROFILE_BYTES_MAX).contains(&text.len());
        (is_printable && fits).then(|| text.to_owned())
    };
    let is_set_to = |name: &str, expected: bool| claim.get(name) == Some(&Value::Bool(expected));
    let phone = text("phone_number").filter(|_| is_set_to("phone_number_verified", true));
    let email = text("email").filter(|_| !is_set_to("email_verified", false));
    Profile {
        phone: phone.and_then(|phone| phone_number(&phone)),
        email: email.filter(|email| is_email(email)),
        name: text("name"),
        timezone: text("zoneinfo"),
    }
}

/// Normalises a phone number: `+1 (555) 010-0` becomes `+15550100`.
fn phone_number(text: &str) -> Option<String> {
    let number: String = text.chars().filter(|c| !" -().".contains(*c)).collect();
    let digits = number.strip_prefix('+').unwrap_or(&number);
    let is_number = PHONE_DIGITS.contains(&digits.len());
    (is_number && digits.bytes().all(|b| b.is_ascii_digit())).then_some(number)
}

/// Whether the text looks like an e-mail address.
fn is_email(text: &str) -> bool {
    let has_separator = text.contains(|c: char| c.is_whitespace() || "<>,;\"".contains(c));
    matches!(text.split_once('@'), Some((local, domain))
        if !local.is_empty() && !domain.is_empty() && !domain.contains('@') && !has_separator)
}
