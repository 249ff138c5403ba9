//! The answer to a message, as it is stored and sent. It gives the same bytes each time it is read
//! from its row.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Result, Value};

use super::bubbles;

/// What the JSON of most answers has beside their texts.
const NAMES_BYTES: usize = 160;

/// The answer to a message. Without bubbles there is no reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    pub bubbles: Vec<String>,
    /// The `schedule_message` object: a message that will follow.
    pub schedule: Option<Value>,
    /// The `access` object: why it isn't an ordinary answer.
    pub access: Option<Value>,
}

impl Answer {
    pub fn should_respond(&self) -> bool {
        !self.bubbles.is_empty()
    }

    /// The JSON that is sent.
    pub fn to_json(&self) -> Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Body<'a> {
            should_respond: bool,
            reply_bubbles: &'a [String],
            reply_text: String,
            schedule_message: Option<&'a Value>,
            access: Option<&'a Value>,
        }
        let reply_text = bubbles::join(&self.bubbles);
        // Each text is in it twice.
        let mut json = Vec::with_capacity(NAMES_BYTES + 2 * reply_text.len());
        let body = Body {
            should_respond: self.should_respond(),
            reply_bubbles: &self.bubbles,
            reply_text,
            schedule_message: self.schedule.as_ref(),
            access: self.access.as_ref(),
        };
        serde_json::to_writer(&mut json, &body)?;
        Ok(json)
    }

    /// The columns `bubbles`, `access` and `schedule`.
    pub fn columns(&self) -> [Option<String>; 3] {
        let json = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        [
            self.should_respond()
                .then(|| serde_json::to_string(&self.bubbles).unwrap_or_default()),
            json(&self.access),
            json(&self.schedule),
        ]
    }

    pub fn from_columns([bubbles, access, schedule]: [Option<String>; 3]) -> Result<Self> {
        fn value<T: DeserializeOwned>(text: Option<String>) -> Result<Option<T>> {
            text.as_deref().map(serde_json::from_str).transpose()
        }
        Ok(Self {
            bubbles: value(bubbles)?.unwrap_or_default(),
            access: value(access)?,
            schedule: value(schedule)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_answer_makes_the_same_bytes() {
        let text = "Okay.\n\n\"Soon\" \u{1f600}\u{2028}\\";
        let plain = Answer {
            bubbles: bubbles::cut(text),
            ..Answer::default()
        };
        let scheduling = Answer {
            schedule: Some(serde_json::json!({"schedule_id": "0199", "send_at": "2027-01-15"})),
            ..plain.clone()
        };
        let denying = Answer {
            access: Some(serde_json::json!({"upgrade_message": "\u{2028}\"…\"", "code": "c"})),
            ..plain.clone()
        };
        for answer in [Answer::default(), plain, scheduling, denying] {
            let again = Answer::from_columns(answer.columns()).unwrap();
            assert_eq!(again.to_json().unwrap(), answer.to_json().unwrap());
        }
    }

    #[test]
    fn silence_has_every_field() {
        let json = String::from_utf8(Answer::default().to_json().unwrap()).unwrap();
        assert_eq!(
            json,
            r#"{"should_respond":false,"reply_bubbles":[],"reply_text":"","schedule_message":null,"access":null}"#
        );
    }
}
