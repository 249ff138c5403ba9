//! What names a reminder or an appointment by its words: "snooze gym 1 hour", "done with gym", "cancel
//! dentist and haircut", "move luigi to saturday"; and "it's cancelled" about what was just spoken of.

use crate::assistant::builtin::{ReminderRef, TimeChange};
use crate::assistant::powers::{self, Power, PowerCalls};
use crate::assistant::{self, MessageContext, wording};
use crate::error::Result;
use crate::ingest::dialog::latest::{self, Event};
use crate::ingest::listing::{self, listed};
use crate::ingest::powers::{PowerReply, attempt};
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{gate, occasions, open_reminders};
use crate::store::{Reminder, Tx};

/// What keeps appointments.
const KEEPERS: [Power; 2] = [Power::ReservationPrep, Power::PostEventCheckin];

impl MessageTurn<'_> {
    /// What came last, or one that is still to come.
    pub(super) fn snooze_about(
        &self,
        tx: &mut Tx<'_>,
        about: &str,
        time: Option<&TimeChange>,
    ) -> Result<Option<Reply>> {
        if self.came_last(tx, about)? {
            return self.snooze(tx, time).map(Some);
        }
        let open = self.named(tx, about)?;
        match open.as_slice() {
            [] => Ok(None),
            [_] => self.snooze_open(tx, &open, time).map(Some),
            _ => {
                let how = "with its number, like “snooze 2 for an hour”";
                listing::ask_which(self, tx, how, &open).map(|reply| Some(reply.into()))
            }
        }
    }

    pub(super) fn done_about(&self, tx: &mut Tx<'_>, about: &str) -> Result<Option<String>> {
        if self.came_last(tx, about)? {
            return self.done(tx);
        }
        let open = self.named(tx, about)?;
        match open.len() {
            0 => Ok(None),
            1 => self.done_open(tx, open).map(Some),
            _ => {
                let how = "with its number, like “done 2”";
                listing::ask_which(self, tx, how, &open).map(Some)
            }
        }
    }

    /// Whether the reminder that came last is about it.
    fn came_last(&self, tx: &Tx<'_>, about: &str) -> Result<bool> {
        let latest = latest::named(self, tx)?;
        Ok(latest.is_some_and(|(latest, _)| {
            let is_meant = |text: &str| assistant::reminder_matches(text, about);
            let mut came = latest.reminders.iter();
            latest.event == Event::Delivered && came.all(|one| is_meant(&one.text))
        }))
    }

    /// "it's cancelled": the reminder that was just set, or the appointment that was just told or
    /// asked about.
    pub(super) fn called_off(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        if latest::is_of_last_message(self, tx)? {
            return self.cancel(tx, &ReminderRef::Latest);
        }
        match occasions::just_told(self, tx)? {
            Some(event) => self.cancel_appointment(tx, &event.what),
            None => Ok(None),
        }
    }

    /// "dentist and haircut", of which at least one is an appointment and no reminder. `reminders`:
    /// those that the other names mean.
    pub(super) fn cancel_appointments(
        &self,
        tx: &mut Tx<'_>,
        reminders: &[Reminder],
        names: &[String],
    ) -> Result<Option<String>> {
        let (mut replies, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            match self.cancel_appointment(tx, name)? {
                Some(reply) => replies.push(reply),
                None => unknown.push(name),
            }
        }
        if replies.is_empty() {
            return Ok(None);
        }
        if !reminders.is_empty() {
            open_reminders::cancel(self, tx, reminders)?;
            replies.push(wording::reminders_cancelled(&listed(reminders)));
        }
        let unknown = unknown.iter().map(|name| wording::nothing_named(name));
        replies.extend(unknown);
        Ok(Some(replies.join("\n")))
    }

    /// `None`: no appointment has that name.
    fn cancel_appointment(&self, tx: &mut Tx<'_>, name: &str) -> Result<Option<String>> {
        self.change_appointment(tx, &format!("cancel my {name}"))
    }

    /// "move luigi to saturday", where no reminder is named so. `None`: no booking is, either.
    pub(super) fn move_appointment(&self, tx: &mut Tx<'_>, about: &str) -> Result<Option<String>> {
        let booking = format!("{about} booking");
        let text = self.message.text.replacen(about, &booking, 1);
        self.change_appointment(tx, &text)
    }

    fn change_appointment(&self, tx: &mut Tx<'_>, text: &str) -> Result<Option<String>> {
        if self.in_group() || !gate::has_superpowers(self, tx)? {
            return Ok(None);
        }
        let PowerCalls { calls, .. } = powers::recognise(&MessageContext {
            text,
            ..self
                .message
                .context(&self.ingest.persona.get().name, self.timezone(), self.now)
        });
        for call in calls {
            let is_offered =
                KEEPERS.contains(&call.power) && self.flags.superpower(call.power.name());
            if !is_offered {
                continue;
            }
            if let Some(PowerReply::Said {
                text,
                changed: true,
            }) = attempt::act(self, tx, call.power, call.action)?
            {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }
}
