//! One section of the configuration while it is parsed: a method for each type of key (number,
//! choice, list, secret). `section!` declares a section's type and parser from one description;
//! `choice!` declares the type of a key with a fixed set of values.

mod tables;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::raw_value::{RawValue, quote};
use super::report::Report;
use super::secret::Secret;
use super::text;
use super::unknown_keys::{env_name, old_variable, override_variable};
use crate::files::is_reachable_by_others;

/// A setting with a fixed set of values.
pub(super) trait Choice: Copy + PartialEq + 'static {
    const VALUES: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        let mut values = Self::VALUES.iter();
        let entry = values.find(|(_, value)| *value == self);
        entry.map_or("", |(word, _)| word)
    }

    fn from_word(word: &str) -> Option<Self> {
        let mut values = Self::VALUES.iter();
        let entry = values.find(|(known, _)| *known == word);
        entry.map(|(_, value)| *value)
    }
}

/// Declares a section: its struct, `ABOUT` and `read`. A key's doc comment is its sentence in
/// `service.toml`. The right-hand side is the method of `Section` that reads the key.
macro_rules! section {
    ($(#[doc = $about:literal])+ $name:ident {
        $($(#[doc = $note:literal])+ $key:ident: $type:ty = $shape:ident($($argument:expr),*);)+
    }) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone)]
        pub struct $name {
            $($(#[doc = $note])+ pub $key: $type,)+
        }

        impl $name {
            pub(super) const ABOUT: &'static str = concat!($($about),+);

            pub(super) fn read(s: &mut super::section::Section) -> Self {
                Self {
                    $($key: s.$shape(stringify!($key), concat!($($note),+) $(, $argument)*),)+
                }
            }
        }
    };
}

/// An enum whose values operators write as words.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $value:ident = $word:literal;)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$note])* $value,)+
        }

        impl Choice for $name {
            const VALUES: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),+];
        }
    };
}

pub(super) use {choice, section};

/// A key as `service.toml` shows it.
pub(super) struct Key {
    pub(super) name: String,
    /// The purpose of the key and what it accepts.
    pub(super) note: String,
    /// The default, or an example for a key that has none.
    pub(super) example: toml::Value,
    pub(super) has_default: bool,
    /// The key's sections are read from the file only: the environment can't hold them.
    pub(super) is_tables: bool,
    /// The key `<key>_file` of a secret is known, but has no line of its own.
    pub(super) hidden: bool,
}

/// One section while it is read. An invalid value is reported and replaced by the default.
pub(super) struct Section<'r> {
    name: String,
    table: toml::Table,
    env: &'r BTreeMap<String, String>,
    report: &'r mut Report,
    keys: Vec<Key>,
}

impl<'r> Section<'r> {
    pub(super) fn new(
        name: impl Into<String>,
        table: toml::Table,
        env: &'r BTreeMap<String, String>,
        report: &'r mut Report,
    ) -> Self {
        Self {
            name: name.into(),
            table,
            env,
            report,
            keys: Vec::new(),
        }
    }

    /// The keys of the file that are not known, and the known keys.
    pub(super) fn finish(self) -> (toml::Table, Vec<Key>) {
        (self.table, self.keys)
    }

    /// A whole number. The unit is in the key's name.
    pub(super) fn number(
        &mut self,
        name: &str,
        note: &str,
        default: u64,
        range: RangeInclusive<u64>,
    ) -> u64 {
        self.describe_number(name, default, &range, note, true);
        self.take_number(name, &range).unwrap_or(default)
    }

    /// A number whose default depends on other keys, as `note` must say.
    pub(super) fn number_if_set(
        &mut self,
        name: &str,
        note: &str,
        example: u64,
        range: RangeInclusive<u64>,
    ) -> Option<u64> {
        self.describe_number(name, example, &range, note, false);
        self.take_number(name, &range)
    }

    fn describe_number(
        &mut self,
        name: &str,
        example: u64,
        range: &RangeInclusive<u64>,
        note: &str,
        has_default: bool,
    ) {
        let note = format!("{note} Accepts {} to {}.", range.start(), range.end());
        let example = toml::Value::Integer(i64::try_from(example).unwrap_or(i64::MAX));
        self.describe(name, note, example, has_default);
    }

    fn take_number(&mut self, name: &str, range: &RangeInclusive<u64>) -> Option<u64> {
        let accepted = format!("from {} to {}", range.start(), range.end());
        self.take(name, |raw| {
            let number = match &raw {
                RawValue::Variable(text) => text.parse().ok(),
                RawValue::File(value) => value.as_integer().and_then(|n| u64::try_from(n).ok()),
            };
            number.filter(|n| range.contains(n)).ok_or_else(|| {
                let value = raw.display();
                format!("must be a whole number {accepted}, not {value}")
            })
        })
    }

    /// true or false.
    pub(super) fn switch(&mut self, name: &str, note: &str, default: bool) -> bool {
        let note = format!("{note} Accepts true, false.");
        self.describe(name, note, default.into(), true);
        let read = self.take(name, |raw| {
            let value = match &raw {
                RawValue::Variable(text) => text.parse().ok(),
                RawValue::File(value) => value.as_bool(),
            };
            value.ok_or_else(|| format!("must be true or false, not {}", raw.display()))
        });
        read.unwrap_or(default)
    }

    pub(super) fn choice<T: Choice>(&mut self, name: &str, note: &str, default: T) -> T {
        let note = format!("{note} Accepts {}.", words(T::VALUES));
        self.describe(name, note, default.word().into(), true);
        self.take_choice(name).unwrap_or(default)
    }

    /// A choice whose default depends on other keys, as `note` must say.
    pub(super) fn choice_if_set<T: Choice>(
        &mut self,
        name: &str,
        note: &str,
        example: &str,
    ) -> Option<T> {
        let note = format!("{note} Accepts {}.", words(T::VALUES));
        self.describe(name, note, example.into(), false);
        self.take_choice(name)
    }

    /// A text that `parse` accepts; its message continues the key's name.
    pub(super) fn parsed<T: Display>(
        &mut self,
        name: &str,
        note: &str,
        default: impl Into<T>,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> T {
        let default = default.into();
        self.describe(name, note.to_owned(), default.to_string().into(), true);
        self.take(name, |raw| parse(raw.text()?)).unwrap_or(default)
    }

    pub(super) fn parsed_if_set<T>(
        &mut self,
        name: &str,
        note: &str,
        example: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        self.describe(name, note.to_owned(), example.into(), false);
        self.take(name, |raw| parse(raw.text()?))
    }

    /// The path of a file or folder. A relative one starts at the working directory.
    pub(super) fn path(
        &mut self,
        name: &str,
        note: &str,
        default: &str,
        parse: impl FnOnce(&str) -> Result<String, String>,
    ) -> PathBuf {
        self.parsed(name, note, default, parse).into()
    }

    pub(super) fn path_if_set(&mut self, name: &str, note: &str, example: &str) -> Option<PathBuf> {
        let path = self.parsed_if_set(name, note, example, text::line);
        path.map(PathBuf::from)
    }

    /// A list of texts. In the environment they are separated by commas. Every invalid item is
    /// reported.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        note: &str,
        default: &[&str],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<T> {
        let items = default.iter().map(|item| (*item).into()).collect();
        self.describe(name, note.to_owned(), toml::Value::Array(items), true);
        self.take(name, |raw| {
            let mut items = Vec::new();
            let mut invalid = Vec::new();
            for item in raw.items()? {
                match parse(item) {
                    Ok(value) => items.push(value),
                    Err(message) => invalid.push(format!("{} {message}", quote(item))),
                }
            }
            if invalid.is_empty() {
                Ok(items)
            } else {
                Err(invalid.join("; "))
            }
        })
        .unwrap_or_else(|| default.iter().filter_map(|item| parse(item).ok()).collect())
    }

    /// Like `list`, but a single text is accepted as a list of one item.
    pub(super) fn list_or_word<T>(
        &mut self,
        name: &str,
        note: &str,
        default: &[&str],
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<T> {
        if let Some(toml::Value::String(word)) = self.table.get(name) {
            let list = toml::Value::Array(vec![word.as_str().into()]);
            if !word.is_empty() {
                self.table.insert(name.to_owned(), list);
            }
        }
        self.list(name, note, default, parse)
    }

    /// A secret, from the key or from the file that `<key>_file` names. A variable overrides
    /// both keys of the file. A key and its `_file` in the same place are a problem.
    pub(super) fn secret(&mut self, name: &str, note: &str) -> Option<Secret> {
        let file_key = format!("{name}_file");
        self.describe(name, note.to_owned(), "".into(), false);
        self.describe(&file_key, String::new(), "".into(), false);
        if let Some(last) = self.keys.last_mut() {
            last.hidden = true;
        }
        let full = self.full(name);
        let from_file = {
            let key = self.remove(name).map(|raw| (raw, String::new()));
            let path = self
                .remove(&file_key)
                .map(|raw| (raw, origin_note(&file_key)));
            self.value_or_file(&full, (name, key), (&file_key, path))
        };
        let from_env = {
            let (key_name, path_name) = (env_name(&full), env_name(&self.full(&file_key)));
            let (key, path) = (self.variable(&key_name), self.variable(&path_name));
            self.value_or_file(&full, (&key_name, key), (&path_name, path))
        };
        self.report.settings.holds_secrets |= matches!(from_file, Some(SecretSource::Value(_)));
        let old_name = || Some(SecretSource::Value(self.variable(old_variable(&full)?)?));
        let secret = match from_env.or_else(old_name).or(from_file)? {
            SecretSource::Value((raw, from)) => {
                let secret = raw.text().and_then(Secret::parse);
                secret.map_err(|why| why + &from)
            }
            SecretSource::File((raw, from)) => {
                let path = raw.text().map(Path::new);
                if let Some(path) = path.iter().find(|path| is_reachable_by_others(path)) {
                    self.report.warning(readable_by_all(&full, path));
                }
                let secret = path.and_then(Secret::read_file);
                secret.map_err(|why| why + &from)
            }
        };
        let secret = secret.map_err(|why| self.report.problem(&full, why)).ok()?;
        self.report.settings.record_secret(&full, &secret);
        Some(secret)
    }

    /// A secret with its own format; `parse` never repeats it in an error.
    pub(super) fn parsed_secret<T>(
        &mut self,
        name: &str,
        note: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let secret = self.secret(name, note)?;
        let parsed = parse(secret.expose());
        let full = self.full(name);
        parsed.map_err(|why| self.report.problem(&full, why)).ok()
    }

    fn describe(&mut self, name: &str, note: String, example: toml::Value, has_default: bool) {
        self.keys.push(Key {
            name: name.to_owned(),
            note,
            example,
            has_default,
            is_tables: false,
            hidden: false,
        });
    }

    fn take_choice<T: Choice>(&mut self, name: &str) -> Option<T> {
        self.take(name, |raw| {
            let word = match &raw {
                RawValue::Variable(text) => Some(text.as_str()),
                RawValue::File(value) => value.as_str(),
            };
            word.and_then(T::from_word).ok_or_else(|| {
                format!("must be one of {}, not {}", words(T::VALUES), raw.display())
            })
        })
    }

    /// The order of precedence: `CHATKEEP_LOG`, the variable `CHATKEEP_…`, the variable of an
    /// older name, the file.
    fn take<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(RawValue) -> Result<T, String>,
    ) -> Option<T> {
        let full = self.full(name);
        let from_file = self.remove(name).map(|raw| (raw, String::new()));
        let from_env = self.variable(&env_name(&full));
        let old_name = || self.variable(old_variable(&full)?);
        let overriding = override_variable(&full).and_then(|name| self.variable(name));
        let (raw, from) = overriding.or(from_env).or_else(old_name).or(from_file)?;
        self.report.settings.record(&full, raw.as_written());
        parse(raw)
            .map_err(|why| self.report.problem(&full, format!("{why}{from}")))
            .ok()
    }

    /// Removes the key, so that only unknown keys stay. An empty text counts as unset.
    fn remove(&mut self, name: &str) -> Option<RawValue> {
        let value = self.table.remove(name)?;
        (value.as_str() != Some("")).then_some(RawValue::File(value))
    }

    /// The variable's value, and the words that name the variable in a message.
    fn variable(&self, name: &str) -> Option<ValueWithOrigin> {
        let value = self.env.get(name).filter(|value| !value.is_empty())?;
        Some((RawValue::Variable(value.clone()), origin_note(name)))
    }

    /// A secret or its file. Setting both in the same place is a problem.
    fn value_or_file(
        &mut self,
        full: &str,
        (name, key): (&str, Option<ValueWithOrigin>),
        (file_name, path): (&str, Option<ValueWithOrigin>),
    ) -> Option<SecretSource> {
        if key.is_some() && path.is_some() {
            let message = format!("both {name} and {file_name} are set; keep one of them");
            self.report.problem(full, message);
        }
        key.map(SecretSource::Value)
            .or(path.map(SecretSource::File))
    }

    fn full(&self, name: &str) -> String {
        format!("{}.{name}", self.name)
    }
}

/// A value, and the end of a message that names where it was set.
type ValueWithOrigin = (RawValue, String);

enum SecretSource {
    Value(ValueWithOrigin),
    File(ValueWithOrigin),
}

fn words<T>(values: &[(&str, T)]) -> String {
    let quoted: Vec<String> = values.iter().map(|(word, _)| format!("{word:?}")).collect();
    quoted.join(", ")
}

/// The warning about a file with the secret `key` that every user of the machine may read.
fn readable_by_all(key: &str, path: &Path) -> String {
    let file = path.display();
    format!(
        "{key}: every user of this machine may read the file {file} with this secret: run chmod \
         o-rwx {file}."
    )
}

fn origin_note(name: &str) -> String {
    format!(" (given by {name})")
}
