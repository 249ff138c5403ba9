//! An open file as an answer's body. The file is read piece by piece while it is sent, so a slow
//! client costs one piece of memory and no thread. This file must not open files.

use std::fs::File;
use std::io::{self, Read};

use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper::header::CONTENT_LENGTH;

use super::{Bytes, Response, response};

const PIECE_BYTES: u64 = 64 * 1024;

/// 200 with the file's next `bytes` bytes. If the file ends early, the connection is cut.
pub fn file(file: File, bytes: u64) -> Response {
    let pieces = stream::try_unfold((file, bytes), next_piece);
    let answer = response::stream(StreamBody::new(pieces));
    response::with_header(answer, CONTENT_LENGTH, &bytes.to_string())
}

type UnreadFile = (File, u64);

async fn next_piece(
    (mut file, bytes_left): UnreadFile,
) -> io::Result<Option<(Frame<Bytes>, UnreadFile)>> {
    if bytes_left == 0 {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; bytes_left.min(PIECE_BYTES) as usize];
        file.read_exact(&mut piece)?;
        Ok::<_, io::Error>((piece, file))
    });
    let (piece, file) = reading.await.map_err(io::Error::other)??;
    let bytes_left = bytes_left - piece.len() as u64;
    Ok(Some((Frame::data(piece.into()), (file, bytes_left))))
}
