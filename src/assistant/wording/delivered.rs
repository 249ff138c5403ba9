//! The texts of reminders that are delivered, in the languages that have sentences.

use super::language::entry;
use super::{calendar, times};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// The words of one language; `{}` is filled in.
struct DeliveryWords {
    /// Primary subtag of BCP 47.
    language: &'static str,
    reminder: &'static str,
    late: &'static str,
    /// Text of a reminder that was missed several times, with `{times}`.
    missed: &'static str,
}

const ENGLISH: DeliveryWords = DeliveryWords {
    language: "en",
    reminder: "⏰ Reminder: {}",
    late: "this is late, it was due {}",
    missed: "it was due {times} times since the last one, most recently {}",
};

const OTHERS: [DeliveryWords; 7] = [
    DeliveryWords {
        language: "de",
        reminder: "⏰ Erinnerung: {}",
        late: "das kommt zu spät, es war fällig: {}",
        missed: "es war seit dem letzten Mal {times}-mal fällig, zuletzt: {}",
    },
    DeliveryWords {
        language: "es",
        reminder: "⏰ Recordatorio: {}",
        late: "esto llega tarde, era para: {}",
        missed: "desde la última vez tocaba {times} veces, la última: {}",
    },
    DeliveryWords {
        language: "fr",
        reminder: "⏰ Rappel : {}",
        late: "ce rappel est en retard, il était prévu : {}",
        missed: "il était prévu {times} fois depuis le dernier, la dernière : {}",
    },
    DeliveryWords {
        language: "it",
        reminder: "⏰ Promemoria: {}",
        late: "arriva in ritardo, era previsto: {}",
        missed: "era previsto {times} volte dall'ultimo, l'ultima: {}",
    },
    DeliveryWords {
        language: "nl",
        reminder: "⏰ Herinnering: {}",
        late: "dit komt te laat, het was gepland: {}",
        missed: "het was sinds de vorige {times} keer gepland, het laatst: {}",
    },
    DeliveryWords {
        language: "pt",
        reminder: "⏰ Lembrete: {}",
        late: "isto chega atrasado, era para: {}",
        missed: "desde o último era para {times} vezes, a última: {}",
    },
    DeliveryWords {
        language: "sv",
        reminder: "⏰ Påminnelse: {}",
        late: "det här kommer sent, det skulle ha kommit: {}",
        missed: "det skulle ha kommit {times} gånger sedan förra, senast: {}",
    },
];

/// `language`: a BCP 47 tag; English for languages that are not in the table.
fn words(language: Option<&str>) -> &'static DeliveryWords {
    entry(&OTHERS, |one| one.language, language).unwrap_or(&ENGLISH)
}

/// The text of a due reminder.
pub fn reminder_text(what: &str, language: Option<&str>) -> String {
    words(language).reminder.replace("{}", what)
}

/// The text of a reminder that was due `due` times, or is late; `last`: its last due time.
pub fn late_reminder_text(
    what: &str,
    due: usize,
    last: Timestamp,
    now: LocalNow,
    language: Option<&str>,
) -> String {
    let words = words(language);
    let when = match words.language == ENGLISH.language {
        true => times::day_and_time(last, now),
        false => calendar::date_and_time(last, now.zone.unwrap_or(Zone::UTC), language),
    };
    let note = match due {
        0 | 1 => words.late.to_owned(),
        _ => words.missed.replace("{times}", &due.to_string()),
    };
    let text = reminder_text(what, language);
    format!("{text}\n({})", note.replace("{}", &when))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_places() {
        for words in OTHERS.iter().chain([&ENGLISH]) {
            for text in [words.reminder, words.late, words.missed] {
                assert_eq!(text.matches("{}").count(), 1, "{text}");
            }
            assert_eq!(
                words.missed.matches("{times}").count(),
                1,
                "{}",
                words.missed
            );
            assert!(words.reminder.starts_with("⏰ ") && words.reminder.ends_with(": {}"));
        }
    }

    #[test]
    fn a_late_reminder_says_when_it_was_due() {
        // 4 March 2026, 12:00 UTC.
        let now = Timestamp(1_772_625_600_000);
        let text = |due, language| {
            late_reminder_text(
                "beber",
                due,
                now.plus_s(-7_200),
                LocalNow::new(now, Zone::UTC),
                language,
            )
        };
        assert_eq!(
            text(1, Some("es-MX")),
            "⏰ Recordatorio: beber\n(esto llega tarde, era para: miércoles, 4 de marzo de 2026, 10:00)"
        );
        assert_eq!(
            text(3, Some("de")),
            "⏰ Erinnerung: beber\n(es war seit dem letzten Mal 3-mal fällig, zuletzt: Mittwoch, 4. März 2026, 10:00)"
        );
        assert_eq!(
            text(1, None),
            "⏰ Reminder: beber\n(this is late, it was due today at 10:00 (Wednesday, 4 March))"
        );
    }
}
