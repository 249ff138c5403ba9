//! The stream to a mail server: TLS from the first byte, or after STARTTLS. It ends when it is
//! late, however little a server sends at a time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use super::session::{busy, cut};
use super::{MailServer, MailboxError, Security};
use crate::outbound;

const CONNECT_MAX: Duration = Duration::from_secs(2);
/// The time for each answer, and for each piece that is sent.
const ANSWER_MAX: Duration = Duration::from_secs(10);
/// Bytes of one line before TLS.
const LINE_BYTES_MAX: usize = 4 * 1024;
/// Lines before TLS.
const LINES_MAX: usize = 20;

pub(super) enum Stream<'a> {
    Plain(DeadlineStream<'a>),
    Tls(Box<StreamOwned<ClientConnection, DeadlineStream<'a>>>),
}

/// A stream that fails to read once the session is late.
pub(super) struct DeadlineStream<'a> {
    tcp: TcpStream,
    is_late: &'a dyn Fn() -> bool,
}

/// A stream, and whether the server's greeting was read on it already.
pub(super) fn open<'a>(
    server: &MailServer<'_>,
    is_late: &'a dyn Fn() -> bool,
) -> Result<(Stream<'a>, bool), MailboxError> {
    let tcp = connect(server)?;
    let mut tcp = DeadlineStream { tcp, is_late };
    let is_greeted = server.security == Security::StartTls;
    if is_greeted {
        start_tls(&mut tcp)?;
    }
    let stream = match server.security {
        Security::Plain => Stream::Plain(tcp),
        Security::Tls | Security::StartTls => Stream::Tls(Box::new(secure(server, tcp)?)),
    };
    Ok((stream, is_greeted))
}

fn connect(server: &MailServer) -> Result<TcpStream, MailboxError> {
    let mut addresses = server.addresses.iter();
    let tcp = addresses.find_map(|address| TcpStream::connect_timeout(address, CONNECT_MAX).ok());
    let tcp = tcp.ok_or_else(|| MailboxError::unreachable("The mail server can't be reached."))?;
    let limited = tcp
        .set_read_timeout(Some(ANSWER_MAX))
        .and_then(|()| tcp.set_write_timeout(Some(ANSWER_MAX)));
    limited.map_err(|e| cut(&e))?;
    Ok(tcp)
}

fn secure<'a>(
    server: &MailServer<'_>,
    tcp: DeadlineStream<'a>,
) -> Result<StreamOwned<ClientConnection, DeadlineStream<'a>>, MailboxError> {
    let no_tls =
        |_: String| MailboxError::unreachable("TLS can't be used with the mail server's name.");
    let config = outbound::tls(server.authorities).map_err(no_tls)?;
    let name = ServerName::try_from(server.host.to_owned()).map_err(|e| no_tls(e.to_string()))?;
    let client = ClientConnection::new(config, name).map_err(|e| no_tls(e.to_string()))?;
    let mut stream = StreamOwned::new(client, tcp);
    // The handshake, before anything is said.
    let shaken = stream.conn.complete_io(&mut stream.sock);
    shaken.map_err(|error| {
        let reason = error.get_ref().and_then(|inner| inner.downcast_ref());
        match reason {
            Some(rustls::Error::InvalidMessage(_)) => no_tls_here(),
            Some(_) => MailboxError::unreachable(
                "The mail server has no certificate that can be trusted for its name.",
            ),
            None => cut(&error),
        }
    })?;
    Ok(stream)
}

/// Byte by byte, so that nothing which stands before TLS is taken for what comes after it.
fn start_tls(tcp: &mut DeadlineStream) -> Result<(), MailboxError> {
    let greeting = read_line(tcp)?;
    if !greeting.starts_with("* OK") {
        return Err(busy());
    }
    tcp.write_all(b"tls STARTTLS\r\n").map_err(|e| cut(&e))?;
    for _ in 0..LINES_MAX {
        let line = read_line(tcp)?;
        if line.starts_with("tls OK") {
            return Ok(());
        }
        if line.starts_with("tls ") {
            break;
        }
    }
    Err(no_tls_here())
}

fn no_tls_here() -> MailboxError {
    MailboxError::unreachable("The mail server offers no TLS on this port; try port 993.")
}

fn read_line(tcp: &mut DeadlineStream) -> Result<String, MailboxError> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < LINE_BYTES_MAX {
        if tcp.read(&mut byte).map_err(|e| cut(&e))? == 0 || byte[0] == b'\n' {
            break;
        }
        line.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&line).into_owned())
}

impl Stream<'_> {
    /// How long one read waits.
    pub(super) fn set_patience(&self, patience: Duration) -> Result<(), MailboxError> {
        let timed = match self {
            Self::Plain(timed) => timed,
            Self::Tls(tls) => tls.get_ref(),
        };
        let set = timed.tcp.set_read_timeout(Some(patience));
        set.map_err(|e| cut(&e))
    }
}

impl Read for DeadlineStream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match (self.is_late)() {
            true => Err(std::io::ErrorKind::TimedOut.into()),
            false => self.tcp.read(buffer),
        }
    }
}

impl Write for DeadlineStream<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.tcp.flush()
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Stream<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(bytes),
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            Self::Tls(tls) => tls.flush(),
        }
    }
}
