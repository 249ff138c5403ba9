//! The last step of a message, in its transaction: stores the message with its answer, its count,
//! and an uploaded photo, whose reply is a command. The effects of the reply, like a reminder, are
//! already stored by `respond`.

use super::limits::Quotas;
use super::respond::MessageResponse;
use super::turn::MessageTurn;
use super::{Ingest, IngestOutcome, PreparedMessage, RequestKey};
use crate::access;
use crate::edge::queue;
use crate::error::{Error, Result};
use crate::media::PhotoFile;
use crate::model::answer::Answer;
use crate::store::{AgentId, NewMessage, NewPhoto, Tx};

impl Ingest {
    /// Stores the message with its answer.
    pub(super) fn apply(
        &self,
        tx: &mut Tx,
        prepared: &PreparedMessage,
        mut turn: MessageTurn,
        response: MessageResponse,
        quotas: Quotas,
    ) -> Result<IngestOutcome> {
        let (message, now) = (&prepared.message, prepared.now);
        let (answer, asks_model) = match response {
            MessageResponse::Reply(reply) => (reply.into_answer(), None),
            MessageResponse::AskModel { unprompted } => (Answer::default(), Some(unprompted)),
        };
        // Only free users' allowed messages count towards the daily limit.
        let subscription = access::subscription_status(&turn.user, now);
        let counted = turn.access.is_allowed()
            && !turn.is_counted_before()
            && !access::counts_as_subscribed(subscription, &turn.flags);
        if counted {
            tx.count_message(turn.user.id, now.utc_day())?;
        }
        let silence = Answer::default();
        let stored = match prepared.photo {
            Some(_) => &silence, // the reply follows as a command
            None => &answer,
        };
        let responds = answer.should_respond() || asks_model.is_some();
        let (id, due) = tx.insert_message(
            &mut turn.room,
            &NewMessage {
                user: turn.user.id,
                agent: turn.agent,
                chat_guid: &message.chat_guid,
                sent_at_s: message.timestamp,
                now,
                sender: &message.sender,
                text: &message.text,
                metadata: message.metadata.as_deref(),
                context: message.context.as_deref(),
                counted,
                humans: if responds { 0 } else { turn.humans },
                answer: stored,
                request: match &prepared.repeat {
                    RequestKey::Body(request) => Some(request),
                    RequestKey::Key { .. } => None,
                },
            },
        )?;
        if let RequestKey::Key { key, body } = &prepared.repeat {
            tx.insert_key_use(key, body, id, now)?;
        }
        if let Some(unprompted) = asks_model {
            self.replies.expect(tx, id, turn.room.id, unprompted)?;
        }
        if let (Some(photo), Some(agent)) = (&prepared.photo, turn.agent) {
            let reply = match asks_model {
                Some(_) => None,
                None => Some(&answer),
            };
            store_photo(&turn, tx, photo, agent, id, reply)?;
        }
        Ok(IngestOutcome {
            answer,
            message_id: id,
            due,
            replayed: false,
            quotas,
            pending: asks_model.is_some() && prepared.photo.is_none(),
        })
    }
}

/// Stores a photo's row, and sends the reply as a command: now, or when a model has made it
/// (`None`).
fn store_photo(
    turn: &MessageTurn,
    tx: &mut Tx,
    photo: &PhotoFile,
    agent: AgentId,
    message_id: i64,
    reply: Option<&Answer>,
) -> Result<()> {
    tx.insert_photo(&NewPhoto {
        photo_id: &photo.photo_id,
        user: turn.user.id,
        agent,
        message_id,
        format: photo.format.name(),
        bytes: photo.bytes,
        is_processed: reply.is_none_or(Answer::should_respond),
        now: turn.now,
    })?;
    let Some(reply) = reply else {
        return tx.set_reply_late(message_id);
    };
    if !reply.should_respond() {
        return Ok(());
    }
    let message = queue::OutgoingMessage {
        agent,
        room: turn.room.id,
        chat_guid: &turn.message.chat_guid,
        text: &reply.bubbles.join("\n\n"),
        is_one_bubble: false,
        app_creator: None,
        user: Some(turn.user.id),
    };
    let in_reply_to = message_id.to_string();
    if !queue::send_reply(tx, &turn.ingest.hub, &message, Some(&in_reply_to), turn.now)? {
        return Err(Error::unavailable(
            "This relay has too many unfinished commands; finish some, then upload again.",
        ));
    }
    tx.set_late_reply(message_id, reply, None)
}
