//! Cancels the reminders that a message names by their text, day or time of day. A repeating
//! reminder isn't ended by a message about one day. Its wording is in `assistant::wording`.

use crate::assistant::builtin::RemindersToCancel;
use crate::assistant::powers::minute_of_day;
use crate::assistant::wording;
use crate::error::Result;
use crate::ingest::carry_out::{described, listed, pairs};
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    pub(in crate::ingest) fn cancel_matching(
        &self,
        tx: &mut Tx<'_>,
        request: &RemindersToCancel,
    ) -> Result<String> {
        let about = request.about.as_deref();
        let mut found = self.reminders_matching(tx, about, request.on.as_ref())?;
        if let (true, Some(name), None) = (found.is_empty(), about, &request.on)
            && let Some(reply) = self.delete_event_named(tx, name)?
        {
            return Ok(reply);
        }
        if !request.minutes.is_empty() {
            let minute = |reminder: &Reminder| minute_of_day(reminder.send_at, self.zone());
            found.retain(|reminder| request.minutes.contains(&minute(reminder)));
            if found.len() > 1 && !request.several {
                self.note_listed(tx, &found)?;
                let (now, zone) = (self.now, self.timezone());
                return Ok(wording::which_to_cancel(&listed(&found), now, zone));
            }
        }
        let is_of_one_day = request.on.is_some();
        let (kept, ended): (Vec<Reminder>, Vec<Reminder>) = found
            .into_iter()
            .partition(|reminder| is_of_one_day && reminder.recurrence.is_some());
        self.cancel_reminders(tx, &ended)?;
        let timezone = self.timezone();
        let mut replies = Vec::new();
        if !ended.is_empty() {
            replies.push(wording::reminders_cancelled(&pairs(&described(
                &ended, timezone,
            ))));
        }
        for reminder in &kept {
            if let Some(recurrence) = &reminder.recurrence {
                replies.push(wording::day_not_left_out(
                    &reminder.text,
                    recurrence,
                    timezone,
                ));
            }
        }
        Ok(match (replies.is_empty(), self.in_group()) {
            (true, true) => wording::no_reminder_in_group(),
            (true, false) => wording::reminders_cancelled(&[]),
            (false, _) => replies.join("\n"),
        })
    }
}
