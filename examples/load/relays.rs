//! Many relays at once, each a real WebSocket with its own agent id and token, that ack every
//! command at once and note when it came.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use futures_util::{SinkExt, StreamExt, stream};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::service::{EDGE_SECRET, agent_id};
use crate::{Result, message};

const HANDSHAKES_AT_ONCE: usize = 64;
/// When all are disconnected, nobody reads ten thousand reasons.
const SHOWN_ENDS_MAX: u64 = 5;
const PING_EVERY: Duration = Duration::from_secs(30);
/// Sockets, the service's and ours, the database, and some air.
const DESCRIPTORS_BESIDE: u64 = 1000;

/// Connected relays; dropping the fleet disconnects them.
pub(crate) struct Fleet {
    relays: JoinSet<()>,
    connected: Arc<AtomicU64>,
    /// Bounded by the number of commands that a mode causes.
    pub(crate) arrivals: UnboundedReceiver<Arrival>,
}

/// A command's frame, as soon as it was read.
pub(crate) struct Arrival {
    pub(crate) text: String,
    pub(crate) at: SystemTime,
}

/// Enough descriptors for a number of sockets, here and in processes started afterwards.
pub(crate) fn allow_sockets(count: u64) -> Result<()> {
    let wanted = count + DESCRIPTORS_BESIDE;
    let allowed = rlimit::increase_nofile_limit(wanted)?;
    if allowed < wanted {
        return Err(format!("{wanted} descriptors are needed, the hard limit is {allowed}").into());
    }
    Ok(())
}

impl Fleet {
    pub(crate) async fn connect(address: SocketAddr, count: u64) -> Result<Self> {
        let (sender, arrivals) = unbounded_channel();
        let mut fleet = Self {
            relays: JoinSet::new(),
            connected: Arc::new(AtomicU64::new(0)),
            arrivals,
        };
        let handshakes = stream::iter((0..count).map(|number| handshake(address, number)));
        let mut sockets = handshakes.buffer_unordered(HANDSHAKES_AT_ONCE);
        while let Some(socket) = sockets.next().await {
            let (socket, sender, connected) = (socket?, sender.clone(), fleet.connected.clone());
            connected.fetch_add(1, Ordering::Relaxed);
            fleet.relays.spawn(async move {
                let ended = obey(socket, sender).await;
                let before = connected.fetch_sub(1, Ordering::Relaxed);
                if let (Err(error), true) = (ended, before + SHOWN_ENDS_MAX > count) {
                    eprintln!("a relay was disconnected: {error}");
                }
            });
        }
        Ok(fleet)
    }

    pub(crate) fn connected(&self) -> u64 {
        self.connected.load(Ordering::Relaxed)
    }

    /// Waits for that many commands; fewer when the deadline comes first.
    pub(crate) async fn arrivals(&mut self, count: usize, deadline: Instant) -> Vec<Arrival> {
        let mut arrived = Vec::with_capacity(count);
        while arrived.len() < count {
            match tokio::time::timeout_at(deadline, self.arrivals.recv()).await {
                Ok(Some(arrival)) => arrived.push(arrival),
                _ => break,
            }
        }
        arrived
    }
}

async fn handshake(address: SocketAddr, number: u64) -> Result<WebSocketStream<TcpStream>> {
    let agent_id = agent_id(number);
    let token = message::edge_token(EDGE_SECRET, &agent_id)?;
    let url = format!("ws://{address}/edge/ws?edge_agent_id={agent_id}");
    let mut request = url.into_client_request()?;
    request
        .headers_mut()
        .insert("Authorization", format!("Bearer {token}").parse()?);
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default()
        .read_buffer_size(1024)
        .write_buffer_size(512);
    let handshake = client_async_with_config(request, stream, Some(config)).await;
    let (socket, _) = handshake.map_err(|error| format!("handshake of {agent_id}: {error}"))?;
    Ok(socket)
}

async fn obey(
    mut socket: WebSocketStream<TcpStream>,
    arrivals: UnboundedSender<Arrival>,
) -> Result<()> {
    let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    loop {
        let frame = tokio::select! {
            frame = socket.next() => frame.ok_or("the connection was closed")??,
            _ = pings.tick() => {
                socket.send(Message::text(r#"{"type":"ping"}"#)).await?;
                continue;
            }
        };
        let at = SystemTime::now();
        let text = match frame {
            Message::Text(text) => text,
            Message::Close(close) => return Err(format!("closed: {close:?}").into()),
            _ => continue,
        };
        let frame: Value = serde_json::from_str(&text)?;
        match frame["type"].as_str() {
            Some("command") => {
                let command = &frame["data"];
                let ack = json!({"command_id": command["command_id"], "status": "completed"});
                let ack = json!({"type": "command_ack", "data": ack});
                socket.send(Message::text(ack.to_string())).await?;
                let text = command["payload"]["text"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned();
                // Nobody listens any more only when the mode is over.
                let _ = arrivals.send(Arrival { text, at });
            }
            Some("error" | "bye") => return Err(format!("the service says: {frame}").into()),
            _ => {}
        }
    }
}
