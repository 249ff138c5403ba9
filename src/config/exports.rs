//! `[exports]`: files with everything the service knows about a person.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::section::Section;
use super::text;

pub(super) const ABOUT: &str =
    "Files with everything the service knows about a person, made on request.";

const LIFETIME_DAYS: RangeInclusive<u64> = 1..=365;

#[derive(Debug, Clone)]
pub struct Exports {
    /// Relative paths start at the working directory.
    pub dir: PathBuf,
    pub lifetime_days: u64,
}

pub(super) fn read(s: &mut Section<'_>) -> Exports {
    Exports {
        dir: PathBuf::from(s.parsed(
            "dir",
            "data/exports".to_owned(),
            "The directory they are kept in.",
            text::line,
        )),
        lifetime_days: s.number(
            "lifetime_days",
            7,
            LIFETIME_DAYS,
            "Days until an export expires.",
        ),
    }
}
