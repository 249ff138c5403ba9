//! Whether a message is answered. Pure.

use super::Mode;

/// What the decision rests on.
#[derive(Debug, Clone, Copy)]
pub struct DecisionFacts {
    pub mode: Mode,
    /// The text holds more than white space, or there are photos.
    pub has_content: bool,
    /// By name, or as a reply to what the assistant said.
    pub addressed: bool,
    /// A superpower that is offered was asked for.
    pub superpower: bool,
    /// Human messages since the assistant's last one, this one included.
    pub humans: i64,
    /// How many of them make an unprompted message.
    pub threshold: i64,
    /// The engine has something to say unasked.
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

/// Whether an answer is one that nobody asked for.
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
