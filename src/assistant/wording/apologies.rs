//! Wording for replies that could not be made, in the person's language where it is known and
//! stands in the table. It never mentions the cause, which is logged.

use super::calendar;
use super::languages::{LANGUAGES, texts};
use crate::clock::{Timestamp, Zone};

/// Why there is no reply, as the apology puts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apology {
    /// A language model failed, or took too long.
    NoWords,
    /// A language model refused to answer.
    Refused,
    /// Too many replies are pending.
    Overloaded,
}

pub fn apology(why: Apology, persona: &str, language: Option<&str>) -> String {
    let sentences = texts(language);
    let sentence = match why {
        Apology::NoWords => sentences.apology,
        Apology::Refused => sentences.refused,
        Apology::Overloaded => sentences.overloaded,
    };
    sentence.replace("{}", persona)
}

/// After an apology, where other servers were asked to do something before.
pub fn called_elsewhere(tools: &[&str], language: Option<&str>) -> String {
    let sentence = texts(language).called_elsewhere;
    sentence.replace("{}", &tools.join(", "))
}

/// After what the builtin assistant did in a language model's place.
pub fn without_model(language: Option<&str>) -> &'static str {
    texts(language).without_model
}

/// After what a language model said of a request for which it did nothing.
pub fn nothing_done(language: Option<&str>) -> &'static str {
    texts(language).nothing_done
}

/// After what a language model said, where it tried to do these things and failed, and did others.
/// Without any: it is not known which.
pub fn not_done(things: &[String], language: Option<&str>) -> String {
    let sentences = texts(language);
    match things {
        [] => sentences.not_all_done.to_owned(),
        _ => sentences.not_done.replace("{}", &things.join(", ")),
    }
}

/// After what a language model said of a call of another server's tool whose result never came.
pub fn not_known(language: Option<&str>) -> &'static str {
    texts(language).not_known
}

/// In a group, after what a language model said of an answer in the person's own chat that it did
/// not send.
pub fn nothing_sent(language: Option<&str>) -> &'static str {
    texts(language).nothing_sent
}

/// After what a language model said of the deletion of an account, where it did not say how.
pub fn account_stays(language: Option<&str>) -> &'static str {
    texts(language).account_stays
}

/// The apology that a file of all data can't be made by a message.
pub fn no_export(language: Option<&str>) -> &'static str {
    texts(language).no_export
}

/// The reminders that are set, each its text and its time, after or in place of what a language
/// model said of other times.
pub fn what_is_set(reminders: &[NextReminder], language: Option<&str>) -> String {
    let each = reminders.iter().map(|one| reminder_at(one, language));
    let all: Vec<String> = each.collect();
    texts(language).what_is_set.replace("{}", &all.join("; "))
}

/// After a language model told an hour to somebody whose zone is not known.
pub fn times_in_utc(language: Option<&str>) -> &'static str {
    texts(language).times_in_utc
}

/// A reminder with its next time.
pub struct NextReminder<'r> {
    pub text: &'r str,
    pub at: Timestamp,
    pub zone: Zone,
    /// How often it comes, in English; only English sentences tell it.
    pub often: Option<&'r str>,
}

pub fn reminder_at(reminder: &NextReminder, language: Option<&str>) -> String {
    let time = calendar::date_and_time(reminder.at, reminder.zone, language);
    let is_english = texts(language).tag == LANGUAGES[0].tag;
    let often = reminder.often.filter(|_| is_english);
    let often = often.map_or_else(String::new, |often| format!(", {often}"));
    format!("“{}”, {time}{often}", reminder.text)
}

/// A reminder that was cancelled, by its text.
pub fn reminder_cancelled(text: &str, language: Option<&str>) -> String {
    texts(language).cancelled.replace("{}", text)
}

/// A memory that was forgotten.
pub fn memory_forgotten(text: &str, language: Option<&str>) -> String {
    texts(language).forgotten.replace("{}", text)
}

/// After what a language model said of something else: what its calls did, each in words.
pub fn what_was_done(things: &[String], language: Option<&str>) -> String {
    let sentence = texts(language).what_was_done;
    sentence.replace("{}", &things.join("; "))
}

/// After what a language model said of other photos: the numbers of those that it did not see, in
/// their order.
pub fn unseen_photos(numbers: &[usize], language: Option<&str>) -> String {
    let spans = numbers.chunk_by(|one, next| one + 1 == *next);
    let each: Vec<String> = spans
        .map(|span| match span {
            [first, .., last] => format!("{first}–{last}"),
            _ => span.iter().map(usize::to_string).collect(),
        })
        .collect();
    texts(language)
        .unseen_photos
        .replace("{}", &each.join(", "))
}

/// After what a language model said of a message of which it was shown only two parts.
pub fn message_cut(language: Option<&str>) -> &'static str {
    texts(language).message_cut
}

/// For a message in a language that the builtin assistant doesn't read.
pub fn english_only(language: &str) -> &'static str {
    texts(Some(language)).english_only
}

/// After the beginning of a reply that is longer than a chat takes.
pub fn cut_short(language: Option<&str>) -> &'static str {
    texts(language).cut_short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apologies_are_in_the_language_of_the_person() {
        for (language, part) in [
            (None, "Sorry, Juno can't"),
            (Some("en-GB"), "Sorry, Juno can't"),
            (Some("xx"), "Sorry, Juno can't"),
            (Some(""), "Sorry, Juno can't"),
            (Some("de"), "Juno findet"),
            (Some("DE-at"), "Juno findet"),
            (Some("pt_BR"), "Juno não encontra"),
        ] {
            let reply = apology(Apology::NoWords, "Juno", language);
            assert!(reply.contains(part), "{language:?}: {reply}");
        }
        for one in &LANGUAGES {
            for with_name in [
                one.apology, one.refused, one.overloaded, one.called_elsewhere, one.not_done,
                one.what_is_set, one.what_was_done, one.unseen_photos,
            ] {
                assert_eq!(with_name.matches("{}").count(), 1, "{with_name}");
            }
            for alone in [
                one.without_model, one.cut_short, one.nothing_done, one.not_done, one.not_all_done,
                one.not_known, one.message_cut, one.nothing_sent, one.account_stays, one.no_export,
                one.what_is_set, one.what_was_done, one.unseen_photos,
            ] {
                assert!(alone.starts_with('(') && alone.ends_with(')'), "{alone}");
            }
            assert!(one.account_stays.contains("POST /account/deletion"));
            assert!(one.account_stays.contains("DELETE MY ACCOUNT"));
            assert!(one.no_export.contains("POST /account/export"));
            assert!(one.english_only.contains("“remind me at 15:00 to …”"));
        }
    }
}
