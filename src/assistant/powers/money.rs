//! Amounts of money: "12.50", "12,50", "$1,200", "30 euros". Whole minor units; the currency stays
//! as typed. It converts nothing.

use serde::{Deserialize, Serialize};

use crate::assistant::text::words::{Words, has_digit};

/// The largest accepted amount: ten million, in minor units.
const AMOUNT_MINOR_MAX: i64 = 1_000_000_000;

const SYMBOLS: [&str; 12] = ["$", "€", "£", "¥", "₹", "₽", "₺", "₩", "₫", "₪", "₦", "₴"];
/// Names of one currency; its own name is the first. "¥" is the yen.
const SAME: [&[&str]; 21] = [
    &["$", "dollars", "dollar", "bucks", "buck", "usd"],
    &["€", "euros", "euro", "eur"],
    &["£", "pounds", "pound", "gbp", "quid", "pfund", "sterling"],
    &["¥", "yen", "jpy"],
    &["₹", "rupees", "rupee", "inr", "rs"],
    &["₽", "rub", "rubles", "roubles"],
    &["₺", "lira", "try"],
    &["₩", "won"],
    &["₴", "uah", "hryvnia"],
    &["₪", "ils", "shekels"],
    &["₫", "dong"],
    &["pln", "zloty", "zlotys", "zł"],
    &["czk", "korun", "kč"],
    &["huf", "forint"],
    &["ron", "lei"],
    &["bgn", "leva"],
    &["thb", "baht"],
    &["zar", "rand"],
    &["aed", "dirham", "dirhams"],
    &["idr", "rupiah"],
    &["chf", "francs", "franc", "franken"],
];
/// Names of one currency each, or of several.
const OTHER_NAMES: [&str; 24] = [
    "pesos", "peso", "reais", "real", "brl", "kronor", "kroner", "crowns", "sek", "nok", "dkk",
    "cad", "aud", "nzd", "yuan", "cny", "krona", "krone", "kr", "sgd", "hkd", "mxn", "php",
    "ringgit",
];
const CENTS: [&str; 4] = ["cents", "cent", "ct", "pence"];
/// Names that people also use of other money than that.
const SLANG: [&str; 2] = ["bucks", "buck"];

/// A currency before a number ("$") or after it ("€", "euros").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Currency {
    text: String,
    before: bool,
}

/// A parsed amount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Money {
    pub(super) minor: i64,
    pub(super) currency: Option<Currency>,
}

impl Currency {
    /// The currency as it was typed: "$", "euros".
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// "12 bucks" may be of any currency.
    pub(super) fn is_slang(&self) -> bool {
        SLANG
            .iter()
            .any(|name| self.text.eq_ignore_ascii_case(name))
    }
}

impl Money {
    /// An amount of major units; `None`: zero, less, or too much. Whole minor units are kept.
    pub(super) fn of(amount: f64, currency: Option<&str>) -> Option<Self> {
        let minor = (amount * 100.0).round();
        let fits = (1.0..=AMOUNT_MINOR_MAX as f64).contains(&minor);
        fits.then(|| Self {
            minor: minor as i64,
            currency: currency.map(|text| Currency {
                text: text.to_owned(),
                before: SYMBOLS.contains(&text),
            }),
        })
    }
}

/// "12.40", "€5", "30 euros": money alone, that can hardly be another number.
pub fn is_sum(text: &str) -> bool {
    let words = Words::new(text);
    let Some((money, end)) = read(&words, 0) else {
        return false;
    };
    let hundredths = words.get(0).rsplit_once(['.', ',']);
    let has_hundredths = hundredths.is_some_and(|(_, digits)| digits.len() == 2);
    end == words.len() && (money.currency.is_some() || has_hundredths)
}

/// Minor units as a number of major ones, for a language model.
pub(super) fn major(minor: i64) -> f64 {
    minor as f64 / 100.0
}

/// The amount at word `at`, and the index after it. Zero, less, and too much are none.
pub(super) fn read(words: &Words, at: usize) -> Option<(Money, usize)> {
    let word = words.get(at);
    let first = word.as_bytes().first()?;
    // Most words. Other symbols than "$" aren't ASCII.
    if first.is_ascii() && !first.is_ascii_digit() && *first != b'$' || ends_amount(words, at) {
        return None;
    }
    let before = SYMBOLS.iter().find(|symbol| word.starts_with(**symbol));
    let rest = before.map_or(word, |symbol| &word[symbol.len()..]);
    let after = SYMBOLS.iter().find(|symbol| rest.ends_with(**symbol));
    let digits = after.map_or(rest, |symbol| &rest[..rest.len() - symbol.len()]);
    let grouped = thousands(digits, words.get(at + 1)).filter(|_| after.is_none());
    let at = at + usize::from(grouped.is_some());
    // "1.2k"
    let thousand = digits.strip_suffix('k').filter(|_| grouped.is_none());
    let minor = minor(grouped.as_deref().or(thousand).unwrap_or(digits))?;
    let minor = minor * if thousand.is_some() { 1_000 } else { 1 };
    if minor > AMOUNT_MINOR_MAX {
        return None;
    }
    let typed = |text: &str, before| {
        Some(Currency {
            text: text.to_owned(),
            before,
        })
    };
    let next = words.get(at + 1);
    if before.is_none() && after.is_none() && CENTS.contains(&next) {
        let minor = (minor % 100 == 0).then_some(minor / 100)?;
        let currency = None;
        return Some((Money { minor, currency }, at + 2));
    }
    let (currency, end) = match (before, after) {
        (Some(symbol), _) => (typed(symbol, true), at + 1),
        (None, Some(symbol)) => (typed(symbol, false), at + 1),
        _ if SYMBOLS.contains(&next) => (typed(next, false), at + 2),
        _ if is_name(next) => (typed(subject_of(words, at + 1), false), at + 2),
        _ => (None, at + 1),
    };
    // "23 euros and 40 cents"
    let more = hundredths_after(words, end).filter(|_| currency.is_some() && minor % 100 == 0);
    let (hundredths, end) = more.unwrap_or((0, end));
    let minor = minor + hundredths;
    Some((Money { minor, currency }, end))
}

/// "and 40 cents", or the "40" of "23 euros 40 on lunch".
fn hundredths_after(words: &Words, end: usize) -> Option<(i64, usize)> {
    let at = end + usize::from(matches!(words.get(end), "and" | "&"));
    let count: i64 = words.get(at).parse().ok()?;
    if !(1..100).contains(&count) {
        return None;
    }
    if CENTS.contains(&words.get(at + 1)) {
        return Some((count, at + 2));
    }
    let is_name = end
        .checked_sub(1)
        .is_some_and(|last| is_name(words.get(last)));
    let is_alone = at == end && words.get(at).len() == 2 && is_name;
    (is_alone && matches!(words.get(at + 1), "" | "on" | "for")).then_some((count, at + 1))
}

/// Whether these are the hundredths of the amount before them.
fn ends_amount(words: &Words, at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map_or("", |at| words.get(at));
    let and = usize::from(matches!(before(1), "and" | "&"));
    let is_unit = |n: usize| match before(n) {
        word if is_name(word) || SYMBOLS.contains(&word) => has_digit(before(n + 1)),
        word => has_digit(word) && SYMBOLS.iter().any(|symbol| word.contains(symbol)),
    };
    let end = at.saturating_sub(and);
    // Most words are after no amount.
    end > 0 && is_unit(and + 1) && hundredths_after(words, end).is_some()
}

/// "1 000" as "1000".
fn thousands(digits: &str, next: &str) -> Option<String> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_grouped = (1..=3).contains(&digits.len()) && next.len() == 3 && !digits.starts_with('0');
    (is_grouped && is_number(digits) && is_number(next)).then(|| format!("{digits}{next}"))
}

/// The parts of a sentence with an amount each, as words from and to: it is cut at "and", "plus",
/// commas and new lines where an amount was before and another one follows.
pub(super) fn parts(words: &Words, from: usize, end: usize) -> Vec<(usize, usize)> {
    let is_link = |at: usize| {
        matches!(
            words.get(at),
            "and" | "n" | "&" | "plus" | "then" | "also" | "oh" | "um" | "uh"
        )
    };
    let is_amount = |at: &usize| read(words, *at).is_some();
    let amounts: Vec<usize> = (from..end).filter(is_amount).collect();
    if amounts.len() < 2 {
        let mut others = (from..end).filter(|at| !is_link(*at));
        let first = others.next();
        let last = others.next_back().or(first);
        return first
            .zip(last)
            .map(|(first, last)| (first, last + 1))
            .into_iter()
            .collect();
    }
    let has_amount = |from: usize, to: usize| amounts.iter().any(|at| (from..to).contains(at));
    // Pieces between commas and "and", whatever they hold.
    let mut parsers = Vec::new();
    let mut start = from;
    for at in from..end {
        if is_link(at) || words.is_set_off(at) || at + 1 == end {
            let to = at + usize::from(!is_link(at));
            if to > start {
                parsers.push((start, to));
            }
            start = at + 1;
        }
    }
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut is_complete = false;
    for (start, to) in parsers {
        let has = has_amount(start, to);
        match parts.last_mut() {
            Some(last) if !(has && is_complete) => last.1 = to,
            _ => {
                parts.push((start, to));
                is_complete = false;
            }
        }
        is_complete |= has;
    }
    parts
}

fn is_name(word: &str) -> bool {
    let is_one = || SAME.iter().any(|names| names.contains(&word));
    !SYMBOLS.contains(&word) && (is_one() || OTHER_NAMES.contains(&word))
}

/// Whether it is the name or the symbol of a currency.
pub(super) fn is_currency(word: &str) -> bool {
    is_name(word) || SYMBOLS.contains(&word)
}

fn subject_of<'a>(words: &Words<'a>, at: usize) -> &'a str {
    let typed = words.original(at..at + 1);
    typed.trim_matches(|c: char| !c.is_alphanumeric())
}

/// "1,200.50", "1.200,50", "12,5": a separator before three digits groups thousands, before
/// one or two it begins the hundredths.
fn minor(digits: &str) -> Option<i64> {
    let is_separator = |c: char| matches!(c, '.' | ',');
    if !digits.starts_with(|c: char| c.is_ascii_digit())
        || !digits
            .chars()
            .all(|c| c.is_ascii_digit() || is_separator(c))
        || digits.len() > 16
    {
        return None;
    }
    let (whole, hundredths) = match digits.rsplit_once(is_separator) {
        Some((whole, tail)) if (1..=2).contains(&tail.len()) => (whole, tail),
        _ => (digits, ""),
    };
    let mut groups = whole.split(is_separator);
    let first = groups.next()?;
    let mut plain = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.len() > 3 {
            return None;
        }
        plain.push_str(group);
    }
    let whole: i64 = plain.parse().ok()?;
    let hundredths: i64 = match hundredths.len() {
        0 => 0,
        1 => hundredths.parse::<i64>().ok()? * 10,
        _ => hundredths.parse().ok()?,
    };
    let minor = whole.checked_mul(100)?.checked_add(hundredths)?;
    (1..=AMOUNT_MINOR_MAX).contains(&minor).then_some(minor)
}

/// "$12.50", "90 dollars", "12,345": hundredths only if there are any.
pub(super) fn display(minor: i64, currency: Option<&Currency>) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let (whole, hundredths) = (minor.unsigned_abs() / 100, minor.unsigned_abs() % 100);
    let mut number = String::new();
    let digits = whole.to_string();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            number.push(',');
        }
        number.push(digit);
    }
    if hundredths > 0 {
        number.push_str(&format!(".{hundredths:02}"));
    }
    match currency {
        None => format!("{sign}{number}"),
        Some(Currency { text, before: true }) => format!("{sign}{text}{number}"),
        Some(Currency { text, .. }) if text.chars().all(char::is_alphabetic) => {
            format!("{sign}{number} {text}")
        }
        Some(Currency { text, .. }) => format!("{sign}{number}{text}"),
    }
}

/// One name for the names of one currency: "$" for "bucks".
fn unit(text: &str) -> String {
    let lower = text.to_lowercase();
    let found = SAME.iter().find(|names| names.contains(&lower.as_str()));
    found.map_or(lower, |names| names[0].to_owned())
}

/// The currency of all entries: the first one named. The error is the sentence that refuses another
/// one.
pub(super) fn settle_currency(
    book: &mut Option<Currency>,
    currency: Option<Currency>,
) -> Result<(), String> {
    match (&*book, currency) {
        (_, None) => Ok(()),
        (None, Some(currency)) => {
            *book = Some(currency);
            Ok(())
        }
        (Some(known), Some(currency)) if unit(&known.text) == unit(&currency.text) => Ok(()),
        (Some(known), Some(currency)) => Err(format!(
            "So far everything is in {}, and I can't change {} into it. Please say it in {}.",
            known.text, currency.text, known.text
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_typed() {
        let cases = [
            ("12.50", Some((1_250, "12.50"))),
            ("12,50", Some((1_250, "12.50"))),
            ("12,5", Some((1_250, "12.50"))),
            ("$12.50", Some((1_250, "$12.50"))),
            ("12.50€", Some((1_250, "12.50€"))),
            ("12.50 €", Some((1_250, "12.50€"))),
            ("90 dollars", Some((9_000, "90 dollars"))),
            ("90 EUR", Some((9_000, "90 EUR"))),
            ("1,200", Some((120_000, "1,200"))),
            ("1 000", Some((100_000, "1,000"))),
            ("12 500 €", Some((1_250_000, "12,500€"))),
            ("1.200,50", Some((120_050, "1,200.50"))),
            ("1,200.50", Some((120_050, "1,200.50"))),
            ("1,234,567.89", Some((123_456_789, "1,234,567.89"))),
            ("0.01", Some((1, "0.01"))),
            ("50 cents", Some((50, "0.50"))),
            ("20 pfund", Some((2_000, "20 pfund"))),
            ("10000000", Some((1_000_000_000, "10,000,000"))),
            ("10000000.01", None),
            ("0", None),
            ("-5", None),
            ("1,2,3", None),
            ("12.5.2026", None),
            ("1234,567", None),
            ("$", None),
            ("twelve", None),
            ("999999999999999999999", None),
        ];
        for (typed, expected) in cases {
            let words = Words::new(typed);
            let found = read(&words, 0);
            let found = found.map(|(m, _)| (m.minor, display(m.minor, m.currency.as_ref())));
            let expected = expected.map(|(minor, text)| (minor, text.to_owned()));
            assert_eq!(found, expected, "{typed}");
        }
        assert_eq!(display(-1_250, None), "-12.50");
    }

    #[test]
    fn one_book_has_one_currency() {
        let typed = |text| read(&Words::new(text), 0).and_then(|(money, _)| money.currency);
        let mut book = None;
        assert_eq!(settle_currency(&mut book, typed("5")), Ok(()));
        assert_eq!(settle_currency(&mut book, typed("5 euros")), Ok(()));
        assert_eq!(settle_currency(&mut book, typed("5 Euros")), Ok(()));
        assert_eq!(settle_currency(&mut book, typed("5")), Ok(()));
        for same in ["5€", "5 euro", "5 EUR"] {
            assert_eq!(settle_currency(&mut book, typed(same)), Ok(()), "{same}");
        }
        let mut dollars = typed("$5");
        for same in ["5 bucks", "5 dollars", "5 usd", "5$"] {
            assert_eq!(settle_currency(&mut dollars, typed(same)), Ok(()), "{same}");
        }
        assert!(settle_currency(&mut dollars, typed("5 cad")).is_err());
        let error = settle_currency(&mut book, typed("$5")).unwrap_err();
        assert!(error.contains("euros") && error.contains('$'), "{error}");
    }
}
