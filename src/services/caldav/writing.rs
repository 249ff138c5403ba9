//! Carries out a change at a CalDAV server, at most once: an event is added only where nothing has
//! its name (If-None-Match), and moved or deleted only in the version that the person was shown
//! (If-Match). After a try with an unknown outcome the server's state is read first.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::resource::{self, MoveProblem};
use super::{ANSWER_BYTES_MAX, Account, ServerCalendar, instance, moved_series};
use crate::clock::Timestamp;
use crate::model::calendar::EventFacts;
use crate::model::calendar_change::{CalendarChange, ChangedEvent};
use crate::outbound::{Method, Response};
use crate::services::ServiceError;
use crate::services::ics::series::instance_time;
use crate::services::ics::{self, ExpansionContext};
use crate::services::web::{Address, Query};

const CALENDAR: &str = "text/calendar; charset=utf-8";
/// Characters of a path that are percent-encoded: all but these.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'@');

/// The final outcome of a change. An error instead of it means that the outcome is unknown and
/// another attempt may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::services) enum ChangeResult {
    Done,
    /// The events that its resource holds now.
    SeriesMoved(Vec<EventFacts>),
    /// Nothing was changed; a sentence says why.
    NotDone(String),
}

impl Account<'_> {
    /// `path` is the calendar's. `is_retry`: an earlier try may have been carried out.
    pub(in crate::services) fn carry_out(
        &self,
        path: &str,
        change: &CalendarChange,
        is_retry: bool,
        context: &ExpansionContext,
        now: Timestamp,
    ) -> Result<ChangeResult, ServiceError> {
        let home = self.find_home()?;
        let calendars = self.list(&home)?;
        let calendar = calendars.into_iter().find(|one| one.listed.path == path);
        let Some(calendar) = calendar else {
            return Ok(not_done("the calendar is no longer there"));
        };
        if !calendar.listed.is_writable {
            return Ok(not_done("the calendar can only be read"));
        }
        match change {
            CalendarChange::Add { uid, title, time } => {
                self.add(&calendar, uid, &resource::new_event(uid, title, time, now))
            }
            CalendarChange::Delete { event } if event.instance.is_empty() => {
                self.delete(&calendar, event, is_retry)
            }
            CalendarChange::Move { event, .. }
            | CalendarChange::MoveSeries { event, .. }
            | CalendarChange::Delete { event } => {
                self.rewrite(&calendar, event, change, context, now)
            }
        }
    }

    fn add(
        &self,
        calendar: &ServerCalendar,
        uid: &str,
        text: &str,
    ) -> Result<ChangeResult, ServiceError> {
        let folder = calendar.address.path.trim_end_matches('/');
        let at = calendar.address.with_path(format!("{folder}/{uid}.ics"));
        let answer = self.write(
            Method::Put,
            &at,
            ("if-none-match", "*"),
            Some(text.as_bytes()),
        )?;
        match answer.status {
            200..=299 => Ok(ChangeResult::Done),
            // An earlier try made it.
            412 | 409 if self.has(&at, uid)? => Ok(ChangeResult::Done),
            status => self.refusal(status),
        }
    }

    /// Moves an event, a series or an instance of it, or leaves the instance out.
    fn rewrite(
        &self,
        calendar: &ServerCalendar,
        event: &ChangedEvent,
        change: &CalendarChange,
        context: &ExpansionContext,
        now: Timestamp,
    ) -> Result<ChangeResult, ServiceError> {
        let at = object_address(calendar, event);
        let found = self.read(&at)?;
        let text = String::from_utf8_lossy(&found.body);
        match found.status {
            200 => {}
            404 | 410 => return Ok(not_done("it is no longer there")),
            status => return self.refusal(status),
        }
        // An earlier try did it, or the person by hand.
        if is_done(&text, event, change, context)? {
            return Ok(change_result(&text, change, context));
        }
        if found.etag.as_deref().is_some_and(|etag| etag != event.etag) {
            return Ok(changed_meanwhile());
        }
        let text = match rewritten(&text, event, change, context, now) {
            Ok(text) => text,
            Err(MoveProblem::Repeats) => return Ok(not_done("it repeats")),
            Err(MoveProblem::NotThere) => return Ok(not_done("it is no longer there")),
            Err(MoveProblem::OtherDay) => {
                return Ok(not_done(
                    "where the series is kept, that is not on the same days",
                ));
            }
            Err(MoveProblem::OwnTimes) => {
                return Ok(not_done("the series has more than one time of the day"));
            }
        };
        let condition = ("if-match", event.etag.as_str());
        let answer = match &text {
            Some(text) => self.write(Method::Put, &at, condition, Some(text.as_bytes()))?,
            None => self.write(Method::Delete, &at, condition, None)?,
        };
        match answer.status {
            200..=299 => Ok(change_result(&text.unwrap_or_default(), change, context)),
            404 | 410 | 412 => Ok(changed_meanwhile()),
            status => self.refusal(status),
        }
    }

    fn delete(
        &self,
        calendar: &ServerCalendar,
        event: &ChangedEvent,
        is_retry: bool,
    ) -> Result<ChangeResult, ServiceError> {
        let at = object_address(calendar, event);
        let condition = ("if-match", event.etag.as_str());
        let answer = self.write(Method::Delete, &at, condition, None)?;
        match answer.status {
            200..=299 => Ok(ChangeResult::Done),
            404 | 410 if is_retry => Ok(ChangeResult::Done),
            404 | 410 => Ok(not_done("it is no longer there")),
            // Some servers say so of what is gone as well.
            412 if is_retry && matches!(self.read(&at)?.status, 404 | 410) => {
                Ok(ChangeResult::Done)
            }
            412 => Ok(changed_meanwhile()),
            status => self.refusal(status),
        }
    }

    fn has(&self, at: &Address, uid: &str) -> Result<bool, ServiceError> {
        let found = self.read(at)?;
        Ok(found.status == 200 && resource::holds(&String::from_utf8_lossy(&found.body), uid))
    }

    fn read(&self, at: &Address) -> Result<Response, ServiceError> {
        let query = Query {
            login: Some((self.username, self.password)),
            ..Query::get(ANSWER_BYTES_MAX)
        };
        self.send(at, &query).map(|(_, answer)| answer)
    }

    fn write(
        &self,
        method: Method,
        at: &Address,
        (name, value): (&str, &str),
        text: Option<&[u8]>,
    ) -> Result<Response, ServiceError> {
        let query = Query {
            method,
            headers: vec![(name, value.to_owned())],
            body: text.map(|text| (CALENDAR, text)),
            login: Some((self.username, self.password)),
            answer_bytes_max: ANSWER_BYTES_MAX,
        };
        self.send(at, &query).map(|(_, answer)| answer)
    }

    /// A server that is busy may take it later; others say that they won't.
    fn refusal(&self, status: u16) -> Result<ChangeResult, ServiceError> {
        match status {
            408 | 423 | 425 | 429 | 500..=506 | 508..=599 => Err(ServiceError::unreachable(
                format!("{} answered {status}.", self.address.host),
            )),
            401 => Ok(not_done("its server does not accept the password")),
            403 => Ok(not_done("its server does not allow it")),
            507 => Ok(not_done("its server has no room left")),
            status => Ok(not_done(&format!("its server answered {status}"))),
        }
    }
}

fn not_done(why: &str) -> ChangeResult {
    ChangeResult::NotDone(why.to_owned())
}

fn changed_meanwhile() -> ChangeResult {
    not_done("it was changed elsewhere in the meantime")
}

/// Whether the resource says already what it is to say.
fn is_done(
    text: &str,
    event: &ChangedEvent,
    change: &CalendarChange,
    context: &ExpansionContext,
) -> Result<bool, ServiceError> {
    let instance = (event.uid.as_str(), event.instance.as_str());
    let to = match change {
        CalendarChange::MoveSeries { to, .. } => {
            return Ok(moved_series::is_at(text, instance, to, context));
        }
        CalendarChange::Move { to, .. } if event.instance.is_empty() => {
            return Ok(resource::is_at(text, &event.uid, to));
        }
        CalendarChange::Move { to, .. } => Some(*to),
        CalendarChange::Add { .. } | CalendarChange::Delete { .. } => None,
    };
    if !resource::holds(text, &event.uid) {
        return Ok(false);
    }
    let time = instance_time(text, &event.uid, &event.instance, context);
    let time = time.map_err(|error| ServiceError::unreachable(error.sentence()))?;
    Ok(time == to)
}

/// `None`: nothing is left of the resource.
fn rewritten(
    text: &str,
    event: &ChangedEvent,
    change: &CalendarChange,
    context: &ExpansionContext,
    now: Timestamp,
) -> Result<Option<String>, MoveProblem> {
    let instance = (event.uid.as_str(), event.instance.as_str());
    match change {
        CalendarChange::MoveSeries { to, .. } => {
            moved_series::moved_series(text, instance, to, context, now).map(Some)
        }
        CalendarChange::Move { to, .. } if event.instance.is_empty() => {
            resource::moved_event(text, &event.uid, to, now).map(Some)
        }
        CalendarChange::Move { to, .. } => {
            instance::moved_instance(text, instance, to, context, now).map(Some)
        }
        CalendarChange::Add { .. } | CalendarChange::Delete { .. } => {
            instance::without_instance(text, instance, context, now)
        }
    }
}

/// The result of a change that was made. A moved series has new instances, which are read again.
fn change_result(text: &str, change: &CalendarChange, context: &ExpansionContext) -> ChangeResult {
    let is_series = matches!(change, CalendarChange::MoveSeries { .. });
    let file = is_series.then(|| ics::read(text.as_bytes(), context).ok());
    match file.flatten() {
        Some(file) => ChangeResult::SeriesMoved(file.events),
        None => ChangeResult::Done,
    }
}

fn object_address(calendar: &ServerCalendar, event: &ChangedEvent) -> Address {
    let path = utf8_percent_encode(&event.object, PATH);
    calendar.address.with_path(path.to_string())
}
