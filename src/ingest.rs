//! Messages and their answers. A message takes four steps:
//!
//! 1. `prepare` computes what needs no database: a `PreparedMessage` with the text's meaning.
//! 2. `decide`, a pure rule, finds whether the message is answered, from facts of its
//!    `MessageTurn`: the person, the chat and their access.
//! 3. `respond`, in the transaction, finds the reply and writes what it reports: reminders, names
//!    (`carry_out`), superpowers' states (`powers`). Its `MessageResponse` is the reply, or to ask a
//!    model.
//! 4. `apply`, in the same transaction, stores the message with its answer and counts it: an
//!    `IngestOutcome`.
//!
//! A 200 means that message, count, reply and later commands are committed together. This module
//! must not know HTTP.

mod after_crisis;
mod agenda;
mod answer_steps;
mod apply;
mod birthdays;
mod calendar_changes;
mod calendar_events;
mod carry_out;
mod changed_users;
mod connecting;
mod corrected_value;
mod day_spoken_of;
mod decide;
mod dialog;
mod direct_chat;
mod edited_messages;
mod event_reminders;
pub mod explain;
mod follow_ups;
mod gate;
mod group_answers;
mod known_plans;
mod known_zones;
mod limits;
mod listing;
pub mod mail_judgement;
mod memories;
mod message_versions;
mod open_reminders;
pub mod powers;
mod prepare;
mod referent;
mod reminder_cancellation;
mod reminder_requests;
pub mod reminders;
pub mod replies;
mod reply;
mod requested_power;
mod respond;
pub mod retries;
mod rooms;
mod settings;
mod turn;
mod undo;
mod undo_question;
mod when_asked;

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use parking_lot::Mutex;

use crate::assistant::persona::Persona;
use crate::clock::{Clock, Timestamp};
use crate::edge::hub::Hub;
use crate::error::{Error, ErrorKind, Result};
use crate::flags::Flags;
use crate::media::PhotoFile;
use crate::memory::Memories;
use crate::metrics::{self, IntCounterVec};
use crate::model::answer::Answer;
use crate::setting::Setting;
use crate::store::{AnswerDelivery, Digest, Photo, SharedStore, Tx};
use changed_users::ChangedUsers;
use known_zones::KnownZones;
use limits::{Quotas, Windows};
use powers::recognition;
pub use prepare::{Endpoint, Message, Mode, PreparedMessage, RequestKey};
use replies::Replies;

/// The answer, and the message it belongs to.
pub struct IngestOutcome {
    pub answer: Answer,
    pub message_id: i64,
    /// Drop it when the answer was delivered; `None` when nothing depends on that.
    pub due: Option<AnswerDelivery>,
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
    checkin_asked_ms: AtomicI64,
    /// When a superpower last sent something by itself, by this or an earlier process.
    notice_sent_ms: AtomicI64,
    /// Users whose calendars or mails changed, so that superpowers' alarms must be planned again.
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
            checkin_asked_ms: AtomicI64::new(clock.now().0),
            notice_sent_ms: AtomicI64::new(clock.now().0),
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

    fn receive_in(&self, tx: &mut Tx, prepared: &mut PreparedMessage) -> Result<IngestOutcome> {
        let now = prepared.now;
        self.give_back(prepared);
        if let Some(mut received) = repeated(tx, &prepared.repeat, now)? {
            received.pending = self.replies.is_awaited(tx, received.message_id)?;
            return Ok(received);
        }
        let quotas = self.limit(tx, prepared)?;
        let (mut turn, prepared) = self.turn(tx, prepared)?;
        turn.requested_power = recognition::find_requested_power(&turn, tx, &prepared.understood)?;
        turn.access = gate::message_access(&turn, tx)?;
        let response = respond::respond_to_message(&mut turn, tx, &prepared.understood)?;
        self.apply(tx, prepared, turn, response, quotas)
    }

    /// Uploads a photo with its message, like `receive`. `photo` isn't used when the upload repeats
    /// an earlier one, whose photo is returned.
    pub async fn receive_photo(
        self: &Arc<Self>,
        mut prepared: Box<PreparedMessage>,
        photo: PhotoFile,
    ) -> Result<(IngestOutcome, Photo)> {
        prepared.photo = Some(photo);
        let outcome = self.receive(prepared).await?;
        let message_id = outcome.message_id;
        let stored = self
            .store
            .read(move |view| view.photo_of_message(message_id))
            .await?;
        let stored = stored.ok_or_else(|| {
            Error::invalid_field(
                "/attachment_guid",
                "was used for a message without a photo, or for one that was erased; use a new one.",
            )
        })?;
        Ok((outcome, stored))
    }

    /// Stores an undelivered answer for the retry.
    pub async fn keep_answer(&self, request: Digest, message_id: i64) -> Result<()> {
        let now = self.clock.now();
        self.store
            .write(move |tx| tx.keep_answer(request, message_id, now))
            .await
    }
}

/// The earlier answer to the same request.
fn repeated(tx: &mut Tx, repeat: &RequestKey, now: Timestamp) -> Result<Option<IngestOutcome>> {
    let message_id = match repeat {
        RequestKey::Key { key, body } => match tx.key_use(key, now)? {
            None => return Ok(None),
            Some(used) if used.body != *body => {
                return Err(Error::new(
                    ErrorKind::Invalid,
                    "idempotency_key_reused",
                    "This Idempotency-Key was used with another body; use a new key for a new message.",
                ));
            }
            Some(used) => used.message_id,
        },
        RequestKey::Body(request) => {
            if !tx.any_kept_answer()? {
                return Ok(None);
            }
            match tx.take_kept_answer(request, now)? {
                None => return Ok(None),
                Some(message_id) => message_id,
            }
        }
    };
    let Some(answer) = tx.answer(message_id)? else {
        return Ok(None); // the message was erased since
    };
    Ok(Some(IngestOutcome {
        answer,
        message_id,
        due: None,
        replayed: true,
        quotas: Quotas::default(),
        pending: false,
    }))
}
