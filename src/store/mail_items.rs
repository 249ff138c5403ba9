//! Extracts of people's mails, and the bookings, parcels and the like that mails are about.

use super::connected_services::ServiceChanges;
use super::query::{Columns, FromRow, Json, Text, from_row};
use super::{ServiceId, Tx, UserId, View};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::model::calendar::{EventClock, EventTime};
use crate::model::mail_item::{MailExtract, MailFact, NewMailItem};

/// Facts that one read returns.
const FACTS_MAX: i64 = 500;
/// Later a mail is no news.
const NEWS_MS: i64 = 12 * 60 * 60_000;
/// Rows that housekeeping removes in one transaction.
const PRUNED_MAX: i64 = 500;

/// A stored extract of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailItem {
    pub id: i64,
    pub service: ServiceId,
    pub user: UserId,
    pub mailbox: String,
    pub uid_validity: u32,
    pub uid: u32,
    pub received_at: Timestamp,
    pub extract: MailExtract,
    pub first_seen_at: Timestamp,
}

/// A stored fact that mails state: a booking, a parcel or the like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailFactRow {
    pub id: i64,
    pub user: UserId,
    /// The last mail about it, while its extract is stored.
    pub mail: Option<i64>,
    pub fact: MailFact,
    pub first_seen_at: Timestamp,
    pub changed_at: Timestamp,
    /// When the last mail about it came, while its extract is stored.
    pub received_at: Timestamp,
    /// The subject of the last mail about it; empty when that mail's extract is gone.
    pub subject: String,
}

const ITEM_COLUMNS: &str = "SELECT id, service_id, user_id, mailbox, uid_validity, uid,
       received_at, extract, first_seen_at FROM mail_items";
const FACT_COLUMNS: &str = "SELECT fact.id, fact.user_id, mail_id, kind, fact_key, status, clock,
       starts_at, ends_at, data, fact.first_seen_at, changed_at,
       coalesce(mail.received_at, changed_at), coalesce(mail.extract ->> '$.subject', '')
       FROM mail_facts AS fact LEFT JOIN mail_items AS mail ON mail.id = fact.mail_id";
/// SQL: only services that are connected.
const CONNECTED: &str = "service_id IN (SELECT id FROM connected_services
         WHERE user_id = ?1 AND removed_at IS NULL)";
/// SQL: not a copy of a mail in another mailbox of the person, or in the same mailbox connected by
/// another name of its host. Of several copies the first that is addressed to the person counts.
const NO_COPY: &str = "NOT EXISTS (SELECT 1 FROM connected_services AS other
         JOIN mail_items AS first ON first.service_id = other.id
         WHERE other.user_id = mail_items.user_id AND other.removed_at IS NULL
           AND first.mail_key = mail_items.mail_key AND first.mail_key NOT GLOB 'uid *'
           AND (first.extract ->> '$.is_to_self', -first.id)
             > (mail_items.extract ->> '$.is_to_self', -mail_items.id))";

impl Tx<'_> {
    /// Writes a mail with its facts. A mail that is known gets its new place on the server and
    /// nothing else: false.
    pub fn put_mail(
        &self,
        service: ServiceId,
        user: UserId,
        mail: &NewMailItem,
        now: Timestamp,
    ) -> Result<bool> {
        let moved = self.execute(
            "UPDATE mail_items SET mailbox = ?3, uid_validity = ?4, uid = ?5
             WHERE service_id = ?1 AND mail_key = ?2",
            (
                service, &mail.mail_key, &mail.mailbox, mail.uid_validity, mail.uid,
            ),
        )?;
        if moved > 0 {
            return Ok(false);
        }
        self.run(
            "INSERT INTO mail_items (service_id, user_id, mailbox, uid_validity, uid, mail_key,
               received_at, extract, first_seen_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            (
                service,
                user,
                &mail.mailbox,
                mail.uid_validity,
                mail.uid,
                &mail.mail_key,
                mail.received_at,
                Json(&mail.extract),
                now,
            ),
        )?;
        let id = self.conn.last_insert_rowid();
        for fact in &mail.facts {
            self.put_mail_fact(service, user, id, fact, now)?;
        }
        Ok(true)
    }

    /// Stores a fact of a mail. Fields that a later mail leaves out stay as an earlier one said
    /// them. An earlier mail that is read later changes nothing.
    fn put_mail_fact(
        &self,
        service: ServiceId,
        user: UserId,
        mail: i64,
        fact: &MailFact,
        now: Timestamp,
    ) -> Result<()> {
        let clock = fact.time.map_or(EventClock::Zoned, |time| time.clock);
        self.run(
            "INSERT INTO mail_facts (service_id, user_id, mail_id, kind, fact_key, status, clock,
               starts_at, ends_at, data, first_seen_at, changed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11)
             ON CONFLICT (user_id, kind, fact_key) DO UPDATE SET service_id = excluded.service_id,
               mail_id = excluded.mail_id, status = excluded.status,
               clock = iif(excluded.starts_at IS NULL, clock, excluded.clock),
               starts_at = coalesce(excluded.starts_at, starts_at),
               ends_at = iif(excluded.starts_at IS NULL, ends_at, excluded.ends_at),
               data = json_patch(data, excluded.data),
               changed_at = iif(status = excluded.status
                 AND starts_at IS coalesce(excluded.starts_at, starts_at)
                 AND ends_at IS iif(excluded.starts_at IS NULL, ends_at, excluded.ends_at)
                 AND json(data) = json_patch(data, excluded.data), changed_at,
                 excluded.changed_at)
             WHERE NOT EXISTS (SELECT 1 FROM mail_items AS last, mail_items AS this
               WHERE last.id = mail_facts.mail_id AND this.id = excluded.mail_id
                 AND last.received_at > this.received_at)",
            (
                service,
                user,
                mail,
                Text(fact.kind),
                &fact.key,
                Text(fact.status),
                Text(clock),
                fact.time.map(|time| time.starts_at.0),
                fact.time.map(|time| time.ends_at.0),
                Json(&fact.data),
                now,
            ),
        )
    }

    /// Keeps what a language model said of a mail.
    pub fn judge_mail(&self, mail: i64, is_urgent: bool) -> Result<()> {
        self.run(
            "UPDATE mail_items SET extract = json_set(extract, '$.judged', json(?2)) WHERE id = ?1",
            (mail, is_urgent.to_string()),
        )
    }

    /// Removes some extracts of mails that came before `before`; what they are about stays.
    /// To be called until it returns true.
    pub fn prune_mails(&self, service: ServiceId, before: Timestamp) -> Result<bool> {
        let pruned = self.execute(
            "DELETE FROM mail_items WHERE id IN
             (SELECT id FROM mail_items WHERE service_id = ?1 AND received_at < ?2 LIMIT ?3)",
            (service, before, PRUNED_MAX),
        )?;
        Ok((pruned as i64) < PRUNED_MAX)
    }
}

impl View<'_> {
    /// The mails of a user that came at or after `since`, newest first, at most `limit`.
    pub fn mails_since(
        &self,
        user: UserId,
        since: Timestamp,
        limit: usize,
    ) -> Result<Vec<MailItem>> {
        self.all(
            &format!(
            "{ITEM_COLUMNS} WHERE user_id = ?1 AND received_at >= ?2 AND {CONNECTED} AND {NO_COPY}
             ORDER BY received_at DESC, id DESC LIMIT ?3"
        ),
            (user, since, limit as i64),
        )
    }

    /// Mails to their person first seen after `since` that no language model has judged, at most
    /// `limit`. Mail that came long before it was seen is no news.
    pub fn unjudged_mails(&self, since: Timestamp, limit: usize) -> Result<Vec<MailItem>> {
        self.all(
            &format!(
                "{ITEM_COLUMNS} INDEXED BY mail_items_seen
                 WHERE first_seen_at > ?1 AND received_at > ?1 - ?2
                   AND extract ->> '$.judged' IS NULL AND extract ->> '$.is_to_self'
                   AND {NO_COPY} LIMIT ?3"
            ),
            (since, NEWS_MS, limit as i64),
        )
    }

    /// How many mails of a user since `since` a language model has judged.
    pub fn judged_mails(&self, user: UserId, since: Timestamp) -> Result<i64> {
        self.one(
            "SELECT count(*) FROM mail_items
             WHERE user_id = ?1 AND received_at > ?2 AND extract ->> '$.judged' IS NOT NULL",
            (user, since),
        )
    }

    /// Mails that were first seen after `since`, by user.
    pub fn new_mails_by_user(&self, since: Timestamp) -> Result<Vec<ServiceChanges>> {
        let sql = "SELECT user_id, first_seen_at
             FROM mail_items INDEXED BY mail_items_seen
             WHERE first_seen_at > ?1";
        self.service_changes(sql, since)
    }

    /// A user's facts that are not over by `from`, for renewals by `renewals_from` (those
    /// without a time, first seen at or after it), in order of time; cancelled ones too.
    pub fn mail_facts(
        &self,
        user: UserId,
        from: Timestamp,
        renewals_from: Timestamp,
    ) -> Result<Vec<MailFactRow>> {
        self.all(
            &format!(
                "{FACT_COLUMNS} WHERE fact.user_id = ?1 AND fact.{CONNECTED}
                   AND coalesce(ends_at, starts_at, fact.first_seen_at)
                     >= iif(kind = 'renewal', ?3, ?2)
                 ORDER BY coalesce(starts_at, fact.first_seen_at), fact.id LIMIT ?4"
            ),
            (user, from, renewals_from, FACTS_MAX),
        )
    }
}

from_row!(MailItem: id, service, user, mailbox, uid_validity, uid, received_at, extract as Json,
    first_seen_at);
from_row!(MailFactRow: id, user, mail, fact, first_seen_at, changed_at, received_at, subject);
from_row!(MailFact: kind as Text, key, status as Text, time, data as Json);

impl FromRow for Option<EventTime> {
    fn read(columns: &mut Columns) -> rusqlite::Result<Self> {
        let Text(clock) = FromRow::read(columns)?;
        let (starts_at, ends_at): (Option<Timestamp>, Option<Timestamp>) = FromRow::read(columns)?;
        Ok(starts_at.map(|starts_at| EventTime {
            clock,
            starts_at,
            ends_at: ends_at.unwrap_or(starts_at),
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{NewService, Store};
    use super::*;
    use crate::model::connected_service::ServiceKind;
    use crate::model::mail_item::{FactKind, FactStatus};

    const USER: UserId = UserId(1);

    fn parcel(uid: u32, key: &str, status: FactStatus) -> NewMailItem {
        NewMailItem {
            mailbox: "INBOX".to_owned(),
            uid_validity: 1,
            uid,
            mail_key: key.to_owned(),
            received_at: Timestamp(i64::from(uid) * 1_000),
            extract: MailExtract {
                from_name: "Ana".to_owned(),
                subject: "Your PARCEL".to_owned(),
                ..MailExtract::default()
            },
            facts: vec![MailFact {
                kind: FactKind::Parcel,
                key: "1Z".to_owned(),
                status,
                time: None,
                data: json!({"tracking_number": "1Z"}),
            }],
        }
    }

    #[tokio::test]
    async fn a_mail_is_known_whatever_its_uid_and_facts_are_one_for_one_thing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_in(folder.path());
        let done = store.write(|tx| {
            let user = "INSERT INTO users (id, user_id, created_at) VALUES (1, 'u', 1)";
            tx.execute(user, [])?;
            let service = tx.insert_service(&NewService {
                service_id: "s",
                user: USER,
                kind: ServiceKind::Imap,
                name: "Mail",
                host: "example.com",
                credentials: b"sealed",
                next_sync_at: Timestamp(0),
                now: Timestamp(0),
            })?;
            let put = |mail: &NewMailItem, now| tx.put_mail(service, USER, mail, Timestamp(now));
            assert!(put(&parcel(1, "a", FactStatus::Pending), 10)?);
            assert!(!put(&parcel(9, "a", FactStatus::Cancelled), 11)?, "known");
            assert!(put(&parcel(2, "b", FactStatus::Pending), 12)?);
            let view = tx.view();
            let since = view.mails_since(USER, Timestamp(0), 10)?;
            let uids: Vec<u32> = since.iter().map(|mail| mail.uid).collect();
            assert_eq!(uids, [2, 9]);
            let facts = view.mail_facts(USER, Timestamp(0), Timestamp(0))?;
            assert_eq!(facts.len(), 1);
            assert_eq!(
                (facts[0].changed_at, facts[0].mail),
                (Timestamp(10), Some(since[0].id))
            );
            assert!(put(&parcel(3, "c", FactStatus::Confirmed), 13)?);
            assert!(tx.prune_mails(service, Timestamp(4_000))?);
            let facts = view.mail_facts(USER, Timestamp(0), Timestamp(0))?;
            assert_eq!((facts[0].changed_at, facts[0].mail), (Timestamp(13), None));
            assert!(view.mails_since(USER, Timestamp(0), 10)?.is_empty());
            Ok(())
        });
        done.await.unwrap();
    }
}
