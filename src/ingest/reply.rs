//! The type of a reply to a message: its text before it is cut into bubbles, and the fields that go
//! with it (a schedule, a denial). Replies of language models are made in `replies`.

use serde::Serialize;
use serde_json::Value;

use crate::access::Denial;
use crate::assistant::persona::Persona;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::answer::Answer;
use crate::model::bubbles;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reply {
    /// Empty for no reply.
    pub(super) text: String,
    /// A `Schedule` as JSON.
    pub(super) schedule: Option<Value>,
    /// Why it isn't an ordinary answer.
    pub(super) access: Option<Value>,
}

/// A scheduled message.
#[derive(Debug, Serialize)]
pub(super) struct Schedule<'a> {
    pub(super) schedule_id: &'a str,
    pub(super) chat_guid: &'a str,
    pub(super) text: &'a str,
    pub(super) send_at: Timestamp,
    /// `service` or `relay`.
    pub(super) deliver_by: &'a str,
}

impl Reply {
    pub(super) fn scheduling(text: String, schedule: &Schedule) -> Result<Self> {
        Ok(Self {
            text,
            schedule: Some(serde_json::to_value(schedule).map_err(Error::internal)?),
            access: None,
        })
    }

    pub(super) fn denying(denial: Denial, persona: &Persona) -> Self {
        Self {
            text: denial.reply(persona),
            schedule: None,
            access: Some(denial.to_json()),
        }
    }

    /// Adds a sentence on a line of its own. An answer carries one schedule: the first.
    pub(super) fn add(&mut self, more: Self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(&more.text);
        self.schedule = self.schedule.take().or(more.schedule);
    }

    pub(super) fn into_answer(self) -> Answer {
        Answer {
            bubbles: bubbles::cut(&self.text),
            schedule: self.schedule,
            access: self.access,
        }
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}
