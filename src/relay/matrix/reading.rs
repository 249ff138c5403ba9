//! Reading from Matrix: the `/sync` loop, gaps, invitations, and the stored reading position.

use std::time::Duration;

use serde_json::Value;

use super::api::Failure;
use super::percent_encoded;
use super::session_file::MatrixSession;
use super::sync::{self, RoomUpdates, SyncMarks};
use super::{Bot, Matrix, events};
use crate::random;
use crate::relay::call::backoff;
use crate::relay::{StopReason, Uplink};

/// How long the homeserver may delay its answer.
const POLL: Duration = Duration::from_secs(30);
/// The first sync of each run has another timeout below this.
const FIRST_TIMEOUT_MS_MAX: u64 = 1_000;
/// Limit of events in progress; at the limit no more are requested.
const UNDER_WAY_MAX: usize = 1_000;
/// A gap is filled with at most this many answers of 100 events.
const GAP_ANSWERS_MAX: usize = 20;

impl Matrix {
    async fn sync(&self, since: Option<&str>, wait: Duration) -> Result<Value, Failure> {
        let filter = percent_encoded(&sync::filter().to_string());
        let since = since.map_or(String::new(), |since| {
            format!("&since={}", percent_encoded(since))
        });
        let wait_ms = wait.as_millis();
        let path = format!("/sync?timeout={wait_ms}&filter={filter}{since}");
        self.api.poll(&path, wait).await
    }

    /// Fetches the events that an answer of `/sync` left out.
    async fn fill_gap(&self, updates: &mut RoomUpdates, since: &str) -> Result<(), Failure> {
        let filter = percent_encoded(&sync::gap_filter().to_string());
        let (room, since) = (percent_encoded(&updates.room), percent_encoded(since));
        let mut answers = 0;
        while let Some(from) = updates.gap.take() {
            if answers == GAP_ANSWERS_MAX {
                log::warn!(
                    "matrix: messages in {} are left out: too many",
                    updates.room
                );
                break;
            }
            answers += 1;
            let from = percent_encoded(&from);
            let path = format!(
                "/rooms/{room}/messages?dir=b&from={from}&to={since}&limit=100&filter={filter}"
            );
            let answer = match self.api.get(&path).await {
                Err(Failure::Refused { why, .. }) => {
                    log::warn!("matrix: messages in {} are left out: {why}", updates.room);
                    break;
                }
                answer => answer?,
            };
            let older = answer["chunk"].as_array().cloned().unwrap_or_default();
            updates.gap = answer["end"].as_str().map(str::to_owned);
            sync::put_before(older, &mut updates.events);
        }
        Ok(())
    }

    /// Puts an answer's events into chat_queues, and remembers its mark.
    async fn queue_events(
        &self,
        uplink: &Uplink<Self>,
        bot: &Bot,
        since: &str,
        answer: &Value,
        marks: &mut SyncMarks,
    ) -> Result<String, Failure> {
        let next = answer["next_batch"].as_str().map(str::to_owned);
        let next = next.ok_or_else(|| Failure::Broken("a sync without a mark".to_owned()))?;
        for room in sync::left_rooms(answer) {
            self.rooms.lock().remove(room);
        }
        let mut all_updates = sync::updates(answer, &bot.user_id);
        // Done first: if it fails, the same events are requested again.
        for updates in &mut all_updates {
            self.fill_gap(updates, since).await?;
        }
        let mut under_way = self.answer_invitations(uplink, bot, answer);
        for updates in all_updates {
            if updates.has_changed {
                self.rooms.lock().remove(&updates.room);
            }
            let events = updates.events.into_iter();
            under_way.extend(events.map(|event| events::queue(uplink, bot, &updates.room, event)));
        }
        marks.add(next.clone(), under_way);
        Ok(next)
    }

    fn answer_invitations(
        &self,
        uplink: &Uplink<Self>,
        bot: &Bot,
        answer: &Value,
    ) -> Vec<tokio::sync::oneshot::Receiver<()>> {
        let invitations = sync::invitations(answer, &bot.user_id).into_iter();
        invitations
            .map(|one| events::answer_invitation(uplink, one.room, one.inviter))
            .collect()
    }

    async fn store(&self, session: &mut MatrixSession, since: String) {
        session.since = Some(since);
        let (path, session) = (self.session_path.clone(), session.clone());
        let written = tokio::task::spawn_blocking(move || session.write(&path)).await;
        if let Err(error) = written.map_err(std::io::Error::other).flatten() {
            let path = self.session_path.display();
            log::error!("matrix: {path} can't be written: {error}");
        }
    }

    /// Waits until the bot's account is known and missed events are read; the error ends the relay.
    async fn begin(&self, uplink: &Uplink<Self>) -> Result<(Bot, MatrixSession), StopReason> {
        let mut attempt = 0;
        loop {
            let failure = match self.first_sync(uplink).await {
                Ok(begun) => return Ok(begun),
                Err(failure) => failure,
            };
            self.pause(uplink, failure, &mut attempt).await?;
        }
    }

    /// The first sync of this run: accepts open invitations. Without a stored position, earlier
    /// messages are not posted.
    async fn first_sync(&self, uplink: &Uplink<Self>) -> Result<(Bot, MatrixSession), Failure> {
        let (bot, session) = self.identity().await?.clone();
        // Synapse repeats its answer to an equal request for two minutes, and then invitations of
        // the meantime are missing. Without `since` no homeserver waits for the timeout.
        let timeout = u64::from_le_bytes(random::bytes()) % FIRST_TIMEOUT_MS_MAX;
        let answer = self.sync(None, Duration::from_millis(timeout)).await?;
        uplink.status().set_network(None);
        let mut session = session;
        for done in self.answer_invitations(uplink, &bot, &answer) {
            let _ = done.await;
        }
        if let (None, Some(next)) = (&session.since, answer["next_batch"].as_str()) {
            self.store(&mut session, next.to_owned()).await;
        }
        Ok((bot, session))
    }

    async fn pause(
        &self,
        uplink: &Uplink<Self>,
        failure: Failure,
        attempt: &mut u32,
    ) -> Result<(), StopReason> {
        if let Failure::Unauthorized(why) = failure {
            return Err(StopReason(why));
        }
        uplink.status().set_network(Some(&failure.to_string()));
        let pause = failure.wait().unwrap_or_else(|| backoff(*attempt));
        tokio::time::sleep(pause).await;
        *attempt += 1;
        Ok(())
    }

    /// The next answer of `/sync`. Marks that may be stored meanwhile are stored.
    async fn next_answer(
        &self,
        since: &str,
        marks: &mut SyncMarks,
        session: &mut MatrixSession,
    ) -> Result<Value, Failure> {
        let mut syncing = std::pin::pin!(self.sync(Some(since), POLL));
        loop {
            tokio::select! {
                answer = &mut syncing => return answer,
                done = marks.next_done() => self.store(session, done).await,
            }
        }
    }

    /// The `/sync` loop; the error ends the relay.
    pub(super) async fn read_on(&self, uplink: &Uplink<Self>) -> Result<(), StopReason> {
        let (bot, mut session) = self.begin(uplink).await?;
        let mut since = session.since.clone().unwrap_or_default();
        let mut marks = SyncMarks::default();
        let mut attempt = 0;
        loop {
            while marks.under_way() > UNDER_WAY_MAX {
                let done = marks.next_done().await;
                self.store(&mut session, done).await;
            }
            let answer = self.next_answer(&since, &mut marks, &mut session).await;
            let taken = match answer {
                Ok(answer) => {
                    self.queue_events(uplink, &bot, &since, &answer, &mut marks)
                        .await
                }
                Err(failure) => Err(failure),
            };
            match taken {
                Ok(next) => {
                    attempt = 0;
                    since = next;
                    uplink.status().set_network(None);
                }
                Err(failure) if failure.is_refusal(400) => {
                    let why = format!(
                        "the homeserver does not know how far the relay has read ({failure}); it reads on from now, and messages since then are left out"
                    );
                    log::error!("matrix: {why}");
                    return Err(self.forget(session, why).await);
                }
                Err(failure) => self.pause(uplink, failure, &mut attempt).await?,
            }
        }
    }

    /// Resets the session, such as after the homeserver was restored from a backup.
    async fn forget(&self, mut session: MatrixSession, why: String) -> StopReason {
        session.since = None;
        let path = self.session_path.clone();
        let written = tokio::task::spawn_blocking(move || session.write(&path)).await;
        match written.map_err(std::io::Error::other).flatten() {
            Ok(()) => StopReason(why),
            Err(error) => StopReason(format!("{why}; that can't be written: {error}")),
        }
    }
}
