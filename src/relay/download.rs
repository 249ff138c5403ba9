//! Files that a message names by their address. Redirects are followed; no header goes to
//! another server than the one it is meant for. Blocking.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs as _};
use std::time::Duration;

use crate::outbound::{self, Method, NoAnswer, Request, Response};

const FILE_MAX: Duration = Duration::from_secs(60);
/// The largest photo that the service takes.
pub(super) const FILE_BYTES_MAX: u64 = 20 * 1024 * 1024;
const REDIRECTS_MAX: u32 = 3;

/// Why a file was not fetched.
#[derive(Debug)]
pub(super) enum Failure {
    /// It would fail again: a sentence.
    Final(String),
    /// Another try may do better.
    Passing(NoAnswer),
}

/// Gets a file. `headers` go to the server of `url` only. A redirect to another server, and
/// with `is_anybodys` also the first address, must be a public one, unless its host is one of
/// `own_hosts`.
pub(super) fn fetch(
    url: &str,
    headers: &[(&str, &str)],
    is_anybodys: bool,
    own_hosts: &[String],
) -> Result<Response, Failure> {
    let mut url = url.to_owned();
    let first = Origin::of(&url).ok_or_else(no_address)?;
    for _ in 0..=REDIRECTS_MAX {
        let origin = Origin::of(&url).ok_or_else(no_address)?;
        let is_first = origin == first;
        let is_trusted = (is_first && !is_anybodys) || own_hosts.contains(&origin.host);
        if !is_trusted && !origin.is_public() {
            return Err(Failure::Final("its address is not a public one".to_owned()));
        }
        if first.is_tls && !origin.is_tls {
            return Err(Failure::Final("it is redirected to http://".to_owned()));
        }
        let request = Request {
            headers: if is_first { headers } else { &[] },
            timeout: FILE_MAX,
            answer_bytes_max: FILE_BYTES_MAX,
            ..Request::new(Method::Get, &url)
        };
        let answer = outbound::send(&request).map_err(Failure::Passing)?;
        let target = match answer.status {
            301 | 302 | 303 | 307 | 308 => answer.header("location").map(|to| joined(&origin, to)),
            _ => None,
        };
        match target {
            Some(target) => url = target,
            None => return Ok(answer),
        }
    }
    Err(Failure::Final("it is redirected too often".to_owned()))
}

fn no_address() -> Failure {
    Failure::Final("its address is none of http:// or https://".to_owned())
}

/// Where an address leads. A path alone stays on the server.
fn joined(origin: &Origin, target: &str) -> String {
    match target.strip_prefix('/') {
        Some(rest) if !rest.starts_with('/') => format!("{}/{rest}", origin.text()),
        _ => target.to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    is_tls: bool,
    /// In lower case, without brackets.
    host: String,
    port: u16,
}

impl Origin {
    fn of(url: &str) -> Option<Self> {
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

    /// Whether all addresses of the host are public.
    fn is_public(&self) -> bool {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let addresses: Vec<IpAddr> = found.into_iter().flatten().map(|a| a.ip()).collect();
        !addresses.is_empty() && addresses.into_iter().all(is_public)
    }
}

fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    !(a == 0
        || is_shared
        || ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_multicast()
        || ip.is_broadcast()
        || ip.is_documentation())
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    !(ip.is_unspecified()
        || ip.is_loopback()
        || ip.is_multicast()
        || ip.is_unique_local()
        || ip.is_unicast_link_local())
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
        assert_eq!(joined(&origin, "/y"), "https://a.example:443/y");
        assert_eq!(
            joined(&origin, "https://b.example/y"),
            "https://b.example/y"
        );
    }

    #[test]
    fn public_addresses() {
        for own in [
            "127.0.0.1",
            "10.0.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "::",
        ] {
            assert!(!is_public(own.parse().unwrap()), "{own}");
        }
        for public in ["1.1.1.1", "2606:4700::1111"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
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
        let headers = [("authorization", "Bearer secret")];
        let hosts = ["127.0.0.1".to_owned()];
        let found = fetch(&format!("{own}/first"), &headers, false, &hosts).unwrap();
        assert_eq!(found.body, b"cat");
        let asked = owns.join().unwrap();
        assert!(asked[0].starts_with("GET /first ") && asked[1].starts_with("GET /second "));
        assert!(
            asked
                .iter()
                .all(|request| request.contains("Bearer secret"))
        );
        let asked = others.join().unwrap();
        assert!(asked[0].starts_with("GET /file ") && !asked[0].contains("secret"));
    }

    #[test]
    fn what_is_not_public_is_not_fetched() {
        let why = |found| match found {
            Err(Failure::Final(why)) => why,
            other => panic!("{other:?}"),
        };
        let (own, _) = server(vec![moved("http://127.0.0.1:9/x")]);
        let found = fetch(&own, &[], false, &[]);
        assert_eq!(why(found), "its address is not a public one");
        let found = fetch("http://127.0.0.1:9/x", &[], true, &[]);
        assert_eq!(why(found), "its address is not a public one");
        let (own, _) = server(vec![moved("/x"); 4]);
        let found = fetch(&own, &[], false, &[]);
        assert_eq!(why(found), "it is redirected too often");
    }
}
