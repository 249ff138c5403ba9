//! Reads the inbox of a mailbox over IMAP: what is new since the last round, as extracts. A reading
//! position is UIDVALIDITY and the last UID; after UIDVALIDITY changed, mails are recognised by
//! Message-ID and date, which the store does. It blocks.

mod connection;
mod sections;
mod session;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::SocketAddr;
use std::time::Duration;

use chrono::{DateTime, Days};
use imap_next::imap_types::response::Capability;
use imap_next::imap_types::search::SearchKey;
use imap_next::imap_types::sequence::SequenceSet;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::mail_extract::{self, CalendarPart};
use crate::model::mail_item::{MailExtract, NewMailItem};
use crate::outbound::Authorities;
use sections::{ListedMail, TextPart};
use session::{ImapSession, Inbox};

/// How far back the first round looks.
const FIRST_DAYS: u64 = 30;
/// Mails of one round. What is left comes with the next.
const ROUND_MAILS_MAX: usize = 200;
/// Mails asked for at once.
const BATCH_MAILS_MAX: usize = 50;
/// Mails whose contents are asked for at once.
const CONTENTS_MAILS_MAX: usize = 10;
/// A wait for new mail checks at this interval whether it was cancelled.
const IDLE_READ_MAX: Duration = Duration::from_secs(1);
const INBOX: &str = "INBOX";

/// The position in the inbox at which the next round continues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxState {
    pub uid_validity: u32,
    pub last_uid: u32,
}

/// The new mails of one round.
#[derive(Debug, PartialEq)]
pub struct FetchResult {
    pub mails: Vec<FetchedMail>,
    pub state: InboxState,
    /// More mails wait on the server.
    pub has_more: bool,
}

/// A mail with what its calendars say.
#[derive(Debug, PartialEq)]
pub struct FetchedMail {
    pub item: NewMailItem,
    pub calendars: Vec<CalendarPart>,
}

/// A mailbox on a server, and how it is reached.
pub struct MailServer<'a> {
    /// The name that its certificate is for.
    pub host: &'a str,
    /// The host's addresses, already checked: a name that a stranger chose must not lead into the
    /// operator's own network.
    pub addresses: &'a [SocketAddr],
    pub security: Security,
    pub username: &'a str,
    pub password: &'a str,
    /// `None`: the public authorities.
    pub authorities: Option<&'a Authorities>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte.
    Tls,
    StartTls,
    /// The password is readable on the way: only for hosts that the operator names.
    Plain,
}

/// Why a mailbox can't be read, with a sentence for the person that holds no secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailboxError {
    /// The server does not accept the credentials: another try would end in the same way.
    pub is_refused: bool,
    pub sentence: String,
}

impl Security {
    /// The encryption for a port: 143 begins without TLS, 993 and others with it.
    pub fn of(tls: bool, port: u16) -> Self {
        match (tls, port) {
            (false, _) => Self::Plain,
            (true, 143) => Self::StartTls,
            (true, _) => Self::Tls,
        }
    }
}

impl MailboxError {
    fn unreachable(sentence: &str) -> Self {
        Self {
            is_refused: false,
            sentence: sentence.to_owned(),
        }
    }

    fn refused(sentence: &str) -> Self {
        Self {
            is_refused: true,
            sentence: sentence.to_owned(),
        }
    }
}

/// Signs in and looks into the inbox.
pub fn test(server: &MailServer, is_late: &dyn Fn() -> bool) -> Result<(), MailboxError> {
    let mut session = sign_in(server, is_late)?;
    session.examine()?;
    session.sign_out();
    Ok(())
}

/// How waiting for new mail ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdleEnd {
    /// The server does not tell of new mail.
    Unsupported,
    /// The connection broke, or the caller has enough of it.
    Ended,
}

/// Waits in the inbox and calls `on_mail` each time that the server tells of a mail, until
/// `is_ended`. It blocks.
pub fn wait(server: &MailServer, on_mail: &dyn Fn(), is_ended: &dyn Fn() -> bool) -> IdleEnd {
    let waited = sign_in(server, is_ended).and_then(|mut session| {
        if !session.can(&Capability::Idle) {
            session.sign_out();
            return Ok(IdleEnd::Unsupported);
        }
        session.examine()?;
        session.stream().set_patience(IDLE_READ_MAX)?;
        session.idle(on_mail)?;
        Ok(IdleEnd::Ended)
    });
    waited.unwrap_or(IdleEnd::Ended)
}

fn sign_in<'a>(
    server: &MailServer<'_>,
    is_late: &'a dyn Fn() -> bool,
) -> Result<ImapSession<'a, connection::Stream<'a>>, MailboxError> {
    let (stream, is_greeted) = connection::open(server, is_late)?;
    let mut session = ImapSession::open(stream, is_greeted, is_late)?;
    session.sign_in(server.username, server.password)?;
    Ok(session)
}

/// Fetches what is new since `before`, oldest first. What was read stays where the rest can't be
/// read now: a slow server, or one that goes down, costs no mail and is not asked for one again.
pub fn read_round(
    server: &MailServer,
    before: InboxState,
    now: Timestamp,
    is_late: &dyn Fn() -> bool,
) -> Result<FetchResult, MailboxError> {
    let mut session = sign_in(server, is_late)?;
    let inbox = session.examine()?;
    let mut uids = new_uids(&mut session, inbox, before, now)?;
    let mut has_more = uids.len() > ROUND_MAILS_MAX;
    uids.truncate(ROUND_MAILS_MAX);
    let mut mails = Vec::with_capacity(uids.len());
    let mut read = 0;
    for batch in uids.chunks(BATCH_MAILS_MAX) {
        match fetch_batch(&mut session, inbox, batch, server.username, now, &mut mails) {
            Ok(()) => read += batch.len(),
            Err(error) if read == 0 => return Err(error),
            Err(_) => {
                has_more = true;
                break;
            }
        }
    }
    uids.truncate(read);
    session.sign_out();
    let is_same = inbox.uid_validity == before.uid_validity;
    let known = if is_same { before.last_uid } else { 0 };
    // Mails that came before the first round's days are passed over.
    let passed = inbox
        .uid_next
        .filter(|_| !has_more)
        .map_or(0, |next| next - 1);
    let last = uids.last().copied().unwrap_or_default();
    Ok(FetchResult {
        mails,
        state: InboxState {
            uid_validity: inbox.uid_validity,
            last_uid: known.max(last).max(passed),
        },
        has_more,
    })
}

/// UIDs beyond the last one, or of the last days where none is known.
fn new_uids<S: Read + Write>(
    session: &mut ImapSession<'_, S>,
    inbox: Inbox,
    before: InboxState,
    now: Timestamp,
) -> Result<Vec<u32>, MailboxError> {
    let last = before.last_uid;
    if before.uid_validity != inbox.uid_validity || last == 0 {
        let since = now
            .utc()
            .date_naive()
            .checked_sub_days(Days::new(FIRST_DAYS));
        let since = since.and_then(|day| day.try_into().ok());
        return match since {
            Some(since) => session.search(SearchKey::Since(since)),
            None => Ok(Vec::new()),
        };
    }
    if inbox
        .uid_next
        .is_some_and(|next| next <= last.saturating_add(1))
    {
        return Ok(Vec::new());
    }
    let Ok(range) = SequenceSet::try_from(last.saturating_add(1)..) else {
        return Ok(Vec::new());
    };
    let mut uids = session.search(SearchKey::Uid(range))?;
    // `9:*` with nothing new is the last mail, 8.
    uids.retain(|uid| *uid > last);
    Ok(uids)
}

fn fetch_batch<S: Read + Write>(
    session: &mut ImapSession<'_, S>,
    inbox: Inbox,
    uids: &[u32],
    own: &str,
    now: Timestamp,
    mails: &mut Vec<FetchedMail>,
) -> Result<(), MailboxError> {
    let listed = session.fetch(uids, sections::overview())?;
    let listed = listed.into_iter().filter_map(sections::listed_mail);
    // Unasked answers may be about other mails.
    let listed: BTreeMap<u32, ListedMail> = listed
        .map(|mail| (mail.uid, mail))
        .filter(|(uid, _)| uids.contains(uid))
        .collect();
    // Mails of the same form are asked for together.
    let mut forms: BTreeMap<Vec<Vec<u32>>, Vec<u32>> = BTreeMap::new();
    for (uid, mail) in &listed {
        let number = |part: &TextPart| part.number.iter().map(|n| n.get()).collect();
        let form = mail.parts.iter().map(number).collect();
        forms.entry(form).or_default().push(*uid);
    }
    let mut read = Vec::new();
    for uids in forms
        .values()
        .flat_map(|uids| uids.chunks(CONTENTS_MAILS_MAX))
    {
        let Some(first) = listed.get(&uids[0]) else {
            continue;
        };
        let fetched = match first.parts.is_empty() {
            true => Vec::new(),
            false => session.fetch(uids, sections::contents(&first.parts))?,
        };
        let mut contents: BTreeMap<u32, Vec<_>> = BTreeMap::new();
        for (uid, parts) in fetched.into_iter().filter_map(sections::fetched) {
            contents.entry(uid).or_default().extend(parts);
        }
        for uid in uids {
            let parts = contents.remove(uid).unwrap_or_default();
            read.extend(
                listed
                    .get(uid)
                    .map(|mail| item(mail, &mail.assemble(&parts), inbox, own, now)),
            );
        }
    }
    // The server's answer about them can't be read: their begin is fetched as it is.
    let unlisted: Vec<u32> = uids
        .iter()
        .copied()
        .filter(|uid| !listed.contains_key(uid))
        .collect();
    for uids in unlisted.chunks(CONTENTS_MAILS_MAX) {
        let fetched = session.fetch(uids, sections::begin())?;
        let fetched = fetched.into_iter().filter_map(sections::listed_mail);
        let wanted = fetched.filter(|mail| uids.contains(&mail.uid));
        read.extend(wanted.map(|mail| item(&mail, &mail.headers, inbox, own, now)));
    }
    read.sort_by_key(|mail| mail.item.uid);
    mails.extend(read);
    Ok(())
}

fn item(mail: &ListedMail, bytes: &[u8], inbox: Inbox, own: &str, now: Timestamp) -> FetchedMail {
    let read = mail_extract::extract(bytes, own).unwrap_or_default();
    FetchedMail {
        item: NewMailItem {
            mailbox: INBOX.to_owned(),
            uid_validity: inbox.uid_validity,
            uid: mail.uid,
            mail_key: key(&read.extract, inbox, mail.uid),
            received_at: mail.received_at.map_or(now, Timestamp),
            extract: read.extract,
            facts: read.facts,
        },
        calendars: read.calendars,
    }
}

/// A mail's key, which doesn't change with its UID, except for a mail without Message-ID and date.
fn key(extract: &MailExtract, inbox: Inbox, uid: u32) -> String {
    let sent = extract.sent_at.and_then(DateTime::from_timestamp_millis);
    let sent = sent.map(|at| at.to_rfc3339()).unwrap_or_default();
    match extract.message_id.is_empty() && sent.is_empty() {
        true => format!("uid {} {uid}", inbox.uid_validity),
        false if extract.message_id.is_empty() => format!("{} {sent}", extract.from_email),
        false => format!("{} {sent}", extract.message_id),
    }
}
