//! Whether a short message can still mean the reminder that was named last, or that was asked for.

use super::latest_fact;
use crate::assistant::powers::RequestStrength;
use crate::assistant::{self, Intent, Statement, Words};
use crate::error::Result;
use crate::ingest::dialog::{latest, question};
use crate::ingest::powers;
use crate::ingest::turn::MessageTurn;
use crate::store::{MessageRow, Tx};

/// Messages that are looked at.
const MESSAGES_MAX: usize = 6;

/// A shorter message that is not understood, like "hmm ok", speaks of nothing else.
const UNKNOWN_WORDS_MIN: usize = 3;

/// Whether the person has told something else since, as an expense or a memory: "make it 8", "also
/// on friday" and "rename it" mean no reminder that was named before.
pub(super) fn is_another(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    Ok(has_changed(turn, tx)? || latest_fact::is_memory(turn, tx)?)
}

/// Whether the person has spoken of something else since: "make it 8" moves no reminder that was
/// named before "add 2 eggs", or before a plan that was offered as a reminder.
pub(super) fn has_changed(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let (Some((latest, at)), Some(head)) = (latest::read_named(turn, tx)?, turn.room.head) else {
        return Ok(false);
    };
    let messages = tx.view().chain(head, MESSAGES_MAX)?;
    let is_since = |one: &&MessageRow| !latest.is_of_message(one.id) && one.received_at >= at;
    for one in messages.iter().take_while(is_since) {
        let is_own = one.user == turn.user.id;
        if is_own && speaks_of_another(turn, one)
            || !powers::changed_by(turn, tx, one.id)?.is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether only one remark, which was not understood and changed nothing, was made since the last reminder
/// came.
pub(super) fn is_one_remark(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let (Some((latest, at)), Some(head)) = (latest::read_named(turn, tx)?, turn.room.head) else {
        return Ok(false);
    };
    let messages = tx.view().chain(head, MESSAGES_MAX)?;
    let is_since = |one: &&MessageRow| one.received_at >= at && one.user == turn.user.id;
    let mut since = messages.iter().take_while(is_since);
    let (Some(only), None) = (since.next(), since.next()) else {
        return Ok(false);
    };
    let understood = assistant::understand_all(&turn.context_then(only));
    let mut calls = understood.calls.calls.iter();
    let is_request = calls.any(|call| call.strength == RequestStrength::Clear);
    let words = turn.words_of(&only.text);
    let verbs = ["can", "could", "will", "would", "should", "please"];
    let asks = assistant::asks(&words) || words.begins_with(&verbs);
    let is_remark = understood.intent == Intent::Unknown && !asks;
    let statement = understood.unknown.and_then(|unknown| unknown.statement);
    let is_noted = latest.fact.is_some() || !powers::changed_by(turn, tx, only.id)?.is_empty();
    Ok(is_remark && !is_request && statement.is_none() && !is_noted)
}

/// Whether a day is asked about, no time told: "and tomorrow?", or "friday" after "what do I have
/// tomorrow?". Right after the assistant's question it is the answer.
pub(super) fn asks_about_day(turn: &MessageTurn, tx: &mut Tx, is_hour: bool) -> Result<bool> {
    if question::was_just_asked(turn, tx)? {
        return Ok(false);
    }
    let text = &turn.message.text;
    if text.contains('?') {
        return Ok(true);
    }
    if is_hour || assistant::names_hour(text) {
        return Ok(false);
    }
    let last = turn.previous_message(tx)?;
    let understood = last.map(|last| assistant::understand(&turn.context_then(&last)));
    Ok(matches!(
        understood.as_ref().map(Intent::unless_follow_up),
        Some(Intent::Agenda { .. } | Intent::FindReminders { .. })
    ))
}

/// Whether a message spoke of something else than a reminder that was set: a plan that was offered
/// ("dinner with tom on friday at 8"), a request that could not be carried out ("remind me at 6 and 9
/// or so to call"), what is about memories or a superpower's ("forget my pin", "my trips"), or words
/// that are not understood.
fn speaks_of_another(turn: &MessageTurn, one: &MessageRow) -> bool {
    let understood = assistant::understand_all(&turn.context_then(one));
    let mut calls = understood.calls.calls.iter();
    if calls.any(|call| call.strength == RequestStrength::Clear) {
        return true;
    }
    match understood.intent {
        Intent::Unclear(_)
        | Intent::AskWhen { .. }
        | Intent::AskRest { .. }
        | Intent::Forget { .. }
        | Intent::Recall { .. } => true,
        Intent::Unknown => {
            let statement = understood.unknown.and_then(|unknown| unknown.statement);
            let asks_for_patience = turn.words_of(&one.text).begins_with(&["wait", "waiting"]);
            let words = one.text.split_whitespace().count();
            let is_long = words >= UNKNOWN_WORDS_MIN || words > 1 && tells_when(&one.text);
            matches!(
                statement,
                Some(Statement::Plan { .. } | Statement::Plans(_))
            ) || is_long && !asks_for_patience && !puts_off(&one.text)
        }
        Intent::Say(_) => asks_something(&turn.words_of(&one.text)),
        _ => false,
    }
}

/// "when is easter", but not what time it is.
fn asks_something(words: &Words) -> bool {
    assistant::asks(words) && !assistant::asks_for_time(words)
}

/// "not home yet", "i'll do it later": it may be said of what has just come.
fn puts_off(text: &str) -> bool {
    const WORDS_MAX: usize = 6;
    let lower = text.to_lowercase().replace(['’', '\''], "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let first = words.first().copied().unwrap_or_default();
    let is_own = matches!(
        first,
        "i" | "ill" | "im" | "ive" | "not" | "no" | "cant" | "didnt" | "havent" | "too" | "still"
    );
    if matches!(
        lower.as_str(),
        "in a bit" | "in a while" | "in a moment" | "in a sec"
    ) {
        return true;
    }
    let says = |all: &[&str]| words.iter().any(|word| all.contains(word));
    // "he's not home", "nobody answers"
    let is_of_somebody = matches!(
        first,
        "he" | "hes" | "she" | "shes" | "they" | "theyre" | "it" | "its" | "nobody" | "noone"
    );
    let denies = || {
        first.starts_with("no")
            || says(&[
                "not", "isnt", "arent", "doesnt", "dont", "didnt", "wont", "closed", "busy",
            ])
    };
    if is_of_somebody && words.len() <= WORDS_MAX && denies() {
        return true;
    }
    is_own
        && words.len() <= WORDS_MAX
        && (says(&["yet", "busy"])
            || says(&["it", "that", "them"]) && says(&["later", "soon"])
            || says(&["not", "cant"]) && says(&["now"]))
}

/// "ran today", "lunch 14".
fn tells_when(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    words.any(|word| {
        matches!(word, "today" | "yesterday" | "tomorrow")
            || word.starts_with(|c: char| c.is_ascii_digit())
    })
}
