//! Times that a text names by their distance ("in two hours", "next week"), and numbers in words.

use chrono::{Datelike, Days, Months, NaiveDate, Weekday};

use super::names::weekday_of;
use super::tokens::TextToken;
use super::{NamedDay, NamedHour};
use crate::clock::{Timestamp, Zone};

/// Words before a number that is an hour.
pub(super) const BEFORE_HOUR: [&str; 13] = [
    "at", "um", "gegen", "las", "alle", "ore", "às", "om", "kl", "klockan", "around", "saat",
    "الساعة",
];
/// After a number that is an hour.
pub(super) const HOUR_MARKS: [&str; 5] = ["uhr", "時", "点", "點", "시"];
/// After a number of minutes, before the hour that they are near: "ten to nine".
pub(super) const BETWEEN_MINUTES_AND_HOUR: [&str; 9] = [
    "to", "past", "before", "after", "vor", "nach", "voor", "över", "over",
];

/// Numbers in words: each the number, and its words.
const NUMBERS: [(u32, &str); 24] = [
    (
        1,
        "a an one ein eine einer einem einen un una une uno een uma en ett",
    ),
    (2, "two zwei dos deux due twee dois duas två два две"),
    (3, "three drei tres trois tre drie três три الثالثة"),
    (
        4,
        "four vier cuatro quatre quattro quatro fyra четыре الرابعة",
    ),
    (5, "five fünf cinco cinq cinque vijf fem пять الخامسة"),
    (6, "six sechs seis sei zes sex шесть السادسة"),
    (
        7,
        "seven sieben siete sept sette zeven sete sju семь السابعة",
    ),
    (8, "eight acht ocho huit otto oito åtta восемь الثامنة"),
    (9, "nine neun nueve neuf nove negen nio девять التاسعة"),
    (10, "ten zehn diez dix dieci tien dez tio десять العاشرة"),
    (11, "eleven elf once onze undici elva одиннадцать"),
    (
        12,
        "twelve zwölf doce douze dodici twaalf doze tolv двенадцать",
    ),
    (
        13,
        "thirteen dreizehn trece treize tredici dertien treze tretton тринадцать",
    ),
    (
        14,
        "fourteen vierzehn catorce quatorze quattordici veertien catorze fjorton четырнадцать",
    ),
    (
        15,
        "fifteen fünfzehn quince quinze quindici vijftien femton",
    ),
    (
        16,
        "sixteen sechzehn dieciséis seize sedici zestien dezesseis dezasseis sexton шестнадцать",
    ),
    (
        17,
        "seventeen siebzehn diecisiete diciassette zeventien dezessete sjutton семнадцать",
    ),
    (
        18,
        "eighteen achtzehn dieciocho diciotto achttien dezoito arton восемнадцать",
    ),
    (
        19,
        "nineteen neunzehn diecinueve diciannove negentien dezenove nitton девятнадцать",
    ),
    (
        20,
        "twenty zwanzig veinte vingt venti twintig vinte tjugo двадцать",
    ),
    (21, "einundzwanzig veintiuna ventuno eenentwintig tjugoett"),
    (
        22,
        "zweiundzwanzig veintidós ventidue tweeëntwintig tjugotvå",
    ),
    (
        23,
        "dreiundzwanzig veintitrés ventitré drieëntwintig tjugotre",
    ),
    (
        30,
        "thirty dreißig treinta trente trenta dertig trinta trettio тридцать",
    ),
];
const MINUTES_A_DAY: u32 = 24 * 60;
const MINUTES_A_WEEK: u32 = 7 * MINUTES_A_DAY;
/// What begins a distance, and the units of its language with their minutes.
const DISTANCES: [(&str, &[(u32, &str)]); 9] = [
    (
        "in",
        &[
            (1, "min mins minute minutes minuten"),
            (15, "viertelstunde"),
            (45, "dreiviertelstunde"),
            (60, "hour hours hr hrs stunde stunden"),
            (MINUTES_A_DAY, "day days tag tagen"),
            (MINUTES_A_WEEK, "week weeks woche wochen"),
        ],
    ),
    (
        "en em dentro daqui",
        &[
            (1, "min minuto minutos"),
            (60, "hora horas"),
            (MINUTES_A_DAY, "día días dia dias"),
            (MINUTES_A_WEEK, "semana semanas"),
        ],
    ),
    (
        "dans",
        &[
            (1, "min minute minutes"),
            (60, "heure heures h"),
            (MINUTES_A_DAY, "jour jours"),
            (MINUTES_A_WEEK, "semaine semaines"),
        ],
    ),
    (
        "tra fra",
        &[
            (1, "min minuto minuti"),
            (60, "ora ore"),
            (MINUTES_A_DAY, "giorno giorni"),
            (MINUTES_A_WEEK, "settimana settimane"),
        ],
    ),
    (
        "over",
        &[
            (1, "min minuut minuten"),
            (15, "kwartier"),
            (60, "uur uren"),
            (MINUTES_A_DAY, "dag dagen"),
            (MINUTES_A_WEEK, "week weken"),
        ],
    ),
    (
        "om",
        &[
            (1, "minut minuter"),
            (60, "timme timmar"),
            (MINUTES_A_DAY, "dag dagar"),
            (MINUTES_A_WEEK, "vecka veckor"),
        ],
    ),
    (
        "через",
        &[
            (1, "мин минуту минуты минут"),
            (HALF_HOUR, "полчаса"),
            (60, "час часа часов"),
            (MINUTES_A_DAY, "день дня дней"),
            (MINUTES_A_WEEK, "неделю недели недель"),
        ],
    ),
    (
        "za",
        &[
            (1, "min minutę minuty minut"),
            (60, "godzinę godziny godzin"),
            (MINUTES_A_DAY, "dzień dni"),
            (MINUTES_A_WEEK, "tydzień tygodnie"),
        ],
    ),
    (
        "بعد",
        &[
            (1, "دقيقة دقائق"),
            (60, "ساعة ساعات"),
            (MINUTES_A_DAY, "يوم أيام"),
            (MINUTES_A_WEEK, "أسبوع أسابيع"),
        ],
    ),
];
/// Nights, months and years.
const LONG_UNITS: [&str; 44] = [
    "night", "nights", "month", "months", "year", "years", "nacht", "nächte", "nächten", "monat",
    "monate", "monaten", "jahr", "jahre", "jahren", "noche", "noches", "mes", "meses", "año",
    "años", "nuit", "nuits", "mois", "an", "ans", "notte", "notti", "mese", "mesi", "anno", "anni",
    "nachten", "maand", "maanden", "jaar", "noite", "noites", "mês", "anos", "natt", "månader",
    "år", "ночи",
];
/// Words between what begins a distance and its unit.
const FILLERS: [&str; 7] = ["de", "a", "about", "etwa", "circa", "and", "y"];
const HALVES: [&str; 9] = [
    "half", "halbe", "halben", "media", "meia", "demi", "mezz", "mezzora", "halve",
];
/// Tokens after what begins a distance.
const DISTANCE_TOKENS_MAX: usize = 5;
/// The hour that is named may differ by the fourth part of its distance, between these minutes.
const TOLERANCE_MIN: u32 = 3;
const TOLERANCE_MAX: u32 = 45;
/// Names of noon, and how far from it they may mean.
const NOON: [&str; 6] = [
    "noon", "mittag", "mittags", "mediodía", "midi", "mezzogiorno",
];
const NOON_TOLERANCE: u32 = 120;
/// Pairs of words for the week after this one.
const NEXT_WEEK: [(&str, &str); 9] = [
    ("next", "week"),
    ("nächste", "woche"),
    ("nächster", "woche"),
    ("próxima", "semana"),
    ("semana", "que"),
    ("semaine", "prochaine"),
    ("prossima", "settimana"),
    ("volgende", "week"),
    ("nästa", "vecka"),
];

/// Pairs of words for the month after this one.
const NEXT_MONTH: [(&str, &str); 8] = [
    ("next", "month"),
    ("nächsten", "monat"),
    ("nächster", "monat"),
    ("próximo", "mes"),
    ("mois", "prochain"),
    ("prossimo", "mese"),
    ("volgende", "maand"),
    ("próximo", "mês"),
];
const HALF_HOUR: u32 = 30;
pub(super) fn number_of(word: &str) -> Option<u32> {
    let mut all = NUMBERS.iter();
    let found = all.find(|(_, words)| words.split(' ').any(|one| one == word));
    found.map(|(number, _)| *number)
}

/// Whether a text has a number in words, apart from words for one, also of languages whose hours in
/// words are not read.
pub fn tells_number_in_words(text: &str) -> bool {
    const BEGINNINGS: [&str; 6] = ["dört", "beş", "altı", "yedi", "sekiz", "dokuz"];
    const NUMERALS: &str = "一二三四五六七八九十";
    let text = text.to_lowercase();
    let has_hour = |(at, _): (usize, &str)| text[..at].ends_with(|c| NUMERALS.contains(c));
    let mut words = text.split(|c: char| !c.is_alphabetic());
    text.contains("正午")
        || text.match_indices('時').any(has_hour)
        || words.any(|word| {
            number_of(word).is_some_and(|number| number > 1)
                || BEGINNINGS
                    .iter()
                    .any(|beginning| word.starts_with(beginning))
        })
}

/// Whether a word stands before a distance in time.
pub(in crate::assistant::wording) fn begins_distance(word: &str) -> bool {
    let mut begins = DISTANCES.iter().flat_map(|(begins, _)| begins.split(' '));
    begins.any(|begin| begin == word)
}

/// Whether a word is a unit of time; minutes only where `is_led`, as those of a plan are facts.
pub fn is_unit_of_time(word: &str, is_led: bool) -> bool {
    let mut units = DISTANCES.iter().flat_map(|(_, units)| units.iter());
    let is_of = |(minutes, words): &(u32, &str)| {
        (is_led || *minutes > 1) && words.split(' ').any(|one| one == word)
    };
    units.any(is_of) || LONG_UNITS.contains(&word)
}

/// A distance in time.
struct Distance {
    minutes: u32,
    /// The minutes of its unit, and the place of that.
    unit: u32,
    end: usize,
}

/// The minutes of "in two hours", "dans une demi-heure", where `at` is the place of "in".
fn distance(tokens: &[TextToken], at: usize) -> Option<Distance> {
    let is_of = |words: &str| words.split(' ').any(|one| one == tokens[at].text);
    let (_, units) = DISTANCES.iter().find(|(begins, _)| is_of(begins))?;
    let (mut count, mut is_half, mut is_more) = (None, false, false);
    for (end, token) in (at + 1..).zip(tokens[at + 1..].iter().take(DISTANCE_TOKENS_MAX)) {
        let word = token.text;
        let is_unit = |(_, words): &&(u32, &str)| words.split(' ').any(|one| one == word);
        if let Some((minutes, _)) = units.iter().find(is_unit) {
            let half = if is_half { minutes / 2 } else { 0 };
            let whole = match count {
                Some(count) if !is_half || is_more => count * minutes,
                // "через полчаса" has no number.
                None if !is_half && *minutes == HALF_HOUR => HALF_HOUR,
                None if !is_half => return None,
                _ => 0,
            };
            return Some(Distance {
                minutes: whole + half,
                unit: *minutes,
                end,
            });
        }
        is_more |= matches!(word, "and" | "y");
        if HALVES.contains(&word) {
            is_half = true;
        } else if let Some(number) = token.number(1..=3).or_else(|| number_of(word)) {
            count = count.or(Some(number));
        } else if !FILLERS.contains(&word) {
            return None;
        }
    }
    None
}

/// An hour by its distance from now, or noon; and the place where the distance ends.
pub(super) fn hour(
    tokens: &[TextToken],
    at: usize,
    now: Timestamp,
    zone: Zone,
) -> Option<(NamedHour, usize)> {
    let word = tokens[at].text;
    let before = at.checked_sub(1).map_or("", |at| tokens[at].text);
    if NOON.contains(&word) && before != "après" {
        let noon = NamedHour {
            hour: 12,
            minute: 0,
            is_loose: false,
            tolerance: NOON_TOLERANCE,
        };
        return Some((noon, at));
    }
    let Distance { minutes, unit, end } = distance(tokens, at)?;
    (unit < MINUTES_A_DAY).then(|| (hour_in(minutes, now, zone), end))
}

/// The hour in so many minutes from now.
pub(super) fn hour_in(minutes: u32, now: Timestamp, zone: Zone) -> NamedHour {
    let then = now.plus_s(i64::from(minutes) * 60);
    let then = then.utc().with_timezone(&zone).time();
    NamedHour {
        hour: chrono::Timelike::hour(&then),
        minute: chrono::Timelike::minute(&then),
        is_loose: false,
        tolerance: (minutes / 4).clamp(TOLERANCE_MIN, TOLERANCE_MAX),
    }
}

pub(super) fn is_half(word: &str) -> bool {
    HALVES.contains(&word)
}

/// A day by its distance from today, or the week after this one.
pub(super) fn day(tokens: &[TextToken], at: usize, today: NaiveDate) -> Option<NamedDay> {
    let next = tokens.get(at + 1).map_or("", |token| token.text);
    if NEXT_WEEK.contains(&(tokens[at].text, next)) {
        let monday = today.week(Weekday::Mon).last_day().succ_opt()?;
        return Some(NamedDay::Within(monday, monday + Days::new(6)));
    }
    if NEXT_MONTH.contains(&(tokens[at].text, next)) {
        let first = today.with_day(1)?.checked_add_months(Months::new(1))?;
        let last = first.checked_add_months(Months::new(1))?.pred_opt()?;
        return Some(NamedDay::Within(first, last));
    }
    let Distance { minutes, unit, .. } = distance(tokens, at)?;
    let then = today.checked_add_days(Days::new(u64::from(minutes / MINUTES_A_DAY)))?;
    match unit {
        MINUTES_A_DAY => Some(NamedDay::Date(then)),
        MINUTES_A_WEEK => Some(NamedDay::Within(then - Days::new(3), then + Days::new(3))),
        _ => None,
    }
}

/// "am 5.12.", "on 5/12/2026": the day and the month in either order.
pub(super) fn date_in_figures(tokens: &[TextToken], at: usize) -> Option<NamedDay> {
    const LEADS: [&str; 10] = [
        "on", "am", "el", "le", "il", "op", "em", "den", "för", "dia",
    ];
    let [one, other, rest @ ..] = &tokens[at..] else {
        return None;
    };
    let is_separated = matches!(one.gap, "." | "/") || one.gap == ". ";
    let numbers = (one.number(1..=2)?, other.number(1..=2)?);
    let year = rest
        .first()
        .filter(|_| matches!(other.gap, "." | "/" | ". "));
    let year = year.and_then(|token| token.number(4..=4));
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    let is_led = before.is_some_and(|token| {
        LEADS.contains(&token.text) || one.gap == "/" && weekday_of(token.text).is_some()
    });
    let is_part = before.is_some_and(|token| matches!(token.gap, "." | "/" | ":"));
    let is_date = (1..=31).contains(&numbers.0) && (1..=31).contains(&numbers.1);
    (is_separated && is_date && !is_part && (is_led || year.is_some())).then_some(
        NamedDay::InFigures {
            numbers,
            year: year.and_then(|year| i32::try_from(year).ok()),
        },
    )
}

/// Whether a date is that of the figures.
pub(super) fn is_in_figures(date: NaiveDate, numbers: (u32, u32), year: Option<i32>) -> bool {
    let is_of_year = year.is_none_or(|year| year == date.year());
    let on = (date.day(), date.month());
    is_of_year && (on == numbers || on == (numbers.1, numbers.0))
}
