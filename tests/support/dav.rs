//! A CalDAV server of the tests.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A CalDAV server with one calendar and one list of tasks.
#[derive(Clone)]
pub struct DavServer {
    pub address: SocketAddr,
    pub inner: Arc<Mutex<DavState>>,
}

#[derive(Default)]
pub struct DavState {
    /// By path: the calendar's text, and the version that brought it.
    pub resources: std::collections::BTreeMap<String, (String, u64)>,
    pub gone: Vec<(String, u64)>,
    pub version: u64,
    pub knows_tokens: bool,
    /// Method and what was asked, of those with the right password.
    asked: Vec<String>,
    /// The calendar takes no changes.
    pub is_read_only: bool,
    /// Changes are carried out, but their answers get lost.
    pub loses_answers: bool,
    /// The connection ends in the middle of answers.
    pub cuts_answers: bool,
    /// A multiget answers 500 for the resource of this name.
    pub breaks: &'static str,
    /// Instead of carrying out changes.
    pub refuses_changes: Option<u16>,
    /// Methods of changes that were carried out.
    pub changed: Vec<String>,
}

/// "ada:quixotic"
const DAV_LOGIN: &str = "authorization: Basic YWRhOnF1aXhvdGlj";

impl DavServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            inner: Arc::default(),
        };
        server.inner.lock().unwrap().knows_tokens = true;
        let answering = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answering.answer(stream.unwrap());
            }
        });
        server
    }

    fn answer(&self, mut stream: TcpStream) -> Option<()> {
        let mut head = String::new();
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).ok()? > 0 {}
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.and_then(|n| n.parse().ok()).unwrap_or(0)];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).ok()?;
        let is_change = head.starts_with("PUT") || head.starts_with("DELETE");
        let (status, headers, answer) = self.answer_to(&head, &body);
        if is_change && self.inner.lock().unwrap().loses_answers {
            return None;
        }
        if self.inner.lock().unwrap().cuts_answers {
            let answer = &answer[..answer.len() / 2];
            let answer = format!("HTTP/1.0 {status} X\r\n{headers}\r\n{answer}");
            return stream.write_all(answer.as_bytes()).ok();
        }
        let length = answer.len();
        let answer = format!(
            "HTTP/1.1 {status} X\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{answer}"
        );
        stream.write_all(answer.as_bytes()).ok()?;
        let _ = stream.read(&mut [0; 1]);
        Some(())
    }

    fn answer_to(&self, head: &str, body: &str) -> (u16, String, String) {
        let mut state = self.inner.lock().unwrap();
        let path = head.split(' ').nth(1).unwrap_or_default();
        if path.starts_with("/.well-known") {
            return (301, "Location: /dav/\r\n".to_owned(), String::new());
        }
        if !head.contains(DAV_LOGIN) {
            return (401, "WWW-Authenticate: Basic\r\n".to_owned(), String::new());
        }
        let method = head.split(' ').next().unwrap_or_default();
        if matches!(method, "GET" | "PUT" | "DELETE") {
            return state.resource(method, path, head, body);
        }
        let what = [
            "current-user-principal", "calendar-home-set", "getctag", "sync-collection",
            "calendar-query", "calendar-multiget",
        ];
        let what = what
            .into_iter()
            .find(|what| body.contains(what))
            .unwrap_or("?");
        state.asked.push(what.to_owned());
        let found = |href: &str, prop: &str| {
            format!(
                "<response><href>{href}</href><propstat><prop>{prop}</prop><status>HTTP/1.1 200 OK</status>\
                 </propstat><propstat><prop><getcontenttype/></prop><status>HTTP/1.1 404 Not Found</status>\
                 </propstat></response>"
            )
        };
        let gone = |href: &str| {
            format!(
                "<response><href>{href}</href><status>HTTP/1.1 404 Not Found</status></response>"
            )
        };
        let kind = |name: &str| {
            format!(
                "<resourcetype><collection/><C:calendar/></resourcetype><C:supported-calendar-component-set>\
             <C:comp name=\"{name}\"/></C:supported-calendar-component-set>"
            )
        };
        let token = format!("t{}", state.version);
        let inner = match what {
            "current-user-principal" if path == "/" => return (404, String::new(), String::new()),
            "current-user-principal" => found(
                path,
                "<current-user-principal><href>ada/</href></current-user-principal>",
            ),
            "calendar-home-set" => found(
                path,
                "<C:calendar-home-set><href>/dav/ada/cal/</href></C:calendar-home-set>",
            ),
            "getctag" => {
                let token = match state.knows_tokens {
                    true => format!("<sync-token>{token}</sync-token>"),
                    false => String::new(),
                };
                let own = format!(
                    "{}<displayname>Work &amp; more</displayname><S:getctag>c{}</S:getctag>{token}\
                    <current-user-privilege-set><privilege><{}/></privilege></current-user-privilege-set>",
                    kind("VEVENT"),
                    state.version,
                    if state.is_read_only { "read" } else { "write" },
                );
                found(
                    "/dav/ada/cal/",
                    "<resourcetype><collection/></resourcetype>",
                ) + &found("/dav/ada/cal/work%20x/", &own)
                    + &found("/dav/ada/cal/tasks/", &kind("VTODO"))
            }
            "sync-collection" => {
                let since = body
                    .split("sync-token>t")
                    .nth(1)
                    .and_then(|rest| rest.split('<').next());
                let Some(since) = since.and_then(|n| n.parse::<u64>().ok()) else {
                    return (
                        403,
                        String::new(),
                        "<error xmlns=\"DAV:\"><valid-sync-token/></error>".to_owned(),
                    );
                };
                let changed = state
                    .resources
                    .iter()
                    .filter(|(_, (_, version))| *version > since);
                let changed: String = changed
                    .map(|(path, _)| found(path, "<getetag>\"e\"</getetag>"))
                    .collect();
                let left = state.gone.iter().filter(|(_, version)| *version > since);
                let left: String = left.map(|(path, _)| gone(path)).collect();
                format!("{changed}{left}<sync-token>{token}</sync-token>")
            }
            "calendar-query" => state
                .resources
                .keys()
                .map(|path| found(path, "<getetag>\"e\"</getetag>"))
                .collect(),
            "calendar-multiget" => {
                let hrefs = body
                    .split("<d:href>")
                    .skip(1)
                    .filter_map(|rest| rest.split('<').next());
                let broken = format!("/{}.ics", state.breaks);
                let data = |href: &str| match state.resources.get(href) {
                    Some(_) if href.ends_with(&broken) => format!(
                        "<response><href>{href}</href><status>HTTP/1.1 500 Oh</status></response>"
                    ),
                    Some((text, version)) => found(
                        href,
                        &format!(
                            "<getetag>\"{version}\"</getetag><C:calendar-data>{text}</C:calendar-data>"
                        ),
                    ),
                    None => gone(href),
                };
                hrefs.map(data).collect()
            }
            _ => return (400, String::new(), String::new()),
        };
        let answer = format!(
            "<?xml version=\"1.0\"?><multistatus xmlns=\"DAV:\" xmlns:C=\"urn:ietf:params:xml:ns:caldav\" \
             xmlns:S=\"http://calendarserver.org/ns/\">{inner}</multistatus>"
        );
        (207, "Content-Type: application/xml\r\n".to_owned(), answer)
    }

    /// The resource of a name, and its text.
    pub fn texts(&self) -> Vec<(String, String)> {
        let state = self.inner.lock().unwrap();
        let resources = state.resources.iter();
        resources
            .map(|(path, (text, _))| (path.clone(), text.clone()))
            .collect()
    }

    /// What was changed since the last look.
    pub fn changed(&self) -> Vec<String> {
        std::mem::take(&mut self.inner.lock().unwrap().changed)
    }

    pub fn put(&self, name: &str, start: &str) {
        self.put_with(name, &format!("DTSTART:{start}"));
    }

    /// An event with these lines.
    pub fn put_with(&self, name: &str, lines: &str) {
        let mut state = self.inner.lock().unwrap();
        state.version += 1;
        let text = format!(
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:{name}\nSUMMARY:{name}\n{lines}\nEND:VEVENT\nEND:VCALENDAR\n"
        );
        let version = state.version;
        state
            .resources
            .insert(format!("/dav/ada/cal/work%20x/{name}.ics"), (text, version));
    }

    pub fn delete(&self, name: &str) {
        let mut state = self.inner.lock().unwrap();
        state.version += 1;
        let (path, version) = (format!("/dav/ada/cal/work%20x/{name}.ics"), state.version);
        state.resources.remove(&path);
        state.gone.push((path, version));
    }

    /// What was asked since the last look.
    pub fn requests(&self) -> String {
        std::mem::take(&mut self.inner.lock().unwrap().asked).join(" ")
    }
}

impl DavState {
    /// Answers GET, PUT and DELETE of a resource, with their conditions.
    fn resource(
        &mut self,
        method: &str,
        path: &str,
        head: &str,
        body: &str,
    ) -> (u16, String, String) {
        let known = self.resources.get(path).cloned();
        let etag = known.as_ref().map(|(_, version)| format!("\"{version}\""));
        let condition = |name: &str| {
            let line = head.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().to_owned())
        };
        if method == "GET" {
            return match (known, etag) {
                (Some((text, _)), Some(etag)) => (200, format!("ETag: {etag}\r\n"), text),
                _ => (404, String::new(), String::new()),
            };
        }
        if let Some(status) = self.refuses_changes {
            return (status, String::new(), String::new());
        }
        let is_free = condition("if-none-match:").is_none_or(|_| known.is_none());
        let is_same = condition("if-match:").is_none_or(|wanted| etag.as_deref() == Some(&*wanted));
        if method == "DELETE" && known.is_none() {
            return (404, String::new(), String::new());
        }
        if !is_free || !is_same {
            return (412, String::new(), String::new());
        }
        self.version += 1;
        self.changed.push(method.to_owned());
        match method {
            "DELETE" => {
                self.resources.remove(path);
                self.gone.push((path.to_owned(), self.version));
            }
            _ => {
                let resource = (body.to_owned(), self.version);
                self.resources.insert(path.to_owned(), resource);
            }
        }
        (201, String::new(), String::new())
    }
}
