//! What the service does by itself: deliver reminders, end what has expired, remove what is
//! old. Each job finds its work in the database and may be cut off at any point.

use std::sync::Arc;
use std::time::Duration;

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
/// The legacy endpoint without a secret is mentioned again after this.
const WARN_EVERY: Duration = Duration::from_secs(60);

pub(super) fn start(app: &Arc<App>) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    let numbers = |name| app.job_numbers.add(name);
    jobs.spawn(reminders::run(app.ingest.clone(), numbers("reminders")));
    jobs.spawn(exports::work::run(app.exports.clone(), numbers("exports")));
    if app.memories.has_service() {
        jobs.spawn(outbox::run(app.memories.clone(), numbers("memories")));
    }
    jobs.spawn(replies::job::run(app.ingest.clone(), numbers("replies")));
    let of = |name| (app.clone(), numbers(name));
    jobs.spawn(every(of("commands"), EXPIRE_EVERY, expire_commands));
    jobs.spawn(every(of("answers"), NOTE_WRITTEN_EVERY, note_written));
    jobs.spawn(every(of("old_rows"), HOUSEKEEPING_EVERY, remove_old_rows));
    jobs.spawn(erasure::schedule::run(app.eraser.clone(), numbers("purge")));
    if let Some(post) = app.post.clone() {
        jobs.spawn(confirmation::run(post, numbers("mails")));
    }
    jobs.spawn(warn_of_open_endpoint(app.clone()));
    if let Some(jwks) = &app.jwks {
        jobs.spawn(jwks.clone().run());
    }
    if app.billing.has_provider() {
        let billing = || app.billing.clone();
        jobs.spawn(billing::tasks::run(billing(), numbers("payment_tasks")));
        jobs.spawn(billing::reconcile::run(
            billing(),
            numbers("payment_reconcile"),
        ));
    }
    let flags = &app.config.flags;
    if let Some(provider) = Provider::new(flags) {
        let pace = Pace {
            changes_s: flags.kill_switch_poll_s,
            all_s: flags.poll_s,
        };
        let (flags, clock) = (app.flags.clone(), app.clock.clone());
        jobs.spawn(poller::run(flags, provider, clock, pace));
    }
    jobs
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
