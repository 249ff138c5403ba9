//! Reminders before an event that the service knows of: a trip, a birthday, a booking, an event of
//! a connected calendar. In a group only what belongs to the group is looked at.

use super::dialog::question::{self, EventChoice, Question};
use super::gate;
use super::powers::{bookings, planned_events, stored_state};
use super::reply::Reply;
use super::turn::MessageTurn;
use crate::assistant::builtin::{BeforeEvent, BeforeProblem};
use crate::assistant::powers::{Facts, Plan, Power, PowerContext, choice};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::Tx;

/// Events that are named in a question.
const CHOICES_MAX: usize = 8;
/// How the request begins by which a trip is noted.
pub(super) const TRIP_REQUEST: &str = "plan a trip to ";

impl MessageTurn<'_> {
    pub(super) fn remind_before(&self, tx: &mut Tx<'_>, request: &BeforeEvent) -> Result<Reply> {
        let plans = self.occasions(tx)?;
        let unnamed = request.text_without_event();
        if (unnamed.is_some() || request.known(&plans).1.is_empty())
            && let Some(noted) = self.note_offered_trip(tx, request)?
        {
            let mut reply = Reply::from(noted);
            let now_known = self.occasions(tx)?;
            let mut new = now_known.iter().filter(|plan| !plans.contains(plan));
            if let Some(trip) = new.next() {
                let text = unnamed.unwrap_or_else(|| request.known(&now_known).0.text.as_str());
                reply.add(self.remind_before_plan(tx, request, trip, text)?);
            }
            return Ok(reply);
        }
        if let Some(text) = unnamed {
            let reply = wording::before_what(text);
            return Ok(reply.into());
        }
        let (reading, events) = request.known(&plans);
        let Some(event) = events.first() else {
            let what = match reading.text.as_str() {
                "" => &reading.event,
                text => text,
            };
            let reply = wording::no_such_event(&reading.event, what);
            return self.ask_when(tx, what, reply);
        };
        let text = |event: &Plan| match reading.text.is_empty() {
            true => event.what.clone(),
            false => reading.text.clone(),
        };
        let (zone, now) = (self.zone(), self.now);
        if events.len() > 1 {
            let choices = events.iter().take(CHOICES_MAX).filter_map(|event| {
                let at = request.moment(event, zone, now).ok()?.0;
                let (event, text) = (event.display(now, zone), text(event));
                Some(EventChoice { event, text, at })
            });
            let choices: Vec<EventChoice> = choices.collect();
            if !choices.is_empty() {
                let reply = wording::which_event(&names(&choices));
                question::ask(self, tx, &Question::Which { choices })?;
                return Ok(reply.into());
            }
        }
        let text = text(event);
        self.remind_before_plan(tx, request, event, &text)
    }

    /// A trip that was just offered to be noted is noted by what refers to it.
    fn note_offered_trip(&self, tx: &mut Tx<'_>, request: &BeforeEvent) -> Result<Option<String>> {
        let Some(Question::OfferedRequest(offered)) = question::open(self, tx)? else {
            return Ok(None);
        };
        question::close(self, tx)?;
        let event = request
            .readings
            .first()
            .map(|reading| reading.event.to_lowercase());
        let is_trip = event.is_some_and(|event| event.contains("trip"));
        match is_trip && offered.starts_with(TRIP_REQUEST) {
            true => self.use_power_for(tx, &offered).map(Some),
            false => Ok(None),
        }
    }

    /// At the moment that `request` names before `event`.
    pub(super) fn remind_before_plan(
        &self,
        tx: &mut Tx<'_>,
        request: &BeforeEvent,
        event: &Plan,
        text: &str,
    ) -> Result<Reply> {
        let (zone, now) = (self.zone(), self.now);
        let text = match text {
            "" => event.what.as_str(),
            text => text,
        };
        let label = event.display(now, zone);
        let reply = match request.moment(event, zone, now) {
            Ok(at) => return self.remind_of_event(tx, text, at, &label),
            Err(BeforeProblem::NoHour) => wording::event_without_hour(&label, text),
            Err(BeforeProblem::Past) => wording::event_too_soon(&label, text),
        };
        self.ask_when(tx, text, reply)
    }

    fn ask_when(&self, tx: &mut Tx<'_>, what: &str, reply: String) -> Result<Reply> {
        let text = what.to_owned();
        question::ask(self, tx, &Question::When { text, month: None })?;
        Ok(reply.into())
    }

    fn remind_of_event(
        &self,
        tx: &mut Tx<'_>,
        text: &str,
        at: Timestamp,
        event: &str,
    ) -> Result<Reply> {
        let mut reply = self.remind(tx, text, at, None, None)?;
        if reply.text.contains(text) {
            reply.text.push_str(&format!("\n{event}"));
        }
        Ok(reply)
    }

    /// The answer to the question which event to use: its number, or a word of its name.
    pub(super) fn answer_which(&self, tx: &mut Tx<'_>) -> Result<Option<Reply>> {
        if let Some(reply) = self.cancel_chosen(tx)? {
            return Ok(Some(reply.into()));
        }
        let Some(Question::Which { choices }) = question::open(self, tx)? else {
            return Ok(None);
        };
        let chosen = choice(&self.message.text, &names(&choices));
        let Some(choice) = chosen.and_then(|at| choices.get(at)) else {
            return Ok(None);
        };
        let at = Timestamp(choice.at);
        if at <= self.now {
            return Ok(None);
        }
        question::close(self, tx)?;
        let reply = self.remind_of_event(tx, &choice.text, at, &choice.event)?;
        Ok(Some(reply))
    }

    /// What is known here of days to come.
    pub(super) fn occasions(&self, tx: &Tx<'_>) -> Result<Vec<Plan>> {
        let mut plans = Vec::new();
        if self.flags.boolean("llm.force_basic_mode") {
            return Ok(plans);
        }
        // What mails say of bookings is the person's own.
        let facts = Facts {
            bookings: match self.in_group() {
                true => Vec::new(),
                false => bookings(tx, self.user.id, self.zone(), self.now)?,
            },
            ..Facts::default()
        };
        let context = PowerContext {
            timezone: self.timezone(),
            ..PowerContext::alone(self.now, self.user.id.0, &facts)
        };
        let rows = tx.power_states(self.owner())?;
        for power in Power::ALL {
            let row = rows.iter().find(|row| row.name == power.name());
            let has_data = row.is_some() || power.uses_bookings();
            if has_data && self.flags.superpower(power.name()) {
                let stored = row.cloned().map(stored_state);
                plans.extend(power.occasions(stored.as_ref(), &context));
            }
        }
        if !self.in_group()
            && self.flags.superpower(Power::CalendarQueryAgent.name())
            && gate::has_superpowers_alone(&self.user, &self.flags, self.now)
        {
            plans.extend(planned_events(tx, self.user.id, self.timezone(), self.now)?);
        }
        let today = self.now.utc().with_timezone(&self.zone()).date_naive();
        plans.retain(|plan| plan.day >= today);
        Ok(plans)
    }
}

fn names(choices: &[EventChoice]) -> Vec<&str> {
    choices.iter().map(|choice| choice.event.as_str()).collect()
}
