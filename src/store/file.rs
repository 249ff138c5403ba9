//! The database's file: creating, opening, locking and checking it, its log, and its copies:
//! backups, restores, and those from before a schema change.

pub(super) mod advice;
pub(super) mod backup;
pub(super) mod carry_over;
pub(super) mod checkpoint;
pub(super) mod copies;
pub(super) mod copy;
pub(super) mod database_files;
pub(super) mod inspect;
pub(super) mod lock;
pub(super) mod open;
pub(super) mod open_files;
pub(super) mod restore;
pub(super) mod schema;
