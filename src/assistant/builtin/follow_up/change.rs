//! Parses requests to change a reminder's time, and corrections of what was just said
//! ("no, saturday").

use std::ops::{Range, RangeInclusive};

use super::new_time::{
    hours, is_of_time, mentions_time, minutes_alone, number_alone, read_new_time, time_alone,
};
use super::{FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::builtin::reminder::before::other_offset;
use crate::assistant::builtin::reminder::repeats::{self, Repeat};
use crate::assistant::builtin::{reminder, subject};
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Limit of numbers in one message.
const NUMBERS_MAX: usize = 20;
/// Lists are not longer than this.
const NUMBER_MAX: usize = 200;

/// The first word after those that correct something that was just said. "make it 6" is no such
/// mark: `change` reads it.
pub(super) fn after_correction(words: &Words, at: usize) -> Option<usize> {
    let mark = corrections::after_mark(words, at).filter(|_| words.get(at) != "make");
    mark.map(|(end, _)| end)
}

/// "no, saturday", "actually make it 11", "sorry, at 5": a correction of the last one.
pub(super) fn corrected(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    // "make it the day before"
    let is_before = words.get(range.end.saturating_sub(1)) == "before";
    // "not the day before" says no other time.
    if is_before && words.get(range.start) == "not" {
        return None;
    }
    if is_before && other_offset(words, range.start).is_some() {
        return Some(FollowUp::ChangeBefore);
    }
    let from = after_correction(words, range.start);
    let last = corrections::last_mark(words, from.unwrap_or(range.start)..range.end);
    if from.is_none() && last.is_none() {
        return None;
    }
    let from = from.unwrap_or(range.start);
    let range = range.start..last.unwrap_or(range.end);
    if let Some(found) = words.after(from, phrases!["make", "change", "move"]) {
        return change(words, found - 1..range.end);
    }
    let from = corrections::skip_links(words, from);
    if let Some(found) = limited(words, from..range.end) {
        return Some(found);
    }
    let number = number_alone(words, from..range.end);
    let to = number.or_else(|| time_alone(words, from..range.end))?;
    // "wait 5 min" asks for patience.
    if words.get(from.saturating_sub(1)) == "wait" && to.delay_s().is_some() {
        return None;
    }
    let which = ReminderRef::Latest;
    Some(FollowUp::Change { which, to })
}

/// "at 7 not 6", "not 6 but 7": one time for another.
pub(super) fn other_time(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let not = range.clone().find(|at| words.get(*at) == "not")?;
    let (old, new) = match not == range.start {
        true => {
            let but = (not + 1..range.end).find(|at| words.get(*at) == "but");
            let apart = || (not + 1..range.end).find(|at| words.is_set_off(*at));
            let end = but.or_else(|| apart().map(|at| at + 1))?;
            (not + 1..end, end + usize::from(but.is_some())..range.end)
        }
        false => (not + 1..range.end, range.start..not),
    };
    time_alone(words, old)?;
    let to = time_alone(words, new)?;
    let which = ReminderRef::Latest;
    Some(FollowUp::Change { which, to })
}

/// "only on weekdays", "just mondays", "not on sundays".
pub(super) fn limited(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    // "just" may have been read as a courtesy.
    let start =
        (0..=range.start).find(|at| matches!(words.get(*at), "only" | "just" | "not" | "except"));
    let start = start.unwrap_or(range.start);
    let only = words.after(start, phrases!["only on", "only", "just on", "just"]);
    let not = words.after(start, phrases!["not on", "except on", "except"]);
    let from = only.or(not)?;
    let from = words.skip(from, phrases!["the"]);
    let which = ReminderRef::Latest;
    let Some((days, _)) = repeats::weekdays(words, from).filter(|(_, end)| *end == range.end)
    else {
        // "only every other day"
        let often = only.and_then(|_| time_alone(words, from..range.end));
        let to = often.filter(TimeChange::is_repeat)?;
        return Some(FollowUp::Change { which, to });
    };
    let to = TimeChange(match only {
        Some(_) => NewTimeText::OnlyOn(Box::new(Repeat::on_weekdays(days.clone())), days),
        None => NewTimeText::NotOn(days),
    });
    Some(FollowUp::Change { which, to })
}

/// Words of one thing and of the one that takes its place.
const REWORDED_WORDS_MAX: usize = 4;

/// "wait, dad not mom", "not mom, dad", "change mom to dad".
pub(super) fn reworded(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let reword = |old: Range<usize>, new: Range<usize>| {
        let is_short = |part: &Range<usize>| (1..=REWORDED_WORDS_MAX).contains(&part.len());
        let is_other = |part: &Range<usize>| {
            let is_talk = matches!(
                words.get(part.start),
                "thanks" | "thank" | "now" | "yet" | "sure"
            );
            is_talk
                || time_alone(words, part.clone()).is_some()
                || when::read(words, part.start).is_some()
        };
        // "not ben, i meant ann"
        let new = corrections::skip_mark(words, new.start)..new.end;
        let is_new_time = is_other(&new) || mentions_time(words, new.clone());
        let fits = is_short(&old) && is_short(&new) && !is_other(&old) && !is_new_time;
        let [old, new] = [old, new].map(|part| subject(words.original(part)));
        (fits && !old.is_empty() && !new.is_empty()).then_some(FollowUp::Reword { old, new })
    };
    let linked = |from: usize, links: &[&str]| {
        let link = (from + 1..range.end).find(|at| words.after(*at, links).is_some())?;
        Some((link, words.after(link, links)?))
    };
    if let Some(from) = words.after(range.start, phrases!["replace", "swap"]) {
        let (link, next) = linked(from, &["with", "by", "for"])?;
        return reword(from..link, next..range.end);
    }
    if let Some(from) = words.after(range.start, phrases!["change"]) {
        let (link, next) = linked(from, &["to", "into"])?;
        let is_named = from..link;
        let is_reminder = is_named.clone().any(|at| {
            matches!(
                words.get(at),
                "it" | "that" | "this" | "reminder" | "text" | "the" | "my"
            )
        });
        return (!is_reminder)
            .then(|| reword(is_named, next..range.end))
            .flatten();
    }
    let mark = corrections::after_mark(words, range.start);
    let mark = mark.filter(|(_, strength)| *strength > MarkStrength::BeforeTime);
    let mark = mark.map(|(end, _)| end);
    let from = mark.unwrap_or(range.start);
    let said = words.after(from, phrases!["i said"]);
    let (mark, from) = (said.or(mark), said.unwrap_or(from));
    if let Some(old) = words.after(from, phrases!["not"]) {
        let but = linked(old, &["but"]);
        let set_off = || {
            (old..range.end)
                .find(|at| words.is_set_off(*at))
                .map(|at| (at + 1, at + 1))
        };
        let (end, new) = but.or_else(set_off)?;
        return reword(old..end, new..range.end);
    }
    let (not, old) = linked(mark?, &["not"])?;
    reword(old..range.end, from..not)
}

/// "change the text to buy milk", "change it to buy milk", "rename my swim reminder to run".
pub(super) fn rename(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let verb = words.get(range.start);
    let at = range.start + 1;
    let is_text = words.after(
        at,
        phrases!["the text", "its text", "the name", "the wording"],
    );
    let may_be_text =
        is_text.is_some() || matches!(verb, "change" | "rename" | "reword" | "correct");
    let to = (at..range.end).find(|at| matches!(words.get(*at), "to" | "into"))?;
    let text = to + 1..range.end;
    let is_time = || is_text.is_none() && begins_with_time(words, to + 1);
    if !may_be_text || text.is_empty() || is_time() {
        return None;
    }
    let named = match is_text {
        Some(of) => words.skip(of, phrases!["of"]),
        None => at,
    };
    let which = match words.phrase(named..to).as_str() {
        "" if is_text.is_some() => ReminderRef::Latest,
        "it" | "that" | "this" | "that one" | "the reminder" | "my reminder" | "that reminder" => {
            ReminderRef::Latest
        }
        _ if numbers(words, named).is_some_and(|(_, end)| end == to) => {
            ReminderRef::Numbered(numbers(words, named)?.0)
        }
        phrase if phrase.ends_with(" reminder") => {
            let from = words.skip_article(named);
            ReminderRef::About(subject(words.original(from..to - 1)))
        }
        _ => return None,
    };
    let text = reminder::text_alone(words, text)?;
    Some(FollowUp::Rename { which, text })
}

/// The reminder that was named or delivered last.
const LATEST: [&str; 12] = [
    "that one", "this one", "it", "that", "this", "the last one", "the reminder", "my reminder",
    "that reminder", "this reminder", "the last reminder", "the time",
];

/// "make it 10", "move it to friday", "postpone 2 by an hour", "change my reminder to call mom to
/// 10".
pub(super) fn change(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let at = range.start + 1;
    let verb = words.get(range.start);
    // The longest phrase wins.
    let referred = LATEST
        .iter()
        .filter_map(|phrase| words.after(at, &[*phrase]))
        .max();
    if let Some(found) = referred.and_then(|from| limited(words, from..range.end)) {
        return Some(found);
    }
    let time = |from| {
        minutes_alone(words, from..range.end, verb)
            .or_else(|| number_alone(words, from..range.end))
            .or_else(|| read_new_time(words, from..range.end))
            .or_else(|| hours(words, from..range.end))
    };
    if let Some(from) = referred.filter(|from| links(words, *from, verb))
        && let Some(to) = time(from)
    {
        let is_last = words.get(at + 1) == "last";
        let which = match is_last {
            true => ReminderRef::Last,
            false => ReminderRef::Latest,
        };
        return Some(FollowUp::Change { which, to });
    }
    if words.get(range.end) == "instead"
        && let Some(found) = referred.and_then(|from| replaced(words, from..range.end))
    {
        return Some(found);
    }
    let both = words.after(
        at,
        phrases!["both of them", "both", "them both", "all of them", "them"],
    );
    if let Some(from) = both
        && let Some(to) = time(from)
    {
        let count = (at..from).any(|at| words.get(at) == "both").then_some(2);
        let which = ReminderRef::Together(count);
        return Some(FollowUp::Change { which, to });
    }
    let Some((numbers, from)) = numbers(words, at) else {
        // "set a reminder to …" sets a new one.
        let may_name = !matches!(verb, "set" | "put" | "bring");
        return may_name
            .then(|| change_about(words, at..range.end))
            .flatten();
    };
    let to = read_new_time(words, from..range.end)?;
    Some(FollowUp::Change {
        which: ReminderRef::Numbered(numbers),
        to,
    })
}

/// "7 and milk", "7 or 8", "friday with bo": unlike "3 eggs".
fn begins_with_time(words: &Words, at: usize) -> bool {
    let hour = || {
        let (_, end) = when::read_hour_alone(words, at)?;
        let is_link = matches!(
            words.get(end),
            "" | "and" | "or" | "&" | "then" | "but" | "if" | "on" | "in" | "for" | "except"
        );
        (is_link || words.is_set_off(end - 1)).then_some(())
    };
    is_of_time(words.get(at)) || when::read(words, at).is_some() || hour().is_some()
}

/// "make it 7 or 8", "change it to 7 and buy milk": not all of it is a time.
pub(super) fn change_unclear(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(range.start + 1, &LATEST)?;
    let is_verb = matches!(
        words.get(range.start),
        "make" | "change" | "move" | "push" | "shift" | "reschedule" | "postpone" | "delay" | "set"
    );
    let from = words.skip(from, phrases!["to", "till", "until", "for", "at", "on"]);
    let unclear = FollowUp::ChangeUnclear(ReminderRef::Latest);
    (is_verb && begins_with_time(words, from)).then_some(unclear)
}

/// "7 and call dad" of "make it 7 and call dad instead".
fn replaced(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let and = range.clone().find(|at| words.get(*at) == "and")?;
    let to = read_new_time(words, range.start..and)?;
    let from = words.skip(and + 1, phrases!["to"]);
    let text = reminder::text_alone(words, from..range.end)?;
    Some(FollowUp::Replace { to, text })
}

/// Words that begin another time for an alarm.
static ALARMS: Phrases = Phrases::new(&[
    "set an alarm for", "set the alarm for", "set my alarm for", "alarm for", "alarm at", "alarm",
]);

/// "remind me at 6 instead", "call eve at 8pm instead": another time, another text, or both.
pub(super) fn in_place(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let marked = after_correction(words, range.start);
    let start = marked.unwrap_or(range.start);
    let which = ReminderRef::Latest;
    if let Some(to) = time_alone(words, start..range.end) {
        return Some(FollowUp::Change { which, to });
    }
    // "alarm 6:30 tomorrow instead"
    let alarm = words.after(start, &ALARMS);
    if let Some(to) = alarm.and_then(|from| time_alone(words, from..range.end)) {
        let which = ReminderRef::About("alarm".to_owned());
        return Some(FollowUp::Change { which, to });
    }
    let asked = words.after(start, phrases!["remind me", "remind us"]);
    let is_task = || reminder::is_task_word(words.get(start));
    let from = asked.or_else(|| is_task().then_some(start))?;
    let is_meant = marked.or(asked).is_some();
    // "cancel the vet reminder and remind me on friday instead"
    let is_request = |word: &str| {
        matches!(
            word,
            "remind" | "reminder" | "reminders" | "cancel" | "delete" | "move" | "change" | "skip"
        )
    };
    if (from..range.end).any(|at| is_request(words.get(at))) {
        return None;
    }
    let parts = reminder::split_words(words, from..range.end, false);
    let text = Words::new(&parts.text);
    // "of it in january": what is more than a pronoun there is no text.
    let named = text.skip(0, phrases!["of", "about"]);
    if asked.is_some()
        && matches!(text.get(named), "it" | "that" | "this")
        && text.len() > named + 1
    {
        return Some(FollowUp::ChangeUnclear(which));
    }
    let text = reminder::text_alone(&text, 0..text.len());
    let to = parts.spec.map(|spec| TimeChange(NewTimeText::At(spec)));
    match (to, text) {
        (Some(to), None) if parts.text.is_empty() => Some(FollowUp::Change { which, to }),
        (to, Some(text)) if to.is_some() || is_meant => Some(FollowUp::Instead { to, text }),
        _ => None,
    }
}

/// Whether a time may follow: it may after "make it", but "set the reminder to call mom" names a
/// reminder.
fn links(words: &Words, at: usize, verb: &str) -> bool {
    verb == "make"
        || phrases![
            "to", "till", "until", "for", "by", "at", "on", "back", "up", "forward", "in", "an"
        ]
        .contains(words.get(at))
        || when::read(words, at).is_some()
        || words.get(at).starts_with(|c: char| c.is_ascii_digit())
}

/// "move the dentist reminder to friday".
fn change_about(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let is_reminder = |at: &usize| matches!(words.get(*at), "reminder" | "alarm" | "timer" | "one");
    let named = range.clone().find(is_reminder)?;
    // "make the plumber one 10", unlike "make a reminder to call mom at 10"
    let is_known = words.get(named) == "one" || matches!(words.get(range.start), "my" | "the");
    let is_made = words.get(range.start - 1) == "make" && is_known;
    let link = |at: &usize| {
        matches!(
            words.get(*at),
            "to" | "till" | "until" | "for" | "by" | "at"
        )
    };
    if words.get(range.start - 1) == "make" && !is_made {
        return None;
    }
    let (about_end, to) = (named + 1..range.end)
        .filter(|at| link(at) || is_made && *at == named + 1)
        .find_map(|at| Some((at, read_new_time(words, at..range.end)?)))?;
    let before = words.skip(range.start, phrases!["my", "the", "that"]);
    let after = words.skip(named + 1, phrases!["to", "about", "of", "for"]);
    let about = match about_end > after {
        true => words.original(after..about_end),
        false => words.original(before..named),
    };
    let about = subject(about);
    let which = match (about.as_str(), words.get(named)) {
        ("", "alarm" | "timer") => ReminderRef::About(words.get(named).to_owned()),
        ("", _) => ReminderRef::Latest,
        ("next", _) => ReminderRef::Next,
        _ => ReminderRef::About(about),
    };
    Some(FollowUp::Change { which, to })
}

/// "2", "1 and 3", "number 2", "#2", "the first one".
pub(super) fn numbers(words: &Words, at: usize) -> Option<(Vec<usize>, usize)> {
    if let Some(found) = ordinal(words, at) {
        return Some(found);
    }
    let mut end = words.skip(
        at,
        phrases![
            "reminder number", "reminders", "reminder", "number", "numbers", "nr", "no",
        ],
    );
    let mut found = Vec::new();
    while found.len() < NUMBERS_MAX {
        let next = match found.is_empty() {
            true => end,
            false => words.skip(end, phrases!["and", "&"]),
        };
        let word = words.get(next).trim_start_matches('#');
        // "1,3", "2-4"
        let spans = word.split([',', '/']);
        let spans = spans.map(|part| part.split_once(['-', '–']).unwrap_or((part, part)));
        let numbers: Option<Vec<_>> = spans.map(|(a, b)| number_span(a, b)).collect();
        let Some(numbers) = numbers else {
            break;
        };
        found.extend(numbers.into_iter().flatten());
        end = next + 1;
    }
    found.dedup();
    (!found.is_empty() && found.len() <= NUMBERS_MAX).then_some((found, end))
}

/// "2" to "4".
pub(super) fn number_span(first: &str, last: &str) -> Option<RangeInclusive<usize>> {
    let number = |word: &str| word.parse().ok().filter(|n| (1..=NUMBER_MAX).contains(n));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(first..=last)
}

/// "the first one", "second reminder", "the third" at the end.
fn ordinal(words: &Words, at: usize) -> Option<(Vec<usize>, usize)> {
    let from = words.skip(at, phrases!["the"]);
    let number = when::ordinal(words.get(from)).filter(|n| (1..=10).contains(n))?;
    let noun = words.after(from + 1, phrases!["one", "reminder"]);
    // "cancel the second", "move the second to 7"
    let is_alone = from + 1 == words.len()
        || matches!(words.get(from + 1), "to" | "till" | "until" | "by" | "and");
    let end = noun.or((from > at && is_alone).then_some(from + 1))?;
    Some((vec![number as usize], end))
}
