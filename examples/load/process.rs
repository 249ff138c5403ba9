//! A child process that answers HTTP: never left behind, its memory and CPU time readable.

use std::fs;
use std::io::Read;
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Result;

/// `/proc/PID/stat` counts in hundredths of a second on every Linux in use.
const CLOCK_TICKS_PER_S: f64 = 100.0;

/// What a process has used so far, in all its threads.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Usage {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
    /// Times that a thread gave its core away, of itself or not; of threads that still run.
    pub(crate) switches: u64,
}

impl Usage {
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            switches: self.switches.saturating_sub(before.switches),
        }
    }
}

pub(crate) struct Process {
    child: Child,
    guard: Option<Child>,
    pub(crate) address: SocketAddr,
    /// `kill` ends it with SIGTERM, and waits.
    pub(crate) is_stopped_politely: bool,
}

impl Process {
    pub(crate) fn new(child: Child, address: SocketAddr) -> Self {
        Self {
            child,
            guard: None,
            address,
            is_stopped_politely: false,
        }
    }

    /// For a child that doesn't notice our end by itself: should this program be killed without a
    /// chance to clean up, a second copy of it, which does notice, kills the child.
    pub(crate) fn guard(&mut self) -> Result<()> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("guard").arg(self.child.id().to_string());
        self.guard = Some(command.stdin(Stdio::piped()).spawn()?);
        Ok(())
    }

    pub(crate) fn exited(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// At once and without notice, as a crash would, unless it is to be stopped politely.
    pub(crate) fn kill(&mut self) {
        if self.is_stopped_politely && matches!(self.child.try_wait(), Ok(None)) {
            // It fails when the child ends meanwhile.
            let _ = signal("-TERM", self.child.id()).and_then(|()| Ok(self.child.wait()?));
        }
        // Both only fail when the child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(mut guard) = self.guard.take() {
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }

    /// Politely: SIGTERM, then wait for the end.
    pub(crate) async fn stop(mut self, patience: Duration) -> Result<ExitStatus> {
        signal("-TERM", self.child.id())?;
        let deadline = Instant::now() + patience;
        loop {
            if let Some(status) = self.exited()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err(format!("still running {patience:?} after SIGTERM").into());
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Resident memory now and at its highest, in KiB.
    pub(crate) fn resident_kib(&self) -> Result<(u64, u64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let both = field("VmRSS:").zip(field("VmHWM:"));
        both.ok_or_else(|| "no VmRSS in /proc".into())
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // Fields 14 and 15; the name before them may contain spaces, but ends with the last ")".
        let after_name = stat.rsplit(')').next().unwrap_or_default();
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        let ticks = |index: usize| -> f64 {
            fields
                .get(index)
                .and_then(|field| field.parse().ok())
                .unwrap_or(0.0)
        };
        let time = |index| Duration::from_secs_f64(ticks(index) / CLOCK_TICKS_PER_S);
        Ok(Usage {
            user: time(11),
            system: time(12),
            switches: self.switches()?,
        })
    }

    fn switches(&self) -> Result<u64> {
        let mut switches = 0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            // A thread may end meanwhile.
            let Ok(status) = fs::read_to_string(thread?.path().join("status")) else {
                continue;
            };
            let counts = status.lines().filter_map(|line| {
                let (name, count) = line.split_once(':')?;
                name.ends_with("ctxt_switches")
                    .then(|| count.trim().parse::<u64>().ok())?
            });
            switches += counts.sum::<u64>();
        }
        Ok(switches)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The standard library can't send signals, and unsafe code is forbidden here.
fn signal(name: &str, pid: u32) -> Result<()> {
    Command::new("kill")
        .arg(name)
        .arg(pid.to_string())
        .status()?;
    Ok(())
}

/// Blocks until the parent is gone, however it went: it holds the other end of standard input.
pub(crate) fn outlive_parent() {
    let mut rest = Vec::new();
    // An error says the same as an end.
    let _ = std::io::stdin().read_to_end(&mut rest);
}

/// The guard's whole life.
pub(crate) fn serve_guard(pid: u32) -> Result<()> {
    outlive_parent();
    signal("-KILL", pid)
}
