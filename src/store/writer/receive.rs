//! Waits for a job with a time limit, without a runtime.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use super::Job;

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
