//! What the builtin assistant does for a message, in its transaction: each intent's effect and the
//! reply to it. `respond` has found that the message is its to answer.

use super::dialog::latest::{self, StatedFact};
use super::dialog::question::{self, Question};
use super::open_reminders::{ReminderRefusal, ReminderRequest};
use super::reply::{Reply, Schedule};
use super::turn::MessageTurn;
use crate::access::{self, AccessRules};
use crate::assistant::{self, AccountTask, Intent, wording};
use crate::clock::{Timestamp, Zone};
use crate::edge::queue;
use crate::error::Result;
use crate::model::recurrence::Recurrence;
use crate::store::{Reminder, Tx};

impl MessageTurn<'_> {
    pub(super) fn carry_out(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Reply> {
        if intent.is_command() && !self.may_command() {
            return Ok(self.too_many().into());
        }
        self.carry_out_unlimited(tx, intent)
    }

    /// A superpower that is called, else the intent, where a language model gave no reply.
    pub(super) fn carry_out_for_model(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Reply> {
        if let Some(power) = &self.requested_power
            && let Some(reply) = self.use_power(tx, power, &intent)?
        {
            return Ok(reply.into());
        }
        self.carry_out(tx, intent)
    }

    pub(super) fn may_command(&self) -> bool {
        let ingest = self.ingest;
        self.is_admitted || ingest.may_command(self.user.id, &self.flags, self.mono)
    }

    pub(super) fn too_many(&self) -> String {
        wording::too_many_commands(&self.ingest.persona.get().name)
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
            Intent::Help(group) => self.help(tx, group)?,
            Intent::Crisis(kind) => wording::crisis(kind, &self.message.sender),
            Intent::Power(text) => self.use_power_for(tx, &text)?,
            Intent::Several(requests) => return self.carry_out_each(tx, requests),
            Intent::ConnectCalendar => self.connect_link(tx, false)?,
            Intent::ConnectMail => self.connect_link(tx, true)?,
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
                let recalled = self.recall(tx, about.as_deref())?;
                self.send_privately(tx, &recalled)?
            }
            Intent::Remember { text } => self.remember(tx, &text)?,
            Intent::Recall { about: Some(about) } if self.asks_for_reminder(tx, &about)? => {
                self.find_reminders(tx, None, Some(&about))?
            }
            Intent::Recall { about } => self.recall(tx, about.as_deref())?,
            Intent::Forget { about } => self.ask_to_forget(tx, &about)?,
            Intent::ForgetEverything => self.ask_to_forget_everything(tx)?,
            Intent::Remind {
                text,
                send_at,
                zone,
                recurrence,
            } => return self.remind_or_ask(tx, &text, send_at, zone, recurrence.as_ref()),
            Intent::RemindBefore(request) => return self.remind_before(tx, &request),
            Intent::ListReminders => self.list_reminders(tx)?,
            Intent::FindReminders { span, about } => {
                self.find_reminders(tx, span.as_ref(), about.as_deref())?
            }
            Intent::Agenda { span, of_calendar } => self.agenda(tx, &span, of_calendar)?,
            Intent::CancelReminders(request) => self.cancel_matching(tx, &request)?,
            Intent::SetTimezone(zone) => self.set_timezone(tx, zone)?,
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
        let known = self.occasions(tx)?;
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
                    let occasions = self.occasions(tx)?;
                    let mut new = occasions.iter().filter(|plan| !known.contains(plan));
                    match (new.next(), new.next()) {
                        (Some(event), None) => self.remind_before_plan(tx, request, event, text)?,
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
        if let Some(reply) = self.answer_which(tx)? {
            return Ok(reply);
        }
        if let Some(reply) = self.correct_value(tx)? {
            return Ok(reply);
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
        if let Some(known) = self.answer_from_memory(tx)? {
            return Ok(known.into());
        }
        if let Some(reminders) = self.answer_from_reminders(tx)? {
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
            messages_used_today: self.used_before(tx)? + this_one,
            daily_limit: AccessRules::read(&self.flags).allowance(unlimited),
            memories: self.count_memories(tx)?,
            reminders: tx.count_reminders(self.user.id)?,
            timezone: self.timezone(),
        })
    }

    /// The question where its text may have another request.
    fn remind_or_ask(
        &self,
        tx: &mut Tx<'_>,
        text: &str,
        send_at: Timestamp,
        said_in: Option<Zone>,
        recurrence: Option<&Recurrence>,
    ) -> Result<Reply> {
        match self.ask_about_second(tx, text)? {
            Some(question) => Ok(question.into()),
            None => self.remind(tx, text, send_at, said_in, recurrence),
        }
    }

    /// The service delivers the reminder if the relay has a queue; otherwise the relay does.
    pub(super) fn remind(
        &self,
        tx: &mut Tx<'_>,
        text: &str,
        send_at: Timestamp,
        said_in: Option<Zone>,
        recurrence: Option<&Recurrence>,
    ) -> Result<Reply> {
        let request = ReminderRequest {
            text,
            send_at,
            recurrence,
        };
        let reminder = match self.set_reminder(tx, &request)? {
            Ok(reminder) => reminder,
            Err(ReminderRefusal::TooMany) => return Ok(wording::reminders_full().into()),
            Err(ReminderRefusal::NoQueue) => return Ok(wording::reminder_repeats_not_here().into()),
        };
        let is_own = self.agent.is_some();
        let mut reply = match recurrence {
            Some(recurrence) => {
                wording::recurring_reminder_set(text, recurrence, self.now, self.timezone())
            }
            None => {
                let zone = self.timezone();
                wording::reminder_set(text, is_own, send_at, self.now, zone, said_in)
            }
        };
        let focus = match is_own && !self.in_group() {
            true => self.ingest.focus_until(tx, self.user.id, self.now)?,
            false => None,
        };
        if let Some(until) = focus.filter(|until| send_at < *until) {
            reply.push(' ');
            reply.push_str(&wording::after_focus(until, self.now, self.timezone()));
        }
        let schedule = Schedule {
            schedule_id: &reminder.schedule_id,
            chat_guid: &self.message.chat_guid,
            text: &wording::reminder_text(text),
            send_at,
            deliver_by: if is_own { "service" } else { "relay" },
        };
        Reply::scheduling(reply, &schedule)
    }

    /// "list", "show all" right after reminders were set or listed.
    fn list_again(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let is_list = assistant::asks_for_list(&self.message.text, &self.ingest.persona.get().name);
        match is_list && self.was_about_reminders(tx)? {
            true => self.list_reminders(tx).map(Some),
            false => Ok(None),
        }
    }

    fn list_reminders(&self, tx: &mut Tx<'_>) -> Result<String> {
        let here = self.reminders_here(tx)?;
        self.note_listed(tx, &here)?;
        let (now, timezone) = (self.now, self.timezone());
        if !self.in_group() {
            return Ok(wording::reminders(
                &pairs(&self.described_here(tx, &here)?),
                now,
                timezone,
            ));
        }
        let here = described(&here, timezone);
        let mut reply = wording::reminders_of_group(&pairs(&here), now, timezone);
        let mut other_chats = tx.reminders(self.user.id)?;
        other_chats.retain(|reminder| reminder.room != self.room.id);
        if !other_chats.is_empty() && !self.by_model {
            let text =
                wording::reminders(&pairs(&described(&other_chats, timezone)), now, timezone);
            reply.push('\n');
            reply.push_str(&self.send_privately(tx, &text)?);
        }
        Ok(reply)
    }

    /// Texts for a list; in a direct chat those of groups say so.
    pub(super) fn described_here(
        &self,
        tx: &Tx<'_>,
        reminders: &[Reminder],
    ) -> Result<Vec<(String, Timestamp)>> {
        let mut all = described(reminders, self.timezone());
        if !self.in_group() {
            for (reminder, (text, _)) in reminders.iter().zip(&mut all) {
                if reminder.room != self.room.id && tx.is_group(reminder.room)? {
                    *text = wording::in_a_group(text);
                }
            }
        }
        Ok(all)
    }

    /// Sends a text to the person's direct chat because a group must not read it. Returns the text
    /// for the group.
    pub(super) fn send_privately(&self, tx: &mut Tx<'_>, text: &str) -> Result<String> {
        Ok(match self.send_to_direct_chat(tx, text)? {
            true => wording::answered_alone(),
            false => wording::ask_alone(),
        })
    }

    /// False: the person has no direct chat that takes commands, or no more of them.
    pub(super) fn send_to_direct_chat(&self, tx: &mut Tx<'_>, text: &str) -> Result<bool> {
        let chat = tx.newest_direct_chat(self.user.id, true)?;
        let Some((agent, chat)) = chat.and_then(|chat| Some((chat.agent?, chat))) else {
            return Ok(false);
        };
        let message = queue::Message {
            agent,
            room: chat.room,
            chat_guid: &chat.chat_guid,
            text,
            is_one_bubble: false,
            user: Some(self.user.id),
            app_creator: None,
        };
        queue::send_message(tx, &self.ingest.hub, &message, self.now)
    }
}

/// What only somebody who is signed in can do.
fn how_it_is_done(task: AccountTask) -> String {
    match task {
        AccountTask::Delete => wording::how_to_delete_account(),
        AccountTask::Export => wording::how_to_export_data(),
    }
}

/// Texts for a list, with their recurrence.
pub(super) fn described(
    reminders: &[Reminder],
    timezone: Option<Zone>,
) -> Vec<(String, Timestamp)> {
    let text = |r: &Reminder| wording::listed_text(&r.text, r.recurrence.as_ref(), timezone);
    reminders.iter().map(|r| (text(r), r.send_at)).collect()
}

pub(super) fn pairs(described: &[(String, Timestamp)]) -> Vec<(&str, Timestamp)> {
    let pairs = described.iter();
    pairs.map(|(text, at)| (text.as_str(), *at)).collect()
}

pub(super) fn listed(reminders: &[Reminder]) -> Vec<(&str, Timestamp)> {
    let reminders = reminders.iter();
    reminders.map(|r| (r.text.as_str(), r.send_at)).collect()
}
