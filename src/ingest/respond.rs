//! The third step of a message, in its transaction: the reply that was decided on, by the builtin
//! assistant, a superpower or a language model. A reply of the first two is carried out here, too
//! (`carry_out`, `powers`).

use super::Mode;
use super::decide::{self, Decision, DecisionFacts};
use super::dialog::question::{self, Question};
use super::powers::request::RequestedPower;
use super::powers::{answer, how_it_was};
use super::reply::Reply;
use super::turn::MessageTurn;
use crate::assistant::{self, Intent, Understanding, wording};
use crate::error::Result;
use crate::model::secret_text::REMOVED;
use crate::store::Tx;

/// How a message is answered.
pub(super) enum MessageResponse {
    /// An empty one for no answer.
    Reply(Reply),
    /// A language model is asked after the commit.
    AskModel {
        /// In a group, without having been addressed.
        unprompted: bool,
    },
}

impl MessageTurn<'_> {
    /// `understood` is the meaning with the time zone that the sender had when it was read.
    pub(super) fn respond(
        &mut self,
        tx: &mut Tx<'_>,
        understood: &Understanding,
    ) -> Result<MessageResponse> {
        let persona = self.ingest.persona.get();
        let intent = match understood.holds_in(self.timezone()) {
            true => understood.intent.clone(),
            false => assistant::understand(&self.message.context(
                &persona.name,
                self.timezone(),
                self.now,
            )),
        };
        let reply = match decide::decide(self.decision_facts(&intent)) {
            Decision::Silent => Reply::default(),
            Decision::Crisis(kind) => {
                question::ask(self, tx, &Question::Crisis)?;
                wording::crisis(kind, &self.message.sender).into()
            }
            Decision::Denied(denial) => Reply::denying(denial, &persona),
            Decision::Answered { unprompted } => match self.reply_to_version(tx, intent)? {
                Some(reply) => reply,
                None => return Ok(MessageResponse::AskModel { unprompted }),
            },
        };
        Ok(MessageResponse::Reply(reply))
    }

    fn decision_facts(&self, intent: &Intent) -> DecisionFacts {
        let message = &*self.message;
        let is_called = || assistant::addresses(&message.text, &self.ingest.persona.get().name);
        DecisionFacts {
            mode: message.mode,
            crisis: match intent {
                Intent::Crisis(kind) => Some(*kind),
                _ => None,
            },
            has_content: !message.text.trim().is_empty() || message.photos > 0,
            addressed: message.mode == Mode::Group && (message.reply_to_assistant || is_called()),
            superpower: self.requested_power.is_some(),
            humans: self.humans,
            threshold: self.flags.integer("rate_limit.message_budget_threshold"),
            has_something_to_say: self.ingest.replies.have_something_to_say(intent)
                && !self.flags.boolean("llm.force_basic_mode"),
            access: self.access,
        }
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
            && let Some(reply) = how_it_was::answer(self, tx, &intent)?
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
            && let Some(reply) = answer::requested(self, tx, power, &intent)?
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
            let text = &self.message.text;
            let reply = self.ingest.too_many_replies(tx, user, in_group, text)?;
            return Ok(Some(reply.into()));
        }
        Ok(None)
    }
}
