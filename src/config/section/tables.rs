//! Several sections of the same keys, as `[[reply.mcp]]`. They are read from the file only.

use std::collections::BTreeMap;

use super::Section;
use crate::config::unknown_keys::nearest;

impl Section<'_> {
    /// Sections of the same keys, `[[section.name]]`, from the file only. One that `read` can't
    /// use is left out; its problem is reported.
    pub(in crate::config) fn tables<T>(
        &mut self,
        name: &str,
        note: &str,
        example: toml::Value,
        read: impl Fn(&mut Section) -> Option<T>,
    ) -> Vec<T> {
        self.describe(name, note.to_owned(), example, false);
        if let Some(key) = self.keys.last_mut() {
            key.is_tables = true;
        }
        let full = self.full(name);
        let tables = match self.table.remove(name) {
            None => return Vec::new(),
            Some(toml::Value::Array(tables)) => tables,
            Some(_) => {
                let why = format!("must be sections, [[{full}]]");
                self.report.problem(&full, why);
                return Vec::new();
            }
        };
        let (nothing, mut all) = (BTreeMap::new(), Vec::new());
        for (number, table) in (1..).zip(tables) {
            let full = format!("{full}.{number}");
            let toml::Value::Table(table) = table else {
                self.report.problem(&full, "must be a section");
                continue;
            };
            let own_name = table.get("name").and_then(toml::Value::as_str);
            let own_name = own_name.map(|own| format!(" ([[{}]] {own:?})", self.full(name)));
            let problems_before = self.report.problems.len();
            let mut section = Section::new(full, table, &nothing, self.report);
            all.extend(read(&mut section));
            section.refuse_rest();
            // A number alone is hard to find in the file.
            for problem in &mut self.report.problems[problems_before..] {
                problem
                    .message
                    .push_str(own_name.as_deref().unwrap_or_default());
            }
        }
        all
    }

    /// Reports a key without a value.
    pub(in crate::config) fn needed<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            let full = self.full(name);
            self.report.problem(&full, "is required");
        }
        value
    }

    /// Reports the keys of the file that are not known.
    fn refuse_rest(self) {
        for key in self.table.keys() {
            let known = self.keys.iter().map(|known| known.name.as_str());
            let near = nearest(key, known).unwrap_or_default();
            let full = format!("{}.{key}", self.name);
            let why = format!("is not a known key; the nearest is {near}");
            self.report.problem(&full, why);
        }
    }
}
