//! What the service does by itself: deliver reminders, end what has expired, remove what is
//! old. Each job finds its work in the database and may be cut off at any point.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::JoinSet;

use super::{App, exports, reminders, replies};
use crate::account::{confirmation, erasure};
use crate::billing;
use crate::error::Result;
use crate::flags::poller::{self, Pace};
use crate::flags::provider::Provider;
use crate::memory::outbox;
use crate::metrics::Job;

const EXPIRE_EVERY: Duration = Duration::from_secs(30);
const EXPIRED_AT_ONCE_MAX: usize = 500;
/// How long after the last message its answer is known on the disk to be written.
const NOTE_WRITTEN_EVERY: Duration = Duration::from_secs(1);
const HOUSEKEEPING_EVERY: Duration = Duration::from_secs(600);
/// A job that panicked.
const BEGIN_ANEW_AFTER: Duration = Duration::from_secs(5);
/// The legacy endpoint without a secret is mentioned again after this.
const WARN_EVERY: Duration = Duration::from_secs(60);

pub(super) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut jobs = Started {
        app: app.clone(),
        set: JoinSet::new(),
    };
    let ingest = app.ingest.clone();
    jobs.add("reminders", move |numbers| {
        reminders::run(ingest.clone(), numbers)
    });
    let exports = app.exports.clone();
    jobs.add("exports", move |numbers| {
        exports::work::run(exports.clone(), numbers)
    });
    if app.memories.has_service() {
        let memories = app.memories.clone();
        jobs.add("memories", move |numbers| {
            outbox::run(memories.clone(), numbers)
        });
    }
    let ingest = app.ingest.clone();
    jobs.add("replies", move |numbers| {
        replies::job::run(ingest.clone(), numbers)
    });
    jobs.add_every("commands", EXPIRE_EVERY, expire_commands);
    jobs.add_every("answers", NOTE_WRITTEN_EVERY, note_written);
    jobs.add_every("old_rows", HOUSEKEEPING_EVERY, remove_old_rows);
    let eraser = app.eraser.clone();
    jobs.add("purge", move |numbers| {
        erasure::schedule::run(eraser.clone(), numbers)
    });
    if let Some(post) = app.post.clone() {
        jobs.add("mails", move |numbers| {
            confirmation::run(post.clone(), numbers)
        });
    }
    if app.billing.has_provider() {
        let billing = app.billing.clone();
        jobs.add("payment_tasks", move |numbers| {
            billing::tasks::run(billing.clone(), numbers)
        });
        let billing = app.billing.clone();
        jobs.add("payment_reconcile", move |numbers| {
            billing::reconcile::run(billing.clone(), numbers)
        });
    }
    let quiet = app.clone();
    jobs.add_uncounted("warnings", move || warn_of_open_endpoint(quiet.clone()));
    if let Some(jwks) = app.jwks.clone() {
        jobs.add_uncounted("identity", move || jwks.clone().run());
    }
    if Provider::new(&app.config.flags).is_some() {
        let app = app.clone();
        jobs.add_uncounted("flags", move || poll_flags(app.clone()));
    }
    jobs.set
}

/// The jobs so far.
struct Started {
    app: Arc<App>,
    set: JoinSet<()>,
}

impl Started {
    fn add<F>(&mut self, name: &'static str, job: impl Fn(Arc<Job>) -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (numbers, clock) = (self.app.job_numbers.add(name), self.app.clock.clone());
        let broke = {
            let numbers = numbers.clone();
            move || numbers.ran(&Err::<(), ()>(()), clock.now().0)
        };
        self.set.spawn(keep_up(
            name,
            BEGIN_ANEW_AFTER,
            move || job(numbers.clone()),
            broke,
        ));
    }

    fn add_every<F>(&mut self, name: &'static str, pause: Duration, job: fn(Arc<App>) -> F)
    where
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let app = self.app.clone();
        self.add(name, move |numbers| {
            every((app.clone(), numbers), pause, job)
        });
    }

    /// One whose runs count elsewhere, or nowhere.
    fn add_uncounted<F>(&mut self, name: &'static str, job: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.set.spawn(keep_up(name, BEGIN_ANEW_AFTER, job, || {}));
    }
}

/// Runs a job; one that panics begins anew after a while, as it would after a crash. What it
/// has to do stands in the database.
async fn keep_up<F>(name: &'static str, pause: Duration, job: impl Fn() -> F, broke: impl Fn())
where
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

async fn poll_flags(app: Arc<App>) {
    let flags = &app.config.flags;
    let pace = Pace {
        changes_s: flags.kill_switch_poll_s,
        all_s: flags.poll_s,
    };
    if let Some(provider) = Provider::new(flags) {
        poller::run(app.flags.clone(), provider, app.clock.clone(), pace).await;
    }
}

/// Ends commands whose time is over, so that they don't fill an absent relay's outbox.
async fn expire_commands(app: Arc<App>) -> Result<()> {
    loop {
        let (hub, now) = (app.hub.clone(), app.clock.now());
        let ended = app
            .store
            .write(move |tx| {
                let ended = tx.expire_commands(now, EXPIRED_AT_ONCE_MAX)?;
                let count = ended.len();
                tx.after_commit(move || {
                    for (agent, seq) in ended {
                        hub.command_ended(agent, seq);
                    }
                });
                Ok(count)
            })
            .await?;
        if ended < EXPIRED_AT_ONCE_MAX {
            return Ok(());
        }
    }
}

async fn note_written(app: Arc<App>) -> Result<()> {
    app.store.note_written(app.clock.now()).await
}

async fn remove_old_rows(app: Arc<App>) -> Result<()> {
    let now = app.clock.now();
    while app.store.write(move |tx| tx.remove_old_rows(now)).await? {}
    app.store.remove_old_copies(now).await
}

async fn warn_of_open_endpoint(app: Arc<App>) {
    if app.legacy_secret.is_some() || app.config.is_production() {
        return;
    }
    loop {
        tokio::time::sleep(WARN_EVERY).await;
        if app.retries.legacy_was_used() {
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
        keep_up("test", Duration::ZERO, job, broke).await;
        assert_eq!(begun.into_inner(), 3);
        assert_eq!(broken.into_inner(), 2);
    }
}
