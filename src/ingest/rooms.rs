//! A message's room: created when first seen, with its current agent and members. A room used as a
//! group stays one. A direct chat is one person's: it ends when it becomes a group, and when
//! somebody else writes there alone.

use super::turn::user;
use super::{Ingest, Mode, PreparedMessage};
use crate::edge::queue;
use crate::error::Result;
use crate::store::{AgentId, ChatTarget, Digest, NewRoom, Room, Tx, User};

impl Ingest {
    /// The message's room with its current agent and members, created if new.
    pub(super) fn room(
        &self,
        tx: &mut Tx,
        prepared: &PreparedMessage,
        sender: &User,
        agent: Option<AgentId>,
    ) -> Result<Room> {
        let (message, now) = (&prepared.message, prepared.now);
        let guid = &message.chat_guid;
        let known = tx.room(guid)?;
        let mut gains_relay = false;
        let is_own = |room: &Room| message.mode == Mode::Direct && room.owner == sender.id;
        let mut room = match known {
            Some(room) if room.group || is_own(&room) => room,
            known => {
                let owner = match (&message.owner, message.mode) {
                    (Some(owner), Mode::Group) => user(tx, owner, now)?.id,
                    (None, Mode::Group) => known.map_or(sender.id, |direct| direct.owner),
                    (_, Mode::Direct) => sender.id,
                };
                let mut agent = agent;
                if let Some(direct) = known {
                    // Earlier private messages must not be sent there.
                    agent = agent.or(direct.agent);
                    queue::end_direct_chat(tx, &self.hub, (guid, direct.id), now)?;
                }
                gains_relay = agent.is_some();
                tx.insert_room(&NewRoom {
                    chat_guid: guid,
                    mode: match message.mode {
                        Mode::Direct => "direct",
                        Mode::Group => "group",
                    },
                    owner,
                    agent,
                    now,
                })?
            }
        };
        // Legacy relays take no commands, so the room keeps its agent.
        if let Some(agent) = agent
            && room.agent != Some(agent)
        {
            match room.agent {
                Some(before) => queue::take_over(tx, &self.hub, room.id, before, agent, now)?,
                None => gains_relay = true,
            }
            tx.set_room_agent(guid, &mut room, Some(agent))?;
        }
        if gains_relay && !room.group {
            let chat = ChatTarget {
                room: room.id,
                chat_guid: guid.clone(),
                agent: room.agent,
                group: false,
            };
            queue::send_waiting(tx, &self.hub, (room.owner, &chat), now)?;
            if tx.retry_reminders(room.owner, now)? {
                let wake = self.reminders.clone();
                tx.after_commit(move || wake.now());
            }
        }
        if message.participants.is_empty() && room.members != Digest::default() {
            tx.add_room_member(room.id, &message.sender)?;
        } else if prepared.members != room.members {
            tx.set_room_members(guid, &mut room, &message.members(), prepared.members)?;
        }
        Ok(room)
    }
}
