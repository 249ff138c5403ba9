//! Answers that several routes give.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Message")]
pub(super) struct MessageAnswer {
    /// A sentence for people.
    pub message: &'static str,
}

/// The request took effect.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Accepted")]
pub(super) struct StatusAnswer {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
}

/// What was requested is done.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Done")]
pub(super) struct StatusAndMessage {
    #[schemars(extend("const" = "ok"))]
    status: &'static str,
    /// A sentence for people.
    message: &'static str,
}

impl StatusAnswer {
    pub(super) const OK: Self = Self { status: "ok" };
}

impl StatusAndMessage {
    pub(super) const fn new(message: &'static str) -> Self {
        let status = StatusAnswer::OK.status;
        Self { status, message }
    }
}
