//! Days and months in the languages that have sentences, and a day written out. Pure.

use chrono::Datelike;

use super::language::entry;
use crate::clock::{Timestamp, Zone};

/// The names of one language.
struct CalendarNames {
    /// Primary subtag of BCP 47.
    language: &'static str,
    /// A day with `{weekday}`, `{day}`, `{month}` and `{year}`.
    date: &'static str,
    /// From Monday on, with spaces between.
    weekdays: &'static str,
    months: &'static str,
}

const ENGLISH: CalendarNames = CalendarNames {
    language: "en",
    date: "{weekday}, {day} {month} {year}",
    weekdays: "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    months: "January February March April May June July August September October November December",
};

const OTHERS: [CalendarNames; 7] = [
    CalendarNames {
        language: "de",
        date: "{weekday}, {day}. {month} {year}",
        weekdays: "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    },
    CalendarNames {
        language: "es",
        date: "{weekday}, {day} de {month} de {year}",
        weekdays: "lunes martes miércoles jueves viernes sábado domingo",
        months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    },
    CalendarNames {
        language: "fr",
        date: "{weekday} {day} {month} {year}",
        weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche",
        months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    },
    CalendarNames {
        language: "it",
        date: "{weekday} {day} {month} {year}",
        weekdays: "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        months: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    },
    CalendarNames {
        language: "nl",
        date: "{weekday} {day} {month} {year}",
        weekdays: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        months: "januari februari maart april mei juni juli augustus september oktober november december",
    },
    CalendarNames {
        language: "pt",
        date: "{weekday}, {day} de {month} de {year}",
        weekdays: "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        months: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    },
    CalendarNames {
        language: "sv",
        date: "{weekday} {day} {month} {year}",
        weekdays: "måndag tisdag onsdag torsdag fredag lördag söndag",
        months: "januari februari mars april maj juni juli augusti september oktober november december",
    },
];

/// "Sunday, 5 May 2030, 20:00" in that language; English for one that has no names here.
pub(super) fn date_and_time(at: Timestamp, zone: Zone, language: Option<&str>) -> String {
    let at = at.utc().with_timezone(&zone);
    let names = entry(&OTHERS, |one| one.language, language).unwrap_or(&ENGLISH);
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

fn numbered(names: fn(&CalendarNames) -> &'static str) -> Vec<(String, u8)> {
    let all = OTHERS.iter().chain([&ENGLISH]);
    let each = all.flat_map(|one| names(one).split(' ').zip(0u8..));
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
        for names in OTHERS.iter().chain([&ENGLISH]) {
            assert_eq!(names.weekdays.split(' ').count(), 7, "{}", names.language);
            assert_eq!(names.months.split(' ').count(), 12, "{}", names.language);
        }
    }
}
