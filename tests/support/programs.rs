//! Programs that tests kill and start again: relays, networks' servers, and services behind an
//! address that stays.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::fs::OpenOptions;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use super::process::Process;
use super::request;

/// What takes longer with a real server, one that was just killed above all.
pub const SLOW: Duration = Duration::from_secs(120);

/// The log of relays, in their folder.
pub const LOG: &str = "relay.log";

/// A program; it is killed when dropped.
pub struct Program(Child);

impl Program {
    /// Without input and output.
    pub fn start(mut command: Command) -> Self {
        command.stderr(Stdio::null());
        Self::start_logging(command)
    }

    fn start_logging(mut command: Command) -> Self {
        let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(quiet.spawn().unwrap())
    }

    /// A relay of a network, with its state and its log (`relay.log`) in the folder. It is the agent
    /// with the network's name.
    pub fn relay(
        network: &str,
        folder: &Path,
        url: &str,
        settings: &[(&'static str, String)],
    ) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chatkeep"));
        command.args(["relay", network, "--url", url]);
        command.current_dir(folder).env_clear();
        command.env("CHATKEEP_STORAGE_PATH", folder.join("relay.db"));
        command.env("CHATKEEP_EDGE_TOKEN", super::token(network));
        command.envs(settings.iter().map(|(key, value)| (*key, value.as_str())));
        let mut log = OpenOptions::new();
        let log = log.create(true).append(true).open(folder.join(LOG));
        command.stderr(log.unwrap());
        Self::start_logging(command)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A network's real server, by the command and at the address in the environment, which
/// `examples/relays/try` sets.
pub struct Server {
    program: Option<Program>,
    command: String,
    pub address: SocketAddr,
}

impl Server {
    /// `name` is that of its variables.
    pub async fn start(name: &str) -> Self {
        let variable = |ending: &str| std::env::var(format!("CHATKEEP_TEST_{name}{ending}"));
        let mut this = Self {
            program: None,
            command: variable("").unwrap(),
            address: variable("_ADDRESS").unwrap().parse().unwrap(),
        };
        this.kill().await;
        this
    }

    /// Kills it where it runs, and starts it again. It listens when this is done.
    pub async fn kill(&mut self) {
        self.program = None;
        let mut words = self.command.split(' ');
        let mut starting = Command::new(words.next().unwrap());
        starting.args(words);
        self.program = Some(Program::start(starting));
        until(SLOW, "the server", async || {
            TcpStream::connect(self.address).await.is_ok()
        })
        .await;
    }
}

/// A service as a program of its own, without limits on how much one person may write. It is
/// reached at the same address after it was killed.
pub struct KilledService {
    pub process: Process,
    /// Like `http://127.0.0.1:8080`.
    pub url: String,
    address: Arc<Mutex<SocketAddr>>,
}

impl KilledService {
    pub async fn start(database: &Path) -> Self {
        let process = start_unlimited(database).await;
        let address = Arc::new(Mutex::new(process.address));
        Self {
            url: stable_address(address.clone()).await,
            process,
            address,
        }
    }

    /// Kills it, and starts it again on the same database.
    pub async fn kill(&mut self, database: &Path) {
        self.process.kill();
        self.process = start_unlimited(database).await;
        *self.address.lock().unwrap() = self.process.address;
    }
}

async fn start_unlimited(database: &Path) -> Process {
    let process = Process::start(database, &[]).unwrap();
    for flag in ["rate_limit.enabled", "free_tier.enabled"] {
        let setting = request("PUT", &format!("/admin/feature-flags/{flag}"));
        let setting = setting.json(&json!({"value": false}));
        let answer = process.send(&setting.bearer(super::ADMIN_TOKEN)).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    process
}

async fn stable_address(to: Arc<Mutex<SocketAddr>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let to = *to.lock().unwrap();
            tokio::spawn(async move {
                if let Ok(mut far) = TcpStream::connect(to).await {
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                }
            });
        }
    });
    format!("http://{address}")
}

/// How many kills the environment asks for.
pub fn kills(variable: &str, default: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(default, |kills| kills.parse().unwrap())
}

/// As `eventually`, for what takes longer.
pub async fn until(within: Duration, what: &str, mut check: impl AsyncFnMut() -> bool) {
    let started = Instant::now();
    while !check().await {
        assert!(started.elapsed() < within, "{what} in time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// What was asked for and what came, as a ledger: replies in their order, reminders in any.
#[derive(Default)]
pub struct Ledger {
    replies: Vec<String>,
    reminders: Vec<String>,
}

const REMINDER: &str = "⏰ Reminder: ";

/// "in 1 second" of "in 1 second, today at 14:00 UTC (Monday, 23 November)": the clock is the real one.
fn without_clock(text: String) -> String {
    let from = [", today at ", ", tomorrow at "];
    let from = from.iter().find_map(|from| text.find(from));
    match (from, text.find("):")) {
        (Some(from), Some(to)) => format!("{}{}", &text[..from], &text[to + 1..]),
        _ => text,
    }
}

impl Ledger {
    /// What is expected beside it was heard already.
    pub fn of(heard: Vec<String>) -> Self {
        let (reminders, replies) = heard
            .into_iter()
            .map(without_clock)
            .partition(|text| text.starts_with(REMINDER));
        Self { replies, reminders }
    }

    /// What to write, after which one reply more is expected.
    pub fn name(&mut self, name: &str) -> String {
        self.replies.push(format!("Nice to meet you, {name}!"));
        format!("my name is {name}")
    }

    /// What to write, after which one reply and one reminder more are expected.
    pub fn reminder(&mut self, round: u64) -> String {
        let reply = format!("Okay, I'll remind you in 1 second: see {round}.");
        self.replies.push(reply);
        self.reminders.push(format!("{REMINDER}see {round}"));
        format!("remind me in 1 second to see {round}")
    }

    pub fn len(&self) -> usize {
        self.replies.len() + self.reminders.len()
    }

    /// As `check`, but what was sent may have come again. How many did.
    pub fn check_with_repeats(self, received: Vec<String>) -> usize {
        let mut received = Self::of(received);
        let all = received.len();
        received.replies.dedup();
        received.reminders.sort_unstable();
        received.reminders.dedup();
        let once: Vec<String> = received
            .replies
            .into_iter()
            .chain(received.reminders)
            .collect();
        let repeats = all - once.len();
        self.check(once);
        repeats
    }

    /// Each reply came once and in order, each reminder once.
    pub fn check(self, received: Vec<String>) {
        let mut received = Self::of(received);
        assert_eq!(received.replies, self.replies);
        let mut reminders = self.reminders;
        reminders.sort_unstable();
        received.reminders.sort_unstable();
        assert_eq!(received.reminders, reminders);
    }
}
