//! Cancels the reminders that a message names by their text, day or time of day. A repeating
//! reminder isn't ended by a message about one day. Its wording is in `assistant::wording`.

use std::ops::Range;

use crate::assistant::builtin::RemindersToCancel;
use crate::assistant::powers::minute_of_day;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::carry_out::{described, pairs};
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    pub(in crate::ingest) fn cancel_matching(
        &self,
        tx: &mut Tx<'_>,
        request: &RemindersToCancel,
    ) -> Result<String> {
        let about = request.about.as_deref();
        let (mut found, on) = self.requested(tx, request)?;
        if let (true, Some(name), None) = (found.is_empty(), about, &request.on)
            && let Some(reply) = self.delete_event_named(tx, name)?
        {
            return Ok(reply);
        }
        for kept in &request.kept {
            let (stays, _) = self.requested(tx, kept)?;
            if stays.is_empty() {
                return Ok(wording::nothing_to_keep());
            }
            found.retain(|one| stays.iter().all(|other| other.id != one.id));
        }
        if found.is_empty() && !request.kept.is_empty() {
            return Ok(wording::left_as_it_was());
        }
        let is_timer = about.is_some_and(|about| matches!(about, "timer" | "alarm"));
        if self.in_group() && (request.is_own || is_timer && !request.several) {
            let own = self.own_of(&found);
            if own.is_empty() && !found.is_empty() {
                return self.ask_which_to_cancel(tx, &found);
            }
            found = own;
        }
        let is_one_thing = !is_timer && found.windows(2).all(|pair| pair[0].text == pair[1].text);
        if found.len() > 1 && !request.several && !(request.minutes.is_empty() && is_one_thing) {
            return self.ask_which_to_cancel(tx, &found);
        }
        // "all" said in private means none of a group, where others go by them.
        let mut of_groups = Vec::new();
        if !self.in_group() && about.is_none() {
            for reminder in &found {
                let is_other = reminder.room != self.room.id;
                if is_other && tx.is_group(reminder.room)? {
                    of_groups.push(reminder.clone());
                }
            }
            found.retain(|one| of_groups.iter().all(|other| other.id != one.id));
        }
        let is_of_one_day = on.is_some();
        let (kept, ended): (Vec<Reminder>, Vec<Reminder>) = found
            .into_iter()
            .partition(|reminder| is_of_one_day && reminder.recurrence.is_some());
        let (ended_texts, timezone) = (self.described_here(tx, &ended)?, self.timezone());
        let mut replies = Vec::new();
        if !ended.is_empty() {
            replies.push(wording::reminders_cancelled(&pairs(&ended_texts)));
        }
        for reminder in &kept {
            replies.extend(self.leave_out(tx, reminder, on.as_ref())?);
        }
        self.cancel_reminders(tx, &ended)?;
        if !of_groups.is_empty() {
            self.note_listed(tx, &of_groups)?;
            let texts = described(&of_groups, timezone);
            let listed = pairs(&texts);
            replies.push(wording::group_reminders_stay(&listed, self.now, timezone));
        }
        Ok(match (replies.is_empty(), self.in_group()) {
            (true, true) => wording::no_reminder_in_group(),
            (true, false) => wording::reminders_cancelled(&[]),
            (false, _) => replies.join("\n"),
        })
    }

    /// In a group "my" are those that this person set, and a timer is of who set it.
    fn own_of(&self, found: &[Reminder]) -> Vec<Reminder> {
        let own = found.iter().filter(|one| one.user == self.user.id);
        own.cloned().collect()
    }

    /// Those that a request names.
    pub(in crate::ingest) fn found_for(
        &self,
        tx: &Tx<'_>,
        request: &RemindersToCancel,
    ) -> Result<Vec<Reminder>> {
        self.requested(tx, request).map(|(found, _)| found)
    }

    /// Those that are named, and the days if they were named by these.
    fn requested(
        &self,
        tx: &Tx<'_>,
        one: &RemindersToCancel,
    ) -> Result<(Vec<Reminder>, Option<Range<Timestamp>>)> {
        if let Some(whole) = &one.with_time {
            let found = self.reminders_matching(tx, Some(whole), None)?;
            let found = self.set_before(tx, found)?;
            if !found.is_empty() {
                return Ok((found, None));
            }
        }
        let found = self.reminders_matching(tx, one.about.as_deref(), one.on.as_ref())?;
        let is_all = one.about.is_none() && one.on.is_none() && one.minutes.is_empty();
        let mut found = match is_all && !one.is_next {
            true => found,
            false => self.set_before(tx, found)?,
        };
        if !one.minutes.is_empty() {
            let minute = |reminder: &Reminder| minute_of_day(reminder.send_at, self.zone());
            found.retain(|reminder| one.minutes.contains(&minute(reminder)));
        }
        if one.is_next {
            found.sort_by_key(|reminder| reminder.send_at);
            found.truncate(1);
        }
        Ok((found, one.on.clone()))
    }

    /// Leaves out the times of a repeating reminder on one day, or says why not.
    fn leave_out(
        &self,
        tx: &mut Tx<'_>,
        reminder: &Reminder,
        day: Option<&Range<Timestamp>>,
    ) -> Result<Option<String>> {
        let skipped = match day {
            Some(day) => self.skip_within(tx, reminder, day)?,
            None => None,
        };
        let kept = || {
            let recurrence = reminder.recurrence.as_ref()?;
            Some(wording::day_not_left_out(
                &reminder.text,
                recurrence,
                self.timezone(),
            ))
        };
        Ok(skipped.or_else(kept))
    }
}
