//! Superpowers in a message's transaction: which requested one is used, and the changes to state,
//! session and alarms. `assistant::powers` decides about understanding and wording, the gate about
//! access.

mod alarms;
mod attempt;
mod facts;
mod notices;
mod read_services;
mod recognition;
pub(super) mod request;

pub(super) use facts::{bookings, event_lines, planned_events};

use super::dialog;
use super::turn::MessageTurn;
use crate::access::Access;
use crate::assistant::help::HelpGroup;
use crate::assistant::powers::{self, Power, PowerAction, PowerCall, StoredState, Strength};
use crate::assistant::{Intent, MessageContext, wording};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::random;
use crate::store::{DialogPart, PowerOwner, PowerState, Tx, UserId};
use request::{PowerAttempt, PowerRequest, RequestedPower};

/// The result of a request.
pub(super) enum PowerReply {
    Said {
        text: String,
        /// Whether the superpower's state changed.
        changed: bool,
    },
    /// Nothing was done: the limit of turns a minute is reached.
    TooMany,
}

impl PowerReply {
    /// A reply that changed nothing.
    const fn unchanged(text: String) -> Self {
        Self::Said {
            text,
            changed: false,
        }
    }
}

impl MessageTurn<'_> {
    /// `understood` is the meaning without superpowers. `None`: nothing was done, and the message
    /// is answered as if no superpower had been requested.
    pub(super) fn use_power(
        &self,
        tx: &mut Tx<'_>,
        called: &RequestedPower,
        understood: &Intent,
    ) -> Result<Option<String>> {
        let text = match &called.what {
            PowerRequest::Try(attempts) => {
                let mut did = None;
                for (n, attempt) in attempts.iter().enumerate() {
                    let is_last_resort = n > 0 && attempt.sure && !called.explicit;
                    if is_last_resort && let Some(known) = self.answer_from_memory(tx)? {
                        return Ok(Some(known));
                    }
                    did = self.attempt(tx, attempt, called.explicit)?;
                    if did.is_some() {
                        break;
                    }
                }
                if did.is_none() {
                    did = self.say_nothing_is_known(tx, attempts, understood)?;
                }
                match did {
                    Some(reply) => {
                        let text = self.text_of(reply);
                        self.forget_numbers_after(tx, &text)?;
                        text
                    }
                    None => return Ok(None), // it refers to nothing that is stored
                }
            }
            PowerRequest::Each(clauses) => return self.note_each(tx, clauses),
            PowerRequest::End(_) | PowerRequest::Notices(_)
                if !self.may_take_turn(called.explicit) =>
            {
                self.too_many()
            }
            PowerRequest::End(power) => self.end(tx, *power, called.explicit)?,
            PowerRequest::Notices(request) => self.text_of(self.set_notices(tx, *request)?),
            PowerRequest::Other => {
                if understood.is_command() || self.may_command() {
                    return Ok(None);
                }
                self.too_many()
            }
        };
        Ok(Some(text))
    }

    /// After another numbered list the numbers of reminders shown before it mean nothing.
    fn forget_numbers_after(&self, tx: &mut Tx<'_>, text: &str) -> Result<()> {
        if !text.lines().any(|line| line.starts_with("1. ")) {
            return Ok(());
        }
        let (here, none) = ((self.room.id, self.user.id), None::<&Vec<String>>);
        dialog::note(tx, here, DialogPart::Listed, none, self.now)
    }

    /// Ends the conversation about a superpower, and what runs only until the person is done.
    fn end(&self, tx: &mut Tx<'_>, power: Power, explicit: bool) -> Result<String> {
        let alarm = tx.power_alarm_at(self.user.id, power.name())?;
        let still_sends = !self.in_group() && alarm.is_some_and(|at| at > self.now);
        let action = power.stop_of_running().filter(|_| still_sends);
        let stopped = match action {
            Some(action) => {
                let attempt = PowerAttempt {
                    power,
                    action,
                    sure: true,
                };
                self.attempt(tx, &attempt, explicit)?
            }
            None => None,
        };
        if stopped.is_none() {
            self.take_turn(tx, power)?;
        }
        tx.end_power_session(self.user.id, self.room.id, self.now)?;
        Ok(match stopped {
            Some(reply) => self.text_of(reply),
            None => wording::superpower_ended(power.title(), still_sends),
        })
    }

    /// "Where's my hotel?", "did Ana write?", "when does netflix renew?" that no superpower, no
    /// memory and no reminder answers: what the one that it is for says nevertheless.
    fn say_nothing_is_known(
        &self,
        tx: &mut Tx<'_>,
        attempts: &[PowerAttempt],
        understood: &Intent,
    ) -> Result<Option<PowerReply>> {
        let is_question = match understood.unless_follow_up() {
            Intent::Recall { about: Some(about) } => {
                if self.knows_of(tx, about)? || self.asks_for_reminder(tx, about)? {
                    return Ok(None);
                }
                false // the memories may say that they don't know either
            }
            Intent::Unknown => self.unknown_message().asked_about.is_some(),
            _ => return Ok(None),
        };
        let may_answer = |power: Power| {
            power.lacks_service(false, false) || is_question && power.quotes_others()
        };
        for attempt in attempts.iter().filter(|attempt| may_answer(attempt.power)) {
            let attempt = PowerAttempt {
                sure: true,
                ..attempt.clone()
            };
            if let Some(reply) = self.attempt(tx, &attempt, false)? {
                return Ok(Some(reply));
            }
        }
        Ok(None)
    }

    /// Does what one of several requests asks a superpower for. Returns what is said about it.
    pub(super) fn use_power_for(&self, tx: &mut Tx<'_>, text: &str) -> Result<String> {
        let reply = self.try_power_for(tx, text)?;
        Ok(reply.unwrap_or_else(|| wording::part_not_understood(text)))
    }

    /// Does what a request asks a superpower for. `None`: no superpower understands it.
    pub(super) fn try_power_for(&self, tx: &mut Tx<'_>, text: &str) -> Result<Option<String>> {
        let persona = self.ingest.persona.get();
        let message = &self.message;
        let calls = powers::recognise(&MessageContext {
            text,
            group: false, // only one of the parts contains the name
            ..message.context(&persona.name, self.timezone(), self.now)
        });
        if !calls.clauses.is_empty() && !self.in_group() {
            return self.note_each(tx, &calls.clauses);
        }
        let is_sure = |call: &PowerCall| match call.strength {
            Strength::Clear => true,
            Strength::Opening => !self.in_group(),
            Strength::Soft | Strength::InSession => false,
        };
        let is_offered = |call: &&PowerCall| {
            (is_sure(call) || call.strength == Strength::Soft)
                && self.flags.superpower(call.power.name())
        };
        let mut calls: Vec<&PowerCall> = calls.calls.iter().filter(is_offered).collect();
        calls.sort_by_key(|call| !is_sure(call));
        if let (Access::Deny(denial), Some(call)) = (self.superpower_access(tx)?, calls.first()) {
            // What may be ordinary talk is not refused.
            return Ok(is_sure(call).then(|| denial.reply(&persona)));
        }
        for call in calls {
            let attempt = PowerAttempt {
                power: call.power,
                action: call.action.clone(),
                sure: is_sure(call),
            };
            if let Some(reply) = self.attempt(tx, &attempt, false)? {
                return Ok(Some(self.text_of(reply)));
            }
        }
        Ok(None)
    }

    /// Reports of several kinds. `None`: there is nothing to note.
    fn note_each(&self, tx: &mut Tx<'_>, clauses: &[String]) -> Result<Option<String>> {
        let mut replies = Vec::new();
        for clause in clauses {
            let reply = self.try_power_for(tx, clause)?;
            // A refusal is said once.
            replies.extend(reply.filter(|reply| !replies.contains(reply)));
        }
        Ok((!replies.is_empty()).then(|| replies.join("\n")))
    }

    pub(super) fn text_of(&self, reply: PowerReply) -> String {
        match reply {
            PowerReply::Said { text, .. } => text,
            PowerReply::TooMany => self.too_many(),
        }
    }

    /// Executes a tool call of a language model, which counts as a command. The caller checks
    /// access.
    pub(super) fn act(
        &self,
        tx: &mut Tx<'_>,
        power: Power,
        action: PowerAction,
    ) -> Result<Option<PowerReply>> {
        let attempt = PowerAttempt {
            power,
            action,
            sure: true,
        };
        self.attempt(tx, &attempt, true)
    }

    fn take_turn(&self, tx: &mut Tx<'_>, power: Power) -> Result<()> {
        let id = || random::uuid().to_string();
        tx.take_power_turn(self.user.id, self.room.id, power.name(), id, self.now)
    }

    /// What the assistant can do here, or of one group of it.
    pub(super) fn help(&self, tx: &Tx<'_>, group: Option<HelpGroup>) -> Result<String> {
        let powers = self.powers_here(tx)?;
        if let Some(group) = group {
            let lines = group.more(&powers);
            return Ok(match lines.is_empty() {
                true => wording::no_help_with(group.title()),
                false => wording::help_with(group.title(), &lines),
            });
        }
        let groups = HelpGroup::ALL.map(|group| (group.title(), group.lines(&powers)));
        let mut groups = groups.to_vec();
        groups.retain(|(_, lines)| !lines.is_empty());
        Ok(wording::help(&self.ingest.persona.get().name, &groups))
    }

    /// The superpowers that the person has in this chat.
    fn powers_here(&self, tx: &Tx<'_>) -> Result<Vec<Power>> {
        if self.flags.boolean("llm.force_basic_mode") || !self.has_superpowers(tx)? {
            return Ok(Vec::new());
        }
        let is_here = |power: &Power| {
            (!self.in_group() || power.is_shared()) && self.flags.superpower(power.name())
        };
        Ok(Power::ALL.into_iter().rev().filter(is_here).collect())
    }
}

pub(in crate::ingest) fn stored_state(row: PowerState) -> StoredState {
    StoredState {
        state: row.state,
        previous: row.previous,
    }
}

fn state_of(power: Power, stored: StoredState) -> PowerState {
    PowerState {
        name: power.name().to_owned(),
        state: stored.state,
        previous: stored.previous,
    }
}

/// Removes all superpower state of a user: personal state, and their entries in groups' shared
/// state. Called in the transaction of an erasure, while the user's rooms are still known.
pub fn erase(tx: &mut Tx<'_>, user: UserId, now: Timestamp) -> Result<()> {
    for room in tx.rooms_with_power_states(user)? {
        let owner = PowerOwner::Room(room);
        for row in tx.power_states(owner)? {
            let Some(power) = Power::named(&row.name) else {
                continue;
            };
            let left = power
                .redact_user(&stored_state(row), user.0)
                .map_err(Error::internal)?;
            tx.set_power_state(owner, &state_of(power, left), now)?;
        }
    }
    tx.forget_power_sessions(user);
    tx.delete_power_states(user)
}
