//! The client's address: the socket's peer, or, when the peer is a trusted proxy, the address that
//! the proxy's forwarding header names. Forwarding headers of other peers are ignored.

use std::net::{IpAddr, SocketAddr};

use crate::app::App;
use crate::http::Exchange;

const FORWARDED_FOR: &str = "x-forwarded-for";

pub(super) fn of(app: &App, exchange: &Exchange) -> IpAddr {
    let trusted = app.trusted_proxies.get();
    if trusted.is_empty() {
        return exchange.peer.to_canonical();
    }
    let lines = exchange.headers.get_all(FORWARDED_FOR);
    let lines: Vec<&str> = lines.iter().map(|l| l.to_str().unwrap_or("")).collect();
    forwarded_client(exchange.peer, &lines, |address| {
        trusted.iter().any(|network| network.contains(address))
    })
}

/// The rightmost address that isn't a trusted proxy. Entries left of it may be forged. An entry
/// that isn't an address ends the search at the proxy that sent it.
fn forwarded_client(peer: IpAddr, lines: &[&str], is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let mut address = peer.to_canonical();
    let entries = lines.iter().flat_map(|line| line.split(','));
    let entries: Vec<&str> = entries.collect();
    for entry in entries.iter().rev() {
        if !is_trusted(address) {
            break;
        }
        let Some(previous) = parse(entry.trim()) else {
            break;
        };
        address = previous.to_canonical();
    }
    address
}

/// Parses an address, optionally with a port, or in brackets for IPv6.
fn parse(entry: &str) -> Option<IpAddr> {
    let unbracketed = entry.strip_prefix('[').and_then(|e| e.strip_suffix(']'));
    let address = unbracketed.unwrap_or(entry).parse().ok();
    address.or_else(|| entry.parse::<SocketAddr>().ok().map(|at| at.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let is_trusted = |address: IpAddr| address.to_string().starts_with("10.");
        // (peer, headers, expected)
        let cases: [(&str, &[&str], &str); 12] = [
            ("192.0.2.1", &["198.51.100.1"], "192.0.2.1"),
            ("192.0.2.1", &[], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
            (
                "10.0.0.1",
                &["203.0.113.9, 198.51.100.1, 10.0.0.2"],
                "198.51.100.1",
            ),
            (
                "10.0.0.1",
                &["203.0.113.9", "198.51.100.1,10.0.0.2"],
                "198.51.100.1",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &["198.51.100.1, nonsense"], "10.0.0.1"),
            ("10.0.0.1", &["[2001:db8::1]:443"], "2001:db8::1"),
            ("10.0.0.1", &["198.51.100.1:5000"], "198.51.100.1"),
        ];
        for (peer, lines, expected) in cases {
            let client = forwarded_client(peer.parse().unwrap(), lines, is_trusted);
            assert_eq!(client.to_string(), expected, "{peer} {lines:?}");
        }
    }
}
