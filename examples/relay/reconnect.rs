//! What each end of a connection means for the next one.

use std::time::Duration;

pub(crate) const BACKOFF_MAX: Duration = Duration::from_secs(60);

/// How a connection ended: come back, but not before this has passed; or, with a reason, don't.
pub(crate) type Next = std::result::Result<Duration, String>;

/// An answer in place of the upgrade.
pub(crate) fn after_refusal(status: u16) -> Next {
    match status {
        401 => Err("401: the token isn't valid (any more); get a new one".into()),
        400 | 403 | 404 | 426 => Err(format!("{status}: refused; this needs a person")),
        429 => Ok(Duration::from_secs(60)),
        _ => Ok(Duration::ZERO),
    }
}

/// `retry_after` is what the service asked for with `bye`, or nothing.
pub(crate) fn after_close(code: u16, retry_after: Duration) -> Next {
    eprintln!("closed with {code}");
    match code {
        1000 => Err("the service is done with us".into()),
        4401 => Err("4401: the token was revoked or ran out; get a new one".into()),
        // Another relay runs under our name, or we send nonsense: don't fight, don't hammer.
        4400 | 4409 | 4429 => Ok(Duration::from_secs(60)),
        _ => Ok(retry_after),
    }
}

/// 1, 2, 4 … 60 s, of which a random half is taken off, so that a thousand relays that lost the
/// same service don't come back in the same instant.
pub(crate) fn backoff(attempt: u32) -> Duration {
    let full = Duration::from_secs(1 << attempt.min(6)).min(BACKOFF_MAX);
    let random = f64::from(getrandom::u32().unwrap_or(u32::MAX)) / f64::from(u32::MAX);
    full.mul_f64(0.5 + random / 2.0)
}
