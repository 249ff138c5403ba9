//! Words of a day, of a repeat or of a condition that are left in the text beside a time that was
//! understood: "run before friday" at 18:00. When they mean is not known, so nothing is to be set.

use super::parts::ReminderParts;
use super::task_words::ASKS;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression, amount, month, weekday_name};
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// Days in a month.
const DAYS_MAX: u32 = 31;

/// Whether words of a time are left. `is_linked`: the text stands after the time and "to", so that
/// a day in it may be that of the thing: "at 5 to finish the essay before friday".
pub(super) fn has_left(text: &Words, parsed: &ReminderParts, is_linked: bool) -> bool {
    if has_repeat(text) || has_other_hour(text) || is_quoted_in_part(text) {
        return true;
    }
    let has_day = parsed.spec.is_some_and(|spec| has_day(&spec));
    let is_around = parsed.is_trailing || !parsed.tail.is_empty();
    let is_own = is_linked && !is_around;
    let is_named = |words: &Words| !has_day && names_day_at_end(words, is_linked, is_own);
    if !has_day && ends_with_short_day(text) || ends_with_limit(text) || is_named(text) {
        return true;
    }
    if is_own {
        return false;
    }
    let before = text.len().saturating_sub(parsed.tail.len());
    let head = match is_around {
        true => Words::new(text.original(0..before)),
        false => Words::new(""),
    };
    let is_week = matches!(text.get(before), "week" | "fortnight") && !parsed.tail.is_empty();
    is_week
        || ends_with_limit(&head)
        || ends_before_day(&head, parsed.spec)
        || is_named(&head)
        || !has_day && (has_limit(text) || [text, &head].into_iter().any(ends_with_span))
}

fn has_day(spec: &TimeExpression) -> bool {
    spec.day.is_some() || spec.delay.is_some()
}

/// "every weds", "every full moon", "alternate days", unlike "every room".
pub(super) fn has_repeat(text: &Words) -> bool {
    /// What is not a time. Sorted.
    static THINGS: WordSet = WordSet::new(&[
        "account", "app", "bag", "bed", "bin", "bit", "body", "book", "bottle", "box", "branch",
        "button", "camera", "candle", "car", "card", "cat", "chair", "chapter", "child", "client",
        "coin", "colleague", "computer", "corner", "cup", "customer", "cut", "device", "dish",
        "dog", "door", "drawer", "email", "employee", "exercise", "file", "filter", "floor",
        "flower", "friend", "game", "gift", "glass", "guest", "invoice", "item", "key", "kid",
        "lamp", "last", "letter", "light", "line", "link", "list", "lock", "mail", "member",
        "message", "name", "note", "one", "page", "parent", "part", "person", "phone", "photo",
        "picture", "pillow", "plant", "player", "pot", "question", "radiator", "receipt", "room",
        "shelf", "shirt", "shoe", "single", "student", "surface", "table", "task", "tenant",
        "test", "ticket", "towel", "tree", "video", "wall", "window", "word",
    ]);
    let is_unit = |word: &str| {
        matches!(
            word,
            "day"
                | "days"
                | "week"
                | "weeks"
                | "month"
                | "months"
                | "year"
                | "hour"
                | "morning"
                | "evening"
                | "night"
                | "spring"
                | "summer"
                | "autumn"
                | "winter"
                | "payday"
                | "mornings"
                | "evenings"
                | "nights"
        ) || weekday_name(word).is_some()
    };
    (0..text.len()).any(|at| {
        let next = text.get(at + 1);
        match text.get(at) {
            "every" => !THINGS.contains(text.hashed(at + 1)),
            "alternate" | "alternating" => next.is_empty() || is_unit(next),
            "each" | "ever" | "most" => is_unit(next),
            "bi-weekly" | "bi-monthly" | "bi-annually" => next.is_empty(),
            "weekends" | "weekdays" | "weekend" => next == "only",
            "daily" | "weekly" | "monthly" | "hourly" => at > 1 && next.is_empty(),
            _ => false,
        }
    })
}

/// "instead of 7", "in 12 and the bread": another hour or wait.
fn has_other_hour(text: &Words) -> bool {
    let is_number = |at: usize| text.get(at).starts_with(|c: char| c.is_ascii_digit());
    (0..text.len()).any(|at| {
        let instead = text.after(at, phrases!["instead of at", "instead of"]);
        let is_wait = text.get(at) == "in"
            && text.get(at + 1).parse::<u32>().is_ok()
            && matches!(text.get(at + 2), "and" | "then");
        instead.is_some_and(is_number) || is_wait
    })
}

/// `eat" doesn't work`: the request was quoted. A sign of inches stands after a number.
fn is_quoted_in_part(text: &Words) -> bool {
    let typed = text.original(0..text.len());
    if !typed.contains(['"', '”']) {
        return false; // most texts
    }
    let quotes = typed.matches(['"', '“', '”']).count();
    let ends_word = typed.split_whitespace().any(|word| {
        let bare = word.trim_end_matches(['"', '”']);
        bare.len() < word.len() && bare.ends_with(char::is_alphabetic)
    });
    quotes % 2 == 1 && ends_word
}

/// "text joe sun", unlike "sit in the sun".
fn ends_with_short_day(text: &Words) -> bool {
    let Some(last) = text.len().checked_sub(1).filter(|last| *last > 1) else {
        return false;
    };
    matches!(text.get(last), "sun" | "sat" | "wed" | "mon")
        && !matches!(
            text.get(last - 1),
            "the" | "a" | "an" | "some" | "of" | "no" | "for" | "my" | "full" | "with" | "to"
        )
}

/// "if i'm hungry", "when i'm home", unlike "ask bo if he comes".
///
/// `is_before_time`: "when i get home" stands before its time, "at 5".
pub(super) fn has_condition(text: &Words, is_before_time: bool) -> bool {
    let asks = |at: usize| {
        (0..at).any(|at| {
            let word = text.get(at);
            ASKS.contains(&word)
                || matches!(
                    word,
                    "text" | "message" | "email" | "write" | "learn" | "look" | "remember"
                )
        })
    };
    (1..text.len()).any(|at| {
        let (next, verb) = (text.get(at + 1), text.get(at + 2));
        let is_clause = !matches!(next, "" | "to") && !verb.is_empty();
        let is_mine = matches!(next, "i" | "im" | "ive" | "we" | "weve" | "youre");
        let is_condition = match text.get(at) {
            "if" => !matches!(text.get(at - 1), "as" | "even" | "what" | "only"),
            "when" | "whenever" => (is_clause || is_mine) && !is_before_time,
            "once" => (is_mine || matches!(verb, "is" | "are" | "has")) && !is_before_time,
            "as" => text.after(at, phrases!["as soon as"]).is_some() && !is_before_time,
            _ => false,
        };
        is_condition && !asks(at)
    })
}

/// "run a week" before monday, "run 5th" before next month.
fn ends_before_day(head: &Words, spec: Option<TimeExpression>) -> bool {
    let Some(last) = head.len().checked_sub(1).filter(|last| *last > 0) else {
        return false;
    };
    let before = head.get(last - 1);
    let is_ordinal = when::ordinal(head.get(last)).is_some_and(|day| day <= DAYS_MAX)
        && head.get(last).starts_with(|c: char| c.is_ascii_digit())
        && !matches!(before, "her" | "his" | "my" | "our" | "their" | "your");
    let is_of_weekday = spec.is_some_and(|spec| matches!(spec.day, Some(Day::Weekday { .. })));
    match head.get(last) {
        "good" | "easter" if is_of_weekday => true,
        _ => is_ordinal || ends_with_days(head),
    }
}

/// "run from" or "run starting", before a day that was taken out.
pub(super) fn ends_with_limit(text: &Words) -> bool {
    let Some(last) = text.len().checked_sub(1).filter(|last| *last > 0) else {
        return false;
    };
    let before = text.get(last - 1);
    match text.get(last) {
        "since" | "until" | "till" | "starting" | "beginning" | "except" | "than" => true,
        "from" => !matches!(before, "is" | "are" | "was" | "come" | "comes" | "came"),
        "to" => before == "up",
        _ => false,
    }
}

/// "run a week", "run 2 weeks", unlike "pack for 3 days".
fn ends_with_days(head: &Words) -> bool {
    const DAYS_WORDS_MAX: usize = 3;
    let first = head.len().saturating_sub(DAYS_WORDS_MAX).max(1);
    (first..head.len()).any(|at| {
        let is_linked = phrases![
            "for", "of", "in", "the", "within", "next", "last", "every", "by", "another", "past"
        ]
        .contains(head.get(at - 1));
        let days = amount::delay(head, at, true)
            .is_some_and(|(delay, end)| end == head.len() && (delay.days > 0 || delay.months > 0));
        days && !is_linked
    })
}

/// "before friday", "no later than friday".
fn has_limit(text: &Words) -> bool {
    (0..text.len()).any(|at| {
        let is_link = phrases![
            "before", "after", "since", "until", "till", "from", "except", "starting", "beginning",
            "than",
        ]
        .contains(text.get(at));
        is_link && when::day_at(text, at + 1).is_some()
    })
}

/// Days that are known by a name whose date isn't, or by no date at all.
static NAMES: Phrases = Phrases::new(&[
    "nye", "thanksgiving", "hanukkah", "chanukah", "diwali", "eid", "passover", "pentecost",
    "payday", "overmorrow", "midweek", "eom", "eow", "eoy", "new year", "new years", "day off",
    "xmas", "christmas", "easter", "halloween", "valentines", "tus", "midsummer", "the weekend",
    "bank holiday",
]);

/// Whether the last words name a day: "call mum nye", "pay early january", "meet 5.12". `is_text`:
/// the first word is one of the text.
/// `is_own`: the time is before it, so that "before" is of the thing.
fn names_day_at_end(words: &Words, is_text: bool, is_own: bool) -> bool {
    const NAME_WORDS_MAX: usize = 2;
    let len = words.len();
    let Some(last) = len.checked_sub(1) else {
        return false;
    };
    let before = |at: usize| at.checked_sub(1).map_or("", |at| words.get(at));
    let is_thing = |at: usize| {
        phrases![
            "for", "about", "of", "with", "a", "an", "to", "happy", "merry", "plan", "prepare",
            "organise", "organize", "enjoy", "discuss", "prep",
        ]
        .contains(before(at))
            || is_own && matches!(before(at), "before" | "by" | "due" | "from" | "on")
    };
    let first = len.saturating_sub(NAME_WORDS_MAX);
    let is_name = (first..len)
        .any(|at| words.after(at, &NAMES) == Some(len) && !is_thing(at) && (at > 0 || !is_text));
    let is_of_noun = |at: usize| matches!(before(at), "the" | "my" | "our" | "his" | "her");
    let is_day = words.get(last) == "day"
        && last > 0
        && !is_thing(last - 1)
        && !is_of_noun(last - 1)
        && !phrases![
            "", "the", "my", "your", "our", "this", "nice", "good", "great", "whole", "next",
            "one", "some", "per", "a", "his", "her", "their", "each", "that", "big", "lovely",
        ]
        .contains(before(last));
    let is_dated =
        last > 0 && is_date(words.get(last)) && !is_amount(words, last) && !is_thing(last);
    let is_month = names_month(words, last) && !is_thing(last - 1);
    is_name || is_day || is_month || is_dated
}

/// "5.12" after these is probably an amount.
fn is_amount(words: &Words, last: usize) -> bool {
    let is_paid = matches!(
        words.get(0),
        "pay"
            | "spend"
            | "send"
            | "give"
            | "transfer"
            | "deposit"
            | "withdraw"
            | "collect"
            | "refund"
            | "return"
    );
    is_paid && words.get(last).contains('.')
}

/// "later this week", "next summer".
fn ends_with_span(words: &Words) -> bool {
    let Some(last) = words.len().checked_sub(1).filter(|last| *last > 0) else {
        return false;
    };
    let is_span = matches!(
        words.get(last),
        "week"
            | "month"
            | "year"
            | "quarter"
            | "summer"
            | "spring"
            | "autumn"
            | "winter"
            | "season"
            | "weekend"
    );
    is_span && matches!(words.get(last - 1), "this" | "next" | "coming")
}

/// "mid december", "jan 2027", "5 dez".
fn names_month(words: &Words, last: usize) -> bool {
    let Some(before) = last.checked_sub(1).map(|at| words.get(at)) else {
        return false;
    };
    let is_number = |word: &str| word.parse::<u32>().is_ok_and(|day| day <= DAYS_MAX);
    let is_part = matches!(before, "mid" | "early" | "late" | "beginning" | "end");
    let is_year = words.get(last).len() == 4 && words.get(last).starts_with("20");
    let is_short = last > 1
        && matches!(
            words.get(last),
            "feb" | "apr" | "jul" | "aug" | "sep" | "sept" | "oct" | "nov" | "dec"
        )
        && !matches!(before, "for" | "about" | "in" | "of");
    // "first week of december"
    let of_month = before == "of"
        && last > 2
        && matches!(
            words.get(last - 2),
            "week" | "half" | "part" | "middle" | "start" | "days"
        );
    let is_joined = words.get(last).split_once('-').is_some_and(|(part, name)| {
        matches!(part, "mid" | "early" | "late") && month(name).is_some()
    });
    let is_foreign = matches!(
        words.get(last),
        "dez" | "okt" | "mai" | "dezember" | "oktober"
    );
    is_short
        || is_joined
        || month(words.get(last)).is_some() && (is_part || of_month || is_number(before))
        || month(before).is_some() && is_year
        || is_foreign && is_number(before)
}

/// "5.12", "13-12", "20261205".
fn is_date(word: &str) -> bool {
    let is_day = |first: &str, second: &str| {
        let number = |part: &str| {
            let is_short = (1..=2).contains(&part.len());
            is_short.then(|| part.parse::<u32>().ok()).flatten()
        };
        let (first, second) = (number(first), number(second));
        matches!((first, second), (Some(1..=DAYS_MAX), Some(1..=12)))
    };
    let is_plain = word.len() == 8 && word.starts_with("20") && word.parse::<u32>().is_ok();
    is_plain
        || word
            .split_once(['.', '-'])
            .is_some_and(|(first, second)| is_day(first, second))
}

/// "run 5" before "jan 27": the number may be the day, and the other one the year.
pub(super) fn ends_with_day_of_month(words: &Words, text: &Words) -> bool {
    let Some(last) = text.len().checked_sub(1) else {
        return false;
    };
    let number = text.get(last);
    number.parse::<u32>().is_ok_and(|day| day <= DAYS_MAX)
        && (0..words.len()).any(|at| {
            let is_date = when::day_at(words, at + 1)
                .is_some_and(|(day, _)| matches!(day, Day::OfYear { .. }));
            words.get(at) == number && month(words.get(at + 1)).is_some() && is_date
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::builtin::reminder::parts::split_words;

    #[test]
    fn words_of_time_beside_a_time() {
        for (request, expected) in [
            ("run every full moon at 6pm", true),
            ("run before friday at 6pm", true),
            ("run at 6pm after friday", true),
            ("run except friday at 6pm", true),
            ("run a week on monday", true),
            ("run at 6pm today week", true),
            ("call mum nye at 6pm", true),
            ("call mum mother's day at 6pm", true),
            ("pay early january at 9am", true),
            ("pay 13-12 at 9am", true),
            ("text joe sun around 4pm", true),
            ("eat at 8 instead of 7", true),
            ("at 5 to eat\" doesn't work", true),
            ("at 8 to take meds nye", true),
            ("at 8 to take meds mid december", true),
            ("run most days at 6pm", true),
            ("call mum first week of december at 6pm", true),
            ("at 5 to pay bo 12.10", false),
            ("at 5 to plan next summer", false),
            ("clean every room at 6pm", false),
            ("at 5 to finish it before friday", false),
            ("buy sweets for halloween at 6pm", false),
            ("sit in the sun at 6pm", false),
            ("pack for 3 days tomorrow", false),
            ("plan my day at 8am", false),
            ("call april at 6pm", false),
            ("buy a 24\" screen at 6pm", false),
            ("run at 6pm", false),
        ] {
            let words = Words::new(request);
            let parsed = split_words(&words, 0..words.len(), false);
            let text = Words::new(&parsed.text);
            let is_linked = parsed.is_linked || words.get(0) != "at";
            assert_eq!(has_left(&text, &parsed, is_linked), expected, "{request}");
        }
    }

    #[test]
    fn conditions_are_told_from_questions() {
        for (text, expected) in [
            ("eat if i'm hungry", true),
            ("eat when i'm home", true),
            ("ask bo if he comes", false),
            ("see when i can come", false),
            ("look if it's there", false),
            ("call mum when bo is out", true),
            ("call mum as soon as bo is out", true),
            ("learn when to stop", false),
            ("act as if nothing happened", false),
            ("eat", false),
        ] {
            assert_eq!(has_condition(&Words::new(text), false), expected, "{text}");
        }
    }
}
