//! Days of the week as they are listed: "mon, wed and fri", "mon-thu", "weekdays", "mwf".

use chrono::Weekday;

use crate::assistant::text::phrases::phrases;
use crate::assistant::text::when::weekday_name;
use crate::assistant::text::words::Words;

/// Limit of listed days.
const DAYS_MAX: usize = 7;

pub(super) const ALL_DAYS: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

/// "monday", "mon, wed and fri", "weekdays", "monday to friday".
pub(super) fn weekdays(words: &Words, at: usize) -> Option<(Vec<Weekday>, usize)> {
    let workdays = || ALL_DAYS[..5].to_vec();
    match words.get(at) {
        "weekday" | "weekdays" | "workday" | "workdays" | "weeknight" | "weeknights" | "m-f" => {
            return Some((workdays(), at + 1));
        }
        "working" | "school" if matches!(words.get(at + 1), "day" | "days") => {
            return Some((workdays(), at + 2));
        }
        "mwf" => return Some((vec![Weekday::Mon, Weekday::Wed, Weekday::Fri], at + 1)),
        "weekend" | "weekends" => return Some((ALL_DAYS[5..].to_vec(), at + 1)),
        slashed if slashed.contains('/') => {
            let days: Option<Vec<Weekday>> = slashed.split('/').map(weekday_name).collect();
            return days.map(|days| (days, at + 1));
        }
        _ => {}
    }
    if let Some((first, last)) = dashed(words.get(at)) {
        return Some((from_to(first, last), at + 1));
    }
    let first = weekday_name(words.get(at))?;
    if let Some(next) = words.after(at + 1, phrases!["to", "through", "thru"])
        && let Some(last) = weekday_name(words.get(next))
    {
        return Some((from_to(first, last), next + 1));
    }
    let (mut days, mut end) = (vec![first], at + 1);
    while days.len() < DAYS_MAX {
        let next = words.skip(end, phrases!["and on", "and", "&"]);
        // "mon wed fri"; "sat" and "sun" are other words, too.
        let word = words.get(next);
        let is_listed = next > end || words.is_set_off(end - 1) || !matches!(word, "sat" | "sun");
        let Some(day) = weekday_name(word).filter(|_| is_listed) else {
            break;
        };
        days.push(day);
        end = next + 1;
    }
    Some((days, end))
}

/// "mwf", "mon/wed/fri", but not "the mwf schedule".
pub(super) fn is_compact(words: &Words, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |n| words.get(n));
    let word = words.get(at);
    if word != "mwf" && word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false; // most words
    }
    let is_list = matches!(word, "m-f" | "mwf")
        || dashed(word).is_some()
        || word.contains('/') && word.split('/').all(|day| weekday_name(day).is_some());
    is_list && !matches!(before, "the" | "a" | "my" | "our")
}

/// "mon-thu": its first and last day.
pub(super) fn dashed(word: &str) -> Option<(Weekday, Weekday)> {
    if word.len() < "mon-thu".len() {
        return None; // most words
    }
    let (first, last) = word.split_once(['-', '–'])?;
    Some((weekday_name(first)?, weekday_name(last)?))
}

/// The days from one to another, both included.
fn from_to(first: Weekday, last: Weekday) -> Vec<Weekday> {
    let (from, count) = (first.num_days_from_monday(), last.days_since(first) + 1);
    let days = (from..from + count).map(|n| ALL_DAYS[(n % 7) as usize]);
    days.collect()
}
