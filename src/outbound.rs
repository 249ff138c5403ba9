//! The HTTP client, the only user of ureq: timeouts, a size limit, no redirects, no proxy from the
//! environment. It blocks: callers are commands, or use the blocking pool. It must not know whom it
//! calls.

use std::io::Read as _;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use ureq::tls::{Certificate, RootCerts};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

const CONNECT_MAX: Duration = Duration::from_secs(2);
const CALL_MAX: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a body that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// Certificates or authorities that are trusted instead of the web's.
#[derive(Debug, Clone)]
pub struct Authorities(Arc<[CertificateDer<'static>]>);

impl Authorities {
    /// Parses certificates in PEM form.
    pub fn read(pem: &[u8]) -> Result<Self, String> {
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        match certificates {
            Ok(certificates) if !certificates.is_empty() => Ok(Self(certificates.into())),
            _ => Err("it contains no certificate in PEM form".to_owned()),
        }
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

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

/// A call that sends and receives JSON.
pub struct Call<'a> {
    pub url: &'a str,
    pub bearer: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a Value,
    pub timeout: Duration,
    /// `None` for the web's authorities.
    pub authorities: Option<&'a Authorities>,
}

/// The server's answer, with any status.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// `Null` when the body isn't JSON.
    pub body: Value,
}

/// Why there is no answer.
#[derive(Debug)]
pub struct NoAnswer {
    reason: String,
    /// Whether it timed out.
    pub timed_out: bool,
    /// The host has a private address, and only public ones are allowed.
    pub is_private: bool,
    /// The answer is longer than allowed.
    pub is_too_long: bool,
    /// There was no connection, so nothing was sent. False also where that is not known.
    pub is_unsent: bool,
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<ureq::Error> for NoAnswer {
    fn from(error: ureq::Error) -> Self {
        use ureq::Timeout::{Connect, Resolve};
        let unconnected = matches!(error, ureq::Error::Timeout(Connect | Resolve));
        let is_private =
            matches!(&error, ureq::Error::Other(other) if other.is::<PrivateAddress>());
        let is_refused = match &error {
            ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
            ureq::Error::HostNotFound | ureq::Error::ConnectionFailed => true,
            _ => false,
        };
        Self {
            is_unsent: unconnected || is_private || is_refused,
            is_private,
            timed_out: matches!(error, ureq::Error::Timeout(_)) && !unconnected,
            is_too_long: matches!(error, ureq::Error::BodyExceedsLimit(_)),
            reason: error.to_string(),
        }
    }
}

impl<'a> Call<'a> {
    pub fn new(url: &'a str, bearer: &'a str, body: &'a Value) -> Self {
        Self {
            url,
            bearer,
            headers: &[],
            body,
            timeout: CALL_MAX,
            authorities: None,
        }
    }
}

/// HTTP methods of outgoing calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
    /// Of WebDAV (RFC 4918).
    Propfind,
    /// Of WebDAV (RFC 3253).
    Report,
}

/// A call without defaults: only these headers are sent, the body is optional.
pub struct Request<'a> {
    pub method: Method,
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    /// Sent as JSON.
    pub body: Option<&'a Value>,
    /// Sent instead of JSON: an encoded form.
    pub form: Option<&'a str>,
    /// Sent instead of JSON: a content type and bytes.
    pub raw: Option<(&'a str, &'a [u8])>,
    pub timeout: Duration,
    /// A longer answer is an error.
    pub answer_bytes_max: u64,
    /// `None` for the web's authorities.
    pub authorities: Option<&'a Authorities>,
    /// A host with a private address is refused: the URL is a stranger's.
    pub public_only: bool,
}

impl<'a> Request<'a> {
    pub fn new(method: Method, url: &'a str) -> Self {
        Self {
            method,
            url,
            headers: &[],
            body: None,
            form: None,
            raw: None,
            timeout: CALL_MAX,
            answer_bytes_max: ANSWER_BYTES_MAX,
            authorities: None,
            public_only: false,
        }
    }
}

/// The server's answer with any status, unparsed.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// With its quotation marks.
    pub etag: Option<String>,
    /// `None` also for a date.
    pub retry_after_s: Option<u64>,
    /// Decompressed, at most as long as allowed.
    pub body: Vec<u8>,
    headers: ureq::http::HeaderMap,
}

impl Response {
    /// `None` also when it isn't text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Sends and receives JSON, with a bearer token.
pub fn post(call: &Call<'_>) -> Result<Answer, NoAnswer> {
    let bearer = format!("Bearer {}", call.bearer);
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend_from_slice(call.headers);
    let response = send(&Request {
        headers: &headers,
        body: Some(call.body),
        timeout: call.timeout,
        authorities: call.authorities,
        ..Request::new(Method::Post, call.url)
    })?;
    Ok(Answer {
        status: response.status,
        body: serde_json::from_slice(&response.body).unwrap_or(Value::Null),
    })
}

pub fn send(request: &Request<'_>) -> Result<Response, NoAnswer> {
    send_until(request, &mut |_| false)
}

/// The same, but the body is read only until it is enough: a server may keep its stream of
/// events open. `is_enough` is called with all of the body so far, after each part of it.
pub fn send_until(
    request: &Request<'_>,
    is_enough: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Response, NoAnswer> {
    let agent = agent(request);
    let mut response = match request.method {
        Method::Propfind => run(&agent, "PROPFIND", request),
        Method::Report => run(&agent, "REPORT", request),
        Method::Get => without_body(agent.get(request.url), request),
        Method::Delete => without_body(agent.delete(request.url), request),
        Method::Post => with_body(agent.post(request.url), request),
        Method::Put => with_body(agent.put(request.url), request),
    }?;
    let body = read_body(response.body_mut(), request.answer_bytes_max, is_enough)?;
    let header = |name| response.headers().get(name)?.to_str().ok();
    Ok(Response {
        status: response.status().as_u16(),
        etag: header("etag").map(str::to_owned),
        retry_after_s: header("retry-after").and_then(|text| text.parse().ok()),
        body,
        headers: std::mem::take(response.headers_mut()),
    })
}

/// The agents for the web's authorities, of any host and of public ones. Each is built once:
/// reading the authorities costs more than most calls.
static AGENTS: [OnceLock<ureq::Agent>; 2] = [OnceLock::new(), OnceLock::new()];

fn agent(request: &Request<'_>) -> ureq::Agent {
    let build = || new_agent(request.authorities, request.public_only);
    match request.authorities {
        None => AGENTS[usize::from(request.public_only)]
            .get_or_init(build)
            .clone(),
        Some(_) => build(),
    }
}

fn new_agent(authorities: Option<&Authorities>, public_only: bool) -> ureq::Agent {
    let roots = authorities.map(|Authorities(certificates)| {
        RootCerts::from(
            certificates
                .iter()
                .map(|der| Certificate::from_der(der).to_owned()),
        )
    });
    let config = ureq::Agent::config_builder()
        .timeout_connect(Some(CONNECT_MAX))
        .http_status_as_error(false)
        .max_redirects(0)
        // No connection outlives its call: one that its server has closed meanwhile would fail
        // the next call.
        .max_idle_connections(0)
        .allow_non_standard_methods(true)
        .tls_config(
            ureq::tls::TlsConfig::builder()
                .root_certs(roots.unwrap_or(RootCerts::WebPki))
                .unversioned_rustls_crypto_provider(provider())
                .build(),
        )
        // HTTP_PROXY is ignored.
        .proxy(None)
        .build();
    match public_only {
        true => ureq::Agent::with_parts(config, DefaultConnector::new(), PublicResolver::default()),
        false => config.into(),
    }
}

/// A host has an address outside the public network.
#[derive(Debug)]
struct PrivateAddress;

impl std::fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the host has a private address")
    }
}

impl std::error::Error for PrivateAddress {}

/// Resolves to public addresses only. The connection uses the checked addresses, so that a name
/// that changes between two look-ups has no effect.
#[derive(Debug, Default)]
struct PublicResolver(DefaultResolver);

impl Resolver for PublicResolver {
    fn resolve(
        &self,
        uri: &ureq::http::Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.0.resolve(uri, config, timeout)?;
        match addresses.iter().all(|address| is_public(address.ip())) {
            true => Ok(addresses),
            false => Err(ureq::Error::Other(Box::new(PrivateAddress))),
        }
    }
}

/// The addresses of a host, any or only public ones. Blocks.
pub fn resolve(host: &str, port: u16, public_only: bool) -> Result<Vec<SocketAddr>, NoAnswer> {
    let no_answer = |reason: String, is_private| NoAnswer {
        reason,
        timed_out: false,
        is_private,
        is_too_long: false,
        is_unsent: true,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (host, port).to_socket_addrs();
    let addresses: Vec<SocketAddr> = addresses
        .map_err(|e| no_answer(e.to_string(), false))?
        .collect();
    match addresses
        .iter()
        .all(|address| !public_only || is_public(address.ip()))
    {
        true if !addresses.is_empty() => Ok(addresses),
        true => Err(no_answer("the host has no address".to_owned(), false)),
        false => Err(no_answer(PrivateAddress.to_string(), true)),
    }
}

/// Whether the address is in the public network: not of this machine, private networks,
/// documentation, tests or multicast (the registries of RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_documentation()
                || matches!((a, b, c), (0 | 224..=255, ..) | (100, 64..=127, _))
                || matches!((a, b, c), (192, 0, 0) | (192, 88, 99) | (198, 18..=19, _)))
        }
        // Allocated addresses, except those that contain an IPv4 address (Teredo, 6to4).
        IpAddr::V6(v6) => {
            let [a, b, ..] = v6.segments();
            (0x2000..0x4000).contains(&a)
                && !(a == 0x2001 && (b < 0x0200 || b == 0x0db8) || a == 0x2002 || a == 0x3fff)
        }
    }
}

/// A method that ureq has no function for.
fn run(agent: &ureq::Agent, method: &str, request: &Request<'_>) -> HttpResult {
    let (content_type, body) = request.raw.unwrap_or_default();
    let mut builder = ureq::http::Request::builder()
        .method(method)
        .uri(request.url);
    for (name, value) in request.headers {
        builder = builder.header(*name, *value);
    }
    if !content_type.is_empty() {
        builder = builder.header("content-type", content_type);
    }
    let request = agent
        .configure_request(builder.body(body)?)
        .timeout_global(Some(request.timeout))
        .build();
    agent.run(request)
}

type HttpResult = Result<ureq::http::Response<ureq::Body>, ureq::Error>;

fn without_body(
    builder: ureq::RequestBuilder<ureq::typestate::WithoutBody>,
    request: &Request<'_>,
) -> HttpResult {
    with_headers(builder, request).call()
}

fn with_body(
    builder: ureq::RequestBuilder<ureq::typestate::WithBody>,
    request: &Request<'_>,
) -> HttpResult {
    let builder = with_headers(builder, request);
    if let Some((content_type, bytes)) = request.raw {
        return builder.content_type(content_type).send(bytes);
    }
    match (request.form, request.body) {
        (Some(form), _) => builder
            .content_type("application/x-www-form-urlencoded")
            .send(form),
        (None, Some(body)) => builder.send_json(body),
        (None, None) => builder.send_empty(),
    }
}

fn with_headers<B>(
    builder: ureq::RequestBuilder<B>,
    request: &Request<'_>,
) -> ureq::RequestBuilder<B> {
    let headers = request.headers.iter();
    let builder = builder
        .config()
        .timeout_global(Some(request.timeout))
        .build();
    headers.fold(builder, |builder, (name, value)| {
        builder.header(*name, *value)
    })
}

/// Limited before and after decompression: a small answer may expand to a large one.
fn read_body(
    body: &mut ureq::Body,
    bytes_max: u64,
    is_enough: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Vec<u8>, NoAnswer> {
    let mut bytes = Vec::new();
    let reader = body.with_config().limit(bytes_max).reader();
    let mut reader = reader.take(bytes_max + 1);
    let mut part = vec![0; READ_BYTES];
    loop {
        match reader.read(&mut part) {
            Ok(0) => break,
            Ok(count) => bytes.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ureq::Error::from(error).into()),
        }
        if is_enough(&bytes) {
            return Ok(bytes);
        }
    }
    if bytes.len() as u64 > bytes_max {
        return Err(NoAnswer {
            reason: format!("the answer is longer than {bytes_max} bytes"),
            timed_out: false,
            is_private: false,
            is_too_long: true,
            is_unsent: false,
        });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_and_private_addresses() {
        let public = [
            "8.8.8.8",
            "192.0.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
        ];
        let private = [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2001:db8::1",
            "2001::1",
            "2002:a00:1::",
            "fc00::1",
            "fe80::1",
            "ff02::1",
        ];
        for (addresses, expected) in [(&public[..], true), (&private[..], false)] {
            for address in addresses {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }

    #[test]
    fn a_private_host_is_refused() {
        for host in ["127.0.0.1:9", "localhost:9", "[::1]:9", "0.0.0.0:9"] {
            let url = format!("http://{host}/");
            let result = send(&Request {
                public_only: true,
                ..Request::new(Method::Get, &url)
            });
            assert!(result.expect_err(host).is_private, "{host}");
        }
        assert!(
            resolve("localhost", 9, true)
                .expect_err("private")
                .is_private
        );
        assert!(resolve("localhost", 9, false).is_ok());
    }
}
