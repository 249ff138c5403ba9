//! Starts the background jobs: deliver reminders, expire commands, remove old rows and files. Each
//! job finds its work in the database and may be cancelled at any point.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::{App, exports, relays, reminders, replies};
use crate::account::confirmation::{self, DeletionMailer};
use crate::account::erasure;
use crate::assistant;
use crate::billing;
use crate::clock::{Clock, Timestamp};
use crate::edge::hub::Hub;
use crate::error::Result;
use crate::flags::poller::{self, PollIntervals};
use crate::ingest::mail_judgement::MailJudge;
use crate::memory::outbox;
use crate::metrics::JobMetrics;
use crate::services::{idle, sync_job};
use crate::store::Tx;

const EXPIRE_INTERVAL: Duration = Duration::from_secs(30);
const EXPIRED_PER_WRITE_MAX: usize = 500;
/// How soon after the last message its delivery is recorded on disk.
const RECORD_DELIVERIES_INTERVAL: Duration = Duration::from_secs(1);
/// How often the clock is checked: sooner than somebody can notice a wrong clock and restart the
/// service.
const CLOCK_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How often an idle service checks that its database's files are in their places.
const FILES_CHECK_INTERVAL: Duration = Duration::from_secs(2);
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_secs(600);
/// The pause before a job that panicked is restarted.
const RESTART_AFTER: Duration = Duration::from_secs(5);
/// Interval of warnings about the legacy endpoint without a secret.
const WARN_INTERVAL: Duration = Duration::from_secs(60);

/// `address` is where the service listens.
pub(crate) fn start(app: &Arc<App>, address: Option<SocketAddr>) -> JoinSet<()> {
    let mut jobs = JobSet {
        app: app.clone(),
        set: JoinSet::new(),
    };
    tokio::task::spawn_blocking(assistant::build_word_tables);
    jobs.add("reminders", |app, metrics| {
        reminders::run(app.ingest.clone(), metrics)
    });
    jobs.add("exports", |app, metrics| {
        exports::work::run(app.exports.clone(), metrics)
    });
    if app.memories.has_service() {
        jobs.add_memories();
    }
    jobs.add("services", |app, metrics| {
        sync_job::run(app.services.clone(), metrics)
    });
    jobs.add("mail_notices", |app, metrics| {
        idle::run(app.services.clone(), metrics)
    });
    jobs.add("replies", |app, metrics| {
        replies::job::run(app.ingest.clone(), metrics)
    });
    if app.ingest.replies.model().is_some() {
        jobs.add_mail_judgement();
    }
    jobs.add_every("commands", EXPIRE_INTERVAL, expire_commands);
    jobs.add_every("answers", RECORD_DELIVERIES_INTERVAL, record_deliveries);
    jobs.add_every("clock", CLOCK_CHECK_INTERVAL, record_clock_state);
    jobs.add_every("database_files", FILES_CHECK_INTERVAL, check_database_files);
    jobs.add_every("old_rows", HOUSEKEEPING_INTERVAL, remove_old_rows);
    jobs.add_every("photos", HOUSEKEEPING_INTERVAL, remove_old_photos);
    jobs.add("purge", |app, metrics| {
        erasure::schedule::run(app.eraser.clone(), metrics)
    });
    if let Some(deletion_mailer) = app.deletion_mailer.clone() {
        jobs.add_mails(deletion_mailer);
    }
    if app.billing.has_provider() {
        jobs.add_payments();
    }
    for (relay, address) in app
        .relays
        .iter()
        .filter_map(|relay| Some((relay, address?)))
    {
        let name = relay.name;
        jobs.add_without_metrics(name, move |app| {
            relays::supervise(app.clone(), name, address)
        });
    }
    jobs.add_without_metrics("warnings", |app| warn_about_legacy_endpoint(app.clone()));
    if let Some(jwks) = app.jwks.clone() {
        jobs.add_without_metrics("identity", move |_| jwks.clone().run());
    }
    jobs.add_without_metrics("flags", |app| poll_flags(app.clone()));
    jobs.set
}

/// The jobs that have been started.
struct JobSet {
    app: Arc<App>,
    set: JoinSet<()>,
}

impl JobSet {
    fn add<F>(
        &mut self,
        name: &'static str,
        job: impl Fn(&Arc<App>, Arc<JobMetrics>) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let (app, metrics) = (self.app.clone(), self.app.job_metrics.add(name));
        let (clock, panic_metrics) = (app.clock.clone(), metrics.clone());
        let on_panic = move || panic_metrics.ran(&Err::<(), ()>(()), clock.now().0);
        let job = move || job(&app, metrics.clone());
        self.set
            .spawn(restart_on_panic(name, RESTART_AFTER, job, on_panic));
    }

    fn add_every<F>(&mut self, name: &'static str, pause: Duration, job: fn(Arc<App>) -> F)
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        self.add(name, move |app, metrics| {
            every(name, (app.clone(), metrics), pause, job)
        });
    }

    /// Adds a job whose runs return the pause after them.
    fn add_repeated<F>(
        &mut self,
        name: &'static str,
        pauses: Pauses,
        job: impl Fn(Timestamp) -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<Duration>> + Send + 'static,
    {
        self.add(name, move |app, metrics| {
            let clock = app.clock.clone();
            repeat(name, (clock, metrics), pauses.clone(), job.clone())
        });
    }

    fn add_memories(&mut self) {
        let memories = self.app.memories.clone();
        let pauses = Pauses {
            after_failure: outbox::POLL_INTERVAL,
            woken_by: Some(memories.task_queued()),
            follows_clock: true,
        };
        self.add_repeated("memories", pauses, move |_| {
            outbox::run_due_tasks(memories.clone())
        });
    }

    fn add_mail_judgement(&mut self) {
        let judge = Arc::new(MailJudge::new(self.app.ingest.clone()));
        let pauses = Pauses {
            after_failure: MailJudge::POLL_INTERVAL,
            woken_by: None,
            follows_clock: true,
        };
        self.add_repeated("mail_judgement", pauses, move |now| {
            judge.clone().judge_new(now)
        });
    }

    fn add_mails(&mut self, mailer: Arc<DeletionMailer>) {
        let pauses = Pauses {
            after_failure: confirmation::POLL_INTERVAL,
            woken_by: Some(mailer.queued.clone()),
            follows_clock: false,
        };
        self.add_repeated("mails", pauses, move |_| send_mails(mailer.clone()));
    }

    fn add_payments(&mut self) {
        let tasks = self.app.billing.clone();
        let pauses = Pauses {
            after_failure: billing::tasks::FAILED_PAUSE,
            woken_by: Some(self.app.store.provider_task_queued()),
            follows_clock: true,
        };
        self.add_repeated("payment_tasks", pauses, move |now| {
            tasks.clone().run_due_tasks(now)
        });
        let billing = self.app.billing.clone();
        let pauses = Pauses {
            after_failure: billing::reconcile::INTERVAL,
            woken_by: None,
            follows_clock: false,
        };
        self.add_repeated("payment_reconcile", pauses, move |_| {
            billing.clone().reconcile()
        });
    }

    /// Adds a job whose runs are counted elsewhere, or not at all.
    fn add_without_metrics<F>(
        &mut self,
        name: &'static str,
        job: impl Fn(&Arc<App>) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let app = self.app.clone();
        let job = move || job(&app);
        self.set
            .spawn(restart_on_panic(name, RESTART_AFTER, job, || {}));
    }
}

/// Runs a job, and restarts it after a pause when it panics. Its work is in the database, so
/// nothing is lost.
async fn restart_on_panic<F>(
    name: &'static str,
    pause: Duration,
    job: impl Fn() -> F,
    on_panic: impl Fn(),
) where
    F: Future<Output = ()>,
{
    while AssertUnwindSafe(job()).catch_unwind().await.is_err() {
        on_panic();
        log::error!("the job {name} panicked and restarts in {pause:?}");
        tokio::time::sleep(pause).await;
    }
}

/// The pauses of a job that each run does not choose itself.
#[derive(Clone)]
struct Pauses {
    after_failure: Duration,
    /// Ends a pause early.
    woken_by: Option<Arc<Notify>>,
    /// A fixed clock that is moved ends a pause, too.
    follows_clock: bool,
}

/// Runs a job until the service ends. Each run returns the pause after it.
async fn repeat<F>(
    name: &str,
    (clock, metrics): (Clock, Arc<JobMetrics>),
    pauses: Pauses,
    job: impl Fn(Timestamp) -> F,
) where
    F: Future<Output = Result<Duration>>,
{
    let woken = async || match &pauses.woken_by {
        Some(wake) => wake.notified().await,
        None => std::future::pending().await,
    };
    loop {
        let now = clock.now();
        let outcome = job(now).await;
        metrics.ran(&outcome, clock.now().0);
        let pause = outcome.unwrap_or_else(|error| {
            log::warn!("job {name}: {error}");
            pauses.after_failure
        });
        let paused = async {
            match pauses.follows_clock {
                true => clock.pause(now, pause).await,
                false => tokio::time::sleep(pause).await,
            }
        };
        tokio::select! {
            () = paused => {}
            () = woken() => {}
        }
    }
}

async fn every<F>(
    name: &str,
    (app, metrics): (Arc<App>, Arc<JobMetrics>),
    pause: Duration,
    job: fn(Arc<App>) -> F,
) where
    F: Future<Output = Result<()>>,
{
    loop {
        tokio::time::sleep(pause).await;
        let result = job(app.clone()).await;
        metrics.ran(&result, app.clock.now().0);
        if let Err(error) = result {
            log::warn!("job {name}: {error}");
        }
    }
}

async fn send_mails(mailer: Arc<DeletionMailer>) -> Result<Duration> {
    mailer.send_due().await?;
    Ok(confirmation::POLL_INTERVAL)
}

/// Returns immediately when no provider is configured.
async fn poll_flags(app: Arc<App>) {
    let flags = &app.config.flags;
    let intervals = PollIntervals {
        changes_s: flags.kill_switch_poll_s,
        all_s: flags.poll_s,
    };
    if let Some(provider) = app.flag_provider.clone() {
        poller::run(app.flags.clone(), provider, app.clock.clone(), intervals).await;
    }
}

/// Expires old commands, so that they don't fill the outbox of an absent relay.
async fn expire_commands(app: Arc<App>) -> Result<()> {
    while let Some(now) = app.clock.steady_now() {
        let hub = app.hub.clone();
        let count = app
            .store
            .write(move |tx| hub.expire_commands(tx, now, EXPIRED_PER_WRITE_MAX))
            .await?;
        if count < EXPIRED_PER_WRITE_MAX {
            break;
        }
    }
    Ok(())
}

/// Records in the database that the clock is not trusted, so that a restart knows it.
async fn record_clock_state(app: Arc<App>) -> Result<()> {
    let is_steady = app.clock.steady_now().is_some();
    let has_jumped = app.store.read(|view| view.clock_has_jumped()).await?;
    if has_jumped == is_steady {
        app.store
            .write(move |tx| tx.set_clock_has_jumped(!is_steady))
            .await?;
    }
    Ok(())
}

async fn check_database_files(app: Arc<App>) -> Result<()> {
    app.store.check_files();
    Ok(())
}

async fn record_deliveries(app: Arc<App>) -> Result<()> {
    app.store.note_written(app.clock.now()).await
}

async fn remove_old_rows(app: Arc<App>) -> Result<()> {
    let Some(now) = app.clock.steady_now() else {
        return Ok(());
    };
    while app.store.write(move |tx| tx.remove_old_rows(now)).await? {}
    let lost = move |tx: &mut Tx| Hub::report_lost(tx, now, EXPIRED_PER_WRITE_MAX);
    app.store.write(lost).await?;
    app.store.remove_old_copies(now).await
}

async fn remove_old_photos(app: Arc<App>) -> Result<()> {
    app.photos.remove_old().await
}

/// In development the endpoint is open without a secret, in production it is closed.
async fn warn_about_legacy_endpoint(app: Arc<App>) {
    loop {
        tokio::time::sleep(WARN_INTERVAL).await;
        if app.legacy_secret.get().is_some() || !app.retries.legacy_was_used() {
            continue;
        }
        let outcome = match app.config.is_production() {
            true => "was called and answered 401",
            false => "was used without a secret",
        };
        log::warn!(
            "POST /orchestrator/message {outcome}; set RELAY_WEBHOOK_SECRET for older relays"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_is_restarted_until_it_ends_by_itself() {
        let (starts, panics) = (AtomicU32::new(0), AtomicU32::new(0));
        let job = async || {
            let times = starts.fetch_add(1, Ordering::Relaxed);
            assert!(times >= 2, "a bug in the job");
        };
        let on_panic = || {
            panics.fetch_add(1, Ordering::Relaxed);
        };
        restart_on_panic("test", Duration::ZERO, job, on_panic).await;
        assert_eq!(starts.into_inner(), 3);
        assert_eq!(panics.into_inner(), 2);
    }
}
