//! What is the operator's to choose of what the assistant says. It decides nothing.

/// The assistant's name, and texts in its voice; `None`: the text that comes with the service.
#[derive(Debug, Clone, Default)]
pub struct Persona {
    pub persona: String,
    /// The day's free messages are used up.
    pub message_limit: Option<String>,
    /// A superpower needs a subscription.
    pub superpower: Option<String>,
    /// A superpower needs a subscription of the group's owner.
    pub group_owner: Option<String>,
}
