//! Removes metadata from photos: time, place, device and author. The orientation is kept. The
//! picture's bytes stay unchanged; nothing is decoded. Pure.

mod heic;
mod jpeg;
mod orientation;

use img_parts::Bytes;
use img_parts::ImageEXIF as _;
use img_parts::png::Png;
use img_parts::riff::{RiffChunk, RiffContent};
use img_parts::webp::WebP;

use super::format::Format;

/// PNG chunks with text or times.
const PNG_REMOVED: [[u8; 4]; 5] = [*b"eXIf", *b"tEXt", *b"zTXt", *b"iTXt", *b"tIME"];
const WEBP_EXIF: [u8; 4] = *b"EXIF";
const WEBP_XMP: [u8; 4] = *b"XMP ";
/// Flags in the first byte of VP8X: the file has EXIF or XMP.
const WEBP_EXIF_FLAG: u8 = 0x08;
const WEBP_XMP_FLAG: u8 = 0x04;

/// The photo without metadata. The error says what is wrong with the file.
pub fn remove(format: Format, photo: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    match format {
        Format::Jpeg => jpeg::clean(&photo),
        Format::Png => png(photo.into()),
        Format::Webp => webp(photo.into()),
        Format::Heic => heic::blank(photo),
    }
}

fn png(photo: Bytes) -> Result<Vec<u8>, &'static str> {
    let mut png = Png::from_bytes(photo).map_err(|_| "it is no complete PNG")?;
    let exif = png
        .exif()
        .and_then(|exif| orientation::only_orientation(&exif));
    png.chunks_mut()
        .retain(|chunk| !PNG_REMOVED.contains(&chunk.kind()));
    png.set_exif(exif.map(Bytes::from));
    Ok(png.encoder().bytes().to_vec())
}

fn webp(photo: Bytes) -> Result<Vec<u8>, &'static str> {
    let broken = "it is no complete WebP";
    let mut webp = WebP::from_bytes(photo).map_err(|_| broken)?;
    let exif = webp
        .exif()
        .and_then(|exif| orientation::only_orientation(&exif));
    webp.remove_chunks_by_id(WEBP_EXIF);
    webp.remove_chunks_by_id(WEBP_XMP);
    let mut removed = WEBP_EXIF_FLAG | WEBP_XMP_FLAG;
    if let Some(exif) = exif {
        let content = RiffContent::Data(exif.into());
        webp.chunks_mut().push(RiffChunk::new(WEBP_EXIF, content));
        removed = WEBP_XMP_FLAG;
    }
    let mut bytes = webp.encoder().bytes().to_vec();
    // The extended header, if present, comes first: 12 bytes of RIFF, 8 of its own.
    if bytes.get(12..16) == Some(b"VP8X") {
        *bytes.get_mut(20).ok_or(broken)? &= !removed;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
