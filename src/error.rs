//! The service's error type: kind, stable code, a sentence for the user, and a private cause for
//! the log. It must not know HTTP: `http::problem` maps kinds to statuses.

use std::fmt;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, by what the caller can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request is malformed.
    BadRequest,
    /// The caller isn't authenticated.
    Unauthorized,
    /// The caller is authenticated and may not do this.
    Forbidden,
    NotFound,
    MethodNotAllowed,
    /// The body did not arrive in time.
    Timeout,
    /// The resource existed and was removed permanently.
    Gone,
    TooLarge,
    UriTooLong,
    UnsupportedMediaType,
    UpgradeRequired,
    /// Well-formed, but a field is invalid.
    Invalid,
    RateLimited,
    HeadTooLarge,
    /// A failure of the service; the log has the cause.
    Internal,
    /// Temporarily unavailable; try again.
    Unavailable,
}

/// One invalid field.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct FieldError {
    /// A JSON pointer (RFC 6901); empty for the whole body.
    #[schemars(example = &"/timestamp")]
    pub field: String,
    /// A sentence for people.
    pub message: String,
}

/// A caller's use of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// The limit's name, a word in the code.
    pub name: &'static str,
    /// Uses per window.
    pub limit: u64,
    pub window_s: u64,
    /// Uses left now.
    pub left: u64,
    /// Seconds until more are left, at least 1.
    pub more_in_s: u64,
}

#[derive(Debug)]
pub struct Error {
    pub kind: ErrorKind,
    /// A stable code for programs.
    pub code: &'static str,
    /// A sentence for people. Never SQL, paths, input or secrets.
    pub detail: String,
    pub fields: Vec<FieldError>,
    /// Whole seconds until another try may succeed (429, 503).
    pub retry_after_s: Option<u32>,
    /// The limit that the request used or exceeded.
    pub quota: Option<Box<Quota>>,
    /// The allowed methods, comma-separated, for a refused method.
    pub allow: Option<Box<str>>,
    /// The private cause, logged once at the boundary.
    pub cause: Option<Box<str>>,
}

impl Error {
    pub fn new(kind: ErrorKind, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind,
            code,
            detail: detail.into(),
            fields: Vec::new(),
            retry_after_s: None,
            quota: None,
            allow: None,
            cause: None,
        }
    }

    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadRequest, "bad_request", detail)
    }

    /// All failed authentications have the same answer; `cause` has the reason for the log.
    pub fn unauthorized(cause: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::Unauthorized,
            "unauthorized",
            "The credential in the Authorization header is not valid.",
        )
        .because(cause)
    }

    /// 401 for a request without a credential.
    pub fn no_credential() -> Self {
        Self {
            detail: "A bearer token is missing; send it as \"Authorization: Bearer …\".".to_owned(),
            ..Self::unauthorized("no bearer token")
        }
    }

    pub fn not_found() -> Self {
        Self::new(
            ErrorKind::NotFound,
            "not_found",
            "There is nothing at this address.",
        )
    }

    /// There is no user with the id that an operator or a person gave.
    pub fn user_not_found() -> Self {
        Self::new(
            ErrorKind::NotFound,
            "user_not_found",
            "There is no user with this id.",
        )
    }

    pub fn invalid(fields: Vec<FieldError>) -> Self {
        let detail = match fields.as_slice() {
            [error] if error.field.is_empty() => format!("The body is invalid: {}", error.message),
            [error] => format!("{}: {}", error.field, error.message),
            many => format!("{} fields are invalid; see errors.", many.len()),
        };
        Self {
            fields,
            ..Self::new(ErrorKind::Invalid, "validation_failed", detail)
        }
    }

    /// `validation_failed` for one field (a JSON pointer; "" is the whole body).
    pub fn invalid_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError {
            field: field.into(),
            message: message.into(),
        }])
    }

    pub fn rate_limited(quota: Quota) -> Self {
        let seconds = quota.more_in_s;
        let detail = format!("Too many requests; try again in {seconds} s.");
        Self {
            quota: Some(quota.into()),
            ..Self::new(ErrorKind::RateLimited, "rate_limited", detail).retry_after(seconds)
        }
    }

    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, "unavailable", detail).retry_after(1)
    }

    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::Internal,
            "internal_error",
            "Something went wrong on our side; the log has the details under this request id.",
        )
        .because(cause)
    }

    pub fn because(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string().into());
        self
    }

    /// Adds the caller's use of a limit, unless the error has one.
    pub fn within(mut self, quota: Quota) -> Self {
        self.quota.get_or_insert(Box::new(quota));
        self
    }

    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.cause {
            Some(cause) => write!(f, "{} ({cause})", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl std::error::Error for Error {}
