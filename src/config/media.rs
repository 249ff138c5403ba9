//! `[media]`: photos that relays upload.

use std::ops::RangeInclusive;

use super::section::Section;

pub(super) const ABOUT: &str = "Photos that relays upload, kept in a folder beside the database.";

const KEEP_DAYS: RangeInclusive<u64> = 1..=365;

#[derive(Debug, Clone)]
pub struct Media {
    pub keep_days: u64,
}

pub(super) fn read(s: &mut Section<'_>) -> Media {
    Media {
        keep_days: s.number(
            "keep_days",
            7,
            KEEP_DAYS,
            "Days until a photo's file is removed.",
        ),
    }
}
