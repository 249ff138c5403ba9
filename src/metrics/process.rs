//! What the kernel says of this process, by the names that Prometheus has for it. Linux only:
//! elsewhere there is nothing to say. It reads files of /proc, so it belongs off async threads.

use std::fs;

use super::page::Page;

/// What /proc counts time in; the same on every architecture that Linux runs on today.
const TICKS_PER_S: f64 = 100.0;

pub fn write(page: &mut Page) {
    let Some(stat) = fs::read_to_string("/proc/self/stat").ok() else {
        return;
    };
    if let Some((cpu_s, started_s)) = times(&stat) {
        page.counter_of_seconds(
            "process_cpu_seconds_total",
            "CPU time that was used.",
            cpu_s,
        );
        if let Some(booted_s) = booted_at_s() {
            page.gauge(
                "process_start_time_seconds",
                "When the process began, in seconds since the epoch.",
                booted_s + started_s,
            );
        }
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (name, help, key) in [
        (
            "process_resident_memory_bytes",
            "Memory that is held in RAM.",
            "VmRSS:",
        ),
        (
            "process_virtual_memory_bytes",
            "Memory that is mapped.",
            "VmSize:",
        ),
    ] {
        if let Some(kib) = field(&status, key) {
            page.gauge(name, help, kib * 1024.0);
        }
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        let open = open.count() as f64;
        page.gauge("process_open_fds", "Open file descriptors.", open);
    }
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    if let Some(most) = field(&limits, "Max open files") {
        page.gauge("process_max_fds", "How many may be open.", most);
    }
    if let Some(threads) = field(&status, "Threads:") {
        page.gauge("process_threads", "Threads of the process.", threads);
    }
}

/// CPU seconds used, and the start in seconds after the boot. Fields are counted after the
/// program's name, which may hold anything, in parentheses.
fn times(stat: &str) -> Option<(f64, f64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let seconds = |at: usize| -> Option<f64> {
        let ticks: f64 = fields.get(at)?.parse().ok()?;
        Some(ticks / TICKS_PER_S)
    };
    Some((seconds(11)? + seconds(12)?, seconds(19)?))
}

fn booted_at_s() -> Option<f64> {
    field(&fs::read_to_string("/proc/stat").ok()?, "btime")
}

/// The first number of the line that begins with `key`.
fn field(text: &str, key: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 99 0 0 0 150 50 0 0 20 0 9 0 12345 1 2";
        assert_eq!(times(stat), Some((2.0, 123.45)));
        assert_eq!(times("nonsense"), None);
        assert_eq!(field("A: 1\nVmRSS:\t  20 kB\n", "VmRSS:"), Some(20.0));
        let limits = "Max open files            1024                 4096                 files\n";
        assert_eq!(field(limits, "Max open files"), Some(1024.0));
        assert_eq!(field("Max open files unlimited", "Max open files"), None);
    }
}
