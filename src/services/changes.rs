//! Carries out the changes of calendars that people confirmed, and tells them the outcome. A change
//! is stored with the UID of its event before its first request, and each try is counted before it
//! begins: after a crash the server's state is read first.

use super::caldav::{Account, ChangeResult};
use super::fetch_time::FetchTime;
use super::ics::ExpansionContext;
use super::sync::UNFINISHED_MS;
use super::{Credentials, ServiceError, Services};
use crate::clock::Timestamp;
use crate::edge::queue::{self, OutgoingMessage};
use crate::error::Result;
use crate::model::calendar::{EventChange, EventDetails, EventFacts, EventStatus, window};
use crate::model::calendar_change::CalendarChange;
use crate::store::{CalendarChangeRow, CalendarRow, ServiceRow, Tx};

/// How long a change is tried while its server does not answer.
const TRIED_MS_MAX: i64 = 15 * 60_000;
/// The pause after the first attempt; each later one is twice as long.
const PAUSE_MS: i64 = 10_000;
/// After this many attempts the pause grows no more.
const GROWING_TRIES: u32 = 5;
/// Pause between attempts to tell the outcome in a chat that takes no message.
const TOLD_AGAIN_MS: i64 = 60_000;
/// How long telling the outcome is tried.
const TOLD_MS_MAX: i64 = 86_400_000;

/// The result of an attempt.
enum Attempt {
    /// The present events of a series that was moved; else empty.
    Done(Vec<EventFacts>),
    /// It failed, or its outcome stays unknown; the sentence for the person.
    Failed(String),
    /// Another attempt may help.
    Retry,
}

impl Services {
    /// Carries out a change whose try was counted.
    pub(super) async fn carry_out(&self, row: CalendarChangeRow) -> Result<()> {
        let (id, calendar) = (row.id, row.calendar);
        let found = self.store.read(move |view| {
            let calendar = view.calendar(calendar)?;
            let service = calendar.as_ref().map(|row| view.service_row(row.service));
            Ok(calendar.zip(service.transpose()?.flatten()))
        });
        let Some((calendar, service)) = found.await? else {
            return self
                .store
                .write(move |tx| tx.delete_calendar_change(id))
                .await;
        };
        // No sync of this service meanwhile: it would write what the server had before.
        let lock = self.lock_of(service.id);
        let _held = lock.lock().await;
        let known = self
            .store
            .read(move |view| view.calendar_change(id))
            .await?;
        if known.is_none_or(|row| row.outcome.is_some()) {
            return Ok(());
        }
        let result = self.ask_for_change(&service, &calendar, &row).await;
        let now = self.clock.now();
        let attempt = attempt_of(&row, result, now);
        let written = self.store.write(move |tx| {
            let outcome = match &attempt {
                Attempt::Retry => {
                    let tries = row.attempts.clamp(0, i64::from(GROWING_TRIES)) as u32;
                    let due_at = now.plus_ms(PAUSE_MS << tries);
                    return tx.put_off_calendar_change(id, due_at);
                }
                Attempt::Done(moved) => {
                    apply(tx, &calendar, &row.change, moved, now)?;
                    // The rest of what its server made of it.
                    tx.begin_sync(service.id, now)?;
                    &row.done
                }
                Attempt::Failed(why) => why,
            };
            tx.end_calendar_change(id, outcome, now)
        });
        written.await
    }

    async fn ask_for_change(
        &self,
        service: &ServiceRow,
        calendar: &CalendarRow,
        row: &CalendarChangeRow,
    ) -> Result<ChangeResult, ServiceError> {
        let broken = || ServiceError::unreachable("What the server sent can't be read.");
        let opened = self.open(service);
        let credentials = opened.map_err(|error| ServiceError::unreachable(error.detail))?;
        let Credentials::Caldav {
            username, password, ..
        } = credentials.clone()
        else {
            return Ok(ChangeResult::NotDone("it can only be read".to_owned()));
        };
        let address = credentials.address();
        let address = address.map_err(|error| ServiceError::unreachable(error.detail))?;
        let owner = self.owner(service.user, &credentials);
        let owner = owner.map_err(|error| ServiceError::unreachable(error.detail))?;
        let (network, clock) = (self.network.clone(), self.clock.clone());
        let (path, change) = (calendar.path.clone(), row.change.clone());
        let is_retry = row.attempts > 0;
        let result = self.fetch_threads.run(move || {
            let (now, time) = (clock.now(), FetchTime::new(&clock));
            let account = Account {
                address: &address,
                username: &username,
                password: &password,
                network: &network,
                time: &time,
            };
            let context = ExpansionContext {
                window: window(now),
                zone: owner.zone,
                own_emails: &owner.emails,
                is_late: &|| time.is_late(),
            };
            account.carry_out(&path, &change, is_retry, &context, now)
        });
        result.await.unwrap_or_else(|_| Err(broken()))
    }

    /// Queues the outcome for the person's own chat, and forgets the change once that is done.
    pub(super) async fn tell_outcome(&self, row: CalendarChangeRow) -> Result<()> {
        let (hub, now) = (self.hub.clone(), self.clock.now());
        let written = self.store.write(move |tx| {
            let Some(outcome) = &row.outcome else {
                return Ok(());
            };
            let chat = tx.newest_direct_chat(row.user, true)?;
            let message = chat
                .as_ref()
                .and_then(|chat| OutgoingMessage::to_chat(chat, outcome, row.user));
            let is_told = match message {
                Some(message) => queue::send_message(tx, &hub, &message.unsplit(), now)?,
                None => false,
            };
            match is_told || now.0 - row.created_at.0 > TOLD_MS_MAX {
                true => tx.delete_calendar_change(row.id),
                false => tx.put_off_calendar_change(row.id, now.plus_ms(TOLD_AGAIN_MS)),
            }
        });
        written.await
    }

    /// Counts a try, which is due again when the process is killed. `None`: it is gone.
    pub(super) async fn begin_change(&self, id: i64) -> Result<Option<CalendarChangeRow>> {
        let next = self.clock.now().plus_ms(UNFINISHED_MS);
        let begun = self
            .store
            .write(move |tx| tx.begin_calendar_change(id, next));
        begun.await
    }
}

fn attempt_of(
    row: &CalendarChangeRow,
    asked: Result<ChangeResult, ServiceError>,
    now: Timestamp,
) -> Attempt {
    let title = row.change.title();
    let (verb, what) = match &row.change {
        CalendarChange::Add { .. } => ("put", "into your calendar"),
        CalendarChange::Move { .. } | CalendarChange::MoveSeries { .. } => {
            ("move", "in your calendar")
        }
        CalendarChange::Delete { .. } => ("delete", "from your calendar"),
    };
    match asked {
        Ok(ChangeResult::Done) => Attempt::Done(Vec::new()),
        Ok(ChangeResult::SeriesMoved(events)) => Attempt::Done(events),
        Ok(ChangeResult::NotDone(why)) => {
            Attempt::Failed(format!("I did not {verb} “{title}” {what}: {why}."))
        }
        // Signing in comes before the change.
        Err(error) if error.is_refusal() => Attempt::Failed(format!(
            "I did not {verb} “{title}” {what}: {}",
            error.sentence
        )),
        Err(_) if now.0 - row.created_at.0 < TRIED_MS_MAX => Attempt::Retry,
        Err(error) => Attempt::Failed(format!(
            "I tried to {verb} “{title}” {what} and don't know whether that worked: {} Please look there before you ask again.",
            error.sentence
        )),
    }
}

/// Writes the changed events at once, so that the next sync does not report them as news.
fn apply(
    tx: &mut Tx,
    calendar: &CalendarRow,
    change: &CalendarChange,
    moved: &[EventFacts],
    now: Timestamp,
) -> Result<()> {
    let (kept, uid) = (tx.events_of_calendar(calendar.id)?, change.uid());
    // A series that is deleted goes with all its instances.
    let is_changed = |facts: &EventFacts| {
        facts.uid == uid && (change.instance().is_empty() || facts.instance == change.instance())
    };
    let rows = kept.into_iter().filter(|(_, facts)| is_changed(facts));
    let changes: Vec<EventChange> = match change {
        CalendarChange::Add { uid, title, time } => {
            vec![EventChange::Insert(Box::new(EventFacts {
                uid: uid.clone(),
                instance: String::new(),
                object: format!("{}/{uid}.ics", calendar.path.trim_end_matches('/')),
                etag: None,
                time: *time,
                status: EventStatus::Confirmed,
                details: EventDetails {
                    title: title.clone(),
                    is_busy: true,
                    ..EventDetails::default()
                },
            }))]
        }
        CalendarChange::Move { to, .. } => rows
            .map(|(_, facts)| EventChange::Insert(Box::new(EventFacts { time: *to, ..facts })))
            .collect(),
        CalendarChange::MoveSeries { event, .. } => {
            let gone = rows.map(|(id, _)| EventChange::Remove(id));
            let moved = moved.iter().filter(|facts| facts.uid == uid);
            let moved = moved.map(|facts| EventFacts {
                object: event.object.clone(),
                ..facts.clone()
            });
            gone.chain(moved.map(|facts| EventChange::Insert(Box::new(facts))))
                .collect()
        }
        CalendarChange::Delete { .. } => rows.map(|(id, _)| EventChange::Remove(id)).collect(),
    };
    tx.apply_event_changes(calendar.id, &changes, now)?;
    tx.forget_event_versions(calendar.id, uid)
}
