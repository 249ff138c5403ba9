//! Calls the servers of people's calendars. An address comes from outside: it is called over TLS,
//! at public addresses, and every redirect is checked like the address itself.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ServiceError;
use crate::config;
use crate::outbound::{self, Authorities, Method, NoAnswer, Request, Response};

/// The time for connecting, sending and reading.
const CALL_MAX: Duration = Duration::from_secs(20);
const REDIRECTS_MAX: usize = 5;
/// The end of a sentence about a host that only an operator can allow.
pub const IN_PRIVATE_NETWORK: &str = "is in a private network, which is not asked.";
/// In a sentence about a host that only an operator can allow to be asked without TLS.
pub const NEEDS_TLS: &str = "must be asked over";
/// The servers of one provider, which accept the same credentials.
const SHARED_DOMAINS: [&str; 1] = [".icloud.com"];

/// An http or https address, without user name and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub is_tls: bool,
    /// In lower case; an IPv6 address in its brackets.
    pub host: String,
    pub port: u16,
    /// With the query; begins with a slash.
    pub path: String,
}

/// Which servers may be asked, and how.
pub struct Network {
    /// Private addresses may be asked on the allowed hosts.
    pub allow_private: bool,
    /// In lower case. They may be asked without TLS.
    pub allowed_hosts: Vec<String>,
    /// The authorities for the allowed hosts' certificates; `None`: the public authorities.
    pub authorities: Option<Authorities>,
}

/// One call.
pub struct Query<'a> {
    pub method: Method,
    pub headers: Vec<(&'a str, String)>,
    /// Content type and bytes.
    pub body: Option<(&'a str, &'a [u8])>,
    /// User name and password, for the first address's origin only.
    pub login: Option<(&'a str, &'a str)>,
    pub answer_bytes_max: u64,
}

impl Address {
    /// The error says what is wrong, without the address.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let scheme = |name: &str| {
            let start = text.get(..name.len())?;
            start
                .eq_ignore_ascii_case(name)
                .then(|| &text[name.len()..])
        };
        let text = match scheme("webcal://").or_else(|| scheme("webcals://")) {
            Some(rest) => format!("https://{rest}"),
            None => text.to_owned(),
        };
        let (is_tls, host, port, rest) = config::web_parts_of(&text)?;
        let rest = rest.split('#').next().unwrap_or_default();
        let path = match rest.starts_with('/') {
            true => rest.to_owned(),
            false => format!("/{rest}"),
        };
        Ok(Self {
            port: port.unwrap_or(if is_tls { 443 } else { 80 }),
            is_tls,
            host,
            path,
        })
    }

    /// The address that `href` means where this one answered with it.
    pub fn join(&self, href: &str) -> Result<Self, String> {
        let href = href.trim();
        if href.contains("://") {
            return Self::parse(href);
        }
        if href.starts_with("//") {
            let scheme = if self.is_tls { "https" } else { "http" };
            return Self::parse(&format!("{scheme}:{href}"));
        }
        let path = match href.starts_with('/') {
            true => href.to_owned(),
            false => {
                let folder = self.path.split('?').next().unwrap_or_default();
                let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
                format!("{folder}/{href}")
            }
        };
        // The same checks as for one that a person writes.
        Self::parse(&self.with_path(path).to_string())
    }

    pub fn with_path(&self, path: String) -> Self {
        Self {
            path,
            ..self.clone()
        }
    }

    /// Credentials for this address may be sent to `other`.
    fn shares_login_with(&self, other: &Self) -> bool {
        let origin = |address: &Self| (address.is_tls, address.host.clone(), address.port);
        let is_of = |domain: &&str| self.host.ends_with(domain) && other.host.ends_with(domain);
        origin(self) == origin(other)
            || self.is_tls && other.is_tls && SHARED_DOMAINS.iter().any(is_of)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (scheme, usual) = if self.is_tls {
            ("https", 443)
        } else {
            ("http", 80)
        };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port != usual {
            write!(f, ":{}", self.port)?;
        }
        f.write_str(&self.path)
    }
}

impl Query<'_> {
    pub fn get(answer_bytes_max: u64) -> Self {
        Self {
            method: Method::Get,
            headers: Vec::new(),
            body: None,
            login: None,
            answer_bytes_max,
        }
    }
}

impl Network {
    /// Sends a query, and follows redirects. It blocks.
    pub fn send(
        &self,
        address: &Address,
        query: &Query,
    ) -> Result<(Address, Response), ServiceError> {
        self.send_to(address, address, query)
    }

    /// Sends to another address than the one that the credentials are for. Redirects keep method
    /// and body. Returns where the answer came from, and the answer, whatever its status.
    pub fn send_to(
        &self,
        login_address: &Address,
        address: &Address,
        query: &Query,
    ) -> Result<(Address, Response), ServiceError> {
        let mut at = address.clone();
        for _ in 0..=REDIRECTS_MAX {
            let response = self.send_once(login_address, &at, query)?;
            if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
                return Ok((at, response));
            }
            let to = response.header("location").unwrap_or_default();
            let to = at.join(to).map_err(|_| {
                ServiceError::unreachable(format!("{} redirects to no usable address.", at.host))
            })?;
            at = to;
        }
        Err(ServiceError::unreachable(format!(
            "{} redirects more than {REDIRECTS_MAX} times.",
            address.host
        )))
    }

    fn send_once(
        &self,
        first: &Address,
        at: &Address,
        query: &Query,
    ) -> Result<Response, ServiceError> {
        let is_named = self.names(&at.host);
        if !at.is_tls && !is_named {
            return Err(ServiceError::unreachable(format!(
                "{} {NEEDS_TLS} https://.",
                at.host
            )));
        }
        let url = at.to_string();
        let mut headers = query.headers.clone();
        headers.push((
            "user-agent",
            concat!("chatkeep/", env!("CARGO_PKG_VERSION")).to_owned(),
        ));
        if let Some((user, password)) = query.login.filter(|_| first.shares_login_with(at)) {
            let encoded = STANDARD.encode(format!("{user}:{password}"));
            headers.push(("authorization", format!("Basic {encoded}")));
        }
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let sent = outbound::send(&Request {
            headers: &headers,
            raw: query.body,
            timeout: CALL_MAX,
            answer_bytes_max: query.answer_bytes_max,
            public_only: !(self.allow_private && is_named),
            authorities: self.authorities_of(&at.host),
            ..Request::new(query.method, &url)
        });
        sent.map_err(|error| no_answer(&at.host, &error))
    }

    /// The addresses of a host that may be asked. It blocks.
    pub fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ServiceError> {
        let public_only = !(self.allow_private && self.names(host));
        let found = outbound::resolve(host, port, public_only);
        found.map_err(|error| no_answer(host, &error))
    }

    /// `None`: the public authorities.
    pub fn authorities_of(&self, host: &str) -> Option<&Authorities> {
        self.authorities.as_ref().filter(|_| self.names(host))
    }

    /// An operator named the host.
    pub fn names(&self, host: &str) -> bool {
        self.allowed_hosts.iter().any(|allowed| allowed == host)
    }
}

/// Addresses may be secrets: only the host is named.
fn no_answer(host: &str, error: &NoAnswer) -> ServiceError {
    ServiceError::unreachable(if error.is_private {
        format!("{host} {IN_PRIVATE_NETWORK}")
    } else if error.timed_out {
        format!(
            "{host} did not answer within {} seconds.",
            CALL_MAX.as_secs()
        )
    } else if error.is_too_long {
        format!("{host} sends more than can be read.")
    } else if error.to_string().contains("certificate") {
        format!("{host} has no valid TLS certificate.")
    } else {
        format!("{host} can't be reached; check the address.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_joined() {
        let cases = [
            (
                "https://a.example/cal.ics?x=1#top", "https://a.example/cal.ics?x=1",
            ),
            ("webcal://A.example/cal.ics", "https://a.example/cal.ics"),
            ("WEBCAL://a.example:8443", "https://a.example:8443/"),
            ("http://a.example?x", "http://a.example/?x"),
            (" https://a.example:443/ ", "https://a.example/"),
        ];
        for (text, expected) in cases {
            assert_eq!(
                Address::parse(text).unwrap().to_string(),
                expected,
                "{text}"
            );
        }
        for bad in [
            "", "a.example", "ftp://a.example", "https://me:secret@a.example/", "file:///etc",
            "https://a b/",
        ] {
            let why = Address::parse(bad).expect_err(bad);
            assert!(!why.contains("secret"), "{why}");
        }
        let base = Address::parse("https://a.example/dav/ada/?x").unwrap();
        let cases = [
            ("/cal/", "https://a.example/cal/"),
            ("work/", "https://a.example/dav/ada/work/"),
            ("https://b.example/cal", "https://b.example/cal"),
            ("//b.example/cal", "https://b.example/cal"),
            ("%40x", "https://a.example/dav/ada/%40x"),
        ];
        for (href, expected) in cases {
            assert_eq!(base.join(href).unwrap().to_string(), expected, "{href}");
        }
        assert!(base.join("ftp://b.example/").is_err());
    }

    #[test]
    fn a_login_goes_to_its_own_origin() {
        let at = |text: &str| Address::parse(text).unwrap();
        let cases = [
            ("https://a.example/x", "https://a.example/y", true),
            ("https://a.example/", "http://a.example/", false),
            ("https://a.example/", "https://a.example:8443/", false),
            ("https://a.example/", "https://b.a.example/", false),
            (
                "https://caldav.icloud.com/", "https://p42-caldav.icloud.com/", true,
            ),
            (
                "https://caldav.icloud.com/", "http://p42-caldav.icloud.com/", false,
            ),
            (
                "https://caldav.icloud.com/", "https://evilicloud.com/", false,
            ),
        ];
        for (first, other, expected) in cases {
            assert_eq!(
                at(first).shares_login_with(&at(other)),
                expected,
                "{first} {other}"
            );
        }
    }
}
