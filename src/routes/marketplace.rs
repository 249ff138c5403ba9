//! `/marketplace/…`: apps and webhooks as their creators manage them.

pub(super) mod apps;
pub(super) mod webhooks;
