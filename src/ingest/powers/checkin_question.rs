//! The question how something was, and the memory that its answer becomes.

use std::sync::atomic::Ordering;

use crate::assistant::powers::{CheckinAnswer, checkin_answer, choice};
use crate::assistant::{Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::question::{self, CHECKIN_QUESTION_MS, Question};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Mode, dialog, memories};
use crate::store::{DialogPart, RoomId, Tx, UserId};

impl Ingest {
    /// The next thing that the person says may be the answer.
    pub(super) fn ask_checkin_question(
        &self,
        tx: &mut Tx<'_>,
        (room, user): (RoomId, UserId),
        abouts: Vec<String>,
        now: Timestamp,
    ) -> Result<()> {
        self.checkin_asked_ms.fetch_max(now.0, Ordering::Relaxed);
        let question = Question::Checkin { abouts, told: None };
        dialog::note(tx, (room, user), DialogPart::Question, Some(&question), now)
    }
}

/// The names in "interview on 25 November 2026".
fn names(abouts: &[String]) -> Vec<&str> {
    let each = abouts.iter().map(String::as_str);
    each.map(|about| about.rsplit_once(" on ").map_or(about, |(name, _)| name))
        .collect()
}

/// The event that an answer is about, and the other ones; `None`: it is open which is meant.
fn meant(said: &str, abouts: &[String]) -> Option<(String, Vec<String>)> {
    if let [only] = abouts {
        return Some((only.clone(), Vec::new()));
    }
    let is_all = said
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "both" | "all"));
    if is_all {
        return Some((abouts.join(" and "), Vec::new()));
    }
    let names = names(abouts);
    let said_names = said.to_lowercase();
    let named: Vec<usize> = (0..names.len())
        .filter(|at| said_names.contains(&names[*at].to_lowercase()))
        .collect();
    let at = match named.as_slice() {
        [only] => *only,
        _ => choice(said, &names)?,
    };
    let mut left = abouts.to_vec();
    let about = left.remove(at);
    Some((about, left))
}

/// Whether a message may be an answer: it asks for nothing by itself.
fn may_answer(intent: &Intent) -> bool {
    match intent {
        Intent::Unknown | Intent::Say(_) => true,
        Intent::FollowUp { otherwise, .. } => may_answer(otherwise),
        _ => false,
    }
}

/// Remembers what was answered to the question how something was. `None`: nothing was
/// asked, or this is no answer.
pub(in crate::ingest) fn answer(
    turn: &MessageTurn<'_>,
    tx: &mut Tx<'_>,
    intent: &Intent,
) -> Result<Option<String>> {
    let asked_ms = turn.ingest.checkin_asked_ms.load(Ordering::Relaxed);
    let is_recent = turn.now.0.saturating_sub(asked_ms) <= CHECKIN_QUESTION_MS;
    let is_told = turn
        .requested_power
        .as_ref()
        .is_some_and(|c| c.may_keep_days());
    let may_answer = may_answer(intent) && !is_told;
    if !is_recent || turn.message.mode != Mode::Direct || !may_answer {
        return Ok(None);
    }
    let last_question = question::read_last(turn, tx, CHECKIN_QUESTION_MS)?;
    let Some((Question::Checkin { abouts, told }, _)) = last_question else {
        return Ok(None);
    };
    let answer = match checkin_answer(&turn.message.text) {
        CheckinAnswer::None => return Ok(None),
        CheckinAnswer::Refused => {
            question::close(turn, tx)?;
            return Ok(Some(wording::left_as_it_was()));
        }
        CheckinAnswer::Told(text) => text,
    };
    let is_chosen = told.is_some();
    let (about, left) = match (meant(&answer, &abouts), is_chosen) {
        (Some(found), _) => found,
        (None, true) => return Ok(None),
        (None, false) => {
            let reply = wording::which_was_it(&names(&abouts));
            let told = Some(answer);
            question::ask(turn, tx, &Question::Checkin { abouts, told })?;
            return Ok(Some(reply));
        }
    };
    let text = told.unwrap_or(answer);
    let reply = memories::remember(turn, tx, &format!("{about}: {text}"))?;
    match left.is_empty() {
        true => question::close(turn, tx)?,
        false => question::ask(
            turn,
            tx,
            &Question::Checkin {
                abouts: left,
                told: None,
            },
        )?,
    }
    Ok(Some(format!("Thank you for telling me. {reply}")))
}
