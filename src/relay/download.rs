//! Downloads files that a message names by their address. Redirects are followed; no header is sent
//! to another server than the one it belongs to.

use std::time::Duration;

use super::call::backoff;
use super::{Authorities, RelayStatus, SendError};
use crate::outbound::{self, Method, Request, Response};

const FILE_MAX: Duration = Duration::from_secs(60);
/// The largest photo that the service takes.
const FILE_BYTES_MAX: u64 = 20 * 1024 * 1024;
const REDIRECTS_MAX: u32 = 3;
/// Attempts to fetch a file while the network works.
const TRIES_MAX: u32 = 5;

/// Why a file was not fetched.
#[derive(Debug)]
pub(super) enum Failure {
    /// The download would fail again: a sentence.
    Final(String),
    /// Another try may do better: a sentence, which may hold the address.
    Passing(String),
}

/// Repeats a download. Waits that the network asks for, and the time while it does not work, are
/// no attempts. `None`: the file is not handed out, and the log says why.
pub(super) async fn with_retries<F>(status: &RelayStatus, call: impl Fn() -> F) -> Option<Vec<u8>>
where
    F: Future<Output = Result<Vec<u8>, SendError>>,
{
    let (mut tries, mut attempt) = (0, 0);
    loop {
        let (wait, why) = match call().await {
            Ok(file) => return Some(file),
            Err(SendError::Later { wait, why }) => (wait, why),
            Err(refused) => {
                log::warn!("a photo can't be fetched: {refused}");
                return None;
            }
        };
        tries += u32::from(wait.is_none() && status.network_answers());
        if tries == TRIES_MAX {
            log::warn!("a photo is left out after {tries} tries: {why}");
            return None;
        }
        tokio::time::sleep(wait.unwrap_or_else(|| backoff(attempt))).await;
        attempt += u32::from(wait.is_none());
    }
}

/// A file to fetch.
#[derive(Default)]
pub(super) struct Download {
    pub(super) url: String,
    /// Go to the server of `url` only.
    pub(super) headers: Vec<(&'static str, String)>,
    /// Somebody's address, which must be a public one or lead to `own`. A redirect to another server
    /// must do so in any case.
    pub(super) is_anybodys: bool,
    /// A server of the network's own.
    pub(super) own: Option<Origin>,
    /// The authorities for `own`. `None`: the public authorities.
    pub(super) authorities: Option<Authorities>,
}

impl Download {
    /// The answer of the file's server with any status.
    pub(super) async fn get(self) -> Result<Response, Failure> {
        let fetching = tokio::task::spawn_blocking(move || self.fetch());
        let broken_off = |_| Err(Failure::Passing("the call was broken off".to_owned()));
        fetching.await.unwrap_or_else(broken_off)
    }

    fn fetch(&self) -> Result<Response, Failure> {
        let headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let mut url = self.url.clone();
        let first = Origin::of(&url).ok_or_else(no_address)?;
        for _ in 0..=REDIRECTS_MAX {
            let origin = Origin::of(&url).ok_or_else(no_address)?;
            let is_first = origin == first;
            let is_own = self.own.as_ref() == Some(&origin);
            if first.is_tls && !origin.is_tls {
                return Err(Failure::Final("it is redirected to http://".to_owned()));
            }
            let request = Request {
                headers: if is_first { &headers } else { &[] },
                timeout: FILE_MAX,
                answer_bytes_max: FILE_BYTES_MAX,
                public_only: !is_own && (self.is_anybodys || !is_first),
                authorities: self.authorities.as_ref().filter(|_| is_own),
                ..Request::new(Method::Get, &url)
            };
            let answer = outbound::send(&request).map_err(|error| match error.is_private {
                true => Failure::Final("its address is not a public one".to_owned()),
                false => Failure::Passing(error.to_string()),
            })?;
            let target = match answer.status {
                301 | 302 | 303 | 307 | 308 => answer
                    .header("location")
                    .map(|to| joined(&origin, &url, to)),
                _ => None,
            };
            match target {
                Some(target) => url = target,
                None => return Ok(answer),
            }
        }
        Err(Failure::Final("it is redirected too often".to_owned()))
    }
}

fn no_address() -> Failure {
    Failure::Final("its address is none of http:// or https://".to_owned())
}

/// Where `target` leads from `url`, an address on `origin`.
fn joined(origin: &Origin, url: &str, target: &str) -> String {
    let is_letters = |scheme: &str| scheme.bytes().all(|b| b.is_ascii_alphanumeric());
    if (target.split_once("://")).is_some_and(|(scheme, _)| is_letters(scheme)) {
        return target.to_owned();
    }
    if target.starts_with("//") {
        let scheme = if origin.is_tls { "https" } else { "http" };
        return format!("{scheme}:{target}");
    }
    if target.starts_with('/') {
        return format!("{}{target}", origin.text());
    }
    let place = url.split_once("://").map_or("", |(_, place)| place);
    let path = place.split(['?', '#']).next().unwrap_or_default();
    let path = path.find('/').map_or("", |at| &path[at..]);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{}{folder}/{target}", origin.text())
}

/// A server that has files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin {
    is_tls: bool,
    /// In lower case, without brackets.
    host: String,
    port: u16,
}

impl Origin {
    /// `None` for an address that is none of http:// or https://.
    pub(super) fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let authority = rest.split(['/', '?', '#']).next()?;
        if authority.contains('@') {
            return None;
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, after) = rest.split_once(']')?;
                (host, after.strip_prefix(':'))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let port = match port {
            Some(port) => port.parse().ok()?,
            None if is_tls => 443,
            None => 80,
        };
        (!host.is_empty()).then(|| Self {
            is_tls,
            host: host.to_ascii_lowercase(),
            port,
        })
    }

    fn text(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        match self.host.contains(':') {
            true => format!("{scheme}://[{}]:{}", self.host, self.port),
            false => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_an_address_leads() {
        let text = |url: &str| Origin::of(url).map(|origin| origin.text());
        let cases = [
            ("https://A.example/x", Some("https://a.example:443")),
            ("http://a.example:81?x", Some("http://a.example:81")),
            ("http://[::1]:81/x", Some("http://[::1]:81")),
            ("ftp://a.example/x", None),
            ("https://user@a.example/", None),
            ("https:///x", None),
            ("aesgcm://a.example/x", None),
        ];
        for (url, expected) in cases {
            assert_eq!(text(url).as_deref(), expected, "{url}");
        }
        let origin = Origin::of("https://a.example/x").unwrap();
        for (url, target, expected) in [
            ("https://a.example/x", "/y", "https://a.example:443/y"),
            (
                "https://a.example/x", "https://b.example/y", "https://b.example/y",
            ),
            (
                "https://a.example/x", "//b.example/y", "https://b.example/y",
            ),
            (
                "https://a.example/x/a.jpg?s=/1", "b.jpg", "https://a.example:443/x/b.jpg",
            ),
            (
                "https://a.example", "b.jpg?u=http://c", "https://a.example:443/b.jpg?u=http://c",
            ),
        ] {
            assert_eq!(joined(&origin, url, target), expected, "{url} {target}");
        }
    }

    /// Answers each connection with the next text; the requests, in their order.
    fn server(answers: Vec<String>) -> (String, std::thread::JoinHandle<Vec<String>>) {
        use std::io::{Read as _, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let serve = |answer: String| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
                String::from_utf8(request[..length].to_vec()).unwrap()
            };
            answers.into_iter().map(serve).collect()
        });
        (origin, serving)
    }

    fn moved(to: &str) -> String {
        format!(
            "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    }

    #[test]
    fn redirects_are_followed_without_the_token() {
        let cat = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\ncat";
        let (other, others) = server(vec![cat.to_owned()]);
        let answers = vec![moved("/second"), moved(&format!("{other}/file"))];
        let (own, owns) = server(answers);
        let download = Download {
            url: format!("{own}/first"),
            headers: vec![("authorization", "Bearer secret".to_owned())],
            own: Origin::of(&other),
            ..Download::default()
        };
        let found = download.fetch().unwrap();
        assert_eq!(found.body, b"cat");
        let requests = owns.join().unwrap();
        assert!(requests[0].starts_with("GET /first ") && requests[1].starts_with("GET /second "));
        assert!(
            requests
                .iter()
                .all(|request| request.contains("Bearer secret"))
        );
        let requests = others.join().unwrap();
        assert!(requests[0].starts_with("GET /file ") && !requests[0].contains("secret"));
    }

    #[test]
    fn what_is_not_public_is_not_fetched() {
        let why = |found| match found {
            Err(Failure::Final(why)) => why,
            other => panic!("{other:?}"),
        };
        let fetch = |url: &str, is_anybodys| {
            let download = Download {
                url: url.to_owned(),
                is_anybodys,
                ..Download::default()
            };
            download.fetch()
        };
        let (own, _) = server(vec![moved("http://127.0.0.1:9/x")]);
        let found = fetch(&own, false);
        assert_eq!(why(found), "its address is not a public one");
        let found = fetch("http://127.0.0.1:9/x", true);
        assert_eq!(why(found), "its address is not a public one");
        // Another port of the own server is another server.
        let download = Download {
            url: "http://127.0.0.1:9/x".to_owned(),
            is_anybodys: true,
            own: Origin::of("http://127.0.0.1:10"),
            ..Download::default()
        };
        assert_eq!(why(download.fetch()), "its address is not a public one");
        let (own, _) = server(vec![moved("/x"); 4]);
        let found = fetch(&own, false);
        assert_eq!(why(found), "it is redirected too often");
    }
}
