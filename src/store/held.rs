//! Statements that every message runs, prepared once for the writing connection: to look one up
//! by its text and to put it back takes longer than to run it.

use rusqlite::{Connection, Statement, ToSql};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    InsertMessage,
}

impl Held {
    /// In the order of their declaration.
    const ALL: [Self; 1] = [Self::InsertMessage];

    const fn sql(self) -> &'static str {
        match self {
            Self::InsertMessage => {
                "INSERT INTO messages (id, room_id, user_id, agent_id, previous_id, sent_s,
                   received_at, sender, text, metadata, context, counted, request, unwritten,
                   bubbles, access, schedule, humans)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
                   ?18)"
            }
        }
    }
}

/// Runs a held statement; how many rows it changed. A trait, so that a transaction need not
/// name the connection's lifetime.
pub(super) trait RunHeld {
    fn run(&mut self, held: Held, params: &[&dyn ToSql]) -> rusqlite::Result<usize>;
}

pub(super) struct HeldStatements<'c>([Statement<'c>; Held::ALL.len()]);

impl<'c> HeldStatements<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        let [insert_message] = Held::ALL;
        Ok(Self([conn.prepare(insert_message.sql())?]))
    }
}

impl RunHeld for HeldStatements<'_> {
    fn run(&mut self, held: Held, params: &[&dyn ToSql]) -> rusqlite::Result<usize> {
        self.0[held as usize].execute(params)
    }
}
