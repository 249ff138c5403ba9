//! Tasks for the payment provider, stored until the provider has confirmed them. There is one task
//! per subject; a later one replaces an earlier one. Also the idempotency keys of other requests to
//! the provider. This file must not call the provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

use super::query::{from_row, names};
use super::{Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::named::named;
use crate::random;

/// The pause after the first attempt; it doubles with each attempt.
const PAUSE_MS: i64 = 60_000;
const PAUSE_MS_MAX: i64 = 3_600_000;
/// Tasks returned at once.
const DUE_MAX: i64 = 64;

named! {
    /// A task for a subject at the provider.
    pub enum TaskKind {
        CancelAtPeriodEnd = "cancel_at_period_end",
        Reactivate = "reactivate",
        DeleteCustomer = "delete_customer",
    }
}
names! { TaskKind }

#[derive(Debug, Clone)]
pub struct ProviderTask {
    pub id: i64,
    pub kind: TaskKind,
    /// The provider's id of the subscription or customer.
    pub subject: String,
    key: String,
    /// Attempts started so far.
    pub attempts: i64,
}

/// The queue's settings: whether there is a provider, and whom to notify.
#[derive(Clone, Default)]
pub(super) struct TaskQueue {
    provider: Arc<AtomicBool>,
    queued: Arc<Notify>,
}

impl TaskQueue {
    pub(super) fn new(provider: bool) -> Self {
        let queue = Self::default();
        queue.provider.store(provider, Ordering::Relaxed);
        queue
    }

    /// Notified about new tasks.
    pub(super) fn queued(&self) -> Arc<Notify> {
        self.queued.clone()
    }
}

impl ProviderTask {
    /// The key of the last started attempt. Retries of the request carry the same key; a new
    /// attempt has another, because the provider repeats its answer to a key.
    pub fn idempotency_key(&self) -> String {
        format!("{}-{}-{}", self.kind.as_str(), self.key, self.attempts)
    }
}

impl Tx<'_> {
    /// Makes the user's subscriptions end with the paid period. Does nothing without a
    /// subscription, if it ends anyway, or without a provider.
    pub fn cancel_at_period_end(&mut self, user: UserId, now: Timestamp) -> Result<()> {
        for subscription in self.lasting_subscriptions(user)? {
            let pending = self.pending_task(&subscription)?;
            match pending {
                Some((TaskKind::CancelAtPeriodEnd, _)) => {}
                // Never sent, so nothing has to be undone.
                Some((TaskKind::Reactivate, 0)) => self.remove_task_of(&subscription)?,
                _ => self.put_task(TaskKind::CancelAtPeriodEnd, &subscription, Some(user), now)?,
            }
            self.run(
                "UPDATE subscriptions SET ended_by_us = 1 WHERE subscription_id = ?1",
                [&subscription],
            )?;
        }
        Ok(())
    }

    /// Undoes `cancel_at_period_end` only: a subscription that the person cancelled stays
    /// cancelled.
    pub fn reactivate_subscription(&mut self, user: UserId, now: Timestamp) -> Result<()> {
        for subscription in self.subscriptions_ended_by_us(user)? {
            match self.pending_task(&subscription)? {
                Some((TaskKind::CancelAtPeriodEnd, 0)) => self.remove_task_of(&subscription)?,
                _ => self.put_task(TaskKind::Reactivate, &subscription, Some(user), now)?,
            }
            self.run(
                "UPDATE subscriptions SET ended_by_us = 0 WHERE subscription_id = ?1",
                [&subscription],
            )?;
        }
        Ok(())
    }

    /// Makes the provider delete all customers of the user. The user's rows may be removed in the
    /// same transaction.
    pub fn delete_customer_of(&mut self, user: UserId, now: Timestamp) -> Result<()> {
        for customer in self.customers_of(user)? {
            self.delete_customer(&customer, now)?;
        }
        Ok(())
    }

    /// Makes the provider delete a customer; the user's row may already be gone.
    pub fn delete_customer(&mut self, customer_id: &str, now: Timestamp) -> Result<()> {
        match self.pending_task(customer_id)? {
            Some(_) => Ok(()),
            None => self.put_task(TaskKind::DeleteCustomer, customer_id, None, now),
        }
    }

    /// Counts an attempt before it is made and postpones the next one, so that a crash costs only
    /// one pause. `None` when another task has replaced this one.
    pub fn begin_task(&self, id: i64, now: Timestamp) -> Result<Option<ProviderTask>> {
        let attempts: Option<i64> =
            self.find("SELECT attempts FROM provider_tasks WHERE id = ?1", [id])?;
        let Some(attempts) = attempts else {
            return Ok(None);
        };
        self.run(
            "UPDATE provider_tasks SET attempts = attempts + 1, due_at = ?2 WHERE id = ?1",
            (id, now.plus_ms(pause_ms(attempts))),
        )?;
        self.task(id)
    }

    /// The provider confirmed the task. True unless another task has replaced it.
    pub fn end_task(&self, task: &ProviderTask) -> Result<bool> {
        // Ids are reused; keys are not.
        let ended = self.execute(
            "DELETE FROM provider_tasks WHERE id = ?1 AND key = ?2",
            (task.id, &task.key),
        )?;
        Ok(ended > 0)
    }

    fn put_task(
        &mut self,
        kind: TaskKind,
        subject: &str,
        user: Option<UserId>,
        now: Timestamp,
    ) -> Result<()> {
        let queue = self.cache.provider_tasks.clone();
        if !queue.provider.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.remove_task_of(subject)?;
        self.run(
            "INSERT INTO provider_tasks (kind, subject, user_id, key, due_at)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (kind, subject, user, random::uuid().to_string(), now),
        )?;
        self.after_commit(move || queue.queued.notify_one());
        Ok(())
    }

    fn remove_task_of(&self, subject: &str) -> Result<()> {
        self.run("DELETE FROM provider_tasks WHERE subject = ?1", [subject])
    }

    /// Kind and attempts.
    fn pending_task(&self, subject: &str) -> Result<Option<(TaskKind, i64)>> {
        self.find(
            "SELECT kind, attempts FROM provider_tasks WHERE subject = ?1",
            [subject],
        )
    }

    /// Subscriptions that renew, or will once a task of ours is done.
    fn lasting_subscriptions(&self, user: UserId) -> Result<Vec<String>> {
        self.subscription_ids(
            "SELECT subscription_id FROM subscriptions
             WHERE user_id = ?1 AND status IN ('active', 'trial', 'past_due')
               AND (cancel_at_period_end = 0 OR EXISTS (SELECT 1 FROM provider_tasks
                 WHERE subject = subscriptions.subscription_id AND kind = 'reactivate'))",
            user,
        )
    }

    fn subscriptions_ended_by_us(&self, user: UserId) -> Result<Vec<String>> {
        self.subscription_ids(
            "SELECT subscription_id FROM subscriptions
             WHERE user_id = ?1 AND ended_by_us = 1 AND status <> 'canceled'",
            user,
        )
    }

    pub(super) fn customers_of(&self, user: UserId) -> Result<Vec<String>> {
        self.subscription_ids(
            "SELECT customer_id FROM users WHERE id = ?1 AND customer_id IS NOT NULL
             UNION SELECT customer_id FROM subscriptions
             WHERE user_id = ?1 AND customer_id IS NOT NULL",
            user,
        )
    }

    fn subscription_ids(&self, sql: &str, user: UserId) -> Result<Vec<String>> {
        self.all(sql, [user])
    }

    /// The idempotency key of an operation with unknown outcome, or a new one. It is stored before
    /// the first call with the key.
    pub fn provider_key(&self, user: UserId, operation: &str, now: Timestamp) -> Result<String> {
        let pending: Option<String> = self.find(
            "SELECT key FROM provider_keys WHERE user_id = ?1 AND operation = ?2",
            (user, operation),
        )?;
        if let Some(key) = pending {
            return Ok(key);
        }
        let key = random::uuid().to_string();
        self.run(
            "INSERT INTO provider_keys (user_id, operation, key, created_at) VALUES (?1, ?2, ?3, ?4)",
            (user, operation, &key, now),
        )?;
        Ok(key)
    }

    /// The outcome is known: the next call is a new operation.
    pub fn remove_provider_key(&self, user: UserId, operation: &str) -> Result<()> {
        self.run(
            "DELETE FROM provider_keys WHERE user_id = ?1 AND operation = ?2",
            (user, operation),
        )
    }
}

const COLUMNS: &str = "SELECT id, kind, subject, key, attempts FROM provider_tasks";

impl View<'_> {
    /// Due tasks, at most 64.
    pub fn due_tasks(&self, now: Timestamp) -> Result<Vec<ProviderTask>> {
        self.all(
            &format!("{COLUMNS} WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2"),
            (now, DUE_MAX),
        )
    }

    /// When the next task is due.
    pub fn next_task_due(&self) -> Result<Option<Timestamp>> {
        self.find(
            "SELECT due_at FROM provider_tasks ORDER BY due_at LIMIT 1",
            [],
        )
    }

    fn task(&self, id: i64) -> Result<Option<ProviderTask>> {
        self.find(&format!("{COLUMNS} WHERE id = ?1"), [id])
    }
}

/// The pause until the next attempt after `before` earlier attempts.
fn pause_ms(before: i64) -> i64 {
    let doublings = before.clamp(0, 6) as u32;
    (PAUSE_MS << doublings).min(PAUSE_MS_MAX)
}

from_row!(ProviderTask: id, kind, subject, key, attempts);

#[cfg(test)]
mod tests;
