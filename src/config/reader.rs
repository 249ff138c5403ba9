//! Pulls keys out of a file's table and the environment, collects every problem, and
//! remembers which keys exist, for suggestions and the commented example. It knows shapes
//! (number, choice, list, secret), not what a key means.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::Path;

use super::report::Report;
use super::secret::Secret;
use super::unknown::{ENV_PREFIX, OTHER_VARIABLES, env_name, fixed_name, nearest};

const SHOWN_CHARS_MAX: usize = 60;

/// A setting with a fixed set of values.
pub(super) trait Choice: Copy + PartialEq + 'static {
    const VALUES: &'static [(&'static str, Self)];
}

/// A key as the example shows it.
pub(super) struct Key {
    pub(super) name: String,
    /// What it is for, and what it accepts.
    pub(super) note: String,
    /// The default, or an example for a key that has none.
    pub(super) shown: toml::Value,
    pub(super) has_default: bool,
    /// `<key>_file` of a secret: known, and not worth a line of its own.
    pub(super) hidden: bool,
}

pub(super) struct KnownSection {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) keys: Vec<Key>,
}

pub(super) struct Reader<'a> {
    table: toml::Table,
    env: &'a BTreeMap<String, String>,
    report: Report,
    sections: Vec<KnownSection>,
    /// Keys of the file that no section asked for.
    left: Vec<(&'static str, String)>,
}

/// One section while it is read. A bad value is a problem, and reads as the default.
pub(super) struct Section<'r> {
    name: &'static str,
    table: toml::Table,
    env: &'r BTreeMap<String, String>,
    report: &'r mut Report,
    keys: Vec<Key>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: toml::Table, env: &'a BTreeMap<String, String>) -> Self {
        Self {
            table,
            env,
            report: Report::default(),
            sections: Vec::new(),
            left: Vec::new(),
        }
    }

    pub(super) fn section<T>(
        &mut self,
        name: &'static str,
        about: &'static str,
        read: impl FnOnce(&mut Section<'_>) -> T,
    ) -> T {
        let table = match self.table.remove(name) {
            Some(toml::Value::Table(table)) => table,
            Some(other) => {
                let kind = other.type_str();
                let message = format!("must be a section, [{name}], not a value ({kind})");
                self.report.problem(name, message);
                toml::Table::new()
            }
            None => toml::Table::new(),
        };
        let mut section = Section {
            name,
            table,
            env: self.env,
            report: &mut self.report,
            keys: Vec::new(),
        };
        let value = read(&mut section);
        let Section { table, keys, .. } = section;
        self.left
            .extend(table.into_iter().map(|(key, _)| (name, key)));
        self.sections.push(KnownSection { name, about, keys });
        value
    }

    /// Names what nobody asked for, now that everything known has been.
    pub(super) fn finish(mut self) -> (Vec<KnownSection>, Report) {
        self.report_unknown_keys();
        self.report_unknown_variables();
        (self.sections, self.report)
    }

    fn report_unknown_keys(&mut self) {
        let full_keys = full_keys(&self.sections);
        for (section, key) in &self.left {
            let full = format!("{section}.{key}");
            // A key in the wrong section is nearer than one that looks alike in this one.
            let elsewhere = full_keys.iter().find(|k| ends_with_key(k, key));
            let here = || full_keys.iter().filter(|k| in_section(k, section));
            let near = match elsewhere {
                Some(known) => Some(known.as_str()),
                None => nearest(&full, here().map(String::as_str)),
            };
            self.report.problem(&full, not_known("key", near));
        }
        for (name, value) in &self.table {
            let (what, near) = if value.is_table() {
                let names = self.sections.iter().map(|s| s.name);
                ("section", nearest(name, names))
            } else {
                let found = full_keys.iter().find(|k| ends_with_key(k, name));
                let keys = full_keys.iter().map(String::as_str);
                (
                    "key outside any section",
                    found.map(String::as_str).or_else(|| nearest(name, keys)),
                )
            };
            self.report.problem(name, not_known(what, near));
        }
    }

    fn report_unknown_variables(&mut self) {
        let mut known: Vec<String> = full_keys(&self.sections)
            .iter()
            .map(|k| env_name(k))
            .collect();
        known.extend(OTHER_VARIABLES.map(str::to_owned));
        for (name, value) in self.env {
            if name.starts_with(ENV_PREFIX) && !value.is_empty() && !known.contains(name) {
                let near = nearest(name, known.iter().map(String::as_str)).unwrap_or_default();
                self.report.warning(format!(
                    "{name} is set and not known, so it has no effect; the nearest is {near}."
                ));
            }
        }
    }
}

impl Section<'_> {
    /// A whole number. The unit is in the key's name.
    pub(super) fn number(
        &mut self,
        name: &str,
        default: u64,
        range: RangeInclusive<u64>,
        note: &str,
    ) -> u64 {
        let accepted = format!("from {} to {}", range.start(), range.end());
        let shown = toml::Value::Integer(i64::try_from(default).unwrap_or(i64::MAX));
        self.describe(name, format!("{note} A number {accepted}."), shown, true);
        self.take(name, |given| {
            let number = match &given {
                Given::Variable(text) => text.parse().ok(),
                Given::File(value) => value.as_integer().and_then(|n| u64::try_from(n).ok()),
            };
            number.filter(|n| range.contains(n)).ok_or_else(|| {
                let got = given.shown();
                format!("must be a whole number {accepted}, not {got}")
            })
        })
        .unwrap_or(default)
    }

    pub(super) fn choice<T: Choice>(&mut self, name: &str, default: T, note: &str) -> T {
        let named = T::VALUES.iter().find(|(_, value)| *value == default);
        let shown = named.map_or("", |(word, _)| word);
        let note = format!("{note} One of {}.", words(T::VALUES));
        self.describe(name, note, shown.into(), true);
        self.take_choice(name).unwrap_or(default)
    }

    /// A choice whose default depends on other keys, as `note` must say.
    pub(super) fn choice_if_set<T: Choice>(
        &mut self,
        name: &str,
        example: &str,
        note: &str,
    ) -> Option<T> {
        let note = format!("{note} One of {}.", words(T::VALUES));
        self.describe(name, note, example.into(), false);
        self.take_choice(name)
    }

    /// A text that `parse` accepts; its message continues the key's name.
    pub(super) fn parsed<T: Display>(
        &mut self,
        name: &str,
        default: T,
        note: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> T {
        self.describe(name, note.to_owned(), default.to_string().into(), true);
        self.take(name, |given| parse(given.text()?))
            .unwrap_or(default)
    }

    pub(super) fn parsed_if_set<T>(
        &mut self,
        name: &str,
        example: &str,
        note: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.describe(name, note.to_owned(), example.into(), false);
        self.take(name, |given| parse(given.text()?))
    }

    /// A list of texts; commas separate them in the environment. Every bad one is named.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        default: &[&str],
        note: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<T> {
        let shown = default.iter().map(|item| (*item).into()).collect();
        self.describe(name, note.to_owned(), toml::Value::Array(shown), true);
        self.take(name, |given| {
            let mut items = Vec::new();
            let mut wrong = Vec::new();
            for item in given.items()? {
                match parse(item) {
                    Ok(value) => items.push(value),
                    Err(message) => wrong.push(format!("{} {message}", quoted(item))),
                }
            }
            if wrong.is_empty() {
                Ok(items)
            } else {
                Err(wrong.join("; "))
            }
        })
        .unwrap_or_else(|| default.iter().filter_map(|item| parse(item).ok()).collect())
    }

    /// A secret, from the key or from the file that `<key>_file` names. A variable beats
    /// both keys of the file; a key and its `_file` in the same place are a problem.
    pub(super) fn secret(&mut self, name: &str, note: &str) -> Option<Secret> {
        let file_key = format!("{name}_file");
        self.describe(name, note.to_owned(), "".into(), false);
        self.describe(&file_key, String::new(), "".into(), false);
        if let Some(last) = self.keys.last_mut() {
            last.hidden = true;
        }
        let full = self.full(name);
        let variable = env_name(&full);
        let file_variable = env_name(&self.full(&file_key));
        let (value, path) = (self.from_table(name), self.from_table(&file_key));
        if value.is_some() && path.is_some() {
            let message = format!("both {name} and {file_key} are set; keep one of them");
            self.report.problem(&full, message);
        }
        let (env_value, env_path) = (self.variable(&variable), self.variable(&file_variable));
        if env_value.is_some() && env_path.is_some() {
            let message = format!("both {variable} and {file_variable} are set; keep one of them");
            self.report.problem(&full, message);
        }
        let fixed = fixed_name(&full).and_then(|fixed| Some((fixed, self.variable(fixed)?)));
        let inline = |given: Given, from: &str| {
            given
                .text()
                .and_then(Secret::parse)
                .map_err(|why| format!("{why}{from}"))
        };
        let outside = |given: Given, from: &str| {
            let read = given
                .text()
                .and_then(|path| Secret::read_file(Path::new(path)));
            read.map_err(|why| format!("{why}{from}"))
        };
        let result = if let Some(given) = env_value {
            inline(given, &given_by(&variable))
        } else if let Some(given) = env_path {
            outside(given, &given_by(&file_variable))
        } else if let Some((fixed, given)) = fixed {
            inline(given, &given_by(fixed))
        } else if let Some(given) = value {
            inline(given, "")
        } else {
            outside(path?, &given_by(&file_key))
        };
        result.map_err(|why| self.report.problem(&full, why)).ok()
    }

    /// A problem of a key that the section found out itself.
    pub(super) fn problem(&mut self, name: &str, message: impl Into<String>) {
        let full = self.full(name);
        self.report.problem(&full, message);
    }

    fn describe(&mut self, name: &str, note: String, shown: toml::Value, has_default: bool) {
        self.keys.push(Key {
            name: name.to_owned(),
            note,
            shown,
            has_default,
            hidden: false,
        });
    }

    fn take_choice<T: Choice>(&mut self, name: &str) -> Option<T> {
        self.take(name, |given| {
            let word = match &given {
                Given::Variable(text) => Some(text.as_str()),
                Given::File(value) => value.as_str(),
            };
            let found = T::VALUES.iter().find(|(known, _)| Some(*known) == word);
            found.map(|(_, value)| *value).ok_or_else(|| {
                format!("must be one of {}, not {}", words(T::VALUES), given.shown())
            })
        })
    }

    /// `CHATKEEP_…` beats the variable of a fixed name, both beat the file.
    fn take<T>(&mut self, name: &str, parse: impl FnOnce(Given) -> Result<T, String>) -> Option<T> {
        let full = self.full(name);
        let in_file = self.from_table(name);
        let names = [Some(env_name(&full)), fixed_name(&full).map(str::to_owned)];
        let mut variables = names.into_iter().flatten();
        let from_env = variables.find_map(|v| Some((self.variable(&v)?, given_by(&v))));
        let (given, from) = match from_env {
            Some(found) => found,
            None => (in_file?, String::new()),
        };
        parse(given)
            .map_err(|why| self.report.problem(&full, format!("{why}{from}")))
            .ok()
    }

    /// Takes the key out, so that what is left is unknown. An empty text counts as unset.
    fn from_table(&mut self, name: &str) -> Option<Given> {
        let value = self.table.remove(name)?;
        (value.as_str() != Some("")).then_some(Given::File(value))
    }

    fn variable(&self, name: &str) -> Option<Given> {
        let value = self.env.get(name).filter(|value| !value.is_empty())?;
        Some(Given::Variable(value.clone()))
    }

    fn full(&self, name: &str) -> String {
        format!("{}.{name}", self.name)
    }
}

/// What a key was given, before anyone looked at its type.
enum Given {
    Variable(String),
    File(toml::Value),
}

impl Given {
    fn text(&self) -> Result<&str, String> {
        match self {
            Self::Variable(text) if text.contains(char::REPLACEMENT_CHARACTER) => {
                Err("is not valid UTF-8".to_owned())
            }
            Self::Variable(text) => Ok(text),
            Self::File(value) => value.as_str().ok_or_else(|| {
                format!(
                    "must be a text in quotes, not a value of type {}",
                    value.type_str()
                )
            }),
        }
    }

    fn items(&self) -> Result<Vec<&str>, String> {
        let not_a_list = || "must be a list of texts, [\"one\", \"two\"]".to_owned();
        match self {
            Self::Variable(_) => {
                let parts = self.text()?.split(',').map(str::trim);
                Ok(parts.filter(|part| !part.is_empty()).collect())
            }
            Self::File(value) => {
                let items = value.as_array().ok_or_else(not_a_list)?;
                let texts = items.iter().map(toml::Value::as_str);
                texts.collect::<Option<_>>().ok_or_else(not_a_list)
            }
        }
    }

    /// For messages. Secrets never come here.
    fn shown(&self) -> String {
        match self {
            Self::Variable(text) => quoted(text),
            Self::File(toml::Value::String(text)) => quoted(text),
            Self::File(toml::Value::Integer(number)) => number.to_string(),
            Self::File(value) => format!("a value of type {}", value.type_str()),
        }
    }
}

fn full_keys(sections: &[KnownSection]) -> Vec<String> {
    let of = |s: &KnownSection| -> Vec<String> {
        s.keys
            .iter()
            .map(|key| format!("{}.{}", s.name, key.name))
            .collect()
    };
    sections.iter().flat_map(of).collect()
}

fn in_section(full: &str, section: &str) -> bool {
    full.split_once('.')
        .is_some_and(|(name, _)| name == section)
}

fn ends_with_key(full: &str, key: &str) -> bool {
    full.split_once('.').is_some_and(|(_, name)| name == key)
}

fn not_known(what: &str, near: Option<&str>) -> String {
    let near = near.unwrap_or_default();
    format!("is not a known {what}; the nearest is {near}")
}

fn words<T>(values: &[(&str, T)]) -> String {
    let quoted: Vec<String> = values.iter().map(|(word, _)| format!("{word:?}")).collect();
    quoted.join(", ")
}

fn given_by(name: &str) -> String {
    format!(" (given by {name})")
}

fn quoted(text: &str) -> String {
    let short: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{:?}", format!("{short}{more}"))
}
