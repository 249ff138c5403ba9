//! "no, 4 May", "sorry, it's abd": a value of what the same person said last is replaced. What that
//! did is undone before the whole of it is carried out anew; what can't be undone stays.

use serde::{Deserialize, Serialize};

use super::dialog::latest::{self, StatedFact};
use super::powers::PowerReply;
use super::reply::Reply;
use super::turn::MessageTurn;
use crate::assistant::powers::{self, Power, PowerAction, PowerCalls, Strength};
use crate::assistant::{self, Intent, MessageContext, Statement, UnknownMessage, wording};
use crate::error::{Error, Result};
use crate::store::{MessageRow, PowerState, RemovedItem, Tx};

/// A superpower's state before a value in it was corrected.
#[derive(Serialize, Deserialize)]
struct FirstValue {
    power: String,
    /// As JSON.
    state: String,
}

/// A message and its corrections.
const CORRECTIONS_MAX: usize = 5;

impl MessageTurn<'_> {
    /// `None`: it corrects nothing that can be undone.
    pub(super) fn correct_value(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        let text = &self.message.text;
        let persona = &self.ingest.persona.get().name;
        let value = assistant::corrected_value(text, persona);
        // Most messages end with no number.
        let may_restate = text.ends_with(|c: char| c.is_ascii_digit());
        if self.agent.is_none() || value.is_none() && !may_restate {
            return Ok(None);
        }
        let Some(last) = self.said_last(tx)? else {
            return Ok(None);
        };
        let said = self.as_corrected(tx, &last, persona)?;
        let powers = self.powers_of(tx, last.received_at)?;
        let is_money = !powers.is_empty() && powers.iter().all(|power| power.is_about_money());
        let restated = || assistant::restated_value(text, &said).filter(|_| is_money);
        let Some(value) = value.or_else(restated) else {
            return Ok(None);
        };
        let text = assistant::with_corrected_value(&said, &value);
        let done = match (powers.as_slice(), text) {
            ([power], text) => self.correct_of_power(tx, *power, text.as_deref(), &value)?,
            ([], Some(text)) if !self.in_group() => self.correct_memory(tx, &last, &text)?,
            _ => None,
        };
        Ok(done.map(Reply::from))
    }

    /// What a message said, with the corrections up to it: "spent 14 on lunch" for "no, 14" after
    /// "spent 12 on lunch", and for "no, spent 14 on lunch".
    fn as_corrected(&self, tx: &Tx<'_>, last: &MessageRow, persona: &str) -> Result<String> {
        let chain = tx.view().chain(last.id, CORRECTIONS_MAX)?;
        let mut said: Option<String> = None;
        for message in chain.iter().rev().filter(|one| one.user == last.user) {
            let value = assistant::corrected_value(&message.text, persona);
            let corrected = said
                .zip(value.as_ref())
                .and_then(|(said, value)| assistant::with_corrected_value(&said, value));
            said = corrected.or(value).or_else(|| Some(message.text.clone()));
        }
        Ok(said.unwrap_or_default())
    }

    /// `text`: what was said, with the new value. The value may as well be all of it: "no, spent 25
    /// on lunch".
    fn correct_of_power(
        &self,
        tx: &mut Tx<'_>,
        power: Power,
        text: Option<&str>,
        value: &str,
    ) -> Result<Option<String>> {
        let asks = |text: &str, strength: Strength| {
            let calls = self.calls_of(text);
            let call = calls.of(power);
            call.is_some_and(|call| call.strength == strength)
        };
        let is_clear = |text: &&str| asks(text, Strength::Clear);
        let is_soft = |text: &&str| asks(text, Strength::Soft);
        let text = Some(value)
            .filter(is_clear)
            .or_else(|| text.filter(|text| is_clear(text) || is_soft(text)));
        let Some(text) = text else {
            return Ok(None);
        };
        if !self.has_superpowers(tx)? {
            return Ok(None);
        }
        let first = tx.power_state(self.owner(), power.name())?;
        self.take_first_value(tx, power)?;
        match self.act(tx, power, PowerAction::Undo)? {
            Some(PowerReply::Said { changed: true, .. }) => {
                let reply = self.use_power_for(tx, text)?;
                self.keep_first_value(tx, power, first)?;
                Ok(Some(format!("{}\n{reply}", wording::first_taken_back())))
            }
            _ => Ok(None),
        }
    }

    /// Keeps the state with the first value, to which "undo" returns.
    fn keep_first_value(&self, tx: &Tx<'_>, power: Power, first: Option<PowerState>) -> Result<()> {
        let is_corrected = tx.power_state_written_at(self.owner(), power.name())? == Some(self.now);
        let Some(first) = first.filter(|_| is_corrected && !self.in_group()) else {
            return Ok(());
        };
        let item = FirstValue {
            power: first.name,
            state: first.state,
        };
        let item = RemovedItem {
            user: self.user.id,
            removed_by: self.user.id,
            room: None,
            kind: "first value",
            item: serde_json::to_string(&item).map_err(Error::internal)?,
        };
        tx.keep_removed(&item, self.now)
    }

    /// The state with the value that was corrected by the last change, if one was.
    pub(super) fn take_first_value(&self, tx: &Tx<'_>, power: Power) -> Result<Option<String>> {
        let written_at = tx.power_state_written_at(self.owner(), power.name())?;
        let Some(at) = written_at.filter(|_| !self.in_group()) else {
            return Ok(None);
        };
        let items = tx.take_removed(self.user.id, at, true)?.into_iter();
        let mut firsts =
            items.filter_map(|(_, _, item)| serde_json::from_str::<FirstValue>(&item).ok());
        let first = firsts.find(|first| first.power == power.name());
        Ok(first.map(|first| first.state))
    }

    fn correct_memory(
        &self,
        tx: &mut Tx<'_>,
        last: &MessageRow,
        text: &str,
    ) -> Result<Option<String>> {
        let latest = latest::of_request(self, tx, last.received_at)?;
        let fact = latest.and_then(|latest| latest.fact);
        let Some(fact @ (StatedFact::Memory(_) | StatedFact::CorrectedMemory(_))) = fact else {
            return Ok(None);
        };
        let persona = &self.ingest.persona.get().name;
        let context = MessageContext {
            text,
            ..self.message.context(persona, self.timezone(), self.now)
        };
        let remembered = match assistant::understand(&context) {
            Intent::Remember { text } => text,
            Intent::Unknown => match UnknownMessage::read(&context).statement {
                Some(Statement::Fact(text)) => text,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.undo_fact(tx, &fact)?;
        self.remember(tx, &remembered)?;
        self.note_corrected(tx)?;
        Ok(Some(wording::memory_corrected(&remembered)))
    }

    fn calls_of(&self, text: &str) -> PowerCalls {
        let persona = &self.ingest.persona.get().name;
        powers::recognise(&MessageContext {
            text,
            ..self.message.context(persona, self.timezone(), self.now)
        })
    }
}
