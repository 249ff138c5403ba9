//! Replies that claim a change for which nothing was called, where the builtin assistant does not
//! understand the message: in other languages, and in words that it doesn't know. A claim is a
//! promise to remind, or, after a request by its words, an answer that says at its beginning that
//! something was done. By words (`claim_words`), as no tool tells.

use super::claim_words::{
    ASKING, ASKING_LAST, ASKING_PARTS, ASKING_WORDS, CONDITIONS, CORRECTING, DONE, DONE_PARTS,
    DONE_WORDS, NO, NO_ASKING_AFTER, NO_ASKING_BEFORE, NO_PROMISES, NOT_DONE, OF_WORDS, POLITE,
    PROMISES, QUESTION_WORDS, REMIND,
};
use super::model_turn::{CallTotals, ModelTurn};
use super::statements::{QUESTION_MARKS, claims, clauses, ends_with_question, sentences};
use crate::assistant::memory_overlap;
use crate::assistant::wording::NamedTimes;
use crate::clock::Zone;

/// Statements at the beginning of an answer in which a claim is looked for.
const STATEMENTS: usize = 2;
/// A longer answer tells more than that something was done.
const CLAIM_CHARS_MAX: usize = 400;

impl ModelTurn<'_> {
    /// The reply says that something was set or changed, and nothing was.
    pub(super) fn claims_unasked(&self, text: &str, totals: &CallTotals) -> bool {
        let may_act = !self.plan.tools.is_empty() || self.plan.lacks_tools;
        // A promise is one also where thanks were answered without tools.
        let is_in_question = may_act || promises(text);
        if !is_in_question || self.pending.unprompted || self.may_be_done(totals) {
            return false;
        }
        let message = &self.context.message.text;
        if is_of_words(message) || self.plan.is_done_before || self.tells_of_asked(text, totals) {
            return false;
        }
        let is_asked = is_request(message) || self.answers_question();
        self.promises_more(text)
            || is_asked && says_done(text)
            || self.claims_noted(text)
            || (!ends_with_question(text) || self.times_told(text).names_hour())
                && (self.asks_to_remind()
                    || self.answers_question() && self.may_confirm(text)
                    || self.corrects_last(text))
                && !self.tells_of_open(text)
    }

    /// Whether the reply says that something was done, or will be.
    pub(super) fn claims_something(&self, text: &str) -> bool {
        promises(text) || says_done(text)
    }

    /// Whether the reply promises a reminder that isn't among the open ones. The answer to a question
    /// about reminders promises something only with its time.
    fn promises_more(&self, text: &str) -> bool {
        let is_asking = is_plain_question(&self.context.message.text);
        let names_time = |text: &str| {
            let named = self.times_in(text);
            named.names_hour() || named.names_day()
        };
        !self.tells_of_open(text)
            && match is_asking {
                false => promises(text),
                true => sentences(text)
                    .iter()
                    .any(|sentence| promises(sentence.text) && names_time(sentence.text)),
            }
    }

    /// The message asks to be reminded, in any language, and names when.
    fn asks_to_remind(&self) -> bool {
        let message = &self.context.message.text;
        let named = self.times_in(message);
        asks_to_remind(message) && (named.names_hour() || named.names_day())
    }

    /// The message is a short answer to the assistant's question about a request.
    fn answers_question(&self) -> bool {
        let message = self.context.message.text.to_lowercase();
        let is_no = NO.contains(&message.trim_matches(|c: char| !c.is_alphanumeric()));
        let before = self.context.dialog.unanswered.as_ref();
        is_short(&message)
            && !is_no
            && !begins_question(&message)
            && !message.contains(QUESTION_MARKS)
            && before.is_some_and(|(before, _)| is_request(before) || asks_to_remind(before))
    }

    /// It is short, or names a time.
    fn may_confirm(&self, text: &str) -> bool {
        let told = self.times_told(text);
        is_short(text) || told.names_hour() || told.names_day()
    }

    /// The short message corrects what was set last, and the reply tells a time.
    fn corrects_last(&self, text: &str) -> bool {
        let message = &self.context.message.text;
        let (asked, told) = (self.times_in(message), self.times_told(text));
        let zone = self.context.user.timezone.unwrap_or(Zone::UTC);
        let now = self.context.message.received_at;
        let lower = message.to_lowercase();
        let first = lower.split(|c: char| !c.is_alphabetic()).next();
        let is_negated =
            first.is_some_and(|first| NO.contains(&first) || matches!(first, "not" | "nicht"));
        let is_correction = is_negated
            || CORRECTING.iter().any(|words| lower.contains(words))
            || is_time_alone(&lower);
        let names_time = |named: &NamedTimes| named.names_hour() || named.names_day();
        let is_repeated =
            told.shares_time(&asked, now, zone) || asked.shares_time(&told, now, zone);
        self.context.dialog.has_latest
            && !self.context.dialog.open.is_empty()
            && is_short(message)
            && is_correction
            && !message.contains(QUESTION_MARKS)
            && names_time(&told)
            && (is_repeated || is_negated && names_time(&asked))
    }

    /// It may tell of a reminder that is open: it names the time of one, or none, and the message asks
    /// for none.
    pub(super) fn tells_of_open(&self, text: &str) -> bool {
        if self.context.dialog.open.is_empty() {
            return false;
        }
        let named = self.times_told(text);
        if named.names_hour() || named.names_day() {
            return self.is_of_open(&named);
        }
        let message = &self.context.message.text;
        let asked = self.times_in(message);
        let is_of_another = (asked.names_hour() || asked.names_day()) && !self.is_of_open(&asked);
        self.plan.request.is_none()
            && !is_of_another
            && (message.contains('?') || !is_request(message) && !asks_to_remind(message))
    }

    /// All times are those of open reminders.
    fn is_of_open(&self, named: &NamedTimes) -> bool {
        let open = &self.context.dialog.open;
        let mut known = self.times_of_open(&[]);
        open.iter()
            .for_each(|one| known.add(self.times_in(&one.text)));
        let comes_again = open.iter().any(|one| one.recurrence.is_some());
        !named.has_other_hour(&known) && (comes_again || !named.has_other_day(&known))
    }

    /// After a look-up, or asked about it, it tells the time of an open reminder of just what the
    /// message asks for.
    pub(super) fn tells_of_asked(&self, text: &str, totals: &CallTotals) -> bool {
        let message = &self.context.message.text;
        if totals.records.is_empty() && !message.contains(QUESTION_MARKS) {
            return false;
        }
        let zone = self.context.user.timezone.unwrap_or(Zone::UTC);
        let (told, asked) = (self.times_told(text), self.times_in(message));
        let mut open = self.context.dialog.open.iter();
        told.names_hour()
            && self.is_of_open(&told)
            && open.any(|one| {
                let at = one.send_at;
                memory_overlap(&one.text, message) > 0
                    && !told.lacks_hour(at, zone)
                    && !asked.lacks_hour(at, zone)
                    && !asked.lacks_day(at, zone)
            })
    }
}

/// Words of a short answer or correction.
const SHORT_WORDS: usize = 5;
/// A longer word is a sentence without spaces.
const UNSPACED_CHARS: usize = 8;

fn is_short(message: &str) -> bool {
    message.split_whitespace().count() <= SHORT_WORDS
}

/// Whether a message has few words, and the first is before a time or of one: "um 19 Uhr".
fn is_time_alone(message: &str) -> bool {
    const WORDS_MAX: usize = 3;
    const BEFORE_TIMES: [&str; 17] = [
        "at", "on", "um", "am", "auf", "gegen", "a", "para", "à", "alle", "om", "às", "kl", "в",
        "na", "o", "saat",
    ];
    let words: Vec<&str> = message.split_whitespace().collect();
    let first = words.first().copied().unwrap_or_default();
    let has_figure = first.starts_with(|c: char| c.is_ascii_digit());
    let is_unspaced = words.len() == 1 && message.chars().count() > UNSPACED_CHARS;
    words.len() <= WORDS_MAX && !is_unspaced && (has_figure || BEFORE_TIMES.contains(&first))
}

/// Whether a message tells the assistant to remind, and not of a fact.
fn asks_to_remind(message: &str) -> bool {
    let lower = message.to_lowercase().replace('’', "'");
    let is_part = |c: char| c.is_alphabetic() && c.is_ascii();
    let mut found = REMIND.iter().filter_map(|words| {
        let at = lower.find(words)?;
        (!lower[..at].ends_with(is_part)).then(|| &lower[at + words.len()..])
    });
    found.any(|rest| {
        let first = rest
            .split(|c: char| !c.is_alphabetic())
            .find(|word| !word.is_empty());
        !first.is_some_and(|first| QUESTION_WORDS.contains(&first) || matches!(first, "ce" | "of"))
    })
}

/// Whether a message is a question, and no polite request.
pub(super) fn is_plain_question(message: &str) -> bool {
    let text = message.to_lowercase();
    let is_polite = POLITE.iter().any(|beginning| text.contains(beginning));
    let is_question = text.trim_end().ends_with(QUESTION_MARKS)
        || begins_question(&text)
        || ends_as_question(&text);
    is_question && !is_polite
}

/// Whether a text says that something was done, or will be.
pub(super) fn claims_done(text: &str) -> bool {
    claims(text) || promises(text) || says_done(text)
}

/// Whether a text promises to remind.
pub(super) fn promises(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let all = sentences(&text);
    let mut statements = all.iter().filter(|sentence| {
        let has_condition = CONDITIONS.iter().any(|part| sentence.text.contains(part));
        !sentence.is_question && !has_condition
    });
    statements.any(|sentence| {
        clauses(sentence.text)
            .iter()
            .any(|clause| is_promise(clause))
    })
}

fn is_promise(clause: &str) -> bool {
    let is_word = |word: &str| {
        let mut words = clause.split(|c: char| !c.is_alphabetic() && c != '\'');
        words.any(|one| one == word)
    };
    // "Last week you set a reminder", "a reminder is set for a time"
    let is_of_others = clause.contains("you set a reminder") || clause.starts_with("a reminder is");
    if is_of_others || NO_PROMISES.iter().any(|word| is_word(word)) {
        return false;
    }
    PROMISES.iter().any(|parts| {
        let mut rest = clause;
        parts.iter().all(|part| {
            let found = rest.find(part);
            if let Some(at) = found {
                rest = &rest[at + part.len()..];
            }
            found.is_some()
        })
    })
}

/// Whether a text says at its beginning that something was done.
pub(super) fn says_done(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let all = sentences(text);
    let mut first = all
        .iter()
        .filter(|one| !one.is_question)
        .take(STATEMENTS)
        .flat_map(|sentence| clauses(sentence.text));
    // A question first is an answer of its own, and code explains.
    text.chars().count() <= CLAIM_CHARS_MAX
        && !text.contains('`')
        && all.first().is_some_and(|first| !first.is_question)
        && first.any(|clause| is_done(&clause))
}

/// Whether a clause in lower case says that something was done.
pub(super) fn is_done(clause: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric();
    let clause = &without_turkish_not(clause);
    if DONE.contains(&clause.trim_matches(is_mark)) {
        return true;
    }
    let words = || clause.split(|c: char| !c.is_alphabetic() && c != '\'');
    !words().any(|word| NOT_DONE.contains(&word))
        && (words().any(|word| DONE_WORDS.contains(&word))
            || DONE_PARTS.iter().any(|part| clause.contains(part)))
}

/// Without the Turkish word for a note, which is English for something else.
pub(super) fn without_turkish_not(clause: &str) -> String {
    let clause = clause.replace("not ettim", "kaydettim");
    clause.replace("not aldım", "kaydettim")
}

/// Whether a message asks for something by its words, and is no question about it.
pub(super) fn is_request(text: &str) -> bool {
    let text = text.to_lowercase();
    if is_plain_question(&text) {
        return false;
    }
    let words = text.split(|c: char| !c.is_alphabetic());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // "I set the table", "a set of".
    let is_verb = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let after = words.get(at + 1);
        !before.is_some_and(|word| NO_ASKING_BEFORE.contains(word))
            && (words[at] == "rid" || !after.is_some_and(|word| NO_ASKING_AFTER.contains(word)))
    };
    let asks = |(at, word): (usize, &&str)| {
        ASKING_WORDS.contains(word) && is_verb(at)
            // "my notes"
            || (!word.starts_with("note") || is_verb(at))
                && !word.starts_with("merkwürdig")
                && ASKING.iter().any(|beginning| word.starts_with(beginning))
    };
    let asks_last = words.last().is_some_and(|last| ASKING_LAST.contains(last));
    words.iter().enumerate().any(asks)
        || asks_last
        || ASKING_PARTS.iter().any(|part| text.contains(part))
}

/// Whether a message begins as a question, which has no mark where people write fast.
pub(super) fn begins_question(message: &str) -> bool {
    let message = message.to_lowercase();
    let first = message
        .split(|c: char| !c.is_alphabetic())
        .find(|word| !word.is_empty());
    first.is_some_and(|first| QUESTION_WORDS.contains(&first))
}

/// "save money how"
pub(super) fn ends_as_question(message: &str) -> bool {
    let message = message.to_lowercase();
    let mut words = message.split(|c: char| !c.is_alphabetic());
    let last = words.rfind(|word| !word.is_empty());
    last.is_some_and(|last| matches!(last, "how" | "why" | "where" | "wie" | "cómo"))
}

/// Whether a message speaks of words, as one that asks for a translation.
pub(super) fn is_of_words(text: &str) -> bool {
    let text = text.to_lowercase();
    OF_WORDS.iter().any(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_told_from_talk() {
        for text in [
            "¡Listo! Te recordaré mañana a las 9.",
            "Klar, ich erinnere dich morgen um 9 daran. Noch etwas?",
            "Deine Erinnerung für 9 Uhr ist gestellt.",
            "D’accord, je te le rappellerai demain.",
            "Va bene, ti ricorderò di chiamare.",
            "Komt goed, ik herinner je eraan.",
            "Certo! Vou te lembrar amanhã.",
            "Okej, jag påminner dig klockan 9.",
            "Sure thing. I’ll remind you at 9.",
            "I’ve set a reminder for 9.",
            "Хорошо, напомню завтра в 9.",
            "Dobrze, przypomnę ci jutro o 9.",
            "はい、明日9時にお知らせします。",
            "Alles klar, das merke ich mir.",
            "Perfecto, queda programado para mañana a las 9.",
        ] {
            assert!(promises(text), "{text}");
        }
        for text in [
            "Soll ich dich erinnern?",
            "Sag mir, wann, dann erinnere ich dich gern.",
            "Ich kann dich daran erinnern.",
            "Wenn du magst, erinnere ich dich.",
            "Dime a qué hora y te lo recordaré.",
            "No te recordaré nada.",
            "Je te rappelle que Paris est en France.",
            "Puedo ponerlo si quieres.",
            "If you like, I'll remind you.",
            "I can set a reminder for you.",
            "I'm not able to do that.",
            "Das erinnert mich an Bath.",
            "The town is named for its baths.",
            "",
        ] {
            assert!(!promises(text), "{text}");
        }
    }

    #[test]
    fn an_answer_that_begins_with_done_is_known() {
        for text in [
            "¡Listo! Milk.", "✅ Erledigt!", "C'est noté.", "Fatto, a domani!", "Klart 👍",
            "Pronto!", "Alles klar, steht! Morgen 9 Uhr.", "Ist eingestellt für morgen um 9.",
            "Hab ich mir gemerkt.", "Die Erinnerung ist gelöscht.", "Milch ist auf der Liste.",
            "He añadido leche a la lista.", "J'ai ajouté du lait à ta liste.", "Logged!",
            "All your reminders are cancelled.", "Your account has been deleted.",
            "Хорошо, записал.", "Gotowe, dodałem mleko.", "はい、追加しました。",
            "Klar, mach ich!", "Dein Konto ist gelöscht.", "Tu cuenta ha sido eliminada.",
        ] {
            assert!(says_done(text), "{text}");
        }
        for text in [
            "Listo para salir.", "Erledigt?", "Hier ist das Rezept.", "Klart vatten är gott.", "",
            "Es wurde nichts gespeichert.", "I haven't added anything.", "No he añadido nada.",
            "Which one? It was added.", "I can get that removed.", "¿Lo añado?",
        ] {
            assert!(!says_done(text), "{text}");
        }
        assert!(is_request("bitte füge Milch hinzu"));
        assert!(!is_request("wie wird das Wetter?"));
        for text in [
            "kannst du mich morgen um 9 ans Laufen erinnern?",
            "log that I ran today",
            "напомни мне завтра в 9",
            "przypomnij mi jutro o 9",
            "牛乳を追加して",
            "nenn mich Tom",
        ] {
            assert!(is_request(text), "{text}");
        }
        for text in [
            "did you add milk?", "hast du die Milch notiert?", "tell me of Bath",
        ] {
            assert!(!is_request(text), "{text}");
        }
        for text in [
            "translate \"I will remind you\" into German",
            "how do you say \"te recordaré\" in English",
            "what happens if i say remind me at 9?",
            "write a poem about reminders",
        ] {
            assert!(is_of_words(text), "{text}");
        }
    }
}
