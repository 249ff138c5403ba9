//! The database: one writer thread with group commit, read-only connections, and one file per
//! aggregate with literal SQL. It is the only user of rusqlite and r2d2. It stores rows; domains
//! decide what they mean.

mod accounts;
mod agents;
mod answers;
mod app_rooms;
mod apps;
mod audit;
mod calendar_changes;
mod calendar_events;
mod calendars;
mod commands;
mod connect_links;
mod connected_services;
mod customers;
mod deferred;
mod dialogs;
mod erased_quotes;
mod erased_rooms;
mod erasure;
mod erasures;
mod export_jobs;
mod exported;
mod failed_commands;
mod file;
mod flag_overrides;
mod health;
mod history;
mod housekeeping;
mod identities;
mod limit_uses;
mod look_ups;
mod mail_items;
mod memories;
mod memory_tasks;
mod messages;
mod outbox_counts;
mod outgoing_mails;
mod payment_events;
mod pending_replies;
mod photos;
mod power_sessions;
mod powers;
mod prepared;
mod provider_tasks;
mod query;
mod readers;
mod reminders;
mod rooms;
mod sealed_secrets;
#[cfg(test)]
mod seeded_random;
mod store_metrics;
mod subscriptions;
#[cfg(test)]
mod tests;
mod token_usage;
mod undelivered_answers;
mod unfinished_commands;
mod user_rows;
mod users;
mod waiting_commands;
mod webhook_events;
mod webhooks;
mod writer;
mod writer_cache;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{Notify, watch};

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use deferred::CommittedCounts;
use file::advice::sqlite_failed;
use file::open_files::OpenFiles;
use file::{advice, checkpoint, copies, database_files, open};
use prepared::RunPrepared;
use provider_tasks::TaskQueue;
use undelivered_answers::UndeliveredAnswers;
use writer_cache::WriterCache;

pub use accounts::{AccountStatus, PendingDeletion};
pub use agents::{Agent, AgentId, AgentRow};
pub use answers::{Digest, KeyUse};
pub use app_rooms::RoomApp;
pub use apps::{AppId, AppRow, NewApp};
pub use audit::{AuditRow, Change, Operator};
pub use calendar_changes::CalendarChangeRow;
pub use calendar_events::CalendarEvent;
pub use calendars::{CalendarId, CalendarRow, ListedCalendar};
pub use commands::{
    Command, CommandState, CommandStatus, FailedCommand, NewCommand, UnfinishedCommand,
};
pub use connect_links::ConnectLink;
pub use connected_services::{NewService, ServiceChanges, ServiceId, ServiceRow, SyncResult};
pub use customers::{Customer, Payer};
pub use dialogs::{Dialog, DialogPart, JsonAt, REMOVED_KEPT_MS, RemovedItem};
pub use erasure::ErasureStep;
pub use erasures::{DueAccount, Erasure, RoomAuthor};
pub use export_jobs::ExportJob;
pub use exported::{
    Account, AuthoredRoom, ConnectedService, ExportEnd, InstalledApp, MiniappSession, OwnMessage,
    PAGE_ROWS, PageOf, PendingReminder, PersonalityProfile, PowerExport, Relationship, Trait,
};
pub use failed_commands::CommandRow;
pub use file::advice::advice;
pub use file::backup::{
    Backup, LiveCopy, Stage, back_up, check_backup_name, live_copy_path, take_over,
};
pub use file::carry_over::CarriedRows;
pub use file::copies::check_only_name;
pub use file::database_files::takes_mode_of;
pub use file::inspect::{check_unlocked, inspect};
pub use file::lock::{Lock, LockHolder, holder};
pub use file::restore::{PendingRestore, RestoreReport, begin_epoch};
pub use history::{MessageRow, RoomRow};
pub use housekeeping::ENDED_ACCESS_KEPT_MS;
pub use identities::{Person, PersonProfile};
pub use mail_items::{MailFactRow, MailItem};
pub use memories::Memory;
pub use memory_tasks::{MemoryTask, MemoryTaskKind};
pub use messages::NewMessage;
pub use outgoing_mails::{NewMail, OutgoingMail};
pub use pending_replies::{DoneCall, PendingReply};
pub use photos::{ExportedPhoto, NewPhoto, Photo};
pub use power_sessions::{PowerSession, SESSION_QUIET_MS};
pub use powers::{PowerAlarm, PowerOwner, PowerState, PowerStateWrite};
pub use provider_tasks::{ProviderTask, TaskKind};
pub use readers::LongReader;
pub use reminders::{NewReminder, Reminder};
pub use rooms::{ChatTarget, NewRoom, Room, RoomId, given_name, is_relay_name};
pub use sealed_secrets::{SealedSecret, sealed_secret_in};
pub use store_metrics::{Backlog, Sizes, WriterMetrics};
pub use subscriptions::SubscriptionRow;
pub use token_usage::TokenUsage;
pub use undelivered_answers::AnswerDelivery;
pub use user_rows::UserRow;
pub use users::{NewUser, User, UserId};
pub use waiting_commands::WithdrawnCommand;
pub use webhook_events::{EventCursor, EventRow, NewEvent};
pub use webhooks::{CallableWebhookRow, ExportedWebhook, NewWebhook, WebhookId, WebhookRow};

/// Options for opening a store.
pub struct Options {
    pub path: PathBuf,
    /// Whether a commit survives power loss. Otherwise it survives only the end of the process.
    pub full_durability: bool,
    pub readers: u32,
    /// Whether a payment provider is configured, so that tasks for it are queued.
    pub payment_provider: bool,
}

/// The open database. Cheap to clone; dropping the last one stops its threads.
pub struct Store {
    writer: Option<writer::Writer>,
    readers: Option<readers::Readers>,
    look_ups: Option<look_ups::PointReaders>,
    undelivered: UndeliveredAnswers,
    provider_tasks: TaskQueue,
    health: Arc<health::WriterHealth>,
    metrics: Arc<WriterMetrics>,
    /// Held while the service copies its database.
    copying: Arc<tokio::sync::Mutex<()>>,
    path: PathBuf,
    threads: Vec<JoinHandle<()>>,
    probed_at: AtomicI64,
}

#[cfg(test)]
impl Store {
    /// Opens the database in a test's folder.
    pub(crate) fn open_in(folder: &Path) -> Self {
        let options = Options {
            path: folder.join("chatkeep.db"),
            full_durability: false,
            readers: 1,
            payment_provider: false,
        };
        Self::open(&options).expect("a new database opens")
    }
}

impl Store {
    /// Opens the file at `options.path`. The caller holds its `Lock`. The error is a sentence for
    /// the operator.
    pub fn open(options: &Options) -> Result<Self, String> {
        copies::undo_interrupted_restore(&options.path);
        check_only_name(&options.path)?;
        if !inspect(&options.path, false)? {
            open::make(&options.path)?;
        }
        let mut conn = open::open_writing(&options.path, options.full_durability)?;
        let failed = |e: rusqlite::Error| sqlite_failed("open", &options.path, &e);
        undelivered_answers::keep_after_kill(&mut conn).map_err(failed)?;
        pending_replies::take_up(&mut conn).map_err(failed)?;
        deferred::take_up_after_kill(&mut conn).map_err(failed)?;
        writer::prepare(&conn).map_err(failed)?;
        let mut cache = WriterCache::load(&conn).map_err(failed)?;
        let undelivered = cache.undelivered.clone();
        cache.provider_tasks = TaskQueue::new(options.payment_provider);
        let provider_tasks = cache.provider_tasks.clone();
        let counts = cache.deferred.committed_counts().clone();
        let beside = open::open_beside(&options.path).map_err(failed)?;
        let files =
            OpenFiles::of(&options.path).map_err(|e| advice::failed("read", &options.path, &e))?;
        let files = Arc::new(files);
        let (health, short_reads) = (
            health::WriterHealth::new(files.clone()),
            Arc::new(AtomicBool::new(false)),
        );
        let connections = options.readers;
        let readers = readers::Readers::open(
            &options.path,
            connections,
            short_reads.clone(),
            (counts.clone(), files.clone()),
        )?;
        let (checkpointer, checkpoint) =
            checkpoint::start(beside, short_reads, health.clone()).map_err(|e| e.to_string())?;
        let metrics = Arc::new(WriterMetrics::default());
        let counted = (health.clone(), metrics.clone());
        let (writer, writing) =
            writer::Writer::start(conn, cache, checkpointer, counted).map_err(|e| e.to_string())?;
        Ok(Self {
            writer: Some(writer),
            readers: Some(readers),
            look_ups: Some(look_ups::PointReaders::new(&options.path, counts, files)),
            undelivered,
            provider_tasks,
            health,
            metrics,
            copying: Arc::default(),
            path: options.path.clone(),
            threads: vec![writing, checkpoint],
            probed_at: AtomicI64::new(0),
        })
    }

    /// Runs `f` in a transaction and resolves after the commit. When `f` fails, its changes are
    /// undone. 503 when the queue is full or the write lock can't be taken within 5 s.
    pub async fn write<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.writer().write(f).await
    }

    /// Like `write`, for a closure that may run more than once after its changes were undone. It is
    /// cheaper when most closures are repeatable. Best for closures that check everything before
    /// they write, because all closures of a transaction run again when one fails later.
    pub async fn write_repeatable<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.writer().write_repeatable(f).await
    }

    /// Runs `f` in a transaction like `write` and returns its result; its changes are undone.
    pub async fn dry_run<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    {
        self.writer().dry_run(f).await
    }

    /// Like `write` without waiting. The closure is queued when this returns, so later writes see
    /// its changes. It is dropped when the queue is full.
    pub fn post<F>(&self, f: F)
    where
        F: FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static,
    {
        self.writer().post(f);
    }

    /// Runs `f` on a read-only connection on the blocking pool.
    pub async fn read<T, F>(&self, f: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&View<'_>) -> Result<T> + Send + 'static,
    {
        // Only `drop` takes them out.
        let readers = self.readers.as_ref();
        readers
            .expect("readers live while the store does")
            .read(f)
            .await
    }

    /// Removes deleted data from the file's bytes and empties the log. With `anew` it rewrites the
    /// file, which blocks every other write meanwhile.
    pub async fn compact(&self, anew: bool) -> Result<()> {
        self.writer().compact(anew).await
    }

    /// A separate connection for a long job that reads in small steps. It sees the rooms' newest
    /// messages as they are now, or newer ones.
    pub async fn long_reader(&self) -> Result<LongReader> {
        self.write(|tx| tx.settle_deferred()).await?;
        // Only `drop` takes them out.
        let readers = self.readers.as_ref();
        let readers = readers.expect("readers live while the store does");
        readers.open_long(self.path.clone()).await
    }

    /// Runs `f` on the calling thread, which may be an async worker. Only for look-ups by key that
    /// take microseconds, never for scans or lists. Each statement sees the newest commit. A
    /// decision that depends on several rows must be made again in the `write` that follows.
    pub fn look_up<T>(&self, f: impl FnOnce(&View) -> Result<T>) -> Result<T> {
        // Only `drop` takes them out.
        let look_ups = self.look_ups.as_ref();
        look_ups.expect("look-ups live while the store does").run(f)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the disk refused a commit and no probe has succeeded since.
    pub fn failing(&self) -> bool {
        self.health.is_failing()
    }

    /// Notices, and logs, that the database's files were deleted, moved or replaced. Writes are
    /// refused then, until the files are in their places again.
    pub fn check_files(&self) {
        self.health.check_files();
    }

    /// Becomes true when writing can't be trusted any more and the process must end.
    pub fn watch_write_failure(&self) -> watch::Receiver<bool> {
        self.health.watch_lost()
    }

    /// Whether the database can be written now. Tries a write, at most once a second. After a
    /// refused commit it tries a larger write, because a nearly full disk may still have room for a
    /// small one.
    pub async fn probe(&self, now: Timestamp) -> bool {
        const EVERY_MS: i64 = 1_000;
        const AFTER_REFUSAL_BYTES: usize = 128 << 10;
        let last = self.probed_at.load(Ordering::Relaxed);
        if !self.failing() && (0..EVERY_MS).contains(&(now.0 - last)) {
            return true;
        }
        let padding = if self.failing() {
            AFTER_REFUSAL_BYTES
        } else {
            0
        };
        let written = self
            .write(move |tx| tx.set_probed_at(now, padding))
            .await
            .is_ok();
        if written {
            self.health.note_success();
            self.probed_at.store(now.0, Ordering::Relaxed);
        }
        written
    }

    /// Records on disk which answers were delivered, if no message has done so. Called when the
    /// service is idle, and at shutdown.
    pub async fn note_written(&self, now: Timestamp) -> Result<()> {
        if self.undelivered.is_behind(now) {
            self.write(move |tx| tx.note_written(now)).await?;
        }
        Ok(())
    }

    /// Notified when there is a task for the payment provider.
    pub fn provider_task_queued(&self) -> Arc<Notify> {
        self.provider_tasks.queued()
    }

    /// Writes waiting now.
    pub fn queued(&self) -> usize {
        self.writer().queued()
    }

    fn writer(&self) -> &writer::Writer {
        // Only `drop` takes it out.
        self.writer
            .as_ref()
            .expect("the writer runs while the store lives")
    }
}

/// How long `drop` waits for cancelled reads, and the pause between two checks.
const LAST_READS_MAX: Duration = Duration::from_millis(250);
const LAST_READS_CHECK_INTERVAL: Duration = Duration::from_millis(2);

impl Drop for Store {
    /// Waits for queued writes, then moves the log into the database and removes it. After a disk
    /// failure the next start does this. A file that was put in the database's place isn't touched.
    fn drop(&mut self) {
        let is_in_place = self.health.check_files();
        self.writer = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        self.readers = None;
        self.look_ups = None;
        // A cancelled read may still be running, and only the last connection can remove the log.
        let began = Instant::now();
        while is_in_place && !self.health.is_lost() {
            let Ok(conn) = open::open_beside(&self.path) else {
                break;
            };
            let _ = open::merge_log(conn); // fails while another connection reads
            let is_left = database_files::wal_path(&self.path).exists();
            if !is_left || began.elapsed() > LAST_READS_MAX {
                break;
            }
            std::thread::sleep(LAST_READS_CHECK_INTERVAL);
        }
    }
}

/// Reads the file directly, whether or not the service is running.
pub fn look<T>(path: &Path, f: impl FnOnce(&View) -> Result<T>) -> Result<T, String> {
    let failed = |e: rusqlite::Error| sqlite_failed("read", path, &e);
    let conn = file::inspect::open_to_read(path).map_err(failed)?;
    open::set_reading(&conn).map_err(failed)?;
    open::check_version(&conn, path)?;
    let counts = CommittedCounts::load(&conn).map_err(failed)?;
    f(&counts.view(&conn)).map_err(|e| e.to_string())
}

pub type SharedStore = Arc<Store>;

/// A write transaction: what a reader sees inside it, and the writer's cache of rows. Each
/// aggregate's file adds its functions.
pub struct Tx<'a> {
    view: View<'a>,
    cache: &'a mut WriterCache,
    prepared: &'a mut dyn RunPrepared,
    after: &'a mut Vec<Box<dyn FnOnce() + Send>>,
}

impl Tx<'_> {
    /// Runs `effect` on the writer thread right after the commit, in the order of commits, before
    /// any caller gets its result. It must be quick and must not block.
    pub fn after_commit(&mut self, effect: impl FnOnce() + Send + 'static) {
        self.after.push(Box::new(effect));
    }

    /// Whether this closure may have changed rows.
    fn has_written(&self) -> bool {
        self.conn.total_changes() != self.cache.changes_before
    }

    fn set_probed_at(&self, now: Timestamp, padding_bytes: usize) -> Result<()> {
        self.run(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('probed_at', ?1)",
            [format!("{}{}", now.0, " ".repeat(padding_bytes))],
        )
    }

    /// The rows as a reader sees them, inside this transaction.
    pub fn view(&self) -> &View<'_> {
        &self.view
    }
}

/// A read transaction. Each aggregate's file adds its functions.
pub struct View<'a> {
    conn: &'a Connection,
    counts: &'a CommittedCounts,
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let cause = sql_error(&error);
        match error.sqlite_error_code() {
            Some(
                Code::DiskFull | Code::SystemIoFailure | Code::DatabaseBusy | Code::DatabaseLocked,
            ) => Self::unavailable("The database can't be used at the moment; try again.")
                .because(cause),
            Some(Code::OperationInterrupted) => {
                Self::unavailable("Reading took too long; try again.").because(cause)
            }
            _ => Self::internal(cause),
        }
    }
}

/// SQLite's message without values, for the log.
fn sql_error(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => format!(
            "{} (extended code {})",
            message.as_deref().unwrap_or("SQLite failed"),
            code.extended_code
        ),
        other => other.to_string(),
    }
}
