//! The set values by key, and which keys may change while the service runs.

use std::collections::BTreeMap;

use super::secret::Secret;

/// Keys that a reload may change, besides secrets.
const CHANGEABLE: [&str; 9] = [
    "log.level",
    "log.format",
    "log.file",
    "server.trusted_proxies",
    "reply.persona_name",
    "reply.system_prompt",
    "reply.message_limit_text",
    "reply.superpower_text",
    "reply.group_owner_text",
];
/// This secret seals values in the database, so a reload doesn't change it.
const LASTING_SECRET: &str = "marketplace.sealing_key";
/// Sections of relays, each of which is started anew when its section changes.
const RELAYS: &str = "relay.";
/// Secrets whose presence decides at the start whether a part runs, and generated ones. A reload
/// changes their values, but neither adds nor removes them.
const FROM_THE_START: [&str; 5] = [
    "edge.secret",
    "identity.hs256_secret",
    "flags.sdk_key",
    "mail.smtp_url",
    "admin.token",
];

/// The values of all set keys, from the file and the environment, for comparing two readings. The
/// type exposes no value.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    sets: BTreeMap<String, Set>,
    /// Whether the configuration file contains a secret.
    pub(super) holds_secrets: bool,
}

#[derive(Debug, Clone)]
struct Set {
    value: Secret,
    is_secret: bool,
}

/// Keys that differ between two readings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Keys that take effect with the reload.
    pub taken: Vec<String>,
    /// Keys that take effect at the next start.
    pub waiting: Vec<String>,
}

impl Settings {
    pub(super) fn note(&mut self, key: &str, value: String) {
        self.insert(key, Secret::new(value), false);
    }

    pub(super) fn note_secret(&mut self, key: &str, value: &Secret) {
        self.insert(key, value.clone(), true);
    }

    pub(super) fn is_set(&self, key: &str) -> bool {
        self.sets.contains_key(key)
    }

    fn insert(&mut self, key: &str, value: Secret, is_secret: bool) {
        self.sets.insert(key.to_owned(), Set { value, is_secret });
    }

    /// The keys whose values differ in `newer`.
    pub fn changes(&self, newer: &Self) -> Changes {
        let mut changes = Changes::default();
        let keys = self.sets.keys().chain(newer.sets.keys());
        let mut keys: Vec<&String> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let (old, new) = (self.sets.get(key), newer.sets.get(key));
            let value = |set: Option<&Set>| set.map(|set| set.value.expose().to_owned());
            if value(old) == value(new) {
                continue;
            }
            let is_secret = [old, new].into_iter().flatten().any(|set| set.is_secret);
            let key = key.as_str();
            let appears = old.is_none() || new.is_none();
            let taken = CHANGEABLE.contains(&key)
                || key.starts_with(RELAYS)
                || is_secret
                    && key != LASTING_SECRET
                    && !(appears && FROM_THE_START.contains(&key));
            let place = match taken {
                true => &mut changes.taken,
                false => &mut changes.waiting,
            };
            place.push(key.to_owned());
        }
        changes
    }

    /// Copies the values of `changes.taken` from `newer`.
    pub fn take(&mut self, newer: &Self, changes: &Changes) {
        for key in &changes.taken {
            match newer.sets.get(key) {
                Some(set) => self.sets.insert(key.clone(), set.clone()),
                None => self.sets.remove(key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRETS: [&str; 5] = [
        "edge.secret",
        "edge.previous_secret",
        "flags.sdk_key",
        "marketplace.sealing_key",
        "relay.telegram.token",
    ];

    fn settings(set: &[(&str, &str)]) -> Settings {
        let mut settings = Settings::default();
        for (key, value) in set {
            match SECRETS.contains(key) {
                true => settings.note_secret(key, &Secret::new(*value)),
                false => settings.note(key, (*value).to_owned()),
            }
        }
        settings
    }

    #[test]
    fn what_is_taken_and_what_waits() {
        // (key, before, after, whether a reload applies it)
        for (key, before, after, taken) in [
            ("log.level", None, Some("debug"), true),
            ("reply.system_prompt", Some("a"), None, true),
            (
                "server.trusted_proxies",
                Some("[]"),
                Some("[\"::1\"]"),
                true,
            ),
            ("edge.secret", Some("a"), Some("b"), true),
            ("edge.secret", Some("a"), None, false),
            ("edge.previous_secret", None, Some("a"), true),
            ("edge.previous_secret", Some("a"), None, true),
            ("flags.sdk_key", Some("a"), Some("b"), true),
            ("flags.sdk_key", None, Some("b"), false),
            ("marketplace.sealing_key", Some("a"), Some("b"), false),
            ("relay.telegram.token", Some("a"), Some("b"), true),
            ("relay.matrix.allow", None, Some("[\"@a:b\"]"), true),
            ("storage.readers", None, Some("5"), false),
        ] {
            let set = |value: Option<&str>| {
                let more = value.map(|value| (key, value));
                let all: Vec<_> = more.into_iter().chain([("mail.from", "a@b")]).collect();
                settings(&all)
            };
            let (mut old, new) = (set(before), set(after));
            let changes = old.changes(&new);
            let [expected, other] = match taken {
                true => [&changes.taken, &changes.waiting],
                false => [&changes.waiting, &changes.taken],
            };
            assert_eq!(
                (expected.as_slice(), other.len()),
                (&[key.to_owned()][..], 0)
            );
            // Keys that need a restart are named at every reload until then.
            old.take(&new, &changes);
            assert_eq!(old.changes(&new).waiting, changes.waiting);
            assert_eq!(old.changes(&new).taken, Vec::<String>::new());
        }
    }
}
