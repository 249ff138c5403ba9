//! Deleting an account: requested by its owner, and cancellable for 30 days. `erasure` does the
//! rest. Decisions are pure, and each is applied in the transaction that read its facts, so of
//! concurrent requests exactly one succeeds.

use serde_json::json;

use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind, Result};
use crate::store::{Change, Operator, PendingDeletion, Tx, UserId, UserRow};

/// The exact confirmation text.
const PHRASE: &str = "DELETE MY ACCOUNT";
const GRACE_DAYS: i64 = 30;

/// Schedules the deletion and ends the subscription with its paid period. Until the deletion
/// nothing else changes.
pub fn request(
    tx: &mut Tx,
    user: UserId,
    confirmation: &str,
    now: Timestamp,
) -> Result<PendingDeletion> {
    let deletion = decide_request(pending(tx, user)?, confirmation, now)?;
    tx.set_pending_deletion(user, Some(deletion))?;
    // A job calls the provider later and retries while the provider is down.
    tx.cancel_at_period_end(user, now)?;
    Ok(deletion)
}

/// Cancels the deletion.
pub fn cancel(tx: &mut Tx, user: UserId, now: Timestamp) -> Result<()> {
    decide_cancel(pending(tx, user)?, now)?;
    tx.set_pending_deletion(user, None)?;
    tx.reactivate_subscription(user, now)
}

/// Schedules or cancels the deletion at the owner's wish, on an operator's word, and returns the
/// user. `user_id` is the public id. Scheduling may be repeated.
pub fn set_by_operator(
    tx: &mut Tx,
    user_id: &str,
    is_wanted: bool,
    operator: &Operator,
    now: Timestamp,
) -> Result<UserRow> {
    let find = |tx: &Tx<'_>| {
        let row = tx.view().user(user_id, now.utc_day())?;
        row.ok_or_else(Error::user_not_found)
    };
    let before = find(tx)?;
    let user = before.user.id;
    match (is_wanted, before.deletion_scheduled_for) {
        (true, Some(_)) => return Ok(before),
        (true, None) => request(tx, user, PHRASE, now).map(drop)?,
        (false, _) => cancel(tx, user, now)?,
    }
    let after = find(tx)?;
    let change = Change {
        action: if is_wanted {
            "deletion.request"
        } else {
            "deletion.cancel"
        },
        subject: user_id.to_owned(),
        before: json!(before.deletion_scheduled_for),
        after: json!(after.deletion_scheduled_for),
    };
    tx.insert_audit(operator, &change, now)?;
    Ok(after)
}

/// The account was erased after the request was authenticated.
pub fn account_erased() -> Error {
    Error::unauthorized("the account was erased")
}

fn pending(tx: &Tx, user: UserId) -> Result<Option<PendingDeletion>> {
    tx.pending_deletion(user)?.ok_or_else(account_erased)
}

/// If a deletion is already pending, the answer says so, whatever the confirmation.
fn decide_request(
    pending: Option<PendingDeletion>,
    confirmation: &str,
    now: Timestamp,
) -> Result<PendingDeletion> {
    if let Some(pending) = pending {
        let date = pending.scheduled_for.utc_date();
        return Err(Error::new(
            ErrorKind::BadRequest,
            "ALREADY_SCHEDULED",
            format!("Your account is already to be deleted on {date}."),
        ));
    }
    if confirmation != PHRASE {
        return Err(Error::new(
            ErrorKind::BadRequest,
            "INVALID_CONFIRMATION",
            format!("To delete your account, send the confirmation \"{PHRASE}\", exactly so."),
        ));
    }
    Ok(PendingDeletion {
        requested_at: now,
        scheduled_for: now.plus_s(GRACE_DAYS * 86_400),
    })
}

fn decide_cancel(pending: Option<PendingDeletion>, now: Timestamp) -> Result<()> {
    match pending {
        None => Err(Error::new(
            ErrorKind::BadRequest,
            "NO_DELETION_PENDING",
            "There is no deletion to cancel.",
        )),
        Some(pending) if is_over(pending.scheduled_for, now) => Err(Error::new(
            ErrorKind::BadRequest,
            "GRACE_PERIOD_EXPIRED",
            "The 30 days in which you could cancel are over; the account is being deleted.",
        )),
        Some(_) => Ok(()),
    }
}

/// Whether the account's time is over. The last millisecond in which a deletion can be cancelled is
/// the last before erasure.
fn is_over(scheduled_for: Timestamp, now: Timestamp) -> bool {
    scheduled_for < now
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn scheduled(for_ms: i64) -> Option<PendingDeletion> {
        Some(PendingDeletion {
            requested_at: NOW,
            scheduled_for: NOW.plus_ms(for_ms),
        })
    }

    #[test]
    fn requests() {
        for (pending, confirmation, expected) in [
            (None, PHRASE, Ok(30 * 86_400_000)),
            (None, "delete my account", Err("INVALID_CONFIRMATION")),
            (None, "DELETE MY ACCOUNT ", Err("INVALID_CONFIRMATION")),
            (None, "", Err("INVALID_CONFIRMATION")),
            (scheduled(1), PHRASE, Err("ALREADY_SCHEDULED")),
            (scheduled(1), "no", Err("ALREADY_SCHEDULED")),
            (scheduled(-1), PHRASE, Err("ALREADY_SCHEDULED")),
        ] {
            let deletion = decide_request(pending, confirmation, NOW);
            let deletion = deletion
                .map(|deletion| deletion.scheduled_for.0 - NOW.0)
                .map_err(|error| error.code);
            assert_eq!(deletion, expected, "{pending:?} {confirmation}");
        }
    }

    #[test]
    fn cancellations() {
        for (pending, expected) in [
            (None, Err("NO_DELETION_PENDING")),
            (scheduled(86_400_000), Ok(())),
            (scheduled(0), Ok(())),
            (scheduled(-1), Err("GRACE_PERIOD_EXPIRED")),
        ] {
            let result = decide_cancel(pending, NOW).map_err(|error| error.code);
            assert_eq!(result, expected, "{pending:?}");
        }
    }
}
