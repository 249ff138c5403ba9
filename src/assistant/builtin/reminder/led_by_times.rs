//! "from monday at 7 wake me every day", "gym at 7 tomorrow, remind me": all of the time, or all of the
//! request, stands before the verb.

use std::ops::Range;

use super::waking::WAKE_UP;
use super::{ANYTHING_TO_REMIND, BEFORE_WORDS_MAX, parts, set, spoken_of};
use crate::assistant::builtin::{Intent, MessageContext, ParsedMessage, parsing};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day, TimeExpression};

static VERBS: Phrases = Phrases::new(&["remind me", "remind us", "wake me up", "wake me"]);

/// Words that begin a question.
const AUXILIARIES: [&str; 12] = [
    "did", "do", "does", "is", "are", "was", "will", "would", "can", "could", "should", "has",
];

/// Read as if the verb stood first. `None`: it isn't all understood so.
pub(super) fn read(message: &ParsedMessage) -> Option<Intent> {
    let words = &message.words;
    let lead = message.start..words.len().min(message.start + BEFORE_WORDS_MAX);
    let verb = lead.skip(1).find(|at| words.after(*at, &VERBS).is_some())?;
    let body = words.after(verb, &VERBS)?;
    let courtesies = phrases![
        "please", "pls", "can you", "could you", "will you", "would you", "so", "and"
    ];
    let mut lead = message.start..verb;
    while let Some(from) =
        (lead.start + 1..lead.end).find(|at| words.after(*at, courtesies) == Some(lead.end))
    {
        lead.end = from;
    }
    let end = parts::without_courtesies(words, body..words.len());
    // "gym at 7 tomorrow, remind me"
    let is_set_off = words.is_set_off(lead.end - 1);
    // "gym at 7 tomorrow remind me", unlike "will the app at 7 remind me"
    let is_told = || {
        !AUXILIARIES.contains(&words.get(lead.start))
            && when::trailing_time(words, lead.start + 1..lead.end).is_some()
    };
    let is_last = end == body && (is_set_off || is_told());
    let is_listed = || {
        let is_and = |at: usize| matches!(words.get(at), "and" | "&");
        lead.clone().skip(1).any(is_and) && tells_time(message, lead.start)
    };
    let is_start = || {
        static STARTS: Phrases = Phrases::new(&[
            "from", "starting", "starting from", "beginning", "as of", "every", "each",
        ]);
        words.after(lead.start, &STARTS).is_some()
    };
    let is_led = || !words.is_set_off(lead.end - 1) && (is_start() || is_listed());
    if !is_last && !is_led() {
        return None; // most messages
    }
    // "i ran today. can you remind me?": nothing of it is to come.
    if is_last && tells_of_past(message, lead.clone()) {
        let context = MessageContext {
            text: ANYTHING_TO_REMIND,
            group: false,
            ..*message.context
        };
        return set(&parsing::read_message(&context));
    }
    let said = words.original(lead).trim_end_matches([',', '.', ';', ' ']);
    let (verb, rest) = (words.original(verb..body), words.original(body..end));
    let own = if is_last { said } else { rest };
    message.depends_on_zone.set(true);
    let orders = [
        format!("{verb} {said} {rest}"),
        format!("{verb} {rest} {said}"),
    ];
    let found = orders.iter().find_map(|text| set_as(message, text, own));
    let found = found.filter(|_| is_set_off || !is_last);
    found.or_else(|| is_last.then(|| offered(message, said))?)
}

/// "i ran today", unlike "i booked the dentist for friday".
fn tells_of_past(message: &ParsedMessage, lead: Range<usize>) -> bool {
    let words = &message.words;
    let is_somebody = matches!(words.get(lead.start), "i" | "we" | "he" | "she" | "they");
    let times = lead.clone().filter_map(|at| Some(when::read(words, at)?.0));
    let times: Vec<TimeExpression> = times.collect();
    let is_over = |time: &TimeExpression| {
        let is_day = matches!(time.day, Some(Day::Today | Day::Over | Day::InDays(..0)));
        is_day && !time.has_time()
    };
    let is_past = is_somebody && spoken_of::is_past(words.get(lead.start + 1));
    is_past && !times.is_empty() && times.iter().all(is_over)
}

/// "i have to call the bank tomorrow at 9, remind me": what would be offered without the request.
fn offered(message: &ParsedMessage, said: &str) -> Option<Intent> {
    let context = MessageContext {
        text: said,
        group: false,
        ..*message.context
    };
    spoken_of(&parsing::read_message(&context))
}

/// The reminders of a request in another order, where all their text is in `own`.
fn set_as(message: &ParsedMessage, text: &str, own: &str) -> Option<Intent> {
    let context = MessageContext {
        text,
        group: false, // the name is not among these words
        ..*message.context
    };
    let found = set(&parsing::read_message(&context))?;
    let own = own.to_lowercase();
    let is_clear = |intent: &Intent| match intent {
        Intent::Remind { text, .. } => text == WAKE_UP || own.contains(&text.to_lowercase()),
        Intent::Say(_) => true,
        _ => false,
    };
    let are_clear = match &found {
        Intent::Several(each) => each.iter().all(is_clear),
        one => matches!(one, Intent::Remind { .. }) && is_clear(one),
    };
    are_clear.then_some(found)
}

/// "at 7, 8 and 9"
fn tells_time(message: &ParsedMessage, at: usize) -> bool {
    let link = phrases!["at", "on", "in", "tomorrow", "today", "tonight"];
    message.words.after(at, link).is_some() && when::read(&message.words, at).is_some()
}
