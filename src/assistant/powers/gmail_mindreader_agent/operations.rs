//! What a language model may ask a connected mailbox.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::operations::{Moment, OwnOperation, Result, needed, reads};
use super::MailQuery;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::assistant::powers) struct Arguments {
    operation: Verb,
    /// For from: a name or an address. For about: words that the mail must have.
    words: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Verb {
    Important,
    From,
    About,
}

impl super::super::operations::Arguments for Arguments {
    type Action = MailQuery;

    const DESCRIPTION: &str =
        "Searches the mails of the last 30 days in a connected mailbox. It sends nothing.";

    fn operation(self, _: Moment) -> Result<OwnOperation<MailQuery>> {
        let words = || needed(self.words.as_deref(), "words");
        reads(match self.operation {
            Verb::Important => MailQuery::Important,
            Verb::From => MailQuery::From(words()?),
            Verb::About => MailQuery::About(words()?),
        })
    }
}
