//! Questions about a connected mailbox: what is important, whether somebody wrote, what they
//! wanted. It searches the extracts of the last 30 days and quotes them; it sends nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Mail;
use super::mails;
use super::operations::{self, CallContext, needed};
use super::{PowerContext, RequestStrength, Superpower, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::text::phrases::{Phrases, phrases};

/// Mails that are named.
const NAMED_MAX: usize = 5;
const NAME_WORDS_MAX: usize = 6;

#[derive(Debug, Clone, PartialEq)]
pub enum MailQuery {
    Important,
    /// Whether somebody wrote.
    From(String),
    /// Mails about somebody or something.
    About(String),
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MailQueryState {}

static IMPORTANT: Phrases = Phrases::new(&[
    "anything important in my mail", "anything important in my mails", "important mail",
    "anything important in my email", "anything important in my inbox", "check my mail",
    "check my email", "check my inbox", "any important mail", "any new mail", "do i have mail",
    "do i have new mail", "whats in my inbox", "my mail", "any important emails",
    "anything new in my mail",
]);

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, MailQuery)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    match message.request() {
        request if IMPORTANT.contains(request) => {
            return Some((Clear, MailQuery::Important));
        }
        _ => {}
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "search my mail for", "search my email for", "search my inbox for", "find mails about",
            "find mail about", "mails about", "find the mail about", "find emails about",
        ],
    ) {
        return Some((Clear, MailQuery::About(name(message, from, end)?)));
    }
    if let Some(from) = words.after(
        at,
        phrases![
            "mails from", "mail from", "emails from", "any mail from", "any mails from",
            "show mails from",
        ],
    ) {
        return Some((Clear, MailQuery::From(name(message, from, end)?)));
    }
    wrote(message, at, end).map(|query| (Soft, query))
}

/// A few words without their article.
fn name(message: &ParsedMessage, from: usize, to: usize) -> Option<String> {
    let words = &message.words;
    let from = words.skip_article(from);
    let name = parsers::original(words, from, to);
    (!name.is_empty() && to - from <= NAME_WORDS_MAX).then_some(name)
}

/// "did Ana write?", "what did the landlord want?".
fn wrote(message: &ParsedMessage, at: usize, end: usize) -> Option<MailQuery> {
    let words = &message.words;
    if let Some(from) = words.after(at, phrases!["did", "has"]) {
        let verb = (from..end).find(|n| {
            [
                "write", "written", "reply", "replied", "answer", "answered", "mail", "email",
            ]
            .contains(&words.get(*n))
        })?;
        let rest_is_short = end - verb <= 3;
        return name(message, from, verb)
            .filter(|name| rest_is_short && !is_pronoun(name))
            .map(MailQuery::From);
    }
    let from = words.after(at, phrases!["what did"])?;
    let verb = (from..end).find(|n| matches!(words.get(*n), "want" | "write" | "say"))?;
    let is_somebody = |name: &String| !is_pronoun(name.split(' ').next().unwrap_or_default());
    let about = name(message, from, verb).filter(is_somebody)?;
    (end - verb <= 2).then_some(MailQuery::About(about))
}

impl Superpower for MailQueryState {
    type Action = MailQuery;

    fn apply(&mut self, action: MailQuery, context: &PowerContext) -> Option<String> {
        if !context.facts.has_mailbox {
            return Some(self.overview(context));
        }
        Some(match action {
            MailQuery::Important => self.overview(context),
            MailQuery::From(name) => {
                let found = found(context, |mail| {
                    parsers::mentions(&format!("{} {}", mail.from_name, mail.from_email), &name)
                });
                match found.first() {
                    Some(_) => format!("Yes, {name} wrote:{}", listed(&found, context)),
                    None => format!("I find no mail from {name} in the last 30 days."),
                }
            }
            MailQuery::About(about) => {
                let found = found(context, |mail| {
                    let all = format!(
                        "{} {} {} {}",
                        mail.from_name, mail.from_email, mail.subject, mail.text
                    );
                    parsers::mentions(&all, &about)
                });
                match found.first() {
                    Some(_) => format!("On {about} I find:{}", listed(&found, context)),
                    None => format!("I find no mail on {about} in the last 30 days."),
                }
            }
        })
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_mailbox {
            return mails::not_connected(
                "tell you what is important in it, and what somebody wrote",
            );
        }
        let people = &context.facts.people;
        let important = found(context, |mail| mail.cannot_wait(people).is_some());
        match important.is_empty() {
            true => {
                "I see nothing in your mail of the last 30 days that looks important.".to_owned()
            }
            false => format!("This looks important:{}", listed(&important, context)),
        }
    }
}

/// "did you write?" names nobody whose mail could be found.
fn is_pronoun(name: &str) -> bool {
    let pronouns = [
        "i", "you", "he", "she", "it", "we", "they", "this", "that", "the",
    ];
    pronouns.contains(&name.to_lowercase().as_str())
}

/// Newest first.
fn found<'a>(context: &PowerContext<'a>, matches: impl Fn(&Mail) -> bool) -> Vec<&'a Mail> {
    context
        .facts
        .mails
        .iter()
        .filter(|mail| matches(mail))
        .take(NAMED_MAX)
        .collect()
}

fn listed(found: &[&Mail], context: &PowerContext) -> String {
    let lines = found.iter().map(|mail| match mail.excerpt() {
        text if text.is_empty() => format!("\n• {}", mail.display(context)),
        text => format!("\n• {}\n  “{text}”", mail.display(context)),
    });
    lines.collect()
}

/// The arguments of a language model.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
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

impl operations::Arguments<MailQuery> for Arguments {
    const DESCRIPTION: &str =
        "Searches the mails of the last 30 days in a connected mailbox. It sends nothing.";

    fn action(self, _: CallContext) -> operations::Result<Option<MailQuery>> {
        let words = || needed(self.words.as_deref(), "words");
        Ok(Some(match self.operation {
            MailOperation::Important => MailQuery::Important,
            MailOperation::From => MailQuery::From(words()?),
            MailOperation::About => MailQuery::About(words()?),
        }))
    }
}
