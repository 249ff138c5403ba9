//! The assistant's name and the texts that the operator may replace (section `[reply]` of the
//! configuration).

/// The name and the replaceable texts; `None` means the built-in text.
#[derive(Debug, Clone, Default)]
pub struct Persona {
    pub name: String,
    /// The day's free messages are used up.
    pub message_limit: Option<String>,
    /// A superpower needs a subscription.
    pub superpower: Option<String>,
    /// A superpower needs a subscription of the group's owner.
    pub group_owner: Option<String>,
    /// Where people reach the service; without a slash at the end.
    pub public_url: String,
}
