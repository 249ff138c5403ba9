//! Replies by a language model. First the message and its pending reply are committed; then the
//! model is called, outside any transaction; then the reply is committed. The request waits until
//! its deadline. After that it is answered without the reply: a relay gets the reply as a command,
//! a legacy relay gets an apology. The database records which of the two applies, so a reply is
//! sent once.

mod builtin_answer;
mod cache;
mod cached_reply;
mod call_effects;
mod call_numbers;
mod call_record;
mod changed_series;
mod claims;
mod command_hints;
mod context;
mod conversation;
mod dialog_facts;
mod earlier_photos;
mod failed_changes;
mod fitting_list;
pub mod job;
mod kept_facts;
mod length;
mod make_reply;
mod message_edits;
mod model_turn;
mod operations;
mod pending_message;
mod plan;
mod private_answer;
mod reminder_json;
mod reminder_occasion;
mod remote_calls;
mod reply_waiters;
mod request;
mod requested_changes;
mod result;
mod streaming;
mod taken_back;
mod told_zone;
mod tool_outcomes;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Notify, Semaphore};

use super::reply::Reply;
use super::{Ingest, Message};
use crate::assistant::wording::Apology;
use crate::assistant::{self, Intent, wording};
use crate::clock::{Monotonic, Timestamp};
use crate::edge::queue;
use crate::engine::Model;
use crate::error::{Error, ErrorKind, Result};
use crate::flags::FlagReader;
use crate::mcp::McpServers;
use crate::media::Photos;
use crate::metrics::{self, CacheMetrics, IntCounter};
use crate::model::answer::Answer;
use crate::setting::Setting;
use crate::store::{MessageRow, PendingReply, RoomId, Tx, UserId};
use cache::ReplyCache;
use reply_waiters::ReplyWaiters;
use result::ReplyResult;
pub(super) use result::SMALL_TALK;

/// Limit of pending replies; a message beyond it is answered with an apology.
const PENDING_MAX: usize = 10_000;
/// Concurrent context reads; other readers stay free.
const READS_AT_ONCE_MAX: usize = 2;
/// Error code: the relay has no room for a late reply.
const NO_ROOM: &str = "relay_full";
const NO_CHAT: &str = "no_chat";
/// Error code: the reply may quote somebody who was erased.
const QUOTES_ERASED: &str = "quotes_erased";
/// A longer message id of the relay isn't repeated.
const RELAY_ID_BYTES_MAX: usize = 255;
/// Lifetime of a typing sign.
const TYPING_TTL_MS: u64 = 8_000;

/// Settings for replies.
pub struct ReplySettings {
    /// `None`: the builtin engine answers everything.
    pub model: Option<Arc<Model>>,
    /// Servers whose tools the model may call.
    pub mcp: Setting<McpServers>,
    /// The operator's text about who the assistant is.
    pub system_prompt: Setting<Option<String>>,
    /// The first paragraphs of a reply follow before it is complete.
    pub stream: bool,
    /// How long a request waits.
    pub deadline_s: u64,
    /// Pending replies from before the start.
    pub pending: usize,
    /// Uploaded photos.
    pub photos: Arc<Photos>,
}

/// The part of ingest that makes replies.
pub struct Replies {
    settings: ReplySettings,
    waiting: Arc<ReplyWaiters>,
    pending: Arc<AtomicUsize>,
    cache: ReplyCache,
    late: IntCounter,
    reads: Semaphore,
    wake: Arc<Notify>,
}

impl Replies {
    pub fn new(settings: ReplySettings) -> Self {
        Self {
            pending: Arc::new(AtomicUsize::new(settings.pending)),
            settings,
            waiting: Arc::default(),
            cache: ReplyCache::default(),
            late: metrics::counter(
                "chatkeep_replies_late_total",
                "Replies that were not ready in time, and follow as commands.",
            ),
            reads: Semaphore::new(READS_AT_ONCE_MAX),
            wake: Arc::default(),
        }
    }

    /// The number of pending replies.
    pub fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    /// Metrics and size of the cache of replies.
    pub fn cached(&self) -> (&CacheMetrics, usize) {
        (&self.cache.lookups, self.cache.len())
    }

    /// Replies that missed their request's deadline.
    pub fn late(&self) -> &IntCounter {
        &self.late
    }

    /// Replaces the system prompt and the key for later calls.
    pub fn set(&self, system_prompt: Option<String>, api_key: Option<String>) {
        self.settings.system_prompt.set(system_prompt);
        if let Some(model) = self.model() {
            model.set_api_key(api_key);
        }
    }

    /// Replaces the servers whose tools the model may call.
    pub fn set_mcp(&self, servers: McpServers) {
        self.settings.mcp.set(servers);
    }

    pub(super) fn shared_model(&self) -> Option<Arc<Model>> {
        self.settings.model.clone()
    }

    pub fn model(&self) -> Option<&Model> {
        self.settings.model.as_deref()
    }

    /// Whether a model answers this intent. The builtin assistant always handles what it can do
    /// itself.
    pub(super) fn are_for(&self, intent: &Intent) -> bool {
        self.settings.model.is_some() && !intent.is_command()
    }

    /// Whether a model can act for people, as far as is known.
    fn can_act(&self) -> bool {
        self.model().is_some_and(Model::takes_tools)
    }

    /// Whether an intent is worth a message that nobody asked for.
    pub(super) fn have_something_to_say(&self, intent: &Intent) -> bool {
        let unknown_to_builtin = *intent == Intent::Unknown;
        intent.has_something_to_say() || unknown_to_builtin && self.settings.model.is_some()
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.pending.load(Ordering::Relaxed) >= PENDING_MAX
    }

    /// Records in the message's transaction that a model will answer it.
    pub(super) fn expect(
        &self,
        tx: &mut Tx,
        message_id: i64,
        room: RoomId,
        unprompted: bool,
    ) -> Result<()> {
        tx.insert_pending_reply(message_id, room, unprompted)?;
        let (waiting, pending, wake) = (
            self.waiting.clone(),
            self.pending.clone(),
            self.wake.clone(),
        );
        tx.after_commit(move || {
            pending.fetch_add(1, Ordering::Relaxed);
            waiting.open(message_id);
            wake.notify_one();
        });
        Ok(())
    }

    /// Whether the answer to a message is still expected.
    pub(super) fn is_awaited(&self, tx: &mut Tx, message_id: i64) -> Result<bool> {
        let pending = tx.pending_reply(message_id)?;
        let awaited = pending.is_some_and(|pending| !pending.late);
        if awaited {
            // After a restart no request waits for it yet.
            let waiting = self.waiting.clone();
            tx.after_commit(move || waiting.open(message_id));
        }
        Ok(awaited)
    }

    fn deadline_ms(&self) -> u64 {
        self.settings.deadline_s * 1000
    }

    /// After the commit all waiting requests get `answer`.
    fn answer_waiting(&self, tx: &mut Tx, message_id: i64, answer: Answer) {
        let waiting = self.waiting.clone();
        tx.after_commit(move || waiting.close(message_id, answer));
    }

    /// The reply is no longer pending.
    fn end(&self, tx: &mut Tx, message_id: i64) -> Result<()> {
        if tx.delete_pending_reply(message_id)? {
            let pending = self.pending.clone();
            tx.after_commit(move || {
                pending.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }
}

impl Ingest {
    /// The language of reminders: the one that the person chose, where a model speaks it with them.
    /// A group must not learn it.
    pub(super) fn language_of_notices(
        &self,
        tx: &Tx,
        user: UserId,
        in_group: bool,
    ) -> Result<Option<String>> {
        match self.replies.model() {
            Some(_) if !in_group => Ok(tx.view().forms_of_address(user)?.1),
            _ => Ok(None),
        }
    }

    /// Whether a language model understands the message, with tools to do what it asks for. A
    /// relay that names a superpower has understood it already.
    pub(super) fn is_left_to_model(&self, message: &Message, flags: &FlagReader) -> bool {
        self.replies.can_act()
            && !flags.force_basic_mode()
            && message.superpower.is_none()
            && !(message.photos == 0
                && assistant::is_fixed_command(&message.text, &self.persona.get().name))
    }

    /// The answer to a message whose reply is pending, within the deadline of a request that
    /// came at `arrived_at`.
    pub(super) async fn await_reply(
        self: &Arc<Self>,
        message_id: i64,
        arrived_at: Monotonic,
    ) -> Result<Answer> {
        let waited_ms = self.clock.monotonic().since(arrived_at);
        let left_ms = self.replies.deadline_ms().saturating_sub(waited_ms);
        let left = Duration::from_millis(left_ms);
        if let Some(answer) = self.replies.waiting.answer(message_id, left).await {
            return Ok(answer);
        }
        let ingest = self.clone();
        self.store
            .write(move |tx| ingest.answer_without_reply(tx, message_id))
            .await
    }

    /// The deadline has passed, or the reply arrived between two checks.
    fn answer_without_reply(self: &Arc<Self>, tx: &mut Tx, message_id: i64) -> Result<Answer> {
        let answer = match tx.pending_reply(message_id)? {
            None => {
                let stored = tx.answer(message_id)?;
                return stored.ok_or_else(|| Error::internal("the message was erased"));
            }
            Some(pending) if pending.late => return Ok(Answer::default()),
            Some(pending) if pending.agent.is_some() => {
                tx.set_reply_late(message_id)?;
                self.replies.late.inc();
                Answer::default()
            }
            Some(pending) => {
                let result = ReplyResult::deadline_passed(pending.unprompted);
                let now = self.clock.now();
                let (reply, decision) = self.final_reply(tx, &pending, &result, now)?;
                let answer = reply.into_answer();
                tx.set_answer(message_id, &answer, &decision.json())?;
                self.replies.end(tx, message_id)?;
                answer
            }
        };
        self.replies.answer_waiting(tx, message_id, answer.clone());
        Ok(answer)
    }

    /// Commits a finished reply and the effects of its tool calls, as the answer to the waiting
    /// request or as a command. Errors without any change: `NO_ROOM`, when the relay has too many
    /// unfinished commands, and `QUOTES_ERASED`, when the reply must be made again. With `give_up`
    /// the reply is abandoned instead.
    fn deliver(
        self: &Arc<Self>,
        tx: &mut Tx,
        message_id: i64,
        result: &ReplyResult,
        give_up: bool,
        now: Timestamp,
    ) -> Result<()> {
        result.count(tx, now)?;
        let Some(pending) = tx.pending_reply(message_id)? else {
            // Erased, or answered with an apology: the tokens are counted all the same.
            self.replies.end(tx, message_id)?;
            self.replies
                .answer_waiting(tx, message_id, Answer::default());
            return Ok(());
        };
        if tx.view().is_any_erased(&result.others)? {
            let detail = "The reply may quote somebody whose account is erased.";
            return Err(Error::new(ErrorKind::Unavailable, QUOTES_ERASED, detail));
        }
        // Checked first, because tool calls use limits outside the transaction.
        if pending.late && !give_up {
            self.check_room(tx, &pending)?;
        }
        let (reply, decision) = self.final_reply(tx, &pending, result, now)?;
        let decision = decision.json();
        // A private question isn't answered in a chat that became a group.
        let is_former = tx.is_former_direct_chat(pending.room)?;
        if is_former && !pending.late {
            self.replies
                .answer_waiting(tx, message_id, Answer::default());
        }
        if pending.late || is_former {
            let is_sent =
                reply.text.is_empty() || self.send_late(tx, &pending, &reply.text, now)?;
            if !is_sent && !give_up {
                self.check_room(tx, &pending)?;
                return Err(no_room());
            }
            let mut texts = tx.view().sent_of_reply(message_id)?;
            texts.push(reply.text);
            let answer = Reply::from(texts.join("\n\n")).into_answer();
            tx.set_late_reply(message_id, &answer, Some(&decision))?;
        } else {
            let answer = reply.into_answer();
            tx.set_answer(message_id, &answer, &decision)?;
            self.replies.answer_waiting(tx, message_id, answer);
        }
        self.replies.end(tx, message_id)
    }

    /// Records that the reply was made: making it didn't crash the service, so its starts are
    /// forgotten.
    async fn note_reply_made(&self, message_id: i64) {
        // One attempt is enough.
        let _ = self
            .store
            .write(move |tx| tx.forget_reply_starts(message_id))
            .await;
    }

    /// The error says why the reply can't become a command now.
    fn check_room(&self, tx: &mut Tx, pending: &PendingReply) -> Result<()> {
        let chat = tx.chat_for(pending.room, pending.user)?;
        let Some(agent) = chat.and_then(|chat| chat.agent.or(pending.agent)) else {
            let detail = "The person has no chat that takes it.";
            return Err(Error::new(ErrorKind::Unavailable, NO_CHAT, detail));
        };
        match tx.has_room_for(agent, 1, None)? {
            true => Ok(()),
            false => Err(no_room()),
        }
    }

    fn send_late(
        &self,
        tx: &mut Tx,
        pending: &PendingReply,
        text: &str,
        now: Timestamp,
    ) -> Result<bool> {
        let Some(chat) = tx.chat_for(pending.room, pending.user)? else {
            return Ok(false);
        };
        let Some(agent) = chat.agent.or(pending.agent) else {
            return Ok(false);
        };
        let message = queue::OutgoingMessage {
            agent,
            room: chat.room,
            chat_guid: &chat.chat_guid,
            text,
            user: pending.user,
            is_one_bubble: false,
            app_creator: None,
        };
        let answered = tx.view().message(pending.message_id)?;
        let answered = answered.as_ref().map(name_for_relay);
        queue::send_reply(tx, &self.hub, &message, answered.as_deref(), now)
    }

    /// An apology because too many replies are pending.
    pub(super) fn too_many_replies(
        &self,
        tx: &Tx,
        user: UserId,
        in_group: bool,
        text: &str,
    ) -> Result<String> {
        let language = language(tx, user, in_group, text)?;
        let persona = &self.persona.get().name;
        let why = Apology::Overloaded;
        Ok(wording::apology(why, persona, language.as_deref()))
    }
}

/// The language that the person chose, which a group must not learn; else that of their message.
fn language(tx: &Tx, user: UserId, in_group: bool, text: &str) -> Result<Option<String>> {
    let chosen = match in_group {
        true => None,
        false => tx.view().forms_of_address(user)?.1,
    };
    Ok(chosen.or_else(|| wording::language_of(text).map(str::to_owned)))
}

fn no_room() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        NO_ROOM,
        "The relay has too many unfinished commands.",
    )
}

/// The relay's own id of the message, or else the `X-Message-Id` of the answer.
fn name_for_relay(message: &MessageRow) -> String {
    let context: Option<Value> = message
        .context
        .as_deref()
        .and_then(|context| serde_json::from_str(context).ok());
    let own = context.as_ref().and_then(|c| c.get("message_id")?.as_str());
    own.filter(|id| (1..=RELAY_ID_BYTES_MAX).contains(&id.len()))
        .map_or(message.id.to_string(), str::to_owned)
}
