//! Parses requests to cancel reminders, and messages that name a reminder by its words.

use std::ops::Range;

use super::change::numbers;
use super::new_time::read_new_time;
use super::{FollowUp, ReminderRef};
use crate::assistant::builtin::subject;
use crate::assistant::builtin::words::Words;

/// "cancel that", "cancel 2".
pub(super) fn cancel(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let phrase = words.phrase(range.clone());
    if [
        "it", "that", "this", "that one", "this one", "the last one", "that reminder",
        "this reminder", "the last reminder", "my last reminder", "the reminder",
    ]
    .contains(&phrase.as_str())
    {
        return Some(FollowUp::Cancel(ReminderRef::Latest));
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
    // "cancel the lunch one"
    let from = words
        .after(range.start, &["the", "my"])
        .unwrap_or(range.start);
    let is_one = words.get(range.end - 1) == "one" && words.get(range.start) != "all";
    if range.len() > 1 && is_one && from + 1 < range.end {
        let about = subject(words.original(from..range.end - 1));
        return Some(FollowUp::Cancel(ReminderRef::About(about)));
    }
    let but = [
        "all but", "all except", "everything but", "everything except", "all of them but",
        "all of them except",
    ];
    let reminders_but = [
        "all reminders but", "all reminders except", "all my reminders but",
        "all my reminders except", "all the reminders but", "all the reminders except",
    ];
    let named = words.after(range.start, &but);
    if let Some(from) = named.or_else(|| words.after(range.start, &reminders_but)) {
        let kept = match numbers(words, from).filter(|(_, end)| *end == range.end) {
            Some((numbers, _)) => ReminderRef::Numbered(numbers),
            None => ReminderRef::About(about(words, named?..range.end)?),
        };
        return Some(FollowUp::CancelAllBut(kept));
    }
    None
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
        &["turn it off", "turn that off", "switch it off"],
    ) == Some(range.end)
    {
        return Some(FollowUp::Cancel(ReminderRef::Latest));
    }
    let from = words.after(range.start, &["turn off", "switch off"])?;
    let last = words.get(range.end.checked_sub(1)?);
    if !matches!(last, "reminder" | "alarm" | "timer") {
        return cancel(words, from..range.end);
    }
    let about = about(words, from..range.end - 1)?;
    Some(FollowUp::Cancel(ReminderRef::About(about)))
}

/// What a reminder is about: "the pills".
fn about(words: &Words, range: Range<usize>) -> Option<String> {
    let from = words.after(range.start, &["the", "my", "that", "for"]);
    let about = subject(words.original(from.unwrap_or(range.start)..range.end));
    (!about.is_empty()).then_some(about)
}

/// "cancel the pills", "move call mom to 10": where nothing else is meant, these may be the words of
/// a reminder.
pub(in crate::assistant) fn read_named(words: &Words) -> Option<FollowUp> {
    const WORDS_MAX: usize = 20;
    let start = words.after(0, &["please", "pls"]).unwrap_or(0);
    let end = words.len();
    let is_polite = end > start && matches!(words.get(end - 1), "please" | "pls");
    let range = start + 1..end - usize::from(is_polite);
    if range.len() > WORDS_MAX {
        return None;
    }
    match words.get(start) {
        "cancel" | "delete" | "remove" | "stop" => {
            Some(FollowUp::Cancel(ReminderRef::About(about(words, range)?)))
        }
        "move" | "change" | "push" | "shift" | "reschedule" | "postpone" | "delay" | "bring" => {
            let (at, to) = range.clone().skip(1).find_map(|at| {
                let last = words.get(range.end - 1);
                let is_link = matches!(
                    words.get(at),
                    "to" | "till" | "until" | "by" | "for" | "back" | "forward"
                ) || matches!(last, "earlier" | "later" | "sooner");
                let to = is_link.then(|| read_new_time(words, at..range.end));
                Some((at, to??))
            })?;
            let which = ReminderRef::About(about(words, range.start..at)?);
            Some(FollowUp::Change { which, to })
        }
        _ => None,
    }
}
