//! Classifies a message, with a reason; the class decides how long a model may think. The first
//! classifier uses the first matching rule; the second adds up all features. Reasons contain no
//! words of the text.

mod features;

use features::TextFeatures;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Small talk: a quick, short reply.
    Reflex,
    Default,
    /// The message needs reasoning.
    DeepReasoning,
    /// The message has photos.
    Vision,
}

/// The input of a classification.
#[derive(Debug, Clone, Copy)]
pub struct ClassifierInput<'a> {
    /// With or without the assistant's name.
    pub text: &'a str,
    /// Photos that the model will get.
    pub photos: usize,
    /// The builtin assistant has a phrase for it.
    pub small_talk: bool,
    /// The assistant's previous message was a question to the person.
    pub answers_question: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    pub class: Class,
    /// A short text for operators.
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
}

/// The first classifier: one rule decides.
pub fn first(input: &ClassifierInput) -> Classification {
    let features = TextFeatures::of(input.text);
    let (class, reason) = match () {
        () if input.photos > 0 => (Class::Vision, "photos"),
        () if features.has_code => (Class::DeepReasoning, "code"),
        () if features.words >= LONG_WORDS => (Class::DeepReasoning, "long"),
        () if features.reasoning > 0 => (Class::DeepReasoning, "asks for reasoning"),
        () if input.small_talk => (Class::Reflex, "small talk"),
        () if features.words <= SHORT_WORDS && features.questions == 0 => (Class::Reflex, "short"),
        () => (Class::Default, "nothing special"),
    };
    Classification {
        class,
        reason: reason.to_owned(),
    }
}

/// From this number of words on a text is long.
const LONG_WORDS: usize = 80;
/// Up to this number of words a statement is simple.
const SHORT_WORDS: usize = 3;
/// From this score on the second classifier chooses reasoning.
const DEEP_POINTS: i32 = 4;
/// Up to this score it chooses small talk.
const REFLEX_POINTS: i32 = -2;

/// The second, combined classifier: every feature has a score.
pub fn combined(input: &ClassifierInput) -> Classification {
    if input.photos > 0 {
        return Classification {
            class: Class::Vision,
            reason: "photos".to_owned(),
        };
    }
    let features = TextFeatures::of(input.text);
    let many = |count: usize, each: i32, most: i32| (count as i32 * each).min(most);
    let weighed = [
        ("asks for reasoning", many(features.reasoning, 3, 6)),
        ("code", if features.has_code { 3 } else { 0 }),
        (
            "several questions",
            many(features.questions.saturating_sub(1), 1, 2),
        ),
        ("several lines", many(features.lines - 1, 1, 3)),
        ("numbers", if features.numbers >= 3 { 2 } else { 0 }),
        ("long", many(features.words / 40, 2, 4)),
        ("short", if features.words <= 6 { -1 } else { 0 }),
        ("small talk", if input.small_talk { -3 } else { 0 }),
        // "Yes, Tuesday" depends on the question before it, so it isn't a reflex.
        (
            "answers a question",
            if input.answers_question { 1 } else { 0 },
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
    let features = if counted.is_empty() {
        "nothing special".to_owned()
    } else {
        counted.join(", ")
    };
    Classification {
        class,
        reason: format!("{points} points: {features}"),
    }
}

#[cfg(test)]
mod tests;
