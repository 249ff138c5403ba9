//! Restricts calls to public hosts: names are resolved to public addresses, and the connection uses
//! those.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::NoAnswer;

/// A host has an address outside the public network.
#[derive(Debug)]
pub(super) struct PrivateAddress;

impl std::fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("the host has a private address")
    }
}

impl std::error::Error for PrivateAddress {}

/// Resolves to public addresses only. The connection uses the checked addresses, so that a name
/// that changes between two look-ups has no effect.
#[derive(Debug, Default)]
pub(super) struct PublicResolver(DefaultResolver);

impl Resolver for PublicResolver {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.0.resolve(uri, config, timeout)?;
        match addresses.iter().all(|address| is_public(address.ip())) {
            true => Ok(addresses),
            false => Err(ureq::Error::Other(Box::new(PrivateAddress))),
        }
    }
}

/// The addresses of a host, any or only public ones. Blocks.
pub fn resolve(host: &str, port: u16, public_only: bool) -> Result<Vec<SocketAddr>, NoAnswer> {
    let no_answer = |reason: String, is_private| NoAnswer {
        reason,
        timed_out: false,
        is_private,
        is_too_long: false,
        is_unsent: true,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (host, port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = addresses
        .map_err(|e| no_answer(e.to_string(), false))?
        .collect();
    match addresses
        .iter()
        .all(|address| !public_only || is_public(address.ip()))
    {
        true if !addresses.is_empty() => Ok(addresses),
        true => Err(no_answer("the host has no address".to_owned(), false)),
        false => Err(no_answer(PrivateAddress.to_string(), true)),
    }
}

/// Whether the address is in the public network: not of this machine, private networks,
/// documentation, tests or multicast (the registries of RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_documentation()
                || matches!((a, b, c), (0 | 224..=255, ..) | (100, 64..=127, _))
                || matches!((a, b, c), (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _)))
        }
        // Allocated addresses, except those that contain an IPv4 address (Teredo, 6to4).
        IpAddr::V6(v6) => {
            let [a, b, ..] = v6.segments();
            (0x2000..0x4000).contains(&a)
                && !(a == 0x2001 && (b < 0x0200 || b == 0x0db8) || a == 0x2002 || a == 0x3fff)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_and_private_addresses() {
        let public = [
            "8.8.8.8", "192.0.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111",
        ];
        let private = [
            "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
            "192.168.1.1", "192.0.0.8", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
            "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2001:db8::1",
            "2001::1", "2002:a00:1::", "fc00::1", "fe80::1", "ff02::1",
        ];
        for (addresses, expected) in [(&public[..], true), (&private[..], false)] {
            for address in addresses {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }
}
