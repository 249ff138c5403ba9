//! The source as text: files, their code without comments and tests, and what can be read
//! off it line by line. The source is formatted by rustfmt, so lines tell a lot.

use std::fs;
use std::path::Path;

pub(crate) struct File {
    /// From the root of the package, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text without comments and tests; lines keep their numbers.
    pub(crate) code: String,
}

pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The service's own code, without its tests.
pub(crate) fn code() -> Vec<File> {
    let mut files = under("src");
    files.retain(|file| {
        let name = file.path.trim_end_matches(".rs");
        let is_tests = name.ends_with("/tests") || name.ends_with("_tests");
        !is_tests && !file.path.contains("/tests/")
    });
    files
}

/// Everything written in Rust here.
pub(crate) fn all() -> Vec<File> {
    ["src", "tests", "examples"]
        .iter()
        .flat_map(|folder| under(folder))
        .collect()
}

fn under(folder: &str) -> Vec<File> {
    let mut files = Vec::new();
    collect(Path::new(folder), &mut files);
    assert!(!files.is_empty(), "{folder} is empty");
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn collect(folder: &Path, files: &mut Vec<File>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let path = path.to_string_lossy().replace('\\', "/");
            let text = read(&path);
            let code = without_tests(&text);
            files.push(File { path, text, code });
        }
    }
}

/// Comments and items under `#[cfg(test)]` become empty lines.
fn without_tests(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut in_test: Option<&str> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        match in_test {
            Some(outer) => {
                let ends = line.strip_prefix(outer) == Some("}");
                in_test = in_test.filter(|_| !ends);
            }
            None if line.trim() == "#[cfg(test)]" => {
                let item = lines.next().unwrap_or_default();
                code.push('\n');
                in_test = item.ends_with('{').then_some(indent);
            }
            None if line.trim_start().starts_with("//") => {}
            None => code.push_str(line.split(" // ").next().unwrap_or_default()),
        }
        code.push('\n');
    }
    code
}

impl File {
    /// `src/edge/hub.rs` and `src/edge.rs` are of the part `edge`.
    pub(crate) fn part(&self) -> &str {
        let below = self.path.strip_prefix("src/").unwrap_or(&self.path);
        below.split(['/', '.']).next().unwrap_or_default()
    }

    pub(crate) fn is_in(&self, homes: &[&str]) -> bool {
        homes.iter().any(|home| self.path.starts_with(home))
    }

    /// Lines that hold `word`, counted from 1.
    pub(crate) fn lines_with(&self, word: &str) -> Vec<usize> {
        let lines = self.code.lines().enumerate();
        lines
            .filter(|(_, line)| word_at(line, word).is_some())
            .map(|(at, _)| at + 1)
            .collect()
    }

    pub(crate) fn code_lines(&self) -> usize {
        let lines = self.code.lines();
        lines.filter(|line| !line.trim().is_empty()).count()
    }

    /// Parts named by paths of this crate: `crate::edge::hub`, `use crate::{edge, flags}`.
    pub(crate) fn imported_parts(&self) -> Vec<(usize, String)> {
        let mut parts = Vec::new();
        for (at, line) in self.code.lines().enumerate() {
            for root in ["crate::", "chatkeep::"] {
                let mut rest = line;
                while let Some(found) = word_at(rest, root) {
                    rest = &rest[found + root.len()..];
                    for name in named_after(rest) {
                        parts.push((at + 1, name));
                    }
                }
            }
        }
        parts
    }

    /// Where each function begins, its name and its lines from `fn` to the closing brace.
    pub(crate) fn functions(&self) -> Vec<(usize, String, usize)> {
        let lines: Vec<&str> = self.code.lines().collect();
        let mut functions = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let Some(found) = word_at(line, "fn ") else {
                continue;
            };
            let before = line[..found].trim();
            let is_head = before.split(' ').all(|word| {
                word.is_empty()
                    || word.starts_with("pub")
                    || word == "async"
                    || word == "const"
                    || word.ends_with(')')
            });
            if !is_head {
                continue;
            }
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            let length = lines[at..].iter().position(|line| *line == end);
            let name = line[found + 3..]
                .split(['(', '<'])
                .next()
                .unwrap_or_default();
            let is_one_line = line.ends_with([';', '}']);
            if let Some(length) = length.filter(|_| !is_one_line) {
                functions.push((at + 1, name.to_owned(), length + 1));
            }
        }
        functions
    }

    /// Types and modules that are made here.
    pub(crate) fn defined_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for line in self.code.lines() {
            for keyword in ["struct ", "enum ", "trait ", "type ", "mod "] {
                let Some(found) = word_at(line, keyword) else {
                    continue;
                };
                let rest = &line[found + keyword.len()..];
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                names.push(rest[..end.unwrap_or(rest.len())].to_owned());
            }
        }
        names
    }
}

/// `edge::hub::Hub` names `edge`; `{edge, flags::Flags}` names both.
fn named_after(path: &str) -> Vec<String> {
    let list = match path.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default(),
        None => path,
    };
    let items: Vec<&str> = if path.starts_with('{') {
        list.split(',').collect()
    } else {
        vec![list]
    };
    let name = |item: &str| {
        let item = item.trim();
        let end = item.find(|c: char| !c.is_alphanumeric() && c != '_');
        item[..end.unwrap_or(item.len())].to_owned()
    };
    items
        .into_iter()
        .map(name)
        .filter(|name| !name.is_empty())
        .collect()
}

/// Where `word` stands in the line and is not the end or beginning of a longer one.
pub(crate) fn word_at(line: &str, word: &str) -> Option<usize> {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = line[..*at].chars().next_back().is_some_and(in_word);
        let after = line[at + word.len()..].chars().next().is_some_and(in_word);
        let starts = word.starts_with(in_word);
        let ends = word.ends_with(in_word);
        !(starts && before || ends && after)
    })
}
