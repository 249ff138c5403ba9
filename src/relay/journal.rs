//! A relay's journal: the bubbles it sent and the commands it finished, for use after a restart. A
//! file of JSON lines with ids only, never message texts. What can't be written is known until the
//! relay ends, and written later. Blocking.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::files;

use super::state_file::{self, StateLock, create_folder_of};

/// Lines kept. More than there may be unfinished commands, so that none is forgotten too early.
const LINES_MAX: usize = 20_000;

/// How a command ended here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CommandResult {
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
        ending: CommandResult,
        seq: u64,
        epoch: String,
        /// Everything up to this seq was finished before this line.
        last_seq: u64,
    },
    /// What `DirectChat` reported of a chat: digests of it and its person.
    Chat {
        chat: String,
        /// `None`: it is a group.
        person: Option<String>,
    },
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Keeps a second relay from using this journal: each would repeat what the other has sent.
    _lock: StateLock,
    /// The file lacks lines, or ends with a part of one: it is written anew with the next line.
    is_behind: bool,
    lines: VecDeque<JournalLine>,
    appended: usize,
    sent: HashSet<String>,
    /// The persons of direct chats, both as digests. They are kept apart from `lines`.
    persons: HashMap<String, String>,
    endings: HashMap<String, CommandResult>,
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
        let lock = state_file::lock(&path)?;
        let file = files::open_private(&path, OpenOptions::new().create(true).append(true))?;
        let bytes = fs::read(&path)?;
        let mut journal = Self {
            path,
            file,
            _lock: lock,
            is_behind: false,
            lines: VecDeque::new(),
            appended: 0,
            sent: HashSet::new(),
            persons: HashMap::new(),
            endings: HashMap::new(),
            epoch: String::new(),
            last_seq: 0,
            ahead: BTreeSet::new(),
        };
        let (whole, torn) = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => bytes.split_at(end + 1),
            None => (&[][..], &bytes[..]),
        };
        let mut damaged = 0;
        for line in whole.split_inclusive(|byte| *byte == b'\n') {
            match serde_json::from_slice::<JournalLine>(line) {
                Ok(line) => journal.replay(line),
                Err(_) => damaged += 1,
            }
        }
        if damaged > 0 {
            log::warn!(
                "{}: {damaged} lines are damaged and left out; what they name may be sent once more",
                journal.path.display()
            );
        }
        // A line torn by a power failure was never acknowledged, so it may be dropped.
        journal.is_behind = damaged > 0 || !torn.is_empty();
        journal.appended = whole.iter().filter(|byte| **byte == b'\n').count();
        Ok(journal)
    }

    /// A line of an earlier process.
    fn replay(&mut self, line: JournalLine) {
        if let JournalLine::Finished {
            epoch, last_seq, ..
        } = &line
        {
            self.set_epoch(epoch, u64::MAX);
            self.last_seq = self.last_seq.max(*last_seq);
        }
        self.note(line);
    }

    pub(super) fn was_sent(&self, bubble: &str) -> bool {
        self.sent.contains(bubble)
    }

    pub(super) fn ending(&self, command: &str) -> Option<CommandResult> {
        self.endings.get(command).copied()
    }

    pub(super) fn person(&self, chat: &str) -> Option<&str> {
        self.persons.get(chat).map(String::as_str)
    }

    /// Synced when this returns. After an error it is known all the same, until the relay ends.
    pub(super) fn set_person(&mut self, chat: &str, person: Option<&str>) -> io::Result<()> {
        if self.person(chat) == person {
            return Ok(());
        }
        self.append(JournalLine::Chat {
            chat: chat.to_owned(),
            person: person.map(str::to_owned),
        })
    }

    /// Synced when this returns. After an error it is known all the same, until the relay ends.
    pub(super) fn add_sent(&mut self, bubble: &str) -> io::Result<()> {
        self.append(JournalLine::Sent {
            sent: bubble.to_owned(),
        })
    }

    /// Synced when this returns. After an error it is known all the same, until the relay ends.
    pub(super) fn add_finished(
        &mut self,
        id: &str,
        seq: u64,
        ending: CommandResult,
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
        self.set_epoch(epoch, head_seq);
        self.last_seq
    }

    /// In another epoch, or with a head below a finished seq, earlier seqs are invalid.
    fn set_epoch(&mut self, epoch: &str, head_seq: u64) {
        if epoch != self.epoch || self.last_seq > head_seq {
            (self.epoch, self.last_seq) = (epoch.to_owned(), 0);
            self.ahead.clear();
        }
    }

    fn append(&mut self, line: JournalLine) -> io::Result<()> {
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        self.note(line);
        if self.is_behind || self.appended >= 2 * LINES_MAX + self.persons.len() {
            return self.rewrite();
        }
        self.appended += 1;
        let written = self.file.write_all(text.as_bytes());
        let written = written.and_then(|()| self.file.sync_data());
        self.is_behind = written.is_err();
        written
    }

    fn note(&mut self, line: JournalLine) {
        match &line {
            JournalLine::Chat { chat, person } => {
                match person {
                    Some(person) => self.persons.insert(chat.clone(), person.clone()),
                    None => self.persons.remove(chat),
                };
                return;
            }
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
            Some(JournalLine::Chat { .. }) | None => {}
        }
    }

    fn rewrite(&mut self) -> io::Result<()> {
        let mut text = String::new();
        let persons = self.persons.iter().map(|(chat, person)| JournalLine::Chat {
            chat: chat.clone(),
            person: Some(person.clone()),
        });
        let persons: Vec<JournalLine> = persons.collect();
        for line in persons.iter().chain(&self.lines) {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        self.is_behind = true;
        state_file::replace(&self.path, text.as_bytes())?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        self.is_behind = false;
        self.appended = persons.len() + self.lines.len();
        Ok(())
    }
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
            .add_finished("c1", 1, CommandResult::Completed)
            .unwrap();
        journal
            .add_finished("c3", 3, CommandResult::Failed)
            .unwrap();
        drop(journal);
        let mut journal = open(&folder);
        assert!(journal.was_sent("c1:0") && !journal.was_sent("c1:1"));
        assert_eq!(journal.ending("c1"), Some(CommandResult::Completed));
        assert_eq!(journal.ending("c3"), Some(CommandResult::Failed));
        assert_eq!(journal.ending("c2"), None);
        assert_eq!(journal.resume("e1", 5), 1, "2 is still to come");
        journal
            .add_finished("c2", 2, CommandResult::Completed)
            .unwrap();
        assert_eq!(journal.resume("e1", 5), 3);
    }

    #[test]
    fn persons_of_direct_chats_are_known_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        journal.set_person("a", Some("ada")).unwrap();
        journal.set_person("b", Some("bo")).unwrap();
        journal.set_person("a", Some("cy")).unwrap();
        journal.set_person("b", None).unwrap();
        drop(journal);
        let mut journal = open(&folder);
        journal.rewrite().unwrap();
        drop(journal);
        let journal = open(&folder);
        assert_eq!(
            (journal.person("a"), journal.person("b")),
            (Some("cy"), None)
        );
        assert_eq!(journal.appended, 1);
    }

    #[test]
    fn another_outbox_counts_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        journal.resume("e1", 5);
        journal
            .add_finished("c1", 1, CommandResult::Completed)
            .unwrap();
        assert_eq!(journal.resume("e2", 5), 0);
        assert_eq!(journal.ending("c1"), Some(CommandResult::Completed));
        journal
            .add_finished("d1", 1, CommandResult::Completed)
            .unwrap();
        drop(journal);
        let mut journal = open(&folder);
        assert_eq!(journal.resume("e2", 1), 1);
        assert_eq!(journal.resume("e2", 0), 0, "its head is below ours");
    }

    #[test]
    fn torn_and_damaged_lines_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        journal.add_sent("a").unwrap();
        let path = journal.path.clone();
        drop(journal);
        let append = |bytes: &[u8]| {
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            file.write_all(bytes).unwrap();
        };
        append(b"\xff\xfe no line\n{\"sent\":\"b\"}\n{\"sent\":\"c");
        let mut journal = open(&folder);
        assert!(journal.was_sent("a") && journal.was_sent("b") && !journal.was_sent("c"));
        journal.add_sent("d").unwrap();
        drop(journal);
        let journal = open(&folder);
        assert!(journal.was_sent("d") && journal.was_sent("b"));
        assert!(!journal.is_behind, "it was written anew");
    }

    #[test]
    fn what_can_not_be_written_is_known_and_written_later() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = open(&folder);
        // Nothing can be written to it, as on a full disk.
        let path = journal.path.clone();
        journal.file = File::open(&path).unwrap();
        assert!(journal.add_sent("a").is_err());
        assert!(journal.was_sent("a"));
        journal.add_sent("b").unwrap();
        drop(journal);
        let journal = open(&folder);
        assert!(journal.was_sent("a") && journal.was_sent("b"));
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
        drop(journal);
        let journal = open(&folder);
        assert_eq!(journal.lines.len(), LINES_MAX);
        assert!(!journal.was_sent("0") && journal.was_sent("1"));
    }
}
