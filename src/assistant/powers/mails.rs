//! Mails of a connected mailbox, as superpowers see them, and how they are shown. Texts of
//! mails are from outside; they are shown shortened, on one line and as quotes.

use super::facts::Mail;
use super::{PowerContext, events};

/// Characters of a mail's text that are shown.
const EXCERPT_CHARS_MAX: usize = 160;

impl Mail {
    pub(super) fn from(&self) -> String {
        match events::one_line(&self.from_name) {
            name if name.is_empty() => events::one_line(&self.from_email),
            name => name,
        }
    }

    /// "Ana, Friday, 27 November at 20:00: “Subject”"
    pub(super) fn display(&self, context: &PowerContext) -> String {
        format!(
            "{}, {}: “{}”",
            self.from(),
            events::moment_text(self.received_at, false, context),
            events::one_line(&self.subject)
        )
    }

    pub(super) fn excerpt(&self) -> String {
        let text = events::one_line(&self.text);
        match text.char_indices().nth(EXCERPT_CHARS_MAX) {
            Some((at, _)) => format!("{}…", text[..at].trim_end()),
            None => text,
        }
    }

    /// Why it can't wait; `None`: it can. `people`: names that matter to the person, in
    /// lower case.
    pub(super) fn cannot_wait(&self, people: &[String]) -> Option<String> {
        if self.is_mass_mail || !self.is_to_self || self.judged == Some(false) {
            return None;
        }
        if self.judged == Some(true) && !self.answers_own && self.urgency.is_empty() {
            return Some("it reads as urgent".to_owned());
        }
        if self.answers_own {
            return Some("it answers you".to_owned());
        }
        if let Some(rule) = self.urgency.first() {
            return Some(rule.replace('_', " "));
        }
        let name = self.from_name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        words
            .any(|word| people.iter().any(|known| known == word))
            .then(|| "you know the sender".to_owned())
    }
}

/// The reply to somebody without a connected mailbox. `does`: what the superpower would do.
pub(super) fn not_connected(does: &str) -> String {
    format!("With your mailbox I {does}. Say “connect my mail” to connect one.")
}
