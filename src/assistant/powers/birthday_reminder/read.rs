//! Parses messages about birthdays: "Ana's birthday is on 3 May", "when is Ana's birthday?".

use chrono::{Datelike, NaiveDate};

use super::super::planned_time;
use super::{BirthdayAction, ListedSpan};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::RequestStrength;
use crate::assistant::powers::statement;
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, Day};
use crate::assistant::text::words::{Words, has_digit};

/// Words of a name.
const NAME_WORDS_MAX: usize = 6;
static WHEN: Phrases = Phrases::new(&[
    "when is", "whens", "what day is", "when was", "do you know when", "how many days until",
    "how many weeks until", "how many weeks till", "how many days till", "how many days to",
    "how long until", "how long till",
]);

/// Words before a name in a statement.
static BEGUN: Phrases = Phrases::new(&["its", "it is", "today is", "tomorrow is", "is it"]);
/// Words between "birthday" and the day.
static IS_ON: Phrases = Phrases::new(&[
    "is on the", "is on", "is the", "is", "on the", "on", "falls on", "was on",
]);

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, BirthdayAction)> {
    use RequestStrength::{Clear, Soft};
    let words = &message.words;
    if let Some(action) = list(message.request()) {
        return Some((Clear, action));
    }
    let (at, end) = (message.start, parsers::end(words));
    if words.after(at, phrases!["how old am i"]) == Some(end) {
        return Some((Soft, BirthdayAction::Age("you".to_owned())));
    }
    if let Some(from) = words.after(at, phrases!["how old is", "how old will", "how old was"]) {
        return asked_age(words, from, end).map(|name| (Soft, BirthdayAction::Age(name)));
    }
    let near = at..end.min(at + 5 + NAME_WORDS_MAX);
    let Some(word) = near
        .clone()
        .find(|n| matches!(words.get(*n), "birthday" | "bday" | "b-day"))
    else {
        return told_otherwise(message, near, at, end);
    };
    let has_number = |next: usize| (next..end).any(|n| has_digit(words.get(n)));
    if let Some(from) = words.after(at, &WHEN) {
        let name = owner_name(words, from, word, end)?;
        // Anybody may be asked after.
        return Some((Soft, BirthdayAction::When(name)));
    }
    if let "remove" | "delete" | "forget" | "cancel" = words.get(at) {
        let name = owner_name(words, at + 1, word, end)?;
        return Some((Clear, BirthdayAction::Remove(name)));
    }
    if let Some(found) = moved(message, (at, word), end) {
        return Some((Clear, found));
    }
    let from = words.skip(at, &KEEP);
    let begun = words.after(from, &BEGUN).filter(|from| *from < word);
    let is_told = begun.is_some();
    let from = begun.unwrap_or(from);
    let (name, next) = owner(words, from, word, end)?;
    let next = words.skip(next, &IS_ON);
    let stated = next > word + 1 || from > at || words.is_set_off(word);
    match day(message, next) {
        Some((action, to)) if to == end => Some((
            Clear,
            match action(name) {
                BirthdayAction::Keep {
                    name, month, day, ..
                } if is_told => BirthdayAction::IsOn { name, month, day },
                action => action,
            },
        )),
        // "Bo's birthday is 3/5"
        _ if has_number(next) && end == next + 1 && !words.is_question() => {
            Some((Clear, BirthdayAction::Ambiguous))
        }
        // "Bo's birthday is 3 May, Cy's is 4 June"
        _ if has_number(next) && !words.is_question() => Some((Clear, BirthdayAction::Unclear)),
        _ if is_told && end == next && next == word + 1 && !words.is_question() => {
            Some((Clear, is_now(message, name)?))
        }
        // "Ana's birthday is going to be fun" is ordinary talk.
        _ if stated && end == next => Some((Clear, BirthdayAction::DayUnsaid(name))),
        _ => None,
    }
}

/// "today is Ana's birthday", "tomorrow is Ana's birthday". "is it Ana's birthday" is a question.
fn is_now(message: &ParsedMessage, name: String) -> Option<BirthdayAction> {
    let words = &message.words;
    let days_ahead = match words.get(words.skip(message.start, &KEEP)) {
        "is" => return None,
        "tomorrow" => 1,
        _ => 0,
    };
    let today = local_time::date(message.context.now, message.zone());
    let date = today.checked_add_days(chrono::Days::new(days_ahead))?;
    let (month, day) = (date.month(), date.day());
    Some(BirthdayAction::IsOn { name, month, day })
}

/// "Dan was born on 10 June", "Bo turns 30 on 5 May", "when was Dan born?".
fn told_otherwise(
    message: &ParsedMessage,
    mut near: std::ops::Range<usize>,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BirthdayAction)> {
    use RequestStrength::Soft;
    let words = &message.words;
    let verb = near.find(|n| matches!(words.get(*n), "born" | "turns" | "turning"))?;
    if let Some(from) = words.after(at, phrases!["when was", "when were", "what year was"])
        && words.get(verb) == "born"
        && verb + 1 == end
    {
        let name = match words.phrase(from..verb).as_str() {
            "i" => "you".to_owned(),
            _ => parsers::original(words, from, verb),
        };
        let is_name = name == "you" || statement::is_person(&name);
        return is_name.then_some((Soft, BirthdayAction::When(name)));
    }
    match words.get(verb) {
        "born" => parse_born(message, at, verb, end),
        _ => parse_turns(message, at, verb, end),
    }
}

/// "change Bo's birthday to 14 May", "move Bo's birthday 14 May".
fn moved(
    message: &ParsedMessage,
    (at, word): (usize, usize),
    end: usize,
) -> Option<BirthdayAction> {
    let words = &message.words;
    static VERBS: Phrases = Phrases::new(&[
        "change the date of", "change", "update", "correct", "move", "fix", "edit", "set",
        "i meant", "make",
    ]);
    let from = words.after(at, &VERBS).filter(|from| *from < word)?;
    let (name, next) = owner(words, from, word, end)?;
    let next = words.skip(next, phrases!["to the", "to be", "to", "is", "from"]);
    // "from 3 may to 14 may"
    let is_from = words.get(next - 1) == "from";
    let next = match is_from {
        true => (next..end).find(|n| words.get(*n) == "to")? + 1,
        false => next,
    };
    if next >= end {
        return Some(BirthdayAction::Unclear);
    }
    let (action, to) = day(message, next)?;
    (to == end).then(|| action(name))
}

/// Whose age: "bo", "bo be".
fn asked_age(words: &Words, from: usize, end: usize) -> Option<String> {
    let to = (from..end).find(|n| matches!(words.get(*n), "be" | "now" | "today" | "turning"));
    let name = parsers::original(words, from, to.unwrap_or(end));
    statement::is_person(&name).then_some(name)
}

/// Words that begin a request to keep a birthday.
static KEEP: Phrases = Phrases::new(&[
    "remember that", "remember", "dont forget that", "dont forget", "do not forget", "note that",
    "keep in mind that", "keep in mind", "add a", "add", "save", "note", "keep", "set",
    "remind me of",
]);

/// "Dan was born on 10 June 1990".
fn parse_born(
    message: &ParsedMessage,
    at: usize,
    born: usize,
    end: usize,
) -> Option<(RequestStrength, BirthdayAction)> {
    let words = &message.words;
    let from = words.skip(at, &KEEP);
    let verb = born.checked_sub(1).filter(|verb| *verb > from)?;
    let next = words.skip(born + 1, phrases!["on the", "on"]);
    let (action, to) = day(message, next)?;
    let name = match words.phrase(from..verb).as_str() {
        "i" => "you".to_owned(),
        "he" | "she" | "they" | "it" | "who" | "we" => return None,
        _ => parsers::original(words, from, verb),
    };
    let is_stated = matches!(words.get(verb), "was" | "is") && to == end;
    let is_short = verb - from <= NAME_WORDS_MAX && !name.is_empty();
    (is_stated && is_short).then(|| (RequestStrength::Soft, action(name)))
}

/// "Bo turns 30 on 5 May", "Bo is turning 30 on 5 May".
fn parse_turns(
    message: &ParsedMessage,
    at: usize,
    verb: usize,
    end: usize,
) -> Option<(RequestStrength, BirthdayAction)> {
    let words = &message.words;
    let from = words.skip(at, &KEEP);
    let verb = Some(verb).filter(|verb| *verb > from)?;
    let is_being = words.get(verb - 1) == "is" && words.get(verb) == "turning";
    let name = parsers::original(words, from, verb - usize::from(is_being));
    let age: i32 = words.get(verb + 1).parse().ok()?;
    let is_age = (1..=120).contains(&age);
    let is_stated = is_age && statement::is_person(&name) && !words.is_question();
    let (action, _) = day(message, verb + 2).filter(|(_, to)| *to == end && is_stated)?;
    let action = match action(name) {
        BirthdayAction::Keep {
            name, month, day, ..
        } => {
            let today = local_time::date(message.context.now, message.zone());
            let is_over = (month, day) < (today.month(), today.day());
            BirthdayAction::Keep {
                name,
                month,
                day,
                year: Some(today.year() + i32::from(is_over) - age),
            }
        }
        action => action,
    };
    Some((RequestStrength::Clear, action))
}

fn list(request: &str) -> Option<BirthdayAction> {
    static ALL: Phrases = Phrases::new(&[
        "birthdays", "my birthdays", "list birthdays", "show birthdays", "show my birthdays",
        "upcoming birthdays", "all birthdays", "list my birthdays", "whose birthday is next",
        "whose birthday is it", "show me my birthdays", "show me the birthdays",
        "which birthdays are coming up", "what birthdays are coming up", "next birthdays",
        "whos birthday is next", "next birthday", "the next birthday", "birthday reminders",
        "any birthdays", "any birthdays soon", "any birthdays coming up", "who has birthday next",
        "whose birthday is coming up",
    ]);
    let span = match request {
        "any birthdays this week" | "birthdays this week" => ListedSpan::Week,
        "any birthdays this month" | "birthdays this month" => ListedSpan::Month,
        _ if ALL.contains(request) => ListedSpan::All,
        _ => return None,
    };
    Some(BirthdayAction::List(span))
}

type ActionBuilder = Box<dyn Fn(String) -> BirthdayAction>;

/// The day at `at`: an action for the person whose birthday it is.
fn day(message: &ParsedMessage, at: usize) -> Option<(ActionBuilder, usize)> {
    let words = &message.words;
    let at = if matches!(words.get(at), "on" | "the") {
        at + 1
    } else {
        at
    };
    let (spec, mut end) = parsers::read_date(words, at)?;
    // "turns 60 next year" names no day.
    if planned_time::is_open_span(words, at) {
        return Some((Box::new(|_| BirthdayAction::Unclear), end));
    }
    let (month, day, year) = match spec.day {
        Some(Day::OfYear { month, day }) => (month, day, None),
        Some(Day::Date { year, month, day }) => (month, day, Some(year)),
        Some(Day::Ambiguous { .. }) => return Some((Box::new(|_| BirthdayAction::Ambiguous), end)),
        Some(_) => {
            let (date, _) = parsers::read_day(words, at, message.context.now, message.zone())?;
            (date.month(), date.day(), None)
        }
        None => {
            let (date, next) = in_days_on(message, &spec, end)?;
            end = next;
            (date.month(), date.day(), None)
        }
    };
    // A future year gives the next birthday, not the year of birth.
    let this_year = local_time::date(message.context.now, message.zone()).year();
    let year = year.filter(|year| *year < this_year);
    // A leap year has every day.
    if NaiveDate::from_ymd_opt(year.unwrap_or(2000), month, day).is_none() {
        return Some((Box::new(|_| BirthdayAction::Unclear), end));
    }
    let keep = move |name| BirthdayAction::Keep {
        name,
        month,
        day,
        year,
    };
    Some((Box::new(keep), end))
}

/// "in two weeks on the 7th": some days from now, and the day of the month, which must agree.
fn in_days_on(
    message: &ParsedMessage,
    spec: &when::TimeExpression,
    end: usize,
) -> Option<(NaiveDate, usize)> {
    let is_in_days = spec.delay.is_some_and(|wait| wait.seconds == 0);
    let on = message
        .words
        .after(end, phrases!["on"])
        .filter(|_| is_in_days)?;
    let (Day::OfMonth(day), next) = when::day_at(&message.words, on)? else {
        return None;
    };
    let at = when::resolve(spec, message.context.now, message.zone()).ok()?;
    let date = local_time::date(at, message.zone());
    (date.day() == day).then_some((date, next))
}

/// Names that end in "s" by themselves.
const NAMES_IN_S: &str = "abbas agnes alexis amos anais anders andreas andres angus atlas barnabas bess boris \
     brooks carlos charles chris claus cornelius curtis cyrus darius denis dennis dolores \
     doris douglas elias ellis elvis fergus frances francis gladys gus hans harris hermes \
     ignatius ines iris jacques janis jens jess jesus jonas joris jules julius klaus kris \
     lars lewis linus lois louis lucas luis lukas magnus marcos marcus marius markus mathias \
     mathis matthias mavis milos moses nicholas nicolas niels nikolas nils otis paris phyllis \
     pius rasmus remus rhys ross rufus silas stavros tess thais thomas titus tobias travis \
     venus wes willis yannis yves zeus";

/// "dan" of "dans birthday", typed without the apostrophe.
fn without_s(typed: &str) -> String {
    let last = typed.rsplit(' ').next().unwrap_or(typed).to_lowercase();
    let is_own = |name: &str| NAMES_IN_S.split_whitespace().any(|one| one == name);
    let bare = typed
        .strip_suffix(['s', 'S'])
        .filter(|bare| !bare.is_empty());
    match bare {
        Some(bare) if !is_own(&last) => bare.to_owned(),
        _ => typed.to_owned(),
    }
}

/// Whose birthday the words before or after "birthday" name.
fn owner_name(words: &Words, from: usize, word: usize, end: usize) -> Option<String> {
    owner(words, from, word, end).map(|(name, _)| name)
}

/// "Ana's birthday" and "the birthday of Ana": whose, and the index after it.
fn owner(words: &Words, from: usize, word: usize, end: usize) -> Option<(String, usize)> {
    if words.get(word + 1) == "of" {
        let from = word + 2;
        let to = (from..end)
            .find(|n| {
                matches!(words.get(*n), "is" | "on" | "falls" | "was") || words.is_set_off(*n - 1)
            })
            .unwrap_or(end);
        let name = parsers::original(words, from, to);
        return statement::is_person(&name).then_some((name, to));
    }
    // "birthday dan 3 may"
    if word == from
        && let Some(to) = (word + 2..end).find(|n| when::read(words, *n).is_some())
    {
        let name = parsers::original(words, word + 1, to);
        return statement::is_person(&name).then_some((name, to));
    }
    if word <= from || word - from > NAME_WORDS_MAX {
        return None;
    }
    // "Eva has her birthday on …"
    if let Some(has) = (from + 1..word).find(|n| words.get(*n) == "has") {
        let is_own = matches!(
            words.phrase(has + 1..word).as_str(),
            "her" | "his" | "their" | "a" | ""
        );
        return is_own.then(|| (parsers::original(words, from, has), word + 1));
    }
    let typed = parsers::original(words, from, word);
    let bare = ["'s", "’s", "'S", "’S"]
        .iter()
        .find_map(|tail| typed.strip_suffix(tail))
        .or_else(|| typed.strip_suffix(['\'', '’']));
    static NO_NAMES: Phrases = Phrases::new(&[
        "the", "a", "his", "her", "their", "your", "happy", "our", "this", "next", "whose", "last",
    ]);
    let lower = typed.to_lowercase();
    let name = match bare {
        Some(name) => name.to_owned(),
        None if matches!(lower.as_str(), "my" | "mine") => "you".to_owned(),
        None if NO_NAMES.contains(lower.as_str()) => return None,
        None => without_s(&typed),
    };
    let is_name = name == "you" || statement::is_person(&name);
    is_name.then_some((name, word + 1))
}
