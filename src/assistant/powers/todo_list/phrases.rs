//! Where a message names a list: "to my list", "on the groceries list", "what's on my list".

use super::ListName;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{money, parsers};
use crate::assistant::text::function_words::without_article;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::{self, amount};
use crate::assistant::text::words::Words;

/// Words searched for "to my list".
const WORDS_MAX: usize = 200;
/// Words of a list's name.
pub(super) const NAME_WORDS_MAX: usize = 3;

const ARTICLES: [&str; 7] = ["my", "the", "our", "this", "that", "a", "an"];

/// The list that has no name.
static UNNAMED: Phrases = Phrases::new(&[
    "todo list", "todo-list", "to-do list", "to do list", "do list", "to-do", "todos", "todo",
    "task list", "tasks list", "list of things to do", "list of todos", "list",
]);

/// A named list without the word.
const GROCERIES: &str = "groceries";

/// Lists that belong to something else, or to nobody.
const OTHERS: [&str; 6] = [
    "waiting", "mailing", "reminder", "reminders", "contact", "black",
];

/// "to my groceries list" in a message.
pub(super) struct ListPhrase {
    /// The preposition.
    pub(super) start: usize,
    /// After its last word.
    pub(super) end: usize,
    pub(super) list: ListName,
}

/// The last list of the words that is named after one of `prepositions`: what follows it is
/// nothing, or a time, which `has_time_after` recognises.
pub(super) fn on_list(
    message: &ParsedMessage,
    from: usize,
    end: usize,
    prepositions: &[&str],
    has_time_after: impl Fn(usize) -> bool,
) -> Option<ListPhrase> {
    let words = &message.words;
    (from..end.min(from + WORDS_MAX)).rev().find_map(|at| {
        let is_in_name = words.after(at, phrases!["to do list"]).is_some()
            && at > from
            && (ARTICLES.contains(&words.get(at - 1)) || prepositions.contains(&words.get(at - 1)));
        if is_in_name || !prepositions.contains(&words.get(at)) {
            return None;
        }
        let (list, after) = list_at(message, at + 1, end)?;
        let whole =
            after == end || at == from || words.is_set_off(after - 1) || has_time_after(after);
        let whole = whole || ends_sentence(words, after - 1);
        whole.then_some(ListPhrase {
            start: at,
            end: after,
            list,
        })
    })
}

/// Whether a sentence or a line ends after the word at `at`.
pub(super) fn ends_sentence(words: &Words, at: usize) -> bool {
    let word = words.original(at..at + 1);
    let next = words.original(at..at + 2);
    let is_end = word.ends_with(['.', '!', '?']) && words.is_set_off(at);
    is_end || next.get(word.len()..).is_some_and(|gap| gap.contains('\n'))
}

/// The list that is named at `at`, and the index after it. In a group others may have lists of
/// that name: only who speaks to the assistant means one that is not the group's usual one.
pub(super) fn list_at(message: &ParsedMessage, at: usize, end: usize) -> Option<(ListName, usize)> {
    let words = &message.words;
    let noun = words.skip(at, &ARTICLES);
    if let Some(from) = words.after(noun, phrases!["list called", "list named"]) {
        let to = end.min(from + NAME_WORDS_MAX);
        // "called party: cake"
        let ends_name = |at: &usize| words.original(*at..at + 1).ends_with(':');
        let to = (from..to).find(ends_name).map_or(to, |last| last + 1);
        let name = parsers::original(words, from, to);
        return (to > from && message.is_addressed).then_some((ListName::Named(name), to));
    }
    if let Some(after) = words.after(noun, &UNNAMED) {
        let is_recent = after == noun + 1 && matches!(words.get(at), "the" | "this" | "that");
        let list = match is_recent && words.get(noun) == "list" {
            true => ListName::Recent,
            false => ListName::Unnamed,
        };
        return Some((list, after));
    }
    let after = named(words, noun, end);
    let is_bare = matches!(words.get(noun), GROCERIES | "shopping");
    let bare = is_bare.then_some((noun + 1, noun + 1));
    let (to, after) = after.or(bare)?;
    let name = parsers::original(words, noun, to);
    let is_usual = matches!(words.get(noun), "shopping" | "grocery" | GROCERIES);
    (message.is_addressed || is_usual).then_some((ListName::Named(name), after))
}

/// "groceries list": the end of the name, and the index after "list".
fn named(words: &Words, at: usize, end: usize) -> Option<(usize, usize)> {
    let to = (at + 1..end.min(at + NAME_WORDS_MAX + 1)).find(|n| words.get(*n) == "list")?;
    let is_name = (at..to).all(|n| {
        let word = words.get(n);
        // "milk 2 shopping list", unlike "phase 2 list"
        let is_to = word == "2" && n + 1 < to;
        !OTHERS.contains(&word) && !ARTICLES.contains(&word) && !is_link(word) && !is_to
    });
    is_name.then_some((to, to + 1))
}

/// Words that don't occur in the name of a list.
fn is_link(word: &str) -> bool {
    phrases![
        "to", "on", "onto", "in", "into", "from", "off", "of", "for", "and", "or", "is", "are",
        "was", "it", "that", "with", "at", "by", "every", "each", "your", "his", "her", "their",
        "i", "you", "we", "what", "whats", "which", "show", "clear", "new", "another"
    ]
    .contains(word)
}

/// "what's on my groceries list", "show the list", "my groceries list".
pub(super) fn list_to_show(message: &ParsedMessage, end: usize) -> Option<ListName> {
    static SHOW: Phrases = Phrases::new(&[
        "whats left on", "what is left on", "whats on", "what is on", "what do i have on",
        "what do we have on", "what have i got on", "whats in", "what is in", "show me whats on",
        "tell me whats on", "show me", "show", "read me", "read", "open", "see", "view", "check",
        "display", "give me", "list", "how many things are on", "how many items are on",
        "how many things do i have on",
    ]);
    let words = &message.words;
    let after_show = words.after(message.start, &SHOW);
    let from = after_show.unwrap_or(message.start);
    // "list" and "groceries" alone are too short to be meant for sure.
    let is_bare = end == from + 1;
    let (list, after) = list_at(message, from, end)?;
    let is_sure = !is_bare || (after_show.is_some() && matches!(list, ListName::Named(_)));
    (after == end && is_sure).then_some(list)
}

/// The list after a verb such as "clear", if nothing follows it.
pub(super) fn after_verb(message: &ParsedMessage, verbs: &Phrases, end: usize) -> Option<ListName> {
    let from = message.words.after(message.start, verbs)?;
    let (list, after) = list_at(message, from, end)?;
    (after == end).then_some(list)
}

/// The first word of a repetition: a list has none.
pub(super) fn is_repeat(word: &str) -> bool {
    matches!(word, "every" | "each" | "daily" | "weekly" | "monthly")
}

pub(super) const NO_REPETITION: &str = "I've added nothing: things on a list don't come again by themselves. Say it without the repetition, or set a reminder: “remind me every monday to …”.";

/// "it", "everything": the thing itself is not named.
pub(super) fn is_no_thing(text: &str) -> bool {
    let words = Words::new(text);
    let is_more = |word: &str| {
        amount::is_number(word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(word, "some" | "a" | "few" | "more" | "another")
    };
    let ends_more = matches!(words.get(words.len().saturating_sub(1)), "more" | "another");
    ends_more && words.get(0) != "one" && words.iter().all(is_more)
        || phrases![
            "it", "this", "that", "these", "those", "them", "nothing", "everything", "something",
            "anything", "all of it", "all of them", "some more"
        ]
        .contains(text.to_lowercase().as_str())
}

/// "2", "#2", "the second one"
pub(super) fn number(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let bare = lower.strip_suffix(" one").unwrap_or(&lower);
    let bare = bare.strip_prefix("the ").unwrap_or(bare);
    let number = text.trim_start_matches('#').parse().ok();
    number.or_else(|| usize::try_from(when::ordinal(bare)?).ok())
}

/// Whether the word asks for something else than one more thing: "cancel" of "and cancel the milk".
pub(super) fn begins_request(word: &str) -> bool {
    phrases![
        "add", "put", "remove", "delete", "cancel", "drop", "take", "cross", "strike", "scratch",
        "tick", "untick", "uncheck", "mark", "done", "got", "show", "clear", "empty", "undo",
        "stop", "skip", "forget", "remember", "remind", "snooze", "move", "change", "rename",
        "split", "spent", "paid", "track", "no", "not"
    ]
    .contains(word)
}

/// "torch to that reminder", "bo to my contacts": where it is to be put is no list.
fn is_put_elsewhere(words: &Words, from: usize, end: usize) -> bool {
    (from + 1..end).any(|at| {
        let place = words.after(at, phrases!["to", "into", "in", "on", "onto"]);
        let place = place.map(|place| words.skip(place, &ARTICLES));
        place.is_some_and(|place| {
            place + 1 == end
                && matches!(
                    words.get(place),
                    "reminder"
                        | "reminders"
                        | "alarm"
                        | "contacts"
                        | "calendar"
                        | "bill"
                        | "budget"
                        | "chat"
                        | "group"
                        | "favourites"
                        | "favorites"
                        | "bookmarks"
                        | "booking"
                        | "phonebook"
                )
        })
    })
}

/// "an alarm for 7", "a memory: bo likes tea", "wednesdays", "20 for wine": what is on no list.
pub(super) fn is_of_others(words: &Words, from: usize, end: usize) -> bool {
    let is_amount = money::read(words, from)
        .is_some_and(|(_, next)| next < end && matches!(words.get(next), "for" | "on"));
    let is_list = words
        .after(
            from,
            phrases![
                "a new list", "another list", "a list", "everything from", "everything on",
                "all from", "all the things from", "all things from"
            ],
        )
        .is_some();
    if is_amount || is_list || is_put_elsewhere(words, from, end) {
        return true;
    }
    let noun = words.skip(
        from,
        phrases!["a", "an", "another", "my", "one more", "new", "a new"],
    );
    let is_days = || {
        (from..end).all(|at| {
            let day = words.get(at);
            when::weekday_name(day).is_some() || matches!(day, "and" | "on" | "also")
        })
    };
    matches!(
        words.get(noun),
        "alarm"
            | "alarms"
            | "reminder"
            | "reminders"
            | "timer"
            | "timers"
            | "memory"
            | "note"
            | "expense"
    ) && words.get(noun + 1) != "clock"
        || is_days()
}

/// Whether a name is only the beginning of another word of the text: "butter" of "butternut squash".
pub(super) fn is_cut(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let name = without_article(&name);
    let begins_word = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    let is_whole = |at: usize| {
        let rest = &text[at + name.len()..];
        let rest = rest.split(|c: char| !c.is_alphanumeric()).next();
        matches!(rest.unwrap_or_default(), "" | "s" | "es")
    };
    let mut found = text.match_indices(name).map(|(at, _)| at);
    let is_there = !name.is_empty() && text.contains(name);
    is_there && found.all(|at| begins_word(at) && !is_whole(at))
}
