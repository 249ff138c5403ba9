//! Whether writes to the disk succeed, shared by all writing threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{ErrorCode, ffi};
use tokio::sync::watch;

use super::file::open_files::OpenFiles;

/// The state of the disk, shared by all writing threads.
pub(super) struct WriterHealth {
    /// A commit failed, such as on a full disk; a successful probe clears it.
    failing: AtomicBool,
    /// Becomes true when writing can't be trusted any more: the process must end.
    lost: watch::Sender<bool>,
    files: Arc<OpenFiles>,
}

impl WriterHealth {
    pub(super) fn new(files: Arc<OpenFiles>) -> Arc<Self> {
        Arc::new(Self {
            failing: AtomicBool::new(false),
            lost: watch::Sender::new(false),
            files,
        })
    }

    /// Whether the database's files are still in their places. Otherwise nothing may be written
    /// until they are.
    pub(super) fn check_files(&self) -> bool {
        let in_place = self.files.are_in_place();
        if !in_place {
            self.note_failure();
        }
        in_place
    }

    pub(super) fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// A commit failed; a later probe tells whether writing works again.
    pub(super) fn note_failure(&self) {
        self.failing.store(true, Ordering::Relaxed);
    }

    /// A probe could write.
    pub(super) fn note_success(&self) {
        self.failing.store(self.is_lost(), Ordering::Relaxed);
    }

    pub(super) fn is_lost(&self) -> bool {
        *self.lost.borrow()
    }

    pub(super) fn watch_lost(&self) -> watch::Receiver<bool> {
        self.lost.subscribe()
    }

    /// After an I/O error it is unknown what reached the disk (pages may be marked clean after a
    /// failed sync). So nothing more is written and the process must end. A full disk is
    /// recoverable, also when only the log's index has no room, or a file has reached the limit of
    /// its size.
    pub(super) fn note_error(&self, error: &rusqlite::Error) {
        let code = error.sqlite_error();
        let fatal = matches!(
            code.map(|code| code.code),
            Some(ErrorCode::SystemIoFailure | ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ) && code.is_some_and(|code| match code.extended_code {
            ffi::SQLITE_IOERR_SHMSIZE => false,
            ffi::SQLITE_IOERR_WRITE => !self.is_at_size_limit(),
            _ => true,
        });
        if fatal {
            self.stop_writing();
        }
    }

    /// A file that reached the limit of its size (`ulimit -f`) is like a full disk, although SQLite
    /// reports it as an I/O error: the part of a write beyond the limit was refused.
    fn is_at_size_limit(&self) -> bool {
        let limit = rlimit::Resource::FSIZE.get();
        limit.is_ok_and(|(limit, _)| self.files.have_reached(limit))
    }

    pub(super) fn stop_writing(&self) {
        self.failing.store(true, Ordering::Relaxed);
        self.lost.send_replace(true);
    }
}
