//! The job that executes tasks for the provider: end or restore subscriptions, delete customers.
//! Tasks are in the database and are retried until done.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::Billing;
use super::stripe::objects::id;
use super::stripe::{Form, StripeCall, StripeFailure};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::store::{ProviderTask, TaskKind};

/// Longest time between two checks; also the delay until a changed clock is noticed.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// Pause after a failed read of the tasks.
pub const FAILED_PAUSE: Duration = Duration::from_secs(1);
const TASK_MAX: Duration = Duration::from_secs(20);
/// Concurrent tasks, each with its own subject.
const CONCURRENT_TASKS: usize = 4;

/// The outcome of an attempt.
enum TaskOutcome {
    Done,
    /// The person had already cancelled the subscription.
    AlreadyCancelled,
}

impl Billing {
    /// Tries every due task once. Returns the pause before the next ones.
    pub async fn run_due_tasks(self: Arc<Self>, now: Timestamp) -> Result<Duration> {
        let due = self.store.read(move |view| view.due_tasks(now)).await?;
        for batch in due.chunks(CONCURRENT_TASKS) {
            let mut running = tokio::task::JoinSet::new();
            for task in batch {
                let (billing, id) = (self.clone(), task.id);
                running.spawn(async move { billing.try_task(id).await });
            }
            while let Some(result) = running.join_next().await {
                if let Ok(Err(error)) = result {
                    log::warn!("a task for the payment provider: {error}");
                }
            }
        }
        let next_due = self.store.read(|view| view.next_task_due()).await?;
        let until_due = next_due.map(|next| {
            let ms = next.0.saturating_sub(self.clock.now().0).max(0) as u64;
            Duration::from_millis(ms)
        });
        Ok(until_due.map_or(POLL_INTERVAL, |pause| pause.min(POLL_INTERVAL)))
    }

    async fn try_task(&self, id: i64) -> Result<()> {
        let now = self.clock.now();
        let task = self.store.write(move |tx| tx.begin_task(id, now)).await?;
        let Some(task) = task else {
            return Ok(());
        };
        let kind = task.kind.as_str();
        match self.execute(&task).await {
            Ok(outcome) => {
                log::info!("the payment provider confirmed {kind} of {}", task.subject);
                self.store
                    .write(move |tx| {
                        let is_current = tx.end_task(&task)?;
                        match (&outcome, task.kind) {
                            (_, TaskKind::DeleteCustomer) => Ok(()),
                            (TaskOutcome::AlreadyCancelled, _) if is_current => {
                                tx.leave_ended(&task.subject)
                            }
                            (_, kind) => {
                                let already_ends_with_period = kind == TaskKind::CancelAtPeriodEnd;
                                tx.set_cancel_at_period_end(&task.subject, already_ends_with_period)
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

    /// Executes a task. A missing object counts as done.
    async fn execute(&self, task: &ProviderTask) -> Result<TaskOutcome, StripeFailure> {
        let outcome = match task.kind {
            TaskKind::CancelAtPeriodEnd => self.cancel(task).await,
            TaskKind::Reactivate => self.set_end(task, false).await,
            TaskKind::DeleteCustomer => self.delete_customer(task).await,
        };
        match outcome {
            Err(failure) if failure.is_missing() => Ok(TaskOutcome::Done),
            outcome => outcome,
        }
    }

    async fn cancel(&self, task: &ProviderTask) -> Result<TaskOutcome, StripeFailure> {
        // Only before the first attempt, the person can have cancelled the subscription.
        if task.attempts == 1 && self.already_ends_with_period(task).await? {
            return Ok(TaskOutcome::AlreadyCancelled);
        }
        self.set_end(task, true).await
    }

    /// Whether the subscription is already cancelled at the end of its period.
    async fn already_ends_with_period(&self, task: &ProviderTask) -> Result<bool, StripeFailure> {
        let call = StripeCall::get(format!("/v1/subscriptions/{}", task.subject));
        match self.call(&call).await {
            Ok(answer) => Ok(answer.get("cancel_at_period_end") == Some(&true.into())),
            Err(failure) if failure.is_missing() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    async fn set_end(
        &self,
        task: &ProviderTask,
        already_ends_with_period: bool,
    ) -> Result<TaskOutcome, StripeFailure> {
        let form = Form::default().with("cancel_at_period_end", already_ends_with_period);
        let path = format!("/v1/subscriptions/{}", task.subject);
        let call = StripeCall::post(path, &form, task.idempotency_key());
        let answer = self.call(&call).await?;
        match id(answer.get("id")) {
            Some(_) => Ok(TaskOutcome::Done),
            None => Err(StripeFailure::InvalidAnswer("no subscription")),
        }
    }

    async fn delete_customer(&self, task: &ProviderTask) -> Result<TaskOutcome, StripeFailure> {
        let call = StripeCall::delete(format!("/v1/customers/{}", task.subject));
        let answer = self.call(&call).await?;
        if answer.get("deleted") == Some(&true.into()) {
            Ok(TaskOutcome::Done)
        } else {
            Err(StripeFailure::InvalidAnswer("no deleted customer"))
        }
    }

    async fn call(&self, call: &StripeCall) -> Result<Value, StripeFailure> {
        let unreachable = |error: Error| StripeFailure::Unreachable(error.to_string());
        let (stripe, keys) = (
            self.stripe().map_err(unreachable)?,
            self.keys().map_err(unreachable)?,
        );
        let until = Instant::now() + TASK_MAX;
        stripe.call(&keys.secret, call, until).await
    }
}
