//! The type of a reply to a message: its text before it is cut into bubbles, and the fields that go
//! with it (a schedule, a denial). Replies of language models are made in `replies`.

use serde::Serialize;
use serde_json::Value;

use super::turn::MessageTurn;
use crate::access::Denial;
use crate::assistant::persona::Persona;
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::answer::Answer;
use crate::model::bubbles;
use crate::store::{Reminder, Tx};

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reply {
    /// Empty for no reply.
    pub(super) text: String,
    /// A `ScheduledMessage` as JSON.
    pub(super) schedule: Option<Value>,
    /// Why it isn't an ordinary answer.
    pub(super) access: Option<Value>,
}

/// A reminder as an answer carries it.
#[derive(Debug, Serialize)]
struct ScheduledMessage<'a> {
    schedule_id: &'a str,
    chat_guid: &'a str,
    text: &'a str,
    send_at: Timestamp,
    /// `service` or `relay`.
    deliver_by: &'a str,
}

/// The reminder as JSON, a `ScheduledMessage`.
pub(super) fn schedule(turn: &MessageTurn, tx: &Tx, reminder: &Reminder) -> Result<Value> {
    let (ingest, user) = (turn.ingest, turn.user.id);
    let language = ingest.language_of_notices(tx, user, turn.in_group())?;
    let schedule = ScheduledMessage {
        schedule_id: &reminder.schedule_id,
        chat_guid: &turn.message.chat_guid,
        text: &wording::reminder_text(&reminder.text, language.as_deref()),
        send_at: reminder.send_at,
        deliver_by: match turn.agent {
            Some(_) => "service",
            None => "relay",
        },
    };
    serde_json::to_value(schedule).map_err(Error::internal)
}

impl Reply {
    /// The text, with the reminder that was set for it.
    pub(super) fn with_schedule(text: String, turn: &mut MessageTurn) -> Self {
        Self {
            text,
            schedule: turn.schedule.take(),
            access: None,
        }
    }

    pub(super) fn denying(denial: Denial, persona: &Persona) -> Self {
        Self {
            text: denial.reply(persona),
            schedule: None,
            access: Some(denial.to_json()),
        }
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
