//! "what time is my dentist appointment?": what was told of it, or a reminder of it, where the
//! superpower that takes the question knows of none; asked in a group it is told in the direct chat.

use super::requested_power::RequestedPower;
use super::turn::MessageTurn;
use super::{agenda, event_reminders, known_plans, open_reminders};
use crate::assistant;
use crate::error::Result;
use crate::store::{PowerOwner, Tx};

/// What the question is about: "dentist appointment" of "when's my dentist appointment?".
fn asked_about(text: &str) -> Option<String> {
    const ASKED: [&str; 8] = [
        "when is my ", "when's my ", "whens my ", "what time is my ", "what time's my ",
        "whats the time of my ", "at what time is my ", "what day is my ",
    ];
    let text = text.to_lowercase();
    if !text.contains("s my ") && !text.contains("of my ") {
        return None; // most messages
    }
    let text = text.replace('’', "'");
    let text = text.trim().trim_end_matches(['?', '!', '.', ' ']);
    let at = ASKED.iter().find_map(|asked| {
        let (before, about) = text.split_once(asked)?;
        // "juno, when's my dentist": the name of the assistant
        (before.split_whitespace().count() <= 1).then_some(about)
    })?;
    let about = at.strip_suffix(" again").unwrap_or(at).trim();
    (!about.is_empty()).then(|| about.to_owned())
}

/// The answer from what the requested superpower doesn't know. `None`: it knows one of that name, or
/// nothing does.
pub(super) fn known_elsewhere(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: &RequestedPower,
) -> Result<Option<String>> {
    let Some(about) = asked_about(&turn.message.text).filter(|_| !turn.in_group()) else {
        return Ok(None); // most messages
    };
    let is_asked = |other| power.may_be(other);
    let known = known_plans::known_to(turn, tx, turn.owner(), is_asked)?;
    match event_reminders::lines_about(turn, known, &about) {
        Some(_) => Ok(None),
        None => all_of(turn, tx, &about),
    }
}

/// The answer where nothing else takes the question.
pub(super) fn otherwise(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match asked_about(&turn.message.text).filter(|_| !turn.in_group()) {
        Some(about) => all_of(turn, tx, &about),
        None => Ok(None),
    }
}

/// What is known of the person's own, for their direct chat.
pub(super) fn asked_in_group(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match asked_about(&turn.message.text).filter(|_| turn.in_group() && !turn.by_model) {
        Some(about) => all_of(turn, tx, &about),
        None => Ok(None),
    }
}

fn all_of(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<Option<String>> {
    let owner = PowerOwner::User(turn.user.id);
    let known = known_plans::known_to(turn, tx, owner, |_| true)?;
    if let Some(lines) = event_reminders::lines_about(turn, known, about) {
        return Ok(Some(lines));
    }
    let name = assistant::event_name(about);
    if turn.in_group() {
        let open = open_reminders::matching_elsewhere(turn, tx, Some(&name), None)?;
        let found = || agenda::found_text(turn, &open, None, Some(&name));
        return Ok((!open.is_empty()).then(found));
    }
    match open_reminders::matching(turn, tx, Some(&name), None)?.is_empty() {
        true => Ok(None),
        false => agenda::find_reminders(turn, tx, None, Some(&name)).map(Some),
    }
}
