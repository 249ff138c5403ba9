//! The real executable as a process of its own: what can only be seen from outside, as how
//! it starts, how it ends, and what it leaves behind when it is killed.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{ADMIN_TOKEN, Answer, EDGE_SECRET, PATIENCE, Request, parse_answer};

/// A running service; it is killed when dropped.
pub struct Process {
    pub child: Child,
    pub address: SocketAddr,
    log: Arc<Mutex<String>>,
    /// Reads standard error to its end.
    logging: Option<JoinHandle<()>>,
}

/// A service that did not start.
#[derive(Debug)]
pub struct Refusal {
    pub status: ExitStatus,
    pub stderr: String,
}

impl Process {
    pub fn start(database: &Path, settings: &[(&str, &str)]) -> Result<Self, Refusal> {
        Self::by(
            Command::new(env!("CARGO_BIN_EXE_chatkeep")),
            database,
            settings,
        )
    }

    /// As `start`, by a command that runs the executable as its own last arguments.
    pub fn by(
        mut command: Command,
        database: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Self, Refusal> {
        let mut child = command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("CHATKEEP_STORAGE_PATH", database)
            .env("CHATKEEP_SERVER_LISTEN", "127.0.0.1:0")
            .env("EDGE_SECRET", EDGE_SECRET)
            .env("CHATKEEP_ADMIN_TOKEN", ADMIN_TOKEN)
            .env("CHATKEEP_ACCESS_CHARGE_NOBODY", "false")
            .envs(settings.iter().copied())
            .current_dir(database.parent().unwrap())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (mut stderr, log_copy) = (child.stderr.take().unwrap(), log.clone());
        let logging = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = stderr.read(&mut bytes) {
                *log_copy.lock().unwrap() += &String::from_utf8_lossy(&bytes[..n]);
            }
        });
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let Some((_, rest)) = line.split_once("http://") else {
            let status = child.wait().unwrap();
            logging.join().unwrap();
            let stderr = log.lock().unwrap().clone();
            return Err(Refusal { status, stderr });
        };
        let address = rest.split(',').next().unwrap().parse().unwrap();
        std::thread::spawn(move || std::io::copy(&mut stdout, &mut std::io::sink()));
        Ok(Self {
            child,
            address,
            log,
            logging: Some(logging),
        })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn threads(&self) -> usize {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.id())).unwrap();
        tasks.count()
    }

    /// kill -9
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.read_log();
    }

    /// From here on `log` has all that the process wrote.
    fn read_log(&mut self) {
        if let Some(logging) = self.logging.take() {
            logging.join().unwrap();
        }
    }

    pub fn signal(&self, name: &str) {
        signal(self.id(), name);
    }

    /// How it ended, within a time.
    pub fn ended(&mut self, within: Duration) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                self.read_log();
                return status;
            }
            assert!(started.elapsed() < within, "still running: {}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// The log, once the words are in it: it is written a little after what it tells of.
    pub async fn log_with(&self, words: &str) -> String {
        super::eventually(words, async || self.log().contains(words)).await;
        self.log()
    }

    /// The answer to a request, or nothing when the connection broke.
    pub async fn ask(&self, request: &Request) -> Option<Answer> {
        ask(self.address, request).await
    }

    pub async fn send(&self, request: &Request) -> Answer {
        self.ask(request).await.expect("an answer")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal(id: u32, name: &str) {
    let status = Command::new("kill")
        .args([&format!("-{name}"), &id.to_string()])
        .status();
    assert!(status.unwrap().success());
}

pub async fn ask(address: SocketAddr, request: &Request) -> Option<Answer> {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(&request.bytes()).await.ok()?;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        parse_answer(&bytes)
    };
    let answered = tokio::time::timeout(PATIENCE, exchange).await;
    answered.expect("an answer or the end of the connection in time")
}
