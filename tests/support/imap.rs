//! A small IMAP server: one user, one inbox, answers in the order and forms that Dovecot and
//! pymap give them. What it is asked is kept, so that tests can look at it.

#![allow(unreachable_pub)]

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub const USER: &str = "ada@example.com";
pub const PASSWORD: &str = "pass \"word\" é";

/// A mail in the inbox: its headers, and the parts of a multipart/mixed, or a single text.
#[derive(Clone)]
pub struct StubMail {
    pub uid: u32,
    pub headers: String,
    /// Type, subtype, further parameters as IMAP writes them, and the text.
    pub parts: Vec<(&'static str, &'static str, &'static str, String)>,
}

/// What the server has and how it behaves.
#[derive(Clone)]
pub struct Inbox {
    pub capabilities: &'static str,
    pub uid_validity: u32,
    pub mails: Vec<StubMail>,
    /// The end of a refused sign-in: `NO [AUTHENTICATIONFAILED] no`.
    pub refusal: &'static str,
    /// It closes the connection before it answers the next command that begins with this.
    pub closes_at: &'static str,
    /// The same, in the middle of its answer.
    pub cuts_at: &'static str,
    /// Lines that nobody asked for, before each answer.
    pub noise: &'static str,
    /// What stands in the place of BODYSTRUCTURE's value.
    pub structure: Option<String>,
    /// Commands without their tags, in their order.
    pub asked: Vec<String>,
}

pub struct ImapStub {
    pub address: SocketAddr,
    inbox: Arc<Mutex<Inbox>>,
}

impl StubMail {
    pub fn text(uid: u32, subject: &str, text: &str) -> Self {
        let headers = format!(
            "From: Ana <ana@example.com>\r\nTo: {USER}\r\nSubject: {subject}\r\nDate: Fri, 20 Nov 2026 10:00:{:02} +0000\r\nMessage-ID: <mail-{subject}@example.com>\r\n\r\n",
            uid % 60
        );
        Self {
            uid,
            headers,
            parts: vec![("TEXT", "PLAIN", "\"charset\" \"utf-8\"", text.to_owned())],
        }
    }

    fn structure(&self) -> String {
        let part = |(main, sub, parameters, text): &(&str, &str, &str, String)| {
            let lines = if *main == "TEXT" { " 1" } else { "" };
            format!(
                "(\"{main}\" \"{sub}\" ({parameters}) NIL NIL \"8BIT\" {}{lines} NIL NIL NIL NIL)",
                text.len()
            )
        };
        match self.parts.as_slice() {
            [one] => part(one),
            parts => {
                let parts: String = parts.iter().map(part).collect();
                format!("({parts} \"MIXED\" (\"boundary\" \"b\") NIL NIL NIL)")
            }
        }
    }
}

impl ImapStub {
    pub fn start(mails: Vec<StubMail>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let inbox = Arc::new(Mutex::new(Inbox {
            capabilities: "IMAP4rev1 SASL-IR AUTH=PLAIN IDLE CONDSTORE",
            uid_validity: 7,
            mails,
            refusal: "NO [AUTHENTICATIONFAILED] Authentication failed.",
            closes_at: "",
            cuts_at: "",
            noise: "",
            structure: None,
            asked: Vec::new(),
        }));
        let shared = inbox.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let inbox = shared.clone();
                // A client that goes away ends its thread.
                std::thread::spawn(move || serve(stream, &inbox).ok());
            }
        });
        Self { address, inbox }
    }

    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.inbox().asked)
    }
}

fn serve(stream: TcpStream, shared: &Mutex<Inbox>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut writer = stream;
    writer.write_all(b"* OK ready\r\n")?;
    // Mails that the client knows of.
    let mut told = 0;
    loop {
        let Some(line) = command(&mut reader, &mut writer)? else {
            return Ok(());
        };
        let (tag, command) = line.split_once(' ').unwrap_or((&line, ""));
        let inbox = {
            let mut inbox = shared.lock().unwrap_or_else(PoisonError::into_inner);
            inbox.asked.push(command.to_owned());
            inbox.clone()
        };
        if !inbox.closes_at.is_empty() && command.starts_with(inbox.closes_at) {
            return Ok(());
        }
        writer.write_all(inbox.noise.as_bytes())?;
        if command == "EXAMINE INBOX" {
            told = inbox.mails.len();
        }
        if command == "IDLE" {
            idle(&mut reader, &mut writer, shared, &mut told)?;
            writer.write_all(format!("{tag} OK done\r\n").as_bytes())?;
            continue;
        }
        let end = if command == "AUTHENTICATE PLAIN" {
            writer.write_all(b"+ \r\n")?;
            let mut secret = String::new();
            reader.read_line(&mut secret)?;
            inbox.sign_in(&STANDARD.decode(secret.trim()).unwrap_or_default())
        } else {
            let (data, end) = inbox.answer(command);
            if !inbox.cuts_at.is_empty() && command.starts_with(inbox.cuts_at) {
                return writer.write_all(&data[..data.len() / 2]);
            }
            writer.write_all(&data)?;
            end
        };
        writer.write_all(format!("{tag} {end}\r\n").as_bytes())?;
        if command == "LOGOUT" {
            return Ok(());
        }
    }
}

/// Tells of each new mail until the client has enough.
fn idle(
    reader: &mut BufReader<TcpStream>,
    writer: &mut TcpStream,
    shared: &Mutex<Inbox>,
    told: &mut usize,
) -> std::io::Result<()> {
    let count = || {
        let inbox = shared.lock().unwrap_or_else(PoisonError::into_inner);
        inbox.mails.len()
    };
    writer.write_all(b"+ idling\r\n")?;
    let looks = std::time::Duration::from_millis(20);
    reader.get_ref().set_read_timeout(Some(looks))?;
    let mut line = String::new();
    loop {
        match reader.read_line(&mut line) {
            Ok(_) => break,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(e) => return Err(e),
        }
        let now = count();
        if now != *told {
            writer.write_all(format!("* {now} EXISTS\r\n").as_bytes())?;
            *told = now;
        }
    }
    reader.get_ref().set_read_timeout(None)
}

/// A line with its literals in their places.
fn command(reader: &mut impl BufRead, writer: &mut impl Write) -> std::io::Result<Option<String>> {
    let mut whole = String::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_owned();
        let length = line
            .strip_suffix('}')
            .and_then(|line| line.rsplit_once('{'));
        let Some((before, length)) = length else {
            return Ok(Some(whole + &line));
        };
        writer.write_all(b"+ go on\r\n")?;
        let mut literal = vec![0; length.parse().unwrap_or_default()];
        reader.read_exact(&mut literal)?;
        whole.push_str(before);
        whole.push_str(&String::from_utf8_lossy(&literal));
    }
}

impl Inbox {
    fn sign_in(&self, secret: &[u8]) -> String {
        match secret == format!("\0{USER}\0{PASSWORD}").as_bytes() {
            true => "OK signed in".to_owned(),
            false => self.refusal.to_owned(),
        }
    }

    fn answer(&self, command: &str) -> (Vec<u8>, String) {
        let next = self
            .mails
            .iter()
            .map(|mail| mail.uid)
            .max()
            .unwrap_or_default()
            + 1;
        if let Some(secret) = command.strip_prefix("AUTHENTICATE PLAIN ") {
            return (
                Vec::new(),
                self.sign_in(&STANDARD.decode(secret).unwrap_or_default()),
            );
        }
        if let Some(login) = command.strip_prefix("LOGIN ") {
            let is_right = login.contains(USER) && login.contains("pass");
            let end = if is_right {
                "OK signed in"
            } else {
                self.refusal
            };
            return (Vec::new(), end.to_owned());
        }
        if command == "CAPABILITY" {
            let data = format!("* CAPABILITY {}\r\n", self.capabilities);
            return (data.into_bytes(), "OK done".to_owned());
        }
        if command == "EXAMINE INBOX" {
            let data = format!(
                "* FLAGS (\\Seen)\r\n* {} EXISTS\r\n* OK [UIDVALIDITY {}] valid\r\n* OK [UIDNEXT {next}] next\r\n",
                self.mails.len(),
                self.uid_validity
            );
            return (data.into_bytes(), "OK [READ-ONLY] done".to_owned());
        }
        if let Some(wanted) = command.strip_prefix("UID SEARCH ") {
            let from = wanted
                .strip_prefix("UID ")
                .and_then(|range| range.strip_suffix(":*"));
            let from: u32 = from.and_then(|from| from.parse().ok()).unwrap_or_default();
            let mut found: Vec<String> = self
                .mails
                .iter()
                .filter(|mail| mail.uid >= from)
                .map(|mail| mail.uid.to_string())
                .collect();
            // As RFC 3501 has it: the range's end is the last mail, wherever it begins.
            if found.is_empty() {
                found.extend(self.mails.last().map(|mail| mail.uid.to_string()));
            }
            return (
                format!("* SEARCH {}\r\n", found.join(" ")).into_bytes(),
                "OK done".to_owned(),
            );
        }
        if let Some(wanted) = command.strip_prefix("UID FETCH ") {
            return (self.fetch(wanted), "OK done".to_owned());
        }
        (Vec::new(), "OK done".to_owned())
    }

    fn fetch(&self, wanted: &str) -> Vec<u8> {
        let (uids, items) = wanted.split_once(' ').unwrap_or_default();
        let is_wanted = |uid: u32| {
            uids.split(',').any(|range| match range.split_once(':') {
                Some((from, to)) => {
                    (from.parse().unwrap_or(0)..=to.parse().unwrap_or(u32::MAX)).contains(&uid)
                }
                None => range.parse() == Ok(uid),
            })
        };
        let mut data = Vec::new();
        for (mail, seq) in self
            .mails
            .iter()
            .zip(1..)
            .filter(|(mail, _)| is_wanted(mail.uid))
        {
            data.extend(format!("* {seq} FETCH (FLAGS (\\Seen)").into_bytes());
            if items.contains("BODYSTRUCTURE") {
                let structure = self.structure.clone().unwrap_or_else(|| mail.structure());
                let head = format!(
                    " INTERNALDATE \"20-Nov-2026 10:00:00 +0000\" RFC822.SIZE 100 BODYSTRUCTURE {structure} BODY[HEADER.FIELDS (FROM SUBJECT)] {{{}}}\r\n",
                    mail.headers.len()
                );
                data.extend(head.into_bytes());
                data.extend(mail.headers.as_bytes());
            }
            for (part, number) in mail.parts.iter().zip(1..) {
                if items.contains(&format!("BODY.PEEK[{number}]")) {
                    data.extend(
                        format!(" BODY[{number}]<0> {{{}}}\r\n{}", part.3.len(), part.3)
                            .into_bytes(),
                    );
                }
            }
            if items.contains("BODY.PEEK[]") {
                let whole = format!("{}{}", mail.headers, mail.parts[0].3);
                data.extend(format!(" BODY[]<0> {{{}}}\r\n{whole}", whole.len()).into_bytes());
            }
            // pymap gives it last.
            data.extend(format!(" UID {})\r\n", mail.uid).into_bytes());
        }
        data
    }
}
