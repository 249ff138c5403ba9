//! Which way up a photo is shown: the one entry of EXIF that is kept. Pure.

/// Before EXIF in a JPEG.
pub(super) const PREFIX: &[u8] = b"Exif\0\0";
const TAG: u32 = 0x0112;
/// The entry's kind: a number of two bytes.
const SHORT: u32 = 3;
const ENTRY_BYTES: usize = 12;
/// As the photo is stored, and the seven other ways.
const ROTATED: std::ops::RangeInclusive<u32> = 2..=8;

/// EXIF that says the same of the orientation and nothing else. `None`: there is nothing to say.
/// `exif` may begin with the prefix.
pub(super) fn only(exif: &[u8]) -> Option<Vec<u8>> {
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
        let found = tiff.get(at..at.checked_add(bytes)?)?;
        let join = |n: u32, byte: &u8| n << 8 | u32::from(*byte);
        Some(match is_little {
            true => found.iter().rev().fold(0, join),
            false => found.iter().fold(0, join),
        })
    };
    let table = number(4, 4)? as usize;
    let entries = number(table, 2)? as usize;
    (0..entries).find_map(|index| {
        let at = table.checked_add(2 + index * ENTRY_BYTES)?;
        let is_it = number(at, 2)? == TAG && number(at + 2, 2)? == SHORT;
        is_it.then(|| number(at + 8, 2)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_orientation_is_left() {
        let little = b"II\x2a\0\x08\0\0\0\x02\0\
            \x0f\x01\x02\0\x04\0\0\0Cam\0\
            \x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0where";
        let left = only(little).unwrap();
        assert_eq!(orientation(&left), Some(6));
        assert_eq!(left.len(), 26);
        assert_eq!(only(&[PREFIX, little].concat()), Some(left.clone()));
        assert_eq!(only(&left), Some(left.clone()));
        let upright = [&left[..19], &[1], &left[20..]].concat();
        let wrong = [&left[..19], &[9], &left[20..]].concat();
        for nothing in [
            &upright[..],
            &wrong[..],
            b"",
            b"MM\0\x2a\xff\xff\xff\xff",
            &left[..18],
        ] {
            assert_eq!(only(nothing), None, "{}", nothing.escape_ascii());
        }
    }
}
