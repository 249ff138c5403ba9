//! Follow-ups that name reminders by number or words: "done 2", "cancel all but 2", "cancel the
//! pills"; and answers to a question about one.

use super::Referent;
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::{self, Intent, MessageContext, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::NotedRule;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::listing::{self, described, listed, pairs};
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{cancelling, open_reminders};
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    /// "make it 6" after the question what to remind of at 5.
    pub(super) fn change_asked(&self, tx: &mut Tx<'_>, to: &TimeChange) -> Result<Option<String>> {
        if !question::is_last(self, tx)? {
            return Ok(None);
        }
        let Some(Question::What { send_at, rule }) = question::open(self, tx)? else {
            return Ok(None);
        };
        let recurrence = rule.as_ref().and_then(NotedRule::recurrence);
        let at = Timestamp(send_at);
        let new = match to.of_set(at, recurrence.as_ref(), self.now, self.zone()) {
            Ok(new) => new,
            Err(reply) => return Ok(Some(reply)),
        };
        question::ask(
            self,
            tx,
            &Question::what(new.send_at, new.recurrence.as_ref()),
        )?;
        Ok(Some(wording::what_then(
            new.send_at,
            self.now,
            self.timezone(),
        )))
    }

    /// What comes once is taken off the list; what repeats stays.
    pub(super) fn done_numbered(
        &self,
        tx: &mut Tx<'_>,
        numbers: &[usize],
    ) -> Result<Option<String>> {
        for number in numbers {
            if !listing::has_number(self, tx, *number)? {
                return Ok(None);
            }
        }
        let which = ReminderRef::Numbered(numbers.to_vec());
        match self.found(tx, &which)? {
            Some(Referent::Open(open)) => self.done_open(tx, open).map(Some),
            Some(Referent::Unclear(reply)) => Ok(Some(reply)),
            Some(Referent::Delivered(_)) | None => Ok(None),
        }
    }

    /// Those that were done before they came.
    pub(super) fn done_open(&self, tx: &mut Tx<'_>, open: Vec<Reminder>) -> Result<String> {
        let (repeating, once): (Vec<Reminder>, Vec<Reminder>) =
            open.into_iter().partition(|r| r.recurrence.is_some());
        open_reminders::cancel(self, tx, &once)?;
        let mut replies = Vec::new();
        if !once.is_empty() {
            replies.push(wording::done_before_it_came(&listed(&once)));
        }
        if !repeating.is_empty() {
            let (now, zone) = (self.now, self.timezone());
            replies.push(wording::repeating_stays(&listed(&repeating), now, zone));
        }
        Ok(replies.join("\n"))
    }

    /// All of this direct chat: none of a group, where others go by them.
    pub(super) fn cancel_all_but(
        &self,
        tx: &mut Tx<'_>,
        kept: &ReminderRef,
    ) -> Result<Option<String>> {
        if self.in_group() {
            return Ok(None);
        }
        let kept = match self.found(tx, kept)? {
            Some(Referent::Open(open)) => open,
            Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
            Some(Referent::Delivered(_)) | None => return Ok(None),
        };
        let mut others = open_reminders::here(self, tx)?;
        let is_of_room = |other: &Reminder| other.room == self.room.id;
        others.retain(|other| is_of_room(other) && kept.iter().all(|one| one.id != other.id));
        if others.is_empty() {
            return Ok(Some(wording::left_as_it_was()));
        }
        open_reminders::cancel(self, tx, &others)?;
        let others = described(&others, self.timezone());
        Ok(Some(wording::reminders_cancelled(&pairs(&others))))
    }

    /// "move lunch with Bo to 2pm", of which neither a reminder nor a calendar is known.
    pub(in crate::ingest) fn nothing_to_move(&self, tx: &Tx<'_>) -> Result<Option<String>> {
        let unknown = self.unknown_message();
        let Some(FollowUp::Change {
            which: ReminderRef::About(about),
            ..
        }) = &unknown.named_follow_up
        else {
            return Ok(None);
        };
        let is_everything = ["all", "every", "my reminder", "everything"];
        if self.in_group() || is_everything.iter().any(|word| about.starts_with(word)) {
            return Ok(None);
        }
        let services = tx.view().services(self.user.id)?;
        let has_calendar = services.iter().any(|one| one.kind.is_calendar());
        Ok(Some(wording::nothing_to_move(about, has_calendar)))
    }

    /// "cancel the pills": a message that means nothing else names a reminder by its words.
    pub(in crate::ingest) fn change_named(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let unknown = self.unknown_message();
        let Some(what) = &unknown.named_follow_up else {
            return Ok(None);
        };
        if let FollowUp::SnoozeAbout { .. } | FollowUp::DoneAbout(_) = what {
            return self.follow_up(tx, what);
        }
        let (FollowUp::Cancel(ReminderRef::About(about))
        | FollowUp::ChangeUnclear(ReminderRef::About(about))
        | FollowUp::Change {
            which: ReminderRef::About(about),
            ..
        }) = what
        else {
            return Ok(None);
        };
        let found = self.named(tx, about)?;
        if found.len() < 2
            && matches!(what, FollowUp::Cancel(_))
            && let Some(reply) = self.cancel_day(tx, about)?
        {
            return Ok(Some(reply.into()));
        }
        match (found.as_slice(), what) {
            ([], FollowUp::Cancel(_)) => {
                let reply = match self.cancel_each_named(tx, about)? {
                    None => self.cancel_of_day(tx, about)?,
                    reply => reply,
                };
                Ok(reply.map(Reply::from))
            }
            ([], FollowUp::Change { .. }) => Ok(self.move_appointment(tx, about)?.map(Reply::from)),
            ([], _) => Ok(None),
            ([_, _, ..], FollowUp::Cancel(_)) => {
                let which = cancelling::ask_which(self, tx, &found)?;
                Ok(Some(which.into()))
            }
            _ => self.follow_up(tx, what),
        }
    }

    /// "run, cancel gym" as the text of a new reminder, where a reminder about gym is known: a part of
    /// the text, or another request?
    pub(in crate::ingest) fn ask_about_second(
        &self,
        tx: &Tx<'_>,
        text: &str,
    ) -> Result<Option<String>> {
        let second = assistant::second_request(text).filter(|_| !self.by_model);
        let Some((second, about)) = second else {
            return Ok(None);
        };
        let is_known = !self.named(tx, &about)?.is_empty();
        Ok(is_known.then(|| wording::second_request_unsure(&second)))
    }

    /// "cancel tomorrow": what comes once that day, and that day of what repeats. `None`: it is no day,
    /// or nothing that repeats comes then.
    fn cancel_day(&self, tx: &mut Tx<'_>, about: &str) -> Result<Option<String>> {
        if !open_reminders::matching(self, tx, Some(about), None)?.is_empty() {
            return Ok(None);
        }
        let understood = self.understood_to_cancel(about);
        let request = match understood.unless_follow_up() {
            Intent::CancelReminders(request) if request.about.is_none() => request,
            _ => return Ok(None),
        };
        let found = open_reminders::found(self, tx, request)?;
        let has_repeating = found.iter().any(|one| one.recurrence.is_some());
        match request.on.is_some() && request.minutes.is_empty() && has_repeating {
            true => cancelling::requested(self, tx, request).map(Some),
            false => Ok(None),
        }
    }

    /// "my run tomorrow": by its words and its time.
    fn cancel_of_day(&self, tx: &mut Tx<'_>, about: &str) -> Result<Option<String>> {
        let persona = &self.ingest.persona.get().name;
        let understood = assistant::understand(&MessageContext {
            text: &format!("cancel my reminder to {about}"),
            group: false, // these words are not typed
            ..self.message.context(persona, self.timezone(), self.now)
        });
        let request = match understood.unless_follow_up() {
            Intent::CancelReminders(request) => request,
            _ => return Ok(None),
        };
        let is_of_time = request.about.is_some() && request.with_time.is_some();
        match is_of_time && !open_reminders::found(self, tx, request)?.is_empty() {
            true => cancelling::requested(self, tx, request).map(Some),
            false => Ok(None),
        }
    }

    /// "run and rent": one of each name, or none. `None`: no reminder has any of these names.
    fn cancel_each_named(&self, tx: &mut Tx<'_>, about: &str) -> Result<Option<String>> {
        let (mut all, mut unknown): (Vec<Reminder>, Vec<String>) = (Vec::new(), Vec::new());
        for name in assistant::named_apart(about) {
            let found = open_reminders::matching(self, tx, Some(&name), None)?;
            match found.as_slice() {
                [] => unknown.push(name),
                [_, _, ..] => {
                    return cancelling::ask_which(self, tx, &found).map(Some);
                }
                [one] if all.iter().any(|known| known.id == one.id) => {}
                [one] => all.push(one.clone()),
            }
        }
        if let Some(reply) = self.cancel_appointments(tx, &all, &unknown)? {
            return Ok(Some(reply));
        }
        if all.is_empty() {
            return Ok(None);
        }
        if let Some(name) = unknown.first() {
            return Ok(Some(wording::one_of_them_unknown(name)));
        }
        open_reminders::cancel(self, tx, &all)?;
        Ok(Some(wording::reminders_cancelled(&listed(&all))))
    }
}
