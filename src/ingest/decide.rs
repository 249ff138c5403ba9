//! Whether a message is answered. Pure.

use super::Mode;

/// The facts for the decision.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFacts {
    pub mode: Mode,
    /// The text has more than white space, or there are photos.
    pub has_content: bool,
    /// By name, or as a reply to the assistant's message.
    pub addressed: bool,
    /// An offered superpower was requested.
    pub superpower: bool,
    /// Messages by people since the assistant's last one, including this one.
    pub humans: i64,
    /// How many of them allow an unprompted message.
    pub threshold: i64,
    /// The engine has an unprompted answer.
    pub has_something_to_say: bool,
}

pub fn should_respond(facts: DecisionFacts) -> bool {
    match facts.mode {
        Mode::Direct => facts.has_content,
        Mode::Group => {
            facts.addressed
                || facts.superpower
                || facts.humans >= facts.threshold && facts.has_something_to_say
        }
    }
}

/// Whether the answer would be unprompted.
pub fn is_unprompted(facts: DecisionFacts) -> bool {
    facts.mode == Mode::Group && !facts.addressed && !facts.superpower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_answered() {
        let silent = DecisionFacts {
            mode: Mode::Group,
            has_content: true,
            addressed: false,
            superpower: false,
            humans: 1,
            threshold: 5,
            has_something_to_say: true,
        };
        let direct = DecisionFacts {
            mode: Mode::Direct,
            has_something_to_say: false,
            ..silent
        };
        let cases = [
            ("direct", direct, true),
            (
                "direct, empty",
                DecisionFacts {
                    has_content: false,
                    ..direct
                },
                false,
            ),
            ("group", silent, false),
            (
                "group, addressed",
                DecisionFacts {
                    addressed: true,
                    ..silent
                },
                true,
            ),
            (
                "group, superpower",
                DecisionFacts {
                    superpower: true,
                    ..silent
                },
                true,
            ),
            (
                "group, 4th",
                DecisionFacts {
                    humans: 4,
                    ..silent
                },
                false,
            ),
            (
                "group, 5th",
                DecisionFacts {
                    humans: 5,
                    ..silent
                },
                true,
            ),
            (
                "group, 6th",
                DecisionFacts {
                    humans: 6,
                    ..silent
                },
                true,
            ),
            (
                "group, 5th, nothing to say",
                DecisionFacts {
                    humans: 5,
                    has_something_to_say: false,
                    ..silent
                },
                false,
            ),
        ];
        for (what, facts, expected) in cases {
            assert_eq!(should_respond(facts), expected, "{what}");
        }
    }
}
