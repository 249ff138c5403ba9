//! Files and folders: their names, their removal, and those that only their owner may read. Files
//! created by root get the owner of their folder, so that a command run as root doesn't lock the
//! service out of its own files.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

const ROOT: u32 = 0;

/// The path with `suffix` appended to the file's name.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// "." for a name without a folder.
pub fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let named = folder.filter(|folder| !folder.as_os_str().is_empty());
    named.unwrap_or(Path::new("."))
}

/// Syncing a folder makes a new name in it durable.
pub fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

/// Removes a file that may not exist. The error names it.
pub fn remove_if_present(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let named = format!("{}: {error}", path.display());
            Err(io::Error::new(error.kind(), named))
        }
        _ => Ok(()),
    }
}

/// Creates `path` with mode 0600 and `content`, synced when this returns. An existing file, also a
/// symbolic link to nothing, gives `AlreadyExists`. A process that is killed leaves no file or the
/// whole one.
pub fn create_private(path: &Path, content: &str) -> io::Result<()> {
    copy_private(path, &mut content.as_bytes()).map(drop)
}

/// Like `create_private`, with all that `content` has. Returns the bytes written.
pub fn copy_private(path: &Path, content: &mut impl io::Read) -> io::Result<u64> {
    let (draft, written) = write_draft(path, content)?;
    let linked = fs::hard_link(&draft, path).or_else(|error| match path.symlink_metadata() {
        // Where the file system has no links.
        Err(_) if error.kind() != io::ErrorKind::AlreadyExists => fs::rename(&draft, path),
        Err(_) => Err(error),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
    });
    let removed = remove_if_present(&draft);
    linked?;
    removed?;
    sync_folder_of(path)?;
    Ok(written)
}

/// Writes `path` with mode 0600 and `content`, synced when this returns. A process that is killed leaves
/// the earlier file or the whole new one.
pub fn replace_private(path: &Path, content: &str) -> io::Result<()> {
    let (draft, _) = write_draft(path, &mut content.as_bytes())?;
    let renamed = fs::rename(&draft, path).and_then(|()| sync_folder_of(path));
    if renamed.is_err() {
        let _ = remove_if_present(&draft);
    }
    renamed
}

/// A synced file beside `path` with mode 0600 and all of `content`, and the bytes written.
fn write_draft(path: &Path, content: &mut impl io::Read) -> io::Result<(PathBuf, u64)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder_of(path).join(format!(".{name}.{}", std::process::id()));
    remove_if_present(&draft)?;
    let written = write_new(&draft, content)?;
    Ok((draft, written))
}

/// Writes a new file of mode 0600, synced when this returns, and returns its bytes. An incomplete file
/// is removed, but not where the process is killed.
pub fn write_new(path: &Path, content: &mut impl io::Read) -> io::Result<u64> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path)?;
    let written = finish(&mut file, path, content);
    if written.is_err() {
        // The first error is returned; removing may fail too.
        let _ = fs::remove_file(path);
    }
    written
}

/// Opens a file of mode 0600. One that root has created is given to the owner of its folder.
pub fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let file = options.mode(0o600).open(path)?;
    give_to_owner(&file, path, None)?;
    Ok(file)
}

fn finish(file: &mut File, path: &Path, content: &mut impl io::Read) -> io::Result<u64> {
    give_to_owner(file, path, None)?;
    let bytes = io::copy(content, file)?;
    file.sync_all()?;
    Ok(bytes)
}

/// Whether the file or folder is root's, and the owner of the folder that it is in can't write it.
pub fn is_locked_by_root(path: &Path) -> bool {
    let (Ok(file), Ok(folder)) = (fs::metadata(path), fs::metadata(folder_of(path))) else {
        return false;
    };
    let write_bit = match file.gid() == folder.gid() {
        true => 0o020,
        false => 0o002,
    };
    file.uid() == ROOT && folder.uid() != ROOT && file.mode() & write_bit == 0
}

/// An error if this process may not read and write the file or folder.
pub fn check_writable(path: &Path) -> io::Result<()> {
    access(path, Access::READ_OK | Access::WRITE_OK)?;
    Ok(())
}

/// Whether users other than the owner and the file's group may read it.
pub fn is_readable_by_others(path: &Path) -> bool {
    const OTHERS_READ: u32 = 0o004;
    fs::metadata(path).is_ok_and(|metadata| metadata.mode() & OTHERS_READ != 0)
}

/// Whether other users may also enter all folders above the readable file.
pub fn is_reachable_by_others(path: &Path) -> bool {
    const OTHERS_ENTER: u32 = 0o001;
    let Ok(path) = fs::canonicalize(path) else {
        return false;
    };
    let mut folders = path.ancestors().skip(1);
    let can_enter = |folder: &Path| {
        fs::metadata(folder).is_ok_and(|metadata| metadata.mode() & OTHERS_ENTER != 0)
    };
    is_readable_by_others(&path) && folders.all(can_enter)
}

/// Creates a folder with mode 0700, and missing folders above it.
pub fn make_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() || path.as_os_str().is_empty() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make_private_folder(parent)?;
    }
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => give_to_owner(&File::open(path)?, path, None),
        // Another process created it first.
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        result => result,
    }
}

/// Whether both exist and are one file, also under another name: a symbolic or a hard link.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let id = |path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    matches!((id(a), id(b)), (Ok(a), Ok(b)) if a == b)
}

/// Gives a file that root created at `path` to the owner of the file it will replace, or of its
/// folder. Files of other users already have the right owner.
pub fn give_to_owner(file: &File, path: &Path, replaced: Option<&Path>) -> io::Result<()> {
    let (created, current) = (file.metadata()?, fs::symlink_metadata(path)?);
    // A symbolic link must not make root change another file's owner.
    let is_same = (created.dev(), created.ino()) == (current.dev(), current.ino());
    let has_one_name = created.is_dir() || created.nlink() == 1;
    if created.uid() != ROOT || !is_same || !has_one_name {
        return Ok(());
    }
    let owners = [replaced, Some(folder_of(path))];
    let mut owners = owners.into_iter().flatten().flat_map(fs::metadata);
    match owners.find(|owner| owner.uid() != ROOT) {
        Some(owner) => fchown(file, Some(owner.uid()), Some(owner.gid())),
        None => Ok(()),
    }
}

/// The file that a symbolic link leads to; `None` for what is no link, or leads nowhere.
pub fn linked(path: &Path) -> Option<PathBuf> {
    let found = fs::symlink_metadata(path).ok()?;
    let is_link = found.file_type().is_symlink();
    is_link.then(|| fs::canonicalize(path).ok()).flatten()
}
