//! The answer to a message. It gives the same bytes each time it is made from its stored form.

use serde::Serialize;
use serde_json::Value;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::bubbles;
use crate::store::StoredAnswer;

/// The answer to a message. Without bubbles there is no reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    bubbles: Vec<String>,
    schedule: Option<Value>,
    access: Option<Value>,
}

/// A scheduled message.
#[derive(Debug, Serialize)]
pub struct Schedule<'a> {
    pub schedule_id: &'a str,
    pub chat_guid: &'a str,
    pub text: &'a str,
    pub send_at: Timestamp,
    /// `service` or `relay`.
    pub deliver_by: &'a str,
}

/// A reply before it is split into bubbles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReplyDraft {
    /// Empty for no reply.
    pub text: String,
    pub schedule: Option<Value>,
    /// Why it isn't an ordinary answer.
    pub access: Option<Value>,
}

impl ReplyDraft {
    pub fn scheduling(text: String, schedule: &Schedule<'_>) -> Result<Self> {
        Ok(Self {
            text,
            schedule: Some(serde_json::to_value(schedule).map_err(Error::internal)?),
            access: None,
        })
    }

    pub fn answer(&self) -> Answer {
        Answer {
            bubbles: bubbles::cut(&self.text),
            schedule: self.schedule.clone(),
            access: self.access.clone(),
        }
    }
}

impl From<String> for ReplyDraft {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

#[derive(Serialize)]
struct AnswerBody<'a> {
    should_respond: bool,
    reply_bubbles: &'a [String],
    reply_text: String,
    schedule_message: Option<&'a Value>,
    access: Option<&'a Value>,
}

impl Answer {
    pub fn silence() -> Self {
        Self::default()
    }

    pub fn saying(text: &str) -> Self {
        Self {
            bubbles: bubbles::cut(text),
            ..Self::default()
        }
    }

    /// Adds the `access` object, which says why it isn't an ordinary answer.
    pub fn denying(text: &str, access: Value) -> Self {
        Self {
            access: Some(access),
            ..Self::saying(text)
        }
    }

    pub fn should_respond(&self) -> bool {
        !self.bubbles.is_empty()
    }

    pub fn bubbles(&self) -> &[String] {
        &self.bubbles
    }

    /// The JSON that is sent.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(&AnswerBody {
            should_respond: self.should_respond(),
            reply_bubbles: &self.bubbles,
            reply_text: bubbles::join(&self.bubbles),
            schedule_message: self.schedule.as_ref(),
            access: self.access.as_ref(),
        })
        .map_err(Error::internal)
    }

    pub fn stored(&self) -> StoredAnswer {
        let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        StoredAnswer {
            bubbles: self
                .should_respond()
                .then(|| serde_json::to_string(&self.bubbles).unwrap_or_default()),
            access: json(&self.access),
            schedule: json(&self.schedule),
        }
    }

    pub fn from_stored(stored: &StoredAnswer) -> Result<Self> {
        let json = |text: &Option<String>| {
            text.as_deref()
                .map(serde_json::from_str)
                .transpose()
                .map_err(Error::internal)
        };
        let bubbles = match &stored.bubbles {
            Some(text) => serde_json::from_str(text).map_err(Error::internal)?,
            None => Vec::new(),
        };
        Ok(Self {
            bubbles,
            access: json(&stored.access)?,
            schedule: json(&stored.schedule)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_makes_the_same_bytes() {
        let schedule = Schedule {
            schedule_id: "0199",
            chat_guid: "g",
            text: "t",
            send_at: Timestamp(1_800_000_000_123),
            deliver_by: "service",
        };
        let text = "Okay.\n\n\"Soon\" \u{1f600}\u{2028}\\".to_owned();
        let scheduled = ReplyDraft::scheduling(text, &schedule).unwrap().answer();
        let access = serde_json::json!({"upgrade_message": "\u{2028}\"…\"", "code": "c"});
        let denying = Answer::denying("No.", access);
        for answer in [Answer::silence(), Answer::saying("Hi!"), scheduled, denying] {
            let again = Answer::from_stored(&answer.stored()).unwrap();
            assert_eq!(again.to_json().unwrap(), answer.to_json().unwrap());
        }
    }

    #[test]
    fn silence_has_every_field() {
        let json = String::from_utf8(Answer::silence().to_json().unwrap()).unwrap();
        assert_eq!(
            json,
            r#"{"should_respond":false,"reply_bubbles":[],"reply_text":"","schedule_message":null,"access":null}"#
        );
    }
}
