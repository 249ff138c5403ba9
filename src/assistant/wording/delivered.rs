//! The texts of reminders that are delivered, in the languages that have sentences.

use super::languages::{LANGUAGES, texts};
use super::{calendar, times};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// The text of a due reminder.
pub fn reminder_text(what: &str, language: Option<&str>) -> String {
    texts(language).reminder.replace("{}", what)
}

/// The text of a reminder that was due `due` times, or is late; `last`: its last due time.
pub fn late_reminder_text(
    what: &str,
    due: usize,
    last: Timestamp,
    now: LocalNow,
    language: Option<&str>,
) -> String {
    let words = texts(language);
    let when = match words.tag == LANGUAGES[0].tag {
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
        for words in &LANGUAGES {
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
