//! Several requests of one message, in its transaction: each is done or named.

use super::answer::ReplyDraft;
use super::turn::MessageTurn;
use crate::assistant::{Intent, wording};
use crate::error::Result;
use crate::store::Tx;

impl MessageTurn<'_> {
    /// If the relay delivers reminders itself, its answer has room for one. "the day before" is
    /// before what another of the requests added.
    pub(super) fn carry_out_each(
        &self,
        tx: &mut Tx<'_>,
        requests: Vec<Intent>,
    ) -> Result<ReplyDraft> {
        let is_reminder = |intent: &&Intent| matches!(intent, Intent::Remind { .. });
        if self.agent.is_none() && requests.iter().filter(is_reminder).count() > 1 {
            return Ok(wording::one_request_only().into());
        }
        let known = self.occasions(tx)?;
        let mut all = ReplyDraft::default();
        for intent in requests {
            let unnamed = match &intent {
                Intent::RemindBefore(request) => {
                    request.text_without_event().map(|text| (request, text))
                }
                _ => None,
            };
            let draft = match unnamed {
                Some((request, text)) => {
                    let occasions = self.occasions(tx)?;
                    let mut new = occasions.iter().filter(|plan| !known.contains(plan));
                    match (new.next(), new.next()) {
                        (Some(event), None) => self.remind_before_plan(tx, request, event, text)?,
                        _ => self.carry_out_unlimited(tx, intent)?,
                    }
                }
                None => self.carry_out_unlimited(tx, intent)?,
            };
            if !all.text.is_empty() {
                all.text.push('\n');
            }
            all.text.push_str(&draft.text);
            all.schedule = all.schedule.or(draft.schedule);
        }
        Ok(all)
    }
}
