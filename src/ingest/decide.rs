//! The second step of a message, in its transaction: whether it is answered, and by whom: the
//! builtin assistant, a superpower or a language model. A reply of the first two is carried out
//! here, too (`carry_out`, `powers`), so this step writes rows; `should_respond` is the pure rule.

use super::Mode;
use super::powers::request::RequestedPower;
use super::reply::Reply;
use super::turn::MessageTurn;
use crate::access::Access;
use crate::assistant::{self, Intent, Understanding, wording};
use crate::error::Result;
use crate::model::secret_text::REMOVED;
use crate::store::Tx;

/// What follows from a message.
pub(super) enum Decision {
    Reply(Reply),
    /// A language model is asked after the commit.
    AskModel {
        /// In a group, without having been addressed.
        unprompted: bool,
    },
}

/// The facts for the decision.
#[derive(Debug, Clone, Copy)]
struct DecisionFacts {
    mode: Mode,
    /// The text has more than white space, or there are photos.
    has_content: bool,
    /// By name, or as a reply to the assistant's message.
    addressed: bool,
    /// An offered superpower was requested.
    superpower: bool,
    /// Messages by people since the assistant's last one, including this one.
    humans: i64,
    /// How many of them allow an unprompted message.
    threshold: i64,
    /// The engine has an unprompted answer.
    has_something_to_say: bool,
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

impl MessageTurn<'_> {
    /// `understood` is the meaning with the time zone that the sender had when it was read.
    pub(super) fn decide(
        &mut self,
        tx: &mut Tx<'_>,
        understood: &Understanding,
    ) -> Result<Decision> {
        let (message, replies) = (&*self.message, &self.ingest.replies);
        let persona = self.ingest.persona.get();
        let intent = match understood.holds_in(self.timezone()) {
            true => understood.intent.clone(),
            false => {
                assistant::understand(&message.context(&persona.name, self.timezone(), self.now))
            }
        };
        // A crisis answer comes before any limit or other rule, alone.
        if let Intent::Crisis(kind) = intent {
            return Ok(Decision::Reply(
                wording::crisis(kind, &message.sender).into(),
            ));
        }
        let facts = DecisionFacts {
            mode: message.mode,
            has_content: !message.text.trim().is_empty() || message.photos > 0,
            addressed: message.mode == Mode::Group
                && (message.reply_to_assistant
                    || assistant::addresses(&message.text, &persona.name)),
            superpower: self.requested_power.is_some(),
            humans: self.humans,
            threshold: self.flags.integer("rate_limit.message_budget_threshold"),
            has_something_to_say: replies.have_something_to_say(&intent)
                && !self.flags.boolean("llm.force_basic_mode"),
        };
        let reply = match self.access {
            _ if !should_respond(facts) => Some(Reply::default()),
            Access::Deny(denial) => Some(Reply::denying(denial, &persona)),
            Access::Allow { .. } => self.reply_to_version(tx, intent)?,
        };
        Ok(match reply {
            Some(reply) => Decision::Reply(reply),
            None => Decision::AskModel {
                unprompted: is_unprompted(facts),
            },
        })
    }

    /// The reply by a requested superpower, else by the builtin assistant. `None`: the language
    /// model replies.
    pub(super) fn reply(&self, tx: &mut Tx<'_>, intent: Intent) -> Result<Option<Reply>> {
        self.withdraw_offer(tx, &intent)?;
        if let Some(reply) = self.answer_about_change(tx, &intent)? {
            return Ok(Some(reply));
        }
        if !self.left_to_model
            && let Some(question) = self.ask_before_undo(tx, &intent)?
        {
            return Ok(Some(question.into()));
        }
        // Links and warnings about secrets are never left to a model.
        let left_to_model = self.left_to_model
            && !matches!(intent, Intent::ConnectCalendar | Intent::ConnectMail)
            && !self.message.text.contains(REMOVED);
        let power = self.requested_power.as_ref();
        if !left_to_model
            && !power.is_some_and(RequestedPower::is_explicit)
            && let Some(reply) = self.answer_how_it_was(tx, &intent)?
        {
            return Ok(Some(reply.into()));
        }
        if !left_to_model
            && power.is_some()
            && let Some(reply) = self.correct_value(tx)?
        {
            return Ok(Some(reply));
        }
        if !left_to_model
            && let Some(power) = power
            && let Some(reply) = self.use_power(tx, power, &intent)?
        {
            self.withdraw_after_power(tx)?;
            return Ok(Some(reply.into()));
        }
        let replies = &self.ingest.replies;
        if !left_to_model && !replies.are_for(&intent) {
            return self.carry_out(tx, intent).map(Some);
        }
        if replies.are_too_many() {
            let (user, in_group) = (self.user.id, self.in_group());
            let reply = self.ingest.too_many_replies(tx, user, in_group)?;
            return Ok(Some(reply.into()));
        }
        Ok(None)
    }
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
