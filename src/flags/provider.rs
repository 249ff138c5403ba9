//! The client of a flag provider: which service is called, how an answer differs from a failure,
//! and what it contains. It blocks.

use std::sync::Arc;

use super::launchdarkly::Rules;
use super::ofrep;
use super::provider_values::ProviderValues;
use crate::config::{self, FlagsProvider, Secret};
use crate::outbound::{self, Method, Request, Response};
use crate::setting::Setting;

const LAUNCHDARKLY_BASE: &str = "https://sdk.launchdarkly.com";

/// A configured provider.
pub struct Provider {
    kind: ProviderKind,
    url: String,
    /// The `Authorization` header.
    credential: Setting<Option<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProviderKind {
    LaunchDarkly,
    Ofrep,
}

/// An answer of the provider.
pub enum ProviderAnswer {
    /// Unchanged since the given ETag.
    Unchanged,
    Changed {
        provided: Arc<ProviderValues>,
        etag: Option<String>,
    },
    /// Try again later; this is no failure.
    Later { after_s: Option<u64> },
}

impl Provider {
    /// `None` without a provider or its key.
    pub fn new(config: &config::Flags) -> Option<Self> {
        let key = config.sdk_key.as_ref().map(Secret::expose);
        let base = config.base_url.as_deref();
        Some(match config.provider() {
            FlagsProvider::None => return None,
            FlagsProvider::LaunchDarkly => Self {
                kind: ProviderKind::LaunchDarkly,
                url: format!("{}/sdk/latest-all", base.unwrap_or(LAUNCHDARKLY_BASE)),
                credential: Setting::new(credential(ProviderKind::LaunchDarkly, Some(key?))),
            },
            FlagsProvider::Ofrep => Self {
                kind: ProviderKind::Ofrep,
                url: format!("{}/ofrep/v1/evaluate/flags", base?),
                credential: Setting::new(credential(ProviderKind::Ofrep, key)),
            },
        })
    }

    /// Replaces the key; takes effect immediately.
    pub fn set_key(&self, key: Option<&str>) {
        self.credential.set(credential(self.kind, key));
    }

    /// Polls once, for changes since `etag` or for everything. The error contains neither a
    /// credential nor text of the provider.
    pub fn poll(&self, etag: Option<&str>) -> Result<ProviderAnswer, String> {
        let body = ofrep::request_body();
        let mut headers = vec![("accept", "application/json")];
        let credential = self.credential.get();
        headers.extend(credential.iter().map(|c| ("authorization", c.as_str())));
        headers.extend(etag.map(|etag| ("if-none-match", etag)));
        let (method, body) = match self.kind {
            ProviderKind::LaunchDarkly => (Method::Get, None),
            ProviderKind::Ofrep => (Method::Post, Some(&body)),
        };
        let response = outbound::send(&Request {
            headers: &headers,
            body,
            ..Request::new(method, &self.url)
        });
        self.parse_response(response.map_err(|e| e.to_string())?, etag.is_some())
    }

    fn parse_response(
        &self,
        response: Response,
        conditional: bool,
    ) -> Result<ProviderAnswer, String> {
        match response.status {
            200 => {}
            304 if conditional => return Ok(ProviderAnswer::Unchanged),
            429 => {
                return Ok(ProviderAnswer::Later {
                    after_s: response.retry_after_s,
                });
            }
            401 | 403 => return Err(format!("it refuses the key ({})", response.status)),
            status => return Err(format!("it answered {status}")),
        }
        let provided = match self.kind {
            ProviderKind::LaunchDarkly => ProviderValues::by_rules(Rules::parse(&response.body)?),
            ProviderKind::Ofrep => ProviderValues::values(&ofrep::values(&response.body)?),
        };
        Ok(ProviderAnswer::Changed {
            provided: Arc::new(provided),
            etag: response.etag,
        })
    }
}

fn credential(kind: ProviderKind, key: Option<&str>) -> Option<String> {
    let key = key?;
    Some(match kind {
        ProviderKind::LaunchDarkly => key.to_owned(),
        ProviderKind::Ofrep => format!("Bearer {key}"),
    })
}
