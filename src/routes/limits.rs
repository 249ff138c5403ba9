//! Rate limits of routes: a number of calls per person in any window of time. Windows of an hour or
//! more are stored in the database and survive a restart.

use parking_lot::Mutex;

use crate::account::identity::SignedInUser;
use crate::app::App;
use crate::clock::Monotonic;
use crate::error::{Error, Quota, Result};
use crate::limits::{self, DAY_MS, HOUR_MS, LimitState, MINUTE_MS, Windows};
use crate::store::UserId;

/// A limit on one person's calls. Routes with the same limit share its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    DeletionRequests,
    Exports,
    Checkout,
    Usage,
    PaymentStatus,
    /// Servers of others are asked each time.
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
            .map(|left| left.quota(self.kind()))
            .map_err(|left| Error::rate_limited(left.quota(self.kind())))
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

/// The windows of one minute, in memory.
pub struct MinuteWindows(Mutex<Windows<(Limit, UserId)>>);

impl Default for MinuteWindows {
    fn default() -> Self {
        Self(Mutex::new(Windows::new(MINUTE_MS)))
    }
}

impl MinuteWindows {
    fn take(&self, limit: Limit, user: UserId, now: Monotonic) -> Result<Quota> {
        let mut windows = self.0.lock();
        let outcome = windows.take((limit, user), limit.calls_and_window_ms().0, now);
        limit.into_quota(outcome)
    }
}

/// Uses one call of the limit, or answers 429.
pub(super) async fn take(app: &App, limit: Limit, user: &SignedInUser) -> Result<Quota> {
    let (allowed, window_ms) = limit.calls_and_window_ms();
    if window_ms <= MINUTE_MS {
        return app
            .minute_windows
            .take(limit, user.id, app.clock.monotonic());
    }
    let (subject, now) = (user.user_id.clone(), app.clock.now());
    app.store
        .write(move |tx| {
            let uses = tx.limit_uses(limit.kind(), &subject, window_ms as i64, now)?;
            let uses = uses.iter().map(|(at, n)| (at.0 as u64, *n));
            let outcome = limits::judge(uses, allowed, window_ms, 1, now.0 as u64);
            let quota = limit.into_quota(outcome)?;
            tx.insert_limit_use(limit.kind(), &subject, 1, now)?;
            Ok(quota)
        })
        .await
}
