//! How a command reaches a service: the token, and the certificates to trust. Both are options of
//! `chatkeep chat` and `chatkeep relay`.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use super::Failure;
use crate::config::{LoadedConfig, Source};
use crate::outbound::Authorities;

#[derive(Args)]
pub(super) struct ServiceAccess {
    /// The token for the service; by default one is made with this machine's secret.
    #[arg(long, env = "CHATKEEP_EDGE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Certificates (PEM) to trust for https instead of the web's, for a service with a private
    /// certificate.
    #[arg(
        long,
        value_name = "FILE",
        env = "SSL_CERT_FILE",
        hide_env_values = true
    )]
    ca_file: Option<OsString>,
}

impl ServiceAccess {
    /// An empty variable counts as unset.
    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref().filter(|token| !token.is_empty())
    }

    /// The local configuration, of which a command with a URL and a token needs no secrets.
    pub(super) fn load(&self, source: &Source, url: Option<&str>) -> Result<LoadedConfig, Failure> {
        let loaded = super::load(source)?;
        match (url, self.token()) {
            (Some(_), Some(_)) => Ok(loaded),
            // A generated secret would be of no use to a service elsewhere.
            (Some(url), None) if !loaded.config.has_edge_secret() => Err(format!(
                "there is no token for {url}: make one where that service runs (chatkeep token edge \
                 --agent-id NAME --phone PHONE), and set it as CHATKEEP_EDGE_TOKEN"
            )
            .into()),
            _ => super::with_secrets(loaded),
        }
    }

    /// `None`: the web's authorities.
    pub(super) fn authorities(&self, url: &str) -> Result<Option<Authorities>, String> {
        let file = self.ca_file.as_deref().filter(|file| !file.is_empty());
        match file {
            Some(file) if url.starts_with("https://") => authorities(Path::new(file)).map(Some),
            _ => Ok(None),
        }
    }
}

fn authorities(file: &Path) -> Result<Authorities, String> {
    let name = file.display();
    let pem = std::fs::read(file).map_err(|e| format!("--ca-file: can't read {name}: {e}"))?;
    Authorities::read(&pem).map_err(|reason| format!("--ca-file {name}: {reason}"))
}
