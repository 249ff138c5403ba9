//! The house rules, read off the source: who imports whom, which dependency lives where,
//! how long a file and a function may be, and what a file must begin with. A new part or
//! dependency has to be given its place here first.

mod circles;
mod links;
mod rules;
mod source;

use std::collections::BTreeSet;

use source::{File, word_at};

const CODE_LINES_MAX: usize = 400;
const CODE_LINES_MEDIAN_MAX: usize = 150;
const FUNCTION_LINES_MAX: usize = 70;

/// Fails with every breach at once.
fn assert_none(rule: &str, breaches: Vec<String>) {
    assert!(breaches.is_empty(), "{rule}\n  {}", breaches.join("\n  "));
}

/// A breach for each file and word where `breaks` holds, with its line.
fn find(files: &[File], words: &[&str], breaks: impl Fn(&File, &str) -> bool) -> Vec<String> {
    let mut breaches = Vec::new();
    for file in files {
        for word in words {
            let lines = file.lines_with(word);
            if let Some(line) = lines.first().filter(|_| breaks(file, word)) {
                breaches.push(format!("{}:{line}: {word}", file.path));
            }
        }
    }
    breaches
}

#[test]
fn imports_run_one_way() {
    let mut breaches = Vec::new();
    for file in source::code() {
        let part = file.part();
        let Some((_, allowed)) = rules::LAYERS.iter().find(|(name, _)| *name == part) else {
            breaches.push(format!(
                "{}: {part} has no place among the layers",
                file.path
            ));
            continue;
        };
        for (line, imported) in file.imported_parts() {
            if imported != part && !allowed.contains(&imported.as_str()) {
                breaches.push(format!("{}:{line}: {part} imports {imported}", file.path));
            }
        }
    }
    assert_none(
        "Imports run one way; see the guide's page on the architecture.",
        breaches,
    );
}

/// The layers themselves have no circle.
#[test]
fn the_layers_have_an_order() {
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    let mut remaining: Vec<_> = rules::LAYERS.to_vec();
    while !remaining.is_empty() {
        let before = remaining.len();
        remaining.retain(|(part, imports)| {
            let ready = imports.iter().all(|i| placed.contains(i));
            if ready {
                placed.insert(part);
            }
            !ready
        });
        assert!(remaining.len() < before, "a circle among {remaining:?}");
    }
}

/// The architecture page lists every part once, and none above what imports it.
#[test]
fn the_architecture_page_tells_the_layers() {
    let page = source::read("src/guide/architecture.md");
    let block = page
        .split("## Layers")
        .nth(1)
        .and_then(|p| p.split("```").nth(1));
    let mut rows: Vec<(usize, String)> = Vec::new();
    for (row, line) in block.expect("a list of layers").lines().enumerate() {
        let names = line.split("  ").next().unwrap_or_default();
        let names = names
            .split(&[',', ' '][..])
            .filter(|n| !n.is_empty() && !n.contains("::"));
        rows.extend(
            names
                .filter(|n| *n != "text")
                .map(|name| (row, name.to_owned())),
        );
    }
    let row_of = |part: &str| {
        rows.iter()
            .find(|(_, name)| name == part)
            .map(|(row, _)| *row)
    };
    let mut breaches = Vec::new();
    for (part, imports) in rules::LAYERS {
        let Some(row) = row_of(part) else {
            if !["lib", "guide"].contains(part) {
                breaches.push(format!("{part} is missing"));
            }
            continue;
        };
        for import in *imports {
            let below = row_of(import).is_some_and(|imported| imported >= row);
            if !below {
                breaches.push(format!("{part} imports {import}, which stands above it"));
            }
        }
    }
    for (_, name) in &rows {
        let times = rows.iter().filter(|(_, other)| other == name).count();
        if times != 1 || !rules::LAYERS.iter().any(|(part, _)| part == name) {
            breaches.push(format!("{name} is no part, or stands twice"));
        }
    }
    assert_none("The architecture page lists the layers.", breaches);
}

#[test]
fn every_dependency_has_a_home() {
    let files = source::code();
    let manifest: toml::Table = source::read("Cargo.toml").parse().expect("a manifest");
    let dependencies = manifest["dependencies"].as_table().expect("a table");
    let mut breaches = Vec::new();
    for name in dependencies.keys() {
        let krate = name.replace('-', "_");
        let Some((_, homes)) = rules::HOMES.iter().find(|(known, _)| *known == krate) else {
            breaches.push(format!("{name} has no home"));
            continue;
        };
        let uses = [format!("{krate}::"), format!("use {krate};")];
        let uses = uses.each_ref().map(String::as_str);
        breaches.extend(find(&files, &uses, |file, _| !file.is_in(homes)));
    }
    for (krate, _) in rules::HOMES {
        if !dependencies
            .keys()
            .any(|name| name.replace('-', "_") == *krate)
        {
            breaches.push(format!("{krate} is no dependency any more"));
        }
    }
    assert_none("A dependency has one home.", breaches);
}

#[test]
fn the_system_is_asked_in_few_places() {
    let files = source::code();
    for (words, homes, why) in rules::SYSTEM {
        assert_none(why, find(&files, words, |file, _| !file.is_in(homes)));
    }
    // Timers of async code are tokio's, whose time tests can pause.
    let blocking = |file: &File| {
        let lines = file.code.lines();
        lines
            .filter(|line| line.contains("std::time"))
            .any(|line| word_at(line, "Instant").is_some())
    };
    let breaches = files
        .iter()
        .filter(|file| blocking(file) && !file.is_in(rules::BLOCKING_TIMERS))
        .map(|file| file.path.clone());
    assert_none("std's Instant is for blocking threads.", breaches.collect());
}

#[test]
fn the_rules_name_files_that_exist() {
    let files = source::code();
    let homes = rules::HOMES.iter().map(|(_, homes)| *homes);
    let of_system = rules::SYSTEM.iter().map(|(_, homes, _)| *homes);
    let lists = homes.chain(of_system);
    let lists = lists.chain([rules::PURE, rules::BLOCKING_TIMERS]);
    let exists = |path: &&str| files.iter().any(|file| file.is_in(&[*path]));
    let missing = lists.flatten().filter(|path| !exists(path));
    assert_none(
        "Such a file exists.",
        missing.map(|path| (*path).to_owned()).collect(),
    );
}

#[test]
fn rules_are_pure() {
    let files: Vec<File> = source::code()
        .into_iter()
        .filter(|file| file.is_in(rules::PURE))
        .collect();
    assert!(files.len() > 30, "the list of pure parts is out of date");
    let breaches = find(&files, rules::IMPURE, |_, _| true);
    assert_none("Rules touch nothing.", breaches);
}

#[test]
fn sql_stands_in_the_store_only() {
    let files: Vec<File> = source::code()
        .into_iter()
        .filter(|file| !file.is_in(&["src/store"]))
        .collect();
    assert_none("SQL is the store's.", find(&files, rules::SQL, |_, _| true));
}

#[test]
fn files_are_short() {
    let files = source::code();
    let mut lengths: Vec<usize> = files.iter().map(File::code_lines).collect();
    let long = files
        .iter()
        .filter(|file| file.code_lines() > CODE_LINES_MAX);
    let breaches = long.map(|file| format!("{}: {} lines of code", file.path, file.code_lines()));
    assert_none("A file does one job.", breaches.collect());
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(
        median <= CODE_LINES_MEDIAN_MAX,
        "half the files are longer than {median} lines"
    );
}

#[test]
fn functions_are_short() {
    let mut breaches = Vec::new();
    for file in source::all() {
        for (line, name, lines) in file.functions() {
            // The routes are one table.
            let is_table = (file.path.as_str(), name.as_str()) == ("src/routes.rs", "table");
            if lines > FUNCTION_LINES_MAX && !file.path.starts_with("tests/") && !is_table {
                breaches.push(format!("{}:{line}: {name} has {lines} lines", file.path));
            }
        }
    }
    assert_none("A function does one thing.", breaches);
}

#[test]
fn every_file_says_what_it_is_for() {
    let breaches = source::all()
        .into_iter()
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.path);
    assert_none("A file begins with `//!`.", breaches.collect());
}

#[test]
fn names_say_what_things_are() {
    let mut breaches = Vec::new();
    for file in source::all() {
        let stem = file.path.trim_end_matches(".rs").replace(['/', '_'], " ");
        let vague = stem.split(' ').find(|word| rules::VAGUE.contains(word));
        breaches.extend(vague.map(|word| format!("{}: {word}", file.path)));
        if file.path.starts_with("src/") && file.path.ends_with("/mod.rs") {
            breaches.push(format!("{}: foo.rs stands beside foo/", file.path));
        }
        for name in file.defined_names() {
            let lower = name.to_lowercase();
            if rules::VAGUE.iter().any(|word| lower.ends_with(word)) {
                breaches.push(format!("{}: {name}", file.path));
            }
        }
    }
    assert_none("Name what it is.", breaches);
}

#[test]
fn nothing_is_left_to_be_done() {
    let mut breaches = Vec::new();
    for file in source::all() {
        for (at, line) in file.text.lines().enumerate() {
            let marked = rules::MARKERS
                .iter()
                .any(|marker| word_at(line, &marker.concat()).is_some());
            if marked {
                breaches.push(format!("{}:{}: {}", file.path, at + 1, line.trim()));
            }
        }
    }
    assert_none("What is open is in the tracker.", breaches);
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    assert_none(
        "Of two files one imports the other.",
        circles::circles(&source::code()),
    );
}

#[test]
fn the_assistants_parts_do_not_import_each_other_in_a_circle() {
    assert_none(
        "Text is read below what a message means, and that below the superpowers.",
        circles::circles_of_parts(&source::code(), "assistant"),
    );
}
