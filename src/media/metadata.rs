//! Removes metadata from photos: time, place, device and author. The picture's bytes stay
//! unchanged; nothing is decoded. Pure.

mod heic;
mod jpeg;

use img_parts::Bytes;
use img_parts::png::Png;
use img_parts::webp::WebP;

use super::format::Format;

/// PNG chunks with text or times.
const PNG_REMOVED: [[u8; 4]; 5] = [*b"eXIf", *b"tEXt", *b"zTXt", *b"iTXt", *b"tIME"];
const WEBP_REMOVED: [[u8; 4]; 2] = [*b"EXIF", *b"XMP "];
/// Flags in the first byte of VP8X: the file has EXIF or XMP.
const WEBP_METADATA_FLAGS: u8 = 0x08 | 0x04;

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
    let mut png = Png::from_bytes(photo).map_err(|_| "it is no whole PNG")?;
    png.chunks_mut()
        .retain(|chunk| !PNG_REMOVED.contains(&chunk.kind()));
    Ok(png.encoder().bytes().to_vec())
}

fn webp(photo: Bytes) -> Result<Vec<u8>, &'static str> {
    let broken = "it is no whole WebP";
    let mut webp = WebP::from_bytes(photo).map_err(|_| broken)?;
    for kind in WEBP_REMOVED {
        webp.remove_chunks_by_id(kind);
    }
    let mut bytes = webp.encoder().bytes().to_vec();
    // The extended header, if present, comes first: 12 bytes of RIFF, 8 of its own.
    if bytes.get(12..16) == Some(b"VP8X") {
        *bytes.get_mut(20).ok_or(broken)? &= !WEBP_METADATA_FLAGS;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
