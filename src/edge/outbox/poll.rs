//! The list of commands that a polling relay works through, and the commands that its
//! `last_command_id` finishes.

use std::collections::{HashMap, VecDeque};

use super::entry::OutboxEntry;
use super::sender_queue::SenderQueue;
use super::{Outbox, OutboxStep};
use crate::clock::{Monotonic, Timestamp};
use crate::store::RoomId;

impl Outbox {
    /// Whether a waiting poll can be answered now.
    pub fn poll_due(&self, now: Timestamp, mono: Monotonic) -> bool {
        self.send_rate.is_free(mono) && self.next_due(now, mono).is_some_and(|at| at <= mono)
    }

    /// The time when a poll can be answered because of time alone.
    pub fn poll_next(&self, now: Timestamp, mono: Monotonic) -> Option<Monotonic> {
        let next = self.next_due(now, mono);
        let next = next.map(|at| at.max(self.send_rate.free_at().unwrap_or(at)));
        let backoffs = self.refused.values().copied().filter(|at| *at > mono);
        next.into_iter().chain(backoffs).min()
    }

    /// The time when a command is due, ignoring the limit per minute.
    fn next_due(&self, now: Timestamp, mono: Monotonic) -> Option<Monotonic> {
        let chats_in_backoff = self.chats_in_backoff(mono);
        let unexpired = self.entries.iter().filter(|(_, e)| e.expires_at > now);
        let free = unexpired.filter(|(seq, e)| !waits(&chats_in_backoff, **seq, e));
        free.map(|(_, e)| e.poll_due_at(self.timing, mono)).min()
    }

    /// Chats with a refused command whose backoff is running, each with the seq from which its
    /// commands wait.
    fn chats_in_backoff(&self, mono: Monotonic) -> HashMap<RoomId, u64> {
        let mut chats_in_backoff = HashMap::new();
        for (seq, _) in self.refused.iter().filter(|(_, until)| **until > mono) {
            if let Some(entry) = self.entries.get(seq) {
                chats_in_backoff.entry(entry.room).or_insert(*seq);
            }
        }
        chats_in_backoff
    }

    /// The steps of a poll's answer, and whether more commands remain. First come the commands
    /// handed out before and not finished, in the order of their first hand-outs, except those the
    /// relay works on; then new ones, oldest first. Where more wait than the rate allows, the
    /// senders' turns say which of them go. Chats with a refused command are left out and get a new
    /// number later. So a relay that works through its list in order has finished everything with a
    /// lower number than the last command it finished, whichever list contained it.
    pub fn poll_plan(
        &mut self,
        limit: usize,
        now: Timestamp,
        mono: Monotonic,
    ) -> (Vec<OutboxStep>, bool) {
        let chats_in_backoff = self.chats_in_backoff(mono);
        let (command_left_out, handed_out): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .partition(|(seq, entry)| waits(&chats_in_backoff, **seq, entry));
        let handed_out = handed_out
            .into_iter()
            .filter(|(_, e)| !e.in_progress() || e.is_overdue(self.timing, mono));
        let (mut listed, new): (Vec<_>, Vec<_>) = handed_out.partition(|(_, e)| e.is_listed());
        listed.sort_by_key(|(_, entry)| entry.order);
        let mut steps = Vec::new();
        let (mut sends, mut has_more) = (0, false);
        let room = self.send_rate.left(mono).saturating_sub(listed.len());
        let mut new: Vec<_> = NewCommands::of(new, self.ready.without_commands()).collect();
        let chosen = room.min(new.len());
        new[..chosen].sort_by_key(|(seq, _)| **seq);
        for (seq, entry) in listed.into_iter().chain(new) {
            if sends == limit {
                has_more = true;
                break;
            }
            let head = self.rooms.get(&entry.room).and_then(|queue| queue.first());
            let order = self.next_order;
            let step = entry.poll_step(*seq, order, head == Some(seq), self.timing, now, mono);
            if step.is_send() {
                if !self.send_rate.take(mono) {
                    break; // the rest is sent when the rate limit allows
                }
                sends += 1;
                if !entry.is_listed() {
                    self.ready.note_served(entry.sender);
                }
            }
            self.next_order += 1;
            steps.push(step);
        }
        if sends > 0 {
            let listed = command_left_out
                .iter()
                .filter(|(_, entry)| entry.is_listed());
            steps.extend(listed.map(|(seq, _)| OutboxStep::LeaveOut { seq: **seq }));
        }
        (steps, has_more)
    }

    /// The command's removal from the list was committed.
    pub fn command_left_out(&mut self, seq: u64) {
        if let Some(entry) = self.entries.get_mut(&seq) {
            entry.order = 0;
        }
    }

    /// These commands were handed out in an answer, in this order.
    pub fn poll_answered(&mut self, seqs: Vec<u64>) {
        self.answered = seqs;
    }

    /// The commands finished by a relay that finished the command `seq`: that command, if
    /// unfinished, and all handed out before it.
    pub fn finished_with(&self, seq: u64) -> Vec<u64> {
        match self.entries.get(&seq) {
            Some(last) if last.is_listed() => {
                let listed = self.entries.iter().filter(|(_, e)| e.is_listed());
                let before = listed.filter(|(_, e)| e.order <= last.order);
                before.map(|(seq, _)| *seq).collect()
            }
            Some(last) if last.was_handed() => vec![seq],
            Some(_) => Vec::new(),
            // It was finished by its own ack: the last answer tells what was handed out before it.
            None => match self
                .answered
                .iter()
                .position(|handed_out| *handed_out == seq)
            {
                Some(place) => self.answered[..place].to_vec(),
                None => Vec::new(),
            },
        }
    }
}

/// Commands in the order of their first hand-out: a chat's in theirs, chats by the turns of their
/// senders.
struct NewCommands<'a> {
    chats: HashMap<RoomId, VecDeque<(&'a u64, &'a OutboxEntry)>>,
    by_seq: HashMap<u64, RoomId>,
    senders: SenderQueue,
}

impl<'a> NewCommands<'a> {
    /// `commands` are sorted by seq.
    fn of(commands: Vec<(&'a u64, &'a OutboxEntry)>, senders: SenderQueue) -> Self {
        let mut this = Self {
            chats: HashMap::new(),
            by_seq: HashMap::new(),
            senders,
        };
        for (seq, entry) in commands {
            let chat = this.chats.entry(entry.room).or_default();
            if chat.is_empty() {
                this.senders.insert(entry.sender, *seq);
                this.by_seq.insert(*seq, entry.room);
            }
            chat.push_back((seq, entry));
        }
        this
    }
}

impl<'a> Iterator for NewCommands<'a> {
    type Item = (&'a u64, &'a OutboxEntry);

    fn next(&mut self) -> Option<Self::Item> {
        let (sender, seq) = self.senders.next()?;
        self.senders.pop(sender, seq);
        let room = self.by_seq.remove(&seq)?;
        let chat = self.chats.get_mut(&room)?;
        let command = chat.pop_front()?;
        if let Some((seq, entry)) = chat.front() {
            self.senders.insert(entry.sender, **seq);
            self.by_seq.insert(**seq, room);
        }
        Some(command)
    }
}

/// Whether a command waits for a refused one of its chat, or is that one.
fn waits(chats_in_backoff: &HashMap<RoomId, u64>, seq: u64, entry: &OutboxEntry) -> bool {
    chats_in_backoff
        .get(&entry.room)
        .is_some_and(|from| *from <= seq)
}
