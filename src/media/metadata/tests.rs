//! Photos made up byte by byte, with metadata wherever it may stand.

use super::*;

const SECRET: &[u8] = b"48.8584N 2.2945E";

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn segment(marker: u8, content: &[u8]) -> Vec<u8> {
    let length = (content.len() + 2) as u16;
    [&[0xff, marker], &length.to_be_bytes()[..], content].concat()
}

#[test]
fn a_jpeg_keeps_its_picture_and_colours_only() {
    let picture = b"compressed\xff\x00picture";
    let photo = [
        b"\xff\xd8".to_vec(),
        segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
        segment(0xe1, &[b"Exif\0\0", SECRET].concat()),
        segment(0xe1, &[b"http://ns.adobe.com/xap/1.0/\0", SECRET].concat()),
        segment(0xe2, &[b"ICC_PROFILE\0", &b"colours"[..]].concat()),
        segment(0xe2, &[b"MPF\0", SECRET].concat()),
        segment(0xed, &[b"Photoshop 3.0\0", SECRET].concat()),
        segment(0xfe, SECRET),
        segment(0xdb, b"tables"),
        segment(0xda, b"\x01\x01\0\0\x3f\0"),
        picture.to_vec(),
        // Between two scans.
        segment(0xe1, &[b"Exif\0\0", SECRET].concat()),
        segment(0xda, b"\x01\x01\0\0\x3f\0"),
        b"second\xff\xd0scan".to_vec(),
        b"\xff\xd9".to_vec(),
        // A second picture behind the first, as some cameras append one.
        [b"\xff\xd8", SECRET].concat(),
    ]
    .concat();
    let cleaned = remove(Format::Jpeg, photo).unwrap();
    assert!(!contains(&cleaned, SECRET));
    for expected in [
        &b"JFIF"[..],
        b"colours",
        b"tables",
        picture,
        b"second\xff\xd0scan",
    ] {
        assert!(contains(&cleaned, expected), "{}", expected.escape_ascii());
    }
    assert!(cleaned.ends_with(b"\xff\xd9"));
    let again = remove(Format::Jpeg, cleaned.clone()).unwrap();
    assert_eq!(again, cleaned);
}

fn chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let mut crc = flate2::Crc::new();
    crc.update(kind);
    crc.update(content);
    let length = content.len() as u32;
    [
        &length.to_be_bytes()[..],
        kind,
        content,
        &crc.sum().to_be_bytes(),
    ]
    .concat()
}

#[test]
fn a_png_loses_texts_and_times() {
    let photo = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0; 13]),
        chunk(b"eXIf", SECRET),
        chunk(b"tEXt", SECRET),
        chunk(b"iTXt", SECRET),
        chunk(b"zTXt", SECRET),
        chunk(b"tIME", SECRET),
        chunk(b"IDAT", b"picture"),
        chunk(b"IEND", b""),
        SECRET.to_vec(),
    ]
    .concat();
    let cleaned = remove(Format::Png, photo).unwrap();
    let expected = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0; 13]),
        chunk(b"IDAT", b"picture"),
        chunk(b"IEND", b""),
    ]
    .concat();
    assert_eq!(cleaned, expected);
}

fn riff_chunk(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let length = content.len() as u32;
    let padding = vec![0; content.len() % 2];
    [kind, &length.to_le_bytes(), content, &padding].concat()
}

#[test]
fn a_webp_has_no_metadata_and_no_metadata_flags() {
    let parts = [
        b"WEBP".to_vec(),
        riff_chunk(b"VP8X", &[0x2c, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
        riff_chunk(b"ICCP", b"colour"),
        riff_chunk(b"VP8 ", b"picture"),
        riff_chunk(b"EXIF", SECRET),
        riff_chunk(b"XMP ", SECRET),
    ]
    .concat();
    let cleaned = remove(Format::Webp, riff_chunk(b"RIFF", &parts)).unwrap();
    let expected = [
        b"WEBP".to_vec(),
        riff_chunk(b"VP8X", &[0x20, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
        riff_chunk(b"ICCP", b"colour"),
        riff_chunk(b"VP8 ", b"picture"),
    ]
    .concat();
    assert_eq!(cleaned, riff_chunk(b"RIFF", &expected));
}

fn boxed(kind: &[u8], content: &[u8]) -> Vec<u8> {
    let size = (content.len() + 8) as u32;
    [&size.to_be_bytes()[..], kind, content].concat()
}

fn info(item: u16, kind: &[u8]) -> Vec<u8> {
    boxed(
        b"infe",
        &[b"\x02\0\0\0", &item.to_be_bytes()[..], b"\0\0", kind, b"\0"].concat(),
    )
}

/// A HEIC with a picture and Exif in `mdat`, and XMP in `idat`.
fn heic(exif_at: u32) -> Vec<u8> {
    let infos = [
        b"\0\0\0\0\0\x03".to_vec(),
        info(1, b"hvc1"),
        info(2, b"Exif"),
        info(3, b"mime"),
    ]
    .concat();
    let extent = |item: u16, method: u16, offset: u32, length: u32| {
        let one = 1u16.to_be_bytes();
        [
            &item.to_be_bytes()[..],
            &method.to_be_bytes(),
            b"\0\0",
            &one,
            &offset.to_be_bytes(),
            &length.to_be_bytes(),
        ]
        .concat()
    };
    let secret = SECRET.len() as u32;
    let locations = [
        b"\x01\0\0\0\x44\0\0\x03".to_vec(),
        extent(1, 0, exif_at + secret, 7),
        extent(2, 0, exif_at, secret),
        extent(3, 1, 0, secret),
    ]
    .concat();
    let meta = [
        b"\0\0\0\0".to_vec(),
        boxed(b"hdlr", b"pict"),
        boxed(b"iinf", &infos),
        boxed(b"iloc", &locations),
        boxed(b"idat", SECRET),
    ]
    .concat();
    [
        boxed(b"ftyp", b"heic\0\0\0\0mif1heic"),
        boxed(b"meta", &meta),
        boxed(b"mdat", &[SECRET, b"picture"].concat()),
        boxed(b"uuid", SECRET),
    ]
    .concat()
}

/// A HEIC with the correct offset of Exif.
fn whole_heic() -> Vec<u8> {
    let at = heic(0)
        .windows(4)
        .position(|window| window == b"mdat")
        .unwrap();
    heic(at as u32 + 4)
}

#[test]
fn metadata_of_a_heic_becomes_zeros() {
    let photo = whole_heic();
    assert_eq!(Format::detect(&photo), Some(Format::Heic));
    let cleaned = remove(Format::Heic, photo.clone()).unwrap();
    assert_eq!(cleaned.len(), photo.len());
    assert!(!contains(&cleaned, SECRET));
    assert!(contains(&cleaned, b"picture"));
}

/// A photo that can't be parsed to its end may contain a position, so it is refused.
#[test]
fn broken_photos_are_refused() {
    let photo = whole_heic();
    for bytes in [20, 60, 150, photo.len() - 1] {
        assert!(
            remove(Format::Heic, photo[..bytes].to_vec()).is_err(),
            "{bytes}"
        );
    }
    // Exif that lies beyond the end.
    assert!(remove(Format::Heic, heic(100_000)).is_err());
    let cases: [(Format, &[u8]); 3] = [
        (Format::Jpeg, b"\xff\xd8\xff\xe1\xff"),
        (Format::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x10IHDR"),
        (Format::Webp, b"RIFF\xff\0\0\0WEBPVP8 "),
    ];
    for (format, bytes) in cases {
        assert!(remove(format, bytes.to_vec()).is_err(), "{format:?}");
    }
}

/// No input panics.
#[test]
fn no_changed_byte_breaks_anything() {
    let photo = whole_heic();
    for index in 0..photo.len() {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut changed = photo.clone();
            changed[index] = byte;
            let _ = remove(Format::Heic, changed);
        }
    }
}

/// EXIF with the position and a photo that lies on its side.
fn rotated_exif() -> Vec<u8> {
    let entries = b"\0\x02\x01\x0f\0\x02\0\0\0\x04Cam\0\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
    [b"MM\0\x2a\0\0\0\x08", &entries[..], &[0; 4], SECRET].concat()
}

#[test]
fn a_photo_stays_upright_without_its_position() {
    let upright = orientation::only_orientation(&rotated_exif()).unwrap();
    let jpeg = [
        b"\xff\xd8".to_vec(),
        segment(0xe1, &[b"Exif\0\0", &rotated_exif()[..]].concat()),
        segment(0xda, b"\x01\x01\0\0\x3f\0"),
        b"picture\xff\xd9".to_vec(),
    ]
    .concat();
    let png = [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0; 13]),
        chunk(b"IDAT", b"picture"),
        chunk(b"eXIf", &rotated_exif()),
        chunk(b"IEND", b""),
    ]
    .concat();
    let parts = [
        b"WEBP".to_vec(),
        riff_chunk(b"VP8X", &[0x0c, 0, 0, 0, 1, 0, 0, 1, 0, 0]),
        riff_chunk(b"VP8 ", b"picture"),
        riff_chunk(b"EXIF", &rotated_exif()),
        riff_chunk(b"XMP ", SECRET),
    ]
    .concat();
    let webp = riff_chunk(b"RIFF", &parts);
    for (format, photo) in [
        (Format::Jpeg, jpeg),
        (Format::Png, png),
        (Format::Webp, webp),
    ] {
        let cleaned = remove(format, photo).unwrap();
        assert!(!contains(&cleaned, SECRET), "{format:?}");
        assert!(!contains(&cleaned, b"Cam"), "{format:?}");
        assert!(contains(&cleaned, &upright), "{format:?}");
        assert!(contains(&cleaned, b"picture"), "{format:?}");
        if format == Format::Webp {
            assert_eq!(cleaned[20], 0x08, "it has EXIF, and no XMP");
        }
        assert_eq!(remove(format, cleaned.clone()).unwrap(), cleaned);
    }
}
