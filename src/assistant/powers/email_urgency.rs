//! New mail that can't wait, by rules that one can read: an answer to what the person sent,
//! words and dates that press, a sender whom the person knows; never mass mail. Where there is
//! a language model, its verdict goes before the rules. Each mail is told once, and at most five
//! a day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Mail;
use super::local_time;
use super::mails;
use super::notice::{self, Notice, SentNotices};
use super::operations::{self, CallContext};
use super::{PowerContext, RequestStrength, Superpower};
use crate::assistant::builtin::ParsedMessage;
use crate::clock::Timestamp;

const A_DAY_MAX: usize = 5;
/// Later a mail is no news.
const NEWS_S: i64 = 12 * 3_600;
/// How long a language model's verdict is awaited; then the rules decide.
pub const JUDGED_WITHIN_S: i64 = 2 * 60;

#[derive(Debug, Clone, PartialEq)]
pub enum UrgencyAction {
    Show,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct UrgencyState {
    sent: SentNotices,
    /// The day, and the number of mails reported on it.
    #[serde(rename = "told")]
    sent_on_day: (i32, usize),
}

pub(super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, UrgencyAction)> {
    let is_asked = [
        "urgent mail", "urgent mails", "urgent emails", "any urgent mail", "any urgent mails",
        "any urgent emails", "which mail cant wait", "is there urgent mail",
    ]
    .contains(&message.request());
    is_asked.then_some((RequestStrength::Clear, UrgencyAction::Show))
}

impl UrgencyState {
    fn left_today(&self, context: &PowerContext) -> usize {
        match self.sent_on_day {
            (day, count) if day == local_time::number(context.today()) => {
                A_DAY_MAX.saturating_sub(count)
            }
            _ => A_DAY_MAX,
        }
    }

    fn notices(&self, context: &PowerContext) -> Vec<Notice> {
        if !context.facts.is_urgent_mail_told {
            return Vec::new();
        }
        urgent(context)
            .map(|(mail, why)| Notice {
                key: format!("mail {}", mail.id),
                planned: match context.facts.is_mail_judged && mail.judged.is_none() {
                    true => mail.first_seen_at.plus_s(JUDGED_WITHIN_S),
                    false => mail.received_at,
                },
                over: mail.received_at.plus_s(NEWS_S),
                text: format!("✉️ {} ({why})", mail.display(context)),
            })
            .collect()
    }
}

fn urgent<'a>(context: &PowerContext<'a>) -> impl Iterator<Item = (&'a Mail, String)> {
    let facts = context.facts;
    let urgent = facts.mails.iter();
    urgent.filter_map(|mail| Some((mail, mail.cannot_wait(&facts.people)?)))
}

impl Superpower for UrgencyState {
    type Action = UrgencyAction;

    fn apply(&mut self, _action: UrgencyAction, context: &PowerContext) -> Option<String> {
        Some(self.overview(context))
    }

    fn overview(&self, context: &PowerContext) -> String {
        if !context.facts.has_mailbox {
            return mails::not_connected("tell you of new mail that can't wait");
        }
        let lines: Vec<String> = urgent(context)
            .filter(|(mail, _)| mail.received_at.plus_s(NEWS_S) > context.now)
            .map(|(mail, why)| format!("\n• {} ({why})", mail.display(context)))
            .take(A_DAY_MAX)
            .collect();
        match lines.is_empty() {
            true => "No mail of the last 12 hours looks as if it couldn't wait.".to_owned(),
            false => format!("Mail that looks as if it couldn't wait:{}", lines.concat()),
        }
    }

    fn alarm(&self, context: &PowerContext) -> Option<Timestamp> {
        match self.left_today(context) {
            0 => local_time::moment(context.today().succ_opt()?, 0, context.zone()),
            _ => self.sent.next(&self.notices(context), context),
        }
    }

    fn on_alarm(&mut self, _at: Timestamp, context: &PowerContext) -> Option<String> {
        let left = self.left_today(context);
        if left == 0 {
            return None;
        }
        let mut notices = self.notices(context);
        notices.sort_by_key(|notice| notice.planned);
        notices.retain(|notice| !self.sent.has(notice));
        notices.truncate(left);
        let due = self.sent.take_due(notices, context);
        // Mail that comes while messages are muted is not announced later, and doesn't count for
        // the day.
        if !context.muted {
            self.sent_on_day = (
                local_time::number(context.today()),
                A_DAY_MAX - left + due.len(),
            );
        }
        notice::joined(&due)
    }
}

/// The arguments of a language model, which can only ask for it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {}

impl operations::Arguments<UrgencyAction> for Arguments {
    const DESCRIPTION: &str = "New mail in a connected mailbox that looks as if it could not wait.";

    fn action(self, _: CallContext) -> operations::Result<Option<UrgencyAction>> {
        Ok(Some(UrgencyAction::Show))
    }
}
