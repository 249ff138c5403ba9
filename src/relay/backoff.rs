//! How long to wait before another try.

use std::time::Duration;

use crate::random;

const MAX_S: u64 = 60;

/// 1, 2, 4 … 60 s, less a random half, so that not all relays come back at once.
pub(super) fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_secs((1 << attempt.min(6)).min(MAX_S));
    full.mul_f64(0.5 + random::unit() / 2.0)
}
