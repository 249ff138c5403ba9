//! The writer thread's cache of rows that every message needs: agents' ids, users by handle, rooms
//! by guid, the direct chats of webhooks' creators, counts of commands, sessions of superpowers, and
//! undelivered answers. The cache always equals the database: after a rollback it is loaded again.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use rusqlite::Connection;

use super::answers::StoredAnswer;
use super::deferred::DeferredRows;
use super::erased_quotes::AccountWords;
use super::outbox_counts::OutboxCounts;
use super::power_sessions::{self, PowerSession};
use super::provider_tasks::TaskQueue;
use super::undelivered_answers::UndeliveredAnswers;
use super::unfinished_commands::UnfinishedCommands;
use super::webhook_events::EventSweep;
use super::{
    Agent, AgentId, AppId, ChatTarget, Digest, EventCursor, Room, RoomId, User, UserId, WebhookId,
};

/// A map with this many entries is emptied; needed rows are loaded again.
const ENTRIES_MAX: usize = 100_000;

/// A point in the running transaction; the default is its begin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CacheSavepoint {
    deferred: usize,
    unfinished: usize,
}

#[derive(Default)]
pub(super) struct WriterCache {
    pub(super) agents: HashMap<String, Agent>,
    pub(super) users: HashMap<String, Arc<User>>,
    pub(super) rooms: HashMap<String, Room>,
    /// The only direct chat that takes commands, of people who have one.
    pub(super) direct_chats: HashMap<UserId, ChatTarget>,
    pub(super) outboxes: HashMap<AgentId, OutboxCounts>,
    /// Known authors in rooms.
    pub(super) authors: HashSet<(UserId, RoomId)>,
    /// People known to have no open question of the assistant in a room.
    pub(super) without_question: HashSet<(UserId, RoomId)>,
    /// Apps known to be installed in no room.
    pub(super) uninstalled: HashSet<AppId>,
    /// Active sessions of superpowers.
    pub(super) sessions: HashMap<(UserId, RoomId), PowerSession>,
    pub(super) undelivered_answers: HashMap<Digest, VecDeque<StoredAnswer>>,
    /// The position in each webhook's ring buffer of events.
    pub(super) event_cursors: HashMap<WebhookId, EventCursor>,
    pub(super) sweep: EventSweep,
    /// The words of the account that is being erased.
    pub(super) erased_words: Option<AccountWords>,
    pub(super) last_message_id: i64,
    /// Rows that are written later. Not a copy: a rollback undoes its changes one by one.
    pub(super) deferred: DeferredRows,
    /// Not a copy either.
    pub(super) unfinished: UnfinishedCommands,
    pub(super) undelivered: UndeliveredAnswers,
    pub(super) provider_tasks: TaskQueue,
    /// Set by every change of the cache; a rollback then clears it.
    pub(super) touched: bool,
    /// The connection's count of changed rows when the running closure began.
    pub(super) changes_before: u64,
    stale: bool,
}

impl WriterCache {
    pub(super) fn load(conn: &Connection) -> rusqlite::Result<Self> {
        let mut cache = Self {
            stale: true,
            ..Self::default()
        };
        cache.refresh(conn)?;
        cache.unfinished = UnfinishedCommands::load(conn)?;
        cache.undelivered = UndeliveredAnswers::from(cache.last_message_id);
        Ok(cache)
    }

    /// Clears the cache after a rollback.
    pub(super) fn forget(&mut self) {
        *self = Self {
            last_message_id: self.last_message_id,
            sweep: self.sweep,
            deferred: std::mem::take(&mut self.deferred),
            unfinished: std::mem::take(&mut self.unfinished),
            undelivered: std::mem::take(&mut self.undelivered),
            provider_tasks: std::mem::take(&mut self.provider_tasks),
            stale: true,
            ..Self::default()
        };
    }

    /// A point in the running transaction, for `undo_to`.
    pub(super) fn savepoint(&self) -> CacheSavepoint {
        CacheSavepoint {
            deferred: self.deferred.savepoint(),
            unfinished: self.unfinished.savepoint(),
        }
    }

    /// Undoes the changes since that point of what is not a copy.
    pub(super) fn undo_to(&mut self, savepoint: CacheSavepoint) {
        self.deferred.undo_to(savepoint.deferred);
        self.unfinished.undo_to(savepoint.unfinished);
    }

    /// The transaction is committed.
    pub(super) fn keep_changes(&mut self) {
        self.deferred.publish();
        self.unfinished.keep_changes();
    }

    /// Loads what can't be loaded row by row.
    pub(super) fn refresh(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        if !self.stale {
            return Ok(());
        }
        self.undelivered_answers.clear();
        let mut rows = conn.prepare(
            "SELECT id, request, message_id, created_at FROM undelivered_answers ORDER BY id",
        )?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let answer = StoredAnswer {
                id: row.get(0)?,
                message_id: row.get(2)?,
                created_at: row.get(3)?,
            };
            self.undelivered_answers
                .entry(row.get(1)?)
                .or_default()
                .push_back(answer);
        }
        // An id is never reused, even when the newest row is removed.
        let newest: i64 = conn.query_row(
            "SELECT max((SELECT coalesce(max(id), 0) FROM messages),
                   coalesce((SELECT max(value + 0) FROM meta
                             WHERE key IN ('last_message_id', 'deferred_to')), 0))",
            [],
            |row| row.get(0),
        )?;
        self.sessions = power_sessions::active(conn)?;
        self.last_message_id = self.last_message_id.max(newest);
        self.stale = false;
        Ok(())
    }

    pub(super) fn put_agent(&mut self, name: &str, agent: Agent) {
        self.touched = true;
        self.agents.bound();
        self.agents.insert(name.to_owned(), agent);
    }

    pub(super) fn put_user(&mut self, handle: &str, user: Arc<User>) {
        self.touched = true;
        self.users.bound();
        self.users.insert(handle.to_owned(), user);
    }

    pub(super) fn put_room(&mut self, guid: &str, room: Room) {
        self.touched = true;
        self.rooms.bound();
        self.rooms.insert(guid.to_owned(), room);
    }

    /// `has_written` as `Tx::has_written`: what the database had before the closure stays after it is
    /// undone.
    pub(super) fn put_direct_chat(&mut self, user: UserId, chat: ChatTarget, has_written: bool) {
        self.touched |= has_written;
        self.direct_chats.bound();
        self.direct_chats.insert(user, chat);
    }

    /// `has_written` as in `put_direct_chat`.
    pub(super) fn put_outbox(&mut self, agent: AgentId, counts: OutboxCounts, has_written: bool) {
        self.touched |= has_written;
        self.outboxes.bound();
        self.outboxes.insert(agent, counts);
    }

    pub(super) fn put_event_cursor(&mut self, webhook: WebhookId, cursor: EventCursor) {
        self.touched = true;
        self.event_cursors.bound();
        self.event_cursors.insert(webhook, cursor);
    }

    pub(super) fn remove_event_cursor(&mut self, webhook: WebhookId) {
        self.touched = true;
        self.event_cursors.remove(&webhook);
    }

    pub(super) fn clear_event_cursors(&mut self) {
        self.touched = true;
        self.event_cursors.clear();
    }

    /// Returns whether the author is new.
    pub(super) fn put_author(&mut self, user: UserId, room: RoomId) -> bool {
        self.authors.bound();
        let new = self.authors.insert((user, room));
        self.touched |= new;
        new
    }

    pub(super) fn put_without_question(&mut self, user: UserId, room: RoomId) {
        self.touched = true;
        self.without_question.bound();
        self.without_question.insert((user, room));
    }

    pub(super) fn put_uninstalled(&mut self, app: AppId) {
        self.touched = true;
        self.uninstalled.bound();
        self.uninstalled.insert(app);
    }

    pub(super) fn put_session(&mut self, place: (UserId, RoomId), session: PowerSession) {
        self.touched = true;
        // A session that is dropped here ends like an idle one.
        self.sessions.bound();
        self.sessions.insert(place, session);
    }

    pub(super) fn take_session(&mut self, place: &(UserId, RoomId)) -> Option<PowerSession> {
        let removed = self.sessions.remove(place);
        self.touched |= removed.is_some();
        removed
    }

    pub(super) fn drop_sessions(
        &mut self,
        goes: impl Fn(&(UserId, RoomId), &PowerSession) -> bool,
    ) {
        let before = self.sessions.len();
        self.sessions.retain(|place, session| !goes(place, session));
        self.touched |= self.sessions.len() < before;
    }
}

/// A map or set of at most `ENTRIES_MAX` entries.
trait BoundedCollection {
    /// Empties what has reached its limit.
    fn bound(&mut self);
}

impl<K, V> BoundedCollection for HashMap<K, V> {
    fn bound(&mut self) {
        if self.len() >= ENTRIES_MAX {
            self.clear();
        }
    }
}

impl<T> BoundedCollection for HashSet<T> {
    fn bound(&mut self) {
        if self.len() >= ENTRIES_MAX {
            self.clear();
        }
    }
}
