//! Which way up a photo is shown: the one entry of EXIF that is kept. Pure.

/// The prefix of EXIF data in a JPEG.
pub(super) const PREFIX: &[u8] = b"Exif\0\0";
const TAG: u32 = 0x0112;
/// The entry's kind: a number of two bytes.
const SHORT: u32 = 3;
const ENTRY_BYTES: usize = 12;
/// Orientations that differ from the stored picture.
const ROTATED: std::ops::RangeInclusive<u32> = 2..=8;

/// EXIF data with the orientation only; `None` if the photo isn't rotated. `exif` may begin with
/// the prefix.
pub(super) fn only_orientation(exif: &[u8]) -> Option<Vec<u8>> {
    let tiff = exif.strip_prefix(PREFIX).unwrap_or(exif);
    let orientation = orientation(tiff).filter(|way| ROTATED.contains(way))?;
    let entry = [
        &TAG.to_be_bytes()[2..],
        &SHORT.to_be_bytes()[2..],
        &1u32.to_be_bytes(),
        &[0, orientation as u8, 0, 0],
    ];
    // One table with one entry, and none after it.
    Some([b"MM\0\x2a\0\0\0\x08\0\x01", &entry.concat()[..], &[0; 4]].concat())
}

fn orientation(tiff: &[u8]) -> Option<u32> {
    let is_little = match tiff.get(..4)? {
        b"II\x2a\0" => true,
        b"MM\0\x2a" => false,
        _ => return None,
    };
    let number = |at: usize, bytes: usize| {
        let bytes_at = tiff.get(at..at.checked_add(bytes)?)?;
        let join = |n: u32, byte: &u8| n << 8 | u32::from(*byte);
        Some(match is_little {
            true => bytes_at.iter().rev().fold(0, join),
            false => bytes_at.iter().fold(0, join),
        })
    };
    let table = number(4, 4)? as usize;
    let entries = number(table, 2)? as usize;
    (0..entries).find_map(|index| {
        let at = table.checked_add(2 + index * ENTRY_BYTES)?;
        let is_orientation = number(at, 2)? == TAG && number(at + 2, 2)? == SHORT;
        is_orientation.then(|| number(at + 8, 2)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_orientation_is_kept() {
        let little = b"II\x2a\0\x08\0\0\0\x02\0\
            \x0f\x01\x02\0\x04\0\0\0Cam\0\
            \x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0where";
        let reduced = only_orientation(little).unwrap();
        assert_eq!(orientation(&reduced), Some(6));
        assert_eq!(reduced.len(), 26);
        assert_eq!(
            only_orientation(&[PREFIX, little].concat()),
            Some(reduced.clone())
        );
        assert_eq!(only_orientation(&reduced), Some(reduced.clone()));
        let upright = [&reduced[..19], &[1], &reduced[20..]].concat();
        let invalid = [&reduced[..19], &[9], &reduced[20..]].concat();
        for without_orientation in [
            &upright[..],
            &invalid[..],
            b"",
            b"MM\0\x2a\xff\xff\xff\xff",
            &reduced[..18],
        ] {
            assert_eq!(
                only_orientation(without_orientation),
                None,
                "{}",
                without_orientation.escape_ascii()
            );
        }
    }
}
