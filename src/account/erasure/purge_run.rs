//! One run of a purge: what it does, and what it left because something failed.

use crate::store::UserId;

/// The state of one run.
#[derive(Default)]
pub struct PurgeRun {
    /// No service is running, so the file is rewritten whatever its size.
    pub(super) without_service: bool,
    /// No erasure begins.
    pub(super) is_continuation: bool,
    /// The file is too large, or there was no room for a second one.
    pub(super) compaction_failed: bool,
    /// The memory service was asked and failed.
    pub(super) memory_failures: Vec<UserId>,
    /// Users whose files can't be removed now.
    pub(super) skipped: Vec<UserId>,
}

impl PurgeRun {
    /// A run without a service.
    pub fn without_service() -> Self {
        Self {
            without_service: true,
            ..Self::default()
        }
    }

    /// A run that goes on with what has begun.
    pub fn continuation() -> Self {
        Self {
            is_continuation: true,
            ..Self::default()
        }
    }
}
