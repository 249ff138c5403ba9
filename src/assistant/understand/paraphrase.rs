//! Everyday wordings of requests that the files of `builtin` read in another wording: "get rid of the
//! first one" for "cancel the first one". They are looked for only where a message as it was typed
//! is no request.

use std::ops::Range;

use super::super::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// A longer message is read as it was typed.
const WORDS_MAX: usize = 40;
/// Words of a question or command without a text of its own.
const SHORT_WORDS_MAX: usize = 12;

/// The same request in the wording that is read.
pub(super) fn paraphrase(message: &ParsedMessage) -> Option<String> {
    let words = &message.words;
    if !message.is_addressed || words.len() > WORDS_MAX {
        return None;
    }
    let start = message.start;
    let range = start..words.before_courtesy(start, words.len());
    reminder(words, range.clone())
        .or_else(|| one_more(words, range.clone()))
        .or_else(|| to_be_remembered(words, range.clone()))
        .or_else(|| {
            (range.len() <= SHORT_WORDS_MAX)
                .then(|| short(words, range))
                .flatten()
        })
}

fn short(words: &Words, range: Range<usize>) -> Option<String> {
    cancelling(words, range.clone())
        .or_else(|| restoring(words, range.clone()))
        .or_else(|| asking_for_reminders(words, range.clone()))
        .or_else(|| asking_for_memories(words, range.clone()))
        .or_else(|| asking_for_days(words, range.clone()))
        .or_else(|| asking_for_plan(words, range))
}

/// "would you mind reminding me at 4 about the cake", "give me a shout at 6".
fn reminder(words: &Words, range: Range<usize>) -> Option<String> {
    static REMIND: Phrases = Phrases::new(&[
        "reminding me",
        "mind reminding me",
        "how about reminding me",
        "what about reminding me",
        "how about a reminder",
        "any chance you could remind me",
        "any chance you can remind me",
        "any chance of a reminder",
        "is there any chance you could remind me",
        "do you think you could remind me",
        "do you mind reminding me",
        "could i get a reminder",
        "can i get a reminder",
        "can i have a reminder",
        "could i have a reminder",
        "may i have a reminder",
        "id love a reminder",
        "i could use a reminder",
        "ill need a reminder",
        "i will need a reminder",
        "gimme a reminder",
        "give me a nudge",
        "give me a shout",
        "give me a ping",
        "give me a poke",
        "give me a heads up",
        "prod me",
        "jog my memory",
        "gently remind me",
        "you need to remind me",
        "you have to remind me",
        "you gotta remind me",
        "be sure to remind me",
        "make sure to remind me",
        "make sure you remind me",
        "feel free to remind me",
    ]);
    let from = words.after(range.start, &REMIND)?;
    let rest = words.original(from..words.len());
    // "reminding me at 9 was useless"
    let is_told =
        (from..range.end).any(|at| matches!(words.get(at), "was" | "were" | "is" | "why"));
    let has_time = !is_told && (from..range.end).any(|at| when::read(words, at).is_some());
    has_time.then(|| format!("remind me {rest}"))
}

/// "and at 3 to take a break": what else is to come.
fn one_more(words: &Words, range: Range<usize>) -> Option<String> {
    let before = words.get(range.start.checked_sub(1)?);
    let (time, to) = when::read(words, range.start)?;
    let is_timed = time.clock.is_some() || time.delay.is_some();
    let from = words.after(to, phrases!["to"])?;
    // "to the dentist" tells where somebody went.
    let is_place = matches!(
        words.get(from),
        "the" | "my" | "a" | "an" | "our" | "bed" | "work" | "school"
    ) || words
        .original(from..from + 1)
        .starts_with(char::is_uppercase);
    let has_other_time = (from..range.end).any(|at| when::read(words, at).is_some());
    let is_added =
        matches!(before, "and" | "also" | "then") && is_timed && !is_place && !has_other_time;
    let what = words.original(from..range.end);
    let time = words.original(range.start..to);
    (is_added && from < range.end).then(|| format!("{what} {time}"))
}

/// "my wifi password is hunter2, please remember it".
fn to_be_remembered(words: &Words, range: Range<usize>) -> Option<String> {
    const STATEMENT_WORDS_MIN: usize = 3;
    static REMEMBER: Phrases = Phrases::new(&[
        "remember it", "remember that", "remember this", "note it", "note it down",
        "note that down", "note that", "save it", "save that", "save this", "keep that in mind",
        "keep it in mind", "keep this in mind", "make a note of it", "make a note of that",
        "make a note", "write that down", "write it down", "dont forget it", "dont forget that",
        "dont forget", "remember", "memorize it", "memorize that",
    ]);
    let is_tail = |at: &usize| words.after(*at, &REMEMBER) == Some(range.end);
    let tail = (range.start + STATEMENT_WORDS_MIN..range.end).find(is_tail)?;
    static BEFORE: Phrases = Phrases::new(&[
        "and please", "so please", "please", "pls", "and pls", "and", "so", "can you", "could you",
        "can you please", "could you please",
    ]);
    let end = (range.start + 1..tail).find(|at| words.after(*at, &BEFORE) == Some(tail));
    let end = end.unwrap_or(tail);
    let is_apart = end < tail || words.is_set_off(tail - 1);
    // "we had a deal, remember"
    let is_tag = tail + 1 == range.end && matches!(words.get(range.start), "we" | "i");
    let is_statement = !words.is_question()
        && !is_tag
        && end >= range.start + STATEMENT_WORDS_MIN
        && matches!(
            words.get(range.start),
            "my" | "our" | "the" | "im" | "i" | "we" | "its"
        )
        && !(range.start..end)
            .any(|at| matches!(words.get(at), "always" | "never" | "cant" | "dont"));
    (is_apart && is_statement)
        .then(|| format!("remember that {}", words.original(range.start..end)))
}

/// "get rid of the first one", "scrap that".
fn cancelling(words: &Words, range: Range<usize>) -> Option<String> {
    static CANCEL: Phrases = Phrases::new(&[
        "scrap", "ditch", "drop", "get rid of", "scratch", "trash", "throw out", "throw away",
        "do away with",
    ]);
    static NO_MORE: Phrases = Phrases::new(&[
        "i dont need", "i no longer need", "dont need", "no longer need", "no need for",
        "i dont want", "i no longer want", "dont want",
    ]);
    if let Some(day) = words.after(range.start, phrases!["no alarm", "no alarms", "no wake up"])
        && when::read(words, day).is_some_and(|(_, end)| end == range.end)
    {
        return Some(format!(
            "cancel my alarm {}",
            words.original(day..range.end)
        ));
    }
    let ends = |at: &usize| words.after(*at, phrases!["anymore", "any more"]) == Some(range.end);
    let end = range.clone().find(ends).unwrap_or(range.end);
    let no_more = words.after(range.start, &NO_MORE);
    let from = no_more.or_else(|| words.after(range.start, &CANCEL))?;
    let is_noun = matches!(
        words.get(end.checked_sub(1)?),
        "reminder" | "reminders" | "alarm" | "alarms" | "timer" | "timers"
    ) && words
        .after(
            from,
            phrases!["the", "my", "that", "this", "those", "these", "our"],
        )
        .is_some();
    let is_named = no_more.is_none() && names_one(words, from..end);
    (is_noun || is_named).then(|| format!("cancel {}", words.original(from..end)))
}

/// "it", "the first one", "number 2", "2".
fn names_one(words: &Words, range: Range<usize>) -> bool {
    const NAME_WORDS_MAX: usize = 5;
    static PRONOUNS: Phrases = Phrases::new(&[
        "it", "that", "this", "them", "those", "these", "both", "both of them", "all of them",
        "them all",
    ]);
    if words.after(range.start, &PRONOUNS) == Some(range.end) {
        return true;
    }
    let number = words.skip(range.start, phrases!["number", "nr", "no"]);
    let is_number = number + 1 == range.end && words.get(number).parse::<u8>().is_ok();
    let is_one = matches!(words.get(range.end.saturating_sub(1)), "one" | "ones");
    let is_own = words
        .after(range.start, phrases!["the", "that", "this", "my", "those"])
        .is_some();
    is_number || is_one && is_own && range.len() <= NAME_WORDS_MAX
}

/// "restore it", "oops, wrong one".
fn restoring(words: &Words, range: Range<usize>) -> Option<String> {
    static RESTORE: Phrases = Phrases::new(&[
        "restore it", "restore that", "restore them", "reinstate it", "reinstate that",
        "uncancel it", "uncancel that", "undelete it", "undelete that", "wrong one",
        "the wrong one", "that was the wrong one", "revert that", "revert it", "revert",
        "that was by mistake", "i did that by mistake", "i didnt mean to do that",
    ]);
    static BEFORE: Phrases = Phrases::new(&["oops", "oh no", "no no", "no", "sorry", "whoops"]);
    let from = words.skip(range.start, &BEFORE);
    (words.after(from, &RESTORE) == Some(range.end)).then(|| "undo".to_owned())
}

/// "which reminders are coming up?", "when will you remind me about the plants?"
fn asking_for_reminders(words: &Words, range: Range<usize>) -> Option<String> {
    static ABOUT: Phrases = Phrases::new(&[
        "when will you remind me", "when are you going to remind me", "when do you remind me",
        "whenll you remind me", "when am i getting reminded", "when will i be reminded",
        "will you remind me", "are you going to remind me", "are you reminding me",
    ]);
    if let Some(from) = words.after(range.start, &ABOUT) {
        let from = words.after(from, phrases!["about", "of", "to"])?;
        let about = words.original(words.skip_article(from)..range.end);
        return (!about.is_empty()).then(|| format!("reminders about {about}"));
    }
    let asks = matches!(
        words.get(range.start),
        "what" | "whats" | "which" | "show" | "list" | "tell" | "see" | "give"
    );
    let of_the_past =
        |at: usize| matches!(words.get(at), "did" | "didnt" | "was" | "were" | "have");
    if !asks || range.clone().any(of_the_past) {
        return None;
    }
    let is_told = range.clone().any(|at| {
        words
            .after(at, phrases!["remind me", "reminding me"])
            .is_some()
    }) && range
        .clone()
        .any(|at| matches!(words.get(at), "you" | "youll"));
    let is_list = range
        .clone()
        .any(|at| matches!(words.get(at), "reminders" | "reminder"))
        && matches!(
            words.get(range.end - 1),
            "up" | "upcoming"
                | "active"
                | "open"
                | "outstanding"
                | "set"
                | "next"
                | "scheduled"
                | "planned"
                | "there"
                | "left"
                | "got"
        );
    let what_next = words.after(
        range.start,
        phrases![
            "what comes next", "whats up next", "whats next up", "what is up next"
        ],
    ) == Some(range.end);
    (is_told || is_list || what_next).then(|| "reminders".to_owned())
}

/// "show me everything you know about me", "show my notes".
fn asking_for_memories(words: &Words, range: Range<usize>) -> Option<String> {
    static ASKED: Phrases = Phrases::new(&[
        "show me everything", "tell me everything", "everything", "tell me what", "show me what",
        "what all", "list everything", "show everything", "list what", "what else",
    ]);
    static KNOWN: Phrases = Phrases::new(&[
        "you know about me", "you know", "do you know about me", "you remember",
        "you remember about me", "do you remember", "you have on me", "you have saved",
        "you saved", "ive told you", "i told you", "i have told you", "you keep",
        "you keep about me", "you have stored", "you have noted",
    ]);
    static NOTES: Phrases = Phrases::new(&[
        "show my notes", "show me my notes", "list my notes", "my notes", "read my notes",
        "show all my notes", "show me all my notes", "see my notes", "which notes do i have",
        "what notes do i have", "what have you saved", "what have you noted",
        "what have you stored", "what have you got on me", "what do you have on me",
        "what do you have saved", "what do you have noted",
    ]);
    let known = words
        .after(range.start, &ASKED)
        .and_then(|at| words.after(at, &KNOWN));
    let is_asked = known.or_else(|| words.after(range.start, &NOTES)) == Some(range.end);
    is_asked.then(|| "what do you remember".to_owned())
}

/// "give me a summary of my day", "what should i do tomorrow".
fn asking_for_days(words: &Words, range: Range<usize>) -> Option<String> {
    static ASKED: Phrases = Phrases::new(&[
        "give me a summary of", "give me an overview of", "give me a rundown of", "summarize",
        "summarise", "sum up", "run me through", "walk me through", "take me through",
        "brief me on", "an overview of", "overview of", "whats up", "whats up for", "help me plan",
        "what should i do", "what needs doing", "what needs to be done", "what needs to get done",
        "whats left to do", "what is left to do", "what else is there", "how busy am i",
        "am i busy", "do i have plans", "do i have any plans", "any plans",
        "what are the plans for", "whats the plan for", "what is the plan for", "whats the plan",
        "what is the plan",
    ]);
    static OWN: Phrases = Phrases::new(&["my day", "the day", "my whole day", "todays agenda"]);
    let from = words.after(range.start, &ASKED)?;
    let from = words.skip(from, phrases!["on", "for"]);
    let is_of_tasks = from == range.end && matches!(words.get(from - 1), "doing" | "done");
    if is_of_tasks || words.after(from, &OWN) == Some(range.end) {
        return Some("what do i have today".to_owned());
    }
    let day = words.skip(from, phrases!["my"]);
    let named = words.original(day..range.end);
    let is_named = |at: usize| {
        matches!(words.get(at), "week" | "weekend" | "month")
            || when::weekday_name(words.get(at)).is_some()
    };
    let is_day = match words.get(day) {
        "today" | "tomorrow" | "tonight" => true,
        "this" | "next" => is_named(day + 1),
        _ => is_named(day),
    };
    let named = match named {
        "week" | "weekend" => format!("this {named}"),
        _ => named.to_owned(),
    };
    is_day.then(|| format!("what do i have {named}"))
}

/// "is this free?"
fn asking_for_plan(words: &Words, range: Range<usize>) -> Option<String> {
    static COSTS: Phrases = Phrases::new(&[
        "is this free", "are you free to use", "is this service free", "how much does it cost",
        "how much does this cost", "how much do you cost", "what does it cost",
        "what does this cost", "do i have to pay", "do i have to pay for this",
        "do i have to pay for it", "does it cost anything", "does this cost anything",
        "what am i paying", "whats my plan", "what plan am i on", "which plan am i on",
        "am i subscribed", "how many messages do i have left", "do i have messages left",
    ]);
    (words.after(range.start, &COSTS) == Some(range.end)).then(|| "status".to_owned())
}
