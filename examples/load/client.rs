//! An HTTP/1.1 client that costs next to nothing, because it shares the cores with what it
//! measures: request bytes come ready, of the answer only status and length are read. It knows
//! what hyper answers (lengths, no chunks), not HTTP in general.

use std::io;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Result;

const ANSWER_BYTES_MAX: usize = 1024 * 1024;

pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) body: &'a [u8],
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(4096),
        })
    }

    /// Sends one whole request and reads its whole answer.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let mut head = None;
        loop {
            if self.stream.read_buf(&mut self.buffer).await? == 0 {
                return Err(io::Error::other(
                    "the connection was closed before the answer",
                ));
            }
            if head.is_none() {
                head = read_head(&self.buffer)?;
            }
            if let Some(head) = &head
                && self.buffer.len() >= head.bytes + head.body_bytes
            {
                return Ok(Answer {
                    status: head.status,
                    body: &self.buffer[head.bytes..head.bytes + head.body_bytes],
                });
            }
            if self.buffer.len() > ANSWER_BYTES_MAX {
                return Err(io::Error::other("the answer is too long"));
            }
        }
    }
}

struct Head {
    status: u16,
    bytes: usize,
    body_bytes: usize,
}

fn read_head(buffer: &[u8]) -> io::Result<Option<Head>> {
    let Some(end) = find(buffer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = std::str::from_utf8(&buffer[..end]).map_err(io::Error::other)?;
    let status = text.get(9..12).and_then(|digits| digits.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the answer has no status"))?;
    let length = text.split("\r\n").skip(1).find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    let body_bytes = length.ok_or_else(|| io::Error::other("the answer has no Content-Length"))?;
    Ok(Some(Head {
        status,
        bytes: end + 4,
        body_bytes,
    }))
}

/// Where `needle` starts in `haystack`.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack
        .windows(needle.len())
        .position(|window| window == needle)
}

/// One request on a connection of its own, for everything that isn't measured.
pub(crate) async fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    bearer: &str,
    body: Option<&Value>,
) -> Result<(u16, Value)> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = request(method, path, address, bearer, &body);
    let mut connection = Connection::open(address).await?;
    let answer = connection.exchange(request.as_bytes()).await?;
    Ok((
        answer.status,
        serde_json::from_slice(answer.body).unwrap_or_default(),
    ))
}

/// The bytes of a whole request.
pub(crate) fn request(
    method: &str,
    path: &str,
    address: SocketAddr,
    bearer: &str,
    body: &str,
) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {bearer}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
