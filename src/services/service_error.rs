//! Why the server of a connected service can't be used.

use crate::error::{Error, ErrorKind};

/// Why a server can't be used, with a sentence for the person that holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceError {
    pub kind: ServiceErrorKind,
    pub sentence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceErrorKind {
    /// The server can't be reached, or does not answer as it should.
    Unreachable,
    /// The server does not accept the credentials.
    Refused,
    /// The server has nothing at the address; that may pass.
    Gone,
}

impl ServiceError {
    pub fn unreachable(sentence: impl Into<String>) -> Self {
        Self {
            kind: ServiceErrorKind::Unreachable,
            sentence: sentence.into(),
        }
    }

    pub fn refused(sentence: impl Into<String>) -> Self {
        Self {
            kind: ServiceErrorKind::Refused,
            sentence: sentence.into(),
        }
    }

    /// The server answered that these credentials are wrong.
    pub(super) fn is_refusal(&self) -> bool {
        self.kind == ServiceErrorKind::Refused
    }

    pub(super) fn gone(sentence: impl Into<String>) -> Self {
        Self {
            kind: ServiceErrorKind::Gone,
            sentence: sentence.into(),
        }
    }
}

impl From<ServiceError> for Error {
    fn from(error: ServiceError) -> Self {
        let code = match error.kind {
            ServiceErrorKind::Unreachable => "service_unreachable",
            ServiceErrorKind::Refused | ServiceErrorKind::Gone => "service_refused",
        };
        Self::new(ErrorKind::Invalid, code, error.sentence)
    }
}
