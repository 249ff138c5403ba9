//! The mail that confirms an account's deletion, and its queue: each mail is kept until a mail
//! server accepts it, at most 3 days. Addresses and texts are never logged.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::mail::{MailRefusal, Mailer, OutgoingLetter};
use crate::metrics::CallMetrics;
use crate::setting::Setting;
use crate::store::{NewMail, OutgoingMail, SharedStore};

/// How often the queue is checked.
pub const POLL_INTERVAL: Duration = Duration::from_secs(30);
const FIRST_PAUSE_MS: i64 = 60_000;
const PAUSE_MS_MAX: i64 = 3_600_000;
/// A mail is dropped after this time.
pub(super) const KEPT_MS_MAX: i64 = 3 * 86_400_000;
/// More attempts than fit into 3 days, in case the clock stands still.
const ATTEMPTS_MAX: i64 = 90;

/// `None` without an address or a mail server; then nothing is queued.
pub(super) fn mail(email: Option<&str>, configured: bool, persona: &str) -> Option<NewMail> {
    let recipient = email?.to_owned();
    if !configured {
        log::info!(
            "no mail server is configured, so no confirmation of an account's deletion was sent"
        );
        return None;
    }
    Some(NewMail {
        recipient,
        subject: "Your account was deleted".to_owned(),
        text: format!(
            "Hello,\n\n\
             your account with {persona} was deleted, as you asked 30 days ago. Your profile, your\n\
             messages, memories, reminders, exports and payment details with us are gone and can't\n\
             be brought back. This address is removed with this mail.\n\n\
             If you write to {persona} again, you start anew.\n"
        ),
    })
}

/// Sends queued mails.
pub struct DeletionMailer {
    pub store: SharedStore,
    pub clock: Clock,
    pub mailer: Setting<Mailer>,
    /// Notified when a mail is queued.
    pub queued: Arc<Notify>,
    pub calls: CallMetrics,
}

impl DeletionMailer {
    /// Tries every due mail once. Returns how many were accepted.
    pub async fn send_due(&self) -> Result<usize> {
        let now = self.clock.now();
        let mut sent = 0;
        loop {
            let due = self.store.read(move |view| view.due_mails(now)).await?;
            if due.is_empty() {
                return Ok(sent);
            }
            for mail in due {
                sent += usize::from(self.send(mail).await?);
            }
        }
    }

    async fn send(&self, mail: OutgoingMail) -> Result<bool> {
        let (mailer, letter) = (self.mailer.get(), mail.clone());
        let outcome = tokio::task::spawn_blocking(move || {
            mailer.send(&OutgoingLetter {
                id: &letter.mail_id,
                to: &letter.recipient,
                subject: &letter.subject,
                text: &letter.text,
            })
        });
        let outcome = outcome
            .await
            .unwrap_or_else(|error| Err(MailRefusal::temporary(error)));
        self.calls.record(&outcome);
        let now = self.clock.now();
        let verdict = judge(&outcome, &mail, now);
        let (level, line) = report(&verdict, &outcome, mail.attempts + 1);
        log::log!(level, "{line}");
        self.store
            .write(move |tx| match verdict {
                MailDisposition::Later(at) => tx.postpone_mail(mail.id, at),
                MailDisposition::Sent | MailDisposition::Drop => tx.delete_mail(mail.id),
            })
            .await?;
        Ok(outcome.is_ok())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MailDisposition {
    Sent,
    Later(Timestamp),
    Drop,
}

/// The log's line about an attempt, without the address.
fn report(
    verdict: &MailDisposition,
    outcome: &Result<(), MailRefusal>,
    attempts: i64,
) -> (log::Level, String) {
    match (verdict, outcome) {
        (_, Ok(())) => {
            let line = "the confirmation of an account's deletion was sent by mail".to_owned();
            (log::Level::Info, line)
        }
        (MailDisposition::Later(_), Err(refusal)) => {
            let line = format!("a mail could not be sent and will be retried: {refusal}");
            (log::Level::Warn, line)
        }
        (_, Err(refusal)) => {
            let line = format!("a mail was dropped after {attempts} attempts: {refusal}");
            (log::Level::Warn, line)
        }
    }
}

fn judge(
    outcome: &Result<(), MailRefusal>,
    mail: &OutgoingMail,
    now: Timestamp,
) -> MailDisposition {
    let Err(refusal) = outcome else {
        return MailDisposition::Sent;
    };
    let next = now.plus_ms((FIRST_PAUSE_MS << mail.attempts.clamp(0, 6)).min(PAUSE_MS_MAX));
    let has_expired = next.0 - mail.created_at.0 > KEPT_MS_MAX || mail.attempts + 1 >= ATTEMPTS_MAX;
    if refusal.is_final || has_expired {
        MailDisposition::Drop
    } else {
        MailDisposition::Later(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_double_up_to_an_hour_and_end_after_three_days() {
        const DAY: i64 = 86_400_000;
        let minutes = |n: i64| MailDisposition::Later(Timestamp(n * 60_000));
        let later = |ms: i64, n: i64| MailDisposition::Later(Timestamp(ms + n * 60_000));
        for (attempts, now, is_final, expected) in [
            (0, 0, false, minutes(1)),
            (1, 0, false, minutes(2)),
            (5, 0, false, minutes(32)),
            (6, 0, false, minutes(60)),
            (80, 0, false, minutes(60)),
            (89, 0, false, MailDisposition::Drop),
            (0, 0, true, MailDisposition::Drop),
            (
                70,
                3 * DAY - 3_600_000,
                false,
                later(3 * DAY - 3_600_000, 60),
            ),
            (70, 3 * DAY - 3_599_999, false, MailDisposition::Drop),
            (0, -DAY, false, later(-DAY, 1)),
        ] {
            let mail = OutgoingMail {
                id: 1,
                mail_id: String::new(),
                recipient: String::new(),
                subject: String::new(),
                text: String::new(),
                attempts,
                created_at: Timestamp(0),
            };
            let refusal = MailRefusal {
                is_final,
                cause: String::new(),
            };
            let verdict = judge(&Err(refusal), &mail, Timestamp(now));
            assert_eq!(verdict, expected, "{attempts} {now} {is_final}");
        }
    }

    #[test]
    fn every_outcome_is_logged() {
        let refused = || {
            Err(MailRefusal {
                is_final: true,
                cause: "no such mailbox".to_owned(),
            })
        };
        for (verdict, outcome, level, words) in [
            (MailDisposition::Sent, Ok(()), log::Level::Info, "was sent"),
            (
                MailDisposition::Later(Timestamp(0)),
                refused(),
                log::Level::Warn,
                "will be retried: no such mailbox",
            ),
            (
                MailDisposition::Drop,
                refused(),
                log::Level::Warn,
                "dropped after 2 attempts: no such mailbox",
            ),
        ] {
            let (found, line) = report(&verdict, &outcome, 2);
            assert_eq!(found, level, "{line}");
            assert!(line.contains(words), "{line}");
        }
    }

    #[test]
    fn nothing_is_queued_without_a_server_or_an_address() {
        assert!(mail(None, true, "Juno").is_none());
        assert!(mail(Some("ana@example.com"), false, "Juno").is_none());
        let mail = mail(Some("ana@example.com"), true, "Juno").unwrap();
        assert_eq!(mail.recipient, "ana@example.com");
    }
}
