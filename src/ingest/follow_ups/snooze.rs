//! Postponing the last delivered reminder: "snooze", "in 20 minutes" right after it.

use super::{Referent, referent, subject};
use crate::assistant::builtin::{FollowUp, NewTime, ReminderRef, TimeChange};
use crate::assistant::powers::minute_of_day;
use crate::assistant::{self, wording};
use crate::clock::Timestamp;
use crate::error::Result;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, NotedReminder, ReminderDelivery};
use crate::ingest::listing::{self, listed};
use crate::ingest::reminder_requests;
use crate::ingest::turn::MessageTurn;
use crate::store::{Reminder, Tx};

/// The delay of "snooze" without a time.
const SNOOZE_S: i64 = 10 * 60;
/// "snooze 10 minutes" means what comes within this time.
const SOON_S: i64 = 12 * 60 * 60;

/// `None`: it puts nothing off.
pub(super) fn carry_out(
    turn: &MessageTurn,
    tx: &mut Tx,
    what: &FollowUp,
) -> Result<Option<String>> {
    Ok(Some(match what {
        FollowUp::Snooze(None) if begins_request(turn, tx)? => return Ok(None),
        FollowUp::Snooze(time) => snooze_last(turn, tx, time.as_ref())?,
        FollowUp::SnoozeUnclear { first, second } => wording::which_duration(first, second),
        FollowUp::SnoozeNumbered { numbers, time } => numbered(turn, tx, numbers, time.as_ref())?,
        FollowUp::SnoozeNth { nth, time } => one_of(turn, tx, *nth, time.as_ref())?,
        _ => return Ok(None),
    }))
}

/// "remind me later" where nothing was named: of what?
fn begins_request(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let words = turn.words();
    if !words.has_any(&["remind"]) || words.has_any(&["again"]) {
        return Ok(false);
    }
    let latest = latest::read_named(turn, tx)?;
    let has_come = latest.is_some_and(|(latest, at)| latest.delivery(at, turn.now).is_some());
    let is_open = matches!(referent::find_last(turn, tx)?, Some(Referent::Open(_)));
    Ok(!has_come && !is_open)
}

pub(super) fn snooze_last(
    turn: &MessageTurn,
    tx: &mut Tx,
    time: Option<&TimeChange>,
) -> Result<String> {
    let reply = snoozed(turn, tx, time)?;
    let delay_s = time.map_or(Some(SNOOZE_S), TimeChange::delay_s);
    let unit_s = delay_s.map(assistant::unit_of_s);
    latest::revise(turn, tx, |latest| latest.counted_in_s = unit_s)?;
    Ok(reply)
}

/// Those that came last are numbered as they came, where no list was shown since.
fn one_of(
    turn: &MessageTurn,
    tx: &mut Tx,
    nth: Option<usize>,
    time: Option<&TimeChange>,
) -> Result<String> {
    if let Some(number) = nth
        && listing::has_number(turn, tx, number)?
    {
        return numbered(turn, tx, &[number], time);
    }
    let latest = latest::read_named(turn, tx)?;
    let delivery = latest.and_then(|(latest, at)| latest.delivery(at, turn.now));
    let delivered = delivery.map_or_else(Vec::new, |delivery| delivery.reminders);
    let one = match nth {
        None if delivered.len() == 1 => delivered.first(),
        None => None,
        Some(nth) => nth.checked_sub(1).and_then(|at| delivered.get(at)),
    };
    match (one, delivered.len()) {
        (_, 0) => Ok(wording::NOTHING_TO_SNOOZE.to_owned()),
        (Some(_), 1) => snooze_last(turn, tx, time),
        (Some(one), _) => put_off_some(turn, tx, std::slice::from_ref(one), &delivered, time),
        (None, _) => Ok(wording::WHICH_CAME.to_owned()),
    }
}

/// "snooze gym" where gym came together with others. `None`: it didn't, or it is put off already.
pub(super) fn some_of(
    turn: &MessageTurn,
    tx: &mut Tx,
    is_meant: impl Fn(&str) -> bool,
    time: Option<&TimeChange>,
) -> Result<Option<String>> {
    let latest = latest::read_named(turn, tx)?;
    let Some(delivery) = latest.and_then(|(latest, at)| latest.delivery(at, turn.now)) else {
        return Ok(None);
    };
    let waiting = put_off_before(tx, Some(&delivery))?;
    let some: Vec<NotedReminder> = delivery
        .reminders
        .iter()
        .filter(|one| is_meant(&one.text))
        .cloned()
        .collect();
    if some.is_empty() || waiting.iter().any(|one| is_meant(&one.text)) {
        return Ok(None);
    }
    put_off_some(turn, tx, &some, &delivery.reminders, time).map(Some)
}

/// Puts off some of those that came together; the others may be put off, too.
fn put_off_some(
    turn: &MessageTurn,
    tx: &mut Tx,
    some: &[NotedReminder],
    delivered: &[NotedReminder],
    time: Option<&TimeChange>,
) -> Result<String> {
    let new = match time {
        Some(time) => time.of_new(turn.now, turn.zone()),
        None => Ok(NewTime::at(turn.now.plus_s(SNOOZE_S))),
    };
    let new = match new {
        Ok(new) => new,
        Err(reply) => return Ok(reply),
    };
    let reply = put_off(turn, tx, some, &new)?;
    latest::revise(turn, tx, |latest| {
        if let Some(delivery) = &mut latest.came_before {
            delivery.reminders = delivered.to_vec();
        }
    })?;
    Ok(reply)
}

/// "1" after two reminders came: one of them, or an hour?
pub(super) fn may_name_one(turn: &MessageTurn, latest: &LastNamed) -> bool {
    let number = turn.message.text.trim().parse::<usize>();
    let count = latest.reminders.len();
    latest.event == ItemEvent::Delivered
        && count > 1
        && number.is_ok_and(|number| (1..=count).contains(&number))
}

fn snoozed(turn: &MessageTurn, tx: &mut Tx, time: Option<&TimeChange>) -> Result<String> {
    let latest = latest::read_named(turn, tx)?;
    let delivery = latest.and_then(|(latest, at)| latest.delivery(at, turn.now));
    let new = match (time, &delivery) {
        (Some(time), Some(delivery)) if time.is_repeat() => {
            of_delivered(time, &delivery.reminders, turn).of_new(turn.now, turn.zone())
        }
        (Some(time), Some(delivery)) if let Some(first) = delivery.reminders.first() => {
            let known = (first.text.as_str(), first.send_at);
            early_of(time.clone(), known, turn).of_new(turn.now, turn.zone())
        }
        (Some(time), _) => time.of_new(turn.now, turn.zone()),
        (None, _) => Ok(NewTime::at(turn.now.plus_s(SNOOZE_S))),
    };
    let new = match new {
        Ok(new) => new,
        Err(reply) => return Ok(reply),
    };
    let waiting = put_off_before(tx, delivery.as_ref())?;
    if let Some(delivery) = delivery.filter(|delivery| delivery.put_off.is_empty()) {
        return put_off(turn, tx, &delivery.reminders, &new);
    }
    let more = time.filter(|_| turn.words().has_any(&["more"]));
    if let (false, Some(seconds)) = (waiting.is_empty(), more.and_then(TimeChange::delay_s)) {
        return delay_each(turn, tx, &waiting, (&new, seconds));
    }
    let open = match (waiting.is_empty(), referent::find_last(turn, tx)?) {
        (false, _) if time.is_some() => return move_each(turn, tx, &waiting, &new),
        (false, _) => waiting,
        (true, Some(Referent::Open(open))) => open,
        (true, _) => return Ok(wording::NOTHING_TO_SNOOZE.to_owned()),
    };
    // What hasn't come is moved only to a time that was named, and never what repeats.
    let Some(time) = time.filter(|_| open.iter().all(|r| r.recurrence.is_none())) else {
        let reply = wording::not_come_yet(&listed(&open), turn.local_now());
        return Ok(reply);
    };
    if open.len() < 2 && turn.words().has_any(&["both"]) {
        return Ok(wording::CHANGE_UNCLEAR.to_owned());
    }
    // "snooze 10 minutes" is said of what comes soon.
    let is_far = |r: &Reminder| time.delay_s().is_some() && r.send_at > turn.now.plus_s(SOON_S);
    if open.iter().any(is_far) {
        return Ok(wording::not_come_yet(&listed(&open), turn.local_now()));
    }
    // Put off is never earlier.
    let is_earlier = |r: &Reminder| time.delay_s().is_none() && new.send_at < r.send_at;
    if open.iter().any(is_earlier) {
        return Ok(wording::not_come_yet(&listed(&open), turn.local_now()));
    }
    match time.delay_s() {
        Some(seconds) => delay_each(turn, tx, &open, (&new, seconds)),
        None => move_each(turn, tx, &open, &new),
    }
}

/// Each so many seconds later than it would have come.
fn delay_each(
    turn: &MessageTurn,
    tx: &mut Tx,
    open: &[Reminder],
    (new, seconds): (&NewTime, i64),
) -> Result<String> {
    let mut replies = Vec::new();
    for reminder in open {
        let new = NewTime {
            send_at: delayed(turn, reminder, seconds),
            ..new.clone()
        };
        replies.push(reminder_requests::move_to(turn, tx, reminder, &new)?);
    }
    note_moved(turn, tx, open)?;
    Ok(replies.join("\n"))
}

/// Reminders that "snooze" set for those that came last, and that are still to come.
fn put_off_before(tx: &Tx, delivery: Option<&ReminderDelivery>) -> Result<Vec<Reminder>> {
    let mut open = Vec::new();
    for id in delivery.iter().flat_map(|delivery| &delivery.put_off) {
        open.extend(tx.reminder(id)?);
    }
    Ok(open)
}

/// Whether the last thing named is what "snooze" set. `at`: when it was noted.
pub(super) fn is_put_off(
    turn: &MessageTurn,
    tx: &Tx,
    latest: &LastNamed,
    at: Timestamp,
) -> Result<bool> {
    let delivery = latest.delivery(at, turn.now);
    let put_off = put_off_before(tx, delivery.as_ref())?;
    let is_one = |id: &str| put_off.iter().any(|open| open.schedule_id == id);
    let all =
        !latest.reminders.is_empty() && latest.reminders.iter().all(|one| is_one(&one.schedule_id));
    Ok(!put_off.is_empty() && all)
}

fn move_each(turn: &MessageTurn, tx: &mut Tx, open: &[Reminder], new: &NewTime) -> Result<String> {
    let mut replies = Vec::new();
    for reminder in open {
        replies.push(reminder_requests::move_to(turn, tx, reminder, new)?);
    }
    note_moved(turn, tx, open)?;
    Ok(replies.join("\n"))
}

/// Later than it would have come.
fn delayed(turn: &MessageTurn, reminder: &Reminder, seconds: i64) -> Timestamp {
    reminder.send_at.max(turn.now).plus_s(seconds)
}

/// `undo` takes back all of them. `before`: as they were.
fn note_moved(turn: &MessageTurn, tx: &mut Tx, before: &[Reminder]) -> Result<()> {
    match before.is_empty() {
        true => Ok(()),
        false => {
            let moved = LastNamed::of(ItemEvent::Changed, before);
            moved.note(turn, tx)
        }
    }
}

/// A number alone is one of the list that was shown last, else minutes.
fn numbered(
    turn: &MessageTurn,
    tx: &mut Tx,
    numbers: &[usize],
    time: Option<&TimeChange>,
) -> Result<String> {
    if let ([minutes], None) = (numbers, time)
        && !listing::has_number(turn, tx, *minutes)?
    {
        let time = i64::try_from(*minutes).map(TimeChange::minutes).ok();
        return snooze_last(turn, tx, time.as_ref());
    }
    let which = ReminderRef::Numbered(numbers.to_vec());
    let open = match referent::resolve(turn, tx, &which)? {
        Some(Referent::Open(open)) => open,
        Some(Referent::Unclear(reply)) => return Ok(reply),
        Some(Referent::Delivered(_)) | None => return Ok(wording::NOTHING_TO_SNOOZE.to_owned()),
    };
    snooze_open(turn, tx, &open, time)
}

/// Moves reminders that haven't come: only to a named time, and never repeating ones.
pub(super) fn snooze_open(
    turn: &MessageTurn,
    tx: &mut Tx,
    open: &[Reminder],
    time: Option<&TimeChange>,
) -> Result<String> {
    let Some(time) = time.filter(|_| open.iter().all(|r| r.recurrence.is_none())) else {
        let reply = wording::not_come_yet(&listed(open), turn.local_now());
        return Ok(reply);
    };
    let (mut replies, mut moved) = (Vec::new(), Vec::new());
    for reminder in open {
        let new = match time.delay_s() {
            Some(seconds) => Ok(NewTime {
                send_at: delayed(turn, reminder, seconds),
                recurrence: None,
                zone: None,
            }),
            None => time.of_set(reminder.send_at, None, turn.now, turn.zone()),
        };
        match new {
            Ok(new) => {
                replies.push(reminder_requests::move_to(turn, tx, reminder, &new)?);
                moved.push(reminder.clone());
            }
            Err(error) => replies.push(error),
        }
    }
    note_moved(turn, tx, &moved)?;
    Ok(replies.join("\n"))
}

/// "remind me again at 10": what came is put off; what is still to come gets a second one.
pub(super) fn again(turn: &MessageTurn, tx: &mut Tx, time: &TimeChange) -> Result<Option<String>> {
    if let Some((latest, at)) = latest::read_named(turn, tx)?
        && (latest.event == ItemEvent::Delivered || is_put_off(turn, tx, &latest, at)?)
    {
        // "remind me again" names what came.
        if !turn.words().has_any(&["again"]) && subject::is_another(turn, tx)? {
            return Ok(None);
        }
        let delivery = latest.delivery(at, turn.now);
        let delivered = delivery.map_or_else(Vec::new, |delivery| delivery.reminders);
        let time = of_delivered(time, &delivered, turn);
        return snooze_last(turn, tx, Some(&time)).map(Some);
    }
    let Some(Referent::Open(open)) = referent::find_last(turn, tx)? else {
        return Ok(None);
    };
    if subject::is_another(turn, tx)? {
        return Ok(Some(wording::CHANGE_UNCLEAR.to_owned()));
    }
    let (mut replies, mut added): (Vec<String>, Vec<(String, NewTime)>) = Default::default();
    for reminder in open {
        let known = (reminder.text.as_str(), reminder.send_at.0);
        let time = &early_of(time.clone(), known, turn);
        let with_rule = |rule| time.of_set(reminder.send_at, rule, turn.now, turn.zone());
        // "also at 9pm" repeats as the first one does, "also on friday" comes once.
        let repeated =
            reminder
                .recurrence
                .as_ref()
                .map(|rule| match time.also_of(rule, turn.now) {
                    Some(new) => new,
                    None => with_rule(Some(rule)),
                });
        let new = match repeated
            .and_then(Result::ok)
            .map_or_else(|| with_rule(None), Ok)
        {
            Ok(new) => new,
            Err(error) => return Ok(Some(error)),
        };
        let is_same = new.recurrence.is_none() && new.send_at == reminder.send_at;
        if is_same && reminder.recurrence.is_none() {
            let set = [(reminder.text.as_str(), reminder.send_at)];
            replies.push(wording::still_set(&set, turn.local_now()));
            continue;
        }
        // "and at 20" after "at 9, 12 and 18" is one more.
        let is_added = |(text, known): &(String, NewTime)| *text == reminder.text && *known == new;
        if added.iter().any(is_added) {
            continue;
        }
        replies.push(reminder_requests::set(turn, tx, &reminder.text, &new)?);
        added.push((reminder.text, new));
    }
    Ok(Some(replies.join("\n")))
}

/// "make it every day" after it came at 15:00: at 15:00. Who was woken is woken again in the morning, and
/// "15" is so many minutes then.
pub(super) fn of_delivered(
    to: &TimeChange,
    delivered: &[NotedReminder],
    turn: &MessageTurn,
) -> TimeChange {
    const MINUTES_MIN: i64 = 10;
    let wakes = |one: &NotedReminder| is_morning_alarm(&one.text, one.send_at, turn);
    let to = match delivered.iter().all(wakes) && !delivered.is_empty() {
        true => {
            // "make it 7" names an hour.
            let minutes = to
                .counted(60)
                .filter(|to| to.delay_s() >= Some(MINUTES_MIN * 60));
            minutes.unwrap_or_else(|| to.clone().of_waking())
        }
        false => to.clone(),
    };
    match delivered.first() {
        Some(first) => early_of(
            to.at_hour_of(Timestamp(first.send_at), turn.zone()),
            (&first.text, first.send_at),
            turn,
        ),
        None => to,
    }
}

/// An alarm or a waking of the morning, unlike "check the fire alarm" and "wake up bo".
pub(super) fn is_morning_alarm(text: &str, send_at: i64, turn: &MessageTurn) -> bool {
    const NOON_MINUTE: u32 = 12 * 60;
    let minute = minute_of_day(Timestamp(send_at), turn.zone());
    let text = text.to_lowercase();
    let rings = ["alarm:", "wake up:", "wake up to ", "wake up for "];
    let is_alarm = matches!(text.as_str(), "alarm" | "wake up");
    minute < NOON_MINUTE && (is_alarm || rings.iter().any(|begin| text.starts_with(begin)))
}

/// "6:30" after an alarm of the morning came is in the morning. `known`: its text, and its time in
/// milliseconds since the epoch.
fn early_of(to: TimeChange, (text, send_at): (&str, i64), turn: &MessageTurn) -> TimeChange {
    match is_morning_alarm(text, send_at, turn) {
        true => to.of_waking(),
        false => to,
    }
}

/// Sets reminders that have come once more. The rule of a repeating one stays.
pub(super) fn put_off(
    turn: &MessageTurn,
    tx: &mut Tx,
    delivered: &[NotedReminder],
    new: &NewTime,
) -> Result<String> {
    let delivery =
        latest::read_named(turn, tx)?.and_then(|(latest, at)| latest.delivery(at, turn.now));
    let mut replies = Vec::new();
    for reminder in delivered {
        replies.push(reminder_requests::set(turn, tx, &reminder.text, new)?);
    }
    latest::revise(turn, tx, |latest| {
        let set = latest.changes.set.iter();
        latest.came_before = Some(ReminderDelivery {
            at: delivery.map_or(turn.now.0, |delivery| delivery.at),
            reminders: delivered.to_vec(),
            put_off: set.map(|one| one.schedule_id.clone()).collect(),
        });
    })?;
    Ok(replies.join("\n"))
}
