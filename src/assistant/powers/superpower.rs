//! What a superpower is: its state, its actions, and what others ask of it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::context::PowerContext;
use super::day_span::DaySpan;
use super::effects::PowerEffect;
use super::entries::Entries;
use super::notice::Notice;
use super::plan::Plan;
use crate::clock::Timestamp;

/// How explicitly a superpower is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStrength {
    /// An explicit request.
    Clear,
    /// Possibly ordinary talk: counts for people who have it.
    Soft,
    /// An explicit request while no superpower is in use; otherwise it is for the one in use.
    Opening,
    /// Meaningful only while the superpower is in use.
    InSession,
}

/// A superpower's state for one owner, as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredState {
    pub state: String,
    /// The state before the last change; `None` when nothing can be undone.
    pub previous: Option<String>,
}

/// The result of an action.
#[derive(Debug, PartialEq)]
pub struct PowerOutcome {
    /// `None` when the message wasn't about anything in the state.
    pub reply: Option<String>,
    /// The new state; `None` when nothing changed.
    pub stored: Option<StoredState>,
    /// The state differs only in what was shown: nothing that could be undone was done.
    pub is_only_shown: bool,
    /// The time of its next alarm.
    pub alarm: Option<Timestamp>,
    /// The events that the person was asked about: the answer becomes a memory of one of them.
    pub questions: Vec<String>,
    /// The names of the entries that its message announces.
    pub announced: Vec<String>,
    /// A requested effect outside of the superpower's state.
    pub effect: Option<PowerEffect>,
}

/// A superpower: its state and its actions.
pub(super) trait Superpower:
    Clone + Default + PartialEq + Serialize + DeserializeOwned
{
    type Action;

    /// Adds facts from elsewhere, such as bookings of mails, to the state while it is used. They
    /// are not stored with it.
    fn add_facts(&mut self, _context: &PowerContext) {}

    /// `None` when the action isn't about anything in the state.
    fn apply(&mut self, action: Self::Action, context: &PowerContext) -> Option<String>;

    /// A text about the current state.
    fn overview(&self, context: &PowerContext) -> String;

    /// Lines for the daily summary.
    fn brief(&self, _context: &PowerContext) -> Option<String> {
        None
    }

    /// Its entries of a span of days or hours.
    fn between(&self, _span: DaySpan) -> Vec<String> {
        Vec::new()
    }

    /// The messages about its entries that it sends on its own.
    fn notices(&self, _context: &PowerContext) -> Vec<Notice> {
        Vec::new()
    }

    /// Its next alarm after now.
    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        let entries = self.entries()?;
        entries.next_notice(&self.notices(context), context)
    }

    /// Handles the alarm that was set for `at`.
    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        let notices = self.notices(context);
        self.entries_mut()?.tell(notices, context)
    }

    /// Its plans for coming days, for other superpowers.
    fn plans(&self, _context: &PowerContext) -> Vec<Plan> {
        Vec::new()
    }

    /// Events before which a person may want a reminder.
    fn occasions(&self, context: &PowerContext) -> Vec<Plan> {
        self.plans(context)
    }

    /// The subjects of the questions in its last message.
    fn questions(&self) -> &[String] {
        &[]
    }

    /// The names of the entries that its last message announced.
    fn announced(&self) -> &[String] {
        self.entries().map_or(&[], |entries| &entries.announced)
    }

    /// The effect outside of its state that its last answer requests.
    fn effect(&self) -> Option<PowerEffect> {
        None
    }

    /// Whether it differs from `other` at most in what is being spoken of, which `undo` passes over.
    fn equals_except_shown(&self, other: &Self) -> bool {
        self.undo_state(other) == *other
    }

    /// The state that `undo` brings back after `self` became `after`.
    fn undo_state(&self, after: &Self) -> Self {
        let mut before = self.clone();
        if let (Some(entries), Some(after)) = (before.entries_mut(), after.entries()) {
            *entries = entries.with_shown(after);
        }
        before
    }

    /// Its state as typed fields, for a language model; `None` where a text says it all.
    fn data(&self, context: &PowerContext) -> Option<Value> {
        self.entries().map(|entries| entries.to_json(context))
    }

    /// Its entries, if it keeps such.
    fn entries(&self) -> Option<&Entries> {
        None
    }

    fn entries_mut(&mut self) -> Option<&mut Entries> {
        None
    }

    /// Removes the words of the user with that number.
    fn erase(&mut self, _by: i64) {}
}
