//! A message with an uploaded photo: the photo's row, and the reply as a command.

use super::answer::Answer;
use super::{Ingest, IngestOutcome, Message, PreparedMessage};
use crate::clock::Timestamp;
use crate::edge::queue;
use crate::error::{Error, Result};
use crate::media::PhotoFile;
use crate::store::{AgentId, NewPhoto, RoomId, Tx, UserId};
use std::sync::Arc;

/// The result of an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadOutcome {
    /// A UUID; that of the first upload when this one repeats it.
    pub photo_id: String,
    /// Whether a reply follows.
    pub is_processed: bool,
}

/// An upload on the writer thread.
pub(super) struct Upload<'a> {
    pub(super) photo: &'a PhotoFile,
    pub(super) message_id: i64,
    pub(super) message: &'a Message,
    pub(super) user: UserId,
    pub(super) agent: AgentId,
    pub(super) room: RoomId,
}

impl Ingest {
    /// Handles a message with an uploaded photo, like `receive`. `photo` isn't used when the upload
    /// repeats an earlier one.
    pub async fn receive_photo(
        self: &Arc<Self>,
        mut prepared: Box<PreparedMessage>,
        photo: PhotoFile,
    ) -> Result<(IngestOutcome, UploadOutcome)> {
        prepared.photo = Some(photo);
        let received = self.receive(prepared).await?;
        let message_id = received.message_id;
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
        let uploaded = UploadOutcome {
            photo_id: stored.photo_id,
            is_processed: stored.is_processed,
        };
        Ok((received, uploaded))
    }

    /// Stores the row, and sends the reply as a command: now, or when a model has made it.
    pub(super) fn keep_photo(
        &self,
        tx: &mut Tx<'_>,
        upload: &Upload<'_>,
        answer: &Answer,
        is_pending: bool,
        now: Timestamp,
    ) -> Result<()> {
        tx.insert_photo(&NewPhoto {
            photo_id: &upload.photo.photo_id,
            user: upload.user,
            agent: upload.agent,
            message_id: upload.message_id,
            format: upload.photo.format.name(),
            bytes: upload.photo.bytes,
            is_processed: is_pending || answer.should_respond(),
            now,
        })?;
        if is_pending {
            return tx.set_reply_late(upload.message_id);
        }
        if !answer.should_respond() {
            return Ok(());
        }
        let text = answer.bubbles().join("\n\n");
        let message = queue::Message {
            agent: upload.agent,
            room: upload.room,
            chat_guid: &upload.message.chat_guid,
            text: &text,
            is_one_bubble: false,
            app_creator: None,
            user: Some(upload.user),
        };
        let in_reply_to = upload.message_id.to_string();
        if !queue::send_reply(tx, &self.hub, &message, Some(&in_reply_to), now)? {
            return Err(Error::unavailable(
                "This relay has too many unfinished commands; finish some, then upload again.",
            ));
        }
        let bubbles = answer.stored().bubbles;
        tx.set_reply_followed(upload.message_id, bubbles.as_deref())
    }
}
