//! How a command reaches the data: through the running service while it holds the database,
//! otherwise alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::{self, App};
use crate::clock::Clock;
use crate::config::{Config, Secret};
use crate::error;
use crate::outbound::{self, Method, Request};
use crate::store::{self, Operator, Store, Tx};

/// Fails without a database. `so` says what follows from that, if a service would create one.
pub(super) fn check_database(database: &Path, so: &str) -> Result<(), String> {
    if database.exists() {
        return Ok(());
    }
    let (start, so) = match so {
        "" => ("", String::new()),
        so => ("start the service, or ", format!(", so {so}")),
    };
    let advice = match database.is_relative() {
        true => format!(
            "storage.path is relative to the working directory; {start}run this in the service's \
             working directory, or name its configuration with --config"
        ),
        false => format!("{start}name its configuration with --config"),
    };
    // The path as it is where the working directory is gone.
    let path = std::path::absolute(database).unwrap_or_else(|_| database.to_owned());
    Err(format!(
        "there is no database at {}{so}; {advice}",
        path.display()
    ))
}

/// Changes data through the running service, or with `work` in the database without one.
pub(super) fn change(
    config: &Config,
    method: Method,
    path: &str,
    body: Option<&Value>,
    work: impl FnOnce(&mut Tx, Operator) -> error::Result<()> + Send + 'static,
) -> Result<(), String> {
    if ask::<Value>(config, method, path, body)?.is_some() {
        return Ok(());
    }
    let _lock = app::lock(config)?;
    let store = Store::open(&app::store_options(config))?;
    let changing = store.write(|tx| work(tx, operator()));
    super::runtime()?
        .block_on(changing)
        .map_err(|e| e.to_string())
}

/// The parts of a service, without a running one.
pub(super) struct IdleService {
    pub(super) app: Arc<App>,
    /// Dropped after `app`: it waits for its threads, which wait for more work as long as `app`
    /// may give them some.
    runtime: tokio::runtime::Runtime,
    _lock: store::Lock,
}

impl IdleService {
    pub(super) fn start(config: &Config) -> Result<Self, String> {
        let lock = app::lock(config)?;
        let runtime = super::runtime()?;
        let app = runtime.block_on(App::build(config.clone(), Clock::system()))?;
        Ok(Self {
            app,
            runtime,
            _lock: lock,
        })
    }

    pub(super) fn run<T, E: ToString>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, String> {
        self.runtime.block_on(work).map_err(|e| e.to_string())
    }
}

/// Whether a service or another command holds the database.
pub(super) fn is_database_in_use(config: &Config) -> bool {
    store::holder(&config.storage.path).is_some()
}

/// Whether a service holds the database and answers. A starting or stopping one doesn't.
pub(super) fn is_answering(config: &Config) -> bool {
    let address = store::holder(&config.storage.path).and_then(|holder| holder.address);
    let health = address.map(|address| format!("{address}/health"));
    health.is_some_and(|url| outbound::send(&Request::new(Method::Get, &url)).is_ok())
}

/// Sends a request to the service; `None` when no service runs on this database. Any answer other
/// than 200 with a `T` is an error.
pub(super) fn ask<T: DeserializeOwned>(
    config: &Config,
    method: Method,
    path: &str,
    body: Option<&Value>,
) -> Result<Option<T>, String> {
    send(config, Request::new(method, path), body)
}

/// Like `GET` by `ask`, for a command that only reads: `None` also while another command holds the
/// database.
pub(super) fn ask_to_read<T: DeserializeOwned>(
    config: &Config,
    path: &str,
) -> Result<Option<T>, String> {
    let holder = store::holder(&config.storage.path);
    match holder.and_then(|holder| holder.address) {
        Some(_) => ask(config, Method::Get, path, None),
        None => Ok(None),
    }
}

/// Like `ask`, for work that takes the service up to `timeout`.
pub(super) fn ask_for<T: DeserializeOwned>(
    config: &Config,
    method: Method,
    path: &str,
    body: Option<&Value>,
    timeout: Duration,
) -> Result<Option<T>, String> {
    let request = Request {
        timeout,
        ..Request::new(method, path)
    };
    send(config, request, body)
}

/// `request` has the path in the place of a URL.
fn send<T: DeserializeOwned>(
    config: &Config,
    request: Request,
    body: Option<&Value>,
) -> Result<Option<T>, String> {
    let Some(holder) = store::holder(&config.storage.path) else {
        return Ok(None);
    };
    let address = holder
        .address
        .ok_or("another command holds the database; try again when it is done")?;
    let token = config.admin.token.as_ref().map_or("", Secret::expose);
    let answer = outbound::send(&Request {
        headers: &[
            ("authorization", &format!("Bearer {token}")),
            ("x-operator", &operator_header()),
        ],
        body,
        url: &format!("{address}{}", request.url),
        ..request
    })
    .map_err(|e| format!("the running service at {address} does not answer: {e}"))?;
    match answer.status {
        200 => read(&address, &answer.body).map(Some),
        401 => Err(format!(
            "the running service at {address} has another admin.token; \
             use its configuration (--config and the same environment)"
        )),
        status => {
            let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            Err(match body.get("detail").and_then(Value::as_str) {
                Some(detail) => format!("the running service refused: {detail}"),
                None => format!("the running service refused with {status}"),
            })
        }
    }
}

/// The service's answer with status 200.
fn read<T: DeserializeOwned>(address: &str, body: &[u8]) -> Result<T, String> {
    serde_json::from_slice(body).map_err(|error| {
        format!(
            "the running service at {address} has another version, and its answer can't be read \
             ({error}); restart it with this executable"
        )
    })
}

/// What an operator's name begins with in the audit log and in flags, if a command was used.
pub(super) const OPERATOR_PREFIX: &str = "command line, ";
/// The longest name that the admin API accepts.
const OPERATOR_CHARS_MAX: usize = 64;

/// The user who runs this command, also through `sudo`.
pub(super) fn operator() -> Operator {
    let names = ["SUDO_USER", "USER", "LOGNAME"];
    let mut names = names
        .into_iter()
        .filter_map(|name| std::env::var(name).ok());
    let name = names.find(|name| !name.is_empty());
    Operator {
        name: format!("{OPERATOR_PREFIX}{}", name.as_deref().unwrap_or("somebody"))
            .chars()
            .filter(|c| !c.is_control())
            .take(OPERATOR_CHARS_MAX)
            .collect(),
        address: None,
    }
}

/// The operator running this command, as a header value.
fn operator_header() -> String {
    let visible = |c: char| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    };
    operator().name.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::erasure::PurgeOutlook;

    #[test]
    fn an_answer_of_another_version_is_no_success() {
        let progress = r#""progress":{"asked":1,"over":1,"erased":2,"batches":3}"#;
        let whole = format!(r#"{{"due":[],"under_way":[],{progress}}}"#);
        let read_whole = read::<PurgeOutlook>("a", whole.as_bytes()).unwrap();
        assert_eq!(read_whole.progress.erased, 2);
        for body in ["", "<html>", "{}", &whole.replace("\"over\":1,", "")] {
            let why = read::<PurgeOutlook>("a", body.as_bytes()).unwrap_err();
            assert!(why.contains("has another version"), "{body}: {why}");
        }
        assert!(read::<Value>("a", b"ok").is_err());
        assert!(read::<Value>("a", b"{}").is_ok());
    }
}
