//! A message from a network, as fields for the service.

use serde_json::{Value, json};

/// The service accepts no longer text; the rest is cut.
const TEXT_BYTES_MAX: usize = 32 * 1024;
/// An edited message is posted as a correction within this time only.
pub(super) const CORRECTION_S_MAX: i64 = 60;

/// Answers to messages that a relay can't post.
pub(super) const NO_PHOTO: &str =
    "I couldn't get that photo from the server. Could you send it again?";
pub(super) const CANT_HEAR: &str = "I can't hear yet. Could you write it to me?";
pub(super) const CANT_READ: &str =
    "I can't make anything of that yet: I read text and look at photos.";

/// Answers to messages that the service did not take.
pub(super) const CANT_SEE: &str =
    "I couldn't take that photo. I can look at JPEG, PNG, WebP and HEIC.";
pub(super) const TOO_MANY_PHOTOS: &str =
    "I can't look at more photos right now. Could you send it again in an hour?";
/// The service refuses the message itself.
pub(super) const NOT_TAKEN: &str =
    "I can't take that message as it is. Could you write it another way?";
pub(super) const TRY_AGAIN: &str =
    "Something went wrong with your message. Could you send it again?";

/// A message's author, chat and id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IncomingMessage {
    /// The chat's id with the network's prefix.
    pub(super) chat_guid: String,
    /// The author's id with the network's prefix.
    pub(super) sender: String,
    pub(super) is_group: bool,
    /// Whether a group's message mentions the assistant or replies to it.
    pub(super) is_addressed: bool,
    /// The network's id of the message, the same in repetitions.
    pub(super) key: String,
    /// The key of the message that this one corrects.
    pub(super) corrects: Option<String>,
    pub(super) sent_at_s: i64,
}

impl IncomingMessage {
    /// The fields of `POST /edge/message`.
    pub(super) fn message(&self, text: &str) -> Value {
        let end = text.floor_char_boundary(TEXT_BYTES_MAX);
        json!({
            "chat_guid": self.chat_guid,
            "mode": if self.is_group { "group" } else { "direct" },
            "sender": self.sender,
            "text": text[..end],
            "timestamp": self.sent_at_s.max(0),
            "context": self.context(),
        })
    }

    /// The fields of `POST /photo/upload` besides the file.
    pub(super) fn photo_fields(&self, caption: &str) -> Vec<(&'static str, String)> {
        vec![
            ("user_phone", self.sender.clone()),
            ("chat_guid", self.chat_guid.clone()),
            ("attachment_guid", self.key.clone()),
            ("is_group", self.is_group.to_string()),
            ("caption", caption.to_owned()),
            ("context", self.context().to_string()),
        ]
    }

    pub(super) fn context(&self) -> Value {
        let mut context = json!({"message_id": self.key});
        if self.is_group {
            context["reply_to_assistant"] = self.is_addressed.into();
        }
        if let Some(corrects) = &self.corrects {
            context["corrects"] = corrects.as_str().into();
        }
        context
    }
}
