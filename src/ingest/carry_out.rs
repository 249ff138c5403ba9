//! What the builtin assistant does for a message, in its transaction: each intent's effect and the
//! reply to it. `respond` has found that the message is its to answer.

use super::dialog::latest::{self, StatedFact};
use super::dialog::question::{self, Question};
use super::powers::answer;
use super::reply::Reply;
use super::turn::MessageTurn;
use super::{
    agenda, cancelling, connecting, direct_chat, gate, limits, listing, memories, occasions,
    powers, reminding, time_zone,
};
use crate::access::{self, AccessRules};
use crate::assistant::builtin::NewTime;
use crate::assistant::{self, AccountTask, Intent, wording};
use crate::error::Result;
use crate::store::Tx;

impl MessageTurn<'_> {
    pub(super) fn carry_out(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Reply> {
        if intent.is_command() && !limits::may_command(self) {
            return Ok(limits::too_many(self).into());
        }
        self.carry_out_unlimited(tx, intent)
    }

    /// A superpower that is called, else the intent, where a language model gave no reply.
    pub(super) fn carry_out_for_model(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Reply> {
        if let Some(power) = &self.requested_power
            && let Some(reply) = answer::requested(self, tx, power, &intent)?
        {
            return Ok(reply.into());
        }
        self.carry_out(tx, intent)
    }

    /// For callers that have already checked the limit of commands.
    pub(super) fn carry_out_unlimited(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Reply> {
        if matches!(intent, Intent::Say(_))
            && let Some(reply) = self.answer_okay(tx)?
        {
            return Ok(reply);
        }
        let reply = match intent {
            Intent::Say(text) | Intent::Unclear(text) => text,
            Intent::AskWhen { ref reply, .. }
            | Intent::AskWhat { ref reply, .. }
            | Intent::AskRest { ref reply, .. } => {
                self.ask_about(tx, &intent)?;
                reply.clone()
            }
            Intent::FollowUp { what, otherwise } => {
                return match self.follow_up(tx, &what)? {
                    Some(reply) => Ok(reply),
                    None => self.carry_out_unlimited(tx, *otherwise),
                };
            }
            Intent::Help(group) => powers::help(self, tx, group)?,
            Intent::Crisis(kind) => wording::crisis(kind, &self.message.sender),
            Intent::Power(text) => answer::to_part(self, tx, &text)?,
            Intent::Several(requests) => return self.carry_out_each(tx, requests),
            Intent::ConnectCalendar => connecting::link(self, tx, false)?,
            Intent::ConnectMail => connecting::link(self, tx, true)?,
            Intent::Unknown => return self.answer_unknown(tx),
            // A group is told only about its messages, nothing else of the account.
            Intent::Status if !self.in_group() => wording::status(&self.facts(tx)?),
            Intent::Status | Intent::Usage => wording::usage(&self.facts(tx)?),
            Intent::Account(task) => how_it_is_done(task),
            Intent::Remember { .. } | Intent::Forget { .. } | Intent::ForgetEverything
                if self.in_group() =>
            {
                wording::memories_alone()
            }
            Intent::Recall { .. } if self.in_group() && self.by_model => wording::memories_alone(),
            Intent::Recall { about } if self.in_group() => {
                let recalled = memories::recall(self, tx, about.as_deref())?;
                direct_chat::answer(self, tx, &recalled)?
            }
            Intent::Remember { text } => memories::remember(self, tx, &text)?,
            Intent::Recall { about: Some(about) }
                if agenda::asks_for_reminder(self, tx, &about)? =>
            {
                agenda::find_reminders(self, tx, None, Some(&about))?
            }
            Intent::Recall { about } => occasions::recall(self, tx, about.as_deref())?,
            Intent::Forget { about } => memories::ask_to_forget(self, tx, &about)?,
            Intent::ForgetEverything => memories::ask_to_forget_all(self, tx)?,
            remind @ Intent::Remind { .. } => return self.remind_or_ask(tx, remind),
            Intent::RemindBefore(request) => return occasions::remind(self, tx, &request),
            Intent::ListReminders => listing::all(self, tx)?,
            Intent::FindReminders { span, about } => {
                agenda::find_reminders(self, tx, span.as_ref(), about.as_deref())?
            }
            Intent::Agenda { span, of_calendar } => agenda::of_span(self, tx, &span, of_calendar)?,
            Intent::CancelReminders(request) => cancelling::requested(self, tx, &request)?,
            Intent::SetTimezone(zone) => time_zone::set(self, tx, zone)?,
            Intent::SetName(name) => {
                tx.set_user_name(&self.message.sender, self.user.id, &name)?;
                latest::note_fact(self, tx, StatedFact::Name)?;
                wording::name_set(&name)
            }
        };
        Ok(reply.into())
    }

    /// Several requests of one message: each is done or named. If a relay delivers reminders
    /// itself, its answer has room for one. "the day before" is
    /// before what another of the requests added.
    fn carry_out_each(&self, tx: &mut Tx<'_>, requests: Vec<Intent>) -> Result<Reply> {
        let is_reminder = |intent: &&Intent| matches!(intent, Intent::Remind { .. });
        if self.agent.is_none() && requests.iter().filter(is_reminder).count() > 1 {
            return Ok(wording::one_request_only().into());
        }
        for intent in &requests {
            if let Intent::Remind { text, .. } = intent
                && let Some(question) = self.ask_about_second(tx, text)?
            {
                return Ok(question.into());
            }
        }
        let known = occasions::known(self, tx)?;
        let mut all = Reply::default();
        for intent in requests {
            let unnamed = match &intent {
                Intent::RemindBefore(request) => {
                    request.text_without_event().map(|text| (request, text))
                }
                _ => None,
            };
            let reply = match unnamed {
                Some((request, text)) => {
                    let occasions = occasions::known(self, tx)?;
                    let mut new = occasions.iter().filter(|plan| !known.contains(plan));
                    match (new.next(), new.next()) {
                        (Some(event), None) => {
                            occasions::remind_of_plan(self, tx, request, event, text)?
                        }
                        _ => self.carry_out_unlimited(tx, intent)?,
                    }
                }
                None => self.carry_out_unlimited(tx, intent)?,
            };
            all.add(reply);
        }
        Ok(all)
    }

    /// The answer to the assistant's question, or one from a memory.
    fn answer_unknown(&self, tx: &mut Tx<'_>) -> Result<Reply> {
        if let Some(reply) = self.answer_what(tx)? {
            return Ok(reply);
        }
        if let Some(reply) = cancelling::chosen(self, tx)? {
            return Ok(reply.into());
        }
        if let Some(reply) = occasions::answer_which(self, tx)? {
            return Ok(reply);
        }
        if let Some(reply) = self.correct_value(tx)? {
            return Ok(reply);
        }
        if let Some(reply) = self.correct_person(tx)? {
            return Ok(reply.into());
        }
        if let Some(reply) = self.change_named(tx)? {
            return Ok(reply);
        }
        if let Some(reply) = self.list_again(tx)? {
            return Ok(reply.into());
        }
        if let Some(reply) = self.answer_rest(tx)? {
            return Ok(reply);
        }
        let persona = &self.ingest.persona.get().name;
        if let Some(known) = memories::answer(self, tx)? {
            return Ok(known.into());
        }
        if let Some(reminders) = agenda::answer_from_reminders(self, tx)? {
            return Ok(reminders.into());
        }
        if let Some(nothing) = self.nothing_to_move(tx)? {
            return Ok(nothing.into());
        }
        if question::open(self, tx)? == Some(Question::Crisis) {
            return Ok(wording::after_crisis().into());
        }
        let taken = self.take_statement(tx)?;
        Ok(taken.unwrap_or_else(|| wording::unknown(&self.message.text, persona).into()))
    }

    pub(super) fn facts(&self, tx: &Tx<'_>) -> Result<wording::AccountFacts<'_>> {
        let subscription = access::subscription_status(&self.user, self.now);
        let unlimited = access::counts_as_subscribed(subscription, &self.flags);
        let this_one = i64::from(!unlimited);
        Ok(wording::AccountFacts {
            name: self.user.name.as_deref(),
            subscribed: subscription.is_subscribed(),
            plan: subscription.plan,
            messages_used_today: gate::used_before(self, tx)? + this_one,
            daily_limit: AccessRules::read(&self.flags).allowance(unlimited),
            memories: memories::count(self, tx)?,
            reminders: tx.count_reminders(self.user.id)?,
            timezone: self.timezone(),
        })
    }

    /// The question where its text may have another request.
    fn remind_or_ask(&self, tx: &mut Tx<'_>, request: Intent) -> Result<Reply> {
        let Intent::Remind {
            text,
            send_at,
            zone,
            recurrence,
        } = request
        else {
            return Ok(Reply::default());
        };
        if let Some(question) = self.ask_about_second(tx, &text)? {
            return Ok(question.into());
        }
        let time = NewTime {
            send_at,
            recurrence,
            zone,
        };
        reminding::set(self, tx, &text, &time)
    }

    /// "list", "show all" right after reminders were set or listed.
    fn list_again(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let is_list = assistant::asks_for_list(&self.message.text, &self.ingest.persona.get().name);
        match is_list && self.was_about_reminders(tx)? {
            true => listing::all(self, tx).map(Some),
            false => Ok(None),
        }
    }
}

/// What only somebody who is signed in can do.
fn how_it_is_done(task: AccountTask) -> String {
    match task {
        AccountTask::Delete => wording::how_to_delete_account(),
        AccountTask::Export => wording::how_to_export_data(),
    }
}
