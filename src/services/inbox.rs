//! Fetches the inbox of a person's mailbox. Which hosts may be asked is decided here; the
//! protocol is in [`crate::mailbox`].

use std::net::SocketAddr;
use std::time::Duration;

use super::fetched::{FetchedMails, ServiceContent};
use super::web::{NEEDS_TLS, Network};
use super::{Owner, ServiceError, ServiceErrorKind, invitations};
use crate::clock::{Clock, Timestamp};
use crate::mailbox::{self, InboxState, MailServer, MailboxError, Security};

/// The time for signing in and reading the new mails of one round.
const READING_MAX: Duration = Duration::from_secs(30);

/// How a mailbox is reached.
pub(super) struct MailboxAccess<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) username: &'a str,
    pub(super) password: &'a str,
    pub(super) tls: bool,
    pub(super) network: &'a Network,
}

impl MailboxAccess<'_> {
    /// The addresses of its host that may be asked. It blocks.
    pub(super) fn resolve(&self) -> Result<Vec<SocketAddr>, ServiceError> {
        if !self.tls && !self.network.names(self.host) {
            return Err(ServiceError::unreachable(format!(
                "{} {NEEDS_TLS} TLS.",
                self.host
            )));
        }
        self.network.resolve(self.host, self.port)
    }

    pub(super) fn server<'a>(&'a self, addresses: &'a [SocketAddr]) -> MailServer<'a> {
        MailServer {
            host: self.host,
            addresses,
            security: Security::of(self.tls, self.port),
            username: self.username,
            password: self.password,
            authorities: self.network.authorities_of(self.host),
        }
    }
}

/// Fetches what is new since `state`, the JSON that the last round left. It blocks.
pub(super) fn fetch(
    access: &MailboxAccess,
    state: &str,
    owner: &Owner,
    now: Timestamp,
    clock: &Clock,
) -> Result<ServiceContent, ServiceError> {
    let addresses = access.resolve()?;
    let server = access.server(&addresses);
    let before: InboxState = serde_json::from_str(state).unwrap_or_default();
    let end = clock.monotonic().0 + READING_MAX.as_millis() as u64;
    let is_late = || clock.monotonic().0 > end;
    let round = mailbox::read_round(&server, before, now, &is_late)?;
    let mails = round.mails.into_iter().map(|mail| {
        let invitations = invitations::facts(&mail.calendars, owner, now, &is_late);
        let mut item = mail.item;
        item.facts.extend(invitations);
        item
    });
    Ok(ServiceContent {
        name: None,
        calendars: Vec::new(),
        mails: Some(FetchedMails {
            mails: mails.collect(),
            sync_state: serde_json::to_string(&round.state).unwrap_or_default(),
            has_more: round.has_more,
        }),
        pause_ms: 0,
    })
}

impl From<MailboxError> for ServiceError {
    fn from(error: MailboxError) -> Self {
        let kind = match error.is_refused {
            true => ServiceErrorKind::Refused,
            false => ServiceErrorKind::Unreachable,
        };
        Self {
            kind,
            sentence: error.sentence,
        }
    }
}
