//! Parses messages about moods: "mood 7/10", "i feel great today", "how was my mood this week?".

use super::MoodAction;
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::{RequestStrength, parsers, planned_time, statement};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when::amount;
use crate::assistant::text::words::Words;

static SCORES: [(u8, Phrases); 10] = [
    (
        1,
        Phrases::new(&[
            "awful", "terrible", "horrible", "hopeless", "miserable", "like crap", "like shit",
            "like hell",
        ]),
    ),
    (
        2,
        Phrases::new(&[
            "depressed", "devastated", "very sad", "really bad", "very bad", "really sad",
        ]),
    ),
    (
        3,
        Phrases::new(&[
            "bad", "sad", "down", "low", "lonely", "anxious", "angry", "upset", "sick",
        ]),
    ),
    (
        4,
        Phrases::new(&[
            "tired", "stressed", "meh", "exhausted", "rough", "worried", "not great", "bored",
        ]),
    ),
    (
        5,
        Phrases::new(&["ok", "okay", "so-so", "alright", "neutral", "not bad"]),
    ),
    (6, Phrases::new(&["fine", "decent", "calm"])),
    (
        7,
        Phrases::new(&["good", "well", "relaxed", "rested", "better"]),
    ),
    (
        8,
        Phrases::new(&[
            "happy", "very good", "really good", "energetic", "proud", "grateful",
        ]),
    ),
    (
        9,
        Phrases::new(&["great", "very happy", "really happy", "excited", "super"]),
    ),
    (
        10,
        Phrases::new(&[
            "amazing", "fantastic", "wonderful", "awesome", "excellent", "perfect", "ecstatic",
        ]),
    ),
];

pub(in crate::assistant::powers) fn parse(
    message: &ParsedMessage,
) -> Option<(RequestStrength, MoodAction)> {
    use RequestStrength::{Clear, InSession, Soft};
    let words = &message.words;
    if let Some(found) = fixed(message.request()) {
        return Some(found);
    }
    static REMOVE_LAST: Phrases = Phrases::new(&[
        "delete last mood", "delete my last mood", "delete the last mood", "remove last mood",
        "remove my last mood", "remove the last mood",
    ]);
    if let Some(action) = past(message.request()) {
        return Some((Soft, action));
    }
    if REMOVE_LAST.contains(message.request()) {
        return Some((Clear, MoodAction::RemoveLast));
    }
    let (at, end) = (message.start, parsers::end(words));
    let start = words.after(
        at,
        phrases![
            "log my mood as", "log my mood", "log mood", "my mood today is", "my mood is",
            "mood today", "mood is", "mood", "my mood",
        ],
    );
    if let Some(from) = start {
        if words
            .after(from, phrases!["yesterday", "last night", "was yesterday"])
            .is_some()
        {
            return Some((Clear, MoodAction::NotNow));
        }
        return logged(words, from, end, true).map(|action| (Clear, action));
    }
    if let Some(note) = unwell(words, at, end) {
        let score = UNWELL;
        return Some((Soft, MoodAction::Log { score, note }));
    }
    static FELT: Phrases = Phrases::new(&[
        "i feel", "i am feeling", "im feeling", "feeling", "i felt", "today i feel", "i feel so",
        "felt", "feel",
    ]);
    if let Some(from) = words.after(at, &FELT) {
        return logged(words, from, end, false).map(|action| (Soft, action));
    }
    if let Some(from) = words.after(at, phrases!["i am", "im"]) {
        let action = logged(words, from, end, false)?;
        return Some(match score_at(words, from) {
            Some(_) => (Soft, action),
            None => (Soft, if_in_use(action)),
        });
    }
    if let Some(action) = of_today(words, at, end) {
        return Some((Soft, action));
    }
    // "+3" is no score.
    if message.context.text.contains('+') {
        return None;
    }
    logged(words, at, end, false).map(|action| (InSession, action))
}

/// "today was awful", "today was a good day": for a diary that is kept.
fn of_today(words: &Words, at: usize, end: usize) -> Option<MoodAction> {
    static TODAY: Phrases = Phrases::new(&[
        "today was", "today has been", "today went", "my day was", "my day has been", "had",
        "i had", "ive had", "its been", "it was",
    ]);
    let from = words.after(at, &TODAY)?;
    let named = words.after(from, phrases!["such a", "a", "an", "quite a"]);
    let is_had =
        matches!(words.get(from - 1), "had" | "ive") || matches!(words.get(at), "its" | "it");
    let end = match words.get(end - 1) {
        "today" if end > from + 1 => end - 1,
        _ => end,
    };
    let is_day = words.get(end - 1) == "day" && named.is_some();
    let from = named.unwrap_or(from);
    let to = end - usize::from(is_day);
    if is_had && !is_day || from >= to || words.is_question() {
        return None;
    }
    let action = logged(words, from, to, false)?;
    let is_noted = matches!(action, MoodAction::Log { .. });
    is_noted.then(|| if_in_use(action))
}

/// "how have i been feeling lately", "how was i last week": the moods of that time.
fn past(request: &str) -> Option<MoodAction> {
    static ASKED: Phrases = Phrases::new(&[
        "how have i been feeling", "how have i been", "how have i felt", "how have i been doing",
        "how did i feel", "how was i", "how was i feeling", "how am i feeling", "how was my mood",
        "hows my mood been", "how has my mood been", "whats my mood been", "my mood", "my moods",
        "whats my average mood", "average mood",
    ]);
    const LAST_WEEK: [&str; 2] = [" last week", " the week before"];
    let of = |end: &str| {
        request
            .strip_suffix(end)
            .filter(|asked| ASKED.contains(asked))
    };
    if LAST_WEEK.iter().any(|end| of(end).is_some()) {
        return Some(MoodAction::LastWeekIfAny);
    }
    if of(" yesterday").is_some() {
        return Some(MoodAction::YesterdayIfAny);
    }
    const SPANS: [(&str, i64); 14] = [
        (" lately", 7),
        (" recently", 7),
        (" these days", 7),
        (" this week", 7),
        (" the last few days", 7),
        (" in the last few days", 7),
        (" over the last few days", 7),
        (" the past few days", 7),
        (" in the last week", 7),
        (" this past week", 7),
        (" the past week", 7),
        (" this month", 30),
        (" in the last month", 30),
        (" today", 1),
    ];
    let mut spans = SPANS.iter();
    let days = spans.find_map(|(end, days)| of(end).map(|_| *days))?;
    Some(MoodAction::PastIfAny { days })
}

/// "i'm so tired" is for a diary that is kept, unlike "i feel so tired".
fn if_in_use(action: MoodAction) -> MoodAction {
    match action {
        MoodAction::Log { score, note } => MoodAction::LogIfInUse { score, note },
        other => other,
    }
}

/// The score of "not feeling great".
const UNWELL: u8 = 4;

/// "not feeling great", "i don't feel good today": the note.
fn unwell(words: &Words, at: usize, end: usize) -> Option<String> {
    static DENIED: Phrases = Phrases::new(&[
        "not feeling", "im not feeling", "i am not feeling", "i dont feel", "i do not feel",
        "dont feel", "i havent been feeling", "havent been feeling",
    ]);
    let from = words.after(at, &DENIED)?;
    let from = words.skip(from, phrases!["so", "too", "very", "that", "all that"]);
    static GOOD: Phrases = Phrases::new(&[
        "great", "good", "well", "ok", "okay", "the best", "fine", "happy", "amazing", "it",
    ]);
    let next = words.after(from, &GOOD)?;
    let next = words.skip(
        next,
        phrases!["today", "right now", "at all", "now", "tonight"],
    );
    let is_whole = next == end || ends_word(words, next);
    is_whole.then(|| format!("not {}", parsers::original(words, from, end)))
}

/// Whether the word for a mood is complete before what stands at `at`.
fn ends_word(words: &Words, at: usize) -> bool {
    words.is_set_off(at - 1)
        || phrases![
            "because", "bc", "cuz", "cause", "since", "about", "and", "but", "tbh", "lol", "rn",
            "atm", "again", "after", "though"
        ]
        .contains(words.get(at))
}

static MOODS_OF_WEEK: Phrases = Phrases::new(&[
    "how was my mood this week", "how was my mood", "hows my mood", "how is my mood", "my mood",
    "my moods", "moods", "mood tracker", "show my mood", "show my moods", "mood history",
    "my mood this week", "hows my mood been", "how has my mood been", "mood this week",
    "track my mood", "log my mood", "track my moods", "how has my mood been this week",
    "show my mood this week", "mood diary",
]);
static MOODS_OF_MONTH: Phrases = Phrases::new(&[
    "how was my mood this month", "my mood this month", "mood this month",
    "how has my mood been this month", "show my moods this month", "my moods this month",
    "moods this month",
]);
static POSSIBLY_MOODS: Phrases = Phrases::new(&[
    "mood", "whats my mood", "what is my mood", "how did i feel this week",
    "how have i been feeling", "how have i felt this week", "average mood", "my average mood",
    "whats my average mood",
]);

fn fixed(request: &str) -> Option<(RequestStrength, MoodAction)> {
    let (strength, days) = match request {
        _ if MOODS_OF_WEEK.contains(request) => (RequestStrength::Clear, 7),
        "how was my mood today" | "my mood today" | "mood today" => (RequestStrength::Clear, 1),
        _ if MOODS_OF_MONTH.contains(request) => (RequestStrength::Clear, 30),
        _ if POSSIBLY_MOODS.contains(request) => (RequestStrength::Soft, 7),
        "how did i feel today" => (RequestStrength::Soft, 1),
        _ => return None,
    };
    Some((strength, MoodAction::Past { days }))
}

/// "7/10", "7", "great today", "7: a long walk". `plain`: the word mood was used.
fn logged(words: &Words, from: usize, end: usize, plain: bool) -> Option<MoodAction> {
    let action = action_at(words, from, end, plain)?;
    // "great today, remind me at 5 to call ann": the request is done by what it is for.
    let has_request = statement::has_request(&Words::new(words.original(from..end.max(from))));
    (!has_request).then_some(action)
}

fn action_at(words: &Words, from: usize, end: usize, plain: bool) -> Option<MoodAction> {
    let word = words.get(from);
    if plain && is_of_other_scale(words, from) {
        return Some(MoodAction::OutOfRange);
    }
    let scored = score_at(words, from);
    // "I'm 30"
    let is_age = from > 0 && matches!(words.get(from - 1), "am" | "im");
    let bare = || Some((word.parse().ok().filter(|_| !is_age)?, from + 1));
    if let Some((number, next)) = scored.or_else(bare) {
        if next < end && !plain && scored.is_none() && !words.is_set_off(next - 1) {
            return None;
        }
        let next = words.skip(next, phrases!["today", "right now", "now", "tonight"]);
        let from = words.skip(
            next,
            phrases!["because of", "because", "due to", "for now", "for"],
        );
        let note = parsers::original(words, from, end);
        // "6 at lunch, 8 now", "7 - 8"
        let is_second = |at: usize| {
            let is_score = words.get(at).parse::<u8>().is_ok();
            let is_alone =
                at + 1 == end || matches!(words.get(at + 1), "now" | "today" | "tonight");
            is_score && is_alone && (at == next || words.is_set_off(at - 1))
        };
        let is_other = matches!(words.get(next), "or" | "to")
            || (next..end).any(is_second)
            || (next..end).any(|at| matches!(words.get(at), "last" | "ago"))
            || planned_time::names_other_day(words, next..end);
        return Some(match number {
            1..=10 if is_other => MoodAction::NotNow,
            score @ 1..=10 => MoodAction::Log { score, note },
            _ => MoodAction::OutOfRange,
        });
    }
    // "8.5"
    if plain && word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(MoodAction::OutOfRange);
    }
    worded(words, from, end)
}

/// "great today", "awful, 2/10": a word for a mood, and what counts more than it.
fn worded(words: &Words, from: usize, end: usize) -> Option<MoodAction> {
    let scored = |from: usize| {
        let mut scores = SCORES.iter();
        scores.find_map(|(score, names)| Some((from, *score, words.after(from, names)?)))
    };
    static ADVERBS: Phrases = Phrases::new(&[
        "so", "pretty", "quite", "a bit", "rather", "kinda", "kind of", "sort of", "a little",
        "really", "super", "very", "too", "just",
    ]);
    let (from, score, next) = scored(from).or_else(|| scored(words.after(from, &ADVERBS)?))?;
    let rest = words.skip(
        next,
        phrases!["today", "right now", "now", "this morning", "tonight"],
    );
    let ends = rest == end || ends_word(words, rest);
    let Some((at, number, after)) = number_after(words, rest, end) else {
        let note = parsers::original(words, from, end);
        return ends.then_some(MoodAction::Log { score, note });
    };
    let is_second = (after..end).any(|at| score_at(words, at).is_some());
    // "down, maybe a 3"
    let links = phrases![
        "a", "like", "about", "maybe", "perhaps", "probably", "around", "only"
    ];
    let mut said = at;
    while said > rest && links.contains(words.get(said - 1)) {
        said -= 1;
    }
    let notes = [(from, said), (after, end)].map(|(from, to)| parsers::original(words, from, to));
    let notes: Vec<String> = notes.into_iter().filter(|note| !note.is_empty()).collect();
    Some(match number {
        _ if is_second || planned_time::names_other_day(words, after..end) => MoodAction::NotNow,
        1..=10 => MoodAction::Log {
            score: number,
            note: notes.join(", "),
        },
        _ => MoodAction::OutOfRange,
    })
}

/// "2/10" in "awful, 2/10", "8" in "great 8", which count more than the word: where it begins, the
/// number, and the index after it.
fn number_after(words: &Words, from: usize, end: usize) -> Option<(usize, u8, usize)> {
    let is_apart = |at: usize| {
        let is_linked = matches!(
            words.get(at - 1),
            "a" | "like" | "about" | "maybe" | "perhaps" | "probably" | "around" | "only"
        );
        at == from || words.is_set_off(at - 1) || is_linked
    };
    let scored = |at| score_at(words, at).map(|(number, after)| (at, number, after));
    let bare = || {
        let at = end.checked_sub(1).filter(|at| *at >= from)?;
        let number = number_word(words.get(at)).or_else(|| words.get(at).parse().ok());
        Some((at, number?, end))
    };
    let found = (from..end).find_map(scored).or_else(bare)?;
    is_apart(found.0).then_some(found)
}

/// "7/10", "7 out of 10": the number, and the index after it.
fn score_at(words: &Words, at: usize) -> Option<(u8, usize)> {
    let (number, next) = match words.get(at).split_once('/') {
        Some((number, "10")) => (number, at + 1),
        Some(_) => return None,
        None => {
            let of = phrases!["out of 10", "out of ten", "of 10"];
            (words.get(at), words.after(at + 1, of)?)
        }
    };
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    let typed = || is_number.then(|| number.parse().unwrap_or(u8::MAX));
    number_word(number).or_else(typed).map(|n| (n, next))
}

fn number_word(word: &str) -> Option<u8> {
    let number = amount::number_word(word)?;
    u8::try_from(number).ok().filter(|number| *number <= 10)
}

/// "3/5", "3 out of 5": how much that is of 10 is not said.
fn is_of_other_scale(words: &Words, at: usize) -> bool {
    let is_number = |word: &str| word.parse::<u32>().is_ok();
    match words.get(at).split_once('/') {
        Some((n, of)) => is_number(n) && is_number(of) && of != "10",
        None => words
            .after(at + 1, phrases!["out of", "of", "from"])
            .is_some_and(|of| is_number(words.get(at)) && !matches!(words.get(of), "10" | "ten")),
    }
}
