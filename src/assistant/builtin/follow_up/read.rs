//! Parses short messages that refer to something, and tells them from independent ones.

use std::ops::Range;

use super::cancel::{cancel, switched_off};
use super::change::{
    CORRECTIONS, change, change_unclear, corrected, in_place, limited, numbers, other_time, rename,
    reworded,
};
use super::corrected_value::told_time;
use super::new_time::{begins_time, read_new_time, time_alone};
use super::skip::{pause, skip};
use super::{FollowUp, NewTimeText, ReminderRef, TimeChange};
use crate::assistant::builtin::phrases::{Phrases, phrases};
use crate::assistant::builtin::words::Words;
use crate::assistant::builtin::{ParsedMessage, subject, when};

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
        .or_else(|| limited(words, at..end))
        .or_else(|| corrected(words, at..end))
        .or_else(|| taken_back(words, at..end))
        .or_else(|| {
            may_reword(words.get(at))
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
        "turn" | "switch" => switched_off(words, at..end),
        "skip" => skip(message, at + 1..end),
        "pause" => pause(message, at + 1..end),
        "done" | "finished" => done(words, at..end),
        "same" | "the" | "again" => once_more(words, at..end),
        "when" | "whens" | "next" | "show" | "what" | "whats" => dates(words, at..end),
        _ => None,
    });
    let told = || {
        let told = told_time(words, at)?;
        let to = time_alone(words, told.from..end)?;
        let is_moved = told.is_moved;
        Some(FollowUp::ToldTime { to, is_moved })
    };
    let found = found
        .or_else(told)
        .or_else(|| moved_about(words, at..end))
        .or_else(|| more_minutes(words, at..end))
        .or_else(|| earlier(words, at..end))
        .or_else(|| also(words, at..end));
    let found = found.or_else(|| {
        let is_instead = words.get(end) == "instead";
        is_instead.then(|| in_place(words, at..end)).flatten()
    });
    // "ok, tomorrow at 9": a courtesy may precede a time.
    found.or_else(|| {
        let time = begins_time(words.get(at)).then(|| time_alone(words, at..end));
        time.flatten().map(FollowUp::Time)
    })
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
    let from = words.after(range.start, &CORRECTIONS);
    let from = from.or_else(|| words.after(range.start, phrases!["no", "wait"]))?;
    let from = words.after(from, phrases!["cancel", "delete", "remove"])?;
    cancel(words, from..range.end)
}

/// Whether a message that replaces words may begin so.
fn may_reword(word: &str) -> bool {
    matches!(
        word,
        "wait" | "no" | "not" | "sorry" | "oops" | "i" | "actually" | "change" | "replace" | "swap"
    )
}

fn without_thanks(words: &Words) -> usize {
    let mut end = words.len();
    while end > 1
        && matches!(
            words.get(end - 1),
            "please" | "pls" | "plz" | "thanks" | "thx" | "ty" | "instead" | "then" | "too"
        )
    {
        end -= 1;
    }
    end
}

fn fixed(request: &str) -> Option<FollowUp> {
    Some(match request {
        "yes" | "yeah" | "yep" | "yup" | "y" | "sure" | "yes please" | "do it" | "go ahead"
        | "confirm" | "yes do it" | "yes go ahead" | "yes forget it" | "yes delete it" => {
            FollowUp::Yes
        }
        "no" | "nope" | "nah" | "n" | "no thanks" | "dont" | "no dont" | "keep it"
        | "keep them" | "stop" | "cancel" => FollowUp::No,
        "never mind" | "nevermind" | "nvm" | "never mind that" | "forget it" | "forget that"
        | "forget this" | "forget about it" | "forget about that" | "scratch that"
        | "ignore that" => FollowUp::NeverMind,
        "done" | "did it" | "i did it" | "done it" | "already done" | "its done" | "all done"
        | "im done" | "i did" | "did that" | "already did it" | "completed" | "finished" => {
            FollowUp::Done
        }
        "undo"
        | "undo that"
        | "undo it"
        | "undo this"
        | "take that back"
        | "revert"
        | "undo the last change"
        | "undo last"
        | "bring it back"
        | "bring them back" => FollowUp::Undo,
        "its cancelled" | "its canceled" | "it is cancelled" | "it was cancelled"
        | "it was canceled" | "it got cancelled" | "it got canceled" | "its been cancelled"
        | "its been canceled" | "that is cancelled" | "thats cancelled" | "that was cancelled"
        | "that got cancelled" | "its off" | "its called off" | "it was called off"
        | "they cancelled" | "they cancelled it" | "its not happening" | "it isnt happening" => {
            FollowUp::CalledOff
        }
        "snooze" | "snooze it" | "snooze that" | "later" | "not yet" | "not" => {
            FollowUp::Snooze(None) // the "now" of "not now" is dropped as a courtesy
        }
        _ => return None,
    })
}

/// "ok", "sounds good": a yes only to what was offered.
pub(in crate::assistant) fn is_consent(words: &Words) -> bool {
    const WORDS_MAX: usize = 4;
    let is_short = words.len() <= WORDS_MAX;
    is_short
        && matches!(
            words.phrase(0..words.len()).as_str(),
            "ok" | "okay"
                | "ok please"
                | "okay please"
                | "ok thanks"
                | "okay thanks"
                | "ok do it"
                | "k"
                | "kk"
                | "alright"
                | "all right"
                | "please"
                | "please do"
                | "sure please"
                | "sure thing"
                | "sure thanks"
                | "of course"
                | "sounds good"
                | "good idea"
                | "great"
                | "yes thanks"
                | "yes thank you"
                | "yes pls"
                | "yes ok"
                | "absolutely"
                | "definitely"
        )
}

/// "snooze 10 min", "snooze it for an hour", "snooze till tomorrow".
fn snooze(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let at = words.after(range.start, &SNOOZED).unwrap_or(range.start);
    if at == range.end {
        return Some(FollowUp::Snooze(None));
    }
    let at = words
        .after(
            at,
            phrases!["for another", "for", "until", "till", "til", "to", "by"],
        )
        .unwrap_or(at);
    let rest = at..range.end;
    if at == range.start
        && let Some((numbers, from)) = numbers(words, at)
    {
        let from = words
            .after(from, phrases!["for", "until", "till", "til", "to", "by"])
            .unwrap_or(from);
        let time = time_after_numbers(words, from..range.end);
        if from == range.end || time.is_some() {
            return Some(FollowUp::SnoozeNumbered { numbers, time });
        }
    }
    let is_end = at > 0 && matches!(words.get(at - 1), "until" | "till" | "til" | "to");
    let minutes = match words.get(at).parse::<i64>() {
        Ok(n @ 1..=600) if rest.len() == 1 && !is_end => {
            Some(TimeChange(NewTimeText::Later(n * 60)))
        }
        _ => None,
    };
    let delay = || {
        let (spec, end) = when::read_duration(words, at)?;
        (end == range.end).then_some(TimeChange(NewTimeText::At(spec)))
    };
    if let Some((first, second)) = two_durations(words, at, range.end) {
        return Some(FollowUp::SnoozeUnclear { first, second });
    }
    let time = minutes.or_else(delay).or_else(|| time_alone(words, rest))?;
    Some(FollowUp::Snooze(Some(time)))
}

/// "10 min and 20 min", "10 or 20 minutes" as all of these words: each as typed.
pub(in crate::assistant) fn two_durations(
    words: &Words,
    from: usize,
    end: usize,
) -> Option<(String, String)> {
    let link = (from + 1..end).find(|at| matches!(words.get(*at), "and" | "or" | "then"))?;
    let first = when::read_duration(words, from).is_some_and(|(_, next)| next == link)
        || link == from + 1 && words.get(from).parse::<u32>().is_ok();
    let second = when::read_duration(words, link + 1).is_some_and(|(_, next)| next == end);
    // "1 hour and 20 minutes" is one.
    let is_one = when::read_duration(words, from).is_some_and(|(_, next)| next == end);
    let typed = |from: usize, to: usize| words.original(from..to).to_owned();
    (first && second && !is_one).then(|| (typed(from, link), typed(link + 1, end)))
}

static NEXT_DATES: Phrases = Phrases::new(&[
    "when is it next", "when is that next", "when does it come next", "when does it come",
    "whens it next", "when will it come", "when is the next one", "whens the next one",
    "next three dates", "next 3 dates", "the next three dates", "next dates", "next times",
    "show me the next three dates", "show me the next dates", "show the next dates",
    "show next dates", "show the next three dates", "show me the next 3 dates",
    "what are the next dates", "what are the next three dates", "what are the next 3 dates",
    "what are its next dates", "whats the next date", "when next", "when are the next dates",
    "when are the next times", "when are the next ones", "when are the next three dates",
    "when are the next three times",
]);
static NEXT_FEW: Phrases = Phrases::new(&[
    "when are the next three", "when are the next 3", "what are the next three",
    "what are the next 3", "next three", "next 3", "show me the next three", "show me the next 3",
    "show the next three", "show the next 3",
]);

/// What is put off: whatever came last, together.
static SNOOZED: Phrases = Phrases::new(&[
    "both of them", "all of them", "them all", "them both", "both", "all", "them", "it", "that",
]);

/// "remind me again in 10 minutes", "remind me again later", "remind me tomorrow too", "remind me 5 min
/// earlier".
fn again(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let me = words.after(range.start, phrases!["remind me", "remind us"])?;
    if let Some(found) = earlier(words, me..range.end) {
        return Some(found);
    }
    let too = words.after(range.end.saturating_sub(2), phrases!["as well"]);
    let too = too.filter(|end| *end == range.end).map(|end| end - 2);
    let too = too.or((words.get(range.end) == "too").then_some(range.end));
    if let Some(time) = too.and_then(|end| time_alone(words, me..end.max(me))) {
        return Some(FollowUp::Again(time));
    }
    let from = words.after(
        range.start,
        phrases![
            "remind me again", "remind me of that", "remind me of it", "remind me about that",
            "remind me about it",
        ],
    )?;
    if from == range.end || words.after(from, phrases!["later", "soon"]) == Some(range.end) {
        return Some(FollowUp::Snooze(None));
    }
    let from = words.after(from, phrases!["again"]).unwrap_or(from);
    time_alone(words, from..range.end).map(FollowUp::Again)
}

/// "till friday", "for 2 hours", but not the unit of "snooze 10 min".
fn time_after_numbers(words: &Words, range: Range<usize>) -> Option<TimeChange> {
    let is_linked = matches!(
        words.get(range.start.saturating_sub(1)),
        "for" | "until" | "till" | "til" | "to" | "by"
    );
    let delay = || {
        let (spec, end) = when::read_duration(words, range.start)?;
        (end == range.end && is_linked).then_some(TimeChange(NewTimeText::At(spec)))
    };
    delay().or_else(|| time_alone(words, range.clone()))
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
    if words.get(range.end) == "too" && !words.is_question() {
        let time = time_alone(words, range.clone())?;
        return Some(FollowUp::Again(time));
    }
    let before = range.start.checked_sub(1)?;
    let is_also = words.get(before) == "also";
    is_also
        .then(|| once_more(words, before..range.end))
        .flatten()
}

/// "same thing on friday", "also on friday".
fn once_more(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(
        range.start,
        phrases![
            "same thing", "the same thing", "the same", "same", "also", "again",
        ],
    )?;
    let from = words.after(from, phrases!["again"]).unwrap_or(from);
    let is_linked = matches!(words.get(from), "on" | "at" | "in" | "tomorrow" | "next")
        || when::weekday_name(words.get(from)).is_some();
    let time = time_alone(words, from..range.end).filter(|_| is_linked)?;
    Some(FollowUp::Again(time))
}

/// "done 2", "done with 1 and 3".
fn done(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let from = words.after(range.start, phrases!["done with", "done", "finished"])?;
    let (numbers, end) = numbers(words, from)?;
    (end == range.end).then_some(FollowUp::DoneNumbered(numbers))
}

/// "10 more minutes", "5 min more".
fn more_minutes(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    let count = words.get(range.start).parse::<i64>().ok();
    let count = count.filter(|n| (1..=600).contains(n))?;
    let rest = words.phrase(range.start + 1..range.end);
    let seconds = match rest.as_str() {
        "more minutes" | "more min" | "more mins" | "min more" | "mins more" | "minutes more" => 60,
        "more hours" | "more hour" | "hours more" | "hour more" => 3_600,
        _ => return None,
    };
    let time = TimeChange(NewTimeText::Later(count * seconds));
    Some(FollowUp::Snooze(Some(time)))
}

/// "when is it next?", "next three dates", "next dates of my swim reminder".
fn dates(words: &Words, range: Range<usize>) -> Option<FollowUp> {
    // "when is 1 next?"
    if let Some(from) = words.after(range.start, phrases!["when is", "whens", "when does"])
        && let Some((numbers, end)) = numbers(words, from)
        && (end == range.end
            || words.after(end, phrases!["next", "due", "come"]) == Some(range.end))
    {
        return Some(FollowUp::Dates(ReminderRef::Numbered(numbers)));
    }
    // "the next three", unlike "the next three days".
    let count = words.after(range.start, &NEXT_FEW);
    let count = count.filter(|end| *end == range.end || matches!(words.get(*end), "of" | "for"));
    let dates = || words.after(range.start, &NEXT_DATES);
    let from = count.or_else(dates)?;
    let of = words
        .after(
            from,
            phrases!["of my", "for my", "of the", "for the", "of", "for"],
        )
        .unwrap_or(from);
    if of > from
        && let Some((numbers, end)) = numbers(words, of)
        && end == range.end
    {
        return Some(FollowUp::Dates(ReminderRef::Numbered(numbers)));
    }
    let about = words.original(of..range.end);
    let about = subject(
        about
            .trim_end_matches("reminder")
            .trim_end_matches("reminders"),
    );
    let which = match about.is_empty() {
        true => ReminderRef::Latest,
        false if of > from => ReminderRef::About(about),
        false => return None,
    };
    Some(FollowUp::Dates(which))
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
