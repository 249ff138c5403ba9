//! The relays of `examples/relays` in Python and TypeScript: a reply and a reminder from the real
//! service, and the rules of the protocol. Without the language each says so and is skipped.

// Clippy takes only functions marked as tests for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use support::eventually;
use support::process::Process;

/// Runs TypeScript as it is from here on.
const NODE_MIN: (u32, u32) = (22, 18);

/// The relay's command line, where the language is there.
fn python() -> Option<Vec<String>> {
    let program = chosen("CHATKEEP_TEST_PYTHON", "python3");
    let found = Command::new(&program).arg("--version").output();
    if !found.is_ok_and(|found| found.status.success()) {
        eprintln!("skipped: there is no {program}");
        return None;
    }
    Some(vec![program, example("relay.py")])
}

fn node() -> Option<Vec<String>> {
    let program = chosen("CHATKEEP_TEST_NODE", "node");
    let found = Command::new(&program).arg("--version").output();
    let printed = found.map_or_else(|_| Vec::new(), |found| found.stdout);
    let version = String::from_utf8(printed).unwrap();
    let mut parts = version.trim().trim_start_matches('v').split('.');
    let mut part = || parts.next().and_then(|part| part.parse::<u32>().ok());
    match (part(), part()) {
        (Some(major), Some(minor)) if (major, minor) >= NODE_MIN => {
            Some(vec![program, example("relay.ts")])
        }
        _ => {
            eprintln!("skipped: {program} is not Node 22.18 or later ({version:?})");
            None
        }
    }
}

fn chosen(variable: &str, program: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| program.to_owned())
}

fn example(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "examples", "relays", name]
        .iter()
        .collect();
    path.to_str().unwrap().to_owned()
}

/// Killed when dropped.
struct Relay {
    child: Child,
    printed: Arc<Mutex<Vec<String>>>,
}

impl Relay {
    fn start(command: &[String], folder: &Path, service: &Process) -> Self {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(folder)
            .env("CHATKEEP_URL", format!("http://{}", service.address))
            .env("CHATKEEP_EDGE_TOKEN", support::token("kit"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let printed = Arc::new(Mutex::new(Vec::new()));
        let (out, lines) = (child.stdout.take().unwrap(), printed.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                lines.lock().unwrap().push(line);
            }
        });
        Self { child, printed }
    }

    fn write(&mut self, line: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// How often a line was printed.
    fn count(&self, line: &str) -> usize {
        let printed = self.printed.lock().unwrap();
        printed.iter().filter(|printed| *printed == line).count()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn answers_and_reminds(command: Option<Vec<String>>) {
    let Some(command) = command else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(&folder.path().join("chatkeep.db"), &[]).unwrap();
    let mut relay = Relay::start(&command, folder.path(), &service);
    relay.write("my name is Ada");
    relay.write("remind me in 1 second to stretch");
    let answer = "[terminal:1] Nice to meet you, Ada!";
    eventually("an answer", async || relay.count(answer) == 1).await;
    let reminder = "[terminal:1] ⏰ Reminder: stretch";
    eventually("a reminder", async || relay.count(reminder) == 1).await;
    assert_eq!(relay.count(answer), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_in_python_answers_and_reminds() {
    answers_and_reminds(python()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_relay_in_typescript_answers_and_reminds() {
    answers_and_reminds(node()).await;
}

/// Notes ten bubbles in a journal of three: a line for each of the newest stays, and a damaged line
/// harms nothing.
fn keeps_a_short_journal(command: Option<Vec<String>>, arguments: &[&str], script: &str) {
    let Some(command) = command else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("relay.sent");
    std::fs::write(&path, b"\xff\xfe no line\n").unwrap();
    let mut running = Command::new(&command[0]);
    running
        .args(arguments)
        .arg(script)
        .current_dir(folder.path());
    let kit = Path::new(&command[1]);
    let output = running
        .env("PYTHONPATH", kit.parent().unwrap())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("KIT", kit)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = printed.split_whitespace().collect();
    // The oldest, the newest, and the newest of another process.
    assert_eq!(words, ["false", "true", "true"], "{errors}");
    let lines = std::fs::read_to_string(&path).unwrap().lines().count();
    assert!((3..=6).contains(&lines), "{lines} lines");
}

#[test]
fn the_journal_in_python_is_kept_short() {
    let script = "from relay import Journal
journal = Journal('relay.sent', 3)
for number in range(10): journal.note('sent', str(number))
again = Journal('relay.sent', 3)
print(*(str(known).lower() for known in
    [journal.was_sent('0'), journal.was_sent('9'), again.was_sent('9')]))";
    keeps_a_short_journal(python(), &["-c"], script);
}

#[test]
fn the_journal_in_typescript_is_kept_short() {
    let script = "const { Journal } = await import(process.env.KIT);
const journal = new Journal('relay.sent', 3);
for (let number = 0; number < 10; number++) journal.note(String(number), null);
const again = new Journal('relay.sent', 3);
console.log(journal.wasSent('0'), journal.wasSent('9'), again.wasSent('9'));";
    keeps_a_short_journal(node(), &["--input-type=module", "-e"], script);
}

/// No must is broken. What is not seen is what the relay does not use.
fn passes(command: Option<Vec<String>>) {
    let Some(command) = command else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut checking = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
    checking.args(["relay", "--conformance"]).args(&command);
    let output = checking.current_dir(folder.path()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{printed}");
    let broken = printed.to_lowercase().contains("broken ");
    assert!(!broken, "{printed}");
}

#[test]
#[ignore = "takes 40 s, most of it the waits of the protocol"]
fn the_relay_in_python_keeps_the_rules() {
    passes(python());
}

#[test]
#[ignore = "takes 40 s, most of it the waits of the protocol"]
fn the_relay_in_typescript_keeps_the_rules() {
    passes(node());
}
