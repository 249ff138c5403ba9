//! Days and months in the languages that have sentences, and a day written out. Pure.

use chrono::Datelike;

use super::languages::{LANGUAGES, LanguageTexts, texts};
use crate::clock::{Timestamp, Zone};

/// "Sunday, 5 May 2030, 20:00" in that language; English for one that has no names here.
pub(super) fn date_and_time(at: Timestamp, zone: Zone, language: Option<&str>) -> String {
    let at = at.utc().with_timezone(&zone);
    let names = texts(language);
    let nth = |all: &'static str, at: u32| all.split(' ').nth(at as usize).unwrap_or_default();
    let weekday = nth(names.weekdays, at.weekday().num_days_from_monday());
    let date = names
        .date
        .replace("{weekday}", weekday)
        .replace("{day}", &at.day().to_string())
        .replace("{month}", nth(names.months, at.month0()))
        .replace("{year}", &at.year().to_string());
    format!("{date}, {}", at.format("%H:%M"))
}

/// The weekdays of all languages in lower case, each with its place from Monday on.
pub(super) fn weekdays() -> Vec<(String, u8)> {
    numbered(|names| names.weekdays)
}

/// The months of all languages in lower case, each with its place.
pub(super) fn months() -> Vec<(String, u8)> {
    numbered(|names| names.months)
}

fn numbered(names: fn(&LanguageTexts) -> &'static str) -> Vec<(String, u8)> {
    let each = LANGUAGES
        .iter()
        .flat_map(|one| names(one).split(' ').zip(0u8..));
    each.map(|(name, at)| (name.to_lowercase(), at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(&format!("{text}:00Z")).unwrap()
    }

    #[test]
    fn a_day_is_written_in_each_language() {
        for (language, text) in [
            (None, "Sunday, 5 May 2030, 20:00"),
            (Some("xx"), "Sunday, 5 May 2030, 20:00"),
            (Some("de-AT"), "Sonntag, 5. Mai 2030, 20:00"),
            (Some("es"), "domingo, 5 de mayo de 2030, 20:00"),
            (Some("pt_BR"), "domingo, 5 de maio de 2030, 20:00"),
            (Some("fr"), "dimanche 5 mai 2030, 20:00"),
        ] {
            assert_eq!(
                date_and_time(at("2030-05-05T20:00"), Zone::UTC, language),
                text
            );
        }
        for names in &LANGUAGES {
            assert_eq!(names.weekdays.split(' ').count(), 7, "{}", names.tag);
            assert_eq!(names.months.split(' ').count(), 12, "{}", names.tag);
        }
    }
}
