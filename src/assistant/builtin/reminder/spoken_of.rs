//! Tasks with a time, without a request for a reminder: "at 5pm call mom", "I have to call the bank
//! tomorrow at 10", "meeting with Bo at 4". A reminder is only offered.

use chrono::Timelike as _;

use super::super::{Intent, MessageContext, ParsedMessage};
use super::parts::{leading_time, split_words};
use super::{command, is_task_word, names_nothing, repeats, when};
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::text::function_words::{is_no, is_yes};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::verbs;
use crate::assistant::text::when::{Day, TimeExpression};
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::{Words, has_digit};
use crate::clock::Timestamp;

/// A longer text is no plan.
const WORDS_MAX: usize = 16;

/// Words before what somebody has to do.
static HAS_TO: Phrases = Phrases::new(&[
    "i need to", "i have to", "ive got to", "i have got to", "i got to", "i gotta", "i must",
    "i should", "im supposed to", "i am supposed to", "we need to", "we have to", "weve got to",
    "we must", "gotta", "need to", "have to", "must",
]);

/// The same with a negation or "remember", which are other talk elsewhere.
static NOT_TO_FORGET: Phrases = Phrases::new(&[
    "i mustnt forget to", "i must not forget to", "i cant forget to", "i cannot forget to",
    "i shouldnt forget to", "i should not forget to", "i dont want to forget to",
    "i need to remember to", "i have to remember to", "i must remember to", "i should remember to",
    "i want to remember to", "we mustnt forget to", "we must not forget to", "mustnt forget to",
    "must not forget to", "cant forget to", "need to remember to", "have to remember to",
]);

/// The same before a thing: "i must not forget the gift".
static NOT_TO_FORGET_IT: Phrases = Phrases::new(&[
    "i mustnt forget", "i must not forget", "i cant forget", "i cannot forget",
    "i shouldnt forget", "i should not forget", "i dont want to forget", "we mustnt forget",
    "we must not forget", "mustnt forget", "must not forget", "cant forget",
]);

/// Words before what somebody goes to.
static HAS: Phrases = Phrases::new(&[
    "i have a", "i have an", "i have my", "i have", "ive got a", "ive got an", "ive got",
    "i got a", "we have a", "we have an", "weve got a", "weve got an", "theres a", "there is a",
]);

/// A word of a question, a negation, a doubt or the past, or a person who is spoken to: the text
/// may mean anything else.
static OTHER_TALK: WordSet = WordSet::new(&[
    "actually", "ago", "almost", "already", "always", "arent", "asked", "because", "beginning",
    "better", "but", "cancel", "canceled", "cancelled", "cannot", "cant", "change", "could",
    "couldnt", "delay", "delayed", "delete", "didnt", "doesnt", "dont", "forget", "guess", "had",
    "hadnt", "hasnt", "havent", "heard", "hope", "hopefully", "how", "hows", "if", "instead",
    "isnt", "maybe", "me", "might", "move", "nah", "never", "nevermind", "no", "nobody", "not",
    "nothing", "nvm", "or", "perhaps", "possibly", "postpone", "postponed", "probably", "rather",
    "remember", "remind", "reminder", "remove", "said", "says", "shouldnt", "since", "snooze",
    "starting", "think", "thinks", "though", "thought", "told", "u", "undo", "unless", "us",
    "usually", "wake", "was", "wasnt", "were", "werent", "what", "whats", "when", "whens", "where",
    "wheres", "whether", "which", "who", "whos", "why", "wish", "wont", "would", "wouldnt",
    "yesterday", "you", "your",
]);

/// A text that may become a reminder, with what it would be. `None`: it is a question, a doubt, a
/// negation, over, about another person, or its time is not understood.
pub(in crate::assistant::builtin) fn spoken_of(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let from = leading_time(words, message.start, false).map_or(message.start, |(_, end)| end);
    let told = words.skip(words.skip(from, &NOT_TO_FORGET), &NOT_TO_FORGET_IT);
    let is_other = |(at, word)| !(from..told).contains(&at) && OTHER_TALK.contains(word);
    if !(2..=WORDS_MAX).contains(&words.len())
        || words.iter_hashed().enumerate().any(is_other)
        || !when::may_stand_in(words)
        || counts_by(words)
        || is_time_of_clause(words)
    {
        return None;
    }
    let request = request(message)?;
    let context = MessageContext {
        text: &request,
        timezone: message.timezone(),
        ..*message.context
    };
    let understood = command(&read_message(&context))?;
    let is_plan = |intent: &Intent| matches!(intent, Intent::Remind { text, .. } if !is_answer(text) && !is_talk(text) && !has_span_left(text));
    let is_once = |intent: &Intent| match intent {
        Intent::Remind {
            text,
            recurrence: None,
            ..
        } => !matches!(text.as_str(), "another" | "another one" | "one" | "again"),
        _ => false,
    };
    let is_meant = match &understood {
        // "call bo at 5 and ann at 6"; a day of the second may be that of both.
        Intent::Several(each) => {
            each.len() == 2
                && each[0] != each[1]
                && each.iter().all(|one| is_once(one) && is_plan(one))
                && !when::names_day(words, 0..words.len())
        }
        one => is_plan(one),
    };
    is_meant.then(|| of_evening(understood, message))
}

/// "training 4 to" of "training fridays 4 to 5:30".
fn has_span_left(text: &str) -> bool {
    let words = Words::new(text);
    let last = words.len().saturating_sub(1);
    let is_link = matches!(words.get(last), "to" | "till" | "until");
    is_link && last > 0 && has_digit(words.get(last - 1))
}

/// "concert on saturday at 8": nobody plays in the morning.
fn of_evening(intent: Intent, message: &ParsedMessage) -> Intent {
    const NOON: u32 = 12;
    const HALF_DAY_S: i64 = 12 * 3_600;
    static EVENTS: Phrases = Phrases::new(&[
        "concert", "gig", "opera", "ballet", "musical", "theatre", "theater", "have tickets for",
        "got tickets for",
    ]);
    let words = &message.words;
    // "buy concert tickets at 9"
    let is_errand = is_task_word(words.get(message.start)) && words.get(message.start) != "i";
    let is_event = !is_errand && (0..words.len()).any(|at| words.after(at, &EVENTS).is_some());
    let zone = message.zone();
    let is_morning = |at: Timestamp| at.utc().with_timezone(&zone).hour() < NOON;
    let is_open = |at: usize| {
        let clock = when::read(words, at).filter(|(spec, _)| spec.part.is_none());
        let clock = clock.and_then(|(spec, _)| spec.clock);
        clock.is_some_and(|clock| clock.bare && !clock.exact && (7..=9).contains(&clock.hour))
    };
    match intent {
        Intent::Remind {
            text,
            send_at,
            recurrence: None,
            zone,
        } if is_event && is_morning(send_at) && (0..words.len()).any(is_open) => Intent::Remind {
            text,
            send_at: send_at.plus_s(HALF_DAY_S),
            recurrence: None,
            zone,
        },
        other => other,
    }
}

/// What is left of other talk beside its time.
static RESTS: Phrases = Phrases::new(&[
    "try", "try again", "second", "first", "both", "both days", "extend to", "extend",
    "extend days", "summary", "daily summary", "here", "earlier", "later", "free", "asleep",
    "repeat",
]);

/// "from ZOB", "my daughter should come", "on days off I'm up", "tom's now": what is left beside the time
/// is nothing to do.
fn is_talk(text: &str) -> bool {
    let words = Words::new(text);
    let last = words.get(words.len().saturating_sub(1));
    // "tell bo i'm late"
    let is_telling = matches!(
        words.get(0),
        "tell" | "text" | "ask" | "say" | "call" | "message" | "email" | "write" | "let"
    );
    let is_clause = (1..words.len()).any(|at| {
        matches!(
            words.get(at),
            "should" | "shall" | "can" | "will" | "im" | "ill" | "ive" | "hes" | "shes" | "theyre"
        )
    });
    // "bus is on 11 from ZOB", "pill 15 and 21"
    let is_number = |at: usize| words.get(at).starts_with(|c: char| c.is_ascii_digit());
    let has_number_left = (1..words.len()).any(|at| match words.get(at) {
        "on" => is_number(at + 1),
        "and" | "&" => is_number(at - 1) && is_number(at + 1),
        // "meds then 10"
        "then" => is_number(at + 1),
        _ => false,
    });
    // "bo called", "alarm went off"
    let is_told = !is_task_word(words.get(0)) && is_past(words.get(1));
    let is_rest = RESTS.contains(words.phrase(0..words.len()).as_str());
    // "cacti as well"
    let is_added = matches!(last, "too" | "also") || text.to_lowercase().ends_with(" as well");
    names_nothing(text)
        || is_told
        || is_rest
        || has_number_left
        || matches!(
            words.get(0),
            "from"
                | "for"
                | "with"
                | "of"
                | "as"
                | "than"
                | "because"
                | "cos"
                | "cuz"
                | "wait"
                | "still"
                | "busy"
                | "ill"
                | "id"
                | "plus"
                | "only"
                | "just"
                | "after"
                | "also"
        )
        || is_added
        || when::month(words.get(0)).is_some() && !matches!(words.get(0), "may" | "march")
        || matches!(last, "now" | "then" | "though" | "sorry" | "works")
        || is_clause && !is_telling
}

/// "yes pls" of "yes pls, at 6": no task.
fn is_answer(text: &str) -> bool {
    let words = Words::new(text);
    let answers = |word: &str| {
        phrases![
            "ok", "okay", "please", "pls", "also", "thanks", "and", "works", "fine", "good",
            "great", "perfect", "sorry", "both"
        ]
        .contains(word)
            || is_yes(word)
            || is_no(word)
    };
    words.len() > 0 && words.iter().all(answers)
}

/// "call the bank before they close at 6": the time may be that of the clause.
fn is_time_of_clause(words: &Words) -> bool {
    let is_somebody =
        |at: usize| matches!(words.get(at), "they" | "he" | "she" | "it" | "we" | "i");
    let clause = (1..words.len()).find(|at| {
        matches!(words.get(*at), "before" | "until" | "till" | "after") && is_somebody(at + 1)
    });
    clause.is_some_and(|at| (at + 2..words.len()).any(|n| when::read(words, n).is_some()))
}

/// "split 100 by 4", "3 by 4": after a number, "by" and another one are no time.
fn counts_by(words: &Words) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut by = (1..words.len()).filter(|at| words.get(*at) == "by");
    by.any(|at| {
        let starts_so = words.get(at - 1).starts_with(|c: char| c.is_ascii_digit());
        let after = words.get(at + 1);
        let is_half_of_day = matches!(words.get(at + 2), "am" | "pm" | "oclock");
        starts_so && !after.is_empty() && is_number(after) && !is_half_of_day
    })
}

/// The message rewritten as a request for a reminder.
fn request(message: &ParsedMessage) -> Option<String> {
    let (words, at) = (&message.words, message.start);
    let lead = leading_time(words, at, false).filter(|(spec, _)| is_to_come(spec));
    let from = lead.map_or(at, |(_, end)| end);
    let time = words.original(at..from);
    let not_to_forget = words.after(from, &NOT_TO_FORGET);
    if let Some(thing) = words
        .after(from, &NOT_TO_FORGET_IT)
        .filter(|_| not_to_forget.is_none())
    {
        let noun = words.after_article(thing)?;
        let is_timed = lead.is_some() || names_time(words, thing, is_to_come);
        let thing = words.original(thing..words.len());
        return (is_task(words, noun) && is_timed).then(|| format!("remind me of {thing} {time}"));
    }
    if let Some(task) = not_to_forget.or_else(|| words.after(from, &HAS_TO)) {
        let is_timed = || lead.is_some() || names_time(words, task, is_to_come);
        return (is_task(words, task) && is_timed()).then(|| text(words, time, task));
    }
    let has_hour =
        |spec: &TimeExpression| is_to_come(spec) && (spec.clock.is_some() || spec.delay.is_some());
    if let Some(event) = words.after(from, &HAS) {
        let is_day = |spec: &TimeExpression| {
            has_hour(spec) || is_to_come(spec) && !matches!(spec.day, None | Some(Day::Today))
        };
        let is_timed =
            || lead.is_some_and(|(spec, _)| is_day(&spec)) || names_time(words, event, is_day);
        return (is_task(words, event) && is_timed()).then(|| text(words, time, event));
    }
    if let Some(request) = on_weekdays(words, from).filter(|_| lead.is_none()) {
        return Some(request);
    }
    let is_timed =
        || lead.is_some_and(|(spec, _)| has_hour(&spec)) || names_time(words, from, has_hour);
    (is_task(words, from) && is_timed()).then(|| text(words, time, from))
}

/// "gym mon wed fri at 7" as a request for a reminder.
fn on_weekdays(words: &Words, from: usize) -> Option<String> {
    const TASK_WORDS_MAX: usize = 4;
    let listed = |at: usize| {
        let days_from = words.skip(at, phrases!["on", "every"]);
        let (days, next) = repeats::weekdays(words, days_from)?;
        (days.len() > 1).then_some((at, days_from, next))
    };
    let last = words.len().min(from + 1 + TASK_WORDS_MAX);
    let (task_end, days_from, days_end) = (from + 1..last).find_map(listed)?;
    let (spec, end) = when::read(words, days_end)?;
    let is_hour = spec.clock.is_some() && spec.day.is_none() && end == words.len();
    (is_task(words, from) && is_hour).then(|| {
        let when = words.original(days_from..end);
        let task = words.original(from..task_end);
        format!("remind me every {when} to {task}")
    })
}

fn text(words: &Words, time: &str, from: usize) -> String {
    let task = words.original(from..words.len());
    match time.is_empty() {
        true => format!("remind me to {task}"),
        false => format!("remind me {time} to {task}"),
    }
}

fn names_time(words: &Words, from: usize, fits: impl Fn(&TimeExpression) -> bool) -> bool {
    let spec = split_words(words, from..words.len(), false).spec;
    from < words.len() && spec.is_some_and(|spec| fits(&spec))
}

fn is_to_come(spec: &TimeExpression) -> bool {
    !matches!(spec.day, Some(Day::InDays(..0) | Day::Over))
}

/// Whether what begins there can be done: it is no clause, and not over.
fn is_task(words: &Words, from: usize) -> bool {
    let first = words.get(from);
    let is_clause = [
        "", "i", "im", "ive", "we", "he", "she", "they", "it", "its", "the", "that", "this", "see",
        "is", "are", "to", "and", "or", "until", "till", "am", "pm",
    ]
    .contains(&first);
    // "do I have a meeting at 5"
    let is_question = matches!(
        words.get(from + 1),
        "i" | "we" | "you" | "he" | "she" | "it" | "they"
    );
    let is_number = first.starts_with(|c: char| c.is_ascii_digit());
    !is_clause
        && !is_question
        && !is_number
        && (!is_past(first) || is_fed_meeting(words, from))
        && when::weekday_name(first).is_none()
}

/// "fed meeting": that of a central bank.
fn is_fed_meeting(words: &Words, at: usize) -> bool {
    words
        .after(at, phrases!["fed meeting", "fed decision"])
        .is_some()
}

/// The past of a verb: "called", "went".
pub(super) fn is_past(word: &str) -> bool {
    let is_regular = word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed");
    is_regular || verbs::is_irregular_past(word) || matches!(word, "done" | "gone")
}
