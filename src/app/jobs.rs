//! The background jobs: deliver reminders, expire commands, remove old rows and files. Each
//! job finds its work in the database and may be cancelled at any point.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinSet;

use super::{App, exports, relays, reminders, replies};
use crate::account::{confirmation, erasure};
use crate::billing;
use crate::error::Result;
use crate::flags::poller::{self, Pace};
use crate::memory::outbox;
use crate::metrics::Job;
use crate::services::sync_job;

const EXPIRE_EVERY: Duration = Duration::from_secs(30);
const EXPIRED_AT_ONCE_MAX: usize = 500;
/// How soon after the last message its delivery is recorded on disk.
const NOTE_WRITTEN_EVERY: Duration = Duration::from_secs(1);
/// How often the clock is checked: sooner than somebody can notice a wrong clock and restart the
/// service.
const LOOK_AT_CLOCK_EVERY: Duration = Duration::from_secs(1);
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(600);
/// The pause before a job that panicked is restarted.
const RESTART_AFTER: Duration = Duration::from_secs(5);
/// The legacy endpoint without a secret is mentioned again after this.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// `address` is where the service listens.
pub(crate) fn start(app: &Arc<App>, address: Option<SocketAddr>) -> JoinSet<()> {
    let mut jobs = JobSet {
        app: app.clone(),
        set: JoinSet::new(),
    };
    jobs.add("reminders", |app, n| reminders::run(app.ingest.clone(), n));
    jobs.add("exports", |app, n| {
        exports::work::run(app.exports.clone(), n)
    });
    if app.memories.has_service() {
        jobs.add("memories", |app, n| outbox::run(app.memories.clone(), n));
    }
    jobs.add("services", |app, n| sync_job::run(app.services.clone(), n));
    jobs.add("replies", |app, n| replies::job::run(app.ingest.clone(), n));
    jobs.add_every("commands", EXPIRE_EVERY, expire_commands);
    jobs.add_every("answers", NOTE_WRITTEN_EVERY, note_written);
    jobs.add_every("clock", LOOK_AT_CLOCK_EVERY, note_steadiness);
    jobs.add_every("old_rows", HOUSEKEEPING_EVERY, remove_old_rows);
    jobs.add_every("photos", HOUSEKEEPING_EVERY, remove_old_photos);
    jobs.add("purge", |app, n| {
        erasure::schedule::run(app.eraser.clone(), n)
    });
    if let Some(post) = app.post.clone() {
        jobs.add("mails", move |_, n| confirmation::run(post.clone(), n));
    }
    if app.billing.has_provider() {
        jobs.add("payment_tasks", |app, n| {
            billing::tasks::run(app.billing.clone(), n)
        });
        jobs.add("payment_reconcile", |app, n| {
            billing::reconcile::run(app.billing.clone(), n)
        });
    }
    for (relay, address) in app
        .relays
        .iter()
        .filter_map(|relay| Some((relay, address?)))
    {
        let name = relay.name;
        jobs.add_uncounted(name, move |app| {
            relays::supervise(app.clone(), name, address)
        });
    }
    jobs.add_uncounted("warnings", |app| warn_of_open_endpoint(app.clone()));
    if let Some(jwks) = app.jwks.clone() {
        jobs.add_uncounted("identity", move |_| jwks.clone().run());
    }
    jobs.add_uncounted("flags", |app| poll_flags(app.clone()));
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
        job: impl Fn(&Arc<App>, Arc<Job>) -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let (app, numbers) = (self.app.clone(), self.app.job_numbers.add(name));
        let (clock, counted) = (app.clock.clone(), numbers.clone());
        let broke = move || counted.ran(&Err::<(), ()>(()), clock.now().0);
        let job = move || job(&app, numbers.clone());
        self.set
            .spawn(restart_on_panic(name, RESTART_AFTER, job, broke));
    }

    fn add_every<F>(&mut self, name: &'static str, pause: Duration, job: fn(Arc<App>) -> F)
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        self.add(name, move |app, numbers| {
            every((app.clone(), numbers), pause, job)
        });
    }

    /// Adds a job whose runs are counted elsewhere, or not at all.
    fn add_uncounted<F>(
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
    broke: impl Fn(),
) where
    F: Future<Output = ()>,
{
    while AssertUnwindSafe(job()).catch_unwind().await.is_err() {
        broke();
        log::error!("the job {name} panicked, and begins anew in {pause:?}");
        tokio::time::sleep(pause).await;
    }
}

async fn every<F>((app, numbers): (Arc<App>, Arc<Job>), pause: Duration, job: fn(Arc<App>) -> F)
where
    F: Future<Output = Result<()>>,
{
    loop {
        tokio::time::sleep(pause).await;
        let ran = job(app.clone()).await;
        numbers.ran(&ran, app.clock.now().0);
        if let Err(error) = ran {
            log::warn!("background job: {error}");
        }
    }
}

/// Returns immediately when no provider is configured.
async fn poll_flags(app: Arc<App>) {
    let flags = &app.config.flags;
    let pace = Pace {
        changes_s: flags.kill_switch_poll_s,
        all_s: flags.poll_s,
    };
    if let Some(provider) = app.flag_provider.clone() {
        poller::run(app.flags.clone(), provider, app.clock.clone(), pace).await;
    }
}

/// Expires old commands, so that they don't fill the outbox of an absent relay.
async fn expire_commands(app: Arc<App>) -> Result<()> {
    while let Some(now) = app.clock.steady_now() {
        let hub = app.hub.clone();
        let ended = app
            .store
            .write(move |tx| hub.expire_commands(tx, now, EXPIRED_AT_ONCE_MAX))
            .await?;
        if ended < EXPIRED_AT_ONCE_MAX {
            break;
        }
    }
    Ok(())
}

/// Records in the database that the clock is not trusted, so that a restart knows it.
async fn note_steadiness(app: Arc<App>) -> Result<()> {
    let is_steady = app.clock.steady_now().is_some();
    let known = app.store.read(|view| view.clock_has_jumped()).await?;
    if known == is_steady {
        app.store
            .write(move |tx| tx.set_clock_has_jumped(!is_steady))
            .await?;
    }
    Ok(())
}

async fn note_written(app: Arc<App>) -> Result<()> {
    app.store.note_written(app.clock.now()).await
}

async fn remove_old_rows(app: Arc<App>) -> Result<()> {
    let Some(now) = app.clock.steady_now() else {
        return Ok(());
    };
    while app.store.write(move |tx| tx.remove_old_rows(now)).await? {}
    app.store.remove_old_copies(now).await
}

async fn remove_old_photos(app: Arc<App>) -> Result<()> {
    app.photos.remove_old().await
}

async fn warn_of_open_endpoint(app: Arc<App>) {
    if app.config.is_production() {
        return;
    }
    loop {
        tokio::time::sleep(WARN_EVERY).await;
        if app.legacy_secret.get().is_none() && app.retries.legacy_was_used() {
            log::warn!(
                "POST /orchestrator/message was used without a secret; set RELAY_WEBHOOK_SECRET"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_begins_anew_until_it_ends_by_itself() {
        let (begun, broken) = (AtomicU32::new(0), AtomicU32::new(0));
        let job = async || {
            let times = begun.fetch_add(1, Ordering::Relaxed);
            assert!(times >= 2, "as a mistake of ours would");
        };
        let broke = || {
            broken.fetch_add(1, Ordering::Relaxed);
        };
        restart_on_panic("test", Duration::ZERO, job, broke).await;
        assert_eq!(begun.into_inner(), 3);
        assert_eq!(broken.into_inner(), 2);
    }
}
