//! Parses short messages that refer to something, and tells them from independent ones.

use std::ops::Range;

use super::cancel::{cancel, switched_off};
use super::change::{
    after_correction, change, change_unclear, corrected, in_place, limited, numbers, other_time,
    rename, reworded,
};
use super::fixed::fixed;
use super::limits::from_or_until;
use super::new_time::{begins_time, read_new_time, time_alone};
use super::next_dates::next_dates;
use super::revised_time::revised_time;
use super::skip::{pause, skip, skip_last, switched_off_on_day};
use super::snooze::{more_minutes, snooze};
use super::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::builtin::reminder::{before, repeats};
use crate::assistant::builtin::{ParsedMessage, subject};
use crate::assistant::text::corrections;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// A longer message is independent.
const WORDS_MAX: usize = 24;
/// `None` for an independent message.
pub(in crate::assistant) fn read(message: &ParsedMessage) -> Option<FollowUp> {
    let words = &message.words;
    if !message.is_addressed || words.len() > WORDS_MAX {
        return None;
    }
    let end = without_thanks(words);
    let at = message.start.min(end);
    let found = fixed(message.request())
        .or_else(|| other_time(words, at..end))
        .or_else(|| skip_last(message, at..end))
        .or_else(|| limited(words, at..end))
        .or_else(|| from_or_until(words, at..end))
        .or_else(|| one_before(words, at..end))
        .or_else(|| corrected(words, at..end))
        .or_else(|| taken_back(words, at..end))
        .or_else(|| {
            may_reword(words, at)
                .then(|| reworded(words, at..end))
                .flatten()
        });
    let found = found.or_else(|| match words.get(at) {
        "snooze" => snooze(words, at + 1..end),
        "remind" => again(words, at..end),
        "make" | "change" | "move" | "push" | "shift" | "reschedule" | "postpone" | "delay"
        | "set" | "put" | "bring" => change(words, at..end)
            .or_else(|| rename(words, at..end))
            .or_else(|| change_unclear(words, at..end)),
        "rename" | "reword" | "correct" => rename(words, at..end),
        "cancel" | "delete" | "remove" | "stop" => cancel(words, at + 1..end),
        "take" if words.after(at, phrases!["take it off", "take that off"]) == Some(end) => {
            Some(FollowUp::Cancel(ReminderRef::Latest))
        }
        "turn" | "switch" => {
            switched_off_on_day(message, at..end).or_else(|| switched_off(words, at..end))
        }
        "skip" => skip(message, at + 1..end),
        "pause" => pause(message, at + 1..end),
        "done" | "finished" => done(words, at..end),
        "same" | "the" | "again" => once_more(words, at..end),
        "when" | "whens" | "next" | "show" | "what" | "whats" => next_dates(words, at..end),
        _ => None,
    });
    let told = || {
        let told = revised_time(words, at)?;
        let to = time_alone(words, told.from..end)?;
        let is_moved = told.is_moved;
        Some(FollowUp::RevisedTime { to, is_moved })
    };
    let found = found
        .or_else(told)
        .or_else(|| moved_about(words, at..end))
        .or_else(|| more_minutes(words, words.skip(at, phrases!["give me", "i need"])..end))
        .or_else(|| earlier(words, at..end))
        .or_else(|| also(words, at..end));
    let found = found.or_else(|| {
        let is_instead = words.get(end) == "instead";
        is_instead.then(|| in_place(words, at..end)).flatten()
    });
    match found {
        // "make it 7 too" is one more.
        Some(FollowUp::Change {
            which: ReminderRef::Latest,
            to,
        }) if words.get(end) == "too" && !to.is_repeat() && !to.is_shift() => {
            Some(FollowUp::Again(to))
        }
        None => time_only(message, at..end),
        found => found,
    }
}

/// "ok, tomorrow at 9": a courtesy may precede a time.
fn time_only(message: &ParsedMessage, range: Range<usize>) -> Option<FollowUp> {
    let words = &message.words;
    let (start, end) = (range.start, range.end);
    // "give me 20 minutes"
    let given = words.after(start, phrases!["give me"]);
    let given = given.filter(|at| when::read_duration(words, *at).is_some());
    let later = || asked_later(words, start);
    let at = words.after(start, &BEFORE_TIME).or(given).or_else(later);
    let at = at.unwrap_or(start);
    // "every other day is enough"
    let enough = (at + 1..end).find(|n| words.after(*n, &IS_ENOUGH) == Some(end));
    let end = enough.unwrap_or(end);
    // "ugh mondays" complains; "ugh 5 min" asks.
    let is_asked = !(0..message.start).any(|n| is_sigh(words.get(n)))
        || when::read_duration(words, at).is_some();
    let time = (is_asked && begins_time(words.get(at))).then(|| time_alone(words, at..end));
    let time = time.flatten()?;
    // "at 9 from now on" changes each time that it comes.
    let is_lasting = words.after(end, phrases!["from now on"]).is_some() && time.is_hour();
    let which = ReminderRef::Latest;
    Some(match is_lasting {
        true => FollowUp::Change { which, to: time },
        false => FollowUp::Time(time),
    })
}

/// The word after "try again", or "still busy, try": what puts off that came. "i'm busy at 5" tells
/// something else.
fn asked_later(words: &Words, at: usize) -> Option<usize> {
    static BUSY: Phrases = Phrases::new(&[
        "still busy", "busy", "busy now", "im busy", "im still busy", "i am busy",
        "busy right now", "im busy now", "im busy right now", "cant now", "i cant now",
        "i cant right now", "cant right now", "later", "asleep", "free", "im free",
    ]);
    static AGAIN: Phrases = Phrases::new(&[
        "try again", "try me again", "try me", "try", "ask me again", "ask again", "ask me",
        "come back", "ping me again", "ping me", "again", "repeat", "repeat it",
    ]);
    let busy = words.after(at, &BUSY);
    let from = words.skip(busy.unwrap_or(at), phrases!["so", "but"]);
    let set_off = busy.filter(|end| words.is_set_off(end - 1));
    words.after(from, &AGAIN).or(set_off)
}

/// Words after a time that suits.
static IS_ENOUGH: Phrases = Phrases::new(&[
    "is enough", "is fine", "is ok", "is okay", "is plenty", "is good", "will do", "works",
    "would be enough", "would be fine", "is better", "would be better", "was right", "was correct",
    "was fine", "was ok", "was better", "is right", "is correct",
]);

fn is_sigh(word: &str) -> bool {
    matches!(
        word,
        "ugh" | "damn" | "dang" | "lol" | "lmao" | "haha" | "omg" | "bruh"
    )
}

/// Words before a time alone: what agrees to an offer with another time ("yes, but at 6"), puts a
/// reminder off ("i know, at 6") or hesitates.
static BEFORE_TIME: Phrases = Phrases::new(&[
    "yes please but", "yes please", "yes pls", "yes also", "yep also", "yes but", "yes",
    "yeah but", "yeah", "yep but", "yep", "sure but", "sure", "fine but", "fine", "good but",
    "great but", "perfect but", "sounds good but", "ok but", "okay but", "alright but", "but",
    "yes yes i know", "yes i know", "i know i know", "i know", "not yet but", "not yet", "not now",
    "hmm", "hm", "uh", "um", "well", "ill do it", "i will do it", "ill do that",
]);

/// "10 minutes before", "also an hour before": a reminder before what was named last.
fn one_before(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let request = before::alone(words, range.clone())?;
    let linked = range.start.checked_sub(1).map(|at| words.get(at));
    // "not the day before" says no other time.
    if linked == Some("not") || words.get(range.start) == "not" {
        return None;
    }
    let is_linked = matches!(linked, Some("also" | "and"));
    let is_more =
        is_linked || matches!(words.get(range.end), "too") || words.get(range.end - 1) == "well";
    Some(FollowUp::OneBefore { request, is_more })
}

/// "dentist got moved to friday at 3".
fn moved_about(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    const NAME_WORDS_MAX: usize = 5;
    static MOVED: Phrases = Phrases::new(&[
        "moved to", "got moved to", "was moved to", "is moved to", "has moved to",
        "has been moved to", "has been rescheduled to", "got rescheduled to", "was rescheduled to",
        "is rescheduled to", "rescheduled to", "got pushed to", "was pushed to", "is pushed to",
        "pushed to", "got postponed to", "was postponed to", "is postponed to", "postponed to",
        "is now at", "is now on",
    ]);
    let from = words.after(range.start, phrases!["my", "the", "our"]);
    let from = from.unwrap_or(range.start);
    let verbs = from + 1..range.end.min(from + 1 + NAME_WORDS_MAX);
    let (verb, time) = verbs
        .into_iter()
        .find_map(|n| Some((n, words.after(n, &MOVED)?)))?;
    let time = time - usize::from(matches!(words.get(time - 1), "at" | "on"));
    let is_pronoun = matches!(
        words.get(from),
        "it" | "its" | "that" | "this" | "they" | "i" | "we" | "he" | "she" | "you"
    );
    let to = time_alone(words, time..range.end).filter(|_| !is_pronoun)?;
    let about = subject(words.original(from..verb));
    Some(FollowUp::MovedAbout { about, to })
}

/// "oops, cancel that"
fn taken_back(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = after_correction(words, range.start)?;
    let rest = fixed(&words.phrase(from..range.end));
    if matches!(rest, Some(FollowUp::NeverMind)) {
        return rest;
    }
    let from = words.after(from, phrases!["cancel", "delete", "remove"])?;
    cancel(words, from..range.end)
}

/// Whether a message that replaces words may begin so.
fn may_reword(words: &Words, at: usize) -> bool {
    matches!(words.get(at), "not" | "i" | "change" | "replace" | "swap")
        || corrections::after_mark(words, at).is_some()
}

fn without_thanks(words: &Words) -> usize {
    let last = phrases![
        "ty", "instead", "then", "too", "from now on", "same time", "at the same time",
        "the same time",
    ];
    const LAST_WORDS_MAX: usize = 4;
    let mut end = words.len();
    loop {
        let first = end.saturating_sub(LAST_WORDS_MAX).max(1);
        let is_last =
            |at: &usize| words.is_courtesy(*at, end) || words.after(*at, last) == Some(end);
        match (first..end).find(is_last) {
            Some(at) => end = at,
            None => return end,
        }
    }
}

/// "remind me again in 10 minutes", "remind me again later", "remind me tomorrow too", "remind me
/// 5 min earlier".
fn again(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let me = words.after(range.start, phrases!["remind me", "remind us"])?;
    let is_too = words.get(range.end) == "too";
    if let Some(found) = earlier(words, me..range.end).filter(|_| !is_too) {
        return Some(found);
    }
    let too = words.after(range.end.saturating_sub(2), phrases!["as well"]);
    let too = too.filter(|end| *end == range.end).map(|end| end - 2);
    let too = too.or((words.get(range.end) == "too").then_some(range.end));
    // "an hour later too": that long after the first.
    if let Some(end) = too
        && let Some(later) = read_new_time(words, me..end.max(me)).filter(|to| to.is_later())
    {
        return Some(FollowUp::Again(later));
    }
    if let Some(time) = too.and_then(|end| time_alone(words, me..end.max(me))) {
        return Some(FollowUp::Again(time));
    }
    let later = phrases![
        "a bit later", "a little later", "later", "in a bit", "in a little bit", "in a while",
    ];
    if words.after(me, later) == Some(range.end) {
        return Some(FollowUp::Snooze(None));
    }
    let from = words.after(
        range.start,
        phrases![
            "remind me again", "remind me one more time", "remind me once more",
            "remind me of that", "remind me of it", "remind me about that", "remind me about it",
        ],
    )?;
    if from == range.end || words.after(from, phrases!["later", "soon"]) == Some(range.end) {
        return Some(FollowUp::Snooze(None));
    }
    let from = words.skip(from, phrases!["again"]);
    let later = read_new_time(words, from..range.end).filter(|to| to.is_later());
    let to = later.or_else(|| time_alone(words, from..range.end))?;
    let which = ReminderRef::Latest;
    Some(match words.get(range.end) {
        "instead" => FollowUp::Change { which, to },
        _ => FollowUp::Again(to),
    })
}

/// "an hour earlier", "10 min later".
fn earlier(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let last = words.get(range.end.checked_sub(1)?);
    if !matches!(last, "earlier" | "sooner" | "later") || range.len() < 2 {
        return None;
    }
    let to = read_new_time(words, range)?;
    let which = ReminderRef::Latest;
    Some(FollowUp::Change { which, to })
}

/// "also on friday": its first word was read as a courtesy. "on friday too".
fn also(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    if let Some(from) = words.after(range.start, &ONE_MORE)
        && let Some(time) = time_alone(words, from..range.end)
    {
        return Some(FollowUp::Again(time));
    }
    if words.get(range.end) == "too" && !words.is_question() {
        let time = time_alone(words, range.clone())?;
        return Some(FollowUp::Again(time));
    }
    let before = range.start.checked_sub(1)?;
    match words.get(before) {
        "also" => once_more(words, before..range.end),
        // "and thursdays": these days, too
        // "and at 18": one more
        "and" if words.get(range.start) == "at" && !words.is_question() => {
            let time = time_alone(words, range).filter(TimeChange::is_hour);
            time.map(FollowUp::Again)
        }
        "and" if !words.is_question() => {
            let from = words.skip(range.start, phrases!["on", "every", "each"]);
            let is_days = repeats::weekdays(words, from).is_some();
            let time = time_alone(words, range).filter(|_| is_days);
            let time = time.filter(TimeChange::is_repeat);
            time.map(FollowUp::Again)
        }
        _ => None,
    }
}

/// "one for sunday": the same once more.
static ONE_MORE: Phrases = Phrases::new(&[
    "add another one for", "add another one on", "add another one at", "add another for",
    "add another on", "add one for", "add one on", "add one more for", "add one more on",
    "set another one for", "set another one on", "set another for", "set one for",
    "set one more for", "make another one for", "make another one on", "do another one for",
    "do another one on", "one for", "one on", "one at", "another one for", "another one on",
    "another one at", "another for", "another on", "another at", "one more for", "one more on",
    "one more at", "the same for", "same for",
]);

/// "same thing on friday", "also on friday".
fn once_more(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(
        range.start,
        phrases![
            "same thing", "the same thing", "the same", "same", "also", "again",
        ],
    )?;
    let from = words.skip(from, phrases!["again"]);
    let is_linked = matches!(
        words.get(from),
        "on" | "at" | "in" | "tomorrow" | "next" | "every" | "each" | "daily"
    ) || when::weekday_name(words.get(from)).is_some();
    let time = time_alone(words, from..range.end).filter(|_| is_linked)?;
    Some(FollowUp::Again(time))
}

/// "done 2", "done with 1 and 3".
fn done(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(range.start, phrases!["done with", "done", "finished"])?;
    let (numbers, end) = numbers(words, from)?;
    (end == range.end).then_some(FollowUp::DoneNumbered(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::builtin::follow_up::NewTime;
    use crate::assistant::builtin::{MessageContext, parsing::read_message};
    use crate::clock::{Timestamp, Zone};

    fn described(text: &str) -> String {
        let now = Timestamp::parse("2026-11-23T13:00:00Z").unwrap();
        let zone: Zone = "Europe/Berlin".parse().unwrap();
        let context = MessageContext {
            text,
            now,
            timezone: Some(zone),
            persona: "Juno",
            group: false,
            has_photos: false,
        };
        let at = |time: Result<NewTime, String>| match time {
            Ok(new) => {
                let local = new.send_at.utc().with_timezone(&zone).format("%m-%d %H:%M");
                match new.recurrence {
                    Some(recurrence) => format!("{local} {}", recurrence.rule()),
                    None => local.to_string(),
                }
            }
            Err(error) => error.chars().take(20).collect(),
        };
        // A reminder of tomorrow at 09:00.
        let set = Timestamp::parse("2026-11-24T08:00:00Z").unwrap();
        match read(&read_message(&context)) {
            Some(FollowUp::Change { which, to }) => {
                format!("{which:?} {}", at(to.of_set(set, None, now, zone)))
            }
            Some(FollowUp::Replace { to, text } | FollowUp::Instead { to: Some(to), text }) => {
                format!("replace {} {text}", at(to.of_set(set, None, now, zone)))
            }
            Some(FollowUp::Snooze(Some(to))) => format!("snooze {}", at(to.of_new(now, zone))),
            Some(FollowUp::SnoozeNumbered {
                numbers,
                time: Some(to),
            }) => format!("snooze {numbers:?} {}", at(to.of_new(now, zone))),
            Some(FollowUp::Again(to)) => format!("again {}", at(to.of_new(now, zone))),
            Some(FollowUp::Time(to)) => format!("time {}", at(to.of_new(now, zone))),
            Some(other) => format!("{other:?}"),
            None => "none".to_owned(),
        }
    }

    #[test]
    fn what_refers_to_something_is_told_from_what_stands_by_itself() {
        let cases = [
            ("snooze", "Snooze(None)"),
            ("snooze 10 min", "snooze 11-23 14:10"),
            ("snooze 10", "SnoozeNumbered { numbers: [10], time: None }"),
            ("snooze 1 till friday", "snooze [1] 11-27 09:00"),
            ("snooze 1 and 2 for 2 hours", "snooze [1, 2] 11-23 16:00"),
            ("done 2", "DoneNumbered([2])"),
            ("cancel all but 2", "CancelAllBut(Numbered([2]))"),
            (
                "cancel everything except the run", "CancelAllBut(About(\"run\"))",
            ),
            ("same thing on friday", "again 11-27 09:00"),
            ("also on friday", "again 11-27 09:00"),
            ("an hour earlier", "Latest 11-24 08:00"),
            ("when is 1 next?", "Dates(Numbered([1]))"),
            ("cancel the first one", "Cancel(Numbered([1]))"),
            ("cancel the second", "Cancel(Numbered([2]))"),
            ("cancel the second meeting", "none"),
            ("move the first one to friday", "Numbered([1]) 11-27 09:00"),
            ("oops i meant 10", "Latest 11-24 10:00"),
            ("snooze for an hour please", "snooze 11-23 15:00"),
            ("snooze till tomorrow", "snooze 11-24 09:00"),
            ("snooze it until 5", "snooze 11-23 17:00"),
            ("remind me again in 20 minutes", "again 11-23 14:20"),
            ("snooze both", "Snooze(None)"),
            ("snooze them all for 20 min", "snooze 11-23 14:20"),
            ("done", "Done"),
            ("make it 10", "Latest 11-24 10:00"),
            ("Juno, make it 10:30 please", "Latest 11-24 10:30"),
            ("make that friday", "Latest 11-27 09:00"),
            ("move it to friday", "Latest 11-27 09:00"),
            ("move it to the 5th", "Latest 12-05 09:00"),
            ("move it to the 5th at 10", "Latest 12-05 10:00"),
            ("the 5th", "time 12-05 09:00"),
            ("move it to friday at 5pm", "Latest 11-27 17:00"),
            ("move it to 5", "Latest 11-24 17:00"),
            ("change it to tomorrow evening", "Latest 11-24 19:00"),
            ("postpone it by an hour", "Latest 11-24 10:00"),
            ("push it back 30 minutes", "Latest 11-24 09:30"),
            ("make it 10 minutes earlier", "Latest 11-24 08:50"),
            ("make it an hour later", "Latest 11-24 10:00"),
            ("make it in 10 minutes", "Latest 11-23 14:10"),
            (
                "make it every day",
                "Latest 11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
            ),
            (
                "make it weekly",
                "Latest 11-24 09:00 FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0",
            ),
            ("move 2 to friday", "Numbered([2]) 11-27 09:00"),
            ("move both to friday", "Together(Some(2)) 11-27 09:00"),
            (
                "move the dentist reminder to friday", "About(\"dentist\") 11-27 09:00",
            ),
            (
                "change my reminder to call mom to 10", "About(\"call mom\") 11-24 10:00",
            ),
            ("i mean 11", "Latest 11-24 11:00"),
            (
                "move the dentist one to friday", "About(\"dentist\") 11-27 09:00",
            ),
            ("cancel the lunch one", "Cancel(About(\"lunch\"))"),
            ("20 min", "time 11-23 14:20"),
            ("cancel that", "Cancel(Latest)"),
            ("oops cancel that", "Cancel(Latest)"),
            ("delete it", "Cancel(Latest)"),
            ("cancel 2", "Cancel(Numbered([2]))"),
            ("cancel #2", "Cancel(Numbered([2]))"),
            ("cancel 1 and 3", "Cancel(Numbered([1, 3]))"),
            ("cancel 2, 3 and 5", "Cancel(Numbered([2, 3, 5]))"),
            ("cancel 2-4", "Cancel(Numbered([2, 3, 4]))"),
            ("cancel 2 to 4", "Cancel(Numbered([2, 3, 4]))"),
            ("cancel 4-2", "none"),
            ("stop the water ones", "Cancel(AllAbout(\"water\"))"),
            ("cancel the next one", "Cancel(Next)"),
            ("move my next reminder to friday", "Next 11-27 09:00"),
            ("move my alarm to 8", "About(\"alarm\") 11-24 08:00"),
            (
                "make my run reminder daily",
                "About(\"run\") 11-24 09:00 FREQ=DAILY;BYHOUR=9;BYMINUTE=0",
            ),
            ("make a reminder to run at 10", "none"),
            ("make it 45", "Latest I'm not sure what yo"),
            ("change it to 45", "Latest I'm not sure what yo"),
            (
                "not ben, i meant ann", "Reword { old: \"ben\", new: \"ann\" }",
            ),
            ("call eve at 8pm instead", "replace 11-24 20:00 call eve"),
            ("remind me at 11 instead", "Latest 11-24 11:00"),
            ("tell me a joke instead", "none"),
            ("push it by 10", "Latest 11-24 09:10"),
            ("delay it 10", "Latest 11-24 09:10"),
            ("move it by 10", "Latest I'm not sure what yo"),
            ("move it to an hour later", "Latest 11-24 10:00"),
            ("10 min later", "Latest 11-24 09:10"),
            ("at 7 not 6", "Latest 11-24 07:00"),
            ("not at 6, at 7", "Latest 11-24 07:00"),
            ("not 6 but 7", "Latest 11-24 07:00"),
            ("friday instead", "Latest 11-27 09:00"),
            (
                "actually call cy instead",
                "Instead { to: None, text: \"call cy\" }",
            ),
            ("remind me tomorrow too", "again 11-24 09:00"),
            ("remind me at 9 as well", "again 11-23 21:00"),
            ("remind me 5 min earlier", "Latest 11-24 08:55"),
            ("remind me to call bo later", "none"),
            ("move the second to friday", "Numbered([2]) 11-27 09:00"),
            ("on friday too", "again 11-27 09:00"),
            ("cancel 1,3", "Cancel(Numbered([1, 3]))"),
            (
                "rename 2 to run",
                "Rename { which: Numbered([2]), text: \"run\" }",
            ),
            ("turn off my alarm", "Cancel(About(\"alarm\"))"),
            ("skip run", "Skip { which: About(\"run\"), day: None }"),
            ("skip it", "Skip { which: Latest, day: None }"),
            ("undo", "Undo"),
            ("yes", "Yes"),
            ("in 10 minutes", "time 11-23 14:10"),
            ("tomorrow at 9", "time 11-24 09:00"),
            ("9", "time 11-23 21:00"),
            (
                "every day at 8",
                "time 11-24 08:00 FREQ=DAILY;BYHOUR=8;BYMINUTE=0",
            ),
            ("when is it next?", "Dates(Latest)"),
            ("next three dates", "Dates(Latest)"),
            ("next dates of my swim reminder", "Dates(About(\"swim\"))"),
            ("wait, dad not mom", "Reword { old: \"mom\", new: \"dad\" }"),
            (
                "sorry i meant dad not mom", "Reword { old: \"mom\", new: \"dad\" }",
            ),
            ("not mom, dad", "Reword { old: \"mom\", new: \"dad\" }"),
            (
                "no not mom but my dad",
                "Reword { old: \"mom\", new: \"my dad\" }",
            ),
            ("change mom to dad", "Reword { old: \"mom\", new: \"dad\" }"),
            (
                "replace mom with dad", "Reword { old: \"mom\", new: \"dad\" }",
            ),
            ("i did not call mom", "none"),
            ("no thanks, not now", "none"),
            ("i'm not sure", "none"),
            ("not on sundays", "Latest That reminder comes "),
            (
                "make it 7 and call dad instead", "replace 11-24 07:00 call dad",
            ),
            ("make it so", "none"),
            ("move the couch", "none"),
            ("change my mind", "none"),
            ("set a reminder", "none"),
            ("make me a sandwich", "none"),
            ("cancel my trip", "none"),
            ("remove milk", "none"),
            ("tomorrow is a holiday", "none"),
            ("when is it dark", "none"),
        ];
        let mut wrong = Vec::new();
        for (phrase, expected) in cases {
            let found = described(phrase);
            if found != expected {
                wrong.push(format!("{phrase}: {found}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
