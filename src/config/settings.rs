//! The set values by key, and which keys may change while the service runs.

use std::collections::BTreeMap;

use super::secret::Secret;

/// Keys that a reload may change, besides secrets.
const CHANGEABLE: [&str; 9] = [
    "log.level", "log.format", "log.file", "server.trusted_proxies", "reply.persona_name",
    "reply.system_prompt", "reply.message_limit_text", "reply.superpower_text",
    "reply.group_owner_text",
];
/// This secret seals values in the database, so a reload doesn't change it.
const FIXED_SECRET: &str = "marketplace.sealing_key";
/// Servers of the Model Context Protocol: all are replaced when one of their keys changes.
pub const MCP_KEYS: &str = "reply.mcp.";
/// Sections of relays, each of which is started anew when its section changes.
const RELAYS: &str = "relay.";
/// Secrets whose presence decides at the start whether a part runs, and generated ones. A reload
/// changes their values, but neither adds nor removes them.
const FIXED_PRESENCE: [&str; 5] = [
    "edge.secret", "identity.hs256_secret", "flags.sdk_key", "mail.smtp_url", "admin.token",
];

/// The values of all set keys, from the file and the environment, for comparing two readings. The
/// type exposes no value.
#[derive(Debug, Clone, Default)]
pub struct SettingValues {
    values: BTreeMap<String, StoredValue>,
    /// Whether the configuration file contains a secret.
    pub(super) holds_secrets: bool,
}

#[derive(Debug, Clone)]
struct StoredValue {
    value: Secret,
    is_secret: bool,
}

/// Keys that differ between two readings.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Keys that take effect with the reload.
    pub applied: Vec<String>,
    /// Keys that take effect at the next start.
    pub postponed: Vec<String>,
}

impl SettingValues {
    pub(super) fn record(&mut self, key: &str, value: String) {
        self.insert(key, Secret::new(value), false);
    }

    pub(super) fn record_secret(&mut self, key: &str, value: &Secret) {
        self.insert(key, value.clone(), true);
    }

    pub fn is_set(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    fn insert(&mut self, key: &str, value: Secret, is_secret: bool) {
        self.values
            .insert(key.to_owned(), StoredValue { value, is_secret });
    }

    /// The keys whose values differ in `newer`.
    pub fn changes(&self, newer: &Self) -> Changes {
        let mut changes = Changes::default();
        let keys = self.values.keys().chain(newer.values.keys());
        let mut keys: Vec<&String> = keys.collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let (old, new) = (self.values.get(key), newer.values.get(key));
            let value = |set: Option<&StoredValue>| set.map(|set| set.value.expose().to_owned());
            if value(old) == value(new) {
                continue;
            }
            let is_secret = [old, new].into_iter().flatten().any(|set| set.is_secret);
            let key = key.as_str();
            let is_added_or_removed = old.is_none() || new.is_none();
            let applied = CHANGEABLE.contains(&key)
                || key.starts_with(RELAYS)
                || key.starts_with(MCP_KEYS)
                || is_secret
                    && key != FIXED_SECRET
                    && !(is_added_or_removed && FIXED_PRESENCE.contains(&key));
            let keys = match applied {
                true => &mut changes.applied,
                false => &mut changes.postponed,
            };
            keys.push(key.to_owned());
        }
        changes
    }

    /// Copies the values of `changes.taken` from `newer`.
    pub fn apply(&mut self, newer: &Self, changes: &Changes) {
        for key in &changes.applied {
            match newer.values.get(key) {
                Some(set) => self.values.insert(key.clone(), set.clone()),
                None => self.values.remove(key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRETS: [&str; 5] = [
        "edge.secret", "edge.previous_secret", "flags.sdk_key", "marketplace.sealing_key",
        "relay.telegram.token",
    ];

    fn settings(set: &[(&str, &str)]) -> SettingValues {
        let mut settings = SettingValues::default();
        for (key, value) in set {
            match SECRETS.contains(key) {
                true => settings.record_secret(key, &Secret::new(*value)),
                false => settings.record(key, (*value).to_owned()),
            }
        }
        settings
    }

    #[test]
    fn a_reload_applies_or_postpones_a_change() {
        // (key, before, after, whether a reload applies it)
        for (key, before, after, applied) in [
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
            ("reply.mcp.1.url", None, Some("http://x/mcp"), true),
            ("reply.mcp.2.token", Some("a"), None, true),
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
            let [expected, other] = match applied {
                true => [&changes.applied, &changes.postponed],
                false => [&changes.postponed, &changes.applied],
            };
            assert_eq!(
                (expected.as_slice(), other.len()),
                (&[key.to_owned()][..], 0)
            );
            // Keys that need a restart are named at every reload until then.
            old.apply(&new, &changes);
            assert_eq!(old.changes(&new).postponed, changes.postponed);
            assert_eq!(old.changes(&new).applied, Vec::<String>::new());
        }
    }
}
