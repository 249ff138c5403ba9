//! `[server]`: where and how the service listens.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use super::network::Network;
use super::section::{Choice, Section};
use super::url;

pub(super) const ABOUT: &str = "Where and how the service listens.";

/// The default: right only for the machine the service runs on.
pub(super) const PUBLIC_URL: &str = "http://127.0.0.1:8080";

const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8080);
const CONNECTIONS: RangeInclusive<u64> = 1..=1_000_000;
const HEADER_TIMEOUT_S: RangeInclusive<u64> = 1..=300;
const BODY_TIMEOUT_S: RangeInclusive<u64> = 1..=3600;
const WRITE_TIMEOUT_S: RangeInclusive<u64> = 1..=3600;
const SHUTDOWN_GRACE_S: RangeInclusive<u64> = 0..=3600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    Development,
    Production,
}

#[derive(Debug, Clone)]
pub struct Server {
    pub listen: SocketAddr,
    /// Without a trailing slash.
    pub public_url: String,
    pub environment: Environment,
    pub trusted_proxies: Vec<Network>,
    pub max_connections: u64,
    /// See `connections_per_address`.
    pub max_connections_per_address: Option<u64>,
    pub header_timeout_s: u64,
    pub body_timeout_s: u64,
    pub write_timeout_s: u64,
    pub shutdown_grace_s: u64,
}

impl Server {
    /// How many connections one address may have.
    pub fn connections_per_address(&self) -> u64 {
        let quarter = (self.max_connections / 4).max(1);
        self.max_connections_per_address.unwrap_or(quarter)
    }

    /// Whether somebody said where the service is reached.
    pub fn has_public_url(&self) -> bool {
        self.public_url != PUBLIC_URL
    }

    /// The origin of `public_url`, as browsers send it.
    pub fn public_origin(&self) -> String {
        url::origin_of(&self.public_url)
    }
}

impl Choice for Environment {
    const VALUES: &'static [(&'static str, Self)] = &[
        ("development", Self::Development),
        ("production", Self::Production),
    ];
}

pub(super) fn read(s: &mut Section<'_>) -> Server {
    Server {
        listen: s.parsed(
            "listen",
            LISTEN,
            "Address and port to listen on. Port 0 takes a free one.",
            |text| {
                text.parse().map_err(|_| {
                    "must be an IP address and a port, like \"0.0.0.0:8080\"".to_owned()
                })
            },
        ),
        public_url: s.parsed(
            "public_url",
            PUBLIC_URL.to_owned(),
            "Where people and relays reach the service from outside. Its pages may change things.",
            url::base,
        ),
        environment: s.choice(
            "environment",
            Environment::Development,
            "Production refuses to start without secrets of its own. Also ENVIRONMENT.",
        ),
        trusted_proxies: s.list(
            "trusted_proxies",
            &[],
            "Addresses and networks of reverse proxies; only these may set X-Forwarded-For.",
            Network::parse,
        ),
        max_connections: s.number(
            "max_connections",
            20_000,
            CONNECTIONS,
            "Connections at once; one more is answered 503 and closed.",
        ),
        max_connections_per_address: s.number_if_set(
            "max_connections_per_address",
            5_000,
            CONNECTIONS,
            "Connections of one address (IPv6: of its /64), a quarter of max_connections where it \
             is not set; one more is answered 503 and closed. trusted_proxies are not counted, \
             in development this machine neither.",
        ),
        header_timeout_s: s.number(
            "header_timeout_s",
            10,
            HEADER_TIMEOUT_S,
            "Seconds a client may take to send the head of a request.",
        ),
        body_timeout_s: s.number(
            "body_timeout_s",
            30,
            BODY_TIMEOUT_S,
            "Seconds a client may take to send a body.",
        ),
        write_timeout_s: s.number(
            "write_timeout_s",
            20,
            WRITE_TIMEOUT_S,
            "Seconds without a byte taken after which a client that does not read is cut off.",
        ),
        shutdown_grace_s: s.number(
            "shutdown_grace_s",
            30,
            SHUTDOWN_GRACE_S,
            "Seconds that what is under way may take when the service is told to stop.",
        ),
    }
}
