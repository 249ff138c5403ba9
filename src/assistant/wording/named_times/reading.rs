//! Reads days and hours in figures: "am 5. Dezember", "9 pm".

use chrono::{Days, NaiveDate};

use super::names::{month_of, weekday_of};
use super::relative::{self, BEFORE_HOUR, BETWEEN_MINUTES_AND_HOUR, HOUR_MARKS};
use super::tokens::TextToken;
use super::{NamedDay, NamedHour};

const TODAY: [&str; 14] = [
    "bugün", "today", "tonight", "heute", "hoy", "aujourd", "oggi", "stasera", "vandaag",
    "vanavond", "hoje", "idag", "اليوم", "الليلة",
];
/// Pairs of words for a part of this day.
const PARTS_OF_TODAY: [(&str, &str); 3] = [("ce", "soir"), ("esta", "noche"), ("esta", "tarde")];
const TOMORROW: [&str; 13] = [
    "yarın", "tomorrow", "morgen", "mañana", "manana", "demain", "domani", "amanhã", "amanha",
    "imorgon", "غدا", "غدًا", "غد",
];
/// After these such a word is a morning.
const BEFORE_MORNING: [&str; 10] = [
    "guten", "am", "jeden", "heute", "goede", "deze", "la", "esta", "una", "cada",
];
/// Before such a word: the day after it.
const DAY_AFTER: [&str; 5] = ["after", "pasado", "après", "depois", "بعد"];
const AFTER_TOMORROW: [&str; 5] = [
    "öbür", "übermorgen", "overmorgen", "dopodomani", "övermorgon",
];
/// Between a day's number and its month, or the month and the year.
const FILLERS: [&str; 8] = ["of", "de", "del", "st", "nd", "rd", "th", "er"];
/// Between a weekday and its date.
const ARTICLES: [&str; 8] = ["the", "den", "dem", "der", "el", "le", "il", "dia"];
/// Before a number with one of the words of `HOURS` after it.
const BEFORE_HOURS: [&str; 3] = ["à", "vers", "as"];
const HOURS: [&str; 5] = ["h", "heures", "heure", "horas", "hora"];
/// After an hour and an apostrophe: "7'de".
const TURKISH_SUFFIXES: [&str; 8] = ["de", "da", "te", "ta", "e", "a", "ye", "ya"];
/// Before an hour in scripts without spaces.
const MORNINGS: [&str; 6] = ["午前", "朝", "上午", "早上", "오전", "아침"];
const MINUTE_MARKS: [&str; 2] = ["分", "분"];
/// Words of a part of an hour. An hour near one that isn't read with it is compared loosely.
const HOUR_PARTS: [&str; 28] = [
    "quarter", "half", "viertel", "dreiviertel", "cuarto", "cuarta", "media", "quart", "demi",
    "demie", "moins", "menos", "meno", "quarto", "mezza", "mezzo", "meia", "kwart", "kwartier",
    "kvart", "halv", "halve", "halbe", "halben", "anderthalb", "eineinhalb", "anderhalf",
    "halvtimme",
];
const BEFORE_DISTANCE: [&str; 5] = ["in", "dans", "tra", "fra", "daqui"];
/// Tokens beside an hour among which such words are looked for.
const NEAR_TOKENS: usize = 5;
pub(super) fn day(tokens: &[TextToken], at: usize, today: NaiveDate) -> Option<NamedDay> {
    let word = tokens[at].text;
    let text_at = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |one| one.text);
    let before = text_at(at.checked_sub(1));
    let after_days = |days| today.checked_add_days(Days::new(days)).map(NamedDay::Date);
    // "A week from today", "de hoy en ocho"
    let is_start = before == "from" || before == "de" && text_at(Some(at + 1)) == "en";
    if TODAY.contains(&word) && is_start {
        let is_week = text_at(at.checked_sub(2)) == "week" || text_at(Some(at + 2)) == "ocho";
        return after_days(7).filter(|_| is_week);
    }
    if TODAY.contains(&word) || PARTS_OF_TODAY.contains(&(before, word)) {
        return after_days(0);
    }
    if AFTER_TOMORROW.contains(&word) {
        return after_days(2);
    }
    if TOMORROW.contains(&word) || word == "morgon" && before == "i" {
        let before_that = text_at(at.checked_sub(2));
        return match DAY_AFTER.contains(&before) || DAY_AFTER.contains(&before_that) {
            true => after_days(2),
            false if BEFORE_MORNING.contains(&before) => None,
            false => after_days(1),
        };
    }
    if let Some(date) = with_marks(tokens, at) {
        return Some(date);
    }
    let with_next = format!("{word}{}{}", tokens[at].gap, text_at(Some(at + 1)));
    if let Some(weekday) = weekday_of(word).or_else(|| weekday_of(&with_next)) {
        return Some(match has_date_after(tokens, at) {
            true => NamedDay::OfDate(weekday),
            false => NamedDay::Weekday(weekday),
        });
    }
    if let Some(month) = month_of(word) {
        return of_year(tokens, at, month);
    }
    iso_date(tokens, at)
        .or_else(|| of_month(tokens, at))
        .or_else(|| relative::date_in_figures(tokens, at))
        .or_else(|| relative::day(tokens, at, today))
}

/// "12月4日"
fn with_marks(tokens: &[TextToken], at: usize) -> Option<NamedDay> {
    let [month, mark, day, ..] = &tokens[at..] else {
        return None;
    };
    let is_month = matches!(mark.text, "月" | "월");
    is_month.then_some(NamedDay::OfYear {
        month: month.number(1..=2)?,
        day: day.number(1..=2)?,
        year: None,
    })
}

/// Whether the date of a weekday stands after it: "Samstag, den 28. Dezember".
fn has_date_after(tokens: &[TextToken], at: usize) -> bool {
    let is_near = |token: &TextToken<'_>| matches!(token.gap.trim(), "" | "," | "." | "-" | ")");
    let rest = tokens[at + 1..].iter().zip(at + 1..);
    let mut rest = rest.skip_while(|(token, _)| ARTICLES.contains(&token.text));
    let Some((token, place)) = rest.next() else {
        return false;
    };
    let is_month = |token: &TextToken<'_>| month_of(token.text).is_some();
    let mut after = tokens[place + 1..].iter();
    let next = after.find(|token| !FILLERS.contains(&token.text));
    let is_day = token.number(1..=2).is_some();
    is_near(&tokens[at])
        && (is_month(token) && next.is_some_and(|next| next.number(1..=2).is_some())
            || is_day && next.is_some_and(is_month)
            || iso_date(tokens, place).is_some()
            || relative::date_in_figures(tokens, place).is_some()
            || of_month(tokens, place).is_some())
}

/// "Saturday the 29th", "Samstag, den 29.": the day's number after a weekday.
fn of_month(tokens: &[TextToken], at: usize) -> Option<NamedDay> {
    let number = tokens[at]
        .number(1..=2)
        .filter(|day| (1..=31).contains(day))?;
    let back = |count: usize| at.checked_sub(count).map_or("", |at| tokens[at].text);
    let next = |count: usize| tokens.get(at + count).map_or("", |token| token.text);
    let has_article = ARTICLES.contains(&back(1));
    let weekday = if has_article { back(2) } else { back(1) };
    let is_ordinal = matches!(next(1), "st" | "nd" | "rd" | "th") && tokens[at].gap.is_empty()
        || has_article && back(1) != "the" && tokens[at].gap.starts_with('.');
    let month_at = if tokens[at].gap.is_empty() { 2 } else { 1 };
    let has_month = month_of(next(month_at)).is_some() || month_of(next(month_at + 1)).is_some();
    (is_ordinal && !has_month && weekday_of(weekday).is_some()).then_some(NamedDay::OfMonth(number))
}

/// "5 May 2030", "May 5th", "5 de mayo de 2030": `at` is the month's place.
pub(super) fn of_year(tokens: &[TextToken], at: usize, month: u32) -> Option<NamedDay> {
    let is_filler = |token: &&TextToken<'_>| FILLERS.contains(&token.text);
    let mut back = tokens[..at].iter().rev().skip_while(is_filler);
    let mut after = tokens[at + 1..].iter().filter(|token| !is_filler(token));
    let is_day = |number: &u32| (1..=31).contains(number);
    let before = back
        .next()
        .and_then(|token| token.number(1..=2))
        .filter(is_day);
    let day = before.or_else(|| after.next()?.number(1..=2).filter(is_day))?;
    let year = after.next().and_then(|token| token.number(4..=4));
    Some(NamedDay::OfYear {
        month,
        day,
        year: year.and_then(|year| i32::try_from(year).ok()),
    })
}

fn iso_date(tokens: &[TextToken], at: usize) -> Option<NamedDay> {
    let [year, month, day, ..] = &tokens[at..] else {
        return None;
    };
    if (year.gap, month.gap) != ("-", "-") {
        return None;
    }
    let numbers = (
        year.number(4..=4)?,
        month.number(2..=2)?,
        day.number(2..=2)?,
    );
    let year = i32::try_from(numbers.0).ok()?;
    NaiveDate::from_ymd_opt(year, numbers.1, numbers.2).map(NamedDay::Date)
}

/// Whether words beside an hour or a distance name a part of an hour: "quarter to nine", "in an hour
/// and a half", "2h30". `parts_from`: from there on, as the parts before are read.
pub(super) fn has_part_near(tokens: &[TextToken], at: usize, parts_from: usize) -> bool {
    let from = at.saturating_sub(NEAR_TOKENS);
    let near = from..(at + NEAR_TOKENS + 1).min(tokens.len());
    let mut near = near.map(|one| (one, &tokens[one]));
    near.any(|(one, token)| {
        let before = one.checked_sub(1).map(|before| &tokens[before]);
        let is_minutes = before.is_some_and(|before| {
            before.number(1..=2).is_some() || relative::number_of(before.text).is_some()
        });
        one >= parts_from && HOUR_PARTS.contains(&token.text)
            || is_minutes && BETWEEN_MINUTES_AND_HOUR.contains(&token.text)
            || token.gap == "." && token.number(1..=2).is_some() && one > at
            || token.text == "h" && token.gap.is_empty() && one > at
    })
}

/// Whether a text names a part of an hour.
pub fn has_part_of_hour(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    words.any(|word| HOUR_PARTS.contains(&word))
}

/// "7'de"; `at`: the place of the number.
fn has_turkish_suffix(tokens: &[TextToken], at: usize) -> bool {
    let suffix = tokens.get(at + 1).map_or("", |token| token.text);
    let last = tokens.get(at);
    last.is_some_and(|token| matches!(token.gap, "'" | "’")) && TURKISH_SUFFIXES.contains(&suffix)
}

/// Half an hour after the hour: "6時半", "6시 반".
fn is_half_mark(mark: &str, next: Option<&TextToken>) -> bool {
    let has_half = next.is_some_and(|next| next.text.starts_with('반'));
    mark.starts_with("時半") || mark.starts_with("点半") || mark == "시" && has_half
}

/// The minutes of the hour at this place, the place after them, and whether they are surely those of
/// an hour.
fn minutes_after(tokens: &[TextToken], at: usize, before: &str) -> (u32, usize, bool) {
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let minutes = tokens.get(at + 1).and_then(|token| token.number(2..=2));
    let minutes = minutes.filter(|minute| *minute < 60);
    match (tokens[at].gap, minutes) {
        (":" | "：", Some(minute)) => (minute, at + 2, true),
        (".", Some(minute)) => (
            minute,
            at + 2,
            BEFORE_HOUR.contains(&before) || has_turkish_suffix(tokens, at + 1),
        ),
        _ => match (text_at(at + 1), tokens.get(at + 2)) {
            ("h", None) => (0, at + 2, true),
            ("h", Some(minutes)) if tokens[at + 1].gap.is_empty() => {
                (minutes.number(2..=2).unwrap_or(0), at + 3, true)
            }
            (mark, Some(minutes))
                if HOUR_MARKS.contains(&mark)
                    && MINUTE_MARKS
                        .iter()
                        .any(|mark| text_at(at + 3).starts_with(mark)) =>
            {
                (minutes.number(1..=2).unwrap_or(0), at + 3, true)
            }
            (mark, next) if is_half_mark(mark, next) => (30, at + 1, true),
            (mark, _) if BEFORE_HOURS.contains(&before) => (0, at + 1, HOURS.contains(&mark)),
            _ => (0, at + 1, false),
        },
    }
}

pub(super) fn hour(tokens: &[TextToken], at: usize, is_afternoon: bool) -> Option<NamedHour> {
    let token = &tokens[at];
    let hour = token.number(1..=2).filter(|hour| *hour <= 24)?;
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    // The minutes of another hour, or a part of a number or date.
    if before.is_some_and(|token| {
        token.number(1..=9).is_some() && matches!(token.gap, ":" | "：" | "." | "," | "-" | "/")
    }) {
        return None;
    }
    let before = before.map_or("", |token| token.text);
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
    // "in 2h30" is a distance; "18時10分前" is before the hour.
    let is_distance = BEFORE_DISTANCE.contains(&before) && text_at(at + 1) == "h";
    if is_distance || text_at(at + 3).starts_with("分前") {
        return None;
    }
    let is_before_hour = BEFORE_HOUR.contains(&before);
    // "halb 7"
    if matches!(before, "halb" | "halv") {
        return Some(NamedHour {
            hour: (hour + 23) % 24,
            minute: 30,
            is_loose: hour <= 12,
            tolerance: 0,
        });
    }
    let (minute, next, is_clock) = minutes_after(tokens, at, before);
    let half = match (text_at(next), text_at(next + 1)) {
        ("am", _) | ("a", "m") => Some(0),
        ("pm", _) | ("p", "m") => Some(12),
        _ => None,
    };
    let has_mark = HOUR_MARKS.iter().any(|mark| {
        let rest = text_at(next).strip_prefix(mark);
        // "2時間" is how long something takes.
        rest.is_some_and(|rest| !rest.starts_with(['間', '간']))
    });
    // "6時" may be one after noon, and "午前6時" not.
    let is_unspaced_bare = has_mark
        && text_at(next) != "uhr"
        && !MORNINGS.iter().any(|morning| before.ends_with(morning));
    if let Some(half) = half.filter(|_| hour <= 12) {
        return Some(NamedHour {
            hour: hour % 12 + half,
            minute,
            is_loose: false,
            tolerance: 0,
        });
    }
    let is_bare =
        !is_clock && (is_before_hour || has_turkish_suffix(tokens, next - 1)) && !has_mark;
    (is_clock || has_mark || is_bare).then_some(NamedHour {
        hour,
        minute,
        is_loose: hour <= 12 && (is_bare || is_afternoon || is_unspaced_bare),
        tolerance: 0,
    })
}
