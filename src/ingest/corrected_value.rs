//! "no, 4 May", "sorry, it's abd": a value of what the same person said last is replaced. What that
//! did is undone before the whole of it is carried out anew; what can't be undone stays.

mod completed;

pub(super) use completed::{with_hour, with_purpose};

use super::dialog::latest::{self, StatedFact};
use super::dialog::question::{self, Question};
use super::powers::state_before::StateBefore;
use super::powers::{PowerReply, answer, attempt, changed_by, text_of};
use super::turn::MessageTurn;
use super::undo;
use super::{gate, memories};
use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::{self, Power, PowerAction, RequestChoice, RequestStrength};
use crate::assistant::{
    self, FactChange, Intent, PossibleMeanings, Statement, without_article, wording,
};
use crate::error::Result;
use crate::memory::READ_MAX;
use crate::store::{Memory, MessageRow, Tx};

/// The most messages that are read: one and its corrections.
const CORRECTIONS_MAX: usize = 5;

const MOVING_VERBS: [&str; 6] = ["move", "push", "shift", "postpone", "delay", "reschedule"];

/// `None`: it corrects nothing that can be undone.
pub(super) fn correct(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    if !turn.may_correct() {
        return Ok(None); // most messages
    }
    correct_by(turn, tx, &turn.message.text)
}

/// Corrects a value by the text that a message is found to mean.
pub(super) fn correct_by(turn: &MessageTurn, tx: &mut Tx, text: &str) -> Result<Option<String>> {
    let value = assistant::corrected_value(&turn.words_of(text));
    if turn.agent.is_none() || value.is_none() && !assistant::may_restate(text) {
        return Ok(None); // most messages
    }
    let Some(last) = corrected_message(turn, tx)? else {
        return Ok(None);
    };
    let corrected = as_corrected(turn, tx, &last)?;
    // "lunch was 30" is no budget.
    let words = turn.words_of(text);
    let is_told = words.has_any(&["was"]) && !words.begins_with(&["it", "that", "this"]);
    if is_told && turn.words_of(&corrected).has_any(&["budget"]) {
        return Ok(None);
    }
    let powers = changed_by(turn, tx, last.id)?;
    let named = latest::read_named(turn, tx)?;
    let has_set = named.is_some_and(|(latest, _)| latest.is_of_message(last.id));
    // It also set a reminder, which would stay as it is.
    if !powers.is_empty() && has_set {
        return Ok(None);
    }
    let is_one_day = |value: &String| assistant::is_day_for_span(&corrected, value);
    if powers.len() == 1 && value.as_ref().is_some_and(is_one_day) {
        return Ok(Some(wording::BOTH_DAYS_NEEDED.to_owned()));
    }
    let is_money = !powers.is_empty() && powers.iter().all(|power| power.is_about_money());
    // Money can't be moved.
    if is_money && turn.words_of(text).begins_with(&MOVING_VERBS) {
        return Ok(None);
    }
    let restated = assistant::restated(text, &corrected).filter(|_| is_money);
    // "12.40" is no number of eggs.
    let is_sum = |value: &String| powers::is_sum(value);
    if powers == [Power::TodoList] && value.as_ref().is_some_and(is_sum) {
        return Ok(Some(wording::CHANGE_UNCLEAR_OF_LIST.to_owned()));
    }
    // "i meant my list"
    if powers == [Power::TodoList]
        && let Some(meant) = value
            .as_ref()
            .and_then(|value| powers::to_list(&corrected, value))
    {
        return correct_of_power(turn, tx, Power::TodoList, Some(&meant), None);
    }
    if let ([power], Some(value)) = (powers.as_slice(), &value)
        && let Some(shift) = assistant::time_shift(value)
        && let Some(action) = power.move_of_newest(shift)
    {
        let moved = attempt::act(turn, tx, *power, action)?;
        return Ok(moved.map(|reply| text_of(turn, reply)));
    }
    let text = match (restated, value.as_ref()) {
        (Some(text), _) => Some(text),
        (None, Some(value)) => with_value(turn, &corrected, value),
        (None, None) => return Ok(None),
    };
    Ok(match (powers.as_slice(), text) {
        ([power], text) => correct_of_power(turn, tx, *power, text.as_deref(), value.as_deref())?,
        ([], text) if !turn.in_group() => {
            correct_told(turn, tx, &last, (text.as_deref(), value.as_deref()))?
        }
        _ => None,
    })
}

/// "not milk, eggs" after "add milk to my list": one word for another in what was just asked of a
/// superpower.
pub(super) fn reword(
    turn: &MessageTurn,
    tx: &mut Tx,
    old: &str,
    new: &str,
) -> Result<Option<String>> {
    let Some(last) = turn.previous_message(tx)?.filter(|_| turn.agent.is_some()) else {
        return Ok(None);
    };
    let corrected = as_corrected(turn, tx, &last)?;
    let text = assistant::reworded(&corrected, old, new);
    match (changed_by(turn, tx, last.id)?.as_slice(), text) {
        ([power], Some(text)) if !latest::is_of_last_message(turn, tx)? => {
            correct_of_power(turn, tx, *power, Some(&text), None)
        }
        _ => Ok(None),
    }
}

/// The last message; the one before it, if the last was only a question about it, or thanks.
fn corrected_message(turn: &MessageTurn, tx: &Tx) -> Result<Option<MessageRow>> {
    let Some(last) = turn.previous_message(tx)? else {
        return Ok(None);
    };
    let words = turn.words_of(&last.text);
    // "no, 25" after thanks may be about anything.
    let is_courtesy = || {
        assistant::names_it(&turn.words())
            && (assistant::is_consent(&words) || assistant::is_courtesy(&turn.context_then(&last)))
    };
    let may_be_of_another = assistant::corrected_value(&words).is_some() || is_courtesy();
    let is_of_another = may_be_of_another
        && latest::read_of_request(turn, tx, last.id)?.is_none()
        && changed_by(turn, tx, last.id)?.is_empty();
    let before = match is_of_another {
        true => tx.view().chain(last.id, 2)?.into_iter().nth(1),
        false => None,
    };
    Ok(before.filter(|one| one.user == last.user).or(Some(last)))
}

/// "make it 8" after "table for 4 at 7": the question which of both is meant.
pub(super) fn ask_hour_or_people(turn: &MessageTurn, tx: &mut Tx) -> Result<Option<String>> {
    let Some(last) = corrected_message(turn, tx)? else {
        return Ok(None);
    };
    let corrected = as_corrected(turn, tx, &last)?;
    let value = assistant::corrected_value(&turn.words());
    let readings = value.and_then(|value| assistant::hour_or_people(&corrected, &value));
    let Some((hour, count)) = readings else {
        return Ok(None);
    };
    if changed_by(turn, tx, last.id)?.is_empty() {
        return Ok(None);
    }
    let reply = wording::hour_or_people(&hour, &count);
    let choices = [
        (format!("{hour} o'clock"), hour),
        (format!("for {count}"), count),
    ];
    let choices = choices.into_iter().map(|(name, value)| RequestChoice {
        name,
        request: format!("make it {value}"),
    });
    let choices = choices.collect();
    question::ask(turn, tx, &Question::WhichRequest { choices })?;
    Ok(Some(reply))
}

/// The message with that value; a weekday is the one next to a day that is weeks ahead.
fn with_value(turn: &MessageTurn, message: &str, value: &str) -> Option<String> {
    let near = assistant::value_near(message, value, turn.now, turn.zone());
    assistant::with_corrected_value(message, near.as_deref().unwrap_or(value))
}

/// The text of a message with the corrections up to it: "spent 14 on lunch" for "no, 14" after
/// "spent 12 on lunch", and for "no, spent 14 on lunch".
fn as_corrected(turn: &MessageTurn, tx: &Tx, last: &MessageRow) -> Result<String> {
    let chain = tx.view().chain(last.id, CORRECTIONS_MAX)?;
    let mut value_before: Option<String> = None;
    let is_courtesy = |one: &MessageRow| {
        assistant::is_consent(&turn.words_of(&one.text))
            || assistant::is_courtesy(&turn.context_then(one))
    };
    let own = chain.iter().rev().filter(|one| one.user == last.user);
    for message in own.filter(|one| !is_courtesy(one)) {
        let value = assistant::corrected_value(&turn.words_of(&message.text));
        let corrected = value_before.and_then(|value_before| {
            assistant::restated(&message.text, &value_before)
                .or_else(|| with_value(turn, &value_before, value.as_ref()?))
        });
        let as_meant = || Some(powers::as_meant(&turn.context_of(&message.text)));
        value_before = corrected.or(value).or_else(as_meant);
    }
    Ok(value_before.unwrap_or_default())
}

/// `text`: what was said, with the new value. The value may as well be all of it: "no, spent 25
/// on lunch".
fn correct_of_power(
    turn: &MessageTurn,
    tx: &mut Tx,
    power: Power,
    text: Option<&str>,
    value: Option<&str>,
) -> Result<Option<String>> {
    let asks = |text: &str, strength: RequestStrength| {
        let calls = turn.recognise(text);
        let call = calls.of(power);
        call.is_some_and(|call| call.strength == strength)
    };
    // "no, meditated"
    let is_denial = turn
        .message
        .text
        .trim_start()
        .to_lowercase()
        .starts_with("no,");
    let is_done = |text: &&str| {
        is_denial && power == Power::HabitTracker && asks(text, RequestStrength::Soft)
    };
    let is_clear = |text: &&str| asks(text, RequestStrength::Clear) || is_done(text);
    let is_soft = |text: &&str| asks(text, RequestStrength::Soft);
    // "actually my flight is at 9:20" says all of it anew.
    let is_event = matches!(power, Power::ReservationPrep | Power::PostEventCheckin);
    let is_sentence = |text: &&str| !assistant::may_be_value(text) && is_soft(text);
    if is_event && value.filter(is_sentence).is_some() {
        return Ok(None);
    }
    let text = value
        .filter(is_clear)
        .or_else(|| text.filter(|text| is_clear(text) || is_soft(text)));
    let Some(text) = text else {
        return Ok(None);
    };
    if !gate::has_superpowers(turn, tx)? {
        return Ok(None);
    }
    let Some(before) = StateBefore::read(turn, tx, power)? else {
        return Ok(None);
    };
    match attempt::act(turn, tx, power, PowerAction::Undo)? {
        Some(PowerReply::Said { changed: true, .. }) => {}
        _ => {
            before.keep_earlier(turn, tx, power)?;
            return Ok(None);
        }
    }
    let without = tx.power_state(turn.owner(), power.name())?;
    let reply = answer::answer_part(turn, tx, text)?;
    if tx.power_state(turn.owner(), power.name())? == without {
        before.restore(turn, tx, power)?;
        return Ok(Some(format!(
            "{reply}\n{}",
            wording::FIRST_STAYS.to_owned()
        )));
    }
    before.keep_first(turn, tx, power)?;
    Ok(Some(format!(
        "{}\n{reply}",
        wording::FIRST_TAKEN_BACK.to_owned()
    )))
}

/// A memory gets another value, or is told anew; a request to a superpower is done, and the memory
/// stays. `text`: what was said, with the new value.
fn correct_told(
    turn: &MessageTurn,
    tx: &mut Tx,
    last: &MessageRow,
    (text, value): (Option<&str>, Option<&str>),
) -> Result<Option<String>> {
    let latest = latest::read_of_request(turn, tx, last.id)?;
    let fact = latest.and_then(|latest| latest.fact);
    let Some(fact @ (StatedFact::Memory(_) | StatedFact::CorrectedMemory(_))) = fact else {
        return Ok(None);
    };
    // "move it to 10", which means no memory without a time.
    let moves = turn.words().begins_with(&MOVING_VERBS);
    let is_moved = moves && !assistant::names_hour(&last.text);
    let Some(value) = value.filter(|_| !is_moved) else {
        return Ok(None);
    };
    let understood = assistant::understand_all(&turn.context_of(value));
    let mut calls = understood.calls.calls.iter();
    let is_request = calls.any(|call| call.strength == RequestStrength::Clear);
    let is_time = |what: &FollowUp| matches!(what, FollowUp::Time(_));
    let is_alone = match &understood.intent {
        Intent::FollowUp { what, .. } => is_time(what),
        intent => *intent == Intent::Unknown,
    };
    if is_request && gate::has_superpowers(turn, tx)? {
        return answer::answer_text(turn, tx, value);
    }
    if is_told_anew(turn, tx, &fact, value)? {
        return correct_memory(turn, tx, &fact, value).map(Some);
    }
    // "my locker is 12. i'm out of eggs": the new value is not that of the whole message.
    let is_of_several = matches!(turn.understand(&last.text), Intent::Several(_));
    let may_replace = is_alone && !is_request && !is_of_several;
    let text = text.filter(|_| may_replace && assistant::may_be_value(value));
    let remembered = text.and_then(|text| match turn.understand(text) {
        Intent::Remember { text } => Some(text),
        Intent::Unknown => match PossibleMeanings::read(&turn.context_of(text)).statement {
            Some(Statement::Fact(text)) => Some(text),
            _ => None,
        },
        _ => None,
    });
    match remembered {
        Some(text) => correct_memory(turn, tx, &fact, &text).map(Some),
        None => Ok(None),
    }
}

/// "the plumber is bob" after "the plumber is dan".
fn is_told_anew(turn: &MessageTurn, tx: &Tx, fact: &StatedFact, text: &str) -> Result<bool> {
    let (StatedFact::Memory(id) | StatedFact::CorrectedMemory(id)) = fact else {
        return Ok(false);
    };
    let known = tx.memories(turn.user.id, READ_MAX)?;
    let old = known.iter().find(|memory| memory.public_id == *id);
    let subject_of = |text: &str| {
        let lower = text.to_lowercase();
        let (subject, _) = lower.split_once(" is ")?;
        Some(without_article(subject).to_owned())
    };
    let new = subject_of(text);
    Ok(new.is_some() && new == old.and_then(|old| subject_of(&old.text)))
}

fn correct_memory(
    turn: &MessageTurn,
    tx: &mut Tx,
    fact: &StatedFact,
    text: &str,
) -> Result<String> {
    undo::undo_fact(turn, tx, fact)?;
    memories::remember(turn, tx, text)?;
    note_corrected(turn, tx)?;
    Ok(wording::memory_corrected(text))
}

/// "the wifi password is now moon8", "door code is 5513 now" takes the place of what it was, if that
/// is one memory.
pub(super) fn remember_fact(turn: &MessageTurn, tx: &mut Tx, fact: &str) -> Result<String> {
    let at_end = || fact.strip_suffix(" now")?.split_once(" is ");
    let Some((subject, value)) = fact.split_once(" is now ").or_else(at_end) else {
        return memories::remember_fact(turn, tx, fact);
    };
    let text = format!("{subject} is {value}");
    match memory_of(turn, tx, subject)? {
        Some((old, _)) => correct_memory(turn, tx, &old, &text),
        None => memories::remember_fact(turn, tx, &text),
    }
}

/// "wifi password changed to xyz", where a memory is of it, or it is worth one. `None`: neither.
pub(super) fn change_fact(
    turn: &MessageTurn,
    tx: &mut Tx,
    fact: &FactChange,
) -> Result<Option<String>> {
    let FactChange { subject, value, .. } = fact;
    Ok(match memory_of(turn, tx, subject)? {
        Some((old, begin)) => Some(correct_memory(turn, tx, &old, &format!("{begin}{value}"))?),
        None if fact.is_fact => {
            let text = format!("{subject} is {value}");
            Some(memories::remember_fact(turn, tx, &text)?)
        }
        None => None,
    })
}

/// The only memory of what something is, and its text before the value.
fn memory_of(turn: &MessageTurn, tx: &Tx, subject: &str) -> Result<Option<(StatedFact, String)>> {
    let begin = format!("{subject} is ").to_lowercase();
    let begin = without_article(&begin);
    let memories = tx.memories(turn.user.id, READ_MAX)?;
    // "door code 48A2" is as good as "door code is 48A2".
    let bare = begin.strip_suffix("is ").unwrap_or(begin);
    let is_bare = |text: &str| {
        let value = text.strip_prefix(bare);
        value.is_some_and(|value| !value.contains(' ') && value.contains(|c: char| c.is_numeric()))
    };
    let of = |is_meant: &dyn Fn(&str) -> bool| -> Vec<&Memory> {
        let lower = |memory: &&Memory| is_meant(without_article(&memory.text.to_lowercase()));
        memories.iter().filter(lower).collect()
    };
    let mut before = of(&|text| text.starts_with(begin) || is_bare(text));
    if before.is_empty() {
        // "the code" of a locker's, where there is one.
        let longer = format!(" {bare}");
        before = of(&|text| {
            let named = text
                .split_once(" is ")
                .map(|(named, _)| format!("{named} "));
            named.is_some_and(|named| named.ends_with(&longer))
        });
    }
    let [old] = before.as_slice() else {
        return Ok(None);
    };
    let lower = old.text.to_lowercase();
    let begin = match lower.find(" is ") {
        Some(at) => old.text.get(..at + " is ".len()).map(str::to_owned),
        None => Some(format!("{subject} is ")),
    };
    Ok(begin.map(|begin| (StatedFact::Memory(old.public_id.clone()), begin)))
}

/// The memory that was noted last is a corrected one.
fn note_corrected(turn: &MessageTurn, tx: &mut Tx) -> Result<()> {
    let fact = latest::read_named(turn, tx)?.and_then(|(latest, _)| latest.fact);
    match fact {
        Some(StatedFact::Memory(id)) => {
            latest::note_fact(turn, tx, StatedFact::CorrectedMemory(id))
        }
        _ => Ok(()),
    }
}
