//! Parses messages about parcels: "my parcel from Zalando arrives on friday", "where are my
//! parcels?".

use std::ops::Range;

use super::{ParcelAction, by_name};
use crate::assistant::builtin::{ParsedMessage, TimeChange, follow_up};
use crate::assistant::powers::after_time::WordsAfterTime;
use crate::assistant::powers::entries::removed_number;
use crate::assistant::powers::{RequestStrength, parsers, planned_time};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::words::Words;

/// A shorter word with digits in it is no tracking number.
const NUMBER_CHARS_MIN: usize = 8;
/// Words before the day of the parcel that was spoken of.
static IT_ARRIVES: Phrases = Phrases::new(&[
    "it arrives", "it now arrives", "it arrives now", "it comes", "it now comes", "it comes now",
    "it should arrive", "it should come", "it should now arrive", "it will arrive", "it will come",
    "it will now arrive", "itll arrive", "its expected", "its now expected", "its arriving",
    "expected",
]);
/// Words that begin the mention of an expected parcel.
static EXPECTING: Phrases = Phrases::new(&[
    "track", "im expecting", "i am expecting", "i expect", "expecting", "im waiting for",
    "i am waiting for", "im getting", "i get", "im awaiting", "keep", "note",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, ParcelAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, ParcelAction::List));
    }
    if let Some(from) = words.after(at, &IT_ARRIVES) {
        let time = match words.get(end - 1) == "instead" {
            true => changed_time(message, None, from, end),
            false => new_time(message, None, from, end),
        };
        if let Some(action) = time {
            return Some((InSession, action));
        }
    }
    static ARRIVED: Phrases = Phrases::new(&[
        "it arrived", "it has arrived", "its arrived", "it came", "its here", "it is here",
    ]);
    if words.after(at, &ARRIVED) == Some(end) {
        let (about, arrived) = (None, true);
        return Some((InSession, ParcelAction::Remove { about, arrived }));
    }
    static IT: Phrases = Phrases::new(&["it is", "its", "it will be", "itll be", "it has been"]);
    static IT_WAS: Phrases = Phrases::new(&["its been", "it was", "it got"]);
    static DELAYED: Phrases =
        Phrases::new(&["delayed to", "delayed until", "delayed till", "delayed by"]);
    // "delayed to monday at 5" is said of nothing else; "delayed flight at 7" is.
    let is_delayed = words.after(at, &DELAYED).is_some();
    let told = words.after(at, &IT_WAS).or(is_delayed.then_some(at));
    let told = told.filter(|at| is_only_late(words, *at, end));
    if let Some(from) = words.after(at, &IT).or(told)
        && let Some(action) = parse_late(message, None, from, end)
    {
        return Some((InSession, action));
    }
    let verbs = ["delete", "remove", "forget", "drop", "cancel"];
    if let Some(number) = removed_number(words, at, end, &verbs) {
        return Some((InSession, ParcelAction::RemoveNumber(number)));
    }
    let named = (at..end).find(|n| is_parcel(words.get(*n)));
    if named.is_none()
        && let Some(action) = by_name::parse(message, at, end)
    {
        return Some((Soft, action));
    }
    let kind = named.or_else(|| carried(words, at..end))?;
    if is_asked(words, at, kind..end) {
        return Some((Soft, ParcelAction::List));
    }
    if let Some(removal) = parse_removal(message, at, kind, end) {
        return Some(removal);
    }
    if let Some(late) = (kind..end).find(|n| late_end(words, *n).is_some()) {
        let about = about(message, at, kind, late);
        return Some((Soft, parse_late(message, about, late, end)?));
    }
    if matches!(words.get(at), "where" | "wheres")
        || words
            .after(at, phrases!["when does", "when will", "when is"])
            .is_some()
    {
        return Some((Clear, ParcelAction::List));
    }
    parse_parcel(message, at, kind, end).map(|action| (Clear, action))
}

/// "dhl 00340434161094042557": a carrier beside a number, without a word for a parcel.
fn carried(words: &Words, mut range: Range<usize>) -> Option<usize> {
    let has_number = range.clone().any(|n| is_tracking_number(words.get(n)));
    range.find(|n| has_number && is_carrier(words.get(*n)))
}

/// "is my parcel coming today?", "has my package arrived?"
fn is_asked(words: &Words, at: usize, mut rest: Range<usize>) -> bool {
    let begins = matches!(
        words.get(at),
        "is" | "are" | "has" | "have" | "did" | "does" | "do" | "will"
    );
    begins
        && rest.any(|n| {
            [
                "arrive", "arrived", "arriving", "come", "coming", "delivered", "due", "here",
                "there",
            ]
            .contains(&words.get(n))
        })
}

/// Whether all that follows "delayed" is a time.
fn is_only_late(words: &Words, at: usize, end: usize) -> bool {
    late_end(words, at).is_some_and(|from| {
        follow_up::read_shift(words, from..end).is_some()
            || follow_up::read_new_time(words, from..end).is_some()
    })
}

/// "delayed until friday": the new day, if one is named.
fn parse_late(
    message: &ParsedMessage,
    about: Option<String>,
    at: usize,
    end: usize,
) -> Option<ParcelAction> {
    let from = late_end(&message.words, at)?;
    let shift = follow_up::read_shift(&message.words, from..end);
    let shift = shift.map(|to| ParcelAction::Move {
        about: about.clone(),
        to,
    });
    let time = shift.or_else(|| changed_time(message, about.clone(), from, end));
    Some(time.unwrap_or(ParcelAction::Late(about)))
}

/// The new time of a parcel that is known: a weekday is the one next to its day.
fn changed_time(
    message: &ParsedMessage,
    about: Option<String>,
    from: usize,
    end: usize,
) -> Option<ParcelAction> {
    Some(match new_time(message, about, from, end)? {
        ParcelAction::SetTime { about, time, .. } => {
            let words = &message.words;
            let is_instead = words.get(end - 1) == "instead";
            let to = end - usize::from(is_instead && end > from + 1);
            let weekday = follow_up::read_new_time(words, from..to).filter(TimeChange::is_weekday);
            ParcelAction::SetTime {
                about,
                time,
                weekday,
            }
        }
        action => action,
    })
}

/// The new time between those words: a day, or only an hour ("at 2") or so long after the one that it
/// had ("2 days later").
fn new_time(
    message: &ParsedMessage,
    about: Option<String>,
    from: usize,
    end: usize,
) -> Option<ParcelAction> {
    let words = &message.words;
    let links = ["later", "earlier", "sooner"];
    let shift = follow_up::read_shift(words, from..end);
    let shift = shift.filter(|_| links.contains(&words.get(end - 1)));
    let hour = || follow_up::read_new_time(words, from..end).filter(TimeChange::is_hour);
    if let Some(to) = shift.or_else(hour) {
        return Some(ParcelAction::Move { about, to });
    }
    let found = planned_time::find(message, from, end, false)?;
    Some(match found.time {
        Ok(time) => ParcelAction::SetTime {
            about,
            time,
            weekday: None,
        },
        Err(problem) => ParcelAction::UnclearTime(problem),
    })
}

/// The index after words that tell of a delay.
fn late_end(words: &Words, at: usize) -> Option<usize> {
    static PHRASES: Phrases = Phrases::new(&[
        "is running late", "is late", "is delayed", "is now delayed", "got delayed", "was delayed",
        "has been delayed", "is postponed", "is overdue", "running late", "late", "delayed",
        "overdue", "now arrives", "arrives now", "now comes", "comes now", "will now arrive",
        "will now come", "is now arriving", "is now coming", "is now expected", "is now due",
        "only arrives", "only comes",
    ]);
    words.after(at, &PHRASES)
}

/// The parcel has arrived, or is to be forgotten.
fn parse_removal(
    message: &ParsedMessage,
    at: usize,
    kind: usize,
    end: usize,
) -> Option<(RequestStrength, ParcelAction)> {
    static VERBS: Phrases = Phrases::new(&[
        "delete", "remove", "forget", "drop", "stop tracking", "untrack",
    ]);
    if let Some(from) = message.words.after(at, &VERBS) {
        let about = about(message, from, kind, end);
        let arrived = false;
        return Some((
            RequestStrength::Clear,
            ParcelAction::Remove { about, arrived },
        ));
    }
    let verb = (kind..end).find(|n| is_arrived(message, *n))?;
    let about = about(message, at, kind, verb);
    let arrived = true;
    Some((
        RequestStrength::Soft,
        ParcelAction::Remove { about, arrived },
    ))
}

/// "my parcel from Zalando arrives on friday", "track package 1Z… by UPS".
fn parse_parcel(
    message: &ParsedMessage,
    at: usize,
    kind: usize,
    end: usize,
) -> Option<ParcelAction> {
    let words = &message.words;
    let stated = words.after(at, &EXPECTING);
    let verb = (kind..end).find_map(|n| Some((n, arrival_verb(message, n)?)));
    let from = stated.unwrap_or(at);
    let is_other = words.get(from) == "another";
    let from = words.skip(from, phrases!["my", "the", "a", "our", "this", "another"]);
    // "I have a package" is talk; so is "delivery" in a longer story.
    // "keep it as a parcel": that was something else.
    let is_told = stated.is_some() || verb.is_some() && kind <= from + 3;
    if !is_told || words.is_question() || matches!(words.get(from), "it" | "that" | "them") {
        return None;
    }
    let short = verb.and_then(|(_, next)| planned_time::short_day(message, next, end));
    let found = short.or_else(|| planned_time::find(message, kind + 1, end, false));
    let to = verb.map_or(end, |(n, _)| n);
    // "by UPS", "number 1Z…" after the day belongs to the details.
    let is_of_carrier = |n: usize| {
        let word = words.get(n);
        let links = ["by", "with", "via", "number", "tracking", "no", "code"];
        is_tracking_number(word) || is_carrier(word) || links.contains(&word)
    };
    let verb_end = verb.map_or(to, |(_, next)| next);
    let later = found.as_ref().map(|found| found.range().1.max(verb_end));
    let later = later.filter(|later| verb.is_some() && !(*later..end).any(is_of_carrier));
    let after = later.map(|later| WordsAfterTime::read(&parsers::original(words, later, end)));
    let after = after.unwrap_or_default();
    let (mut named, mut details) = (Vec::new(), Vec::new());
    for n in from..end {
        let in_time = found
            .as_ref()
            .is_some_and(|found| (found.range().0..found.range().1).contains(&n));
        let in_verb = verb.is_some_and(|(from, next)| (from..next).contains(&n));
        let word = words.get(n);
        if in_time || in_verb {
            continue;
        }
        if is_tracking_number(word) || is_carrier(word) {
            details.push(parsers::original(words, n, n + 1));
        } else if n < to && !matches!(word, "by" | "with" | "number" | "tracking" | "via") {
            named.push(parsers::original(words, n, n + 1));
        }
    }
    let what = named.join(" ");
    details.extend(Some(after.details.clone()).filter(|more| !more.is_empty()));
    let details = details.join(" ");
    if stated.is_some() && details.is_empty() && found.is_none() && words.get(at) != "track" {
        return None;
    }
    let time = match found.map(|found| found.time) {
        Some(Err(problem)) => return Some(ParcelAction::UnclearTime(problem)),
        Some(Ok(time)) => Some(time),
        None => None,
    };
    let has_content = time.is_some() || !details.is_empty();
    has_content.then_some(ParcelAction::Keep {
        what,
        details,
        is_other,
        time,
        after,
    })
}

fn lists(request: &str) -> bool {
    [
        "parcels", "my parcels", "packages", "my packages", "my deliveries", "deliveries",
        "show my parcels", "show my packages", "list my parcels", "track my parcels",
        "track my packages", "any parcels", "any more parcels", "any other parcels",
        "any parcels today", "any deliveries today",
    ]
    .contains(&request)
}

fn is_parcel(word: &str) -> bool {
    matches!(
        word,
        "parcel" | "parcels" | "package" | "packages" | "delivery" | "deliveries" | "shipment"
    )
}

/// The index after the words of a coming arrival.
fn arrival_verb(message: &ParsedMessage, at: usize) -> Option<usize> {
    message.words.after(
        at,
        phrases![
            "arrives", "is arriving", "comes", "is coming", "will arrive", "should arrive",
            "should come", "will come", "gets here", "is due", "is expected", "will be delivered",
            "is delivered", "should be here", "will be here", "is out for delivery", "arriving",
            "due", "coming", "expected",
        ],
    )
}

fn is_arrived(message: &ParsedMessage, at: usize) -> bool {
    let phrases = phrases![
        "arrived", "has arrived", "is here", "came", "was delivered", "has been delivered",
        "got here", "is there",
    ];
    let end = message.words.after(at, phrases);
    end.is_some_and(|next| next >= message.words.len().saturating_sub(2))
}

/// Which parcel: "the parcel from Zalando", "my Zalando parcel".
fn about(message: &ParsedMessage, from: usize, kind: usize, end: usize) -> Option<String> {
    let words = &message.words;
    let from = words.skip_article(from);
    let after = words.skip(kind + 1, phrases!["from", "of", "with"]);
    let text = match parsers::original(words, after, end) {
        text if text.is_empty() => parsers::original(words, from, kind),
        text => text,
    };
    (!text.is_empty()).then_some(text)
}

pub(super) fn is_tracking_number(word: &str) -> bool {
    word.len() >= NUMBER_CHARS_MIN
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && word.bytes().filter(u8::is_ascii_digit).count() >= 6
}

fn is_carrier(word: &str) -> bool {
    [
        "dhl", "ups", "fedex", "usps", "dpd", "gls", "hermes", "evri", "tnt", "postnl", "inpost",
        "yodel", "colissimo", "chronopost", "correos", "postnord",
    ]
    .contains(&word)
}
