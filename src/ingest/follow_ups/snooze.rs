//! Postponing the last delivered reminder: "snooze", "in 20 minutes" right after it.

use super::Referent;
use crate::assistant::builtin::{NewTime, ReminderRef, TimeChange};
use crate::assistant::{self, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, Event, Latest, LatestReminder, ReminderDelivery};
use crate::ingest::listing::{self, listed};
use crate::ingest::reminding;
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// The delay of "snooze" without a time.
const SNOOZE_S: i64 = 10 * 60;

impl MessageTurn<'_> {
    pub(super) fn snooze(&self, tx: &mut Tx<'_>, time: Option<&TimeChange>) -> Result<Reply> {
        let reply = self.snoozed(tx, time)?;
        let delay_s = time.map_or(Some(SNOOZE_S), TimeChange::delay_s);
        let unit_s = delay_s.map(assistant::unit_of_s);
        latest::revise(self, tx, |latest| latest.counted_in_s = unit_s)?;
        Ok(reply)
    }

    fn snoozed(&self, tx: &mut Tx<'_>, time: Option<&TimeChange>) -> Result<Reply> {
        let new = match time {
            Some(time) => time.of_new(self.now, self.zone()),
            None => Ok(NewTime {
                send_at: self.now.plus_s(SNOOZE_S),
                recurrence: None,
                zone: None,
            }),
        };
        let new = match new {
            Ok(new) => new,
            Err(reply) => return Ok(reply.into()),
        };
        let latest = latest::named(self, tx)?;
        let came = latest.and_then(|(latest, at)| latest.delivery(at, self.now));
        let put_off = self.put_off_before(tx, came.as_ref())?;
        if let Some(came) = came.filter(|came| came.put_off.is_empty()) {
            return self.put_off(tx, &came.reminders, &new);
        }
        let open = match (put_off.is_empty(), self.latest_found(tx)?) {
            (false, _) if time.is_some() => return self.move_each(tx, &put_off, &new),
            (false, _) => put_off,
            (true, Some(Referent::Open(open))) => open,
            (true, _) => return Ok(wording::nothing_to_snooze().into()),
        };
        // What hasn't come is moved only to a time that was named, and never what repeats.
        let Some(time) = time.filter(|_| open.iter().all(|r| r.recurrence.is_none())) else {
            let reply = wording::not_come_yet(&listed(&open), self.now, self.timezone());
            return Ok(reply.into());
        };
        let mut reply = Reply::default();
        for reminder in &open {
            let delayed = time.delay_s().map(|s| self.delayed(reminder, s));
            let new = NewTime {
                send_at: delayed.unwrap_or(new.send_at),
                ..new.clone()
            };
            reply.add(reminding::move_to(self, tx, reminder, &new)?.into());
        }
        self.note_moved(tx, &open)?;
        Ok(reply)
    }

    /// What "snooze" set for the reminders that came last, and is still to come.
    fn put_off_before(
        &self,
        tx: &Tx<'_>,
        came: Option<&ReminderDelivery>,
    ) -> Result<Vec<Reminder>> {
        let mut open = Vec::new();
        for id in came.iter().flat_map(|came| &came.put_off) {
            open.extend(tx.reminder(id)?);
        }
        Ok(open)
    }

    /// Whether the last thing named is what "snooze" set. `at`: when it was noted.
    pub(super) fn is_put_off(&self, tx: &Tx<'_>, latest: &Latest, at: Timestamp) -> Result<bool> {
        let came = latest.delivery(at, self.now);
        let put_off = self.put_off_before(tx, came.as_ref())?;
        let is_one = |id: &str| put_off.iter().any(|open| open.schedule_id == id);
        let all = !latest.reminders.is_empty()
            && latest.reminders.iter().all(|one| is_one(&one.schedule_id));
        Ok(!put_off.is_empty() && all)
    }

    fn move_each(&self, tx: &mut Tx<'_>, open: &[Reminder], new: &NewTime) -> Result<Reply> {
        let mut reply = Reply::default();
        for reminder in open {
            reply.add(reminding::move_to(self, tx, reminder, new)?.into());
        }
        self.note_moved(tx, open)?;
        Ok(reply)
    }

    /// Later than it would have come.
    fn delayed(&self, reminder: &Reminder, seconds: i64) -> Timestamp {
        reminder.send_at.max(self.now).plus_s(seconds)
    }

    /// `undo` takes back all of them. `before`: as they were.
    fn note_moved(&self, tx: &mut Tx<'_>, before: &[Reminder]) -> Result<()> {
        match before.is_empty() {
            true => Ok(()),
            false => {
                let moved = Latest::of(Event::Changed, before);
                moved.note(tx, self.here(), self.now)
            }
        }
    }

    /// A number alone is one of the list that was shown last, else minutes.
    pub(super) fn snooze_numbered(
        &self,
        tx: &mut Tx<'_>,
        numbers: &[usize],
        time: Option<&TimeChange>,
    ) -> Result<Reply> {
        if let ([minutes], None) = (numbers, time)
            && !listing::has_number(self, tx, *minutes)?
        {
            let time = i64::try_from(*minutes).map(TimeChange::minutes).ok();
            return self.snooze(tx, time.as_ref());
        }
        let which = ReminderRef::Numbered(numbers.to_vec());
        let open = match self.found(tx, &which)? {
            Some(Referent::Open(open)) => open,
            Some(Referent::Unclear(reply)) => return Ok(reply.into()),
            Some(Referent::Delivered(_)) | None => return Ok(wording::nothing_to_snooze().into()),
        };
        self.snooze_open(tx, &open, time)
    }

    /// What hasn't come is moved only to a time that was named, and never what repeats.
    pub(super) fn snooze_open(
        &self,
        tx: &mut Tx<'_>,
        open: &[Reminder],
        time: Option<&TimeChange>,
    ) -> Result<Reply> {
        let Some(time) = time.filter(|_| open.iter().all(|r| r.recurrence.is_none())) else {
            let reply = wording::not_come_yet(&listed(open), self.now, self.timezone());
            return Ok(reply.into());
        };
        let (mut reply, mut moved) = (Reply::default(), Vec::new());
        for reminder in open {
            let new = match time.delay_s() {
                Some(seconds) => Ok(NewTime {
                    send_at: self.delayed(reminder, seconds),
                    recurrence: None,
                    zone: None,
                }),
                None => time.of_set(reminder.send_at, None, self.now, self.zone()),
            };
            match new {
                Ok(new) => {
                    reply.add(reminding::move_to(self, tx, reminder, &new)?.into());
                    moved.push(reminder.clone());
                }
                Err(error) => reply.add(error.into()),
            }
        }
        self.note_moved(tx, &moved)?;
        Ok(reply)
    }

    /// "remind me again at 10": what came is put off; what is still to come gets a second one.
    pub(super) fn again(&self, tx: &mut Tx<'_>, time: &TimeChange) -> Result<Option<Reply>> {
        if let Some((latest, at)) = latest::named(self, tx)?
            && (latest.event == Event::Delivered || self.is_put_off(tx, &latest, at)?)
        {
            return self.snooze(tx, Some(time)).map(Some);
        }
        let Some(Referent::Open(open)) = self.latest_found(tx)? else {
            return Ok(None);
        };
        let mut reply = Reply::default();
        for reminder in open {
            let new = match time.of_set(reminder.send_at, None, self.now, self.zone()) {
                Ok(new) => new,
                Err(error) => return Ok(Some(error.into())),
            };
            reply.add(reminding::set(self, tx, &reminder.text, &new)?);
        }
        Ok(Some(reply))
    }

    /// Sets reminders that have come once more. The rule of a repeating one stays.
    pub(super) fn put_off(
        &self,
        tx: &mut Tx<'_>,
        came: &[LatestReminder],
        new: &NewTime,
    ) -> Result<Reply> {
        let came_at =
            latest::named(self, tx)?.and_then(|(latest, at)| latest.delivery(at, self.now));
        let mut reply = Reply::default();
        for reminder in came {
            reply.add(reminding::set(self, tx, &reminder.text, new)?);
        }
        latest::revise(self, tx, |latest| {
            let set = latest.changes.set.iter();
            latest.came_before = Some(ReminderDelivery {
                at: came_at.map_or(self.now.0, |came| came.at),
                reminders: came.to_vec(),
                put_off: set.map(|one| one.schedule_id.clone()).collect(),
            });
        })?;
        Ok(reply)
    }
}
