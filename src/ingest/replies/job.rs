//! The job that makes pending replies: one per room at a time, in the order of messages, so that
//! each sees what was said before. Unfinished replies are found again after a restart.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{Id, JoinSet};

use super::make_reply;
use super::result::ReplyResult;
use super::tool_outcomes::CHANGED_MEANWHILE;
use super::{NO_CHAT, NO_ROOM, QUOTES_ERASED, TYPING_TTL_MS};
use crate::error::Result;
use crate::ingest::Ingest;
use crate::metrics::JobMetrics;
use crate::store::{PendingReply, RoomId};

/// Replies in memory: waiting for their room or a call, or running. More wait in the database.
const AT_ONCE_MAX: usize = 1_000;
/// Replies read at once.
const READ_AT_ONCE_MAX: usize = 256;
/// Pause after a failed read.
const FAILED_PAUSE: Duration = Duration::from_secs(1);
/// Pause before retrying a reply that can't be committed, or for which its relay has no room.
const DELIVERY_PAUSE: Duration = Duration::from_secs(30);
/// How often a reply is made again because somebody it may quote was erased meanwhile.
const REMADE_MAX: usize = 3;
/// A reply that is made faster needs no typing sign.
const TYPING_AFTER: Duration = Duration::from_secs(1);
/// A typing sign is renewed before it expires.
const TYPING_EVERY: Duration = Duration::from_millis(TYPING_TTL_MS - 3_000);

/// Runs until the service ends.
pub async fn run(ingest: Arc<Ingest>, metrics: Arc<JobMetrics>) {
    let mut queues = RoomQueues::new(ingest.clone());
    loop {
        let outcome = queues.read_new().await;
        metrics.ran(&outcome, ingest.clock.now().0);
        let more = match outcome {
            Ok(more) => more,
            Err(error) => {
                log::warn!("pending replies could not be read: {error}");
                tokio::time::sleep(FAILED_PAUSE).await;
                true
            }
        };
        if more {
            continue;
        }
        tokio::select! {
            () = ingest.replies.wake.notified() => {}
            Some(room) = queues.blocked.recv() => queues.set_blocked(room),
            Some(ended) = queues.under_way.join_next_with_id(), if !queues.under_way.is_empty() => {
                match ended {
                    Ok((task, ())) => queues.ended(task, false),
                    Err(error) => queues.ended(error.id(), error.is_panic()),
                }
            }
        }
    }
}

/// The replies in memory.
struct RoomQueues {
    ingest: Arc<Ingest>,
    /// The newest message that was read.
    cursor: i64,
    rooms: HashMap<RoomId, RoomQueue>,
    under_way: JoinSet<()>,
    tasks: HashMap<Id, RoomId>,
    /// Replies in rooms that aren't blocked, so that one full relay doesn't stop others.
    count: usize,
    /// Rooms whose relay has no room for a finished reply.
    blocked: mpsc::UnboundedReceiver<RoomId>,
    block: mpsc::UnboundedSender<RoomId>,
    delivery_pause: Duration,
}

/// A room's replies, in order.
#[derive(Default)]
struct RoomQueue {
    /// The running one first.
    replies: VecDeque<PendingReply>,
    blocked: bool,
}

impl RoomQueues {
    fn new(ingest: Arc<Ingest>) -> Self {
        let (block, blocked) = mpsc::unbounded_channel();
        Self {
            block,
            blocked,
            delivery_pause: DELIVERY_PAUSE,
            ingest,
            cursor: 0,
            rooms: HashMap::new(),
            under_way: JoinSet::new(),
            tasks: HashMap::new(),
            count: 0,
        }
    }

    /// Reads new pending replies. Returns whether there may be more.
    async fn read_new(&mut self) -> Result<bool> {
        let room_for = AT_ONCE_MAX.saturating_sub(self.count);
        let limit = room_for.min(READ_AT_ONCE_MAX);
        if limit == 0 {
            return Ok(false);
        }
        let cursor = self.cursor;
        let store = &self.ingest.store;
        let pending = store
            .read(move |view| view.pending_replies(cursor, limit))
            .await?;
        let more = pending.len() == limit && limit < room_for;
        for reply in pending {
            self.cursor = reply.message_id;
            let line = self.rooms.entry(reply.room).or_default();
            self.count += usize::from(!line.blocked);
            line.replies.push_back(reply);
            if line.replies.len() == 1 {
                self.start(reply, false);
            }
        }
        Ok(more)
    }

    fn start(&mut self, reply: PendingReply, panicked: bool) {
        let (ingest, block) = (self.ingest.clone(), self.block.clone());
        let answer = answer(ingest, reply, panicked, block, self.delivery_pause);
        let task = self.under_way.spawn(answer);
        self.tasks.insert(task.id(), reply.room);
    }

    fn set_blocked(&mut self, room: RoomId) {
        if let Some(line) = self.rooms.get_mut(&room)
            && !line.blocked
        {
            line.blocked = true;
            self.count -= line.replies.len();
        }
    }

    /// Starts the room's next reply. A reply that panicked becomes an apology.
    fn ended(&mut self, task: Id, panicked: bool) {
        let Some(room) = self.tasks.remove(&task) else {
            return;
        };
        let Some(line) = self.rooms.get_mut(&room) else {
            return;
        };
        if std::mem::take(&mut line.blocked) {
            self.count += line.replies.len();
        }
        if !panicked {
            line.replies.pop_front();
            self.count -= 1;
        }
        match line.replies.front().copied() {
            Some(next) => self.start(next, panicked),
            None => {
                self.rooms.remove(&room);
            }
        }
    }
}

/// Makes and delivers a reply. It stays pending until it is committed, or, if late, queued as a
/// command, for as long as the command would live.
async fn answer(
    ingest: Arc<Ingest>,
    pending: PendingReply,
    panicked: bool,
    block: mpsc::UnboundedSender<RoomId>,
    pause: Duration,
) {
    let id = pending.message_id;
    let failed = |why| ReplyResult::failed(pending.unprompted, why);
    let make = async || match while_typing(&ingest, pending).await {
        Ok(Some(result)) => result,
        Ok(None) => failed("erased"),
        Err(error) => {
            log::warn!("message {id}: the context of its reply can't be read: {error}");
            failed("context")
        }
    };
    let mut result = Arc::new(match panicked {
        true => failed("internal"),
        false => make().await,
    });
    let mut remade = 0;
    let until = ingest.clock.now().plus_s(ingest.hub.command_ttl_s() as i64);
    let mut waits = false;
    loop {
        let (worker, reply, now) = (ingest.clone(), result.clone(), ingest.clock.now());
        let give_up = now >= until;
        let delivered = ingest
            .store
            .write(move |tx| worker.deliver(tx, id, &reply, give_up, now))
            .await;
        match delivered {
            Ok(()) if give_up => {
                log::warn!("message {id}: its reply could not be sent in time and is given up");
                return;
            }
            Ok(()) => return,
            Err(error) if [QUOTES_ERASED, CHANGED_MEANWHILE].contains(&error.code) => {
                let (dropped, now) = (result, ingest.clock.now());
                let counted = ingest.store.write(move |tx| dropped.count(tx, now));
                if let Err(error) = counted.await {
                    log::warn!("message {id}: its reply's tokens can't be counted: {error}");
                }
                result = Arc::new(match remade < REMADE_MAX {
                    true => make().await,
                    false => failed(error.code),
                });
                remade += 1;
                continue;
            }
            Err(error) if [NO_ROOM, NO_CHAT].contains(&error.code) => {
                if !std::mem::replace(&mut waits, true) {
                    log::warn!("message {id}: its reply waits: {error}");
                    let _ = block.send(pending.room); // the receiver is dropped only at shutdown
                    ingest.note_reply_made(id).await;
                }
            }
            Err(error) => {
                log::warn!("message {id}: its reply can't be stored yet: {error}");
                if give_up {
                    return; // found again at the next start
                }
            }
        }
        tokio::time::sleep(pause).await;
    }
}

/// Makes a reply, and shows a typing sign meanwhile.
async fn while_typing(ingest: &Arc<Ingest>, pending: PendingReply) -> Result<Option<ReplyResult>> {
    let mut making = pin!(make_reply::make(ingest, pending));
    let mut pause = match pending.late {
        true => Duration::ZERO,
        // Nobody waits for what nobody asked for.
        false if pending.unprompted => Duration::from_millis(ingest.replies.deadline_ms()),
        false => TYPING_AFTER,
    };
    let mut room_row = None;
    let result = loop {
        tokio::select! {
            biased;
            result = &mut making => break result,
            () = tokio::time::sleep(pause), if pending.agent.is_some() => {}
        }
        if room_row.is_none() {
            let room = pending.room;
            room_row = ingest.store.read(move |view| view.room(room)).await?;
        }
        show_typing(ingest, room_row.as_ref(), true);
        pause = TYPING_EVERY;
    };
    show_typing(ingest, room_row.as_ref(), false);
    result
}

fn show_typing(ingest: &Ingest, room: Option<&crate::store::RoomRow>, on: bool) {
    if let Some(room) = room
        && let Some(agent) = room.agent
    {
        let ttl_ms = if on { TYPING_TTL_MS } else { 0 };
        ingest.hub.show_typing(agent, &room.chat_guid, on, ttl_ms);
    }
}

#[cfg(test)]
mod tests;
