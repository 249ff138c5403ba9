//! The credentials of a connected service: a user name and password, or a secret address.

use serde::{Deserialize, Serialize};

use super::web::Address;
use crate::error::{Error, Result};
use crate::model::connected_service::ServiceKind;

/// The ports of IMAP with TLS from the first byte (RFC 8314), and without (RFC 9051).
const IMAPS_PORT: u16 = 993;
const IMAP_PORT: u16 = 143;

/// The address of a service, with user name and password where it has them. Kept sealed only.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Credentials {
    /// Whoever knows the address sees the calendar: the address is the secret.
    Ics { url: String },
    Caldav {
        url: String,
        username: String,
        password: String,
    },
    Imap {
        host: String,
        port: u16,
        username: String,
        password: String,
        /// Whether the connection is encrypted. Without TLS the network can read the password, so
        /// that is only for hosts that the operator names.
        tls: bool,
    },
}

impl Credentials {
    /// Without a port the standard one is used.
    pub fn imap(
        host: String,
        port: Option<u16>,
        username: String,
        password: String,
        tls: bool,
    ) -> Self {
        Self::Imap {
            host,
            port: port.unwrap_or(if tls { IMAPS_PORT } else { IMAP_PORT }),
            username,
            password,
            tls,
        }
    }

    pub const fn kind(&self) -> ServiceKind {
        match self {
            Self::Ics { .. } => ServiceKind::Ics,
            Self::Caldav { .. } => ServiceKind::Caldav,
            Self::Imap { .. } => ServiceKind::Imap,
        }
    }

    /// The address of the server; 422 when the given text is no address.
    pub(super) fn address(&self) -> Result<Address> {
        let parsed = match self {
            Self::Ics { url } => Address::parse(url),
            // The name of a server is enough.
            Self::Caldav { url, .. } if !url.contains("://") => {
                Address::parse(&format!("https://{}", url.trim()))
            }
            Self::Caldav { url, .. } => Address::parse(url),
            Self::Imap { host, .. } => return mail_host(host),
        };
        parsed.map_err(|why| Error::invalid_field("/url", why))
    }

    /// These credentials, with the server under the domain's usual name.
    pub(super) fn at_domain(self, domain: &str) -> Self {
        match self {
            Self::Caldav {
                username, password, ..
            } => Self::Caldav {
                url: format!("https://{domain}"),
                username,
                password,
            },
            Self::Imap {
                port,
                username,
                password,
                tls,
                ..
            } => Self::Imap {
                host: format!("imap.{domain}"),
                port,
                username,
                password,
                tls,
            },
            ics @ Self::Ics { .. } => ics,
        }
    }

    pub(super) fn is_same_service(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ics { .. }, Self::Ics { .. }) => self.is_at_address_of(other),
            (
                Self::Caldav { username, .. },
                Self::Caldav {
                    username: other_name,
                    ..
                },
            ) => username == other_name && self.is_at_address_of(other),
            (
                Self::Imap { username, .. },
                Self::Imap {
                    username: other_name,
                    ..
                },
            ) => username == other_name && self.is_at_address_of(other),
            _ => false,
        }
    }

    /// Whether both have the same address, however it was written; for a mailbox, the same host.
    fn is_at_address_of(&self, other: &Self) -> bool {
        let place = |credentials: &Self| {
            let address = credentials.address().ok()?;
            Some(match credentials {
                Self::Ics { .. } => address.to_string(),
                Self::Caldav { .. } => address.to_string().trim_end_matches('/').to_owned(),
                Self::Imap { .. } => address.host,
            })
        };
        let own = place(self);
        own.is_some() && own == place(other)
    }

    /// The person's mail address, if it is the user name.
    pub(super) fn email(&self) -> Option<String> {
        match self {
            Self::Ics { .. } => None,
            Self::Caldav { username, .. } | Self::Imap { username, .. } => {
                Some(username.clone()).filter(|name| name.contains('@'))
            }
        }
    }
}

/// The address of a mail server, of which only the host is used.
fn mail_host(host: &str) -> Result<Address> {
    let host = host.trim().to_lowercase();
    let parsed = Address::parse(&format!("https://{host}"));
    let address = parsed.ok().filter(|address| address.host == host);
    address.ok_or_else(|| {
        Error::invalid_field(
            "/host",
            "must be the name of a mail server: imap.example.com.",
        )
    })
}
