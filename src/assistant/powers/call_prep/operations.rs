//! What a language model may ask about the next call.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, reads};
use super::CallPrepAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {}

impl super::super::operations::Arguments for Arguments {
    type Action = CallPrepAction;

    const DESCRIPTION: &str = "The next call or meeting with others: who takes part, where to dial in, what is remembered of them.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<CallPrepAction>> {
        reads(CallPrepAction::Show)
    }
}
