//! One queue per chat: its tasks run one after the other, and chats don't wait for each other.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinSet;

/// A queue without work is removed after this time.
const IDLE: Duration = Duration::from_secs(60);

type Job = BoxFuture<'static, ()>;
type OpenQueues = HashMap<String, UnboundedSender<Job>>;

/// Callers bound the number of tasks: by the service's running commands and the network's
/// unconfirmed messages.
#[derive(Default)]
pub(super) struct ChatQueues {
    open: Arc<Mutex<OpenQueues>>,
    workers: Mutex<JoinSet<()>>,
}

impl ChatQueues {
    pub(super) fn put(&self, chat: &str, job: impl Future<Output = ()> + Send + 'static) {
        let mut open = self.open.lock();
        let jobs = open.entry(chat.to_owned()).or_insert_with(|| {
            let (jobs, waiting) = mpsc::unbounded_channel();
            let mut workers = self.workers.lock();
            while workers.try_join_next().is_some() {}
            workers.spawn(work(self.open.clone(), chat.to_owned(), waiting));
            jobs
        });
        // The queue's worker lives as long as the queue is open.
        let _ = jobs.send(Box::pin(job));
    }

    /// Starts a task that waits for no queue, and ends with the relay.
    pub(super) fn put_aside(&self, job: impl Future<Output = ()> + Send + 'static) {
        let mut workers = self.workers.lock();
        while workers.try_join_next().is_some() {}
        workers.spawn(job);
    }

    /// Aborts all tasks.
    pub(super) fn end(&self) {
        self.workers.lock().abort_all();
        self.open.lock().clear();
    }
}

async fn work(open: Arc<Mutex<OpenQueues>>, chat: String, mut waiting: UnboundedReceiver<Job>) {
    loop {
        match tokio::time::timeout(IDLE, waiting.recv()).await {
            Ok(Some(job)) => {
                // A panicking task must not stop those behind it.
                if AssertUnwindSafe(job).catch_unwind().await.is_err() {
                    log::error!("relay: work for a chat panicked");
                }
            }
            Ok(None) => return,
            Err(_) => {
                // While the lock is held, no task can be added.
                let mut open = open.lock();
                if waiting.is_empty() {
                    open.remove(&chat);
                    return;
                }
            }
        }
    }
}
