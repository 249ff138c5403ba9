//! Changing the time of reminders that a message refers to: "make it 10", "move 2 to friday".

use super::Referent;
use crate::assistant::builtin::{NewTime, ReminderRef, TimeChange};
use crate::assistant::{self, wording};
use crate::error::Result;
use crate::ingest::carry_out::listed;
use crate::ingest::dialog::{Event, Latest};
use crate::ingest::open_reminders::ReminderRequest;
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    /// Asks which of them is meant. `how`: how to name one, with an example.
    pub(in crate::ingest) fn ask_which(
        &self,
        tx: &mut Tx<'_>,
        how: &str,
        reminders: &[Reminder],
    ) -> Result<String> {
        self.note_listed(tx, reminders)?;
        let (now, timezone) = (self.now, self.timezone());
        Ok(wording::which_of_these(
            how,
            &listed(reminders),
            now,
            timezone,
        ))
    }

    pub(super) fn change(
        &self,
        tx: &mut Tx<'_>,
        which: &ReminderRef,
        to: &TimeChange,
    ) -> Result<Option<Reply>> {
        let open = match self.found(tx, which)? {
            None => return Ok(None),
            Some(Referent::Unclear(reply)) => return Ok(Some(reply.into())),
            Some(Referent::Delivered(delivered)) => {
                let Ok(new) = to.of_new(self.now, self.zone()) else {
                    return Ok(Some(wording::reminder_past().into()));
                };
                return Ok(Some(self.put_off(tx, &delivered, &new)?));
            }
            Some(Referent::Open(mut open)) => {
                open.sort_by_key(|reminder| reminder.send_at);
                open
            }
        };
        let [reminder] = open.as_slice() else {
            let is_one_thing = open.windows(2).all(|pair| pair[0].text == pair[1].text);
            let are_named = !matches!(which, ReminderRef::Latest | ReminderRef::About(_));
            if are_named || *which == ReminderRef::Latest && to.is_repeat() && is_one_thing {
                return Ok(Some(self.change_each(tx, &open, to)?));
            }
            let reply = self.ask_which(tx, "with its number, like “move 2 to friday”", &open)?;
            return Ok(Some(reply.into()));
        };
        let recurrence = reminder.recurrence.as_ref();
        let new = to.of_set(reminder.send_at, recurrence, self.now, self.zone());
        Ok(Some(match new {
            Ok(new) if new.recurrence.is_some() && self.agent.is_none() => {
                wording::reminder_repeats_not_here().into()
            }
            Ok(new) => self.move_to(tx, reminder, &new)?.into(),
            Err(reply) => reply.into(),
        }))
    }

    /// Another text at the same time.
    pub(super) fn rename(
        &self,
        tx: &mut Tx<'_>,
        which: &ReminderRef,
        text: &str,
    ) -> Result<Option<String>> {
        let open = match self.found(tx, which)? {
            None => return Ok(None),
            Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
            Some(Referent::Delivered(_)) => return Ok(Some(wording::already_delivered())),
            Some(Referent::Open(open)) => open,
        };
        let [reminder] = open.as_slice() else {
            let how = "with a word of it, like “rename my swim reminder to …”";
            return self.ask_which(tx, how, &open).map(Some);
        };
        let request = ReminderRequest {
            text,
            send_at: reminder.send_at,
            recurrence: reminder.recurrence.as_ref(),
        };
        self.change_to(tx, reminder, &request).map(Some)
    }

    /// One word for another in the text of the last one; `None`: it has no such word.
    pub(super) fn reword(&self, tx: &mut Tx<'_>, old: &str, new: &str) -> Result<Option<String>> {
        let Some(Referent::Open(mut open)) = self.latest_found(tx)? else {
            return Ok(None);
        };
        open.retain(|reminder| assistant::reworded(&reminder.text, old, new).is_some());
        let [reminder] = open.as_slice() else {
            return Ok(None);
        };
        let Some(text) = assistant::reworded(&reminder.text, old, new) else {
            return Ok(None);
        };
        let request = ReminderRequest {
            text: &text,
            send_at: reminder.send_at,
            recurrence: reminder.recurrence.as_ref(),
        };
        self.change_to(tx, reminder, &request).map(Some)
    }

    /// Another time and another text for the last one.
    pub(super) fn replace(
        &self,
        tx: &mut Tx<'_>,
        to: &TimeChange,
        text: &str,
    ) -> Result<Option<String>> {
        let Some(Referent::Open(open)) = self.latest_found(tx)? else {
            return Ok(None);
        };
        let [reminder] = open.as_slice() else {
            return Ok(None);
        };
        let recurrence = reminder.recurrence.as_ref();
        let new = match to.of_set(reminder.send_at, recurrence, self.now, self.zone()) {
            Ok(new) if new.recurrence.is_some() && self.agent.is_none() => {
                return Ok(Some(wording::reminder_repeats_not_here()));
            }
            Ok(new) => new,
            Err(reply) => return Ok(Some(reply)),
        };
        let request = ReminderRequest {
            text,
            send_at: new.send_at,
            recurrence: new.recurrence.as_ref(),
        };
        self.change_to(tx, reminder, &request).map(Some)
    }

    /// One thing that was set for several times, or those that were named by their numbers. Where
    /// one of them can't be changed so, none is.
    fn change_each(&self, tx: &mut Tx<'_>, open: &[Reminder], to: &TimeChange) -> Result<Reply> {
        let mut changes = Vec::new();
        for reminder in open {
            let recurrence = reminder.recurrence.as_ref();
            match to.of_set(reminder.send_at, recurrence, self.now, self.zone()) {
                Ok(new) if new.recurrence.is_some() && self.agent.is_none() => {
                    return Ok(wording::reminder_repeats_not_here().into());
                }
                Ok(new) => changes.push((reminder, new)),
                Err(error) => return Ok(error.into()),
            }
        }
        let mut reply = Reply::default();
        for (reminder, new) in changes {
            reply.add(self.move_to(tx, reminder, &new)?.into());
        }
        // `undo` takes back all of them.
        Latest::of(Event::Changed, open).note(tx, self.room.id, self.user.id, self.now)?;
        Ok(reply)
    }

    pub(super) fn move_to(
        &self,
        tx: &mut Tx<'_>,
        reminder: &Reminder,
        new: &NewTime,
    ) -> Result<String> {
        let request = ReminderRequest {
            text: &reminder.text,
            send_at: new.send_at,
            recurrence: new.recurrence.as_ref(),
        };
        self.change_to(tx, reminder, &request)
    }

    /// Changes it and says how it is now.
    pub(super) fn change_to(
        &self,
        tx: &mut Tx<'_>,
        reminder: &Reminder,
        to: &ReminderRequest<'_>,
    ) -> Result<String> {
        let changed = self.change_reminder(tx, reminder, to)?;
        Ok(wording::reminder_moved(
            &changed.text,
            changed.send_at,
            changed.recurrence.as_ref(),
            self.now,
            self.timezone(),
        ))
    }
}
