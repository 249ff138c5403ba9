//! What superpowers have others do, who keep calendars and write in chats. It must not know how.

use crate::model::calendar::EventTime;

/// What a superpower has others do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    SwitchCalendar {
        calendar: i64,
        on: bool,
    },
    /// Once the person says yes.
    ChangeCalendar(CalendarRequest),
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
        /// Its series, to the same time of the day.
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
