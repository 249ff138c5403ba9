//! An edited message: what its earlier version did is undone before the new one is carried out, so
//! that nothing is done twice. What can't be undone stays, and the reply says so.

use super::dialog::latest::{self, Event, Latest, MessageChanges, StatedFact};
use super::dialog::question;
use super::powers::{self, PowerReply, attempt};
use super::reply::Reply;
use super::turn::MessageTurn;
use super::versions;
use super::{Message, limits, open_reminders};
use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::{PowerAction, Strength};
use crate::assistant::{self, Intent, Understanding, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{MessageRow, Tx};

/// What becomes of an edit.
enum EditOutcome {
    /// It is handled like any other message.
    Unneeded,
    /// The earlier version is undone; the sentence that says so.
    Undone(String),
    /// The earlier version stays, and nothing else is done.
    Refused(String),
}

impl MessageTurn<'_> {
    /// The reply to a message, which may be an edited one. Limits come first: an edit that they
    /// refuse takes nothing back.
    pub(super) fn reply_to_version(
        &mut self,
        tx: &mut Tx<'_>,
        intent: Intent,
    ) -> Result<Option<Reply>> {
        let may_correct = !self.left_to_model && self.agent.is_some();
        if may_correct && self.earlier_version.is_some() {
            if !self.is_within_limits(&intent) {
                return Ok(Some(limits::too_many(self).into()));
            }
            self.is_admitted = true;
        }
        let correction = match &self.earlier_version {
            Some(earlier) if may_correct => match self.last_effective(tx, &earlier.rows)? {
                Some(row) => self.correct(tx, row)?,
                None => EditOutcome::Unneeded,
            },
            _ => EditOutcome::Unneeded,
        };
        let note = match correction {
            EditOutcome::Unneeded => return self.reply(tx, intent),
            EditOutcome::Refused(reply) => return Ok(Some(reply.into())),
            EditOutcome::Undone(note) => note,
        };
        Ok(self.reply(tx, intent)?.map(|reply| {
            let mut all = Reply::from(note);
            all.add(reply);
            all
        }))
    }

    /// The newest version that did something, or else the newest: one that a limit refused did
    /// nothing.
    fn last_effective<'r>(
        &self,
        tx: &Tx<'_>,
        rows: &'r [MessageRow],
    ) -> Result<Option<&'r MessageRow>> {
        for row in rows {
            if self.is_noted(tx, versions::acted_at(row))? {
                return Ok(Some(row));
            }
        }
        Ok(rows.first())
    }

    /// Counts the message towards the limits of commands and of turns with superpowers.
    fn is_within_limits(&self, intent: &Intent) -> bool {
        match &self.requested_power {
            Some(power) => limits::may_take_turn(self, power.is_explicit()),
            None => !intent.is_command() || limits::may_command(self),
        }
    }

    fn correct(&self, tx: &mut Tx<'_>, earlier: &MessageRow) -> Result<EditOutcome> {
        let message = Message {
            text: earlier.text.clone(),
            timestamp: earlier.sent_at_s,
            ..self.message.clone().into_owned()
        };
        let persona = &self.ingest.persona.get().name;
        let context = message.context(persona, self.timezone(), earlier.received_at);
        let understood = assistant::understand_all(&context);
        if let Intent::FollowUp { what, .. } = &understood.intent
            && matches!(
                what,
                FollowUp::Change { .. } | FollowUp::Snooze(_) | FollowUp::SnoozeNumbered { .. }
            )
        {
            return self.correct_time(tx, earlier);
        }
        let at = versions::acted_at(earlier);
        self.drop_question_of(tx, at)?;
        // A name or a time zone is replaced by the new one.
        let stated = latest::of_request(self, tx, at)?.and_then(|latest| latest.fact);
        if matches!(stated, Some(StatedFact::Name | StatedFact::TimeZone)) {
            return Ok(EditOutcome::Unneeded);
        }
        if self.is_one_request(&understood) && self.undo_all_of(tx, at)? {
            return Ok(EditOutcome::Undone(wording::earlier_version_undone()));
        }
        let is_last = self.room.head == Some(earlier.id);
        let did_something = match is_last {
            true => self.is_noted(tx, at)?,
            false => self.is_request(&understood),
        };
        Ok(match did_something {
            true => EditOutcome::Refused(wording::earlier_version_stays()),
            false => EditOutcome::Unneeded,
        })
    }

    /// The earlier version moved reminders, or put them off. They are as before, so that the new
    /// one counts from there and means the same ones.
    fn correct_time(&self, tx: &mut Tx<'_>, earlier: &MessageRow) -> Result<EditOutcome> {
        let latest = latest::of_request(self, tx, versions::acted_at(earlier))?;
        let Some(latest) = latest.filter(|latest| !latest.reminders.is_empty()) else {
            let is_last = self.room.head == Some(earlier.id);
            return Ok(match is_last {
                true => EditOutcome::Unneeded, // it did nothing yet
                false => EditOutcome::Refused(wording::earlier_version_stays()),
            });
        };
        let mut open = Vec::new();
        for noted in &latest.reminders {
            if let Some(reminder) = tx.reminder(&noted.schedule_id)? {
                match latest.event {
                    Event::Changed => open_reminders::restore_time(self, tx, &reminder, noted)?,
                    _ => open.push(reminder),
                }
            }
        }
        if latest.event == Event::Set {
            open_reminders::cancel(self, tx, &open)?;
            let came = Latest::of(Event::Delivered, &open);
            came.note(tx, self.here(), self.now)?;
        }
        self.forget_changes(tx)?;
        Ok(EditOutcome::Undone(wording::earlier_version_undone()))
    }

    /// What was changed in this moment is not taken back by a later "undo" or edit: it was done in
    /// the place of an earlier version.
    fn forget_changes(&self, tx: &mut Tx<'_>) -> Result<()> {
        tx.take_removed(self.user.id, self.now, false)?;
        latest::revise(self, tx, |latest| {
            latest.changes = MessageChanges::default()
        })
    }

    fn is_request(&self, understood: &Understanding) -> bool {
        let mut calls = understood.calls.calls.iter();
        let is_called = calls.any(|call| {
            call.strength == Strength::Clear && self.flags.superpower(call.power.name())
        });
        is_called || understood.intent.is_command() && !understood.intent.is_unclear()
    }

    /// It asks for one thing, without reference to what was said before.
    fn is_one_request(&self, understood: &Understanding) -> bool {
        let refers = matches!(
            understood.intent,
            Intent::Several(_) | Intent::FollowUp { .. }
        );
        self.is_request(understood) && !refers
    }

    /// The question that was asked then is not open any more.
    fn drop_question_of(&self, tx: &mut Tx<'_>, at: Timestamp) -> Result<()> {
        let question = tx.question(self.room.id, self.user.id)?;
        match question {
            Some((_, asked)) if asked == at => question::close(self, tx),
            _ => Ok(()),
        }
    }

    /// Whether anything that was changed then is still the last change.
    fn is_noted(&self, tx: &Tx<'_>, at: Timestamp) -> Result<bool> {
        Ok(latest::of_request(self, tx, at)?.is_some()
            || !powers::changed_at(self, tx, at)?.is_empty())
    }

    /// Undoes what a message of then did. Whether it was anything.
    fn undo_all_of(&self, tx: &mut Tx<'_>, at: Timestamp) -> Result<bool> {
        let mut is_undone = false;
        if let Some(latest) = latest::of_request(self, tx, at)? {
            is_undone = self.undo_latest(tx, &latest, at)?.is_some();
        }
        for power in powers::changed_at(self, tx, at)? {
            let undone = attempt::act(self, tx, power, PowerAction::Undo)?;
            is_undone |= matches!(undone, Some(PowerReply::Said { changed: true, .. }));
        }
        self.forget_changes(tx)?;
        Ok(is_undone)
    }
}
