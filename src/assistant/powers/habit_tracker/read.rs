//! Parses messages about habits: "track habit: run 3 times a week", "I ran today".

use std::ops::Range;

use chrono::NaiveDate;

use super::HabitAction;
use super::activities::may_be_reported;
use super::asked::asked;
use super::completion_day::{self, CompletionDay, is_past};
use super::planned::planned;
use super::weekly_goal::{changed, tracked, tracked_so_often};
use super::wished::{tracked_activity, wished};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::function_words::{is_no, is_question_word};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

static LIST: Phrases = Phrases::new(&[
    "my habits", "habits", "show my habits", "how am i doing with my habits", "show habits",
    "list my habits", "list habits", "how are my habits", "how are my habits going", "my streaks",
    "streaks", "show my streaks", "my streak", "streak", "hows my streak", "how is my streak",
    "habit tracker", "show me my habits", "habit streaks",
]);

/// Questions that a memory may answer.
static RECALLED: Phrases = Phrases::new(&[
    "whats my streak", "what is my streak", "what are my streaks", "what habits do i have",
    "what habits am i tracking", "which habits do i have", "what are my habits",
]);
/// What may as well be asked about something else.
static IF_ANY: Phrases = Phrases::new(&[
    "how am i doing", "how am i doing so far", "how am i doing this week",
    "how did i do this week", "hows my progress", "how is my progress", "whats my progress",
    "what are you tracking", "what do you track",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, HabitAction)> {
    use RequestStrength::Clear;
    let words = &message.words;
    match message.request() {
        request if LIST.contains(request) => {
            return Some((Clear, HabitAction::List));
        }
        _ => {}
    }
    let names_habits = RECALLED.contains(message.request());
    if names_habits || IF_ANY.contains(message.request()) {
        return Some((
            RequestStrength::Soft,
            HabitAction::ListIfAny { names_habits },
        ));
    }
    let (at, end) = (message.start, parsers::end(words));
    if let Some(action) = asked(words, at, end).or_else(|| wished(message, at, end)) {
        return Some((RequestStrength::Soft, action));
    }
    let names_habit = || !names_no_habit(words, at..end);
    kept(words, at, end).or_else(|| names_habit().then(|| done(message, at, end))?)
}

/// Requests that begin or end a habit.
fn kept(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, HabitAction)> {
    use RequestStrength::Clear;
    static TRACK: Phrases = Phrases::new(&[
        "track habit", "track a habit", "track the habit", "track my habit", "new habit",
        "add habit", "add a habit", "add the habit", "start habit", "start a habit",
        "create habit", "create a habit", "habit", "track habits", "track these habits",
        "new habits", "add habits",
    ]);
    if let Some(from) = words.after(at, &TRACK) {
        let from = words.skip(from, phrases!["to", "of"]);
        if words.get(at) == "habit" && !words.is_set_off(at) {
            return None;
        }
        return Some((Clear, tracked(words, from, end)));
    }
    if let Some(from) = words.after(at, phrases!["track", "start tracking"])
        && let Some(action) = tracked_so_often(words, from, end)
    {
        return Some((Clear, action));
    }
    if let Some(action) = tracked_activity(words, at, end) {
        return Some((Clear, action));
    }
    if let Some(action) = changed(words, at, end) {
        return Some((RequestStrength::Soft, action));
    }
    static STOP: Phrases = Phrases::new(&[
        "delete habit", "delete the habit", "delete my habit", "remove habit", "remove the habit",
        "remove my habit", "drop the habit", "stop habit", "forget habit",
    ]);
    let remove = |from| HabitAction::Remove(parsers::original(words, from, end));
    if let Some(from) = words.after(at, &STOP) {
        return Some((Clear, remove(from)));
    }
    // "delete the yoga habit"
    static NAMED: Phrases = Phrases::new(&[
        "delete the", "delete my", "delete", "remove the", "remove my", "remove", "drop the",
        "drop my", "stop the", "stop my",
    ]);
    if let Some(from) = words.after(at, &NAMED)
        && words.get(end - 1) == "habit"
        && from + 1 < end
    {
        let name = parsers::original(words, from, end - 1);
        return Some((Clear, HabitAction::Remove(name)));
    }
    if let Some(from) = words.after(at, phrases!["stop tracking", "untrack"]) {
        return Some((RequestStrength::Soft, remove(from)));
    }
    None
}

static NOT_DONE: Phrases = Phrases::new(&[
    "i forgot my", "forgot my", "forgot to", "i havent done", "i didnt do my", "i didnt do",
    "i didnt", "i did not", "didnt do my", "didnt", "did not", "i havent", "i have not",
    "i skipped my", "i skipped", "skipped", "i missed my", "i missed", "missed", "i forgot to",
    "no",
]);

/// The same, where a day is named: "skip meditation today", "not running today".
static NOT_DONE_THEN: Phrases = Phrases::new(&[
    "skip my", "skip the", "skip", "skipping my", "skipping the", "skipping", "im skipping my",
    "im skipping the", "im skipping", "im not", "i am not", "not", "i wont", "wont", "i will not",
    "i cant", "cant", "i couldnt", "couldnt",
]);

/// "I ran today", "did run", "run done", "I didn't run today".
fn done(message: &ParsedMessage, at: usize, end: usize) -> Option<(RequestStrength, HabitAction)> {
    use RequestStrength::{InSession, Soft};
    let words = &message.words;
    // A question reports nothing done.
    if words.is_question()
        || is_question_word(words.get(at))
        || matches!(words.get(at), "is" | "should")
    {
        return None;
    }
    let end = without_addition(words, at, end);
    // "no, meditated" corrects what was reported.
    let is_correction = is_no(words.get(at)) && words.is_set_off(at);
    if is_correction && is_past(words.get(at + 1)) {
        return None;
    }
    let (to, day) = completion_day::read(words, at, end);
    let dated = matches!(words.get(end - 1), "today" | "yesterday");
    let ended = after_done(words, at, to);
    let plain = words.after(at, phrases!["i did my", "i did", "did my", "did"]);
    let plain = plain.or(ended);
    let from = plain.or_else(|| words.after(at, phrases!["i have", "ive", "i"]));
    let first = from.unwrap_or(at);
    let not_done = after_denial(words, at, dated);
    let is_denied = not_done.is_some() || (at..to).any(|n| is_negative(words.get(n)));
    let is_had = first > at && matches!(words.get(first - 1), "have" | "ive");
    let is_perfect = is_had && is_participle(words.get(first));
    // "gym on friday" may be a plan.
    let is_over = plain.is_some() || is_perfect || is_past(words.get(first));
    if !is_denied
        && !is_over
        && let Some(what) = planned(message, first, end, is_had)
    {
        return Some((InSession, HabitAction::Planned(what)));
    }
    let today = || local_time::date(message.context.now, message.zone());
    let today_if_over = is_over.then_some(&today as &dyn Fn() -> NaiveDate);
    if !is_denied && let Some(found) = several(words, (at, from), end, today_if_over) {
        return Some(found);
    }
    let days_ago = match day {
        CompletionDay::Ago(days) => days,
        CompletionDay::Weekday(weekday) if is_over => completion_day::since(weekday, today()),
        CompletionDay::Weekday(_) | CompletionDay::Several => {
            let what = parsers::original(words, from.unwrap_or(at), to);
            return is_short(at, to).then_some((InSession, HabitAction::DaysUnclear(what)));
        }
    };
    if let Some(from) = not_done {
        let what = parsers::original(words, from, to);
        return is_short(from, to).then_some((Soft, HabitAction::DidNot { what, days_ago }));
    }
    if is_denied {
        return None;
    }
    let (from, strength) = match from {
        Some(from) if dated || plain.is_some() || is_usual_past(words.get(from)) => (from, Soft),
        Some(from) => (from, InSession),
        None if dated => (at, Soft),
        None if is_usual_past(words.get(at)) => (at, Soft),
        None if matches!(words.get(end - 1), "done" | "✅" | "✔" | "✓" | "☑") => {
            return Some((InSession, did(words, (at, end - 1), 0, true)));
        }
        None => (at, InSession),
    };
    let is_report = plain.is_some() && ended.is_none()
        || dated && may_be_reported(words.original(from..to), from > at);
    is_short(from, to).then(|| (strength, did(words, (from, to), days_ago, is_report)))
}

/// Whether the words may be the name of a habit.
const fn is_short(from: usize, to: usize) -> bool {
    const NAME_WORDS_MAX: usize = 6;
    to > from && to - from <= NAME_WORDS_MAX
}

/// "my run" of "i skipped my run", "meditation" of "skip meditation today".
fn after_denial(words: &Words, at: usize, dated: bool) -> Option<usize> {
    let dated_only = || words.after(at, &NOT_DONE_THEN).filter(|_| dated);
    words.after(at, &NOT_DONE).or_else(dated_only)
}

/// "meditating" of "done meditating", "i finished running".
fn after_done(words: &Words, at: usize, end: usize) -> Option<usize> {
    static DONE: Phrases = Phrases::new(&[
        "done with", "done", "im done with", "im done", "i am done", "i finished", "finished",
        "just finished", "ive finished", "got done with",
    ]);
    let from = words.after(at, &DONE)?;
    let is_done = from + 1 == end && words.get(from).ends_with("ing");
    is_done.then_some(from)
}

/// "did it", "both done", "i meant yesterday", "delete yesterday".
fn names_no_habit(words: &Words, range: Range<usize>) -> bool {
    let first = words.get(range.start);
    let begins = phrases!["i did", "did", "i"];
    let from = words.skip(range.start, begins);
    let end = match words.get(range.end.saturating_sub(1)) {
        "done" | "yesterday" | "today" if range.end > from + 1 => range.end - 1,
        _ => range.end,
    };
    let is_pronoun = from + 1 == end
        && matches!(
            words.get(from),
            "it" | "both" | "that" | "them" | "all" | "meant"
        );
    is_pronoun || matches!(first, "delete" | "remove" | "undo")
}

/// The end before "too" and its like.
fn without_addition(words: &Words, at: usize, end: usize) -> usize {
    let last = end.saturating_sub(1);
    match words.get(last) {
        "too" | "also" | "again" if last > at => last,
        "well" if last > at + 1 && words.get(last - 1) == "as" => last - 1,
        _ => end,
    }
}

/// "ran and read 20 pages yesterday", "ran today and yesterday". `from`: after "I" and its like.
fn several(
    words: &Words,
    (at, from): (usize, Option<usize>),
    end: usize,
    today: Option<&dyn Fn() -> NaiveDate>,
) -> Option<(RequestStrength, HabitAction)> {
    let start = from.unwrap_or(at);
    let found = completion_day::read_several(words, (start, end), today)?;
    let is_plain = (at..start).any(|n| words.get(n) == "did");
    let is_sure = found.is_dated || is_plain || is_usual_past(words.get(start));
    let strength = if is_sure {
        RequestStrength::Soft
    } else {
        RequestStrength::InSession
    };
    let is_report = |from, to| {
        is_plain || found.is_dated && may_be_reported(words.original(from..to), start > at)
    };
    let each = found.done.iter();
    let each = each.map(|(from, to, days)| did(words, (*from, *to), *days, is_report(*from, *to)));
    let whole = Box::new(did(words, (start, end), 0, is_report(start, end)));
    let each = each.collect();
    Some((strength, HabitAction::Each { whole, each }))
}

fn is_negative(word: &str) -> bool {
    phrases![
        "not", "never", "no", "without", "didnt", "dont", "doesnt", "havent", "hasnt", "wasnt",
        "wont", "cant", "couldnt", "wouldnt", "shouldnt"
    ]
    .contains(word)
}

/// Whether a word after "have" says that the habit is done: "have run".
fn is_participle(word: &str) -> bool {
    is_past(word)
        || is_usual_past(word)
        || phrases![
            "run", "swum", "gone", "done", "been", "written", "eaten", "drunk", "ridden", "drawn",
            "taken", "had", "just", "already", "finally"
        ]
        .contains(word)
}

/// How what is done as a habit is often told: "i went to the gym".
fn is_usual_past(word: &str) -> bool {
    phrases![
        "went", "ran", "swam", "rode", "wrote", "meditated", "exercised", "jogged", "walked",
        "cycled", "stretched", "trained", "practiced", "practised", "studied", "hiked", "climbed",
        "rowed", "journaled", "danced"
    ]
    .contains(word)
}

fn did(words: &Words, (from, to): (usize, usize), days_ago: u32, is_report: bool) -> HabitAction {
    HabitAction::Did {
        what: parsers::original(words, from, to),
        days_ago,
        is_report,
    }
}
