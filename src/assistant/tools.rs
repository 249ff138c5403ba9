//! What a language model may do for the person it speaks with: tools with typed arguments, one
//! for each superpower and some for what the builtin assistant keeps. Pure: whether the person
//! may, and what then happens, is decided elsewhere. An error is a sentence for the model.

mod arguments;
mod fitting;
mod remote;

use std::sync::LazyLock;

use arguments::{
    Agenda, CancelReminder, ChangeReminder, Forget, ListReminders, NoArguments, Recall, Remember,
    SetProfile, SetReminder, bounded,
};
use chrono::{NaiveDate, NaiveDateTime};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::builtin::MEMORY_CHARS_MAX;
use super::powers::operations::{CallContext, argument_fields, clean, read, schema};
use super::powers::{
    NOTICES_DESCRIPTION, NoticeArguments, NoticeRequest, Power, PowerAction, notice_request,
};
use super::tokens::estimated_tokens;
use crate::clock::{Timestamp, Zone};
pub use fitting::near_name;
pub use remote::{LINK, OfferedTool, RemoteTool};

/// Bytes of a call's arguments.
pub const ARGUMENTS_BYTES_MAX: usize = 16 * 1024;
/// Characters of what is looked for.
const QUERY_CHARS_MAX: usize = 500;
/// Memories that one call forgets.
const IDS_MAX: usize = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    SetReminder,
    ListReminders,
    ChangeReminder,
    CancelReminder,
    Remember,
    Recall,
    Forget,
    SetProfile,
    ExportAccount,
    DeleteAccount,
    Usage,
    Undo,
    Agenda,
    Notices,
    AnswerPrivately,
    Power(Power),
}

/// The meaning of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    SetReminder {
        /// At most `REMINDER_CHARS_MAX` characters.
        text: String,
        at: ReminderTime,
        /// A rule of RFC 5545, not checked.
        repeat: Option<String>,
        chat: ReminderChat,
    },
    ListReminders {
        from: Option<NaiveDateTime>,
        to: Option<NaiveDateTime>,
        matching: Option<String>,
    },
    ChangeReminder {
        id: String,
        text: Option<String>,
        at: Option<ReminderTime>,
        /// "": it no longer repeats.
        repeat: Option<String>,
        /// Of a series only the next time: it is left out where no other time is given.
        only_next: bool,
    },
    CancelReminder {
        id: String,
    },
    /// At most `MEMORY_CHARS_MAX` characters.
    Remember {
        text: String,
    },
    Recall {
        query: String,
    },
    Forget {
        ids: Vec<String>,
    },
    SetProfile(ProfileChange),
    ExportAccount,
    /// The call tells how, and deletes nothing.
    DeleteAccount,
    Usage,
    /// Takes back what the person's last message changed in this chat.
    Undo,
    /// From the first to the last day.
    Agenda {
        from: NaiveDate,
        to: NaiveDate,
    },
    Notices(NoticeRequest),
    /// To the person's direct chat, from a group; the text is empty until it is made.
    AnswerPrivately {
        text: String,
    },
    Power(Power, PowerAction),
}

/// The fields of the profile to change.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileChange {
    pub name: Option<String>,
    pub timezone: Option<Zone>,
    /// A BCP 47 tag.
    pub language: Option<String>,
    pub pronouns: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReminderTime {
    /// On the wall of the person's time zone.
    Local(NaiveDateTime),
    Moment(Timestamp),
}

/// The chat in which a reminder is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReminderChat {
    #[default]
    Here,
    /// The person's own chat with the assistant.
    Direct,
}

type Result<T> = std::result::Result<T, String>;

impl Tool {
    /// All but the superpowers.
    const BUILTIN: [Self; 15] = [
        Self::SetReminder,
        Self::ListReminders,
        Self::ChangeReminder,
        Self::CancelReminder,
        Self::Remember,
        Self::Recall,
        Self::Forget,
        Self::SetProfile,
        Self::ExportAccount,
        Self::DeleteAccount,
        Self::Usage,
        Self::Undo,
        Self::Agenda,
        Self::Notices,
        Self::AnswerPrivately,
    ];

    pub fn all() -> impl Iterator<Item = Self> {
        let powers = Power::ALL.into_iter().rev().map(Self::Power);
        Self::BUILTIN.into_iter().chain(powers)
    }

    /// Whether it may be used in a group, or else in a direct chat. Groups must neither see nor
    /// change personal data.
    pub const fn is_for(self, group: bool) -> bool {
        match self {
            _ if !group => !matches!(self, Self::AnswerPrivately),
            Self::Power(power) => power.is_shared(),
            Self::SetReminder
            | Self::ListReminders
            | Self::ChangeReminder
            | Self::CancelReminder
            | Self::Undo
            | Self::AnswerPrivately => true,
            _ => false,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::SetReminder => "set_reminder",
            Self::ListReminders => "list_reminders",
            Self::ChangeReminder => "change_reminder",
            Self::CancelReminder => "cancel_reminder",
            Self::Remember => "remember",
            Self::Recall => "recall",
            Self::Forget => "forget",
            Self::SetProfile => "set_profile",
            Self::ExportAccount => "export_account",
            Self::DeleteAccount => "delete_account",
            Self::Usage => "usage",
            Self::Undo => "undo",
            Self::Agenda => "agenda",
            Self::Notices => "own_messages",
            Self::AnswerPrivately => "answer_privately",
            Self::Power(power) => power.name(),
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::SetReminder => {
                "Sets a reminder, also one that comes again. The person is written to at that time."
            }
            Self::ListReminders => "Lists open reminders with their ids.",
            Self::ChangeReminder => {
                "Gives an open reminder another text, time or repetition. Of one that comes again the \
                 whole series changes, unless only_next is true."
            }
            Self::CancelReminder => "Cancels an open reminder.",
            Self::Remember => "Keeps a fact that the person wants remembered.",
            Self::Recall => "Finds what was remembered, with ids.",
            Self::Forget => "Forgets memories. Say which ones, and ask first if in doubt.",
            Self::SetProfile => {
                "Sets how the person is called and written to, and their time zone."
            }
            Self::ExportAccount => "Tells how the person gets a file of all their data.",
            Self::DeleteAccount => {
                "Tells how the person deletes their account and all data; deletes nothing itself."
            }
            Self::Usage => "Tells the person's plan, limits and what is kept.",
            Self::Undo => {
                "Takes back all that the person's last message that changed something did in this \
                 chat, within 10 minutes: reminders, memories and superpowers."
            }
            Self::Agenda => {
                "All that is on at some days: reminders, events of calendars, birthdays, trips."
            }
            Self::Notices => NOTICES_DESCRIPTION,
            Self::AnswerPrivately => {
                "Answers the last message in the person's own chat with you, where nobody else \
                 reads it. For questions about what is theirs: their reminders of other chats, \
                 memories, plans, trips, tickets, mail, calendar, money, account."
            }
            Self::Power(power) => power.description(),
        }
    }

    fn parameters(self) -> Value {
        match self {
            Self::SetReminder => schema::<SetReminder>(),
            Self::ListReminders => schema::<ListReminders>(),
            Self::ChangeReminder => schema::<ChangeReminder>(),
            Self::CancelReminder => schema::<CancelReminder>(),
            Self::Remember => schema::<Remember>(),
            Self::Recall => schema::<Recall>(),
            Self::Forget => schema::<Forget>(),
            Self::SetProfile => schema::<SetProfile>(),
            Self::ExportAccount
            | Self::DeleteAccount
            | Self::Usage
            | Self::Undo
            | Self::AnswerPrivately => schema::<NoArguments>(),
            Self::Agenda => schema::<Agenda>(),
            Self::Notices => schema::<NoticeArguments>(),
            Self::Power(power) => power.parameters(),
        }
    }

    /// Whether any of its operations changes something.
    pub const fn may_change(self) -> bool {
        !matches!(
            self,
            Self::ListReminders
                | Self::Recall
                | Self::ExportAccount
                | Self::DeleteAccount
                | Self::Usage
                | Self::Agenda
        )
    }

    /// The tool as it is offered to a model: `{"type": "function", "function": {name, description,
    /// parameters}}`.
    pub fn offer(self) -> &'static Value {
        static OFFERS: LazyLock<Vec<(Tool, Value)>> = LazyLock::new(|| {
            let offers = Tool::all().map(|tool| {
                let function = json!({
                    "name": tool.name(),
                    "description": tool.description(),
                    "parameters": tool.parameters(),
                });
                (tool, json!({ "type": "function", "function": function }))
            });
            offers.collect()
        });
        let mut offers = OFFERS.iter();
        let offer = offers.find(|(tool, _)| *tool == self);
        offer.map_or(&Value::Null, |(_, offer)| offer)
    }

    pub fn tokens(self) -> usize {
        estimated_tokens(&self.offer().to_string())
    }

    /// The fields of a call's arguments that it does not have, and that mean none of its own.
    pub fn ignored_fields(self, arguments: &str) -> Vec<String> {
        let fitted = self.fitted(arguments);
        fitted.map_or_else(|_| Vec::new(), |(_, left_out)| left_out)
    }

    /// Whether a call names its time in UTC, which small models write for the person's own.
    pub fn names_utc(self, arguments: &str) -> bool {
        let fitted = self.fitted(arguments);
        let fields = fitted.and_then(|(fitted, _)| argument_fields(&fitted));
        let fields = fields.unwrap_or_default();
        let at = fields.get("at").and_then(Value::as_str);
        at.is_some_and(|at| at.trim().ends_with(['Z', 'z']))
    }

    fn fitted(self, arguments: &str) -> Result<(String, Vec<String>)> {
        let parameters = &self.offer()["function"]["parameters"];
        let (fields, left_out) = fitting::fitted(argument_fields(arguments)?, parameters)?;
        Ok((Value::Object(fields).to_string(), left_out))
    }

    /// The meaning of a call with these arguments, which are a model's JSON.
    pub fn read(self, arguments: &str, context: CallContext) -> Result<Operation> {
        if arguments.len() > ARGUMENTS_BYTES_MAX {
            return Err(format!(
                "The arguments are too long; at most {ARGUMENTS_BYTES_MAX} bytes."
            ));
        }
        let (arguments, _) = self.fitted(arguments)?;
        let arguments = arguments.as_str();
        match self {
            Self::SetReminder => read::<SetReminder>(arguments)?.operation(context),
            Self::ListReminders => read::<ListReminders>(arguments)?.operation(),
            Self::ChangeReminder => read::<ChangeReminder>(arguments)?.operation(context),
            Self::CancelReminder => {
                let CancelReminder { id } = read(arguments)?;
                Ok(Operation::CancelReminder { id })
            }
            Self::Remember => {
                let Remember { text } = read(arguments)?;
                let text = bounded(&text, "text", MEMORY_CHARS_MAX)?;
                Ok(Operation::Remember { text })
            }
            Self::Recall => {
                let Recall { query } = read(arguments)?;
                let query = clean(&query).chars().take(QUERY_CHARS_MAX).collect();
                Ok(Operation::Recall { query })
            }
            Self::Forget => match read(arguments)? {
                Forget { ids } if (1..=IDS_MAX).contains(&ids.len()) => {
                    Ok(Operation::Forget { ids })
                }
                _ => Err(format!(
                    "\"ids\" takes 1 to {IDS_MAX} ids, as recall gives."
                )),
            },
            Self::SetProfile => read::<SetProfile>(arguments)?.operation(),
            Self::ExportAccount => read::<NoArguments>(arguments).map(|_| Operation::ExportAccount),
            Self::DeleteAccount => read::<NoArguments>(arguments).map(|_| Operation::DeleteAccount),
            Self::Usage => read::<NoArguments>(arguments).map(|_| Operation::Usage),
            Self::Undo => read::<NoArguments>(arguments).map(|_| Operation::Undo),
            Self::Agenda => read::<Agenda>(arguments)?.operation(context),
            Self::Notices => notice_request(arguments).map(Operation::Notices),
            Self::AnswerPrivately => {
                let text = String::new();
                read::<NoArguments>(arguments).map(|_| Operation::AnswerPrivately { text })
            }
            Self::Power(power) => {
                let action = power.operation(arguments, context)?;
                Ok(Operation::Power(power, action))
            }
        }
    }
}

impl Operation {
    /// Whether two do the same: reminders at the same time with the same words.
    pub fn is_same(&self, other: &Self) -> bool {
        let words = |text: &str| -> String {
            let letters = text.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        match (self, other) {
            (
                Self::SetReminder {
                    text,
                    at,
                    repeat,
                    chat,
                },
                Self::SetReminder {
                    text: other_text,
                    at: other_at,
                    repeat: other_repeat,
                    chat: other_chat,
                },
            ) => {
                (at, repeat, chat) == (other_at, other_repeat, other_chat)
                    && (text == other_text
                        || words(text) == words(other_text) && !words(text).is_empty())
            }
            _ => self == other,
        }
    }

    /// Whether it changes only the next time of a reminder that comes again.
    pub const fn is_of_next(&self) -> bool {
        matches!(
            self,
            Self::ChangeReminder {
                only_next: true,
                ..
            }
        )
    }

    /// Whether it sets a reminder that comes again.
    pub const fn repeats(&self) -> bool {
        matches!(
            self,
            Self::SetReminder {
                repeat: Some(_),
                ..
            }
        )
    }

    /// Whether it changes something; otherwise it only reads.
    pub fn changes(&self) -> bool {
        match self {
            Self::ListReminders { .. }
            | Self::Recall { .. }
            | Self::ExportAccount
            | Self::DeleteAccount
            | Self::Usage
            | Self::Agenda { .. }
            | Self::Notices(NoticeRequest::ShowWakingHours) => false,
            Self::Power(_, action) => action.changes(),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests;
