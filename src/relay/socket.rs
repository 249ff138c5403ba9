//! One WebSocket connection to the service, from `hello` to its close.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, interval, sleep_until, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{
    Connector, MaybeTlsStream, WebSocketStream, connect_async_tls_with_config,
};

use crate::outbound;

use super::{Network, RelayCore, StopReason};

const CONNECT_MAX: Duration = Duration::from_secs(20);
const WRITE_MAX: Duration = Duration::from_secs(20);
/// The default until `hello` says otherwise.
const SILENCE: Duration = Duration::from_secs(90);
const PING_EVERY: Duration = Duration::from_secs(30);
/// The pause after the service closed the socket because another relay has this name, or this one
/// was too fast.
const STAY_AWAY: Duration = Duration::from_secs(60);

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How a connection ended.
pub(super) enum ConnectionEnd {
    Closed {
        wait: Duration,
        why: String,
        /// Whether the service had sent `hello`.
        was_open: bool,
    },
    /// The service closed it, because it stops or restarts.
    Restarting {
        wait: Duration,
    },
    Stop(StopReason),
}

pub(super) async fn run<N: Network>(
    core: &Arc<RelayCore<N>>,
    reports: &mut UnboundedReceiver<Value>,
) -> ConnectionEnd {
    let socket = match connect(core).await {
        Ok(socket) => socket,
        Err(end) => return end,
    };
    let mut session = SocketSession {
        core,
        socket,
        silence: SILENCE,
        wait: Duration::ZERO,
        was_open: false,
    };
    match session.converse(reports).await {
        Ok(code) => session.closed(code),
        Err(why) => ConnectionEnd::Closed {
            wait: session.wait,
            why,
            was_open: session.was_open,
        },
    }
}

async fn connect<N: Network>(core: &RelayCore<N>) -> Result<Socket, ConnectionEnd> {
    let failed = |why: String| ConnectionEnd::Closed {
        wait: Duration::ZERO,
        why: format!("no WebSocket to {}: {why}", core.service.url),
        was_open: false,
    };
    let credentials = &core.service.credentials;
    let address = core.service.url.replacen("http", "ws", 1);
    let address = format!("{address}/edge/ws?edge_agent_id={}", credentials.agent_id);
    let mut request = address
        .into_client_request()
        .map_err(|e| failed(e.to_string()))?;
    // In a header: the service ignores a token in the URL, and it would be visible there.
    let bearer = HeaderValue::from_str(&format!("Bearer {}", credentials.token));
    let bearer = bearer.map_err(|_| ConnectionEnd::Stop(StopReason(core.service.not_known())))?;
    request.headers_mut().insert("authorization", bearer);
    let authorities = core.service.authorities.as_ref();
    let tls = outbound::tls(authorities).map_err(failed)?;
    let connecting =
        connect_async_tls_with_config(request, None, true, Some(Connector::Rustls(tls)));
    match timeout(CONNECT_MAX, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(tungstenite::Error::Http(answer))) => Err(match answer.status().as_u16() {
            401 => ConnectionEnd::Stop(StopReason(core.service.not_known())),
            429 => ConnectionEnd::Closed {
                wait: STAY_AWAY,
                why: "too many connections; is a second relay running under this name?".to_owned(),
                was_open: false,
            },
            status => failed(format!("answered with {status}")),
        }),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed("it took too long".to_owned())),
    }
}

struct SocketSession<'a, N> {
    core: &'a Arc<RelayCore<N>>,
    socket: Socket,
    silence: Duration,
    /// The pause that `bye` asked for.
    wait: Duration,
    was_open: bool,
}

impl<N: Network> SocketSession<'_, N> {
    /// Runs the connection. Returns the close code; the error says how it broke.
    async fn converse(&mut self, reports: &mut UnboundedReceiver<Value>) -> Result<u16, String> {
        let mut pings = interval(PING_EVERY);
        let mut last_frame_at = Instant::now();
        loop {
            let frame = tokio::select! {
                frame = self.socket.next() => frame,
                Some(report) = reports.recv() => {
                    self.send(&json!({"type": "command_ack", "data": report})).await?;
                    continue;
                }
                _ = pings.tick() => {
                    self.send(&json!({"type": "ping"})).await?;
                    continue;
                }
                () = sleep_until(last_frame_at + self.silence) => {
                    return Err("the service is silent".to_owned());
                }
            };
            last_frame_at = Instant::now();
            let text = match frame {
                Some(Ok(Message::Text(text))) => text,
                Some(Ok(Message::Close(close))) => {
                    return Ok(close.map_or(1005, |close| close.code.into()));
                }
                Some(Ok(_)) => continue, // the library answers pings
                Some(Err(error)) => return Err(error.to_string()),
                None => return Ok(1006),
            };
            let frame: Value = serde_json::from_str(&text).unwrap_or_default();
            if let Some(every) = self.handle(&frame).await? {
                pings = interval(every);
            }
        }
    }

    /// Handles a frame. Returns the ping interval if `hello` sets one.
    async fn handle(&mut self, frame: &Value) -> Result<Option<Duration>, String> {
        let data = &frame["data"];
        match frame["type"].as_str() {
            Some("hello") => {
                self.was_open = true;
                let seconds = |name: &str, default| {
                    Duration::from_secs(data[name].as_u64().unwrap_or(default).max(1))
                };
                self.silence = seconds("silence_s", 90);
                let epoch = data["epoch"].as_str().unwrap_or_default();
                let head_seq = data["head_seq"].as_u64().unwrap_or_default();
                let last_seq = self.core.journal.lock().resume(epoch, head_seq);
                let resume = json!({
                    "epoch": epoch, "last_seq": last_seq, "capabilities": ["typing"],
                });
                self.send(&json!({"type": "resume", "data": resume}))
                    .await?;
                self.core.status.set_service(None);
                return Ok(Some(seconds("heartbeat_s", 30)));
            }
            Some("command") => self.core.run(data),
            Some("bye") => {
                let wait = data["retry_after_ms"].as_u64().unwrap_or_default();
                self.wait = Duration::from_millis(wait);
            }
            Some("error") => log::debug!("relay: the service says {}", data["code"]),
            _ => {} // pong, and frames of later versions
        }
        Ok(None)
    }

    async fn send(&mut self, frame: &Value) -> Result<(), String> {
        let sending = self.socket.send(Message::text(frame.to_string()));
        match timeout(WRITE_MAX, sending).await {
            Ok(sent) => sent.map_err(|e| e.to_string()),
            Err(_) => Err("the service does not read".to_owned()),
        }
    }

    fn closed(&self, code: u16) -> ConnectionEnd {
        match code {
            4401 => ConnectionEnd::Stop(StopReason(self.core.service.not_known())),
            4400 | 4409 | 4429 => ConnectionEnd::Closed {
                wait: STAY_AWAY,
                why: format!(
                    "closed with {code}{}",
                    if code == 4409 {
                        "; is a second relay running under this name?"
                    } else {
                        ""
                    }
                ),
                was_open: self.was_open,
            },
            1012 => ConnectionEnd::Restarting { wait: self.wait },
            _ => ConnectionEnd::Closed {
                wait: self.wait,
                why: format!("the service closed the WebSocket ({code})"),
                was_open: self.was_open,
            },
        }
    }
}
