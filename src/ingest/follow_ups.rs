//! Short messages that refer to earlier ones: answers to questions, "snooze", "make it 10", "cancel
//! 2", "undo". `assistant::builtin::follow_up` parses them; this file resolves what they refer to.

mod another;
mod answer_when;
mod appointments;
mod by_number;
pub(super) mod by_words;
mod cancellation;
pub(super) mod changes;
pub(super) mod each_named;
pub(super) mod event_times;
mod latest_fact;
pub(super) mod missing_part;
pub(super) mod offers;
mod replacement;
mod skipping;
mod snooze;
mod subject;
pub(super) mod which_request;

use super::answer_steps::{AnswerStep, first_answer};
use super::dialog::NUMBERS_MS;
use super::dialog::latest::{self, ItemEvent};
use super::dialog::question::{self, QUESTION_MS, Question};
use super::listing::{self, listed};
use super::referent::{self, Referent};
use super::turn::MessageTurn;
use super::undo;
use super::{
    after_crisis, calendar_changes, calendar_events, corrected_value, event_reminders, memories,
    open_reminders, powers, reminder_cancellation,
};
use crate::assistant::builtin::{FollowUp, ReminderRef, TimeChange};
use crate::assistant::powers::NoticeRequest;
use crate::assistant::{self, Intent, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::Tx;
use cancellation::{cancel, cancel_last};

/// Dates listed when somebody asks for the next ones.
const NEXT_DATES: usize = 3;

/// `None`: it refers to nothing and is understood alone.
pub(super) fn carry_out(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
) -> Result<Option<String>> {
    let is_latest =
        *what == FollowUp::Cancel(ReminderRef::Latest) && !cancellation::names_reminder(turn);
    if is_latest && question::is_last(turn, tx)? && !missing_part::asks_which(turn, tx)? {
        return answer_no(turn, tx);
    }
    if let Some(reply) = calendar_events::change_latest(turn, tx, what)? {
        return Ok(Some(reply));
    }
    if let Some(reply) = answered_first(turn, tx, what)? {
        return Ok(Some(reply));
    }
    match what {
        FollowUp::Time(time) => answer_when::with_time(turn, tx, time),
        FollowUp::RevisedTime { to, is_moved } => event_times::revise(turn, tx, to, *is_moved),
        FollowUp::Yes => answer_yes(turn, tx),
        FollowUp::No => decline(turn, tx),
        FollowUp::NeverMind => never_mind(turn, tx),
        FollowUp::Snooze(_)
        | FollowUp::SnoozeUnclear { .. }
        | FollowUp::SnoozeNumbered { .. }
        | FollowUp::SnoozeNth { .. } => snooze::carry_out(turn, tx, what),
        FollowUp::Again(time) => answer_when::or_again(turn, tx, time),
        FollowUp::Done => answer_done(turn, tx),
        FollowUp::DoneNumbered(numbers) => by_number::mark_done(turn, tx, numbers),
        FollowUp::Change { which, to } => changes::change(turn, tx, which, to),
        FollowUp::ChangeBefore | FollowUp::OneBefore { .. } => before(turn, tx, what),
        FollowUp::Cancel(ReminderRef::Last) => cancel_last(turn, tx),
        FollowUp::Cancel(ReminderRef::Next) => cancel_next(turn, tx),
        FollowUp::Cancel(which) if !is_latest => cancel(turn, tx, which),
        FollowUp::Cancel(_) => cancel_it(turn, tx),
        FollowUp::CalledOff | FollowUp::CalledOffAbout(_) => {
            appointments::called_off(turn, tx, what)
        }
        FollowUp::SnoozeAbout { about, time } => by_words::snooze(turn, tx, about, time.as_ref()),
        FollowUp::DoneAbout(about) => by_words::mark_done(turn, tx, about),
        FollowUp::Rename { which, text } => changes::rename_meant(turn, tx, which, text),
        FollowUp::Reword { old, new } => match changes::reword(turn, tx, old, new)? {
            None => corrected_value::reword(turn, tx, old, new),
            reply => Ok(reply),
        },
        FollowUp::ChangeUnclear(which) => match referent::resolve(turn, tx, which)? {
            Some(Referent::Open(_)) => Ok(Some(wording::CHANGE_UNCLEAR.to_owned())),
            _ => Ok(None),
        },
        FollowUp::Replace { .. } | FollowUp::Instead { .. } => replace(turn, tx, what),
        FollowUp::Skip { .. } | FollowUp::SkipLast { .. } => leave_out(turn, tx, what),
        FollowUp::CancelAllBut(kept) => by_number::cancel_all_but(turn, tx, kept),
        FollowUp::Undo => undo::last_or_nothing(turn, tx).map(Some),
        FollowUp::IsSet => is_set(turn, tx),
        FollowUp::Another => another::one_more(turn, tx).map(Some),
        FollowUp::DoneAlready(done) => by_words::mark_done_already(turn, tx, done),
        FollowUp::MovedAbout { about, to } => event_times::moved(turn, tx, about, to),
        FollowUp::Dates(which) => next_dates(turn, tx, which),
    }
}

/// "make it 2 hours before", "also an hour before".
fn before(turn: &MessageTurn, tx: &mut Tx, what: &FollowUp) -> Result<Option<String>> {
    match what {
        FollowUp::OneBefore { request, is_more } => {
            changes::remind_before(turn, tx, request, *is_more)
        }
        _ => changes::change_offset(turn, tx),
    }
}

/// "skip tomorrow", "not on monday".
fn leave_out(turn: &MessageTurn, tx: &mut Tx, what: &FollowUp) -> Result<Option<String>> {
    match what {
        FollowUp::Skip { which, day } => skipping::skip(turn, tx, which, day.as_ref()),
        FollowUp::SkipLast { day, or_each } => {
            match (
                skipping::skip_last(turn, tx, day, or_each.as_ref())?,
                or_each,
            ) {
                (None, Some(to)) => change_last(turn, tx, to),
                (reply, _) => Ok(reply),
            }
        }
        _ => Ok(None),
    }
}

fn replace(turn: &MessageTurn, tx: &mut Tx, what: &FollowUp) -> Result<Option<String>> {
    match what {
        FollowUp::Replace { to, text } => replacement::replace(turn, tx, Some(to), text),
        FollowUp::Instead { to, text } if latest::is_of_last_message(turn, tx)? => {
            replacement::in_place(turn, tx, to.as_ref(), text)
        }
        _ => Ok(None),
    }
}

/// Answers follow-ups that need nothing to refer to.
fn answered_first(turn: &MessageTurn, tx: &mut Tx, what: &FollowUp) -> Result<Option<String>> {
    if what.snoozes_often() {
        return Ok(Some(wording::SNOOZES_ONCE.to_owned()));
    }
    // "not yet" to a question
    let is_not_yet = *what == FollowUp::Snooze(None) && turn.words().begins_with(&["not"]);
    if is_not_yet && question::is_last(turn, tx)? {
        // A notice of a superpower keeps waiting for its answer.
        if let Some(Question::Notice { .. }) = question::read_open(turn, tx)? {
            return Ok(Some(wording::LEFT_AS_IT_WAS.to_owned()));
        }
        return answer_no(turn, tx);
    }
    let is_short = matches!(what, FollowUp::Yes | FollowUp::No | FollowUp::NeverMind);
    match is_short {
        true => after_crisis::words(turn, tx, QUESTION_MS),
        false => Ok(None),
    }
}

/// Who takes "make it 10": what the assistant has just asked about or offered, what was just told, or
/// the last reminder.
const CHANGE_STEPS: [TimeStep; 8] = [
    ("how long before an event", |turn, tx, _| {
        changes::change_offset(turn, tx)
    }),
    ("the time that was asked for", answer_time),
    ("an offered reminder", offers::change),
    ("a time by number", by_number::change_asked_time),
    // "no, 4 May" after a birthday moves no reminder.
    ("a corrected value", |turn, tx, _| {
        corrected_value::correct(turn, tx)
    }),
    ("the hour or the people", |turn, tx, _| {
        corrected_value::ask_hour_or_people(turn, tx)
    }),
    ("an unclear change", ask_what_changes),
    ("the last reminder", |turn, tx, to| {
        changes::change_time(turn, tx, &ReminderRef::Latest, to)
    }),
];

type TimeStep = AnswerStep<fn(&MessageTurn, &mut Tx, &TimeChange) -> Result<Option<String>>>;

fn change_last(turn: &MessageTurn, tx: &mut Tx, to: &TimeChange) -> Result<Option<String>> {
    first_answer(&CHANGE_STEPS, turn, |step| step(turn, tx, to))
}

/// Something else was spoken of since, or more than the reminder's time may be meant.
fn ask_what_changes(turn: &MessageTurn, tx: &mut Tx, to: &TimeChange) -> Result<Option<String>> {
    // "make it 21" right after a summary came may be its hour.
    let is_made = turn.words().begins_with(&["make"]) && to.is_hour_or_number();
    if subject::is_another(turn, tx)? || is_made && powers::notices::is_last_summary(turn, tx)? {
        return Ok(Some(wording::CHANGE_UNCLEAR.to_owned()));
    }
    // "make it three" after "remind me two hours before" may be three hours, or the event's time, and
    // "move it to sunday" the event.
    if !event_reminders::is_last_before_event(turn, tx)? {
        return Ok(None);
    }
    let may_be_day = !to.is_repeat() && !to.is_shift();
    if to.is_hour_or_number() || may_be_day && event_reminders::has_name_of_event(turn, tx)? {
        return Ok(Some(wording::BEFORE_EVENT_UNCLEAR.to_owned()));
    }
    Ok(None)
}

/// The answer to the question when to remind.
fn answer_time(turn: &MessageTurn, tx: &mut Tx, to: &TimeChange) -> Result<Option<String>> {
    let is_when = matches!(question::read_open(turn, tx)?, Some(Question::When { .. }));
    match is_when && question::is_last(turn, tx)? {
        true => answer_when::with_time(turn, tx, to),
        false => Ok(None),
    }
}

fn answer_yes(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if let Some(reply) = offers::accept(turn, tx)? {
        return Ok(Some(reply));
    }
    // "yes" long after the question may mean anything else.
    let asked_at = tx.question(turn.room.id, turn.user.id)?.map(|(_, at)| at);
    let last = turn.previous_message(tx)?.map(|last| last.received_at);
    if last > asked_at {
        return Ok(None);
    }
    let reply = match question::read_open(turn, tx)? {
        Some(Question::Forget {
            ids,
            about,
            birthdays,
        }) => memories::forget(turn, tx, &ids, &birthdays, &about)?,
        Some(Question::ForgetEverything) => memories::forget_all(turn, tx)?,
        Some(Question::CancelAll { ids }) => reminder_cancellation::cancel_all(turn, tx, &ids)?,
        Some(Question::ChangeCalendar(question)) => calendar_changes::begin(turn, tx, &question)?,
        Some(Question::Undo { message_id, power }) => {
            undo::confirmed(turn, tx, message_id, power.as_deref())?
        }
        _ => return Ok(None),
    };
    question::close(turn, tx)?;
    Ok(Some(reply))
}

/// "ok" after an offer, or after a question that a yes answers.
pub(super) fn answer_consent(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if question::read_open(turn, tx)?.is_none() {
        return Ok(None); // most messages
    }
    let is_consent = assistant::is_consent(&turn.words());
    match is_consent && question::was_just_asked(turn, tx)? {
        true => answer_yes(turn, tx),
        false => Ok(None),
    }
}

/// Whether this is a "no" to what the person's last message changed.
fn regrets_last(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    if !turn.words().begins_with(&["no", "nope", "nah"]) {
        return Ok(false);
    }
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(false);
    };
    let latest = latest::read_named(turn, tx)?.filter(|(latest, _)| {
        let has_changes = !latest.is_undone && latest.changes != Default::default();
        latest.is_of_message(last.id) && has_changes
    });
    Ok(latest.is_some() || !powers::changed_by(turn, tx, last.id)?.is_empty())
}

fn decline(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    Ok(match answer_no(turn, tx)? {
        None if regrets_last(turn, tx)? => Some(wording::DONE_ALREADY.to_owned()),
        answer => answer,
    })
}

fn answer_no(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match question::read_open(turn, tx)? {
        None | Some(Question::Notice { .. }) => return Ok(None),
        // What was noted and lacks only a part is meant itself.
        Some(Question::Rest { .. }) if changed_power_last(turn, tx)? => return Ok(None),
        Some(_) => {}
    }
    question::close(turn, tx)?;
    Ok(Some(wording::LEFT_AS_IT_WAS.to_owned()))
}

fn changed_power_last(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    match turn.previous_message(tx)? {
        Some(last) => Ok(!powers::changed_by(turn, tx, last.id)?.is_empty()),
        None => Ok(false),
    }
}

/// "Never mind" closes the question, or takes back what was just remembered. What was set stays, and
/// the answer says so.
fn never_mind(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if question::is_last(turn, tx)? {
        return answer_no(turn, tx);
    }
    if latest_fact::is_of_last_message(turn, tx)? && latest_fact::is_memory(turn, tx)? {
        return latest_fact::take_back(turn, tx);
    }
    let latest = latest::read_named(turn, tx)?;
    let is_recent = |at: Timestamp| turn.now.0 - at.0 <= NUMBERS_MS;
    let latest = latest.filter(|(latest, at)| {
        let is_set = matches!(latest.event, ItemEvent::Set | ItemEvent::Changed);
        is_set && latest.fact.is_none() && is_recent(*at)
    });
    let Some((latest, _)) = latest else {
        return Ok(None);
    };
    let mut open = Vec::new();
    for reminder in &latest.reminders {
        open.extend(tx.reminder(&reminder.schedule_id)?);
    }
    Ok((!open.is_empty()).then(|| wording::reminders_stay(&listed(&open), turn.local_now())))
}

fn answer_done(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    Ok(match mark_done(turn, tx)? {
        None if turn.in_group() => None,
        done => Some(done.unwrap_or_else(|| wording::NOTHING_DUE.to_owned())),
    })
}

fn mark_done(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    mark_some_done(turn, tx, |_| true)
}

/// Of those that came last, the ones that are meant.
fn mark_some_done(
    turn: &MessageTurn,
    tx: &mut Tx,
    is_meant: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let Some((latest, _)) = latest::read_named(turn, tx)? else {
        return Ok(None);
    };
    if latest.event != ItemEvent::Delivered {
        let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
            return Ok(None);
        };
        return Ok(Some(wording::still_set(&listed(&open), turn.local_now())));
    }
    let texts = latest.reminders.iter().map(|r| r.text.as_str());
    let texts: Vec<&str> = texts.filter(|text| is_meant(text)).collect();
    // Also one that was put off before.
    let mut same = open_reminders::here(turn, tx)?;
    same.retain(|one| one.room == turn.room.id && texts.contains(&one.text.as_str()));
    let next = same.iter().map(|open| open.send_at).min();
    Ok(Some(wording::reminder_done(&texts, next, turn.local_now())))
}

/// The reminder that was set last, or all there are. `None`: something else was spoken of since.
fn is_set(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if subject::is_another(turn, tx)? {
        return Ok(None);
    }
    match referent::find_last(turn, tx)? {
        Some(Referent::Open(open)) => {
            Ok(Some(wording::still_set(&listed(&open), turn.local_now())))
        }
        _ => listing::all(turn, tx).map(Some),
    }
}

/// "cancel it": the reminder that was named last, or what was told since; "stop it" right after a summary
/// came is about that.
fn cancel_it(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if turn.words().begins_with(&["stop"]) && powers::notices::is_last_summary(turn, tx)? {
        let stopped = powers::answer::set_notices(turn, tx, NoticeRequest::StopThese)?;
        return Ok(Some(powers::text_of(turn, stopped)));
    }
    if !subject::has_changed(turn, tx)? {
        let taken_back = latest_fact::take_back(turn, tx)?;
        let cancelled = match taken_back {
            None => cancel(turn, tx, &ReminderRef::Latest)?,
            reply => reply,
        };
        return match cancelled {
            None => undo::told_last(turn, tx),
            reply => Ok(reply),
        };
    }
    if let Some(reply) = appointments::cancel_just_told(turn, tx)? {
        return Ok(Some(reply));
    }
    match undo::told_last(turn, tx)? {
        None => latest_fact::take_back(turn, tx),
        reply => Ok(reply),
    }
}

/// "cancel the next one": of one that repeats, only its next time.
fn cancel_next(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let which = ReminderRef::Next;
    let repeats = match referent::resolve(turn, tx, &which)? {
        Some(Referent::Open(open)) => open.iter().all(|one| one.recurrence.is_some()),
        _ => false,
    };
    match repeats {
        true => skipping::skip(turn, tx, &which, None),
        false => cancel(turn, tx, &which),
    }
}

fn next_dates(turn: &MessageTurn, tx: &mut Tx, which: &ReminderRef) -> Result<Option<String>> {
    let open = match referent::resolve(turn, tx, which)? {
        None => return Ok(None),
        Some(Referent::Unclear(reply)) => return Ok(Some(reply)),
        Some(Referent::Delivered(_)) => return Ok(Some(wording::ALREADY_DELIVERED.to_owned())),
        Some(Referent::Open(open)) => open,
    };
    let each = open.iter().map(|reminder| match &reminder.recurrence {
        Some(recurrence) => {
            wording::next_dates(&reminder.text, recurrence, NEXT_DATES, turn.local_now())
        }
        None => wording::comes_once(&reminder.text, reminder.send_at, turn.local_now()),
    });
    Ok(Some(each.collect::<Vec<_>>().join("\n")))
}

/// The answer to the question, which is never left to a language model.
pub(super) fn answer_about_change(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<Option<String>> {
    let Intent::FollowUp {
        what: what @ (FollowUp::Yes | FollowUp::No | FollowUp::NeverMind),
        ..
    } = intent
    else {
        return Ok(None);
    };
    if !matches!(
        question::read_open(turn, tx)?,
        Some(Question::ChangeCalendar(_))
    ) {
        return Ok(None);
    }
    carry_out(turn, tx, what)
}
