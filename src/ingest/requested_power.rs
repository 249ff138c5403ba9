//! The superpower that a message requests, and how. Plain data.

use crate::assistant::powers::{NoticeRequest, Power, PowerAction};

/// A superpower requested by a message.
#[derive(Debug, Clone)]
pub(in crate::ingest) struct RequestedPower {
    pub(in crate::ingest) what: PowerRequest,
    /// Requested explicitly or by the relay, so it counts as a command.
    pub(in crate::ingest) explicit: bool,
}

#[derive(Debug, Clone)]
pub(in crate::ingest) enum PowerRequest {
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
pub(in crate::ingest) struct PowerAttempt {
    pub(in crate::ingest) power: Power,
    pub(in crate::ingest) action: PowerAction,
    /// The text can only be for this superpower.
    pub(in crate::ingest) sure: bool,
}

impl RequestedPower {
    /// Whom it asks to see next.
    pub(in crate::ingest) fn seen_next(&self) -> Option<&str> {
        match &self.what {
            PowerRequest::Try(attempts) => attempts.iter().find_map(|one| one.action.seen_next()),
            _ => None,
        }
    }

    /// Whether it may be this one.
    pub(in crate::ingest) fn may_be(&self, power: Power) -> bool {
        match &self.what {
            PowerRequest::Try(attempts) => attempts.iter().any(|one| one.power == power),
            _ => false,
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
    pub(in crate::ingest) fn may_keep_days(&self) -> bool {
        match &self.what {
            PowerRequest::Try(attempts) => {
                attempts.iter().any(|attempt| attempt.power.keeps_days())
            }
            _ => false,
        }
    }

    /// Whether it may be an expense, a bill or the like, with an amount.
    pub(in crate::ingest) fn may_keep_money(&self) -> bool {
        match &self.what {
            PowerRequest::Try(attempts) => attempts
                .iter()
                .any(|attempt| attempt.power.is_about_money()),
            _ => false,
        }
    }

    pub(in crate::ingest) fn to_do(power: Power, action: PowerAction, explicit: bool) -> Self {
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
