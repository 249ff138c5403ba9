//! Closing a socket: the close code, `bye`, the close frame, and the time for both to arrive.

use std::time::Duration;

use futures_util::SinkExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error as WsError;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};

use super::{SessionEnd, SocketSession, bye};
use crate::edge::fragments::is_flood;
use crate::edge::hub::Close;
use crate::model::masking::masked;

/// Time for the relay to receive the close frame.
const CLOSE_MAX: Duration = Duration::from_secs(1);
/// Time for a relay that was too slow to be written to. Its socket is already replaced.
const SLOW_CLOSE_MAX: Duration = Duration::from_secs(5);

impl<S: AsyncRead + AsyncWrite + Unpin + Send> SocketSession<S> {
    pub(super) async fn end_connection(&mut self, end: SessionEnd) {
        match end {
            Some(close) => {
                let name = &self.guard.relay.name;
                log::debug!(
                    "agent {}: closing {} {}",
                    masked(name),
                    close.code,
                    close.reason
                );
                let most = match close.code {
                    4430 => SLOW_CLOSE_MAX,
                    _ => CLOSE_MAX,
                };
                let _ = timeout(most, self.close(close)).await;
            }
            // The relay closed first: the library's answer must still be written.
            None => drop(timeout(CLOSE_MAX, self.ws.flush()).await),
        }
    }

    async fn close(&mut self, close: Close) {
        let frame = CloseFrame {
            code: close.code.into(),
            reason: close.reason.into(),
        };
        let was_said = self.draining && close.code == 1012;
        if !was_said {
            let _ = self.ws.send(Message::text(bye(close))).await;
        }
        let _ = self.ws.close(Some(frame)).await;
        // Closing with unread bytes would drop the close frame. So the socket is read until the
        // relay closes it.
        let io = self.ws.get_mut().inner_mut();
        let _ = io.shutdown().await;
        let mut dropped = [0; 512];
        while matches!(io.read(&mut dropped).await, Ok(1..)) {}
    }
}

/// The close code for an error of the WebSocket library, which sends none itself.
pub(super) fn close_for(error: &WsError) -> SessionEnd {
    match error {
        WsError::Io(error) if is_flood(error) => Some(Close::new(4429, "too many fragments")),
        WsError::Capacity(_) => Some(Close::new(1009, "too big")),
        WsError::Utf8(_) => Some(Close::new(1007, "not UTF-8")),
        WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        WsError::Protocol(_) => Some(Close::new(1002, "protocol error")),
        _ => None,
    }
}
