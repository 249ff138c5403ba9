//! The answer to the question which of several requests is meant: "2", "the friday one".

use crate::assistant::powers::{RequestChoice, choice};
use crate::error::Result;
use crate::ingest::corrected_value;
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::powers::answer;
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

/// Does what is chosen. `None`: nothing was asked, or this is no answer.
pub(in crate::ingest) fn chosen(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(choices) = open_choices(turn, tx)? else {
        return Ok(None); // most messages
    };
    let names: Vec<&str> = choices.iter().map(|one| one.name.as_str()).collect();
    let text = turn.message.text.as_str();
    match choice(text, &names).or_else(|| choice(without_link(text), &names)) {
        Some(at) => carry_out(turn, tx, &choices[at]).map(Some),
        None => Ok(None),
    }
}

/// "cancel 2", "move 2": the number is of the question.
pub(super) fn numbered(
    turn: &MessageTurn,
    tx: &mut Tx,
    numbers: &[usize],
) -> Result<Option<String>> {
    let [number] = numbers else {
        return Ok(None);
    };
    let choices = open_choices(turn, tx)?.unwrap_or_default();
    match number.checked_sub(1).and_then(|at| choices.get(at)) {
        Some(chosen) => carry_out(turn, tx, chosen).map(Some),
        None => Ok(None),
    }
}

/// Whether this message is answered with the question.
pub(super) fn is_asked(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    let last_question = question::read_last(turn, tx, 0)?;
    Ok(
        last_question
            .is_some_and(|(question, _)| matches!(question, Question::WhichRequest { .. })),
    )
}

fn open_choices(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<Vec<RequestChoice>>> {
    let Some(Question::WhichRequest { choices }) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    // Only what is said next is an answer.
    let asked_at = tx.question(turn.room.id, turn.user.id)?.map(|(_, at)| at);
    let last = turn.previous_message(tx)?.map(|last| last.received_at);
    let is_next = last <= asked_at && question::is_last(turn, tx)?;
    Ok(is_next.then_some(choices))
}

fn carry_out(turn: &MessageTurn, tx: &mut Tx, chosen: &RequestChoice) -> Result<String> {
    question::close(turn, tx)?;
    match corrected_value::correct_by(turn, tx, &chosen.request)? {
        Some(corrected) => Ok(corrected),
        None => answer::answer_part(turn, tx, &chosen.request),
    }
}

/// "on friday", "the one on friday"
fn without_link(text: &str) -> &str {
    let text = text.trim();
    let links = ["the one on ", "the one at ", "that on ", "on ", "at "];
    let bare = |link: &&str| {
        let head = text.get(..link.len())?;
        head.eq_ignore_ascii_case(link).then(|| &text[link.len()..])
    };
    links.iter().find_map(bare).unwrap_or(text)
}
