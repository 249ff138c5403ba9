//! The service is killed again and again while superpowers have something to say: each notice
//! becomes a command once.

use std::path::Path;
use std::time::Duration;

use chatkeep::clock::{Clock, Timestamp};
use chatkeep::model::calendar::{EventClock, EventTime};
use chatkeep::model::connected_service::ServiceKind;
use chatkeep::model::mail_item::{FactKind, FactStatus, MailExtract, MailFact, NewMailItem};
use chatkeep::store::{
    NewService, Options, PowerOwner, PowerState, PowerStateWrite, Store, Tx, UserId,
};
use serde_json::json;

use super::support::process::Process;
use super::support::{self, direct, post, token};
use super::{NO_SYNC, at};

const PEOPLE: u32 = 30;
const KILLS: u64 = 12;
const AGENT: &str = "a";
const HOUR_MS: i64 = 3_600_000;
/// Nobody is told anything more.
const WAITING: &str = "SELECT power FROM power_alarms WHERE power = 'tickets_vault'";
/// The last start may take so long to tell what is left.
const END_MAX: Duration = Duration::from_secs(60);

fn start(database: &Path) -> Process {
    let settings = [
        ("CHATKEEP_ACCESS_CHARGE_NOBODY", "true"),
        ("CHATKEEP_EDGE_COMMANDS_PER_MINUTE", "1000000"),
    ];
    Process::start(database, &settings).unwrap()
}

/// A ticket for an hour from now in the mailbox of somebody who is always awake.
fn ticket(tx: &Tx, user: UserId, n: u32, now: Timestamp) -> chatkeep::error::Result<()> {
    let service_id = format!("mail{n}");
    let service = tx.insert_service(&NewService {
        service_id: &service_id,
        user,
        kind: ServiceKind::Imap,
        name: "Mail",
        host: "mail.example.org",
        credentials: b"sealed",
        now,
        next_sync_at: at(NO_SYNC),
    })?;
    let begins = now.plus_ms(HOUR_MS);
    let mail = NewMailItem {
        mailbox: "INBOX".to_owned(),
        uid_validity: 1,
        uid: n,
        mail_key: format!("ticket {n}"),
        received_at: now,
        extract: MailExtract::default(),
        facts: vec![MailFact {
            kind: FactKind::Event,
            key: format!("show {n}"),
            status: FactStatus::Confirmed,
            time: Some(EventTime {
                clock: EventClock::Zoned,
                starts_at: begins,
                ends_at: begins,
            }),
            data: json!({"title": format!("Show {n}")}),
        }],
    };
    tx.put_mail(service, user, &mail, now)?;
    let awake = PowerState {
        name: "notices".to_owned(),
        state: json!({"waking": {"from": 0, "to": 0}}).to_string(),
        previous: None,
    };
    let write = PowerStateWrite::without_message(now);
    tx.set_power_state(PowerOwner::User(user), &awake, write)
}

/// Everybody has written, and has a ticket that is not told yet.
async fn prepare(database: &Path) {
    let mut service = start(database);
    for n in 0..PEOPLE {
        let hello = post("/edge/message", &direct(&format!("+1555{n:07}"), "hello"));
        let answer = service.send(&hello.bearer(&token(AGENT))).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    service.kill();
    let store = Store::open(&Options {
        path: database.to_owned(),
        full_durability: false,
        readers: 1,
        payment_provider: false,
    })
    .unwrap();
    let now = Clock::system().now();
    let written = store.write(move |tx| {
        for n in 0..PEOPLE {
            ticket(tx, UserId(i64::from(n) + 1), n, now)?;
        }
        Ok(())
    });
    written.await.unwrap();
}

fn told(database: &Path) -> Vec<String> {
    let tickets = "SELECT json_extract(payload, '$.text') FROM commands
                   WHERE json_extract(payload, '$.text') LIKE '%Your ticket%'";
    let rows = support::rows(database, tickets).into_iter();
    rows.map(|row| row[0].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_are_neither_lost_nor_doubled_by_kills() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("chatkeep.db");
    prepare(&database).await;
    for kill in 0..KILLS {
        let mut service = start(&database);
        // A random moment of the first looks, at which people are planned for and told.
        tokio::time::sleep(Duration::from_millis(kill * 7 % 60)).await;
        service.kill();
    }
    let _service = start(&database);
    let all = async {
        while told(&database).len() < PEOPLE as usize {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let is_all = tokio::time::timeout(END_MAX, all).await.is_ok();
    let mut texts = told(&database);
    assert!(is_all, "{} of {PEOPLE}", texts.len());
    assert_eq!(texts.len(), PEOPLE as usize);
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), PEOPLE as usize, "none is told twice");
    assert!(support::rows(&database, WAITING).is_empty());
}
