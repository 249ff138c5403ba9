//! What a calendar's reports say (RFC 4791, RFC 6578): which of its resources changed, which there
//! are, and what is in them.

use std::collections::HashSet;

use super::xml::{CALDAV, DAV, Element};
use super::{Account, ServerCalendar, decoded, escaped, multistatus, property, status_of};
use crate::clock::Timestamp;
use crate::model::calendar::EventFacts;
use crate::outbound::Method;
use crate::services::ServiceError;
use crate::services::ics::{self, ExpansionContext};

/// Resources asked for in one request.
const FETCHED_AT_ONCE: usize = 50;
/// Resources of one calendar within the window.
const RESOURCES_MAX: usize = 10_000;

/// The changes of a calendar: resources to fetch, and paths of deleted ones.
pub(super) struct ResourceChanges {
    pub(super) changed: Vec<String>,
    pub(super) gone: Vec<String>,
    pub(super) sync_token: String,
}

impl Account<'_> {
    /// `None`: the server does not know the token any more, or has more changes than it tells.
    pub(super) fn changes_since(
        &self,
        calendar: &ServerCalendar,
        token: &str,
    ) -> Result<Option<ResourceChanges>, ServiceError> {
        let body = format!(
            "<d:sync-collection xmlns:d=\"DAV:\"><d:sync-token>{}</d:sync-token>\
             <d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>",
            escaped(token)
        );
        let (at, answer) = self.ask(Method::Report, &calendar.address, "0", &body)?;
        let Some(root) = multistatus(&answer) else {
            return Ok(None);
        };
        let (mut changed, mut gone) = (Vec::new(), Vec::new());
        for response in root.all(DAV, "response") {
            let href = response.child(DAV, "href").map(Element::trimmed);
            let Some(path) = href.and_then(|href| at.join(href).ok()).map(|at| at.path) else {
                continue;
            };
            match response.child(DAV, "status").map(status_of) {
                Some(404) => gone.push(decoded(&path)),
                Some(507) => return Ok(None),
                _ if decoded(&path) == calendar.listed.path => {}
                _ => changed.push(path),
            }
        }
        let token = root.child(DAV, "sync-token").map(Element::trimmed);
        Ok(token
            .filter(|_| changed.len() <= RESOURCES_MAX)
            .map(|token| ResourceChanges {
                changed,
                gone,
                sync_token: token.to_owned(),
            }))
    }

    /// Paths of the resources that have events within the window.
    pub(super) fn resources(
        &self,
        calendar: &ServerCalendar,
        context: &ExpansionContext,
    ) -> Result<Vec<String>, ServiceError> {
        let utc_time = |at: Timestamp| at.utc().format("%Y%m%dT%H%M%SZ").to_string();
        let body = format!(
            "<c:calendar-query xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop>\
             <d:getetag/></d:prop><c:filter><c:comp-filter name=\"VCALENDAR\"><c:comp-filter \
             name=\"VEVENT\"><c:time-range start=\"{}\" end=\"{}\"/></c:comp-filter></c:comp-filter>\
             </c:filter></c:calendar-query>",
            utc_time(context.window.start),
            utc_time(context.window.end)
        );
        let (at, answer) = self.ask(Method::Report, &calendar.address, "1", &body)?;
        let root = multistatus(&answer).ok_or_else(|| self.unusable(&answer))?;
        let hrefs = root.all(DAV, "response").filter_map(|response| {
            let href = response.child(DAV, "href")?.trimmed();
            at.join(href).ok().map(|address| address.path)
        });
        let paths: Vec<String> = hrefs.take(RESOURCES_MAX + 1).collect();
        match paths.len() > RESOURCES_MAX {
            true => Err(ServiceError::unreachable(format!(
                "{} has more than {RESOURCES_MAX} events in a calendar.",
                self.address.host
            ))),
            false => Ok(paths),
        }
    }

    /// The events of these resources, and those of them that can't be read. One that is gone
    /// meanwhile has no events.
    pub(super) fn fetch_resources(
        &self,
        calendar: &ServerCalendar,
        paths: &[String],
        context: &ExpansionContext,
    ) -> Result<(Vec<EventFacts>, HashSet<String>), ServiceError> {
        let mut events = Vec::new();
        let mut unread: HashSet<String> = paths.iter().map(|path| decoded(path)).collect();
        for some in paths.chunks(FETCHED_AT_ONCE) {
            let hrefs: Vec<String> = some
                .iter()
                .map(|path| format!("<d:href>{}</d:href>", escaped(path)))
                .collect();
            let body = format!(
                "<c:calendar-multiget xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\">\
                 <d:prop><d:getetag/><c:calendar-data/></d:prop>{}</c:calendar-multiget>",
                hrefs.concat()
            );
            let (at, answer) = self.ask(Method::Report, &calendar.address, "1", &body)?;
            let root = multistatus(&answer).ok_or_else(|| self.unusable(&answer))?;
            for response in root.all(DAV, "response") {
                let Some(href) = response.child(DAV, "href").map(Element::trimmed) else {
                    continue;
                };
                let path = at.join(href).map_or_else(|_| href.to_owned(), |at| at.path);
                let path = decoded(&path);
                let etag = property(response, DAV, "getetag");
                let etag = etag.map(|etag| etag.trimmed().to_owned());
                let data = property(response, CALDAV, "calendar-data");
                let read = data.map(|data| ics::read(data.text.as_bytes(), context));
                let status = response.child(DAV, "status").map(status_of);
                match (read, status) {
                    (Some(Ok(file)), _) => {
                        events.extend(file.events.into_iter().map(|event| EventFacts {
                            object: path.clone(),
                            etag: etag.clone(),
                            ..event
                        }));
                    }
                    (None, Some(404 | 410)) => {}
                    // The others are read.
                    _ => continue,
                }
                unread.remove(&path);
            }
            if (context.is_late)() {
                return Err(ServiceError::unreachable(
                    ics::FileError::TooSlow.sentence(),
                ));
            }
        }
        Ok((events, unread))
    }
}
