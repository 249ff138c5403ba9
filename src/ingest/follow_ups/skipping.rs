//! Leaving out the next times of a repeating reminder: "skip tomorrow", "skip the next one". Its rule
//! stays.

use std::ops::Range;

use super::Referent;
use crate::assistant::builtin::ReminderRef;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, open_reminders, reminding};
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    /// `day`: `None` for the next time. `None`: nothing is meant that repeats.
    pub(super) fn skip(
        &self,
        tx: &mut Tx<'_>,
        which: &ReminderRef,
        day: Option<&Range<Timestamp>>,
    ) -> Result<Option<String>> {
        let comes = |reminder: &Reminder| {
            let is_on = |day| !reminder.moments(day, 1).is_empty();
            reminder.recurrence.is_some() && day.is_none_or(is_on)
        };
        let mut meant = match self.found(tx, which)? {
            Some(Referent::Open(open)) => open,
            _ => Vec::new(),
        };
        meant.retain(comes);
        if meant.is_empty() && *which == ReminderRef::Latest {
            meant = open_reminders::here(self, tx)?;
            meant.retain(comes);
        }
        let timezone = self.timezone();
        match meant.as_slice() {
            [] if *which == ReminderRef::Latest => Ok(Some(wording::nothing_to_skip())),
            [] => Ok(None),
            [only] => {
                let next = only.send_at..only.send_at.plus_ms(1);
                let day = day.unwrap_or(&next);
                let skipped = reminding::skip(self, tx, only, day)?;
                Ok(Some(skipped.unwrap_or_else(|| {
                    wording::only_next_skipped(&only.text, only.send_at, self.now, timezone)
                })))
            }
            several => {
                let how = "with a word of it, like “skip my run reminder tomorrow”";
                listing::ask_which(self, tx, how, several).map(Some)
            }
        }
    }
}
