//! An open file as an answer's body. The file is read piece by piece while it is sent, so a slow
//! client costs one piece of memory and no thread.

use std::fs::File;
use std::io::{self, Read};

use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper::header::CONTENT_LENGTH;

use super::{Bytes, Response, response};

const CHUNK_BYTES: u64 = 64 * 1024;

/// 200 with the file's next `bytes` bytes. If the file ends early, the connection is cut.
pub fn file(file: File, bytes: u64) -> Response {
    let chunks = stream::try_unfold((file, bytes), next_chunk);
    let answer = response::stream(StreamBody::new(chunks));
    response::with_header(answer, CONTENT_LENGTH, &bytes.to_string())
}

type UnreadFile = (File, u64);

async fn next_chunk(
    (mut file, bytes_left): UnreadFile,
) -> io::Result<Option<(Frame<Bytes>, UnreadFile)>> {
    if bytes_left == 0 {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut chunk = vec![0; bytes_left.min(CHUNK_BYTES) as usize];
        file.read_exact(&mut chunk)?;
        Ok::<_, io::Error>((chunk, file))
    });
    let (chunk, file) = reading.await.map_err(io::Error::other)??;
    let bytes_left = bytes_left - chunk.len() as u64;
    Ok(Some((Frame::data(chunk.into()), (file, bytes_left))))
}
