//! Superpowers' stored state, per person or room, and their alarms. The superpower defines the
//! JSON.

use super::query::from_row;
use super::{RoomId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;

/// The owner of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerOwner {
    User(UserId),
    Room(RoomId),
}

impl PowerOwner {
    /// The column that holds the owner's id, and the id.
    const fn column_and_id(self) -> (&'static str, i64) {
        match self {
            Self::User(user) => ("user_id", user.0),
            Self::Room(room) => ("room_id", room.0),
        }
    }
}

/// The state of one superpower for one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerState {
    /// The superpower's name.
    pub name: String,
    /// JSON
    pub state: String,
    /// JSON from before the last change; `None` when nothing can be undone.
    pub previous: Option<String>,
}

/// When a state was last written, and by which message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerStateWrite {
    pub at: Timestamp,
    /// `None`: no message did.
    pub message_id: Option<i64>,
}

impl PowerStateWrite {
    pub const fn without_message(at: Timestamp) -> Self {
        Self {
            at,
            message_id: None,
        }
    }
}

/// The time at which a user's superpower wants to send something, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PowerAlarm {
    pub name: String,
    pub user: UserId,
    pub room: RoomId,
    /// The time that it requested.
    pub at: Timestamp,
}

const COLUMNS: &str = "SELECT power, user_id, room_id, at FROM power_alarms";

impl Tx<'_> {
    pub fn power_state(&self, owner: PowerOwner, name: &str) -> Result<Option<PowerState>> {
        let (owner, id) = owner.column_and_id();
        let sql = format!(
            "SELECT power, state, previous FROM power_states WHERE {owner} = ?1 AND power = ?2"
        );
        self.find(&sql, (id, name))
    }

    /// The newest message that changed a state of this owner, and when.
    pub fn newest_power_change(&self, owner: PowerOwner) -> Result<Option<(i64, Timestamp)>> {
        let (owner, id) = owner.column_and_id();
        let sql = format!(
            "SELECT message_id, updated_at FROM power_states
             WHERE {owner} = ?1 AND message_id IS NOT NULL ORDER BY message_id DESC LIMIT 1"
        );
        self.find(&sql, [id])
    }

    /// The last write of a state.
    pub fn power_state_write(
        &self,
        owner: PowerOwner,
        name: &str,
    ) -> Result<Option<PowerStateWrite>> {
        let (owner, id) = owner.column_and_id();
        let sql = format!(
            "SELECT updated_at, message_id FROM power_states WHERE {owner} = ?1 AND power = ?2"
        );
        self.find(&sql, (id, name))
    }

    /// The names of the superpowers whose state was last written by a message.
    pub fn power_states_written_by(
        &self,
        owner: PowerOwner,
        message_id: i64,
    ) -> Result<Vec<String>> {
        let (owner, id) = owner.column_and_id();
        let sql = format!("SELECT power FROM power_states WHERE {owner} = ?1 AND message_id = ?2");
        self.all(&sql, (id, message_id))
    }

    pub fn set_power_state(
        &self,
        owner: PowerOwner,
        new: &PowerState,
        write: PowerStateWrite,
    ) -> Result<()> {
        let (owner, id) = owner.column_and_id();
        let sql = format!(
            "INSERT INTO power_states ({owner}, power, state, previous, updated_at, message_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT ({owner}, power)
             DO UPDATE SET state = ?3, previous = ?4, updated_at = ?5, message_id = ?6"
        );
        let PowerStateWrite { at, message_id } = write;
        self.run(
            &sql,
            (id, &new.name, &new.state, &new.previous, at, message_id),
        )
    }

    /// Rooms in which a user wrote and a superpower stores shared state.
    pub fn rooms_with_power_states(&self, user: UserId) -> Result<Vec<RoomId>> {
        self.all(
            "SELECT DISTINCT power_states.room_id FROM room_authors
             JOIN power_states ON power_states.room_id = room_authors.room_id
             WHERE room_authors.user_id = ?1",
            [user],
        )
    }

    pub fn delete_power_states(&self, user: UserId) -> Result<()> {
        self.run("DELETE FROM power_states WHERE user_id = ?1", [user])?;
        self.run("DELETE FROM power_alarms WHERE user_id = ?1", [user])
    }

    /// Replaces an alarm of the same user and superpower.
    pub fn set_power_alarm(&self, alarm: &PowerAlarm) -> Result<()> {
        self.run(
            "INSERT INTO power_alarms (user_id, power, room_id, at, due_at)
             VALUES (?1, ?2, ?3, ?4, ?4)
             ON CONFLICT (user_id, power) DO UPDATE SET room_id = ?3, at = ?4, due_at = ?4",
            (alarm.user, &alarm.name, alarm.room, alarm.at),
        )
    }

    pub fn power_alarms(&self, user: UserId) -> Result<Vec<PowerAlarm>> {
        self.power_alarms_where("WHERE user_id = ?1", user.0)
    }

    /// Due alarms, soonest first, at most 256.
    pub fn due_power_alarms(&self, now: Timestamp) -> Result<Vec<PowerAlarm>> {
        self.power_alarms_where("WHERE due_at <= ?1 ORDER BY due_at LIMIT 256", now.0)
    }

    /// The alarm time of a user's superpower.
    pub fn power_alarm_at(&self, user: UserId, name: &str) -> Result<Option<Timestamp>> {
        self.find(
            "SELECT at FROM power_alarms WHERE user_id = ?1 AND power = ?2",
            (user, name),
        )
    }

    pub fn postpone_power_alarm(&self, user: UserId, name: &str, due_at: Timestamp) -> Result<()> {
        self.run(
            "UPDATE power_alarms SET due_at = ?3 WHERE user_id = ?1 AND power = ?2",
            (user, name, due_at),
        )
    }

    pub fn delete_power_alarm(&self, user: UserId, name: &str) -> Result<()> {
        self.run(
            "DELETE FROM power_alarms WHERE user_id = ?1 AND power = ?2",
            (user, name),
        )
    }

    /// Makes a user's delayed reminders and alarms due.
    pub fn release_alarms(&self, user: UserId, now: Timestamp) -> Result<()> {
        self.run(
            "UPDATE reminders SET due_at = ?2 WHERE user_id = ?1 AND send_at <= ?2 AND due_at > ?2",
            (user, now),
        )?;
        self.run(
            "UPDATE power_alarms SET due_at = ?2 WHERE user_id = ?1 AND at <= ?2 AND due_at > ?2",
            (user, now),
        )
    }

    fn power_alarms_where(&self, condition: &str, value: i64) -> Result<Vec<PowerAlarm>> {
        self.all(&format!("{COLUMNS} {condition}"), [value])
    }
}

impl View<'_> {
    /// All states of an owner.
    pub fn power_states(&self, owner: PowerOwner) -> Result<Vec<PowerState>> {
        let (owner, id) = owner.column_and_id();
        let sql = format!("SELECT power, state, previous FROM power_states WHERE {owner} = ?1");
        self.all(&sql, [id])
    }

    /// The time of the next alarm.
    pub fn next_power_alarm_due(&self) -> Result<Option<Timestamp>> {
        self.find(
            "SELECT due_at FROM power_alarms ORDER BY due_at LIMIT 1",
            [],
        )
    }
}

from_row!(PowerStateWrite: at, message_id);
from_row!(PowerState: name, state, previous);
from_row!(PowerAlarm: name, user, room, at);
