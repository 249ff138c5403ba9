//! Reading a mailbox over IMAP, against a small server of our own.

use std::cell::Cell;
use std::io::Write as _;
use std::net::TcpListener;

use crate::imap::{ImapStub, PASSWORD, StubMail, USER};
use chatkeep::clock::Timestamp;
use chatkeep::mailbox::{
    FetchResult, InboxState, MailServer, MailboxError, Security, read_round, test,
};

/// 20 November 2026, noon.
const NOW: Timestamp = Timestamp(1_795_176_000_000);

fn server<'a>(stub: &'a ImapStub, password: &'a str) -> MailServer<'a> {
    MailServer {
        host: "localhost",
        addresses: std::slice::from_ref(&stub.address),
        security: Security::Plain,
        username: USER,
        password,
        authorities: None,
    }
}

fn read(stub: &ImapStub, before: InboxState) -> Result<FetchResult, MailboxError> {
    read_round(&server(stub, PASSWORD), before, NOW, &|| false)
}

fn sign_in(stub: &ImapStub, password: &str) -> Result<(), MailboxError> {
    test(&server(stub, password), &|| false)
}

fn subjects(round: &FetchResult) -> Vec<&str> {
    round
        .mails
        .iter()
        .map(|mail| mail.item.extract.subject.as_str())
        .collect()
}

#[test]
fn new_mails_are_read_once_and_nothing_is_changed() {
    let stub = ImapStub::start(vec![
        StubMail::text(3, "one", "First."),
        StubMail::text(8, "two", "Second."),
    ]);
    let first = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(subjects(&first), ["one", "two"]);
    assert_eq!(first.mails[1].item.extract.text, "Second.");
    assert_eq!(first.mails[1].item.extract.from_email, "ana@example.com");
    assert_eq!(
        first.state,
        InboxState {
            uid_validity: 7,
            last_uid: 8
        }
    );
    let asked = stub.requests();
    assert!(
        asked.contains(&"UID SEARCH SINCE \"21-Oct-2026\"".to_owned()),
        "{asked:?}"
    );
    assert!(asked.contains(&"EXAMINE INBOX".to_owned()), "{asked:?}");
    for command in &asked {
        assert!(
            !command.starts_with("SELECT") && !command.contains("STORE"),
            "{command}"
        );
        assert_eq!(command.matches("BODY[").count(), 0, "{command}");
    }

    let second = read(&stub, first.state).expect("a round");
    assert_eq!(subjects(&second), Vec::<&str>::new());
    stub.inbox()
        .mails
        .push(StubMail::text(12, "three", "Third."));
    let third = read(&stub, second.state).expect("a round");
    assert_eq!(subjects(&third), ["three"]);
    assert_eq!(third.state.last_uid, 12);
}

#[test]
fn a_new_uid_validity_shows_the_same_mails_under_the_same_keys() {
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let first = read(&stub, InboxState::default()).expect("a round");
    stub.inbox().uid_validity = 9;
    stub.inbox().mails[0].uid = 1;
    stub.inbox().mails[0].headers = first_headers();
    let again = read(&stub, first.state).expect("a round");
    assert_eq!(
        again.state,
        InboxState {
            uid_validity: 9,
            last_uid: 1
        }
    );
    assert_eq!(first.mails[0].item.mail_key, again.mails[0].item.mail_key);
    assert_ne!(first.mails[0].item.uid, again.mails[0].item.uid);
}

fn first_headers() -> String {
    StubMail::text(3, "one", "").headers
}

#[test]
fn many_mails_come_in_rounds_and_batches() {
    let mails = (1..=230).map(|uid| StubMail::text(uid, &format!("mail {uid}"), "Text."));
    let stub = ImapStub::start(mails.collect());
    let first = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(
        (first.mails.len(), first.has_more, first.state.last_uid),
        (200, true, 200)
    );
    let overviews = stub
        .requests()
        .into_iter()
        .filter(|command| command.contains("BODYSTRUCTURE"));
    assert_eq!(overviews.count(), 4);
    let second = read(&stub, first.state).expect("a round");
    assert_eq!(
        (second.mails.len(), second.has_more, second.state.last_uid),
        (30, false, 230)
    );
}

#[test]
fn only_parts_with_text_are_fetched() {
    let mut mail = StubMail::text(5, "parts", "");
    let markup = "<script type=\"application/ld+json\">{\"@type\":\"ParcelDelivery\",\"trackingNumber\":\"1Z5550101\"}</script>";
    mail.parts = vec![
        (
            "TEXT",
            "PLAIN",
            "\"charset\" \"utf-8\" \"format\" \"flowed\"",
            "Your parcel \r\nis here.".to_owned(),
        ),
        ("TEXT", "HTML", "\"charset\" \"utf-8\"", markup.to_owned()),
        (
            "IMAGE",
            "PNG",
            "\"name\" \"a.png\"",
            "not fetched".to_owned(),
        ),
    ];
    let stub = ImapStub::start(vec![mail]);
    let round = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(round.mails[0].item.extract.text, "Your parcel is here.");
    assert_eq!(round.mails[0].item.facts[0].key, "1z5550101");
    let asked = stub.requests();
    assert!(
        asked.contains(
            &"UID FETCH 5 (UID BODY.PEEK[1]<0.262144> BODY.PEEK[2]<0.262144>)".to_owned()
        ),
        "{asked:?}"
    );
}

#[test]
fn signing_in_goes_the_way_that_the_server_lists() {
    for (capabilities, begin) in [
        ("IMAP4rev1 SASL-IR AUTH=PLAIN", "AUTHENTICATE PLAIN A"),
        ("IMAP4rev1 AUTH=PLAIN", "AUTHENTICATE PLAIN"),
        ("IMAP4rev1", "LOGIN "),
    ] {
        let stub = ImapStub::start(Vec::new());
        stub.inbox().capabilities = capabilities;
        sign_in(&stub, PASSWORD).expect(capabilities);
        let asked = stub.requests();
        assert!(asked[1].starts_with(begin), "{capabilities}: {asked:?}");
    }
}

#[test]
fn a_wrong_password_is_refused_and_a_busy_server_is_not() {
    let stub = ImapStub::start(Vec::new());
    for (refusal, is_refused) in [
        ("NO [AUTHENTICATIONFAILED] Authentication failed.", true),
        ("NO Login failed", true),
        ("NO [UNAVAILABLE] Try later", false),
        ("NO [LIMIT] Too many connections", false),
    ] {
        stub.inbox().refusal = refusal;
        let error = sign_in(&stub, "wrong-secret").expect_err(refusal);
        assert_eq!(error.is_refused, is_refused, "{refusal}: {error:?}");
        assert!(!error.sentence.contains("wrong-secret"), "{error:?}");
    }
    stub.inbox().capabilities = "IMAP4rev1 LOGINDISABLED";
    assert!(sign_in(&stub, PASSWORD).expect_err("disabled").is_refused);
    stub.inbox().noise = "* BYE going down\r\n";
    assert!(!sign_in(&stub, PASSWORD).expect_err("bye").is_refused);
}

#[test]
fn unasked_lines_and_broken_answers_do_not_matter() {
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    stub.inbox().noise =
        "* 4 EXISTS\r\n* 1 FETCH (FLAGS (\\Seen))\r\n* OK still here\r\n* 2 EXPUNGE\r\n";
    let round = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(subjects(&round), ["one"]);
    // Its nesting would take the stack of a parser without a cap; the mail is read as a whole.
    stub.inbox().structure = Some("(".repeat(100_000));
    let round = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(subjects(&round), ["one"]);
    assert_eq!(round.mails[0].item.extract.text, "First.");
}

#[test]
fn a_line_that_breaks_is_told_and_nothing_is_lost() {
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    for command in [
        "CAPABILITY", "AUTHENTICATE", "EXAMINE", "UID SEARCH", "UID FETCH",
    ] {
        stub.inbox().closes_at = command;
        let error = read(&stub, InboxState::default()).expect_err(command);
        assert!(!error.is_refused, "{command}");
    }
    stub.inbox().closes_at = "";
    let round = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(subjects(&round), ["one"]);
}

#[test]
fn what_was_read_before_a_server_goes_down_is_not_read_again() {
    let mails = (1..=120).map(|uid| StubMail::text(uid, &format!("mail {uid}"), "Text."));
    let stub = ImapStub::start(mails.collect());
    // In its first answer about mails: nothing was read.
    stub.inbox().cuts_at = "UID FETCH 1:";
    assert!(
        !read(&stub, InboxState::default())
            .expect_err("cut")
            .is_refused
    );
    stub.inbox().cuts_at = "UID FETCH 51:";
    let first = read(&stub, InboxState::default()).expect("a round");
    assert_eq!(
        (first.mails.len(), first.has_more, first.state.last_uid),
        (50, true, 50)
    );
    stub.inbox().cuts_at = "";
    let second = read(&stub, first.state).expect("a round");
    assert_eq!(
        (second.mails.len(), second.has_more, second.state.last_uid),
        (70, false, 120)
    );
    assert_eq!(subjects(&second)[0], "mail 51");
}

/// It sends three bytes and then nothing more.
#[test]
fn a_server_that_sends_little_at_a_time_ends_in_time() {
    for (security, bytes) in [
        (Security::Plain, b"* O"),
        (Security::StartTls, b"* O"),
        (Security::Tls, b"\x16\x03\x03"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(bytes).expect("a client that reads");
            // Until the client goes away.
            std::io::copy(&mut stream, &mut std::io::sink()).ok();
        });
        let server_named = MailServer {
            host: "localhost",
            addresses: &[address],
            security,
            username: USER,
            password: PASSWORD,
            authorities: None,
        };
        // It is late as soon as something was read.
        let looks = Cell::new(0);
        let is_late = || looks.replace(looks.get() + 1) > 0;
        let round = read_round(&server_named, InboxState::default(), NOW, &is_late);
        let error = round.expect_err("late");
        assert_eq!(error.sentence, "The mail server takes too long to answer.");
        assert!(looks.get() > 1, "{security:?}");
        server.join().expect("the server");
    }
}

#[test]
fn a_round_that_takes_too_long_ends() {
    let stub = ImapStub::start(vec![StubMail::text(3, "one", "First.")]);
    let server = server(&stub, PASSWORD);
    let round = read_round(&server, InboxState::default(), NOW, &|| true);
    assert!(!round.expect_err("late").is_refused);
}
