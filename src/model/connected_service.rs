//! The calendars and mailboxes that people connect: their kinds and states, and when the next
//! sync is due.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// Between two syncs that succeed.
pub const SYNC_INTERVAL_MS: i64 = 5 * 60_000;
/// Between two syncs of a service that keeps failing.
const SYNC_PAUSE_MS_MAX: i64 = 6 * 3_600_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ServiceKind {
    Ics,
    Caldav,
    Imap,
}

/// `failing`: the sync is retried, first after 10 minutes, later up to every 6 hours. `refused`:
/// the service doesn't accept the credentials; it isn't contacted until it is connected again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ServiceState {
    Ok,
    Failing,
    Refused,
}

impl ServiceKind {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ics => "ics",
            Self::Caldav => "caldav",
            Self::Imap => "imap",
        }
    }

    /// The permission that the person gave, as the API and the export show it.
    pub const fn scope(self) -> &'static str {
        match self {
            Self::Ics => "calendar.read",
            Self::Caldav => "calendar",
            Self::Imap => "mail.read",
        }
    }

    pub const fn is_calendar(self) -> bool {
        matches!(self, Self::Ics | Self::Caldav)
    }
}

impl ServiceState {
    /// The word of the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failing => "failing",
            Self::Refused => "refused",
        }
    }
}

/// When a service that failed `failures` times in a row is due again: the pause doubles.
pub fn next_sync(now: Timestamp, failures: i64) -> Timestamp {
    let doublings = failures.clamp(0, 10) as u32;
    now.plus_ms((SYNC_INTERVAL_MS << doublings).min(SYNC_PAUSE_MS_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_doubles_up_to_six_hours() {
        let minutes = |failures| (next_sync(Timestamp(0), failures).0) / 60_000;
        let cases = [(0, 5), (1, 10), (2, 20), (6, 320), (7, 360), (1_000, 360)];
        for (failures, expected) in cases {
            assert_eq!(minutes(failures), expected, "{failures} failures");
        }
    }
}
