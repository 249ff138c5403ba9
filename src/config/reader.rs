//! Parses the sections of a file and the environment, and collects every problem. It keeps the list
//! of known keys for suggestions and for the commented example.

use std::collections::BTreeMap;

use super::report::{ConfigProblem, Report};
use super::section::{Key, Section};
use super::unknown_keys::{ENV_PREFIX, OTHER_VARIABLES, env_name, intended, nearest};

pub(super) struct KnownSection {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) keys: Vec<Key>,
}

pub(super) struct ConfigReader<'a> {
    table: toml::Table,
    env: &'a BTreeMap<String, String>,
    report: Report,
    sections: Vec<KnownSection>,
    /// Unknown keys of the file with their sections.
    unknown: Vec<(&'static str, String)>,
}

impl<'a> ConfigReader<'a> {
    pub(super) fn new(table: toml::Table, env: &'a BTreeMap<String, String>) -> Self {
        Self {
            table,
            env,
            report: Report::default(),
            sections: Vec::new(),
            unknown: Vec::new(),
        }
    }

    pub(super) fn section<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Section) -> T,
    ) -> T {
        let table = match take_section(&mut self.table, name) {
            Some(toml::Value::Table(table)) => table,
            Some(other) => {
                let kind = other.type_str();
                let message = format!("must be a section, [{name}], not a value ({kind})");
                self.report.problem(name, message);
                toml::Table::new()
            }
            None => toml::Table::new(),
        };
        let mut section = Section::new(name, table, self.env, &mut self.report);
        let value = read(&mut section);
        let (table, keys) = section.finish();
        self.unknown
            .extend(table.into_iter().map(|(key, _)| (name, key)));
        self.sections.push(KnownSection { name, about, keys });
        value
    }

    /// Reports unknown keys after every section was parsed.
    pub(super) fn finish(mut self) -> (Vec<KnownSection>, Report) {
        self.report_unknown_keys();
        self.report_unknown_variables();
        (self.sections, self.report)
    }

    fn report_unknown_keys(&mut self) {
        let full_keys = full_keys(&self.sections);
        for (section, key) in &self.unknown {
            let full = format!("{section}.{key}");
            // The same key in another section is a better suggestion than a similar key in this
            // one.
            let elsewhere = full_keys.iter().find(|k| ends_with_key(k, key));
            let same_section = || full_keys.iter().filter(|k| in_section(k, section));
            let near = match elsewhere {
                Some(known) => Some(known.as_str()),
                None => nearest(&full, same_section().map(String::as_str)),
            };
            self.report.problem(&full, unknown_message("key", near));
        }
        let table = std::mem::take(&mut self.table);
        for (name, value) in &table {
            if let Some(inner) = value.as_table().filter(|_| self.holds_sections(name)) {
                self.report_unknown_inner(name, inner);
                continue;
            }
            let (kind, near) = if value.is_table() {
                let names = self.sections.iter().map(|s| s.name);
                ("section", intended(name, names))
            } else {
                let match_outside = full_keys.iter().find(|k| ends_with_key(k, name));
                let keys = full_keys.iter().map(String::as_str);
                (
                    "key outside any section",
                    match_outside
                        .map(String::as_str)
                        .or_else(|| nearest(name, keys)),
                )
            };
            self.report.problem(name, unknown_message(kind, near));
        }
    }

    /// Whether sections have names like `name.other`.
    fn holds_sections(&self, name: &str) -> bool {
        self.sections.iter().any(|s| is_inside(s.name, name))
    }

    /// Reports what a table that only holds sections has besides those.
    fn report_unknown_inner(&mut self, outer: &str, inner: &toml::Table) {
        let known = self.sections.iter().map(|s| s.name);
        let known: Vec<&str> = known.filter(|name| is_inside(name, outer)).collect();
        let known = known.join(", ");
        for (name, value) in inner {
            let kind = if value.is_table() { "section" } else { "key" };
            let message = format!("is not a known {kind}; known sections are {known}");
            self.report.problem(&format!("{outer}.{name}"), message);
        }
    }

    fn report_unknown_variables(&mut self) {
        let mut known: Vec<String> = full_keys(&self.sections)
            .iter()
            .map(|k| env_name(k))
            .collect();
        known.extend(OTHER_VARIABLES.map(str::to_owned));
        let tables: Vec<(String, String)> = tables(&self.sections)
            .map(|key| (env_name(&key), key))
            .collect();
        known.retain(|name| tables.iter().all(|(variable, _)| variable != name));
        for (name, value) in self.env {
            let of_tables = |(variable, _): &&(String, String)| {
                let rest = name.strip_prefix(variable.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            if let Some((_, key)) = tables.iter().find(of_tables).filter(|_| !value.is_empty()) {
                self.report.unknown_variables.push(ConfigProblem {
                    key: name.clone(),
                    message: format!(
                        "is set and has no effect; write sections [[{key}]] into the configuration file"
                    ),
                });
                continue;
            }
            if name.starts_with(ENV_PREFIX) && !value.is_empty() && !known.contains(name) {
                let near = nearest(name, known.iter().map(String::as_str)).unwrap_or_default();
                self.report.unknown_variables.push(ConfigProblem {
                    key: name.clone(),
                    message: format!("is set and has no effect; the nearest known name is {near}"),
                });
            }
        }
    }
}

/// Removes a section from the file's table; `relay.telegram` is a table inside another.
fn take_section(table: &mut toml::Table, name: &str) -> Option<toml::Value> {
    let Some((outer, inner)) = name.split_once('.') else {
        return table.remove(name);
    };
    let group = table.get_mut(outer)?.as_table_mut()?;
    let section = group.remove(inner);
    if group.is_empty() {
        table.remove(outer);
    }
    section
}

/// Whether a section like `relay.telegram` is inside `outer`.
fn is_inside(section: &str, outer: &str) -> bool {
    section
        .split_once('.')
        .is_some_and(|(found, _)| found == outer)
}

fn full_keys(sections: &[KnownSection]) -> Vec<String> {
    let keys_of = |s: &KnownSection| -> Vec<String> {
        s.keys
            .iter()
            .map(|key| format!("{}.{}", s.name, key.name))
            .collect()
    };
    sections.iter().flat_map(keys_of).collect()
}

/// The full keys that are sections of their own, as `reply.mcp`.
fn tables(sections: &[KnownSection]) -> impl Iterator<Item = String> {
    sections.iter().flat_map(|section| {
        let keys = section.keys.iter().filter(|key| key.is_tables);
        keys.map(|key| format!("{}.{}", section.name, key.name))
    })
}

fn in_section(full: &str, section: &str) -> bool {
    full.rsplit_once('.')
        .is_some_and(|(name, _)| name == section)
}

fn ends_with_key(full: &str, key: &str) -> bool {
    full.rsplit_once('.').is_some_and(|(_, name)| name == key)
}

fn unknown_message(kind: &str, nearest_name: Option<&str>) -> String {
    match nearest_name {
        Some(name) => format!("is not a known {kind}; the nearest is {name}"),
        None => format!("is not a known {kind}"),
    }
}
