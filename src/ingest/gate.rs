//! Asks for a message's access in the message's own transaction, so that the day's count it
//! is decided on is the one it is added to. What is allowed stands in `access`.

use super::access::{self, Access, Asked, Caller, Rules};
use super::{Ingest, Message, Mode};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::flags::Reader;
use crate::store::{Room, Tx, User};

impl Ingest {
    /// Whether a superpower that is offered is asked for; another is as if none were.
    pub(super) fn offers(flags: &Reader<'_>, message: &Message) -> bool {
        let asked = message.superpower.as_deref();
        asked.is_some_and(|name| flags.superpower(name))
    }

    /// Whether the message is let in, and then its superpower.
    pub(super) fn access(
        tx: &Tx<'_>,
        flags: &Reader<'_>,
        message: &Message,
        user: &User,
        room: &Room,
        now: Timestamp,
    ) -> Result<Access> {
        let rules = Rules::read(flags);
        let subscribed = access::standing(user, now).is_subscribed();
        let caller = Caller {
            subscribed,
            used_today: match rules.allowance(subscribed) {
                Some(_) => tx.day_count(user.id, now.utc_day())?,
                None => 0,
            },
        };
        let verdict = access::decide(rules, caller, Asked::Message);
        if !verdict.is_allowed() || !Self::offers(flags, message) {
            return Ok(verdict);
        }
        let asked = match message.mode {
            Mode::Direct => Asked::DirectSuperpower,
            Mode::Group => Asked::GroupSuperpower {
                owner_subscribed: access::standing(&tx.user(room.owner)?, now).is_subscribed(),
            },
        };
        Ok(access::decide(rules, caller, asked))
    }
}
