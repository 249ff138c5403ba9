//! The mood tracker: a number from 1 to 10 with a word, and recent averages. It gives no advice.

mod operations;

use serde::{Deserialize, Serialize};

use super::planned_time;
use super::texts::{counted, too_long};
use super::{PowerContext, Strength, Superpower};
use super::{local_time, parsers};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::builtin::words::Words;
use crate::clock::Timestamp;
pub(super) use operations::Arguments;

/// Limit of entries; older ones are removed.
const ENTRIES_KEPT_MAX: usize = 1_000;
/// Characters of a note.
const NOTE_CHARS_MAX: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub enum MoodAction {
    Log {
        score: u8,
        note: String,
    },
    /// Averages over this many days up to today.
    Past {
        days: i64,
    },
    /// A number outside 1 to 10.
    OutOfRange,
    /// The mood of another time than now, or of two.
    NotNow,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct MoodState {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    /// Milliseconds since the epoch.
    at: i64,
    score: u8,
    note: String,
}

const SCORES: [(u8, &[&str]); 10] = [
    (
        1,
        &["awful", "terrible", "horrible", "hopeless", "miserable"],
    ),
    (
        2,
        &[
            "depressed", "devastated", "very sad", "really bad", "very bad", "really sad",
        ],
    ),
    (
        3,
        &[
            "bad", "sad", "down", "low", "lonely", "anxious", "angry", "upset", "sick",
        ],
    ),
    (
        4,
        &[
            "tired", "stressed", "meh", "exhausted", "worried", "not great", "bored",
        ],
    ),
    (5, &["ok", "okay", "so-so", "alright", "neutral", "not bad"]),
    (6, &["fine", "decent", "calm"]),
    (7, &["good", "well", "relaxed", "rested", "better"]),
    (
        8,
        &[
            "happy", "very good", "really good", "energetic", "proud", "grateful",
        ],
    ),
    (
        9,
        &["great", "very happy", "really happy", "excited", "super"],
    ),
    (
        10,
        &[
            "amazing", "fantastic", "wonderful", "awesome", "excellent", "perfect", "ecstatic",
        ],
    ),
];

pub(super) fn parse(message: &ParsedMessage<'_>) -> Option<(Strength, MoodAction)> {
    use Strength::{Clear, InSession, Soft};
    let words = &message.words;
    if let Some(found) = fixed(message.request()) {
        return Some(found);
    }
    let (at, end) = (message.start, parsers::end(words));
    let start = words.after(
        at,
        &[
            "log my mood as", "log my mood", "log mood", "my mood today is", "my mood is",
            "mood today", "mood is", "mood", "my mood",
        ],
    );
    if let Some(from) = start {
        return logged(words, from, end, true).map(|action| (Clear, action));
    }
    let felt = words.after(
        at,
        &[
            "i feel", "i am feeling", "im feeling", "feeling", "i felt", "today i feel",
            "i feel so", "i am", "im",
        ],
    );
    if let Some(from) = felt {
        return logged(words, from, end, false).map(|action| (Soft, action));
    }
    logged(words, at, end, false).map(|action| (InSession, action))
}

fn fixed(request: &str) -> Option<(Strength, MoodAction)> {
    let (strength, days) = match request {
        "how was my mood this week"
        | "how was my mood"
        | "hows my mood"
        | "how is my mood"
        | "my mood"
        | "my moods"
        | "moods"
        | "mood tracker"
        | "show my mood"
        | "show my moods"
        | "mood history"
        | "my mood this week"
        | "hows my mood been"
        | "how has my mood been"
        | "mood this week"
        | "track my mood"
        | "log my mood"
        | "track my moods"
        | "how has my mood been this week"
        | "show my mood this week"
        | "mood diary" => (Strength::Clear, 7),
        "how was my mood today" | "my mood today" | "mood today" => (Strength::Clear, 1),
        "how was my mood this month"
        | "my mood this month"
        | "mood this month"
        | "how has my mood been this month" => (Strength::Clear, 30),
        "mood" => (Strength::Soft, 7),
        _ => return None,
    };
    Some((strength, MoodAction::Past { days }))
}

/// "7/10", "7", "great today", "7: a long walk". `plain`: the word mood was used.
fn logged(words: &Words<'_>, from: usize, end: usize, plain: bool) -> Option<MoodAction> {
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
        let next = words
            .after(next, &["today", "right now", "now", "tonight"])
            .unwrap_or(next);
        let from = words
            .after(next, &["because of", "because", "due to", "for now", "for"])
            .unwrap_or(next);
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
    let from = words
        .after(from, &["so", "pretty", "quite", "a bit", "rather"])
        .unwrap_or(from);
    let (score, next) = SCORES
        .iter()
        .find_map(|(score, names)| Some((*score, words.after(from, names)?)))?;
    let rest = words
        .after(
            next,
            &["today", "right now", "now", "this morning", "tonight"],
        )
        .unwrap_or(next);
    let ends = rest == end
        || words.is_set_off(rest - 1)
        || matches!(words.get(rest), "because" | "about" | "and" | "but");
    let Some((at, number, after)) = number_after(words, rest, end) else {
        let note = parsers::original(words, from, end);
        return ends.then_some(MoodAction::Log { score, note });
    };
    let is_second = (after..end).any(|at| score_at(words, at).is_some());
    let notes = [(from, at), (after, end)].map(|(from, to)| parsers::original(words, from, to));
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
fn number_after(words: &Words<'_>, from: usize, end: usize) -> Option<(usize, u8, usize)> {
    let is_apart = |at: usize| {
        let is_linked = matches!(words.get(at - 1), "a" | "like" | "about" | "maybe" | "only");
        at == from || words.is_set_off(at - 1) || is_linked
    };
    let scored = |at| score_at(words, at).map(|(number, after)| (at, number, after));
    let bare = || {
        let at = end.checked_sub(1).filter(|at| *at >= from)?;
        Some((at, words.get(at).parse().ok()?, end))
    };
    let found = (from..end).find_map(scored).or_else(bare)?;
    is_apart(found.0).then_some(found)
}

/// "7/10", "7 out of 10": the number, and the index after it.
fn score_at(words: &Words<'_>, at: usize) -> Option<(u8, usize)> {
    let (number, next) = match words.get(at).split_once('/') {
        Some((number, "10")) => (number, at + 1),
        Some(_) => return None,
        None => {
            let of = ["out of 10", "out of ten", "of 10"];
            (words.get(at), words.after(at + 1, &of)?)
        }
    };
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    is_number.then(|| (number.parse().unwrap_or(u8::MAX), next))
}

/// "3/5", "3 out of 5": how much that is of 10 is not said.
fn is_of_other_scale(words: &Words<'_>, at: usize) -> bool {
    let is_number = |word: &str| word.parse::<u32>().is_ok();
    match words.get(at).split_once('/') {
        Some((n, of)) => is_number(n) && is_number(of) && of != "10",
        None => words
            .after(at + 1, &["out of", "of", "from"])
            .is_some_and(|of| is_number(words.get(at)) && !matches!(words.get(of), "10" | "ten")),
    }
}

impl Superpower for MoodState {
    type Action = MoodAction;

    fn apply(&mut self, action: MoodAction, context: &PowerContext<'_>) -> Option<String> {
        Some(match action {
            MoodAction::Log { score, note } => {
                if let Some(reply) = too_long(&[&note], NOTE_CHARS_MAX) {
                    return Some(reply);
                }
                let entry = Entry {
                    at: context.now.0,
                    score,
                    note,
                };
                let reply = format!("Noted: {}.", entry.display());
                self.entries.push(entry);
                if self.entries.len() > ENTRIES_KEPT_MAX {
                    self.entries.remove(0);
                }
                format!(
                    "{reply}{}",
                    self.average(7, context)
                        .map_or_else(String::new, |(text, n)| {
                            if n > 1 {
                                format!(" This week it's {text} on average.")
                            } else {
                                String::new()
                            }
                        })
                )
            }
            MoodAction::Past { days } => self.past(days, context),
            MoodAction::NotNow => {
                "I can only note one mood, as it is now, so I've noted nothing. For example: “mood 7/10”."
                    .to_owned()
            }
            MoodAction::OutOfRange => {
                "Moods go from 1 (awful) to 10 (wonderful). For example: “mood 7/10”.".to_owned()
            }
        })
    }

    fn overview(&self, context: &PowerContext<'_>) -> String {
        self.past(7, context)
    }

    fn brief(&self, context: &PowerContext<'_>) -> Option<String> {
        let (average, _) = self.average(7, context)?;
        Some(format!("Mood in the last 7 days: {average} on average"))
    }
}

impl MoodState {
    fn since(&self, days: i64, context: &PowerContext<'_>) -> impl Iterator<Item = &Entry> {
        let first = local_time::number(context.today()) - (days - 1) as i32;
        let zone = context.zone();
        self.entries.iter().filter(move |entry| {
            local_time::number(local_time::date(Timestamp(entry.at), zone)) >= first
        })
    }

    /// The average with one decimal as text, and the number of entries.
    fn average(&self, days: i64, context: &PowerContext<'_>) -> Option<(String, usize)> {
        let count = self.since(days, context).count();
        let sum: usize = self
            .since(days, context)
            .map(|entry| usize::from(entry.score))
            .sum();
        let tenths = (sum * 10 + count / 2).checked_div(count)?;
        Some((format!("{}.{}", tenths / 10, tenths % 10), count))
    }

    fn past(&self, days: i64, context: &PowerContext<'_>) -> String {
        const LISTED_MAX: usize = 14;
        let when = match days {
            1 => "today".to_owned(),
            n => format!("in the last {n} days"),
        };
        let Some((average, count)) = self.average(days, context) else {
            return format!("I know of no mood of yours {when}. Say “mood 7/10” to note one.");
        };
        let times = counted(count, "time");
        let mut text = format!("Your mood {when}: {average} on average, noted {times}.");
        for entry in self
            .since(days, context)
            .skip(count.saturating_sub(LISTED_MAX))
        {
            let at = Timestamp(entry.at).utc().with_timezone(&context.zone());
            text.push_str(&format!(
                "\n• {}: {}",
                at.format("%a %-d %b %H:%M"),
                entry.display()
            ));
        }
        if context.timezone.is_none() {
            text.push_str("\nTimes are in UTC.");
        }
        text
    }
}

impl Entry {
    fn display(&self) -> String {
        if self.note.is_empty() {
            format!("{}/10", self.score)
        } else {
            format!("{}/10, {}", self.score, self.note)
        }
    }
}
