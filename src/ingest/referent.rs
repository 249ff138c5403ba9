//! What a message refers to: the last reminder named or delivered, those of a number or a word, or
//! several together.

use crate::assistant::builtin::{ReminderRef, RemindersToCancel};
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::dialog::NUMBERS_MS;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, NotedReminder};
use crate::ingest::listing::LastLine;
use crate::ingest::turn::MessageTurn;
use crate::ingest::{listing, open_reminders};
use crate::model::recurrence::Recurrence;
use crate::store::{Reminder, Tx};

const WEEK_S: i64 = 7 * 24 * 3_600;

/// The reminders that a message refers to.
pub(in crate::ingest) enum Referent {
    Open(Vec<Reminder>),
    /// Already delivered reminders.
    Delivered(Vec<NotedReminder>),
    /// The reference is ambiguous; this reply says so.
    Unclear(String),
}

/// The only reminder of a list that was just shown, else what was set, changed or delivered last. After
/// a list of several it is not clear.
pub(in crate::ingest) fn find_last(turn: &MessageTurn, tx: &Tx) -> Result<Option<Referent>> {
    let listed = listing::just_shown(turn, tx, &open_reminders::here(turn, tx)?)?;
    match listed {
        Some(listed) if listed.len() == 1 => return Ok(Some(Referent::Open(listed))),
        Some(_) => return Ok(Some(Referent::Unclear(wording::WHICH_REMINDER.to_owned()))),
        None => {}
    }
    let Some((latest, _)) = latest::read_named(turn, tx)? else {
        return Ok(None);
    };
    if latest.event == ItemEvent::Removed {
        return Ok(None);
    }
    let mut open = Vec::new();
    for reminder in &latest.reminders {
        open.extend(tx.reminder(&reminder.schedule_id)?);
    }
    // A direct chat's reminder isn't mentioned in a group.
    open.retain(|reminder| !turn.in_group() || reminder.room == turn.room.id);
    Ok(match (open.is_empty(), latest.event) {
        (false, _) => Some(Referent::Open(open)),
        (true, ItemEvent::Delivered) => Some(Referent::Delivered(latest.reminders)),
        (true, _) => None,
    })
}

/// "both", "all three": of a list that was just shown, or of those that were named last.
fn together(
    turn: &MessageTurn,
    tx: &Tx,
    here: Vec<Reminder>,
    count: Option<usize>,
) -> Result<Option<Referent>> {
    let is_all = |open: &[Reminder]| match count {
        Some(count) => open.len() == count,
        None => open.len() > 1,
    };
    let unclear = || Some(Referent::Unclear(wording::WHICH_REMINDER.to_owned()));
    // "both" of a list are its only two.
    if let Some(listed) = listing::just_shown(turn, tx, &here)? {
        if is_all(&listed) {
            return Ok(Some(Referent::Open(listed)));
        }
        if count.is_some() {
            return Ok(unclear());
        }
    }
    let mut of_chat = here;
    of_chat.retain(|reminder| reminder.room == turn.room.id);
    Ok(match find_last(turn, tx)? {
        Some(Referent::Open(open)) if is_all(&open) => Some(Referent::Open(open)),
        None => None,
        _ if count.is_some() && is_all(&of_chat) => Some(Referent::Open(of_chat)),
        _ => unclear(),
    })
}

pub(in crate::ingest) fn resolve(
    turn: &MessageTurn,
    tx: &Tx,
    which: &ReminderRef,
) -> Result<Option<Referent>> {
    let here = open_reminders::here(turn, tx)?;
    Ok(match which {
        ReminderRef::Last => last_of_list(turn, tx)?,
        ReminderRef::Latest => find_last(turn, tx)?,
        ReminderRef::Listed => listing::just_shown(turn, tx, &here)?.map(Referent::Open),
        ReminderRef::Together(count) => together(turn, tx, here, *count)?,
        ReminderRef::Numbered(numbers) => {
            let (ids, have_come) = match listing::shown(turn, tx)? {
                Some((ids, _)) => (ids, false),
                None => numbered_without_list(turn, tx)?,
            };
            if ids.is_empty() {
                return Ok(Some(Referent::Unclear(wording::NO_NUMBERS.to_owned())));
            }
            let mut open = Vec::new();
            for number in numbers {
                let id = number.checked_sub(1).and_then(|at| ids.get(at));
                let found = id.and_then(|id| here.iter().find(|r| r.schedule_id == *id));
                match found {
                    Some(reminder) => open.push(reminder.clone()),
                    None if have_come && id.is_some() => {
                        return Ok(Some(Referent::Unclear(
                            wording::ALREADY_DELIVERED.to_owned(),
                        )));
                    }
                    None => {
                        return Ok(Some(Referent::Unclear(wording::no_such_number(*number))));
                    }
                }
            }
            Some(Referent::Open(open))
        }
        ReminderRef::About(about) | ReminderRef::AllAbout(about) => {
            let found = find_named(turn, tx, about)?;
            Some(match named_by_hour(&found, about) {
                Some(hours) => Referent::Unclear(hours),
                None => found_or_none(found),
            })
        }
        ReminderRef::Next => {
            let mut open = open_reminders::set_before(turn, tx, here)?;
            open.sort_by_key(|reminder| reminder.send_at);
            open.truncate(1);
            Some(found_or_none(open))
        }
    })
}

/// The last of a list that was shown, else what was named last.
fn last_of_list(turn: &MessageTurn, tx: &Tx) -> Result<Option<Referent>> {
    Ok(match listing::last_shown(turn, tx)? {
        Some(LastLine::Reminder(last)) => Some(Referent::Open(vec![last])),
        Some(LastLine::Unclear) => Some(Referent::Unclear(wording::WHICH_REMINDER.to_owned())),
        None => find_last(turn, tx)?,
    })
}

/// Reminders that were set together, else those that have just come together, with nothing said
/// since; and whether it is these.
fn numbered_without_list(turn: &MessageTurn, tx: &Tx) -> Result<(Vec<String>, bool)> {
    let set = set_together(turn, tx)?;
    let latest = latest::read_named(turn, tx)?;
    let last = match turn.room.head {
        Some(head) => tx.view().chain(head, 1)?.into_iter().next(),
        None => None,
    };
    let came = latest.filter(|(latest, at)| {
        let is_recent = turn.now.0 - at.0 <= NUMBERS_MS;
        let is_last = last.as_ref().is_none_or(|last| last.received_at <= *at);
        set.is_empty() && latest.event == ItemEvent::Delivered && is_recent && is_last
    });
    let came = came.map(|(latest, _)| latest.reminders);
    let came = came.filter(|came| came.len() > 1);
    Ok(match came {
        Some(came) => (came.into_iter().map(|one| one.schedule_id).collect(), true),
        None => (set, false),
    })
}

/// The reminders that the last message set together, in their order: "cancel the second one".
fn set_together(turn: &MessageTurn, tx: &Tx) -> Result<Vec<String>> {
    let Some((latest, _)) = latest::read_named(turn, tx)? else {
        return Ok(Vec::new());
    };
    let set = latest.changes.set;
    Ok(
        match set.len() > 1 && latest::is_of_last_message(turn, tx)? {
            true => set.into_iter().map(|one| one.schedule_id).collect(),
            false => Vec::new(),
        },
    )
}

/// The timer that was named last in this chat, where it has a text of its own: "tea" of "timer 5 min
/// tea".
pub(in crate::ingest) fn last_timer(turn: &MessageTurn, tx: &Tx) -> Result<Vec<Reminder>> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let is_set = |latest: &LastNamed| {
        let is_open = matches!(latest.event, ItemEvent::Set | ItemEvent::Changed);
        is_open && latest.counted_in_s.is_some() && latest.fact.is_none()
    };
    let Some(latest) = latest.filter(is_set) else {
        return Ok(Vec::new());
    };
    let mut open = Vec::new();
    for one in &latest.reminders {
        open.extend(tx.reminder(&one.schedule_id)?);
    }
    Ok(open)
}

/// By their words, else by their time: "the 9pm one", "thursday's".
pub(in crate::ingest) fn find_named(
    turn: &MessageTurn,
    tx: &Tx,
    about: &str,
) -> Result<Vec<Reminder>> {
    let open = open_reminders::matching(turn, tx, Some(about), None)?;
    if !open.is_empty() {
        return open_reminders::set_before(turn, tx, open);
    }
    if matches!(about, "timer" | "the timer" | "my timer") {
        return last_timer(turn, tx);
    }
    // "pasta timer"
    if let Some(name) = about.strip_suffix(" timer") {
        return open_reminders::matching(turn, tx, Some(name), None);
    }
    // A reminder that repeats within the week is not named by one of its days.
    let week = turn.now..turn.now.plus_s(WEEK_S);
    let comes_once = |one: &Reminder| one.moments(&week, 2).len() < 2;
    // "dentist on friday"
    let (name, day) = assistant::name_and_day(about);
    if !day.is_empty() {
        let understood = understood_to_cancel(turn, &day);
        if let Intent::CancelReminders(request) = understood.unless_follow_up()
            && request.about.is_none()
            && let Some(on) = &request.on
        {
            let mut open = open_reminders::matching(turn, tx, Some(&name), Some(on))?;
            open.retain(comes_once);
            if !open.is_empty() {
                return open_reminders::set_before(turn, tx, open);
            }
        }
    }
    if let Some(found) = named_after_hour(turn, tx, about)? {
        return Ok(found);
    }
    let understood = understood_to_cancel(turn, about);
    match understood.unless_follow_up() {
        Intent::CancelReminders(request) if request.about.is_none() => {
            let mut found = open_reminders::find(turn, tx, request)?;
            found.retain(|one| request.on.is_none() || comes_once(one));
            Ok(found)
        }
        _ => Ok(open),
    }
}

/// "8am drops": by its words, at that hour. `None`: there is none.
fn named_after_hour(turn: &MessageTurn, tx: &Tx, about: &str) -> Result<Option<Vec<Reminder>>> {
    let Some((hour, name)) = about.split_once(' ') else {
        return Ok(None);
    };
    if !hour.starts_with(|c: char| c.is_ascii_digit()) || !assistant::names_hour(hour) {
        return Ok(None);
    }
    let understood = understood_to_cancel(turn, hour);
    let Intent::CancelReminders(request) = understood.unless_follow_up() else {
        return Ok(None);
    };
    let request = RemindersToCancel {
        about: Some(name.to_owned()),
        ..request.clone()
    };
    let found = open_reminders::find(turn, tx, &request)?;
    Ok((!found.is_empty()).then_some(found))
}

/// "the 8pm one" of what comes at 8 and 20: the reply that tells its hours.
fn named_by_hour(found: &[Reminder], about: &str) -> Option<String> {
    // "the 8 one"
    let is_bare_hour = |word: &str| {
        let mut texts = found.iter().flat_map(|one| one.text.split_whitespace());
        word.parse::<u8>().is_ok_and(|hour| hour <= 24) && texts.all(|other| other != word)
    };
    let is_by_hour = assistant::names_hour(about) || about.split_whitespace().any(is_bare_hour);
    hours_of_one(found, |_| is_by_hour)
}

/// The reply that tells the hours of one that comes at several, where only some of them are meant.
pub(in crate::ingest) fn hours_of_one(
    found: &[Reminder],
    are_some_meant: impl Fn(&[(u8, u8)]) -> bool,
) -> Option<String> {
    let rules = found.iter().filter_map(|one| one.recurrence.as_ref());
    let mut times = rules.map(Recurrence::times_of_day);
    let times = times.find(|times| times.len() > 1 && are_some_meant(times))?;
    Some(wording::comes_at_hours(&times))
}

/// The meaning of these words as the time of reminders to cancel.
pub(in crate::ingest) fn understood_to_cancel(turn: &MessageTurn, about: &str) -> Intent {
    turn.understand_own(&format!("cancel all {about} reminders"))
}

fn found_or_none(open: Vec<Reminder>) -> Referent {
    match open.is_empty() {
        true => Referent::Unclear(wording::reminders_cancelled(&[])),
        false => Referent::Open(open),
    }
}
