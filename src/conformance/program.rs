//! The relay program under test: starting and killing it, and its output.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Lines of standard error that are kept.
const ERROR_LINES_MAX: usize = 20;

/// The output of all runs of the program.
#[derive(Default)]
pub(super) struct ProgramOutput {
    lines: Mutex<Vec<String>>,
    errors: Mutex<Vec<String>>,
}

impl ProgramOutput {
    /// Lines that contain this word.
    pub(super) fn count(&self, word: &str) -> usize {
        let lines = self.lines.lock();
        lines.iter().filter(|line| line.contains(word)).count()
    }

    /// The position of each word's first occurrence, if all occur.
    pub(super) fn places(&self, words: &[String]) -> Option<Vec<usize>> {
        let lines = self.lines.lock();
        let place = |word: &String| lines.iter().position(|line| line.contains(word.as_str()));
        words.iter().map(place).collect()
    }

    pub(super) fn errors(&self) -> String {
        let errors = self.errors.lock();
        errors.join("\n")
    }
}

/// How long the last lines of an ended program are waited for: another one may hold its output.
const LAST_LINES_MAX: Duration = Duration::from_secs(2);

/// One run; dropping it kills the program.
pub(super) struct Program {
    child: Child,
    input: ChildStdin,
    reading_errors: JoinHandle<()>,
}

impl Program {
    /// `changed` is notified of every printed line.
    pub(super) fn start(
        command: &[String],
        environment: &[(&str, &str)],
        printed: &Arc<ProgramOutput>,
        changed: &watch::Sender<u64>,
    ) -> Result<Self, String> {
        let (name, arguments) = command.split_first().ok_or("no command was given")?;
        let mut child = Command::new(name)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("{name} can't be started: {error}"))?;
        if let Some(out) = child.stdout.take() {
            let (printed, changed) = (printed.clone(), changed.clone());
            tokio::spawn(read_lines(out, move |line| {
                let mut lines = printed.lines.lock();
                lines.push(line);
                changed.send_modify(|n| *n += 1);
            }));
        }
        let errors = child.stderr.take().ok_or("it has no standard error")?;
        let printed = printed.clone();
        let reading_errors = tokio::spawn(read_lines(errors, move |line| {
            let mut errors = printed.errors.lock();
            if errors.len() == ERROR_LINES_MAX {
                errors.remove(0);
            }
            errors.push(line);
        }));
        let input = child.stdin.take().ok_or("it has no standard input")?;
        Ok(Self {
            child,
            input,
            reading_errors,
        })
    }

    /// Waits until it ends by itself, and has been read.
    pub(super) async fn ended(&mut self) {
        let _ = self.child.wait().await;
        let _ = timeout(LAST_LINES_MAX, &mut self.reading_errors).await;
    }

    /// Writes a line to the program. If it doesn't read, the checks will notice.
    pub(super) async fn write(&mut self, line: &str) {
        let _ = self.input.write_all(format!("{line}\n").as_bytes()).await;
        let _ = self.input.flush().await;
    }

    pub(super) async fn kill(&mut self) {
        let _ = self.child.kill().await;
    }
}

async fn read_lines(from: impl AsyncRead + Unpin, mut take: impl FnMut(String)) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        take(line);
    }
}
