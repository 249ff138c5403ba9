//! What the relay has finished, so that a command which comes again, even after a restart of
//! the relay, is acked again and not sent again.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::Result;

const FINISHED_IDS_MAX: usize = 10_000;

/// The newest finished commands, in memory and in a file with one JSON object a line. The file
/// is appended to, and cut when it is twice as long as need be.
#[derive(Default)]
pub(crate) struct Finished {
    path: PathBuf,
    lines: VecDeque<(String, String)>,
    appended: usize,
    /// How each ended, by command_id.
    pub(crate) statuses: HashMap<String, String>,
    /// The outbox that the numbers below belong to; a restored database counts anew.
    epoch: String,
    /// Everything up to this was finished here. A command that moved to another relay leaves a
    /// gap that stays; `resume` then says less than it could, and the acks say the rest.
    pub(crate) last_seq: u64,
    /// Finished beyond a gap.
    ahead: BTreeSet<u64>,
}

impl Finished {
    pub(crate) fn open(path: PathBuf) -> Result<Self> {
        OpenOptions::new().create(true).append(true).open(&path)?;
        let text = fs::read_to_string(&path)?;
        let mut this = Self {
            path,
            ..Self::default()
        };
        for line in text.lines() {
            // A line torn by a power cut was never acked; it may go.
            let Ok(entry) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            let field = |name: &str| entry[name].as_str().unwrap_or_default();
            this.enter(field("epoch"), u64::MAX);
            this.last_seq = this.last_seq.max(entry["last_seq"].as_u64().unwrap_or(0));
            this.note(
                field("id"),
                entry["seq"].as_u64().unwrap_or(0),
                field("status"),
                line,
            );
        }
        this.cut()?;
        Ok(this)
    }

    /// Another epoch, or a head below what we have: the numbers we knew mean nothing now.
    pub(crate) fn enter(&mut self, epoch: &str, head_seq: u64) {
        if epoch != self.epoch || self.last_seq > head_seq {
            (self.epoch, self.last_seq) = (epoch.to_owned(), 0);
            self.ahead.clear();
        }
    }

    pub(crate) fn remember(&mut self, id: &str, seq: u64, status: &str) -> Result<()> {
        let line = json!({"epoch": self.epoch, "last_seq": self.last_seq, "seq": seq, "id": id,
            "status": status});
        let line = line.to_string();
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        writeln!(file, "{line}")?;
        file.sync_data()?;
        self.note(id, seq, status, &line);
        self.appended += 1;
        if self.appended > FINISHED_IDS_MAX {
            self.cut()
        } else {
            Ok(())
        }
    }

    fn note(&mut self, id: &str, seq: u64, status: &str, line: &str) {
        self.statuses.insert(id.to_owned(), status.to_owned());
        self.lines.push_back((id.to_owned(), line.to_owned()));
        if self.lines.len() > FINISHED_IDS_MAX
            && let Some((oldest, _)) = self.lines.pop_front()
        {
            self.statuses.remove(&oldest);
            self.ahead.pop_first();
        }
        if seq > self.last_seq {
            self.ahead.insert(seq);
        }
        while self.ahead.remove(&(self.last_seq + 1)) {
            self.last_seq += 1;
        }
    }

    /// Into a new file that then takes the old one's name, so that there is always a whole one.
    fn cut(&mut self) -> Result<()> {
        let text: String = self
            .lines
            .iter()
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        let temporary = self.path.with_extension("new");
        fs::write(&temporary, text)?;
        File::open(&temporary)?.sync_all()?;
        fs::rename(&temporary, &self.path)?;
        self.appended = 0;
        Ok(())
    }
}
