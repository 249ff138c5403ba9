//! Wishes for a habit: "i want to run 3 times a week", "track my running".

use super::HabitAction;
use super::activities::is_activity;
use super::weekly_goal::read_times_per_week;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::parsers;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// "i want to run 3 times a week": whether to track it is asked.
pub(super) fn wished(message: &ParsedMessage, at: usize, end: usize) -> Option<HabitAction> {
    const NAME_WORDS_MAX: usize = 5;
    let words = &message.words;
    let begins = phrases!["i want to", "i would like to", "id like to"];
    let is_before = (0..at).any(|n| words.after(n, begins).is_some());
    static WISHES: Phrases = Phrases::new(&[
        "i want to", "i wanna", "i really want to", "i would love to", "id love to",
        "i should really", "i should", "i need to", "i need to start to", "im trying to",
        "i am trying to", "im going to try to", "my goal is to", "i plan to", "im planning to",
        "i want to start to", "id like to", "i would like to", "my goal is",
    ]);
    let from = words.after(at, &WISHES).or(is_before.then_some(at))?;
    let from = words.skip(
        from,
        phrases!["start to", "start", "try to", "try and", "be able to"],
    );
    let (to, per_week) = (from + 1..end.min(from + 1 + NAME_WORDS_MAX))
        .find_map(|n| Some((n, read_times_per_week(words, n, end)?)))?;
    let name = parsers::original(words, from, to);
    let is_wish = is_activity(&name) && !words.is_question();
    is_wish.then(|| HabitAction::Wished {
        name: without_go(&name),
        per_week,
    })
}

/// "track my running", "keep track of my reading": every day, where it isn't said how often.
pub(super) fn tracked_activity(words: &Words, at: usize, end: usize) -> Option<HabitAction> {
    static TRACK: Phrases = Phrases::new(&[
        "track my", "start tracking my", "keep track of my", "help me track my",
        "help me keep track of my", "track whether i", "track if i", "track that i",
    ]);
    let from = words.after(at, &TRACK)?;
    let found = (from + 1..end).find_map(|n| Some((n, read_times_per_week(words, n, end)?)));
    let (to, per_week) = found.unwrap_or((end, 7));
    let name = parsers::original(words, from, to);
    // "track my run rate"
    let is_named = found.is_some() || from + 1 == end;
    (is_named && is_activity(&name)).then_some(HabitAction::Track { name, per_week })
}

/// "run" of "go for a run", "yoga" of "do yoga".
fn without_go(name: &str) -> String {
    let lower = name.to_lowercase();
    let begins = [
        "go for a ", "go to the ", "go to ", "go ", "do some ", "do ", "hit the ",
    ];
    let rest = begins.iter().find(|begin| lower.starts_with(**begin));
    let rest = rest.and_then(|begin| name.get(begin.len()..));
    rest.unwrap_or(name).to_owned()
}
