//! Calendars and mailboxes that people connect: connecting, disconnecting, and synchronizing.
//! Servers are called through `outbound` only. This module must not know the HTTP server, or SQL.

mod caldav;
mod changes;
mod credentials;
mod discovery;
mod feed;
mod fetch_threads;
mod fetch_time;
mod fetched;
pub mod ics;
pub mod idle;
mod inbox;
mod invitations;
pub mod links;
mod operator;
mod providers;
mod service_error;
mod sync;
pub mod sync_job;
pub mod web;

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::auth::seal::Sealer;
use crate::clock::{Clock, Timestamp, Zone};
use crate::edge::hub::Hub;
use crate::error::{Error, ErrorKind, Result};
use crate::model::connected_service::{ServiceKind, ServiceState};
use crate::model::public_id::PublicId;
use crate::random;
use crate::store::{
    CalendarRow, Digest, NewService, Operator, ServiceId, ServiceRow, SharedStore, UserId, View,
};
use fetch_threads::FetchThreads;
use web::Network;

pub use credentials::Credentials;
pub use operator::list_of;
pub use service_error::{ServiceError, ServiceErrorKind};

/// Services of one person.
pub const SERVICES_MAX: usize = 20;
/// Servers that are asked at the same time.
const FETCHES_MAX: usize = 16;
/// Characters of a name that a person gives.
pub const NAME_CHARS_MAX: usize = 100;

/// The connected services of all people, and what their servers are asked with.
pub struct Services {
    store: SharedStore,
    clock: Clock,
    hub: Arc<Hub>,
    /// `None`: credentials were sealed with a key that is missing.
    sealer: Option<Arc<Sealer>>,
    network: Arc<Network>,
    fetch_threads: FetchThreads,
    /// A service was connected.
    connected: Notify,
    /// One sync of a service at a time.
    locks: Mutex<HashMap<ServiceId, Arc<tokio::sync::Mutex<()>>>>,
}

/// Answers never contain credentials.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConnectedService")]
pub struct ServiceView {
    #[schemars(with = "PublicId")]
    pub service_id: String,
    pub kind: ServiceKind,
    pub name: String,
    /// The host of its URL.
    #[schemars(example = &"calendar.example.com")]
    pub host: String,
    pub state: ServiceState,
    #[schemars(extend("enum" = ["calendar.read", "calendar", "mail.read"]))]
    pub scope: String,
    pub connected_at: Timestamp,
    /// Time of the last successful sync.
    pub last_sync_at: Option<Timestamp>,
    /// Why the last sync failed; a sentence for people.
    pub error: Option<String>,
    pub calendars: Vec<CalendarView>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct CalendarView {
    #[schemars(with = "PublicId")]
    pub calendar_id: String,
    pub name: String,
    /// `false`: its events are not used.
    pub enabled: bool,
}

/// A person's services.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConnectedServices")]
pub struct ServiceList {
    pub services: Vec<ServiceView>,
}

/// A change of a connected service. `None` and calendars that are not named stay as they are.
#[derive(Debug, Default)]
pub struct ServiceChange {
    pub name: Option<String>,
    /// Public ids of calendars, and whether each is to be on.
    pub calendars: Vec<(String, bool)>,
}

/// Who connects or disconnects a service.
#[derive(Debug, Clone)]
enum Initiator {
    Person,
    /// A person by a link, which is used up when the service is kept.
    Link(Digest),
    Operator {
        operator: Operator,
        /// The person's public id.
        user_id: String,
    },
}

/// The person whose calendar is read.
#[derive(Debug, Clone)]
struct Owner {
    zone: Zone,
    /// In lower case.
    emails: Vec<String>,
}

impl Services {
    pub fn new(
        store: SharedStore,
        clock: Clock,
        hub: Arc<Hub>,
        sealer: Option<Arc<Sealer>>,
        network: Network,
    ) -> Self {
        Self {
            store,
            clock,
            hub,
            sealer,
            network: Arc::new(network),
            fetch_threads: FetchThreads::new(FETCHES_MAX),
            connected: Notify::new(),
            locks: Mutex::default(),
        }
    }

    /// Tries a service, and keeps it when it answers. One that is connected already gets the
    /// new credentials.
    pub async fn connect(
        &self,
        user: UserId,
        credentials: Credentials,
        name: Option<String>,
    ) -> Result<ServiceView> {
        self.connect_as(user, credentials, name, Initiator::Person)
            .await
    }

    async fn connect_as(
        &self,
        user: UserId,
        credentials: Credentials,
        name: Option<String>,
        by: Initiator,
    ) -> Result<ServiceView> {
        let sealer = self.sealer()?.clone();
        let credentials = discovery::locate(credentials, &self.network).await?;
        let address = credentials.address()?;
        if let Some(refusal) = providers::refusal(&credentials, &address) {
            return Err(refusal.into());
        }
        let host = address.host.clone();
        let known = self.same_service(user, &credentials).await?;
        let owner = self.owner(user, &credentials)?;
        let state = known.as_ref().map(|service| service.sync_state.clone());
        let state = state.unwrap_or_default();
        let fetched = self.fetch(credentials.clone(), state, Vec::new(), owner);
        let fetched = fetched.await?;
        let now = self.clock.now();
        let kind = credentials.kind();
        // This is the first sync.
        let next_sync_at = now.plus_ms(sync::UNFINISHED_MS);
        let secret = serde_json::to_string(&credentials).map_err(Error::internal)?;
        let given = name.clone();
        let is_of_address = credentials.email().is_some();
        let shown = name
            .or_else(|| fetched.name.clone())
            .unwrap_or(host.clone());
        let id = self.store.write(move |tx| {
            if let Initiator::Link(link) = &by
                && !tx.use_connect_link(link, now)?
            {
                return Err(links::link_gone());
            }
            if let Some(service) = known {
                let sealed = sealer.seal(&service.service_id, &secret);
                tx.replace_credentials(service.id, &sealed, next_sync_at)?;
                if let Some(name) = &given {
                    tx.rename_service(service.id, name)?;
                }
                by.note_connected(tx, &service, now)?;
                return Ok(service.id);
            }
            check_count(tx.view(), user)?;
            if is_of_address {
                tx.read_calendars_anew(user, now)?;
            }
            let service_id = random::uuid().to_string();
            let id = tx.insert_service(&NewService {
                service_id: &service_id,
                user,
                kind,
                name: &shown,
                host: &host,
                credentials: &sealer.seal(&service_id, &secret),
                next_sync_at,
                now,
            })?;
            if let Some(service) = tx.service_row(id)? {
                by.note_connected(tx, &service, now)?;
            }
            Ok(id)
        });
        let id = id.await?;
        self.store_fetched(id, Ok(fetched)).await?;
        self.connected.notify_one();
        self.view_by_id(id).await
    }

    /// A person's services, oldest first.
    pub async fn list(&self, user: UserId) -> Result<Vec<ServiceView>> {
        self.store.read(move |view| list(view, user)).await
    }

    /// Fetches what is new, and shows the service as it is then, also when that failed.
    pub async fn sync_now(&self, user: UserId, service_id: &str) -> Result<ServiceView> {
        let service = self.find(user, service_id).await?;
        let id = service.id;
        self.sync(service).await?;
        self.view_by_id(id).await
    }

    pub async fn update(
        &self,
        user: UserId,
        service_id: &str,
        change: ServiceChange,
    ) -> Result<ServiceView> {
        let service = self.find(user, service_id).await?;
        let id = service.id;
        let is_switched_on = change.calendars.iter().any(|(_, is_enabled)| *is_enabled);
        let written = self.store.write(move |tx| {
            let calendars = tx.calendars_of(id)?;
            for (at, (calendar_id, is_enabled)) in change.calendars.iter().enumerate() {
                let found = calendars.iter().find(|row| row.calendar_id == *calendar_id);
                let row = found.ok_or_else(|| {
                    Error::invalid_field(
                        format!("/calendars/{at}/calendar_id"),
                        "is no calendar of this service.",
                    )
                })?;
                tx.enable_calendar(row.id, *is_enabled)?;
            }
            if let Some(name) = &change.name {
                tx.rename_service(id, name)?;
            }
            Ok(())
        });
        written.await?;
        if is_switched_on {
            self.sync(service).await?;
        }
        self.view_by_id(id).await
    }

    /// Removes the credentials and everything that was fetched.
    pub async fn disconnect(&self, user: UserId, service_id: &str) -> Result<()> {
        self.disconnect_as(user, service_id, Initiator::Person)
            .await
    }

    async fn disconnect_as(&self, user: UserId, service_id: &str, by: Initiator) -> Result<()> {
        let service = self.find(user, service_id).await?;
        let (id, now) = (service.id, self.clock.now());
        let disconnected = self.store.write(move |tx| {
            tx.disconnect_service(service.id, now)?;
            by.note_disconnected(tx, &service, now)
        });
        disconnected.await?;
        self.remove_fetched(id).await
    }

    async fn remove_fetched(&self, id: ServiceId) -> Result<()> {
        while !self
            .store
            .write(move |tx| tx.remove_fetched_rows(id))
            .await?
        {}
        Ok(())
    }

    async fn find(&self, user: UserId, service_id: &str) -> Result<ServiceRow> {
        let service_id = service_id.to_owned();
        let read = self.store.read(move |view| view.service(user, &service_id));
        read.await?.ok_or_else(service_not_found)
    }

    async fn view_by_id(&self, id: ServiceId) -> Result<ServiceView> {
        let read = self.store.read(move |view| match view.service_row(id)? {
            Some(service) => view_of(view, service),
            None => Err(service_not_found()),
        });
        read.await
    }

    /// The person's service with the same address, if there is one.
    async fn same_service(
        &self,
        user: UserId,
        credentials: &Credentials,
    ) -> Result<Option<ServiceRow>> {
        let services = self.store.read(move |view| view.services(user)).await?;
        let same = services.into_iter().find(|service| {
            let known = self.open(service);
            known.is_ok_and(|known| known.is_same_service(credentials))
        });
        Ok(same)
    }

    fn owner(&self, user: UserId, credentials: &Credentials) -> Result<Owner> {
        let read = self
            .store
            .look_up(|view| Ok((view.service_owner(user)?, view.services(user)?)));
        let (found, services) = read?;
        let (timezone, email) = found.ok_or_else(service_not_found)?;
        let zone = timezone.and_then(|name| name.parse().ok());
        // A mailbox says who a calendar's user is.
        let others = services
            .iter()
            .filter_map(|service| self.open(service).ok()?.email());
        let emails = email.into_iter().chain(credentials.email()).chain(others);
        Ok(Owner {
            zone: zone.unwrap_or(Zone::UTC),
            emails: emails.map(|email| email.to_lowercase()).collect(),
        })
    }

    fn open(&self, service: &ServiceRow) -> Result<Credentials> {
        let opened = self
            .sealer()?
            .open(&service.service_id, &service.credentials);
        let opened = opened.ok_or_else(no_sealing_key)?;
        serde_json::from_str(&opened).map_err(|_| Error::internal("credentials can't be read"))
    }

    /// 503 where credentials can't be sealed: what is kept now could not be read later.
    fn sealer(&self) -> Result<&Arc<Sealer>> {
        self.sealer.as_ref().ok_or_else(no_sealing_key)
    }
}

fn list(view: &View, user: UserId) -> Result<Vec<ServiceView>> {
    let services = view.services(user)?.into_iter();
    services.map(|service| view_of(view, service)).collect()
}

fn view_of(view: &View, service: ServiceRow) -> Result<ServiceView> {
    let calendars = view.calendars_of(service.id)?;
    let shown = |row: CalendarRow| CalendarView {
        calendar_id: row.calendar_id,
        name: row.name,
        enabled: row.is_enabled,
    };
    Ok(ServiceView {
        service_id: service.service_id,
        kind: service.kind,
        name: service.name,
        host: service.host,
        state: service.state,
        scope: service.scope,
        connected_at: service.connected_at,
        last_sync_at: service.last_sync_at,
        error: service.error,
        calendars: calendars.into_iter().map(shown).collect(),
    })
}

/// The sentence about an id that names none of a person's services.
pub const NO_SERVICE: &str = "You have no connected service with this id.";

fn service_not_found() -> Error {
    Error::new(ErrorKind::NotFound, "service_not_found", NO_SERVICE)
}

fn check_count(view: &View, user: UserId) -> Result<()> {
    if view.services(user)?.len() < SERVICES_MAX {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::BadRequest,
        "service_limit_reached",
        format!("You have {SERVICES_MAX} connected services already; disconnect one first."),
    ))
}

fn no_sealing_key() -> Error {
    Error::unavailable(
        "The key of the services' credentials is missing; the operator has to restore it.",
    )
}
