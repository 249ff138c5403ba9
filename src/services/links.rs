//! Links by which a person connects a service in a browser: bound to the person, for one
//! connection and a quarter of an hour. Looking at one does not use it up, as chat networks
//! look at links for their previews.

use super::{Credentials, Initiator, ServiceView, Services};
use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::random;
use crate::store::{ConnectLink, Digest, RoomId, Tx, UserId};

/// How long a link can be used.
pub const LINK_MINUTES: i64 = 15;

/// Makes a link; its path under the service's public address.
pub fn create(
    tx: &Tx,
    user: UserId,
    room: Option<RoomId>,
    is_for_mail: bool,
    now: Timestamp,
) -> Result<String> {
    let token = random::secret();
    let link = ConnectLink {
        user,
        room,
        is_for_mail,
        expires_at: now.plus_s(LINK_MINUTES * 60),
        is_used: false,
    };
    tx.insert_connect_link(&digest(&token), &link, now)?;
    Ok(format!("/connect/{token}"))
}

impl Services {
    /// The link of a token that can still be used.
    pub async fn link(&self, token: &str) -> Result<ConnectLink> {
        let (token, now) = (digest(token), self.clock.now());
        let read = self.store.read(move |view| view.connect_link(&token));
        let link = read.await?.ok_or_else(link_not_found)?;
        match link.is_used || link.expires_at <= now {
            true => Err(link_gone()),
            false => Ok(link),
        }
    }

    /// Connects a service for the person whose link it is, and uses the link up.
    pub async fn connect_by_link(
        &self,
        token: &str,
        credentials: Credentials,
        name: Option<String>,
    ) -> Result<ServiceView> {
        let link = self.link(token).await?;
        let by = Initiator::Link(digest(token));
        self.connect_as(link.user, credentials, name, by).await
    }
}

fn digest(token: &str) -> Digest {
    Digest::of(&[b"connect link", token.as_bytes()])
}

fn link_not_found() -> Error {
    Error::new(
        ErrorKind::NotFound,
        "link_not_found",
        "There is no such link. Ask for a new one in your chat: connect my calendar, or: connect my mail.",
    )
}

pub(super) fn link_gone() -> Error {
    Error::new(
        ErrorKind::Gone,
        "link_gone",
        "This link was used, or its time is over. Ask for a new one in your chat: connect my calendar, or: connect my mail.",
    )
}
