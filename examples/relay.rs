//! The smallest relay on the core of `chatkeep::relay`: it reads messages from standard input and
//! "sends" what it is told by printing it. Put your network into the two hooks.
//!
//!     export CHATKEEP_EDGE_TOKEN=$(chatkeep token edge --agent-id my-relay --phone +15550111)
//!     CHATKEEP_URL=http://127.0.0.1:8080 cargo run --example relay

use std::io::{self, Write as _};
use std::time::UNIX_EPOCH;

use chatkeep::relay::{self, Credentials, Network, RelaySettings, SendError, StopReason, Uplink};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

struct Terminal;

impl Network for Terminal {
    async fn incoming(&self, uplink: Uplink<Self>) -> StopReason {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        while let Ok(Some(text)) = lines.next_line().await {
            // Better an id that the network gives: it stays the same when the relay restarts.
            let key = uuid::Uuid::new_v4().to_string();
            let now = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
            let message = json!({
                "chat_guid": "terminal:1", "sender": "terminal:1", "mode": "direct",
                "text": text, "timestamp": now,
            });
            uplink.message(&key, &message).await;
        }
        std::future::pending().await // commands keep coming
    }

    async fn send(&self, chat: &str, bubble: &str, _id: &str) -> Result<(), SendError> {
        let mut out = io::stdout().lock();
        let sent = writeln!(out, "[{chat}] {bubble}").and_then(|()| out.flush());
        sent.map_err(|error| SendError::Later {
            wait: None,
            why: error.to_string(),
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), String> {
    let set = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let credentials = Credentials::of_token(set("CHATKEEP_EDGE_TOKEN")?);
    let settings = RelaySettings {
        url: set("CHATKEEP_URL")?,
        credentials: credentials.ok_or("CHATKEEP_EDGE_TOKEN is no edge token")?,
        state: "relay.sent".into(),
        authorities: None,
    };
    Err(relay::run(settings, Terminal, Default::default()).await.0)
}
