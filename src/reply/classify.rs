//! Which class a message is of, and why: how long a language model may think about it is
//! decided by that. The first classifier takes the first rule that fits; the second adds up
//! everything it sees. Neither repeats a word of the text in its reason.

mod signs;

use signs::Signs;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Small talk: quick and short.
    Reflex,
    Default,
    /// Something to be thought through.
    DeepReasoning,
    /// Photos are to be looked at.
    Vision,
}

/// What is to be classified.
#[derive(Debug, Clone, Copy)]
pub struct ClassifierInput<'a> {
    /// Without the assistant's name, or with it.
    pub text: &'a str,
    /// Photos that would be looked at.
    pub photos: usize,
    /// The builtin assistant would have had a phrase for it.
    pub small_talk: bool,
    /// The assistant's message before it asked the person something.
    pub answers_question: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    pub class: Class,
    /// A few words for operators.
    pub reason: String,
}

impl Class {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reflex => "reflex",
            Self::Default => "default",
            Self::DeepReasoning => "deep_reasoning",
            Self::Vision => "vision",
        }
    }

    /// The flag that says how many tokens a reply of this class may have.
    pub const fn max_tokens_flag(self) -> &'static str {
        match self {
            Self::Reflex => "llm.max_tokens.reflex",
            Self::Default => "llm.max_tokens.default",
            Self::DeepReasoning => "llm.max_tokens.deep_reasoning",
            Self::Vision => "llm.max_tokens.vision",
        }
    }
}

/// The first classifier: one rule decides.
pub fn first(asked: &ClassifierInput<'_>) -> Classification {
    let signs = Signs::of(asked.text);
    let (class, reason) = match () {
        () if asked.photos > 0 => (Class::Vision, "photos"),
        () if signs.has_code => (Class::DeepReasoning, "code"),
        () if signs.words >= LONG_WORDS => (Class::DeepReasoning, "long"),
        () if signs.reasoning > 0 => (Class::DeepReasoning, "asks for reasoning"),
        () if asked.small_talk => (Class::Reflex, "small talk"),
        () if signs.words <= SHORT_WORDS && signs.questions == 0 => (Class::Reflex, "short"),
        () => (Class::Default, "nothing special"),
    };
    Classification {
        class,
        reason: reason.to_owned(),
    }
}

/// Words from which on a text is long.
const LONG_WORDS: usize = 80;
/// Words up to which a statement needs no thought.
const SHORT_WORDS: usize = 3;
/// Points from which on the second classifier sees something to think through.
const DEEP_POINTS: i32 = 4;
/// Points down to which it sees small talk.
const REFLEX_POINTS: i32 = -2;

/// The second, combined classifier: every sign counts, for or against.
pub fn combined(asked: &ClassifierInput<'_>) -> Classification {
    if asked.photos > 0 {
        return Classification {
            class: Class::Vision,
            reason: "photos".to_owned(),
        };
    }
    let signs = Signs::of(asked.text);
    let many = |count: usize, each: i32, most: i32| (count as i32 * each).min(most);
    let weighed = [
        ("asks for reasoning", many(signs.reasoning, 3, 6)),
        ("code", if signs.has_code { 3 } else { 0 }),
        (
            "several questions",
            many(signs.questions.saturating_sub(1), 1, 2),
        ),
        ("several lines", many(signs.lines - 1, 1, 3)),
        ("numbers", if signs.numbers >= 3 { 2 } else { 0 }),
        ("long", many(signs.words / 40, 2, 4)),
        ("short", if signs.words <= 6 { -1 } else { 0 }),
        ("small talk", if asked.small_talk { -3 } else { 0 }),
        // "Yes, Tuesday" needs the question before it: no reflex.
        (
            "answers a question",
            if asked.answers_question { 1 } else { 0 },
        ),
    ];
    let points: i32 = weighed.iter().map(|(_, points)| points).sum();
    let class = match points {
        DEEP_POINTS.. => Class::DeepReasoning,
        ..=REFLEX_POINTS => Class::Reflex,
        _ => Class::Default,
    };
    let counted: Vec<&str> = weighed
        .iter()
        .filter(|(_, points)| *points != 0)
        .map(|(sign, _)| *sign)
        .collect();
    let signs = if counted.is_empty() {
        "nothing special".to_owned()
    } else {
        counted.join(", ")
    };
    Classification {
        class,
        reason: format!("{points} points: {signs}"),
    }
}

#[cfg(test)]
mod tests;
