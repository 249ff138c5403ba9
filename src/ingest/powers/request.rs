//! The superpower that a message requests, and how. Plain data.

use crate::assistant::powers::{NoticeRequest, Power, PowerAction};

/// A superpower requested by a message.
#[derive(Debug, Clone)]
pub(in crate::ingest) struct RequestedPower {
    pub(super) what: PowerRequest,
    /// Requested explicitly or by the relay, so it counts as a command.
    pub(super) explicit: bool,
}

#[derive(Debug, Clone)]
pub(super) enum PowerRequest {
    /// The first one that has an answer is used.
    Try(Vec<PowerAttempt>),
    /// Reports of several kinds: each is noted, if there is something to note.
    Each(Vec<String>),
    /// Ends the session.
    End(Power),
    /// About messages that superpowers send by themselves.
    Notices(NoticeRequest),
    /// An unknown superpower, or another kind of command.
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct PowerAttempt {
    pub(super) power: Power,
    pub(super) action: PowerAction,
    /// The text can only be for this superpower.
    pub(super) sure: bool,
}

impl RequestedPower {
    /// Whom it asks to see next.
    pub(in crate::ingest) fn seen_next(&self) -> Option<&str> {
        match &self.what {
            PowerRequest::Try(attempts) => attempts.iter().find_map(|one| one.action.seen_next()),
            _ => None,
        }
    }

    /// Requested explicitly or by the relay.
    pub(in crate::ingest) const fn is_explicit(&self) -> bool {
        self.explicit
    }

    /// The superpower whose last change is to be taken back.
    pub(in crate::ingest) fn undone(&self) -> Option<Power> {
        match &self.what {
            PowerRequest::Try(attempts) => attempts
                .iter()
                .find(|attempt| attempt.action == PowerAction::Undo)
                .map(|attempt| attempt.power),
            _ => None,
        }
    }

    /// Whether it may state something planned: a booking, a parcel, an event.
    pub(super) fn may_keep_days(&self) -> bool {
        match &self.what {
            PowerRequest::Try(attempts) => {
                attempts.iter().any(|attempt| attempt.power.keeps_days())
            }
            _ => false,
        }
    }

    pub(super) fn to_do(power: Power, action: PowerAction, explicit: bool) -> Self {
        let only = PowerAttempt {
            power,
            action,
            sure: true,
        };
        Self {
            what: PowerRequest::Try(vec![only]),
            explicit,
        }
    }
}
