//! Limits WebSocket fragments below the WebSocket library, which joins fragments without a limit: a
//! flood of empty fragments would keep it busy. This layer reads frame headers (RFC 6455 section
//! 5.2) as the bytes pass, and changes nothing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::clock::Clock;
use crate::limits::Bucket;

const HEADER_BYTES_MAX: usize = 14;

/// A socket with a limit of incoming fragments. Beyond the limit, reading fails with an error for
/// which `is_flood` is true.
pub(super) struct Fragments<S> {
    inner: S,
    clock: Clock,
    bucket: Bucket,
    header: [u8; HEADER_BYTES_MAX],
    header_len: usize,
    payload_left: u64,
}

#[derive(Debug)]
struct TooManyFragments;

impl std::fmt::Display for TooManyFragments {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("too many fragments")
    }
}

impl std::error::Error for TooManyFragments {}

/// Whether reading failed because of too many fragments.
pub(super) fn is_flood(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|e| e.is::<TooManyFragments>())
}

impl<S> Fragments<S> {
    pub(super) fn new(inner: S, clock: Clock, burst: u32, per_second: u32) -> Self {
        let bucket = Bucket::new(burst, per_second, clock.monotonic());
        Self {
            inner,
            clock,
            bucket,
            header: [0; HEADER_BYTES_MAX],
            header_len: 0,
            payload_left: 0,
        }
    }

    /// The underlying socket, without the limit.
    pub(super) fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Parses the frame headers in `bytes`; false when there are too many fragments.
    fn count_frames(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            if self.payload_left > 0 {
                let skip = self.payload_left.min(bytes.len() as u64) as usize;
                self.payload_left -= skip as u64;
                bytes = &bytes[skip..];
                continue;
            }
            self.header[self.header_len] = bytes[0];
            self.header_len += 1;
            bytes = &bytes[1..];
            if self.header_len < self.header_needed() {
                continue;
            }
            self.payload_left = self.payload_bytes();
            self.header_len = 0;
            let (last, opcode) = (self.header[0] & 0x80 != 0, self.header[0] & 0x0f);
            let is_fragment = opcode == 0 || !last;
            if is_fragment && !self.bucket.take(self.clock.monotonic()) {
                return false;
            }
        }
        true
    }

    fn header_needed(&self) -> usize {
        if self.header_len < 2 {
            return 2;
        }
        let mask = if self.header[1] & 0x80 != 0 { 4 } else { 0 };
        let length = match self.header[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + length + mask
    }

    fn payload_bytes(&self) -> u64 {
        let extended = |bytes: &[u8]| bytes.iter().fold(0, |n, b| n << 8 | u64::from(*b));
        match self.header[1] & 0x7f {
            126 => extended(&self.header[2..4]),
            127 => extended(&self.header[2..10]),
            short => u64::from(short),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Fragments<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
        buf: &mut ReadBuf,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        std::task::ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        if self.count_frames(&buf.filled()[before..]) {
            Poll::Ready(Ok(()))
        } else {
            Poll::Ready(Err(io::Error::other(TooManyFragments)))
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Fragments<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;

    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        match payload.len() {
            n @ 0..126 => frame.push(0x80 | n as u8),
            n => {
                frame.push(0x80 | 126);
                frame.extend((n as u16).to_be_bytes());
            }
        }
        frame.extend([1, 2, 3, 4]);
        frame.extend(payload);
        frame
    }

    #[test]
    fn only_fragments_count_however_the_bytes_arrive() {
        let clock = Clock::fixed(Timestamp(0));
        for chunk in [1, 3, 4096] {
            let mut fragments = Fragments::new((), clock.clone(), 3, 1);
            let mut stream = Vec::new();
            for _ in 0..50 {
                stream.extend(frame(0x81, b"whole text"));
                stream.extend(frame(0x89, b"ping"));
                stream.extend(frame(0x82, &[0x80; 300]));
            }
            stream.extend(frame(0x01, b"a"));
            stream.extend(frame(0x00, b""));
            stream.extend(frame(0x80, b"b"));
            assert!(
                stream
                    .chunks(chunk)
                    .all(|bytes| fragments.count_frames(bytes)),
                "chunks of {chunk}"
            );
            assert!(!fragments.count_frames(&frame(0x00, b"")));
        }
    }
}
