//! Superpowers in a message's transaction: which requested one is used, and the changes to state,
//! session and alarms. `assistant::powers` decides about understanding and wording, the gate about
//! access.

mod alarms;
mod attempt;
mod facts;
mod notices;
mod read_services;
pub(super) mod request;

pub(super) use facts::{bookings, event_lines, planned_events};

use super::answer::Answer;
use super::dialog::{self, Event, LATEST_MS, Latest};
use super::gate;
use super::turn::MessageTurn;
use super::understanding;
use super::{Ingest, Message, Mode};
use crate::access::Access;
use crate::assistant::help::HelpGroup;
use crate::assistant::powers::{
    Action, Control, Power, PowerCall, PowerCalls, StoredState, Strength,
};
use crate::assistant::{Intent, Understanding, wording};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::flags::Reader;
use crate::random;
use crate::store::{PowerOwner, PowerState, Room, Tx, User, UserId};
use request::{PowerAttempt, PowerRequest, RequestedPower};

/// The result of a request.
pub(super) enum PowerReply {
    Said {
        text: String,
        /// What is kept is not as it was.
        changed: bool,
    },
    /// Nothing: it was one too many for this minute.
    TooMany,
}

impl PowerReply {
    /// What is kept stays as it was.
    const fn unchanged(text: String) -> Self {
        Self::Said {
            text,
            changed: false,
        }
    }
}

impl Ingest {
    /// The offered superpower that a message requests. Cheap when no word of the message concerns
    /// one.
    pub(super) fn called(
        &self,
        tx: &Tx<'_>,
        (message, understood): (&Message, &Understanding),
        user: &User,
        room: &Room,
        flags: &Reader<'_>,
        now: Timestamp,
    ) -> Result<Option<RequestedPower>> {
        let named = message.superpower.as_deref();
        let session = tx.power_session(user.id, room.id, now);
        if named.is_none() && session.is_none() && !understood.calls.may_begin() {
            return Ok(None);
        }
        if flags.boolean("llm.force_basic_mode") {
            return Ok(None);
        }
        let zone = user.timezone;
        let calls = if understood.holds_in(zone) && session.is_none() && named.is_none() {
            understood.calls.clone()
        } else {
            understanding::recognise(message, &self.persona.get().name, zone, now)
        };
        if let Some(name) = named.filter(|name| flags.superpower(name)) {
            return Ok(Some(by_name(name, &calls, &understood.intent)));
        }
        if let Some(request) = calls.notices
            && message.mode == Mode::Direct
            && gate::has_superpowers(tx, message, user, room, flags, now)?
        {
            return Ok(Some(RequestedPower {
                what: PowerRequest::Notices(request),
                explicit: true,
            }));
        }
        let session = session.and_then(|session| Power::named(&session.name));
        let session = session.filter(|power| flags.superpower(power.name()));
        let session = session.filter(|power| message.mode == Mode::Direct || power.is_shared());
        let mut calls = calls;
        if calls.control == Some(Control::Undo)
            && let Some(power) = session
            && is_reminder_latest(tx, message, user, room, power, now)?
        {
            calls.control = None;
        }
        if let Some(called) = explicit_call(message, &calls, session, &understood.intent, flags) {
            return Ok(Some(called));
        }
        let attempts = implicit_calls(message, &calls, session, &understood.intent, flags);
        if attempts.is_empty() || !gate::has_superpowers(tx, message, user, room, flags, now)? {
            return Ok(None);
        }
        Ok(Some(RequestedPower {
            what: PowerRequest::Try(attempts),
            explicit: false,
        }))
    }

    /// Whether the user may take one more turn with a superpower this minute.
    fn may_take_turn(&self, turn: &MessageTurn<'_>, explicit: bool) -> bool {
        let limit = turn
            .flags
            .rate_limit("rate_limit.miniapp_actions_per_minute");
        if turn.is_admitted || !turn.flags.boolean("rate_limit.enabled") {
            return true;
        }
        let turn_permit = self
            .windows
            .lock()
            .turns
            .take(turn.user.id, limit, turn.mono);
        if turn_permit.is_err() {
            self.limited.with_label_values(&["turns"]).inc();
        }
        turn_permit.is_ok() && (!explicit || self.may_command(turn.user.id, turn.flags, turn.mono))
    }
}

/// Whether a reminder was set, changed or taken away after the superpower in use last changed: then
/// "undo" means the reminder.
fn is_reminder_latest(
    tx: &Tx<'_>,
    message: &Message,
    user: &User,
    room: &Room,
    power: Power,
    now: Timestamp,
) -> Result<bool> {
    let latest = tx.dialog(room.id, user.id)?.latest;
    let latest = dialog::recent::<Latest>(latest.as_ref(), LATEST_MS, now);
    let Some((_, at)) = latest.filter(|(latest, _)| latest.event != Event::Delivered) else {
        return Ok(false);
    };
    let owner = match message.mode {
        Mode::Group => PowerOwner::Room(room.id),
        Mode::Direct => PowerOwner::User(user.id),
    };
    let changed_at = tx.power_state_written_at(owner, power.name())?;
    Ok(changed_at.is_none_or(|changed_at| at >= changed_at))
}

/// The relay names it: its understanding of the text, or else its overview. Another kind of command
/// stays one.
fn by_name(name: &str, calls: &PowerCalls, understood: &Intent) -> RequestedPower {
    let Some(power) = Power::named(name) else {
        return RequestedPower {
            what: PowerRequest::Other,
            explicit: true,
        };
    };
    match (calls.of(power), calls.control) {
        (Some(call), _) => RequestedPower::to_do(power, call.action.clone(), true),
        (None, Some(Control::Undo)) => RequestedPower::to_do(power, Action::Undo, true),
        (None, Some(Control::Done)) => RequestedPower {
            what: PowerRequest::End(power),
            explicit: true,
        },
        (None, None) if understood.is_command() => RequestedPower {
            what: PowerRequest::Other,
            explicit: true,
        },
        (None, None) => RequestedPower::to_do(power, Action::Overview, true),
    }
}

/// An explicit request, or a text about the superpower in use.
fn explicit_call(
    message: &Message,
    calls: &PowerCalls,
    session: Option<Power>,
    understood: &Intent,
    flags: &Reader<'_>,
) -> Option<RequestedPower> {
    match (session, calls.control) {
        (Some(power), Some(Control::Undo)) => {
            return Some(RequestedPower::to_do(power, Action::Undo, false));
        }
        (Some(power), Some(Control::Done)) if calls.spoken_to => {
            return Some(RequestedPower {
                what: PowerRequest::End(power),
                explicit: false,
            });
        }
        _ => {}
    }
    if !defers_to_power(understood, false) {
        return None;
    }
    let clear = |call: &&PowerCall| {
        let is_clear = match call.strength {
            Strength::Clear => true,
            Strength::Opening => session.is_none(),
            Strength::Soft | Strength::InSession => false,
        };
        is_clear && may_mean(message, calls, call, flags)
    };
    let used = session.and_then(|power| calls.of(power)).filter(clear);
    let call = used.or_else(|| calls.calls.iter().find(clear))?;
    let others = calls.calls.iter().filter(clear);
    let others: Vec<&PowerCall> = others.filter(|other| other.power != call.power).collect();
    let attempt = |call: &PowerCall, sure| PowerAttempt {
        power: call.power,
        action: call.action.clone(),
        sure,
    };
    // A list that somebody named like a superpower is meant, if there is one.
    let own_list = others.iter().filter(|other| other.action.names_list());
    let mut attempts: Vec<PowerAttempt> = own_list.map(|call| attempt(call, false)).collect();
    attempts.push(attempt(call, true));
    attempts.extend(others.iter().map(|call| attempt(call, true)));
    Some(RequestedPower {
        what: PowerRequest::Try(attempts),
        explicit: true,
    })
}

/// Texts that may be ordinary talk: for the superpower in use, or for any if the person has a
/// session. Each is tried, starting with the one in use; if none matches, that one is tried again.
fn implicit_calls(
    message: &Message,
    calls: &PowerCalls,
    session: Option<Power>,
    understood: &Intent,
    flags: &Reader<'_>,
) -> Vec<PowerAttempt> {
    let attempt = |call: &PowerCall, sure| PowerAttempt {
        power: call.power,
        action: call.action.clone(),
        sure,
    };
    let here = |call: &&PowerCall| message.mode == Mode::Direct || call.power.is_shared();
    let used = session
        .and_then(|power| calls.of(power))
        .filter(here)
        .filter(|call| may_mean(message, calls, call, flags))
        .filter(|call| calls.spoken_to || call.strength != Strength::InSession)
        .filter(|_| defers_to_power(understood, false));
    let mut attempts: Vec<PowerAttempt> = used.iter().map(|call| attempt(call, false)).collect();
    let soft = calls.calls.iter().filter(|call| {
        call.strength == Strength::Soft
            && calls.spoken_to
            && here(call)
            && Some(call.power) != used.map(|used| used.power)
            && may_mean(message, calls, call, flags)
            && defers_to_power(understood, true)
    });
    attempts.extend(soft.map(|call| attempt(call, false)));
    attempts.extend(used.iter().map(|call| attempt(call, true)));
    attempts
}

/// Whether the superpower is offered and may be meant. In a group, personal ones need the assistant
/// to be addressed.
fn may_mean(message: &Message, calls: &PowerCalls, call: &PowerCall, flags: &Reader<'_>) -> bool {
    let is_addressed = message.mode == Mode::Direct || calls.spoken_to || call.power.is_shared();
    is_addressed && flags.superpower(call.power.name())
}

/// Whether the meaning without superpowers gives way to one. `soft`: not an explicit request.
fn defers_to_power(understood: &Intent, soft: bool) -> bool {
    match understood {
        Intent::Unknown => true,
        intent if intent.is_unclear() => true,
        Intent::FollowUp { otherwise, .. } => defers_to_power(otherwise, soft),
        Intent::Say(_) | Intent::Agenda { .. } => !soft,
        // "when is my sister's birthday?" may refer to a memory.
        Intent::Recall { about: Some(_) } => soft,
        _ => false,
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
    ) -> Result<Option<Answer>> {
        let text = match &called.what {
            PowerRequest::Try(attempts) => {
                let mut did = None;
                for (n, attempt) in attempts.iter().enumerate() {
                    let is_last_resort = n > 0 && attempt.sure && !called.explicit;
                    if is_last_resort && let Some(known) = self.answer_from_memory(tx)? {
                        return Ok(Some(Answer::saying(&known)));
                    }
                    did = self.attempt(tx, attempt, called.explicit)?;
                    if did.is_some() {
                        break;
                    }
                }
                if did.is_none() {
                    did = self.say_of_travel(tx, attempts, understood)?;
                }
                match did {
                    Some(reply) => self.text_of(reply),
                    None => return Ok(None), // it refers to nothing that is stored
                }
            }
            PowerRequest::End(_) | PowerRequest::Notices(_)
                if !self.ingest.may_take_turn(self, called.explicit) =>
            {
                self.too_many()
            }
            PowerRequest::End(power) => {
                self.take_turn(tx, *power)?;
                tx.end_power_session(self.user.id, self.room.id, self.now)?;
                wording::superpower_ended(power.title())
            }
            PowerRequest::Notices(request) => self.text_of(self.set_notices(tx, *request)?),
            PowerRequest::Other => {
                if understood.is_command() || self.may_command() {
                    return Ok(None);
                }
                self.too_many()
            }
        };
        Ok(Some(Answer::saying(&text)))
    }

    /// "Where's my hotel?" that no superpower and no memory answers: what travel would do.
    fn say_of_travel(
        &self,
        tx: &mut Tx<'_>,
        attempts: &[PowerAttempt],
        understood: &Intent,
    ) -> Result<Option<PowerReply>> {
        let mut attempts = attempts.iter();
        let travel = attempts.find(|attempt| attempt.power == Power::TravelBrain);
        match (travel, understood) {
            (Some(attempt), Intent::Recall { about: Some(about) })
                if !self.knows_of(tx, about)? =>
            {
                let attempt = PowerAttempt {
                    sure: true,
                    ..attempt.clone()
                };
                self.attempt(tx, &attempt, false)
            }
            _ => Ok(None),
        }
    }

    /// Does what one of several requests asks a superpower for. Returns what is said about it.
    pub(super) fn use_power_for(&self, tx: &mut Tx<'_>, text: &str) -> Result<String> {
        let persona = self.ingest.persona.get();
        let (message, now) = (self.message, self.now);
        let zone = self.timezone();
        let calls = understanding::recognise_part((message, text), &persona.name, zone, now);
        let is_meant = |call: &&PowerCall| {
            matches!(call.strength, Strength::Clear | Strength::Soft)
                && self.flags.superpower(call.power.name())
        };
        let mut calls: Vec<&PowerCall> = calls.calls.iter().filter(is_meant).collect();
        calls.sort_by_key(|call| call.strength != Strength::Clear);
        let access = gate::superpower_access(tx, message, self.user, self.room, self.flags, now)?;
        if let (Access::Deny(denial), false) = (access, calls.is_empty()) {
            return Ok(denial.reply(&persona));
        }
        for call in calls {
            let attempt = PowerAttempt {
                power: call.power,
                action: call.action.clone(),
                sure: call.strength == Strength::Clear,
            };
            if let Some(reply) = self.attempt(tx, &attempt, false)? {
                return Ok(self.text_of(reply));
            }
        }
        Ok(wording::part_not_understood(text))
    }

    fn text_of(&self, reply: PowerReply) -> String {
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
        action: Action,
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

    /// In a group only shared state is used.
    fn owner(&self) -> PowerOwner {
        match self.in_group() {
            true => PowerOwner::Room(self.room.id),
            false => PowerOwner::User(self.user.id),
        }
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
        if self.flags.boolean("llm.force_basic_mode")
            || !gate::has_superpowers(tx, self.message, self.user, self.room, self.flags, self.now)?
        {
            return Ok(Vec::new());
        }
        let is_here = |power: &Power| {
            (!self.in_group() || power.is_shared()) && self.flags.superpower(power.name())
        };
        Ok(Power::ALL.into_iter().rev().filter(is_here).collect())
    }
}

pub(super) fn stored_state(row: PowerState) -> StoredState {
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
