//! Parses requests to leave out a time of a repeating reminder: "skip tomorrow", "skip my run
//! reminder on friday".

use std::ops::Range;

use super::{FollowUp, ReminderRef};
use crate::assistant::builtin::{ParsedMessage, subject, when};

/// The words after "skip".
pub(super) fn skip(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    let words = &message.words;
    let next = [
        "the next one",
        "the next time",
        "next one",
        "next time",
        "this time",
        "this one",
        "the next",
        "next",
        "once",
    ];
    let (about_end, day) = (range.start..range.end).find_map(|at| {
        if words.after(at, &next) == Some(range.end) {
            return Some((at, None));
        }
        let from = words.after(at, &["on", "for"]).unwrap_or(at);
        let (day, end) = when::day_at(words, from)?;
        let spec = when::Spec {
            day: Some(day),
            ..when::Spec::default()
        };
        let span = when::day_of(&spec, message.context.now, message.zone())?;
        (end == range.end).then_some((at, Some(span)))
    })?;
    let about = range.start..about_end;
    let which = match words.phrase(about.clone()).as_str() {
        "" | "it" | "that" | "this" | "the reminder" | "my reminder" => ReminderRef::Latest,
        _ => {
            let from = words
                .after(about.start, &["my", "the"])
                .unwrap_or(about.start);
            let about = subject(words.original(from..about.end));
            let bare = about.strip_suffix("reminder").unwrap_or(&about).trim();
            ReminderRef::About(bare.to_owned())
        }
    };
    Some(FollowUp::Skip { which, day })
}
