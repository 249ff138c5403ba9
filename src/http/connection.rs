//! The TCP socket under a connection. hyper reads and writes it; handlers ask whether the peer is
//! still connected and whether an answer was delivered. These checks consume neither bytes nor
//! wakers of hyper.

use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::net::{IpAddr, Shutdown};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::time::Sleep;

use super::slots::Slot;

/// How long to wait for a reset after the last byte was written: a closed peer answers with one.
const RESET_WAIT: Duration = Duration::from_secs(1);
/// How long writing an answer may take while its delivery is watched.
const DELIVERY_WAIT_MAX: Duration = Duration::from_secs(10);
/// How long a refused peer may keep sending before its socket is closed.
const LINGER_WAIT_MAX: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// The state of the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Open,
    /// The peer has shut down its sending side; it may still read.
    HalfClosed,
    /// The connection is closed or broken.
    Gone,
}

/// Whether an answer was delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    Delivered,
    Lost,
}

/// A handle for asking about a connection's socket. It keeps the descriptor and the slot of
/// `max_connections`, so hold it no longer than needed.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<ConnectionState>,
}

impl Connection {
    pub fn address(&self) -> IpAddr {
        self.shared.address
    }

    /// The peer's state now; never waits. The runtime notices a close later than the kernel, so an
    /// open peer is checked with the kernel too.
    pub fn peer(&self) -> Peer {
        match self.runtime_state() {
            Peer::Open => self.shared.kernel_state(),
            ended => ended,
        }
    }

    /// The peer's state as the runtime knows it.
    fn runtime_state(&self) -> Peer {
        let interest = Interest::READABLE | Interest::WRITABLE | Interest::ERROR;
        let kernel_state = tokio::task::unconstrained(self.shared.stream().ready(interest));
        if self.shared.broken.load(Ordering::Acquire) {
            return Peer::Gone;
        }
        match kernel_state.now_or_never() {
            Some(Ok(result)) => {
                // Both directions are closed after our own shutdown too. Before our shutdown, only
                // a reset closes the writing side.
                let finished = self.shared.finished.load(Ordering::Acquire);
                if result.is_error() || (result.is_write_closed() && !finished) {
                    Peer::Gone
                } else if result.is_read_closed() {
                    Peer::HalfClosed
                } else {
                    Peer::Open
                }
            }
            Some(Err(_)) => Peer::Gone,
            None => Peer::Open,
        }
    }

    /// Runs `lost` when the next answer can't be written; drops `lost` when it was written. Use
    /// this for a peer that is open; for a closing peer `delivery` is more precise.
    pub fn if_not_written(&self, on_lost: impl FnOnce() + Send + 'static) {
        self.shared.on_lost.lock().push(Box::new(on_lost));
        if self.shared.broken.load(Ordering::Acquire) {
            self.shared.report_lost_answer();
        }
    }

    /// Watches the delivery of the next answer. A peer that only shut down its sending side accepts
    /// the bytes; a closed peer answers them with a reset. Call this before returning the answer.
    /// The future may be awaited elsewhere and resolves within 10 s.
    pub fn delivery(&self) -> impl Future<Output = DeliveryOutcome> + Send + 'static + use<> {
        let this = self.clone();
        let written_before = this.shared.written_bytes.load(Ordering::Acquire);
        async move {
            let delivery =
                tokio::time::timeout(DELIVERY_WAIT_MAX, this.watch(written_before)).await;
            delivery.unwrap_or_else(|_| {
                if this.shared.written_bytes.load(Ordering::Acquire) > written_before {
                    DeliveryOutcome::Delivered
                } else {
                    DeliveryOutcome::Lost
                }
            })
        }
    }

    async fn watch(&self, written_before: u64) -> DeliveryOutcome {
        let shared = &self.shared;
        loop {
            let mut progress = std::pin::pin!(shared.progress.notified());
            progress.as_mut().enable();
            let finished = shared.finished.load(Ordering::Acquire);
            let written = shared.written_bytes.load(Ordering::Acquire) > written_before;
            if self.peer() == Peer::Gone || (finished && !written) {
                return DeliveryOutcome::Lost;
            }
            let silence = async {
                if !written {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(RESET_WAIT).await;
            };
            tokio::select! {
                biased;
                _ = shared.stream().ready(Interest::ERROR) => return DeliveryOutcome::Lost,
                () = progress => {}
                () = silence => return DeliveryOutcome::Delivered,
            }
        }
    }

    /// Notes that the peer is still sending bytes that will not be read.
    pub(super) fn mark_unread(&self) {
        self.shared.unread.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unread(&self) -> bool {
        self.shared.unread.load(Ordering::Relaxed)
    }

    /// Reads and drops, within limits, what a refused peer still sends. Closing a socket with
    /// unread bytes resets it, and the peer would lose the answer that explains the refusal.
    pub(super) async fn linger(&self) {
        let drain = async {
            let mut scratch = [0; 4096];
            let mut bytes = 0;
            while bytes < LINGER_BYTES_MAX && self.shared.stream().readable().await.is_ok() {
                match self.shared.stream().try_read(&mut scratch) {
                    Ok(0) => break,
                    Ok(n) => bytes += n,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => {
                        self.shared.mark_broken();
                        break;
                    }
                }
            }
        };
        // A timeout is treated like the end of the input.
        let _ = tokio::time::timeout(LINGER_WAIT_MAX, drain).await;
    }
}

/// Splits an accepted socket into hyper's half and the handle for questions. A write fails when the
/// peer accepts nothing for `write_timeout`.
pub(super) fn split(
    stream: TcpStream,
    address: IpAddr,
    slot: Slot,
    write_timeout: Duration,
) -> (Io, Connection) {
    let (read, write) = stream.into_split();
    let shared = Arc::new(ConnectionState {
        socket: write,
        address,
        written_bytes: AtomicU64::new(0),
        broken: AtomicBool::new(false),
        finished: AtomicBool::new(false),
        unread: AtomicBool::new(false),
        progress: Notify::new(),
        on_lost: Mutex::default(),
        _slot: slot,
    });
    let io = Io {
        read,
        shared: shared.clone(),
        write_timeout,
        stalled: None,
    };
    (io, Connection { shared })
}

type LostHandler = Box<dyn FnOnce() + Send>;

struct ConnectionState {
    socket: OwnedWriteHalf,
    address: IpAddr,
    written_bytes: AtomicU64,
    /// A read or a write failed.
    broken: AtomicBool,
    /// The sending side was shut down.
    finished: AtomicBool,
    unread: AtomicBool,
    progress: Notify,
    /// Callbacks for an answer that can't be written. There are several when requests are
    /// pipelined.
    on_lost: Mutex<Vec<LostHandler>>,
    /// Released after the socket is closed: fields drop in their order.
    _slot: Slot,
}

impl ConnectionState {
    fn stream(&self) -> &TcpStream {
        self.socket.as_ref()
    }

    /// Asks the kernel without taking a byte.
    fn kernel_state(&self) -> Peer {
        let mut byte = [MaybeUninit::uninit()];
        match SockRef::from(self.stream()).peek(&mut byte) {
            Ok(0) => Peer::HalfClosed,
            Ok(_) => Peer::Open,
            Err(error) if is_transient(error.kind()) => Peer::Open,
            Err(_) => {
                self.mark_broken(); // the kernel reports it only once
                Peer::Gone
            }
        }
    }

    fn mark_broken(&self) {
        self.broken.store(true, Ordering::Release);
        self.progress.notify_waiters();
        self.report_lost_answer();
    }

    /// Resets the connection of a peer that accepts nothing, so that the kernel drops its unsent
    /// bytes.
    fn reset(&self) {
        if let Err(error) = SockRef::from(self.stream()).set_linger(Some(Duration::ZERO)) {
            log::debug!("a slow connection can't be reset: {error}");
        }
        self.mark_broken();
    }

    fn report_lost_answer(&self) {
        for callback in self.take_on_lost() {
            callback();
        }
    }

    /// The callbacks are returned, so that none runs or is dropped while the lock is held.
    fn take_on_lost(&self) -> Vec<LostHandler> {
        std::mem::take(&mut *self.on_lost.lock())
    }

    /// Shuts down the sending side. The runtime's own shutdown needs exclusive access to the
    /// socket.
    fn finish(&self) -> io::Result<()> {
        if self.finished.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        self.progress.notify_waiters();
        match SockRef::from(self.stream()).shutdown(Shutdown::Write) {
            Err(error) if error.kind() != io::ErrorKind::NotConnected => Err(error),
            _ => Ok(()),
        }
    }

    fn record_write(&self, outcome: &io::Result<usize>) {
        match outcome {
            Ok(n) => {
                drop(self.take_on_lost());
                self.written_bytes.fetch_add(*n as u64, Ordering::Release);
                self.progress.notify_waiters();
            }
            Err(_) => self.mark_broken(),
        }
    }

    fn poll_write(&self, cx: &mut Context, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream().poll_write_ready(cx))?;
            match self.stream().try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => {
                    self.record_write(&outcome);
                    return Poll::Ready(outcome);
                }
            }
        }
    }
}

/// hyper's view of the socket.
pub(super) struct Io {
    read: OwnedReadHalf,
    shared: Arc<ConnectionState>,
    write_timeout: Duration,
    /// The write timeout; it runs while the peer accepts nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
        buf: &mut ReadBuf,
    ) -> Poll<io::Result<()>> {
        let outcome = ready!(Pin::new(&mut self.read).poll_read(cx, buf));
        if outcome.is_err() {
            self.shared.mark_broken();
        }
        Poll::Ready(outcome)
    }
}

/// Without writes of several buffers: hyper then copies head and body into one, and one `send`
/// costs less than `writev`.
impl AsyncWrite for Io {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(outcome) = self.shared.poll_write(cx, buf) {
            self.stalled = None;
            return Poll::Ready(outcome);
        }
        let timeout = self.write_timeout;
        let wait = || Box::pin(tokio::time::sleep(timeout));
        ready!(self.stalled.get_or_insert_with(wait).as_mut().poll(cx));
        self.shared.reset();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context) -> Poll<io::Result<()>> {
        Poll::Ready(self.shared.finish())
    }
}

impl Drop for Io {
    /// Shuts the socket down at once: a `Connection` handle may outlive this view.
    fn drop(&mut self) {
        self.shared.report_lost_answer();
        if let Err(error) = self.shared.finish() {
            log::debug!("shutting a connection down failed: {error}");
        }
    }
}

/// An error that says nothing about the peer.
fn is_transient(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
