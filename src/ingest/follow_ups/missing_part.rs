//! Answers to questions for a part that was missing: what to remind of, what a superpower lacks.

use crate::assistant;
use crate::assistant::builtin::NewTime;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::Question;
use crate::ingest::reply::Reply;
use crate::ingest::turn::MessageTurn;
use crate::store::Tx;

impl MessageTurn<'_> {
    /// The answer to the question what to remind of.
    pub(in crate::ingest) fn answer_what(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let Some(Question::What { send_at, rule }) = self.question(tx)? else {
            return Ok(None);
        };
        let text = assistant::reminder_answer(&self.message.text, &self.ingest.persona.get().name);
        let new = NewTime {
            send_at: Timestamp(send_at),
            recurrence: rule.and_then(|rule| rule.recurrence()),
            zone: None,
        };
        if text.is_empty() || new.send_at <= self.now {
            return Ok(None);
        }
        self.drop_question(tx)?;
        Ok(Some(self.remind_at(tx, &text, &new)?))
    }

    /// The answer to a superpower's question what is missing: "milk".
    pub(in crate::ingest) fn answer_rest(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let Some(Question::Rest { before, after }) = self.question(tx)? else {
            return Ok(None);
        };
        let persona = self.ingest.persona.get();
        let rest = assistant::missing_part(&self.message.text, &persona.name);
        if rest.is_empty() {
            return Ok(None);
        }
        let reply = self.try_power_for(tx, &format!("{before}{rest}{after}"))?;
        if reply.is_some() {
            self.drop_question(tx)?;
        }
        Ok(reply.map(Reply::from))
    }
}
