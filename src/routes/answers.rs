//! Answers that several routes give.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(super) struct Message {
    /// A sentence for people.
    pub message: &'static str,
}

/// The request took effect.
#[derive(Serialize, JsonSchema)]
pub(super) struct Accepted {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
}

/// What was requested is done.
#[derive(Serialize, JsonSchema)]
pub(super) struct Done {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
    /// A sentence for people.
    message: &'static str,
}

impl Accepted {
    pub(super) const OK: Self = Self { status: "ok" };
}

impl Done {
    pub(super) const fn new(message: &'static str) -> Self {
        let status = Accepted::OK.status;
        Self { status, message }
    }
}
