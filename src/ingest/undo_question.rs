//! "undo" right after a request that changed nothing: it may mean that request, so nothing is taken
//! back before the person agrees.

use crate::assistant::builtin::FollowUp;
use crate::assistant::powers::Power;
use crate::assistant::{self, Intent, wording};
use crate::error::Result;
use crate::ingest::dialog::NUMBERS_MS;
use crate::ingest::dialog::latest::{self, ItemEvent, LastNamed, StatedFact};
use crate::ingest::dialog::question::{self, Question};
use crate::ingest::limits;
use crate::ingest::turn::MessageTurn;
use crate::store::{MessageRow, Tx};

/// Messages that "undo" may mean.
const LOOKED_AT_MAX: usize = 5;
/// Messages among which the one is looked for whose change would be taken back.
const MESSAGES_MAX: usize = 20;

/// A change that "undo" may mean after a message that changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UndoCandidate {
    /// A question or small talk: what was before it.
    None,
    MayBeMeant,
    /// The message was "undo" itself.
    Asked,
}

/// The question whether an older change is meant. `None`: nothing else was requested since.
pub(in crate::ingest) fn ask_first(
    turn: &MessageTurn,
    tx: &mut Tx,
    intent: &Intent,
) -> Result<Option<String>> {
    let is_undo = matches!(
        intent,
        Intent::FollowUp {
            what: FollowUp::Undo,
            ..
        }
    );
    if !is_undo || turn.agent.is_none() {
        return Ok(None);
    }
    if is_still_answered(turn, tx)? {
        let language = turn.fixed_language(tx)?;
        let text = wording::still_answering_in(language.as_deref());
        return Ok(Some(text.to_owned()));
    }
    let power = turn.requested_power.as_ref().and_then(|it| it.undone());
    let Some(changed_by) = changed_by(turn, tx, power)? else {
        return Ok(None);
    };
    if let Some(power) = power
        && !can_go_back(turn, tx, power)?
    {
        return Ok(None); // it says so
    }
    if let Some(other) = others_change(turn, tx, changed_by)? {
        return Ok(Some(wording::changed_by_another(&other.text)));
    }
    let messages = match turn.room.head {
        Some(head) => tx.view().chain(head, MESSAGES_MAX)?,
        None => Vec::new(),
    };
    let since = messages.iter().take_while(|one| one.id > changed_by);
    let is_to_assistant = |one: &&MessageRow| {
        let is_own = one.user == turn.user.id;
        is_own && (!turn.in_group() || assistant::addresses(&one.text, &turn.persona.name))
    };
    let own = since.filter(is_to_assistant);
    let mut candidates = own.take(LOOKED_AT_MAX).map(|one| candidate_of(turn, one));
    if candidates.find(|candidate| *candidate != UndoCandidate::None)
        != Some(UndoCandidate::MayBeMeant)
    {
        return Ok(None);
    }
    let is_within_limits = match power {
        Some(_) => limits::may_use_power(turn, false),
        None => limits::may_command(turn),
    };
    if !is_within_limits {
        return Ok(None); // which the answer says
    }
    let change = messages.iter().find(|one| one.id == changed_by);
    question::ask(
        turn,
        tx,
        &Question::Undo {
            message_id: changed_by,
            power: power.map(|power| power.name().to_owned()),
        },
    )?;
    Ok(Some(wording::undo_unsure(
        change.map(|change| change.text.as_str()),
    )))
}

/// What a language model is about to do can't be taken back yet.
fn is_still_answered(turn: &MessageTurn, tx: &Tx) -> Result<bool> {
    let Some(before) = turn.previous_message(tx)? else {
        return Ok(false);
    };
    let pending = tx.pending_reply(before.id)?;
    Ok(pending.is_some_and(|reply| !reply.unprompted))
}

/// Whether there is something to take back.
fn can_go_back(turn: &MessageTurn, tx: &Tx, power: Power) -> Result<bool> {
    let state = tx.power_state(turn.owner(), power.name())?;
    Ok(state.is_some_and(|state| state.previous.is_some()))
}

/// The message of somebody else in the group that changed last what is shared: what they did, they
/// take back themselves.
fn others_change(turn: &MessageTurn, tx: &Tx, changed_by: i64) -> Result<Option<MessageRow>> {
    if !turn.in_group() {
        return Ok(None);
    }
    let change = tx.view().message(changed_by)?;
    Ok(change.filter(|change| change.user != turn.user.id))
}

/// Whether nothing but "undo" was said since.
pub(in crate::ingest) fn is_only_undone_since(
    turn: &MessageTurn,
    tx: &Tx,
    latest: &LastNamed,
) -> Result<bool> {
    let messages = match turn.room.head {
        Some(head) => tx.view().chain(head, LOOKED_AT_MAX)?,
        None => Vec::new(),
    };
    let mut since = messages
        .iter()
        .take_while(|one| Some(one.id) > latest.message_id);
    Ok(since.all(|one| candidate_of(turn, one) == UndoCandidate::Asked))
}

/// The message whose changes "undo" takes back; `None`: there is none, or it is too old.
pub(in crate::ingest) fn changed_by(
    turn: &MessageTurn,
    tx: &Tx,
    power: Option<Power>,
) -> Result<Option<i64>> {
    if let Some(power) = power {
        let write = tx.power_state_write(turn.owner(), power.name())?;
        return Ok(write.and_then(|write| write.message_id));
    }
    let latest = latest::read_own(turn, tx, NUMBERS_MS)?;
    let can_be_undone = |latest: &LastNamed| {
        let is_done = latest.event != ItemEvent::Delivered || latest.fact.is_some();
        !latest.is_undone && is_done && !stays(latest)
    };
    let latest = latest.map(|(latest, _)| latest).filter(can_be_undone);
    Ok(latest.and_then(|latest| latest.message_id))
}

/// Whether "undo" may mean this message, which changed nothing.
fn candidate_of(turn: &MessageTurn, last: &MessageRow) -> UndoCandidate {
    // What a language model did for a message is not known here.
    if last.user != turn.user.id || last.decision.is_some() {
        return UndoCandidate::None;
    }
    let understood = assistant::understand_all(&turn.context_then(last));
    let is_for_power = !understood.calls.calls.is_empty();
    let unknown = understood.unknown.as_ref();
    let names_reminder = unknown.is_some_and(|unknown| unknown.named_follow_up.is_some());
    let is_request = match understood.intent {
        Intent::Say(_)
        | Intent::Help(_)
        | Intent::ListReminders
        | Intent::FindReminders { .. }
        | Intent::Agenda { .. }
        | Intent::Recall { .. }
        | Intent::Status
        | Intent::Profile(_)
        | Intent::Usage => false,
        Intent::FollowUp {
            what: FollowUp::Undo,
            ..
        } => return UndoCandidate::Asked,
        Intent::FollowUp { what, .. } => {
            let is_done = matches!(what, FollowUp::Done | FollowUp::DoneNumbered(_));
            is_done || what.is_command() && !matches!(what, FollowUp::Dates(_))
        }
        // "cancel ben"
        Intent::Unknown if names_reminder => true,
        Intent::Unknown if is_for_power => {
            !assistant::only_asks(&turn.words_of(&last.text))
                && !only_shows(&last.text, &turn.persona.name)
        }
        _ => true,
    };
    match is_request {
        true => UndoCandidate::MayBeMeant,
        false => UndoCandidate::None,
    }
}

/// "show my trip", "my packing list"
fn only_shows(text: &str, persona: &str) -> bool {
    const OWN_WORDS_MAX: usize = 4;
    let text = text.to_lowercase();
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    let mut words = words.filter(|word| !word.is_empty() && *word != persona.to_lowercase());
    match words.next() {
        Some("show" | "list" | "see" | "view") => true,
        Some("my" | "our" | "the") => words.count() < OWN_WORDS_MAX,
        _ => false,
    }
}

/// Whether it is a name or another setting alone, which can't be taken back.
pub(in crate::ingest) fn stays(latest: &LastNamed) -> bool {
    let is_kept = latest.fact.as_ref().is_some_and(StatedFact::stays);
    is_kept && latest.changes == Default::default()
}
