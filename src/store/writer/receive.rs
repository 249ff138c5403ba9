//! Waits for a job with a time limit, without a runtime, and for more of them under load.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::Job;

/// After a transaction of so many closures there is load.
const LOADED_FROM: usize = 6;
const PAUSE: Duration = Duration::from_micros(150);
/// With so many jobs in the queue there is no pause.
const QUEUED_ENOUGH: usize = 32;

/// Lets jobs gather before the next transaction: where a commit waits for the disk it costs as much CPU as
/// some ten messages. This sleeps, because each job would wake a thread that waits for jobs.
pub(super) fn pause_under_load(jobs: &mpsc::Receiver<Job>, last_writes: usize) {
    if last_writes >= LOADED_FROM && jobs.len() < QUEUED_ENOUGH {
        std::thread::sleep(PAUSE);
    }
}

/// Why there is no job.
pub(super) enum ReceiveError {
    /// Deferred rows must be written first.
    Due,
    /// All handles were dropped.
    Ended,
}

/// Waits for a job for so long at most.
pub(super) fn receive_within(
    jobs: &mut mpsc::Receiver<Job>,
    wait: Duration,
) -> Result<Job, ReceiveError> {
    let until = Instant::now() + wait;
    let waker = Waker::from(Arc::new(WakeThread(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match jobs.poll_recv(&mut context) {
            Poll::Ready(job) => return job.ok_or(ReceiveError::Ended),
            Poll::Pending if Instant::now() >= until => return Err(ReceiveError::Due),
            // It may return early, without a reason too.
            Poll::Pending => std::thread::park_timeout(until - Instant::now()),
        }
    }
}

struct WakeThread(Thread);

impl Wake for WakeThread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
