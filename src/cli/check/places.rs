//! Checks the files, folders and addresses named in the settings, without writing anything.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access, statvfs};
use socket2::{Domain, Protocol, Socket, Type};

use crate::app;
use crate::config::{Config, ConfigProblem};
use crate::files::{self, folder_of};
use crate::mail::Mailer;
use crate::store;

const MIB: u64 = 1 << 20;
/// With less free space on the database's disk, `check` warns.
const FREE_BYTES_MIN: u64 = 64 * MIB;

/// A missing database is no problem; an existing one may be in use.
pub(super) fn problems(config: &Config) -> Vec<ConfigProblem> {
    let mut problems = Vec::new();
    let mut note = |key: &str, found: Result<(), String>| {
        if let Err(message) = found {
            let key = key.to_owned();
            problems.push(ConfigProblem { key, message });
        }
    };
    let database = &config.storage.path;
    note("storage.path", check_in_place(database));
    note("storage.path", store::check_only_name(database));
    note("storage.path", store::inspect(database, true).map(drop));
    note("storage.path", writable(&files_of(database)));
    note("storage.path", writable_folder(folder_of(database)));
    note("storage.path", store::check_unlocked(database));
    let sealed = store::sealed_secret_in(database);
    let key_problem = app::sealing_key_problem(config, sealed.as_ref());
    note("marketplace.sealing_key", key_problem.map_or(Ok(()), Err));
    note("exports.dir", writable_folder(&config.exports.dir));
    if let Some(file) = &config.log.file {
        let folder = folder_of(file);
        note("log.file", no_folder(file));
        note("log.file", writable(std::slice::from_ref(file)));
        note(
            "log.file",
            check_exists(folder).and_then(|()| writable_folder(folder)),
        );
    }
    let with_key = [
        Mailer::new(&config.mail).map(drop),
        app::services_authorities(config).map(drop),
    ];
    let with_key = with_key.into_iter().filter_map(Result::err);
    for problem in with_key.chain(app::relay_problems(config)) {
        // "key: message", or a sentence that begins with the key
        let (key, message) = match problem.split_once(' ') {
            Some((key, message)) if key.contains('.') => (key.trim_end_matches(':'), message),
            _ => ("mail", problem.as_str()),
        };
        note(key, Err(message.to_owned()));
    }
    note("server.listen", check_free(config.server.listen, database));
    problems.extend(config.damaged_development_secrets());
    problems
}

/// An error if a service has a database open whose file is gone.
fn check_in_place(database: &Path) -> Result<(), String> {
    let serving = store::holder(database).filter(|holder| holder.address.is_some());
    match serving {
        Some(_) if !database.exists() => Err(format!(
            "{0} was deleted or moved while a service has it open, which refuses messages now: move it \
             back to {0}. If it is lost, `chatkeep backup FILE` saves what the service has; then stop \
             the service and put that in place with `chatkeep restore FILE`",
            database.display()
        )),
        _ => Ok(()),
    }
}

/// What doesn't prevent a start, but soon will prevent messages or exports.
pub(super) fn warnings(config: &Config) -> Vec<String> {
    let database_folder = folder_of(&config.storage.path);
    let folders = [
        (
            "storage.path", database_folder, "messages may soon be refused (503)",
        ),
        ("exports.dir", &config.exports.dir, "exports may soon fail"),
    ];
    let mut warnings = Vec::new();
    for (key, folder, consequence) in folders {
        let nearest = nearest_existing(folder);
        // A file system that can't say it isn't full.
        let Ok(space) = statvfs(nearest) else {
            continue;
        };
        let free_bytes = space.f_bavail * space.f_frsize;
        warnings.extend(little_space((key, consequence), nearest, free_bytes));
    }
    warnings
}

fn little_space(
    (key, consequence): (&str, &str),
    folder: &Path,
    free_bytes: u64,
) -> Option<String> {
    (free_bytes < FREE_BYTES_MIN).then(|| {
        format!(
            "{key}: the disk of the folder {} has {:.1} MiB free; below {} MiB {consequence}: make \
             room there, or name another place.",
            folder.display(),
            free_bytes as f64 / MIB as f64,
            FREE_BYTES_MIN / MIB
        )
    })
}

/// A folder that the service doesn't create.
fn check_exists(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        return Ok(());
    }
    Err(format!(
        "there is no folder {0}; make it (mkdir -p {0}) and let the service's user write there",
        folder.display()
    ))
}

/// A folder in which files can be created, or that can be created.
fn writable_folder(folder: &Path) -> Result<(), String> {
    let nearest = nearest_existing(folder);
    let path = nearest.display();
    if !nearest.is_dir() {
        return Err(format!(
            "{path} is no folder; name one that belongs to this service alone"
        ));
    }
    access(nearest, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| {
        format!(
            "no file can be made in the folder {path}: {}",
            with_advice(&why.into())
        )
    })
}

/// The database and what the service makes beside it, as far as a start needs to write it.
fn files_of(database: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let file = files::beside(database, suffix);
        // A start gives the database's mode to the files of SQLite.
        if !suffix.starts_with('-') || !store::takes_mode_of(&file, database) {
            files.push(file);
        }
    }
    files.push(app::photos_folder(database));
    files.extend(app::relay_files(database));
    files
}

/// The folder, or the nearest one above it that exists.
fn nearest_existing(folder: &Path) -> &Path {
    let nearest = folder.ancestors().find(|path| path.exists());
    nearest.unwrap_or(Path::new("."))
}

/// The path must not be a folder.
fn no_folder(file: &Path) -> Result<(), String> {
    match file.is_dir() {
        true => Err(format!("{} is a folder; name a file in it", file.display())),
        false => Ok(()),
    }
}

/// Files and folders that may be missing.
fn writable(paths: &[PathBuf]) -> Result<(), String> {
    let mut by_reason: Vec<(String, Vec<String>)> = Vec::new();
    for path in paths {
        let (Some(why), name) = (refusal(path), path.display().to_string()) else {
            continue;
        };
        match by_reason.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((why, vec![name])),
        }
    }
    let problems = by_reason
        .iter()
        .map(|(why, names)| format!("{} can't be written: {why}", names.join(", ")));
    match by_reason.is_empty() {
        true => Ok(()),
        false => Err(problems.collect::<Vec<_>>().join("; ")),
    }
}

/// Root may write everything, but what root has made may be closed to the service's user.
fn refusal(path: &Path) -> Option<String> {
    if !path.exists() {
        return None;
    }
    match files::check_writable(path) {
        Err(why) => Some(with_advice(&why)),
        Ok(()) => files::is_locked_by_root(path).then(|| {
            "root's, in a folder of another user, who can't write it; give it to the service's user (chown)"
                .to_owned()
        }),
    }
}

fn with_advice(why: &std::io::Error) -> String {
    format!("{why}; {}", store::advice(why))
}

/// Whether the address can be bound. It is never listened on, so nobody can connect. A service that
/// runs on this database may use it.
pub(in crate::cli) fn check_free(listen: SocketAddr, database: &Path) -> Result<(), String> {
    let holder = store::holder(database).and_then(|holder| holder.address);
    let port = format!(":{}", listen.port());
    if holder.is_some_and(|address| address.ends_with(&port)) {
        return Ok(());
    }
    let bound = Socket::new(
        Domain::for_address(listen),
        Type::STREAM,
        Some(Protocol::TCP),
    )
    .and_then(|socket| {
        socket.set_reuse_address(true)?; // like the service
        socket.bind(&listen.into())
    });
    bound.map_err(|e| format!("can't listen on {listen}: {e}; {}", listen_advice(&e)))
}

/// Advice for an address that can't be listened on.
pub(in crate::cli) fn listen_advice(why: &std::io::Error) -> &'static str {
    match why.kind() {
        std::io::ErrorKind::AddrInUse => {
            "another program has this port: stop it (`ss -ltnp` names it), or choose another port"
        }
        std::io::ErrorKind::PermissionDenied => {
            "ports below 1024 are kept for root: choose a higher one, with a proxy before it"
        }
        std::io::ErrorKind::AddrNotAvailable => {
            "this machine has no such address: use 127.0.0.1, or 0.0.0.0 for all it has"
        }
        _ => "choose another address",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_named_with_what_to_do() {
        let folder = Path::new("data");
        let about = ("storage.path", "messages may soon be refused (503)");
        assert_eq!(little_space(about, folder, FREE_BYTES_MIN), None);
        let warning = little_space(about, folder, FREE_BYTES_MIN / 4 * 3).unwrap();
        let expected = "storage.path: the disk of the folder data has 48.0 MiB free; below 64 MiB";
        assert!(warning.starts_with(expected), "{warning}");
        assert!(warning.contains("(503): make room there"), "{warning}");
    }
}
