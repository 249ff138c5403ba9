//! A connection that begins in plain text and goes on with TLS (RFC 6120 section 5), with the
//! authorities that the configuration names. Nothing but the request for TLS is sent before.

use std::io;
use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use sasl::common::ChannelBinding;
use tokio::io::BufStream;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_xmpp::Error;
use tokio_xmpp::connect::{DnsConfig, ServerConnector};
use tokio_xmpp::error::ProtocolError;
use tokio_xmpp::jid::Jid;
use tokio_xmpp::parsers::starttls::{Nonza, Request};
use tokio_xmpp::xmlstream::{
    PendingFeaturesRecv, StreamHeader, Timeouts, XmppStream, XmppStreamElement, initiate_stream,
};

/// RFC 9266.
const BINDING_LABEL: &[u8] = b"EXPORTER-Channel-Binding";
const BINDING_BYTES: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct StartTls {
    pub(super) dns: DnsConfig,
    pub(super) tls: Arc<ClientConfig>,
}

impl ServerConnector for StartTls {
    type Stream = BufStream<TlsStream<TcpStream>>;

    async fn connect(
        &self,
        jid: &Jid,
        ns: &'static str,
        timeouts: Timeouts,
    ) -> Result<(PendingFeaturesRecv<Self::Stream>, ChannelBinding), Error> {
        let domain = jid.domain().as_str().to_owned();
        let header = || StreamHeader {
            to: Some(domain.clone().into()),
            from: None,
            id: None,
        };
        let tcp = BufStream::new(self.dns.resolve().await?);
        let stream = initiate_stream(tcp, ns, header(), timeouts).await?;
        let (features, stream) = stream.recv_features().await?;
        if !features.can_starttls() {
            return Err(Error::Protocol(ProtocolError::NoTls));
        }
        let tcp = proceed(stream).await?;
        let name = ServerName::try_from(domain.clone()).map_err(io::Error::other)?;
        let stream = TlsConnector::from(self.tls.clone())
            .connect(name, tcp)
            .await?;
        let binding = binding(&stream);
        let stream = initiate_stream(BufStream::new(stream), ns, header(), timeouts).await?;
        Ok((stream, binding))
    }
}

/// Asks for TLS. Plain text that follows the server's consent is dropped.
async fn proceed(mut stream: XmppStream<BufStream<TcpStream>>) -> Result<TcpStream, Error> {
    let request = XmppStreamElement::Starttls(Nonza::Request(Request));
    stream.send(&request).await?;
    match stream.next().await {
        Some(Ok(element)) => match element.into_read_error() {
            Ok(XmppStreamElement::Starttls(Nonza::Proceed(_))) => {
                Ok(stream.into_inner().into_inner())
            }
            _ => Err(Error::Protocol(ProtocolError::NoTls)),
        },
        _ => Err(Error::Disconnected),
    }
}

/// The data that binds the login to this connection (RFC 9266); TLS 1.3 only.
fn binding(stream: &TlsStream<TcpStream>) -> ChannelBinding {
    let (_, connection) = stream.get_ref();
    if connection.protocol_version() != Some(rustls::ProtocolVersion::TLSv1_3) {
        return ChannelBinding::None;
    }
    let exported = connection.export_keying_material(vec![0; BINDING_BYTES], BINDING_LABEL, None);
    exported.map_or(ChannelBinding::None, ChannelBinding::TlsExporter)
}
