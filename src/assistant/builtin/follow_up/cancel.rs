//! Parses requests to cancel reminders, and messages that name a reminder by its words.

use std::ops::Range;

use super::change::{number_span, numbers};
use super::new_time::{hours, mentions_time, read_new_time, time_alone};
use super::{DoneReport, FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::builtin::subject;
use crate::assistant::text::clauses::begins_clause;
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::function_words::is_no;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::verbs;
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words of a reminder with the time to which it is put off.
const SNOOZED_WORDS_MAX: usize = 8;
/// Minutes of a number alone after a name.
const MINUTES_MAX: i64 = 600;

/// "cancel that", "cancel 2".
pub(super) fn cancel(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let phrase = words.phrase(range.clone());
    if [
        "it", "that", "this", "that one", "this one", "that reminder", "this reminder",
        "the reminder",
    ]
    .contains(&phrase.as_str())
    {
        return Some(FollowUp::Cancel(ReminderRef::Latest));
    }
    if matches!(
        phrase.as_str(),
        "the last" | "the last one" | "last one" | "the last reminder" | "my last reminder"
    ) {
        return Some(FollowUp::Cancel(ReminderRef::Last));
    }
    if matches!(phrase.as_str(), "all" | "everything" | "all of it") {
        return Some(FollowUp::Cancel(ReminderRef::Listed));
    }
    if let Some(count) = together(&phrase) {
        return Some(FollowUp::Cancel(ReminderRef::Together(count)));
    }
    if let Some((numbers, end)) = numbers(words, range.start)
        && end == range.end
    {
        return Some(FollowUp::Cancel(ReminderRef::Numbered(numbers)));
    }
    if let Some(numbers) = span(words, range.clone()) {
        return Some(FollowUp::Cancel(ReminderRef::Numbered(numbers)));
    }
    if let Some(which) = one_of(words, range.clone()) {
        return Some(FollowUp::Cancel(which));
    }
    static BUT: Phrases = Phrases::new(&[
        "all but", "all except", "everything but", "everything except", "all of them but",
        "all of them except",
    ]);
    static REMINDERS_BUT: Phrases = Phrases::new(&[
        "all reminders but", "all reminders except", "all my reminders but",
        "all my reminders except", "all the reminders but", "all the reminders except",
    ]);
    let named = words.after(range.start, &BUT);
    if let Some(from) = named.or_else(|| words.after(range.start, &REMINDERS_BUT)) {
        let kept = match numbers(words, from).filter(|(_, end)| *end == range.end) {
            Some((numbers, _)) => ReminderRef::Numbered(numbers),
            None => ReminderRef::About(about(words, named?..range.end)?),
        };
        return Some(FollowUp::CancelAllBut(kept));
    }
    None
}

/// "2 to 4"
fn span(words: &Words, range: Range<usize>) -> Option<Vec<usize>> {
    let is_span = matches!(words.get(range.start + 1), "to" | "through" | "-" | "–");
    let numbers = number_span(words.get(range.start), words.get(range.start + 2));
    let numbers = numbers.filter(|_| is_span && range.len() == 3)?;
    Some(numbers.collect())
}

/// "the lunch one", "the water ones", "the next one".
fn one_of(words: &Words, range: Range<usize>) -> Option<ReminderRef> {
    static ALL: Phrases = Phrases::new(&["all the", "all my", "all", "the", "my"]);
    let from = words.skip(range.start, &ALL);
    let last = range.end.checked_sub(1).filter(|last| *last > from)?;
    let about = subject(words.original(from..last));
    match words.get(last) {
        "ones" => Some(ReminderRef::AllAbout(about)),
        "one" if words.get(range.start) == "all" => None,
        "one" if about == "next" => Some(ReminderRef::Next),
        "one" => Some(ReminderRef::About(about)),
        _ => None,
    }
}

/// How many are meant together: "both", "all three of them".
fn together(phrase: &str) -> Option<Option<usize>> {
    let phrase = phrase.strip_suffix(" reminders").unwrap_or(phrase);
    Some(match phrase {
        "both" | "both of them" | "them both" | "the two" | "these two" | "those two" => Some(2),
        "all three" | "all 3" | "all three of them" | "all 3 of them" => Some(3),
        "them" | "them all" | "all of them" | "all of those" | "those" | "these" => None,
        _ => return None,
    })
}

/// "turn it off", "turn off my swim reminder".
pub(super) fn switched_off(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    if words.after(
        range.start,
        phrases!["turn it off", "turn that off", "switch it off"],
    ) == Some(range.end)
    {
        return Some(FollowUp::Cancel(ReminderRef::Latest));
    }
    let from = words.after(range.start, phrases!["turn off", "switch off"])?;
    let last = words.get(range.end.checked_sub(1)?);
    if !matches!(last, "reminder" | "alarm" | "timer") {
        return cancel(words, from..range.end);
    }
    let about =
        about(words, from..range.end - 1).or_else(|| (last != "reminder").then(|| last.to_owned()));
    Some(FollowUp::Cancel(ReminderRef::About(about?)))
}

/// The subject of a reminder: "the pills", "the one about the pills".
fn about(words: &Words, range: Range<usize>) -> Option<String> {
    let about_it = phrases!["the one about", "the one with", "the one to", "the one for"];
    let named = words
        .after(range.start, about_it)
        .filter(|from| *from < range.end && when::read(words, *from).is_none());
    if let Some(from) = named {
        return about(words, from..range.end);
    }
    let from = words.after(range.start, phrases!["the", "my", "that", "for"]);
    let about = subject(words.original(from.unwrap_or(range.start)..range.end));
    (!about.is_empty()).then_some(about)
}

/// "run and rent": each of several reminders; empty for one.
pub fn named_apart(about: &str) -> Vec<String> {
    const NAMED_MAX: usize = 8;
    let words = Words::new(about);
    let mut names = Vec::new();
    if words.iter().any(|word| word == "remind") {
        return names; // another request
    }
    let mut from = 0;
    while from < words.len() && names.len() < NAMED_MAX {
        let is_and = |at: usize| matches!(words.get(at), "and" | "&");
        let ends = |at: &usize| is_and(*at) || *at > from && words.is_set_off(*at - 1);
        let end = (from..words.len()).find(ends).unwrap_or(words.len());
        let start = words.skip_article(from);
        if end > start {
            names.push(subject(words.original(start..end)));
        }
        from = end + usize::from(is_and(end));
    }
    // "the debt, i'm tired of it"
    let is_said = |name: &String| {
        let words = Words::new(name);
        begins_clause(&words, 0, words.len())
    };
    if names.iter().any(is_said) {
        return Vec::new();
    }
    match names.len() {
        0 | 1 => Vec::new(),
        _ => names,
    }
}

/// Whether something is to be taken from what was named before: "bread from it".
fn takes_from(words: &Words, range: Range<usize>) -> bool {
    static FROM_IT: Phrases = Phrases::new(&[
        "from it", "off it", "from that", "off that", "from them", "from there", "out of it",
    ]);
    (range.start + 1..range.end).any(|at| words.after(at, &FROM_IT) == Some(range.end))
}

/// "cancel the pills", "move call mom to 10": where nothing else is meant, these may be the words of
/// a reminder.
pub(in crate::assistant) fn read_named(words: &Words) -> Option<FollowUp> {
    const WORDS_MAX: usize = 20;
    let start = words.skip(0, phrases!["oh", "ok"]);
    let mark = corrections::after_mark(words, start);
    let mark = mark.filter(|(_, strength)| *strength > MarkStrength::BeforeTime);
    let start = words.skip_courtesy(mark.map_or(start, |(end, _)| end));
    let end = words.before_courtesy(start + 1, words.len());
    let range = start + 1..end;
    if range.len() > WORDS_MAX {
        return None;
    }
    if let Some(from) = words
        .after(start, &DONE_WITH)
        .filter(|from| *from < range.end)
    {
        return Some(FollowUp::DoneAbout(about(words, from..range.end)?));
    }
    let done = done_after_name(words, start..range.end).map(FollowUp::DoneAbout);
    let named = done.or_else(|| moved_instead(words, start..range.end));
    if let Some(found) = named.or_else(|| done_already(words, start..range.end)) {
        return Some(found);
    }
    if let Some(about) = called_off(words, start..range.end) {
        return Some(FollowUp::CalledOffAbout(about));
    }
    match words.get(start) {
        "snooze" => snoozed(words, range),
        // "remove bread from it": a part of a text.
        "remove" | "delete" if takes_from(words, range.clone()) => None,
        "cancel" | "delete" | "remove" | "stop" => {
            Some(FollowUp::Cancel(ReminderRef::About(about(words, range)?)))
        }
        "make"
            if !matches!(
                words.get(range.start),
                "it" | "that" | "this" | "them" | "me" | "us" | "sure"
            ) =>
        {
            let (at, to) = range.clone().skip(1).find_map(|at| {
                let to = read_new_time(words, at..range.end);
                let to = hours(words, at..range.end).or(to)?;
                Some((at, to))
            })?;
            let which = ReminderRef::About(about(words, range.start..at)?);
            Some(FollowUp::Change { which, to })
        }
        "move" | "change" | "push" | "shift" | "reschedule" | "postpone" | "delay" | "bring" => {
            let found = range.clone().skip(1).find_map(|at| {
                let last = words.get(range.end - 1);
                let is_link = matches!(
                    words.get(at),
                    "to" | "till" | "until" | "by" | "for" | "back" | "forward"
                ) || matches!(last, "earlier" | "later" | "sooner");
                let time = || {
                    let to = read_new_time(words, at..range.end);
                    hours(words, at..range.end).or(to)
                };
                Some((at, is_link.then(time)??))
            });
            let Some((at, to)) = found else {
                return named_unclear(words, range);
            };
            let which = ReminderRef::About(about(words, range.start..at)?);
            Some(FollowUp::Change { which, to })
        }
        _ => None,
    }
}

static DONE_WITH: Phrases = Phrases::new(&[
    "done with", "im done with", "i am done with", "finished with", "im finished with",
    "all done with",
]);

/// "pills done", "the pills are done"
fn done_after_name(words: &Words, range: Range<usize>) -> Option<String> {
    const NAME_WORDS_MAX: usize = 3;
    let last = range.end.checked_sub(1)?;
    let is_done = matches!(words.get(last), "done" | "taken");
    let is_talk = phrases![
        "all", "im", "i", "its", "it", "not", "well", "ive", "almost", "nearly", "what", "were",
        "we", "you", "youre", "is", "are", "get", "be", "that", "thats", "none", "never"
    ]
    .contains(words.get(range.start));
    let is_name = (1..=NAME_WORDS_MAX).contains(&(last.saturating_sub(range.start)));
    // "no laundry done", unlike "no, laundry done"
    let before = range.start.checked_sub(1);
    let is_denied = before.is_some_and(|at| is_no(words.get(at)) && !words.is_set_off(at));
    (is_done && is_name && !is_talk && !is_denied && !words.is_question())
        .then(|| about(words, range.start..last))
        .flatten()
}

/// "train at 9:40 instead"
fn moved_instead(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    const NAME_WORDS_MAX: usize = 4;
    let last = range.end.checked_sub(1)?;
    if words.get(last) != "instead" {
        return None;
    }
    let links = range.start + 1..last.min(range.start + 1 + NAME_WORDS_MAX);
    let mut links = links.filter(|at| matches!(words.get(*at), "at" | "to" | "on"));
    let (at, to) = links.find_map(|at| {
        let time = words.skip(at, phrases!["to"]);
        Some((at, time_alone(words, time..last)?))
    })?;
    let which = ReminderRef::About(about(words, range.start..at)?);
    Some(FollowUp::Change { which, to })
}

/// "i called ann already", "already watered the plants", "took it".
fn done_already(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    static BEGINNINGS: Phrases = Phrases::new(&[
        "i already", "ive already", "i have already", "already", "i just", "ive just", "just",
    ]);
    const UNSURE_WORDS_MAX: usize = 6;
    let last = range.end.checked_sub(1)?;
    let (verb, end) = match words.after(range.start, &BEGINNINGS) {
        Some(verb) => (verb, range.end),
        None => {
            let end = range.end - usize::from(words.get(last) == "already");
            let verb = words.skip(range.start, phrases!["i have", "ive", "i"]);
            (verb, end)
        }
    };
    let is_sure = end < range.end || words.after(range.start, &BEGINNINGS).is_some();
    let is_long = range.len() > UNSURE_WORDS_MAX && !is_sure;
    if words.is_question() || verb >= end || is_long {
        return None;
    }
    let verbs = verbs::bases(words.get(verb));
    let from = words.skip(verb + 1, phrases!["the", "my", "our", "to"]);
    let is_pronoun = from + 1 == end
        && matches!(
            words.get(from),
            "it" | "her" | "him" | "them" | "that" | "this" | "one"
        );
    let about = match is_pronoun && !is_sure {
        true => String::new(),
        false => subject(words.original(from..end.max(from))),
    };
    let is_named = is_pronoun || !about.is_empty();
    (!verbs.is_empty() && is_named).then_some(FollowUp::DoneAlready(DoneReport {
        verbs,
        about,
        is_sure,
    }))
}

/// "luigi is cancelled", "dentist got called off tomorrow".
fn called_off(words: &Words, range: Range<usize>) -> Option<String> {
    const NAME_WORDS_MAX: usize = 5;
    static SAID: Phrases = Phrases::new(&[
        "is cancelled", "is canceled", "was cancelled", "was canceled", "got cancelled",
        "got canceled", "has been cancelled", "has been canceled", "is off", "got called off",
        "was called off", "is called off", "isnt happening", "is not happening", "fell through",
        "wont happen",
    ]);
    let start = words.skip(
        range.start,
        phrases!["and also", "and", "also", "so", "but", "btw"],
    );
    let range = start..range.end;
    // "friday got cancelled": what of it?
    if when::day_at(words, start).is_some_and(|(_, end)| words.after(end, &SAID).is_some()) {
        return None;
    }
    let found = (range.start + 1..range.end.min(range.start + 1 + NAME_WORDS_MAX))
        .find_map(|at| Some((at, words.after(at, &SAID)?)));
    let (verb, _) = found.filter(|(_, end)| *end == range.end)?;
    about(words, range.start..verb)
}

/// "luigi on friday": the name, and its day.
pub fn name_and_day(text: &str) -> (String, String) {
    let words = Words::new(text);
    let names_day =
        |at: &usize| when::read(&words, *at).is_some_and(|(spec, _)| spec.day.is_some());
    match (1..words.len()).find(names_day) {
        Some(at) => {
            let (name, day) = (words.original(0..at), words.original(at..words.len()));
            (subject(name), day.trim().to_owned())
        }
        None => (text.to_owned(), String::new()),
    }
}

/// "gym 1 hour", "the gym reminder until 5", "gym".
fn snoozed(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let named = |end: usize| {
        let is_reminder = words.get(end - 1) == "reminder" && end > range.start + 1;
        about(words, range.start..end - usize::from(is_reminder))
    };
    let timed = range.clone().skip(1).find_map(|at| {
        let link = words.after(at, phrases!["for", "until", "till", "til", "to", "by"]);
        let rest = link.unwrap_or(at)..range.end;
        let delay = when::read_duration(words, rest.start).filter(|(_, end)| *end == range.end);
        let delay = delay.map(|(spec, _)| TimeChange(NewTimeText::At(spec)));
        // "gym 10"
        let minutes = || {
            let minutes: i64 = words.get(at).parse().ok()?;
            let is_count = at + 1 == range.end && (1..=MINUTES_MAX).contains(&minutes);
            is_count.then(|| TimeChange::minutes(minutes))
        };
        Some((
            at,
            delay.or_else(minutes).or_else(|| time_alone(words, rest))?,
        ))
    });
    let (end, time) = match timed {
        Some((end, time)) => (end, Some(time)),
        None => (range.end, None),
    };
    let is_short = range.len() <= SNOOZED_WORDS_MAX && end > range.start;
    let about = is_short.then(|| named(end)).flatten()?;
    Some(FollowUp::SnoozeAbout { about, time })
}

/// "gym to after dinner": its new time is not understood.
fn named_unclear(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let mut links = range.clone().skip(1);
    let link = links.find(|at| matches!(words.get(*at), "to" | "till" | "until" | "into"))?;
    let which = ReminderRef::About(about(words, range.start..link)?);
    mentions_time(words, link + 1..range.end).then_some(FollowUp::ChangeUnclear(which))
}

/// "cancel gym" of "run, cancel gym", "move dentist to 4pm" of "eat and move dentist to 4pm":
/// what may be another request, and the reminder that it names.
pub fn second_request(text: &str) -> Option<(String, String)> {
    let words = Words::new(text);
    // "move dentist to", whose time was read as that of a reminder
    let last = words.len().saturating_sub(1);
    let is_cut = last > 1 && matches!(words.get(last), "to" | "till" | "until");
    if is_cut
        && matches!(
            words.get(0),
            "move" | "change" | "push" | "reschedule" | "postpone"
        )
    {
        return Some((text.to_owned(), about(&words, 1..last)?));
    }
    let begins = |at: &usize| {
        let is_linked = matches!(words.get(*at - 1), "and" | "also" | "then" | "&" | "please");
        is_linked || words.is_set_off(*at - 1)
    };
    (1..words.len()).filter(begins).find_map(|at| {
        let second = words.original(at..words.len()).trim().to_owned();
        match read_named(&Words::new(&second))? {
            FollowUp::Cancel(ReminderRef::About(about))
            | FollowUp::ChangeUnclear(ReminderRef::About(about))
            | FollowUp::Change {
                which: ReminderRef::About(about),
                ..
            } => Some((second, about)),
            _ => None,
        }
    })
}
