//! Short messages that refer to earlier ones: answers to questions, "snooze", "make it 10", "cancel
//! 2", "undo". `assistant::builtin::follow_up` parses them; this file resolves what they refer to.

mod about;
mod changes;
mod missing_part;
mod named;
mod offers;
mod referent;
mod skipping;
mod snooze;
pub(super) mod undo;
mod undo_asked;

use self::referent::Referent;
use super::dialog::NUMBERS_MS;
use super::dialog::latest::{self, Event};
use super::dialog::question::{self, Question};
use super::listing::{described, listed, pairs};
use super::reply::Reply;
use super::turn::MessageTurn;
use super::{
    calendar_changes, calendar_events, cancelling, memories, occasions, open_reminders, powers,
    reminding,
};
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::{Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::Tx;

/// How long after a reminder a bare time postpones it.
const JUST_DELIVERED_MS: i64 = 30 * 60_000;
/// Dates listed when somebody asks for the next ones.
const NEXT_DATES: usize = 3;

impl MessageTurn<'_> {
    /// `None`: it refers to nothing and is understood alone.
    pub(super) fn follow_up(&self, tx: &mut Tx<'_>, what: &FollowUp) -> Result<Option<Reply>> {
        let is_named = self.message.text.to_lowercase().contains("reminder");
        let is_latest = *what == FollowUp::Cancel(ReminderRef::Latest) && !is_named;
        if is_latest && question::is_last(self, tx)? {
            return Ok(self.answer_no(tx)?.map(Reply::from));
        }
        if let Some(reply) = calendar_events::change_latest(self, tx, what)? {
            return Ok(Some(reply.into()));
        }
        let is_short = matches!(what, FollowUp::Yes | FollowUp::No | FollowUp::NeverMind);
        if is_short && question::open(self, tx)? == Some(Question::Crisis) {
            return Ok(Some(wording::after_crisis().into()));
        }
        Ok(match what {
            FollowUp::Time(time) => self.answer_when(tx, time)?,
            FollowUp::Yes => self.answer_yes(tx)?,
            FollowUp::No => match self.answer_no(tx)? {
                None if self.regrets_last(tx)? => Some(wording::done_already().into()),
                answer => answer.map(Reply::from),
            },
            FollowUp::NeverMind => self.never_mind(tx)?.map(Reply::from),
            FollowUp::Snooze(time) => Some(self.snooze(tx, time.as_ref())?),
            FollowUp::SnoozeNumbered { numbers, time } => {
                Some(self.snooze_numbered(tx, numbers, time.as_ref())?)
            }
            FollowUp::Again(time) => self.again(tx, time)?,
            FollowUp::Done => match self.done(tx)? {
                None if self.in_group() => None,
                done => Some(done.unwrap_or_else(wording::nothing_due).into()),
            },
            FollowUp::DoneNumbered(numbers) => self.done_numbered(tx, numbers)?.map(Reply::from),
            FollowUp::Change {
                which: ReminderRef::Latest,
                to,
            } => self.change_last(tx, to)?,
            FollowUp::Change { which, to } => self.change(tx, which, to)?,
            FollowUp::ChangeBefore => self.change_before(tx)?.map(Reply::from),
            FollowUp::Cancel(which) => self.cancel(tx, which)?.map(Reply::from),
            FollowUp::CalledOff => self.called_off(tx)?.map(Reply::from),
            FollowUp::SnoozeAbout { about, time } => self.snooze_about(tx, about, time.as_ref())?,
            FollowUp::DoneAbout(about) => self.done_about(tx, about)?.map(Reply::from),
            FollowUp::Rename { which, text } => self.rename_meant(tx, which, text)?,
            FollowUp::Reword { old, new } => self.reword(tx, old, new)?.map(Reply::from),
            FollowUp::ChangeUnclear(which) => match self.found(tx, which)? {
                Some(Referent::Open(_)) => Some(wording::change_unclear().into()),
                _ => None,
            },
            FollowUp::Replace { to, text } => self.replace(tx, Some(to), text)?.map(Reply::from),
            FollowUp::Instead { to, text } => match latest::is_of_last_message(self, tx)? {
                true => self.replace(tx, to.as_ref(), text)?.map(Reply::from),
                false => None,
            },
            FollowUp::Skip { which, day } => {
                let skipped = self.skip(tx, which, day.as_ref())?;
                skipped.map(Reply::from)
            }
            FollowUp::CancelAllBut(kept) => self.cancel_all_but(tx, kept)?.map(Reply::from),
            FollowUp::Undo => {
                let undone = self.undo(tx)?;
                Some(undone.unwrap_or_else(wording::nothing_to_undo).into())
            }
            FollowUp::Dates(which) => self.next_dates(tx, which)?.map(Reply::from),
        })
    }

    /// "make it 10": what the assistant has just asked about or offered, what was just told, or the
    /// last reminder.
    fn change_last(&self, tx: &mut Tx<'_>, to: &TimeChange) -> Result<Option<Reply>> {
        let is_when = matches!(question::open(self, tx)?, Some(Question::When { .. }));
        if is_when && question::is_last(self, tx)? {
            return self.answer_when(tx, to);
        }
        if let Some(reply) = self.change_offer(tx, to)? {
            return Ok(Some(reply));
        }
        if let Some(reply) = self.change_asked(tx, to)? {
            return Ok(Some(reply.into()));
        }
        if to.delay_s().is_some()
            && let Some(reply) = self.change_before(tx)?
        {
            return Ok(Some(reply.into()));
        }
        // "no, 4 May" after a birthday moves no reminder.
        if let Some(reply) = self.correct_value(tx)? {
            return Ok(Some(reply));
        }
        // "make it 3" after "add 2 eggs" moves no older reminder.
        if self.was_for_power(tx)? {
            return Ok(Some(wording::change_unclear().into()));
        }
        self.change(tx, &ReminderRef::Latest, to)
    }

    /// Whether the person's last message changed what a superpower keeps, and no reminder.
    fn was_for_power(&self, tx: &Tx<'_>) -> Result<bool> {
        let Some(last) = self.said_last(tx)? else {
            return Ok(false);
        };
        let is_reminder = latest::named(self, tx)?.is_some_and(|(_, at)| at >= last.received_at);
        Ok(!is_reminder && !powers::changed_at(self, tx, last.received_at)?.is_empty())
    }

    /// The answer to "When?"; otherwise how often the reminder just set comes, or a time right after
    /// one came, which postpones it.
    fn answer_when(&self, tx: &mut Tx<'_>, time: &TimeChange) -> Result<Option<Reply>> {
        if let Some(reply) = cancelling::chosen(self, tx)? {
            return Ok(Some(reply.into()));
        }
        if let Some(reply) = occasions::answer_which(self, tx)? {
            return Ok(Some(reply));
        }
        if let Some(reply) = self.answer_rest(tx)? {
            return Ok(Some(reply));
        }
        if let Some(reply) = self.change_offer(tx, time)? {
            return Ok(Some(reply));
        }
        if let Some(Question::When { text, month }) = question::open(self, tx)? {
            let time = time.clone().in_month(month);
            let new = match time.of_new(self.now, self.zone()) {
                Ok(new) => new,
                Err(reply) => return Ok(Some(reply.into())),
            };
            question::close(self, tx)?;
            return Ok(Some(reminding::set(self, tx, &text, &new)?));
        }
        if let Some(reply) = self.change_asked(tx, time)? {
            return Ok(Some(reply.into()));
        }
        let Some((latest, at)) = latest::named(self, tx)? else {
            return Ok(None);
        };
        // "every day" right after it was set
        let is_set = matches!(latest.event, Event::Set | Event::Changed);
        if is_set
            && latest.fact.is_none()
            && time.is_repeat()
            && latest::is_of_last_message(self, tx)?
        {
            return self.change(tx, &ReminderRef::Latest, time);
        }
        let just_now = self.now.0 - at.0 <= JUST_DELIVERED_MS;
        let came = latest.event == Event::Delivered || self.is_put_off(tx, &latest, at)?;
        if !came || !just_now {
            return Ok(None);
        }
        Ok(Some(self.snooze(tx, Some(time))?))
    }

    fn answer_yes(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        if let Some(reply) = self.accept_offer(tx)? {
            return Ok(Some(reply));
        }
        // "yes" long after the question may mean anything else.
        let asked = tx.question(self.room.id, self.user.id)?.map(|(_, at)| at);
        let last = self.said_last(tx)?.map(|last| last.received_at);
        if last > asked {
            return Ok(None);
        }
        let reply = match question::open(self, tx)? {
            Some(Question::Forget {
                ids,
                about,
                birthdays,
            }) => memories::forget(self, tx, &ids, &birthdays, &about)?,
            Some(Question::ForgetEverything) => memories::forget_all(self, tx)?,
            Some(Question::ChangeCalendar(question)) => {
                calendar_changes::begin(self, tx, &question)?
            }
            Some(Question::Undo { at, power }) => {
                self.undo_asked(tx, Timestamp(at), power.as_deref())?
            }
            _ => return Ok(None),
        };
        question::close(self, tx)?;
        Ok(Some(reply.into()))
    }

    /// Whether this is a "no" to what the person's last message changed.
    fn regrets_last(&self, tx: &mut Tx<'_>) -> Result<bool> {
        let text = self.message.text.trim().to_lowercase();
        if !["no", "nope", "nah"].iter().any(|no| text.starts_with(no)) {
            return Ok(false);
        }
        let Some(last) = self.said_last(tx)? else {
            return Ok(false);
        };
        let latest = latest::named(self, tx)?.filter(|(latest, at)| {
            *at == last.received_at && !latest.is_undone && latest.changes != Default::default()
        });
        Ok(latest.is_some() || !powers::changed_at(self, tx, last.received_at)?.is_empty())
    }

    fn answer_no(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        if question::open(self, tx)?.is_none() {
            return Ok(None);
        }
        question::close(self, tx)?;
        Ok(Some(wording::left_as_it_was()))
    }

    /// It closes the question. What was set stays, and the answer says so.
    fn never_mind(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        if question::is_last(self, tx)? {
            return self.answer_no(tx);
        }
        let latest = latest::named(self, tx)?;
        let is_recent = |at: Timestamp| self.now.0 - at.0 <= NUMBERS_MS;
        let latest = latest.filter(|(latest, at)| {
            let is_set = matches!(latest.event, Event::Set | Event::Changed);
            is_set && latest.fact.is_none() && is_recent(*at)
        });
        let Some((latest, _)) = latest else {
            return Ok(None);
        };
        let mut open = Vec::new();
        for reminder in &latest.reminders {
            open.extend(tx.reminder(&reminder.schedule_id)?);
        }
        let (now, timezone) = (self.now, self.timezone());
        Ok((!open.is_empty()).then(|| wording::reminders_stay(&listed(&open), now, timezone)))
    }

    fn done(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let Some((latest, _)) = latest::named(self, tx)? else {
            return Ok(None);
        };
        if latest.event != Event::Delivered {
            let Some(Referent::Open(open)) = self.latest_found(tx)? else {
                return Ok(None);
            };
            let (now, zone) = (self.now, self.timezone());
            return Ok(Some(wording::still_set(&listed(&open), now, zone)));
        }
        let texts: Vec<&str> = latest.reminders.iter().map(|r| r.text.as_str()).collect();
        // Also one that was put off before.
        let mut same = open_reminders::here(self, tx)?;
        same.retain(|one| one.room == self.room.id && texts.contains(&one.text.as_str()));
        let next = same.iter().map(|open| open.send_at).min();
        Ok(Some(wording::reminder_done(
            &texts,
            next,
            self.now,
            self.timezone(),
        )))
    }

    fn cancel(&self, tx: &mut Tx<'_>, which: &ReminderRef) -> Result<Option<String>> {
        Ok(match self.found(tx, which)? {
            None => None,
            Some(Referent::Unclear(reply)) => Some(reply),
            Some(Referent::Delivered(came)) => {
                // "snooze" sends one of a series once more: the series is what is left of it.
                let mut series = open_reminders::here(self, tx)?;
                let is_same = |text: &str| came.iter().any(|one| one.text == text);
                series.retain(|r| {
                    r.room == self.room.id && r.recurrence.is_some() && is_same(&r.text)
                });
                open_reminders::cancel(self, tx, &series)?;
                Some(match series.is_empty() {
                    true => wording::already_delivered(),
                    false => {
                        wording::reminders_cancelled(&pairs(&described(&series, self.timezone())))
                    }
                })
            }
            Some(Referent::Open(open)) => {
                if matches!(which, ReminderRef::About(_)) && open.len() > 1 {
                    return cancelling::ask_which(self, tx, &open).map(Some);
                }
                open_reminders::cancel(self, tx, &open)?;
                Some(wording::reminders_cancelled(&listed(&open)))
            }
        })
    }

    fn next_dates(&self, tx: &mut Tx<'_>, which: &ReminderRef) -> Result<Option<String>> {
        let open = match self.found(tx, which)? {
            None => return Ok(None),
            Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
            Some(Referent::Delivered(_)) => return Ok(Some(wording::already_delivered())),
            Some(Referent::Open(open)) => open,
        };
        let each = open.iter().map(|reminder| match &reminder.recurrence {
            Some(recurrence) => wording::next_dates(
                &reminder.text,
                recurrence,
                NEXT_DATES,
                self.now,
                self.timezone(),
            ),
            None => {
                wording::comes_once(&reminder.text, reminder.send_at, self.now, self.timezone())
            }
        });
        Ok(Some(each.collect::<Vec<_>>().join("\n")))
    }

    /// Asks for the missing time or text of a reminder.
    pub(super) fn ask_about(&self, tx: &mut Tx<'_>, intent: &Intent) -> Result<()> {
        match intent {
            Intent::AskWhen { text, month, .. } => {
                let (text, month) = (text.clone(), *month);
                question::ask(self, tx, &Question::When { text, month })
            }
            Intent::AskWhat {
                send_at,
                recurrence,
                ..
            } => question::ask(self, tx, &Question::what(*send_at, recurrence.as_ref())),
            Intent::AskRest { before, after, .. } => {
                let (before, after) = (before.clone(), after.clone());
                question::ask(self, tx, &Question::Rest { before, after })
            }
            _ => Ok(()),
        }
    }
}
