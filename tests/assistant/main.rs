//! Conversations with the builtin assistant, one file an area: who says what when, what is
//! answered, and which reminders and memories there are after it. They are played by
//! `chatkeep chat --script`, which also fails on a claim of an answer that the rows don't bear out.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Things said in all files together.
const TURNS_MIN: usize = 400;
const PLAYED_AT_ONCE: usize = 4;

fn play(file: &Path) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(["chat", "--script"]).arg(file);
    command.env_clear().current_dir(folder.path());
    let output = command.output().unwrap();
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0, "{}: files are left", file.display());
    output
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assistant");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_conversation_goes_as_written() {
    let files = files();
    let outputs = std::thread::scope(|scope| {
        // Each waits for its disk most of the time.
        let some = files.chunks(files.len().div_ceil(PLAYED_AT_ONCE));
        let players: Vec<_> = some
            .map(|files| scope.spawn(|| files.iter().map(|file| play(file)).collect::<Vec<_>>()))
            .collect();
        players
            .into_iter()
            .flat_map(|player| player.join().unwrap())
            .collect::<Vec<_>>()
    });
    let (mut turns, mut wrong) = (0, String::new());
    for output in outputs {
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            let last = printed.lines().last().unwrap();
            let count = last.split_once(" turns, all as expected").unwrap().0;
            turns += count.parse::<usize>().unwrap();
        } else {
            wrong.push_str(&String::from_utf8_lossy(&output.stderr));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(turns >= TURNS_MIN, "{turns} turns");
}

#[test]
fn a_script_fails_where_it_should() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.txt");
    let said = "clock 2026-11-23 14:00\nana: remind me at 6 to call\n";
    for (expected, part) in [
        ("= tomorrow", "without \"tomorrow\""),
        ("= !today", "with \"today\""),
        ("= -", "not nothing"),
        ("@ none", "line 2: "),
        ("@ 2026-11-23 18:00 eat", "reminders are"),
        ("@ 2026-11-23 18:00 call {FREQ=DAILY}", "reminders are"),
        ("& call", "memories are"),
        ("+ 5 hours\n> eat", "no message with eat"),
        ("clock 2026-11-22 14:00", "gone further"),
        ("nothing", "write like"),
    ] {
        std::fs::write(&file, format!("{said}{expected}\n")).unwrap();
        let output = play(&file);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{expected}: {errors}");
        assert!(errors.contains(part), "{expected}: {errors}");
    }
}
