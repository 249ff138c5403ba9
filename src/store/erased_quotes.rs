//! A part of `erasure`: removes an erased account's words from what the assistant said to others in
//! the same room: answers, waiting commands, the room's shared state. Another module decides what
//! counts as a quote.

use super::erasures::Erasure;
use super::{AgentId, CommandState, RoomId, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::redaction::{self, KnownWords};

/// Messages read in one transaction.
const READ_MAX: usize = 5_000;
/// Commands checked in one transaction.
const COMMANDS_MAX: i64 = 2_000;

/// The words of an account in the current room, as far as they have been read.
pub(super) struct AccountWords {
    user: UserId,
    room: RoomId,
    pub(super) words: KnownWords,
    /// The next message to read; `None` when all are read.
    next: Option<i64>,
}

/// The columns of another person's message that may quote an erased account.
pub(super) struct QuotingMessage {
    pub(super) text: String,
    /// JSON arrays of strings.
    pub(super) bubbles: Option<String>,
    pub(super) late: Option<String>,
    /// JSON objects as the relay sent them.
    pub(super) metadata: Option<String>,
    pub(super) context: Option<String>,
    /// A JSON object, only where it names the account's handle.
    pub(super) schedule: Option<String>,
}

impl Tx<'_> {
    /// Reads the account's messages in a room, from its newest message. Returns false when there is
    /// more to read. The words stay in memory until another room is processed.
    pub(super) fn read_words(
        &mut self,
        user: UserId,
        room: RoomId,
        newest: Option<i64>,
    ) -> Result<bool> {
        let known = self.cache.erased_words.take();
        let mut erased = match known.filter(|known| (known.user, known.room) == (user, room)) {
            Some(known) => known,
            None => AccountWords {
                user,
                room,
                words: KnownWords::default(),
                next: newest,
            },
        };
        for _ in 0..READ_MAX {
            let Some(id) = erased.next else { break };
            let found: Option<(Option<i64>, Option<String>)> = self.find(
                "SELECT previous_id, iif(user_id = ?2, text, NULL) FROM messages WHERE id = ?1",
                (id, user),
            )?;
            let (previous, text) = found.unwrap_or_default();
            if let Some(text) = text {
                erased.words.add(&text);
            }
            erased.next = previous;
        }
        let all = erased.next.is_none();
        self.cache.erased_words = Some(erased);
        Ok(all)
    }

    /// Whether the words of that account in that room are complete.
    pub(super) fn has_words(&self, user: UserId, room: RoomId) -> bool {
        let erased = self.cache.erased_words.as_ref();
        erased.is_some_and(|q| (q.user, q.room) == (user, room) && q.next.is_none())
    }

    /// Removes the handle and the words from another person's message: from the relay's metadata
    /// (such as a quoted message) and from the answer. In the other person's own text only a phone
    /// number or address is removed.
    pub(super) fn redact_message(
        &self,
        id: i64,
        others: &QuotingMessage,
        handle: Option<&str>,
    ) -> Result<()> {
        let words = self.cache.erased_words.as_ref().map(|erased| &erased.words);
        let redacted = |json: &Option<String>| -> Option<String> {
            let json = json.as_deref()?;
            let first =
                words.and_then(|words| redaction::without_quotes(json, words, &others.text));
            let left = first.as_deref().unwrap_or(json);
            handle
                .and_then(|handle| redaction::without_handle(left, handle))
                .or(first)
        };
        let [bubbles, late, metadata, context] = [
            &others.bubbles, &others.late, &others.metadata, &others.context,
        ]
        .map(redacted);
        let schedule =
            (others.schedule.as_deref()).and_then(|json| redaction::without_handle(json, handle?));
        let address = handle.filter(|handle| redaction::is_address(handle));
        let text = address.and_then(|handle| redaction::text_without_handle(&others.text, handle));
        let changed = [&text, &metadata, &context, &schedule, &bubbles, &late];
        if changed.iter().any(|one| one.is_some()) {
            self.run(
                "UPDATE messages SET text = coalesce(?2, text), metadata = coalesce(?3, metadata),
                   context = coalesce(?4, context), schedule = coalesce(?5, schedule),
                   bubbles = coalesce(?6, bubbles), late = coalesce(?7, late)
                 WHERE id = ?1",
                (id, text, metadata, context, schedule, bubbles, late),
            )?;
        }
        Ok(())
    }

    /// Redacts messages waiting to be sent to the room, private answers to others' questions there,
    /// and the room's shared state.
    pub(super) fn redact_room(&self, erasure: &Erasure, room: RoomId) -> Result<()> {
        self.redact_unfinished(room)?;
        self.redact_private_answers(room, erasure.phone.as_deref())?;
        let Some(handle) = erasure.phone.as_deref() else {
            return Ok(());
        };
        let part = redaction::core(handle);
        let shared: Vec<(i64, String)> = self.all(
            "SELECT id, state FROM power_states
             WHERE room_id = ?1 AND (instr(state, ?2) OR instr(previous, ?2))",
            (room, part),
        )?;
        for (id, state) in shared {
            let redacted = redaction::without_handle(&state, handle).unwrap_or(state);
            self.run(
                "UPDATE power_states SET state = ?2, previous = NULL WHERE id = ?1",
                (id, redacted),
            )?;
        }
        if !redaction::is_address(handle) {
            return Ok(());
        }
        for reminder in self.room_reminders(room)? {
            if let Some(text) = redaction::text_without_handle(&reminder.text, handle) {
                self.run(
                    "UPDATE reminders SET text = ?2 WHERE id = ?1",
                    (reminder.id, text),
                )?;
            }
        }
        Ok(())
    }

    /// Commands that relays still have to deliver there. The outbox is bounded.
    fn redact_unfinished(&self, room: RoomId) -> Result<()> {
        let Some(erased) = self.cache.erased_words.as_ref() else {
            return Ok(());
        };
        let agent: Option<Option<AgentId>> =
            self.find("SELECT agent_id FROM rooms WHERE id = ?1", [room])?;
        let Some(agent) = agent.flatten() else {
            return Ok(());
        };
        for id in self.unfinished_rows_in(agent, room) {
            let payload: String = self.one("SELECT payload FROM commands WHERE id = ?1", [id])?;
            if let Some(left) = redaction::payload_without_quotes(&payload, &erased.words, "") {
                self.run("UPDATE commands SET payload = ?2 WHERE id = ?1", (id, left))?;
            }
        }
        Ok(())
    }

    /// Redacts answers that other members got in their direct chats, which are stored for a day.
    fn redact_private_answers(&self, room: RoomId, handle: Option<&str>) -> Result<()> {
        let private_answers: Vec<(RoomId, UserId, String)> = self.all(
            "SELECT room_id, user_id, private_answers FROM dialogs WHERE private_answers IS NOT NULL
             AND user_id IN (SELECT user_id FROM room_authors WHERE room_id = ?1)",
            [room],
        )?;
        for (chat, user, json) in private_answers {
            let erased = self.cache.erased_words.as_ref();
            let unquoted = erased.and_then(|q| redaction::without_quotes(&json, &q.words, ""));
            let left = unquoted.as_deref().unwrap_or(&json);
            let left = handle.and_then(|handle| redaction::without_handle(left, handle));
            if let Some(left) = left.or(unquoted) {
                self.run(
                    "UPDATE dialogs SET private_answers = ?3 WHERE room_id = ?1 AND user_id = ?2",
                    (chat, user, left),
                )?;
            }
        }
        Ok(())
    }

    /// The last command that the account's erasure has checked; `None` before the first.
    pub(super) fn commands_looked_through(&self, user: UserId) -> Result<Option<i64>> {
        self.meta_number(&looked_through(user))
    }

    /// The erasure is done.
    pub(super) fn forget_commands_looked_through(&self, user: UserId) -> Result<()> {
        self.run("DELETE FROM meta WHERE key = ?1", [looked_through(user)])
    }

    /// Removes the account's commands, those of its apps, finished ones of the rooms in which it
    /// wrote, and those that name its handle; unfinished ones of these end, except in the rooms.
    /// Commands are scanned once, in steps, from the one after `after`; true when there are more.
    /// Agent and seq of ended commands are added to `ended`.
    pub(super) fn look_through_commands(
        &mut self,
        erasure: &Erasure,
        after: i64,
        now: Timestamp,
        ended: &mut Vec<(AgentId, u64)>,
    ) -> Result<bool> {
        let to: Option<i64> = self.one(
            "SELECT max(id) FROM (SELECT id FROM commands WHERE id > ?1 ORDER BY id LIMIT ?2)",
            (after, COMMANDS_MAX),
        )?;
        let Some(to) = to else {
            return Ok(false);
        };
        let its: Vec<(i64, i64, i64)> = self.all(
            "SELECT id, agent_id, seq FROM commands
             WHERE id > ?1 AND id <= ?2 AND (user_id = ?5 OR app_creator_id = ?5
               OR (instr(payload, ?3) OR instr(error, ?3))
                 AND NOT EXISTS (SELECT 1 FROM users WHERE phone = ?4 AND users.id = commands.user_id))",
            (after, to, erasure.phone.as_deref().map(redaction::core), &erasure.phone, erasure.user),
        )?;
        for (id, agent, seq) in its {
            let (agent, seq) = (AgentId(agent), seq as u64);
            if self.finish_command(agent, seq, CommandState::Expired, None, now)? {
                ended.push((agent, seq));
            }
            self.run("DELETE FROM commands WHERE id = ?1", [id])?;
        }
        self.run(
            "DELETE FROM commands WHERE id > ?1 AND id <= ?2 AND finished_at IS NOT NULL
             AND room_id IN (SELECT room_id FROM room_authors WHERE user_id = ?3)",
            (after, to, erasure.user),
        )?;
        self.set_meta_number(&looked_through(erasure.user), to)?;
        Ok(true)
    }
}

/// The key under which the scan's position is stored.
fn looked_through(user: UserId) -> String {
    format!("erased_commands_{}", user.0)
}
