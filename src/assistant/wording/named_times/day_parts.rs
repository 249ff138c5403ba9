//! The part of the day that a text names beside an hour ("7 in the evening", "heute Abend um 7"), and
//! the quarters of an hour ("quarter past seven", "las siete y media").

use super::NamedHour;
use super::relative::{BEFORE_HOUR, number_of};
use super::tokens::TextToken;

/// Before noon.
const MORNING: [&str; 14] = [
    "morning", "morgens", "früh", "vormittags", "mañana", "madrugada", "matin", "mattina",
    "ochtends", "manhã", "morgonen", "утра", "صباحا", "صباحًا",
];
/// After noon.
const EVENING: [&str; 26] = [
    "afternoon", "evening", "tonight", "nachmittag", "nachmittags", "abend", "abends", "tarde",
    "soir", "pomeriggio", "sera", "stasera", "middags", "avond", "avonds", "vanavond",
    "eftermiddag", "eftermiddagen", "kväll", "kvällen", "ikväll", "вечера", "wieczorem", "pm",
    "مساء", "مساءً",
];
/// From the evening to the morning.
const NIGHT: [&str; 9] = [
    "night", "nachts", "noche", "noite", "nuit", "notte", "nacht", "natten", "ночи",
];
/// Whether an hour without am or pm in the same text is one after noon.
pub(super) fn is_after_noon(word: &str) -> bool {
    EVENING.contains(&word) || NIGHT.contains(&word) || matches!(word, "midi" | "middag")
}

/// The first hour that is one of an evening where such a word stands beside it, and the last one of a
/// morning.
const NIGHT_FROM: u32 = 7;
const NIGHT_TO: u32 = 5;
/// Between an hour and the part of its day: marks of hours, quarters and small words.
const BETWEEN: [&str; 41] = [
    "uhr", "o", "clock", "h", "horas", "hora", "heures", "heure", "uur", "in", "the", "at", "am",
    "de", "del", "la", "du", "di", "da", "s", "på", "y", "e", "et", "un", "media", "meia", "mezza",
    "mezzo", "demie", "cuarto", "quart", "quarto", "menos", "moins", "meno", "le", "thirty",
    "fifteen", "quinze", "dreißig",
];
/// Tokens beside an hour in which the part of its day stands.
const BESIDE_TOKENS: usize = 6;
/// Tokens between such a part and an hour after it: "tonight at 7", "esta tarde a las 7".
const BEFORE_TOKENS: usize = 3;
/// Words between the minutes and the hour: what is before it, and the minutes to add.
const BEFORE_WORDS: [((&str, &str), i32); 10] = [
    (("quarter", "past"), 15),
    (("quarter", "to"), -15),
    (("half", "past"), 30),
    (("viertel", "nach"), 15),
    (("viertel", "vor"), -15),
    (("kwart", "over"), 15),
    (("kwart", "voor"), -15),
    (("kvart", "över"), 15),
    (("kvart", "i"), -15),
    (("", "dreiviertel"), -15),
];
/// Words after an hour, and the minutes to add; the longest first.
const AFTER_WORDS: [(&[&str], i32); 20] = [
    (&["heures", "trente"], 30),
    (&["e", "trenta"], 30),
    (&["y", "treinta"], 30),
    (&["heures", "moins", "le", "quart"], -15),
    (&["heures", "et", "demie"], 30),
    (&["heures", "et", "quart"], 15),
    (&["y", "media"], 30),
    (&["y", "cuarto"], 15),
    (&["menos", "cuarto"], -15),
    (&["e", "un", "quarto"], 15),
    (&["meno", "un", "quarto"], -15),
    (&["e", "mezza"], 30),
    (&["e", "mezzo"], 30),
    (&["e", "meia"], 30),
    (&["e", "quinze"], 15),
    (&["menos", "quinze"], -15),
    (&["uhr", "dreißig"], 30),
    (&["thirty"], 30),
    (&["fifteen"], 15),
    (&["forty", "five"], 45),
];

/// The hour in the part of the day that stands beside it; `at`: its place.
pub(super) fn in_day_part(hour: NamedHour, tokens: &[TextToken], at: usize) -> NamedHour {
    if !(1..12).contains(&hour.hour) {
        return hour;
    }
    let Some(word) = part_after(tokens, at).or_else(|| part_before(tokens, at)) else {
        return hour;
    };
    let later = match hour.hour {
        _ if MORNING.contains(&word) => 0,
        _ if EVENING.contains(&word) => 12,
        NIGHT_FROM.. => 12,
        ..=NIGHT_TO => 0,
        _ => return hour,
    };
    NamedHour {
        hour: hour.hour + later,
        is_loose: false,
        ..hour
    }
}

/// Whether the part of its day stands after an hour.
pub(super) fn has_part_after(tokens: &[TextToken], at: usize) -> bool {
    part_after(tokens, at).is_some()
}

fn is_part(word: &str) -> bool {
    MORNING.contains(&word) || EVENING.contains(&word) || NIGHT.contains(&word)
}

fn is_beside(token: &TextToken) -> bool {
    matches!(token.gap, "" | " " | "'" | "’" | " '" | " ’" | "-")
}

fn part_after<'t>(tokens: &[TextToken<'t>], at: usize) -> Option<&'t str> {
    let mut last = tokens.get(at)?;
    let mut rest = &tokens[at + 1..];
    // The minutes in figures.
    if matches!(last.gap, ":" | "." | "：") && rest.first()?.number(2..=2).is_some() {
        (last, rest) = (rest.first()?, &rest[1..]);
    }
    for token in rest.iter().take(BESIDE_TOKENS) {
        // The word for a morning may be one for tomorrow.
        let is_tomorrow = token.text == "mañana" && last.text != "la";
        if !is_beside(last) || is_tomorrow {
            return None;
        }
        if is_part(token.text) {
            return Some(token.text);
        }
        let is_number = token.text.chars().all(|c| c.is_ascii_digit());
        if !is_number && !BETWEEN.contains(&token.text) {
            return None;
        }
        last = token;
    }
    None
}

fn part_before<'t>(tokens: &[TextToken<'t>], at: usize) -> Option<&'t str> {
    let before = &tokens[at.saturating_sub(BEFORE_TOKENS)..at];
    let lead = before.last()?;
    if !BEFORE_HOUR.contains(&lead.text) && lead.text != "à" {
        return None;
    }
    let mut words = before[..before.len() - 1].iter().rev();
    let found = words.find(|token| token.text != "a")?;
    let is_evening = EVENING.contains(&found.text) && found.text != "pm";
    let are_beside = before
        .iter()
        .rev()
        .take_while(|token| token.text != found.text);
    let all_beside = are_beside.chain([found]).all(is_beside);
    (is_evening && all_beside).then_some(found.text)
}

/// The hour and the minute of `hour` with the quarter that stands beside it, and whether it stands
/// before it.
pub(super) fn with_quarter(
    hour: u32,
    tokens: &[TextToken],
    at: usize,
) -> Option<((u32, u32), bool)> {
    let back = |count: usize| at.checked_sub(count).map_or("", |at| tokens[at].text);
    let before = BEFORE_WORDS
        .iter()
        .find(|((first, second), _)| back(1) == *second && (first.is_empty() || back(2) == *first));
    let is_after = |words: &[&str]| {
        let after = &tokens[at + 1..];
        after.len() >= words.len() && after.iter().zip(words).all(|(one, word)| one.text == *word)
    };
    let after = AFTER_WORDS.iter().find(|(words, _)| is_after(words));
    let minutes = match (before, after) {
        (Some((_, minutes)), None) | (None, Some((_, minutes))) => *minutes,
        _ => return None,
    };
    let whole = i32::try_from(hour).ok()? * 60 + minutes;
    let whole = u32::try_from(whole.rem_euclid(24 * 60)).ok()?;
    Some(((whole / 60, whole % 60), before.is_some()))
}

/// Whether the words after an hour may tell its minutes, in a way that is not read.
pub(super) fn may_have_minutes(tokens: &[TextToken], at: usize) -> bool {
    let next = |count: usize| tokens.get(at + count).map_or("", |token| token.text);
    let is_number = |word: &str| {
        let ends = [
            "zig", "ßig", "zehn", "teen", "ty", "ante", "enta", "anta", "tig", "tio",
        ];
        number_of(word).is_some_and(|number| number > 1)
            || !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
            || ends.iter().any(|end| word.ends_with(end))
    };
    let is_between = matches!(
        next(1),
        "y" | "e" | "et" | "menos" | "meno" | "moins" | "uhr" | "heures" | "uur"
    );
    tokens[at].gap.trim().is_empty() && (is_number(next(1)) || is_between && is_number(next(2)))
}
