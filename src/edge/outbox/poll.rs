//! The list that a polling relay works through, and what its `last_command_id` finishes.

use super::entry::Entry;
use super::{Outbox, Step};
use crate::clock::{Monotonic, Timestamp};

impl Outbox {
    /// Whether a poll has an answer now.
    pub fn poll_due(&self, now: Timestamp, mono: Monotonic) -> bool {
        self.unexpired(now)
            .any(|entry| !entry.was_handed() || entry.is_overdue(self.timing, mono))
    }

    /// When a poll will have an answer if nothing else happens.
    pub fn poll_next(&self, now: Timestamp) -> Option<Monotonic> {
        self.unexpired(now)
            .filter_map(|entry| entry.overdue_at(self.timing))
            .min()
    }

    fn unexpired(&self, now: Timestamp) -> impl Iterator<Item = &Entry> {
        self.entries.values().filter(move |e| e.expires_at > now)
    }

    /// What a poll's answer hands out: everything handed out before and not finished, in the
    /// order of first hand-outs, save what the relay works on; then what is new, oldest
    /// first. And whether there is more. A relay that works through its list in order has
    /// therefore finished all before the last it finished, whatever list that was in.
    pub fn poll_plan(
        &mut self,
        limit: usize,
        now: Timestamp,
        mono: Monotonic,
    ) -> (Vec<Step>, bool) {
        let (mut before, new): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .filter(|(_, e)| !e.in_progress() || e.is_overdue(self.timing, mono))
            .partition(|(_, e)| e.was_handed());
        before.sort_by_key(|(_, entry)| entry.order);
        let mut steps = Vec::new();
        let mut sends = 0;
        for (seq, entry) in before.into_iter().chain(new) {
            if sends == limit {
                return (steps, true);
            }
            let head = self.lanes.get(&entry.room).and_then(|lane| lane.first());
            let order = self.next_order;
            self.next_order += 1;
            let step = entry.poll_step(*seq, order, head == Some(seq), self.timing, now, mono);
            sends += usize::from(matches!(step, Step::Send { .. }));
            steps.push(step);
        }
        (steps, false)
    }

    /// These were handed out in an answer, in this order.
    pub fn poll_answered(&mut self, seqs: Vec<u64>) {
        self.answered = seqs;
    }

    /// What a relay has finished that has finished the command `seq`: it, if it is not
    /// finished yet, and all that it was handed before.
    pub fn finished_with(&self, seq: u64) -> Vec<u64> {
        match self.entries.get(&seq) {
            Some(last) if last.was_handed() => {
                let handed = self.entries.iter().filter(|(_, e)| e.was_handed());
                let before = handed.filter(|(_, e)| e.order <= last.order);
                before.map(|(seq, _)| *seq).collect()
            }
            Some(_) => Vec::new(),
            // It was finished by an ack of its own: the answer says what came before it.
            None => match self.answered.iter().position(|given| *given == seq) {
                Some(place) => self.answered[..place].to_vec(),
                None => Vec::new(),
            },
        }
    }
}
