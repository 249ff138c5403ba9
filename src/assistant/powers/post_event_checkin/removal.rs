//! Removes a planned check-in by its name; of several with that name it asks which.

use chrono::NaiveDate;

use super::CheckinState;
use crate::assistant::powers::PowerContext;

impl CheckinState {
    /// `on`: the day, where it is named.
    pub(super) fn remove(
        &mut self,
        about: &str,
        on: Option<NaiveDate>,
        context: &PowerContext,
    ) -> String {
        let mut to_ask = self.to_ask(context);
        // "don't ask me about it", "don't ask me how it was": what was told last.
        let lower = about.to_lowercase();
        let asked = ["it", "that", "this"];
        let is_pronoun = asked.iter().any(|it| {
            let rest = lower.strip_prefix(it);
            matches!(rest, Some("" | " was" | " went" | " goes" | " is"))
        });
        let newest = to_ask
            .newest_entered()
            .filter(|_| is_pronoun && on.is_none());
        if let Some(id) = newest.map(|entry| entry.id) {
            let removed = self.events.remove(id, context);
            let what = removed.map_or_else(String::new, |removed| removed.what);
            return format!("Okay, I won't ask about this: {what}.");
        }
        to_ask.retain_on(on, context);
        if let Some(question) = to_ask.question_of(about, context) {
            return question;
        }
        let found = to_ask.find(about, context);
        match found.and_then(|id| self.events.remove(id, context)) {
            Some(removed) => format!("Okay, I won't ask about this: {}.", removed.what),
            None => format!("I wasn't going to ask about {about}."),
        }
    }
}
