//! Statements that every message or call of a webhook runs, prepared once for the writing
//! connection: to look one up by its text and to put it back takes longer than to run it.

use rusqlite::{Connection, Row, Statement, ToSql};

use super::Tx;
use crate::error::Result;

/// Declares the statements with their SQL.
macro_rules! statements {
    ($($name:ident = $sql:literal;)+) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum PreparedStatement {
            $($name,)+
        }

        /// The SQL of each statement, in the order of their declaration.
        const SQL: [&str; [$($sql),+].len()] = [$($sql),+];
    };
}

statements! {
    InsertMessage =
        "INSERT INTO messages (id, room_id, user_id, agent_id, previous_id, sent_s,
           received_at, sender, text, metadata, context, counted, request, unwritten,
           bubbles, access, schedule, humans)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17,
           ?18)";
    InsertCommand =
        "INSERT INTO commands (agent_id, seq, command_id, room_id, kind, payload, state, created_at, expires_at, user_id, app_creator_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'queued', ?7, ?8,
           iif(?11, ?9, coalesce((SELECT owner_id FROM rooms WHERE id = ?4 AND mode = 'direct'), ?9)), ?10)";
    DirectChats =
        "SELECT rooms.id, chat_guid, agent_id, mode = 'group', message_id FROM rooms
         LEFT JOIN room_heads ON room_id = rooms.id
         WHERE owner_id = ?1 AND mode = 'direct' AND (agent_id IS NOT NULL OR NOT ?2)
           AND instr(chat_guid, ?3) = 0";
    InsertWebhookEvent =
        "INSERT INTO new_webhook_events (webhook_id, serial, event_id, signature_valid,
           action_triggered, result_status, error_message, ip_address, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
}

/// Runs prepared statements. A trait, so that a transaction need not name the connection's lifetime.
pub(super) trait RunPrepared {
    /// How many rows it changed.
    fn run(
        &mut self,
        statement: PreparedStatement,
        params: &[&dyn ToSql],
    ) -> rusqlite::Result<usize>;
    /// Calls `each` with every row.
    fn query(
        &mut self,
        statement: PreparedStatement,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()>;
}

pub(super) struct PreparedStatements<'c>(Vec<Statement<'c>>);

impl<'c> PreparedStatements<'c> {
    pub(super) fn prepare(conn: &'c Connection) -> rusqlite::Result<Self> {
        let prepared = SQL.iter().map(|sql| conn.prepare(sql));
        prepared.collect::<rusqlite::Result<_>>().map(Self)
    }
}

impl RunPrepared for PreparedStatements<'_> {
    fn run(
        &mut self,
        statement: PreparedStatement,
        params: &[&dyn ToSql],
    ) -> rusqlite::Result<usize> {
        self.0[statement as usize].execute(params)
    }

    fn query(
        &mut self,
        statement: PreparedStatement,
        params: &[&dyn ToSql],
        each: &mut dyn FnMut(&Row) -> rusqlite::Result<()>,
    ) -> rusqlite::Result<()> {
        let mut rows = self.0[statement as usize].query(params)?;
        while let Some(row) = rows.next()? {
            each(row)?;
        }
        Ok(())
    }
}

impl Tx<'_> {
    /// Like `execute`, for a statement that every message or call runs.
    pub(super) fn execute_prepared(
        &mut self,
        statement: PreparedStatement,
        params: &[&dyn ToSql],
    ) -> Result<usize> {
        Ok(self.prepared.run(statement, params)?)
    }
}
