//! One connection to an IMAP server, from its greeting on (RFC 3501): signing in, looking into
//! the inbox, fetching. Nothing on the server is changed. Bytes go over any stream; how many
//! come, and how long it takes, is capped.

use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU32;

use imap_next::client::{Client, Error, Event, Options};
use imap_next::imap_types::auth::{AuthMechanism, AuthenticateData};
use imap_next::imap_types::command::{Command, CommandBody};
use imap_next::imap_types::core::{Tag, Vec1};
use imap_next::imap_types::fetch::{MessageDataItem, MessageDataItemName};
use imap_next::imap_types::mailbox::Mailbox;
use imap_next::imap_types::response::{
    Bye, Capability, Code, Data, GreetingKind, Status, StatusBody, StatusKind,
};
use imap_next::imap_types::search::SearchKey;
use imap_next::imap_types::sequence::SequenceSet;
use imap_next::{Interrupt, Io, State};

use super::MailboxError;

/// One answer of the server: a part of a mail, and what surrounds it.
const RESPONSE_BYTES_MAX: u32 = 2 * 1024 * 1024;
/// All that the server says on a connection.
const CONNECTION_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Answers that can't be read. Their mails are left out.
const MALFORMED_MAX: usize = 200;
/// Reads without an answer, of a second each, after which a wait is begun anew: 25 minutes.
const QUIET_READS_MAX: u32 = 1_500;
/// Codes of RFC 5530 by which a server says that it is not the password's fault.
const PASSING_CODES: [&str; 5] = ["UNAVAILABLE", "LIMIT", "INUSE", "SERVERBUG", "CONTACTADMIN"];

pub(super) struct ImapSession<'a, S> {
    stream: S,
    client: Client,
    capabilities: Vec<Capability<'static>>,
    bytes: usize,
    malformed: usize,
    commands: u32,
    is_late: &'a dyn Fn() -> bool,
}

/// The inbox as `EXAMINE` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inbox {
    pub(super) uid_validity: u32,
    /// `None`: the server does not say.
    pub(super) uid_next: Option<u32>,
}

/// The server's answer to a command.
struct ImapResponse {
    data: Vec<Data<'static>>,
    codes: Vec<Code<'static>>,
    end: StatusBody<'static>,
}

impl<'a, S: Read + Write> ImapSession<'a, S> {
    /// Reads the greeting. After STARTTLS there is none (`is_greeted`).
    pub(super) fn open(
        stream: S,
        is_greeted: bool,
        is_late: &'a dyn Fn() -> bool,
    ) -> Result<Self, MailboxError> {
        let mut options = Options::default();
        options.crlf_relaxed = true;
        options.max_response_size = RESPONSE_BYTES_MAX;
        options.discard_greeting = is_greeted;
        let mut session = Self {
            stream,
            client: Client::new(options),
            capabilities: Vec::new(),
            bytes: 0,
            malformed: 0,
            commands: 0,
            is_late,
        };
        if !is_greeted {
            match session.next()? {
                Event::GreetingReceived { greeting } if greeting.kind != GreetingKind::Bye => {}
                _ => return Err(busy()),
            }
        }
        session.ask_capabilities()?;
        Ok(session)
    }

    fn ask_capabilities(&mut self) -> Result<(), MailboxError> {
        let reply = self.run(CommandBody::Capability)?;
        let listed = reply.data.into_iter().find_map(|data| match data {
            Data::Capability(listed) => Some(listed),
            _ => None,
        });
        self.capabilities = listed
            .map(|listed| listed.into_iter().collect())
            .unwrap_or_default();
        Ok(())
    }

    pub(super) fn can(&self, capability: &Capability) -> bool {
        self.capabilities.contains(capability)
    }

    /// AUTHENTICATE PLAIN where the server lists it, else LOGIN.
    pub(super) fn sign_in(&mut self, username: &str, password: &str) -> Result<(), MailboxError> {
        let plain = Capability::Auth(AuthMechanism::Plain);
        let mut end = None;
        if self.can(&plain) {
            end = Some(self.authenticate(username, password)?);
        }
        // Some servers list a mechanism that they don't know.
        if end.as_ref().is_none_or(|end| end.kind == StatusKind::Bad) {
            if self.can(&Capability::LoginDisabled) {
                return Err(MailboxError::refused(
                    "The mail server takes no password: it wants another way to sign in.",
                ));
            }
            let login = CommandBody::login(username.to_owned(), password.to_owned());
            let login = login.map_err(|_| {
                MailboxError::refused(
                    "The user name or password has characters that IMAP can't send.",
                )
            })?;
            end = Some(self.run(login)?.end);
        }
        match end {
            Some(end) if end.kind == StatusKind::Ok => {
                // Others are listed to those who signed in.
                self.ask_capabilities()
            }
            Some(end) if is_passing(end.code.as_ref()) => Err(busy()),
            _ => Err(MailboxError::refused(
                "The mail server does not accept the user name and password. Many providers want an app password here.",
            )),
        }
    }

    /// The initial response only goes to servers that list SASL-IR (RFC 4959).
    fn authenticate(
        &mut self,
        username: &str,
        password: &str,
    ) -> Result<StatusBody<'static>, MailboxError> {
        let secret = format!("\0{username}\0{password}").into_bytes();
        let (initial, mut later) = match self.can(&Capability::SaslIr) {
            true => (Some(secret), None),
            false => (None, Some(secret)),
        };
        let command = match initial {
            Some(secret) => CommandBody::authenticate_with_ir(AuthMechanism::Plain, secret),
            None => CommandBody::authenticate(AuthMechanism::Plain),
        };
        self.send(command)?;
        loop {
            match self.next()? {
                Event::AuthenticateContinuationRequestReceived { .. } => {
                    let data = match later.take() {
                        Some(secret) => AuthenticateData::r#continue(secret),
                        None => AuthenticateData::Cancel,
                    };
                    self.client
                        .set_authenticate_data(data)
                        .map_err(|_| broken())?;
                }
                Event::AuthenticateStatusReceived { status, .. } => match status {
                    Status::Tagged(tagged) => return Ok(tagged.body),
                    Status::Bye(_) => return Err(busy()),
                    Status::Untagged(_) => {}
                },
                Event::StatusReceived {
                    status: Status::Bye(_),
                } => return Err(busy()),
                _ => {}
            }
        }
    }

    /// Opens the inbox for reading only.
    pub(super) fn examine(&mut self) -> Result<Inbox, MailboxError> {
        let reply = self.run(CommandBody::Examine {
            mailbox: Mailbox::Inbox,
            parameters: Vec::new(),
        })?;
        let reply = reply.or_fail()?;
        let validity = reply.codes.iter().find_map(|code| match code {
            Code::UidValidity(validity) => Some(validity.get()),
            _ => None,
        });
        let uid_next = reply.codes.iter().find_map(|code| match code {
            Code::UidNext(next) => Some(next.get()),
            _ => None,
        });
        let missing =
            || MailboxError::unreachable("The mail server has no lasting numbers for mails.");
        Ok(Inbox {
            uid_validity: validity.ok_or_else(missing)?,
            uid_next,
        })
    }

    /// UIDs in ascending order.
    pub(super) fn search(&mut self, key: SearchKey<'static>) -> Result<Vec<u32>, MailboxError> {
        let reply = self.run(CommandBody::Search {
            charset: None,
            criteria: Vec1::from(key),
            uid: true,
        })?;
        let mut uids: Vec<u32> = Vec::new();
        for data in reply.or_fail()?.data {
            if let Data::Search(found, _) = data {
                uids.extend(found.into_iter().map(NonZeroU32::get));
            }
        }
        uids.sort_unstable();
        uids.dedup();
        Ok(uids)
    }

    /// Fetches these items of each mail, one list for each. Nothing is marked as read.
    pub(super) fn fetch(
        &mut self,
        uids: &[u32],
        names: Vec<MessageDataItemName<'static>>,
    ) -> Result<Vec<Vec<MessageDataItem<'static>>>, MailboxError> {
        let uids: Vec<NonZeroU32> = uids
            .iter()
            .filter_map(|uid| NonZeroU32::new(*uid))
            .collect();
        let Ok(uids) = SequenceSet::try_from(uids) else {
            return Ok(Vec::new());
        };
        let reply = self.run(CommandBody::Fetch {
            sequence_set: uids,
            macro_or_item_names: names.into(),
            uid: true,
            modifiers: Vec::new(),
        })?;
        let data = reply.or_fail()?.data.into_iter();
        let mails = data.filter_map(|data| match data {
            Data::Fetch { items, .. } => Some(items.into_iter().collect()),
            _ => None,
        });
        Ok(mails.collect())
    }

    /// Waits for new mail until `is_late`. Servers end a wait of half an hour, so that a new one is
    /// begun before.
    pub(super) fn idle(&mut self, on_mail: &dyn Fn()) -> Result<(), MailboxError> {
        loop {
            let tag = self.send(CommandBody::Idle)?;
            let (mut quiet, mut is_ending) = (0, false);
            loop {
                let Some(event) = self.advance()? else {
                    if (self.is_late)() {
                        return Ok(());
                    }
                    if is_ending {
                        return Err(slow());
                    }
                    quiet += 1;
                    if quiet > QUIET_READS_MAX {
                        is_ending = true;
                        self.client.set_idle_done();
                    }
                    continue;
                };
                match event {
                    Event::DataReceived {
                        data: Data::Exists(_),
                    } => on_mail(),
                    Event::IdleRejected { .. } => return Err(busy()),
                    Event::StatusReceived { status } => match status {
                        Status::Tagged(tagged) if tagged.tag == tag => break,
                        Status::Bye(_) => return Err(busy()),
                        _ => {}
                    },
                    _ => {}
                }
            }
        }
    }

    pub(super) fn stream(&self) -> &S {
        &self.stream
    }

    /// Says goodbye; whether the server hears it does not matter.
    pub(super) fn sign_out(mut self) {
        self.run(CommandBody::Logout).ok();
    }

    fn send(&mut self, body: CommandBody<'static>) -> Result<Tag<'static>, MailboxError> {
        self.commands += 1;
        let tag = Tag::try_from(format!("c{}", self.commands)).map_err(|_| broken())?;
        self.client.enqueue_command(Command {
            tag: tag.clone(),
            body,
        });
        Ok(tag)
    }

    fn run(&mut self, body: CommandBody<'static>) -> Result<ImapResponse, MailboxError> {
        let is_logout = matches!(body, CommandBody::Logout);
        let tag = self.send(body)?;
        let (mut data, mut codes) = (Vec::new(), Vec::new());
        loop {
            match self.next()? {
                Event::DataReceived { data: one } => data.push(one),
                Event::StatusReceived { status } | Event::CommandRejected { status, .. } => {
                    match status {
                        Status::Tagged(tagged) if tagged.tag == tag => {
                            codes.extend(tagged.body.code.clone());
                            let end = tagged.body;
                            return Ok(ImapResponse { data, codes, end });
                        }
                        Status::Tagged(_) => {}
                        Status::Untagged(body) => codes.extend(body.code),
                        Status::Bye(_) if is_logout => {}
                        Status::Bye(Bye { .. }) => return Err(busy()),
                    }
                }
                _ => {}
            }
        }
    }

    /// The next event. Fails when none comes in time.
    fn next(&mut self) -> Result<Event, MailboxError> {
        self.advance()?.ok_or_else(slow)
    }

    /// The next event. `None`: none came during one read, or the time is up. An answer that can't
    /// be parsed is skipped.
    fn advance(&mut self) -> Result<Option<Event>, MailboxError> {
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.client.next() {
                Ok(event) => return Ok(Some(event)),
                Err(Interrupt::Io(Io::Output(bytes))) => {
                    let sent = self.stream.write_all(&bytes);
                    sent.and_then(|()| self.stream.flush())
                        .map_err(|e| cut(&e))?;
                }
                Err(Interrupt::Io(Io::NeedMoreInput)) => {
                    if (self.is_late)() {
                        return Ok(None);
                    }
                    let read = match self.stream.read(&mut buffer) {
                        Ok(read) => read,
                        Err(e) if is_timeout(&e) => return Ok(None),
                        Err(e) => return Err(cut(&e)),
                    };
                    if read == 0 {
                        return Err(MailboxError::unreachable(
                            "The mail server closed the connection.",
                        ));
                    }
                    self.bytes += read;
                    if self.bytes > CONNECTION_BYTES_MAX {
                        return Err(broken());
                    }
                    self.client.enqueue_input(&buffer[..read]);
                }
                Err(Interrupt::Error(Error::MalformedMessage { .. }))
                    if self.malformed < MALFORMED_MAX =>
                {
                    self.malformed += 1;
                }
                Err(Interrupt::Error(_)) => return Err(broken()),
            }
        }
    }
}

impl ImapResponse {
    fn or_fail(self) -> Result<Self, MailboxError> {
        match self.end.kind {
            StatusKind::Ok => Ok(self),
            StatusKind::No if is_passing(self.end.code.as_ref()) => Err(busy()),
            StatusKind::No | StatusKind::Bad => Err(MailboxError::unreachable(
                "The mail server does not show the inbox.",
            )),
        }
    }
}

fn is_passing(code: Option<&Code>) -> bool {
    let Some(Code::Other(code)) = code else {
        return false;
    };
    let code = String::from_utf8_lossy(code.inner()).to_uppercase();
    let word = code.split(' ').next().unwrap_or_default();
    PASSING_CODES.contains(&word)
}

pub(super) fn busy() -> MailboxError {
    MailboxError::unreachable("The mail server is busy or down; it is tried again later.")
}

fn slow() -> MailboxError {
    MailboxError::unreachable("The mail server takes too long to answer.")
}

fn broken() -> MailboxError {
    MailboxError::unreachable("The mail server does not answer as IMAP servers do.")
}

pub(super) fn cut(error: &std::io::Error) -> MailboxError {
    match is_timeout(error) {
        true => slow(),
        false => MailboxError::unreachable("The connection to the mail server broke."),
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
}
