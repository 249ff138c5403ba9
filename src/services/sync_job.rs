//! The background job of connected services: finds in the database whose sync is due, runs a few at
//! once, carries out the changes that people confirmed, and tells a person once when a service no
//! longer accepts the credentials.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::sync::UNFINISHED_MS;
use super::{FETCHES_MAX, Services};
use crate::clock::Timestamp;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::Result;
use crate::metrics::JobMetrics;
use crate::store::ServiceRow;

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Running syncs: some fetch, some write or wait to write.
const SYNCS_MAX: usize = 2 * FETCHES_MAX;

/// Runs until the service ends. What was under way then is due again a little later.
pub async fn run(services: Arc<Services>, metrics: Arc<JobMetrics>) {
    let mut syncs = JoinSet::new();
    loop {
        let now = services.clock.now();
        let outcome = start_due(&services, &mut syncs, now).await;
        metrics.ran(&outcome, services.clock.now().0);
        if let Err(error) = outcome {
            log::warn!("due connected services could not be handled: {error}");
        }
        let pause = services.clock.pause(now, POLL_INTERVAL);
        tokio::pin!(pause);
        loop {
            tokio::select! {
                () = &mut pause => break,
                Some(_) = syncs.join_next() => {}
            }
        }
    }
}

/// Carries out what is due: removals, notices, confirmed changes; starts due syncs.
async fn start_due(
    services: &Arc<Services>,
    syncs: &mut JoinSet<()>,
    now: Timestamp,
) -> Result<()> {
    let store = &services.store;
    for id in store.read(|view| view.disconnected_services()).await? {
        services.remove_fetched(id).await?;
    }
    for service in store.read(|view| view.untold_refusals()).await? {
        services.tell_refusal(service).await?;
    }
    for change in store
        .read(move |view| view.due_calendar_changes(now, SYNCS_MAX))
        .await?
    {
        if change.outcome.is_some() {
            services.tell_outcome(change).await?;
        } else if let Some(change) = services.begin_change(change.id).await? {
            let services = services.clone();
            syncs.spawn(async move {
                if let Err(error) = services.carry_out(change).await {
                    log::warn!("a calendar change could not be carried out: {error}");
                }
            });
        }
    }
    loop {
        while syncs.try_join_next().is_some() {}
        let free = SYNCS_MAX.saturating_sub(syncs.len());
        if free == 0 {
            // Each that ends makes room for the next.
            syncs.join_next().await;
            continue;
        }
        let due = store.read(move |view| view.due_services(now, free)).await?;
        if due.is_empty() {
            return Ok(());
        }
        let ids: Vec<_> = due.iter().map(|service| service.id).collect();
        let unfinished = now.plus_ms(UNFINISHED_MS);
        let begun = store.write(move |tx| {
            for id in ids {
                tx.begin_sync(id, unfinished)?;
            }
            Ok(())
        });
        begun.await?;
        for service in due {
            let services = services.clone();
            syncs.spawn(async move {
                if let Err(error) = services.sync_begun(service.id).await {
                    log::warn!("the sync of a connected service could not be stored: {error}");
                }
            });
        }
    }
}

impl Services {
    /// Queues the notice for the person's own chat; it stays due while nobody can take it.
    async fn tell_refusal(&self, service: ServiceRow) -> Result<()> {
        let (hub, now) = (self.hub.clone(), self.clock.now());
        let written = self.store.write(move |tx| {
            let Some(chat) = tx.newest_direct_chat(service.user, true)? else {
                return Ok(());
            };
            let text = format!(
                "I can't read {} any more: {} Connect it again when you like, and I go on.",
                service.name,
                service
                    .error
                    .as_deref()
                    .unwrap_or("it refuses the credentials."),
            );
            let Some(message) = OutgoingMessage::to_chat(&chat, &text, service.user) else {
                return Ok(());
            };
            if queue::send_message(tx, &hub, &message.unsplit(), now)? {
                tx.take_refusal_notice(service.id)?;
            }
            Ok(())
        });
        written.await
    }
}
