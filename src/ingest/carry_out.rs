//! What the builtin assistant does for a message, in its transaction: each intent's effect and the
//! reply to it. `respond` has found that the message is its to answer.

use super::answer_steps::{AnswerStep, first_answer};
use super::dialog::latest;
use super::dialog::question::{self, QUESTION_MS, Question};
use super::follow_ups::{by_words, changes, each_named, missing_part, offers, which_request};
use super::powers::answer;
use super::turn::MessageTurn;
use super::{
    after_crisis, agenda, connecting, corrected_value, day_spoken_of, direct_chat, event_reminders,
    follow_ups, gate, limits, listing, memories, powers, reminder_cancellation, reminder_requests,
    settings, when_asked,
};
use crate::access::{self, AccessRules};
use crate::assistant::builtin::FollowUp;
use crate::assistant::help::HelpGroup;
use crate::assistant::{self, AccountTask, CrisisKind, Intent, ProfilePart, wording};
use crate::error::Result;
use crate::store::Tx;

pub(super) fn run(turn: &MessageTurn, tx: &mut Tx, intent: Intent) -> Result<String> {
    if let Some(reply) = after_crisis::end(turn, tx)? {
        return Ok(reply);
    }
    if !limits::may_carry_out(turn, &intent) {
        return Ok(limits::too_many(turn));
    }
    run_unlimited(turn, tx, intent)
}

/// A superpower that is called, else the intent, where a language model gave no reply.
pub(super) fn run_instead_of_model(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: Intent,
) -> Result<String> {
    if let Some(power) = &turn.requested_power
        && let Some(reply) = answer::answer_requested_power(turn, tx, power, &intent)?
    {
        return Ok(reply);
    }
    run(turn, tx, intent)
}

/// An answer to the question that the assistant itself asked just before, where a language model
/// gave no reply. `None`: it is none.
pub(super) fn answer_to_question(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<Option<String>> {
    let Intent::FollowUp { what, .. } = intent else {
        return Ok(None);
    };
    let is_asked = question::read_open(turn, tx)?.is_some() && question::was_just_asked(turn, tx)?;
    if !is_asked {
        return Ok(None);
    }
    if !limits::may_carry_out(turn, intent) {
        return Ok(Some(limits::too_many(turn)));
    }
    follow_ups::carry_out(turn, tx, what)
}

/// For callers that have already checked the limit of commands.
fn run_unlimited(turn: &MessageTurn, tx: &mut Tx, intent: Intent) -> Result<String> {
    if matches!(intent, Intent::Say(_) | Intent::Unknown)
        && let Some(reply) = follow_ups::answer_consent(turn, tx)?
    {
        return Ok(reply);
    }
    let reply = match intent {
        Intent::Say(text) => small_talk(turn, tx, text)?,
        Intent::Unclear(text) => text,
        Intent::AskWhen { ref reply, .. }
        | Intent::AskWhat { ref reply, .. }
        | Intent::AskRest { ref reply, .. } => {
            question::ask_about(turn, tx, &intent)?;
            reply.clone()
        }
        Intent::FollowUp { what, otherwise } => {
            let reply = match follow_ups::carry_out(turn, tx, &what)? {
                Some(reply) => reply,
                None => run_unlimited(turn, tx, *otherwise)?,
            };
            return with_relays(turn, tx, &what, reply);
        }
        Intent::Help(group) => help(turn, tx, group)?,
        Intent::Crisis(kind) => in_crisis(turn, kind),
        Intent::Power(text) => answer::answer_part(turn, tx, &text)?,
        Intent::Statement(stated) => return offers::answer_part(turn, tx, stated),
        Intent::Several(requests) => return each(turn, tx, requests),
        Intent::ConnectCalendar => connecting::link(turn, tx, false)?,
        Intent::ConnectMail => connecting::link(turn, tx, true)?,
        Intent::Unknown => return answer_unknown(turn, tx),
        // A group is told only about its messages, nothing else of the account.
        Intent::Status if !turn.in_group() => status(turn, tx)?,
        Intent::Profile(part) => profile(turn, tx, part)?,
        Intent::Status | Intent::Usage => usage(turn, tx)?,
        Intent::Account(task) => how_it_is_done(task),
        Intent::Remember { .. } | Intent::Forget { .. } | Intent::ForgetEverything
            if turn.in_group() =>
        {
            wording::MEMORIES_ALONE.to_owned()
        }
        Intent::Recall { about } if turn.in_group() => recall_in_group(turn, tx, about.as_deref())?,
        Intent::Remember { text } => memories::remember_each(turn, tx, &text)?,
        Intent::Recall { about: Some(about) } if agenda::asks_for_reminder(turn, tx, &about)? => {
            when_is(turn, tx, agenda::without_next(&about))?
        }
        Intent::Recall { about } => event_reminders::recall(turn, tx, about.as_deref())?,
        Intent::Forget { about } => memories::ask_to_forget(turn, tx, &about)?,
        Intent::ForgetEverything => memories::ask_to_forget_all(turn, tx)?,
        remind @ Intent::Remind { .. } => {
            return reminder_requests::set_requested(turn, tx, remind);
        }
        Intent::RemindBefore(request) => return event_reminders::remind(turn, tx, &request),
        Intent::ListReminders => without_relays(turn, listing::all(turn, tx)?),
        Intent::FindReminders { span, about } => without_relays(
            turn,
            agenda::find_reminders(turn, tx, span.as_ref(), about.as_deref())?,
        ),
        Intent::Agenda { span, of_calendar } => agenda::of_span(turn, tx, &span, of_calendar)?,
        Intent::CancelReminders(request) => without_relays(
            turn,
            reminder_cancellation::cancel_requested(turn, tx, &request)?,
        ),
        Intent::SetTimezone(zone) => settings::set_time_zone(turn, tx, zone)?,
        Intent::SetName(name) => settings::set_name(turn, tx, &name)?,
    };
    Ok(reply)
}

/// On the legacy endpoint the relay has reminders that are not stored here.
fn without_relays(turn: &MessageTurn, mut reply: String) -> String {
    if turn.agent.is_none() {
        reply.push('\n');
        reply.push_str(wording::CHAT_APPS_REMINDERS_UNKNOWN);
    }
    reply
}

/// The same where nothing was found that is to be changed.
fn with_relays(turn: &MessageTurn, tx: &Tx, what: &FollowUp, mut reply: String) -> Result<String> {
    if turn.agent.is_some() || !what.refers_to_reminder() {
        return Ok(reply); // most messages
    }
    let is_done = turn.schedule.get().is_some()
        || latest::read_of_message(turn, tx)?.is_some()
        || !powers::changed_by(turn, tx, turn.message_id)?.is_empty();
    if !is_done && !reply.contains(wording::CHAT_APPS_REMINDERS_UNKNOWN) {
        reply.push('\n');
        reply.push_str(wording::CHAT_APPS_REMINDERS_STAY);
    }
    Ok(reply)
}

fn in_crisis(turn: &MessageTurn, kind: CrisisKind) -> String {
    let language = assistant::crisis_language(&turn.message.text);
    wording::crisis(kind, &turn.message.sender, language)
}

fn status(turn: &MessageTurn, tx: &Tx) -> Result<String> {
    let language = turn.fixed_language(tx)?;
    Ok(wording::status_in(language.as_deref(), &facts(turn, tx)?))
}

fn usage(turn: &MessageTurn, tx: &Tx) -> Result<String> {
    let language = turn.fixed_language(tx)?;
    Ok(wording::usage_in(language.as_deref(), &facts(turn, tx)?))
}

/// Memories are told in the direct chat, and not at all to a language model.
fn recall_in_group(turn: &MessageTurn, tx: &mut Tx, about: Option<&str>) -> Result<String> {
    if turn.by_model {
        return Ok(wording::MEMORIES_ALONE.to_owned());
    }
    let recalled = match when_asked::asked_in_group(turn, tx)? {
        Some(known) => known,
        None => memories::recall(turn, tx, about)?,
    };
    direct_chat::answer(turn, tx, &recalled)
}

/// "when is my interview?": what was told of it, and reminders of it.
fn when_is(turn: &MessageTurn, tx: &mut Tx, about: &str) -> Result<String> {
    let event = event_reminders::noted(turn, tx, about)?;
    let reminders = agenda::find_reminders(turn, tx, None, Some(about))?;
    Ok(match event {
        Some(event) => format!("{event}\n{reminders}"),
        None => reminders,
    })
}

/// Several requests of one message: each is done or named. If a relay delivers reminders
/// itself, its answer has room for one. "the day before" is before what another of the requests
/// added.
fn each(turn: &MessageTurn, tx: &mut Tx, requests: Vec<Intent>) -> Result<String> {
    if let Some(doubt) = reminder_requests::doubt_about(turn, tx, &requests)? {
        return Ok(doubt);
    }
    let requests = day_spoken_of::of_requests(turn, tx, requests)?;
    let known = event_reminders::known(turn, tx)?;
    let mut all = String::new();
    for intent in requests {
        let unnamed = match &intent {
            Intent::RemindBefore(request) => {
                request.text_without_event().map(|text| (request, text))
            }
            _ => None,
        };
        let reply = match unnamed {
            Some((request, text)) => {
                let occasions = event_reminders::known(turn, tx)?;
                let mut new = occasions.iter().filter(|plan| !known.contains(plan));
                match (new.next(), new.next()) {
                    (Some(event), None) => {
                        event_reminders::remind_of_plan(turn, tx, request, event, text)?
                    }
                    _ => run_unlimited(turn, tx, intent)?,
                }
            }
            None => match named_in_part(turn, tx, &intent)? {
                Some(reply) => reply,
                None => run_unlimited(turn, tx, intent)?,
            },
        };
        // "a week before and a day before": what that is before is asked once.
        if reply != all || reply.is_empty() {
            if !all.is_empty() {
                all.push('\n');
            }
            all.push_str(&reply);
        }
    }
    Ok(all)
}

/// "cancel nobu" beside another request: what a superpower keeps, a reminder or an appointment of that
/// name. `None`: there is none, or no name.
fn named_in_part(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<Option<String>> {
    let Intent::FollowUp { what, otherwise } = intent else {
        return Ok(None);
    };
    let Intent::Power(text) = &**otherwise else {
        return Ok(None);
    };
    if !what.names_what() {
        return Ok(None);
    }
    by_words::change_named(turn, tx, what, text)
}

/// After a crisis, "help me" asks for no list of features.
fn help(turn: &MessageTurn, tx: &mut Tx, group: Option<HelpGroup>) -> Result<String> {
    if group.is_none()
        && let Some(words) = after_crisis::words(turn, tx, QUESTION_MS)?
    {
        return Ok(words);
    }
    powers::help(turn, tx, group)
}

/// After a crisis, no light answer; greetings, farewells and thanks get theirs.
fn small_talk(turn: &MessageTurn, tx: &mut Tx, text: String) -> Result<String> {
    let context = turn.context();
    if assistant::is_courtesy(&context) || assistant::asks_for_time(&turn.words()) {
        return Ok(text);
    }
    Ok(after_crisis::words(turn, tx, QUESTION_MS)?.unwrap_or(text))
}

type UnknownStep = AnswerStep<fn(&MessageTurn, &mut Tx) -> Result<Option<String>>>;

/// Who answers a message that is not understood by itself.
const UNKNOWN_STEPS: [UnknownStep; 18] = [
    ("the text to remind of", missing_part::answer_what),
    ("a reminder to cancel", reminder_cancellation::chosen),
    ("a request that was asked about", which_request::chosen),
    (
        "an event that was asked about",
        event_reminders::answer_which,
    ),
    ("a corrected value", corrected_value::correct),
    ("a purpose alone", corrected_value::with_purpose),
    ("a corrected person", changes::correct_person),
    ("each of several things", each_named::move_each),
    ("a reminder by its words", by_words::carry_out),
    ("the list again", list_again),
    ("the missing part of a request", missing_part::answer_rest),
    ("the time of a reminder", missing_part::answer_when),
    ("when an event is", |turn, tx| {
        event_reminders::when_is_it(turn, tx)
    }),
    ("when something known is", when_asked::otherwise),
    ("a memory", memories::answer),
    ("the open reminders", agenda::answer_from_reminders),
    ("nothing to move", |turn, tx| {
        by_words::nothing_to_move(turn, tx)
    }),
    ("talk after a crisis", talk_after_crisis),
];

fn talk_after_crisis(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let words = after_crisis::words(turn, tx, QUESTION_MS)?;
    let words = words.filter(|_| !assistant::is_figure_of_speech(&turn.message.text));
    Ok(words.map(
        |words| match assistant::is_unrelated_to_crisis(&turn.words()) {
            true => wording::UNKNOWN_AFTER_CRISIS.to_owned(),
            false => words,
        },
    ))
}

fn answer_unknown(turn: &MessageTurn, tx: &mut Tx) -> Result<String> {
    if let Some(reply) = first_answer(&UNKNOWN_STEPS, turn, |step| step(turn, tx))? {
        return Ok(reply);
    }
    let taken = offers::take_statement(turn, tx)?;
    let unknown = turn.possible_meanings();
    Ok(
        taken.unwrap_or_else(|| match (unknown.reply_to_talk, unknown.foreign_language) {
            (Some(answer), _) => answer.to_owned(),
            (None, Some(language)) => wording::english_only(language).to_owned(),
            (None, None) => wording::unknown(&turn.message.text, &turn.persona.name),
        }),
    )
}

/// Told alone.
fn profile(turn: &MessageTurn, tx: &mut Tx, part: ProfilePart) -> Result<String> {
    let known = match part {
        ProfilePart::Name => wording::known_name(turn.user.name.as_deref()),
        ProfilePart::TimeZone => wording::known_zone(turn.timezone()),
    };
    match turn.in_group() {
        true if turn.by_model => Ok(wording::usage(&facts(turn, tx)?)),
        true => direct_chat::answer(turn, tx, &known),
        false => Ok(known),
    }
}

pub(super) fn facts<'t>(
    turn: &'t MessageTurn<'_>,
    tx: &Tx<'_>,
) -> Result<wording::AccountFacts<'t>> {
    let subscription = access::subscription_status(&turn.user, turn.now);
    let unlimited = access::counts_as_subscribed(subscription, &turn.flags);
    let this_one = i64::from(!unlimited);
    Ok(wording::AccountFacts {
        name: turn.user.name.as_deref(),
        subscribed: subscription.is_subscribed(),
        plan: subscription.plan,
        messages_used_today: gate::used_before(turn, tx)? + this_one,
        daily_limit: AccessRules::read(&turn.flags).allowance(unlimited),
        memories: memories::count(turn, tx)?,
        reminders: tx.count_reminders(turn.user.id)?,
        timezone: turn.timezone(),
    })
}

/// "list", "show all" right after reminders were set, listed or asked about.
fn list_again(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if !turn.possible_meanings().asks_for_list {
        return Ok(None); // most messages
    }
    let is_asked = matches!(
        question::read_open(turn, tx)?,
        Some(Question::What { .. } | Question::When { .. })
    );
    match is_asked || changes::was_about_reminders(turn, tx)? {
        true => listing::all(turn, tx).map(Some),
        false => Ok(None),
    }
}

/// The reply about a task that only somebody who is signed in can do.
fn how_it_is_done(task: AccountTask) -> String {
    match task {
        AccountTask::Delete => wording::HOW_TO_DELETE_ACCOUNT.to_owned(),
        AccountTask::Export => wording::HOW_TO_EXPORT_DATA.to_owned(),
    }
}
