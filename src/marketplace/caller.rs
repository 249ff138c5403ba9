//! The sender of a webhook's call, and the network that limits count.

use std::net::IpAddr;

use crate::limits;

/// The sender of a call.
#[derive(Debug, Clone, Copy)]
pub struct WebhookCaller {
    pub address: IpAddr,
    /// The network that limits count: an IPv6 sender has a whole network of addresses.
    pub(super) network: IpAddr,
}

impl WebhookCaller {
    pub fn at(address: IpAddr) -> Self {
        Self {
            address: address.to_canonical(),
            network: limits::network_of(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_count_networks() {
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
        ] {
            let caller = WebhookCaller::at(address.parse().unwrap());
            assert_eq!(caller.network.to_string(), network, "{address}");
        }
    }
}
