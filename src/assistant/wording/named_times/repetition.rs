//! How often something comes, as a text names it: "every day", "jeden Montag", "weekly".

use chrono::{Datelike, Weekday};

use super::names::weekday_of;
use super::relative::number_of;
use super::tokens::TextToken;
use crate::clock::{Timestamp, Zone};
use crate::model::recurrence::Recurrence;

const EACH: [&str; 23] = [
    "every", "each", "jeden", "jede", "jedes", "jeder", "cada", "todos", "todas", "todo", "toda",
    "chaque", "tous", "toutes", "ogni", "elke", "iedere", "varje", "каждый", "каждую", "każdy",
    "każdą", "كل",
];
/// Beginnings of weekdays after a word that is English for something else.
const TURKISH_DAYS: [&str; 5] = ["pazar", "salı", "çarş", "perş", "cuma"];
const ARTICLES: [&str; 5] = ["los", "las", "les", "os", "as"];
const DAYS: [&str; 27] = [
    "day", "morning", "evening", "night", "tag", "morgen", "abend", "día", "días", "mañana",
    "mañanas", "noche", "noches", "jour", "jours", "matin", "matins", "soir", "giorno", "mattina",
    "sera", "dag", "dia", "dias", "день", "dzień", "يوم",
];
const WEEKS: [&str; 11] = [
    "week", "woche", "semana", "semanas", "semaine", "semaines", "settimana", "vecka", "неделю",
    "tydzień", "أسبوع",
];
const MONTHS: [&str; 8] = [
    "month", "monat", "mes", "mois", "mese", "maand", "mês", "månad",
];
const HOURS: [&str; 7] = ["hour", "stunde", "hora", "heure", "ora", "uur", "timme"];
const WORKDAYS: [&str; 3] = ["weekday", "werktag", "vardag"];
/// The same without a word for "each".
const ON_WORKDAYS: [&str; 4] = ["weekdays", "werktags", "vardagar", "doordeweeks"];
/// Units after a number: hours, days, weeks and months.
const UNITS: [(&str, &[&str]); 4] = [
    (
        "HOURLY",
        &[
            "hours", "stunden", "horas", "heures", "ore", "uur", "timmar",
        ],
    ),
    (
        "DAILY",
        &[
            "day", "days", "tag", "tage", "día", "días", "jours", "giorni", "dagen", "dias",
            "dagar",
        ],
    ),
    (
        "WEEKLY",
        &[
            "week", "weeks", "woche", "wochen", "semanas", "semaines", "settimane", "weken",
            "veckor",
        ],
    ),
    (
        "MONTHLY",
        &[
            "month", "months", "monat", "monate", "meses", "mois", "mesi", "maanden", "månader",
        ],
    ),
];
/// Words for every second one.
const SECOND: [&str; 6] = ["other", "second", "zweite", "zweiten", "zweiter", "tweede"];
/// The units after a number of which every one is named have such a word before.
const EACH_OF_SEVERAL: [&str; 2] = ["alle", "om"];
/// Plurals of weekdays that are habits by themselves: their ends, and the words before that they
/// need.
const HABITS: [(&str, &[&str]); 3] = [("s", &[]), ("ar", &[]), ("", &["los"])];
const DAY_S: i64 = 24 * 3_600;
const WEEK_DAYS: i64 = 7;
/// Times of a reminder that are counted.
const TIMES_MAX: usize = 400;
const DAILY: [&str; 6] = [
    "daily", "täglich", "diariamente", "quotidiennement", "dagelijks", "dagligen",
];
const WEEKLY: [&str; 5] = [
    "weekly", "wöchentlich", "semanalmente", "wekelijks", "hebdomadaire",
];
const MONTHLY: [&str; 4] = ["monthly", "monatlich", "mensualmente", "maandelijks"];
const CODES: [&str; 7] = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NamedRepetition {
    Hour,
    Day,
    Workday,
    Week,
    Month,
    /// Every so many units, by the name of the rule.
    Every(u32, &'static str),
    On(Weekday),
    /// Every second one.
    EveryOther(Weekday),
    /// So many times in so many days.
    Times(usize, i64),
}

/// Whether a word stands before the last day.
pub(super) fn ends(word: &str) -> bool {
    const UNTIL: [&str; 10] = [
        "until", "till", "til", "bis", "hasta", "jusqu", "fino", "tot", "até", "through",
    ];
    UNTIL.contains(&word)
}

/// How often a reminder comes in so many days, beginning with its next time: its rule, if it has
/// one, and that time.
pub(super) fn count_within((rule, at, zone): (Option<&str>, Timestamp, Zone), days: i64) -> usize {
    let from = at.utc().with_timezone(&zone).naive_local();
    let recurrence = rule.and_then(|rule| Recurrence::new(rule, from, zone).ok());
    let span = at..at.plus_s(days * DAY_S);
    recurrence.map_or(0, |one| one.within(&span, TIMES_MAX).len())
}

impl NamedRepetition {
    /// How many times in how many days.
    pub(super) fn times(self) -> Option<(usize, i64)> {
        match self {
            Self::Times(count, days) => Some((count, days)),
            _ => None,
        }
    }

    /// Whether a reminder comes so: its rule of RFC 5545, if it has one, and its next time.
    pub(super) fn is_of(self, rule: Option<&str>, at: Timestamp, zone: Zone) -> bool {
        let Some(rule) = rule else {
            return false;
        };
        let rule = rule.to_uppercase();
        let part = |name: &str| {
            let mut parts = rule.split(';');
            parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
        };
        let frequency = part("FREQ").unwrap_or_default();
        let days: Vec<&str> = part("BYDAY").map_or_else(Vec::new, |days| days.split(',').collect());
        let has = |code: &str| days.iter().any(|day| day.ends_with(code));
        let interval: u32 = part("INTERVAL").and_then(|n| n.parse().ok()).unwrap_or(1);
        let is_each = interval == 1;
        match self {
            // Several hours of a day may be each one of some.
            Self::Hour => frequency == "HOURLY" && is_each || part("BYHOUR").is_some(),
            Self::Day => {
                let is_daily =
                    frequency == "DAILY" && is_each || matches!(frequency, "HOURLY" | "MINUTELY");
                is_daily && days.is_empty() || days.len() == CODES.len()
            }
            Self::Every(_, "HOURLY") if part("BYHOUR").is_some() => true,
            Self::Every(count, unit) => {
                let is_by_weeks = count == 2 && unit == "DAILY" && days.len() > 1;
                frequency == unit && interval == count || is_by_weeks
            }
            Self::EveryOther(weekday) => {
                interval == 2 && Self::On(weekday).is_of(Some(&rule), at, zone)
            }
            // They are counted over all reminders.
            Self::Times(..) => true,
            Self::Workday => has("MO") && has("FR") && !has("SU"),
            Self::Week => frequency == "WEEKLY" && is_each,
            Self::Month => frequency == "MONTHLY" && is_each,
            Self::On(weekday) if days.is_empty() => {
                let on = at.utc().with_timezone(&zone).weekday();
                !matches!(frequency, "DAILY" | "HOURLY" | "MINUTELY") && on == weekday
            }
            Self::On(weekday) => has(CODES[weekday.num_days_from_monday() as usize]),
        }
    }
}

pub(super) fn repetition(tokens: &[TextToken], at: usize) -> Option<NamedRepetition> {
    use NamedRepetition::{Day, Hour, Month, Week, Workday};
    let word = tokens[at].text;
    for (words, repetition) in [
        (&DAILY[..], Day),
        (&WEEKLY[..], Week),
        (&MONTHLY[..], Month),
        (&ON_WORKDAYS[..], Workday),
    ] {
        if words.contains(&word) {
            return Some(repetition);
        }
    }
    let next = tokens.get(at + 1).map_or("", |next| next.text);
    if word == "her" && next == "gün" {
        return Some(Day);
    }
    if word == "her" && TURKISH_DAYS.iter().any(|day| next.starts_with(day)) {
        return weekday_of(next).map(NamedRepetition::On);
    }
    if let Some(weekday) = habit(tokens, at) {
        return Some(NamedRepetition::On(weekday));
    }
    if let Some(times) = times(tokens, at) {
        return Some(times);
    }
    if EACH.contains(&word)
        && tokens
            .get(at + 1)
            .is_some_and(|next| SECOND.contains(&next.text))
    {
        let weekday = tokens.get(at + 2).and_then(|day| weekday_of(day.text));
        if let Some(weekday) = weekday {
            return Some(NamedRepetition::EveryOther(weekday));
        }
    }
    let begins_several = EACH.contains(&word) || EACH_OF_SEVERAL.contains(&word);
    if let Some(every) = every(tokens, at).filter(|_| begins_several) {
        return Some(every);
    }
    if !EACH.contains(&word) {
        return None;
    }
    let mut after = tokens[at + 1..].iter();
    let unit = after.find(|token| !ARTICLES.contains(&token.text))?;
    let word = unit.text;
    for (words, repetition) in [
        (&HOURS[..], Hour),
        (&DAYS[..], Day),
        (&WORKDAYS[..], Workday),
        (&WEEKS[..], Week),
        (&MONTHS[..], Month),
    ] {
        if words.contains(&word) {
            return Some(repetition);
        }
    }
    let weekday = weekday_of(word).or_else(|| weekday_of(word.strip_suffix('s')?));
    weekday.map(NamedRepetition::On)
}

/// The number of days through which something comes: "for 5 days", "5 Tage lang"; `at`: its place.
pub(super) fn length(tokens: &[TextToken], at: usize) -> Option<u32> {
    const FOR: [&str; 7] = ["for", "durante", "pendant", "per", "por", "i", "die"];
    const UNITS: [&str; 8] = [
        "days", "tage", "días", "jours", "giorni", "dagen", "dias", "dagar",
    ];
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let count = tokens[at]
        .number(1..=3)
        .or_else(|| number_of(tokens[at].text))?;
    let is_led = at > 0 && FOR.contains(&text_at(at - 1));
    (UNITS.contains(&text_at(at + 1)) && (is_led || text_at(at + 2) == "lang")).then_some(count)
}

/// "twice a day", "dreimal täglich", "dos veces al día".
fn times(tokens: &[TextToken], at: usize) -> Option<NamedRepetition> {
    const OFTEN: [(&str, usize); 8] = [
        ("twice", 2),
        ("thrice", 3),
        ("zweimal", 2),
        ("dreimal", 3),
        ("viermal", 4),
        ("fünfmal", 5),
        ("tweemaal", 2),
        ("driemaal", 3),
    ];
    const TIMES: [&str; 8] = [
        "times", "mal", "veces", "fois", "volte", "keer", "vezes", "gånger",
    ];
    const FILLERS: [&str; 17] = [
        "a", "an", "per", "each", "every", "am", "pro", "in", "der", "al", "por", "par", "om",
        "the", "a", "à", "il",
    ];
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let often = OFTEN.iter().find(|(word, _)| *word == text_at(at));
    let (count, next) = match often {
        Some((_, count)) => (*count, at + 1),
        None if TIMES.contains(&text_at(at + 1)) => {
            let count = tokens[at]
                .number(1..=2)
                .or_else(|| number_of(text_at(at)))?;
            (usize::try_from(count).ok()?, at + 2)
        }
        None => return None,
    };
    // "5 times, every day" counts all of them.
    let mut last = tokens.get(next - 1)?;
    let mut after = tokens.get(next..)?.iter().take_while(|token| {
        let is_beside = last.gap.trim().is_empty();
        last = token;
        is_beside
    });
    let unit = after.find(|token| !FILLERS.contains(&token.text))?.text;
    let is_daily = DAYS.contains(&unit) || DAILY.contains(&unit) || matches!(unit, "dagen");
    let is_weekly = WEEKS.contains(&unit) || WEEKLY.contains(&unit) || unit == "veckan";
    match (is_daily, is_weekly) {
        (true, _) => Some(NamedRepetition::Times(count, 1)),
        (_, true) => Some(NamedRepetition::Times(count, WEEK_DAYS)),
        _ => None,
    }
}

/// "Saturdays", "samstags", "los lunes": the weekday.
fn habit(tokens: &[TextToken], at: usize) -> Option<Weekday> {
    let (word, before) = (tokens[at].text, at.checked_sub(1).map(|at| tokens[at].text));
    HABITS.iter().find_map(|(end, leads)| {
        let is_led = leads.is_empty() || before.is_some_and(|before| leads.contains(&before));
        word.strip_suffix(end)
            .filter(|_| is_led)
            .and_then(weekday_of)
    })
}

/// "every other day", "alle zwei Wochen", "cada 2 meses".
fn every(tokens: &[TextToken], at: usize) -> Option<NamedRepetition> {
    let mut after = tokens[at + 1..].iter();
    let count = after.find(|token| !ARTICLES.contains(&token.text))?;
    let count = match SECOND.contains(&count.text) {
        true => 2,
        false => count.number(1..=2).or_else(|| number_of(count.text))?,
    };
    let unit = after.next()?.text;
    let (name, _) = UNITS.iter().find(|(_, words)| words.contains(&unit))?;
    (count > 1).then_some(NamedRepetition::Every(count, name))
}
