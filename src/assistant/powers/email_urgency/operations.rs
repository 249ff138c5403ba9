//! What a language model may ask about urgent mail.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, reads};
use super::UrgencyAction;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {}

impl super::super::operations::Arguments for Arguments {
    type Action = UrgencyAction;

    const DESCRIPTION: &str = "New mail in a connected mailbox that looks as if it could not wait.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<UrgencyAction>> {
        reads(UrgencyAction::Show)
    }
}
