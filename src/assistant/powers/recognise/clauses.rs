//! Reports of different kinds in one message: "i feel great and i ran 5k". Each is noted by itself.

use super::{PowerCalls, calls_in, in_part, statements};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::budget_tracker::{BudgetAction, PossibleExpenses};
use crate::assistant::powers::{Power, PowerAction, RequestStrength};
use crate::assistant::text::phrases::Phrases;

/// A longer message is not looked through.
const WORDS_MAX: usize = 30;
/// Parts that are tried.
const PARTS_MAX: usize = 6;
/// Superpowers that note what somebody reports of their day.
const REPORTED: [Power; 3] = [
    Power::HabitTracker,
    Power::BudgetTracker,
    Power::MoodTracker,
];
static LINKS: Phrases = Phrases::new(&[
    "and then", "and also", "and", "but", "then", "also", "plus", "so", "&",
]);

/// The parts of a message that report different things; none for one. `whole`: what is understood
/// of it as one.
pub(super) fn clauses(message: &ParsedMessage, whole: &PowerCalls) -> Vec<String> {
    let (words, end) = (&message.words, message.words.len());
    let may_report = whole
        .calls
        .iter()
        .any(|call| REPORTED.contains(&call.power));
    if !may_report || end > WORDS_MAX || words.is_question() {
        return Vec::new(); // most messages
    }
    let split = |at: usize| {
        let link = words.after(at, &LINKS);
        let from = link.or_else(|| words.is_set_off(at - 1).then_some(at))?;
        (from < end).then_some((at, from))
    };
    let reported =
        |from: usize, to: usize| reported(&in_part(words.original(from..to), message, calls_in));
    let splits = (message.start + 1..end).filter_map(split);
    let mut splits: Vec<(usize, usize)> = splits.take(PARTS_MAX).collect();
    splits.push((end, end));
    // Where each part begins and ends; one that reports nothing belongs to the one before it.
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let (mut start, mut before) = (message.start, None);
    for (at, from) in splits {
        if at <= start {
            continue;
        }
        let power = reported(start, at);
        match parts.last_mut() {
            Some(part) if power.is_none() || before.is_none() || power == before => part.1 = at,
            _ => parts.push((start, at)),
        }
        before = power.or(before);
        start = from;
    }
    if parts.len() < 2 {
        return Vec::new();
    }
    let parts = parts.into_iter();
    parts
        .map(|(from, to)| words.original(from..to).to_owned())
        .collect()
}

/// The superpower that notes this part of a message.
fn reported(calls: &PowerCalls) -> Option<Power> {
    let mut reports = calls.calls.iter().filter(|call| {
        let is_stated = matches!(
            call.strength,
            RequestStrength::Clear | RequestStrength::Soft
        );
        // "8 now" may be anything.
        let is_supposed = matches!(
            call.action,
            PowerAction::BudgetTracker(BudgetAction::SpentIfInUse(PossibleExpenses {
                is_usual: false,
                ..
            }))
        );
        let is_report = statements::subject(&call.action, call.strength).is_some();
        is_stated && is_report && !is_supposed
    });
    let found = reports.next()?.power;
    REPORTED.contains(&found).then_some(found)
}
