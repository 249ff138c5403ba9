//! What is put on a list, as it was said: things with their days, and what is none of them.

use super::corrected::things_meant;
use super::groceries::run_on;
use super::phrases::{NO_REPETITION, is_no_thing, is_repeat};
use super::{ListName, TodoAction, TodoDraft};
use crate::assistant::builtin::{ParsedMessage, subject};
use crate::assistant::powers::parsers;
use crate::assistant::powers::planned_time::{self, PlannedTime};
use crate::assistant::powers::statement;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, TimeExpression};
use crate::assistant::text::words::Words;

/// `due`: said after the list, for all of them.
pub(super) fn added(
    message: &ParsedMessage,
    list: ListName,
    (from, to): (usize, usize),
    due: Option<TimeExpression>,
) -> TodoAction {
    let text = message.words.original(from..to.max(from));
    let text = text.trim().trim_start_matches([':', '-']);
    let text = without_heading(text);
    let day = due.map(|spec| planned_time::resolve(spec, message));
    let due = match day.transpose() {
        Ok(due) => due,
        Err(reply) => return TodoAction::Unclear(reply),
    };
    let Some(mut things) = things_meant(text) else {
        let reply = "Which things do you mean in the end? I've added nothing.";
        return TodoAction::Unclear(reply.to_owned());
    };
    // "milk, not eggs"
    let first = things.first().cloned();
    things
        .retain(|thing| Some(thing) == first.as_ref() || !thing.to_lowercase().starts_with("not "));
    for thing in things.iter_mut().skip(1) {
        *thing = without_verb(thing.trim_start_matches(['-', '*', '•', ' ']));
    }
    let things: Vec<String> = things.iter().flat_map(|one| by_quantity(one)).collect();
    let things: Vec<String> = match text.starts_with(['"', '“']) {
        true => things,
        false => things.into_iter().flat_map(each_grocery).collect(),
    };
    // "milk? not sure"
    let is_doubt = |thing: &&String| thing.trim_end_matches(['?', '!']).contains('?');
    if let Some(doubt) = things.iter().find(is_doubt) {
        return TodoAction::Unclear(format!(
            "“{doubt}” sounds like a question, so I've added nothing. Say “add …” with what you want."
        ));
    }
    let is_other = |thing: &&String| is_other_request(thing, list == ListName::InUse);
    if let Some(other) = things.iter().find(is_other) {
        return other_request(other);
    }
    if let Some(thing) = things.iter().find(|thing| names_list(thing)) {
        return TodoAction::Unclear(format!(
            "I'm not sure which list you mean with “{thing}”, so I've added nothing. Say it like “add milk to my groceries list”."
        ));
    }
    // "gym monday and friday"
    if things.len() > 1 && things.iter().any(|thing| is_day(thing)) {
        return TodoAction::Unclear(DAY_UNCLEAR.to_owned());
    }
    let drafts = things.into_iter().map(|text| draft(message, text, due));
    match drafts.collect::<Result<Vec<TodoDraft>, String>>() {
        Err(reply) => TodoAction::Unclear(reply),
        Ok(drafts) if drafts.iter().all(|draft| is_no_thing(&draft.text)) => {
            TodoAction::Nothing(list)
        }
        Ok(drafts) => TodoAction::Add(list, drafts),
    }
}

/// "eggs and", "eggs or": the word at the end that more was to follow.
pub(super) fn open_end(words: &Words, from: usize, end: usize) -> Option<usize> {
    let last = end.checked_sub(1).filter(|last| *last > from)?;
    matches!(words.get(last), "and" | "&" | "or").then_some(last)
}

/// What was to be added before more.
pub(super) fn unfinished(action: TodoAction) -> TodoAction {
    match action {
        TodoAction::Add(..) | TodoAction::Each(_) => {
            let reply = "That isn't finished, so I've added nothing. Say all of it, like “add milk and eggs to my list”.";
            TodoAction::Unclear(reply.to_owned())
        }
        action => action,
    }
}

/// "milk to my list for friday and eggs for saturday": each with its day. `first`: where the words of
/// the first things are; `rest`: those after the list.
pub(super) fn with_day_each(
    message: &ParsedMessage,
    list: &ListName,
    first: (usize, usize),
    (rest, end): (usize, usize),
) -> Option<TodoAction> {
    let words = &message.words;
    let (due, next) = when::time_at(words, rest).filter(|(spec, _)| has_day(spec))?;
    let more = words.after(next, phrases!["and also", "and", "also", "plus"])?;
    let first = added(message, list.clone(), first, Some(due));
    let second = added(message, list.clone(), (more, end), None);
    Some(match (&first, &second) {
        (TodoAction::Add(..), TodoAction::Add(_, drafts))
            if drafts.iter().all(|draft| draft.due.is_some()) =>
        {
            TodoAction::Each(vec![first, second])
        }
        // "for friday and eggs": whether the day is that of the eggs is not said.
        (TodoAction::Add(..), TodoAction::Add(..)) => TodoAction::Unclear(DAY_UNCLEAR.to_owned()),
        (TodoAction::Add(..), _) => second,
        _ => first,
    })
}

/// Where "if we have none" begins; not that of "check if the door is locked".
pub(super) fn condition(words: &Words, from: usize, end: usize) -> Option<usize> {
    let at = (from + 1..end).find(|at| {
        static CONDITIONS: Phrases = Phrases::new(&[
            "if", "only if", "unless", "in case", "but only if", "but only when",
        ]);
        words.after(*at, &CONDITIONS).is_some()
    })?;
    let is_asked = |at: usize| {
        phrases![
            "check", "ask", "see", "find", "know", "look", "test", "verify", "figure", "confirm",
            "decide", "wonder", "tell"
        ]
        .contains(words.get(at))
    };
    (!(from..at).any(is_asked)).then_some(at)
}

/// "Bo is coming over" after a request: it asks for nothing.
pub(super) fn is_remark(text: &str) -> bool {
    let words = Words::new(text);
    let asks = |word: &str| {
        phrases![
            "need", "needs", "want", "also", "too", "buy", "get", "add", "put", "not", "no"
        ]
        .contains(word)
    };
    !statement::is_thing(text) && !is_second(text) && !words.iter().any(asks)
}

pub(super) fn other_request(text: &str) -> TodoAction {
    TodoAction::Unclear(format!(
        "“{text}” sounds like another request, so I've added nothing. Please send them one by one."
    ))
}

/// "milk to groceries", "my todo": a list that was not understood is left in it.
fn names_list(thing: &str) -> bool {
    let words = Words::new(thing);
    static LISTS: Phrases = Phrases::new(&[
        "groceries", "shopping", "todo", "todos", "to-do", "lists", "all lists", "both lists",
        "all my lists", "both my lists",
    ]);
    let last = |from: usize| words.after(from, &LISTS) == Some(words.len());
    let linked = (1..words.len()).any(|at| {
        let from = words.after(
            at,
            phrases!["to my", "to the", "to", "on my", "on the", "on", "onto"],
        );
        from.is_some_and(last)
    });
    linked || words.after(0, phrases!["my", "the"]).is_some_and(last)
}

/// "milk to my list for the party": what was said after the list belongs to the thing.
pub(super) fn with_purpose(action: TodoAction, rest: &str) -> TodoAction {
    let words = Words::new(rest);
    let is_more = matches!(
        words.get(0),
        "and" | "also" | "but" | "then" | "plus" | "no" | "not"
    );
    match action {
        TodoAction::Add(..) if is_more || is_second(rest) => other_request(subject(rest).as_str()),
        TodoAction::Add(list, mut drafts) if !rest.is_empty() => {
            for draft in &mut drafts {
                draft.text = format!("{} {}", draft.text, subject(rest));
            }
            TodoAction::Add(list, drafts)
        }
        action => action,
    }
}

/// "the following: bread, ham", "2 more: butter and jam"
fn without_heading(text: &str) -> &str {
    let is_part = |word: &str| {
        phrases![
            "the", "following", "these", "those", "things", "thing", "items", "more", "some", "a",
            "few", "other", "others", "also"
        ]
        .contains(word)
            || when::amount::is_number(word)
            || word.bytes().all(|b| b.is_ascii_digit())
    };
    let of_heading = |(heading, rest)| {
        let heading = Words::new(heading);
        (heading.len() > 0 && heading.iter().all(is_part)).then_some(rest)
    };
    text.split_once(':').and_then(of_heading).unwrap_or(text)
}

/// "1 bananas 2 apples" are two things, "2 bottles 1 liter" is one.
fn by_quantity(thing: &str) -> Vec<String> {
    let words = Words::new(thing);
    let is_count = |at: usize| words.get(at).chars().all(|c| c.is_ascii_digit());
    let is_unit = |at: usize| {
        let word = words.get(at);
        let one = word.strip_suffix('s').unwrap_or(word);
        UNITS.contains(&one)
    };
    let begins = |at: usize| {
        let before = words.get(at - 1);
        let is_linked = phrases![
            "of", "x", "for", "no", "number", "size", "type", "at", "to", "in", "or", "by"
        ]
        .contains(before);
        is_count(at) && !is_count(at - 1) && !is_linked && at + 1 < words.len() && !is_unit(at + 1)
    };
    if words.len() < 4 || !is_count(0) || is_count(1) {
        return vec![thing.to_owned()];
    }
    let mut starts: Vec<usize> = (2..words.len()).filter(|at| begins(*at)).collect();
    starts.insert(0, 0);
    starts.push(words.len());
    let parts = starts.windows(2);
    parts
        .map(|part| parsers::original(&words, part[0], part[1]))
        .collect()
}

/// After a number a part of the same thing.
const UNITS: [&str; 30] = [
    "l", "liter", "litre", "ml", "g", "kg", "gram", "kilo", "lb", "oz", "pound", "inch", "cm",
    "mm", "m", "meter", "metre", "watt", "w", "volt", "v", "pm", "am", "percent", "%", "ply",
    "pack", "week", "day", "hour",
];

/// "add sugar", "don't forget eggs" after "flour and".
fn without_verb(thing: &str) -> String {
    static VERBS: Phrases = Phrases::new(&[
        "add", "dont forget about the", "dont forget about", "dont forget the", "dont forget",
        "then",
    ]);
    let words = Words::new(thing);
    match words.after(0, &VERBS) {
        Some(from) if from < words.len() => parsers::original(&words, from, words.len()),
        _ => thing.to_owned(),
    }
}

/// Whether something else is asked for in the same sentence, which is no thing. `is_plain`: no list
/// is named, which may be one of what is to be done, as "delete old photos".
fn is_other_request(thing: &str, is_plain: bool) -> bool {
    static BEGINNINGS: Phrases = Phrases::new(&[
        "remind me", "wake me", "spent", "i spent", "ive spent", "remember that", "my name is",
        "whats on my", "what is on my", "show my", "show me my", "what do i have",
        "how much have i", "who owes", "done with", "forget it", "forget that", "never mind",
        "cancel it", "cancel that", "undo", "bought", "i bought", "paid", "i paid", "track habit",
        "track a habit", "clear the list", "clear my list", "show the list", "my mood is", "did",
        "i did", "mood", "tell me", "whats", "what is", "show", "how much", "how many", "do i",
        "do we",
    ]);
    let words = Words::new(thing);
    let is_removed = words.len() > 1 && matches!(words.get(0), "delete" | "remove");
    // "noodles remove rice"
    let is_run_on = |at: usize| matches!(words.get(at), "remove" | "delete" | "undo" | "add");
    words.after(0, &BEGINNINGS).is_some()
        || is_plain && (is_removed || (1..words.len()).any(is_run_on))
}

/// "add noodles" after "remove rice and".
pub(super) fn is_second(thing: &str) -> bool {
    is_other_request(thing, false) || Words::new(thing).after(0, phrases!["add", "put"]).is_some()
}

/// "call the bank on friday". The error says why the day can't be used.
fn draft(
    message: &ParsedMessage,
    text: String,
    due: Option<PlannedTime>,
) -> Result<TodoDraft, String> {
    let words = Words::new(&text);
    let mut starts = 1..words.len();
    let found = starts.find_map(|at| Some((at, time_until(&words, at, words.len())?)));
    let Some((at, spec)) = found.filter(|_| due.is_none()) else {
        return match due.is_none() {
            true if ends_in_repetition(&words) => Err(NO_REPETITION.to_owned()),
            true if names_time(&words) => Err(DAY_UNCLEAR.to_owned()),
            _ => Ok(TodoDraft { text, due }),
        };
    };
    if is_repeat(words.get(at - 1)) {
        return Err(NO_REPETITION.to_owned());
    }
    // "eggs saturday or sunday"
    let is_choice = matches!(words.get(at - 1), "or" | "and");
    if is_choice || (at..words.len()).any(|n| planned_time::is_open_span(&words, n)) {
        return Err(DAY_UNCLEAR.to_owned());
    }
    let due = planned_time::resolve(spec, message)?;
    Ok(TodoDraft {
        text: parsers::original(&words, 0, at),
        due: Some(due),
    })
}

/// "milk bread apples" are three things.
fn each_grocery(thing: String) -> Vec<String> {
    run_on(&thing).unwrap_or_else(|| vec![thing])
}

/// Only a day: "friday".
fn is_day(thing: &str) -> bool {
    let words = Words::new(thing);
    time_until(&words, 0, words.len()).is_some()
}

/// "milk daily", "cheese every week"
fn ends_in_repetition(words: &Words) -> bool {
    let [before, last] = [2, 1].map(|back| words.get(words.len().saturating_sub(back)));
    let is_unit = matches!(
        last,
        "day" | "week" | "month" | "year" | "morning" | "evening" | "night" | "weekend"
    );
    let is_span = is_unit || when::weekday_name(last).is_some();
    words.len() > 1
        && (matches!(last, "daily" | "weekly" | "monthly")
            || is_span && matches!(before, "every" | "each"))
}

/// "call bank tomorrow about the loan": a time that more words follow. "milk before friday", "milk
/// in the morning": one that is no day.
fn names_time(words: &Words) -> bool {
    let is_timed = |at: usize| when::read(words, at).is_some_and(|(_, to)| to == words.len());
    (1..words.len()).any(|at| {
        let word = words.get(at);
        let is_last = at + 1 == words.len();
        let is_bound = matches!(
            word,
            "before" | "until" | "till" | "til" | "after" | "since"
        );
        if is_bound && is_timed(at + 1) || word == "in" && is_timed(at) {
            return true;
        }
        matches!(word, "today" | "tomorrow" | "tonight" | "yesterday")
            || is_last && matches!(word, "later" | "soon")
            || matches!(word, "on" | "at") && when::time_at(words, at).is_some()
            || matches!(word, "on" | "by") && is_ordinal(words.get(at + 1))
    })
}

/// "1st", "22nd"
fn is_ordinal(word: &str) -> bool {
    let ends = ["st", "nd", "rd", "th"];
    let number = ends.iter().find_map(|end| word.strip_suffix(end));
    number.is_some_and(|number| number.parse::<u8>().is_ok())
}

/// A time that begins at `from` and ends the words: one with a day, or "at 5".
pub(super) fn time_until(words: &Words, from: usize, end: usize) -> Option<TimeExpression> {
    let (spec, to) = when::time_at(words, from)?;
    (to == end && (has_day(&spec) || words.get(from) == "at")).then_some(spec)
}

pub(super) fn has_day(spec: &TimeExpression) -> bool {
    spec.day.is_some() || spec.delay.is_some()
}

pub(super) const DAY_UNCLEAR: &str =
    "Which day is that? I've added nothing. Say it like “for friday” or “for 5 June”.";
