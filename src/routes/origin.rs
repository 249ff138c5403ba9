//! Origin checks: they stop browsers from changing data on behalf of other sites. A browser sends
//! the page's origin in `Origin` with every request that may change something; other programs send
//! none and pass. In development the `Host` counts as the service's own origin, but only if it names
//! this machine: a name may have been made to lead here (DNS rebinding).

use std::net::IpAddr;

use super::Caller;
use crate::app::App;
use crate::error::{Error, ErrorKind, Result};
use crate::http::Exchange;

/// Checks a request of a route that changes data. The relay socket, a GET, checks its origin
/// itself.
pub(super) fn check(app: &App, caller: Caller, exchange: &Exchange) -> Result<()> {
    let server = &app.config.server;
    let host = exchange.header("host").ok().flatten().unwrap_or_default();
    let is_this_machine =
        !app.config.is_production() && names_this_machine(host, server.listen.ip());
    let is_allowed = match exchange.header("origin") {
        Ok(None) => true, // not sent by a browser
        Ok(Some(origin)) => {
            origin.eq_ignore_ascii_case(&server.public_origin())
                || (is_this_machine && is_same_host(origin, host))
                || (caller == Caller::Edge && is_listed(app, origin))
        }
        Err(_) => false,
    };
    if is_allowed {
        return Ok(());
    }
    Err(not_allowed(
        "Pages of this Origin may not change data. If it is the address under which you open the \
         service, set server.public_url to it.",
    ))
}

/// Whether `edge.allowed_origins` lists the origin.
pub(super) fn is_listed(app: &App, origin: &str) -> bool {
    let listed = app.config.edge.allowed_origins.iter();
    listed.into_iter().any(|l| l.eq_ignore_ascii_case(origin))
}

pub(super) fn not_allowed(detail: &str) -> Error {
    Error::new(ErrorKind::Forbidden, "origin_not_allowed", detail)
}

/// Whether the host is loopback or the listening address. When the service listens on all
/// addresses, any IP address passes but no name: a page of another site can't have this machine's
/// address as its origin. The port may differ, as behind a tunnel or in a container.
fn names_this_machine(host: &str, listen: IpAddr) -> bool {
    let Some(name) = without_port(host) else {
        return false;
    };
    match name.parse::<IpAddr>() {
        Ok(address) => {
            let address = address.to_canonical();
            address.is_loopback() || address == listen.to_canonical() || listen.is_unspecified()
        }
        Err(_) => name.eq_ignore_ascii_case("localhost"),
    }
}

/// The name or address of a `Host` header, without port and brackets.
fn without_port(host: &str) -> Option<&str> {
    let (name, rest) = match host.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let port = rest.strip_prefix(':').unwrap_or(rest);
    port.bytes().all(|b| b.is_ascii_digit()).then_some(name)
}

fn is_same_host(origin: &str, host: &str) -> bool {
    let host_and_port = origin.split_once("://");
    host_and_port.is_some_and(|(scheme, host_and_port)| {
        ["http", "https"].contains(&scheme) && host_and_port.eq_ignore_ascii_case(host)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_are_this_machine() {
        let (loopback, everywhere, lan) = ("127.0.0.1", "0.0.0.0", "192.0.2.7");
        for (host, listen, expected) in [
            ("127.0.0.1:8080", loopback, true),
            ("127.0.0.1", loopback, true),
            ("127.8.9.1:80", loopback, true),
            ("localhost:9000", loopback, true),
            ("LocalHost", loopback, true),
            ("[::1]:8080", loopback, true),
            ("[::ffff:127.0.0.1]:8080", loopback, true),
            ("192.0.2.7:8080", lan, true),
            ("127.0.0.1:8080", lan, true),
            ("192.0.2.8:8080", lan, false),
            ("192.0.2.7:8080", loopback, false),
            ("192.0.2.7:8080", everywhere, true),
            ("[2001:db8::7]:8080", "::", true),
            ("evil.example:8080", everywhere, false),
            ("evil.example", loopback, false),
            ("localhost.evil.example", loopback, false),
            ("127.0.0.1.evil.example", loopback, false),
            ("127.0.0.1:80@evil.example", loopback, false),
            ("[::1", loopback, false),
            ("[::1]evil.example", loopback, false),
            ("0.0.0.0:8080", loopback, false),
            ("", loopback, false),
        ] {
            let listen = listen.parse().unwrap();
            assert_eq!(names_this_machine(host, listen), expected, "{host}");
        }
    }

    #[test]
    fn the_origin_of_a_host() {
        for (origin, host, expected) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080", true),
            ("http://localhost:8080", "LOCALHOST:8080", true),
            ("https://localhost:8443", "localhost:8443", true),
            ("http://localhost", "localhost", true),
            ("http://localhost:3000", "localhost:8080", false),
            ("http://127.0.0.1:8080", "localhost:8080", false),
            ("http://evil.example", "127.0.0.1:8080", false),
            ("file://127.0.0.1:8080", "127.0.0.1:8080", false),
            ("null", "127.0.0.1:8080", false),
            ("", "", false),
        ] {
            assert_eq!(is_same_host(origin, host), expected, "{origin} {host}");
        }
    }
}
