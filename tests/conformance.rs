//! The simulator of the service against relay programs: the example on the core of relays keeps
//! every rule, and one that does nothing is told so.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// Exit code and everything that was printed.
fn conformance(relay: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    command.args(["relay", "--conformance"]).args(relay);
    let output = command.current_dir(folder.path()).output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout) + &text(&output.stderr);
    (output.status.code(), printed)
}

#[test]
#[ignore = "takes 40 s, most of it the waits of the protocol"]
fn the_example_keeps_every_rule() {
    let programs = Path::new(env!("CARGO_BIN_EXE_chatkeep")).parent().unwrap();
    let example = programs.join("examples/relay");
    assert!(
        example.exists(),
        "build it first: cargo build --example relay"
    );
    let (code, printed) = conformance(&[example.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{printed}");
    let rules = chatkeep::conformance::rules().len();
    let kept = printed.lines().filter(|line| line.starts_with("kept "));
    assert_eq!(kept.count(), rules, "{printed}");
}

#[test]
fn a_program_that_does_nothing_is_told_so() {
    let (code, printed) = conformance(&["sh", "-c", "echo I am lost >&2"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("BROKEN    connects"), "{printed}");
    assert!(
        printed.contains("it ended before it connected"),
        "{printed}"
    );
    assert!(printed.contains("not seen  completes"), "{printed}");
    assert!(printed.contains("the relay wrote: I am lost"), "{printed}");
    let (code, printed) = conformance(&["/no/such/program"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("can't be started"), "{printed}");
}
