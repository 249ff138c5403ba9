//! Writes one JSON object to a file, member by member, with a bounded buffer.

use std::io;

use serde::Serialize;

use super::folder::ExportDraft;

/// The buffer is written when it exceeds this size.
const BUFFER_BYTES: usize = 256 * 1024;

pub(super) struct JsonFile<'a> {
    draft: &'a mut ExportDraft,
    buffer: Vec<u8>,
}

impl<'a> JsonFile<'a> {
    pub(super) fn new(draft: &'a mut ExportDraft) -> Self {
        let mut buffer = Vec::with_capacity(BUFFER_BYTES);
        buffer.push(b'{');
        Self { draft, buffer }
    }

    pub(super) async fn end(&mut self) -> io::Result<()> {
        self.buffer.extend_from_slice(b"}\n");
        self.flush().await
    }

    fn key(&mut self, name: &str) {
        if self.buffer.last().is_none_or(|last| *last != b'{') {
            self.buffer.push(b',');
        }
        self.json(name);
        self.buffer.push(b':');
    }

    pub(super) fn value<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) {
        self.key(name);
        self.json(value);
    }

    pub(super) fn open_array(&mut self, name: &str) {
        self.key(name);
        self.buffer.push(b'[');
    }

    /// Every item is on its own line.
    pub(super) fn item<T: Serialize>(&mut self, item: &T) {
        self.buffer.push(b'\n');
        self.json(item);
        self.buffer.push(b',');
    }

    pub(super) fn close_array(&mut self) {
        if self.buffer.last() == Some(&b',') {
            self.buffer.pop();
        }
        self.buffer.push(b']');
    }

    fn json<T: Serialize + ?Sized>(&mut self, value: &T) {
        // Rows and strings can always be serialized.
        if let Err(error) = serde_json::to_writer(&mut self.buffer, value) {
            log::error!("a part of an export can't be written as JSON: {error}");
        }
    }

    /// Keeps the last byte in the buffer, because it decides what may follow.
    pub(super) async fn flush_if_full(&mut self) -> io::Result<()> {
        if self.buffer.len() < BUFFER_BYTES {
            return Ok(());
        }
        let last = self.buffer.pop();
        self.flush().await?;
        self.buffer.extend(last);
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        let next = Vec::with_capacity(BUFFER_BYTES);
        let full = std::mem::replace(&mut self.buffer, next);
        self.draft.write(full).await
    }
}
