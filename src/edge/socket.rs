//! `GET /edge/ws` after the handshake: the settings of the WebSocket library, and the life of one
//! connection.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::fragments::Fragments;
use super::hub::{Hub, Relay};
use super::session::{FRAMES_BURST, FRAMES_PER_SECOND, SocketLimits, SocketSession, WRITE_MAX};
use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// Largest frame or message accepted from a relay.
const INBOUND_BYTES_MAX: usize = 64 * 1024;
/// Bytes that may wait to be written: a command's frame and its overhead.
const WRITE_BUFFER_BYTES_MAX: usize = 1024 * 1024;
/// Allocated for every connected relay; most frames fit.
const READ_BUFFER_BYTES: usize = 512;
const WRITE_BUFFER_BYTES: usize = 1024;

/// Whether this agent may open a socket now: 503 while the service shuts down, 429 when it connects
/// too often. The agent is already authenticated.
pub async fn admit(hub: &Arc<Hub>, agent: &str) -> Result<Arc<Relay>> {
    if !hub.is_running() {
        return Err(Error::unavailable(
            "The service is shutting down; reconnect.",
        ));
    }
    let relay = hub.relay(agent).await?;
    hub.admit(&relay)?;
    Ok(relay)
}

/// Serves an upgraded socket until it closes, at the latest when the relay's token ends.
pub async fn serve<S>(hub: Arc<Hub>, relay: Arc<Relay>, io: S, token_ends_at: Option<Timestamp>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let limits = SocketLimits {
        write: WRITE_MAX,
        token_ends_at,
    };
    serve_within(hub, relay, io, limits).await;
}

/// `serve` with other limits, for tests.
async fn serve_within<S>(hub: Arc<Hub>, relay: Arc<Relay>, io: S, limits: SocketLimits)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let config = WebSocketConfig::default()
        .max_message_size(Some(INBOUND_BYTES_MAX))
        .max_frame_size(Some(INBOUND_BYTES_MAX))
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(WRITE_BUFFER_BYTES_MAX);
    let io = Fragments::new(io, hub.clock.clone(), FRAMES_BURST, FRAMES_PER_SECOND);
    let ws = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let mut session = SocketSession::new(hub.enter(&relay), ws, limits);
    session.run().await;
    drop(session);
    hub.write_last_seen(&relay).await;
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;
    use tokio::io::AsyncReadExt;

    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;
    use crate::edge::tests::world::{open, produce_for, settings};

    /// Uses a pipe of known size: the system's socket buffers would hide when a write blocks.
    #[tokio::test]
    async fn a_relay_that_never_reads_is_closed_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path());
        let clock = Clock::fixed(Timestamp(0));
        let hub = Hub::new(store.clone(), clock, settings(), "epoch".to_owned());
        let relay = hub.relay("a").await.unwrap();
        for chat in ["x", "y", "z"] {
            produce_for(&hub, relay.id, chat, &"long ".repeat(400)).await;
        }
        let (near, mut far) = tokio::io::duplex(2_000);
        let limits = SocketLimits {
            write: Duration::from_millis(100),
            token_ends_at: None,
        };
        let serving = serve_within(hub.clone(), relay.clone(), near, limits);
        let reading = async {
            while hub.connected() == 0 || hub.presence(relay.id).0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(hub.in_flight(), 0, "it is no longer the agent's socket");
            let mut bytes = Vec::new();
            far.read_to_end(&mut bytes).await.unwrap();
            bytes
        };
        let ((), bytes) = tokio::join!(serving, reading);
        let stream = std::io::Cursor::new(bytes);
        let stream = tokio::io::join(stream, tokio::io::sink());
        let mut ws = WebSocketStream::from_raw_socket(stream, Role::Client, None).await;
        let mut last = None;
        while let Some(Ok(message)) = ws.next().await {
            last = Some(message);
        }
        let last = last.expect("frames");
        assert!(
            last.is_close() && last.to_string().contains("too slow"),
            "{last}"
        );
        let unfinished = store.write(move |tx| tx.unfinished_commands(relay.id));
        assert_eq!(unfinished.await.unwrap().len(), 3);
    }
}
