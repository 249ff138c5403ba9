//! What a text claims or asks for, by its words (`claim_words`). Pure.

use super::claim_words::{
    ASKING, ASKING_LAST, ASKING_PARTS, ASKING_WORDS, CONDITIONS, DONE, DONE_PARTS, DONE_WORDS,
    NO_ASKING_AFTER, NO_ASKING_BEFORE, NO_PROMISES, NOT_DONE, OF_WORDS, POLITE, PROMISES,
    QUESTION_WORDS, REMIND,
};
use super::statements::{
    QUESTION_MARKS, claims, clauses, plain, sentences, statements, word_parts, words,
};

/// Statements at the beginning of an answer in which a claim is looked for.
const STATEMENTS: usize = 2;
/// A longer answer tells more than that something was done.
const CLAIM_CHARS_MAX: usize = 400;

/// Whether a message tells the assistant to remind, and not of a fact.
pub(super) fn asks_to_remind(message: &str) -> bool {
    let lower = plain(message);
    let is_part = |c: char| c.is_alphabetic() && c.is_ascii();
    let mut found = REMIND.iter().filter_map(|words| {
        let at = lower.find(words)?;
        (!lower[..at].ends_with(is_part)).then(|| &lower[at + words.len()..])
    });
    found.any(|rest| {
        let first = word_parts(rest).find(|word| !word.is_empty());
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

/// Whether a text says at its beginning that something was done, or promises to remind.
pub(in crate::ingest::replies) fn claims_something(text: &str) -> bool {
    says_done(text) || promises(text)
}

/// Whether a text says that something was done, or will be.
pub(super) fn claims_done(text: &str) -> bool {
    claims(text) || promises(text) || says_done(text)
}

/// The statements of an answer that are no offers.
pub(super) fn claimed(text: &str) -> Vec<&str> {
    let is_offer = |text: &str| {
        let lower = text.to_lowercase();
        CONDITIONS.iter().any(|part| lower.contains(part))
    };
    statements(text).filter(|text| !is_offer(text)).collect()
}

/// Whether a text promises to remind.
pub(super) fn promises(text: &str) -> bool {
    let text = plain(text);
    let has_condition = |text: &&str| CONDITIONS.iter().any(|part| text.contains(part));
    let statements = statements(&text).filter(|text| !has_condition(text));
    statements
        .flat_map(clauses)
        .any(|clause| is_promise(&clause))
}

fn is_promise(clause: &str) -> bool {
    let is_word = |word: &str| {
        let mut words = words(clause);
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
    let text = plain(text);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    // Code explains.
    if text.chars().count() > CLAIM_CHARS_MAX || text.contains('`') {
        return false;
    }
    // A question first is an answer of its own.
    let sentences = sentences(text);
    let is_answer = sentences.first().is_some_and(|first| !first.is_question);
    let statements = sentences.iter().filter(|one| !one.is_question);
    let mut clauses = statements
        .take(STATEMENTS)
        .flat_map(|one| clauses(one.text));
    is_answer && clauses.any(|clause| is_done(&clause))
}

/// Whether a clause in lower case says that something was done.
pub(super) fn is_done(clause: &str) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric();
    let clause = &without_turkish_not(clause);
    if DONE.contains(&clause.trim_matches(is_mark)) {
        return true;
    }
    let words = || words(clause);
    // "I don't see butter on your list."
    let is_missed = || words().any(|word| matches!(word, "don't" | "doesn't" | "didn't"));
    !words().any(|word| NOT_DONE.contains(&word))
        && (words().any(|word| DONE_WORDS.contains(&word))
            || DONE_PARTS.iter().any(|part| clause.contains(part)) && !is_missed())
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
    let words = word_parts(&text);
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
    let first = word_parts(&message).find(|word| !word.is_empty());
    first.is_some_and(|first| QUESTION_WORDS.contains(&first))
}

/// "save money how"
pub(super) fn ends_as_question(message: &str) -> bool {
    let message = message.to_lowercase();
    let mut words = word_parts(&message);
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
            "¡Listo! Milk.",
            "✅ Erledigt!",
            "C'est noté.",
            "Fatto, a domani!",
            "Klart 👍",
            "Pronto!",
            "Alles klar, steht! Morgen 9 Uhr.",
            "Ist eingestellt für morgen um 9.",
            "Hab ich mir gemerkt.",
            "Die Erinnerung ist gelöscht.",
            "Milch ist auf der Liste.",
            "He añadido leche a la lista.",
            "J'ai ajouté du lait à ta liste.",
            "Logged!",
            "All your reminders are cancelled.",
            "Your account has been deleted.",
            "Хорошо, записал.",
            "Gotowe, dodałem mleko.",
            "はい、追加しました。",
            "Klar, mach ich!",
            "Dein Konto ist gelöscht.",
            "Tu cuenta ha sido eliminada.",
            "Todos cancelados.",
            "Tous tes rappels sont annulés.",
            "Süt eklendi.",
            "Unuttum.",
            "全部消しておきました。",
            "تم الإلغاء.",
            "أضفت الحليب إلى قائمتك.",
        ] {
            assert!(says_done(text), "{text}");
        }
        for text in [
            "Listo para salir.", "Erledigt?", "Hier ist das Rezept.", "Klart vatten är gott.", "",
            "Es wurde nichts gespeichert.", "I haven't added anything.", "No he añadido nada.",
            "Which one? It was added.", "I can get that removed.", "¿Lo añado?",
            "I don't see butter on your list.",
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
            "住所を忘れて",
            "أضف الحليب إلى قائمتي",
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
