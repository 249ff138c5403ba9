//! A relay's journal: the bubbles it sent and the commands it finished, for use after a restart. A
//! file of JSON lines with ids only, never message texts. Blocking.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Lines kept. More than there may be unfinished commands, so that none is forgotten too early.
const LINES_MAX: usize = 20_000;
const MODE: u32 = 0o600;

/// How a command ended here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CommandEnd {
    Completed,
    Failed,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum JournalLine {
    Sent {
        sent: String,
    },
    Finished {
        finished: String,
        ending: CommandEnd,
        seq: u64,
        epoch: String,
        /// Everything up to this seq was finished before this line.
        last_seq: u64,
    },
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
    lines: VecDeque<JournalLine>,
    appended: usize,
    sent: HashSet<String>,
    endings: HashMap<String, CommandEnd>,
    /// The epoch of the seqs below; a restored database starts a new one.
    epoch: String,
    /// Everything up to this seq was finished here. A gap may remain, such as when a chat moved to
    /// another relay: then `resume` reports less than possible, and acks report the rest.
    last_seq: u64,
    /// Finished seqs after a gap.
    ahead: BTreeSet<u64>,
}

impl Journal {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        create_folder_of(&path)?;
        let mut options = OpenOptions::new();
        let file = options.create(true).append(true).mode(MODE).open(&path)?;
        let text = fs::read_to_string(&path)?;
        let mut journal = Self {
            path,
            file,
            lines: VecDeque::new(),
            appended: 0,
            sent: HashSet::new(),
            endings: HashMap::new(),
            epoch: String::new(),
            last_seq: 0,
            ahead: BTreeSet::new(),
        };
        for line in text.lines() {
            // A line torn by a power failure was never acknowledged, so it may be dropped.
            let Ok(line) = serde_json::from_str::<JournalLine>(line) else {
                continue;
            };
            if let JournalLine::Finished {
                epoch, last_seq, ..
            } = &line
            {
                journal.enter(epoch, u64::MAX);
                journal.last_seq = journal.last_seq.max(*last_seq);
            }
            journal.note(line);
        }
        journal.rewrite()?;
        Ok(journal)
    }

    pub(super) fn was_sent(&self, bubble: &str) -> bool {
        self.sent.contains(bubble)
    }

    pub(super) fn ending(&self, command: &str) -> Option<CommandEnd> {
        self.endings.get(command).copied()
    }

    /// Synced when this returns.
    pub(super) fn add_sent(&mut self, bubble: &str) -> io::Result<()> {
        self.append(JournalLine::Sent {
            sent: bubble.to_owned(),
        })
    }

    /// Synced when this returns.
    pub(super) fn add_finished(
        &mut self,
        id: &str,
        seq: u64,
        ending: CommandEnd,
    ) -> io::Result<()> {
        self.append(JournalLine::Finished {
            finished: id.to_owned(),
            ending,
            seq,
            epoch: self.epoch.clone(),
            last_seq: self.last_seq,
        })
    }

    /// The last finished seq in the epoch that `hello` names.
    pub(super) fn resume(&mut self, epoch: &str, head_seq: u64) -> u64 {
        self.enter(epoch, head_seq);
        self.last_seq
    }

    /// In another epoch, or with a head below a finished seq, earlier seqs are invalid.
    fn enter(&mut self, epoch: &str, head_seq: u64) {
        if epoch != self.epoch || self.last_seq > head_seq {
            (self.epoch, self.last_seq) = (epoch.to_owned(), 0);
            self.ahead.clear();
        }
    }

    fn append(&mut self, line: JournalLine) -> io::Result<()> {
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        self.file.write_all(text.as_bytes())?;
        self.file.sync_data()?;
        self.note(line);
        self.appended += 1;
        if self.appended <= LINES_MAX {
            return Ok(());
        }
        self.rewrite()
    }

    fn note(&mut self, line: JournalLine) {
        match &line {
            JournalLine::Sent { sent } => {
                self.sent.insert(sent.clone());
            }
            JournalLine::Finished {
                finished,
                ending,
                seq,
                ..
            } => {
                self.endings.insert(finished.clone(), *ending);
                if *seq > self.last_seq {
                    self.ahead.insert(*seq);
                }
                while self.ahead.remove(&(self.last_seq + 1)) {
                    self.last_seq += 1;
                }
            }
        }
        self.lines.push_back(line);
        if self.lines.len() <= LINES_MAX {
            return;
        }
        match self.lines.pop_front() {
            Some(JournalLine::Sent { sent }) => _ = self.sent.remove(&sent),
            Some(JournalLine::Finished { finished, seq, .. }) => {
                self.endings.remove(&finished);
                self.ahead.remove(&seq);
            }
            None => {}
        }
    }

    fn rewrite(&mut self) -> io::Result<()> {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        replace_file(&self.path, text.as_bytes())?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.appended = 0;
        Ok(())
    }
}

/// Replaces a file atomically. Synced when this returns.
pub(super) fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    create_folder_of(path)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true).mode(MODE);
    let mut file = options.open(&draft)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&draft, path)
}

fn create_folder_of(path: &Path) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), |folder| {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &tempfile::TempDir) -> Journal {
        Journal::open(folder.path().join("inner/relay.state")).unwrap()
    }

    #[test]
    fn what_was_noted_is_known_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        assert_eq!(journal.resume("e1", 5), 0);
        journal.add_sent("c1:0").unwrap();
        journal
            .add_finished("c1", 1, CommandEnd::Completed)
            .unwrap();
        journal.add_finished("c3", 3, CommandEnd::Failed).unwrap();
        let mut journal = open(&folder);
        assert!(journal.was_sent("c1:0") && !journal.was_sent("c1:1"));
        assert_eq!(journal.ending("c1"), Some(CommandEnd::Completed));
        assert_eq!(journal.ending("c3"), Some(CommandEnd::Failed));
        assert_eq!(journal.ending("c2"), None);
        assert_eq!(journal.resume("e1", 5), 1, "2 is still to come");
        journal
            .add_finished("c2", 2, CommandEnd::Completed)
            .unwrap();
        assert_eq!(journal.resume("e1", 5), 3);
    }

    #[test]
    fn another_outbox_counts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        journal.resume("e1", 5);
        journal
            .add_finished("c1", 1, CommandEnd::Completed)
            .unwrap();
        assert_eq!(journal.resume("e2", 5), 0);
        assert_eq!(journal.ending("c1"), Some(CommandEnd::Completed));
        journal
            .add_finished("d1", 1, CommandEnd::Completed)
            .unwrap();
        assert_eq!(open(&folder).resume("e2", 1), 1);
        assert_eq!(open(&folder).resume("e2", 0), 0, "its head is below ours");
    }

    #[test]
    fn a_torn_line_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        journal.add_sent("a").unwrap();
        let mut file = OpenOptions::new().append(true).open(&journal.path).unwrap();
        file.write_all(b"{\"sent\":\"b").unwrap();
        let mut journal = open(&folder);
        assert!(journal.was_sent("a") && !journal.was_sent("b"));
        journal.add_sent("c").unwrap();
        assert!(open(&folder).was_sent("c"));
    }

    #[test]
    fn only_the_newest_lines_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        for n in 0..=LINES_MAX {
            journal.note(JournalLine::Sent {
                sent: n.to_string(),
            });
        }
        assert!(!journal.was_sent("0") && journal.was_sent("1"));
        journal.rewrite().unwrap();
        let journal = open(&folder);
        assert_eq!(journal.lines.len(), LINES_MAX);
        assert!(!journal.was_sent("0") && journal.was_sent("1"));
    }
}
