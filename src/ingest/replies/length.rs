//! The length limit of replies, and shortening of longer ones.

use crate::assistant::prompt::Prompt;
use crate::assistant::wording;
use crate::model::bubbles;

const BUBBLES_MAX: usize = 16;
const CHARS_MAX: usize = 8_000;
/// The prompt for a model whose reply is too long.
const SHORTEN: &str = "[Your answer is too long for this chat. Write it again, complete, in at \
                       most 8 short paragraphs and 3,000 characters, without a word about this.]";

/// How much of a reply may still be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplyRoom {
    bubbles: usize,
    chars: usize,
}

impl ReplyRoom {
    /// Nothing of the reply was sent.
    pub(super) const WHOLE: Self = Self {
        bubbles: BUBBLES_MAX,
        chars: CHARS_MAX,
    };

    /// The room that is left after a part was sent.
    pub(super) fn after(self, part: &str) -> Self {
        Self {
            bubbles: self.bubbles.saturating_sub(bubbles::cut(part).len()),
            chars: self.chars.saturating_sub(part.chars().count()),
        }
    }

    pub(super) fn holds(self, text: &str) -> bool {
        text.chars().count() <= self.chars && bubbles::cut(text).len() <= self.bubbles
    }

    /// The text's first bubbles, as many as there is room for, with a sentence that says so.
    pub(super) fn cut_short(self, text: &str, language: Option<&str>) -> String {
        let ending = wording::cut_short(language);
        let mut chars = ending.chars().count();
        let all = bubbles::cut(text);
        let most = self.bubbles.saturating_sub(1);
        let fitting = all.iter().take(most).take_while(|bubble| {
            chars += bubble.chars().count() + 2;
            chars <= self.chars
        });
        let mut parts: Vec<&str> = fitting.map(String::as_str).collect();
        parts.push(ending);
        parts.join("\n\n")
    }

    /// Whether the sentence that says so has room after a part.
    pub(super) fn holds_more_after(self, part: &str, language: Option<&str>) -> bool {
        self.holds(part) && self.after(part).holds(wording::cut_short(language))
    }
}

/// Asks for a shorter version of `text`.
pub(super) fn shorter(mut prompt: Prompt, text: &str) -> Prompt {
    prompt.add_turn(text, SHORTEN);
    prompt
}
