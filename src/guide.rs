//! The guide, one page per subject. The pages are the Markdown files in this module's folder.

#[doc = include_str!("guide/operating.md")]
pub mod operating {}

#[doc = include_str!("guide/relays.md")]
#[doc = include_str!("guide/relay_rules.md")]
pub mod relays {}

#[doc = include_str!("guide/http.md")]
pub mod http {}

#[doc = include_str!("guide/people.md")]
pub mod people {}

#[doc = include_str!("guide/services.md")]
pub mod services {}

#[doc = include_str!("guide/payments.md")]
pub mod payments {}

#[doc = include_str!("guide/webhooks.md")]
pub mod webhooks {}

#[doc = include_str!("guide/assistant.md")]
pub mod assistant {}

#[doc = include_str!("guide/architecture.md")]
pub mod architecture {}

#[doc = include_str!("guide/testing.md")]
pub mod testing {}
