//! The first step of a message, before its transaction: what the relay sent, and what it means.
//! Computed from the message alone, without the database.

use std::cell::Cell;

use super::Ingest;
use crate::assistant::{self, MessageContext, Understanding};
use crate::clock::{Monotonic, Timestamp, Zone};
use crate::error::Quota;
use crate::media::PhotoFile;
use crate::memory::ServiceMemories;
use crate::model::secret_text;
use crate::store::{Digest, UserId};

/// The source of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// The authenticated agent's name.
    Edge(String),
    Legacy,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Direct,
    Group,
}

/// A message as the relay sent it, with every field checked. The default is without any field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

/// How a repetition of this request is recognised.
#[derive(Debug, Clone, Copy)]
pub enum RequestKey {
    /// By its idempotency key.
    Key { key: Digest, body: Digest },
    /// By relay, endpoint and body, when its answer could not be delivered.
    Body(Digest),
}

/// A message prepared for the writer thread, with everything that is known without a transaction.
pub struct PreparedMessage {
    pub(super) via: Endpoint,
    pub(super) message: Message,
    pub repeat: RequestKey,
    /// Digest of the members.
    pub(super) members: Digest,
    /// The text's meaning, with the sender's time zone as last known.
    pub(super) understood: Understanding,
    /// The sender's memories in the external service, if needed.
    pub(super) service_memories: ServiceMemories,
    /// A photo uploaded with it; then its reply is a command.
    pub(super) photo: Option<PhotoFile>,
    /// The quota after counting it towards the limit per minute; counted once.
    pub(super) message_quota: Option<Quota>,
    /// The message is beyond the limits and follows a crisis: it gets only the answer to that.
    pub(super) is_beyond_limits: bool,
    pub(super) limit_uses: LimitUses,
    pub(super) now: Timestamp,
    pub(super) mono: Monotonic,
}

/// The commands and uses of superpowers that a message took, given back when its transaction is run again.
#[derive(Debug, Default)]
pub(super) struct LimitUses {
    pub(super) commands: Cell<u64>,
    pub(super) power_uses: Cell<u64>,
    pub(super) user: Cell<Option<UserId>>,
}

impl Ingest {
    /// Computes everything about a message that needs no database.
    pub fn prepare(
        &self,
        via: Endpoint,
        mut message: Message,
        repeat: RequestKey,
    ) -> Box<PreparedMessage> {
        // Before anything of it is kept or passed on.
        if let Some(text) = secret_text::without_secrets(&message.text) {
            message.text = text;
        }
        let now = self.clock.now();
        let zone = self.zones.of(&message.sender);
        let persona = &self.persona.get().name;
        let understood = assistant::understand_all(&message.context(persona, zone, now));
        Box::new(PreparedMessage {
            members: message.members_digest(),
            understood,
            service_memories: ServiceMemories::default(),
            message_quota: None,
            is_beyond_limits: false,
            limit_uses: LimitUses::default(),
            via,
            message,
            repeat,
            photo: None,
            now,
            mono: self.clock.monotonic(),
        })
    }
}

impl PreparedMessage {
    /// The chat is a known group and stays one, whatever this message says.
    pub(super) fn belongs_to_group(&mut self, persona: &str) {
        self.message.mode = Mode::Group;
        self.understand_anew(persona);
    }

    /// The message answers the assistant's question, without its name.
    pub(super) fn answers_assistant(&mut self, persona: &str) {
        self.message.reply_to_assistant = true;
        self.understand_anew(persona);
    }

    fn understand_anew(&mut self, persona: &str) {
        let context = self
            .message
            .context(persona, self.understood.zone, self.now);
        self.understood = assistant::understand_all(&context);
    }
}

impl Message {
    /// All members of the chat: the participants, the sender, and a group's owner; without
    /// duplicates, sorted.
    pub(super) fn members(&self) -> Vec<&str> {
        let participants = self.participants.iter().map(String::as_str);
        let owner = self.owner.as_deref().filter(|_| self.mode == Mode::Group);
        let named = participants.chain(owner);
        let mut members: Vec<&str> = named.chain([self.sender.as_str()]).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    fn members_digest(&self) -> Digest {
        let members = self.members();
        let parts: Vec<&[u8]> = members.iter().map(|member| member.as_bytes()).collect();
        Digest::of(&parts)
    }

    /// The text with the facts that change its meaning.
    pub(super) fn context<'a>(
        &'a self,
        persona: &'a str,
        timezone: Option<Zone>,
        now: Timestamp,
    ) -> MessageContext<'a> {
        MessageContext {
            text: &self.text,
            now,
            timezone,
            persona,
            group: self.mode == Mode::Group && !self.reply_to_assistant,
            has_photos: self.photos > 0,
        }
    }
}
