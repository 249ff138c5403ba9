//! Questions about one habit: "did i run today?", "how's my running going", "what's my running streak".

use super::{AskedDay, Habit, HabitAction};
use crate::assistant::powers::{local_time, parsers};
use crate::assistant::text::phrases::Phrases;
use crate::assistant::text::words::Words;
use crate::assistant::wording::texts::counted;
use chrono::NaiveDate;

/// Words of a habit's name.
const NAME_WORDS_MAX: usize = 4;

static SPANS: Phrases = Phrases::new(&[
    "today", "yesterday", "this week", "this month", "already", "so far", "yet",
    "already this week", "so far this week", "this morning",
]);

/// Of which habit, and of which day.
pub(super) fn asked(words: &Words, at: usize, end: usize) -> Option<HabitAction> {
    let any = |what: String| HabitAction::Asked {
        what,
        day: AskedDay::Any,
    };
    static STREAKS: Phrases = Phrases::new(&[
        "whats my", "what is my", "hows my", "how is my", "show my", "my", "how long is my",
    ]);
    let is_streak = matches!(words.get(end.saturating_sub(1)), "streak" | "streaks");
    if is_streak && let Some(from) = words.after(at, &STREAKS) {
        return (from + 1 < end).then(|| any(parsers::original(words, from, end - 1)));
    }
    if let Some((from, to)) = going(words, at, end) {
        return Some(any(parsers::original(words, from, to)));
    }
    static TIMES: Phrases = Phrases::new(&[
        "how many times did i", "how many days did i", "how often did i", "how many times have i",
        "how often have i", "how many days have i",
    ]);
    static DAYS: Phrases = Phrases::new(&[
        "when did i last", "when was the last time i", "how many days in a row have i",
        "how many days in a row did i", "how many days in a row", "how many weeks in a row have i",
    ]);
    static DID: Phrases = Phrases::new(&[
        "did i do my", "did i do", "did i already", "did i", "have i done my", "have i done",
        "have i already", "have i",
    ]);
    let (is_count, is_done) = (words.after(at, &TIMES), words.after(at, &DID));
    let from = is_count.or(words.after(at, &DAYS)).or(is_done)?;
    let to = (from..end).find(|n| words.after(*n, &SPANS) == Some(end));
    let last = to.unwrap_or(end);
    let day = match (words.get(last), words.get(end - 1)) {
        _ if to.is_none() => AskedDay::Any,
        ("today" | "yet" | "already", "today" | "yet" | "already") if is_done.is_some() => {
            AskedDay::Ago(0)
        }
        ("this", "morning") if is_done.is_some() => AskedDay::Ago(0),
        ("yesterday", _) if is_done.is_some() => AskedDay::Ago(1),
        (_, "week") => AskedDay::Week,
        _ => AskedDay::Any,
    };
    // "have i been good": only with a day.
    let is_open = words.get(at) == "have" && to.is_none() && words.get(at + 2) != "done";
    let is_short = (1..=NAME_WORDS_MAX).contains(&last.saturating_sub(from));
    (is_short && !is_open).then(|| HabitAction::Asked {
        what: parsers::original(words, from, last),
        day,
    })
}

/// "how's my running going", "how is the meditation": where its name begins and ends.
fn going(words: &Words, at: usize, end: usize) -> Option<(usize, usize)> {
    static ASKED: Phrases = Phrases::new(&[
        "hows my", "how is my", "hows the", "how is the", "how am i doing with my",
        "how am i doing with", "how am i doing on my", "am i on track with my",
        "am i on track with", "whats my progress with", "whats my progress on",
        "how did i do with my", "how did i do with",
    ]);
    static GOING: Phrases = Phrases::new(&[
        "going", "going this week", "coming along", "looking", "this week", "so far", "habit",
        "habit going", "progress",
    ]);
    let from = words.after(at, &ASKED)?;
    let to = (from + 1..end).find(|n| words.after(*n, &GOING) == Some(end));
    let to = to.unwrap_or(end);
    (1..=NAME_WORDS_MAX)
        .contains(&to.saturating_sub(from))
        .then_some((from, to))
}

impl Habit {
    /// Whether it was done then, and how it goes.
    pub(super) fn answered(&self, day: AskedDay, today: NaiveDate) -> String {
        let told = self.told(today);
        let first = match day {
            AskedDay::Any => return told,
            AskedDay::Ago(days) => {
                let is_done = self.days.contains(&(local_time::number(today) - days));
                let when = if days == 0 { "today" } else { "yesterday" };
                match is_done {
                    true => format!("Yes, you did {when}."),
                    false => format!("Not {when}, as far as I know."),
                }
            }
            AskedDay::Week => {
                let times = counted(self.in_week(today), "time");
                format!("This week: {times}.")
            }
        };
        format!("{first} {told}")
    }
}
