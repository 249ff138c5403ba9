//! Tool calls of a language model on memories and the profile. Inside a transaction; an error in a
//! result is a sentence for the model.

use serde_json::{Map, Value, json};

use super::fitting_list::that_fit;
use super::reminder_json::{local_time, short_id};
use super::result::CallResult;
use crate::assistant;
use crate::assistant::tools::ProfileChange;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, StatedFact};
use crate::ingest::powers::alarms;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{carry_out, memories};
use crate::memory::MEMORIES_MAX;
use crate::store::Tx;

/// Reminders whose times are told in a new zone.
const MOVED_MAX: usize = 10;
/// The category of what somebody said to the assistant.
const SAID: &str = "said";
/// Beside reminders that were set before a new zone.
const IN_NEW_ZONE: &str = "These were set before. They come at the same moments, told here in the new time \
                           zone: name them, and ask whether another hour was meant.";

pub(super) fn set_profile(
    turn: &MessageTurn,
    tx: &mut Tx,
    change: &ProfileChange,
) -> Result<CallResult> {
    let user = turn.user.id;
    let mut set = Map::new();
    if let Some(name) = &change.name {
        tx.set_user_name(&turn.message.sender, user, name)?;
        set.insert("name".to_owned(), name.as_str().into());
    }
    if let Some(zone) = change.timezone {
        tx.set_user_timezone(&turn.message.sender, user, zone.name())?;
        alarms::plan(turn, tx, Some(zone), |_| true)?;
        set.insert("timezone".to_owned(), zone.name().into());
        set.insert("now".to_owned(), local_time(turn.now, zone).into());
        if turn.timezone() != Some(zone) {
            let open = tx.reminders(user)?;
            let once = open.iter().filter(|one| one.recurrence.is_none());
            let moved = once.take(MOVED_MAX).map(|one| {
                let at = local_time(one.send_at, zone);
                json!({ "id": short_id(&one.schedule_id), "text": one.text, "at": at })
            });
            let moved: Vec<Value> = moved.collect();
            if !moved.is_empty() {
                set.insert("open_reminders".to_owned(), moved.into());
                set.insert("note".to_owned(), IN_NEW_ZONE.into());
            }
        }
    }
    if let Some(language) = &change.language {
        tx.set_user_language(user, language)?;
        set.insert("language".to_owned(), language.as_str().into());
    }
    if let Some(pronouns) = &change.pronouns {
        tx.set_user_pronouns(user, pronouns)?;
        set.insert("pronouns".to_owned(), pronouns.as_str().into());
    }
    let fact = match change {
        ProfileChange { name: Some(_), .. } => Some(StatedFact::Name),
        ProfileChange {
            timezone: Some(_), ..
        } => Some(StatedFact::TimeZone),
        _ => (!set.is_empty()).then_some(StatedFact::FormOfAddress),
    };
    if let Some(fact) = fact {
        latest::note_fact(turn, tx, fact)?;
    }
    Ok(CallResult::done(Value::Object(set)))
}

pub(super) fn remember(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: &str,
    new_id: &str,
) -> Result<CallResult> {
    if tx.count_memories(turn.user.id)? >= MEMORIES_MAX {
        let error = "No more memories can be kept; some have to be forgotten first.";
        return Ok(CallResult::refused("too many memories", error));
    }
    if let Some(id) = memories::same(turn, tx, text)? {
        return Ok(CallResult::done(json!({ "id": id, "text": text })));
    }
    let memories = &turn.ingest.memories;
    memories.remember_as(tx, turn.user.id, new_id, text, SAID, turn.now)?;
    latest::note_fact(turn, tx, StatedFact::Memory(new_id.to_owned()))?;
    Ok(CallResult::done(json!({ "id": new_id, "text": text })))
}

pub(super) fn recall(turn: &MessageTurn, tx: &Tx, query: &str) -> Result<CallResult> {
    let known = memories::known(turn, tx)?;
    let mut found: Vec<(usize, &crate::memory::Memory)> = known
        .memories
        .iter()
        .map(|memory| (assistant::memory_overlap(&memory.text, query), memory))
        .filter(|(overlap, _)| query.is_empty() || *overlap > 0)
        .collect();
    found.sort_by_key(|(overlap, _)| std::cmp::Reverse(*overlap));
    let all = found.iter();
    let all = all.map(|(_, memory)| json!({ "id": memory.id, "text": memory.text }));
    let (listed, more) = that_fit(all);
    Ok(CallResult::done(json!({
        "memories": listed,
        "more": more,
        "incomplete": known.is_cut_off,
    })))
}

pub(super) fn forget(turn: &MessageTurn, tx: &mut Tx, ids: &[String]) -> Result<CallResult> {
    let known = memories::known(turn, tx)?;
    let mut found = Vec::new();
    for id in ids {
        let Some(memory) = known.memories.iter().find(|memory| memory.id == *id) else {
            let error =
                "One of the ids is of no memory, so nothing was forgotten; recall gives the ids.";
            return Ok(CallResult::refused("no such memory", error));
        };
        found.push(memory);
    }
    memories::forget(turn, tx, ids, &[], "")?;
    let texts: Vec<&str> = found.iter().map(|memory| memory.text.as_str()).collect();
    Ok(CallResult::done(json!({ "forgotten": texts })))
}

pub(super) fn usage(turn: &MessageTurn, tx: &Tx) -> Result<CallResult> {
    let facts = carry_out::facts(turn, tx)?;
    Ok(CallResult::done(json!({
        "name": facts.name,
        "subscribed": facts.subscribed,
        "plan": facts.plan,
        "messages": match facts.daily_limit {
            Some(limit) => json!({ "today": facts.messages_used_today, "a_day": limit }),
            None => "unlimited".into(),
        },
        "memories": facts.memories,
        "reminders": facts.reminders,
        "timezone": facts.timezone.map(|zone| zone.name()),
    })))
}
