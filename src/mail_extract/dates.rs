//! Dates in sentences, in the forms of several languages. An ambiguous date (`4/5/2026`) is
//! ignored.

use chrono::{Datelike, Days, NaiveDate, NaiveTime};

use super::WallDateTime;

/// Month names and abbreviations, in lower case.
#[rustfmt::skip]
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "gennaio", "gen", "janeiro", "januari", "januar"],
    &["february", "feb", "februar", "février", "févr", "febrero", "febbraio", "fevereiro", "fev", "februari"],
    &["march", "mar", "märz", "mrz", "mars", "marzo", "março", "maart", "mrt"],
    &["april", "apr", "avril", "avr", "abril", "abr", "aprile"],
    &["may", "mai", "mayo", "maggio", "mag", "maio", "mei", "maj"],
    &["june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho"],
    &["july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho"],
    &["august", "aug", "août", "agosto", "ago", "augustus", "augusti"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out"],
    &["november", "nov", "novembre", "noviembre", "novembro"],
    &["december", "dec", "dezember", "dez", "décembre", "déc", "diciembre", "dic", "dicembre", "dezembro", "desember"],
];
/// Between a day and its month, a month and its year.
const FILLERS: [&str; 9] = ["of", "de", "del", "d", "st", "nd", "rd", "th", "er"];
const TODAY: [&str; 7] = [
    "today", "heute", "aujourd’hui", "aujourd'hui", "hoy", "oggi", "vandaag",
];
const TOMORROW: [&str; 7] = [
    "tomorrow", "morgen", "demain", "mañana", "domani", "amanhã", "i morgon",
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum DateToken<'a> {
    /// The number's value, and how many digits it has.
    Number(u32, usize),
    Word(&'a str),
    Mark(char),
}

/// A date and where it stands in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FoundDate {
    pub(super) at: WallDateTime,
    pub(super) start: usize,
}

/// The first date of a text in lower case. Without a year it is the next such day after `sent`.
pub(super) fn first(text: &str, sent: NaiveDate) -> Option<FoundDate> {
    all(text, sent).into_iter().next()
}

/// The last one.
pub(super) fn last(text: &str, sent: NaiveDate) -> Option<FoundDate> {
    all(text, sent).into_iter().next_back()
}

/// `today` and `tomorrow`, as the sender meant them.
pub(super) fn relative(text: &str, sent: NaiveDate) -> Option<NaiveDate> {
    let is_said = |words: &[&str]| {
        words.iter().any(|word| {
            text.match_indices(word).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let after = text[at + word.len()..].chars().next();
                !before.is_some_and(char::is_alphanumeric)
                    && !after.is_some_and(char::is_alphanumeric)
            })
        })
    };
    if is_said(&TODAY) {
        return Some(sent);
    }
    is_said(&TOMORROW).then(|| sent.checked_add_days(Days::new(1)))?
}

fn all(text: &str, sent: NaiveDate) -> Vec<FoundDate> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut next = 0;
    while next < tokens.len() {
        let rest: Vec<DateToken<'_>> = tokens[next..]
            .iter()
            .take(12)
            .map(|(_, token)| *token)
            .collect();
        let whole = next == 0 || !matches!(tokens[next - 1].1, DateToken::Mark('/' | '-'));
        match date(&rest, sent).filter(|_| whole) {
            Some((date, used)) => {
                let time = time(&rest[used.min(rest.len())..]);
                let at = WallDateTime {
                    time,
                    ..WallDateTime::on(date)
                };
                found.push(FoundDate {
                    at,
                    start: tokens[next].0,
                });
                next += used;
            }
            None => next += 1,
        }
    }
    found
}

fn tokens(text: &str) -> Vec<(usize, DateToken<'_>)> {
    let mut tokens = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let is_digit = c.is_ascii_digit();
        if !is_digit && !c.is_alphabetic() {
            tokens.push((start, DateToken::Mark(c)));
            continue;
        }
        let mut end = start + c.len_utf8();
        // Characters for year, month and day stand alone.
        while let Some((at, next)) = chars.peek().copied() {
            let is_alone = matches!(c, '年' | '月' | '日');
            let belongs = match is_digit {
                true => next.is_ascii_digit(),
                false => next.is_alphabetic() && !is_alone,
            };
            if !belongs {
                break;
            }
            end = at + next.len_utf8();
            chars.next();
        }
        let word = &text[start..end];
        tokens.push((
            start,
            match (is_digit, word.parse()) {
                (true, Ok(value)) => DateToken::Number(value, word.len()),
                _ => DateToken::Word(word),
            },
        ));
    }
    tokens
}

/// A date at the begin of these tokens, and how many of them it takes.
#[rustfmt::skip] // a form a line
fn date(tokens: &[DateToken], sent: NaiveDate) -> Option<(NaiveDate, usize)> {
    use DateToken::{Mark, Number, Word};
    match *tokens {
        [Number(y, 4), Mark('-'), Number(m, 2), Mark('-'), Number(d, 2), ..]
        | [Number(y, 4), Mark('/'), Number(m, 1..=2), Mark('/'), Number(d, 1..=2), ..]
        | [Number(y, 4), Mark('.'), Number(m, 2), Mark('.'), Number(d, 2), ..] => Some((ymd(y, m, d)?, 5)),
        [Number(y, 4), Word("年"), Number(m, _), Word("月"), Number(d, _), Word("日"), ..] => Some((ymd(y, m, d)?, 6)),
        [Number(m, 1..=2), Word("月"), Number(d, 1..=2), Word("日"), ..] => Some((next_date(m, d, sent)?, 4)),
        [Number(d, 1..=2), Mark('.'), Number(m, 1..=2), Mark('.'), Number(y, 4), ..] => Some((ymd(y, m, d)?, 5)),
        [Number(d, 1..=2), Mark('.'), Number(m, 1..=2), Mark('.'), Number(y @ 20..=60, 2), ..] => Some((ymd(2000 + y, m, d)?, 5)),
        // A version has three numbers; after a date only a time follows.
        [Number(_, 1..=2), Mark('.'), Number(..), Mark('.'), Number(..)] => None,
        [Number(_, 1..=2), Mark('.'), Number(..), Mark('.'), Number(..), next, ..] if next != Mark(':') => None,
        [Number(d, 1..=2), Mark('.'), Number(m, 1..=2), Mark('.'), ..] => Some((next_date(m, d, sent)?, 4)),
        // `4/5/2026` may be either of two days.
        [Number(d @ 13.., 1..=2), Mark('/'), Number(m, 1..=2), Mark('/'), Number(y, 4), ..]
        | [Number(m, 1..=2), Mark('/'), Number(d @ 13.., 1..=2), Mark('/'), Number(y, 4), ..] => Some((ymd(y, m, d)?, 5)),
        [Number(d, 1..=2), ..] => day_and_month(d, tokens, sent),
        [Word(name), ..] => month_and_day(month(name)?, tokens, sent),
        _ => None,
    }
}

/// `5 December 2026`, `5. Dezember`, `5th of December`, `5 de diciembre de 2026`.
fn day_and_month(d: u32, tokens: &[DateToken], sent: NaiveDate) -> Option<(NaiveDate, usize)> {
    let at = after_fillers(tokens, 1);
    let Some(DateToken::Word(name)) = tokens.get(at) else {
        return None;
    };
    let m = month(name)?;
    let after = after_fillers(tokens, at + 1);
    match tokens.get(after) {
        Some(DateToken::Number(y, 4)) => Some((ymd(*y, m, d)?, after + 1)),
        _ => Some((next_date(m, d, sent)?, at + 1)),
    }
}

/// `December 5, 2026`, `Dec 5th`.
fn month_and_day(m: u32, tokens: &[DateToken], sent: NaiveDate) -> Option<(NaiveDate, usize)> {
    let at = after_fillers(tokens, 1);
    let Some(DateToken::Number(d, 1..=2)) = tokens.get(at) else {
        return None;
    };
    let after = after_fillers(tokens, at + 1);
    match tokens.get(after) {
        Some(DateToken::Number(y, 4)) => Some((ymd(*y, m, *d)?, after + 1)),
        _ => Some((next_date(m, *d, sent)?, at + 1)),
    }
}

fn after_fillers(tokens: &[DateToken], mut at: usize) -> usize {
    while let Some(DateToken::Mark('.' | ',' | '\'' | 'º' | '’') | DateToken::Word(_)) =
        tokens.get(at)
    {
        if let Some(DateToken::Word(word)) = tokens.get(at)
            && !FILLERS.contains(word)
        {
            break;
        }
        at += 1;
    }
    at
}

fn month(name: &str) -> Option<u32> {
    let at = MONTHS.iter().position(|names| names.contains(&name))?;
    Some(at as u32 + 1)
}

fn ymd(y: u32, m: u32, d: u32) -> Option<NaiveDate> {
    let y = i32::try_from(y)
        .ok()
        .filter(|y| (1990..=2200).contains(y))?;
    NaiveDate::from_ymd_opt(y, m, d)
}

/// The first such day that isn't before the mail; 29 February may be years away.
fn next_date(m: u32, d: u32, sent: NaiveDate) -> Option<NaiveDate> {
    let mut years = sent.year()..=sent.year() + 8;
    years.find_map(|y| NaiveDate::from_ymd_opt(y, m, d).filter(|date| *date >= sent))
}

/// `at 18:30`, `, 6:30 pm`, `um 18:30 Uhr`.
fn time(tokens: &[DateToken]) -> Option<NaiveTime> {
    use DateToken::{Mark, Number, Word};
    let skipped = tokens.iter().take(3).take_while(|token| {
        matches!(
            token,
            Mark(',' | '.' | '(') | Word("at" | "by" | "um" | "à" | "a" | "las" | "alle" | "om")
        )
    });
    let rest = &tokens[skipped.count()..];
    let afternoon = |hour: u32, word: &str| match (word, hour) {
        ("am", 12) => 0,
        ("pm", 1..=11) => hour + 12,
        _ => hour,
    };
    match *rest {
        [Number(h, 1..=2), Mark(':'), Number(m, 2), Word(word), ..] => {
            NaiveTime::from_hms_opt(afternoon(h, word), m, 0)
        }
        [Number(h, 1..=2), Mark(':'), Number(m, 2), ..] => NaiveTime::from_hms_opt(h, m, 0),
        [Number(h @ 1..=12, 1..=2), Word(word @ ("am" | "pm")), ..] => {
            NaiveTime::from_hms_opt(afternoon(h, word), 0, 0)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_several_languages() {
        let sent = NaiveDate::from_ymd_opt(2026, 11, 20).expect("a date");
        for (text, expected) in [
            ("on 2026-12-05.", Some("2026-12-05")),
            ("am 05.12.2026", Some("2026-12-05")),
            ("am 5.12. um 18:30 uhr", Some("2026-12-05T18:30:00")),
            ("bis 5.12.26", Some("2026-12-05")),
            ("5. dezember 2026", Some("2026-12-05")),
            ("december 5, 2026 at 6:30 pm", Some("2026-12-05T18:30:00")),
            ("dec 5th", Some("2026-12-05")),
            ("the 5th of december", Some("2026-12-05")),
            ("saturday, 5 december, 12 am", Some("2026-12-05T00:00:00")),
            ("le 5 décembre 2026", Some("2026-12-05")),
            ("1er janvier", Some("2027-01-01")),
            ("el 5 de diciembre de 2026", Some("2026-12-05")),
            ("il 5 dicembre", Some("2026-12-05")),
            ("op 5 mei 2027", Some("2027-05-05")),
            ("2026年12月5日", Some("2026-12-05")),
            ("12月5日", Some("2026-12-05")),
            ("12/25/2026", Some("2026-12-25")),
            ("25/12/2026", Some("2026-12-25")),
            ("3 november", Some("2027-11-03")),
            ("29 february", Some("2028-02-29")),
            // Either of two days.
            ("4/5/2027", None),
            ("5 apples", None),
            ("31 november", None),
            ("version 1.2.3", None),
            ("1234-5678-9012", None),
            ("call +49 30 5550101", None),
            ("may contain nuts", None),
            ("", None),
        ] {
            let found = first(text, sent).map(|found| found.at.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn today_and_tomorrow_are_words() {
        let sent = NaiveDate::from_ymd_opt(2026, 11, 30).expect("a date");
        for (text, expected) in [
            ("arriving today", Some("2026-11-30")),
            ("zustellung morgen", Some("2026-12-01")),
            ("guten morgens", None),
        ] {
            let found = relative(text, sent).map(|date| date.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
