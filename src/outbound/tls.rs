//! TLS: which authorities are trusted, and the settings of clients.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use ureq::tls::{Certificate, RootCerts};

/// Certificates or authorities that are trusted instead of the web's.
#[derive(Debug, Clone)]
pub struct Authorities(Arc<[CertificateDer<'static>]>);

impl Authorities {
    /// Parses certificates in PEM form.
    pub fn read(pem: &[u8]) -> Result<Self, String> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match certificates {
            Ok(certificates) if !certificates.is_empty() => {
                let mut roots = RootCertStore::empty();
                for certificate in &certificates {
                    let added = roots.add(certificate.clone());
                    added.map_err(|e| format!("a certificate can't be used: {e}"))?;
                }
                Ok(Self(certificates.into()))
            }
            _ => Err("it contains no certificate in PEM form".to_owned()),
        }
    }

    pub(super) fn roots(&self) -> RootCerts {
        let certificates = self.0.iter();
        RootCerts::from(certificates.map(|der| Certificate::from_der(der).to_owned()))
    }
}

/// The TLS settings for other clients, such as WebSockets.
pub fn tls(authorities: Option<&Authorities>) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    match authorities {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(Authorities(certificates)) => {
            for certificate in certificates.iter() {
                let added = roots.add(certificate.clone());
                added.map_err(|e| format!("a certificate can't be used: {e}"))?;
            }
        }
    }
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?;
    let config = config.with_root_certificates(roots);
    Ok(Arc::new(config.with_no_client_auth()))
}

pub(super) fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}
