//! Checks a message's access in its own transaction, so that the day's count used for the decision
//! is the one that is increased. The rules are in `access`.

use super::Mode;
use super::turn::MessageTurn;
use crate::access::{self, Access, AccessRequest, AccessRules, Caller};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::Reader;
use crate::store::{Tx, User};

impl MessageTurn<'_> {
    /// Whether the message is allowed, and whether the requested superpower is.
    pub(super) fn access_to_message(&self, tx: &Tx<'_>) -> Result<Access> {
        let rules = AccessRules::read(&self.flags);
        let subscription = access::subscription_status(&self.user, self.now);
        let subscribed = access::counts_as_subscribed(subscription, &self.flags);
        let caller = Caller {
            subscribed,
            used_today: match rules.allowance(subscribed) {
                Some(_) => self.used_before(tx)?,
                None => 0,
            },
        };
        let verdict = access::decide(rules, caller, AccessRequest::Message);
        // Access to what a model calls is checked then.
        let has_power = self.requested_power.is_some() && !self.left_to_model;
        if !verdict.is_allowed() || !has_power {
            return Ok(verdict);
        }
        Ok(access::decide(rules, caller, self.superpower_request(tx)?))
    }

    /// The day's messages before this one; an edited one counts once.
    pub(super) fn used_before(&self, tx: &Tx<'_>) -> Result<i64> {
        let used = tx.day_count(self.user.id, self.now.utc_day())?;
        Ok(used - i64::from(self.is_counted_before()))
    }

    /// Whether a superpower would be allowed in this message's room.
    pub(super) fn has_superpowers(&self, tx: &Tx<'_>) -> Result<bool> {
        Ok(self.superpower_access(tx)?.is_allowed())
    }

    /// Access to superpowers in this message's room, with the reason if it is refused.
    pub(super) fn superpower_access(&self, tx: &Tx<'_>) -> Result<Access> {
        let request = self.superpower_request(tx)?;
        Ok(verdict(request, &self.user, &self.flags, self.now))
    }

    fn superpower_request(&self, tx: &Tx<'_>) -> Result<AccessRequest> {
        if self.message.mode == Mode::Direct {
            return Ok(AccessRequest::DirectSuperpower);
        }
        let owner = tx.user(self.room.owner)?;
        let subscription = access::subscription_status(&owner, self.now);
        Ok(AccessRequest::GroupSuperpower {
            owner_subscribed: access::counts_as_subscribed(subscription, &self.flags),
        })
    }
}

/// Whether a superpower would be allowed in a user's direct chat.
pub(super) fn has_superpowers_alone(user: &User, flags: &Reader<'_>, now: Timestamp) -> bool {
    verdict(AccessRequest::DirectSuperpower, user, flags, now).is_allowed()
}

fn verdict(request: AccessRequest, user: &User, flags: &Reader<'_>, now: Timestamp) -> Access {
    let caller = Caller {
        subscribed: access::counts_as_subscribed(access::subscription_status(user, now), flags),
        used_today: 0, // checked after the message itself
    };
    access::decide(AccessRules::read(flags), caller, request)
}
