//! Something to do and its time, with a reminder before it in one sentence: "dentist tomorrow at 3,
//! remind me half an hour before".

use std::ops::Range;

use super::super::{Intent, MessageContext, ParsedMessage};
use super::{REMINDER_CHARS_MAX, before, spoken_of, when, wording};
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::plan::Plan;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// `late`: where "remind me" begins; `body`: after it. `None`: something else is asked for.
pub(super) fn read(message: &ParsedMessage, late: usize, body: usize) -> Option<Intent> {
    let words = &message.words;
    let request = before::read(message, body..words.len())?;
    let own_text = request.text_without_event()?;
    let end = late - usize::from(matches!(words.get(late - 1), "and" | "so" | "please"));
    let told = without_verb(words, message.start..end);
    let context = MessageContext {
        text: &told,
        group: false, // the name is in the whole message
        ..*message.context
    };
    let told = read_message(&context);
    let names_hour = |at| when::read(&told.words, at).is_some_and(|(spec, _)| !spec.lacks_hour());
    let Some(Intent::Remind {
        text,
        send_at,
        recurrence: None,
        zone: None,
    }) = spoken_of(&told)
    else {
        return None;
    };
    if !(0..told.words.len()).any(names_hour) {
        return None;
    }
    let zone = message.zone();
    let event = Plan::at(&text, send_at, zone);
    let Ok(at) = request.moment(&event, zone, message.context.now) else {
        return Some(Intent::unclear(wording::REMINDER_PAST));
    };
    let local = send_at.utc().with_timezone(&zone);
    let is_same_day = local.date_naive() == at.utc().with_timezone(&zone).date_naive();
    let when = match is_same_day {
        true => local.format("at %H:%M"),
        false => local.format("on %A, %-d %B at %H:%M"),
    };
    let text = match own_text {
        "" => format!("{text} {when}"),
        own => format!("{own} ({text} {when})"),
    };
    if text.chars().count() > REMINDER_CHARS_MAX {
        return Some(Intent::Unclear(wording::reminder_too_long(
            REMINDER_CHARS_MAX,
        )));
    }
    Some(Intent::Remind {
        text,
        send_at: at,
        zone: None,
        recurrence: None,
    })
}

/// "train at 17:40" of "my train leaves at 17:40".
fn without_verb(words: &Words, range: Range<usize>) -> String {
    static VERBS: Phrases = Phrases::new(&[
        "is", "leaves", "departs", "goes", "starts", "begins", "arrives", "lands", "opens",
        "closes",
    ]);
    let begin = words.skip(range.start, phrases!["my", "our", "the"]);
    let verb = (begin + 1..range.end).find_map(|at| {
        let next = words.after(at, &VERBS)?;
        when::read(words, next).map(|_| (at, next))
    });
    match verb {
        Some((at, next)) if next < range.end => {
            format!(
                "{} {}",
                words.original(begin..at),
                words.original(next..range.end)
            )
        }
        _ => words.original(range).to_owned(),
    }
}
