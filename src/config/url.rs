//! Parsers of URLs in the configuration. Messages never repeat a URL, because it may contain a
//! password. Nothing here opens a connection.

const URL_BYTES_MAX: usize = 2048;

/// An http or https URL, kept unchanged.
pub(super) fn web(text: &str) -> Result<String, String> {
    split_web(text).map(|_| text.to_owned())
}

/// An http or https URL that paths are appended to: no query, no trailing slash.
pub(super) fn base(text: &str) -> Result<String, String> {
    let parts = split_web(text)?;
    if parts.rest.contains(['?', '#']) {
        return Err("must be a URL without \"?\" and \"#\"".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// The base of a chat completions API, to which "/chat/completions" is appended.
pub(super) fn completions_base(text: &str) -> Result<String, String> {
    let base = base(text)?;
    match base.ends_with("/chat/completions") {
        true => Err("must end before \"/chat/completions\", which is appended to it".to_owned()),
        false => Ok(base),
    }
}

/// Scheme, host and port as browsers send them in `Origin`.
pub(super) fn origin(text: &str) -> Result<String, String> {
    let parts = split_web(text)?;
    if !matches!(parts.rest, "" | "/") {
        return Err(
            "must be an origin, like \"https://app.example.com\", without a path".to_owned(),
        );
    }
    Ok(text.trim_end_matches('/').to_ascii_lowercase())
}

/// The `Origin` header of pages under this URL; empty for an invalid URL.
pub(super) fn origin_of(url: &str) -> String {
    let Ok(parts) = split_web(url) else {
        return String::new();
    };
    let default_port = if parts.scheme == "https" { 443 } else { 80 };
    let port = parts.port.filter(|port| *port != default_port);
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    let host = parts.host.to_ascii_lowercase();
    format!("{}://{host}{port}", parts.scheme)
}

/// The host of an http or https URL of any length, in lower case; an IPv6 address in its
/// brackets. No browser reads another host from the same text.
pub fn host_of(url: &str) -> Option<String> {
    let parts = web_parts(url).ok()?;
    Some(parts.host.to_ascii_lowercase())
}

/// Scheme, host in lower case, port if it is given, and the rest of an http or https URL.
pub fn web_parts_of(url: &str) -> Result<(bool, String, Option<u16>, String), String> {
    let parts = split_web(url)?;
    let is_tls = parts.scheme == "https";
    Ok((
        is_tls,
        parts.host.to_ascii_lowercase(),
        parts.port,
        parts.rest.to_owned(),
    ))
}

/// A host name or an IPv4 address, in lower case.
pub(super) fn host(text: &str) -> Result<String, String> {
    if is_host(text) && !text.starts_with('[') {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("must be a host name, without scheme, port and path".to_owned())
    }
}

/// A host, or a host and a port; an IPv6 address in brackets and with a port.
pub(super) fn host_and_port(text: &str) -> Result<String, String> {
    let (name, port) = text.split_once(':').unwrap_or((text, "1"));
    let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
    if text.parse::<std::net::SocketAddr>().is_ok() || host(name).is_ok() && is_port {
        return Ok(text.to_owned());
    }
    Err("must be a host, or a host and a port, like \"xmpp.example.com:5222\"".to_owned())
}

/// The parts of `scheme://authority[/…]`; `rest` begins with `/`, `?` or `#`, or is empty.
pub(super) struct Parts<'a> {
    pub(super) scheme: String,
    pub(super) user: Option<&'a str>,
    pub(super) host: &'a str,
    pub(super) port: Option<u16>,
    pub(super) rest: &'a str,
}

pub(super) fn split(text: &str) -> Result<Parts<'_>, String> {
    check_length(text)?;
    parts(text)
}

fn split_web(text: &str) -> Result<Parts<'_>, String> {
    check_length(text)?;
    web_parts(text)
}

fn check_length(text: &str) -> Result<(), String> {
    if text.len() > URL_BYTES_MAX {
        return Err(format!("must be at most {URL_BYTES_MAX} bytes long"));
    }
    Ok(())
}

fn parts(text: &str) -> Result<Parts<'_>, String> {
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("must be a URL in ASCII without spaces".to_owned());
    }
    let (scheme, remainder) = text
        .split_once("://")
        .ok_or("must be a URL with a scheme, as https://")?;
    let (authority, rest) =
        remainder.split_at(remainder.find(['/', '?', '#']).unwrap_or(remainder.len()));
    let (user, host_and_port) = match authority.rsplit_once('@') {
        Some((user, host_and_port)) => (Some(user), host_and_port),
        None => (None, authority),
    };
    // The colons of an IPv6 address are inside brackets.
    let (host, port) = match host_and_port.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => {
            let is_plain = port.bytes().all(|b| b.is_ascii_digit());
            let number = port.parse().ok().filter(|n| is_plain && *n != 0);
            (
                host,
                Some(number.ok_or("names a port that is no number from 1 to 65535")?),
            )
        }
        _ => (host_and_port, None),
    };
    if !is_host(host) {
        return Err("must be a URL with a valid host name".to_owned());
    }
    Ok(Parts {
        scheme: scheme.to_ascii_lowercase(),
        user,
        host,
        port,
        rest,
    })
}

fn web_parts(text: &str) -> Result<Parts<'_>, String> {
    let parts = parts(text)?;
    if !matches!(parts.scheme.as_str(), "http" | "https") {
        return Err("must be a URL that begins with http:// or https://".to_owned());
    }
    if parts.user.is_some() {
        return Err("must be a URL without a user name or password".to_owned());
    }
    Ok(parts)
}

fn is_host(host: &str) -> bool {
    if let Some(inner) = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) {
        return inner.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let label = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    host.len() <= 253 && host.strip_suffix('.').unwrap_or(host).split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases() {
        for (input, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("https://chat.example/", "https://chat.example"),
            ("https://chat.example/under/", "https://chat.example/under"),
            ("HTTPS://[::1]:8443", "HTTPS://[::1]:8443"),
        ] {
            assert_eq!(base(input).as_deref(), Ok(expected));
        }
        for invalid in [
            "chat.example", "ftp://chat.example", "http://", "http:///path", "http://a b",
            "http://chat.example:0", "http://chat.example:70000", "http://chat.example:",
            "http://chat.example:+80", "http://[::1", "http://a..b", "https://me:pw@chat.example",
            "https://chat.example?x=1", "https://chat.example/#x",
        ] {
            let message = base(invalid).expect_err(invalid);
            assert!(!message.contains("pw"), "{message}");
        }
    }

    #[test]
    fn web_urls_keep_their_query() {
        let url = "https://app.example/done?session={CHECKOUT_SESSION_ID}";
        assert_eq!(web(url).as_deref(), Ok(url));
    }

    #[test]
    fn origins_as_browsers_send_them() {
        for (url, expected) in [
            ("https://Chat.example/under", "https://chat.example"),
            ("https://chat.example:443", "https://chat.example"),
            ("https://chat.example:80", "https://chat.example:80"),
            ("HTTP://127.0.0.1:80", "http://127.0.0.1"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("nonsense", ""),
        ] {
            assert_eq!(origin_of(url), expected);
        }
    }

    #[test]
    fn origins_and_hosts() {
        assert_eq!(
            origin("https://App.example/").as_deref(),
            Ok("https://app.example")
        );
        assert!(origin("https://app.example/path").is_err());
        assert!(origin("*").is_err());
        assert_eq!(host("App.example").as_deref(), Ok("app.example"));
        for invalid in [
            "", "https://app.example", "app.example:80", "app.example/x", "[::1]",
        ] {
            assert!(host(invalid).is_err(), "{invalid:?}");
        }
    }
}
