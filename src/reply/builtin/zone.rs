//! Time zones by what people call them: IANA names, cities, abbreviations, offsets from
//! UTC. It must not guess: a name it doesn't know is no zone.

use chrono_tz::{TZ_VARIANTS, Tz};

/// Places and abbreviations that no IANA name ends with.
const ALIASES: [(&str, Tz); 60] = [
    ("gmt", Tz::UTC),
    ("utc", Tz::UTC),
    ("et", Tz::America__New_York),
    ("est", Tz::America__New_York),
    ("edt", Tz::America__New_York),
    ("eastern", Tz::America__New_York),
    ("eastern time", Tz::America__New_York),
    ("ct", Tz::America__Chicago),
    ("cst", Tz::America__Chicago),
    ("cdt", Tz::America__Chicago),
    ("central time", Tz::America__Chicago),
    ("mt", Tz::America__Denver),
    ("mst", Tz::America__Denver),
    ("mdt", Tz::America__Denver),
    ("mountain time", Tz::America__Denver),
    ("pt", Tz::America__Los_Angeles),
    ("pst", Tz::America__Los_Angeles),
    ("pdt", Tz::America__Los_Angeles),
    ("pacific", Tz::America__Los_Angeles),
    ("pacific time", Tz::America__Los_Angeles),
    ("bst", Tz::Europe__London),
    ("uk", Tz::Europe__London),
    ("england", Tz::Europe__London),
    ("cet", Tz::Europe__Berlin),
    ("cest", Tz::Europe__Berlin),
    ("ist", Tz::Asia__Kolkata),
    ("jst", Tz::Asia__Tokyo),
    ("aest", Tz::Australia__Sydney),
    ("germany", Tz::Europe__Berlin),
    ("munich", Tz::Europe__Berlin),
    ("hamburg", Tz::Europe__Berlin),
    ("cologne", Tz::Europe__Berlin),
    ("frankfurt", Tz::Europe__Berlin),
    ("france", Tz::Europe__Paris),
    ("spain", Tz::Europe__Madrid),
    ("barcelona", Tz::Europe__Madrid),
    ("italy", Tz::Europe__Rome),
    ("milan", Tz::Europe__Rome),
    ("geneva", Tz::Europe__Zurich),
    ("switzerland", Tz::Europe__Zurich),
    ("zürich", Tz::Europe__Zurich),
    ("netherlands", Tz::Europe__Amsterdam),
    ("kyiv", Tz::Europe__Kyiv),
    ("india", Tz::Asia__Kolkata),
    ("mumbai", Tz::Asia__Kolkata),
    ("delhi", Tz::Asia__Kolkata),
    ("bangalore", Tz::Asia__Kolkata),
    ("beijing", Tz::Asia__Shanghai),
    ("china", Tz::Asia__Shanghai),
    ("new york city", Tz::America__New_York),
    ("nyc", Tz::America__New_York),
    ("boston", Tz::America__New_York),
    ("miami", Tz::America__New_York),
    ("washington", Tz::America__New_York),
    ("texas", Tz::America__Chicago),
    ("california", Tz::America__Los_Angeles),
    ("san francisco", Tz::America__Los_Angeles),
    ("seattle", Tz::America__Los_Angeles),
    ("rio de janeiro", Tz::America__Sao_Paulo),
    ("são paulo", Tz::America__Sao_Paulo),
];

/// Characters in the longest name that is looked up.
const NAME_BYTES_MAX: usize = 64;

pub(super) fn find(said: &str) -> Option<Tz> {
    if said.is_empty() || said.len() > NAME_BYTES_MAX {
        return None;
    }
    let name = said.to_lowercase().replace('_', " ");
    let name = name.trim_start_matches("the ").trim();
    if let Some((_, zone)) = ALIASES.iter().find(|(alias, _)| *alias == name) {
        return Some(*zone);
    }
    offset(name)
        .or_else(|| named(name, true))
        .or_else(|| named(name, false))
}

/// The zone whose whole name, or whose city, is `name`.
fn named(name: &str, whole: bool) -> Option<Tz> {
    TZ_VARIANTS.iter().copied().find(|zone| {
        let iana = zone.name();
        let part = match iana.rsplit_once('/') {
            Some((_, city)) if !whole => city,
            _ => iana,
        };
        part.len() == name.len()
            && part.bytes().zip(name.bytes()).all(|(a, b)| {
                let a = if a == b'_' {
                    b' '
                } else {
                    a.to_ascii_lowercase()
                };
                a == b
            })
    })
}

/// "utc+2", "gmt-5", "+2": whole hours. IANA counts these zones the other way round.
fn offset(name: &str) -> Option<Tz> {
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
        return Some(Tz::UTC);
    }
    format!("Etc/GMT{sign}{hours}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_by_what_people_call_them() {
        let cases = [
            ("Europe/Berlin", Some(Tz::Europe__Berlin)),
            ("europe/berlin", Some(Tz::Europe__Berlin)),
            ("Berlin", Some(Tz::Europe__Berlin)),
            ("new york", Some(Tz::America__New_York)),
            ("New_York", Some(Tz::America__New_York)),
            ("UTC", Some(Tz::UTC)),
            ("utc+2", Some(Tz::Etc__GMTMinus2)),
            ("GMT-5", Some(Tz::Etc__GMTPlus5)),
            ("utc+99", None),
            ("PST", Some(Tz::America__Los_Angeles)),
            ("munich", Some(Tz::Europe__Berlin)),
            ("trouble", None),
            ("", None),
            ("+", None),
            ("é", None),
        ];
        for (said, expected) in cases {
            assert_eq!(find(said), expected, "{said:?}");
        }
    }
}
