//! How often something comes, as a text names it: "every day", "jeden Montag", "weekly".

use std::sync::LazyLock;

use chrono::{Datelike, Weekday};

use super::calendar;
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
const WORKDAYS: [&str; 3] = ["weekday", "werktag", "vardag"];
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
    Day,
    Workday,
    Week,
    Month,
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
        match self {
            Self::Day => {
                let is_daily = matches!(frequency, "DAILY" | "HOURLY" | "MINUTELY");
                is_daily && days.is_empty() || days.len() == CODES.len()
            }
            Self::Workday => has("MO") && has("FR") && !has("SU"),
            Self::Week => frequency == "WEEKLY",
            Self::Month => frequency == "MONTHLY",
            Self::On(weekday) if days.is_empty() => {
                let on = at.utc().with_timezone(&zone).weekday();
                !matches!(frequency, "DAILY" | "HOURLY" | "MINUTELY") && on == weekday
            }
            Self::On(weekday) => has(CODES[weekday.num_days_from_monday() as usize]),
        }
    }
}

pub(super) fn repetition(tokens: &[TextToken<'_>], at: usize) -> Option<NamedRepetition> {
    use NamedRepetition::{Day, Month, On, Week, Workday};
    let word = tokens[at].text;
    for (words, repetition) in [
        (&DAILY[..], Day),
        (&WEEKLY[..], Week),
        (&MONTHLY[..], Month),
    ] {
        if words.contains(&word) {
            return Some(repetition);
        }
    }
    if !EACH.contains(&word) {
        return None;
    }
    let mut after = tokens[at + 1..].iter();
    let unit = after.find(|token| !ARTICLES.contains(&token.text))?;
    let word = unit.text;
    for (words, repetition) in [
        (&DAYS[..], Day),
        (&WORKDAYS[..], Workday),
        (&WEEKS[..], Week),
        (&MONTHS[..], Month),
    ] {
        if words.contains(&word) {
            return Some(repetition);
        }
    }
    static WEEKDAYS: LazyLock<Vec<(String, u8)>> = LazyLock::new(calendar::weekdays);
    let (_, number) = WEEKDAYS.iter().find(|(name, _)| name == word)?;
    Weekday::try_from(*number).ok().map(On)
}
