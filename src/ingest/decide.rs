//! The second step of a message, a pure rule: whether it is answered.

use super::Mode;
use crate::access::{Access, Denial};
use crate::assistant::CrisisKind;

/// The decision about a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Decision {
    /// The message is stored, not answered.
    Silent,
    /// The sender may be in danger: the answer has numbers to call, and nothing else.
    Crisis(CrisisKind),
    /// The answer says why there is no other.
    Denied(Denial),
    Answered {
        /// In a group, without having been addressed.
        unprompted: bool,
    },
}

/// The facts for the decision.
#[derive(Debug, Clone, Copy)]
pub(super) struct DecisionFacts {
    pub(super) mode: Mode,
    pub(super) crisis: Option<CrisisKind>,
    /// The text has more than white space, or there are photos.
    pub(super) has_content: bool,
    /// By name, or as a reply to the assistant's message.
    pub(super) addressed: bool,
    /// An offered superpower was requested.
    pub(super) superpower: bool,
    /// Messages by people since the assistant's last one, including this one.
    pub(super) humans: i64,
    /// How many of them allow an unprompted message.
    pub(super) threshold: i64,
    /// The engine has an unprompted answer.
    pub(super) has_something_to_say: bool,
    pub(super) access: Access,
}

pub(super) fn decide(facts: DecisionFacts) -> Decision {
    if let Some(kind) = facts.crisis {
        return Decision::Crisis(kind); // before any limit or other rule
    }
    match facts.access {
        _ if !should_respond(facts) => Decision::Silent,
        Access::Deny(denial) => Decision::Denied(denial),
        Access::Allow { .. } => Decision::Answered {
            unprompted: is_unprompted(facts),
        },
    }
}

fn should_respond(facts: DecisionFacts) -> bool {
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
fn is_unprompted(facts: DecisionFacts) -> bool {
    facts.mode == Mode::Group && !facts.addressed && !facts.superpower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_answered() {
        let silent = DecisionFacts {
            mode: Mode::Group,
            crisis: None,
            has_content: true,
            addressed: false,
            superpower: false,
            humans: 1,
            threshold: 5,
            has_something_to_say: true,
            access: Access::Allow { remaining: 1 },
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
            let is_answered = matches!(decide(facts), Decision::Answered { .. });
            assert_eq!(is_answered, expected, "{what}");
            let crisis = DecisionFacts {
                crisis: Some(CrisisKind::Danger),
                ..facts
            };
            let expected = Decision::Crisis(CrisisKind::Danger);
            assert_eq!(decide(crisis), expected, "{what}");
        }
    }
}
