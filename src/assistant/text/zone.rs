//! Time zones by their usual names: IANA names, cities, abbreviations, offsets from UTC. It never
//! guesses: an unknown name is no zone.

use super::words::Words;
use crate::assistant::text::phrases::phrases;
use crate::clock::{Timestamp, Zone};

/// Places and abbreviations that no IANA name ends with.
const ALIASES: [(&str, &str); 60] = [
    ("gmt", "UTC"),
    ("utc", "UTC"),
    ("et", "America/New_York"),
    ("est", "America/New_York"),
    ("edt", "America/New_York"),
    ("eastern", "America/New_York"),
    ("eastern time", "America/New_York"),
    ("ct", "America/Chicago"),
    ("cst", "America/Chicago"),
    ("cdt", "America/Chicago"),
    ("central time", "America/Chicago"),
    ("mt", "America/Denver"),
    ("mst", "America/Denver"),
    ("mdt", "America/Denver"),
    ("mountain time", "America/Denver"),
    ("pt", "America/Los_Angeles"),
    ("pst", "America/Los_Angeles"),
    ("pdt", "America/Los_Angeles"),
    ("pacific", "America/Los_Angeles"),
    ("pacific time", "America/Los_Angeles"),
    ("bst", "Europe/London"),
    ("uk", "Europe/London"),
    ("england", "Europe/London"),
    ("cet", "Europe/Berlin"),
    ("cest", "Europe/Berlin"),
    ("ist", "Asia/Kolkata"),
    ("jst", "Asia/Tokyo"),
    ("aest", "Australia/Sydney"),
    ("germany", "Europe/Berlin"),
    ("munich", "Europe/Berlin"),
    ("hamburg", "Europe/Berlin"),
    ("cologne", "Europe/Berlin"),
    ("frankfurt", "Europe/Berlin"),
    ("france", "Europe/Paris"),
    ("spain", "Europe/Madrid"),
    ("barcelona", "Europe/Madrid"),
    ("italy", "Europe/Rome"),
    ("milan", "Europe/Rome"),
    ("geneva", "Europe/Zurich"),
    ("switzerland", "Europe/Zurich"),
    ("zürich", "Europe/Zurich"),
    ("netherlands", "Europe/Amsterdam"),
    ("kyiv", "Europe/Kyiv"),
    ("india", "Asia/Kolkata"),
    ("mumbai", "Asia/Kolkata"),
    ("delhi", "Asia/Kolkata"),
    ("bangalore", "Asia/Kolkata"),
    ("beijing", "Asia/Shanghai"),
    ("china", "Asia/Shanghai"),
    ("new york city", "America/New_York"),
    ("nyc", "America/New_York"),
    ("boston", "America/New_York"),
    ("miami", "America/New_York"),
    ("washington", "America/New_York"),
    ("texas", "America/Chicago"),
    ("california", "America/Los_Angeles"),
    ("san francisco", "America/Los_Angeles"),
    ("seattle", "America/Los_Angeles"),
    ("rio de janeiro", "America/Sao_Paulo"),
    ("são paulo", "America/Sao_Paulo"),
];

/// Abbreviations that mean a zone directly after a time of day.
const AFTER_TIME: [&str; 20] = [
    "gmt", "utc", "et", "est", "edt", "ct", "cst", "cdt", "mt", "mst", "mdt", "pt", "pst", "pdt",
    "bst", "cet", "cest", "ist", "jst", "aest",
];

/// Whether an abbreviation names the summer time of its zone.
pub(in crate::assistant) fn is_summer_time(word: &str) -> bool {
    matches!(word, "edt" | "cdt" | "mdt" | "pdt" | "bst" | "cest")
}

/// Whether the clock is not behind that of half a year later, as it is in winter.
pub(in crate::assistant) fn has_summer_time(zone: Zone, at: Timestamp) -> bool {
    const HALF_YEAR_S: i64 = 182 * 86_400;
    let wall = |at: Timestamp| at.utc().with_timezone(&zone).naive_local();
    let later = at.plus_s(HALF_YEAR_S);
    (wall(later) - wall(at)).num_seconds() <= HALF_YEAR_S
}

/// Most words of a place before "time".
const PLACE_WORDS_MAX: usize = 3;

/// Longest name that is looked up.
const NAME_BYTES_MAX: usize = 64;

/// The zone named after a time of day, and the index after it: "PST", "Berlin time", "UTC+2".
/// "time" after an unknown place gives none.
pub(in crate::assistant) fn after_time(words: &Words, at: usize) -> Option<(Zone, usize)> {
    let place = words.skip(at, phrases!["the"]);
    for count in 1..=PLACE_WORDS_MAX {
        let end = place + count;
        if words.get(end) == "time" {
            let zone =
                find(&words.phrase(place..end)).or_else(|| find(&words.phrase(place..end + 1)))?;
            return Some((zone, end + 1));
        }
    }
    let word = words.get(at);
    let abbreviated = AFTER_TIME.contains(&word)
        || word.starts_with("utc+")
        || word.starts_with("utc-")
        || word.starts_with("gmt+")
        || word.starts_with("gmt-");
    abbreviated
        .then(|| find(word))
        .flatten()
        .map(|zone| (zone, at + 1))
}

pub(in crate::assistant) fn find(phrase: &str) -> Option<Zone> {
    if phrase.is_empty() || phrase.len() > NAME_BYTES_MAX {
        return None;
    }
    let name = phrase.to_lowercase().replace('_', " ");
    let name = name.trim_start_matches("the ").trim();
    if let Some((_, zone)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return zone.parse().ok();
    }
    let iana = name.replace(' ', "_");
    offset(name)
        .or_else(|| iana.parse().ok())
        .or_else(|| of_city(&iana))
}

/// The zone whose city is `name`.
fn of_city(name: &str) -> Option<Zone> {
    let mut names = Zone::names();
    let found = names.find(|iana| {
        let city = iana.rsplit_once('/').map_or(*iana, |(_, city)| city);
        city.eq_ignore_ascii_case(name)
    });
    found?.parse().ok()
}

/// "utc+2", "gmt-5", "+2": whole hours. IANA's names have the opposite sign.
fn offset(name: &str) -> Option<Zone> {
    let rest = name
        .strip_prefix("utc")
        .or_else(|| name.strip_prefix("gmt"))
        .unwrap_or(name)
        .trim();
    let (sign, hours) = match rest.split_at_checked(1)? {
        ("+", hours) => ('-', hours),
        ("-", hours) => ('+', hours),
        _ => return None,
    };
    let hours: u32 = hours.trim_end_matches(":00").parse().ok()?;
    if hours == 0 {
        return Some(Zone::UTC);
    }
    format!("Etc/GMT{sign}{hours}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_by_what_people_call_them() {
        let cases = [
            ("Europe/Berlin", Some("Europe/Berlin")),
            ("europe/berlin", Some("Europe/Berlin")),
            ("Berlin", Some("Europe/Berlin")),
            ("new york", Some("America/New_York")),
            ("New_York", Some("America/New_York")),
            ("UTC", Some("UTC")),
            ("utc+2", Some("Etc/GMT-2")),
            ("GMT-5", Some("Etc/GMT+5")),
            ("utc+99", None),
            ("PST", Some("America/Los_Angeles")),
            ("munich", Some("Europe/Berlin")),
            ("trouble", None),
            ("", None),
            ("+", None),
            ("é", None),
        ];
        for (phrase, expected) in cases {
            assert_eq!(find(phrase).map(Zone::name), expected, "{phrase:?}");
        }
    }
    #[test]
    fn every_alias_names_a_zone() {
        for (alias, zone) in ALIASES {
            assert!(zone.parse::<Zone>().is_ok(), "{alias}");
        }
    }
}
