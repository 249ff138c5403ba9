//! `[admin]`: the operator.

use super::secret::Secret;
use super::section::Section;

pub(super) const ABOUT: &str = "The operator.";

#[derive(Debug, Clone)]
pub struct Admin {
    /// Always there once development secrets are filled in, and in production.
    pub token: Option<Secret>,
}

pub(super) fn read(s: &mut Section<'_>) -> Admin {
    Admin {
        token: s.secret(
            "token",
            "Bearer token of /admin and /metrics; at least 32 bytes in production. Development makes one.",
        ),
    }
}
