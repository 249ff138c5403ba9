//! A minimal HTTP/1.1 server for the simulator: one request per connection.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const HEAD_BYTES_MAX: usize = 64 * 1024;
const BODY_BYTES_MAX: usize = 1024 * 1024;

/// A request; header names are in lower case.
pub(super) struct HttpRequest {
    pub(super) target: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// `None` for a broken connection or invalid HTTP.
    pub(super) async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if bytes.len() > HEAD_BYTES_MAX || stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut body = bytes.split_off(end + 4);
        let mut lines = head.split("\r\n");
        let target = lines.next()?.split(' ').nth(1)?.to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut request = Self {
            target,
            headers,
            body: Vec::new(),
        };
        if request.header("transfer-encoding").is_some() {
            request.body = read_chunks(stream, body).await?;
            return Some(request);
        }
        let length = request.header("content-length").map_or(Ok(0), str::parse);
        let length = length.ok().filter(|length| *length <= BODY_BYTES_MAX)?;
        while body.len() < length {
            if stream.read_buf(&mut body).await.ok()? == 0 {
                return None;
            }
        }
        request.body = body;
        Some(request)
    }
}

async fn read_chunks(stream: &mut TcpStream, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = bytes.windows(2).position(|window| window == b"\r\n");
        let chunk = line.and_then(|end| {
            let size = std::str::from_utf8(&bytes[..end]).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok()?;
            (bytes.len() >= end + 4 + size).then_some((end + 2, size))
        });
        match chunk {
            Some((_, 0)) => return Some(body),
            Some((start, size)) => {
                body.extend_from_slice(&bytes[start..start + size]);
                bytes.drain(..start + size + 2);
            }
            None if bytes.len() + body.len() > BODY_BYTES_MAX => return None,
            None if stream.read_buf(&mut bytes).await.ok()? == 0 => return None,
            None => {}
        }
    }
}

/// Errors are ignored: the program will notice.
pub(super) async fn answer(stream: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let text = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}
