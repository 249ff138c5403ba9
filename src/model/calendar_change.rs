//! A change of a person's calendar that they asked for: an event that is added, moved or deleted.

use serde::{Deserialize, Serialize};

use super::calendar::EventTime;

/// Characters of the title of an event that a person adds.
pub const TITLE_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarChange {
    Add {
        /// The new event's id, also in the name of its resource. Every try uses the same id, so
        /// that the server has the event once.
        uid: String,
        title: String,
        time: EventTime,
    },
    Move {
        event: ChangedEvent,
        to: EventTime,
    },
    /// A whole series, to the time of the day to which this instance of it moves.
    MoveSeries {
        event: ChangedEvent,
        to: EventTime,
    },
    Delete {
        event: ChangedEvent,
    },
}

/// An event as the person was shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedEvent {
    pub uid: String,
    /// Which instance of a series; empty for a single event and for the whole series.
    #[serde(default)]
    pub instance: String,
    pub title: String,
    pub time: EventTime,
    /// The path of its resource.
    pub object: String,
    /// The resource's entity tag. If the server has another one, the event is not changed.
    pub etag: String,
}

impl CalendarChange {
    pub fn uid(&self) -> &str {
        match self {
            Self::Add { uid, .. } => uid,
            Self::Move { event, .. } | Self::MoveSeries { event, .. } | Self::Delete { event } => {
                &event.uid
            }
        }
    }

    /// The id of the instance, as in [`ChangedEvent`].
    pub fn instance(&self) -> &str {
        match self {
            Self::Add { .. } | Self::MoveSeries { .. } => "",
            Self::Move { event, .. } | Self::Delete { event } => &event.instance,
        }
    }

    pub fn title(&self) -> &str {
        match self {
            Self::Add { title, .. } => title,
            Self::Move { event, .. } | Self::MoveSeries { event, .. } | Self::Delete { event } => {
                &event.title
            }
        }
    }
}
