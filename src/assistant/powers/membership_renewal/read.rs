//! Parses messages about renewals: "netflix renews every month on 5 december for 12.99".

use super::super::entries::{Period, removed_number};
use super::super::planned_time::{self, PlannedTime};
use super::super::{RequestStrength, money};
use super::RenewalAction;
use crate::assistant::MessageContext;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::parsing::read_message;
use crate::assistant::builtin::reminder::repeats::{self, Repeat};
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::words::Words;

/// Words before "renews".
const NAME_WORDS_MAX: usize = 8;
/// Words that begin the mention of how often, without a name.
static IT_RENEWS: Phrases = Phrases::new(&[
    "it renews", "it is renewed", "its renewed", "thats", "that is", "its",
]);

/// Words that begin a request to cancel something.
static ORDERS: Phrases = Phrases::new(&[
    "cancel", "stop", "end", "quit", "terminate", "unsubscribe me from", "unsubscribe from",
    "get rid of",
]);
static CANCELLED: Phrases = Phrases::new(&[
    "i cancelled", "i canceled", "ive cancelled", "ive canceled", "i have cancelled",
    "i have canceled", "i just cancelled", "i just canceled", "i quit", "just cancelled",
    "just canceled", "cancelled", "canceled", "i unsubscribed from", "unsubscribed from",
    "i got rid of", "got rid of",
]);

pub(in super::super) fn parse(message: &ParsedMessage) -> Option<(RequestStrength, RenewalAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    let (at, end) = (message.start, parsers::end(words));
    if lists(message.request()) {
        return Some((Clear, RenewalAction::List));
    }
    if asks_for_list(message.request()) {
        return Some((RequestStrength::Soft, RenewalAction::List));
    }
    if let Some(from) = words.after(at, phrases!["when does", "when will", "when do"]) {
        // "when does the film end" asks something else.
        let of_kind = (from..end).any(|n| is_kind(words.get(n)));
        let is_verb = |n: &usize| {
            matches!(words.get(*n), "renew" | "expire") || of_kind && words.get(*n) == "end"
        };
        let verb = (from..end).find(is_verb)?;
        let about = without_article(message, from, verb)?;
        return Some((Soft, RenewalAction::Show(about)));
    }
    if let Some(number) = removed_number(words, at, end, &["delete", "remove", "forget", "drop"]) {
        return Some((InSession, RenewalAction::RemoveNumber(number)));
    }
    if let Some(from) = words.after(at, phrases!["delete", "remove", "forget", "drop"])
        && let Some(about) = of_kind(message, from, end)
    {
        return Some((Clear, RenewalAction::Remove(about)));
    }
    if let Some(from) = words.after(at, &ORDERS) {
        let is_kind = (from..end).any(|n| is_kind(words.get(n)));
        let about = of_kind(message, from, end).or_else(|| without_article(message, from, end))?;
        return Some((Soft, RenewalAction::Order { about, is_kind }));
    }
    if let Some(from) = words.after(at, &CANCELLED) {
        let about = of_kind(message, from, end).or_else(|| without_article(message, from, end))?;
        return Some((Soft, RenewalAction::Cancelled(about)));
    }
    if let Some(period) = period_told(words, at, end) {
        let about = None;
        return Some((InSession, RenewalAction::SetPeriod { about, period }));
    }
    if let Some(action) = price_told(message, at, end) {
        return Some((Soft, action));
    }
    if let Some(action) = bill_told(message, at, end) {
        return Some(action);
    }
    let until = end.min(at + NAME_WORDS_MAX + 2);
    let (verb, next, ends) = (at..until).find_map(|n| {
        let renews = verb_end(words, n).map(|next| (n, next, false));
        renews.or_else(|| Some((n, end_verb_end(message, n)?, true)))
    })?;
    let from = words.skip_article(at);
    let is_request = matches!(words.get(at), "remind" | "tell" | "warn" | "ask" | "cancel");
    if is_request || from >= verb {
        return None;
    }
    // "gym, 30 euros a month, renews on the 1st"
    let name = (from + 1..verb).find(|n| price(words, *n).is_some());
    let what = without_article(message, from, name.unwrap_or(verb))?;
    let mut phrase = RenewalPhrase::of(words, next, end);
    if let Some(name) = name {
        let told = RenewalPhrase::of(words, name, verb);
        phrase.price = phrase.price.or(told.price);
        phrase.period = phrase.period.or(told.period);
    }
    renewal(message, what, phrase, ends)
}

/// "every month", "it renews yearly": of what was told last.
fn period_told(words: &Words, at: usize, end: usize) -> Option<Period> {
    let (repeat, next) = repeats::read(words, words.skip(at, &IT_RENEWS))?;
    let is_whole = next == end && !repeat.names_day() && !repeat.names_time();
    repeat.step().filter(|_| is_whole).and_then(Period::of)
}

/// "spotify is 12.99", "netflix now costs 15.99 a month".
fn price_told(message: &ParsedMessage, at: usize, end: usize) -> Option<RenewalAction> {
    let words = &message.words;
    static VERBS: Phrases = Phrases::new(&[
        "is now", "is", "now costs", "costs", "will cost", "went up to", "goes up to",
    ]);
    let until = end.min(at + NAME_WORDS_MAX);
    let verb = |verb: usize| Some((verb, words.after(verb, &VERBS)?));
    let (verb, from) = (at + 1..until).find_map(verb)?;
    let (_, next) = money::read(words, from)?;
    let per = per(words, next);
    let (period, after) = per.map_or((None, next), |(period, after)| (Some(period), after));
    let after = words.skip(after, phrases!["now"]);
    let about = without_article(message, at, verb)?;
    (after == end).then(|| RenewalAction::SetPrice {
        about,
        price: parsers::original(words, from, next),
        period,
    })
}

/// "rent is 850 on the 1st of every month", "gym is 30 due every month on the 5th".
fn bill_told(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, RenewalAction)> {
    let words = &message.words;
    let until = end.min(at + NAME_WORDS_MAX);
    let (verb, amount, next) = (at + 1..until).find_map(|verb| {
        let from = words.after(verb, phrases!["is", "costs"])?;
        Some((verb, from, money::read(words, from)?.1))
    })?;
    let from = words.skip(next, phrases!["and due", "due"]);
    let what = without_article(message, at, verb)?;
    let tail = RenewalPhrase {
        price: Some(parsers::original(words, amount, next)),
        ..RenewalPhrase::of(words, from, end)
    };
    let is_whole = tail.rest.is_empty() && tail.repeat.as_ref().is_some_and(Repeat::names_day);
    let is_stated = !words.is_question();
    (is_whole && is_stated)
        .then(|| renewal(message, what, tail, false))
        .flatten()
}

/// A statement or question about a renewal. `ends`: it expires.
fn renewal(
    message: &ParsedMessage,
    what: String,
    phrase: RenewalPhrase,
    ends: bool,
) -> Option<(RequestStrength, RenewalAction)> {
    use RequestStrength::{Clear, Soft};
    let context = MessageContext {
        text: &phrase.rest,
        ..*message.context
    };
    let inner = read_message(&context);
    let found = planned_time::find(&inner, 0, inner.words.len(), false);
    // "12/28" on a card is a month.
    let is_month = what.ends_with("card") && inner.words.iter().any(|word| word.contains('/'));
    if is_month {
        let reply = "On which day is that? Say it like “my card expires on 31 December 2028”.";
        return Some((Clear, RenewalAction::UnclearTime(reply.to_owned())));
    }
    let often = match &phrase.repeat {
        Some(repeat) => match repeat.step().and_then(Period::of) {
            Some(period) => Some(period),
            None => {
                let reply = "I can keep what renews every so many days, weeks, months or years. On which day does it renew next?";
                return Some((Clear, RenewalAction::UnclearTime(reply.to_owned())));
            }
        },
        None => phrase.period,
    };
    let period = often.or(ends.then_some(Period::Once));
    let (time, details) = match found {
        Some(found) => {
            let mut details = found.rest(&inner.words, 0, inner.words.len());
            details.retain(|text| !is_filler(text));
            match found.time {
                Ok(time) => (Some(time), details),
                Err(problem) => return Some((Clear, RenewalAction::UnclearTime(problem))),
            }
        }
        None => (first_day(message, phrase.repeat.as_ref()), Vec::new()),
    };
    let Some(time) = time else {
        let is_stated = !message.words.is_question();
        return match often {
            // "netflix renews every month"
            Some(period) if is_stated => Some((
                Soft,
                RenewalAction::SetPeriod {
                    about: Some(what),
                    period,
                },
            )),
            _ => (is_stated && phrase.rest.is_empty())
                .then_some((Soft, RenewalAction::AskTime(what))),
        };
    };
    let details: Vec<String> = phrase.price.into_iter().chain(details).collect();
    Some((
        Clear,
        RenewalAction::Keep {
            what,
            details: details.join(", "),
            time,
            period,
        },
    ))
}

/// The first day of a rule that names its days: "every month on the 5th".
fn first_day(message: &ParsedMessage, repeat: Option<&Repeat>) -> Option<PlannedTime> {
    let repeat = repeat.filter(|repeat| repeat.names_day())?;
    let recurrences = repeat
        .recurrences(message.context.now, message.zone())
        .ok()?;
    let next = recurrences.first()?.next()?;
    Some(PlannedTime {
        day: local_time::date(next, message.zone()),
        minute: None,
    })
}

fn is_filler(text: &str) -> bool {
    matches!(
        text.to_lowercase().as_str(),
        "on" | "next" | "again" | "next on" | "and" | "the next time" | "next time" | "then"
    )
}

/// The words after the verb of a renewal.
struct RenewalPhrase {
    repeat: Option<Repeat>,
    /// "12.99 a month"
    period: Option<Period>,
    /// The price as it was typed.
    price: Option<String>,
    /// The words that are left.
    rest: String,
}

impl RenewalPhrase {
    fn of(words: &Words, from: usize, end: usize) -> Self {
        let mut phrase = Self {
            repeat: None,
            period: None,
            price: None,
            rest: String::new(),
        };
        let mut rest = Vec::new();
        let mut at = from;
        while at < end {
            if phrase.price.is_none()
                && let Some((amount, next)) = price(words, at)
            {
                phrase.price = Some(parsers::original(words, amount, next));
                let per = per(words, next);
                phrase.period = per.map(|(period, _)| period);
                at = per.map_or(next, |(_, next)| next);
            } else if phrase.price.is_none()
                && let Some((amount, period, next)) = price_per(words, at)
            {
                phrase.price = Some(parsers::original(words, amount, next));
                phrase.period = Some(period);
                at = next;
            } else if let Some((period, next)) = lasting(words, at) {
                phrase.period = Some(period);
                at = next;
            } else if phrase.repeat.is_none()
                && let Some((repeat, next)) = repeats::read(words, at)
            {
                phrase.repeat = Some(repeat);
                at = next;
            } else {
                rest.push(words.original(at..at + 1));
                at += 1;
            }
        }
        phrase.rest = rest.join(" ");
        phrase
    }
}

/// The words of an amount of money: "for 12.99", "€12.99". A day and a count are none.
fn price(words: &Words, at: usize) -> Option<(usize, usize)> {
    /// No month and no minute is so high, in hundredths.
    const MINUTES: i64 = 60;
    static LINKS: Phrases = Phrases::new(&["for", "it costs", "costs", "costing", "at", "price"]);
    let from = words.skip(at, &LINKS);
    let (amount, next) = money::read(words, from)?;
    let is_count = [
        "day", "days", "week", "weeks", "month", "months", "year", "years", "people", "users",
    ]
    .contains(&words.get(next));
    let is_told = from > at && words.get(at) != "at";
    let is_amount = amount.currency.is_some()
        || amount.minor % 100 >= MINUTES
        || is_told && !is_count && parsers::read_month(words.get(next)).is_none();
    is_amount.then_some((from, next))
}

/// "$54.99/month"
fn price_per(words: &Words, at: usize) -> Option<(usize, Period, usize)> {
    let from = words.skip(at, phrases!["for", "at", "costs"]);
    let (amount, unit) = words.get(from).split_once('/')?;
    money::read(&Words::new(amount), 0)?;
    let period = match unit {
        "month" | "mo" | "mth" | "m" => Period::Monthly,
        "year" | "yr" | "y" => Period::Yearly,
        "week" | "wk" => Period::Days(7),
        _ => return None,
    };
    Some((from, period, from + 1))
}

/// "for a year": it lasts so long each time.
fn lasting(words: &Words, at: usize) -> Option<(Period, usize)> {
    let from = words.after(at, phrases!["for another", "for"])?;
    let (spec, next) = when::read_duration(words, from)?;
    Some((Period::of(spec.delay?)?, next))
}

/// "a month" after a price.
fn per(words: &Words, at: usize) -> Option<(Period, usize)> {
    let units = [
        ("month", Period::Monthly),
        ("year", Period::Yearly),
        ("week", Period::Days(7)),
    ];
    let from = words.after(at, phrases!["a", "per", "each", "every", "/"])?;
    let unit = units.iter().find(|(unit, _)| *unit == words.get(from))?;
    Some((unit.1, from + 1))
}

fn lists(request: &str) -> bool {
    [
        "renewals", "my renewals", "show my renewals", "list my renewals", "upcoming renewals",
        "what renews", "what renews soon", "my memberships", "memberships", "show my memberships",
        "my subscriptions", "show my subscriptions", "list my subscriptions", "my subs", "subs",
        "show my subs", "list my subs", "show me my subs",
    ]
    .contains(&request)
}

/// Whether a question asks for the list of subscriptions; a memory may answer it as well.
fn asks_for_list(request: &str) -> bool {
    [
        "what subscriptions do i have", "which subscriptions do i have", "what subs do i have",
        "which subs do i have", "what subs have i got", "what are my subs",
        "what subscriptions have i got", "what are my subscriptions", "how much are my subs",
        "what am i subscribed to", "how much do i pay for subscriptions",
        "how much do i pay for my subscriptions", "how much are my subscriptions",
        "what do i pay for subscriptions", "what renews", "what else renews", "what renews next",
        "what do my subscriptions cost", "what do my subs cost", "whats renewing next",
        "whats renewing", "what is renewing next", "what renews this month",
    ]
    .contains(&request)
}

fn is_kind(word: &str) -> bool {
    matches!(word, "renewal" | "subscription" | "membership")
}

/// The name beside "subscription" and the like.
fn of_kind(message: &ParsedMessage, from: usize, end: usize) -> Option<String> {
    let kind = (from..end).find(|n| is_kind(message.words.get(*n)))?;
    let of = || {
        static LINK: Phrases = Phrases::new(&["of", "for", "to", "at", "with"]);
        without_article(message, message.words.after(kind + 1, &LINK)?, end)
    };
    of().or_else(|| without_article(message, from, kind))
}

/// The index after "renews".
fn verb_end(words: &Words, at: usize) -> Option<usize> {
    words.after(
        at,
        phrases![
            "renews", "auto-renews", "autorenews", "will renew", "is renewed", "gets renewed",
            "will be renewed", "is due for renewal", "renewal is", "is up for renewal",
        ],
    )
}

/// The index after "expires", where a membership or a document does.
fn end_verb_end(message: &ParsedMessage, at: usize) -> Option<usize> {
    let words = &message.words;
    static ENDS: Phrases = Phrases::new(&["expires", "runs out", "ends", "is due", "will expire"]);
    let next = words.after(at, &ENDS)?;
    let is_named = (message.start..at).any(|n| {
        is_kind(words.get(n))
            || [
                "licence", "license", "passport", "insurance", "pass", "visa", "card", "id",
                "domain", "contract", "lease", "warranty", "permit", "certificate", "voucher",
            ]
            .contains(&words.get(n))
    });
    is_named.then_some(next)
}

fn without_article(message: &ParsedMessage, from: usize, to: usize) -> Option<String> {
    let from = message.words.skip_article(from);
    let text = parsers::original(&message.words, from, to);
    let text = text.strip_suffix(" automatically").unwrap_or(&text);
    let is_name = !matches!(
        text.to_lowercase().as_str(),
        "" | "it" | "this" | "that" | "what"
    );
    is_name.then(|| text.to_owned())
}
