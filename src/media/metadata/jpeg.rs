//! Metadata of JPEG files (ITU T.81): application segments and comments before the first scan and
//! between scans, and data after the picture, such as a second picture appended by some cameras.
//! The crate for the other formats keeps everything after the first scan. Pure.

use super::orientation;

const START: u8 = 0xd8;
const END: u8 = 0xd9;
const SCAN: u8 = 0xda;
const COMMENT: u8 = 0xfe;
const APPLICATION_FIRST: u8 = 0xe0;
const APPLICATION_LAST: u8 = 0xef;
/// JFIF, colour profile and Adobe's transform are part of the picture.
const PICTURE_SEGMENTS: [u8; 3] = [0xe0, PROFILE, 0xee];
const PROFILE: u8 = 0xe2;
/// Other segments with the profile's number refer to further pictures.
const PROFILE_PREFIX: &[u8] = b"ICC_PROFILE\0";
const EXIF: u8 = 0xe1;
const BROKEN: &str = "it is no complete JPEG";

pub(super) fn clean(photo: &[u8]) -> Result<Vec<u8>, &'static str> {
    let mut cleaned = Vec::with_capacity(photo.len());
    cleaned.extend([0xff, START]);
    let mut at = 2;
    let mut has_exif = false;
    loop {
        if photo.get(at) != Some(&0xff) {
            return Err(BROKEN);
        }
        let marker = *photo.get(at + 1).ok_or(BROKEN)?;
        match marker {
            0xff => at += 1, // fill bytes
            END => {
                cleaned.extend([0xff, END]);
                return Ok(cleaned);
            }
            // Markers without a length: restarts and TEM.
            0x01 | 0xd0..=0xd7 => at += 2,
            0x00 | START => return Err(BROKEN),
            _ => {
                let length = photo.get(at + 2..at + 4).ok_or(BROKEN)?;
                let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
                let end = at + 2 + length;
                let content = photo.get(at + 4..end).ok_or(BROKEN)?;
                if is_picture(marker, content) {
                    cleaned.extend(&photo[at..end]);
                } else if let Some(exif) =
                    orientation_segment(marker, content).filter(|_| !has_exif)
                {
                    has_exif = true;
                    cleaned.extend(exif);
                }
                at = end;
                if marker == SCAN {
                    let scan = scan_bytes(&photo[at..]);
                    cleaned.extend(&photo[at..at + scan]);
                    at += scan;
                }
            }
        }
    }
}

/// A segment that says which way up the picture is shown.
fn orientation_segment(marker: u8, content: &[u8]) -> Option<Vec<u8>> {
    let is_exif = marker == EXIF && content.starts_with(orientation::PREFIX);
    let exif = is_exif
        .then(|| orientation::only_orientation(content))
        .flatten()?;
    let length = (2 + orientation::PREFIX.len() + exif.len()) as u16;
    let head = [&[0xff, EXIF], &length.to_be_bytes()[..]].concat();
    Some([&head, orientation::PREFIX, &exif].concat())
}

fn is_picture(marker: u8, content: &[u8]) -> bool {
    match marker {
        COMMENT => false,
        PROFILE => content.starts_with(PROFILE_PREFIX),
        APPLICATION_FIRST..=APPLICATION_LAST => PICTURE_SEGMENTS.contains(&marker),
        _ => true,
    }
}

/// The number of compressed bytes until the next marker. Within them 0xff is followed by 0 or by a
/// restart number.
fn scan_bytes(rest: &[u8]) -> usize {
    let ends = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7);
    rest.windows(2).position(ends).unwrap_or(rest.len())
}
