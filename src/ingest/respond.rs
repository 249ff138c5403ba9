//! The third step of a message, in its transaction: the reply that was decided on, by the builtin
//! assistant, a superpower or a language model. A reply of the first two is carried out here, too
//! (`carry_out`, `powers`).

use super::answer_steps::{AnswerStep, first_answer};
use super::decide::{self, Decision, DecisionFacts};
use super::edited_messages::{self, EditOutcome};
use super::follow_ups::{by_words, each_named, event_times, missing_part, offers};
use super::powers::{answer, checkin_question, notice_answers};
use super::reply::Reply;
use super::requested_power::RequestedPower;
use super::turn::MessageTurn;
use super::undo_question;
use super::{
    Mode, after_crisis, agenda, carry_out, corrected_value, event_reminders, follow_ups, memories,
    when_asked,
};
use crate::access::Access;
use crate::assistant::{self, Intent, Understanding, wording};
use crate::error::Result;
use crate::model::secret_text::REMOVED;
use crate::store::Tx;

/// How a message is answered.
pub(super) enum MessageResponse {
    /// An empty one for no answer.
    Reply(Reply),
    /// A language model is asked after the commit.
    AskModel {
        /// In a group, without having been addressed.
        unprompted: bool,
    },
}

/// `understood` is the meaning with the time zone that the sender had when it was read.
pub(super) fn respond_to_message(
    turn: &mut MessageTurn,
    tx: &mut Tx,
    understood: &Understanding,
) -> Result<MessageResponse> {
    let intent = match understood.holds_in(turn.timezone()) {
        true => understood.intent.clone(),
        false => assistant::understand(&turn.context()),
    };
    if edited_messages::says_the_same(turn, tx)? {
        return Ok(MessageResponse::Reply(Reply::default()));
    }
    if turn.is_beyond_limits {
        let text = after_crisis::answer(turn, tx, &intent)?;
        return Ok(MessageResponse::Reply(text.unwrap_or_default().into()));
    }
    let reply = match decide::decide(decision_facts(turn, &intent)) {
        Decision::Silent => Reply::default(),
        Decision::Crisis(kind) => {
            let language = crisis_language(turn, tx)?;
            after_crisis::begin(turn, tx, language.clone())?;
            let text = wording::crisis(kind, &turn.message.sender, language.as_deref());
            let text = with_requests(turn, tx, text, intent)?;
            Reply::with_schedule(text, turn)
        }
        Decision::Denied(denial) => match after_crisis::answer(turn, tx, &intent)? {
            Some(text) => text.into(),
            None => Reply::denying(denial, &turn.persona),
        },
        Decision::Answered { unprompted } => match reply_to_version(turn, tx, intent)? {
            Some(text) => Reply::with_schedule(text, turn),
            None => return Ok(MessageResponse::AskModel { unprompted }),
        },
    };
    Ok(MessageResponse::Reply(reply))
}

/// The answer to a crisis, and what else is to be done for the message, where the person may ask for it.
fn with_requests(turn: &MessageTurn, tx: &mut Tx, reply: String, intent: Intent) -> Result<String> {
    let Intent::Several(mut requests) = intent else {
        return Ok(reply);
    };
    requests.retain(|one| !matches!(one, Intent::Crisis(_)));
    let more = match turn.access {
        Access::Allow { .. } => carry_out::run(turn, tx, Intent::Several(requests))?,
        Access::Deny(_) => wording::NOTHING_ELSE_DONE.to_owned(),
    };
    Ok(format!("{reply}\n{more}"))
}

/// The language of a crisis, or the one that the person chose, where only that has texts. A group must
/// not learn it.
fn crisis_language(turn: &MessageTurn, tx: &Tx) -> Result<Option<String>> {
    let language = assistant::crisis_language(&turn.message.text);
    if language.is_some_and(wording::has_crisis_texts) || turn.in_group() {
        return Ok(language.map(str::to_owned));
    }
    let chosen = tx.view().forms_of_address(turn.user.id)?.1;
    let chosen = chosen.and_then(|tag| Some(tag.split(['-', '_']).next()?.to_ascii_lowercase()));
    let spoken = chosen.filter(|language| wording::has_crisis_texts(language));
    Ok(spoken.or_else(|| language.map(str::to_owned)))
}

fn decision_facts(turn: &MessageTurn, intent: &Intent) -> DecisionFacts {
    let message = &*turn.message;
    let is_called = || assistant::addresses(&message.text, &turn.persona.name);
    DecisionFacts {
        mode: message.mode,
        crisis: intent.crisis(),
        has_content: !message.text.trim().is_empty() || message.photos > 0,
        addressed: message.mode == Mode::Group && (message.reply_to_assistant || is_called()),
        superpower: turn.requested_power.is_some(),
        humans: turn.humans,
        threshold: turn.flags.message_budget_threshold(),
        has_something_to_say: turn.ingest.replies.have_something_to_say(intent)
            && !turn.flags.force_basic_mode(),
        access: turn.access,
    }
}

/// The reply to a message, which may be an edited one. `None`: the language model replies.
fn reply_to_version(turn: &mut MessageTurn, tx: &mut Tx, intent: Intent) -> Result<Option<String>> {
    Ok(match edited_messages::replace_version(turn, tx, &intent)? {
        EditOutcome::Unneeded => reply(turn, tx, intent)?,
        EditOutcome::Refused(reply) => Some(reply),
        EditOutcome::Undone(note) => {
            reply(turn, tx, intent)?.map(|reply| format!("{note}\n{reply}"))
        }
    })
}

/// The answer to a message of this meaning.
type IntentStep = AnswerStep<fn(&MessageTurn, &mut Tx, &Intent) -> Result<Option<String>>>;

/// Who answers first, also where a language model understands the message.
const STEPS: [IntentStep; 1] = [("a change of the calendar", follow_ups::answer_about_change)];

/// Who answers before the builtin assistant does what the message means.
const OWN_STEPS: [IntentStep; 5] = [
    ("an answer to a notice", |turn, tx, _| {
        notice_answers::answer(turn, tx)
    }),
    ("what to undo", undo_question::ask_first),
    ("an answer to a check-in", answer_to_checkin),
    ("which memory to forget", |turn, tx, _| {
        memories::forget_chosen(turn, tx)
    }),
    ("a request to a superpower", answer_for_power),
];

/// The answer to a request to a superpower.
type PowerStep =
    AnswerStep<fn(&MessageTurn, &mut Tx, &RequestedPower, &Intent) -> Result<Option<String>>>;

/// Who answers a request to a superpower.
const POWER_STEPS: [PowerStep; 7] = [
    ("a corrected value", |turn, tx, _, _| {
        corrected_value::correct(turn, tx)
    }),
    ("the time that was asked for", |turn, tx, _, _| {
        missing_part::answer_after(turn, tx)
    }),
    ("what is known elsewhere", |turn, tx, power, _| {
        known_elsewhere(turn, tx, power)
    }),
    ("the end of a crisis", |turn, tx, _, _| {
        after_crisis::end(turn, tx)
    }),
    ("a reminder that was shown", |turn, tx, _, intent| {
        by_words::cancel_of_shown(turn, tx, intent)
    }),
    ("each of several things", |turn, tx, _, _| {
        each_named::move_each(turn, tx)
    }),
    ("the superpower", power_reply),
];

/// The reply to a message that is answered: `answer_steps` says by whom. `None`: the language model
/// replies.
pub(super) fn reply(turn: &MessageTurn, tx: &mut Tx, intent: Intent) -> Result<Option<String>> {
    offers::withdraw(turn, tx, &intent)?;
    if let Some(reply) = first_answer(&STEPS, turn, |step| step(turn, tx, &intent))? {
        return Ok(Some(reply));
    }
    // Links and warnings about secrets are never left to a model.
    let left_to_model = turn.left_to_model
        && !matches!(intent, Intent::ConnectCalendar | Intent::ConnectMail)
        && !turn.message.text.contains(REMOVED);
    let replies = &turn.ingest.replies;
    if !left_to_model {
        if let Some(reply) = first_answer(&OWN_STEPS, turn, |step| step(turn, tx, &intent))? {
            return Ok(Some(reply));
        }
        if !replies.are_for(&intent) {
            return carry_out::run(turn, tx, intent).map(Some);
        }
    }
    if replies.are_too_many() {
        let (user, in_group) = (turn.user.id, turn.in_group());
        let text = &turn.message.text;
        let reply = turn.ingest.too_many_replies(tx, user, in_group, text)?;
        return Ok(Some(reply));
    }
    Ok(None)
}

/// The answer to a check-in, and to what else the message asks for.
fn answer_to_checkin(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<Option<String>> {
    let Some((mut reply, request)) = checkin_question::answer(turn, tx, intent)? else {
        return Ok(None);
    };
    if let Some(request) = request {
        reply.push('\n');
        reply.push_str(&carry_out::run(turn, tx, request)?);
    }
    Ok(Some(reply))
}

fn answer_for_power(turn: &MessageTurn, tx: &mut Tx, intent: &Intent) -> Result<Option<String>> {
    match &turn.requested_power {
        Some(power) => first_answer(&POWER_STEPS, turn, |step| step(turn, tx, power, intent)),
        None => Ok(None),
    }
}

/// The reply by a requested superpower, with the reminders that its change leaves.
fn power_reply(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: &RequestedPower,
    intent: &Intent,
) -> Result<Option<String>> {
    let Some(mut reply) = answer::answer_requested_power(turn, tx, power, intent)? else {
        return Ok(None);
    };
    offers::withdraw_after_power(turn, tx)?;
    if let Some(kept) = event_times::kept_reminders(turn, tx, intent)? {
        reply.push_str(&format!("\n{kept}"));
    }
    Ok(Some(reply))
}

/// "when am i seeing sara", "what time is my dentist appointment", which are answered by what was told of
/// her, or of it.
fn known_elsewhere(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: &RequestedPower,
) -> Result<Option<String>> {
    if let Some(day) = power.asks_if_free() {
        return agenda::without_calendar(turn, tx, &day);
    }
    match power.next_meeting_with() {
        Some(name) => event_reminders::with_person(turn, tx, name),
        None => when_asked::known_elsewhere(turn, tx, power),
    }
}
