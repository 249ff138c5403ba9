//! "move nobu and lunch to sunday", "move bo to 11 and cy to 12": each of several things that are named.

use super::by_words;
use crate::assistant::builtin::{FollowUp, PossibleMeanings, ReminderRef, TimeChange};
use crate::assistant::{self, wording};
use crate::error::Result;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{event_reminders, referent};
use crate::store::Tx;

/// One of them, and the words that would move it alone.
struct NamedMove {
    name: String,
    to: TimeChange,
    text: String,
}

/// Moves each for itself; none where one of the names isn't known. `None`: the message names one thing, or nothing that is known.
pub(in crate::ingest) fn move_each(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let unknown = turn.possible_meanings();
    let Some((about, to)) = unknown.named_follow_up.as_ref().and_then(named_move) else {
        return Ok(None); // most messages
    };
    let names = assistant::named_apart(about);
    if names.is_empty() || is_known(turn, tx, about)? {
        return Ok(None);
    }
    let moves: Vec<NamedMove> = names
        .into_iter()
        .map(|name| read_one(turn, about, to, name))
        .collect();
    let mut not_known = Vec::new();
    for one in &moves {
        if !is_known(turn, tx, &one.name)? {
            not_known.push(&one.name);
        }
    }
    match not_known.as_slice() {
        [] => {}
        [name, ..] if not_known.len() < moves.len() => {
            return Ok(Some(wording::one_not_moved(name)));
        }
        _ => return Ok(None),
    }
    let mut replies = Vec::new();
    for one in moves {
        let change = FollowUp::Change {
            which: ReminderRef::About(one.name),
            to: one.to,
        };
        replies.extend(by_words::change_named(turn, tx, &change, &one.text)?);
    }
    Ok((!replies.is_empty()).then(|| replies.join("\n")))
}

fn named_move(what: &FollowUp) -> Option<(&str, &TimeChange)> {
    match what {
        FollowUp::Change {
            which: ReminderRef::About(about),
            to,
        } => Some((about, to)),
        _ => None,
    }
}

/// "bo to 11" has a time of its own.
fn read_one(turn: &MessageTurn, about: &str, to: &TimeChange, name: String) -> NamedMove {
    let text = format!("move {name}");
    let own = PossibleMeanings::read(&turn.context_of(&text)).named_follow_up;
    match own.as_ref().and_then(named_move) {
        Some((name, to)) => NamedMove {
            name: name.to_owned(),
            to: to.clone(),
            text,
        },
        None => NamedMove {
            text: turn.message.text.replacen(about, &name, 1),
            to: to.clone(),
            name,
        },
    }
}

/// Whether a reminder or something planned has that name.
fn is_known(turn: &MessageTurn, tx: &mut Tx, name: &str) -> Result<bool> {
    let is_reminder = !referent::find_named(turn, tx, name)?.is_empty();
    Ok(is_reminder || event_reminders::noted(turn, tx, name)?.is_some())
}
