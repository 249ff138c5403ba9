//! Checks the files, folders and addresses named in the settings, without writing anything.

use std::net::SocketAddr;
use std::path::Path;

use rustix::fs::{Access, access};
use rustix::io::Errno;
use socket2::{Domain, Protocol, Socket, Type};

use crate::app;
use crate::config::{Config, ConfigProblem};
use crate::files::{self, folder_of};
use crate::mail::Mailer;
use crate::store;

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
    note("storage.path", store::inspect(database, true).map(drop));
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let file = files::beside(database, suffix);
        note("storage.path", writable_file(&file));
    }
    note("storage.path", writable_folder(folder_of(database)));
    let sealed = store::sealed_secret_in(database);
    let key_problem = app::sealing_key_problem(config, sealed.as_ref());
    note("marketplace.sealing_key", key_problem.map_or(Ok(()), Err));
    note("exports.dir", writable_folder(&config.exports.dir));
    if let Some(file) = &config.log.file {
        let folder = folder_of(file);
        note("log.file", no_folder(file));
        note("log.file", writable_file(file));
        note(
            "log.file",
            check_exists(folder).and_then(|()| writable_folder(folder)),
        );
    }
    if let Err(message) = Mailer::new(&config.mail) {
        let (key, message) = message.split_once(": ").unwrap_or(("mail", &message));
        note(key, Err(message.to_owned()));
    }
    note("server.listen", check_free(config.server.listen, database));
    problems.extend(config.damaged_development_secrets());
    problems
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
    let nearest = folder.ancestors().find(|path| path.exists());
    let nearest = nearest.unwrap_or(Path::new("."));
    let path = nearest.display();
    if !nearest.is_dir() {
        return Err(format!(
            "{path} is no folder; name one that belongs to this service alone"
        ));
    }
    access(nearest, Access::WRITE_OK | Access::EXEC_OK).map_err(|why| {
        format!(
            "no file can be made in the folder {path}: {}",
            with_advice(why)
        )
    })
}

/// The path must not be a folder.
fn no_folder(file: &Path) -> Result<(), String> {
    match file.is_dir() {
        true => Err(format!("{} is a folder; name a file in it", file.display())),
        false => Ok(()),
    }
}

/// A file that may be missing.
fn writable_file(file: &Path) -> Result<(), String> {
    if !file.exists() {
        return Ok(());
    }
    access(file, Access::READ_OK | Access::WRITE_OK)
        .map_err(|why| format!("{} can't be written: {}", file.display(), with_advice(why)))
}

fn with_advice(why: Errno) -> String {
    let why = std::io::Error::from(why);
    format!("{why}; {}", store::advice(&why))
}

/// Whether the address can be bound. It is never listened on, so nobody can connect. A service that
/// runs on this database may use it.
fn check_free(listen: SocketAddr, database: &Path) -> Result<(), String> {
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
