//! The list that a polling relay works through, and what its `last_command_id` finishes.

use std::collections::HashMap;

use super::entry::Entry;
use super::{Outbox, Step};
use crate::clock::{Monotonic, Timestamp};
use crate::store::RoomId;

impl Outbox {
    /// Whether a poll has an answer now.
    pub fn poll_due(&self, now: Timestamp, mono: Monotonic) -> bool {
        self.pace.is_free(mono) && self.next_due(now, mono).is_some_and(|at| at <= mono)
    }

    /// When a poll will have an answer if nothing else happens.
    pub fn poll_next(&self, now: Timestamp, mono: Monotonic) -> Option<Monotonic> {
        let next = self.next_due(now, mono);
        let next = next.map(|at| at.max(self.pace.free_at().unwrap_or(at)));
        let backoffs = self.refused.values().copied().filter(|at| *at > mono);
        next.into_iter().chain(backoffs).min()
    }

    /// As if there were no limit a minute.
    fn next_due(&self, now: Timestamp, mono: Monotonic) -> Option<Monotonic> {
        let held = self.held(mono);
        let unexpired = self.entries.iter().filter(|(_, e)| e.expires_at > now);
        let free = unexpired.filter(|(seq, e)| !waits(&held, **seq, e));
        free.map(|(_, e)| e.poll_due_at(self.timing, mono)).min()
    }

    /// Chats with a refused command whose backoff is not over: from which seq on they wait.
    fn held(&self, mono: Monotonic) -> HashMap<RoomId, u64> {
        let mut held = HashMap::new();
        for (seq, _) in self.refused.iter().filter(|(_, until)| **until > mono) {
            if let Some(entry) = self.entries.get(seq) {
                held.entry(entry.room).or_insert(*seq);
            }
        }
        held
    }

    /// What a poll's answer hands out: everything handed out before and not finished, in the
    /// order of first hand-outs, save what the relay works on; then what is new, oldest first.
    /// And whether there is more. Chats with a refused command are left out, and take their
    /// place anew. A relay that works through its list in order has therefore finished all
    /// that has a place before the last it finished, whatever list that was in.
    pub fn poll_plan(
        &mut self,
        limit: usize,
        now: Timestamp,
        mono: Monotonic,
    ) -> (Vec<Step>, bool) {
        let held = self.held(mono);
        let (left_out, given): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .partition(|(seq, entry)| waits(&held, **seq, entry));
        let given = given
            .into_iter()
            .filter(|(_, e)| !e.in_progress() || e.is_overdue(self.timing, mono));
        let (mut listed, new): (Vec<_>, Vec<_>) = given.partition(|(_, e)| e.is_listed());
        listed.sort_by_key(|(_, entry)| entry.order);
        let mut steps = Vec::new();
        let (mut sends, mut has_more) = (0, false);
        for (seq, entry) in listed.into_iter().chain(new) {
            if sends == limit {
                has_more = true;
                break;
            }
            let head = self.lanes.get(&entry.room).and_then(|lane| lane.first());
            let order = self.next_order;
            let step = entry.poll_step(*seq, order, head == Some(seq), self.timing, now, mono);
            if step.is_send() {
                if !self.pace.take(mono) {
                    break; // the rest follows at its pace
                }
                sends += 1;
            }
            self.next_order += 1;
            steps.push(step);
        }
        if sends > 0 {
            let listed = left_out.iter().filter(|(_, entry)| entry.is_listed());
            steps.extend(listed.map(|(seq, _)| Step::LeaveOut { seq: **seq }));
        }
        (steps, has_more)
    }

    /// Its place in the list was given up, committed.
    pub fn left_out(&mut self, seq: u64) {
        if let Some(entry) = self.entries.get_mut(&seq) {
            entry.order = 0;
        }
    }

    /// These were handed out in an answer, in this order.
    pub fn poll_answered(&mut self, seqs: Vec<u64>) {
        self.answered = seqs;
    }

    /// What a relay has finished that has finished the command `seq`: it, if it is not
    /// finished yet, and all that it was handed before.
    pub fn finished_with(&self, seq: u64) -> Vec<u64> {
        match self.entries.get(&seq) {
            Some(last) if last.is_listed() => {
                let listed = self.entries.iter().filter(|(_, e)| e.is_listed());
                let before = listed.filter(|(_, e)| e.order <= last.order);
                before.map(|(seq, _)| *seq).collect()
            }
            Some(last) if last.was_handed() => vec![seq],
            Some(_) => Vec::new(),
            // It was finished by an ack of its own: the answer says what came before it.
            None => match self.answered.iter().position(|given| *given == seq) {
                Some(place) => self.answered[..place].to_vec(),
                None => Vec::new(),
            },
        }
    }
}

/// Whether a command waits for one of its chat that was refused, or is that one.
fn waits(held: &HashMap<RoomId, u64>, seq: u64, entry: &Entry) -> bool {
    held.get(&entry.room).is_some_and(|from| *from <= seq)
}
