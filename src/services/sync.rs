//! One sync of one service (`sync_job` starts those that are due): what its server has is fetched,
//! compared with what is kept, and the difference is written, a bounded number of rows in each
//! transaction.

use std::collections::HashSet;
use std::sync::Arc;

use super::caldav::{self, Account};
use super::feed::{self, FeedState, FetchedFeed};
use super::fetch_time::FetchTime;
use super::fetched::{FetchedCalendar, FetchedEvents, ServiceContent};
use super::inbox::{self, MailboxAccess};
use super::web::{Address, Network};
use super::{Credentials, Owner, ServiceError, ServiceErrorKind, Services};
use crate::clock::{Clock, Timestamp};
use crate::error::{Error, Result};
use crate::model::calendar::{EventChange, EventFacts, differences};
use crate::model::connected_service::{SYNC_INTERVAL_MS, ServiceState, next_sync};
use crate::model::mail_item::NewMailItem;
use crate::random;
use crate::store::{CalendarId, CalendarRow, ListedCalendar, ServiceId, ServiceRow, SyncResult};

/// Rows written in one transaction.
const CHANGES_MAX: usize = 200;
/// Mails written in one transaction. They are longer than other rows.
const MAILS_WRITTEN_MAX: usize = 50;
/// How long the extract of a mail is kept.
const MAILS_KEPT_MS: i64 = 30 * 86_400_000;
/// Failures in a row after which an address without a calendar is given up.
const GONE_FAILURES: i64 = 3;
/// The random part of the pause between two syncs.
const SPREAD_MS_MAX: i64 = 30_000;
/// A sync that never ended, as the process was killed, is repeated after this.
pub(super) const UNFINISHED_MS: i64 = 2 * SYNC_INTERVAL_MS;

/// When the next sync starts after a successful one, and from which state.
struct NextSync {
    /// The server asks for a longer pause.
    pause_ms: i64,
    /// `None`: unchanged.
    sync_state: Option<String>,
    has_more: bool,
}

impl Services {
    /// Fetches what is new and writes how that went. It errs only where the database does, or
    /// the key of the credentials is missing.
    pub(super) async fn sync(&self, service: ServiceRow) -> Result<()> {
        let id = service.id;
        let unfinished = self.clock.now().plus_ms(UNFINISHED_MS);
        let begun = self
            .store
            .write(move |tx| tx.begin_sync(id, unfinished))
            .await?;
        match begun {
            true => self.sync_begun(id).await,
            false => Ok(()),
        }
    }

    /// Syncs a service whose next sync was already postponed.
    pub(super) async fn sync_begun(&self, id: ServiceId) -> Result<()> {
        let lock = self.lock_of(id);
        let _held = lock.lock().await;
        // Read after the lock is taken: an earlier sync may have changed them.
        let read = self.store.look_up(|view| {
            let service = view.service_row(id)?;
            let calendars = view.calendars_of(id)?;
            Ok(service.map(|service| (service, calendars)))
        });
        let Some((service, calendars)) = read? else {
            return Ok(());
        };
        let credentials = self.open(&service)?;
        let owner = self.owner(service.user, &credentials)?;
        let state = service.sync_state;
        let fetched = self.fetch(credentials, state, calendars, owner).await;
        self.store_fetched(id, fetched).await
    }

    /// Asks the server. Never more than a few at once, off the threads that answer requests.
    pub(super) async fn fetch(
        &self,
        credentials: Credentials,
        state: String,
        calendars: Vec<CalendarRow>,
        owner: Owner,
    ) -> Result<ServiceContent, ServiceError> {
        let broken = || ServiceError::unreachable("What the server sent can't be read.");
        let (network, clock) = (self.network.clone(), self.clock.clone());
        let fetch = move || fetch(&credentials, &state, &calendars, &owner, &network, &clock);
        // A panic in a parser, caused by a hostile file, must not end the job.
        let fetched = self.fetch_threads.run(fetch).await;
        fetched.unwrap_or_else(|_| Err(broken()))
    }

    /// Writes what was fetched, or why it was not.
    pub(super) async fn store_fetched(
        &self,
        id: ServiceId,
        fetched: Result<ServiceContent, ServiceError>,
    ) -> Result<()> {
        let result = match fetched {
            Ok(fetched) => {
                self.write_calendars(id, fetched.calendars).await?;
                let mut next = NextSync {
                    pause_ms: fetched.pause_ms,
                    sync_state: None,
                    has_more: false,
                };
                if let Some(fetched) = fetched.mails {
                    self.write_mails(id, fetched.mails).await?;
                    // After the mails: a process that is killed before fetches them again.
                    next.sync_state = Some(fetched.sync_state);
                    next.has_more = fetched.has_more;
                }
                Ok(next)
            }
            Err(error) => Err(error),
        };
        let now = self.clock.now();
        let written = self.store.write(move |tx| {
            let Some(service) = tx.service_row(id)? else {
                return Ok(());
            };
            let result = result_of(&service, result, now);
            tx.end_sync(&service, &result).map(drop)
        });
        written.await
    }

    async fn write_calendars(&self, id: ServiceId, fetched: Vec<FetchedCalendar>) -> Result<()> {
        // Most syncs find nothing new and write nothing.
        let known = self.store.look_up(|view| view.calendars_of(id))?;
        let is_known = |calendar: &FetchedCalendar| {
            matches!(calendar.events, FetchedEvents::Unchanged)
                && known.iter().any(|row| calendar.is_unchanged_from(row))
        };
        if fetched.len() == known.len() && fetched.iter().all(is_known) {
            return Ok(());
        }
        let paths: HashSet<String> = fetched.iter().map(|one| one.listed.path.clone()).collect();
        let listed: Vec<ListedCalendar> = fetched.iter().map(|one| one.listed.clone()).collect();
        let rows = self.store.write(move |tx| {
            let Some(service) = tx.service_row(id)? else {
                return Ok(Vec::new());
            };
            for calendar in &listed {
                tx.put_calendar(id, service.user, calendar)?;
            }
            tx.calendars_of(id)
        });
        let rows = rows.await?;
        for row in rows.iter().filter(|row| !paths.contains(&row.path)) {
            let gone = row.id;
            while !self.store.write(move |tx| tx.remove_calendar(gone)).await? {}
        }
        for calendar in fetched {
            let Some(row) = rows.iter().find(|row| row.path == calendar.listed.path) else {
                continue;
            };
            let id = row.id;
            match calendar.events {
                FetchedEvents::Unchanged => {}
                FetchedEvents::All { events, unread } => {
                    let is_replaced = |event: &EventFacts| !unread.contains(&event.object);
                    self.write_events(id, events, is_replaced).await?;
                }
                FetchedEvents::Some { replaced, events } => {
                    let replaced: HashSet<String> = replaced.into_iter().collect();
                    let is_replaced = |event: &EventFacts| replaced.contains(&event.object);
                    self.write_events(id, events, is_replaced).await?;
                }
            }
            // After the events: a process that is killed before fetches them again.
            if row.sync_state != calendar.sync_state {
                let state = calendar.sync_state;
                let written = self
                    .store
                    .write(move |tx| tx.set_calendar_sync_state(id, &state));
                written.await?;
            }
        }
        Ok(())
    }

    /// Replaces the events for which `is_replaced` is true.
    async fn write_events(
        &self,
        calendar: CalendarId,
        events: Vec<EventFacts>,
        is_replaced: impl Fn(&EventFacts) -> bool,
    ) -> Result<()> {
        let now = self.clock.now();
        let read = self
            .store
            .read(move |view| view.events_of_calendar(calendar));
        let mut stored = read.await?;
        stored.retain(|(_, event)| is_replaced(event));
        let compare = move || differences(&stored, events, now);
        let compared = self.fetch_threads.run(compare).await;
        let broken = |_| Error::internal("events could not be compared");
        let mut changes: Vec<EventChange> = compared.map_err(broken)?;
        while !changes.is_empty() {
            let some: Vec<EventChange> = changes.drain(..changes.len().min(CHANGES_MAX)).collect();
            let written = self
                .store
                .write(move |tx| tx.apply_event_changes(calendar, &some, now));
            written.await?;
        }
        Ok(())
    }

    /// Stores new mails and removes old ones.
    async fn write_mails(&self, id: ServiceId, mut mails: Vec<NewMailItem>) -> Result<()> {
        let now = self.clock.now();
        while !mails.is_empty() {
            let some: Vec<NewMailItem> =
                mails.drain(..mails.len().min(MAILS_WRITTEN_MAX)).collect();
            let written = self.store.write(move |tx| {
                let Some(service) = tx.service_row(id)? else {
                    return Ok(());
                };
                for mail in &some {
                    tx.put_mail(id, service.user, mail, now)?;
                }
                Ok(())
            });
            written.await?;
        }
        // Removed mails can't be fetched again, so an uncertain clock removes none.
        let Some(now) = self.clock.steady_now() else {
            return Ok(());
        };
        let before = now.plus_ms(-MAILS_KEPT_MS);
        while !self
            .store
            .write(move |tx| tx.prune_mails(id, before))
            .await?
        {}
        Ok(())
    }

    pub(super) fn lock_of(&self, id: ServiceId) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock();
        locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        locks.entry(id).or_default().clone()
    }
}

/// Asks the server of a service. It blocks.
fn fetch(
    credentials: &Credentials,
    state: &str,
    calendars: &[CalendarRow],
    owner: &Owner,
    network: &Network,
    clock: &Clock,
) -> Result<ServiceContent, ServiceError> {
    let (now, time) = (clock.now(), FetchTime::new(clock));
    let address = credentials.address();
    let address = address.map_err(|error| ServiceError::unreachable(error.detail))?;
    match credentials {
        Credentials::Imap {
            port,
            username,
            password,
            tls,
            ..
        } => {
            let mailbox = MailboxAccess {
                host: &address.host,
                port: *port,
                username,
                password,
                tls: *tls,
                network,
            };
            inbox::fetch(&mailbox, state, owner, now, clock)
        }
        Credentials::Ics { .. } => fetch_feed(&address, calendars, owner, network, now, &time),
        Credentials::Caldav {
            username, password, ..
        } => {
            let account = Account {
                address: &address,
                username,
                password,
                network,
                time: &time,
            };
            caldav::fetch(&account, calendars, owner, now)
        }
    }
}

fn fetch_feed(
    address: &Address,
    calendars: &[CalendarRow],
    owner: &Owner,
    network: &Network,
    now: Timestamp,
    time: &FetchTime,
) -> Result<ServiceContent, ServiceError> {
    let known = calendars.first();
    let before: FeedState = known
        .and_then(|row| serde_json::from_str(&row.sync_state).ok())
        .unwrap_or_default();
    let fetched = match known {
        // A calendar that is switched off is not fetched.
        Some(row) if !row.is_enabled => FetchedFeed {
            file: None,
            state: before,
        },
        _ => feed::fetch(address, network, &before, owner, now, time)?,
    };
    let known_name = known.map(|row| row.name.clone());
    let name = fetched.file.as_ref().and_then(|file| file.name.clone());
    let listed = ListedCalendar {
        path: String::new(),
        name: name
            .clone()
            .or(known_name)
            .unwrap_or_else(|| address.host.clone()),
        is_writable: false,
    };
    Ok(ServiceContent {
        name,
        mails: None,
        pause_ms: fetched.state.refresh_ms,
        calendars: vec![FetchedCalendar {
            listed,
            sync_state: serde_json::to_string(&fetched.state).unwrap_or_default(),
            events: match fetched.file {
                Some(file) => FetchedEvents::All {
                    events: file.events,
                    unread: HashSet::new(),
                },
                None => FetchedEvents::Unchanged,
            },
        }],
    })
}

/// The service's state after a sync, successful or not.
fn result_of(
    service: &ServiceRow,
    result: Result<NextSync, ServiceError>,
    now: Timestamp,
) -> SyncResult {
    match result {
        Ok(next) => SyncResult {
            state: ServiceState::Ok,
            error: None,
            failures: 0,
            next_sync_at: Some(match next.has_more {
                true => now,
                false => now.plus_ms(next.pause_ms.max(SYNC_INTERVAL_MS) + spread_ms()),
            }),
            synced_at: Some(now),
            sync_state: next.sync_state,
        },
        Err(error) => {
            let failures = service.failures + 1;
            let is_refused = match error.kind {
                ServiceErrorKind::Unreachable => false,
                ServiceErrorKind::Refused => true,
                ServiceErrorKind::Gone => failures >= GONE_FAILURES,
            };
            SyncResult {
                state: match is_refused {
                    true => ServiceState::Refused,
                    false => ServiceState::Failing,
                },
                error: Some(error.sentence),
                failures,
                next_sync_at: (!is_refused).then(|| next_sync(now, failures)),
                synced_at: None,
                sync_state: None,
            }
        }
    }
}

/// Services that were connected at the same time drift apart.
fn spread_ms() -> i64 {
    (random::unit() * SPREAD_MS_MAX as f64) as i64
}
