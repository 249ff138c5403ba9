//! The question that the assistant asked a person in a chat, which waits some minutes for its
//! answer.

use serde::{Deserialize, Serialize};

use super::latest;
use crate::assistant::Intent;
use crate::assistant::powers::{AnswerKind, RequestChoice};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::{self, NotedRule};
use crate::ingest::turn::MessageTurn;
use crate::model::calendar_change::CalendarChange;
use crate::model::recurrence::Recurrence;
use crate::store::{DialogPart, Tx};

/// How long a question can be answered.
pub(in crate::ingest) const QUESTION_MS: i64 = 5 * 60_000;
/// How long the question how something was waits for its answer.
pub(in crate::ingest) const CHECKIN_QUESTION_MS: i64 = 12 * 60 * 60_000;

/// A question of the assistant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::ingest) enum Question {
    /// Asks for a reminder's time.
    When {
        text: String,
        /// The month of the day that is asked for.
        #[serde(default)]
        month: Option<u32>,
    },
    /// Asks for a reminder's text.
    What {
        send_at: i64,
        rule: Option<NotedRule>,
    },
    /// The question for the missing part of a request; with it between these words the request is
    /// complete.
    Rest {
        before: String,
        after: String,
        #[serde(default)]
        answer: AnswerKind,
    },
    /// Whether to delete the memories with these UUIDs.
    Forget {
        ids: Vec<String>,
        about: String,
        /// Whose birthdays to forget as well.
        #[serde(default)]
        birthdays: Vec<String>,
    },
    ForgetEverything,
    /// None: the person was told where to find help, in this language (a tag of BCP 47).
    Crisis {
        language: Option<String>,
    },
    /// Which of the reminders with these ids to cancel.
    CancelWhich {
        ids: Vec<String>,
    },
    /// Whether to cancel the reminders with these ids, which are all.
    CancelAll {
        ids: Vec<String>,
    },
    /// Which event a reminder is for.
    Which {
        choices: Vec<EventChoice>,
    },
    /// How something was; the answer is a memory that begins with one of `abouts`.
    Checkin {
        abouts: Vec<String>,
        /// The answer that was given before the question which of them it is about.
        #[serde(default)]
        earlier: Option<String>,
    },
    /// No question: a message that this superpower sent by itself about this.
    Notice {
        power: String,
        what: String,
    },
    /// Whether to set a reminder of what was only spoken of.
    OfferedReminder {
        text: String,
        send_at: i64,
        rule: Option<NotedRule>,
    },
    /// Whether to set reminders of these texts, once each, at these times in milliseconds.
    OfferedReminders(Vec<(String, i64)>),
    /// Whether to do what these words request.
    OfferedRequest(String),
    /// Whether to take back what a message changed, by this superpower or by the assistant itself.
    Undo {
        message_id: i64,
        power: Option<String>,
    },
    /// Which of several requests to do.
    WhichRequest {
        choices: Vec<RequestChoice>,
    },
    /// Whether to change the person's calendar.
    ChangeCalendar(PendingCalendarChange),
}

/// A change of a calendar that the person is asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct PendingCalendarChange {
    /// The number of the calendar.
    pub(in crate::ingest) calendar: i64,
    pub(in crate::ingest) change: CalendarChange,
    /// The sentence for when it is done.
    pub(in crate::ingest) done: String,
}

/// A reminder that a message may refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::ingest) struct EventChoice {
    pub(in crate::ingest) event: String,
    pub(in crate::ingest) text: String,
    pub(in crate::ingest) at: i64,
}

impl Question {
    pub(in crate::ingest) fn what(send_at: Timestamp, recurrence: Option<&Recurrence>) -> Self {
        Self::What {
            send_at: send_at.0,
            rule: recurrence.map(NotedRule::of),
        }
    }
}

/// Asks a question and stores it.
pub(in crate::ingest) fn ask(turn: &MessageTurn, tx: &mut Tx, question: &Question) -> Result<()> {
    dialog::note(
        tx,
        turn.dialog_key(),
        DialogPart::Question,
        Some(question),
        turn.now,
    )
}

/// The question that waits for an answer.
pub(in crate::ingest) fn read_open(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<Question>> {
    Ok(read_last(turn, tx, QUESTION_MS)?.map(|(question, _)| question))
}

/// The last question, which is at most `kept_ms` old, and when it was asked.
pub(in crate::ingest) fn read_last(
    turn: &MessageTurn,
    tx: &mut Tx,
    kept_ms: i64,
) -> Result<Option<(Question, Timestamp)>> {
    let stored = tx.question(turn.room.id, turn.user.id)?;
    Ok(dialog::recent(stored.as_ref(), kept_ms, turn.now))
}

pub(in crate::ingest) fn close(turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
    let none: Option<&Question> = None;
    dialog::note(tx, turn.dialog_key(), DialogPart::Question, none, turn.now)
}

/// Whether the assistant's question is what was said last, of it and of reminders.
pub(in crate::ingest) fn is_last(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    let question = read_last(turn, tx, QUESTION_MS)?;
    let latest = latest::read_named(turn, tx)?;
    Ok(question.is_some_and(|(_, asked)| latest.is_none_or(|(_, at)| asked >= at)))
}

/// Whether the question was asked at the person's last message, or after it.
pub(in crate::ingest) fn was_just_asked(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    let question = read_last(turn, tx, QUESTION_MS)?;
    let last = turn.previous_message(tx)?;
    Ok(question.is_some_and(|(_, asked)| last.is_none_or(|last| last.received_at <= asked)))
}

/// Asks for the missing time or text of a reminder.
pub(in crate::ingest) fn ask_about(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<()> {
    match intent {
        Intent::AskWhen { text, month, .. } => {
            let (text, month) = (text.clone(), *month);
            ask(turn, tx, &Question::When { text, month })
        }
        Intent::AskWhat {
            send_at,
            recurrence,
            ..
        } => ask(turn, tx, &Question::what(*send_at, recurrence.as_ref())),
        Intent::AskRest { before, after, .. } => {
            let rest = Question::Rest {
                before: before.clone(),
                after: after.clone(),
                answer: AnswerKind::Any,
            };
            ask(turn, tx, &rest)
        }
        _ => Ok(()),
    }
}
