//! The name of a relay as schemas describe it.

use schemars::JsonSchema;

/// A relay's name.
#[derive(JsonSchema)]
#[schemars(example = &"relay-1", extend("pattern" = "^[A-Za-z0-9._-]{1,64}$"))]
pub struct AgentId(pub String);
