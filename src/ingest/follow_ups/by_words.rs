//! Follow-ups that name a reminder by its words: "snooze gym 1 hour", "done with gym", "cancel the
//! pills", "move lunch to 2pm". Where no reminder has that name, an appointment may have it.

use super::{appointments, referent, snooze};
use crate::assistant::builtin::{DoneReport, FollowUp, ReminderRef, TimeChange};
use crate::assistant::powers::{Power, PowerAction};
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent};
use crate::ingest::listing::{self, listed};
use crate::ingest::powers::{answer, attempt, text_of};
use crate::ingest::turn::MessageTurn;
use crate::ingest::{event_reminders, follow_ups, gate, open_reminders, reminder_cancellation};
use crate::store::{Reminder, Tx};

/// "cancel the pills": a message that means nothing else names a reminder by its words.
pub(in crate::ingest) fn carry_out(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    match &turn.possible_meanings().named_follow_up {
        Some(what) => carry_out_named(turn, tx, what, &turn.message.text),
        None => Ok(None),
    }
}

/// "cancel nobu": what a superpower keeps, else a reminder or an appointment of that name. `text`: the
/// words that ask for it, a part of the message. `None`: nothing has that name.
pub(in crate::ingest) fn change_named(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
    text: &str,
) -> Result<Option<String>> {
    match answer::answer_text(turn, tx, text)? {
        None => carry_out_named(turn, tx, what, text),
        reply => Ok(reply),
    }
}

fn carry_out_named(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
    text: &str,
) -> Result<Option<String>> {
    if let FollowUp::CalledOffAbout(name) = what {
        return appointments::note_cancelled(turn, tx, name);
    }
    if let FollowUp::SnoozeAbout { .. } | FollowUp::DoneAbout(_) | FollowUp::DoneAlready(_) = what {
        return follow_ups::carry_out(turn, tx, what);
    }
    if let FollowUp::Cancel(ReminderRef::About(about)) = what
        && let Some(each) = each_of(about)
        && !referent::find_named(turn, tx, each)?.is_empty()
    {
        let which = ReminderRef::AllAbout(each.to_owned());
        return follow_ups::carry_out(turn, tx, &FollowUp::Cancel(which));
    }
    let (FollowUp::Cancel(ReminderRef::About(about))
    | FollowUp::ChangeUnclear(ReminderRef::About(about))
    | FollowUp::Change {
        which: ReminderRef::About(about),
        ..
    }) = what
    else {
        return Ok(None);
    };
    let found = referent::find_named(turn, tx, about)?;
    if found.len() < 2
        && matches!(what, FollowUp::Cancel(_))
        && let Some(reply) = cancel_day(turn, tx, about)?
    {
        return Ok(Some(reply));
    }
    if matches!(what, FollowUp::Cancel(_))
        && found.iter().any(|one| one.recurrence.is_some())
        && open_reminders::matching(turn, tx, Some(about), None)?.is_empty()
        && let Some(reply) = cancel_of_day(turn, tx, about)?
    {
        return Ok(Some(reply));
    }
    match (found.as_slice(), what) {
        ([], FollowUp::Cancel(_)) => {
            let mut reply = cancel_each(turn, tx, about)?;
            if reply.is_none() {
                reply = cancel_of_day(turn, tx, about)?;
            }
            if reply.is_none() {
                reply = appointments::cancel_appointment(turn, tx, about)?;
            }
            Ok(reply)
        }
        ([], _) => change_other(turn, tx, what, (about, text)),
        ([_, _, ..], FollowUp::Cancel(_)) => {
            let which = reminder_cancellation::ask_which(turn, tx, &found)?;
            Ok(Some(which))
        }
        ([_], FollowUp::Cancel(_)) => cancel_one(turn, tx, what, about),
        ([_], FollowUp::Change { .. }) => change_one(turn, tx, what, about),
        _ => follow_ups::carry_out(turn, tx, what),
    }
}

/// "move luigi to saturday", "change the sandwich to 8": no reminder.
fn change_other(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
    (about, text): (&str, &str),
) -> Result<Option<String>> {
    let moved = match what {
        FollowUp::Change { .. } => appointments::move_appointment(turn, tx, about, text)?,
        _ => None,
    };
    moved.map_or_else(|| changed_expense(turn, tx, text), |moved| Ok(Some(moved)))
}

/// "change the sandwich to 8", of which no reminder and no appointment is known. `None`: nothing was
/// spent on it, either.
fn changed_expense(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<Option<String>> {
    let power = Power::BudgetTracker;
    let Some(action) = PowerAction::changed_expense(text) else {
        return Ok(None);
    };
    if !turn.flags.superpower(power) || !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    let changed = attempt::act_if_known(turn, tx, power, action)?;
    Ok(changed.map(|reply| text_of(turn, reply)))
}

/// Cancels the reminder, and says what else is known by that name.
fn cancel_one(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
    about: &str,
) -> Result<Option<String>> {
    let cancelled = follow_ups::carry_out(turn, tx, what)?;
    let kept = event_reminders::noted(turn, tx, about)?;
    Ok(cancelled.map(|reply| match kept {
        Some(kept) => format!("{reply}\n{}", wording::kept_events(&kept)),
        None => reply,
    }))
}

/// Moves the reminder, and says what else is known by that name.
fn change_one(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
    about: &str,
) -> Result<Option<String>> {
    let moved = follow_ups::carry_out(turn, tx, what)?;
    if turn.in_group() || latest::read_of_message(turn, tx)?.is_none() {
        return Ok(moved);
    }
    let mut known = event_reminders::known(turn, tx)?;
    // Nobody moves a birthday.
    known.retain(|plan| !plan.what.to_lowercase().contains("birthday"));
    let kept = event_reminders::lines_about(turn, known, about);
    Ok(moved.map(|reply| match kept {
        Some(kept) => format!("{reply}\n{}", wording::events_not_moved(&kept)),
        None => reply,
    }))
}

/// Snoozes the reminder with these words: the one that came last, or one that is still to come.
pub(super) fn snooze(
    turn: &MessageTurn,
    tx: &mut Tx,
    about: &str,
    time: Option<&TimeChange>,
) -> Result<Option<String>> {
    // "bus 42" may be its name.
    let typed = turn.message.text.trim_end();
    let number = typed
        .rsplit(' ')
        .next()
        .filter(|word| word.parse::<u32>().is_ok());
    if let (Some(number), Some(_)) = (number, time) {
        let whole = format!("{about} {number}");
        let has_name = |text: &str| assistant::reminder_matches(text, &whole);
        if did_come(turn, tx, has_name)? || !referent::find_named(turn, tx, &whole)?.is_empty() {
            return snooze(turn, tx, &whole, None);
        }
    }
    if came_last(turn, tx, |text| assistant::reminder_matches(text, about))? {
        return snooze::snooze_last(turn, tx, time).map(Some);
    }
    let is_meant = |text: &str| assistant::reminder_matches(text, about);
    if let Some(reply) = snooze::some_of(turn, tx, is_meant, time)? {
        return Ok(Some(reply));
    }
    // "joe and pills", which came together
    let names = assistant::named_apart(about);
    let is_one = |text: &str| {
        let mut names = names.iter();
        names.any(|name| assistant::reminder_matches(text, name))
    };
    if all_came(turn, tx, &names)?
        && let Some(reply) = snooze::some_of(turn, tx, is_one, time)?
    {
        return Ok(Some(reply));
    }
    let open = referent::find_named(turn, tx, about)?;
    match open.as_slice() {
        [] => Ok(None),
        [_] => snooze::snooze_open(turn, tx, &open, time).map(Some),
        _ => {
            let how = "with its number, like “snooze 2 for an hour”";
            listing::ask_which(turn, tx, how, &open).map(Some)
        }
    }
}

pub(super) fn mark_done(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<Option<String>> {
    let is_meant = |text: &str| assistant::reminder_matches(text, about);
    if did_come(turn, tx, is_meant)? {
        return super::mark_some_done(turn, tx, is_meant);
    }
    let open = referent::find_named(turn, tx, about)?;
    mark_only_done(turn, tx, open)
}

/// "i called ann already": the reminder to call ann. "i called her", after it has just come. `None`:
/// there is none, or it isn't clear which.
pub(super) fn mark_done_already(
    turn: &MessageTurn,
    tx: &mut Tx,
    done: &DoneReport,
) -> Result<Option<String>> {
    let begins = |text: &str| {
        let first = text.split_whitespace().next().unwrap_or_default();
        done.verbs
            .iter()
            .any(|verb| first.eq_ignore_ascii_case(verb))
    };
    let is_meant = |text: &str| {
        let is_about = || assistant::reminder_matches(text, &done.about);
        begins(text) && (done.about.is_empty() || is_about())
    };
    if came_last(turn, tx, is_meant)? {
        return super::mark_done(turn, tx);
    }
    if !done.is_sure {
        return Ok(None);
    }
    let mut open = open_reminders::matching(turn, tx, Some(&done.about), None)?;
    open.retain(|one| one.room == turn.room.id && begins(&one.text));
    mark_only_done(turn, tx, open)
}

/// The only one that is meant; where there are several, it asks which.
fn mark_only_done(turn: &MessageTurn, tx: &mut Tx, open: Vec<Reminder>) -> Result<Option<String>> {
    match open.len() {
        0 => Ok(None),
        1 => mark_open_done(turn, tx, open).map(Some),
        _ => {
            let how = "with its number, like “done 2”";
            listing::ask_which(turn, tx, how, &open).map(Some)
        }
    }
}

/// Removes reminders that were done before they came.
pub(super) fn mark_open_done(
    turn: &MessageTurn,
    tx: &mut Tx,
    open: Vec<Reminder>,
) -> Result<String> {
    let (repeating, once): (Vec<Reminder>, Vec<Reminder>) =
        open.into_iter().partition(|r| r.recurrence.is_some());
    open_reminders::cancel(turn, tx, &once)?;
    let mut replies = Vec::new();
    if !once.is_empty() {
        replies.push(wording::done_before_it_came(&listed(&once)));
    }
    if !repeating.is_empty() {
        replies.push(wording::repeating_stays(
            &listed(&repeating),
            turn.local_now(),
        ));
    }
    Ok(replies.join("\n"))
}

/// Whether each of several names is that of one of those that came last.
fn all_came(turn: &MessageTurn, tx: &Tx, names: &[String]) -> Result<bool> {
    for name in names {
        if !did_come(turn, tx, |text| assistant::reminder_matches(text, name))? {
            return Ok(false);
        }
    }
    Ok(!names.is_empty())
}

/// Whether one that is meant is among the reminders that came last.
fn did_come(turn: &MessageTurn, tx: &Tx, is_meant: impl Fn(&str) -> bool) -> Result<bool> {
    let latest = latest::read_named(turn, tx)?;
    Ok(latest.is_some_and(|(latest, _)| {
        latest.event == ItemEvent::Delivered
            && latest.reminders.iter().any(|one| is_meant(&one.text))
    }))
}

/// Whether the reminders that came last are those that are meant.
fn came_last(turn: &MessageTurn, tx: &Tx, is_meant: impl Fn(&str) -> bool) -> Result<bool> {
    let latest = latest::read_named(turn, tx)?;
    Ok(latest.is_some_and(|(latest, _)| {
        latest.event == ItemEvent::Delivered
            && !latest.reminders.is_empty()
            && latest.reminders.iter().all(|one| is_meant(&one.text))
    }))
}

/// "move lunch with Bo to 2pm", of which neither a reminder nor a calendar is known.
pub(in crate::ingest) fn nothing_to_move(turn: &MessageTurn, tx: &Tx) -> Result<Option<String>> {
    let unknown = turn.possible_meanings();
    let Some(FollowUp::Change {
        which: ReminderRef::About(about),
        ..
    }) = &unknown.named_follow_up
    else {
        return Ok(None);
    };
    let is_everything = ["all", "every", "my reminder", "everything"];
    if turn.in_group() || is_everything.iter().any(|word| about.starts_with(word)) {
        return Ok(None);
    }
    let services = tx.view().services(turn.user.id)?;
    let has_calendar = services.iter().any(|one| one.kind.is_calendar());
    Ok(Some(wording::nothing_to_move(about, has_calendar)))
}

/// "delete the flight ones", "cancel 1" after a list of reminders: those of the list, whatever else is
/// known of flights, or has a number. `None`: no list was shown, or none of it is named.
pub(in crate::ingest) fn cancel_of_shown(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<Option<String>> {
    let Intent::FollowUp { what, .. } = intent else {
        return Ok(None); // most messages
    };
    let about = match what {
        FollowUp::Cancel(ReminderRef::About(about) | ReminderRef::AllAbout(about)) => about,
        FollowUp::Cancel(ReminderRef::Numbered(numbers)) | FollowUp::DoneNumbered(numbers) => {
            for number in numbers {
                if !listing::has_number(turn, tx, *number)? {
                    return Ok(None);
                }
            }
            return follow_ups::carry_out(turn, tx, what);
        }
        _ => return Ok(None),
    };
    let Some((ids, _)) = listing::shown(turn, tx)? else {
        return Ok(None);
    };
    let found = referent::find_named(turn, tx, about)?;
    let are_shown = found.iter().all(|one| ids.contains(&one.schedule_id));
    match !found.is_empty() && are_shown {
        true => follow_ups::carry_out(turn, tx, what),
        false => Ok(None),
    }
}

/// "pills" of "all my pills".
fn each_of(about: &str) -> Option<&str> {
    let all = [
        "all of the ", "all of my ", "all the ", "all my ", "all ", "every ",
    ];
    all.iter().find_map(|all| about.strip_prefix(all))
}

/// "cancel tomorrow": what comes once that day, and that day of what repeats. `None`: it is no day,
/// or nothing that repeats comes then.
fn cancel_day(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<Option<String>> {
    if !open_reminders::matching(turn, tx, Some(about), None)?.is_empty() {
        return Ok(None);
    }
    let understood = referent::understood_to_cancel(turn, about);
    let request = match understood.unless_follow_up() {
        Intent::CancelReminders(request) if request.about.is_none() => request,
        _ => return Ok(None),
    };
    let found = open_reminders::find(turn, tx, request)?;
    let has_repeating = found.iter().any(|one| one.recurrence.is_some());
    match request.on.is_some() && request.minutes.is_empty() && has_repeating {
        true => reminder_cancellation::cancel_requested(turn, tx, request).map(Some),
        false => Ok(None),
    }
}

/// "my run tomorrow": by its words and its time. What repeats is left out on that day.
fn cancel_of_day(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<Option<String>> {
    let understood = turn.understand_own(&format!("cancel my reminder to {about}"));
    let request = match understood.unless_follow_up() {
        Intent::CancelReminders(request) => request,
        _ => return Ok(None),
    };
    let is_of_time = request.about.is_some() && request.with_time.is_some();
    match is_of_time && !open_reminders::find(turn, tx, request)?.is_empty() {
        true => reminder_cancellation::cancel_requested(turn, tx, request).map(Some),
        false => Ok(None),
    }
}

/// "run and rent": one of each name, or none. `None`: no reminder has any of these names.
fn cancel_each(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<Option<String>> {
    let (mut all, mut unknown): (Vec<Reminder>, Vec<String>) = (Vec::new(), Vec::new());
    for name in assistant::named_apart(about) {
        let found = open_reminders::matching(turn, tx, Some(&name), None)?;
        match found.as_slice() {
            [] => unknown.push(name),
            [_, _, ..] => {
                return reminder_cancellation::ask_which(turn, tx, &found).map(Some);
            }
            [one] if all.iter().any(|known| known.id == one.id) => {}
            [one] => all.push(one.clone()),
        }
    }
    // "dinner, lunch is at 2": more than names
    if let Some(sentence) = unknown.iter().find(|name| assistant::is_sentence(name)) {
        return Ok(Some(wording::one_of_them_unknown(sentence)));
    }
    if let Some(reply) = appointments::cancel_appointments(turn, tx, &all, &unknown)? {
        return Ok(Some(reply));
    }
    if all.is_empty() {
        return Ok(None);
    }
    if let Some(name) = unknown.first() {
        return Ok(Some(wording::one_of_them_unknown(name)));
    }
    open_reminders::cancel(turn, tx, &all)?;
    Ok(Some(wording::reminders_cancelled(&listed(&all))))
}
