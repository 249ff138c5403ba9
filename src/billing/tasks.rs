//! The job that executes tasks for the provider: end or restore subscriptions, delete customers.
//! Tasks are in the database and are retried until done.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Billing;
use super::stripe::objects::id;
use super::stripe::{Call, Failure, Form};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::metrics::Job;
use crate::store::{ProviderTask, TaskKind};

/// How soon a changed clock is noticed.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Pause after a failed read of the tasks.
const FAILED_PAUSE: Duration = Duration::from_secs(1);
const TASK_MAX: Duration = Duration::from_secs(20);
/// Concurrent tasks, each with its own subject.
const TASKS_AT_ONCE: usize = 4;

/// The outcome of an attempt.
enum Outcome {
    Done,
    /// The person had already cancelled the subscription.
    EndedByThem,
}

/// Runs until the service ends.
pub async fn run(billing: Arc<Billing>, numbers: Arc<Job>) {
    let queued = billing.store.provider_task_queued();
    loop {
        let worked = billing.work_on_tasks().await;
        numbers.ran(&worked, billing.clock.now().0);
        let pause = match worked {
            Ok(Some(next)) => {
                let ms = next.0.saturating_sub(billing.clock.now().0).max(0) as u64;
                Duration::from_millis(ms).min(LOOK_EVERY)
            }
            Ok(None) => LOOK_EVERY,
            Err(error) => {
                log::warn!("what the payment provider is to be told: {error}");
                FAILED_PAUSE
            }
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = queued.notified() => {}
        }
    }
}

impl Billing {
    /// Tries everything that is due once; when the next task is.
    async fn work_on_tasks(self: &Arc<Self>) -> Result<Option<Timestamp>> {
        let now = self.clock.now();
        let due = self.store.read(move |view| view.due_tasks(now)).await?;
        for some in due.chunks(TASKS_AT_ONCE) {
            let mut under_way = tokio::task::JoinSet::new();
            for task in some {
                let (billing, id) = (self.clone(), task.id);
                under_way.spawn(async move { billing.try_task(id).await });
            }
            while let Some(ended) = under_way.join_next().await {
                if let Ok(Err(error)) = ended {
                    log::warn!("what the payment provider is to be told: {error}");
                }
            }
        }
        self.store.read(|view| view.next_task_due()).await
    }

    async fn try_task(&self, id: i64) -> Result<()> {
        let now = self.clock.now();
        let begun = self.store.write(move |tx| tx.begin_task(id, now)).await?;
        let Some(task) = begun else {
            return Ok(());
        };
        let kind = task.kind.as_str();
        match self.tell(&task).await {
            Ok(outcome) => {
                log::info!("the payment provider was told: {kind} of {}", task.subject);
                self.store
                    .write(move |tx| {
                        let stands = tx.end_task(&task)?;
                        match (&outcome, task.kind) {
                            (_, TaskKind::DeleteCustomer) => Ok(()),
                            (Outcome::EndedByThem, _) if stands => tx.leave_ended(&task.subject),
                            (_, kind) => {
                                let ends = kind == TaskKind::CancelAtPeriodEnd;
                                tx.set_cancel_at_period_end(&task.subject, ends)
                            }
                        }
                    })
                    .await
            }
            Err(failure) => {
                let attempt = task.attempts;
                log::warn!("{kind} of {}, attempt {attempt}: {failure}", task.subject);
                Ok(())
            }
        }
    }

    /// What does not exist any more needs not be told.
    async fn tell(&self, task: &ProviderTask) -> Result<Outcome, Failure> {
        let told = match task.kind {
            TaskKind::CancelAtPeriodEnd => self.cancel(task).await,
            TaskKind::Reactivate => self.set_end(task, false).await,
            TaskKind::DeleteCustomer => self.forget(task).await,
        };
        match told {
            Err(gone) if gone.is_missing() => Ok(Outcome::Done),
            told => told,
        }
    }

    async fn cancel(&self, task: &ProviderTask) -> Result<Outcome, Failure> {
        // Only before our first attempt can another cause have ended it.
        if task.attempts == 1 && self.ends(task).await? {
            return Ok(Outcome::EndedByThem);
        }
        self.set_end(task, true).await
    }

    /// Whether the subscription is to end with its period already.
    async fn ends(&self, task: &ProviderTask) -> Result<bool, Failure> {
        let call = Call::get(format!("/v1/subscriptions/{}", task.subject));
        match self.call_for(&call).await {
            Ok(answer) => Ok(answer.get("cancel_at_period_end") == Some(&true.into())),
            Err(gone) if gone.is_missing() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    async fn set_end(&self, task: &ProviderTask, ends: bool) -> Result<Outcome, Failure> {
        let form = Form::default().with("cancel_at_period_end", ends);
        let path = format!("/v1/subscriptions/{}", task.subject);
        let call = Call::post(path, &form, task.idempotency_key());
        let answer = self.call_for(&call).await?;
        match id(answer.get("id")) {
            Some(_) => Ok(Outcome::Done),
            None => Err(Failure::Garbage("no subscription")),
        }
    }

    async fn forget(&self, task: &ProviderTask) -> Result<Outcome, Failure> {
        let call = Call::delete(format!("/v1/customers/{}", task.subject));
        let answer = self.call_for(&call).await?;
        if answer.get("deleted") == Some(&true.into()) {
            Ok(Outcome::Done)
        } else {
            Err(Failure::Garbage("no customer that is deleted"))
        }
    }

    async fn call_for(&self, call: &Call) -> Result<Value, Failure> {
        let ours = |error: Error| Failure::Unreachable(error.to_string());
        let (stripe, keys) = (self.stripe().map_err(ours)?, self.keys().map_err(ours)?);
        let until = Instant::now() + TASK_MAX;
        stripe.call(&keys.secret, call, until).await
    }
}
