//! Entries from mails among a person's own: added at each use, and never stored.

use serde::Serializer;

use super::super::facts::Booking;
use super::super::{PowerContext, events};
use super::entry::{Entry, MailSource};
use super::{Entries, Period};
use crate::assistant::local_time;

/// The first id of entries from mails.
const MAILED_IDS_FROM: u32 = 1 << 31;
/// Things of mails that the person corrected or removed.
const DROPPED_MAX: usize = 300;

/// An entry that a mail states, as a superpower shows it.
pub(in super::super) struct MailedEntry {
    pub(in super::super) what: String,
    pub(in super::super) details: String,
    pub(in super::super) period: Option<Period>,
    pub(in super::super) is_quiet: bool,
}

impl MailedEntry {
    pub(in super::super) fn new(what: String, details: String) -> Self {
        Self {
            what,
            details,
            period: None,
            is_quiet: false,
        }
    }
}

pub(super) fn without_mails<S: Serializer>(
    list: &[Entry],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(list.iter().filter(|entry| entry.mail.is_none()))
}

impl Entries {
    /// Adds entries for bookings in mails, except those that the person entered, corrected or
    /// removed. `convert` makes a superpower's entry; `None` where the booking does not concern it.
    pub(in super::super) fn add_mailed(
        &mut self,
        context: &PowerContext,
        convert: impl Fn(&Booking) -> Option<MailedEntry>,
    ) {
        let count = self.list.len();
        for booking in &context.facts.bookings {
            let mark = booking.mark();
            let Some(mailed) = convert(booking).filter(|_| !self.dropped.contains_key(&mark))
            else {
                continue;
            };
            let begins = booking.begins(context);
            let entry = Entry {
                id: MAILED_IDS_FROM + self.list.len() as u32,
                what: events::one_line(&mailed.what),
                details: mailed.details,
                day: begins.map(|(day, _)| local_time::number(day)),
                minute: begins.and_then(|(_, minute)| minute),
                last_day: None,
                ahead_s: booking.ahead_s(context),
                period: mailed.period,
                mail: Some(MailSource {
                    mark,
                    name: booking.name(),
                }),
                is_quiet: mailed.is_quiet,
            };
            if !self.list[..count].iter().any(|known| known.covers(&entry)) {
                self.list.push(entry);
            }
        }
    }

    /// Keeps an entry from being taken from mails again.
    pub(super) fn drop_mark(&mut self, mark: String, context: &PowerContext) {
        self.dropped.insert(mark, context.now.0);
        while self.dropped.len() > DROPPED_MAX {
            let oldest = self.dropped.iter().min_by_key(|(_, at)| **at);
            let Some(oldest) = oldest.map(|(mark, _)| mark.clone()) else {
                return;
            };
            self.dropped.remove(&oldest);
        }
    }
}
