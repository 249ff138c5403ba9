//! The Matrix relay's session for use after a restart: its device and reading position. Blocking.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::random;
use crate::relay::state_file;

/// Prefix of the device's id, before a random part.
const DEVICE: &str = "CHATKEEP";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MatrixSession {
    pub(super) homeserver: String,
    /// Empty until the homeserver has reported it.
    pub(super) user_id: String,
    pub(super) device_id: String,
    /// `next_batch` of the last sync whose events were all posted.
    pub(super) since: Option<String>,
}

impl MatrixSession {
    /// Reads the session from the file. A new session is written at once, so that the next start
    /// uses the same device.
    pub(super) fn open(path: &Path, homeserver: &str) -> io::Result<Self> {
        let lost =
            "messages since the relay last ran are left out, and a bubble a room may come twice";
        let session: Option<Self> = state_file::read(path, lost)?;
        if let Some(session) = session.filter(|session| session.homeserver == homeserver) {
            return Ok(session);
        }
        let session = Self {
            homeserver: homeserver.to_owned(),
            user_id: String::new(),
            device_id: format!("{DEVICE}{}", hex::encode_upper(random::bytes::<4>())),
            since: None,
        };
        session.write(path)?;
        Ok(session)
    }

    /// A position of another user is invalid.
    pub(super) fn enter_as(&mut self, user_id: &str) {
        if self.user_id != user_id {
            self.user_id = user_id.to_owned();
            self.since = None;
        }
    }

    /// Synced when this returns.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        state_file::replace(path, &text)
    }
}

/// Behind the path of the relay's journal.
pub(super) const ENDING: &str = ".session";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_stays_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inner/state.session");
        let mut first = MatrixSession::open(&path, "http://a").unwrap();
        assert_eq!(MatrixSession::open(&path, "http://a").unwrap(), first);
        first.enter_as("@juno:a");
        first.since = Some("s1".to_owned());
        first.write(&path).unwrap();
        let mut second = MatrixSession::open(&path, "http://a").unwrap();
        assert_eq!(second, first);
        second.enter_as("@juno:a");
        assert_eq!(second.since.as_deref(), Some("s1"));
        second.enter_as("@other:a");
        assert_eq!(second.since, None);
        let other = MatrixSession::open(&path, "http://b").unwrap();
        assert_ne!(other.device_id, first.device_id);
    }
}
