//! Reminders before an event that the service knows of: a trip, a birthday, a booking, an event of
//! a connected calendar. In a group only what belongs to the group is looked at.

use super::dialog::latest;
use super::dialog::question::{self, EventChoice, Question};
pub(super) use super::known_plans::known;
use super::powers::{answer, changed_by, notice_answers};
use super::referent::{self, Referent};
use super::turn::MessageTurn;
use super::{memories, open_reminders, reminder_requests};
use crate::assistant::builtin::{BeforeEvent, BeforeProblem, EventReading, NewTime};
use crate::assistant::powers::{AnswerKind, Plan, choice};
use crate::assistant::{self, Intent, PossibleMeanings, Statement, wording};
use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::store::{MessageRow, Reminder, Tx};

/// Messages in which it is looked for what was told of.
const TOLD_MESSAGES_MAX: usize = 4;
/// Events that are named in a question.
const CHOICES_MAX: usize = 8;
/// How the request begins by which a trip is noted.
pub(super) const TRIP_REQUEST: &str = "plan a trip to ";

/// The question which event or day is meant.
fn ask_before_what(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &BeforeEvent,
    text: &str,
) -> Result<String> {
    if request.is_on_that_day() {
        return Ok(wording::ON_WHICH_DAY.to_owned());
    }
    if let Some((before, after)) = assistant::around_missing_event(&turn.message.text)
        && !turn.by_model
    {
        let rest = Question::Rest {
            before,
            after,
            answer: AnswerKind::Any,
        };
        question::ask(turn, tx, &rest)?;
    }
    Ok(wording::before_what(text))
}

pub(super) fn remind(turn: &MessageTurn, tx: &mut Tx, request: &BeforeEvent) -> Result<String> {
    let plans = known(turn, tx)?;
    let unnamed = request.text_without_event();
    if (unnamed.is_some() || request.known(&plans).1.is_empty())
        && let Some(mut reply) = note_offered_trip(turn, tx, request)?
    {
        let now_known = known(turn, tx)?;
        let mut new = now_known.iter().filter(|plan| !plans.contains(plan));
        if let Some(trip) = new.next() {
            let text = unnamed.unwrap_or_else(|| request.known(&now_known).0.text.as_str());
            let set = remind_of_plan(turn, tx, request, trip, text)?;
            reply.push_str(&format!("\n{set}"));
        }
        return Ok(reply);
    }
    if let Some(text) = unnamed {
        if let Some(event) = just_told(turn, tx)? {
            return remind_of_plan(turn, tx, request, &event, text);
        }
        // "half an hour before" after a notice of a booking
        if let Some((_, what)) = notice_answers::announced(turn, tx)?
            && let Some(event) = plans.iter().find(|plan| plan.what == what)
        {
            return remind_of_plan(turn, tx, request, event, text);
        }
        return ask_before_what(turn, tx, request, text);
    }
    let (reading, events) = request.known(&plans);
    let Some(event) = events.first() else {
        return before_reminder(turn, tx, request, reading);
    };
    let text = |event: &Plan| match reading.text.is_empty() {
        true => event.what.clone(),
        false => reading.text.clone(),
    };
    let (zone, now) = (turn.zone(), turn.now);
    if events.len() > 1 {
        let choices = events.iter().take(CHOICES_MAX).filter_map(|event| {
            let at = request.moment(event, zone, now).ok()?.0;
            let (event, text) = (event.display(now, zone), text(event));
            Some(EventChoice { event, text, at })
        });
        let choices: Vec<EventChoice> = choices.collect();
        if !choices.is_empty() {
            let reply = wording::which_event(&names(&choices));
            question::ask(turn, tx, &Question::Which { choices })?;
            return Ok(reply);
        }
    }
    let text = text(event);
    remind_of_plan(turn, tx, request, event, &text)
}

/// No event is known by that name, but a reminder may be.
fn before_reminder(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &BeforeEvent,
    reading: &EventReading,
) -> Result<String> {
    let open = open_reminders::matching(turn, tx, Some(&reading.event), None)?;
    if let Some(event) = plan_of(turn, &open) {
        return remind_of_plan(turn, tx, request, &event, &reading.text);
    }
    if let [one] = open.as_slice()
        && let Some(recurrence) = &one.recurrence
    {
        return Ok(wording::not_before_each_time(
            &one.text,
            recurrence,
            turn.timezone(),
        ));
    }
    let what = match reading.text.as_str() {
        "" => &reading.event,
        text => text,
    };
    let reply = wording::no_such_event(&reading.event, what);
    ask_when(turn, tx, what, reply)
}

/// Recalls memories, else notes of coming days.
pub(super) fn recall(turn: &MessageTurn, tx: &Tx, about: Option<&str>) -> Result<String> {
    let events = match about {
        Some(about) => noted(turn, tx, about)?,
        None => None,
    };
    events.map_or_else(|| memories::recall(turn, tx, about), Ok)
}

/// The notes about a subject of which no memory tells. `None`: there are none.
pub(super) fn noted(turn: &MessageTurn, tx: &Tx, about: &str) -> Result<Option<String>> {
    if turn.in_group() || memories::knows_of(turn, tx, about)? {
        return Ok(None);
    }
    Ok(lines_about(turn, known(turn, tx)?, about))
}

/// The plans with that name, a line each. `None`: there are none.
pub(super) fn lines_about(turn: &MessageTurn, plans: Vec<Plan>, about: &str) -> Option<String> {
    let text = turn.message.text.to_lowercase();
    let is_own_birthday = matches!(about.to_lowercase().as_str(), "birthday" | "my birthday")
        && text.contains("my birthday");
    let bare = assistant::event_name(about);
    let named = |about: &str| {
        let is_named = |plan: &&Plan| match is_own_birthday {
            true => plan.what.eq_ignore_ascii_case("your birthday"),
            false => assistant::memory_matches(&plan.what, about),
        };
        plans.iter().filter(is_named).take(CHOICES_MAX).collect()
    };
    let mut found: Vec<&Plan> = named(about);
    if found.is_empty() {
        found = named(&bare);
    }
    let (now, zone) = (turn.now, turn.zone());
    let lines: Vec<String> = found.iter().map(|plan| plan.full(now, zone)).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The event that this person's last message told of, moved or asked about, if it was one; before a
/// question that names none, the message before that.
pub(super) fn just_told(turn: &MessageTurn, tx: &Tx) -> Result<Option<Plan>> {
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(None);
    };
    let is_request = |said: &MessageRow| {
        assistant::names_offset(&said.text)
            || assistant::is_other_offset(&turn.words_of(&said.text))
    };
    // "remind me 2 days before" may follow "remind me an hour before".
    if is_request(&last) {
        let plan = told_lately(turn, tx, TOLD_MESSAGES_MAX)?;
        return plan.map_or_else(|| event_of_latest(turn, tx), |plan| Ok(Some(plan)));
    }
    let plans = known(turn, tx)?;
    let plan = match plan_of_message(turn, tx, &last, &plans)? {
        None => just_set(turn, tx)?,
        plan => plan,
    };
    // "it's at 11:30" corrected what was told before it.
    let is_correction = assistant::corrected_value(&turn.words_of(&last.text)).is_some();
    if plan.is_none() && is_correction && !changed_by(turn, tx, last.id)?.is_empty() {
        return told_lately(turn, tx, TOLD_MESSAGES_MAX);
    }
    if plan.is_some() || !asks_only(turn, &last) {
        return Ok(plan);
    }
    let before = tx.view().chain(last.id, 2)?.into_iter().nth(1);
    match before.filter(|before| before.user == turn.user.id) {
        Some(before) => told_by(turn, tx, &before, &plans),
        None => Ok(None),
    }
}

/// Whether the last message set a reminder before an event.
pub(super) fn is_last_before_event(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let latest = latest::read_named(turn, tx)?;
    let is_before = latest.is_some_and(|(latest, _)| latest.is_before);
    Ok(is_before && latest::is_of_last_message(turn, tx)?)
}

/// Whether the reminder that was set last has the name of an event: "move it to sunday" may mean either.
pub(super) fn has_name_of_event(turn: &MessageTurn, tx: &mut Tx) -> Result<bool> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let reminder = latest.and_then(|latest| latest.reminders.into_iter().next());
    let Some(reminder) = reminder else {
        return Ok(false);
    };
    let mut plans = known(turn, tx)?.into_iter();
    Ok(plans.any(|plan| plan.what.eq_ignore_ascii_case(&reminder.text)))
}

/// The reminder that the last message set, as an event: once, and at its own time.
fn just_set(turn: &MessageTurn, tx: &Tx) -> Result<Option<Plan>> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let is_before = latest.is_none_or(|latest| latest.is_before);
    if is_before || turn.in_group() || !latest::is_of_last_message(turn, tx)? {
        return Ok(None);
    }
    Ok(match referent::find_last(turn, tx)? {
        Some(Referent::Open(open)) => plan_of(turn, &open),
        _ => None,
    })
}

/// The reminder at an event's own time, where one before it was set last.
fn event_of_latest(turn: &MessageTurn, tx: &Tx) -> Result<Option<Plan>> {
    let latest = latest::read_named(turn, tx)?.map(|(latest, _)| latest);
    let latest = latest.filter(|latest| latest.is_before && !turn.in_group());
    let before = latest.and_then(|latest| latest.reminders.into_iter().next());
    let Some(before) = before else {
        return Ok(None);
    };
    let mut open = open_reminders::here(turn, tx)?;
    open.retain(|one| one.text == before.text && one.send_at.0 > before.send_at);
    open.sort_by_key(|one| std::cmp::Reverse(one.send_at));
    open.truncate(1);
    Ok(plan_of(turn, &open))
}

/// A reminder that comes once, as an event.
fn plan_of(turn: &MessageTurn, open: &[Reminder]) -> Option<Plan> {
    match open {
        [one] if one.recurrence.is_none() => Some(Plan::at(&one.text, one.send_at, turn.zone())),
        _ => None,
    }
}

/// The event that this person told of last, also some messages before.
pub(super) fn told_lately(
    turn: &MessageTurn,
    tx: &Tx,
    messages_max: usize,
) -> Result<Option<Plan>> {
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(None);
    };
    let plans = known(turn, tx)?;
    for message in tx.view().chain(last.id, messages_max)? {
        if message.user != turn.user.id {
            break;
        }
        let plan = plan_of_message(turn, tx, &message, &plans)?;
        if plan.is_some() {
            return Ok(plan);
        }
    }
    Ok(None)
}

/// The plan that a message told of or asked about, or that was only offered as a reminder. "daily
/// summary at 8" tells no plan.
fn plan_of_message(
    turn: &MessageTurn,
    tx: &Tx,
    message: &MessageRow,
    plans: &[Plan],
) -> Result<Option<Plan>> {
    let plan = told_by(turn, tx, message, plans)?;
    match plan.is_some() || !changed_by(turn, tx, message.id)?.is_empty() {
        true => Ok(plan),
        false => Ok(offered(turn, message)),
    }
}

/// The plan of a message that was only offered as a reminder: "dentist friday at 3".
fn offered(turn: &MessageTurn, message: &MessageRow) -> Option<Plan> {
    let context = turn.context_then(message);
    if assistant::understand(&context) != Intent::Unknown {
        return None;
    }
    match PossibleMeanings::read(&context).statement {
        Some(Statement::Plan {
            text,
            send_at,
            recurrence: None,
        }) if send_at > turn.now => Some(Plan::at(&text, send_at, turn.zone())),
        _ => None,
    }
}

fn told_by(
    turn: &MessageTurn,
    tx: &Tx,
    message: &MessageRow,
    plans: &[Plan],
) -> Result<Option<Plan>> {
    let mut named = plans.to_vec();
    named.retain(|plan| assistant::memory_matches(&message.text, &plan.what));
    let is_about_plan = || {
        Ok::<_, Error>(asks_only(turn, message) || !changed_by(turn, tx, message.id)?.is_empty())
    };
    if named.is_empty() && is_about_plan()? {
        named = plans.to_vec(); // "when is my dinner?" about "dinner at Luigi"
        named.retain(|plan| assistant::memory_overlap(&message.text, &plan.what) > 0);
    }
    let is_one = named.windows(2).all(|two| two[0].day == two[1].day);
    Ok(named.into_iter().next().filter(|_| is_one))
}

fn asks_only(turn: &MessageTurn, message: &MessageRow) -> bool {
    assistant::only_asks(&turn.words_of(&message.text))
}

/// "when am i seeing sara", where no calendar is connected: what was told of days with her.
pub(super) fn with_person(turn: &MessageTurn, tx: &Tx, name: &str) -> Result<Option<String>> {
    let services = tx.view().services(turn.user.id)?;
    match services.iter().any(|one| one.kind.is_calendar()) {
        true => Ok(None),
        false => noted(turn, tx, name),
    }
}

/// "when is it?" right after an event was told.
pub(super) fn when_is_it(turn: &MessageTurn, tx: &Tx) -> Result<Option<String>> {
    const ASKED: [&str; 6] = [
        "when is it", "when's it", "whens it", "when is that", "when was it", "when is it again",
    ];
    let text = turn.message.text.trim().trim_end_matches(['?', '!', '.']);
    if turn.in_group() {
        return Ok(None);
    }
    if let Some(about) = asked_about_the(text) {
        return noted(turn, tx, about);
    }
    if !ASKED.iter().any(|asked| text.eq_ignore_ascii_case(asked)) {
        return Ok(None); // most messages
    }
    let event = just_told(turn, tx)?;
    Ok(event.map(|event| event.full(turn.now, turn.zone())))
}

/// "dentist" of "when is the dentist".
fn asked_about_the(text: &str) -> Option<&str> {
    const ASKED: [&str; 4] = ["when is the ", "when's the ", "when’s the ", "whens the "];
    let asked = |begin: &&&str| {
        let beginning = text.get(..begin.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(begin))
    };
    let begin = ASKED.iter().find(asked)?;
    text.get(begin.len()..).filter(|about| !about.is_empty())
}

/// A trip that was just offered to be noted is noted by what refers to it.
fn note_offered_trip(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &BeforeEvent,
) -> Result<Option<String>> {
    let Some(Question::OfferedRequest(offered)) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    question::close(turn, tx)?;
    let event = request
        .readings
        .first()
        .map(|reading| reading.event.to_lowercase());
    let is_trip = event.is_some_and(|event| event.contains("trip"));
    match is_trip && offered.starts_with(TRIP_REQUEST) {
        true => answer::answer_part(turn, tx, &offered).map(Some),
        false => Ok(None),
    }
}

/// At the moment that `request` names before `event`.
pub(super) fn remind_of_plan(
    turn: &MessageTurn,
    tx: &mut Tx,
    request: &BeforeEvent,
    event: &Plan,
    text: &str,
) -> Result<String> {
    let (zone, now) = (turn.zone(), turn.now);
    let text = match text {
        "" => event.what.as_str(),
        text => text,
    };
    let label = event.display(now, zone);
    let reply = match request.moment(event, zone, now) {
        Ok(at) => return remind_of_event(turn, tx, text, at, &label),
        Err(BeforeProblem::NoHour) => wording::event_without_hour(&label, text),
        Err(BeforeProblem::Past) => wording::event_too_soon(&label, text),
        Err(BeforeProblem::AfterIt) => wording::event_begun(&label, text),
    };
    ask_when(turn, tx, text, reply)
}

fn ask_when(turn: &MessageTurn, tx: &mut Tx, what: &str, reply: String) -> Result<String> {
    let text = what.to_owned();
    question::ask(turn, tx, &Question::When { text, month: None })?;
    Ok(reply)
}

fn remind_of_event(
    turn: &MessageTurn,
    tx: &mut Tx,
    text: &str,
    at: Timestamp,
    event: &str,
) -> Result<String> {
    let mut reply = reminder_requests::set(turn, tx, text, &NewTime::at(at))?;
    latest::revise(turn, tx, |latest| latest.is_before = true)?;
    if reply.contains(text) {
        reply.push_str(&format!("\n{event}"));
    }
    Ok(reply)
}

/// The answer to the question which event to use: its number, or a word of its name.
pub(super) fn answer_which(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(Question::Which { choices }) = question::read_open(turn, tx)? else {
        return Ok(None);
    };
    let chosen = choice(&turn.message.text, &names(&choices));
    let Some(choice) = chosen.and_then(|at| choices.get(at)) else {
        return Ok(None);
    };
    let at = Timestamp(choice.at);
    if at <= turn.now {
        return Ok(None);
    }
    question::close(turn, tx)?;
    let reply = remind_of_event(turn, tx, &choice.text, at, &choice.event)?;
    Ok(Some(reply))
}

fn names(choices: &[EventChoice]) -> Vec<&str> {
    choices.iter().map(|choice| choice.event.as_str()).collect()
}
