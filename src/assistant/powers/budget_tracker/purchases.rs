//! Parses what was bought without saying that it was spent: "bought lunch for 12", "lunch 12".

use super::expense_words::without_payment;
use super::past_day::{self, PastDay};
use super::possible_expenses::may_be_time;
use super::{BudgetAction, PossibleExpenses, SpentAmount};
use crate::assistant::builtin::ParsedMessage;
use crate::assistant::powers::money::{self, Money};
use crate::assistant::powers::usual_purchases::is_usual;
use crate::assistant::powers::{RequestStrength, parsers};
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::when;
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// Lines have numbers from 10 on, and rides rarely such prices.
const LINE_MINOR_MIN: i64 = 1_000;
/// Words of what was bought, where only they and the amount are said.
const BARE_WORDS_MAX: usize = 3;
/// Words of a message of such expenses.
const SUPPOSED_WORDS_MAX: usize = 16;
/// Words by which something else is wanted, or said: "change coffee to 6", "spotify costs 12.99",
/// "20 xyz on taxi".
const OTHER_REQUESTS: [&str; 41] = [
    "change", "to", "no", "not", "every", "each", "daily", "weekly", "monthly", "make", "it",
    "was", "were", "is", "are", "be", "update", "correct", "set", "delete", "remove", "undo",
    "add", "from", "that", "this", "wait", "actually", "instead", "by", "should", "costs", "on",
    "for", "at", "owe", "owes", "paid", "gave", "split", "i",
];

/// Words that are in no such message. Sorted.
static NO_EXPENSE: WordSet = WordSet::new(&[
    "add", "are", "be", "change", "correct", "delete", "is", "not", "owe", "owes", "remind",
    "remove", "should", "split", "undo", "update",
]);

/// The day at the end of what was bought.
const YESTERDAY: &str = " yesterday";

/// "delete my last expense", "delete the gum"
pub(super) fn removed(
    message: &ParsedMessage,
    at: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    use RequestStrength::{Clear, InSession};
    if removes_last(message.request()) {
        return Some((Clear, BudgetAction::RemoveLast));
    }
    if is_last_entry(message.request()) {
        return Some((InSession, BudgetAction::RemoveLast));
    }
    removes_named(&message.words, at, parsers::end(&message.words))
}

/// "bought a sandwich for 6", "lunch 12"
pub(super) fn parse(
    message: &ParsedMessage,
    at: usize,
    end: usize,
) -> Option<(RequestStrength, BudgetAction)> {
    if message.words.is_question() {
        return None;
    }
    let strength = |action: BudgetAction| match action {
        // What was bought is asked about, also where nothing was noted before.
        BudgetAction::DayUnclear => (RequestStrength::Clear, action),
        action => (RequestStrength::Soft, action),
    };
    bought(message, at, end).map(strength).or_else(|| {
        let other = bare(message, at, end).or_else(|| dated_before(message, at, end));
        other.map(|action| (RequestStrength::Soft, action))
    })
}

/// "last friday 20 on cinema"
fn dated_before(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let (day, from) = past_day::read(message, at)?;
    let parts = money::parts(words, from, end);
    let each = parts.iter().map(|(from, to)| {
        let (_, next) = money::read(words, *from)?;
        let is_linked = words.get(next) == "on";
        bare_expense(words, *from, *to).filter(|_| is_linked)
    });
    let each = each.collect::<Option<Vec<BareExpense>>>()?;
    let are_usual = each.iter().all(|one| one.is_money || one.is_usual());
    let all: Vec<(Money, String)> = each
        .into_iter()
        .map(|one| (one.money, one.purpose))
        .collect();
    (are_usual && !all.is_empty()).then(|| spent_on(all, day))
}

fn removes_last(request: &str) -> bool {
    let verbs = ["delete ", "remove ", "cancel ", "drop ", "undo ", "forget "];
    let named = verbs.iter().find_map(|verb| request.strip_prefix(verb));
    named.is_some_and(|named| {
        phrases![
            "last expense", "the last expense", "my last expense", "that expense", "this expense",
            "last spending", "my last spending", "the last spending", "the expense"
        ]
        .contains(named)
    })
}

/// "remove the rent expense", "delete the gum": the last one of it.
fn removes_named(words: &Words, at: usize, end: usize) -> Option<(RequestStrength, BudgetAction)> {
    static VERBS: Phrases = Phrases::new(&["delete", "remove", "drop", "cancel", "forget", "undo"]);
    let from = words.after(at, &VERBS)?;
    let from = words.skip(from, phrases!["my last", "the last", "last", "the", "my"]);
    let last = end.checked_sub(1)?;
    let is_expense = matches!(
        words.get(last),
        "expense" | "spending" | "purchase" | "payment"
    );
    let for_it = words.after(from, phrases!["expense for", "expense on", "expense of"]);
    let (from, to) = match (for_it, is_expense) {
        (Some(from), _) => (from, end),
        (None, true) => (from, last),
        (None, false) => (from, end),
    };
    let is_short = (1..=BARE_WORDS_MAX).contains(&to.saturating_sub(from));
    let is_named = is_expense || for_it.is_some();
    // "cancel dinner", "forget netflix" are about no money.
    if !is_named && matches!(words.get(at), "cancel" | "forget") {
        return None;
    }
    let strength = match is_named {
        true => RequestStrength::Soft,
        false => RequestStrength::InSession,
    };
    let purpose = || parsers::original(words, from, to);
    let is_budget = (from..to).any(|n| words.get(n) == "budget");
    (is_short && !is_budget).then(|| (strength, BudgetAction::RemoveNamed(purpose())))
}

/// "delete the last one", "delete that": only right after an expense.
fn is_last_entry(request: &str) -> bool {
    let verbs = [
        "delete ", "remove ", "cancel ", "drop ", "undo ", "scratch ",
    ];
    let named = verbs.iter().find_map(|verb| request.strip_prefix(verb));
    named.is_some_and(|named| {
        phrases![
            "the last one", "last one", "the last entry", "last entry", "my last one",
            "my last entry", "that", "that one"
        ]
        .contains(named)
    })
}

/// "bought lunch for 12", "i got coffee for 3.50 yesterday".
fn bought(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let verbs = phrases![
        "i bought", "i just bought", "bought", "i got", "ive bought", "got",
    ];
    let from = words.after(at, verbs)?;
    let (to, day) = past_day::at_end(message, from, end);
    let is_bought = words.get(from - 1) == "bought";
    let parts = money::parts(words, from, to);
    let each = parts
        .iter()
        .map(|(from, to)| bought_for(words, (*from, *to), is_bought));
    let mut spent = each.collect::<Option<Vec<(Money, String)>>>()?;
    // "bought lunch yesterday for 12"
    let is_yesterday = |(_, purpose): &(Money, String)| purpose.ends_with(YESTERDAY);
    let day = match day {
        None if spent.iter().all(is_yesterday) => {
            for (_, purpose) in &mut spent {
                purpose.truncate(purpose.len() - YESTERDAY.len());
            }
            Some(PastDay::Ago(1))
        }
        day => day,
    };
    // "tickets for Muse on 5 december"
    if spent
        .iter()
        .any(|(_, purpose)| ends_on_day(purpose) || purpose.ends_with(YESTERDAY))
    {
        return Some(BudgetAction::DayUnclear);
    }
    (!spent.is_empty()).then(|| spent_on(spent, day.unwrap_or(PastDay::Ago(0))))
}

/// Whether what was bought ends with a day: "lunch on monday". "a cake for tomorrow" and "shoes for the run
/// on saturday" were bought today.
fn ends_on_day(purpose: &str) -> bool {
    let words = Words::new(purpose);
    let is_day = |at: usize| {
        let linked = words.get(at - 1) == "on";
        let read = when::read(&words, at).filter(|(_, end)| *end == words.len());
        linked && read.is_some_and(|(spec, _)| spec.day.is_some())
    };
    !words.has_any(&["for"]) && (1..words.len()).any(is_day)
}

fn spent_on(spent: Vec<(Money, String)>, day: PastDay) -> BudgetAction {
    let PastDay::Ago(days_ago) = day else {
        return BudgetAction::DayUnclear;
    };
    let each = spent.into_iter().map(|(money, purpose)| SpentAmount {
        money,
        purpose,
        days_ago,
    });
    BudgetAction::Spent(each.collect())
}

/// "a sandwich for 6".
fn bought_for(
    words: &Words,
    (from, to): (usize, usize),
    is_bought: bool,
) -> Option<(Money, String)> {
    let to = without_payment(words, from, to);
    let link = (from + 1..to).rev().find(|n| words.get(*n) == "for")?;
    let (amount, next) = money::read(words, link + 1)?;
    let from = words.skip(from, phrases!["a", "an", "some", "the", "my"]);
    let purpose = parsers::original(words, from, without_payment(words, from, link));
    let is_money = amount.currency.is_some() || words.get(next - 1).contains('.');
    let is_sure = is_bought || is_money || is_usual(&purpose);
    (next == to && is_sure && !purpose.is_empty()).then_some((amount, purpose))
}

/// "lunch 12", "12.50 lunch", "lunch was 12", "lunch 12 and coffee 4".
fn bare(message: &ParsedMessage, at: usize, end: usize) -> Option<BudgetAction> {
    let words = &message.words;
    let is_linked = |next: usize| matches!(words.get(next), "for" | "on");
    let is_more = at > 0
        && words.get(at - 1) == "and"
        && money::read(words, at).is_some_and(|(_, next)| is_linked(next));
    // "bought milk 2.50"
    let at = words.skip(at, phrases!["i bought", "bought", "i got", "got"]);
    let is_other = |n: usize| NO_EXPENSE.contains(words.get(n));
    if end.saturating_sub(at) > SUPPOSED_WORDS_MAX || (at..end).any(is_other) {
        return None; // most messages
    }
    let (end, day) = past_day::at_end(message, at, end);
    let parts = money::parts(words, at, end);
    let each = parts
        .iter()
        .map(|(from, to)| bare_expense(words, *from, *to));
    let each = each.collect::<Option<Vec<BareExpense>>>()?;
    let is_told = each.iter().any(|one| one.is_told);
    let is_usual = each.iter().all(|one| one.is_money || one.is_usual());
    let is_both = each.iter().all(|one| one.is_money && one.is_usual());
    let may_be_times = each.iter().any(|one| may_be_time(&one.money));
    let all: Vec<(Money, String)> = each
        .into_iter()
        .map(|one| (one.money, one.purpose))
        .collect();
    match day {
        _ if all.is_empty() => None,
        None | Some(PastDay::Ago(0)) => Some(BudgetAction::SpentIfInUse(PossibleExpenses {
            all,
            is_usual,
            is_both,
            is_told,
            is_more,
        })),
        // "lunch 12 on friday" is at noon.
        Some(day) => {
            let is_yesterday = day == PastDay::Ago(1);
            (is_usual && (is_yesterday || !may_be_times)).then(|| spent_on(all, day))
        }
    }
}

/// "12.50", unlike "38.4", which may be anything.
fn has_hundredths(number: &str) -> bool {
    let fraction = number.rsplit_once(['.', ',']);
    fraction.is_some_and(|(_, digits)| digits.len() == 2)
}

/// A word of what is measured, counted or numbered, not bought.
fn is_measure(word: &str) -> bool {
    MEASURES.contains(word)
}

/// Sorted.
static MEASURES: WordSet = WordSet::new(&[
    "average", "bmi", "bpm", "chapter", "cycled", "distance", "episode", "fever", "flat", "gate",
    "glucose", "grade", "height", "humidity", "jogged", "level", "mark", "page", "ph", "pressure",
    "pulse", "ran", "rate", "room", "rowed", "run", "score", "seat", "size", "speed", "swam",
    "temp", "temperature", "version", "walked", "weigh", "weighed", "weight", "width",
]);

/// "lunch 12"
struct BareExpense {
    money: Money,
    purpose: String,
    /// It can hardly be another number: it has a currency or hundredths.
    is_money: bool,
    /// "lunch was 12"
    is_told: bool,
}

impl BareExpense {
    fn is_usual(&self) -> bool {
        is_usual(&self.purpose)
    }
}

fn bare_expense(words: &Words, at: usize, end: usize) -> Option<BareExpense> {
    let end = without_payment(words, at, end);
    let first = money::read(words, at).map(|(amount, next)| (amount, next, end, at));
    let last = || {
        let ends = (at + 1..end).rev().take(2);
        let mut ends = ends.filter_map(|n| Some((n, money::read(words, n)?)));
        let (n, (amount, _)) = ends.find(|(_, (_, next))| *next == end)?;
        Some((amount, at, n, n))
    };
    let (amount, from, to, number) = first.or_else(last)?;
    let verb = words.get(to.saturating_sub(1));
    let is_told = matches!(verb, "was" | "were" | "cost");
    let to = if is_told { to - 1 } else { to };
    // "That was 14" corrects something, and so does "last one was 14".
    static LAST: Phrases = Phrases::new(&["last one", "the last one", "last", "the last", "one"]);
    if words.after(from, &LAST) == Some(to)
        || matches!(
            words.get(from),
            "that" | "it" | "this" | "thats" | "its" | "which" | "better" | "worse"
        )
    {
        return None;
    }
    let from = words
        .after(
            from,
            phrases![
                "for the", "for my", "for", "on the", "on", "at", "the", "my",
            ],
        )
        .filter(|from| *from < to)
        .unwrap_or(from);
    let to = without_payment(words, from, to);
    let is_short = (1..=BARE_WORDS_MAX).contains(&to.saturating_sub(from));
    let is_measured = amount.currency.is_none() && (from..to).any(|n| is_measure(words.get(n)));
    // "bus 42" is a line.
    let is_line = amount.currency.is_none()
        && amount.minor >= LINE_MINOR_MIN
        && !words.get(number).contains(['.', ','])
        && from + 1 == to
        && matches!(words.get(from), "bus" | "tram" | "metro" | "subway");
    if is_measured || is_line {
        return None;
    }
    let is_named = (from..to).all(|n| {
        let word = words.get(n);
        let is_plain = word.chars().all(char::is_alphabetic) && !OTHER_REQUESTS.contains(&word);
        is_plain && when::read(words, n).is_none()
    });
    // "100 usd in eur"
    let is_conversion = (from..to).any(|n| money::is_currency(words.get(n)));
    // "felt great, lunch 12"
    let is_set_off = (from + 1..to).any(|n| words.is_set_off(n - 1));
    if !is_short || !is_named || is_conversion || is_set_off {
        return None;
    }
    Some(BareExpense {
        is_money: amount.currency.is_some() || has_hundredths(words.get(number)),
        money: amount,
        purpose: parsers::original(words, from, to),
        is_told,
    })
}
