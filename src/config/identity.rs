//! `[identity]`: who issues the JWTs of people.

use std::ops::RangeInclusive;

use super::report::Report;
use super::secret::Secret;
use super::section::{Choice, Section};
use super::{text, url};

pub(super) const ABOUT: &str = "Who issues the JWTs of people.";

const LEEWAY_S: RangeInclusive<u64> = 0..=300;

/// Signatures of an external issuer. HS256 is missing on purpose: it counts only with
/// `hs256_secret`, never with a key from a JWKS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

#[derive(Debug, Clone)]
pub struct Identity {
    /// With one, `issuer` and `audience` are there too.
    pub jwks_url: Option<String>,
    pub issuer: Option<String>,
    pub audience: Option<String>,
    pub algorithms: Vec<Algorithm>,
    pub leeway_s: u64,
    /// The development key. In production only when an operator set it.
    pub hs256_secret: Option<Secret>,
}

impl Algorithm {
    /// As `alg` in a JWT's header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
        }
    }
}

impl Choice for Algorithm {
    const VALUES: &'static [(&'static str, Self)] = &[
        ("RS256", Self::Rs256),
        ("ES256", Self::Es256),
        ("EdDSA", Self::EdDsa),
    ];
}

pub(super) fn read(s: &mut Section<'_>) -> Identity {
    Identity {
        jwks_url: s.parsed_if_set(
            "jwks_url",
            "https://id.example.com/.well-known/jwks.json",
            "Where the identity provider publishes its keys; wants issuer and audience as well.",
            url::web,
        ),
        issuer: s.parsed_if_set(
            "issuer",
            "https://id.example.com/",
            "The iss that tokens must carry, to the letter.",
            text::line,
        ),
        audience: s.parsed_if_set("audience", "chatkeep", "The aud that tokens must carry.", text::line),
        algorithms: s.list(
            "algorithms",
            &["RS256", "ES256", "EdDSA"],
            "Signatures accepted from the identity provider.",
            algorithm,
        ),
        leeway_s: s.number("leeway_s", 30, LEEWAY_S, "Seconds by which clocks may differ."),
        hs256_secret: s.secret(
            "hs256_secret",
            "The key of `chatkeep token user`; whoever holds it can be anyone. Development makes one. \
             Production wants it only in the place of jwks_url, and at least 32 bytes.",
        ),
    }
}

pub(super) fn check(identity: &Identity, report: &mut Report) {
    if identity.jwks_url.is_none() {
        return;
    }
    let needed = "is needed with identity.jwks_url: any token of that provider would do otherwise";
    if identity.issuer.is_none() {
        report.problem("identity.issuer", needed);
    }
    if identity.audience.is_none() {
        report.problem("identity.audience", needed);
    }
    if identity.algorithms.is_empty() {
        report.problem(
            "identity.algorithms",
            "is empty: with identity.jwks_url at least one is needed",
        );
    }
}

fn algorithm(text: &str) -> Result<Algorithm, String> {
    let found = Algorithm::VALUES.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        if text.eq_ignore_ascii_case("HS256") {
            "is never accepted from an identity provider; it counts only with hs256_secret"
                .to_owned()
        } else {
            "is not accepted; accepted are \"RS256\", \"ES256\" and \"EdDSA\"".to_owned()
        }
    })
}
