//! A message that is only a time: the answer to "When?", how often a reminder comes that was just set,
//! or a new time for one that has just come. A question about a day is none of these.

use super::{by_number, changes, missing_part, offers, snooze, subject, which_request};
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::{self, Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, NotedReminder};
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{
    corrected_value, event_reminders, listing, powers, reminder_cancellation, reminder_requests,
};
use crate::store::{Reminder, Tx};

/// How long after a reminder a bare time postpones it.
const JUST_DELIVERED_MS: i64 = 30 * 60_000;

/// "and thursdays at 9" answers "When?"; else the last reminder comes then, too.
pub(super) fn or_again(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: &TimeChange,
) -> Result<Option<String>> {
    match question::read_open(turn, tx)? {
        Some(Question::When { .. }) if question::was_just_asked(turn, tx)? => {
            with_time(turn, tx, time)
        }
        _ => snooze::again(turn, tx, time),
    }
}

/// The answer to "When?"; otherwise how often the reminder just set comes, or a time right after
/// one came, which postpones it.
pub(super) fn with_time(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: &TimeChange,
) -> Result<Option<String>> {
    if let Some(reply) = changes::change_offset(turn, tx)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = reminder_cancellation::chosen(turn, tx)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = which_request::chosen(turn, tx)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = event_reminders::answer_which(turn, tx)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = missing_part::answer_rest(turn, tx)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = offers::change(turn, tx, time)? {
        return Ok(Some(reply));
    }
    if time.is_hour_or_number()
        && let Some(reply) = corrected_value::with_hour(turn, tx)?
    {
        return Ok(Some(reply));
    }
    if subject::asks_about_day(turn, tx, time.is_hour())? {
        return Ok(None);
    }
    if let Some(Question::When { text, month }) = question::read_open(turn, tx)? {
        let mut time = time.clone().in_month(month);
        if assistant::reminder_matches(&text, "alarm") {
            time = time.of_waking();
        }
        let new = match time.of_new(turn.now, turn.zone()) {
            Ok(new) => new,
            Err(reply) => return Ok(Some(reply)),
        };
        question::close(turn, tx)?;
        return Ok(Some(reminder_requests::set(turn, tx, &text, &new)?));
    }
    if let Some(reply) = by_number::change_asked_time(turn, tx, time)? {
        return Ok(Some(reply));
    }
    let Some((latest, at)) = latest::read_named(turn, tx)? else {
        return Ok(None);
    };
    let is_set = matches!(latest.event, ItemEvent::Set | ItemEvent::Changed);
    let is_set = is_set && (latest.reminders.len() == 1 || !time.is_moment() || time.is_hour());
    if is_set && latest.fact.is_none() && completes_last(turn, tx, time)? {
        // "on sundays at 8" after "every day at 7 except sundays", but not "every friday at 4" of fridays
        let gets_other_days = |one: &NotedReminder| {
            let rule = one.recurrence();
            rule.is_some_and(|rule| !time.keeps_weekdays(&rule))
        };
        if time.gives_days_an_hour() && latest.reminders.iter().any(gets_other_days) {
            return Ok(Some(wording::OTHER_DAYS_STAY.to_owned()));
        }
        // "9" after "make it 10" of minutes
        let is_counted = latest.counted_in_s.is_some();
        let number = TimeChange::of_number(&turn.message.text).filter(|_| is_counted);
        let time = number.as_ref().unwrap_or(time);
        return changes::change_time(turn, tx, &ReminderRef::Latest, time);
    }
    postpone(turn, tx, time, (&latest, at))
}

/// A time right after a reminder came. `None`: none did, or something else was spoken of since.
fn postpone(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: &TimeChange,
    (latest, at): (&LastNamed, Timestamp),
) -> Result<Option<String>> {
    let just_now = turn.now.0 - at.0 <= JUST_DELIVERED_MS;
    let has_come =
        latest.event == ItemEvent::Delivered || snooze::is_put_off(turn, tx, latest, at)?;
    // "for ten days" says how long something else comes.
    if !has_come || !just_now || time.is_span_of_days() {
        return Ok(None);
    }
    // "1" after a list is a line of it.
    let number = turn.message.text.trim().parse::<u32>().ok();
    if let Some(number) = number
        && listing::has_number(turn, tx, number as usize)?
    {
        return Ok(None);
    }
    // "10" after an alarm may be minutes.
    let is_alarm = |one: &NotedReminder| snooze::is_morning_alarm(&one.text, one.send_at, turn);
    if let Some(number) = number
        && latest.reminders.iter().any(is_alarm)
    {
        return Ok(Some(wording::number_unclear(number)));
    }
    if subject::is_another(turn, tx)? {
        return offer_again(turn, tx, time, latest);
    }
    if snooze::may_name_one(turn, latest) {
        return Ok(Some(wording::WHICH_CAME.to_owned()));
    }
    if let Some(reply) = one_of_several(turn, tx, latest)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = change_series(turn, tx, time, latest)? {
        return Ok(Some(reply));
    }
    Ok(Some(snooze::snooze_last(turn, tx, Some(time))?))
}

/// "the second at 4" after two reminders came is no day of the month.
fn one_of_several(turn: &MessageTurn, tx: &mut Tx, latest: &LastNamed) -> Result<Option<String>> {
    const NUMBERS: [&str; 3] = ["the first", "the second", "the third"];
    if latest.reminders.len() < 2 || !turn.words().begins_with(&NUMBERS) {
        return Ok(None);
    }
    match turn.understand_own(&format!("snooze {}", turn.message.text)) {
        Intent::FollowUp {
            what: what @ FollowUp::SnoozeNth { .. },
            ..
        } => snooze::carry_out(turn, tx, &what),
        _ => Ok(None),
    }
}

/// "every other friday" after what comes every friday changes that. `None`: no rule is said, or something
/// that came does not repeat.
fn change_series(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: &TimeChange,
    latest: &LastNamed,
) -> Result<Option<String>> {
    if !time.is_repeat() || latest.event != ItemEvent::Delivered {
        return Ok(None);
    }
    let mut open = Vec::new();
    for noted in &latest.reminders {
        let reminder = tx.reminder(&noted.schedule_id)?;
        open.extend(reminder.filter(|one| one.recurrence.is_some()));
    }
    // "every hour until 8pm" is once more on that day.
    let is_for_today = |one: &Reminder| {
        let new = time.of_set(one.send_at, one.recurrence.as_ref(), turn.now, turn.zone());
        let new = new.ok().and_then(|new| new.recurrence);
        new.is_none_or(|new| new.is_through_the_day())
    };
    match !open.is_empty() && open.len() == latest.reminders.len() && !open.iter().any(is_for_today)
    {
        true => changes::change_each_to(turn, tx, &open, |one| {
            let recurrence = one.recurrence.as_ref();
            let mut noted = latest.reminders.iter();
            let noted = noted.find(|noted| noted.schedule_id == one.schedule_id);
            let counted = noted.zip(recurrence).and_then(|(noted, rule)| {
                time.counted_from(Timestamp(noted.send_at), rule, turn.now)
            });
            match counted {
                Some(new) => Ok(new),
                None => time.of_set(one.send_at, recurrence, turn.now, turn.zone()),
            }
        })
        .map(Some),
        false => Ok(None),
    }
}

/// After one remark that changed nothing the same reminder may be meant: it is offered once more.
fn offer_again(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: &TimeChange,
    latest: &LastNamed,
) -> Result<Option<String>> {
    let [came] = latest.reminders.as_slice() else {
        return Ok(None);
    };
    if turn.in_group() || time.is_repeat() || !subject::is_one_remark(turn, tx)? {
        return Ok(None);
    }
    let time = snooze::of_delivered(time, std::slice::from_ref(came), turn);
    match time.of_new(turn.now, turn.zone()) {
        Ok(new) => offers::offer(turn, tx, came.text.clone(), &new).map(Some),
        Err(_) => Ok(None),
    }
}

/// "every day" right after a reminder was set, "at 3" where it was set without an hour, and another time
/// where nothing else was set or told.
fn completes_last(turn: &MessageTurn, tx: &Tx, time: &TimeChange) -> Result<bool> {
    if !latest::is_of_last_message(turn, tx)? {
        return Ok(false);
    }
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(time.is_repeat());
    };
    if time.is_repeat() || time.is_hour() && !assistant::names_hour(&last.text) {
        return Ok(true);
    }
    Ok(is_other_time(turn, time) && powers::changed_by(turn, tx, last.id)?.is_empty())
}

/// "6pm", "tomorrow at 6", "in 2 days". A number, a length ("half an hour") and a question may be
/// anything, and "in a minute" asks for patience.
fn is_other_time(turn: &MessageTurn, time: &TimeChange) -> bool {
    const UNITS: [&str; 14] = [
        "minute", "minutes", "min", "mins", "hour", "hours", "day", "days", "week", "weeks",
        "month", "months", "moment", "sec",
    ];
    let (text, words) = (turn.message.text.trim(), turn.words());
    let is_number = text.chars().all(|c| !c.is_alphabetic() && c != ':');
    let is_length = words.has_any(&UNITS) && !words.begins_with(&["in"]);
    let asks_patience = words.begins_with(&["in a minute", "in a min", "in a moment", "in a sec"]);
    // "and tuesday", "repeat on tuesday": one more may be meant.
    let is_added = words.has_any(&["and", "also", "too", "again", "repeat", "plus", "or"]);
    let is_other =
        is_number || is_length || is_added || asks_patience || words.begins_with(&["the", "just"]);
    !turn.in_group() && time.is_moment() && !is_other && !text.contains('?')
}
