//! The job that asks a language model for each new mail whether it can wait, outside of any
//! transaction. It skips mass mail, and people who get no messages about urgent mail. Where no
//! verdict arrives in time the rules decide.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::{Ingest, gate};
use crate::assistant::powers::{JUDGED_WITHIN_S, Power};
use crate::assistant::prompt::{mail_question, mail_verdict};
use crate::clock::Timestamp;
use crate::engine::{Model, ModelRequest};
use crate::error::Result;
use crate::model::mail_item::MailExtract;
use crate::store::{MailItem, UserId};

/// Mails judged in one run.
const MAILS_MAX: usize = 20;
/// Mails of one person that a model is asked about in a day.
const MAILS_A_DAY_MAX: i64 = 100;
/// Tokens of the answer, of which one word is expected.
const TOKENS_MAX: i64 = 100;
const DAY_S: i64 = 86_400;

/// Asks about mails, each of them once, also where no verdict came.
pub struct MailJudge {
    ingest: Arc<Ingest>,
    asked_about: Mutex<HashSet<i64>>,
}

impl MailJudge {
    /// How soon a new mail is noticed.
    pub const POLL_INTERVAL: Duration = Duration::from_secs(5);

    pub fn new(ingest: Arc<Ingest>) -> Self {
        Self {
            ingest,
            asked_about: Mutex::default(),
        }
    }

    /// Asks about new mails. Returns the pause before the next ones.
    pub async fn judge_new(self: Arc<Self>, now: Timestamp) -> Result<Duration> {
        let ingest = &self.ingest;
        let Some(model) = ingest.replies.shared_model() else {
            return Ok(Self::POLL_INTERVAL);
        };
        let since = now.plus_s(-JUDGED_WITHIN_S);
        let new = ingest
            .store
            .read(move |view| view.unjudged_mails(since, MAILS_MAX));
        let new = new.await?;
        // Older ones are not found again.
        let found: HashSet<i64> = new.iter().map(|mail| mail.id).collect();
        self.asked_about.lock().retain(|id| found.contains(id));
        for mail in new.into_iter().filter(|mail| !mail.extract.is_mass_mail()) {
            let is_new = self.asked_about.lock().insert(mail.id);
            if is_new && is_wanted(ingest, mail.user, now).await? {
                judge(ingest, &model, mail).await?;
            }
        }
        Ok(Self::POLL_INTERVAL)
    }
}

/// Whether the person gets messages about urgent mail, and the number of judged mails is below its
/// limit.
async fn is_wanted(ingest: &Arc<Ingest>, user: UserId, now: Timestamp) -> Result<bool> {
    let worker = ingest.clone();
    let is_on =
        ingest.store.read(move |view| {
            let Some(row) = view.user_row(user)? else {
                return Ok(false);
            };
            let flags = worker.flags.for_user(&row.public_id);
            let is_offered = flags.superpower(Power::EmailUrgency) && flags.tells_urgent_mail();
            let judged = view.judged_mails(user, now.plus_s(-DAY_S))?;
            Ok(is_offered
                && judged < MAILS_A_DAY_MAX
                && gate::has_superpowers_alone(&row, &flags, now))
        });
    is_on.await
}

async fn judge(ingest: &Arc<Ingest>, model: &Arc<Model>, mail: MailItem) -> Result<()> {
    let Some(verdict) = ask_model(ingest, model, &mail.extract).await else {
        return Ok(());
    };
    let worker = ingest.clone();
    let judged = ingest.store.write(move |tx| {
        tx.judge_mail(mail.id, verdict)?;
        worker.plan_calendar_alarms(tx, mail.user, worker.clock.now())
    });
    judged.await
}

/// `None`: there was no answer, or none to the question.
async fn ask_model(ingest: &Ingest, model: &Arc<Model>, mail: &MailExtract) -> Option<bool> {
    let permit = model.acquire_permit().await;
    let now = ingest.clock.monotonic();
    let request = ModelRequest {
        prompt: mail_question(mail),
        without_tools: None,
        vision: false,
        tokens_max: TOKENS_MAX,
        retry_until: now,
        wanted_until: None,
        paragraphs: None,
    };
    match model.ask(&permit, request).await.reply {
        Ok(reply) => mail_verdict(&reply.text),
        Err(failure) => {
            log::debug!("the urgency of a mail was not judged: {failure}");
            None
        }
    }
}
