//! Remembering, recalling and forgetting for the builtin assistant. What the external memory
//! service keeps is fetched before the message's transaction; inside it, rows are all that is
//! read and written.

use super::respond::Turn;
use super::{Ingest, Mode, PreparedMessage};
use crate::error::Result;
use crate::memory::merge::{FoundMemories, merged};
use crate::memory::{MEMORIES_MAX, READ_MAX};
use crate::reply::{self, Intent, wording};
use crate::store::Tx;

/// The category of what somebody said to the assistant.
const SAID: &str = "said";

impl Ingest {
    /// Fetches what the answer may need of the sender's memories. A sender nobody knows has
    /// none.
    pub(super) async fn fetch_memories(&self, arrival: &mut PreparedMessage) -> Result<()> {
        if !self.memories.has_service() || !needs_memories(&arrival.understood.intent) {
            return Ok(());
        }
        let message = &arrival.message;
        let persona = &self.voice.get().persona;
        let unasked = message.mode == Mode::Group
            && !message.reply_to_assistant
            && !reply::addresses(&message.text, persona);
        if unasked {
            return Ok(());
        }
        let (phone, day) = (message.sender.clone(), arrival.now.utc_day());
        let read = self.store.read(move |view| view.user_by_phone(&phone, day));
        if let Some(row) = read.await? {
            arrival.elsewhere = self.memories.elsewhere(&row.user.public_id).await;
        }
        Ok(())
    }
}

fn needs_memories(intent: &Intent) -> bool {
    match intent {
        Intent::Several(requests) => requests.iter().any(needs_memories),
        Intent::Status
        | Intent::Recall { .. }
        | Intent::Forget { .. }
        | Intent::ForgetEverything => true,
        _ => false,
    }
}

impl Turn<'_> {
    pub(super) fn remember(&self, tx: &mut Tx<'_>, text: &str) -> Result<String> {
        if tx.count_memories(self.user.id)? >= MEMORIES_MAX {
            return Ok(wording::memories_full(MEMORIES_MAX));
        }
        let memories = &self.ingest.memories;
        memories.remember(tx, self.user.id, text, SAID, self.now)?;
        Ok(wording::remembered(text))
    }

    pub(super) fn recall(&self, tx: &Tx<'_>, about: Option<&str>) -> Result<String> {
        let known = self.known(tx)?;
        let texts: Vec<&str> = known.memories.iter().map(|m| m.text.as_str()).collect();
        let said = match about {
            None => wording::recalled(&texts, None),
            Some(asked) => wording::recalled(&fitting(&texts, asked), about),
        };
        Ok(with_what_is_missing(&known, said))
    }

    /// A question that nothing else answers, from what the person told; never in a group.
    pub(super) fn answer_from_memory(&self, tx: &Tx<'_>) -> Result<Option<String>> {
        let asked = match self.in_group() {
            true => None,
            false => reply::asked_about(&self.message.text),
        };
        let Some(asked) = asked else {
            return Ok(None);
        };
        let known = tx.memories(self.user.id, READ_MAX)?;
        let texts = known.iter().map(|memory| memory.text.as_str());
        let found: Vec<&str> = texts
            .filter(|text| reply::memory_matches(text, &asked))
            .collect();
        Ok((!found.is_empty()).then(|| wording::recalled(&found, Some(&asked))))
    }

    pub(super) fn forget(&self, tx: &mut Tx<'_>, about: &str) -> Result<String> {
        let known = self.known(tx)?;
        let mut forgotten = 0;
        for memory in &known.memories {
            if reply::memory_matches(&memory.text, about) {
                let memories = &self.ingest.memories;
                memories.forget(tx, self.user.id, memory, self.now)?;
                forgotten += 1;
            }
        }
        Ok(with_what_is_missing(
            &known,
            wording::forgotten(forgotten, about),
        ))
    }

    pub(super) fn forget_everything(&self, tx: &mut Tx<'_>) -> Result<String> {
        let known = self.known(tx)?;
        let here = tx.count_memories(self.user.id)?;
        let memories = &self.ingest.memories;
        memories.forget_all(tx, self.user.id, self.now)?;
        Ok(if known.is_cut_off {
            wording::everything_will_be_forgotten()
        } else {
            // Of very many, those read are not all that were kept here.
            wording::everything_forgotten(here.max(known.memories.len()))
        })
    }

    pub(super) fn count_memories(&self, tx: &Tx<'_>) -> Result<usize> {
        if !self.ingest.memories.has_service() {
            return tx.count_memories(self.user.id);
        }
        Ok(self.known(tx)?.memories.len())
    }

    /// Newest first.
    fn known(&self, tx: &Tx<'_>) -> Result<FoundMemories> {
        let local = tx.memories(self.user.id, READ_MAX)?;
        let tasks = if self.ingest.memories.has_service() {
            tx.view().memory_tasks(self.user.id)?
        } else {
            Vec::new()
        };
        Ok(merged(local, self.elsewhere, &tasks))
    }
}

/// Those that have every word that was asked about, else those that have the most.
fn fitting<'a>(texts: &[&'a str], asked: &str) -> Vec<&'a str> {
    let exact = texts.iter().copied();
    let found: Vec<&str> = exact
        .filter(|text| reply::memory_matches(text, asked))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let overlap = |text: &&str| reply::memory_overlap(text, asked);
    let best = texts.iter().map(overlap).max().unwrap_or_default();
    let closest = texts.iter().copied();
    closest
        .filter(|text| best > 0 && overlap(text) == best)
        .collect()
}

fn with_what_is_missing(known: &FoundMemories, said: String) -> String {
    if known.is_cut_off {
        wording::with_memories_cut_off(&said)
    } else {
        said
    }
}
