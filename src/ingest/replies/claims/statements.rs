//! What a reply says about its message: only questions, only that something is impossible, or that
//! something was done. By words, as no tool tells. Pure.

use super::claim_words::NO;
use crate::assistant::wording;

/// Marks at the end of a question.
pub(super) const QUESTION_MARKS: [char; 4] = ['?', '\u{ff1f}', '\u{61f}', '\u{37e}'];
/// Phrases that say that something can't be done or was not, in lower case.
const REFUSALS: [&str; 70] = [
    "i can't", "i cannot", "i can not", "i couldn't", "i could not", "i'm not able",
    "i am not able", "i'm unable", "i am unable", "i wasn't able", "i was not able", "can't be",
    "cannot be", "couldn't be", "could not be", "isn't possible", "not possible", "i didn't set",
    "i did not set", "i haven't set", "was not done", "wasn't done", "nothing was", "has passed",
    "already passed", "already past", "is in the past", "kann ich", "ich kann", "konnte ich",
    "ich konnte", "geht nicht", "nicht möglich", "no puedo", "no pude", "no he podido",
    "no es posible", "je ne peux", "je n'ai pas pu", "pas possible", "non posso", "non riesco",
    "non ho potuto", "non è possibile", "não posso", "não consigo", "não consegui",
    "não é possível", "kan ik", "ik kan", "kan inte", "kunde inte", "går inte", "i don't know",
    "weiß ich nicht", "weiss ich nicht", "ich weiß nicht", "ich weiss nicht", "no lo sé",
    "je ne sais pas", "non lo so", "não sei", "weet ik niet", "vet inte", "something went wrong",
    "nicht geklappt", "n'a pas marché", "no ha funcionado", "no funcionó", "algo salió mal",
];
/// Phrases that say so whatever is beside them.
const NOTHING_SET: [&str; 19] = [
    "have not set", "haven't set", "i've set nothing", "nothing is set", "nothing's set",
    "nichts eingestellt", "noch nicht eingestellt", "no he puesto nada", "rien programmé",
    "できません", "できない", "yapamam", "yapamıyorum", "yemedim", "yamadım", "不能", "无法",
    "не могу", "nie mogę",
];
/// Words that count only with a negation in the same clause.
const UNLESS_NEGATED: [&str; 6] = [
    "kann ich", "ich kann", "konnte ich", "ich konnte", "kan ik", "ik kan",
];
const NEGATIONS: [&str; 4] = ["nicht", "kein", "niet", "geen"];
/// With these such phrases say something else, or more: "I can't wait".
const NO_REFUSALS: [&str; 14] = [
    "wait", "believe", "forget", "miss", "help but", "agree more", "happier", "vergess", "instead",
    "i've", "i set ", "i'll", "is set", "it's set",
];
/// Beginnings of clauses that claim nothing.
const COURTESIES: [&str; 44] = [
    "üzgünüm", "far", "entschuldige", "申し訳", "すみません", "sorry", "i'm sorry", "i am sorry",
    "i'm afraid", "i am afraid", "unfortunately", "apologies", "please", "try", "better try",
    "tell me", "let me know", "give me", "pick", "choose", "write", "ask", "leider",
    "tut mir leid", "es tut mir leid", "entschuldig", "bitte", "lo siento", "por favor",
    "desafortunadamente", "désolé", "je suis désolé", "malheureusement", "s'il te plaît",
    "mi dispiace", "scusa", "purtroppo", "per favore", "desculp", "infelizmente", "sinto muito",
    "helaas", "tyvärr", "förlåt",
];
/// Words that part clauses.
pub(super) const LINKS: [&str; 22] = [
    "but", "so", "and", "because", "since", "as", "though", "aber", "und", "weil", "da", "pero",
    "y", "porque", "mais", "et", "ma", "e", "perché", "mas", "maar", "men",
];
/// Words of which one is in most replies that say that something was done or kept.
const CLAIMS: [&str; 57] = [
    "done", "set", "saved", "noted", "got it", "remembered", "i'll remember", "i will remember",
    "i'll keep", "i will keep", "i'll remind", "i will remind", "i'll call", "i will call",
    "added", "stored", "updated", "changed", "call you", "will do", "in mind", "won't forget",
    "✅", "👍", "👌", "📝", "📌", "💾", "hecho", "listo", "anotado", "guardado", "recordaré",
    "erledigt", "notiert", "gemerkt", "gespeichert", "merke", "noté", "c'est fait", "enregistré",
    "retenu", "fatto", "salvato", "annotato", "ricorderò", "feito", "anotado", "anotei",
    "lembrarei", "guardei", "genoteerd", "onthoud", "onthouden", "noterat", "sparat", "minns",
];

/// The reply only asks something back, so it claims nothing: all of its sentences are questions.
pub(super) fn is_question(text: &str) -> bool {
    let all = sentences(text);
    !all.is_empty() && all.iter().all(|sentence| sentence.is_question)
}

/// Whether a text ends with a question.
pub(super) fn ends_with_question(text: &str) -> bool {
    text.trim_end().ends_with(QUESTION_MARKS)
}

/// The reply only says that something can't be done, and may ask something.
pub(super) fn is_refusal(text: &str) -> bool {
    let text = plain(text);
    let mut has_refused = false;
    for clause in statements(&text).flat_map(clauses) {
        let is_refused = refuses(&clause);
        let is_courtesy = COURTESIES.iter().any(|begin| clause.starts_with(begin));
        if !is_refused && !is_courtesy {
            return false;
        }
        has_refused |= is_refused;
    }
    has_refused
}

/// The reply is a refusal: not "couldn't be easier", "can't complain", nor what the message says by
/// itself: "nuts can't be eaten by Tom".
pub(super) fn denies(text: &str, message: &str) -> bool {
    const PRAISING: [&str; 10] = [
        "easier", "simpler", "be better", "any better", "complain", "argue", "go wrong",
        "you enough", "beat that", "beat it",
    ];
    const COMMON_LETTERS_MAX: usize = 3;
    let (text, message) = (plain(text), plain(message));
    let refusals = |text: &str| clauses(text).into_iter().filter(|clause| refuses(clause));
    let praises = |clause: &String| {
        let words = format!(" {} ", words(clause).collect::<Vec<_>>().join(" "));
        let mut praising = PRAISING.iter();
        praising.any(|phrase| words.contains(&format!(" {phrase} ")))
    };
    let is_of_message = |clause: &String| {
        let is_known = |word: &str| {
            let is_named = |said: String| words(&said).any(|other| other == word);
            word.chars().count() > COMMON_LETTERS_MAX
                && !word.contains('\'')
                && refusals(&message).any(is_named)
        };
        words(clause).any(is_known)
    };
    is_refusal(&text) && !refusals(&text).any(|clause| praises(&clause) || is_of_message(&clause))
}

/// "Sorry!" or "no" alone. "Bitte!" comes with what was asked for.
pub(super) fn is_mere_apology(text: &str) -> bool {
    let text = plain(text);
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    NO.contains(&text) || COURTESIES.contains(&text) && text != "bitte"
}

/// The reply says that something was done or kept.
pub(super) fn claims(text: &str) -> bool {
    let text = plain(text);
    let is_part = |c: char| c.is_alphanumeric();
    CLAIMS.iter().any(|claim| {
        text.match_indices(claim).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + claim.len()..].starts_with(is_part)
        })
    })
}

fn refuses(clause: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| clause.contains(word));
    let is_negated = NOTHING_SET.iter().any(|phrase| clause.contains(phrase));
    let phrase = REFUSALS.iter().any(|phrase| {
        clause.contains(phrase) && (!UNLESS_NEGATED.contains(phrase) || has(&NEGATIONS))
    });
    is_negated || phrase && !has(&NO_REFUSALS)
}

/// In lower case, with one kind of apostrophe.
pub(super) fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// The sentences that are no questions.
pub(super) fn statements(text: &str) -> impl Iterator<Item = &str> {
    let all = sentences(text).into_iter();
    all.filter(|sentence| !sentence.is_question)
        .map(|sentence| sentence.text)
}

/// The words of a text, with an empty one between two other characters.
pub(super) fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic() && c != '\'')
}

/// The same, with "what's" as two words.
pub(super) fn word_parts(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic())
}

/// The parts of a sentence, each of which may claim something.
pub(super) fn clauses(sentence: &str) -> Vec<String> {
    const MARKS: [char; 9] = [',', ';', ':', '–', '—', '(', ')', '\u{ff0c}', '、'];
    let mut all = vec![String::new()];
    let mut start = 0;
    let ends = sentence.match_indices(MARKS);
    let ends =
        ends.filter(|(at, mark)| !is_in_number(&sentence[..*at], &sentence[at + mark.len()..]));
    for (at, mark) in ends.chain([(sentence.len(), "")]) {
        let part = &sentence[start..at];
        start = at + mark.len();
        for word in part.split_whitespace() {
            match all.last_mut() {
                Some(last) if !LINKS.contains(&word) && word != "-" => {
                    last.push_str(word);
                    last.push(' ');
                }
                _ => all.push(String::new()),
            }
        }
        all.push(String::new());
    }
    all.retain(|clause| clause.contains(char::is_alphanumeric));
    all
}

/// "18:00", "31,40"
fn is_in_number(before: &str, after: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    before.ends_with(is_digit) && after.starts_with(is_digit)
}

pub(in crate::ingest::replies) struct Sentence<'t> {
    pub(in crate::ingest::replies) text: &'t str,
    pub(super) is_question: bool,
}

/// The sentences that have words.
pub(in crate::ingest::replies) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut all = Vec::new();
    let (mut start, mut has_words) = (0, false);
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        has_words |= c.is_alphanumeric();
        let next = rest.peek().map(|(_, next)| *next);
        let is_inside = || c == '.' && is_point_of_date(&text[..at], &text[at + 1..]);
        let is_question = QUESTION_MARKS.contains(&c);
        let ends = is_question || next.is_none() || is_end(c, next) && !is_inside();
        // Line breaks and smileys alone stay with the sentence after them.
        if has_words && ends {
            let end = at + c.len_utf8();
            all.push(Sentence {
                text: &text[start..end],
                is_question,
            });
            (start, has_words) = (end, false);
        }
    }
    all
}

/// Whether the point between these is one of "6. Dezember", "28.12. um 7" or "Dec. 6".
fn is_point_of_date(before: &str, after: &str) -> bool {
    const DAYS: u32 = 31;
    const MONTHS: u32 = 12;
    let is_word = |c: char| c.is_alphanumeric();
    let last = before.rsplit(|c| !is_word(c)).next().unwrap_or_default();
    let next = after.trim_start_matches(' ');
    let next = next.split(|c| !is_word(c)).next().unwrap_or_default();
    let is_number = |word: &str, max: u32| {
        let number = word.parse::<u32>().ok().filter(|_| word.len() <= 2);
        number.is_some_and(|number| (1..=max).contains(&number))
    };
    let is_day = |word: &str| is_number(word, DAYS);
    // The point after the month of "28.12."
    let day = before
        .strip_suffix(last)
        .and_then(|day| day.strip_suffix('.'));
    let day = day.and_then(|day| day.rsplit(|c| !is_word(c)).next());
    let is_of_line = !next.is_empty() && !after.trim_start_matches(' ').starts_with('\n');
    is_of_line
        && (is_number(last, MONTHS) && day.is_some_and(is_day)
            || is_day(last) && wording::is_month(next)
            || is_day(next) && wording::is_month(last))
}

/// The end of a sentence that is no question, also by a smiley; unlike the point of "9.30".
fn is_end(c: char, next: Option<char>) -> bool {
    match c {
        '.' => next.is_none_or(|next| !next.is_alphanumeric()),
        '!' | '…' | '\n' | '。' | '！' | '।' => true,
        _ => matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_dates_end_no_sentence() {
        for (text, expected) in [
            (
                "Der Markt ist am 6. Dezember um 11:00. Bis dann!",
                &["Der Markt ist am 6. Dezember um 11:00.", " Bis dann!"][..],
            ),
            (
                "Erledigt: am 28.12. um 7 Uhr.",
                &["Erledigt: am 28.12. um 7 Uhr."],
            ),
            ("It is on Dec. 6 at 11:00.", &["It is on Dec. 6 at 11:00."]),
            ("It comes at 9. See you!", &["It comes at 9.", " See you!"]),
            ("Great.\n\nSee you.", &["Great.", "\n\nSee you."]),
            ("It was 23.50. Noted!", &["It was 23.50.", " Noted!"]),
            ("Set for the 6.\nBye", &["Set for the 6.", "\nBye"]),
        ] {
            let found: Vec<&str> = sentences(text).iter().map(|one| one.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn clauses_end_in_no_number() {
        for (text, expected) in [
            ("set: 18:00, call mum", &["set ", "18:00 ", "call mum "][..]),
            ("12,50 on tea, 3 on milk", &["12,50 on tea ", "3 on milk "]),
        ] {
            assert_eq!(clauses(text), expected, "{text}");
        }
    }

    #[test]
    fn questions_are_told_from_claims() {
        for text in [
            "At what time?", "Um wie viel Uhr? 😊", "何時ですか？", "(When?)", "متى؟",
            "At 9.30 or at 10? And where?",
        ] {
            assert!(is_question(text), "{text}");
        }
        for text in [
            "All set!",
            "When? At six.",
            "",
            "Done 😊",
            "All set! Anything else?",
            "¡Listo! ¿Algo más?",
            "Done ✅ Anything else?",
            "Your reminder is set for 9:00. Want me to add anything?",
            "Noted\nAnything else?",
        ] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn refusals_are_told_from_claims() {
        for text in [
            "I can't set reminders in the past.",
            "Sorry, I can’t do that yet.",
            "I'm sorry, but that time has already passed, so I couldn't set it. When shall it be?",
            "Unfortunately I'm not able to do that. Please try again!",
            "Das kann ich leider nicht.",
            "Lo siento, no puedo hacerlo.",
            "Je ne peux pas faire cela, désolé.",
            "Das weiß ich nicht.",
            "Weiss ich nicht.",
            "I don't know, sorry.",
        ] {
            assert!(is_refusal(text), "{text}");
        }
        for text in [
            "",
            "All set!",
            "I can't do that in the past, so tomorrow at 9 it is!",
            "I can't wait to remind you!",
            "I don't know why you ask, but it's set.",
            "I can't promise much. It is set.",
            "I can't do 5 I set it for 6 instead.",
            "Sorry for the wait, it's done.",
            "Das kann ich gern machen.",
            "Sorry!",
            "I can't do it today - set for tomorrow.",
        ] {
            assert!(!is_refusal(text), "{text}");
        }
    }

    #[test]
    fn what_was_done_is_denied_by_refusals() {
        for text in [
            "Sorry, I couldn't add that.",
            "I couldn't set it for 18:00.",
            "Sorry, 6pm tomorrow isn't possible.",
            "Um 18 Uhr konnte ich nichts einstellen.",
            "Das hat leider nicht geklappt.",
            "Sorry, something went wrong. Please try again.",
            "No pude ponerlo para mañana a las 18:00.",
            "Üzgünüm, ekleyemedim.",
            "I couldn't add it. Better try again later.",
            "Sorry, I can't add upbeat things.",
        ] {
            assert!(denies(text, "add milk"), "{text}");
        }
        let asked = "I can't find my notes, add milk to my list";
        assert!(denies("Sorry, I couldn't add that.", asked));
        assert!(!denies("I can't find your notes, either.", asked));
        for text in [
            "Couldn't be easier!", "I can't complain.", "I can't buy it, but it's on the list.",
            "The demo went wrong, noted.", "I can't see the future, but it is set",
            "Got it. The charger didn't work.", "I couldn't be happier for you!",
            "It couldn't be better!", "I can't thank you enough!", "You can't beat that!",
        ] {
            assert!(!denies(text, "add milk"), "{text}");
        }
        let asked = "remember that nuts can't be eaten by Tom";
        assert!(!denies("Noted that nuts can't be eaten by Tom.", asked));
        for text in ["Sorry!", "Nope.", "Désolé !", "すみません。", "Lo siento."] {
            assert!(is_mere_apology(text), "{text}");
        }
        for text in ["Sorry, done!", "No problem!", "Bitte!", "OK", "👍"] {
            assert!(!is_mere_apology(text), "{text}");
        }
    }

    #[test]
    fn claims_are_told_from_talk() {
        for text in ["Got it!", "I'll call you Ishmael.", "Noté !", "👍"] {
            assert!(claims(text), "{text}");
        }
        for text in [
            "Some years ago I went to sea.", "A battle of 1836.", "Sunset",
        ] {
            assert!(!claims(text), "{text}");
        }
    }
}
