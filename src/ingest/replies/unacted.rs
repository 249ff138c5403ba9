//! Messages that ask for something for certain, as the builtin assistant understands them, and for
//! which the model does nothing: small models claim to have done what they did not. One that calls
//! no tool is asked once more. Where nothing was changed in the end, a sentence says so; also where
//! the model tried to change something, and all of it was refused.

use super::model_turn::{CallTotals, ModelTurn};
use super::request::CertainRequest;
use super::result::CallRecord;
use crate::assistant::prompt::Prompt;
use crate::assistant::tools::LINK;
use crate::assistant::wording;

/// The prompt for a model that called no tool.
const CALL_OR_DENY: &str = "[You called no tool for this message, so nothing was done or looked \
                            up for it. If a tool does what it asks for, call it now. If not, \
                            write your answer again, without saying that anything was done, and \
                            without a word about this.]";
/// Marks at the end of a question.
const QUESTION_MARKS: [char; 4] = ['?', '\u{ff1f}', '\u{61f}', '\u{37e}'];

impl ModelTurn<'_> {
    /// The message asks for something, and the model has called nothing yet.
    pub(super) fn lacks_call(&self, work: &CallTotals) -> bool {
        self.plan.request.is_some() && !self.pending.unprompted && work.records.is_empty()
    }

    /// The prompt by which it is asked once more, after it said `text`.
    pub(super) fn call_or_deny(
        &self,
        prompt: &Prompt,
        text: &str,
        work: &mut CallTotals,
    ) -> Option<Prompt> {
        let is_due = self.lacks_call(work)
            && !work.is_asked_again
            && !prompt.tools.is_empty()
            && self.model.takes_tools()
            && !is_question(text);
        is_due.then(|| {
            work.is_asked_again = true;
            let mut again = prompt.clone();
            again.add_turn(text, CALL_OR_DENY);
            again
        })
    }

    /// The reply's text with the sentence that nothing was done, where that is due.
    pub(super) fn with_denial(&self, text: String, work: &CallTotals) -> String {
        let said = match text.is_empty() {
            true => work.parts.last().unwrap_or(&text),
            false => &text,
        };
        // What other servers' tools did, or what was done before, is not known here.
        let is_outside = |record: &CallRecord| record.tool.contains(LINK);
        let may_be_done = !work.changes.is_empty()
            || work.committed > 0
            || !self.context.done_calls.is_empty()
            || work.records.iter().any(is_outside);
        let is_requested =
            self.plan.request == Some(CertainRequest::Change) && self.model.takes_tools();
        let may_claim = match work.is_change_refused {
            // It knows that it failed: "That time has passed. When then?"
            true => !said.trim_end().ends_with(QUESTION_MARKS),
            false => is_requested && !is_question(said),
        };
        let is_due =
            may_claim && !self.pending.unprompted && work.failure.is_none() && !may_be_done;
        if !is_due {
            return text;
        }
        let denial = wording::nothing_done(self.context.known.language.as_deref());
        format!("{text}\n\n{denial}").trim_start().to_owned()
    }
}

/// It only asks something back, so it claims nothing: all of its sentences are questions.
fn is_question(text: &str) -> bool {
    let (mut has_words, mut has_asked) = (false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if QUESTION_MARKS.contains(&c) {
            (has_words, has_asked) = (false, true);
        } else if has_words && is_end(c, rest.peek().copied()) {
            return false;
        } else if c.is_alphanumeric() {
            has_words = true;
        }
    }
    has_asked && !has_words
}

/// The end of a sentence that is no question, also by a smiley; unlike the point of "9.30".
fn is_end(c: char, next: Option<char>) -> bool {
    match c {
        '.' => next.is_none_or(|next| !next.is_alphanumeric()),
        '!' | '…' | '\n' | '。' | '！' | '।' => true,
        _ => matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'),
    }
}

#[cfg(test)]
mod tests {
    use super::is_question;

    #[test]
    fn questions_are_told_from_claims() {
        for text in [
            "At what time?", "Um wie viel Uhr? 😊", "何時ですか？", "(When?)", "متى؟",
            "At 9.30 or at 10? And where?",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in [
            "All set!",
            "When? At six.",
            "",
            "Done 😊",
            "All set! Anything else?",
            "¡Listo! ¿Algo más?",
            "Done ✅ Anything else?",
            "Your reminder is set for 9:00. Want me to add anything?",
            "Noted\nAnything else?",
        ] {
            assert!(!is_question(text), "{text}");
        }
    }
}
