//! Hours in words: "neun Uhr", "half past eight".

use crate::assistant::text::when::amount;

use super::NamedHour;
use super::day_parts::{has_part_after, may_have_minutes, with_quarter};
use super::relative::{BEFORE_HOUR, BETWEEN_MINUTES_AND_HOUR, HOUR_MARKS, number_of};
use super::tokens::TextToken;

/// "neun Uhr", "at nine", "halb neun", "quarter past eight". `None` also where its minutes are not
/// read.
pub(super) fn hour_in_words(tokens: &[TextToken], at: usize) -> Option<NamedHour> {
    let word = tokens[at].text;
    let back = |count: usize| at.checked_sub(count).map_or("", |at| tokens[at].text);
    let number = number_of(word)? + tens_before(word, (back(1), back(2)))?;
    let number = Some(number).filter(|number| *number < 24)?;
    let next = |count: usize| tokens.get(at + count).map_or("", |token| token.text);
    let is_between = |word: &str| BETWEEN_MINUTES_AND_HOUR.contains(&word);
    let is_half = |word: &str| matches!(word, "halb" | "half" | "halv");
    // "ten to nine", "five before half nine"
    let is_of_other = is_between(next(1)) && (number_of(next(2)).is_some() || is_half(next(2)));
    if is_of_other || is_half(back(1)) && is_between(back(2)) {
        return None;
    }
    let has_part = has_part_after(tokens, at);
    let has_mark = HOUR_MARKS.contains(&next(1))
        || matches!(next(1), "uur" | "heures" | "horas")
        || (next(1), next(2)) == ("o", "clock")
        || has_part
        // "alle diciotto", and not "alle achtzehn Tage"
        || number > 12
            && matches!(back(1), "alle" | "ore" | "las" | "às")
            && !word.ends_with("zehn")
            && !word.ends_with("zig");
    let quarter = with_quarter(number, tokens, at);
    let is_led = BEFORE_HOUR.contains(&back(1)) && (back(1) != "alle" || has_part)
        || back(1) == "alle" && quarter.is_some();
    let (hour, minute) = match (back(1), quarter) {
        _ if number > 12 && !has_mark => return None,
        // "half an hour"
        ("half", _) if matches!(word, "a" | "an") => return None,
        // "half nine" is after the hour in English.
        ("half", _) if amount::is_number(word) => (number, 30),
        ("halb" | "half" | "halv", _) => ((number + 11) % 12, 30),
        (_, Some((time, is_before))) if is_before || is_led || has_mark => time,
        _ if may_have_minutes(tokens, at) => return None,
        _ if has_mark && number > 0 => (number, 0),
        // "At one point"; "um eins" is not among the words.
        _ if is_led && number > 1 => (number, 0),
        _ => return None,
    };
    Some(NamedHour {
        hour,
        minute,
        is_loose: number <= 12,
        tolerance: 0,
    })
}

/// What is to be added to a number for those before it: "dix-sept", "vingt-deux", "vingt et une".
/// `None`: it is no such number.
fn tens_before(word: &str, before: (&str, &str)) -> Option<u32> {
    let number = number_of(word)?;
    match before {
        ("dix", _) if (7..=9).contains(&number) => Some(10),
        ("vingt", _) if (2..=3).contains(&number) => Some(20),
        ("et", "vingt") if number == 1 => Some(20),
        ("dix" | "vingt" | "twenty", _) => None,
        _ => Some(0),
    }
}
