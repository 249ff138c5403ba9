//! Detects messages of people who may be suicidal, in danger or in an emergency, or near somebody
//! who is. Crises are checked before any other rule. In doubt a message is one.
//!
//! A message is read as sentences of plain words (`sentences`, `spelling`), which belong to classes
//! (`classes`). Patterns in a notation of their own (`grammar`) say what is a crisis (`despair`,
//! `danger`, `emergency`, `harm`, `overdose`, `languages`), and what is none (`contexts`, `home`).
//! `over` knows what ends one.

mod classes;
mod contexts;
mod danger;
mod despair;
mod emergency;
mod grammar;
mod harm;
mod home;
mod languages;
mod over;
mod overdose;
mod pattern_set;
mod sentences;
mod spelling;
mod unrelated;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::assistant::text::phrases::phrases;
use crate::assistant::text::word_set::{HashedWord, WordMap};
use crate::assistant::text::words::Words;
use contexts::{CONTEXTS, OTHER_MEANINGS};
use grammar::CrisisPattern;
use pattern_set::{PatternSet, context};
use sentences::Sentence;

pub use crate::assistant::wording::CrisisKind;
pub(in crate::assistant) use over::is_over;
pub(super) use over::may_be_over;
pub(in crate::assistant) use unrelated::is_unrelated;

struct CrisisPatterns {
    crises: Vec<(PatternSet, CrisisPattern)>,
    contexts: Vec<(u16, CrisisPattern)>,
    other_meanings: Vec<CrisisPattern>,
}

static PATTERNS: LazyLock<CrisisPatterns> = LazyLock::new(|| {
    let despair = despair::DESPAIR.iter().chain(&danger::DANGER);
    let others = emergency::EMERGENCY.iter().chain(&overdose::OVERDOSE);
    let sets = despair.chain(others).chain(&harm::HARM).copied();
    let sets = sets.chain(languages::pattern_sets());
    let crises = sets.flat_map(|set| {
        let patterns = set
            .patterns
            .iter()
            .flat_map(|line| CrisisPattern::with_dropped_subject(line));
        patterns.map(move |pattern| (set, pattern))
    });
    let contexts = CONTEXTS.iter();
    let contexts = contexts.flat_map(|(context, lines)| {
        lines
            .iter()
            .map(|line| (*context, CrisisPattern::new(line)))
    });
    CrisisPatterns {
        crises: crises.collect(),
        contexts: contexts.collect(),
        other_meanings: OTHER_MEANINGS
            .iter()
            .chain(languages::OTHER_MEANINGS)
            .map(|line| CrisisPattern::new(line))
            .collect(),
    }
});

/// The patterns that need a word, by the word, as indexes. Each crisis has one of the words, or
/// one that is not ASCII.
static NEEDED: LazyLock<WordMap<&'static [u16]>> = LazyLock::new(|| {
    let patterns: &'static CrisisPatterns = &PATTERNS;
    let mut by_word: BTreeMap<&'static str, Vec<u16>> = BTreeMap::new();
    for (index, (_, pattern)) in (0..).zip(&patterns.crises) {
        for word in pattern.needed_words() {
            by_word.entry(word).or_default().push(index);
        }
    }
    let is_needed = |full: &str| full.split(' ').any(|word| by_word.contains_key(word));
    let short = spelling::short_forms().filter(|(_, full)| is_needed(full));
    for (short, _) in short.collect::<Vec<_>>() {
        by_word.entry(short).or_default();
    }
    let pairs = by_word.into_iter();
    WordMap::merged(
        pairs.map(|(word, patterns)| (word, &*patterns.leak())),
        |one, _| one,
    )
});

/// The patterns that need the word, also in its plural.
fn patterns_of(hashed: HashedWord<'_>) -> Option<&'static [u16]> {
    let singular = || hashed.word.strip_suffix('s');
    let plural = || singular().and_then(|one| NEEDED.get(one));
    NEEDED.get(hashed).or_else(plural)
}

fn is_needed(hashed: HashedWord) -> bool {
    !hashed.word.is_ascii() || patterns_of(hashed).is_some() || spelling::is_misspelled(hashed)
}

/// A quick look: whether the words have all that a pattern needs. Words that are not in plain
/// spelling may mean anything.
fn may_be_told(words: &Words) -> bool {
    if !words.iter().all(sentences::stands_alone) {
        return true;
    }
    let (mut classes, mut signs, mut last) = (0, 0, "");
    for word in words.iter().filter(|word| !spelling::is_stress(word)) {
        classes |= classes::of(word) | classes::of_pair(last, word);
        signs |= classes::sign_of(word);
        last = word;
    }
    let mut patterns = words.iter_hashed().filter_map(patterns_of).flatten();
    patterns.any(|index| {
        let (_, pattern) = &PATTERNS.crises[usize::from(*index)];
        pattern.may_be_in(classes, signs)
    })
}

pub(in crate::assistant) fn kind(words: &Words) -> Option<CrisisKind> {
    if !words.iter_hashed().any(is_needed) {
        return None; // most messages
    }
    if !may_be_told(words) {
        // All that tests read shows that nothing is missed.
        debug_assert_eq!(
            kind_of_told(words),
            None,
            "{}",
            words.phrase(0..words.len())
        );
        return None;
    }
    kind_of_told(words)
}

/// Whether an emergency is told before a request for a reminder: "i smell gas, remind me at 5 to call".
pub(in crate::assistant) fn is_emergency_before_request(words: &Words) -> bool {
    const TOLD_WORDS_MIN: usize = 2;
    let asks = words.iter().any(|word| word == "remind");
    if !asks || !words.iter_hashed().any(is_needed) {
        return false; // most messages
    }
    let begins = |at: &usize| {
        let is_apart = words.is_set_off(*at - 1) || matches!(words.get(*at - 1), "and" | "so");
        let verb = words.skip_courtesy(*at);
        is_apart
            && words
                .after(verb, phrases!["remind me", "remind us"])
                .is_some()
    };
    let at = (TOLD_WORDS_MIN..words.len()).find(begins);
    at.is_some_and(|at| kind(&Words::new(words.original(0..at))) == Some(CrisisKind::Emergency))
}

fn kind_of_told(words: &Words) -> Option<CrisisKind> {
    use CrisisKind::{Danger, Despair, Emergency, HarmToOthers, OtherInDespair, Overdose, Panic};
    let plain_words = sentences::plain_words(words);
    let message = CrisisMessage {
        words,
        sentences: sentences::sentences(&plain_words).collect(),
        laughs: OnceCell::new(),
    };
    let mut kinds = Vec::new();
    for sentence in &message.sentences {
        message.add_kinds(sentence, &mut kinds);
    }
    if words.iter().any(languages::is_despair) {
        kinds.push(Despair);
    }
    let has = |kind| kinds.contains(&kind);
    match () {
        () if has(Overdose) || has(Despair) && has(Emergency) => Some(Overdose),
        () if has(Emergency) => Some(Emergency),
        () if has(OtherInDespair) && !(has(Despair) && names_oneself(words)) => {
            Some(OtherInDespair)
        }
        () if has(Despair) => Some(Despair),
        () => [HarmToOthers, Danger, Panic]
            .into_iter()
            .find(|kind| has(*kind)),
    }
}

/// Whether words of a crisis are only a figure of speech: "this museum bores me to death".
pub(in crate::assistant) fn is_figure_of_speech(words: &Words) -> bool {
    let plain_words = sentences::plain_words(words);
    let mut sentences = sentences::sentences(&plain_words);
    kind(words).is_none()
        && sentences.any(|sentence| {
            let mut patterns = PATTERNS.other_meanings.iter();
            patterns.any(|pattern| pattern.is_in(&sentence))
        })
}

/// The language in which a crisis is told, as a tag of BCP 47. `None`: none is told.
pub(in crate::assistant) fn language(words: &Words) -> Option<&'static str> {
    let plain_words = sentences::plain_words(words);
    let mut found = sentences::sentences(&plain_words).flat_map(|sentence| {
        let patterns = candidates(&sentence).into_iter();
        let patterns = patterns.map(|index| &PATTERNS.crises[usize::from(index)]);
        let said = patterns.filter(|(_, pattern)| pattern.is_in(&sentence));
        said.map(|(set, _)| set.language).collect::<Vec<_>>()
    });
    found.next()
}

/// The patterns of which a sentence has the needed word, as indexes.
fn candidates(sentence: &Sentence) -> Vec<u16> {
    let patterns = sentence
        .plain_words
        .iter()
        .filter_map(|plain_word| patterns_of((&*plain_word.word).into()));
    let mut indexes: Vec<u16> = patterns.flatten().copied().collect();
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

/// Whether the writer tells of themselves, and not only of what they heard or think of somebody:
/// "he told me", "I think my brother", "what can I do". Other languages than English are read word
/// by word.
fn names_oneself(words: &Words) -> bool {
    let told = phrases![
        "told", "tells", "telling", "texted", "messaged", "wrote", "called", "asked", "to", "with",
        "help",
    ];
    let before_verb = phrases![
        "m", "am", "just", "really", "so", "very", "do", "dont", "don't", "not", "have", "can",
        "should", "only", "also", "need", "to", "a", "little",
    ];
    let of_others = phrases![
        "think", "know", "worry", "worried", "afraid", "scared", "fear", "heard", "believe",
        "guess", "suspect", "found", "help", "do", "say", "tell", "call", "stop", "talk", "save",
    ];
    let is_reported = |at: usize| at > 0 && told.contains(words.get(at - 1));
    let is_thought = |at: usize| {
        let verb = (at + 1..words.len()).find(|at| !before_verb.contains(words.get(*at)));
        verb.map_or(words.get(at + 1) == "do", |verb| {
            of_others.contains(words.get(verb))
        })
    };
    (0..words.len()).any(|at| match words.get(at) {
        "me" => !is_reported(at),
        "i" | "im" | "i'm" | "ive" | "i've" => !is_thought(at),
        "id" | "i'd" | "ill" | "i'll" | "myself" => true,
        // Who is meant may be the writer.
        "someone" | "somebody" => true,
        word => phrases![
            "ich", "mich", "mir", "je", "jai", "jen", "moi", "yo", "quiero", "voy", "io", "voglio",
            "eu", "quero", "ik", "mezelf", "jag", "ja", "mnie"
        ]
        .contains(word),
    })
}

struct CrisisMessage<'t> {
    words: &'t Words<'t>,
    sentences: Vec<Sentence<'t>>,
    laughs: OnceCell<bool>,
}

/// The contexts of a sentence that rule crises out.
struct SentenceContext {
    contexts: u16,
    /// The words of other meanings: a bit for each.
    other_meanings: u64,
}

impl CrisisMessage<'_> {
    /// The kinds of crises that a sentence tells of and that are not known yet.
    fn add_kinds(&self, sentence: &Sentence, kinds: &mut Vec<CrisisKind>) {
        let around = OnceCell::new();
        for index in candidates(sentence) {
            let (set, pattern) = &PATTERNS.crises[usize::from(index)];
            if kinds.contains(&set.kind) {
                continue;
            }
            let mut found = pattern.find(sentence);
            let is_meant = |said: u64| {
                let around = around.get_or_init(|| self.surroundings(sentence));
                around.contexts & set.yields_to == 0
                    && around.other_meanings & said == 0
                    && !self.is_of_home(sentence, said)
            };
            if found.any(is_meant) {
                let around = around.get_or_init(|| self.surroundings(sentence));
                kinds.push(self.kind_for(set.kind, around.contexts));
            }
        }
    }

    /// Who looks after a child, or somebody else, that took something needs no crisis line.
    fn kind_for(&self, kind: CrisisKind, contexts: u16) -> CrisisKind {
        let is_of_other = || contexts & context::OTHER != 0 && !names_oneself(self.words);
        match kind {
            CrisisKind::Overdose if contexts & context::CHILD != 0 || is_of_other() => {
                CrisisKind::Emergency
            }
            kind => kind,
        }
    }

    fn surroundings(&self, sentence: &Sentence) -> SentenceContext {
        let is_here = |(context, pattern): &&(u16, CrisisPattern)| {
            *context != context::LAUGHTER && pattern.is_in(sentence)
        };
        let contexts = PATTERNS.contexts.iter().filter(is_here);
        let contexts = contexts.fold(0, |all, (context, _)| all | context);
        let laughter = if self.laughs() { context::LAUGHTER } else { 0 };
        let patterns = PATTERNS.other_meanings.iter();
        SentenceContext {
            contexts: contexts | laughter,
            other_meanings: patterns
                .flat_map(|pattern| pattern.find(sentence))
                .fold(0, |all, said| all | said),
        }
    }

    fn laughs(&self) -> bool {
        *self.laughs.get_or_init(|| {
            let mut patterns = PATTERNS.contexts.iter();
            patterns.any(|(context, pattern)| {
                let mut sentences = self.sentences.iter();
                *context == context::LAUGHTER && sentences.any(|sentence| pattern.is_in(sentence))
            }) || self
                .words
                .iter()
                .any(|word| word.contains(['😂', '🤣', '😆', '😹']))
        })
    }

    /// "I don't want to live in Berlin"
    fn is_of_home(&self, sentence: &Sentence, said: u64) -> bool {
        let mut plain_words = sentence.plain_words.iter().enumerate();
        plain_words.any(|(at, plain_word)| {
            said & 1 << at != 0
                && matches!(&*plain_word.word, "live" | "living")
                && home::is_named(self.words, plain_word.source + 1)
        })
    }
}

#[cfg(test)]
mod tests;
