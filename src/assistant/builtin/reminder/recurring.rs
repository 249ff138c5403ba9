//! Reminders that come again: "every monday at 9 to run". Frequencies are parsed in `repeats`.

use std::ops::Range;

use super::day_in_text;
use super::half_understood::{has_condition, has_time_left, is_condition};
use super::parts::{self, ReminderParts};
use super::repeats::{self, Repeat, RepeatProblem, repeats};
use super::spans;
use super::task_words::is_task_word;
use super::unread_words;
use super::waking::is_early;
use super::{REMINDER_CHARS_MAX, ReminderText, names_nothing};
use crate::assistant::builtin::{Intent, ParsedMessage, follow_up, wording};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression, amount};
use crate::assistant::text::words::Words;

/// A recurring reminder; `None` when these words belong to its text.
pub(super) fn repeated(
    message: &ParsedMessage,
    range: Range<usize>,
    request: &ReminderText,
) -> Option<Intent> {
    let words = &message.words;
    if let Some(asked) = times_of_day_or_week(message, range.clone(), request) {
        return Some(asked);
    }
    let Some((mut repeat, mut found)) = repeats::find(words, range.clone()) else {
        return Some(Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR));
    };
    let others = others_after(words, &repeat, found.end..range.end);
    if let Some((_, end)) = others.last() {
        found.end = *end;
    }
    let end = match others.is_empty() {
        true => repeat.take_limits(words, found.end..range.end),
        false => range.end,
    };
    let before = found.start.checked_sub(1).map_or("", |at| words.get(at));
    if matches!(before, "twice" | "thrice" | "times") {
        return Some(Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR));
    }
    let rest = format!(
        "{} {}",
        words.original(range.start..found.start),
        words.original(found.end..end)
    );
    let rest = Words::new(&rest);
    let mut parsed = parts::split_words(&rest, 0..rest.len(), false);
    if parsed.text.is_empty() || names_nothing(&parsed.text) {
        parsed.text = request.nothing.to_owned();
    }
    parsed.text = parts::without_question(message, parsed.text);
    let is_understood = take_day_at_end(&mut parsed, &mut repeat);
    parsed.text = request.with_purpose(parsed.text, words);
    if !is_understood || !take_times(&mut repeat, &[parsed.spec, request.lead], &parsed.text) {
        return Some(Intent::Unclear(wording::reminder_half_understood(
            &parsed.text,
        )));
    }
    repeat.take_24_hours(|hour| is_early(&parsed.text, hour));
    let left = Words::new(&parsed.text);
    let is_text = parsed.is_linked
        || unread_words::begins_with_text(words, range.start)
        || unread_words::begins_with_text(&rest, 0);
    let has_text = found.start > range.start;
    let is_limited = is_limited(&repeat, &left)
        || is_condition(words, found.end)
        || spans::names_span(words, found.end..range.end, has_text)
        || !is_text && spans::tells_when(&left, &parsed.tail);
    if is_limited {
        return Some(Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR));
    }
    // "floss and rent is 850 on the 1st of every month": floss once?
    let has_more = has_more(&left) || has_text && tells_another(&left);
    if unread_words::after_time(message, &rest, parsed.tail.clone()) || has_more {
        return Some(Intent::Unclear(wording::reminder_half_understood(
            &parsed.text,
        )));
    }
    let unknown = unread_words::unknown_before(&left, is_text);
    let repeats: Vec<Repeat> = others.into_iter().map(|(other, _)| other).collect();
    Some(unknown.unwrap_or_else(|| match repeats.is_empty() {
        true => recurring(message, &repeat, &parsed.text),
        false => each_recurring(message, &repeat, &repeats, &parsed.text),
    }))
}

/// "take my pill after dinner": at an hour that is not said.
fn ends_with_occasion(text: &str) -> bool {
    let words = Words::new(text);
    let at = words.len().saturating_sub(2);
    matches!(words.get(at), "after" | "before")
        && matches!(
            words.get(at + 1),
            "breakfast" | "lunch" | "dinner" | "supper" | "bed" | "bedtime" | "work" | "school"
        )
}

/// Takes a day of the week before the hour from the end of the text: "call mom sun" of "call mom sun
/// 6pm every week". False: it is a day of the month, or the like.
fn take_day_at_end(parsed: &mut ReminderParts, repeat: &mut Repeat) -> bool {
    let words = Words::new(&parsed.text);
    let Some(last) = words.len().checked_sub(1).filter(|last| *last > 0) else {
        return true;
    };
    let has_hour = parsed.spec.is_some() || repeat.names_time();
    if !has_hour || !repeat.goes_by_today() {
        return true;
    }
    let before = words.get(last - 1);
    let day = when::weekday_name(words.get(last)).filter(|_| before != "the");
    let Some(day) = day else {
        return when::ordinal(words.get(last)).is_none();
    };
    let text = words.original(0..last - usize::from(before == "on"));
    parsed.text = text.to_owned();
    repeat.start_on(Day::Weekday {
        day,
        next_week: false,
    });
    true
}

/// The hours beside the rule. False: there are too many, or the hour is not said.
fn take_times(repeat: &mut Repeat, times: &[Option<TimeExpression>], text: &str) -> bool {
    let mut times = times.iter().flatten();
    times.all(|spec| !repeat.has_time() && repeat.take_time(*spec))
        && (repeat.has_time() || !ends_with_occasion(text))
}

/// Whether the text takes the request back, or has another time.
fn has_more(text: &Words) -> bool {
    unread_words::is_taken_back(text)
        || has_time_left(text.original(0..text.len()))
        || repeats(text, 0..text.len())
        || day_in_text::has_repeat(text)
        || day_in_text::ends_with_limit(text)
        || ends_with_times(text)
}

/// Whether a thing is followed by a sentence about another one: "floss and rent is 850". What is asked or
/// said in it is a part of the thing: "check if bo is home and the oven is off".
fn tells_another(text: &Words) -> bool {
    const SUBJECT_WORDS_MAX: usize = 3;
    let is_said = |at: usize| {
        matches!(
            text.get(at),
            "if" | "whether" | "that" | "what" | "how" | "when" | "who" | "where" | "why"
        )
    };
    let is_verb = |at: usize| {
        matches!(
            text.get(at),
            "is" | "are" | "costs" | "cost" | "renews" | "expires" | "ends" | "arrives"
        )
    };
    let is_linked = |at: usize| text.get(at - 1) == "and" || text.is_set_off(at - 1);
    let mut starts = (1..text.len()).filter(|at| is_linked(*at));
    starts.any(|at| {
        let mut verbs = at + 1..text.len().min(at + 1 + SUBJECT_WORDS_MAX);
        // "rent is 850", unlike "pay what is due"
        let is_task = is_task_word(text.get(at)) && !is_verb(at + 1);
        !is_task && verbs.any(is_verb) && !(0..at + 1).any(is_said)
    })
}

/// "run 4 times": how often in all?
fn ends_with_times(text: &Words) -> bool {
    let Some(at) = text.len().checked_sub(2) else {
        return false;
    };
    let is_count = amount::count(text, at).is_some_and(|(_, end)| end == at + 1);
    is_count && text.get(at + 1) == "times"
}

/// Whether the text has a limit that is not understood: "every monday in december", "every year on my
/// birthday".
fn is_limited(repeat: &Repeat, text: &Words) -> bool {
    has_condition(text) || repeat.is_limited_by_end(text) || text.get(0) == "on"
}

/// "and wednesdays at 9" after "mondays at 8": more days with times of their own, and where each
/// ends.
fn others_after(words: &Words, first: &Repeat, range: Range<usize>) -> Vec<(Repeat, usize)> {
    const OTHERS_MAX: usize = 6;
    let mut others: Vec<(Repeat, usize)> = Vec::new();
    let mut end = range.start;
    let is_whole = |repeat: &Repeat| {
        (repeat.names_day() || repeat.step().is_some_and(|step| step.days == 1))
            && repeat.has_time()
    };
    while is_whole(first)
        && others.len() < OTHERS_MAX
        && let Some(next) = words.after(end, phrases!["and on", "and every", "and", "&"])
    {
        // "wednesday" is like "every wednesday" here, and "9 on sundays" like "at 9 on sundays".
        let read_after = |word: &str| {
            let rest = format!("{word} {}", words.original(next..range.end));
            let (repeat, end) = repeats::read(&Words::new(&rest), 0)?;
            Some((repeat, next + end - 1))
        };
        let read = repeats::read(words, next);
        let read = read
            .or_else(|| read_after("every"))
            .or_else(|| read_after("at"));
        let Some((repeat, after)) = read.filter(|(repeat, _)| is_whole(repeat)) else {
            break;
        };
        others.push((repeat, after));
        end = after;
    }
    others
}

fn each_recurring(
    message: &ParsedMessage,
    first: &Repeat,
    others: &[Repeat],
    text: &str,
) -> Intent {
    let mut each = Vec::new();
    for repeat in std::iter::once(first).chain(others) {
        match recurring(message, repeat, text) {
            remind @ Intent::Remind { .. } => each.push(remind),
            Intent::Several(more) => each.extend(more),
            _ => return Intent::unclear(wording::REMINDER_REPEATS_UNCLEAR),
        }
    }
    Intent::Several(each)
}

/// "3x"
fn is_times(word: &str) -> bool {
    let count = word.strip_suffix('x').unwrap_or_default();
    count.parse::<u8>().is_ok()
}

/// "3 times a day to drink": the question at which times.
fn times_of_day_or_week(
    message: &ParsedMessage,
    range: Range<usize>,
    request: &ReminderText,
) -> Option<Intent> {
    const COUNTS: [&str; 4] = ["times", "twice", "thrice", "time"];
    static A_DAY: Phrases = Phrases::new(&["a day", "per day", "each day", "every day", "daily"]);
    static A_WEEK: Phrases =
        Phrases::new(&["a week", "per week", "each week", "every week", "weekly"]);
    let words = &message.words;
    let count = range.clone().find(|at| {
        let word = words.get(*at);
        COUNTS.contains(&word) || is_times(word)
    })?;
    let a_day = words.after(count + 1, &A_DAY);
    let end = a_day.or_else(|| words.after(count + 1, &A_WEEK))?;
    let start = match words.get(count) {
        "times" | "time" => count.checked_sub(1).filter(|at| *at >= range.start)?,
        _ => count,
    };
    let before = parts::without_courtesies(words, range.start..start);
    let text = match before > range.start {
        true => range.start..before,
        false => end..range.end,
    };
    let is_whole = text.end == start && end == range.end || text.start == end;
    let text = parts::text_of(words, parts::after_link(words, text.start)..text.end);
    let left = Words::new(&text);
    let is_clear = !text.is_empty() && !has_time_left(&text) && !repeats(&left, 0..left.len());
    if !is_whole || !is_clear || request.lead.is_some() {
        return None;
    }
    let is_daily = a_day.is_some();
    Some(Intent::AskRest {
        reply: wording::reminder_times_unsaid(&text, is_daily),
        before: match is_daily {
            true => "remind me every day at ".to_owned(),
            false => "remind me every ".to_owned(),
        },
        after: format!(" to {text}"),
    })
}

pub(super) fn recurring(message: &ParsedMessage, repeat: &Repeat, text: &str) -> Intent {
    let text = if names_nothing(text) { "" } else { text };
    if text.chars().count() > REMINDER_CHARS_MAX {
        return Intent::Unclear(wording::reminder_too_long(REMINDER_CHARS_MAX));
    }
    // "every 3 hours, last one at 20:00"
    let lower = text.to_lowercase();
    let bounds = [
        ", last one", ", last", ", first one", ", first", ", the last one", ", the first one",
    ];
    if bounds.iter().any(|bound| lower.ends_with(bound)) {
        return Intent::Unclear(wording::reminder_half_understood(text));
    }
    let recurrences = match repeat.recurrences(message.context.now, message.zone()) {
        Ok(recurrences) => recurrences,
        Err(RepeatProblem::Time(problem)) => return Intent::Unclear(follow_up::problem(problem)),
        Err(RepeatProblem::Rule(error)) => {
            return Intent::Unclear(wording::recurrence_refused(error));
        }
    };
    let each = recurrences.into_iter().filter_map(|recurrence| {
        Some(Intent::Remind {
            text: text.to_owned(),
            send_at: recurrence.next()?,
            zone: None,
            recurrence: Some(recurrence),
        })
    });
    let mut each: Vec<Intent> = each.collect();
    match each.len() {
        0 => Intent::unclear(wording::REMINDER_NO_SUCH_TIME),
        1 if text.is_empty() => match each.remove(0) {
            Intent::Remind {
                send_at,
                recurrence,
                ..
            } => Intent::AskWhat {
                reply: wording::REMINDER_WITHOUT_TEXT.to_owned(),
                send_at,
                recurrence,
            },
            other => other,
        },
        _ if text.is_empty() => Intent::unclear(wording::REMINDER_WITHOUT_TEXT),
        1 => each.remove(0),
        _ => Intent::Several(each),
    }
}
