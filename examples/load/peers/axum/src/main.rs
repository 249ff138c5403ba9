//! `POST /edge/message` as axum and sqlx make it easiest: the body as a type, a pool of
//! connections, a transaction for each message. It checks no token and decides nothing.
//!
//!     axum-peer DATABASE full|normal
//!
//! It prints its address, and ends with its standard input.

use std::error::Error;
use std::io::Read;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use tokio::net::TcpListener;

const REPLY: &str = "Noted. Ask me for reminders, or what I remember.";
const BUSY_MAX: Duration = Duration::from_secs(30);
const TABLES: &str = "
    CREATE TABLE messages (
        id INTEGER PRIMARY KEY, chat_guid TEXT NOT NULL, sender TEXT NOT NULL,
        text TEXT NOT NULL, timestamp INTEGER NOT NULL);
    CREATE TABLE daily_counts (
        sender TEXT NOT NULL, day INTEGER NOT NULL, messages INTEGER NOT NULL,
        PRIMARY KEY (sender, day));";

#[derive(Deserialize)]
struct Message {
    chat_guid: String,
    sender: String,
    text: String,
    timestamp: i64,
}

#[derive(Serialize)]
struct Answer {
    should_respond: bool,
    reply_bubbles: [&'static str; 1],
    reply_text: &'static str,
    schedule_message: Option<()>,
    access: Option<()>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "axum-peer DATABASE full|normal";
    let database = arguments.next().ok_or(usage)?;
    let synchronous = match arguments.next().ok_or(usage)?.as_str() {
        "full" => SqliteSynchronous::Full,
        "normal" => SqliteSynchronous::Normal,
        _ => return Err(usage.into()),
    };
    let options = SqliteConnectOptions::new()
        .filename(database)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(BUSY_MAX);
    let pool = SqlitePool::connect_with(options).await?;
    sqlx::raw_sql(TABLES).execute(&pool).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    std::thread::spawn(|| {
        // An error says the same as an end.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(0);
    });
    let app = Router::new()
        .route("/edge/message", post(receive))
        .with_state(pool);
    axum::serve(listener, app).await?;
    Ok(())
}

async fn receive(
    State(pool): State<SqlitePool>,
    Json(message): Json<Message>,
) -> Result<Json<Answer>, (StatusCode, String)> {
    let failed = |error: sqlx::Error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string());
    keep(&pool, &message).await.map_err(failed)?;
    Ok(Json(Answer {
        should_respond: true,
        reply_bubbles: [REPLY],
        reply_text: REPLY,
        schedule_message: None,
        access: None,
    }))
}

async fn keep(pool: &SqlitePool, message: &Message) -> sqlx::Result<()> {
    // A transaction that reads first and writes later may fail as another one is at it.
    let mut tx = pool.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query("INSERT INTO messages (chat_guid, sender, text, timestamp) VALUES (?, ?, ?, ?)")
        .bind(&message.chat_guid)
        .bind(&message.sender)
        .bind(&message.text)
        .bind(message.timestamp)
        .execute(&mut *tx)
        .await?;
    sqlx::query(
        "INSERT INTO daily_counts VALUES (?, ?, 1)
         ON CONFLICT DO UPDATE SET messages = messages + 1",
    )
    .bind(&message.sender)
    .bind(message.timestamp / 86_400)
    .execute(&mut *tx)
    .await?;
    tx.commit().await
}
