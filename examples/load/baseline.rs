//! What the service is compared with, each in a process of its own: bare hyper, which is the most
//! this machine's HTTP can do, and the design most would write first (a pool, a blocking thread
//! and a transaction per request). Both are flattered: they check no token and decide nothing,
//! and the naive one writes as few bytes as its rows allow.

use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{TransactionBehavior, params};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::process::{self, Process};
use crate::{Durability, Result};

/// As long as an answer of the service.
const ANSWER: &[u8] = br#"{"should_respond":true,"reply_bubbles":["Noted. Ask me for reminders, or what I remember."],"reply_text":"Noted. Ask me for reminders, or what I remember.","schedule_message":null,"access":null}"#;

pub(crate) fn start_bare() -> Result<Process> {
    start(Command::new(std::env::current_exe()?).arg("serve-bare"))
}

/// The naive design, on `naive.db` in `dir`.
pub(crate) fn start_naive(dir: &Path, durability: Durability) -> Result<Process> {
    let mut command = Command::new(std::env::current_exe()?);
    start(
        command
            .arg("serve-naive")
            .arg(naive_database(dir))
            .arg(durability.name()),
    )
}

pub(crate) fn naive_database(dir: &Path) -> PathBuf {
    dir.join("naive.db")
}

/// A program that was written with a framework, on a database of its own.
pub(crate) fn start_peer(
    command: &mut Command,
    database: &Path,
    durability: Durability,
) -> Result<Process> {
    start(command.arg(database).arg(durability.name()))
}

fn start(command: &mut Command) -> Result<Process> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child: Child = command.spawn()?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    let address: Result<SocketAddr, _> = line.trim().parse();
    // From here on dropping it kills the child, also when it said nothing useful.
    let process = Process::new(child, address.clone().unwrap_or(([0; 4], 0).into()));
    address.map_err(|_| "a baseline didn't start")?;
    Ok(process)
}

pub(crate) async fn serve_bare() -> Result<()> {
    serve(|request: Request<Incoming>| async {
        // Drained, as keep-alive needs it, but not looked at.
        Ok(match request.into_body().collect().await {
            Ok(_) => answer(200),
            Err(_) => answer(400),
        })
    })
    .await
}

pub(crate) async fn serve_naive(database: &Path, durability: Durability) -> Result<()> {
    let synchronous = durability.name().to_uppercase();
    let manager = SqliteConnectionManager::file(database).with_init(move |connection| {
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", &synchronous)
    });
    let pool = Pool::builder().build(manager)?;
    pool.get()?.execute_batch(
        "CREATE TABLE messages (
             id INTEGER PRIMARY KEY, chat_guid TEXT NOT NULL, sender TEXT NOT NULL,
             text TEXT NOT NULL, timestamp INTEGER NOT NULL);
         CREATE TABLE daily_counts (
             sender TEXT NOT NULL, day INTEGER NOT NULL, messages INTEGER NOT NULL,
             PRIMARY KEY (sender, day));",
    )?;
    serve(move |request: Request<Incoming>| {
        let pool = pool.clone();
        async move {
            let Ok(body) = request.into_body().collect().await else {
                return Ok(answer(400));
            };
            let body = body.to_bytes();
            let stored = tokio::task::spawn_blocking(move || store(&pool, &body)).await;
            Ok(answer(if matches!(stored, Ok(Ok(()))) {
                200
            } else {
                500
            }))
        }
    })
    .await
}

fn store(pool: &Pool<SqliteConnectionManager>, body: &[u8]) -> Result<()> {
    let message: Value = serde_json::from_slice(body)?;
    let timestamp = message["timestamp"].as_i64().ok_or("no timestamp")?;
    let mut connection = pool.get()?;
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.prepare_cached("INSERT INTO messages VALUES (NULL, ?, ?, ?, ?)")?
        .execute(params![
            message["chat_guid"].as_str(),
            message["sender"].as_str(),
            message["text"].as_str(),
            timestamp,
        ])?;
    tx.prepare_cached(
        "INSERT INTO daily_counts VALUES (?, ?, 1)
         ON CONFLICT DO UPDATE SET messages = messages + 1",
    )?
    .execute(params![message["sender"].as_str(), timestamp / 86_400])?;
    Ok(tx.commit()?)
}

fn answer(status: u16) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(ANSWER)));
    *response.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    let json = hyper::header::HeaderValue::from_static("application/json");
    response
        .headers_mut()
        .insert(hyper::header::CONTENT_TYPE, json);
    response
}

async fn serve<F, T>(handler: F) -> Result<()>
where
    F: Fn(Request<Incoming>) -> T + Clone + Send + 'static,
    T: Future<Output = Result<Response<Full<Bytes>>, Infallible>> + Send + 'static,
{
    std::thread::spawn(|| {
        process::outlive_parent();
        std::process::exit(0);
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let handler = handler.clone();
        tokio::spawn(async move {
            let connection = hyper::server::conn::http1::Builder::new()
                .pipeline_flush(true)
                .serve_connection(TokioIo::new(stream), service_fn(handler));
            // Ends with an error when the generator closes in between; nothing to do about it.
            let _ = connection.await;
        });
    }
}
