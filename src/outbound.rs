//! The HTTP client, the only user of ureq: timeouts, a size limit, no redirects, no proxy from the
//! environment. It blocks: callers are commands, or use the blocking pool. It must not know whom it
//! calls.

mod public_addresses;
mod tls;

use std::io::Read as _;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use ureq::tls::RootCerts;
use ureq::unversioned::transport::DefaultConnector;

use public_addresses::{PrivateAddress, PublicResolver};
pub use public_addresses::{is_public, resolve};
use tls::provider;
pub use tls::{Authorities, tls};

const CONNECT_MAX: Duration = Duration::from_secs(2);
const CALL_MAX: Duration = Duration::from_secs(10);
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;
/// Bytes of a body that are read at once.
const READ_BYTES: usize = 16 * 1024;

/// A call that sends and receives JSON.
pub struct PostRequest<'a> {
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
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
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

impl<'a> PostRequest<'a> {
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
    /// A method of WebDAV (RFC 4918).
    Propfind,
    /// A method of WebDAV (RFC 3253).
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
pub fn post(call: &PostRequest) -> Result<Answer, NoAnswer> {
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

pub fn send(request: &Request) -> Result<Response, NoAnswer> {
    send_until(request, &mut |_| false)
}

/// Like `send`, but the body is read only until it is enough: a server may keep its stream of
/// events open. `is_enough` is called with all of the body so far, after each part of it.
pub fn send_until(
    request: &Request,
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

fn agent(request: &Request) -> ureq::Agent {
    let build = || new_agent(request.authorities, request.public_only);
    match request.authorities {
        None => AGENTS[usize::from(request.public_only)]
            .get_or_init(build)
            .clone(),
        Some(_) => build(),
    }
}

fn new_agent(authorities: Option<&Authorities>, public_only: bool) -> ureq::Agent {
    let roots = authorities.map(Authorities::roots);
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

/// A method that ureq has no function for.
fn run(agent: &ureq::Agent, method: &str, request: &Request) -> HttpResult {
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
    request: &Request,
) -> HttpResult {
    with_headers(builder, request).call()
}

fn with_body(
    builder: ureq::RequestBuilder<ureq::typestate::WithBody>,
    request: &Request,
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

fn with_headers<B>(builder: ureq::RequestBuilder<B>, request: &Request) -> ureq::RequestBuilder<B> {
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
