//! The persons of direct chats. What the service sends for a direct chat isn't sent there where
//! anybody else reads along: the person may have added somebody, or left, without a word.

use sha2::{Digest as _, Sha256};

use super::{Network, RelayCore, SendError};

/// A direct chat with the person whom it was reported for, both as digests: a journal names nobody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirectChat {
    pub(super) chat: String,
    pub(super) person: String,
}

impl DirectChat {
    pub(super) fn new(chat: &str, person: &str) -> Self {
        Self {
            chat: digest(&[chat]),
            person: digest(&[chat, person]),
        }
    }
}

impl<N: Network> RelayCore<N> {
    /// The direct chat as it was last reported to the service. `None`: it is a group or unknown.
    pub(super) fn direct_chat(&self, chat: &str) -> Option<DirectChat> {
        let chat = digest(&[chat]);
        let person = self.journal.lock().person(&chat)?.to_owned();
        Some(DirectChat { chat, person })
    }

    /// The service has taken a message of the chat. `person`: its author in a direct chat.
    pub(super) async fn note_chat(&self, chat: &str, person: Option<&str>) {
        if !N::CHATS_CHANGE {
            return;
        }
        let known = self.direct_chat(chat);
        let now = person.map(|person| DirectChat::new(chat, person));
        if known == now {
            return;
        }
        let chat = digest(&[chat]);
        let person = now.map(|direct| direct.person);
        self.note(move |journal| journal.set_person(&chat, person.as_deref()))
            .await;
    }

    /// Sends a bubble. `direct`: only while nobody else reads this direct chat.
    pub(super) async fn send(
        &self,
        chat: &str,
        direct: Option<&DirectChat>,
        bubble: &str,
        id: &str,
    ) -> Result<(), SendError> {
        if let Some(direct) = direct
            && let Some(others) = self.network.others(chat).await?
            && !matches!(&others[..], [one] if DirectChat::new(chat, one) == *direct)
        {
            return Err(SendError::NotPrivate);
        }
        self.network.send(chat, bubble, id).await
    }
}

fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex::encode(&hash.finalize()[..16])
}
