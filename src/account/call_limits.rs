//! Limits of people's calls: a number of calls per person in any window of time. Windows of an
//! hour or more are stored in the database and survive a restart. The table of routes says which
//! route has which limit.

use parking_lot::Mutex;

use super::identity::SignedInUser;
use crate::clock::Clock;
use crate::error::{Error, Quota, Result};
use crate::limits::{self, DAY_MS, HOUR_MS, LimitState, MINUTE_MS, Windows};
use crate::store::{SharedStore, UserId};

/// A limit on one person's calls. Routes with the same limit share its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    DeletionRequests,
    Exports,
    Checkout,
    Usage,
    PaymentStatus,
    /// Each call contacts other servers.
    Services,
}

impl Limit {
    /// The number of calls and the window in ms.
    pub const fn calls_and_window_ms(self) -> (u64, u64) {
        match self {
            Self::DeletionRequests => (3, HOUR_MS),
            Self::Exports => (2, DAY_MS),
            Self::Checkout => (3, MINUTE_MS),
            Self::Services => (10, MINUTE_MS),
            Self::Usage | Self::PaymentStatus => (100, MINUTE_MS),
        }
    }

    fn into_quota(self, outcome: std::result::Result<LimitState, LimitState>) -> Result<Quota> {
        outcome
            .map(|state| state.quota(self.kind()))
            .map_err(|state| Error::rate_limited(state.quota(self.kind())))
    }

    /// The limit's name in the database, answers and metrics.
    const fn kind(self) -> &'static str {
        match self {
            Self::DeletionRequests => "deletion_requests",
            Self::Exports => "exports",
            Self::Checkout => "checkout",
            Self::Usage => "usage",
            Self::PaymentStatus => "payment_status",
            Self::Services => "services",
        }
    }
}

/// Takes calls of all limits.
pub struct CallLimits {
    store: SharedStore,
    clock: Clock,
    /// The windows of one minute.
    minutes: Mutex<Windows<(Limit, UserId)>>,
}

impl CallLimits {
    pub fn new(store: SharedStore, clock: Clock) -> Self {
        Self {
            store,
            clock,
            minutes: Mutex::new(Windows::new(MINUTE_MS)),
        }
    }

    /// Uses one call of the limit. An error of kind rate limited when none is left.
    pub async fn take(&self, limit: Limit, user: &SignedInUser) -> Result<Quota> {
        let (calls_max, window_ms) = limit.calls_and_window_ms();
        if window_ms <= MINUTE_MS {
            return self.take_of_minute(limit, user.id);
        }
        let (subject, now) = (user.user_id.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                let uses = tx.limit_uses(limit.kind(), &subject, window_ms as i64, now)?;
                let uses = uses.iter().map(|(at, n)| (at.0 as u64, *n));
                let outcome = limits::check_window(uses, calls_max, window_ms, 1, now.0 as u64);
                let quota = limit.into_quota(outcome)?;
                tx.insert_limit_use(limit.kind(), &subject, 1, now)?;
                Ok(quota)
            })
            .await
    }

    /// Counts a call for a limit of calls in a minute.
    pub fn take_of_minute(&self, limit: Limit, user: UserId) -> Result<Quota> {
        let mut windows = self.minutes.lock();
        let calls_max = limit.calls_and_window_ms().0;
        let outcome = windows.take((limit, user), calls_max, self.clock.monotonic());
        limit.into_quota(outcome)
    }
}
