//! IP networks in CIDR notation, for the list of trusted proxies.

use std::fmt;
use std::net::IpAddr;

/// One address or a CIDR block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix_bits: u32,
}

impl Network {
    /// An IPv4 peer on an IPv6 socket (`::ffff:10.0.0.1`) counts as IPv4.
    pub fn contains(&self, peer: IpAddr) -> bool {
        match (self.address, peer.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(peer)) => {
                let differing = network.to_bits() ^ peer.to_bits();
                differing.leading_zeros() >= self.prefix_bits
            }
            (IpAddr::V6(network), IpAddr::V6(peer)) => {
                let differing = network.to_bits() ^ peer.to_bits();
                differing.leading_zeros() >= self.prefix_bits
            }
            _ => false,
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let invalid = || "must be an IP address or a network, like \"10.0.0.0/8\"".to_owned();
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| invalid())?;
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        let prefix_bits = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| invalid())?,
            None => bits_max,
        };
        if prefix_bits > bits_max {
            return Err(format!("must have a prefix of at most {bits_max} bits"));
        }
        Ok(Self {
            address,
            prefix_bits,
        })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains() {
        for (network, peer, inside) in [
            ("10.0.0.0/8", "10.255.1.2", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.1.2.3/8", "10.9.9.9", true),
            ("10.0.0.0/8", "::ffff:10.0.0.1", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("::1", "::1", true),
            ("::/0", "2001:db8::1", true),
        ] {
            let parsed = Network::parse(network).unwrap();
            assert_eq!(
                parsed.contains(peer.parse().unwrap()),
                inside,
                "{network} {peer}"
            );
        }
    }

    #[test]
    fn invalid_networks_are_refused() {
        for invalid in [
            "", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "proxy.example", "10.0.0.0/-1",
        ] {
            assert!(Network::parse(invalid).is_err(), "{invalid:?}");
        }
    }
}
