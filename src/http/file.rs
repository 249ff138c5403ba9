//! An open file as an answer's body, read piece by piece while it is sent, so that a client
//! that takes its time holds one piece in memory and no thread. It must not open files.

use std::fs::File;
use std::io::{self, Read};

use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper::header::CONTENT_LENGTH;

use super::{Bytes, Response, response};

const PIECE_BYTES: u64 = 64 * 1024;

/// 200 with the file's next `bytes`. A file that ends before cuts the connection.
pub fn file(file: File, bytes: u64) -> Response {
    let pieces = stream::try_unfold((file, bytes), next_piece);
    let answer = response::stream(StreamBody::new(pieces));
    response::with_header(answer, CONTENT_LENGTH, &bytes.to_string())
}

type UnreadFile = (File, u64);

async fn next_piece(
    (mut file, left): UnreadFile,
) -> io::Result<Option<(Frame<Bytes>, UnreadFile)>> {
    if left == 0 {
        return Ok(None);
    }
    let reading = tokio::task::spawn_blocking(move || {
        let mut piece = vec![0; left.min(PIECE_BYTES) as usize];
        file.read_exact(&mut piece)?;
        Ok::<_, io::Error>((piece, file))
    });
    let (piece, file) = reading.await.map_err(io::Error::other)??;
    let left = left - piece.len() as u64;
    Ok(Some((Frame::data(piece.into()), (file, left))))
}
