//! Remembering, recalling and forgetting, for the builtin assistant. Memories of the external
//! service are fetched before the message's transaction; inside it only rows are read and written.

use serde::{Deserialize, Serialize};

use super::dialog::latest::{self, ItemEvent, LastNamed, MessageChanges, StatedFact};
use super::dialog::question::{self, Question};
use super::turn::MessageTurn;
use super::{Ingest, Mode, PreparedMessage, birthdays, direct_chat, open_reminders};
use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::choice;
use crate::assistant::{self, Intent, wording};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::memory::merge::{FoundMemories, merged};
use crate::memory::{MEMORIES_MAX, Memory, READ_MAX};
use crate::random;
use crate::store::{RemovedItem, Tx};

/// A deleted memory.
#[derive(Serialize, Deserialize)]
struct RemovedMemory {
    text: String,
    category: String,
    /// When it was stated, in milliseconds since the epoch.
    #[serde(default)]
    created_at: Option<i64>,
}

/// When a removed memory was stated, where that is known.
pub(super) fn stated_at(item: &str) -> Option<Timestamp> {
    let removed: RemovedMemory = serde_json::from_str(item).ok()?;
    removed.created_at.map(Timestamp)
}

/// The category of memories from chat messages.
const SAID: &str = "said";

impl Ingest {
    /// Fetches the sender's memories if the answer may need them. An unknown sender has none.
    pub(super) async fn fetch_memories(&self, prepared: &mut PreparedMessage) -> Result<()> {
        if !self.memories.has_service() || !needs_memories(&prepared.understood.intent) {
            return Ok(());
        }
        let message = &prepared.message;
        let persona = &self.persona.get().name;
        let unasked = message.mode == Mode::Group
            && !message.reply_to_assistant
            && !assistant::addresses(&message.text, persona);
        if unasked {
            return Ok(());
        }
        let (phone, day) = (message.sender.clone(), prepared.now.utc_day());
        let read = self.store.read(move |view| view.user_by_phone(&phone, day));
        if let Some(row) = read.await? {
            prepared.service_memories = self.memories.service_memories(&row.user.public_id).await;
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
        Intent::FollowUp { what, .. } => matches!(what, FollowUp::Yes | FollowUp::Undo),
        _ => false,
    }
}

pub(super) fn remember(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<String> {
    if tx.count_memories(turn.user.id)? >= MEMORIES_MAX {
        return Ok(wording::memories_full(MEMORIES_MAX));
    }
    if same(turn, tx, text)?.is_some() {
        return Ok(wording::already_remembered(text));
    }
    let memories = &turn.ingest.memories;
    let id = random::ordered_uuid(turn.now).to_string();
    memories.remember_as(tx, turn.user.id, &id, text, SAID, turn.now)?;
    latest::note_fact(turn, tx, StatedFact::Memory(id))?;
    Ok(wording::remembered(text))
}

/// The facts of one sentence are memories by themselves: "my locker is 12 and my desk is 4".
pub(super) fn remember_each(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in assistant::separate_facts(text) {
        let reply = remember(turn, tx, fact)?;
        if !lines.contains(&reply) {
            lines.push(reply);
        }
    }
    Ok(lines.join("\n"))
}

/// Remembers a stated fact that nobody asked to remember.
pub(super) fn remember_fact(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<String> {
    let known = tx.count_memories(turn.user.id)?;
    let reply = remember(turn, tx, text)?;
    let is_new = tx.count_memories(turn.user.id)? > known;
    Ok(match is_new {
        true => wording::with_undo(&reply),
        false => reply,
    })
}

/// The id of the same memory, whatever its case.
pub(super) fn same(turn: &MessageTurn, tx: &Tx, text: &str) -> Result<Option<String>> {
    let known = tx.memories(turn.user.id, READ_MAX)?;
    let text = text.to_lowercase();
    let mut known = known.into_iter();
    let same = known.find(|memory| memory.text.to_lowercase() == text);
    Ok(same.map(|memory| memory.public_id))
}

pub(super) fn recall(turn: &MessageTurn, tx: &Tx, about: Option<&str>) -> Result<String> {
    let known = known(turn, tx)?;
    let birthdays = birthdays::all(turn, tx)?;
    let memories = known.memories.iter().map(|m| m.text.as_str());
    let texts = memories.chain(birthdays.iter().map(|birthday| birthday.line.as_str()));
    let texts: Vec<&str> = texts.collect();
    let reply = match about {
        None => wording::recalled(&texts, None),
        Some(query) => recalled_about(turn, texts, query),
    };
    Ok(with_what_is_missing(&known, reply))
}

/// The memories that answer the question; else that none does, with those that come near.
fn recalled_about(turn: &MessageTurn, mut texts: Vec<&str>, query: &str) -> String {
    if !turn.by_model {
        texts.retain(|text| assistant::may_answer(text, &turn.message.text));
    }
    let found = fitting(&texts, query);
    if !found.is_empty() {
        return wording::recalled(&found, Some(query));
    }
    // "my shoe size and the wifi password"
    let parts = query.split(" and ");
    let parts: Vec<Vec<&str>> = parts.map(|part| fitting(&texts, part)).collect();
    if parts.len() > 1 && parts.iter().all(|found| !found.is_empty()) {
        let mut found = parts.concat();
        found.dedup();
        return wording::recalled(&found, Some(query));
    }
    wording::recalled_near(&nearest(&texts, query), query)
}

/// Answers an otherwise unknown question from the person's memories; one in a group in their direct
/// chat.
pub(super) fn answer(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match found_answer(turn, tx)? {
        Some(recalled) if turn.in_group() => direct_chat::answer(turn, tx, &recalled).map(Some),
        recalled => Ok(recalled),
    }
}

/// The answer to such a question.
pub(super) fn found_answer(turn: &MessageTurn, tx: &Tx) -> Result<Option<String>> {
    let query = match turn.in_group() && turn.by_model {
        true => None,
        false => turn.possible_meanings().asked_about.clone(),
    };
    let Some(query) = query else {
        return Ok(None);
    };
    let known = tx.memories(turn.user.id, READ_MAX)?;
    let birthdays = birthdays::all(turn, tx)?;
    let texts = known.iter().map(|memory| memory.text.as_str());
    let texts = texts.chain(birthdays.iter().map(|birthday| birthday.line.as_str()));
    let found: Vec<&str> = texts
        .filter(|text| assistant::memory_answers(text, &query))
        .filter(|text| assistant::may_answer(text, &turn.message.text))
        .collect();
    Ok((!found.is_empty()).then(|| wording::recalled(&found, Some(&query))))
}

/// Shows the memories to be deleted; a "yes" deletes them.
pub(super) fn ask_to_forget(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<String> {
    let known = known(turn, tx)?;
    let matching = known.memories.iter();
    let matching: Vec<&Memory> = matching
        .filter(|memory| assistant::memory_is_meant(&memory.text, about))
        .collect();
    let mut birthdays = birthdays::all(turn, tx)?;
    birthdays.retain(|birthday| assistant::memory_is_meant(&birthday.title, about));
    if matching.is_empty() && birthdays.is_empty() {
        let is_name = matches!(about, "my name" | "my first name");
        if is_name && turn.user.name.is_some() {
            return Ok(wording::NAME_STAYS.to_owned());
        }
        let mut reply = wording::forgotten(0, about);
        if !turn.by_model && !open_reminders::matching(turn, tx, Some(about), None)?.is_empty() {
            reply.push_str(&wording::only_a_reminder(about));
        }
        return Ok(with_what_is_missing(&known, reply));
    }
    let question = Question::Forget {
        ids: matching.iter().map(|memory| memory.id.clone()).collect(),
        about: about.to_owned(),
        birthdays: birthdays.iter().map(|one| one.name.clone()).collect(),
    };
    question::ask(turn, tx, &question)?;
    let texts = matching.iter().map(|memory| memory.text.as_str());
    let texts = texts.chain(birthdays.iter().map(|birthday| birthday.line.as_str()));
    let texts: Vec<&str> = texts.collect();
    Ok(with_what_is_missing(&known, wording::forget_these(&texts)))
}

/// "only the fiat", "the first one" after the question whether to forget several.
pub(super) fn forget_chosen(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    const WORDS_MAX: usize = 6;
    let text = turn.message.text.trim();
    let lower = text.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).next();
    let chooses = first.is_some_and(|first| {
        let is_number = first.parse::<u32>().is_ok();
        is_number
            || matches!(
                first,
                "only" | "just" | "the" | "no" | "first" | "second" | "last"
            )
    });
    let is_long = text.split_whitespace().nth(WORDS_MAX).is_some();
    if !chooses || is_long || text.contains('?') {
        return Ok(None); // most messages
    }
    let Some(Question::Forget { ids, about, .. }) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    if ids.len() < 2 || !question::was_just_asked(turn, tx)? {
        return Ok(None);
    }
    let links = ["no, ", "no ", "only ", "just "];
    let named = links.iter().fold(lower.as_str(), |named, link| {
        named.strip_prefix(link).unwrap_or(named)
    });
    let known = known(turn, tx)?;
    let text_of = |id: &String| {
        let mut all = known.memories.iter();
        all.find(|one| one.id == *id).map(|one| one.text.as_str())
    };
    let texts: Option<Vec<&str>> = ids.iter().map(text_of).collect();
    let texts = texts.unwrap_or_default();
    let Some(at) = choice(named, &texts) else {
        return Ok(None);
    };
    let forgotten = wording::memory_taken_back(texts[at]);
    question::close(turn, tx)?;
    forget(turn, tx, &ids[at..=at], &[], &about)?;
    Ok(Some(forgotten))
}

/// Asks whether to forget all memories.
pub(super) fn ask_to_forget_all(turn: &MessageTurn, tx: &mut Tx) -> Result<String> {
    let known = known(turn, tx)?;
    let memories = tx.count_memories(turn.user.id)?.max(known.memories.len());
    let count = memories + birthdays::all(turn, tx)?.len();
    if count == 0 && !known.is_cut_off {
        return Ok(wording::everything_forgotten(0));
    }
    question::ask(turn, tx, &Question::ForgetEverything)?;
    Ok(with_what_is_missing(
        &known,
        wording::forget_everything(count),
    ))
}

/// Deletes the shown memories; this can be undone for some minutes.
pub(super) fn forget(
    turn: &MessageTurn,
    tx: &mut Tx,
    ids: &[String],
    birthdays: &[String],
    about: &str,
) -> Result<String> {
    let known = known(turn, tx)?;
    let mut forgotten = 0;
    for memory in known.memories.iter().rev().filter(|m| ids.contains(&m.id)) {
        keep_for_undo(turn, tx, memory)?;
        let memories = &turn.ingest.memories;
        memories.forget(tx, turn.user.id, memory, turn.now)?;
        forgotten += 1;
    }
    forgotten += birthdays::forget(turn, tx, birthdays)?;
    note_removed(turn, tx)?;
    Ok(wording::forgotten(forgotten, about))
}

pub(super) fn forget_all(turn: &MessageTurn, tx: &mut Tx) -> Result<String> {
    let known = known(turn, tx)?;
    let here = tx.count_memories(turn.user.id)?;
    for memory in known.memories.iter().rev() {
        keep_for_undo(turn, tx, memory)?;
    }
    let memories = &turn.ingest.memories;
    memories.forget_all(tx, turn.user.id, turn.now)?;
    let names = birthdays::all(turn, tx)?.into_iter().map(|one| one.name);
    let names: Vec<String> = names.collect();
    let birthdays = birthdays::forget(turn, tx, &names)?;
    note_removed(turn, tx)?;
    Ok(if known.is_cut_off {
        wording::everything_will_be_forgotten()
    } else {
        // With very many memories, only some of the local ones were read.
        wording::everything_forgotten(here.max(known.memories.len()) + birthdays)
    })
}

fn note_removed(turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
    let removed = LastNamed::of(ItemEvent::Removed, &[]).with_changes(MessageChanges::removed());
    removed.note(turn, tx)
}

fn keep_for_undo(turn: &MessageTurn, tx: &Tx, memory: &Memory) -> Result<()> {
    let item = RemovedMemory {
        text: memory.text.clone(),
        category: memory.category.clone(),
        created_at: memory.created_at.map(|at| at.0),
    };
    let item = RemovedItem {
        user: turn.user.id,
        removed_by: turn.user.id,
        message_id: turn.message_id,
        room: None,
        kind: "memory",
        item: serde_json::to_string(&item).map_err(Error::internal)?,
    };
    tx.keep_removed(&item, turn.now)
}

/// Restores a deleted memory. Returns its text.
pub(super) fn restore(turn: &MessageTurn, tx: &mut Tx, item: &str) -> Result<String> {
    let removed: RemovedMemory = serde_json::from_str(item).map_err(Error::internal)?;
    let RemovedMemory { text, category, .. } = removed;
    let memories = &turn.ingest.memories;
    // Older than what the message states itself, which an edit of it takes back.
    let at = turn.now.plus_ms(-1);
    memories.remember(tx, turn.user.id, &text, &category, at)?;
    Ok(text)
}

pub(super) fn count(turn: &MessageTurn, tx: &Tx) -> Result<usize> {
    if !turn.ingest.memories.has_service() {
        return tx.count_memories(turn.user.id);
    }
    Ok(known(turn, tx)?.memories.len())
}

/// Whether something is remembered about it.
pub(super) fn knows_of(turn: &MessageTurn, tx: &Tx, about: &str) -> Result<bool> {
    let known = known(turn, tx)?;
    let mut texts = known.memories.iter().map(|memory| memory.text.as_str());
    Ok(texts.any(|text| assistant::memory_overlap(text, about) > 0))
}

/// Newest first.
pub(super) fn known(turn: &MessageTurn, tx: &Tx) -> Result<FoundMemories> {
    let local = tx.memories(turn.user.id, READ_MAX)?;
    let tasks = if turn.ingest.memories.has_service() {
        tx.view().memory_tasks(turn.user.id)?
    } else {
        Vec::new()
    };
    Ok(merged(local, turn.service_memories, &tasks))
}

/// Memories that contain every requested word, or else every word but those that ask for a name.
fn fitting<'a>(texts: &[&'a str], query: &str) -> Vec<&'a str> {
    let exact = texts.iter().copied();
    let found: Vec<&str> = exact
        .filter(|text| assistant::memory_matches(text, query))
        .collect();
    if !found.is_empty() {
        return found;
    }
    let named = texts.iter().copied();
    named
        .filter(|text| assistant::memory_names(text, query))
        .collect()
}

/// Memories with the most of the requested words. They don't answer the question.
fn nearest<'a>(texts: &[&'a str], query: &str) -> Vec<&'a str> {
    let overlap = |text: &&str| assistant::memory_overlap(text, query);
    let best = texts.iter().map(overlap).max().unwrap_or_default();
    let closest = texts.iter().copied();
    closest
        .filter(|text| best > 0 && overlap(text) == best)
        .collect()
}

fn with_what_is_missing(known: &FoundMemories, reply: String) -> String {
    if known.is_cut_off {
        wording::with_memories_cut_off(&reply)
    } else {
        reply
    }
}
