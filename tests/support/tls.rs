//! A proxy with a certificate of its own before a service.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::CertifiedKey;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Speaks TLS as "localhost". Also the certificate, in PEM form.
pub fn acceptor() -> (TlsAcceptor, String) {
    let CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .unwrap();
    (TlsAcceptor::from(Arc::new(config)), cert.pem())
}

/// Its address, and the certificate in PEM form.
pub async fn proxy(service: SocketAddr) -> (String, String) {
    let (acceptor, certificate) = acceptor();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                // Whoever does not trust the certificate ends here.
                if let Ok(mut outside) = acceptor.accept(stream).await {
                    let mut inside = TcpStream::connect(service).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut outside, &mut inside).await;
                }
            });
        }
    });
    (format!("https://localhost:{port}"), certificate)
}
