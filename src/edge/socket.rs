//! `GET /edge/ws` after the handshake: what the framing library is set to, and the life of
//! one connection from `hello` to the close.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::fragments::Fragments;
use super::hub::{Hub, Relay};
use super::session::{FRAMES_BURST, FRAMES_PER_SECOND, Session};
use crate::error::{Error, Result};

/// A frame or message of a relay.
const INBOUND_BYTES_MAX: usize = 64 * 1024;
/// Bytes that may wait to be written: a command's frame and what belongs to it.
const WRITE_BUFFER_BYTES_MAX: usize = 1024 * 1024;
const READ_BUFFER_BYTES: usize = 2 * 1024;
const WRITE_BUFFER_BYTES: usize = 1024;

/// Whether this agent may have a socket now: 503 while the service ends, 429 when it comes
/// too often. The agent's name has been authenticated.
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

/// Serves an upgraded socket until it closes.
pub async fn serve<S>(hub: Arc<Hub>, relay: Arc<Relay>, io: S)
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
    let seat = hub.enter(&relay);
    Session::new(seat, ws).run().await;
    hub.keep_seen(&relay).await;
}
