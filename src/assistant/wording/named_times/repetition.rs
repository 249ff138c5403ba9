//! How often something comes, as a text names it: "every day", "jeden Montag", "weekly".

use chrono::{Datelike, Weekday};

use super::names::weekday_of;
use super::relative::number_of;
use super::tokens::TextToken;
use crate::clock::{Timestamp, Zone};

const EACH: [&str; 22] = [
    "every", "each", "jeden", "jede", "jedes", "jeder", "cada", "todos", "todas", "todo", "toda",
    "chaque", "tous", "toutes", "ogni", "elke", "iedere", "varje", "каждый", "каждую", "każdy",
    "każdą",
];
const ARTICLES: [&str; 5] = ["los", "las", "les", "os", "as"];
const DAYS: [&str; 26] = [
    "day", "morning", "evening", "night", "tag", "morgen", "abend", "día", "días", "mañana",
    "mañanas", "noche", "noches", "jour", "jours", "matin", "matins", "soir", "giorno", "mattina",
    "sera", "dag", "dia", "dias", "день", "dzień",
];
const WEEKS: [&str; 10] = [
    "week", "woche", "semana", "semanas", "semaine", "semaines", "settimana", "vecka", "неделю",
    "tydzień",
];
const MONTHS: [&str; 8] = [
    "month", "monat", "mes", "mois", "mese", "maand", "mês", "månad",
];
const HOURS: [&str; 7] = ["hour", "stunde", "hora", "heure", "ora", "uur", "timme"];
const WORKDAYS: [&str; 3] = ["weekday", "werktag", "vardag"];
/// The same without a word for "each".
const ON_WORKDAYS: [&str; 4] = ["weekdays", "werktags", "vardagar", "doordeweeks"];
/// Units after a number: days, weeks and months.
const UNITS: [(&str, &[&str]); 3] = [
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
}

impl NamedRepetition {
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
            Self::Every(count, unit) => {
                let is_by_weeks = count == 2 && unit == "DAILY" && days.len() > 1;
                frequency == unit && interval == count || is_by_weeks
            }
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

pub(super) fn repetition(tokens: &[TextToken<'_>], at: usize) -> Option<NamedRepetition> {
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
    if let Some(weekday) = habit(tokens, at) {
        return Some(NamedRepetition::On(weekday));
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

/// "Saturdays", "samstags", "los lunes": the weekday.
fn habit(tokens: &[TextToken<'_>], at: usize) -> Option<Weekday> {
    let (word, before) = (tokens[at].text, at.checked_sub(1).map(|at| tokens[at].text));
    HABITS.iter().find_map(|(end, leads)| {
        let is_led = leads.is_empty() || before.is_some_and(|before| leads.contains(&before));
        word.strip_suffix(end)
            .filter(|_| is_led)
            .and_then(weekday_of)
    })
}

/// "every other day", "alle zwei Wochen", "cada 2 meses".
fn every(tokens: &[TextToken<'_>], at: usize) -> Option<NamedRepetition> {
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
