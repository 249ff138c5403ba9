//! What a language model may ask about urgent mail.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, Operation, Result, reads};
use super::UrgencyAction;
use crate::assistant::powers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {}

impl super::super::operations::Arguments for Arguments {
    const DESCRIPTION: &str = "New mail in a connected mailbox that looks as if it could not wait.";

    fn operation(self, _: Moment) -> Result<Operation> {
        reads(powers::Action::EmailUrgency(UrgencyAction::Show))
    }
}
