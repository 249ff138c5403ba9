//! The address of a mail server, as operators write it. Messages never repeat the address,
//! because it contains a password.

use percent_encoding::percent_decode_str;

use super::secret::Secret;
use super::url;

const SMTP_PORT: u16 = 25;
const SMTPS_PORT: u16 = 465;

/// The parts of `smtp[s]://[user[:password]@]host[:port]`.
#[derive(Debug, Clone)]
pub struct SmtpUrl {
    /// TLS from the first byte (`smtps`).
    pub tls: bool,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    /// Default when the URL has none: 25, or 465 with TLS.
    pub port: u16,
    /// Percent-decoded.
    pub user: Option<String>,
    pub password: Option<Secret>,
}

impl SmtpUrl {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const SCHEMES: &str = "must begin with smtp:// or smtps://";
        if !text.contains("://") {
            return Err(SCHEMES.to_owned());
        }
        let parts = url::split(text)?;
        let tls = match parts.scheme.as_str() {
            "smtp" => false,
            "smtps" => true,
            _ => return Err(SCHEMES.to_owned()),
        };
        if !matches!(parts.rest, "" | "/") {
            return Err(
                "must end after the host and port; write / ? # in a password as %2F %3F %23"
                    .to_owned(),
            );
        }
        let (user, password) = match parts.user {
            None => (None, None),
            Some(user_and_password) => match user_and_password.split_once(':') {
                None => (Some(percent_decode(user_and_password)?), None),
                Some((user, password)) => (
                    Some(percent_decode(user)?),
                    Some(Secret::new(percent_decode(password)?)),
                ),
            },
        };
        Ok(Self {
            tls,
            host: parts.host.trim_matches(['[', ']']).to_owned(),
            port: parts
                .port
                .unwrap_or(if tls { SMTPS_PORT } else { SMTP_PORT }),
            user,
            password,
        })
    }
}

fn percent_decode(text: &str) -> Result<String, String> {
    const INVALID: &str = "has a user or password with a % that is no %XX of UTF-8";
    let is_escape = |after: &str| after.len() >= 2 && hex::decode(&after[..2]).is_ok();
    // The decoder would pass a broken escape through unchanged.
    if !text.split('%').skip(1).all(is_escape) {
        return Err(INVALID.to_owned());
    }
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| INVALID)?;
    // A line break in the password would allow SMTP command injection.
    if decoded.chars().any(char::is_control) {
        return Err("has a user or password with a control character".to_owned());
    }
    Ok(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses() {
        let url = SmtpUrl::parse("smtps://me%40here:p%2Fw:1@mail.example:2465/").unwrap();
        assert!(url.tls);
        assert_eq!((url.host.as_str(), url.port), ("mail.example", 2465));
        assert_eq!(url.user.as_deref(), Some("me@here"));
        assert_eq!(url.password.as_ref().map(Secret::expose), Some("p/w:1"));
        assert!(!format!("{url:?}").contains("p/w"));

        let url = SmtpUrl::parse("smtp://[::1]").unwrap();
        assert_eq!((url.tls, url.host.as_str(), url.port), (false, "::1", 25));
        assert!(url.user.is_none() && url.password.is_none());
    }

    #[test]
    fn refuses_without_repeating() {
        for invalid in [
            "mail.example:25",
            "http://me:hunter2@mail.example",
            "smtp://me:hunter2@",
            "smtp://me:hunter2/x@mail.example",
            "smtp://me:hunter2%zz@mail.example",
            "smtp://me:hunter2%0d%0aRSET@mail.example",
            "smtp://me:hunter2@mail.example/path",
        ] {
            let message = SmtpUrl::parse(invalid).expect_err(invalid);
            assert!(!message.contains("hunter2"), "{message}");
        }
        // Invalid schemes.
        for invalid in ["mail.example:25", "http://mail.example"] {
            let message = SmtpUrl::parse(invalid).expect_err(invalid);
            assert_eq!(message, "must begin with smtp:// or smtps://", "{invalid}");
        }
    }
}
