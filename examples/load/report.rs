//! What was measured, as tables for people or one JSON object for machines, with the machine, the
//! commit and the settings it holds for.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::latency::spread;
use crate::{Result, Settings};

const SYNC_SAMPLES: usize = 200;

pub(crate) struct Report {
    title: &'static str,
    sync_ms: f64,
    facts: Vec<(&'static str, String)>,
    tables: Vec<Table>,
    notes: Vec<String>,
    /// What makes the figures worthless: wrong answers, rows that are missing.
    pub(crate) failures: Vec<String>,
}

pub(crate) struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    pub(crate) fn new<S: Into<String>>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = S>,
    ) -> Self {
        Self {
            title: title.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, name: impl Into<String>, cells: impl IntoIterator<Item = f64>) {
        self.rows.push((name.into(), cells.into_iter().collect()));
    }

    fn text(&self) -> String {
        let names = self.rows.iter().map(|(name, _)| name.chars().count());
        let first = names.max().unwrap_or(0);
        let mut text = format!("\n{}\n{:first$}", self.title, "");
        let widths: Vec<usize> = self
            .columns
            .iter()
            .map(|c| c.chars().count().max(9))
            .collect();
        for (column, width) in self.columns.iter().zip(&widths) {
            let _ = write!(text, "  {column:>width$}");
        }
        for (name, cells) in &self.rows {
            let _ = write!(text, "\n{name:first$}");
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(text, "  {:>width$}", number(*cell));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let row = |(name, cells): &(String, Vec<f64>)| {
            let mut object = Map::new();
            object.insert("name".into(), json!(name));
            for (column, cell) in self.columns.iter().zip(cells) {
                object.insert(column.clone(), json!(cell));
            }
            Value::Object(object)
        };
        json!({"title": self.title, "rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}

/// Three digits that mean something are enough.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 || v.fract() == 0.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

impl Report {
    /// Measures what the disk under `dir` does, too.
    pub(crate) fn new(title: &'static str, settings: &Settings, dir: &Path) -> Result<Self> {
        let sync_ms = sync_ms(dir)?;
        let mut report = Self {
            title,
            sync_ms,
            facts: vec![
                ("machine", machine()),
                ("commit", commit()),
                (
                    "build",
                    if cfg!(debug_assertions) {
                        "DEBUG"
                    } else {
                        "release"
                    }
                    .into(),
                ),
                (
                    "fdatasync of 4 KiB",
                    format!("{sync_ms:.3} ms in {}", dir.display()),
                ),
                (
                    "settings",
                    format!(
                        "{} connections, {} senders, {} relays, {} generator threads, {} rounds",
                        settings.connections,
                        settings.senders,
                        settings.agents,
                        settings.threads,
                        settings.rounds
                    ),
                ),
            ],
            tables: Vec::new(),
            notes: Vec::new(),
            failures: Vec::new(),
        };
        if sync_ms < 0.01 {
            report.note("this folder isn't on a real disk: give --dir");
        }
        if cfg!(debug_assertions) {
            report.note("the generator and the baselines are debug builds: compare nothing");
        }
        Ok(report)
    }

    pub(crate) fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.facts.push((name, value.into()));
    }

    pub(crate) fn table(&mut self, table: Table) {
        self.tables.push(table);
    }

    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(crate) fn check(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.failures.push(otherwise());
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("chatkeep load: {}", self.title);
        for (name, value) in &self.facts {
            let _ = write!(text, "\n  {name}: {value}");
        }
        for table in &self.tables {
            text += "\n";
            text += &table.text();
        }
        text += "\n";
        for note in &self.notes {
            let _ = write!(text, "\nnote: {note}");
        }
        for failure in &self.failures {
            let _ = write!(text, "\nFAILED: {failure}");
        }
        text
    }

    pub(crate) fn json(&self) -> String {
        let facts: Map<String, Value> = self
            .facts
            .iter()
            .map(|(name, value)| ((*name).into(), json!(value)))
            .collect();
        let tables: Vec<Value> = self.tables.iter().map(Table::json).collect();
        json!({"mode": self.title, "fdatasync_ms": self.sync_ms, "facts": facts, "tables": tables, "notes": self.notes,
            "failures": self.failures})
        .to_string()
    }
}

fn machine() -> String {
    let read = |path: &str, name: &str| {
        let text = fs::read_to_string(path).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let model = read("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown CPU".into());
    let memory = read("/proc/meminfo", "MemTotal").unwrap_or_else(|| "unknown memory".into());
    format!("{cores} cores, {model}, {memory}")
}

fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    match git(&["rev-parse", "--short", "HEAD"]) {
        Some(commit) if changed.is_some_and(|files| !files.is_empty()) => {
            format!("{commit}, changed")
        }
        Some(commit) => commit,
        None => "unknown".into(),
    }
}

/// The median of appending 4 KiB and waiting for the disk.
fn sync_ms(dir: &Path) -> Result<f64> {
    let path = dir.join("fdatasync");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let mut samples = Vec::with_capacity(SYNC_SAMPLES);
    for _ in 0..SYNC_SAMPLES {
        let began = Instant::now();
        file.write_all(&[7; 4096])?;
        file.sync_data()?;
        samples.push(began.elapsed().as_secs_f64() * 1000.0);
    }
    fs::remove_file(path)?;
    Ok(spread(samples).median)
}
