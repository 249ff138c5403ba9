//! The allow list: ids of people, rooms and servers whose messages a relay accepts.

use std::collections::HashSet;
use std::fmt;

use parking_lot::Mutex;

/// Limit of unknown senders named in the log.
const STRANGERS_MAX: usize = 1_000;
const EVERYONE: &str = "everyone";

/// The form of a network's ids.
#[derive(Debug, Clone, Copy)]
pub struct IdForm {
    /// The network's name, also that of its section in `service.toml`.
    pub network: &'static str,
    pub is_valid: fn(&str) -> bool,
    /// Continues "must hold" in an error.
    pub about: &'static str,
}

/// Allowed ids.
#[derive(Debug, Clone)]
pub struct AllowList {
    form: IdForm,
    is_everyone: bool,
    ids: HashSet<String>,
}

impl AllowList {
    /// Parses ids, with or without the network's prefix, or "everyone". The error continues the
    /// key's name.
    pub fn read<'e>(
        form: IdForm,
        entries: impl IntoIterator<Item = &'e str>,
    ) -> Result<Self, String> {
        let mut list = Self {
            form,
            is_everyone: false,
            ids: HashSet::new(),
        };
        for entry in entries {
            let id = without_prefix(form.network, entry);
            if entry == EVERYONE {
                list.is_everyone = true;
            } else if (form.is_valid)(id) {
                list.ids.insert(id.to_owned());
            } else {
                let about = form.about;
                return Err(format!(
                    "must hold {about}, or \"{EVERYONE}\", not {entry:?}"
                ));
            }
        }
        Ok(list)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// What an operator does to put an id on the list. The variable and the key replace each other's
    /// whole list.
    fn how_to_add(&self, id: &str) -> String {
        let network = self.form.network;
        let variable = format!("CHATKEEP_RELAY_{}_ALLOW", network.to_uppercase());
        match self.ids.is_empty() {
            true => format!("[relay.{network}] allow = [\"{id}\"], or {variable}={id}"),
            false => format!(
                "add \"{id}\" to the ids in [relay.{network}] allow, or \",{id}\" to {variable} if that is set"
            ),
        }
    }

    /// Whether one of the ids is on the list: a person's, their room's, their server's.
    pub(super) fn allows<'i>(&self, ids: impl IntoIterator<Item = &'i str>) -> bool {
        self.is_everyone || ids.into_iter().any(|id| self.ids.contains(id))
    }
}

impl fmt::Display for AllowList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.is_everyone {
            return f.write_str(EVERYONE);
        }
        if self.ids.is_empty() {
            let network = self.form.network;
            return write!(
                f,
                "nobody yet; set relay.{network}.allow (the log names whoever writes)"
            );
        }
        let mut ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        ids.sort_unstable();
        f.write_str(&ids.join(", "))
    }
}

fn without_prefix<'t>(network: &str, text: &'t str) -> &'t str {
    let rest = text.strip_prefix(network);
    rest.and_then(|rest| rest.strip_prefix(':')).unwrap_or(text)
}

/// People who wrote without being on the list.
#[derive(Default)]
pub(super) struct UnknownSenders(Mutex<HashSet<String>>);

impl UnknownSenders {
    /// Logs, once per chat, how to allow a person. `action` is what they did; `group` is the chat's
    /// id in a group.
    pub(super) fn report(
        &self,
        allowed: &AllowList,
        person: &str,
        action: &str,
        group: Option<&str>,
    ) {
        let mut known = self.0.lock();
        let chat = group.unwrap_or(person);
        if known.len() >= STRANGERS_MAX || !known.insert(chat.to_owned()) {
            return;
        }
        let place = group.map_or(String::new(), |group| {
            format!(" in the group {group} (add \"{group}\" to let in everybody there)")
        });
        let network = allowed.form.network;
        let how = allowed.how_to_add(person);
        log::warn!("{network}: {person} {action}{place} and is not let in; to let them in: {how}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_let_in() {
        let form = IdForm {
            network: "telegram",
            is_valid: |id| id.parse::<i64>().is_ok(),
            about: "numbers",
        };
        let read = |entries: &[&'static str]| AllowList::read(form, entries.iter().copied());
        let some = read(&["501", "telegram:-1007"]).unwrap();
        assert!(some.allows(["501", "-9"]) && some.allows(["7", "-1007"]));
        assert!(!some.allows(["7", "-9"]));
        assert_eq!(some.to_string(), "-1007, 501");
        assert!(read(&["everyone", "501"]).unwrap().allows(["7"]));
        let none = read(&[]).unwrap();
        assert!(!none.allows(["7"]));
        assert_eq!(
            none.how_to_add("7"),
            "[relay.telegram] allow = [\"7\"], or CHATKEEP_RELAY_TELEGRAM_ALLOW=7"
        );
        // Those on the list stay there.
        assert_eq!(
            some.how_to_add("7"),
            "add \"7\" to the ids in [relay.telegram] allow, or \",7\" to CHATKEEP_RELAY_TELEGRAM_ALLOW if that is set"
        );
        for wrong in ["@ada", "matrix:501", "", "Everyone"] {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }
}
