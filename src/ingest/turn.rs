//! `MessageTurn`: the facts about one message in its transaction (the person, the chat, their flags
//! and access), and how they are read. The steps are functions of their modules that take it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;

use super::message_versions::{self, EarlierVersion};
use super::prepare::LimitUses;
use super::requested_power::RequestedPower;
use super::{Endpoint, Ingest, Message, Mode, PreparedMessage};
use crate::access::Access;
use crate::assistant::persona::Persona;
use crate::assistant::powers::{self, PowerCalls};
use crate::assistant::{self, Intent, LocalNow, MessageContext, PossibleMeanings, Words};
use crate::clock::{Monotonic, Timestamp, Zone};
use crate::error::Result;
use crate::flags::FlagReader;
use crate::memory::ServiceMemories;
use crate::random;
use crate::store::{
    AgentId, MessageRow, NewUser, PowerOwner, PowerStateWrite, Room, RoomId, Tx, User, UserId,
};

/// How long ago the person may have said what is "just before".
const JUST_BEFORE_MS: i64 = 5 * 60_000;

/// The handling of one message.
pub(super) struct MessageTurn<'a> {
    pub(super) ingest: &'a Ingest,
    /// The user's flags.
    pub(super) flags: FlagReader<'a>,
    pub(super) message: Cow<'a, Message>,
    pub(super) persona: Arc<Persona>,
    /// The id of the message's row, which may not be stored yet.
    pub(super) message_id: i64,
    pub(super) user: Arc<User>,
    pub(super) room: Room,
    /// `None` for the legacy endpoint, which has no queue.
    pub(super) agent: Option<AgentId>,
    /// Messages by people since the assistant's last one, including this one.
    pub(super) humans: i64,
    pub(super) access: Access,
    /// The earlier text, if the message is an edited one.
    pub(super) earlier_version: Option<EarlierVersion>,
    /// The possible meanings of an unknown message, if they were read before.
    pub(super) unknown: Option<&'a PossibleMeanings>,
    /// The superpower that the message requests, if it is offered.
    pub(super) requested_power: Option<RequestedPower>,
    /// The user's memories in the external service.
    pub(super) service_memories: &'a ServiceMemories,
    /// Requested by a language model on behalf of the user.
    pub(super) by_model: bool,
    /// A language model with tools understands the message.
    pub(super) left_to_model: bool,
    /// The limits that a message uses which arrives now.
    pub(super) limit_uses: Option<&'a LimitUses>,
    /// The limits were checked before.
    pub(super) is_admitted: bool,
    /// The message is beyond the limits and follows a crisis: it gets only the answer to that.
    pub(super) is_beyond_limits: bool,
    /// The first reminder that was set for it, as JSON: its answer carries it.
    pub(super) schedule: OnceCell<Value>,
    pub(super) now: Timestamp,
    pub(super) mono: Monotonic,
}

impl Ingest {
    /// The message's turn. A sender, an agent and a room that are new get their rows.
    pub(super) fn turn<'a>(
        &'a self,
        tx: &mut Tx<'_>,
        prepared: &'a mut PreparedMessage,
    ) -> Result<(MessageTurn<'a>, &'a PreparedMessage)> {
        let now = prepared.now;
        let agent = match &prepared.via {
            Endpoint::Edge(name) => Some(self.agent(tx, name, now)?),
            Endpoint::Legacy => None,
        };
        let user = user(tx, &prepared.message.sender, now)?;
        if user.timezone != prepared.understood.zone {
            self.zones.note(&prepared.message.sender, user.timezone);
        }
        let flags = self.flags.for_user(&user.public_id);
        let room = self.room(tx, prepared, &user, agent)?;
        if room.group && prepared.message.mode == Mode::Direct {
            prepared.belongs_to_group(&self.persona.get().name);
        }
        if room.group && self.answers_question(tx, prepared, &room, &user)? {
            prepared.answers_assistant(&self.persona.get().name);
        }
        let prepared = &*prepared;
        let message = &prepared.message;
        let unknown = prepared.understood.unknown.as_ref();
        let holds = prepared.understood.holds_in(user.timezone);
        let turn = MessageTurn {
            ingest: self,
            earlier_version: message_versions::earlier_version(tx, message, &room, user.id, now)?,
            left_to_model: self.is_left_to_model(message, &flags),
            flags,
            message: Cow::Borrowed(message),
            persona: self.persona.get(),
            message_id: tx.next_message_id(),
            user,
            humans: room.humans + 1,
            room,
            agent,
            access: Access::Allow { remaining: -1 },
            unknown: unknown.filter(|_| holds),
            requested_power: None,
            service_memories: &prepared.service_memories,
            by_model: false,
            limit_uses: Some(&prepared.limit_uses),
            is_admitted: false,
            is_beyond_limits: prepared.is_beyond_limits,
            schedule: OnceCell::new(),
            now,
            mono: prepared.mono,
        };
        Ok((turn, prepared))
    }

    fn agent(&self, tx: &mut Tx, name: &str, now: Timestamp) -> Result<AgentId> {
        let id = tx.agent(name, now)?.id;
        if self.hub.note_activity(id, name, now) {
            tx.set_agent_seen(id, now)?;
        }
        Ok(id)
    }
}

impl<'a> MessageTurn<'a> {
    pub(super) fn timezone(&self) -> Option<Zone> {
        self.user.timezone
    }

    pub(super) fn local_now(&self) -> LocalNow {
        LocalNow::new(self.now, self.timezone())
    }

    /// The time zone for parsing times.
    pub(super) fn zone(&self) -> Zone {
        self.timezone().unwrap_or(Zone::UTC)
    }

    /// The chat and the person: whose dialog it is.
    pub(super) fn dialog_key(&self) -> (RoomId, UserId) {
        (self.room.id, self.user.id)
    }

    /// Whose superpowers are used: in a group only what it shares.
    pub(super) fn owner(&self) -> PowerOwner {
        match self.in_group() {
            true => PowerOwner::Room(self.room.id),
            false => PowerOwner::User(self.user.id),
        }
    }

    /// How a superpower's state is written for this message.
    pub(super) fn power_state_write(&self) -> PowerStateWrite {
        PowerStateWrite {
            at: self.now,
            message_id: Some(self.message_id),
        }
    }

    /// This person's message just before, if nobody wrote since.
    pub(super) fn previous_message(&self, tx: &Tx) -> Result<Option<MessageRow>> {
        let Some(head) = self.room.head else {
            return Ok(None);
        };
        let last = tx.view().chain(head, 1)?.into_iter().next();
        Ok(last.filter(|last| {
            last.user == self.user.id && self.now.0 - last.received_at.0 <= JUST_BEFORE_MS
        }))
    }

    /// The person's language for what isn't left to a language model, as a tag of BCP 47.
    pub(super) fn fixed_language(&self, tx: &Tx) -> Result<Option<String>> {
        let (user, in_group) = (self.user.id, self.in_group());
        self.ingest.language_of_notices(tx, user, in_group)
    }

    /// The message with the facts that change its meaning.
    pub(super) fn context(&self) -> MessageContext<'_> {
        self.message
            .context(&self.persona.name, self.timezone(), self.now)
    }

    /// A text that stands for the message.
    pub(super) fn context_of<'t>(&'t self, text: &'t str) -> MessageContext<'t> {
        MessageContext {
            text,
            ..self.context()
        }
    }

    /// An earlier message of the person, read as when it came.
    pub(super) fn context_then<'t>(&'t self, message: &'t MessageRow) -> MessageContext<'t> {
        MessageContext {
            now: message.received_at,
            ..self.context_of(&message.text)
        }
    }

    pub(super) fn understand(&self, text: &str) -> Intent {
        assistant::understand(&self.context_of(text))
    }

    /// The meaning of a request that was put together: the person did not type it, so a group's does
    /// not name the assistant.
    pub(super) fn understand_own(&self, request: &str) -> Intent {
        assistant::understand(&MessageContext {
            group: false,
            ..self.context_of(request)
        })
    }

    /// The requests to superpowers in a text.
    pub(super) fn recognise(&self, text: &str) -> PowerCalls {
        powers::recognise(&self.context_of(text))
    }

    /// The message's words without the assistant's name.
    pub(super) fn words(&self) -> Words<'_> {
        self.words_of(&self.message.text)
    }

    pub(super) fn words_of<'t>(&self, text: &'t str) -> Words<'t> {
        assistant::words_without_name(text, &self.persona.name)
    }

    /// What the message may mean where that is unknown.
    pub(super) fn possible_meanings(&self) -> Cow<'a, PossibleMeanings> {
        match self.unknown {
            Some(unknown) => Cow::Borrowed(unknown),
            None => Cow::Owned(PossibleMeanings::read(&self.context())),
        }
    }

    /// Whether the message may correct a value of what was said last, as far as that is known.
    pub(super) fn may_correct(&self) -> bool {
        self.unknown.is_none_or(|unknown| unknown.may_correct)
    }

    /// An earlier version of the message counts towards the daily limit.
    pub(super) fn is_counted_before(&self) -> bool {
        let earlier = self.earlier_version.as_ref();
        earlier.is_some_and(|earlier| earlier.is_counted)
    }

    pub(super) fn in_group(&self) -> bool {
        self.message.mode == Mode::Group
    }
}

/// The sender's user, created if new.
pub(super) fn user(tx: &mut Tx, handle: &str, now: Timestamp) -> Result<Arc<User>> {
    match tx.user_by_phone(handle)? {
        Some(user) => Ok(user),
        None => tx.insert_user(&NewUser {
            public_id: &random::uuid().to_string(),
            phone: handle,
            now,
        }),
    }
}
