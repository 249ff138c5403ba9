//! The mail that says that an account is gone: it gets there, waits for a server that is
//! down, and is given up in the end.
//!
//! Against a real server: `CHATKEEP_TEST_SMTP=… cargo test --test mail -- --ignored`, see the
//! guide (testing).

#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;

use chatkeep::account::erasure::PurgeRun;
use chatkeep::clock::{Clock, Timestamp};
use serde_json::Value;
use support::smtp::{MailResponse, MailServer};
use support::{PATIENCE, Service, direct, eventually};

const ANA: &str = "+15550101";
const EMAIL: &str = "ana@example.com";
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn noon() -> Clock {
    Clock::fixed(Timestamp::parse("2026-11-20T12:00:00Z").unwrap())
}

/// A service in which Ana's account has just been erased.
async fn erased(settings: &[(&str, &str)], clock: &Clock, email: Option<&str>) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::in_folder(folder, settings, clock.clone()).await;
    let answer = service.edge_message("a", &direct(ANA, "hi")).await;
    assert_eq!(answer.status, 200);
    let email = email.map_or("NULL".to_owned(), |email| format!("'{email}'"));
    let due = clock.now().0 - 1;
    execute(
        service.folder.path(),
        &format!(
            "UPDATE users SET email = {email}, deletion_requested_at = 0, deletion_scheduled_for = {due}"
        ),
    );
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    assert_eq!(service.rows("SELECT count(*) FROM users"), [[0]]);
    service
}

fn execute(folder: &Path, sql: &str) {
    let conn = rusqlite::Connection::open(folder.join("chatkeep.db")).unwrap();
    conn.busy_timeout(PATIENCE).unwrap();
    conn.execute_batch(sql).unwrap();
}

fn queued(service: &Service) -> Vec<Vec<Value>> {
    service.rows("SELECT attempts FROM outgoing_mails")
}

type KeyValues = Vec<(&'static str, String)>;

/// Settings for a server on this machine.
fn server(url: &str) -> KeyValues {
    vec![
        ("CHATKEEP_MAIL_SMTP_URL", url.to_owned()),
        (
            "CHATKEEP_MAIL_FROM",
            "Juno <juno@chat.example.com>".to_owned(),
        ),
    ]
}

fn borrowed(settings: &KeyValues) -> Vec<(&str, &str)> {
    settings.iter().map(|(k, v)| (*k, v.as_str())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_gets_there() {
    let mails = MailServer::start(MailResponse::Takes).await;
    let settings = server(&format!("smtp://127.0.0.1:{}", mails.port));
    let service = erased(&borrowed(&settings), &noon(), Some(EMAIL)).await;
    eventually("the mail is taken and forgotten", async || {
        mails.mails().len() == 1 && queued(&service).is_empty()
    })
    .await;
    let mail = mails.mails().remove(0);
    for part in [
        "MAIL FROM:<juno@chat.example.com>",
        "RCPT TO:<ana@example.com>",
        "From: Juno <juno@chat.example.com>",
        "To: ana@example.com",
        "Subject: Your account was deleted",
        "Message-ID: <",
        "@chat.example.com>",
        "Auto-Submitted: auto-generated",
        "Content-Type: text/plain; charset=utf-8",
        "your account with Juno was deleted",
        "Date: ",
    ] {
        assert!(mail.contains(part), "{part} in {mail}");
    }
    let (_, folder) = service.stop().await;
    let bytes = std::fs::read(folder.path().join("chatkeep.db")).unwrap();
    let found = bytes.windows(EMAIL.len()).any(|w| w == EMAIL.as_bytes());
    assert!(!found, "nothing keeps the address");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_down_is_tried_again_for_three_days() {
    for (mood, ends_in_time) in [(MailResponse::PutsOff, false), (MailResponse::Hangs, true)] {
        let clock = noon();
        let mails = MailServer::start(mood).await;
        let settings = server(&format!("smtp://127.0.0.1:{}", mails.port));
        let mut service = erased(&borrowed(&settings), &clock, Some(EMAIL)).await;
        let tried = async |service: &Service, times: i64| {
            eventually("a try", async || queued(service) == [[times]]).await;
        };
        tried(&service, 1).await;
        let mailer = service.app.deletion_mailer.clone().unwrap();
        clock.advance(59_000);
        assert_eq!(mailer.send_due().await.unwrap(), 0);
        tried(&service, 1).await;
        clock.advance(1_000);
        assert_eq!(mailer.send_due().await.unwrap(), 0);
        tried(&service, 2).await;
        // It outlives the process.
        drop(mailer);
        let (_, folder) = service.stop().await;
        clock.advance(2 * HOUR_MS);
        service = Service::in_folder(folder, &borrowed(&settings), clock.clone()).await;
        tried(&service, 3).await;
        let mailer = service.app.deletion_mailer.clone().unwrap();
        if ends_in_time {
            clock.advance(3 * DAY_MS);
            assert_eq!(mailer.send_due().await.unwrap(), 0);
            assert!(mails.mails().is_empty());
        } else {
            mails.set(MailResponse::Takes);
            clock.advance(HOUR_MS);
            assert_eq!(mailer.send_due().await.unwrap(), 1);
            assert_eq!(mails.mails().len(), 1);
        }
        assert!(queued(&service).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_sent_is_not_kept() {
    // Refused for good.
    let mails = MailServer::start(MailResponse::Refuses).await;
    let settings = server(&format!("smtp://127.0.0.1:{}", mails.port));
    let settings = borrowed(&settings);
    let service = erased(&settings, &noon(), Some(EMAIL)).await;
    eventually("it is given up", async || {
        mails.tries() == 1 && queued(&service).is_empty()
    })
    .await;
    // Not an address.
    let service = erased(&settings, &noon(), Some("nobody")).await;
    eventually("it is given up", async || queued(&service).is_empty()).await;
    // Nobody to tell, and no server.
    let service = erased(&settings, &noon(), None).await;
    assert!(queued(&service).is_empty());
    let service = erased(&[], &noon(), Some(EMAIL)).await;
    assert!(queued(&service).is_empty());
    assert_eq!(mails.tries(), 1);
}

/// The next purge drops what no server can send any more.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_no_address_stays() {
    let clock = noon();
    let mails = MailServer::start(MailResponse::PutsOff).await;
    let settings = server(&format!("smtp://127.0.0.1:{}", mails.port));
    let service = erased(&borrowed(&settings), &clock, Some(EMAIL)).await;
    assert_eq!(queued(&service).len(), 1);
    let (_, folder) = service.stop().await;
    let service = Service::in_folder(folder, &[], clock.clone()).await;
    service.app.eraser.run(PurgeRun::default()).await.unwrap();
    assert!(queued(&service).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_not_sent_in_the_clear() {
    // The server offers no STARTTLS.
    let mails = MailServer::start(MailResponse::Takes).await;
    let settings = server(&format!("smtp://me:pw@127.0.0.1:{}", mails.port));
    let service = erased(&borrowed(&settings), &noon(), Some(EMAIL)).await;
    eventually("a try", async || queued(&service) == [[1]]).await;
    assert!(mails.mails().is_empty());
}

/// `CHATKEEP_TEST_SMTP` is what `mail.smtp_url` is to be, `CHATKEEP_TEST_SMTP_CA` the
/// certificate of the server, `CHATKEEP_TEST_SMTP_EXPECTS` one of `taken` (the default),
/// `kept` and `dropped`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a real mail server, see the guide: testing"]
async fn a_real_server_answers() {
    let url = std::env::var("CHATKEEP_TEST_SMTP").expect("CHATKEEP_TEST_SMTP");
    let mut settings = server(&url);
    if let Ok(ca) = std::env::var("CHATKEEP_TEST_SMTP_CA") {
        settings.push(("CHATKEEP_MAIL_CA_FILE", ca));
    }
    let expected = std::env::var("CHATKEEP_TEST_SMTP_EXPECTS").unwrap_or("taken".to_owned());
    let clock = noon();
    let settings = borrowed(&settings);
    let service = erased(&settings, &clock, Some(EMAIL)).await;
    eventually("the try is over", async || match expected.as_str() {
        "kept" => queued(&service) == [[1]],
        _ => queued(&service).is_empty(),
    })
    .await;
}
