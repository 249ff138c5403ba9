//! The pause before a relay's next try, by the number of failed tries.

use std::time::Duration;

use crate::random;

const MAX_S: u64 = 60;

/// 1, 2, 4 … 60 s, minus a random part of up to half, so that relays don't reconnect at the same
/// time.
pub(super) fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_secs((1 << attempt.min(6)).min(MAX_S));
    full.mul_f64(0.5 + random::unit() / 2.0)
}
