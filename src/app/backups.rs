//! The running service's part of `chatkeep backup`: makes one copy at a time beside the database,
//! keeps it until the command takes it over, and cancels it when the command stops asking.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::store::SharedStore;

/// A backup is cancelled when nobody has asked for its status for this long.
const STATUS_PAUSE_MAX: Duration = Duration::from_secs(10);

pub struct Backups {
    store: SharedStore,
    state: Mutex<BackupState>,
    /// Held while a backup begins or ends, so that they don't overlap.
    transition: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct BackupState {
    status: BackupStatus,
    polled_at: Option<Instant>,
    task: Option<JoinHandle<()>>,
}

/// The state of the newest backup.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct BackupStatus {
    /// Counts backups since the start of the service.
    pub id: u64,
    pub state: BackupPhase,
    pub pages: u64,
    pub pages_total: u64,
    /// Why the backup failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub error: Option<String>,
}

/// `none`: no backup is running. `ready`: the copy is complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum BackupPhase {
    #[default]
    None,
    Copying,
    Ready,
    Failed,
}

impl Backups {
    pub fn new(store: SharedStore) -> Arc<Self> {
        Arc::new(Self {
            store,
            state: Mutex::default(),
            transition: tokio::sync::Mutex::default(),
        })
    }

    /// Begins a backup. Returns its number, or `None` while another one is running.
    pub async fn start(self: &Arc<Self>) -> Option<u64> {
        let _transition = self.transition.lock().await;
        let mut state = self.state.lock();
        if state.task.as_ref().is_some_and(|task| !task.is_finished()) {
            return None;
        }
        let id = state.status.id + 1;
        state.status = BackupStatus {
            id,
            state: BackupPhase::Copying,
            ..BackupStatus::default()
        };
        state.polled_at = Some(Instant::now());
        state.task = Some(tokio::spawn(self.clone().run()));
        Some(id)
    }

    /// The state of the backup. A backup whose status isn't requested is cancelled.
    pub fn status(&self) -> BackupStatus {
        let mut state = self.state.lock();
        state.polled_at = Some(Instant::now());
        state.status.clone()
    }

    /// Cancels a running backup and removes its copy.
    pub async fn end(&self) {
        let _transition = self.transition.lock().await;
        let task = self.state.lock().task.take();
        if let Some(task) = task {
            task.abort();
            let _ = task.await; // an error only says that it was cancelled
        }
        self.state.lock().status.state = BackupPhase::None;
    }

    async fn run(self: Arc<Self>) {
        let report = |pages, of| {
            let mut state = self.state.lock();
            (state.status.pages, state.status.pages_total) = (pages, of);
        };
        let result = tokio::select! {
            result = self.store.copy_beside(report) => result,
            () = self.until_abandoned() => return self.set(BackupPhase::None, None),
        };
        match result {
            Err(why) => {
                log::error!("backup: {why}");
                self.set(BackupPhase::Failed, Some(why));
            }
            Ok(_copy) => {
                self.set(BackupPhase::Ready, None);
                self.until_abandoned().await;
                self.set(BackupPhase::None, None);
            }
        }
    }

    async fn until_abandoned(&self) {
        loop {
            let polled_at = self.state.lock().polled_at.unwrap_or_else(Instant::now);
            let end = polled_at + STATUS_PAUSE_MAX;
            if Instant::now() >= end {
                log::warn!("a backup was cancelled, because its status was not requested any more");
                return;
            }
            sleep_until(end).await;
        }
    }

    fn set(&self, phase: BackupPhase, error: Option<String>) {
        let mut state = self.state.lock();
        (state.status.state, state.status.error) = (phase, error);
    }
}
