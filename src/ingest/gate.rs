//! Checks a message's access in its own transaction, so that the day's count used for the decision
//! is the one that is increased. The rules are in `access`.

use super::Mode;
use super::turn::MessageTurn;
use crate::access::{self, Access, AccessFacts, AccessRequest, AccessRules};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::FlagReader;
use crate::store::{Tx, User};

/// Whether the message is allowed, and whether the requested superpower is.
pub(super) fn message_access(turn: &MessageTurn, tx: &Tx) -> Result<Access> {
    let rules = AccessRules::read(&turn.flags);
    let subscription = access::subscription_status(&turn.user, turn.now);
    let subscribed = access::counts_as_subscribed(subscription, &turn.flags);
    let caller = AccessFacts {
        subscribed,
        used_today: match rules.allowance(subscribed) {
            Some(_) => used_before(turn, tx)?,
            None => 0,
        },
    };
    let verdict = access::decide(rules, caller, AccessRequest::Message);
    // Access to what a model calls is checked then.
    let has_power = turn.requested_power.is_some() && !turn.left_to_model;
    if !verdict.is_allowed() || !has_power {
        return Ok(verdict);
    }
    Ok(access::decide(rules, caller, superpower_request(turn, tx)?))
}

/// The day's messages before this one; an edited one counts once.
pub(super) fn used_before(turn: &MessageTurn, tx: &Tx) -> Result<i64> {
    let used = tx.day_count(turn.user.id, turn.now.utc_day())?;
    Ok(used - i64::from(turn.is_counted_before()))
}

/// Whether a superpower would be allowed in this message's room.
pub(super) fn has_superpowers(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    Ok(superpower_access(turn, tx)?.is_allowed())
}

/// Access to superpowers in this message's room, with the reason if it is refused.
pub(super) fn superpower_access(turn: &MessageTurn, tx: &Tx) -> Result<Access> {
    let request = superpower_request(turn, tx)?;
    Ok(verdict(request, &turn.user, &turn.flags, turn.now))
}

fn superpower_request(turn: &MessageTurn, tx: &Tx) -> Result<AccessRequest> {
    if turn.message.mode == Mode::Direct {
        return Ok(AccessRequest::DirectSuperpower);
    }
    let owner = tx.user(turn.room.owner)?;
    let subscription = access::subscription_status(&owner, turn.now);
    Ok(AccessRequest::GroupSuperpower {
        owner_subscribed: access::counts_as_subscribed(subscription, &turn.flags),
    })
}

/// Whether a superpower would be allowed in a user's direct chat.
pub(super) fn has_superpowers_alone(user: &User, flags: &FlagReader, now: Timestamp) -> bool {
    verdict(AccessRequest::DirectSuperpower, user, flags, now).is_allowed()
}

fn verdict(request: AccessRequest, user: &User, flags: &FlagReader, now: Timestamp) -> Access {
    let caller = AccessFacts {
        subscribed: access::counts_as_subscribed(access::subscription_status(user, now), flags),
        used_today: 0, // checked after the message itself
    };
    access::decide(AccessRules::read(flags), caller, request)
}
