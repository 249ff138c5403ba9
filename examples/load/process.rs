//! A child process that answers HTTP: never left behind, its memory and CPU time readable.

use std::fs;
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::Result;

/// `/proc/PID/stat` counts in hundredths of a second on every Linux in use.
const CLOCK_TICKS_PER_S: f64 = 100.0;

pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) fn new(child: Child, address: SocketAddr) -> Self {
        Self { child, address }
    }

    pub(crate) fn exited(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.child.try_wait()?)
    }

    /// At once and without notice, as a crash would.
    pub(crate) fn kill(&mut self) {
        // Both only fail when the child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Politely: SIGTERM, then wait for the end.
    pub(crate) async fn stop(mut self, patience: Duration) -> Result<ExitStatus> {
        // The standard library can't send SIGTERM, and unsafe code is forbidden here.
        Command::new("kill")
            .arg("-TERM")
            .arg(self.child.id().to_string())
            .status()?;
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

    /// User and system time so far.
    pub(crate) fn cpu(&self) -> Result<Duration> {
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
        Ok(Duration::from_secs_f64(
            (ticks(11) + ticks(12)) / CLOCK_TICKS_PER_S,
        ))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
