//! Several requests in one message: one per sentence or line, or put together by "and". Each is done
//! or named as not understood; a message with one request is not split.

mod beginnings;
mod part;
mod questions;
mod second_times;
mod sentences;

use crate::assistant::builtin::reminder::without_courtesies;
use crate::assistant::builtin::{Intent, ParsedMessage, asked_about, may_answer, memory_answers};
use crate::assistant::text::corrections::{self, MarkStrength};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::{Words, has_digit};
use crate::assistant::wording;
use beginnings::{RequestStart, after_courtesy, beginnings, ends_alarm};
use part::MessagePart;
pub(super) use part::asks_for_power;
use questions::{QUESTIONS, begins_question, is_to_be_asked};
use second_times::{
    counts_from_first, ends_with_day, names_day, names_hour, names_wait, with_unsure_day,
};
use sentences::{is_time, sentences};

/// Longer messages, or those with more parts, are not split.
const TEXT_BYTES_MAX: usize = 4_096;
const PARTS_MAX: usize = 8;

/// `None` for at most one request.
pub(super) fn requests(message: &ParsedMessage) -> Option<Intent> {
    let text = message.context.text;
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let sentences = joined(sentences(text), text);
    if sentences.len() > PARTS_MAX {
        return None;
    }
    let is_one_sentence = sentences.len() == 1;
    if is_one_sentence && message.words.is_whole() && beginnings(&message.words).next().is_none() {
        return None; // most messages
    }
    let mut parts = Vec::new();
    for sentence in sentences {
        let more = joined_requests(sentence, message);
        if more.is_empty() && is_one_sentence {
            return None;
        }
        if more.is_empty() {
            parts.push(MessagePart::read(sentence, message));
        } else {
            parts.extend(more);
        }
    }
    each_spent(&mut parts);
    // "remind me to tell ann: bring a coat. my name is kim"
    let quotes = |part: &MessagePart<'_>| part.quotes(part.text);
    if parts[..parts.len().saturating_sub(1)].iter().any(quotes) {
        return None;
    }
    let is_count = (2..=PARTS_MAX).contains(&parts.len());
    if !is_count || !begins_with_fact(&parts).unwrap_or_else(|| has_requests(&parts)) {
        return None;
    }
    // The time of a reminder may be that of another part: then it is not known.
    let is_lost = |part: &MessagePart<'_>| part.intent == Intent::Unknown && is_time(part.text);
    let sets = |part: &MessagePart<'_>| matches!(part.intent, Intent::Remind { .. });
    if parts.iter().any(is_lost) && parts.iter().any(sets) {
        return Some(Intent::Unclear(wording::reminder_half_understood(text)));
    }
    if shares_day(&parts) {
        return None;
    }
    if parts.iter().any(|part| part.depends_on_zone) {
        message.depends_on_zone.set(true);
    }
    Some(Intent::Several(in_order(each_done_or_named(parts))))
}

static SPENT: Phrases = Phrases::new(&["spent", "i spent", "ive spent", "i just spent"]);

/// "30 on shoes" in a line after "spent 5 on tea" was spent as well.
fn each_spent(parts: &mut [MessagePart]) {
    let mut is_spent = false;
    for part in parts {
        let words = Words::new(part.text);
        let on = (1..=2).any(|at| words.get(at) == "on");
        let is_amount = on && words.get(0).contains(|c: char| c.is_ascii_digit());
        if is_spent && is_amount {
            part.intent = Intent::Power(format!("spent {}", part.text));
            continue;
        }
        is_spent = words.after(0, &SPENT).is_some();
    }
}

/// "dentist at 10 and gym at 12 tomorrow": the day may be that of both.
fn shares_day(parts: &[MessagePart]) -> bool {
    let Some((last, before)) = parts.split_last() else {
        return false;
    };
    let is_undated = |part: &MessagePart<'_>| {
        let is_told = part.is_statement() || matches!(part.intent, Intent::Power(_));
        is_told && names_hour(part.text) && !names_day(part.text)
    };
    last.is_second && ends_with_day(last.text) && before.iter().any(is_undated)
}

/// What each part asks for, or that nothing is done for it.
fn each_done_or_named(parts: Vec<MessagePart>) -> Vec<Intent> {
    let remembered = parts.iter().filter_map(|part| match &part.intent {
        Intent::Remember { text } => Some(text.clone()),
        _ => None,
    });
    let remembered: Vec<String> = remembered.collect();
    let (mut has_day, mut is_asked) = (false, false);
    // "breakfast with bo at 8 tomorrow, remind me": the notice comes before it. "I have to call the bank
    // tomorrow at 9. Can you remind me?": it is offered.
    let is_told = |n: usize| {
        let part = parts.get(n);
        part.is_some_and(|part| part.keeps_plan() || part.is_statement())
    };
    let is_needless =
        |n: usize| parts[n].is_bare_request() && (is_told(n + 1) || n > 0 && is_told(n - 1));
    let needless: Vec<bool> = (0..parts.len()).map(is_needless).collect();
    let parts = parts.into_iter().zip(needless);
    let parts = parts.filter_map(|(part, is_needless)| (!is_needless).then_some(part));
    let each = parts.filter_map(|part| {
        let is_second_question = is_asked && part.is_statement();
        is_asked |= part.is_to_be_answered();
        if is_second_question {
            return Some(Intent::Unclear(wording::part_not_done(part.text)));
        }
        // "wake me at 6 and remind me 10 minutes later to get up"
        if part.is_second && counts_from_first(&part) {
            return Some(Intent::Unclear(wording::part_not_done(part.text)));
        }
        let before = std::mem::replace(&mut has_day, names_day(part.text));
        // "remind me tomorrow at 9 to leave. train is at 10:15"
        let may_share_day = part.is_second || part.keeps_plan();
        let is_unsure = may_share_day && before && !has_day && !names_wait(part.text);
        match part.intent {
            Intent::Say(_) if !part.is_second && !part.text.ends_with('?') && !asks(&part) => None,
            Intent::Unknown if is_statement(part.text) => None,
            Intent::Unknown => Some(match answered(&remembered, part.text) {
                Some(about) => Intent::Recall { about: Some(about) },
                None => Intent::Unclear(wording::part_not_understood(part.text)),
            }),
            intent if is_unsure => Some(with_unsure_day(intent, part.text)),
            intent => Some(intent),
        }
    });
    each.collect()
}

/// "remind me at 6 to drink and cancel all reminders": those that were set before are meant.
fn in_order(mut requests: Vec<Intent>) -> Vec<Intent> {
    let sets = |intent: &Intent| matches!(intent, Intent::Remind { .. });
    if let Some(first) = requests.iter().position(sets) {
        requests[first..].sort_by_key(|intent| !matches!(intent, Intent::CancelReminders(_)));
    }
    requests
}

/// Whether a fact is followed by talk, or by what is to be done. Facts alone are remembered as they
/// were said. `None`: there is something else.
fn begins_with_fact(parts: &[MessagePart]) -> Option<bool> {
    let is_talk =
        |part: &MessagePart<'_>| matches!(part.intent, Intent::Say(_)) && !part.text.ends_with('?');
    let is_first = parts[0].is_fact;
    if parts.iter().all(|part| part.is_fact || is_talk(part)) {
        return Some(is_first && parts.iter().any(is_talk));
    }
    (is_first && parts.iter().any(|part| part.is_plan())).then_some(true)
}

/// "what's the code?" after "remember the code is 12": what it asks about.
fn answered(remembered: &[String], question: &str) -> Option<String> {
    let about = asked_about(question, &Words::new(question))?;
    let is_answer = |text: &String| memory_answers(text, &about) && may_answer(text, question);
    remembered.iter().any(is_answer).then_some(about)
}

fn asks(part: &MessagePart) -> bool {
    let words = Words::new(part.text);
    words.after(0, &QUESTIONS).is_some() || begins_question(&words, 0)
}

/// Whether at least two parts are requests, or one that follows other sentences or is followed by
/// questions: what else follows a request may belong to it.
fn has_requests(parts: &[MessagePart]) -> bool {
    if parts[1..].iter().all(|part| part.is_second || asks(part)) {
        return parts[0].stands_alone();
    }
    let mut requests = parts
        .iter()
        .filter(|part| part.intent.is_command() || part.is_statement());
    match (requests.next(), requests.next()) {
        (Some(_), Some(_)) => true,
        (Some(only), None) => only.stands_alone() && !parts[0].intent.is_command(),
        _ => false,
    }
}

/// Whether it only tells something: "the sky is green".
fn is_statement(text: &str) -> bool {
    let words = Words::new(text);
    let begins = phrases![
        "i", "im", "ive", "we", "were", "he", "hes", "she", "shes", "they", "theyre", "it", "its",
        "the", "this", "that", "thats", "my", "there", "theres", "today"
    ]
    .contains(words.get(0));
    begins && !words.is_question()
}

/// "spent 5 on lunch and add milk to my list": requests put together by "and"; none for one.
fn joined_requests<'a>(sentence: &'a str, message: &ParsedMessage<'a>) -> Vec<MessagePart<'a>> {
    let words = Words::new(sentence);
    let beginnings: Vec<RequestStart> = beginnings(&words).take(PARTS_MAX - 1).collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for (n, beginning) in beginnings.iter().enumerate() {
        let at = beginning.at;
        let before = (start..at).rev().find(|at| !is_link(&words, *at));
        let before_end = before.map_or(start, |at| at + 1);
        let end = beginnings.get(n + 1).map_or(words.len(), |next| next.at);
        let last = (at..end).rev().find(|at| !is_link(&words, *at));
        let next_end = last.map_or(end, |last| last + 1);
        let next = words.original(after_courtesy(&words, at)..next_end);
        let part = MessagePart::read(words.original(start..before_end), message);
        if is_detail_of_stay(
            words.original(start..before_end),
            words.original(at..words.len()),
        ) {
            continue;
        }
        // "spent 20 on lunch remind me at 5 to log it"
        let is_sure = beginning.is_apart || matches!(part.intent, Intent::Power(_));
        if !is_sure || !part.stands_alone() {
            continue;
        }
        if part.quotes(words.original(start..at)) {
            break;
        }
        // "spent 20 on food, make it 25" is one request.
        let is_correction = matches!(part.intent, Intent::Power(_))
            && words
                .after(at, phrases!["make it", "make that", "change it"])
                .is_some();
        if is_correction {
            continue;
        }
        let (said, next) = (Words::new(next), MessagePart::read(next, message));
        let before = || Words::new(words.original(start..before_end));
        let asks = !next.is_bare_request()
            && (said.after(0, &QUESTIONS).is_some()
                || begins_question(&said, 0) && !is_to_be_asked(&before()));
        let is_said = asks && matches!(next.intent, Intent::Say(_));
        // "to run, thanks, and also add milk"
        let is_ended = || without_courtesies(&words, start..before_end) < before_end;
        if asks && words.is_set_off(at - 1)
            || ends_alarm(&words, at)
            || (part.ends_before(&said, &next) || is_ended()) && (next.stands_alone() || is_said)
        {
            parts.push(part);
            start = at;
        }
    }
    if !parts.is_empty() {
        parts.push(MessagePart::read(
            words.original(start..words.len()),
            message,
        ));
    }
    for part in parts.iter_mut().skip(1) {
        part.is_second = true;
    }
    parts
}

/// The sentences of a text, where one only completes or corrects the one before it, both as one:
/// "check-in at 3pm" after a hotel, "no, 14" after "spent 12 on lunch".
fn joined<'a>(sentences: Vec<&'a str>, text: &'a str) -> Vec<&'a str> {
    let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let mut all: Vec<&'a str> = Vec::new();
    for sentence in sentences {
        match all.last_mut() {
            Some(before) if is_detail_of_stay(before, sentence) || corrects(before, sentence) => {
                *before = &text[place(before)..place(sentence) + sentence.len()];
            }
            _ => all.push(sentence),
        }
    }
    all
}

/// "i mean 14" after "spent 12 on lunch". What was set or kept is corrected by the next request.
fn corrects(before: &str, next: &str) -> bool {
    const VALUE_WORDS_MAX: usize = 3;
    let words = Words::new(next);
    let mark = corrections::after_mark(&words, 0);
    let Some((from, _)) = mark.filter(|(_, strength)| *strength > MarkStrength::BeforeTime) else {
        return false; // most sentences
    };
    let from = corrections::skip_links(&words, from);
    let is_short = (1..=VALUE_WORDS_MAX).contains(&words.len().saturating_sub(from));
    let is_value = has_digit(words.get(from)) || when::day_at(&words, from).is_some();
    is_short && is_value && has_digit(before) && Words::new(before).after(0, &SPENT).is_some()
}

/// "check-in at 3pm" after "hotel astoria from 3 to 5 dec": a part of the booking.
fn is_detail_of_stay(before: &str, next: &str) -> bool {
    const DETAIL_WORDS_MAX: usize = 5;
    let (before, next) = (Words::new(before), Words::new(next));
    let is_stay = before.iter().any(|word| {
        matches!(
            word,
            "hotel" | "hostel" | "motel" | "airbnb" | "guesthouse" | "resort" | "inn" | "b&b"
        )
    });
    let details = phrases![
        "check-in", "check in", "checkin", "check-out", "check out", "checkout", "room",
        "confirmation", "booking number", "booking code"
    ];
    is_stay && next.len() <= DETAIL_WORDS_MAX && next.after(0, details).is_some()
}

fn is_link(words: &Words, at: usize) -> bool {
    // "and please put milk on my list", unlike "to say please"
    let is_polite = matches!(words.get(at), "please" | "kindly") && at > 0;
    is_polite && (is_link(words, at - 1) || words.is_set_off(at - 1))
        || matches!(
            words.get(at),
            "and" | "then" | "also" | "plus" | "so" | "oh"
        )
}
