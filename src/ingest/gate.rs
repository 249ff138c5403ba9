//! Checks a message's access in its own transaction, so that the day's count used for the decision
//! is the one that is increased. The rules are in `access`.

use super::{Ingest, Message, Mode, PreparedMessage};
use crate::access::{self, Access, AccessRequest, AccessRules, Caller};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::Reader;
use crate::store::{Room, Tx, User};

impl Ingest {
    /// Whether the message is allowed, and whether the requested `superpower` is.
    pub(super) fn access(
        &self,
        tx: &Tx<'_>,
        prepared: &PreparedMessage,
        user: &User,
        room: &Room,
        flags: &Reader<'_>,
        superpower: bool,
    ) -> Result<Access> {
        let (message, now) = (&prepared.message, prepared.now);
        let rules = AccessRules::read(flags);
        let subscribed = access::counts_as_subscribed(access::standing(user, now), flags);
        let caller = Caller {
            subscribed,
            used_today: match rules.allowance(subscribed) {
                Some(_) => tx.day_count(user.id, now.utc_day())?,
                None => 0,
            },
        };
        let verdict = access::decide(rules, caller, AccessRequest::Message);
        if !verdict.is_allowed() || !superpower {
            return Ok(verdict);
        }
        let request = requested_superpower(tx, message, room, flags, now)?;
        Ok(access::decide(rules, caller, request))
    }
}

/// Whether a superpower would be allowed in this message's room.
pub(super) fn has_superpowers(
    tx: &Tx<'_>,
    message: &Message,
    user: &User,
    room: &Room,
    flags: &Reader<'_>,
    now: Timestamp,
) -> Result<bool> {
    Ok(superpower_access(tx, message, user, room, flags, now)?.is_allowed())
}

/// The refusal text for a superpower in this message's room, if refused.
pub(super) fn superpower_access(
    tx: &Tx<'_>,
    message: &Message,
    user: &User,
    room: &Room,
    flags: &Reader<'_>,
    now: Timestamp,
) -> Result<Access> {
    let request = requested_superpower(tx, message, room, flags, now)?;
    Ok(verdict(request, user, flags, now))
}

/// The same for a user's direct chat.
pub(super) fn has_superpowers_alone(user: &User, flags: &Reader<'_>, now: Timestamp) -> bool {
    verdict(AccessRequest::DirectSuperpower, user, flags, now).is_allowed()
}

fn verdict(request: AccessRequest, user: &User, flags: &Reader<'_>, now: Timestamp) -> Access {
    let caller = Caller {
        subscribed: access::counts_as_subscribed(access::standing(user, now), flags),
        used_today: 0, // checked after the message itself
    };
    access::decide(AccessRules::read(flags), caller, request)
}

fn requested_superpower(
    tx: &Tx<'_>,
    message: &Message,
    room: &Room,
    flags: &Reader<'_>,
    now: Timestamp,
) -> Result<AccessRequest> {
    if message.mode == Mode::Direct {
        return Ok(AccessRequest::DirectSuperpower);
    }
    let owner = tx.user(room.owner)?;
    Ok(AccessRequest::GroupSuperpower {
        owner_subscribed: access::counts_as_subscribed(access::standing(&owner, now), flags),
    })
}
