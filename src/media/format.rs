//! The accepted formats of photos, recognised by their bytes. Pure.

/// Brands (ISO 14496-12) of still HEIC images.
const HEIC_BRANDS: [&[u8]; 4] = [b"heic", b"heix", b"heim", b"heis"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Jpeg,
    Png,
    Webp,
    Heic,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Jpeg, Self::Png, Self::Webp, Self::Heic];

    /// The format of a file with these first bytes; its name and declared type are ignored.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\xff\xd8\xff") {
            return Some(Self::Jpeg);
        }
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Some(Self::Png);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Some(Self::Webp);
        }
        is_heic(bytes).then_some(Self::Heic)
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name in the database and the extension of the file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
            Self::Webp => "webp",
            Self::Heic => "heic",
        }
    }

    /// The media type for language models; `None` when their servers don't accept the format.
    pub const fn model_media_type(self) -> Option<&'static str> {
        match self {
            Self::Jpeg => Some("image/jpeg"),
            Self::Png => Some("image/png"),
            Self::Webp => Some("image/webp"),
            Self::Heic => None,
        }
    }
}

/// Checks the `ftyp` box: size, name, major brand, version, compatible brands.
fn is_heic(bytes: &[u8]) -> bool {
    let size = bytes.first_chunk().map(|size| u32::from_be_bytes(*size));
    let size = size.unwrap_or_default() as usize;
    if bytes.get(4..8) != Some(b"ftyp") || !(16..=1024).contains(&size) {
        return false;
    }
    let Some(brands) = bytes.get(8..size) else {
        return false;
    };
    brands
        .chunks_exact(4)
        .enumerate()
        .any(|(at, brand)| at != 1 && HEIC_BRANDS.contains(&brand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognized_by_their_bytes() {
        let cases: [(&[u8], Option<Format>); 10] = [
            (b"\xff\xd8\xff\xe0rest", Some(Format::Jpeg)),
            (b"\x89PNG\r\n\x1a\nrest", Some(Format::Png)),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(Format::Webp)),
            (b"RIFF\0\0\0\0WAVEfmt ", None),
            (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", Some(Format::Heic)),
            (b"\0\0\0\x18ftypmif1\0\0\0\0mif1heic", Some(Format::Heic)),
            (b"\0\0\0\x18ftypavif\0\0\0\0mif1avif", None),
            (b"\0\0\0\x18ftypmif1heicmif1miaf", None),
            (b"GIF89a", None),
            (b"", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(Format::detect(bytes), format, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn names_and_formats_match() {
        for format in Format::ALL {
            assert_eq!(Format::named(format.name()), Some(format));
        }
        assert_eq!(Format::named("gif"), None);
    }
}
