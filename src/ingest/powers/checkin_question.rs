//! The question how something was, and the memory that its answer becomes.

use std::sync::atomic::Ordering;

use crate::assistant::builtin::{FollowUp, PossibleMeanings};
use crate::assistant::powers::{
    CheckinAnswer, RequestStrength, checkin_answer, choice, names_next_one, tells_how_it_was,
};
use crate::assistant::{Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent};
use crate::ingest::dialog::question::{self, CHECKIN_QUESTION_MS, Question};
use crate::ingest::requested_power::RequestedPower;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{Ingest, Mode, dialog, memories};
use crate::store::{DialogPart, RoomId, Tx, UserId};

impl Ingest {
    /// The next thing that the person says may be the answer.
    pub(super) fn ask_checkin_question(
        &self,
        tx: &mut Tx,
        (room, user): (RoomId, UserId),
        abouts: Vec<String>,
        now: Timestamp,
    ) -> Result<()> {
        self.checkin_asked_ms.fetch_max(now.0, Ordering::Relaxed);
        let question = Question::Checkin {
            abouts,
            earlier: None,
        };
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
fn event_of(answer: &str, abouts: &[String]) -> Option<(String, Vec<String>)> {
    if let [only] = abouts {
        return Some((only.clone(), Vec::new()));
    }
    let is_all = answer
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| matches!(word, "both" | "all"));
    if is_all {
        return Some((abouts.join(" and "), Vec::new()));
    }
    let names = names(abouts);
    let lower = answer.to_lowercase();
    let named: Vec<usize> = (0..names.len())
        .filter(|at| lower.contains(&names[*at].to_lowercase()))
        .collect();
    let at = match named.as_slice() {
        [only] => *only,
        _ => choice(answer, &names)?,
    };
    let mut left = abouts.to_vec();
    let about = left.remove(at);
    Some((about, left))
}

/// Whether a message may be an answer: it asks for nothing by itself, and is not about a reminder.
fn may_answer(turn: &MessageTurn, intent: &Intent) -> bool {
    match intent {
        Intent::Unknown | Intent::Say(_) => true,
        Intent::Several(parts) => parts.iter().all(|part| is_not_understood(turn, part)),
        Intent::FollowUp { what, otherwise } => {
            let is_of_reminder = matches!(
                what,
                FollowUp::Snooze(_)
                    | FollowUp::SnoozeUnclear { .. }
                    | FollowUp::SnoozeNumbered { .. }
                    | FollowUp::SnoozeNth { .. }
                    | FollowUp::SnoozeAbout { .. }
                    | FollowUp::Again(_)
                    | FollowUp::Change { .. }
                    | FollowUp::ChangeBefore
                    | FollowUp::OneBefore { .. }
                    | FollowUp::Rename { .. }
                    | FollowUp::Skip { .. }
                    | FollowUp::SkipLast { .. }
                    | FollowUp::Cancel(_)
                    | FollowUp::CancelAllBut(_)
                    | FollowUp::DoneNumbered(_)
                    | FollowUp::Undo
            );
            !is_of_reminder && may_answer(turn, otherwise)
        }
        _ => false,
    }
}

/// A part of a message: "3 hours!"
fn is_not_understood(turn: &MessageTurn, part: &Intent) -> bool {
    use RequestStrength::{InSession, Opening};
    match part {
        Intent::Unclear(_) => true,
        Intent::FollowUp { otherwise, .. } => is_not_understood(turn, otherwise),
        Intent::Power(text) => {
            let mut calls = turn.recognise(text).calls.into_iter();
            calls.all(|call| matches!(call.strength, InSession | Opening))
        }
        _ => false,
    }
}

/// The answer, and what else the message asks for: "it was great, remind me on monday to call them".
fn answer_and_request<'t>(turn: &'t MessageTurn) -> Option<(&'t str, Intent)> {
    let text = turn.message.text.as_str();
    let marks = text.match_indices([',', '.', '!', ';']);
    let mut marks = marks.chain(text.match_indices(" and "));
    marks.find_map(|(at, mark)| {
        let (answer, rest) = (text[..at].trim(), text[at + mark.len()..].trim());
        if !tells_how_it_was(answer) {
            return None;
        }
        let request = match turn.understand_own(rest) {
            Intent::Unknown if asks_for_power(turn, rest, mark == " and ") => {
                Some(Intent::Power(rest.to_owned()))
            }
            Intent::Unknown if mark == " and " => None,
            Intent::Unknown => PossibleMeanings::read(&turn.context_of(rest))
                .statement
                .map(Intent::Statement),
            request => {
                (request.is_command() && !is_not_understood(turn, &request)).then_some(request)
            }
        };
        let request = request.or_else(|| {
            names_next_one(rest).then(|| Intent::Unclear(wording::part_not_understood(rest)))
        });
        Some((answer, request?))
    })
}

/// "add milk", "spent 12 on a cab", but not "i got the job". `is_joined`: after "and", where "i got 2
/// offers" is of the answer.
fn asks_for_power(turn: &MessageTurn, text: &str, is_joined: bool) -> bool {
    use RequestStrength::{InSession, Soft};
    let has_number = text.contains(|c: char| c.is_ascii_digit());
    let mut calls = turn.recognise(text).calls.into_iter();
    calls.any(|call| match call.strength {
        InSession => false,
        Soft => has_number && !is_joined,
        _ => true,
    })
}

/// Whether a reminder came after the question: "did it" is about that one.
fn is_about_reminder(
    turn: &MessageTurn,
    tx: &Tx,
    intent: &Intent,
    asked_at: Timestamp,
) -> Result<bool> {
    let latest = latest::read_named(turn, tx)?;
    Ok(matches!(intent, Intent::FollowUp { .. })
        && latest
            .is_some_and(|(latest, at)| latest.event == ItemEvent::Delivered && at.0 > asked_at.0))
}

/// Whether the message is something else that is worth noting: "call bo at 5", "lunch 12".
fn tells_of_another(turn: &MessageTurn) -> bool {
    let power = turn.requested_power.as_ref();
    power.is_some_and(|power| power.may_keep_days() || power.may_keep_money())
        || turn.possible_meanings().statement.is_some()
}

/// Remembers what was answered to the question how something was. With it what else the message
/// asks for. `None`: nothing was asked, or this is no answer.
pub(in crate::ingest) fn answer(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<Option<(String, Option<Intent>)>> {
    let asked_ms = turn.ingest.checkin_asked_ms.load(Ordering::Relaxed);
    let is_recent = turn.now.0.saturating_sub(asked_ms) <= CHECKIN_QUESTION_MS;
    let is_direct = turn.message.mode == Mode::Direct;
    let power = turn.requested_power.as_ref();
    let is_request = power.is_some_and(RequestedPower::is_explicit);
    if !is_recent || !is_direct || is_request {
        return Ok(None);
    }
    let last_question = question::read_last(turn, tx, CHECKIN_QUESTION_MS)?;
    let Some((Question::Checkin { abouts, earlier }, asked_at)) = last_question else {
        return Ok(None);
    };
    if is_about_reminder(turn, tx, intent, asked_at)? {
        return Ok(None);
    }
    let is_whole = may_answer(turn, intent) && !tells_of_another(turn);
    let (typed, request) = match answer_and_request(turn) {
        Some((answer, request)) if !is_whole || !matches!(request, Intent::FollowUp { .. }) => {
            (answer, Some(request))
        }
        _ if is_whole => (turn.message.text.as_str(), None),
        _ => return Ok(None),
    };
    let answer = match checkin_answer(typed) {
        CheckinAnswer::None => return Ok(None),
        CheckinAnswer::Refused => {
            question::close(turn, tx)?;
            return Ok(Some((wording::LEFT_AS_IT_WAS.to_owned(), request)));
        }
        CheckinAnswer::Later => {
            question::close(turn, tx)?;
            let asked = names(&abouts);
            let reply = wording::not_asked_again(asked.first().unwrap_or(&"it"));
            return Ok(Some((reply, request)));
        }
        CheckinAnswer::Text(text) => text,
    };
    let is_chosen = earlier.is_some();
    let (about, left) = match (event_of(&answer, &abouts), is_chosen) {
        (Some(found), _) => found,
        (None, true) => return Ok(None),
        (None, false) => {
            let reply = wording::which_was_it(&names(&abouts));
            let earlier = Some(answer);
            question::ask(turn, tx, &Question::Checkin { abouts, earlier })?;
            return Ok(Some((reply, request)));
        }
    };
    let text = earlier.unwrap_or(answer);
    let reply = memories::remember(turn, tx, &format!("{about}: {text}"))?;
    match left.is_empty() {
        true => question::close(turn, tx)?,
        false => question::ask(
            turn,
            tx,
            &Question::Checkin {
                abouts: left,
                earlier: None,
            },
        )?,
    }
    let reply = format!("Thank you for telling me. {reply}");
    Ok(Some((reply, request)))
}
