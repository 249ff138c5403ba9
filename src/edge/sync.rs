//! `POST /edge/sync`: the outbox for a relay that polls. It commits the relay's reports, and
//! answers with the commands that are due now or become due while the relay waits.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::futures::Notified;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::acks;
use super::hub::{Hub, Phase, Relay};
use super::wire;
pub use super::wire::{Ack, InvalidField, RelayEvent, read_status};
use crate::error::{Error, Quota, Result};
use crate::limits::MINUTE_MS;

pub const ACKS_MAX: usize = 1_000;
pub const EVENTS_MAX: usize = 100;
pub const LIMIT_MAX: usize = 100;
pub const LIMIT_DEFAULT: usize = 50;
pub const WAIT_S_MAX: u64 = 25;
const WAIT_MIN: Duration = Duration::from_millis(50);
/// Polls per agent and minute.
const POLLS_MAX: u64 = 60;
const POLLS: &str = "relay_polls";

/// A relay's poll.
#[derive(Debug, Default)]
pub struct Poll {
    /// This command and all commands handed out before it are done.
    pub last_command_id: Option<String>,
    pub acks: Vec<Ack>,
    pub events: Vec<RelayEvent>,
    /// The relay's status as JSON.
    pub status: Option<String>,
    pub wait_s: u64,
    pub limit: usize,
}

/// The answer to a poll: commands as JSON texts.
#[derive(Debug, Default)]
pub struct PollAnswer {
    pub commands: Vec<String>,
    pub ack_events: Vec<String>,
    pub has_more: bool,
    pub ws_connected: bool,
}

/// Counts one poll; 429 when the agent used up this minute's polls.
pub fn take_poll(hub: &Hub, relay: &Relay) -> Result<Quota> {
    relay
        .state()
        .syncs
        .take(POLLS_MAX, MINUTE_MS, 1, hub.clock.monotonic())
        .map(|left| left.quota(POLLS))
        .map_err(|left| Error::rate_limited(left.quota(POLLS)))
}

pub async fn poll(hub: &Arc<Hub>, relay: &Arc<Relay>, poll: Poll) -> Result<PollAnswer> {
    let deadline = Instant::now() + Duration::from_secs(poll.wait_s);
    let (wait_s, limit) = (poll.wait_s, poll.limit);
    let mut polled = PollAnswer {
        ack_events: poll.events.iter().map(|e| e.event_id.clone()).collect(),
        ..PollAnswer::default()
    };
    let number = relay.begin_poll();
    hub.load(relay).await?;
    commit_reports(hub, relay, poll).await?;
    let mut phase = hub.phase();
    loop {
        let mut woken = pin!(relay.poll_wake.notified());
        woken.as_mut().enable(); // enabled before the check, so that no wake-up is lost
        if hub.has_live_socket(relay) {
            polled.ws_connected = true;
            return Ok(polled);
        }
        if relay.state().polls != number || *phase.borrow_and_update() != Phase::Running {
            return Ok(polled);
        }
        (polled.commands, polled.has_more) = commands_due(hub, relay, limit).await?;
        if !polled.commands.is_empty() || wait_s == 0 {
            return Ok(polled);
        }
        if !wait(hub, relay, deadline, woken, &mut phase).await {
            return Ok(polled);
        }
    }
}

/// Commits acks, the commands they complete, events and the status together.
async fn commit_reports(hub: &Arc<Hub>, relay: &Arc<Relay>, poll: Poll) -> Result<()> {
    let now = hub.clock.now();
    let (hub, relay) = (hub.clone(), relay.clone());
    hub.store
        .clone()
        .write(move |tx| {
            let finished = match &poll.last_command_id {
                Some(id) => tx.command_status(relay.id, id)?.map(|command| command.seq),
                None => None,
            };
            let finished = finished.and_then(|seq| {
                let state = relay.state();
                state.outbox.as_ref().map(|o| o.finished_with(seq))
            });
            for ack in &poll.acks {
                acks::apply(tx, &hub, &relay, ack, now)?;
            }
            // After the acks, so that a command reported as failed is not completed here.
            acks::complete(tx, &hub, &relay, &finished.unwrap_or_default(), now)?;
            for event in &poll.events {
                acks::record(tx, relay.id, event, now)?;
            }
            match &poll.status {
                Some(status) => tx.set_agent_status(relay.id, status, now),
                None if hub.note_activity(relay.id, &relay.name, now) => {
                    tx.set_agent_seen(relay.id, now)
                }
                None => Ok(()),
            }
        })
        .await
}

/// Plans the poll's commands and commits their hand-out.
async fn commands_due(
    hub: &Arc<Hub>,
    relay: &Arc<Relay>,
    limit: usize,
) -> Result<(Vec<String>, bool)> {
    let (now, mono) = (hub.clock.now(), hub.clock.monotonic());
    let (steps, has_more) = match &mut relay.state().outbox {
        Some(outbox) if outbox.poll_due(now, mono) => outbox.poll_plan(limit, now, mono),
        _ => return Ok((Vec::new(), false)),
    };
    let mut commands = hub.commit(relay, steps).await?;
    commands.retain(|command| hub.is_wanted(relay, command));
    if !commands.is_empty()
        && let Some(outbox) = &mut relay.state().outbox
    {
        outbox.poll_answered(commands.iter().map(|command| command.seq).collect());
    }
    Ok((commands.iter().map(wire::command_data).collect(), has_more))
}

/// Waits until a command may be due; false at the end of the relay's waiting time.
async fn wait(
    hub: &Hub,
    relay: &Relay,
    deadline: Instant,
    woken: Pin<&mut Notified<'_>>,
    phase: &mut watch::Receiver<Phase>,
) -> bool {
    let now = hub.clock.now();
    let mono = hub.clock.monotonic();
    let outbox_next = |relay: &Relay| {
        let state = relay.state();
        state.outbox.as_ref().and_then(|o| o.poll_next(now, mono))
    };
    // Overdue commands were checked just now; check them again a little later.
    let timer = outbox_next(relay).map_or(deadline, |at| {
        let wait = Duration::from_millis(at.since(mono)).max(WAIT_MIN);
        deadline.min(Instant::now() + wait)
    });
    tokio::select! {
        () = woken => true,
        _ = phase.changed() => true,
        () = sleep_until(timer) => Instant::now() < deadline,
    }
}
