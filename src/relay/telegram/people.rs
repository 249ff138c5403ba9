//! Who may write to the bot: people and groups by their ids.

use std::collections::HashSet;
use std::fmt;

use parking_lot::Mutex;

use super::PREFIX;

/// Strangers who are told of in the log.
const STRANGERS_MAX: usize = 1_000;
const EVERYONE: &str = "everyone";

/// Ids that are let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    Everyone,
    These(HashSet<i64>),
}

impl Allowed {
    /// Ids with or without the network's prefix, or "everyone". The error continues the key's
    /// name.
    pub fn read<'e>(entries: impl IntoIterator<Item = &'e str>) -> Result<Self, String> {
        let mut ids = HashSet::new();
        let mut is_everyone = false;
        for entry in entries {
            if entry == EVERYONE {
                is_everyone = true;
                continue;
            }
            let id = entry.strip_prefix(PREFIX).unwrap_or(entry);
            let id = id.parse().map_err(|_| {
                format!(
                    "must hold ids as numbers, like \"501\" or \"-1001234\", or \"{EVERYONE}\", not {entry:?}"
                )
            })?;
            ids.insert(id);
        }
        Ok(if is_everyone {
            Self::Everyone
        } else {
            Self::These(ids)
        })
    }

    /// An allowed group lets in everybody in it; so does an allowed person their groups' messages.
    pub(super) fn lets_in(&self, person: i64, chat: i64) -> bool {
        match self {
            Self::Everyone => true,
            Self::These(ids) => ids.contains(&person) || ids.contains(&chat),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Everyone => f.write_str("everyone"),
            Self::These(ids) if ids.is_empty() => {
                f.write_str("nobody yet; set relay.telegram.allow (who writes is named in the log)")
            }
            Self::These(ids) => {
                let mut ids: Vec<_> = ids.iter().map(i64::to_string).collect();
                ids.sort();
                f.write_str(&ids.join(", "))
            }
        }
    }
}

/// Those who wrote and are not let in.
#[derive(Default)]
pub(super) struct Strangers {
    known: Mutex<HashSet<i64>>,
}

impl Strangers {
    /// Says once how to let somebody in.
    pub(super) fn knocked(&self, person: i64, chat: i64) {
        let mut known = self.known.lock();
        if known.len() >= STRANGERS_MAX || !known.insert(chat) {
            return;
        }
        let place = match person == chat {
            true => String::new(),
            false => format!(" in the group {chat} (add \"{chat}\" to let in everybody there)"),
        };
        log::warn!(
            "telegram: {person} wrote{place} and is not let in; to let them in: [relay.telegram] allow = [\"{person}\"]"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_let_in() {
        let some = Allowed::read(["501", "telegram:-1007"]).unwrap();
        assert!(some.lets_in(501, 501) && some.lets_in(501, -9) && some.lets_in(7, -1007));
        assert!(!some.lets_in(7, 7) && !some.lets_in(7, -9));
        assert!(Allowed::read(["everyone", "501"]).unwrap().lets_in(7, 7));
        assert!(!Allowed::read([]).unwrap().lets_in(7, 7));
        for wrong in ["@ada", "matrix:501", "", "Everyone"] {
            assert!(Allowed::read([wrong]).is_err(), "{wrong}");
        }
    }
}
