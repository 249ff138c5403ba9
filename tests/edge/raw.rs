//! A WebSocket by hand: frames exactly as a test wants them.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::support::{PATIENCE, Request, Service, request, token};
use crate::upgrades::upgrading;

pub(crate) const TEXT: u8 = 0x1;
pub(crate) const BINARY: u8 = 0x2;
pub(crate) const CONTINUED: u8 = 0x0;
pub(crate) const CLOSE: u8 = 0x8;
pub(crate) const PING: u8 = 0x9;
pub(crate) const FIN: u8 = 0x80;

pub(crate) struct RawSocket<S = TcpStream> {
    pub(crate) stream: S,
    pub(crate) status: u16,
}

impl RawSocket {
    pub(crate) async fn open(service: &Service, agent: &str) -> Self {
        let path = format!("/edge/ws?edge_agent_id={agent}");
        let request = upgrading(request("GET", &path)).bearer(&token(agent));
        let mut socket = Self::send(service.address, &request).await;
        assert_eq!(socket.status, 101);
        assert!(socket.next_text().await.contains("hello"));
        socket
    }

    pub(crate) async fn send(address: SocketAddr, request: &Request) -> Self {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&request.bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(timeout(PATIENCE, stream.read_u8()).await.unwrap().unwrap());
        }
        let head = String::from_utf8(head).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { stream, status }
    }

    /// The service may have closed already; what it said is read later.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    pub(crate) async fn frame(&mut self, first: u8, payload: &[u8]) {
        self.write(&frame(first, payload)).await;
    }

    /// Writes much while it reads: the service refuses what is still being sent.
    pub(crate) async fn written_ends_with(self, bytes: Vec<u8>, code: u16) {
        let (reading, mut writing) = self.stream.into_split();
        let mut socket = RawSocket {
            stream: reading,
            status: self.status,
        };
        let writing = async {
            let _ = writing.write_all(&bytes).await; // it may be cut off
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = writing => {}
            () = socket.ends_with(code) => {}
        }
    }
}

impl<S: AsyncRead + Unpin> RawSocket<S> {
    /// First byte and payload of the next frame; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        timeout(PATIENCE, async {
            let first = self.stream.read_u8().await.ok()?;
            let length = match self.stream.read_u8().await.ok()? {
                126 => u64::from(self.stream.read_u16().await.ok()?),
                127 => self.stream.read_u64().await.ok()?,
                short => u64::from(short),
            };
            let mut payload = vec![0; length as usize];
            self.stream.read_exact(&mut payload).await.ok()?;
            Some((first, payload))
        })
        .await
        .expect("a frame in time")
    }

    pub(crate) async fn next_text(&mut self) -> String {
        let (first, payload) = self.next().await.expect("a frame");
        assert_eq!(first, FIN | TEXT);
        String::from_utf8(payload).unwrap()
    }

    /// `bye` and the close frame with the same code, whatever comes before.
    pub(crate) async fn ends_with(&mut self, code: u16) {
        let mut byes = Vec::new();
        while let Some((first, payload)) = self.next().await {
            match first {
                0x88 => {
                    assert_eq!(payload[..2], code.to_be_bytes());
                    assert_eq!(byes, [code], "bye comes before the close");
                    return;
                }
                0x81 => {
                    let frame: Value = serde_json::from_slice(&payload).unwrap();
                    if frame["type"] == "bye" {
                        byes.push(frame["data"]["code"].as_u64().unwrap() as u16);
                    }
                }
                _ => {}
            }
        }
        panic!("the socket ended without a close frame; bye: {byes:?}");
    }
}

/// A masked frame.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        long @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((long as u16).to_be_bytes());
        }
        longer => {
            frame.push(0x80 | 127);
            frame.extend((longer as u64).to_be_bytes());
        }
    }
    let mask = [0x12, 0x34, 0x56, 0x78];
    frame.extend(mask);
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(b, m)| b ^ m));
    frame
}
