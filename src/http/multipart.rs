//! Bodies of type `multipart/form-data` (RFC 7578), parsed while they arrive: text fields and one
//! file.

use futures_util::Stream;
use hyper::header::CONTENT_TYPE;
use multer::{Constraints, Multipart, SizeLimit};
use serde_json::{Map, Value};

use super::Bytes;
use super::exchange::Exchange;
use super::head::single_header;
use crate::error::{Error, ErrorKind};

const FIELDS_MAX: usize = 64;
const TEXT_BYTES_MAX: u64 = 256 * 1024;

/// A parsed form.
#[derive(Debug, Default)]
pub struct Form {
    /// Text fields by name. A duplicate name is refused.
    pub texts: Map<String, Value>,
    pub file: Option<Vec<u8>>,
}

/// The limits of a form.
#[derive(Debug, Clone, Copy)]
pub struct FormLimits {
    pub body_bytes_max: usize,
    /// The name of the one field that is a file.
    pub file_name: &'static str,
    pub file_bytes_max: usize,
}

impl Exchange {
    /// Reads the whole form. 413 beyond its limits, 415 for another Content-Type, 422 for a
    /// malformed form; other errors as in `read_body`.
    pub async fn read_form(&mut self, limits: FormLimits) -> Result<Form, Error> {
        self.check_length(limits.body_bytes_max)?;
        self.check_encoding()?;
        let boundary = match single_header(&self.headers, CONTENT_TYPE.as_str()) {
            Ok(Some(value)) => multer::parse_boundary(value).ok(),
            _ => None,
        };
        let boundary = boundary.ok_or_else(|| {
            Error::new(
                ErrorKind::UnsupportedMediaType,
                "unsupported_media_type",
                "Send the body as a form, with Content-Type: multipart/form-data.",
            )
        })?;
        let chunks = self.body_chunks(limits.body_bytes_max)?;
        read(chunks, boundary, limits).await
    }
}

async fn read(
    chunks: impl Stream<Item = Result<Bytes, Error>> + Send,
    boundary: String,
    limits: FormLimits,
) -> Result<Form, Error> {
    let sizes = SizeLimit::new()
        .per_field(TEXT_BYTES_MAX)
        .for_field(limits.file_name, limits.file_bytes_max as u64);
    let constraints = Constraints::new().size_limit(sizes);
    let chunks = Box::pin(chunks);
    let mut multipart = Multipart::with_constraints(chunks, boundary, constraints);
    let mut form = Form::default();
    for _ in 0..FIELDS_MAX {
        let Some(mut field) = multipart.next_field().await.map_err(form_error)? else {
            return Ok(form);
        };
        let name = field.name().unwrap_or_default().to_owned();
        let is_file = name == limits.file_name;
        if form.texts.contains_key(&name) || is_file && form.file.is_some() {
            return Err(Error::invalid_field(
                pointer(&name),
                "is a duplicate name; send it once.",
            ));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(form_error)? {
            bytes.extend_from_slice(&chunk);
        }
        if is_file {
            form.file = Some(bytes);
            continue;
        }
        let text = String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains('\0'));
        let Some(text) = text else {
            let message = "must be UTF-8 without the character U+0000.";
            return Err(Error::invalid_field(pointer(&name), message));
        };
        form.texts.insert(name, text.into());
    }
    let message = format!("has more than {FIELDS_MAX} fields.");
    Err(Error::invalid_field("", message))
}

fn pointer(name: &str) -> String {
    format!("/{}", super::json::pointer_step(name))
}

fn form_error(error: multer::Error) -> Error {
    match error {
        multer::Error::StreamReadFailed(cause) => match cause.downcast::<Error>() {
            Ok(error) => *error,
            Err(cause) => Error::bad_request("The body is incomplete.").because(cause),
        },
        multer::Error::FieldSizeExceeded { limit, field_name } => Error::new(
            ErrorKind::TooLarge,
            "payload_too_large",
            format!(
                "The field {} is larger than {limit} bytes.",
                field_name.unwrap_or_default()
            ),
        ),
        other => Error::invalid_field("", "is no well-formed multipart/form-data.").because(other),
    }
}
