//! The log queue: log calls put lines into a bounded queue and never wait; one thread writes them.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// Lines in the queue; further ones are dropped and counted.
const LINES_MAX: usize = 8_192;
/// Bytes per write, approximately.
const WRITE_BYTES_MAX: usize = 64 << 10;
/// How long the thread waits after a write before it writes the next lines. Waking it for each line
/// would cost the logging thread more than the line. The first line after a pause is written
/// immediately.
const GATHER: Duration = Duration::from_millis(10);
/// How long a flush may take.
const FLUSH_MAX: Duration = Duration::from_secs(2);

/// The sending side of the queue. The thread ends with the last clone.
#[derive(Clone)]
pub(super) struct Lines {
    queue: SyncSender<Item>,
    dropped: Arc<AtomicU64>,
}

enum Item {
    Line(String),
    /// A flush request, answered when all earlier lines are written.
    Flush(SyncSender<()>),
}

impl Lines {
    /// Starts the thread that writes to `out`.
    pub(super) fn into(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, items) = sync_channel(LINES_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let count = dropped.clone();
        std::thread::Builder::new()
            .name("log".into())
            .spawn(move || write(&items, &count, out))?;
        Ok(Self { queue, dropped })
    }

    /// Adds a line with its line break, unless the queue is full.
    pub(super) fn put(&self, line: String) {
        if self.queue.try_send(Item::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all earlier lines are written, 2 s at most.
    pub(super) fn flush(&self) {
        let (written, is_written) = sync_channel(1);
        // A full queue means that the writing thread hangs, so waiting is useless.
        if self.queue.try_send(Item::Flush(written)).is_ok() {
            let _ = is_written.recv_timeout(FLUSH_MAX);
        }
    }
}

fn write(items: &Receiver<Item>, dropped: &AtomicU64, mut out: impl Write) {
    let (mut bytes, mut reported) = (Vec::new(), 0);
    while let Ok(item) = items.recv() {
        let mut flushes = Vec::new();
        let mut next = Some(item);
        while let Some(item) = next {
            match item {
                Item::Line(line) => bytes.extend_from_slice(line.as_bytes()),
                Item::Flush(written) => flushes.push(written),
            }
            next = match bytes.len() < WRITE_BYTES_MAX {
                true => items.try_recv().ok(),
                false => None,
            };
        }
        let _ = out.write_all(&bytes); // a broken log can't be reported anywhere
        bytes.clear();
        for written in flushes {
            let _ = written.send(()); // fails when the flush timed out
        }
        let dropped_count = dropped.load(Ordering::Relaxed);
        if dropped_count > reported {
            log::warn!(
                "{} lines of the log were dropped: they arrived faster than they could be written",
                dropped_count - reported
            );
            reported = dropped_count;
        }
        std::thread::sleep(GATHER);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Sender;

    use super::*;

    /// A writer that reports each write and waits for permission.
    struct Slow {
        written: Sender<Vec<u8>>,
        go_on: Receiver<()>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.go_on.recv(); // after an error it never waits again
            let _ = self.written.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_slow_log_delays_nobody_and_dropped_lines_are_counted() {
        let (written, has_written) = std::sync::mpsc::channel();
        let (go_on, going_on) = std::sync::mpsc::channel();
        let slow = Slow {
            written,
            go_on: going_on,
        };
        let lines = Lines::into(slow).unwrap();
        // Lines that the thread has already received are not in the queue.
        let count = 3 * LINES_MAX;
        for number in 0..count {
            lines.put(format!("{number:>7}\n"));
        }
        let dropped = lines.dropped.load(Ordering::Relaxed) as usize;
        assert!(dropped > 0 && dropped < count, "{dropped}");
        drop(go_on);
        // Unlike `flush`, it waits until there is room.
        let (flushed, is_flushed) = sync_channel(1);
        lines.queue.send(Item::Flush(flushed)).unwrap();
        is_flushed.recv().unwrap();
        let text: Vec<u8> = has_written.try_iter().flatten().collect();
        let numbers = String::from_utf8(text).unwrap();
        let numbers: Vec<usize> = numbers.lines().map(|n| n.trim().parse().unwrap()).collect();
        assert!(numbers.is_sorted());
        assert_eq!(numbers.len() + dropped, count);
    }
}
