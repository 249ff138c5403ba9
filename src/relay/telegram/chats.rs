//! New ids of Telegram's groups, and until when a chat takes no messages. Pure.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

/// Groups whose former ids are known.
const MOVED_MAX: usize = 1_000;

#[derive(Default)]
pub(super) struct Chats {
    /// Old ids of groups and their present ones.
    moved: HashMap<i64, i64>,
    /// Chats that take no messages, and until when.
    waits: HashMap<i64, Instant>,
}

impl Chats {
    /// A group that becomes a supergroup gets a new id. False: it was known.
    pub(super) fn moved(&mut self, from: i64, to: i64) -> bool {
        if self.moved.len() >= MOVED_MAX {
            self.moved.clear(); // Telegram says it again
        }
        self.moved.insert(from, to) != Some(to)
    }

    /// The chat's present id.
    pub(super) fn current(&self, chat: i64) -> i64 {
        self.moved.get(&chat).copied().unwrap_or(chat)
    }

    /// The ids that the chat had before.
    pub(super) fn former(&self, chat: i64) -> Vec<i64> {
        let moved = self.moved.iter().filter(|(_, to)| **to == chat);
        moved.map(|(from, _)| *from).collect()
    }

    pub(super) fn must_wait(&mut self, chat: i64, wait: Duration, now: Instant) {
        self.waits.retain(|_, until| *until > now);
        self.waits.insert(chat, now + wait);
    }

    /// How long the chat takes no messages.
    pub(super) fn wait(&self, chat: i64, now: Instant) -> Option<Duration> {
        let until = self.waits.get(&chat).filter(|until| **until > now)?;
        Some(until.duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_moved_keeps_its_former_id() {
        let mut chats = Chats::default();
        assert!(chats.moved(-5, -1005) && !chats.moved(-5, -1005));
        assert_eq!((chats.current(-5), chats.current(-1005)), (-1005, -1005));
        assert_eq!(chats.former(-1005), [-5]);
        assert!(chats.former(-5).is_empty());
    }

    #[test]
    fn a_chat_waits_as_long_as_it_must() {
        let (mut chats, now) = (Chats::default(), Instant::now());
        let seconds = Duration::from_secs;
        chats.must_wait(1, seconds(5), now);
        assert_eq!(chats.wait(1, now + seconds(2)), Some(seconds(3)));
        assert_eq!(chats.wait(2, now), None);
        assert_eq!(chats.wait(1, now + seconds(5)), None);
        chats.must_wait(2, seconds(1), now + seconds(9));
        assert_eq!(chats.waits.len(), 1);
    }
}
