//! Unprompted offers, like a list entry for what somebody needs, and the "yes" that accepts one.

use crate::assistant::builtin::{NewTime, TimeChange};
use crate::assistant::powers::Power;
use crate::assistant::{self, Intent, Statement, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::NotedRule;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::occasions::TRIP_REQUEST;
use crate::ingest::powers::answer;
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{gate, limits, powers, reminding};
use crate::store::Tx;

impl MessageTurn<'_> {
    /// What may be done with a message that requests nothing: a fact is remembered, a plan is
    /// offered as a reminder, what is needed for the list. Never in a group.
    pub(in crate::ingest) fn take_statement(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        if self.in_group() {
            return Ok(None);
        }
        let (now, zone) = (self.now, self.timezone());
        Ok(match self.unknown_message().into_owned().statement {
            Some(Statement::Fact(_)) if !limits::may_command(self) => {
                Some(limits::too_many(self).into())
            }
            Some(Statement::Fact(fact)) => Some(self.remember_fact(tx, &fact)?.into()),
            Some(Statement::Trip(days)) if self.has_power(tx, Power::TripPlanner)? => {
                let request = format!("{TRIP_REQUEST}{days}");
                question::ask(self, tx, &Question::OfferedRequest(request))?;
                Some(wording::trip_offered(&days).into())
            }
            Some(Statement::Needed(thing)) if self.has_power(tx, Power::TodoList)? => {
                let request = format!("add {thing} to my list");
                question::ask(self, tx, &Question::OfferedRequest(request))?;
                Some(wording::list_offered(&thing).into())
            }
            Some(Statement::Plan {
                text,
                send_at,
                recurrence,
            }) => {
                let rule = recurrence.as_ref();
                let question = Question::OfferedReminder {
                    text: text.clone(),
                    send_at: send_at.0,
                    rule: rule.map(NotedRule::of),
                };
                question::ask(self, tx, &question)?;
                Some(wording::reminder_offered(&text, send_at, rule, now, zone).into())
            }
            _ => None,
        })
    }

    fn has_power(&self, tx: &Tx<'_>, power: Power) -> Result<bool> {
        Ok(self.flags.superpower(power.name()) && gate::has_superpowers(self, tx)?)
    }

    /// Does what was offered. `None`: nothing was.
    pub(super) fn accept_offer(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let reply = match question::open(self, tx)? {
            Some(Question::OfferedReminder { send_at, .. }) if send_at <= self.now.0 => {
                wording::reminder_past().into()
            }
            Some(Question::OfferedReminder {
                text,
                send_at,
                rule,
            }) => reminding::set(
                self,
                tx,
                &text,
                &NewTime {
                    send_at: Timestamp(send_at),
                    recurrence: rule.and_then(|rule| rule.recurrence()),
                    zone: None,
                },
            )?,
            Some(Question::OfferedRequest(request)) => answer::to_part(self, tx, &request)?.into(),
            _ => return Ok(None),
        };
        question::close(self, tx)?;
        Ok(Some(reply))
    }

    /// "ok" after an offer.
    pub(in crate::ingest) fn answer_okay(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let persona = self.ingest.persona.get();
        match assistant::is_consent(&self.message.text, &persona.name) {
            true => self.accept_offer(tx),
            false => Ok(None),
        }
    }

    /// Another time for what was offered. `None`: nothing was.
    pub(super) fn change_offer(&self, tx: &mut Tx<'_>, to: &TimeChange) -> Result<Option<Reply>> {
        let Some(Question::OfferedReminder {
            text,
            send_at,
            rule,
        }) = question::open(self, tx)?
        else {
            return Ok(None);
        };
        let rule = rule.and_then(|rule| rule.recurrence());
        let new = to.of_set(Timestamp(send_at), rule.as_ref(), self.now, self.zone());
        Ok(Some(match new {
            Ok(new) => {
                question::close(self, tx)?;
                reminding::set(self, tx, &text, &new)?
            }
            Err(reply) => reply.into(),
        }))
    }

    /// An offer stands until something else is said, and the question for a part of a reminder until
    /// something else is requested.
    pub(in crate::ingest) fn withdraw_offer(&self, tx: &mut Tx<'_>, intent: &Intent) -> Result<()> {
        if self.in_group() || matches!(intent, Intent::FollowUp { .. } | Intent::Say(_)) {
            return Ok(());
        }
        let is_over = match question::open(self, tx)? {
            // It may be before the trip that was offered.
            Some(Question::OfferedRequest(_)) if matches!(intent, Intent::RemindBefore(_)) => false,
            Some(
                Question::OfferedReminder { .. }
                | Question::OfferedRequest(_)
                | Question::Undo { .. },
            ) => true,
            Some(Question::When { .. } | Question::What { .. }) => changes_something(intent),
            _ => false,
        };
        match is_over {
            true => question::close(self, tx),
            false => Ok(()),
        }
    }

    /// The same for what a superpower was asked for, and did.
    pub(in crate::ingest) fn withdraw_after_power(&self, tx: &mut Tx<'_>) -> Result<()> {
        let asked = question::open(self, tx)?;
        let is_open = matches!(asked, Some(Question::When { .. } | Question::What { .. }));
        match is_open && !powers::changed_at(self, tx, self.now)?.is_empty() {
            true => question::close(self, tx),
            false => Ok(()),
        }
    }
}

/// Whether it requests a change, complete in itself.
const fn changes_something(intent: &Intent) -> bool {
    matches!(
        intent,
        Intent::Several(_)
            | Intent::Remember { .. }
            | Intent::Forget { .. }
            | Intent::ForgetEverything
            | Intent::Remind { .. }
            | Intent::RemindBefore(_)
            | Intent::CancelReminders(_)
            | Intent::SetName(_)
    )
}
