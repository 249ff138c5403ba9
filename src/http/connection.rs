//! The socket under a connection, shared between hyper, which reads and writes it, and
//! whoever must know later whether the other end is still there. Looking never takes a
//! byte from hyper nor a waker. It must not know what is said on the socket.

use std::future::Future;
use std::io::{self, IoSlice};
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

/// How long a silent peer may still answer the last written byte with a reset.
const RESET_WAIT: Duration = Duration::from_secs(1);
/// How long an answer may take to be written while its fate is watched.
const SETTLE_WAIT_MAX: Duration = Duration::from_secs(10);
/// What a refused peer may still send before its socket is closed under it.
const LINGER_WAIT_MAX: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: usize = 1024 * 1024;

/// What is known of the other end right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peer {
    Open,
    /// It has said that it sends nothing more; it may still read.
    HalfClosed,
    /// It can't be reached any more.
    Gone,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerDelivery {
    Delivered,
    Lost,
}

/// A look at the socket of a connection. It keeps the descriptor and its place among
/// `max_connections`, so hold it no longer than needed.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

impl Connection {
    pub fn address(&self) -> IpAddr {
        self.shared.address
    }

    /// What is known of the peer now; never waits. The runtime hears of an end a moment
    /// after the kernel, so a peer that seems open is looked at once more.
    pub fn peer(&self) -> Peer {
        match self.heard() {
            Peer::Open => self.shared.look(),
            ended => ended,
        }
    }

    /// What the runtime has heard of the peer so far.
    fn heard(&self) -> Peer {
        let interest = Interest::READABLE | Interest::WRITABLE | Interest::ERROR;
        let look = tokio::task::unconstrained(self.shared.stream().ready(interest));
        if self.shared.broken.load(Ordering::Acquire) {
            return Peer::Gone;
        }
        match look.now_or_never() {
            Some(Ok(seen)) => {
                // Both directions are closed after our own shutdown too; before it, only a
                // reset closes the writing side.
                let finished = self.shared.finished.load(Ordering::Acquire);
                if seen.is_error() || (seen.is_write_closed() && !finished) {
                    Peer::Gone
                } else if seen.is_read_closed() {
                    Peer::HalfClosed
                } else {
                    Peer::Open
                }
            }
            Some(Err(_)) => Peer::Gone,
            None => Peer::Open,
        }
    }

    /// Runs `lost` when the answer that is about to be handed over can't be written; drops it,
    /// and what it holds, when it was. For a peer that is there: of one that is leaving, `settle` knows more.
    pub fn if_not_written(&self, lost: impl FnOnce() + Send + 'static) {
        self.shared.on_lost.lock().push(Box::new(lost));
        if self.shared.broken.load(Ordering::Acquire) {
            self.shared.lose_answer();
        }
    }

    /// What becomes of the answer that is about to be written: a peer that only shut down
    /// its sending side takes it, a closed one answers the bytes with a reset. Call this
    /// before handing the answer over; the future may be awaited elsewhere, and ends
    /// within 10 s.
    pub fn settle(&self) -> impl Future<Output = AnswerDelivery> + Send + 'static + use<> {
        let this = self.clone();
        let written_before = this.shared.written_bytes.load(Ordering::Acquire);
        async move {
            let watched = tokio::time::timeout(SETTLE_WAIT_MAX, this.watch(written_before)).await;
            watched.unwrap_or_else(|_| {
                if this.shared.written_bytes.load(Ordering::Acquire) > written_before {
                    AnswerDelivery::Delivered
                } else {
                    AnswerDelivery::Lost
                }
            })
        }
    }

    async fn watch(&self, written_before: u64) -> AnswerDelivery {
        let shared = &self.shared;
        loop {
            let mut progress = std::pin::pin!(shared.progress.notified());
            progress.as_mut().enable();
            let finished = shared.finished.load(Ordering::Acquire);
            let written = shared.written_bytes.load(Ordering::Acquire) > written_before;
            if self.peer() == Peer::Gone || (finished && !written) {
                return AnswerDelivery::Lost;
            }
            let silence = async {
                if !written {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(RESET_WAIT).await;
            };
            tokio::select! {
                biased;
                _ = shared.stream().ready(Interest::ERROR) => return AnswerDelivery::Lost,
                () = progress => {}
                () = silence => return AnswerDelivery::Delivered,
            }
        }
    }

    /// The peer is still sending something that nobody will read.
    pub(super) fn mark_unread(&self) {
        self.shared.unread.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_unread(&self) -> bool {
        self.shared.unread.load(Ordering::Relaxed)
    }

    /// Reads and forgets, within bounds, what a refused peer still sends: closing a socket
    /// with unread bytes resets it, and the peer would lose the answer that says why.
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
        // Running out of time is as good as reaching the end.
        let _ = tokio::time::timeout(LINGER_WAIT_MAX, drain).await;
    }
}

/// The two views of an accepted socket: one for hyper, one to look at it. Writing fails when
/// the peer takes nothing for `write_timeout`.
pub(super) fn split(
    stream: TcpStream,
    address: IpAddr,
    slot: Slot,
    write_timeout: Duration,
) -> (Io, Connection) {
    let (read, write) = stream.into_split();
    let shared = Arc::new(Shared {
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

struct Shared {
    socket: OwnedWriteHalf,
    address: IpAddr,
    written_bytes: AtomicU64,
    /// A read or a write failed.
    broken: AtomicBool,
    /// Nothing more will be written.
    finished: AtomicBool,
    unread: AtomicBool,
    progress: Notify,
    /// What is to be done when the answer under way can't be written; several when requests
    /// are pipelined.
    on_lost: Mutex<Vec<LostHandler>>,
    /// Given back after the socket is closed: fields drop in order.
    _slot: Slot,
}

impl Shared {
    fn stream(&self) -> &TcpStream {
        self.socket.as_ref()
    }

    /// Asks the kernel, without taking a byte.
    fn look(&self) -> Peer {
        let mut byte = [MaybeUninit::uninit()];
        match SockRef::from(self.stream()).peek(&mut byte) {
            Ok(0) => Peer::HalfClosed,
            Ok(_) => Peer::Open,
            Err(error) if is_passing(error.kind()) => Peer::Open,
            Err(_) => {
                self.mark_broken(); // the kernel says so only once
                Peer::Gone
            }
        }
    }

    fn mark_broken(&self) {
        self.broken.store(true, Ordering::Release);
        self.progress.notify_waiters();
        self.lose_answer();
    }

    /// Of a peer that takes nothing: what the kernel still holds for it is dropped with the
    /// socket.
    fn give_up(&self) {
        if let Err(error) = SockRef::from(self.stream()).set_linger(Some(Duration::ZERO)) {
            log::debug!("a slow connection keeps what it has not read: {error}");
        }
        self.mark_broken();
    }

    fn lose_answer(&self) {
        for lost in self.take_on_lost() {
            lost();
        }
    }

    /// Nothing is run or dropped while the lock is held.
    fn take_on_lost(&self) -> Vec<LostHandler> {
        std::mem::take(&mut *self.on_lost.lock())
    }

    /// Says to the peer that no more comes; the runtime's own way needs the socket to itself.
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

    fn note_write(&self, outcome: &io::Result<usize>) {
        match outcome {
            Ok(n) => {
                drop(self.take_on_lost());
                self.written_bytes.fetch_add(*n as u64, Ordering::Release);
                self.progress.notify_waiters();
            }
            Err(_) => self.mark_broken(),
        }
    }

    fn poll_write(
        &self,
        cx: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.stream().poll_write_ready(cx))?;
            match write(self.stream()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => {
                    self.note_write(&outcome);
                    return Poll::Ready(outcome);
                }
            }
        }
    }
}

/// The socket as hyper sees it.
pub(super) struct Io {
    read: OwnedReadHalf,
    shared: Arc<Shared>,
    write_timeout: Duration,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Io {
    fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(outcome) = self.shared.poll_write(cx, write) {
            self.stalled = None;
            return Poll::Ready(outcome);
        }
        let wait = || Box::pin(tokio::time::sleep(self.write_timeout));
        ready!(self.stalled.get_or_insert_with(wait).as_mut().poll(cx));
        self.shared.give_up();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Io {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let outcome = ready!(Pin::new(&mut self.read).poll_read(cx, buf));
        if outcome.is_err() {
            self.shared.mark_broken();
        }
        Poll::Ready(outcome)
    }
}

impl AsyncWrite for Io {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Io::poll_write(self.get_mut(), cx, |stream| stream.try_write(buf))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = |stream: &TcpStream| stream.try_write_vectored(bufs);
        Io::poll_write(self.get_mut(), cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.shared.finish())
    }
}

impl Drop for Io {
    /// A `Connection` that is still held must not keep the peer waiting for the end.
    fn drop(&mut self) {
        self.shared.lose_answer();
        if let Err(error) = self.shared.finish() {
            log::debug!("shutting a connection down failed: {error}");
        }
    }
}

/// Says nothing of the peer.
fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
