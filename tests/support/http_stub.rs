//! HTTP servers of the tests: each connection brings one request and gets one answer, or none.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// A request as it came.
pub struct HttpRequest {
    pub method: String,
    /// With its query.
    pub target: String,
    pub bearer: Option<String>,
    /// Names in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// Status, type and content, which is the new address of a redirect.
pub type HttpAnswer = (u16, &'static str, Vec<u8>);

/// Listens until the process ends. `None` breaks the connection off.
pub fn start(
    answer: impl Fn(HttpRequest) -> Option<HttpAnswer> + Clone + Send + 'static,
) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, answer) = (stream.unwrap(), answer.clone());
            std::thread::spawn(move || {
                let request = read(&stream)?;
                write(&mut stream, answer(request)?)
            });
        }
    });
    address
}

pub fn read(stream: &TcpStream) -> Option<HttpRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let (mut bearer, mut length) = (None, 0);
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).ok()? == 0 || header.trim().is_empty() {
            break;
        }
        let (name, value) = header.trim().split_once(": ")?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap(),
            "authorization" => bearer = value.strip_prefix("Bearer ").map(str::to_owned),
            _ => {}
        }
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(HttpRequest {
        method,
        target,
        bearer,
        headers,
        body,
    })
}

fn write(stream: &mut TcpStream, (status, kind, body): HttpAnswer) -> Option<()> {
    let location = match status {
        300..400 => format!("Location: {}\r\n", String::from_utf8_lossy(&body)),
        _ => String::new(),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{location}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}
