//! Makes files that only their owner may read, and tells which others may.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Makes `path` with mode 0600 and `content`, on the disk when this returns. An existing
/// file is `AlreadyExists`; a file that couldn't be finished is taken away again.
pub(crate) fn create_new(path: &Path, content: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let written = finish(&mut file, content);
    if written.is_err() {
        // The first error is the one to tell; the leftover may fail to go as well.
        let _ = std::fs::remove_file(path);
    }
    written
}

/// By users who are neither the owner nor of the file's group.
pub(super) fn is_readable_by_others(path: &Path) -> bool {
    const OTHERS_READ: u32 = 0o004;
    let found = std::fs::metadata(path);
    found.is_ok_and(|found| {
        let mode = std::os::unix::fs::MetadataExt::mode(&found);
        mode & OTHERS_READ != 0
    })
}

fn finish(file: &mut File, content: &str) -> io::Result<()> {
    file.write_all(content.as_bytes())?;
    file.sync_all()
}
