//! The room, the time and the author of an action, with facts from elsewhere.

use chrono::NaiveDate;

use super::facts::Facts;
use super::local_time;
use super::waking_hours::WakingHours;
use crate::clock::{Timestamp, Zone};

/// The context of an action: room, time and author.
#[derive(Debug, Clone, Copy)]
pub struct PowerContext<'a> {
    pub now: Timestamp,
    /// `None` when unknown: UTC is used and mentioned.
    pub timezone: Option<Zone>,
    /// The state belongs to a group.
    pub group: bool,
    /// The author's user id, so that their entries can be erased with them.
    pub by: i64,
    pub name: Option<&'a str>,
    /// The message is for this superpower: an explicit request, or the superpower is in use.
    pub sure: bool,
    /// The assistant can send messages here on its own.
    pub reachable: bool,
    /// The hours in which superpowers send messages on their own.
    pub waking: WakingHours,
    /// The person stopped the superpower's own messages.
    pub muted: bool,
    /// Facts from elsewhere.
    pub facts: &'a Facts,
}

impl<'a> PowerContext<'a> {
    /// The context of a person in their direct chat, outside of any message.
    pub fn alone(now: Timestamp, by: i64, facts: &'a Facts) -> Self {
        Self {
            now,
            timezone: None,
            group: false,
            by,
            name: None,
            sure: true,
            reachable: true,
            waking: WakingHours::default(),
            muted: false,
            facts,
        }
    }

    pub(super) fn zone(&self) -> Zone {
        self.timezone.unwrap_or(Zone::UTC)
    }

    pub fn today(&self) -> NaiveDate {
        local_time::date(self.now, self.zone())
    }

    /// A hint for answers with a time of day.
    pub(super) fn zone_hint(&self) -> &'static str {
        match self.timezone {
            Some(_) => "",
            None => {
                " I don't know your time zone yet, so that's in UTC; tell me, for example “my time zone is Europe/Berlin”."
            }
        }
    }
}
