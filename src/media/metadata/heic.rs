//! Metadata of HEIC files (ISO 14496-12 and 23008-12): items of type `Exif` or `mime` in the `meta`
//! box. Their bytes are overwritten with zeros in place, so that no offset in the file changes.
//! Pure.

use std::ops::Range;

/// Limit of items and extents per file.
const ITEMS_MAX: u64 = 10_000;
/// Boxes outside the picture that may hold metadata of other kinds.
const FOREIGN: [&[u8]; 3] = [b"moov", b"udta", b"uuid"];
const FREE: &[u8] = b"free";
const BROKEN: &str = "it is no complete HEIC";

pub(super) fn blank(mut photo: Vec<u8>) -> Result<Vec<u8>, &'static str> {
    let mut blanks = Vec::new();
    for part in boxes(&photo, 0..photo.len())? {
        if part.is(b"meta") {
            blanks.extend(metadata_of(&photo, &part)?);
        } else if FOREIGN.iter().any(|kind| part.is(kind)) {
            photo[part.kind_at..part.kind_at + 4].copy_from_slice(FREE);
            blanks.push(part.content);
        }
    }
    for range in blanks {
        photo.get_mut(range).ok_or(BROKEN)?.fill(0);
    }
    Ok(photo)
}

struct HeicBox {
    kind: [u8; 4],
    kind_at: usize,
    content: Range<usize>,
}

impl HeicBox {
    fn is(&self, kind: &[u8]) -> bool {
        self.kind == kind
    }
}

/// The boxes within a range, in order.
fn boxes(photo: &[u8], within: Range<usize>) -> Result<Vec<HeicBox>, &'static str> {
    let mut parts = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let mut reader = BoxReader::new(photo, at..within.end);
        let size = reader.number(4)?;
        let kind_at = reader.at;
        let kind = reader.number(4)? as u32;
        let end = match size {
            0 => within.end as u64,
            1 => (at as u64).checked_add(reader.number(8)?).ok_or(BROKEN)?,
            size => at as u64 + size,
        };
        let end = usize::try_from(end).map_err(|_| BROKEN)?;
        if end < reader.at || end > within.end {
            return Err(BROKEN);
        }
        parts.push(HeicBox {
            kind: kind.to_be_bytes(),
            kind_at,
            content: reader.at..end,
        });
        at = end;
    }
    Ok(parts)
}

/// The ranges of the metadata that a `meta` box refers to.
fn metadata_of(photo: &[u8], meta: &HeicBox) -> Result<Vec<Range<usize>>, &'static str> {
    // After version and flags.
    let parts = boxes(photo, meta.content.start + 4..meta.content.end)?;
    let find = |kind: &[u8]| parts.iter().find(|part| part.is(kind));
    let Some(infos) = find(b"iinf") else {
        return Ok(Vec::new());
    };
    let metadata = metadata_items(photo, infos)?;
    if metadata.is_empty() {
        return Ok(Vec::new());
    }
    let locations = find(b"iloc").ok_or(BROKEN)?;
    let data = find(b"idat").map(|part| part.content.clone());
    let mut ranges = Vec::new();
    let mut located = Vec::new();
    each_extent(photo, locations, |item, is_in_data, offset, length| {
        if !metadata.contains(&item) {
            return Ok(());
        }
        located.push(item);
        let base = match (is_in_data, &data) {
            (false, _) => 0,
            (true, Some(data)) => data.start,
            (true, None) => return Err(BROKEN),
        };
        let start = base.checked_add(offset).ok_or(BROKEN)?;
        let end = start.checked_add(length).ok_or(BROKEN)?;
        if length == 0 || end > photo.len() {
            return Err(BROKEN);
        }
        ranges.push(start..end);
        Ok(())
    })?;
    let all_located = metadata.iter().all(|item| located.contains(item));
    all_located.then_some(ranges).ok_or(BROKEN)
}

/// The ids of items with a metadata type.
fn metadata_items(photo: &[u8], infos: &HeicBox) -> Result<Vec<u64>, &'static str> {
    let mut reader = BoxReader::new(photo, infos.content.clone());
    let version = reader.number(4)? >> 24;
    reader.number(if version == 0 { 2 } else { 4 })?; // number of items
    let mut items = Vec::new();
    for info in boxes(photo, reader.at..infos.content.end)? {
        if !info.is(b"infe") {
            continue;
        }
        let mut reader = BoxReader::new(photo, info.content);
        let version = reader.number(4)? >> 24;
        let item = match version {
            2 => reader.number(2)?,
            3 => reader.number(4)?,
            _ => return Err(BROKEN),
        };
        reader.number(2)?; // protection
        let kind = (reader.number(4)? as u32).to_be_bytes();
        if [*b"Exif", *b"mime"].contains(&kind) {
            items.push(item);
        }
    }
    Ok(items)
}

/// Calls with each extent: the item, whether it counts from the box `idat`, offset, length.
fn each_extent(
    photo: &[u8],
    locations: &HeicBox,
    mut call: impl FnMut(u64, bool, usize, usize) -> Result<(), &'static str>,
) -> Result<(), &'static str> {
    let mut reader = BoxReader::new(photo, locations.content.clone());
    let version = reader.number(4)? >> 24;
    let sizes = reader.number(2)?;
    let size = |shift: u32| (sizes >> shift & 0xf) as usize;
    let (offset_size, length_size, base_size) = (size(12), size(8), size(4));
    let index_size = if version == 0 { 0 } else { size(0) };
    let id_size = if version < 2 { 2 } else { 4 };
    let items = reader.number(id_size)?;
    if version > 2 || items > ITEMS_MAX {
        return Err(BROKEN);
    }
    for _ in 0..items {
        let item = reader.number(id_size)?;
        let method = if version == 0 {
            0
        } else {
            reader.number(2)? & 0xf
        };
        reader.number(2)?; // data reference
        let base = reader.number(base_size)?;
        for _ in 0..reader.number(2)? {
            reader.number(index_size)?;
            let offset = base
                .checked_add(reader.number(offset_size)?)
                .ok_or(BROKEN)?;
            let length = reader.number(length_size)?;
            if method > 1 {
                continue; // constructed from other items
            }
            let to_usize = |n: u64| usize::try_from(n).map_err(|_| BROKEN);
            call(item, method == 1, to_usize(offset)?, to_usize(length)?)?;
        }
    }
    Ok(())
}

struct BoxReader<'a> {
    photo: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> BoxReader<'a> {
    fn new(photo: &'a [u8], within: Range<usize>) -> Self {
        Self {
            photo,
            at: within.start,
            end: within.end,
        }
    }

    /// A big-endian number of 0 to 8 bytes.
    fn number(&mut self, bytes: usize) -> Result<u64, &'static str> {
        let end = self.at + bytes;
        if bytes > 8 || end > self.end {
            return Err(BROKEN);
        }
        let value = self.photo.get(self.at..end).ok_or(BROKEN)?;
        self.at = end;
        Ok(value.iter().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }
}
