//! `[reply]`: who writes the assistant's answers.

use std::ops::RangeInclusive;

use super::report::Report;
use super::secret::Secret;
use super::section::{Choice, Section};
use super::{text, url};

pub(super) const ABOUT: &str = "Who writes the assistant's answers.";

const DEADLINE_S: RangeInclusive<u64> = 1..=300;
/// Each takes a thread while it is under way.
const CONCURRENCY: RangeInclusive<u64> = 1..=256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Builtin,
    OpenAi,
}

/// How a server wants to be told the most tokens of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    MaxCompletionTokens,
    MaxTokens,
}

#[derive(Debug, Clone)]
pub struct Reply {
    pub engine: Engine,
    /// Without a trailing slash. With `Engine::OpenAi`, this and `model` are there.
    pub base_url: Option<String>,
    pub api_key: Option<Secret>,
    pub model: Option<String>,
    pub vision_model: Option<String>,
    pub max_tokens_field: MaxTokensField,
    pub tools: Tools,
    pub deadline_s: u64,
    pub max_concurrency: u64,
    pub persona_name: String,
    pub system_prompt: Option<String>,
    /// What is said instead of an answer; none: texts that come with the service.
    pub message_limit_text: Option<String>,
    pub superpower_text: Option<String>,
    pub group_owner_text: Option<String>,
}

impl Choice for Engine {
    const VALUES: &'static [(&'static str, Self)] =
        &[("builtin", Self::Builtin), ("openai", Self::OpenAi)];
}

/// Whether a model may do things for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tools {
    Offered,
    None,
}

impl Choice for Tools {
    const VALUES: &'static [(&'static str, Self)] =
        &[("offered", Self::Offered), ("none", Self::None)];
}

impl Choice for MaxTokensField {
    const VALUES: &'static [(&'static str, Self)] = &[
        ("max_completion_tokens", Self::MaxCompletionTokens),
        ("max_tokens", Self::MaxTokens),
    ];
}

const TOOLS: &str = "\"offered\": the model may use superpowers, memories and reminders; \
                     \"none\" suits small models that call them at random.";

pub(super) fn read(s: &mut Section<'_>) -> Reply {
    Reply {
        engine: s.choice(
            "engine",
            Engine::Builtin,
            "\"builtin\" works offline, \"openai\" asks any server that speaks chat completions.",
        ),
        base_url: s.parsed_if_set(
            "base_url",
            "https://api.openai.com/v1",
            "What /chat/completions is appended to.",
            url::base,
        ),
        api_key: s.secret("api_key", "The key of that server, if it wants one."),
        model: s.parsed_if_set("model", "gpt-4o-mini", "The model to ask for.", text::line),
        vision_model: s.parsed_if_set(
            "vision_model",
            "gpt-4o",
            "The model for messages with photos, if it is another one.",
            text::line,
        ),
        max_tokens_field: s.choice(
            "max_tokens_field",
            MaxTokensField::MaxCompletionTokens,
            "The field in which that server is told a reply's length; older ones know the second.",
        ),
        tools: s.choice("tools", Tools::Offered, TOOLS),
        deadline_s: s.number(
            "deadline_s",
            25,
            DEADLINE_S,
            "Seconds until the request is answered without a reply, which then follows.",
        ),
        max_concurrency: s.number(
            "max_concurrency",
            64,
            CONCURRENCY,
            "Replies under way at once.",
        ),
        persona_name: s.parsed(
            "persona_name",
            "Juno".to_owned(),
            "The assistant's name; in a group it answers to it.",
            text::name,
        ),
        system_prompt: words(
            s,
            "system_prompt",
            "Who the assistant is, in your words; otherwise a text that comes with the service.",
        ),
        message_limit_text: words(
            s,
            "message_limit_text",
            "What a free user hears when the day's messages are used up, in the assistant's voice.",
        ),
        superpower_text: words(
            s,
            "superpower_text",
            "What a free user hears who asks for a superpower in a direct chat.",
        ),
        group_owner_text: words(
            s,
            "group_owner_text",
            "What a group hears that asks for a superpower and whose owner is not subscribed.",
        ),
    }
}

/// The operator's own, where there are some.
fn words(s: &mut Section<'_>, name: &str, note: &str) -> Option<String> {
    s.parsed_if_set(name, "", note, text::prompt)
}

pub(super) fn check(reply: &Reply, report: &mut Report) {
    if reply.engine != Engine::OpenAi {
        return;
    }
    let needed = "is needed with reply.engine = \"openai\"";
    if reply.base_url.is_none() {
        report.problem("reply.base_url", needed);
    }
    if reply.model.is_none() {
        report.problem("reply.model", needed);
    }
}
