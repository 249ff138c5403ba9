//! Calendars on CalDAV servers (RFC 4791): found from the address that a person gives
//! (RFC 6764), listed, and kept in step by sync-token (RFC 6578) or ctag.

mod instance;
mod moved_series;
mod reports;
mod resource;
mod writing;
mod xml;

use std::collections::HashSet;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use super::fetch_time::FetchTime;
use super::fetched::{FetchedCalendar, FetchedEvents, ServiceContent};
use super::ics::{self, ExpansionContext};
use super::web::{Address, Network, Query};
use super::{Owner, ServiceError};
use crate::clock::Timestamp;
use crate::model::calendar::{DAY_MS, window};
use crate::outbound::{Method, Response};
use crate::store::{CalendarRow, ListedCalendar};
pub(super) use writing::ChangeResult;
use xml::{CALDAV, CALENDAR_SERVER, DAV, Element};

const ANSWER_BYTES_MAX: u64 = 10 << 20;
const CALENDARS_MAX: usize = 100;
/// A calendar is fetched again after this time, because the window of events moves on.
const EXPANDED_MS_MAX: i64 = DAY_MS;
/// A calendar is fetched again after this time if some of it could not be read.
const UNREAD_MS_MAX: i64 = 60 * 60_000;
const XML: &str = "application/xml; charset=utf-8";

const PRINCIPAL: &str =
    "<d:propfind xmlns:d=\"DAV:\"><d:prop><d:current-user-principal/></d:prop></d:propfind>";
const HOME: &str = "<d:propfind xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop>\
    <c:calendar-home-set/></d:prop></d:propfind>";
const LIST: &str = "<d:propfind xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\" \
    xmlns:cs=\"http://calendarserver.org/ns/\"><d:prop><d:resourcetype/><d:displayname/>\
    <c:supported-calendar-component-set/><cs:getctag/><d:sync-token/><d:current-user-privilege-set/>\
    </d:prop></d:propfind>";

/// An account on a CalDAV server.
pub(super) struct Account<'a> {
    pub(super) address: &'a Address,
    pub(super) username: &'a str,
    pub(super) password: &'a str,
    pub(super) network: &'a Network,
    pub(super) time: &'a FetchTime<'a>,
}

/// The state from which the next sync of a calendar continues.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct CalendarState {
    sync_token: String,
    ctag: String,
    expanded_at: i64,
}

/// A calendar as the server lists it.
struct ServerCalendar {
    address: Address,
    listed: ListedCalendar,
    sync_token: String,
    ctag: String,
}

/// Fetches what changed. `homes` are those found before, for a server that is known. It blocks.
pub(super) fn fetch(
    account: &Account,
    calendars: &[CalendarRow],
    owner: &Owner,
    now: Timestamp,
) -> Result<ServiceContent, ServiceError> {
    let home = account.find_home()?;
    let mut fetched = Vec::new();
    for calendar in account.list(&home)? {
        let known = calendars
            .iter()
            .find(|row| row.path == calendar.listed.path);
        let before: CalendarState = known
            .and_then(|row| serde_json::from_str(&row.sync_state).ok())
            .unwrap_or_default();
        let is_off = known.is_some_and(|row| !row.is_enabled);
        let context = ExpansionContext {
            window: window(now),
            zone: owner.zone,
            own_emails: &owner.emails,
            is_late: &|| account.time.is_late(),
        };
        let (events, state) = match is_off {
            true => (FetchedEvents::Unchanged, before),
            false => account.changes(&calendar, before, &context, now)?,
        };
        fetched.push(FetchedCalendar {
            listed: calendar.listed,
            sync_state: serde_json::to_string(&state).unwrap_or_default(),
            events,
        });
    }
    Ok(ServiceContent {
        name: None,
        mails: None,
        pause_ms: 0,
        calendars: fetched,
    })
}

impl Account<'_> {
    /// The collections that hold the person's calendars (calendar-home-set).
    fn find_home(&self) -> Result<Address, ServiceError> {
        let given = self.address;
        let well_known = given.with_path("/.well-known/caldav".to_owned());
        let root = given.with_path("/".to_owned());
        let mut candidates = vec![given.clone(), well_known, root];
        if given.path == "/" {
            candidates.swap(0, 1);
        }
        candidates.dedup();
        let mut last = None;
        for candidate in candidates {
            match self.principal(&candidate) {
                Ok(Some(principal)) => return self.home_of(&principal),
                Ok(None) => {}
                Err(error) if error.is_refusal() => return Err(error),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| self.no_caldav()))
    }

    fn principal(&self, at: &Address) -> Result<Option<Address>, ServiceError> {
        let (at, answer) = self.ask(Method::Propfind, at, "0", PRINCIPAL)?;
        let Some(root) = multistatus(&answer) else {
            return Ok(None);
        };
        let mut responses = root.all(DAV, "response");
        let href = responses.find_map(|response| {
            let principal = property(response, DAV, "current-user-principal")?;
            Some(principal.child(DAV, "href")?.trimmed().to_owned())
        });
        Ok(href.and_then(|href| at.join(&href).ok()))
    }

    fn home_of(&self, principal: &Address) -> Result<Address, ServiceError> {
        let (at, answer) = self.ask(Method::Propfind, principal, "0", HOME)?;
        let root = multistatus(&answer).ok_or_else(|| self.no_caldav())?;
        let mut responses = root.all(DAV, "response");
        let href = responses.find_map(|response| {
            let home = property(response, CALDAV, "calendar-home-set")?;
            Some(home.child(DAV, "href")?.trimmed().to_owned())
        });
        let home = href.and_then(|href| at.join(&href).ok());
        home.ok_or_else(|| self.no_caldav())
    }

    fn list(&self, home: &Address) -> Result<Vec<ServerCalendar>, ServiceError> {
        let (at, answer) = self.ask(Method::Propfind, home, "1", LIST)?;
        let root = multistatus(&answer).ok_or_else(|| self.no_caldav())?;
        let calendars = root.all(DAV, "response").filter_map(|response| {
            let kind = property(response, DAV, "resourcetype")?;
            kind.child(CALDAV, "calendar")?;
            if kind.child(CALENDAR_SERVER, "subscribed").is_some() || !takes_events(response) {
                return None;
            }
            let href = response.child(DAV, "href")?.trimmed();
            let address = at.join(href).ok()?;
            let text = |namespace, name| {
                let found = property(response, namespace, name);
                found
                    .map(|found| found.trimmed().to_owned())
                    .unwrap_or_default()
            };
            let name = ics::clean_name(&text(DAV, "displayname"));
            Some(ServerCalendar {
                listed: ListedCalendar {
                    path: decoded(&address.path),
                    name: match name.is_empty() {
                        true => decoded(address.path.trim_matches('/').rsplit('/').next()?),
                        false => name,
                    },
                    is_writable: may_write(response),
                },
                address,
                sync_token: text(DAV, "sync-token"),
                ctag: text(CALENDAR_SERVER, "getctag"),
            })
        });
        Ok(calendars.take(CALENDARS_MAX).collect())
    }

    /// Fetches the changes of a calendar since `before`, and the state after.
    fn changes(
        &self,
        calendar: &ServerCalendar,
        before: CalendarState,
        context: &ExpansionContext,
        now: Timestamp,
    ) -> Result<(FetchedEvents, CalendarState), ServiceError> {
        let is_fresh = (0..EXPANDED_MS_MAX).contains(&(now.0 - before.expanded_at));
        let is_same = |now: &str, then: &str| !now.is_empty() && now == then;
        if is_fresh
            && (is_same(&calendar.sync_token, &before.sync_token)
                || is_same(&calendar.ctag, &before.ctag))
        {
            return Ok((FetchedEvents::Unchanged, before));
        }
        if is_fresh
            && !before.sync_token.is_empty()
            && let Some(changes) = self.changes_since(calendar, &before.sync_token)?
        {
            let (events, unread) = self.fetch_resources(calendar, &changes.changed, context)?;
            let mut replaced = changes.gone;
            replaced.extend(changes.changed.iter().map(|path| decoded(path)));
            replaced.retain(|path| !unread.contains(path));
            let state = CalendarState {
                sync_token: changes.sync_token,
                ctag: calendar.ctag.clone(),
                expanded_at: expanded_at(before.expanded_at, &unread, now),
            };
            return Ok((FetchedEvents::Some { replaced, events }, state));
        }
        // The token is older than what is fetched now: what changes meanwhile comes again.
        let resources = self.resources(calendar, context)?;
        let (events, unread) = self.fetch_resources(calendar, &resources, context)?;
        let state = CalendarState {
            sync_token: calendar.sync_token.clone(),
            ctag: calendar.ctag.clone(),
            expanded_at: expanded_at(now.0, &unread, now),
        };
        Ok((FetchedEvents::All { events, unread }, state))
    }

    fn send(&self, at: &Address, query: &Query) -> Result<(Address, Response), ServiceError> {
        let send = || self.network.send_to(self.address, at, query);
        self.time.ask(&at.host, send)
    }

    fn ask(
        &self,
        method: Method,
        at: &Address,
        depth: &str,
        body: &str,
    ) -> Result<(Address, Response), ServiceError> {
        let query = Query {
            method,
            headers: vec![("depth", depth.to_owned())],
            body: Some((XML, body.as_bytes())),
            login: Some((self.username, self.password)),
            answer_bytes_max: ANSWER_BYTES_MAX,
        };
        let (from, answer) = self.send(at, &query)?;
        match answer.status {
            401 => Err(ServiceError::refused(format!(
                "{} refuses the user name or the password. Many providers want an app password.",
                from.host
            ))),
            _ => Ok((from, answer)),
        }
    }

    fn no_caldav(&self) -> ServiceError {
        ServiceError::unreachable(format!(
            "{} has no CalDAV calendars there; check the address.",
            self.address.host
        ))
    }

    fn unusable(&self, answer: &Response) -> ServiceError {
        ServiceError::unreachable(format!("{} answered {}.", self.address.host, answer.status))
    }
}

/// A calendar with resources that can't be read is fetched anew sooner.
fn expanded_at(expanded_at: i64, unread: &HashSet<String>, now: Timestamp) -> i64 {
    match unread.is_empty() {
        true => expanded_at,
        false => expanded_at.min(now.0 - EXPANDED_MS_MAX + UNREAD_MS_MAX),
    }
}

fn multistatus(answer: &Response) -> Option<Element> {
    let text = std::str::from_utf8(&answer.body).ok()?;
    let root = Element::parse(text).filter(|_| answer.status == 207)?;
    root.is(DAV, "multistatus").then_some(root)
}

/// A property that the server has: each status has its own list of them.
fn property<'a>(response: &'a Element, namespace: &str, name: &str) -> Option<&'a Element> {
    response.all(DAV, "propstat").find_map(|list| {
        let is_there = list.child(DAV, "status").map(status_of) == Some(200);
        let found = list.child(DAV, "prop")?.child(namespace, name);
        found.filter(|_| is_there)
    })
}

/// The status code of a status line, like 404 of "HTTP/1.1 404 Not Found".
fn status_of(status: &Element) -> u16 {
    let code = status.trimmed().split(' ').nth(1);
    code.and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// Whether a calendar accepts events. One that lists no types of components accepts all.
fn takes_events(response: &Element) -> bool {
    let kinds = property(response, CALDAV, "supported-calendar-component-set");
    kinds.is_none_or(|kinds| {
        let mut kinds = kinds.all(CALDAV, "comp");
        kinds.any(|kind| kind.attribute("name") == Some("VEVENT"))
    })
}

fn may_write(response: &Element) -> bool {
    let privileges = property(response, DAV, "current-user-privilege-set");
    privileges.is_some_and(|set| {
        set.all(DAV, "privilege").any(|privilege| {
            let may = |name| privilege.child(DAV, name).is_some();
            may("all") || may("write") || may("write-content")
        })
    })
}

/// Servers encode paths each in its own way: they are compared decoded.
fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
