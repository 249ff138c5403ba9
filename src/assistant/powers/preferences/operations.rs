//! What a language model may do with messages that superpowers send by themselves.

use schemars::JsonSchema;
use serde::Deserialize;

use super::NoticeRequest;
use crate::assistant::powers::operations::{Result, needed_minute, read};
use crate::assistant::powers::{Power, WakingHours};

/// The tool's description for models.
pub const NOTICES_DESCRIPTION: &str = "The messages that superpowers send by themselves: stops and resumes them, and sets the hours in which they may come.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoticeArguments {
    operation: NoticesOperation,
    /// For stop and resume: the name of the superpower's tool.
    superpower: Option<String>,
    /// For set_hours: HH:MM.
    from: Option<String>,
    /// For set_hours: HH:MM.
    to: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NoticesOperation {
    /// Those of the superpower that wrote last.
    StopLast,
    Stop,
    Resume,
    SetHours,
    ShowHours,
}

/// The meaning of a call's arguments, which are a model's JSON.
pub fn notice_request(arguments: &str) -> Result<NoticeRequest> {
    let arguments: NoticeArguments = read(arguments)?;
    let superpower = || {
        let name = arguments.superpower.as_deref().unwrap_or_default();
        let power = Power::named(name).filter(|power| power.can_be_muted());
        power.ok_or_else(|| {
            let names = Power::ALL.into_iter().filter(|power| power.can_be_muted());
            let names: Vec<&str> = names.map(Power::name).collect();
            format!("\"superpower\" must be one of {}.", names.join(", "))
        })
    };
    Ok(match arguments.operation {
        NoticesOperation::StopLast => NoticeRequest::StopThese,
        NoticesOperation::Stop => NoticeRequest::Stop(superpower()?),
        NoticesOperation::Resume => NoticeRequest::Resume(superpower()?),
        NoticesOperation::SetHours => NoticeRequest::SetWakingHours(WakingHours {
            from: needed_minute(arguments.from.as_deref(), "from")?,
            to: needed_minute(arguments.to.as_deref(), "to")?,
        }),
        NoticesOperation::ShowHours => NoticeRequest::ShowWakingHours,
    })
}
