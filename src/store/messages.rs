//! Writes messages with their answers; `history` reads them. Rows are appended and have no index;
//! each room's messages form a chain.

use super::prepared::PreparedStatement;
use super::{AgentId, AnswerDelivery, Digest, Room, Tx, UserId};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::model::answer::Answer;

pub struct NewMessage<'a> {
    pub user: UserId,
    /// `None` for the legacy endpoint.
    pub agent: Option<AgentId>,
    pub chat_guid: &'a str,
    /// The relay's timestamp in Unix seconds.
    pub sent_at_s: i64,
    pub now: Timestamp,
    pub sender: &'a str,
    pub text: &'a str,
    /// JSON as sent; `None` when absent.
    pub metadata: Option<&'a str>,
    pub context: Option<&'a str>,
    pub counted: bool,
    /// Messages by people since the assistant's last one, including this one.
    pub humans: i64,
    pub answer: &'a Answer,
    /// Digest of relay, endpoint and body; `None` when a repetition is recognised by its key.
    pub request: Option<&'a Digest>,
}

impl Tx<'_> {
    /// Appends a message to its room's chain, and adds its author to the room. Returns its id; of a
    /// message without a key also what to drop when the answer was delivered.
    pub fn insert_message(
        &mut self,
        room: &mut Room,
        new: &NewMessage,
    ) -> Result<(i64, Option<AnswerDelivery>)> {
        self.cache.last_message_id += 1;
        let id = self.cache.last_message_id;
        let known = new.request.is_some();
        let (undelivered, due) = self.cache.undelivered.add(id, new.now, known);
        let [bubbles, access, schedule] = new.answer.columns();
        self.execute_prepared(
            PreparedStatement::InsertMessage,
            rusqlite::params![
                id,
                room.id.0,
                new.user.0,
                new.agent.map(|a| a.0),
                room.head,
                new.sent_at_s,
                new.now.0,
                new.sender,
                new.text,
                new.metadata,
                new.context,
                new.counted,
                new.request,
                undelivered,
                bubbles,
                access,
                schedule,
                new.humans,
            ],
        )?;
        if self.cache.put_author(new.user, room.id) {
            self.run(
                "INSERT OR IGNORE INTO room_authors (user_id, room_id) VALUES (?1, ?2)",
                (new.user, room.id),
            )?;
        }
        self.set_room_head(new.chat_guid, room, id, new.humans);
        Ok((id, due))
    }

    /// The id that the next message gets: known while it is handled, before its row is there.
    pub fn next_message_id(&self) -> i64 {
        self.cache.last_message_id + 1
    }

    /// The answer to a message; `None` when the message was removed.
    pub fn answer(&self, message_id: i64) -> Result<Option<Answer>> {
        let sql = "SELECT bubbles, access, schedule FROM messages WHERE id = ?1";
        self.find(sql, [message_id])?
            .map(|(bubbles, access, schedule)| {
                Answer::from_columns([bubbles, access, schedule]).map_err(Error::internal)
            })
            .transpose()
    }
}
