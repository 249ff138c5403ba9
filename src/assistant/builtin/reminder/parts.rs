//! Splits the words after "remind me" into time and text. The time may be before or after the text;
//! the one after takes precedence.

use std::ops::Range;

use super::task_words::is_task_word;
use crate::assistant::builtin::{ParsedMessage, tidied};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, PartOfDay, TimeExpression, time_at, trailing_time};
use crate::assistant::text::words::{Words, has_digit};
use crate::assistant::text::zone;
use crate::clock::Zone;

/// Words searched for a time. A longer text is refused anyway.
pub(super) const WORDS_MAX: usize = 1_100;

/// The parts of a command.
pub(in crate::assistant::builtin) struct ReminderParts {
    pub(in crate::assistant::builtin) spec: Option<TimeExpression>,
    pub(in crate::assistant::builtin) text: String,
    /// The words after a time within the text.
    pub(super) tail: Range<usize>,
    /// The time stands at the end.
    pub(super) is_trailing: bool,
    /// The text stands after "to", after the time where that is first.
    pub(super) is_linked: bool,
    /// The text tells a time of something else: "dinner is at 8".
    pub(super) is_clause: bool,
}

impl ReminderParts {
    fn new(spec: Option<TimeExpression>, text: String) -> Self {
        Self {
            spec,
            text,
            tail: 0..0,
            is_trailing: false,
            is_linked: false,
            is_clause: false,
        }
    }
}

pub(super) fn split_request(
    message: &ParsedMessage,
    range: Range<usize>,
    timer: bool,
) -> ReminderParts {
    let parsed = split_words(&message.words, range, timer);
    ReminderParts {
        text: without_question(message, parsed.text),
        ..parsed
    }
}

/// Removes the question mark of "Could you remind me to …?" from the text.
pub(super) fn without_question(message: &ParsedMessage, text: String) -> String {
    match text.strip_suffix('?') {
        Some(bare) if message.start > 0 => bare.trim_end().to_owned(),
        _ => text,
    }
}

/// The end of the words without "please" and thanks after them, which belong to no text unless they
/// are to be said.
pub(in crate::assistant) fn without_courtesies(words: &Words, range: Range<usize>) -> usize {
    /// Only where punctuation is before them.
    static SET_OFF: Phrases = Phrases::new(&[
        "ok", "okay", "ty", "cheers", "will you", "would you", "could you", "if you can",
        "if possible", "if you dont mind", "i appreciate it", "much appreciated",
        "that would be great", "that would be lovely", "youre the best", "good night", "goodbye",
        "bye", "bye bye", "have a nice day", "have a good day", "have a great day",
        "have a lovely day", "have a nice evening", "have a good evening", "have a lovely evening",
        "have a nice weekend", "have a good weekend", "have a lovely weekend",
    ]);
    const COURTESY_WORDS_MAX: usize = 5;
    // "ok?", unlike "ask if it is ok?"
    let is_asked = |before: Option<usize>| {
        let before = before.map_or("", |before| words.get(before));
        words.is_question() && !matches!(before, "" | "is" | "are" | "be" | "its" | "feels")
    };
    let mut end = range.end;
    loop {
        let first = end.saturating_sub(COURTESY_WORDS_MAX).max(range.start);
        let courtesy = (first..end).find(|at| {
            let before = at.checked_sub(1).filter(|before| *before >= range.start);
            let is_set_off = before.is_some_and(|before| words.is_set_off(before));
            let is_said = before.is_some_and(|before| is_saying(words.get(before)));
            words.is_courtesy(*at, end) && (is_set_off || !is_said)
                || words.after(*at, &SET_OFF) == Some(end) && (is_set_off || is_asked(before))
        });
        match courtesy {
            Some(at) => end = at,
            None => return end,
        }
    }
}

/// The words after "remind me" without courtesies, "also" and "too".
pub(super) fn of_body(words: &Words, from: usize) -> Range<usize> {
    let end = without_courtesies(words, from..words.len());
    let body = words.skip_courtesy(from);
    let body = if body < end { body } else { from };
    let body = words.skip(body, phrases!["also", "too", "as well"]);
    body..without_too(words, body..end)
}

/// The end of the words without "too" after a time: "to run tomorrow and on friday too".
fn without_too(words: &Words, range: Range<usize>) -> usize {
    static TOO: Phrases = Phrases::new(&["too", "as well", "also", "instead"]);
    let first = range.end.saturating_sub(2).max(range.start + 1);
    let too = (first..range.end).find(|at| words.after(*at, &TOO) == Some(range.end));
    let is_timed = |at: &usize| {
        words.get(at - 1) == "before"
            || words.get(*at) != "instead" && trailing_time(words, range.start..*at).is_some()
    };
    too.filter(is_timed).unwrap_or(range.end)
}

fn is_saying(word: &str) -> bool {
    matches!(
        word,
        "say" | "says" | "saying" | "write" | "send" | "give" | "a" | "my" | "our" | "the" | "big"
    )
}

pub(in crate::assistant::builtin) fn split_words(
    words: &Words,
    range: Range<usize>,
    timer: bool,
) -> ReminderParts {
    let end = without_courtesies(words, range.clone());
    if end - range.start > WORDS_MAX {
        return ReminderParts::new(None, tidied(words.original(range.start..end)));
    }
    let first = match words.after(range.start, phrases!["again", "later", "soon"]) {
        Some(next) if !matches!(words.get(next), "today" | "tonight") => next,
        _ => range.start,
    };
    // "just once at 5", "when it's 5"
    let once = words.after(first, &WHEN_IT_IS).or_else(|| {
        words.after(
            first,
            phrases!["just once", "only once", "just", "only", "once"],
        )
    });
    let first = once
        .filter(|next| leading_time(words, *next, timer).is_some())
        .unwrap_or(first);
    if let Some((spec, next)) = leading_time(words, first, timer).filter(|(_, next)| *next <= end) {
        return after_time(words, spec, (range.start, next), end);
    }
    let start = after_link(words, first);
    if tells_time(words, first, start..end) {
        return ReminderParts {
            is_clause: true,
            ..ReminderParts::new(None, text_of(words, start..end))
        };
    }
    if let Some((spec, at)) = trailing_time(words, start..end) {
        // "pay for friday": what is paid for is not said, and the day is hardly the reminder's.
        let is_of_thing =
            start > first && words.get(at) == "for" && is_lacking_thing(words, start..at);
        if is_of_thing {
            return ReminderParts::new(None, text_of(words, start..end));
        }
        // "pay rent due on friday", unlike "check when it's due on friday"
        let is_due = at > start + 1
            && words.get(at - 1) == "due"
            && !matches!(words.get(at - 2), "is" | "its" | "are");
        let text_end = match when::lacks_particle(words, start..at) {
            true => at + 1,
            false if is_due => at - 1,
            false => before_verb(words, start..at),
        };
        return ReminderParts {
            is_linked: start > first,
            is_trailing: true,
            ..ReminderParts::new(Some(spec), text_of(words, start..text_end))
        };
    }
    // "that tomorrow is a holiday" mentions a time that isn't the reminder's.
    let is_that_clause = start > first && words.get(first) == "that";
    if !is_that_clause && let Some((spec, found)) = time_within(words, start..end) {
        let text = text_around(words, start..end, &found);
        return ReminderParts {
            tail: found.end..end,
            ..ReminderParts::new(Some(spec), tidied(&text))
        };
    }
    ReminderParts::new(None, text_of(words, start..end))
}

/// Words before a time of day that say no more than "at".
static WHEN_IT_IS: Phrases = Phrases::new(&[
    "when its", "when it is", "once its", "once it is", "as soon as its", "as soon as it is",
]);

/// The end of the text without "that's" before the time: "hand over the keys, that's 6:15", "sign it
/// when it's 6:15".
fn before_verb(words: &Words, text: Range<usize>) -> usize {
    let end = text.end;
    let when = (text.start + 1..end).find(|at| words.after(*at, &WHEN_IT_IS) == Some(end));
    if let Some(when) = when {
        return when;
    }
    let is_verb = end > text.start + 2
        && matches!(words.get(end - 1), "thats" | "its" | "that's" | "it's")
        && words.is_set_off(end - 2);
    end - usize::from(is_verb)
}

/// Whether the text is a verb alone whose thing is not said: "pay", "prepare".
fn is_lacking_thing(words: &Words, text: Range<usize>) -> bool {
    let verbs = phrases![
        "pay", "prepare", "prep", "plan", "study", "pack", "shop", "cook", "bake", "book", "order",
        "practice", "practise", "apply", "register", "sign up", "get ready", "buy food", "train",
    ];
    words.after(text.start, verbs) == Some(text.end)
}

/// The text after a time, which may add to it. `begin` and `next`: where the words begin, and where
/// the time ends.
fn after_time(
    words: &Words,
    spec: TimeExpression,
    (begin, next): (usize, usize),
    end: usize,
) -> ReminderParts {
    let start = after_link(words, next);
    if tells_time(words, next, start..end) {
        return ReminderParts {
            is_linked: start > next,
            is_clause: true,
            ..ReminderParts::new(Some(spec), text_of(words, start..end))
        };
    }
    let trailing = trailing_time(words, start..end);
    if let Some(parts) = day_of_thing(words, begin, &spec, start..end) {
        return parts;
    }
    // "tomorrow to call mom at 5pm": the rest may add to the time.
    if let Some((more, at)) = trailing
        && let Some(both) = spec.merged(more)
    {
        return ReminderParts {
            is_linked: start > next,
            ..ReminderParts::new(Some(both), text_of(words, start..at))
        };
    }
    ReminderParts {
        is_linked: start > next,
        ..ReminderParts::new(Some(spec), text_of(words, start..end))
    }
}

/// The text without the time within it, nor thanks after that: "eat at 5 please. its important".
fn text_around(words: &Words, range: Range<usize>, time: &Range<usize>) -> String {
    let courtesy = words.after(time.end, phrases!["please", "pls", "plz", "thanks", "thx"]);
    let courtesy = courtesy.filter(|next| words.is_set_off(next - 1));
    let link = courtesy.map_or(" ", |_| ", ");
    let before = text_of(words, range.start..time.start);
    let after = text_of(words, courtesy.unwrap_or(time.end)..range.end);
    format!("{before}{link}{after}")
}

/// The whole text, where the time at its end belongs to it: "at 6 to prep for tomorrow", "at 6 to
/// read 2 chapters by friday". The reminder's own time, `spec`, stands before it. "set a reminder
/// at 6 to call for tomorrow" may mean both. `begin`: the first word after "remind me".
pub(super) fn day_of_thing(
    words: &Words,
    begin: usize,
    spec: &TimeExpression,
    text: Range<usize>,
) -> Option<ReminderParts> {
    let is_asked = begin > 0 && matches!(words.get(begin - 1), "me" | "us");
    let is_task = text.start > 0 && words.get(text.start - 1) == "to";
    if !is_asked || !is_task {
        return None;
    }
    let (of_thing, at) = trailing_time(words, text.clone()).filter(|(_, at)| *at > text.start)?;
    let before = words.get(at - 1);
    let is_before = |link| words.get(at) == link || at > text.start + 1 && before == link;
    let is_timed = spec.clock.is_some() || spec.delay.is_some();
    let has_day = of_thing.day.is_some();
    // "at 5 to do it tonight"
    let is_afternoon = spec.day.is_none()
        && spec
            .clock
            .is_some_and(|clock| clock.bare && clock.hour <= 6)
        && of_thing.part == Some(PartOfDay::Night)
        && of_thing.clock.is_none();
    let is_linked = if is_before("for") {
        is_timed || spec.day.is_some() && has_day
    } else {
        let has_time = is_timed || spec.day.is_some();
        let is_named = ["by", "due", "about"].into_iter().any(is_before);
        // "at 6 to be home by 8"
        let is_by_hour = is_timed && of_thing.clock.is_some() && is_before("by");
        let is_of_thing = is_named || is_afternoon || tells_clause(words, text.start..at);
        is_by_hour || has_time && has_day && is_of_thing
    };
    is_linked.then(|| ReminderParts {
        is_linked: true,
        is_clause: true,
        ..ReminderParts::new(Some(*spec), text_of(words, text))
    })
}

/// "tell tim i can't come", "ask if cy comes": a day after it is when that is.
fn tells_clause(words: &Words, text: Range<usize>) -> bool {
    let is_telling = matches!(
        words.get(text.start),
        "tell" | "ask" | "say" | "let" | "text" | "message" | "email" | "inform" | "warn"
    );
    let begins_clause = |at: usize| {
        matches!(
            words.get(at),
            "that" | "if" | "whether" | "i" | "im" | "ill" | "we" | "well" | "he" | "she" | "they"
        )
    };
    is_telling && (text.start + 1..text.end).any(begins_clause)
}

/// Whether the text after `link` tells when something else is: "that dinner is at 8", "to tell bo
/// dinner is at 8". What is to be done doesn't: "to say what it is at 5".
fn tells_time(words: &Words, link: usize, text: Range<usize>) -> bool {
    const VERBS: [&str; 21] = [
        "is", "are", "its", "was", "starts", "start", "begins", "begin", "ends", "leaves",
        "departs", "arrives", "lands", "opens", "closes", "comes", "arriving", "coming", "landing",
        "leaving", "starting",
    ];
    const TELLS: [&str; 11] = [
        "tell", "inform", "let", "text", "message", "email", "notify", "warn", "remind", "mention",
        "announce",
    ];
    let is_asked = |at: usize| matches!(words.get(at), "what" | "how" | "if" | "whether");
    if words.get(link) == "to"
        && (!TELLS.contains(&words.get(text.start)) || text.clone().any(is_asked))
    {
        return false;
    }
    let is_told = |at: usize| {
        let verb = words.get(at - 1);
        let is_moved = verb == "to" && at > text.start + 1 && words.get(at - 2) == "moved";
        let now = words.skip(at, phrases!["now"]);
        (VERBS.contains(&verb) || is_moved) && when::read(words, now).is_some()
    };
    (text.start + 1..text.end).any(is_told)
}

/// "in Tokyo" of "at noon in Tokyo to join": the zone of a time of day, and the index after it.
fn place_before_text(words: &Words, at: usize) -> Option<(Zone, usize)> {
    const PLACE_WORDS_MAX: usize = 3;
    let from = words.skip(at, phrases!["in"]);
    (from + 1..=from + PLACE_WORDS_MAX).find_map(|end| {
        let is_before_text = words.get(end) == "to";
        let zone = is_before_text.then(|| zone::find(&words.phrase(from..end)));
        Some((zone??, end))
    })
}

/// The time at `at`, with the place that is named after it.
pub(super) fn leading_time(
    words: &Words,
    at: usize,
    timer: bool,
) -> Option<(TimeExpression, usize)> {
    let from = words.skip(at, phrases!["for"]);
    if timer && let Some(found) = when::read_duration(words, from) {
        return Some(found);
    }
    // "for 7" is an hour only directly after "set an alarm".
    let (spec, end) = when::read(words, at)
        .or_else(|| when::read(words, from))
        .or_else(|| (from > at).then(|| when::read_hour(words, from)).flatten())?;
    let is_open = spec.clock.is_some() && spec.zone.is_none();
    let place = is_open.then(|| place_before_text(words, end)).flatten();
    Some(match place {
        Some((zone, end)) => {
            let zone = Some(zone);
            (TimeExpression { zone, ..spec }, end)
        }
        None => (spec, end),
    })
}

/// The last time within `range`.
fn time_within(words: &Words, range: Range<usize>) -> Option<(TimeExpression, Range<usize>)> {
    let mut found = None;
    let mut at = range.start;
    while at < range.end {
        match time_at(words, at).filter(|(_, end)| *end <= range.end) {
            Some((spec, end)) => {
                found = Some((spec, at..end));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// Words of a time that isn't understood, and the text without them: "in a bit to call",
/// "call before 6ish".
pub(super) fn without_unknown_time(text: &str) -> Option<(String, String)> {
    const LEAD_WORDS_MAX: usize = 7;
    const TAIL_WORDS_MAX: usize = 3;
    let words = Words::new(text);
    let len = words.len();
    let has_digit = |at: usize| has_digit(words.get(at));
    let parts = |time: Range<usize>, rest: Range<usize>| {
        let (time, rest) = (tidied(words.original(time)), text_of(&words, rest));
        (!rest.is_empty()).then_some((time, rest))
    };
    if is_time_link(words.get(0)) || has_digit(0) && words.get(0).contains('/') {
        let to =
            (1..len.min(LEAD_WORDS_MAX)).find(|at| words.get(*at) == "to" && !has_digit(*at + 1));
        if let Some(to) = to {
            return parts(0..to, to + 1..len);
        }
    }
    let last = len.saturating_sub(1);
    let misspelled = Some(last).filter(|last| *last > 0 && when::is_like_day(words.get(*last)));
    let tail = (last.saturating_sub(TAIL_WORDS_MAX - 1).max(1)..last)
        .find(|at| is_time_link(words.get(*at)) && has_digit(at + 1))
        .or(misspelled)?;
    // "for the next 3 days"
    let is_link = |at: usize| is_time_link(words.get(at)) || matches!(words.get(at), "for" | "the");
    let tail = (1..tail)
        .rev()
        .take_while(|at| is_link(*at))
        .last()
        .unwrap_or(tail);
    parts(tail..len, 0..tail)
}

fn is_time_link(word: &str) -> bool {
    phrases![
        "in", "at", "on", "before", "b4", "after", "by", "around", "when", "once", "until", "till",
        "during", "between", "from", "end", "eod", "eow", "over", "now", "asap", "soon",
        "sometime", "someday", "half", "next", "this", "mid-morning", "midmorning",
        "mid-afternoon", "midafternoon"
    ]
    .contains(word)
}

pub(super) fn after_link(words: &Words, at: usize) -> usize {
    let at = words.skip_courtesy(at);
    // "remind me 2 call"
    if words.get(at) == "2" && is_task_word(words.get(at + 1)) {
        return at + 1;
    }
    words.skip(
        at,
        phrases![
            "to", "that", "about", "abt", "of", "for", "titled", "called",
        ],
    )
}

pub(super) fn text_of(words: &Words, range: Range<usize>) -> String {
    let text = tidied(words.original(range));
    // One full stop ends the sentence; several are meant.
    match text.strip_suffix('.') {
        Some(bare) if !bare.ends_with('.') => bare.to_owned(),
        _ => text,
    }
}
