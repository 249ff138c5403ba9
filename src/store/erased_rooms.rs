//! A part of `erasure`: removes an account's messages from the message chains of its rooms, so that
//! other people's messages stay reachable. Rooms that the account owned get another owner or are
//! removed.

use super::erased_quotes::QuotingMessage;
use super::erasure::ErasureStep;
use super::erasures::Erasure;
use super::query::from_row;
use super::{Digest, RoomId, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::redaction;

/// Messages processed in one transaction.
const MESSAGES_MAX: usize = 500;
/// Rooms whose names are checked in one transaction.
const NAMES_MAX: i64 = 20_000;

/// The room being processed.
struct RoomInErasure {
    id: RoomId,
    chat_guid: String,
    /// The account's own direct chat: all earlier messages are erased, whoever wrote them.
    own_direct: bool,
    owned: bool,
}

/// The next step of the erasure.
enum RoomErasureStep {
    Room(i64),
    /// No room up to this one names the account.
    LookedThrough(i64),
    None,
}

/// The fields of a message that the erasure needs.
struct ChainLink {
    user: UserId,
    previous: Option<i64>,
    received_at: Timestamp,
    others: QuotingMessage,
}

impl Tx<'_> {
    /// Processes part of one room's chain, and the room itself at its end. False when no room is
    /// left.
    pub(super) fn erase_in_rooms(
        &mut self,
        erasure: &Erasure,
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<bool> {
        let at_work = match self.place(erasure, erasure.room_id)? {
            Some(place) if erasure.message_id.is_some() => Some((place, erasure.message_id)),
            _ => match self.next_room(erasure)? {
                RoomErasureStep::Room(room) => {
                    self.place(erasure, room)?.map(|place| (place, None))
                }
                RoomErasureStep::LookedThrough(to) => {
                    self.set_room_at_work(erasure.user, to, None)?;
                    return Ok(true);
                }
                RoomErasureStep::None => None,
            },
        };
        let Some((place, last_kept)) = at_work else {
            return Ok(false);
        };
        if place.own_direct {
            // The room holds no other person's answers. Messages of the phone number's new owner
            // quote only themselves.
            self.cache.erased_words = None;
        } else if last_kept.is_none() {
            let head = self.head(place.id)?;
            if !self.read_words(erasure.user, place.id, head)? {
                return Ok(true);
            }
        } else if !self.has_words(erasure.user, place.id) {
            // Restarted in the middle: the remaining messages may quote messages that must be read
            // first.
            let newest = self
                .link(last_kept.unwrap_or(0), None)?
                .and_then(|link| link.previous);
            if !self.read_words(erasure.user, place.id, newest)? {
                return Ok(true);
            }
        }
        let (last_kept, is_end) = self.erase_messages(erasure, &place, last_kept, now)?;
        if is_end {
            self.leave_room(erasure, &place, now, erased)?;
            self.set_room_at_work(erasure.user, place.id.0, None)?;
        } else {
            // Without a kept message the room is processed again from its head, which no longer
            // points to removed messages.
            let room = if last_kept.is_some() {
                place.id.0
            } else {
                place.id.0 - 1
            };
            self.set_room_at_work(erasure.user, room, last_kept)?;
        }
        Ok(true)
    }

    /// The next room in which the account wrote, which it owns, or which names it.
    fn next_room(&self, erasure: &Erasure) -> Result<RoomErasureStep> {
        let after = erasure.room_id;
        let first = |sql: &str, of: &dyn rusqlite::ToSql| -> Result<Option<i64>> {
            self.one(sql, rusqlite::params![of, after])
        };
        let rooms = [
            first(
                "SELECT min(room_id) FROM room_authors WHERE user_id = ?1 AND room_id > ?2",
                &erasure.user,
            )?,
            first(
                "SELECT min(id) FROM rooms WHERE owner_id = ?1 AND id > ?2",
                &erasure.user,
            )?,
            first(
                "SELECT min(room_id) FROM room_members WHERE handle = ?1 AND room_id > ?2",
                &erasure.phone,
            )?,
        ];
        let listed = rooms.into_iter().flatten().min();
        let Some(handle) = erasure.phone.as_deref() else {
            return Ok(listed.map_or(RoomErasureStep::None, RoomErasureStep::Room));
        };
        let to = listed.unwrap_or(i64::MAX);
        let (named, last): (Option<i64>, Option<i64>) = self.one(
            "SELECT min(iif(instr(chat_guid, ?3), id, NULL)), max(id) FROM
             (SELECT id, chat_guid FROM rooms WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT ?4)",
            (after, to, redaction::core(handle), NAMES_MAX),
        )?;
        Ok(match (named, last, listed) {
            (Some(room), ..) => RoomErasureStep::Room(room),
            (None, Some(last), _) => RoomErasureStep::LookedThrough(last),
            (None, None, Some(room)) => RoomErasureStep::Room(room),
            (None, None, None) => RoomErasureStep::None,
        })
    }

    fn place(&self, erasure: &Erasure, room: i64) -> Result<Option<RoomInErasure>> {
        let found = self.find(
            "SELECT chat_guid, mode = 'direct', owner_id FROM rooms WHERE id = ?1",
            [room],
        )?;
        Ok(
            found.map(|(chat_guid, direct, owner): (String, bool, UserId)| {
                let owned = owner == erasure.user;
                RoomInErasure {
                    id: RoomId(room),
                    chat_guid,
                    own_direct: owned && direct,
                    owned,
                }
            }),
        )
    }

    /// Follows the chain from the last kept message. Returns the message it reached and whether
    /// that is the end.
    fn erase_messages(
        &mut self,
        erasure: &Erasure,
        place: &RoomInErasure,
        from: Option<i64>,
        now: Timestamp,
    ) -> Result<(Option<i64>, bool)> {
        let phone = erasure.phone.as_deref();
        let named = phone.map(redaction::core);
        // Another account's erasure may have removed the kept message.
        let from = match from {
            Some(id) => self.link(id, None)?.map(|link| (id, link.previous)),
            None => None,
        };
        let (mut last_kept, mut next) = match from {
            Some((id, previous)) => (Some(id), previous),
            None => (None, self.head(place.id)?),
        };
        // The target of the kept message or of the head.
        let mut pointed_at = next;
        let mut removed = Vec::new();
        for _ in 0..MESSAGES_MAX {
            let Some(id) = next else { break };
            let Some(link) = self.link(id, named)? else {
                next = None;
                break;
            };
            if link.user == erasure.user
                || place.own_direct && link.received_at <= erasure.started_at
            {
                self.run("DELETE FROM messages WHERE id = ?1", [id])?;
                self.run("DELETE FROM done_calls WHERE message_id = ?1", [id])?;
                removed.push(id);
            } else {
                if pointed_at != Some(id) {
                    self.point(place, last_kept, Some(id))?;
                }
                self.redact_message(id, &link.others, phone)?;
                (last_kept, pointed_at) = (Some(id), link.previous);
            }
            next = link.previous;
        }
        if pointed_at != next {
            self.point(place, last_kept, next)?;
        }
        self.remove_answers_of(&removed, now)?;
        Ok((last_kept, next.is_none()))
    }

    fn head(&self, room: RoomId) -> Result<Option<i64>> {
        self.find(
            "SELECT message_id FROM room_heads WHERE room_id = ?1",
            [room],
        )
    }

    fn link(&self, id: i64, named: Option<&str>) -> Result<Option<ChainLink>> {
        self.find(
            "SELECT user_id, previous_id, received_at, text, bubbles, late, metadata, context,
               iif(instr(schedule, ?2), schedule, NULL)
             FROM messages WHERE id = ?1",
            (id, named),
        )
    }

    /// Makes a message, or the room's head, point at another message.
    fn point(&mut self, place: &RoomInErasure, from: Option<i64>, to: Option<i64>) -> Result<()> {
        match (from, to) {
            (Some(from), to) => self.execute(
                "UPDATE messages SET previous_id = ?2 WHERE id = ?1",
                (from, to),
            )?,
            (None, Some(to)) => self.execute(
                "UPDATE room_heads SET message_id = ?2 WHERE room_id = ?1",
                (place.id, to),
            )?,
            (None, None) => {
                self.execute("DELETE FROM room_heads WHERE room_id = ?1", [place.id])?
            }
        };
        if from.is_none() {
            self.forget_room(&place.chat_guid);
        }
        Ok(())
    }

    /// Ends the account's membership. A room that it owned gets another author as its owner, or is
    /// removed.
    fn leave_room(
        &mut self,
        erasure: &Erasure,
        place: &RoomInErasure,
        now: Timestamp,
        erased: &mut ErasureStep,
    ) -> Result<()> {
        let heir = match place.owned {
            true => self.new_owner(erasure, place)?,
            false => None,
        };
        match (place.owned, heir) {
            (true, None) => return self.erase_room(place.id, &place.chat_guid, now, erased),
            (true, Some(heir)) => {
                self.run(
                    "UPDATE rooms SET owner_id = ?2 WHERE id = ?1",
                    (place.id, heir),
                )?;
                self.forget_room(&place.chat_guid);
            }
            (false, _) => {}
        }
        self.redact_room(erasure, place.id)?;
        self.cache.authors.remove(&(erasure.user, place.id));
        self.leave_members(erasure, place)?;
        self.forget_name(erasure, place)
    }

    /// Replaces a room name that contains the phone number by a digest, until the relay names the
    /// room again, unless the number's new owner has written there.
    fn forget_name(&mut self, erasure: &Erasure, place: &RoomInErasure) -> Result<()> {
        let Some(handle) = &erasure.phone else {
            return Ok(());
        };
        let free = match self.user_by_phone(handle)? {
            Some(user) => !self.authors(place.id)?.contains(&user.id),
            None => true,
        };
        if free && redaction::text_without_handle(&place.chat_guid, handle).is_some() {
            self.erase_room_name(place.id, &place.chat_guid)?;
        }
        Ok(())
    }

    /// Another author as the new owner. For the account's own direct chat only an author since the
    /// erasure began, who is the number's new owner.
    fn new_owner(&self, erasure: &Erasure, place: &RoomInErasure) -> Result<Option<UserId>> {
        let since = match place.own_direct {
            true => erasure.started_at.0,
            false => i64::MIN,
        };
        self.find(
            "SELECT room_authors.user_id FROM room_authors JOIN users ON users.id = room_authors.user_id
             WHERE room_id = ?1 AND room_authors.user_id <> ?2 AND users.created_at >= ?3
             ORDER BY room_authors.user_id LIMIT 1",
            (place.id, erasure.user, since),
        )
    }

    /// Removes the phone number from the room's member list, unless its new owner has written
    /// there. The list is written again with the next message.
    fn leave_members(&mut self, erasure: &Erasure, place: &RoomInErasure) -> Result<()> {
        let Some(phone) = &erasure.phone else {
            return Ok(());
        };
        if let Some(user) = self.user_by_phone(phone)?
            && self.authors(place.id)?.contains(&user.id)
        {
            return Ok(());
        }
        let left = self.execute(
            "DELETE FROM room_members WHERE handle = ?1 AND room_id = ?2",
            (phone, place.id),
        )?;
        if left > 0 {
            self.run(
                "UPDATE rooms SET members = ?2 WHERE id = ?1",
                (place.id, Digest::default()),
            )?;
        }
        self.forget_room(&place.chat_guid);
        Ok(())
    }
}

from_row!(ChainLink: user, previous, received_at, others);
from_row!(QuotingMessage: text, bubbles, late, metadata, context, schedule);
