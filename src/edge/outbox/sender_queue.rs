//! Whose command is handed out next while more wait than may go: the service's own ones (replies,
//! reminders) first, then those of apps, one creator after the other, each oldest first. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::store::UserId;

/// The creator of the app that sends a command. `None`: the service itself.
pub(super) type Sender = Option<UserId>;

#[derive(Debug, Clone, Default)]
pub(super) struct SenderQueue {
    /// Without empty sets.
    waiting: BTreeMap<Sender, BTreeSet<u64>>,
    /// The creator whose command was taken last.
    last: Sender,
}

impl SenderQueue {
    /// An empty queue that continues with the same creator.
    pub(super) fn without_commands(&self) -> Self {
        Self {
            waiting: BTreeMap::new(),
            last: self.last,
        }
    }

    pub(super) fn insert(&mut self, sender: Sender, seq: u64) {
        self.waiting.entry(sender).or_default().insert(seq);
    }

    pub(super) fn remove(&mut self, sender: Sender, seq: u64) {
        if let Some(waiting) = self.waiting.get_mut(&sender) {
            waiting.remove(&seq);
            if waiting.is_empty() {
                self.waiting.remove(&sender);
            }
        }
    }

    pub(super) fn contains(&self, sender: Sender, seq: u64) -> bool {
        let waiting = self.waiting.get(&sender);
        waiting.is_some_and(|waiting| waiting.contains(&seq))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    /// The next command and its sender. It stays.
    pub(super) fn next(&self) -> Option<(Sender, u64)> {
        let after_last = (Bound::Excluded(self.last), Bound::Unbounded);
        let own = self.waiting.get_key_value(&None);
        let turn = own
            .or_else(|| self.waiting.range(after_last).next())
            .or_else(|| self.waiting.first_key_value());
        let (sender, waiting) = turn?;
        Some((*sender, *waiting.first()?))
    }

    /// The command is handed out.
    pub(super) fn pop(&mut self, sender: Sender, seq: u64) {
        self.remove(sender, seq);
        self.note_served(sender);
    }

    /// Another creator is next.
    pub(super) fn note_served(&mut self, sender: Sender) {
        self.last = sender.or(self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_services_own_go_first_and_creators_take_turns() {
        let mut queue = SenderQueue::default();
        let (one, two) = (Some(UserId(7)), Some(UserId(8)));
        for seq in 1..=3 {
            queue.insert(one, seq);
        }
        queue.insert(two, 4);
        queue.insert(two, 5);
        queue.insert(None, 6);
        let mut order = Vec::new();
        while let Some((sender, seq)) = queue.next() {
            assert!(queue.contains(sender, seq));
            queue.pop(sender, seq);
            order.push(seq);
            if seq == 1 {
                queue.insert(None, 9);
            }
        }
        assert_eq!(order, [6, 1, 9, 4, 2, 5, 3]);
        assert!(queue.is_empty());
        assert_eq!(queue.without_commands().last, one);
    }
}
