//! Distances in time by a word after them: "10 minutes from now", "10 dakika sonra", "1時間30分後".

use super::relative::{is_half, number_of};
use super::tokens::TextToken;

/// Units, by their beginnings in scripts without spaces, with their minutes.
const UNSPACED_UNITS: [(&str, u32); 7] = [
    ("時間", 60),
    ("小时", 60),
    ("个小时", 60),
    ("시간", 60),
    ("分钟", 1),
    ("分", 1),
    ("분", 1),
];
const UNITS: [(&str, u32); 14] = [
    ("minute", 1),
    ("minutes", 1),
    ("min", 1),
    ("mins", 1),
    ("hour", 60),
    ("hours", 60),
    ("minuten", 1),
    ("stunde", 60),
    ("stunden", 60),
    ("dakika", 1),
    ("dk", 1),
    ("saat", 60),
    ("minutos", 1),
    ("horas", 60),
];
const PAIRS: [(&str, &str); 2] = [("from", "now"), ("ab", "jetzt")];
/// After a unit of a script without spaces.
const AFTER_UNSPACED: [&str; 3] = ["後", "后", "후"];

/// The minutes of a distance that begins at this place, and the place where it ends.
pub(super) fn minutes_after(tokens: &[TextToken], at: usize) -> Option<(u32, usize)> {
    unspaced(tokens, at).or_else(|| spaced(tokens, at))
}

fn count(token: &TextToken) -> Option<u32> {
    token.number(1..=3).or_else(|| number_of(token.text))
}

/// "10 minutes from now", "half an hour from now".
fn spaced(tokens: &[TextToken], at: usize) -> Option<(u32, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let unit_at = at
        + if matches!(word(at + 1), "a" | "an") {
            2
        } else {
            1
        };
    let (_, minutes) = UNITS.iter().find(|(unit, _)| *unit == word(unit_at))?;
    let half = is_half(word(at));
    let number = if half { 1 } else { count(&tokens[at])? };
    let is_after =
        word(unit_at + 1) == "sonra" || PAIRS.contains(&(word(unit_at + 1), word(unit_at + 2)));
    // "A quarter of an hour from now", "one and a half hours from now"
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let is_part = before.is_some_and(|before| {
        matches!(before.gap, "." | "," | ":") || matches!(before.text, "of" | "and" | "a")
    });
    let all = number * minutes / if half { 2 } else { 1 };
    (is_after && !is_part).then_some((all, unit_at + 1))
}

/// "1時間30分後", "2시간 후", "1時間半後".
fn unspaced(tokens: &[TextToken], at: usize) -> Option<(u32, usize)> {
    let of_unit = |text: &'_ str| {
        let mut units = UNSPACED_UNITS.iter();
        let found =
            units.find_map(|(unit, minutes)| Some((text.strip_prefix(unit)?.len(), *minutes)));
        found.map(|(rest, minutes)| (text.len() - rest, minutes))
    };
    let is_part = at > 0 && of_unit(tokens[at - 1].text).is_some();
    let (mut all, mut end) = (0, at);
    loop {
        let number = tokens.get(end)?.number(1..=3).filter(|_| !is_part)?;
        let unit = tokens.get(end + 1)?.text;
        let (length, minutes) = of_unit(unit)?;
        all += number * minutes;
        let rest = &unit[length..];
        let without_half = rest.strip_prefix(['半', '반']);
        all += if without_half.is_some() {
            minutes / 2
        } else {
            0
        };
        let rest = without_half.unwrap_or(rest);
        let after = if rest.is_empty() {
            tokens.get(end + 2).map_or("", |one| one.text)
        } else {
            rest
        };
        if AFTER_UNSPACED.iter().any(|word| after.starts_with(word)) {
            return Some((all, end + 1));
        }
        if !rest.is_empty() {
            return None;
        }
        end += 2;
    }
}
