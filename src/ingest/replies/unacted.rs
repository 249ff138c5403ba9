//! Messages that ask for something for certain, as the builtin assistant understands them, and for
//! which the model does nothing: small models claim to have done what they did not. One that calls
//! no tool is asked once more. Where nothing was changed in the end, a sentence says so.

use super::model_turn::{CallTotals, ModelTurn};
use super::request::Request;
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
        self.plan.request.is_some() && work.records.is_empty()
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
        let is_due = self.plan.request == Some(Request::Change)
            && self.model.takes_tools()
            && work.failure.is_none()
            && !may_be_done
            && !is_question(said);
        if !is_due {
            return text;
        }
        let denial = wording::nothing_done(self.context.known.language.as_deref());
        format!("{text}\n\n{denial}").trim_start().to_owned()
    }
}

/// It asks something back, so it claims nothing. Smileys and quotation marks may follow the mark.
fn is_question(text: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && !QUESTION_MARKS.contains(&c);
    text.trim_end_matches(is_end).ends_with(QUESTION_MARKS)
}

#[cfg(test)]
mod tests {
    use super::is_question;

    #[test]
    fn questions_are_known_by_their_end() {
        for text in [
            "At what time?", "Um wie viel Uhr? 😊", "何時ですか？", "(When?)", "متى؟",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in ["All set!", "When? At six.", "", "Done 😊"] {
            assert!(!is_question(text), "{text}");
        }
    }
}
