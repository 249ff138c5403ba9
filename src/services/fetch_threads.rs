//! The threads that fetch from servers and parse the answers. They are few and are kept for a
//! while: each holds memory, and the runtime's blocking pool would start more of them.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

/// A thread without work for so long ends.
const IDLE_MAX: Duration = Duration::from_secs(10);

type Work = Box<dyn FnOnce() + Send>;

pub(super) struct FetchThreads {
    count_max: usize,
    shared: Arc<SharedQueue>,
}

#[derive(Default)]
struct SharedQueue {
    state: Mutex<WorkQueue>,
    /// Notified when there is work, and when the threads must end.
    changed: Condvar,
}

#[derive(Default)]
struct WorkQueue {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
    /// The threads must end.
    is_over: bool,
}

/// A panic of the work that a thread ran.
#[derive(Debug)]
pub(super) struct WorkPanic;

impl FetchThreads {
    pub(super) fn new(count_max: usize) -> Self {
        Self {
            count_max,
            shared: Arc::default(),
        }
    }

    /// Runs `work` as soon as a thread is free.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkPanic> {
        let (done, result) = oneshot::channel();
        let work = Box::new(move || {
            if let Ok(value) = catch_unwind(AssertUnwindSafe(work)) {
                let _ = done.send(value); // nobody waits for it any more
            }
        });
        let is_short = {
            let mut state = self.shared.state.lock();
            state.waiting.push_back(work);
            let is_short = state.idle < state.waiting.len() && state.threads < self.count_max;
            state.threads += usize::from(is_short);
            is_short
        };
        match is_short {
            true => {
                let shared = self.shared.clone();
                tokio::task::spawn_blocking(move || shared.serve());
            }
            false => {
                self.shared.changed.notify_one();
            }
        }
        result.await.map_err(|_| WorkPanic)
    }
}

impl Drop for FetchThreads {
    fn drop(&mut self) {
        self.shared.state.lock().is_over = true;
        self.shared.changed.notify_all();
    }
}

impl SharedQueue {
    /// Works until there was nothing to do for a while.
    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            if state.is_over {
                break;
            }
            if let Some(work) = state.waiting.pop_front() {
                drop(state);
                work();
                state = self.state.lock();
                continue;
            }
            state.idle += 1;
            let waited = self.changed.wait_for(&mut state, IDLE_MAX);
            state.idle -= 1;
            if waited.timed_out() && state.waiting.is_empty() {
                break;
            }
        }
        state.threads -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn no_more_threads_work_than_may() {
        let threads = Arc::new(FetchThreads::new(3));
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let mut all = tokio::task::JoinSet::new();
        for n in 0..200_usize {
            let (threads, now, most) = (threads.clone(), now.clone(), most.clone());
            all.spawn(async move {
                let work = move || {
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    now.fetch_sub(1, Ordering::SeqCst);
                    assert_ne!(n, 7, "this one breaks");
                    n
                };
                threads.run(work).await.ok() == (n != 7).then_some(n)
            });
        }
        assert!(all.join_all().await.into_iter().all(|is_right| is_right));
        assert!(most.load(Ordering::SeqCst) <= 3);
        assert!(threads.shared.state.lock().threads <= 3);
    }
}
