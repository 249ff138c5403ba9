//! `/marketplace/…`: apps and webhooks as their creators manage them.

pub(super) mod apps;
pub(super) mod webhooks;

use super::Request;

fn param(rq: &Request, name: &str) -> String {
    rq.params.get(name).unwrap_or_default().to_owned()
}
