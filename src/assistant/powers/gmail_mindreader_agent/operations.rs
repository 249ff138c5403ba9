//! What a language model may ask a connected mailbox.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{CallContext, OwnOperation, Result, needed, reads};
use super::MailQuery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: MailOperation,
    /// For from: a name or an address. For about: words that the mail must have.
    words: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum MailOperation {
    Important,
    From,
    About,
}

impl super::super::operations::Arguments for Arguments {
    type Action = MailQuery;

    const DESCRIPTION: &str =
        "Searches the mails of the last 30 days in a connected mailbox. It sends nothing.";

    fn operation(self, _: CallContext) -> Result<OwnOperation<MailQuery>> {
        let words = || needed(self.words.as_deref(), "words");
        reads(match self.operation {
            MailOperation::Important => MailQuery::Important,
            MailOperation::From => MailQuery::From(words()?),
            MailOperation::About => MailQuery::About(words()?),
        })
    }
}
