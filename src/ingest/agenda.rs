//! The agenda of a span of time: reminders, and superpowers' birthdays and trips. A group gets only
//! its own reminders; the rest goes to a direct chat.

use super::dialog::latest;
use super::powers::{bookings, event_lines, notices, stored_state};
use super::turn::MessageTurn;
use super::{direct_chat, gate, listing, memories, open_reminders};
use crate::assistant::Intent;
use crate::assistant::builtin::Span;
use crate::assistant::powers::{DaySpan, Facts, Power, PowerContext, minute_of_day};
use crate::assistant::wording;
use crate::clock::Timestamp;
use crate::error::Result;
use crate::store::{PowerOwner, Reminder, Tx};

/// Listed times per reminder.
const TIMES_MAX: usize = 10;

/// The text of a timer's reminder.
const TIMER: &str = "timer";

pub(super) fn find_reminders(
    turn: &MessageTurn,
    tx: &mut Tx,
    span: Option<&Span>,
    about: Option<&str>,
) -> Result<String> {
    let range = span.map(|span| &span.range);
    let found = open_reminders::matching(turn, tx, about, range)?;
    listing::note(turn, tx, &owners(&moments(&found, span)))?;
    if !turn.in_group() {
        return Ok(found_text(turn, &found, span, about));
    }
    let here = match found.is_empty() {
        true => wording::no_reminders_of_group(span.map(|span| span.name.as_str())),
        false => found_text(turn, &found, span, about),
    };
    let own = open_reminders::matching_elsewhere(turn, tx, about, range)?;
    if turn.by_model || (own.is_empty() && !found.is_empty()) {
        return Ok(here);
    }
    let own = found_text(turn, &own, span, about);
    Ok(format!("{here}\n{}", direct_chat::answer(turn, tx, &own)?))
}

/// The reminders that were found, as a list.
pub(super) fn found_text(
    turn: &MessageTurn,
    found: &[Reminder],
    span: Option<&Span>,
    about: Option<&str>,
) -> String {
    let moments = moments(found, span);
    let texts: Vec<String> = moments
        .iter()
        .map(|(r, _)| wording::listed_text(&r.text, r.recurrence.as_ref(), turn.timezone()))
        .collect();
    let times = moments.iter().map(|(_, at)| *at);
    let listed: Vec<(&str, Timestamp)> = texts.iter().map(String::as_str).zip(times).collect();
    let name = span.map(|span| span.name.as_str());
    let mut reply = wording::reminders_found(&listed, name, about, turn.local_now());
    for text in often(found, span) {
        reply.push('\n');
        reply.push_str(&wording::comes_more_often(text, TIMES_MAX));
    }
    reply
}

/// "when is my swim?" of which only a reminder is known.
pub(super) fn asks_for_reminder(turn: &MessageTurn, tx: &Tx, about: &str) -> Result<bool> {
    if turn.by_model || !turn.words().has_any(&["when", "whens"]) {
        return Ok(false);
    }
    let named = Some(without_next(about));
    let is_of_reminder = !open_reminders::matching(turn, tx, named, None)?.is_empty();
    let is_unknown = turn.in_group() || memories::found_answer(turn, tx)?.is_none();
    Ok(is_of_reminder && is_unknown)
}

/// "when is the dentist?", which nothing else answers.
pub(super) fn answer_from_reminders(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let unknown = turn.possible_meanings();
    if unknown.asks_how_long_left && !turn.in_group() {
        let is_timer = !open_reminders::matching(turn, tx, Some(TIMER), None)?.is_empty();
        let counted = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
        let counted = counted.filter(|latest| latest.counted_in_s.is_some());
        let counted = counted.and_then(|latest| latest.reminders.into_iter().next());
        let about = match counted {
            _ if is_timer => TIMER.to_owned(),
            Some(counted) => counted.text,
            None => return Ok(None),
        };
        return find_reminders(turn, tx, None, Some(&about)).map(Some);
    }
    let Some(about) = unknown.asked_about.as_deref().filter(|_| !turn.in_group()) else {
        return Ok(None);
    };
    match asks_for_reminder(turn, tx, about)? {
        true => find_reminders(turn, tx, None, Some(without_next(about))).map(Some),
        false => Ok(None),
    }
}

/// "ballet" of "the next ballet".
pub(super) fn without_next(about: &str) -> &str {
    let next = ["the next ", "my next ", "next "];
    let bare = |link: &&str| {
        let head = about.get(..link.len())?;
        head.eq_ignore_ascii_case(link)
            .then(|| &about[link.len()..])
    };
    next.iter().find_map(bare).unwrap_or(about)
}

/// "am i free tomorrow at 8", where neither calendar nor mailbox is connected: what was told of that day. `None`: one is.
pub(super) fn without_calendar(
    turn: &MessageTurn,
    tx: &mut Tx,
    day: &str,
) -> Result<Option<String>> {
    let services = tx.view().services(turn.user.id)?;
    // The invitations in a mailbox count, too.
    if !services.is_empty() {
        return Ok(None);
    }
    match turn.understand_own(&format!("am i free on {day}")) {
        Intent::Agenda { span, of_calendar } => of_span(turn, tx, &span, of_calendar).map(Some),
        _ => Ok(None),
    }
}

/// `of_calendar`: it is said where no calendar is looked at.
pub(super) fn of_span(
    turn: &MessageTurn,
    tx: &mut Tx,
    span: &Span,
    of_calendar: bool,
) -> Result<String> {
    if turn.in_group() {
        let own = tx.reminders(turn.user.id)?;
        let text = text_of(turn, tx, &own, span)?;
        let is_nothing = text == wording::agenda(&[], &[], &span.name, turn.local_now());
        let here = open_reminders::matching(turn, tx, None, Some(&span.range))?;
        let here = (!here.is_empty()).then(|| found_text(turn, &here, Some(span), None));
        if is_nothing && let Some(here) = here {
            return Ok(here);
        }
        let text = with_calendar(turn, tx, text, of_calendar)?;
        let own = direct_chat::answer(turn, tx, &text)?;
        return Ok(here.map_or(own.clone(), |here| format!("{here}\n{own}")));
    }
    let own = open_reminders::here(turn, tx)?;
    let own: Vec<Reminder> = own
        .into_iter()
        .filter(|reminder| !reminder.moments(&span.range, 1).is_empty())
        .collect();
    listing::note(turn, tx, &owners(&moments(&own, Some(span))))?;
    let text = text_of(turn, tx, &own, span)?;
    with_calendar(turn, tx, text, of_calendar)
}

/// Says where no calendar was looked at: once, and when one is asked for.
fn with_calendar(turn: &MessageTurn, tx: &Tx, agenda: String, of_calendar: bool) -> Result<String> {
    let may_connect = has_calendars(turn);
    if !of_calendar && !may_connect {
        return Ok(agenda);
    }
    let services = tx.view().services(turn.user.id)?;
    let is_looked_at = may_connect && services.iter().any(|one| one.kind.is_calendar());
    if is_looked_at {
        return Ok(agenda);
    }
    // Invitations in mails count as a calendar; what is asked about it says so.
    let has_none = may_connect && !tx.view().has_invitations(turn.user.id, turn.now)?;
    let is_new = has_none && notices::note_first_offer(turn, tx, Power::CalendarQueryAgent)?;
    Ok(match (of_calendar, is_new) {
        (true, _) => wording::agenda_without_calendar(&agenda, may_connect),
        (false, true) => wording::agenda_with_offer(&agenda),
        (false, false) => agenda,
    })
}

/// Whether the person's calendars are looked at, where any are connected.
fn has_calendars(turn: &MessageTurn) -> bool {
    !turn.flags.force_basic_mode()
        && turn.flags.superpower(Power::CalendarQueryAgent)
        && gate::has_superpowers_alone(&turn.user, &turn.flags, turn.now)
}

fn text_of(turn: &MessageTurn, tx: &Tx, reminders: &[Reminder], span: &Span) -> Result<String> {
    let moments = moments(reminders, Some(span));
    let listed: Vec<(&str, Timestamp)> = moments
        .iter()
        .map(|(r, at)| (r.text.as_str(), *at))
        .collect();
    let more = often(reminders, Some(span)).into_iter();
    let mut more: Vec<String> = more
        .map(|text| wording::comes_more_often(text, TIMES_MAX))
        .collect();
    if !turn.flags.force_basic_mode() {
        if has_calendars(turn) {
            let zone = turn.timezone();
            more.extend(event_lines(tx, turn.user.id, &span.range, zone, turn.now)?);
        }
        more.extend(power_lines(turn, tx, span)?);
    }
    Ok(wording::agenda(
        &listed,
        &more,
        &span.name,
        turn.local_now(),
    ))
}

/// The superpowers' lines about the days of a span.
fn power_lines(turn: &MessageTurn, tx: &Tx, span: &Span) -> Result<Vec<String>> {
    let zone = turn.zone();
    let moment = |at: Timestamp| {
        let day = at.utc().with_timezone(&zone).date_naive();
        (day, minute_of_day(at, zone))
    };
    let (last, minute) = moment(span.range.end.plus_ms(-1));
    let days = DaySpan::between(moment(span.range.start), (last, minute + 1));
    let facts = Facts {
        bookings: bookings(tx, turn.user.id, turn.zone(), turn.now)?,
        ..Facts::default()
    };
    let context = PowerContext {
        timezone: turn.timezone(),
        ..PowerContext::alone(turn.now, turn.user.id.0, &facts)
    };
    let rows = tx.power_states(PowerOwner::User(turn.user.id))?;
    let mut lines = Vec::new();
    for power in Power::ALL.into_iter().rev() {
        let row = rows.iter().find(|row| row.name == power.name());
        let has_data = row.is_some() || power.uses_bookings();
        if has_data && turn.flags.superpower(power) {
            let stored = row.cloned().map(stored_state);
            lines.extend(power.between(stored.as_ref(), days, &context));
        }
    }
    Ok(lines)
}

/// All times at which a reminder is due, soonest first.
fn moments<'r>(reminders: &'r [Reminder], span: Option<&Span>) -> Vec<(&'r Reminder, Timestamp)> {
    let mut all: Vec<(&Reminder, Timestamp)> = Vec::new();
    for reminder in reminders {
        match span {
            Some(span) => {
                let times = reminder.moments(&span.range, TIMES_MAX);
                all.extend(times.into_iter().map(|at| (reminder, at)));
            }
            None => all.push((reminder, reminder.send_at)),
        }
    }
    all.sort_by_key(|(_, at)| *at);
    all
}

/// The texts of those that come more often than is listed.
fn often<'r>(reminders: &'r [Reminder], span: Option<&Span>) -> Vec<&'r str> {
    let is_often = |reminder: &&Reminder| {
        span.is_some_and(|span| reminder.moments(&span.range, TIMES_MAX + 1).len() > TIMES_MAX)
    };
    let often = reminders.iter().filter(is_often);
    often.map(|reminder| reminder.text.as_str()).collect()
}

fn owners(moments: &[(&Reminder, Timestamp)]) -> Vec<Reminder> {
    moments
        .iter()
        .map(|(reminder, _)| (*reminder).clone())
        .collect()
}
