//! One-time tokens for relays that register themselves: base64 of `registration
//! {nonce}:{expires_at}:{mac}`, signed like edge tokens. Pure: the database records used nonces. An
//! edge token can't pass as a registration token or the other way round: an edge token has one more
//! part, and no agent's name contains a space.

use super::edge_token::{self, Verifier};
use crate::clock::Timestamp;

const PREFIX: &str = "registration ";

/// A token with a correct mac that hasn't expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Unique per token.
    pub nonce: String,
    pub expires_at: Timestamp,
}

/// Makes a token. `nonce` must not contain a `:`.
pub fn issue(secret: &str, nonce: &str, expires_at: Timestamp) -> String {
    let text = format!("{PREFIX}{nonce}:{}", expires_at.seconds());
    edge_token::sign_with(secret, &text)
}

/// The error is for the log only.
pub fn verify(
    verifier: &Verifier,
    token: &str,
    now: Timestamp,
) -> Result<Registration, &'static str> {
    let signed = verifier.signed_text(token)?;
    let invalid = "the token is no registration token";
    let (nonce, expires_at) = signed
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'))
        .ok_or(invalid)?;
    let expires_at = expires_at.parse().map_err(|_| invalid)?;
    let expires_at = Timestamp::from_seconds(expires_at);
    if now >= expires_at {
        return Err("the registration token has expired");
    }
    Ok(Registration {
        nonce: nonce.to_owned(),
        expires_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::edge_token::EdgeTokenSettings;

    const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    fn verifier() -> Verifier {
        let settings = EdgeTokenSettings {
            secrets: edge_token::Secrets {
                secret: SECRET,
                previous_secret: Some("the-previous-secret"),
            },
            ttl_days: 365,
            development: false,
        };
        Verifier::new(&settings, Vec::new())
    }

    #[test]
    fn which_tokens_register() {
        let edge = edge_token::issue(SECRET, "registration", "n", NOW.seconds() + 9);
        let cases = [
            ("good", issue(SECRET, "n", NOW.plus_s(1)), true),
            (
                "previous",
                issue("the-previous-secret", "n", NOW.plus_s(1)),
                true,
            ),
            ("expired", issue(SECRET, "n", NOW), false),
            ("foreign", issue("x", "n", NOW.plus_s(1)), false),
            ("an edge token", edge, false),
            ("garbage", "gArBaGe".to_owned(), false),
            ("empty", String::new(), false),
        ];
        for (case, token, expected) in cases {
            let verdict = verify(&verifier(), &token, NOW);
            assert_eq!(verdict.is_ok(), expected, "{case}: {verdict:?}");
        }
    }

    #[test]
    fn a_registration_token_is_no_edge_token() {
        let token = issue(SECRET, "n", NOW.plus_s(60));
        assert!(verifier().verify(Some(&token), None, NOW).is_err());
    }
}
