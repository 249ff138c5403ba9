//! What the XMPP relay stores for a restart: how far it has read each archive, and which rooms it
//! was invited to. Blocking.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::relay::state_file;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArchiveProgress {
    pub(super) jid: String,
    /// The archive's id of the last message that was posted, by the address of the account or the
    /// room. An empty id: the archive was empty.
    pub(super) read: BTreeMap<String, String>,
    pub(super) rooms: BTreeSet<String>,
    /// When messages that are being posted arrived, by key. An archive may have another second for
    /// them, and a repeated message must be identical.
    #[serde(default)]
    pub(super) came_at_s: BTreeMap<String, i64>,
}

impl ArchiveProgress {
    /// Reads the file. Progress of another account is ignored.
    pub(super) fn open(path: &Path, jid: &str) -> io::Result<Self> {
        let lost = "messages since the relay last ran are left out, and rooms that invited the bot must invite it again";
        let stored: Option<Self> = state_file::read(path, lost)?;
        let own = stored.filter(|progress| progress.jid == jid);
        Ok(own.unwrap_or_else(|| Self {
            jid: jid.to_owned(),
            ..Self::default()
        }))
    }

    /// On disk when this returns.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_vec(self)?;
        state_file::replace(path, &text)
    }
}

/// Behind the path of the relay's journal.
pub(super) const ENDING: &str = ".read";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_stays_over_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inner/state.read");
        let mut first = ArchiveProgress::open(&path, "juno@a").unwrap();
        first.read.insert("juno@a".to_owned(), "7".to_owned());
        first.rooms.insert("tea@rooms.a".to_owned());
        first.write(&path).unwrap();
        assert_eq!(ArchiveProgress::open(&path, "juno@a").unwrap(), first);
        let other = ArchiveProgress::open(&path, "other@a").unwrap();
        assert!(other.read.is_empty() && other.rooms.is_empty());
    }
}
