//! One attempt to use a superpower: what it does with its state, and the alarms that follow.

use super::read_services::ReadServices;
use super::request::PowerAttempt;
use super::{PowerReply, facts, notices, state_of, stored_state};
use crate::assistant::powers::{
    Effect, Facts, NoticePreferences, Power, PowerAction, PowerContext, PowerOutcome, StoredState,
};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::gate;
use crate::ingest::turn::MessageTurn;
use crate::store::{PowerOwner, Tx};

impl MessageTurn<'_> {
    /// `None`: no answer and no change.
    pub(super) fn attempt(
        &self,
        tx: &mut Tx<'_>,
        attempt: &PowerAttempt,
        explicit: bool,
    ) -> Result<Option<PowerReply>> {
        let power = attempt.power;
        let is_answered_alone = self.is_answered_alone(power);
        if let Some(refused) = self.refused_at_once(attempt, explicit) {
            return Ok(refused);
        }
        let stored = self.stored_for(tx, attempt)?;
        let mut preferences = notices::preferences(tx, self.user.id)?;
        let facts = self.power_facts(tx, power)?;
        let lacks_service = power.lacks_service(facts.has_calendar, facts.has_mailbox);
        let is_known = preferences.is_offered(power) && !attempt.action.adds_event();
        let is_told_before = lacks_service && is_known && !explicit;
        if is_told_before && !attempt.sure {
            return Ok(None);
        }
        let context = PowerContext {
            now: self.now,
            timezone: self.timezone(),
            group: self.in_group() && power.is_shared(),
            by: self.user.id.0,
            name: self.user.name.as_deref(),
            sure: attempt.sure,
            reachable: self.agent.is_some(),
            waking: preferences.waking,
            muted: preferences.is_muted(power),
            facts: &facts,
        };
        let outcome = power
            .act(stored.as_ref(), attempt.action.clone(), &context)
            .map_err(Error::internal)?;
        let Some(mut reply) = outcome.reply.clone() else {
            return Ok(None);
        };
        if is_told_before {
            reply = power.not_connected().to_owned();
        }
        if !self.may_take_turn(explicit) {
            return Ok(Some(PowerReply::TooMany));
        }
        let changes_state = outcome.stored.is_some() && !outcome.is_only_shown;
        let asks_more = outcome.effect.is_some() || attempt.action.lacks().is_some();
        if is_answered_alone && (changes_state || asks_more) {
            let may_be_shared = power == Power::BudgetTracker;
            let text = wording::changed_alone(may_be_shared);
            return Ok(Some(PowerReply::unchanged(text)));
        }
        let changed =
            changes_state || matches!(outcome.effect, Some(Effect::SwitchCalendar { .. }));
        if let Some(asked) = self.apply_outcome(tx, power, outcome, &mut preferences)? {
            reply = asked;
        }
        self.note_lacking(tx, &attempt.action)?;
        if let Some(offer) = self.first_offer(tx, power, &facts, &mut preferences)? {
            reply = format!("{reply}{offer}");
        }
        match is_answered_alone {
            true => reply = self.send_privately(tx, &reply)?,
            false => self.take_turn(tx, power)?,
        }
        Ok(Some(PowerReply::Said {
            text: reply,
            changed,
        }))
    }

    /// Before anything is read: what is answered in a direct chat that there isn't, and an "undo" that
    /// a limit refuses, for which the way back is kept.
    fn refused_at_once(
        &self,
        attempt: &PowerAttempt,
        explicit: bool,
    ) -> Option<Option<PowerReply>> {
        if self.is_answered_alone(attempt.power) && !self.may_answer_alone() {
            let text = wording::superpower_alone(attempt.power.title());
            return Some(attempt.sure.then(|| PowerReply::unchanged(text)));
        }
        let is_undo = attempt.action == PowerAction::Undo;
        (is_undo && !self.may_take_turn(explicit)).then_some(Some(PowerReply::TooMany))
    }

    /// The state to which an action is applied. "undo" of a correction returns to the first value.
    fn stored_for(&self, tx: &Tx<'_>, attempt: &PowerAttempt) -> Result<Option<StoredState>> {
        let power = attempt.power;
        let stored = tx.power_state(self.owner_of(power), power.name())?;
        let mut stored = stored.map(stored_state);
        if attempt.action == PowerAction::Undo
            && let Some(stored) = &mut stored
            && let Some(first) = self.take_first_value(tx, power)?
        {
            stored.previous = Some(first);
        }
        Ok(stored)
    }

    /// What is stored of it, and what others do. Returns their reply.
    fn apply_outcome(
        &self,
        tx: &mut Tx<'_>,
        power: Power,
        outcome: PowerOutcome,
        preferences: &mut NoticePreferences,
    ) -> Result<Option<String>> {
        let reply = match outcome.effect {
            Some(Effect::SwitchCalendar { calendar, on }) => {
                self.switch_calendar(tx, (calendar, on))?;
                None
            }
            Some(Effect::ChangeCalendar(wish)) => self.ask_to_change(tx, wish)?,
            None => None,
        };
        if outcome.stored.is_some() {
            self.resume_summary(tx, power, preferences)?;
        }
        match outcome.stored {
            Some(stored) if outcome.is_only_shown => self.keep_shown(tx, power, stored)?,
            Some(stored) => self.keep(tx, power, stored, outcome.alarm)?,
            None => {}
        }
        Ok(reply)
    }

    /// A personal superpower in a group: questions are answered in the person's direct chat, and
    /// nothing is changed.
    fn is_answered_alone(&self, power: Power) -> bool {
        self.in_group() && !power.is_shared()
    }

    /// Whether the person would be answered there.
    fn may_answer_alone(&self) -> bool {
        !self.by_model && gate::has_superpowers_alone(&self.user, &self.flags, self.now)
    }

    fn owner_of(&self, power: Power) -> PowerOwner {
        match self.is_answered_alone(power) {
            true => PowerOwner::User(self.user.id),
            false => self.owner(),
        }
    }

    /// The reply asks for what is missing: the answer to it completes the request.
    fn note_lacking(&self, tx: &mut Tx<'_>, action: &PowerAction) -> Result<()> {
        match action.lacks() {
            Some((before, after)) if !self.by_model => {
                question::ask(self, tx, &Question::Rest { before, after })
            }
            _ => Ok(()),
        }
    }

    /// Records that the person was told what the superpower would do with a calendar or mailbox. A
    /// line about that, where the superpower's reply does not contain it.
    fn first_offer(
        &self,
        tx: &Tx<'_>,
        power: Power,
        facts: &Facts,
        preferences: &mut NoticePreferences,
    ) -> Result<Option<String>> {
        let offer = power.offer(facts);
        let lacks_service = power.lacks_service(facts.has_calendar, facts.has_mailbox);
        let is_shared = matches!(self.owner_of(power), PowerOwner::Room(_));
        let is_new = !is_shared && !preferences.is_offered(power);
        if !is_new || !lacks_service && offer.is_none() {
            return Ok(None);
        }
        preferences.note_offer(power);
        notices::keep(tx, self.user.id, preferences, self.now)?;
        Ok(offer.map(|offer| format!("\n{offer}")))
    }

    /// Records the same where the service's own part answers. True: the person was not told yet.
    pub(in crate::ingest) fn note_first_offer(&self, tx: &Tx<'_>, power: Power) -> Result<bool> {
        let mut preferences = notices::preferences(tx, self.user.id)?;
        if preferences.is_offered(power) {
            return Ok(false);
        }
        preferences.note_offer(power);
        notices::keep(tx, self.user.id, &preferences, self.now)?;
        Ok(true)
    }

    /// Facts from outside the superpower's state; none for what a group shares, as they are
    /// personal.
    fn power_facts(&self, tx: &Tx<'_>, power: Power) -> Result<Facts> {
        if matches!(self.owner_of(power), PowerOwner::Room(_)) {
            return Ok(Facts::default());
        }
        let person = (self.user.id, self.timezone());
        let mut known = ReadServices::default();
        facts::gather(tx, power, person, &self.flags, &mut known, self.now)
    }

    /// Writes what was shown: "undo" means what was changed last.
    fn keep_shown(&self, tx: &Tx<'_>, power: Power, stored: StoredState) -> Result<()> {
        let owner = self.owner_of(power);
        let changed_at = tx.power_state_written_at(owner, power.name())?;
        let at = changed_at.unwrap_or(self.now);
        tx.set_power_state(owner, &state_of(power, stored), at)
    }

    /// Writes a superpower's new state, its alarm and its plans.
    pub(in crate::ingest) fn keep(
        &self,
        tx: &mut Tx<'_>,
        power: Power,
        stored: StoredState,
        alarm: Option<Timestamp>,
    ) -> Result<()> {
        let mut state = state_of(power, stored);
        // All that a model changes for one message is undone together.
        if self.by_model && tx.power_state_written_at(self.owner(), power.name())? == Some(self.now)
        {
            let before = tx.power_state(self.owner(), power.name())?;
            state.previous = before.and_then(|before| before.previous).or(state.previous);
        }
        tx.set_power_state(self.owner(), &state, self.now)?;
        if power.has_alarms() {
            let here = self.agent.map(|_| self.room.id);
            let user = self.user.id;
            self.ingest
                .set_alarm(tx, power, user, here, alarm, self.now)?;
        }
        if power.has_plans() && !self.in_group() {
            self.plan_alarms(tx, self.timezone(), Power::needs_plans)?;
        }
        Ok(())
    }
}
