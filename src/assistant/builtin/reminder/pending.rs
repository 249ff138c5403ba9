//! Listing and cancelling open reminders. It sets none.

use super::parts::{WORDS_MAX, after_link};
use crate::assistant::builtin::when::{self, Spec, trailing_time};
use crate::assistant::builtin::{Intent, Talk, subject, wording};

pub(super) fn lists(request: &str) -> bool {
    matches!(
        request,
        "reminders"
            | "next reminder"
            | "my next reminder"
            | "whats my next reminder"
            | "what is my next reminder"
            | "when is my next reminder"
            | "whens my next reminder"
            | "my reminders"
            | "all reminders"
            | "all my reminders"
            | "upcoming reminders"
            | "pending reminders"
            | "list reminders"
            | "list my reminders"
            | "list all reminders"
            | "list all my reminders"
            | "show reminders"
            | "show my reminders"
            | "show me my reminders"
            | "show all reminders"
            | "show all my reminders"
            | "show me all my reminders"
            | "see my reminders"
            | "what reminders do i have"
            | "what reminders have i set"
            | "which reminders do i have"
            | "what are my reminders"
            | "whats on my reminders"
            | "do i have reminders"
            | "do i have any reminders"
            | "what reminders are set"
            | "what reminders are there"
            | "how many reminders do i have"
            | "what will you remind me of"
            | "what will you remind me about"
    )
}

/// "cancel my reminder to …", "cancel all reminders", "cancel the dentist reminder".
pub(super) fn cancel(talk: &Talk) -> Option<Intent> {
    let words = &talk.words;
    if let Some(about) = words.after(talk.start, &["dont remind me", "stop reminding me"]) {
        return Some(cancelled(
            talk,
            after_link(words, about),
            words.len(),
            false,
        ));
    }
    if matches!(words.get(talk.start), "dont") {
        return None;
    }
    let at = talk.start + 1;
    let whole =
        words.len() == at + 1 && matches!(words.get(at), "it" | "that" | "this" | "everything");
    if words.get(talk.start) == "cancel" && talk.spoken_to && (words.len() == at || whole) {
        return Some(Intent::Unclear(wording::which_reminder()));
    }
    let all = words.after(
        at,
        &[
            "all of my",
            "all of the",
            "all my",
            "all the",
            "all",
            "every",
        ],
    );
    let at = all
        .or_else(|| words.after(at, &["my", "the", "that", "this", "a"]))
        .unwrap_or(at);
    let found = (at..words.len().min(at + 8))
        .find(|n| matches!(words.get(*n), "reminder" | "reminders"))?;
    if found > at {
        // "cancel the dentist reminder": the words before "reminder" are the subject.
        let about = subject(words.original(at..found));
        return (found + 1 == words.len()).then_some(Intent::CancelReminders {
            about: Some(about),
            on: None,
        });
    }
    let several = all.is_some() || words.get(found) == "reminders";
    Some(cancelled(
        talk,
        after_link(words, found + 1),
        words.len(),
        several,
    ))
}

fn cancelled(talk: &Talk, from: usize, end: usize, several: bool) -> Intent {
    let mut end = end;
    while end > from
        && matches!(
            talk.words.get(end - 1),
            "please" | "pls" | "thanks" | "now" | "anymore"
        )
    {
        end -= 1;
    }
    // "cancel all reminders for tomorrow": those of one day.
    if let Some((spec, _)) = when::read(&talk.words, from).filter(|(_, next)| *next == end)
        && let Some(day) = spec.day
    {
        let day = Spec {
            day: Some(day),
            ..Spec::default()
        };
        return match when::day_of(&day, talk.context.now, talk.zone()) {
            Some(on) => Intent::CancelReminders {
                about: None,
                on: Some(on),
            },
            None => Intent::Unclear(wording::reminder_no_such_time()),
        };
    }
    // A time isn't part of a reminder's text: "… to call mom tomorrow".
    if end - from <= WORDS_MAX
        && let Some((_, at)) = trailing_time(&talk.words, from..end).filter(|(_, at)| *at > from)
    {
        end = at;
    }
    let about = subject(talk.words.original(from..end));
    match (about.is_empty(), several) {
        (false, _) => Intent::CancelReminders {
            about: Some(about),
            on: None,
        },
        (true, true) => Intent::CancelReminders {
            about: None,
            on: None,
        },
        (true, false) => Intent::Unclear(wording::which_reminder()),
    }
}
