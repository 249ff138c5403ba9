//! The types of a service's data, as the readers of calendars, feeds and mailboxes return it and a
//! sync writes it.

use std::collections::HashSet;

use crate::model::calendar::EventFacts;
use crate::model::mail_item::NewMailItem;
use crate::store::{CalendarRow, ListedCalendar};

/// The data that a fetch returned.
pub(super) struct ServiceContent {
    /// The name of the service, if its server gives one.
    pub(super) name: Option<String>,
    pub(super) calendars: Vec<FetchedCalendar>,
    /// `None`: the service is no mailbox.
    pub(super) mails: Option<FetchedMails>,
    /// The pause that the server asks for; 0 without a wish.
    pub(super) pause_ms: i64,
}

pub(super) struct FetchedMails {
    pub(super) mails: Vec<NewMailItem>,
    /// JSON: the state from which the next sync continues.
    pub(super) sync_state: String,
    /// More mails wait on the server.
    pub(super) has_more: bool,
}

pub(super) struct FetchedCalendar {
    pub(super) listed: ListedCalendar,
    /// JSON: the state from which the next sync continues.
    pub(super) sync_state: String,
    pub(super) events: FetchedEvents,
}

impl FetchedCalendar {
    /// Whether the stored row has the same values.
    pub(super) fn is_unchanged_from(&self, row: &CalendarRow) -> bool {
        let listed = &self.listed;
        row.path == listed.path
            && row.name == listed.name
            && row.is_writable == listed.is_writable
            && row.sync_state == self.sync_state
    }
}

pub(super) enum FetchedEvents {
    Unchanged,
    All {
        events: Vec<EventFacts>,
        /// Resources that could not be read: their stored events stay.
        unread: HashSet<String>,
    },
    /// These events replace all events of these resources.
    Some {
        replaced: Vec<String>,
        events: Vec<EventFacts>,
    },
}
