//! The limits that stand in rows of the table: so many calls of a person in any window.
//! Those of an hour and more are rows and outlive the process.

use parking_lot::Mutex;

use crate::account::identity::Who;
use crate::app::App;
use crate::clock::Monotonic;
use crate::error::{Error, Quota, Result};
use crate::limits::{self, DAY_MS, HOUR_MS, LimitState, MINUTE_MS, Windows};
use crate::store::UserId;

/// A limit of one person's calls. Routes with the same one share a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    DeletionRequests,
    Exports,
    Checkout,
    Usage,
    PaymentStatus,
}

impl Limit {
    /// Calls let in, and the window in ms.
    pub const fn allows(self) -> (u64, u64) {
        match self {
            Self::DeletionRequests => (3, HOUR_MS),
            Self::Exports => (2, DAY_MS),
            Self::Checkout => (3, MINUTE_MS),
            Self::Usage | Self::PaymentStatus => (100, MINUTE_MS),
        }
    }

    fn told(self, taken: std::result::Result<LimitState, LimitState>) -> Result<Quota> {
        taken
            .map(|left| left.quota(self.kind()))
            .map_err(|left| Error::rate_limited(left.quota(self.kind())))
    }

    /// As the database, clients and numbers name it.
    const fn kind(self) -> &'static str {
        match self {
            Self::DeletionRequests => "deletion_requests",
            Self::Exports => "exports",
            Self::Checkout => "checkout",
            Self::Usage => "usage",
            Self::PaymentStatus => "payment_status",
        }
    }
}

/// The windows of a minute.
pub struct MinuteWindows(Mutex<Windows<(Limit, UserId)>>);

impl Default for MinuteWindows {
    fn default() -> Self {
        Self(Mutex::new(Windows::new(MINUTE_MS)))
    }
}

impl MinuteWindows {
    fn take(&self, limit: Limit, user: UserId, now: Monotonic) -> Result<Quota> {
        let mut windows = self.0.lock();
        let taken = windows.take((limit, user), limit.allows().0, now);
        limit.told(taken)
    }
}

/// Uses the limit once, or answers 429.
pub(super) async fn take(app: &App, limit: Limit, who: &Who) -> Result<Quota> {
    let (allowed, window_ms) = limit.allows();
    if window_ms <= MINUTE_MS {
        return app
            .minute_windows
            .take(limit, who.id, app.clock.monotonic());
    }
    let (subject, now) = (who.user_id.clone(), app.clock.now());
    app.store
        .write(move |tx| {
            let uses = tx.limit_uses(limit.kind(), &subject, window_ms as i64, now)?;
            let uses = uses.iter().map(|(at, n)| (at.0 as u64, *n));
            let judged = limits::judge(uses, allowed, window_ms, 1, now.0 as u64);
            let quota = limit.told(judged)?;
            tx.insert_limit_use(limit.kind(), &subject, 1, now)?;
            Ok(quota)
        })
        .await
}
