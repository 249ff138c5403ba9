//! Leaving out the next times of a repeating reminder: "skip tomorrow", "skip the next one". Its rule
//! stays.

use std::ops::Range;

use super::Referent;
use crate::assistant::builtin::{NewTime, ReminderRef};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// Times of one reminder in one day.
const TIMES_MAX: usize = 300;

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
            meant = self.reminders_here(tx)?;
            meant.retain(comes);
        }
        let timezone = self.timezone();
        match meant.as_slice() {
            [] if *which == ReminderRef::Latest => Ok(Some(wording::nothing_to_skip())),
            [] => Ok(None),
            [only] => {
                let next = only.send_at..only.send_at.plus_ms(1);
                let day = day.unwrap_or(&next);
                let skipped = self.skip_within(tx, only, day)?;
                Ok(Some(skipped.unwrap_or_else(|| {
                    wording::only_next_skipped(&only.text, only.send_at, self.now, timezone)
                })))
            }
            several => {
                let how = "with a word of it, like “skip my run reminder tomorrow”";
                self.ask_which(tx, how, several).map(Some)
            }
        }
    }

    /// Leaves out the times of a repeating reminder within a span. `None`: its next time is not in
    /// it.
    pub(in crate::ingest) fn skip_within(
        &self,
        tx: &mut Tx<'_>,
        reminder: &Reminder,
        span: &Range<Timestamp>,
    ) -> Result<Option<String>> {
        let Some(recurrence) = reminder.recurrence.as_ref() else {
            return Ok(None);
        };
        let times = recurrence.within(span, TIMES_MAX);
        let Some(last) = times.last().filter(|_| span.contains(&reminder.send_at)) else {
            return Ok(None);
        };
        let (now, timezone) = (self.now, self.timezone());
        let Some((next, at)) = recurrence.progress(*last).next else {
            self.cancel_reminders(tx, std::slice::from_ref(reminder))?;
            return Ok(Some(wording::last_time_skipped(&reminder.text)));
        };
        let new = NewTime {
            send_at: at,
            recurrence: Some(next),
            zone: None,
        };
        self.move_to(tx, reminder, &new)?;
        Ok(Some(wording::time_skipped(
            &reminder.text,
            (reminder.send_at, at),
            now,
            timezone,
        )))
    }
}
