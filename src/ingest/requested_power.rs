//! The superpower that a message requests, and how. Plain data.

use crate::assistant::powers::{NoticeRequest, Power, PowerAction, PowerCall};

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

impl PowerAttempt {
    pub(in crate::ingest) const fn sure(power: Power, action: PowerAction) -> Self {
        Self {
            power,
            action,
            sure: true,
        }
    }

    pub(in crate::ingest) fn of(call: &PowerCall, sure: bool) -> Self {
        Self {
            sure,
            ..Self::sure(call.power, call.action.clone())
        }
    }
}

impl RequestedPower {
    pub(in crate::ingest) const fn explicit(what: PowerRequest) -> Self {
        Self {
            what,
            explicit: true,
        }
    }

    pub(in crate::ingest) const fn implicit(what: PowerRequest) -> Self {
        Self {
            what,
            explicit: false,
        }
    }

    pub(in crate::ingest) fn to_do(power: Power, action: PowerAction, explicit: bool) -> Self {
        Self {
            what: PowerRequest::Try(vec![PowerAttempt::sure(power, action)]),
            explicit,
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

    fn attempts(&self) -> &[PowerAttempt] {
        match &self.what {
            PowerRequest::Try(attempts) => attempts,
            _ => &[],
        }
    }

    /// Whom it asks to see next.
    pub(in crate::ingest) fn next_meeting_with(&self) -> Option<&str> {
        let mut actions = self.attempts().iter().map(|one| &one.action);
        actions.find_map(PowerAction::next_meeting_with)
    }

    /// The day on which it asks whether a time is free.
    pub(in crate::ingest) fn asks_if_free(&self) -> Option<String> {
        let mut actions = self.attempts().iter().map(|one| &one.action);
        actions.find_map(PowerAction::asks_if_free)
    }

    /// The superpower whose last change is to be taken back.
    pub(in crate::ingest) fn undone(&self) -> Option<Power> {
        let mut attempts = self.attempts().iter();
        let undo = attempts.find(|attempt| attempt.action == PowerAction::Undo);
        undo.map(|attempt| attempt.power)
    }

    /// Whether it may state something planned: a booking, a parcel, an event.
    pub(in crate::ingest) fn may_keep_days(&self) -> bool {
        self.attempts().iter().any(|one| one.power.keeps_days())
    }

    /// Whether it may be an expense, a bill or the like, with an amount.
    pub(in crate::ingest) fn may_keep_money(&self) -> bool {
        self.attempts().iter().any(|one| one.power.is_about_money())
    }
}
