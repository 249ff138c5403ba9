//! What somebody says when a crisis is over: "he's fine now", "false alarm".

use super::sentences;
use crate::assistant::text::phrases::{Phrases, phrases};
use crate::assistant::text::word_set::WordSet;
use crate::assistant::text::words::Words;

/// A longer message tells more than that.
const WORDS_MAX: usize = 14;

/// Whole messages, without accents, also before "thanks" and the like.
static OVER: Phrases = Phrases::new(&[
    "false alarm", "it was a false alarm", "that was a false alarm", "all good", "all ok",
    "all okay", "all fine", "all is well", "all is good", "everything worked out",
    "crisis averted", "nothing happened", "i was joking", "i was kidding", "just kidding",
    "only kidding", "it was a joke", "that was a joke", "the ambulance is here",
    "ambulance is here", "the police is here", "the police are here", "help is here",
    "the paramedics are here", "we are at the hospital", "fehlalarm", "alles gut",
    "alles wieder gut", "falsa alarma", "ya estoy bien", "todo bien", "fausse alerte",
    "tout va bien", "ca va mieux", "falso allarme", "tutto bene", "alarme falso", "tudo bem",
    "vals alarm", "alles goed", "falszywy alarm", "falskt larm",
]);
/// Who is well again.
static WHO: Phrases = Phrases::new(&[
    "i", "he", "she", "they", "it", "we", "everyone", "everybody", "everything", "all", "my mom",
    "my mum", "my mother", "my dad", "my father", "my son", "my daughter", "my baby", "my husband",
    "my wife", "my brother", "my sister", "my friend", "my grandma", "my grandpa", "mom", "mum",
    "dad", "grandma", "grandpa", "the baby", "the kid", "my kid",
]);
static IS: Phrases = Phrases::new(&[
    "is", "am", "are", "feel", "feels", "is feeling", "am feeling", "are feeling", "is all",
    "is doing", "am doing", "is awake and",
]);
static WELL: Phrases = Phrases::new(&[
    "fine", "ok", "okay", "good", "well", "safe", "better", "much better", "a bit better",
    "a lot better", "a little better", "alright", "all right", "stable", "breathing again",
    "awake", "awake again", "at the hospital", "back to normal",
]);
/// Words that may stand after such a phrase.
const AFTER: [&str; 20] = [
    "now", "again", "already", "thanks", "thank you", "thx", "today", "sorry", "guys", "though",
    "for now", "everyone", "after all", "thank god", "thankfully", "luckily", "so", "no worries",
    "dont worry", "and",
];
const BEFORE: [&str; 22] = [
    "oh", "ok", "okay", "sorry", "phew", "update", "hey", "well", "never mind", "nevermind", "yes",
    "yeah", "no worries", "dont worry", "thanks", "thank you", "thank god", "luckily", "and",
    "i think", "so", "no",
];

/// Each message that says so has one of these. Sorted.
static NEEDED: WordSet = WordSet::new(&[
    "alarm", "alarma", "alarme", "alerte", "allarme", "alright", "averted", "awake", "bem", "bene",
    "better", "bien", "breathing", "fehlalarm", "fine", "goed", "good", "gut", "happened", "here",
    "hospital", "joke", "joking", "kidding", "larm", "mieux", "normal", "ok", "okay", "out",
    "right", "safe", "stable", "well",
]);

/// Whether the whole message says so.
pub(in crate::assistant) fn is_over(words: &Words) -> bool {
    if !may_be_over(words) {
        return false; // most messages
    }
    let plain: Vec<String> = sentences::plain_words(words)
        .into_iter()
        .map(|plain| plain.word.into_owned())
        .collect();
    let text = plain.join(" ");
    let plain = Words::new(&text);
    let (mut at, mut is_said) = (0, false);
    while at < plain.len() {
        let link: &[&str] = if is_said { &AFTER } else { &BEFORE };
        at = match state(&plain, at) {
            Some(next) => {
                is_said = true;
                next
            }
            None => match plain.after(at, link) {
                Some(next) => next,
                None => return false,
            },
        };
    }
    is_said
}

/// A quick look: whether it has the words of it.
pub(in crate::assistant::builtin) fn may_be_over(words: &Words) -> bool {
    let is_short = (1..=WORDS_MAX).contains(&words.len());
    is_short && !words.is_question() && words.iter_hashed().any(|word| NEEDED.contains(word))
}

/// "he is fine", "false alarm": the index after it.
fn state(words: &Words, at: usize) -> Option<usize> {
    let well = || {
        let is = words.after(at, &WHO)?;
        let is = words.after(is, &IS)?;
        words.after(words.skip(is, phrases!["all", "now", "feeling"]), &WELL)
    };
    words.after(at, &OVER).or_else(well)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_message_says_that_it_is_over() {
        for (text, expected) in [
            ("he's fine now", true),
            ("it's ok now", true),
            ("false alarm", true),
            ("oh sorry, false alarm!", true),
            ("never mind, i'm ok now thanks", true),
            ("i feel better", true),
            ("my dad is awake again, thank god", true),
            ("they're safe", true),
            ("ich glaube nicht", false),
            ("Fehlalarm", true),
            ("ça va mieux", true),
            ("he's not fine", false),
            ("he's fine but she isn't breathing", false),
            ("is he fine now?", false),
            ("i'd be better off gone", false),
            ("nobody is here", false),
            ("i'm ok with dying", false),
            ("it's over", false),
            ("my life is over", false),
            ("it's all over for me", false),
            ("no", false),
            ("thanks", false),
            ("", false),
        ] {
            assert_eq!(is_over(&Words::new(text)), expected, "{text}");
        }
    }
}
