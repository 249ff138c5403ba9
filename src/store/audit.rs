//! The audit log: one row per operator's change, written in the transaction of the change.

use serde_json::Value;

use super::query::{JsonOrNull, from_row};
use super::{Tx, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::masking::masked;

/// How long a row is kept.
pub(super) const AUDIT_KEPT_MS: i64 = 2 * 365 * 24 * 60 * 60 * 1000;
/// Limit of rows; the oldest are removed first.
pub(super) const AUDIT_ROWS_MAX: i64 = 100_000;

/// The operator who makes a change, and the client's address.
#[derive(Debug, Clone)]
pub struct Operator {
    /// The name that the operator gave.
    pub name: String,
    /// The client's address; `None` for a command that changed the database directly.
    pub address: Option<String>,
}

/// One change. `before` and `after` are JSON without secrets and phone numbers.
#[derive(Debug, Clone)]
pub struct Change {
    /// For example `flag.set`.
    pub action: &'static str,
    /// The changed object: a flag's key, an agent's name, a user's id.
    pub subject: String,
    pub before: Value,
    pub after: Value,
}

impl Change {
    /// A job that was started, which has no value before or after.
    pub fn work(action: &'static str) -> Self {
        Self {
            action,
            subject: String::new(),
            before: Value::Null,
            after: Value::Null,
        }
    }
}

/// An operator's change.
#[derive(Debug, Clone, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "Change")]
pub struct AuditRow {
    pub id: i64,
    pub at: Timestamp,
    /// The operator's name; possible phone numbers are masked.
    pub operator: String,
    /// The client's address; null if a command changed the database directly.
    pub address: Option<String>,
    #[schemars(extend("examples" = [
        "flag.set", "flag.unset", "grant.set", "grant.remove", "deletion.request",
        "deletion.cancel", "export.start", "relay_tokens.revoke", "purge.start",
        "billing.reconcile", "restore",
    ]))]
    pub action: String,
    /// A flag's key, a relay's name (possible phone numbers are masked) or a user's id.
    pub subject: String,
    /// The previous value; null for none.
    pub before: Value,
    /// The new value; null for none.
    pub after: Value,
}

impl Tx<'_> {
    /// Names that may be phone numbers are masked, because rows outlive accounts.
    pub fn insert_audit(&self, operator: &Operator, change: &Change, now: Timestamp) -> Result<()> {
        let json = |value: &Value| (!value.is_null()).then(|| value.to_string());
        self.run(
            "INSERT INTO audit (at, operator, address, action, subject, before, after)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            (
                now,
                masked(&operator.name),
                &operator.address,
                change.action,
                masked_subject(&change.subject),
                json(&change.before),
                json(&change.after),
            ),
        )
    }

    /// Removes an erased person's phone number from the log, and where an operator had it as a name.
    pub(super) fn erase_from_audit(&self, phone: &str) -> Result<()> {
        self.run(
            "UPDATE audit SET subject = 'erased' WHERE subject = ?1",
            [phone],
        )?;
        self.run(
            "UPDATE audit SET operator = 'erased' WHERE operator IN (?1, 'command line, ' || ?1)",
            [phone],
        )?;
        self.run(
            "UPDATE flag_overrides SET set_by = 'erased'
             WHERE set_by IN (?1, 'command line, ' || ?1)",
            [phone],
        )
    }
}

impl View<'_> {
    /// The newest rows first: those since `since` and older than the row `before`.
    pub fn audit(&self, since: Timestamp, before: i64, limit: usize) -> Result<Vec<AuditRow>> {
        self.all(
            "SELECT id, at, operator, address, action, subject, before, after
             FROM audit WHERE id < ?2 AND at >= ?1 ORDER BY id DESC LIMIT ?3",
            (since, before, limit as i64),
        )
    }
}

from_row!(AuditRow: id, at, operator, address, action, subject, before as JsonOrNull,
    after as JsonOrNull);

/// A user's id is a UUID and never a phone number, whatever digits it has.
fn masked_subject(subject: &str) -> std::borrow::Cow<'_, str> {
    match crate::model::public_id::PublicId::parse(subject) {
        Some(_) => subject.into(),
        None => masked(subject),
    }
}
