//! Messages in, answers out. One transaction decides everything: whether the message is a
//! repetition, what the sender may do, whether it is answered, the answer, and later effects. A 200
//! means that message, count, reply and later commands are committed together. This module must not
//! know HTTP.

mod agenda;
pub mod answer;
mod birthdays;
mod calendar_changes;
mod changed_users;
mod connecting;
pub mod decide;
mod dialog;
pub mod explain;
mod follow_ups;
mod gate;
mod known_zones;
mod limits;
pub mod mail_judgement;
mod memories;
mod occasions;
mod open_reminders;
mod photos;
pub mod powers;
pub mod reminders;
pub mod replies;
mod respond;
pub mod retries;
mod rooms;
mod several;
mod turn;
mod understanding;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use crate::access;
use crate::assistant::Understanding;
use crate::assistant::persona::Persona;
use crate::clock::{Clock, Monotonic, Timestamp};
use crate::edge::hub::Hub;
use crate::error::{Error, Kind, Quota, Result};
use crate::flags::Flags;
use crate::media::PhotoFile;
use crate::memory::{Memories, ServiceMemories};
use crate::metrics::{self, IntCounterVec};
use crate::model::secret_text;
use crate::random;
use crate::setting::Setting;
use crate::store::{
    AgentId, AnswerDue, Digest, NewMessage, NewUser, Room, SharedStore, StoredAnswer,
    StoredMessage, Tx, User, UserId,
};
use answer::Answer;
use changed_users::ChangedUsers;
use known_zones::KnownZones;
use limits::{Quotas, Windows};
use parking_lot::Mutex;
use replies::Replies;
use respond::Response;
use turn::MessageTurn;

/// The source of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// The authenticated agent's name.
    Edge(String),
    Legacy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Direct,
    Group,
}

/// A message as the relay sent it, with every field checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub chat_guid: String,
    pub mode: Mode,
    pub sender: String,
    pub text: String,
    /// In Unix seconds.
    pub timestamp: i64,
    pub participants: Vec<String>,
    /// JSON as sent; `None` when absent.
    pub metadata: Option<String>,
    pub context: Option<String>,
    /// The room owner's handle.
    pub owner: Option<String>,
    pub photos: usize,
    /// The superpower named by the relay.
    pub superpower: Option<String>,
    pub reply_to_assistant: bool,
}

/// Where a message is stored, and what it counts towards.
struct MessagePlace<'a> {
    user: &'a User,
    agent: Option<AgentId>,
    room: &'a mut Room,
    humans: i64,
    counted: bool,
}

/// How a repetition of this request is recognised.
#[derive(Debug, Clone, Copy)]
pub enum RepeatKey {
    /// By its idempotency key.
    Key { key: Digest, body: Digest },
    /// By relay, endpoint and body, when its answer could not be delivered.
    Body(Digest),
}

/// A message prepared for the writer thread, with everything that is known without a transaction.
pub struct PreparedMessage {
    via: Endpoint,
    message: Message,
    pub repeat: RepeatKey,
    /// Digest of the members.
    members: Digest,
    /// The text's meaning, with the sender's time zone as last known.
    understood: Understanding,
    /// The sender's memories in the external service, if needed.
    service_memories: ServiceMemories,
    /// A photo uploaded with it; then its reply is a command.
    photo: Option<PhotoFile>,
    /// The quota after counting it towards the limit per minute; counted once.
    message_quota: Option<Quota>,
    now: Timestamp,
    mono: Monotonic,
}

/// The answer, and the message it belongs to.
pub struct IngestOutcome {
    pub answer: Answer,
    pub message_id: i64,
    /// Drop it when the answer was delivered; `None` when nothing depends on that.
    pub due: Option<AnswerDue>,
    /// The answer of an earlier, identical request.
    pub replayed: bool,
    /// The sender's remaining limits.
    pub quotas: Quotas,
    /// A language model will make the reply.
    pending: bool,
}

/// The state that ingest needs.
pub struct Ingest {
    pub store: SharedStore,
    pub hub: Arc<Hub>,
    pub flags: Arc<Flags>,
    pub clock: Clock,
    pub persona: Setting<Persona>,
    pub memories: Arc<Memories>,
    pub reminders: reminders::ReminderWaker,
    pub replies: Replies,
    windows: Mutex<Windows>,
    zones: KnownZones,
    /// When somebody was last asked how something was, by this or an earlier process.
    how_was_asked_ms: AtomicI64,
    /// Whose calendars and mails are to be planned.
    changed_users: Mutex<ChangedUsers>,
    /// Counts limits that were reported in the answer's text.
    pub limited: IntCounterVec,
}

impl Ingest {
    pub fn new(
        store: SharedStore,
        hub: Arc<Hub>,
        flags: Arc<Flags>,
        clock: Clock,
        persona: Persona,
        memories: Arc<Memories>,
        replies: Replies,
    ) -> Self {
        Self {
            how_was_asked_ms: AtomicI64::new(clock.now().0),
            changed_users: Mutex::default(),
            store,
            hub,
            flags,
            clock,
            persona: Setting::new(persona),
            memories,
            reminders: reminders::ReminderWaker::default(),
            replies,
            windows: Mutex::default(),
            zones: KnownZones::default(),
            limited: metrics::refusals(),
        }
    }

    /// Computes everything about a message that needs no database.
    pub fn prepare(
        &self,
        via: Endpoint,
        mut message: Message,
        repeat: RepeatKey,
    ) -> Box<PreparedMessage> {
        // Before anything of it is kept or passed on.
        if let Some(text) = secret_text::without_secrets(&message.text) {
            message.text = text;
        }
        let now = self.clock.now();
        let zone = self.zones.of(&message.sender);
        let persona = &self.persona.get().name;
        let understood = understanding::understand_all(&message, persona, zone, now);
        Box::new(PreparedMessage {
            members: rooms::members(&message),
            understood,
            service_memories: ServiceMemories::default(),
            message_quota: None,
            via,
            message,
            repeat,
            photo: None,
            now,
            mono: self.clock.monotonic(),
        })
    }

    /// Handles a message. 429 beyond the rate limits, 422 for a key used with another body.
    pub async fn receive(
        self: &Arc<Self>,
        mut prepared: Box<PreparedMessage>,
    ) -> Result<IngestOutcome> {
        self.fetch_memories(&mut prepared).await?;
        let (ingest, arrived_at) = (self.clone(), prepared.mono);
        let receiving = self
            .store
            .write_repeatable(move |tx| ingest.receive_in(tx, &mut prepared));
        let mut received = receiving.await?;
        if received.pending {
            received.answer = self.await_reply(received.message_id, arrived_at).await?;
        }
        Ok(received)
    }

    fn receive_in(&self, tx: &mut Tx<'_>, prepared: &mut PreparedMessage) -> Result<IngestOutcome> {
        let now = prepared.now;
        if let Some(mut received) = repeated(tx, &prepared.repeat, now)? {
            received.pending = self.replies.is_awaited(tx, received.message_id)?;
            return Ok(received);
        }
        let quotas = self.limit(tx, prepared)?;
        let agent = match &prepared.via {
            Endpoint::Edge(name) => Some(self.agent(tx, name, now)?),
            Endpoint::Legacy => None,
        };
        let user = user(tx, &prepared.message.sender, now)?;
        if user.timezone != prepared.understood.zone {
            self.zones.note(&prepared.message.sender, user.timezone);
        }
        let flags = self.flags.for_user(&user.public_id);
        let mut room = self.room(tx, prepared, &user, agent)?;
        if room.group && prepared.message.mode == Mode::Direct {
            prepared.belongs_to_group(&self.persona.get().name);
        }
        let (prepared, message) = (&*prepared, &prepared.message);
        let humans = room.humans + 1;
        let asked = (message, &prepared.understood);
        let called = self.called(tx, asked, &user, &room, &flags, now)?;
        let left_to_model = self.is_left_to_model(message, &flags);
        // What a model calls is asked about then.
        let is_asked = called.is_some() && !left_to_model;
        let access = self.access(tx, prepared, &user, &room, &flags, is_asked)?;
        let response = MessageTurn {
            ingest: self,
            flags: &flags,
            message,
            user: &user,
            room: &room,
            agent,
            humans,
            access,
            called,
            service_memories: &prepared.service_memories,
            by_model: false,
            left_to_model,
            is_admitted: false,
            now,
            mono: prepared.mono,
        }
        .answer(tx, &prepared.understood)?;
        self.keep(
            tx,
            prepared,
            MessagePlace {
                user: &user,
                agent,
                room: &mut room,
                humans,
                // Only free users' allowed messages count towards the daily limit.
                counted: access.is_allowed()
                    && !access::counts_as_subscribed(access::standing(&user, now), &flags),
            },
            response,
            quotas,
        )
    }

    /// Stores the message with its answer and effects.
    fn keep(
        &self,
        tx: &mut Tx<'_>,
        prepared: &PreparedMessage,
        place: MessagePlace<'_>,
        response: Response,
        quotas: Quotas,
    ) -> Result<IngestOutcome> {
        let now = prepared.now;
        let (answer, asked) = match response {
            Response::Answer(answer) => (answer, None),
            Response::ByModel { unprompted } => (Answer::silence(), Some(unprompted)),
        };
        if place.counted {
            tx.count_message(place.user.id, now.utc_day())?;
        }
        let responds = answer.should_respond() || asked.is_some();
        let stored = match prepared.photo {
            Some(_) => Answer::silence().stored(), // the reply follows as a command
            None => answer.stored(),
        };
        let StoredMessage { id, due } = tx.insert_message(
            place.room,
            &NewMessage {
                counted: place.counted,
                humans: if responds { 0 } else { place.humans },
                ..prepared.row(place.user.id, place.agent, &stored)
            },
        )?;
        if let RepeatKey::Key { key, body } = &prepared.repeat {
            tx.insert_key_use(key, body, id, now)?;
        }
        if let Some(unprompted) = asked {
            self.replies.expect(tx, id, place.room.id, unprompted)?;
        }
        if let (Some(photo), Some(agent)) = (&prepared.photo, place.agent) {
            let upload = photos::Upload {
                photo,
                message_id: id,
                message: &prepared.message,
                user: place.user.id,
                agent,
                room: place.room.id,
            };
            self.keep_photo(tx, &upload, &answer, asked.is_some(), now)?;
        }
        Ok(IngestOutcome {
            answer,
            message_id: id,
            due,
            replayed: false,
            quotas,
            pending: asked.is_some() && prepared.photo.is_none(),
        })
    }

    /// Stores an undelivered answer for the retry.
    pub async fn keep_answer(&self, request: Digest, message_id: i64) -> Result<()> {
        let now = self.clock.now();
        self.store
            .write(move |tx| tx.keep_answer(request, message_id, now))
            .await
    }

    fn agent(&self, tx: &mut Tx<'_>, name: &str, now: Timestamp) -> Result<AgentId> {
        let id = tx.agent(name, now)?.id;
        if self.hub.note_activity(id, name, now) {
            tx.set_agent_seen(id, now)?;
        }
        Ok(id)
    }
}

impl PreparedMessage {
    /// The chat is a known group and stays one, whatever this message says.
    fn belongs_to_group(&mut self, persona: &str) {
        self.message.mode = Mode::Group;
        let zone = self.understood.zone;
        self.understood = understanding::understand_all(&self.message, persona, zone, self.now);
    }

    /// The message as a row; other code decides what it counts towards.
    fn row<'a>(
        &'a self,
        user: UserId,
        agent: Option<AgentId>,
        answer: &'a StoredAnswer,
    ) -> NewMessage<'a> {
        let message = &self.message;
        NewMessage {
            user,
            agent,
            chat_guid: &message.chat_guid,
            sent_at_s: message.timestamp,
            now: self.now,
            sender: &message.sender,
            text: &message.text,
            metadata: message.metadata.as_deref(),
            context: message.context.as_deref(),
            counted: false,
            humans: 0,
            answer,
            request: match &self.repeat {
                RepeatKey::Body(request) => Some(request),
                RepeatKey::Key { .. } => None,
            },
        }
    }
}

/// The sender's user, created if new.
fn user(tx: &mut Tx<'_>, handle: &str, now: Timestamp) -> Result<Arc<User>> {
    match tx.user_by_phone(handle)? {
        Some(user) => Ok(user),
        None => tx.insert_user(&NewUser {
            public_id: &random::uuid().to_string(),
            phone: handle,
            now,
        }),
    }
}

/// The earlier answer to the same request.
fn repeated(tx: &mut Tx<'_>, repeat: &RepeatKey, now: Timestamp) -> Result<Option<IngestOutcome>> {
    let message_id = match repeat {
        RepeatKey::Key { key, body } => match tx.key_use(key, now)? {
            None => return Ok(None),
            Some(used) if used.body != *body => {
                return Err(Error::new(
                    Kind::Invalid,
                    "idempotency_key_reused",
                    "This Idempotency-Key was used with another body; use a new key for a new message.",
                ));
            }
            Some(used) => used.message_id,
        },
        RepeatKey::Body(request) => {
            if !tx.any_kept_answer()? {
                return Ok(None);
            }
            match tx.take_kept_answer(request, now)? {
                None => return Ok(None),
                Some(message_id) => message_id,
            }
        }
    };
    let Some(stored) = tx.answer(message_id)? else {
        return Ok(None); // the message was erased since
    };
    Ok(Some(IngestOutcome {
        answer: Answer::from_stored(&stored)?,
        message_id,
        due: None,
        replayed: true,
        quotas: Quotas::default(),
        pending: false,
    }))
}
