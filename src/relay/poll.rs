//! Polling with `POST /edge/sync`, while no WebSocket opens.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Instant;

use super::call::backoff;
use super::service::CallResult;
use super::{Network, RelayCore, StopReason};

/// How long the service may delay its answer.
const WAIT_S: u64 = 25;
/// A shorter delay while commands are running, so that acks are sent soon.
const WAIT_BUSY_S: u64 = 1;
/// 60 polls a minute are allowed.
const PAUSE: Duration = Duration::from_millis(1_100);
const ACKS_MAX: usize = 1_000;

pub(super) async fn run<N: Network>(
    core: &Arc<RelayCore<N>>,
    reports: &mut UnboundedReceiver<Value>,
    time: Duration,
) -> Result<(), StopReason> {
    let until = Instant::now() + time;
    let mut attempt = 0;
    // Reports of a poll without an answer.
    let mut acks: Vec<Value> = Vec::new();
    while Instant::now() < until || !acks.is_empty() {
        while acks.len() < ACKS_MAX
            && let Ok(report) = reports.try_recv()
        {
            acks.push(report);
        }
        let wait_s = if core.is_idle() { WAIT_S } else { WAIT_BUSY_S };
        let report = json!({"acks": acks, "wait_seconds": wait_s});
        let pause = match core.service.sync(report).await {
            CallResult::Taken(answer) => {
                core.status.set_service(None);
                attempt = 0;
                acks.clear();
                for command in answer["commands"].as_array().into_iter().flatten() {
                    core.run(command);
                }
                Duration::ZERO
            }
            CallResult::Stop(stop) => return Err(stop),
            CallResult::Later { wait, why } => {
                core.status.set_service(Some(&why));
                attempt += 1;
                wait.max(backoff(attempt))
            }
            CallResult::Refused(why) | CallResult::Broken(why) => {
                core.status.set_service(Some(&why));
                acks.clear(); // reported again when the commands are handed out again
                attempt += 1;
                backoff(attempt)
            }
        };
        tokio::time::sleep(pause.max(PAUSE)).await;
    }
    Ok(())
}
