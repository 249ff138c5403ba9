//! Finds a person's server where they give only a domain or their address: by DNS records (SRV and
//! TXT of RFC 6764, SRV of RFC 6186). The records are not signed, so a server outside of the
//! domain is named to the person and not used: the password would go to whoever forged them.

use std::time::Duration;

use hickory_resolver::TokioResolver;
use hickory_resolver::proto::rr::RData;

use super::web::Network;
use super::{Credentials, ServiceError};

/// The time for all DNS queries about a domain.
const QUERY_MAX: Duration = Duration::from_secs(5);
const CALDAV: &str = "_caldavs._tcp";
const IMAP: &str = "_imaps._tcp";
/// The path if the records name none (RFC 6764).
const WELL_KNOWN: &str = "/.well-known/caldav";
/// Bytes of a path in a TXT record.
const PATH_BYTES_MAX: usize = 500;

/// The server that a domain names.
#[derive(Debug, PartialEq, Eq)]
struct NamedServer {
    /// In lower case, without the dot at the end.
    host: String,
    port: u16,
}

/// The credentials with the server's own address, where the person gave a domain or their address.
pub(super) async fn locate(
    credentials: Credentials,
    network: &Network,
) -> Result<Credentials, ServiceError> {
    let given = match &credentials {
        Credentials::Caldav { url, .. } => url,
        Credentials::Imap { host, .. } => host,
        Credentials::Ics { .. } => return Ok(credentials),
    };
    let is_mail = matches!(credentials, Credentials::Imap { .. });
    let Some(domain) = domain_of(given, is_mail).filter(|domain| !network.names(domain)) else {
        return Ok(credentials);
    };
    let Ok(resolver) = TokioResolver::builder_tokio().and_then(|builder| builder.build()) else {
        return Ok(credentials.at_domain(&domain));
    };
    locate_with(&resolver, credentials, &domain).await
}

async fn locate_with(
    resolver: &TokioResolver,
    credentials: Credentials,
    domain: &str,
) -> Result<Credentials, ServiceError> {
    let service = match credentials {
        Credentials::Imap { .. } => IMAP,
        _ => CALDAV,
    };
    let found = tokio::time::timeout(QUERY_MAX, look_up(resolver, service, domain)).await;
    let Ok(Some((server, path))) = found else {
        return Ok(credentials.at_domain(domain));
    };
    let host = &server.host;
    if host != domain && !host.ends_with(&format!(".{domain}")) {
        return Err(ServiceError::unreachable(format!(
            "{domain} names {host} as its server. If that is right, give {host} as the server."
        )));
    }
    Ok(match credentials {
        Credentials::Caldav {
            username, password, ..
        } => Credentials::Caldav {
            url: format!("https://{host}:{}{path}", server.port),
            username,
            password,
        },
        Credentials::Imap {
            username,
            password,
            tls,
            ..
        } => Credentials::Imap {
            host: server.host,
            port: server.port,
            username,
            password,
            tls,
        },
        ics @ Credentials::Ics { .. } => ics,
    })
}

/// The domain where neither scheme nor path were given. Of a mail server's name nothing is
/// looked up: it is one already.
fn domain_of(given: &str, is_mail: bool) -> Option<String> {
    let given = given.trim().to_lowercase();
    let domain = match given.rsplit_once('@') {
        Some((_, domain)) => domain,
        None if is_mail => return None,
        None => &given,
    };
    let is_domain = domain.contains('.')
        && domain.chars().any(char::is_alphabetic)
        && domain
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
    is_domain.then(|| domain.to_owned())
}

/// The server with the lowest priority and the highest weight, and the path on it.
async fn look_up(
    resolver: &TokioResolver,
    service: &str,
    domain: &str,
) -> Option<(NamedServer, String)> {
    let name = format!("{service}.{domain}.");
    let found = resolver.srv_lookup(name.as_str()).await.ok()?;
    let mut servers: Vec<_> = found
        .answers()
        .iter()
        .filter_map(|record| match &record.data {
            RData::SRV(srv) => Some(srv),
            _ => None,
        })
        // The root: the domain has no such service.
        .filter(|srv| !srv.target.is_root())
        .collect();
    servers.sort_by_key(|srv| (srv.priority, u16::MAX - srv.weight));
    let first = servers.first()?;
    let server = NamedServer {
        host: first.target.to_ascii().trim_end_matches('.').to_lowercase(),
        port: first.port,
    };
    let texts = resolver.txt_lookup(name.as_str()).await.ok();
    let path = texts.iter().flat_map(|found| found.answers());
    let mut path = path.filter_map(|record| match &record.data {
        RData::TXT(txt) => txt.txt_data.iter().find_map(|text| path_in(text)),
        _ => None,
    });
    let path = path.next().unwrap_or_else(|| WELL_KNOWN.to_owned());
    Some((server, path))
}

/// The path in a TXT record like "path=/caldav".
fn path_in(text: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(text).ok()?.strip_prefix("path=")?;
    let is_path = path.starts_with('/')
        && path.len() <= PATH_BYTES_MAX
        && path.bytes().all(|byte| byte.is_ascii_graphic());
    is_path.then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::net::{SocketAddr, UdpSocket};

    use hickory_resolver::config::{ConnectionConfig, NameServerConfig, ResolverConfig};
    use hickory_resolver::net::runtime::TokioRuntimeProvider;
    use hickory_resolver::proto::op::{Message, ResponseCode};
    use hickory_resolver::proto::rr::rdata::{SRV, TXT};
    use hickory_resolver::proto::rr::{Name, Record};

    use super::*;

    /// A name server that knows these records.
    fn name_server(records: Vec<Record>) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok((length, from)) = socket.recv_from(&mut bytes) {
                let request = Message::from_vec(&bytes[..length]).unwrap();
                let query = request.queries[0].clone();
                let mut answer = Message::response(request.metadata.id, request.metadata.op_code);
                let is_asked = |record: &&Record| {
                    record.record_type() == query.query_type()
                        && record.name.to_lowercase() == query.name().to_lowercase()
                };
                answer.answers = records.iter().filter(is_asked).cloned().collect();
                if answer.answers.is_empty() {
                    answer.metadata.response_code = ResponseCode::NXDomain;
                }
                answer.add_query(query);
                socket.send_to(&answer.to_vec().unwrap(), from).unwrap();
            }
        });
        address
    }

    fn resolver(at: SocketAddr) -> TokioResolver {
        let mut connection = ConnectionConfig::udp();
        connection.port = at.port();
        let server = NameServerConfig::new(at.ip(), true, vec![connection]);
        let config = ResolverConfig::from_parts(None, Vec::new(), vec![server]);
        let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        builder.build().unwrap()
    }

    fn srv(name: &str, priority: u16, weight: u16, port: u16, target: &str) -> Record {
        let target: Name = target.parse().unwrap();
        let data = RData::SRV(SRV::new(priority, weight, port, target));
        Record::from_rdata(name.parse().unwrap(), 60, data)
    }

    fn caldav(url: &str) -> Credentials {
        Credentials::Caldav {
            url: url.to_owned(),
            username: "ada".to_owned(),
            password: "quixotic".to_owned(),
        }
    }

    fn imap(host: &str, port: u16) -> Credentials {
        Credentials::imap(
            host.to_owned(),
            Some(port),
            "ada".to_owned(),
            "quixotic".to_owned(),
            true,
        )
    }

    #[tokio::test]
    async fn servers_are_found_by_their_domains_records() {
        let path = RData::TXT(TXT::new(vec!["x=1".to_owned(), "path=/dav/".to_owned()]));
        let records = vec![
            srv("_caldavs._tcp.a.example.", 20, 0, 443, "late.a.example."),
            srv("_caldavs._tcp.a.example.", 10, 1, 443, "rare.a.example."),
            srv("_caldavs._tcp.a.example.", 10, 9, 8443, "Dav.a.example."),
            Record::from_rdata("_caldavs._tcp.a.example.".parse().unwrap(), 60, path),
            srv("_caldavs._tcp.b.example.", 0, 0, 443, "b.example."),
            srv(
                "_caldavs._tcp.c.example.", 0, 0, 443, "dav.elsewhere.example.",
            ),
            srv("_caldavs._tcp.d.example.", 0, 0, 0, "."),
            srv("_imaps._tcp.a.example.", 0, 0, 993, "mail.a.example."),
        ];
        let resolver = resolver(name_server(records));
        let found = async |credentials: Credentials, domain: &str| {
            let found = locate_with(&resolver, credentials, domain).await;
            found.map_err(|error| error.sentence)
        };
        for (domain, expected) in [
            ("a.example", "https://dav.a.example:8443/dav/"),
            ("b.example", "https://b.example:443/.well-known/caldav"),
            ("d.example", "https://d.example"),
            ("e.example", "https://e.example"),
        ] {
            let found = found(caldav(domain), domain).await;
            assert!(found == Ok(caldav(expected)), "{domain}");
        }
        let elsewhere = found(caldav("c.example"), "c.example").await;
        assert!(elsewhere.is_err_and(|why| why.contains("names dav.elsewhere.example")));
        let mail = found(imap("ada@a.example", 993), "a.example").await;
        assert!(mail == Ok(imap("mail.a.example", 993)));
        let mail = found(imap("ada@e.example", 993), "e.example").await;
        assert!(mail == Ok(imap("imap.e.example", 993)));
    }

    #[test]
    fn domains_are_told_from_addresses() {
        for (given, is_mail, expected) in [
            ("example.com", false, Some("example.com")),
            (" Ada@Example.com ", false, Some("example.com")),
            ("ada@example.com", true, Some("example.com")),
            ("imap.example.com", true, None),
            ("https://example.com", false, None),
            ("example.com/dav", false, None),
            ("example.com:8443", false, None),
            ("192.0.2.1", false, None),
            ("localhost", false, None),
            ("ada@", false, None),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(domain_of(given, is_mail), expected, "{given}");
        }
        assert_eq!(path_in(b"path=/dav/"), Some("/dav/".to_owned()));
        for bad in [&b"path=dav"[..], b"/dav", b"path=/a b", b"path=/\xFF"] {
            assert_eq!(path_in(bad), None);
        }
    }
}
