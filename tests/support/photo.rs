//! Photos and the forms that bring them.

use super::{Request, Service, request, token};

/// Where a photo was taken, as its metadata says.
pub const POSITION: &[u8] = b"48.8584N 2.2945E";
const BOUNDARY: &str = "a-line-between";

/// A JPEG with a position in its EXIF and `picture` in its scan.
pub fn jpeg(picture: &str) -> Vec<u8> {
    let segment = |marker: u8, content: &[u8]| {
        let length = (content.len() + 2) as u16;
        [&[0xff, marker], &length.to_be_bytes()[..], content].concat()
    };
    [
        b"\xff\xd8".to_vec(),
        segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
        segment(0xe1, &[b"Exif\0\0", POSITION].concat()),
        segment(0xda, b"\x01\x01\0\0\x3f\0"),
        picture.as_bytes().to_vec(),
        b"\xff\xd9".to_vec(),
    ]
    .concat()
}

/// `POST /photo/upload` by an agent, with these fields of text.
pub fn upload(agent: &str, fields: &[(&str, &str)], file: &[u8]) -> Request {
    let mut body = Vec::new();
    for (name, text) in fields {
        body.extend(
            format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n"
            )
            .bytes(),
        );
    }
    // Neither name nor type is to be believed.
    body.extend(
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.txt\"\r\n\
             Content-Type: text/plain\r\n\r\n"
        )
        .bytes(),
    );
    body.extend(file);
    body.extend(format!("\r\n--{BOUNDARY}--\r\n").bytes());
    let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
    request("POST", "/photo/upload")
        .header("Content-Type", &content_type)
        .bearer(&token(agent))
        .raw(body)
}

/// The fields of a direct chat's photo.
pub fn direct_fields(guid: &str) -> Vec<(&str, &str)> {
    vec![
        ("user_phone", "+15550100"),
        ("chat_guid", "chat;+15550100"),
        ("attachment_guid", guid),
    ]
}

/// The names and contents of the files in the folder of photos.
pub fn stored_files(service: &Service) -> Vec<(String, Vec<u8>)> {
    let folder = service.folder.path().join("chatkeep.db.photos");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}
