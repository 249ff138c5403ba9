//! Starts the service's release binary on a database of its own, with secrets known here, and
//! takes the rate limits off. It knows the service by its environment variables and routes only.

use std::fs::File;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::client::{self, Connection};
use crate::process::Process;
use crate::{Durability, Result, Settings, message};

pub(crate) const EDGE_SECRET: &str = "an-edge-secret-for-measuring-only-0123456789";
pub(crate) const ADMIN_TOKEN: &str = "an-admin-token-for-measuring-only-0123456789";
pub(crate) const HS256_SECRET: &str = "an-identity-key-for-measuring-only-0123456789";
const START_PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(60);
/// Enough that nobody reaches 20 messages a minute or 50 a day where limits can't be taken off.
const SENDERS_UNDER_LIMITS: u64 = 200_000;

pub(crate) struct Service {
    pub(crate) process: Process,
    database: PathBuf,
    /// From spawn to the first answer to `GET /health`.
    pub(crate) started_in: Duration,
}

/// The binary to measure, or what to do about its absence.
pub(crate) fn binary(settings: &Settings) -> Result<PathBuf> {
    let beside = || -> Result<PathBuf> {
        // target/release/examples/load → target/release/chatkeep
        let this = std::env::current_exe()?;
        let folder = this
            .parent()
            .and_then(Path::parent)
            .ok_or("this program has no folder")?;
        Ok(folder.join("chatkeep"))
    };
    let path = settings.binary.clone().map_or_else(beside, Ok)?;
    let path = std::path::absolute(path)?;
    if !path.is_file() {
        let path = path.display();
        return Err(format!("{path} is missing: run cargo build --release first").into());
    }
    Ok(path)
}

impl Service {
    /// The database is `chatkeep.db` in `dir`, kept from an earlier start if there was one.
    pub(crate) async fn start(
        settings: &Settings,
        dir: &Path,
        durability: Durability,
    ) -> Result<Self> {
        Self::start_with(settings, dir, durability, &[]).await
    }

    /// With more settings, named as in the environment.
    pub(crate) async fn start_with(
        settings: &Settings,
        dir: &Path,
        durability: Durability,
        more: &[(&str, &str)],
    ) -> Result<Self> {
        let binary = binary(settings)?;
        // Free a moment ago; nothing else on a measuring machine should take it.
        let address: SocketAddr = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let log = File::create(dir.join("service.log"))?;
        let began = Instant::now();
        let child = Command::new(binary)
            .current_dir(dir) // no service.toml there
            .env_remove("CHATKEEP_CONFIG")
            .env("CHATKEEP_SERVER_LISTEN", address.to_string())
            .env("CHATKEEP_STORAGE_PATH", database(dir))
            .env("CHATKEEP_STORAGE_DURABILITY", durability.name())
            .env("EDGE_SECRET", EDGE_SECRET)
            .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
            .env("CHATKEEP_IDENTITY_HS256_SECRET", HS256_SECRET)
            // Paced, the commands of a run would need minutes.
            .env("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "1000000")
            .envs(more.iter().copied())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()?;
        let mut process = Process::new(child, address);
        process.is_stopped_politely = settings.stop_politely;
        let health = client::request("GET", "/health", address, "none", "");
        loop {
            if let Ok(mut connection) = Connection::open(address).await
                && connection
                    .exchange(health.as_bytes())
                    .await
                    .is_ok_and(|a| a.status == 200)
            {
                break;
            }
            let exited = process.exited()?;
            if exited.is_some() || began.elapsed() > START_PATIENCE {
                let log = std::fs::read_to_string(dir.join("service.log"))?;
                let tail: Vec<&str> = log.lines().rev().take(10).collect();
                let tail: Vec<&str> = tail.into_iter().rev().collect();
                let tail = tail.join("\n");
                return Err(format!("the service doesn't start ({exited:?}):\n{tail}").into());
            }
            sleep(Duration::from_micros(500)).await;
        }
        let started_in = began.elapsed();
        process.guard()?;
        Ok(Self {
            process,
            database: database(dir),
            started_in,
        })
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.database.clone()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.process.address
    }

    /// Takes the limits off, and says how many senders it takes not to hit one.
    pub(crate) async fn lift_limits(&self, senders: u64) -> Result<u64> {
        let mut lifted = true;
        for flag in ["rate_limit.enabled", "free_tier.enabled"] {
            let path = format!("/admin/feature-flags/{flag}");
            let body = json!({"value": false});
            let (status, _) =
                client::call(self.address(), "PUT", &path, ADMIN_TOKEN, Some(&body)).await?;
            lifted &= status == 200;
        }
        if lifted {
            return Ok(senders);
        }
        eprintln!("flags can't be set: {SENDERS_UNDER_LIMITS} senders, to stay below the limits");
        Ok(senders.max(SENDERS_UNDER_LIMITS))
    }
}

/// Writes and commits since the start, as the service counts them.
pub(crate) async fn batches(address: SocketAddr) -> Result<(f64, f64)> {
    let request = client::request("GET", "/metrics", address, ADMIN_TOKEN, "");
    let mut connection = Connection::open(address).await?;
    let answer = connection.exchange(request.as_bytes()).await?;
    let page = std::str::from_utf8(answer.body)?;
    let number = |name: &str| {
        let line = page.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<f64>().ok()
    };
    let both = number("chatkeep_writer_batch_writes_sum ")
        .zip(number("chatkeep_writer_batch_writes_count "));
    both.ok_or_else(|| "the metrics have no batches".into())
}

pub(crate) fn database(dir: &Path) -> PathBuf {
    dir.join("chatkeep.db")
}

/// Tokens of `agent-0`, `agent-1` …
pub(crate) fn tokens(agents: u64) -> Result<Vec<String>> {
    (0..agents.max(1))
        .map(|number| message::edge_token(EDGE_SECRET, &agent_id(number)))
        .collect()
}

pub(crate) fn agent_id(number: u64) -> String {
    format!("agent-{number}")
}
