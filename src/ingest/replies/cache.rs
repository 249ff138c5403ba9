//! Cache of model replies, in memory. The key contains the person and everything in the prompt
//! except the time of day; texts that depend on the time are not cached. Bounded in entries and
//! bytes; the oldest are removed first.

use std::collections::{HashMap, VecDeque};

use parking_lot::Mutex;

use crate::assistant::prompt::{Prompt, Role};
use crate::clock::Monotonic;
use crate::metrics::CacheMetrics;
use crate::store::{Digest, UserId};

const ENTRIES_MAX: usize = 10_000;
const BYTES_MAX: usize = 8 * 1024 * 1024;
/// Estimated size of an entry without its text.
const ENTRY_BYTES: usize = 128;

pub(super) struct ReplyCache {
    entries: Mutex<Entries>,
    pub(super) lookups: CacheMetrics,
}

impl Default for ReplyCache {
    fn default() -> Self {
        Self {
            entries: Mutex::default(),
            lookups: CacheMetrics::of("replies"),
        }
    }
}

#[derive(Default)]
struct Entries {
    replies: HashMap<Digest, CachedReply>,
    /// Keys, oldest first.
    order: VecDeque<Digest>,
    bytes: usize,
}

struct CachedReply {
    text: String,
    at: Monotonic,
}

/// The key of a question.
pub(super) fn key(
    user: UserId,
    model: &str,
    class: &str,
    tokens_max: i64,
    day: i64,
    prompt: &Prompt,
) -> Digest {
    let numbers = [user.0, tokens_max, day].map(i64::to_le_bytes);
    let mut parts: Vec<&[u8]> = numbers.iter().map(<[u8; 8]>::as_slice).collect();
    parts.extend([model.as_bytes(), class.as_bytes(), prompt.system.as_bytes()]);
    parts.extend(prompt.tools.iter().map(|tool| tool.name().as_bytes()));
    for message in &prompt.messages {
        parts.push(match message.role {
            Role::User => b"user",
            Role::Assistant => b"assistant",
        });
        parts.push(message.text.as_bytes());
        parts.extend(message.photos.iter().map(String::as_bytes));
    }
    Digest::of(&parts)
}

impl ReplyCache {
    pub(super) fn get(&self, key: &Digest, ttl_s: i64, now: Monotonic) -> Option<String> {
        let entries = self.entries.lock();
        let stored = entries.replies.get(key);
        let fresh = stored.filter(|stored| now.since(stored.at) < ttl_s.max(0) as u64 * 1000);
        self.lookups.found(fresh.is_some());
        fresh.map(|stored| stored.text.clone())
    }

    pub(super) fn put(&self, key: Digest, text: &str, now: Monotonic) {
        let entries = &mut *self.entries.lock();
        let stored = CachedReply {
            text: text.to_owned(),
            at: now,
        };
        entries.bytes += text.len() + ENTRY_BYTES;
        match entries.replies.insert(key, stored) {
            Some(before) => entries.bytes -= before.text.len() + ENTRY_BYTES,
            None => entries.order.push_back(key),
        }
        while entries.order.len() > ENTRIES_MAX || entries.bytes > BYTES_MAX {
            let Some(oldest) = entries.order.pop_front() else {
                return;
            };
            if let Some(removed) = entries.replies.remove(&oldest) {
                entries.bytes -= removed.text.len() + ENTRY_BYTES;
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.lock().replies.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::prompt::PromptMessage;
    use crate::assistant::tools::{OfferedTool, Tool};

    fn digest(n: u64) -> Digest {
        Digest::of(&[&n.to_le_bytes()])
    }

    #[test]
    fn replies_are_kept_for_their_time() {
        let cache = ReplyCache::default();
        cache.put(digest(1), "one", Monotonic(0));
        let get = |at| cache.get(&digest(1), 300, Monotonic(at));
        assert_eq!(get(299_999).as_deref(), Some("one"));
        assert_eq!(get(300_000), None);
        cache.put(digest(1), "two", Monotonic(300_000));
        assert_eq!(get(300_001).as_deref(), Some("two"));
        assert_eq!(cache.get(&digest(2), 300, Monotonic(1)), None);
    }

    #[test]
    fn it_stays_small() {
        let cache = ReplyCache::default();
        for n in 0..(ENTRIES_MAX as u64 + 10) {
            cache.put(digest(n), "x", Monotonic(0));
        }
        assert_eq!(cache.entries.lock().order.len(), ENTRIES_MAX);
        assert_eq!(cache.get(&digest(9), 300, Monotonic(0)), None);
        assert!(cache.get(&digest(10), 300, Monotonic(0)).is_some());
        let long = "x".repeat(1024 * 1024);
        for n in 0..20 {
            cache.put(digest(n), &long, Monotonic(0));
        }
        let entries = cache.entries.lock();
        assert!(entries.bytes <= BYTES_MAX);
        assert_eq!(entries.order.len(), entries.replies.len());
    }

    #[test]
    fn every_part_of_a_question_tells_it_apart() {
        let prompt = |text: &str, photo: &str| Prompt {
            system: "s".to_owned(),
            time: "now".to_owned(),
            messages: vec![PromptMessage {
                role: Role::User,
                text: text.to_owned(),
                photos: vec![photo.to_owned()],
            }],
            tools: Vec::new(),
            exchanges: Vec::new(),
            is_cut: false,
            must_speak: false,
        };
        let of = |user, model, class, most, day, prompt: &Prompt| {
            key(UserId(user), model, class, most, day, prompt)
        };
        let one = prompt("a", "p");
        let base = of(1, "m", "c", 1, 1, &one);
        let others = [
            of(2, "m", "c", 1, 1, &one),
            of(1, "n", "c", 1, 1, &one),
            of(1, "m", "d", 1, 1, &one),
            of(1, "m", "c", 2, 1, &one),
            of(1, "m", "c", 1, 2, &one),
            of(1, "m", "c", 1, 1, &prompt("b", "p")),
            of(1, "m", "c", 1, 1, &prompt("a", "q")),
        ];
        assert!(others.iter().all(|other| *other != base));
        let able = Prompt {
            tools: vec![OfferedTool::Own(Tool::Remember)],
            ..one.clone()
        };
        assert_ne!(of(1, "m", "c", 1, 1, &able), base);
        let later = Prompt {
            time: "later".to_owned(),
            ..one
        };
        assert_eq!(of(1, "m", "c", 1, 1, &later), base);
    }
}
