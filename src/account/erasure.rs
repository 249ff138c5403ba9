//! The job that erases accounts that are due; the rows are removed by `store::erasure`. First the
//! account becomes inaccessible and its phone number free. Then its rows are removed in steps, the
//! file is rewritten so that no bytes remain, a confirmation is queued, and only a tombstone stays.
//! Every step finds its work in the database and records its completion in the same transaction, so
//! the erasure may be interrupted anywhere.

mod purge_run;
pub mod schedule;

pub use purge_run::PurgeRun;

use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::confirmation;
use super::exports::Exports;
use super::identity::Identity;
use crate::clock::{Clock, Timestamp};
use crate::edge::hub::Hub;
use crate::error::Result;
use crate::ingest::powers;
use crate::marketplace::Marketplace;
use crate::media::Photos;
use crate::memory::Memories;
use crate::model::public_id::PublicId;
use crate::setting::Setting;
use crate::store::{DueAccount, Erasure, SharedStore, UserId};

/// A running service doesn't rewrite a larger file: at 1.4 s per 100 MiB, writes would wait longer
/// than their limit of 5 s.
const REWRITTEN_BYTES_MAX: u64 = 256 << 20;
/// Accounts handled or listed at once.
const ACCOUNTS_MAX: usize = 1_000;

/// The parts of the service that an erasure uses.
pub struct Eraser {
    pub store: SharedStore,
    pub clock: Clock,
    services: ErasureServices,
    /// Whether a mail server is configured.
    pub mail: bool,
    /// Whether a payment provider is configured.
    pub billing: bool,
    /// The assistant's name in mails.
    pub persona: Setting<String>,
    /// Wakes the sender of mails.
    pub mails_queued: Arc<Notify>,
    pub wake: Notify,
    progress: Mutex<PurgeProgress>,
    running: tokio::sync::Mutex<()>,
}

/// Other parts that store data of a person.
pub struct ErasureServices {
    pub hub: Arc<Hub>,
    pub identity: Arc<Identity>,
    pub exports: Arc<Exports>,
    pub photos: Arc<Photos>,
    pub memories: Arc<Memories>,
    pub marketplace: Arc<Marketplace>,
}

/// The progress of purges.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct PurgeProgress {
    /// Number of the last requested purge.
    pub asked: u64,
    /// Number of the last finished purge.
    pub over: u64,
    /// Accounts erased since the service started.
    pub erased: u64,
    /// Transactions that removed rows since the service started.
    pub batches: u64,
}

/// The work of the next purge.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PurgeOutlook {
    /// Accounts due for erasure.
    pub due: Vec<DueDeletion>,
    /// Accounts whose erasure has begun.
    pub under_way: Vec<RunningErasure>,
    pub progress: PurgeProgress,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct DueDeletion {
    #[schemars(with = "PublicId")]
    pub user_id: String,
    pub deletion_scheduled_for: Timestamp,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct RunningErasure {
    #[schemars(with = "PublicId")]
    pub user_id: String,
    pub started_at: Timestamp,
    /// All data here is erased; the payment provider or the memory service still has to delete
    /// its data.
    pub waits_for_others: bool,
}

/// One step of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeStep {
    /// The account is inaccessible.
    Begun,
    /// The account's export files are removed.
    Exports,
    /// The account's photo files are removed.
    Photos,
    /// The account's files can't be removed now, so its rows remain.
    Skipped,
    /// Some of its rows are removed.
    Rows,
    /// The memory service was asked to delete its data.
    Memories,
    /// The file contains no bytes of it.
    Compacted,
    /// Only a tombstone is left.
    Ended,
}

impl Eraser {
    pub fn new(store: SharedStore, clock: Clock, services: ErasureServices) -> Self {
        Self {
            store,
            clock,
            services,
            mail: false,
            billing: false,
            persona: Setting::new(String::new()),
            mails_queued: Arc::default(),
            wake: Notify::new(),
            progress: Mutex::default(),
            running: tokio::sync::Mutex::default(),
        }
    }

    /// Requests a purge from the job. Returns its number, to be compared with `PurgeProgress::over`. The
    /// caller has checked the clock.
    pub fn request_purge(&self) -> u64 {
        self.clock.confirm();
        let mut progress = self.progress.lock();
        progress.asked += 1;
        self.wake.notify_one();
        progress.asked
    }

    /// The work of the next purge and the progress.
    pub async fn outlook(&self) -> Result<PurgeOutlook> {
        let now = self.clock.now();
        let facts = self.store.read(move |view| {
            Ok((
                view.due_accounts(now, ACCOUNTS_MAX)?,
                view.erasures(ACCOUNTS_MAX)?,
            ))
        });
        let (due, under_way) = facts.await?;
        let progress = *self.progress.lock();
        Ok(outlook(due, under_way, progress))
    }

    /// Erases everything that is due, or goes on with what has begun. A second caller waits and then finds no work. Returns true
    /// when an account still waits for another service and must be checked again.
    pub async fn run(&self, mut run: PurgeRun) -> Result<bool> {
        let _running = self.running.lock().await;
        let requested = self.progress.lock().asked;
        let mut has_erased = false;
        let dropping = self.drop_mails().await;
        let outcome = loop {
            match self.advance(&mut run).await {
                Ok(Some(step)) => has_erased |= step == PurgeStep::Ended,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        if has_erased {
            self.store.compact(false).await?;
        }
        let now = self.clock.now();
        self.store.write(move |tx| tx.set_purged_at(now)).await?;
        let waiting = self.store.read(|view| view.erasures(ACCOUNTS_MAX)).await;
        if !run.is_continuation {
            self.progress.lock().over = requested;
        }
        outcome.and(dropping)?;
        let waiting = waiting?;
        for erasure in waiting.iter().filter(|one| one.rows_at.is_some()) {
            self.report_waiting(erasure);
        }
        Ok(!waiting.is_empty())
    }

    /// Deletes confirmations that are too old, and without a mail server all of them and their
    /// addresses.
    async fn drop_mails(&self) -> Result<()> {
        let (now, has_server) = (self.clock.now(), self.mail);
        let dropping = self.store.write(move |tx| match has_server {
            true => tx.delete_mails_before(now.plus_ms(-confirmation::KEPT_MS_MAX)),
            false => {
                tx.drop_confirmation_addresses()?;
                tx.delete_mails_before(Timestamp(i64::MAX))
            }
        });
        let dropped = dropping.await?;
        if dropped > 0 && !self.mail {
            log::warn!(
                "{dropped} confirmations of deleted accounts were dropped: no mail server is configured any more ([mail])"
            );
        }
        Ok(())
    }

    /// Logs what an account, whose data here is erased, still waits for.
    fn report_waiting(&self, erasure: &Erasure) {
        let id = &erasure.user_id;
        if erasure.memories_at.is_none() {
            log::info!(
                "account {id} is erased here; the memory service still has to delete its data"
            );
        }
        match (erasure.provider_waits, self.billing) {
            (true, true) => log::info!(
                "account {id} is erased here; the payment provider still has to delete its data"
            ),
            (true, false) => log::warn!(
                "account {id} is erased here, but not at the payment provider, which is not configured any more: configure it again ([billing]), so that its data is deleted there, too"
            ),
            (false, _) => {}
        }
    }

    /// Runs one step; `None` when there is nothing to do.
    pub async fn advance(&self, run: &mut PurgeRun) -> Result<Option<PurgeStep>> {
        let now = self.clock.now();
        // No erasure begins while the clock may be wrong.
        let may_begin = !run.is_continuation && self.clock.steady_now().is_some();
        let facts = self.store.read(move |view| {
            Ok((
                match may_begin {
                    true => view.due_accounts(now, 1)?.pop(),
                    false => None,
                },
                view.erasures(ACCOUNTS_MAX)?,
                view.compaction_due()?,
                view.size_bytes()?,
            ))
        });
        let (due, under_way, compaction_due, size_bytes) = facts.await?;
        if let Some(account) = due {
            self.begin(account, now).await?;
            return Ok(Some(PurgeStep::Begun));
        }
        let has_rows =
            |erasure: &&Erasure| erasure.rows_at.is_none() && !run.skipped.contains(&erasure.user);
        if let Some(erasure) = under_way.iter().find(has_rows) {
            return self.erase_here(erasure, now, run).await.map(Some);
        }
        let has_failed = |erasure: &&Erasure| run.memory_failures.contains(&erasure.user);
        let needs_memories =
            |erasure: &&Erasure| erasure.memories_at.is_none() && !has_failed(erasure);
        if let Some(erasure) = under_way.iter().find(needs_memories) {
            if !self.forget_memories(erasure, now).await? {
                run.memory_failures.push(erasure.user);
            }
            return Ok(Some(PurgeStep::Memories));
        }
        if let (Some(since), false) = (compaction_due, run.compaction_failed) {
            run.compaction_failed = !self.compact(since, size_bytes, run.without_service).await?;
            return Ok(Some(PurgeStep::Compacted));
        }
        let is_finished = |erasure: &Erasure| {
            erasure.rows_at.is_some() && erasure.memories_at.is_some() && !erasure.provider_waits
        };
        match under_way.into_iter().find(is_finished) {
            Some(erasure) => {
                self.end(erasure, now).await?;
                Ok(Some(PurgeStep::Ended))
            }
            None => Ok(None),
        }
    }

    async fn begin(&self, account: DueAccount, now: Timestamp) -> Result<()> {
        let (identity, keeps_email) = (self.services.identity.clone(), self.mail);
        let writing = self.store.write(move |tx| {
            if tx.begin_erasure(&account, keeps_email, now)? {
                powers::erase(tx, account.id, now)?;
                tx.after_commit(move || identity.forget(account.id));
            }
            Ok(())
        });
        writing.await
    }

    /// Removes files first, while rows still name them. A file that can't be removed delays only
    /// this account.
    async fn erase_here(
        &self,
        erasure: &Erasure,
        now: Timestamp,
        run: &mut PurgeRun,
    ) -> Result<PurgeStep> {
        match self.remove_files(erasure.user).await {
            Ok(Some(step)) => Ok(step),
            Ok(None) => self.erase_rows(erasure.clone(), now).await,
            Err(error) => {
                log::warn!("account {} is not erased yet: {error}", erasure.user_id);
                run.skipped.push(erasure.user);
                Ok(PurgeStep::Skipped)
            }
        }
    }

    /// `None` when there are no more files.
    async fn remove_files(&self, user: UserId) -> Result<Option<PurgeStep>> {
        let exports = self.store.read(move |view| view.export_jobs(user)).await?;
        if !exports.is_empty() {
            self.services.exports.erase(user).await?;
            return Ok(Some(PurgeStep::Exports));
        }
        let photos = self.store.read(move |view| view.photos_of(user, 1)).await?;
        if !photos.is_empty() {
            self.services.photos.erase(user).await?;
            return Ok(Some(PurgeStep::Photos));
        }
        Ok(None)
    }

    async fn erase_rows(&self, erasure: Erasure, now: Timestamp) -> Result<PurgeStep> {
        let user = erasure.user;
        let (hub, marketplace) = (self.services.hub.clone(), self.services.marketplace.clone());
        let removed = self.store.write(move |tx| {
            if marketplace.erase_next_app(tx, user)? {
                return Ok(());
            }
            let removed = tx.erase_some_rows(&erasure, now)?;
            tx.after_commit(move || {
                for (agent, seq) in removed.ended {
                    hub.command_ended(agent, seq);
                }
            });
            Ok(())
        });
        removed.await?;
        self.progress.lock().batches += 1;
        Ok(PurgeStep::Rows)
    }

    /// False when the memory service fails now. One that isn't configured any more is not waited
    /// for.
    async fn forget_memories(&self, erasure: &Erasure, now: Timestamp) -> Result<bool> {
        let (user, memories) = (erasure.user, &self.services.memories);
        if erasure.memory_failed && !memories.has_service() {
            log::warn!(
                "account {}: the memory service that failed to delete its data is not configured any more ([memory]); its memories there were not deleted",
                erasure.user_id
            );
        }
        if let Err(error) = memories.delete_all(&erasure.user_id).await {
            log::warn!("the memory service did not delete the data of an erased account: {error}");
            if !erasure.memory_failed {
                let noting = self.store.write(move |tx| tx.note_memory_failure(user));
                noting.await?;
            }
            return Ok(false);
        }
        let recording = self.store.write(move |tx| tx.end_memories(user, now));
        recording.await.map(|()| true)
    }

    /// False when the file can't be rewritten now; the reason is logged.
    async fn compact(
        &self,
        since: Timestamp,
        size_bytes: u64,
        without_service: bool,
    ) -> Result<bool> {
        let copies = self.store.remove_copies(since, self.clock.now()).await?;
        if copies > 0 {
            log::info!(
                "removed {copies} copies beside the database that contained erased accounts"
            );
        }
        if !without_service && size_bytes > REWRITTEN_BYTES_MAX {
            log::warn!(
                "accounts were erased; the database is too large ({} MiB) to be rewritten while the \
                 service runs: stop the service when convenient and run `chatkeep purge --now`",
                size_bytes >> 20
            );
            return Ok(false);
        }
        if let Err(error) = self.store.compact(true).await {
            log::warn!("accounts were erased; the database could not be rewritten: {error}");
            return Ok(false);
        }
        let recording = self.store.write(move |tx| tx.end_compaction(since));
        recording.await.map(|()| true)
    }

    async fn end(&self, erasure: Erasure, now: Timestamp) -> Result<()> {
        let mail = confirmation::mail(erasure.email.as_deref(), self.mail, &self.persona.get());
        let (queued, user) = (self.mails_queued.clone(), erasure.user);
        let writing = self.store.write(move |tx| {
            if let Some(mail) = &mail {
                tx.insert_mail(mail, now)?;
                tx.after_commit(move || queued.notify_one());
            }
            tx.end_erasure(user)
        });
        writing.await?;
        log::info!("account {} was erased", erasure.user_id);
        self.progress.lock().erased += 1;
        Ok(())
    }
}

/// The outlook of a database without a running purge.
pub fn outlook(
    due: Vec<DueAccount>,
    under_way: Vec<Erasure>,
    progress: PurgeProgress,
) -> PurgeOutlook {
    PurgeOutlook {
        due: due
            .into_iter()
            .map(|account| DueDeletion {
                user_id: account.user_id,
                deletion_scheduled_for: account.scheduled_for,
            })
            .collect(),
        under_way: under_way
            .into_iter()
            .map(|erasure| RunningErasure {
                user_id: erasure.user_id,
                started_at: erasure.started_at,
                waits_for_others: erasure.rows_at.is_some(),
            })
            .collect(),
        progress,
    }
}

/// Like `Eraser::outlook`, for a file that no service has open.
pub fn outlook_of_file(path: &std::path::Path, now: Timestamp) -> Result<PurgeOutlook, String> {
    crate::store::look(path, |view| {
        let due = view.due_accounts(now, ACCOUNTS_MAX)?;
        Ok(outlook(
            due,
            view.erasures(ACCOUNTS_MAX)?,
            PurgeProgress::default(),
        ))
    })
}
