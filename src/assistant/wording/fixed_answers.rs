//! The answers to `status`, `usage` and `undo` in the languages that have sentences besides English:
//! these commands are never left to a language model, which would answer in the person's language.

use super::account::{AccountFacts, status, usage};
use super::languages::{CommandAnswers, texts};
use super::reminders::reminders_cancelled;
use super::times::zone_name;
use super::undo::{
    NOTHING_TO_UNDO, STILL_ANSWERING, TOO_LATE_TO_UNDO, UNDONE_ALREADY, brought_back,
    memory_taken_back,
};
use super::{calendar, list, quoted};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// `None`: English.
fn answers(language: Option<&str>) -> Option<&'static CommandAnswers> {
    texts(language).answers.as_ref()
}

/// The answer to `status`. `language`: a tag of BCP 47.
pub fn status_in(language: Option<&str>, facts: &AccountFacts) -> String {
    let Some(words) = answers(language) else {
        return status(facts);
    };
    let name = match facts.name.map(str::trim) {
        Some(name) if !name.is_empty() => words.named.replace("{}", name),
        _ => words.unnamed.to_owned(),
    };
    let plan = match (facts.subscribed, facts.plan) {
        (true, Some(plan)) => words.plan.replace("{}", plan),
        (true, None) => words.subscribed.to_owned(),
        (false, _) => words.free.to_owned(),
    };
    let kept = words.kept.replace("{}", &facts.memories.to_string());
    let kept = kept.replace("{reminders}", &facts.reminders.to_string());
    let zone = match facts.timezone {
        Some(zone) => words.zone.replace("{}", &zone_name(zone)),
        None => words.no_zone.to_owned(),
    };
    let usage = usage_in(language, facts);
    format!("{name} {plan}\n{usage}\n{kept}\n{zone}")
}

/// The answer to `usage`.
pub fn usage_in(language: Option<&str>, facts: &AccountFacts) -> String {
    match (answers(language), facts.daily_limit) {
        (None, _) => usage(facts),
        (Some(words), None) => words.unlimited.to_owned(),
        (Some(words), Some(limit)) => {
            let used = facts.messages_used_today.max(0);
            let left = limit.saturating_sub(used).max(0);
            let text = words.used.replace("{}", &used.to_string());
            let text = text.replace("{limit}", &limit.to_string());
            text.replace("{left}", &left.to_string())
        }
    }
}

pub fn nothing_to_undo_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(NOTHING_TO_UNDO, |words| words.nothing_to_undo)
}

pub fn undone_already_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(UNDONE_ALREADY, |words| words.undone_already)
}

pub fn too_late_to_undo_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(TOO_LATE_TO_UNDO, |words| words.too_late)
}

pub fn still_answering_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(STILL_ANSWERING, |words| words.still_answering)
}

/// After "undo": the newest memory is forgotten.
pub fn memory_taken_back_in(language: Option<&str>, text: &str) -> String {
    match answers(language) {
        Some(words) => words.forgotten.replace("{}", &quoted(text)),
        None => memory_taken_back(text),
    }
}

/// After "undo": what was set is cancelled.
pub fn set_taken_back_in(language: Option<&str>, reminders: &[(&str, Timestamp)]) -> String {
    let Some(words) = answers(language) else {
        return reminders_cancelled(reminders);
    };
    let lines = reminders.iter().map(|(what, _)| quoted(what));
    list(words.cancelled, lines, reminders.len())
}

/// Deleted items were restored.
pub fn brought_back_in(
    language: Option<&str>,
    reminders: &[(&str, Timestamp)],
    memories: &[String],
    now: LocalNow,
) -> String {
    let Some(words) = answers(language) else {
        return brought_back(reminders, memories, now);
    };
    let zone = now.zone.unwrap_or(Zone::UTC);
    let lines = reminders.iter().map(|(what, at)| {
        let at = calendar::date_and_time(*at, zone, language);
        format!("{at}: {}", quoted(what))
    });
    let lines = lines.chain(memories.iter().map(|text| quoted(text)));
    list(words.back_again, lines, reminders.len() + memories.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assistant::wording::languages::LANGUAGES;

    #[test]
    fn every_language_has_its_places() {
        for one in LANGUAGES.iter().filter_map(|one| one.answers.as_ref()) {
            for with_value in [
                one.named, one.plan, one.kept, one.zone, one.used, one.forgotten,
            ] {
                assert_eq!(with_value.matches("{}").count(), 1, "{with_value}");
            }
            for part in ["{limit}", "{left}"] {
                assert_eq!(one.used.matches(part).count(), 1, "{}", one.used);
            }
            assert_eq!(one.kept.matches("{reminders}").count(), 1, "{}", one.kept);
            for title in [one.back_again, one.cancelled] {
                assert!(title.ends_with(':'), "{title}");
            }
        }
    }

    #[test]
    fn fixed_commands_are_answered_in_the_persons_language() {
        let facts = AccountFacts {
            name: Some("Ana"),
            messages_used_today: 3,
            daily_limit: Some(10),
            memories: 2,
            reminders: 1,
            ..AccountFacts::default()
        };
        assert_eq!(
            status_in(Some("de-AT"), &facts),
            "Du bist Ana. Du hast kein Abonnement.\nHeute hast du 3 von 10 Nachrichten verbraucht; bis Mitternacht UTC bleiben 7.\nDas habe ich für dich: Notizen: 2, Erinnerungen: 1.\nDeine Zeitzone ist nicht bekannt, deshalb sind Uhrzeiten in UTC."
        );
        for english in [None, Some("en"), Some("xx")] {
            assert_eq!(status_in(english, &facts), status(&facts));
            assert_eq!(usage_in(english, &facts), usage(&facts));
            assert_eq!(nothing_to_undo_in(english), NOTHING_TO_UNDO);
        }
        // 4 March 2026, 12:00 UTC.
        let at = Timestamp(1_772_625_600_000);
        assert_eq!(
            brought_back_in(Some("es"), &[("correr", at)], &[], LocalNow::new(at, None)),
            "Vale, lo he deshecho. Aquí están otra vez:\n• miércoles, 4 de marzo de 2026, 12:00: correr"
        );
        assert_eq!(
            set_taken_back_in(Some("fr"), &[("courir", at)]),
            "D'accord, ces rappels sont supprimés :\n• courir"
        );
    }
}
