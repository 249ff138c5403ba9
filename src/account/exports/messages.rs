//! Walks through a person's messages: room by room, each from its newest message back along the
//! chain, in small steps. Messages after the cut and messages of others are skipped.

use crate::error::Result;
use crate::store::{AuthoredRoom, OwnMessage, UserId, View};

/// A position in the walk. It can be copied and continued later.
#[derive(Debug, Clone)]
pub(super) struct MessageCursor {
    user: UserId,
    /// The newest message in the export.
    cut: i64,
    after_room: i64,
    room: Option<OpenRoom>,
    pub(super) rooms_done: usize,
    /// Part of a room could not be read.
    pub(super) has_gaps: bool,
}

#[derive(Debug, Clone)]
struct OpenRoom {
    room: AuthoredRoom,
    next: Option<i64>,
    /// Only smaller ids are new.
    below: i64,
    /// The walk was restarted since the last new message.
    restarted: bool,
}

pub(super) enum CursorStep {
    /// A message of the person, and its id.
    Own(i64, OwnMessage),
    /// Nothing to report.
    Skipped,
    End,
}

impl MessageCursor {
    pub(super) const fn new(user: UserId, cut: i64) -> Self {
        Self {
            user,
            cut,
            after_room: 0,
            room: None,
            rooms_done: 0,
            has_gaps: false,
        }
    }

    pub(super) fn step(&mut self, view: &View) -> Result<CursorStep> {
        let Some(open) = &mut self.room else {
            return self.enter(view);
        };
        let Some(id) = open.next else {
            self.leave();
            return Ok(CursorStep::Skipped);
        };
        let Some(link) = view.message_link(id, self.user)? else {
            return self.restart(view);
        };
        open.next = link.previous.filter(|previous| *previous < id);
        if id >= open.below {
            return Ok(CursorStep::Skipped);
        }
        open.below = id;
        open.restarted = false;
        Ok(link
            .own
            .map_or(CursorStep::Skipped, |own| CursorStep::Own(id, own)))
    }

    /// Continues with the next room.
    pub(super) fn leave(&mut self) {
        self.room = None;
        self.rooms_done += 1;
    }

    /// Whether the room has no unseen message newer than `id`.
    pub(super) fn is_past(&self, id: i64) -> bool {
        let open = self.room.as_ref();
        open.is_some_and(|open| open.next.is_some_and(|next| next <= id))
    }

    pub(super) fn chat_guid(&self) -> &str {
        let open = self.room.as_ref();
        open.map_or("", |open| open.room.chat_guid.as_str())
    }

    /// Progress from 0 to 1.
    pub(super) fn progress(&self, rooms: usize) -> f64 {
        let total = (self.cut + 1) as f64;
        let open = self.room.as_ref();
        let current = open.map_or(0.0, |open| 1.0 - open.below as f64 / total);
        ((self.rooms_done as f64 + current) / rooms.max(1) as f64).clamp(0.0, 1.0)
    }

    fn enter(&mut self, view: &View) -> Result<CursorStep> {
        let Some(room) = view.next_authored_room(self.user, self.after_room)? else {
            return Ok(CursorStep::End);
        };
        self.after_room = room.id;
        self.room = Some(OpenRoom {
            next: Some(room.head),
            below: self.cut + 1,
            restarted: false,
            room,
        });
        Ok(CursorStep::Skipped)
    }

    /// Another person's message was removed at the walk's position, so the chain now skips it.
    /// Restarts at the newest message, for the unseen ones.
    fn restart(&mut self, view: &View) -> Result<CursorStep> {
        let Some(open) = &mut self.room else {
            return Ok(CursorStep::Skipped);
        };
        let room = view
            .next_authored_room(self.user, open.room.id - 1)?
            .filter(|room| room.id == open.room.id);
        match room {
            Some(room) if !open.restarted => {
                open.next = Some(room.head);
                open.restarted = true;
            }
            Some(_) => {
                self.has_gaps = true;
                self.leave();
            }
            None => self.leave(),
        }
        Ok(CursorStep::Skipped)
    }
}
