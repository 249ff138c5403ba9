//! The effects that superpowers request from `ingest`, like a change of a calendar. Only types; how
//! they are carried out is not known here.

use serde::{Deserialize, Serialize};

use crate::model::calendar::EventTime;

/// An effect outside of the superpower's own state.
#[derive(Debug, Clone, PartialEq)]
pub enum PowerEffect {
    SwitchCalendar {
        calendar: i64,
        on: bool,
    },
    /// Once the person says yes.
    ChangeCalendar(CalendarRequest),
    /// Once the person says which.
    AskWhich(Vec<RequestChoice>),
    /// What these words request, once the person says yes.
    AskWhether(String),
}

/// One of the requests that a message may have meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestChoice {
    /// The request's subject, as the person was shown it.
    pub name: String,
    /// The request in words.
    pub request: String,
}

impl RequestChoice {
    /// The question for one of them.
    pub(super) fn question(choices: &[Self]) -> String {
        let mut text = "Which one? Say its number or its day; I've changed nothing yet.".to_owned();
        for (n, choice) in (1..).zip(choices) {
            text.push_str(&format!("\n{n}. {}", choice.name));
        }
        text
    }
}

/// A change of a calendar, as confirmed to the person. `done`: the sentence after it was made.
#[derive(Debug, Clone, PartialEq)]
pub enum CalendarRequest {
    Add {
        calendar: i64,
        title: String,
        time: EventTime,
        done: String,
    },
    Move {
        event: i64,
        /// The event's whole series moves to the same time of the day.
        whole_series: bool,
        to: EventTime,
        done: String,
    },
    Delete {
        event: i64,
        /// Not the one instance only.
        whole_series: bool,
        done: String,
    },
}
