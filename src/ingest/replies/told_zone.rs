//! The zone that a message tells: the hours that it names are hours there, also where the model
//! calls for the zone after what is set to them.

use super::model_turn::{CallTotals, ModelTurn};
use super::result::{CallRecord, CallResult, ToolCall};
use crate::clock::{Timestamp, Zone};

/// Beside a zone that is told after reminders were set.
const HOURS_ARE_THERE: &str =
    "The reminders that you set before for this message are at their hours there.";

impl ModelTurn<'_> {
    /// The zone in which the message and its answer name times.
    pub(super) fn zone(&self) -> Zone {
        let told = *self.told_zone.lock();
        told.or(self.context.user.timezone).unwrap_or(Zone::UTC)
    }

    /// Tries calls of which one tells the zone: that one first, also before what earlier replies
    /// called for. `None`: none tells it, or something can't be done there.
    pub(super) async fn try_in_told_zone(
        &self,
        calls: &[ToolCall],
        totals: &mut CallTotals,
        now: Timestamp,
    ) -> Option<Vec<CallResult>> {
        let tells_zone = |call: &ToolCall| call.told_zone().is_some();
        if !calls.iter().any(tells_zone) || !totals.committed.is_empty() {
            return None;
        }
        let of_photos_before = totals.changes[..totals.changes_before].to_vec();
        let before = totals.changes[totals.changes_before..].to_vec();
        let all: Vec<&ToolCall> = before.iter().chain(calls).collect();
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|at| !tells_zone(all[*at]));
        let ordered = order.iter().map(|at| all[*at].clone()).collect();
        let results = self.try_after(of_photos_before.clone(), ordered, totals, now);
        let mut found: Vec<(usize, CallResult)> = order.into_iter().zip(results.await).collect();
        let is_done_still = |(at, result): &(usize, CallResult)| {
            result.is_ok() || *at >= before.len() && !tells_zone(all[*at])
        };
        if found.len() != all.len() || !found.iter().all(is_done_still) {
            return None;
        }
        totals.changes = of_photos_before;
        let done = found.iter().filter(|(_, result)| result.is_ok());
        let changes = done.map(|(at, _)| all[*at]);
        let changes = changes.filter(|call| call.operation.changes());
        totals.changes.extend(changes.cloned());
        let mut zones = totals.changes.iter().filter_map(ToolCall::told_zone);
        *self.told_zone.lock() = zones.next_back();
        found.sort_by_key(|(at, _)| *at);
        let mut of_before: Vec<CallResult> = found.into_iter().map(|(_, result)| result).collect();
        let mut results = of_before.split_off(before.len());
        if of_before.iter().any(|result| result.reminder.is_some()) {
            let of_zone = calls.iter().position(tells_zone);
            let of_zone = of_zone.and_then(|at| results.get_mut(at));
            of_zone.into_iter().for_each(note_hours);
        }
        for (call, result) in before.iter().zip(of_before) {
            let mut records = totals.records.iter_mut();
            if let Some(record) = records.find(|one| one.new_id.as_ref() == Some(&call.new_id)) {
                self.renew(record, call, result);
            }
        }
        Some(results)
    }

    /// Notes what a call does in the zone.
    fn renew(&self, record: &mut CallRecord, call: &ToolCall, result: CallResult) {
        let new = self.call_record(&record.tool, &call.arguments, &result.json, result.outcome);
        *record = CallRecord {
            is_change: record.is_change,
            repeats: record.repeats,
            is_of_next: record.is_of_next,
            new_id: record.new_id.take(),
            reminder: result.reminder,
            ..new
        };
    }
}

/// Tells the model of the reminders that it set before.
fn note_hours(result: &mut CallResult) {
    let note = result.json["note"].as_str();
    let note = note.map_or_else(String::new, |note| format!("{note} "));
    result.json["note"] = format!("{note}{HOURS_ARE_THERE}").into();
}
