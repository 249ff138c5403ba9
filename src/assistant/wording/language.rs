//! The language of a text, for a sentence that is added to it.

use std::sync::LazyLock;

use whatlang::Detector;

use super::languages::LANGUAGES;
use crate::assistant::text::word_set::{HashedWord, WordMap};
use crate::assistant::text::words::Words;

/// Characters of a text that are looked at.
const CHARS_MAX: usize = 1_000;

/// A bit for each language of which a word is frequent, in the order of `LANGUAGES`.
static LANGUAGES_OF: LazyLock<WordMap<u8>> = LazyLock::new(|| {
    let each = LANGUAGES.iter().enumerate();
    let words = each.flat_map(|(at, one)| {
        let words = one.frequent_words.split(' ');
        words.map(move |word| (word, 1 << at))
    });
    WordMap::merged(words, |one, other| one | other)
});

/// Letters of other languages, as Polish, Czech and Turkish, that none of those with sentences has.
const OTHER_LETTERS: [char; 16] = [
    'ę', 'ł', 'ś', 'ż', 'ź', 'ć', 'ń', 'ą', 'ř', 'ě', 'ů', 'ğ', 'ş', 'ı', 'ő', 'ű',
];

/// The language of a text, as a tag of BCP 47. `None`: it is none of those that have sentences, or
/// the text doesn't tell.
pub fn language_of(text: &str) -> Option<&'static str> {
    let beginning = beginning(text);
    let languages = LANGUAGES.iter().map(|one| one.detected);
    let found = Detector::with_allowlist(languages.collect()).detect(beginning)?;
    // Some scripts name one language, whatever is asked for.
    let language = LANGUAGES.iter().find(|one| one.detected == found.lang())?;
    match found.is_reliable() {
        true => Some(language.tag),
        false if beginning.contains(OTHER_LETTERS) => None,
        false => language_by_words(beginning, 1).or_else(|| language_by_letters(beginning)),
    }
}

/// The language that alone has one of the letters or marks of a text.
fn language_by_letters(text: &str) -> Option<&'static str> {
    const LETTERS: [(&[char], &str); 4] = [
        (&['¿', '¡', 'ñ'], "es"),
        (&['ã', 'õ'], "pt"),
        (&['ß'], "de"),
        (&['å'], "sv"),
    ];
    let words = text.split_whitespace();
    // "São Paulo" is named in all languages.
    let mut words = words.filter(|word| !word.starts_with(char::is_uppercase));
    words.find_map(|word| {
        let mut all = LETTERS.into_iter();
        let found = all.find(|(letters, _)| word.contains(*letters));
        found.map(|(_, language)| language)
    })
}

/// Whether a text's letters allow that it is in one of the languages that have sentences.
pub fn may_have_sentences(text: &str) -> bool {
    const LATIN_END: char = '\u{250}';
    let mut letters = beginning(text).chars().filter(|c| c.is_alphabetic());
    letters.all(|c| c < LATIN_END && !OTHER_LETTERS.contains(&c))
}

fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(CHARS_MAX);
    &text[..end.map_or(text.len(), |(at, _)| at)]
}

/// The language of a text that is no English by its words.
pub(in crate::assistant) fn foreign_language_of(
    text: &str,
    words: &Words<'_>,
) -> Option<&'static str> {
    const KNOWN_MIN: usize = 3;
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_alphabetic())
            || is_number(word)
            || word.chars().all(char::is_alphabetic)
    };
    let has_apostrophe =
        text.as_bytes().contains(&b'\'') || !text.is_ascii() && text.contains(['’', '‘']);
    // Most texts can be read by the words that are there already.
    let are_plain = text.len() <= CHARS_MAX && words.is_whole() && words.iter().all(is_plain);
    let language = match are_plain && !has_apostrophe {
        true => {
            let words = words.iter_hashed().filter(|word| !is_number(word.word));
            language_of_words(words, KNOWN_MIN)
        }
        false => language_by_words(beginning(text), KNOWN_MIN),
    };
    language.filter(|language| {
        let is_english = *language == "en" || has_apostrophe && is_contracted(text, language);
        !is_english
    })
}

/// "I'm", "don't", "leo's": English, though Dutch writes some plurals so.
fn is_contracted(text: &str, language: &str) -> bool {
    let text = text.replace('’', "'").to_lowercase();
    text.split_whitespace().any(|word| {
        let ends = |end: &str| word.trim_end_matches(['.', ',', '!', '?']).ends_with(end);
        ["'m", "'ve", "'ll", "n't", "'re"].into_iter().any(ends) || language != "nl" && ends("'s")
    })
}

/// A word with it is an address.
const ADDRESS_MARK: &str = "://";

/// The one language of which most words are known, at least a third of them and so many.
fn language_by_words(text: &str, known_min: usize) -> Option<&'static str> {
    // "LA" is no article where not all is in capitals.
    let has_small = text.contains(char::is_lowercase);
    let is_abbreviation =
        |word: &str| has_small && word.len() > 1 && word.chars().all(char::is_uppercase);
    let has_addresses = text.contains(ADDRESS_MARK);
    let is_plain = |word: &&str| !has_addresses || !word.contains(ADDRESS_MARK);
    let plain = text.split_ascii_whitespace().filter(is_plain);
    let words = plain.flat_map(|word| word.split(|c: char| !c.is_alphabetic()));
    let words = words.filter(|word| !word.is_empty() && !is_abbreviation(word));
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let words = words.iter().map(|word| HashedWord::from(word.as_str()));
    language_of_words(words, known_min)
}

fn language_of_words<'a>(
    words: impl Iterator<Item = HashedWord<'a>>,
    known_min: usize,
) -> Option<&'static str> {
    let (mut count, mut scores) = (0, [0; LANGUAGES.len()]);
    for word in words {
        count += 1;
        let mut languages = LANGUAGES_OF.get(word).unwrap_or_default();
        while languages != 0 {
            scores[languages.trailing_zeros() as usize] += 1;
            languages &= languages - 1; // the lowest bit is done
        }
    }
    let most = scores.into_iter().max()?;
    let mut best = (0..scores.len()).filter(|at| scores[*at] == most);
    let (first, second) = (best.next()?, best.next());
    let is_known = most >= known_min && most * 3 >= count;
    (is_known && second.is_none()).then_some(LANGUAGES[first].tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with their languages.
    const TEXTS: [(&str, Option<&str>); 14] = [
        (
            "Alles klar, ich erinnere dich morgen um acht Uhr daran, Mama anzurufen.",
            Some("de"),
        ),
        (
            "¡Listo! Te recordaré mañana a las ocho que llames a tu madre.",
            Some("es"),
        ),
        (
            "C'est noté, je te rappellerai demain à huit heures d'appeler ta mère.",
            Some("fr"),
        ),
        (
            "Fatto! Ti ricorderò domani alle otto di chiamare la mamma.",
            Some("it"),
        ),
        (
            "Klaar, ik herinner je er morgen om acht uur aan om je moeder te bellen.",
            Some("nl"),
        ),
        (
            "Feito! Amanhã às oito horas vou lembrar você de ligar para a sua mãe.",
            Some("pt"),
        ),
        (
            "Klart, jag påminner dig i morgon klockan åtta om att ringa mamma.",
            Some("sv"),
        ),
        (
            "Done! I'll remind you tomorrow at eight to call your mother.",
            Some("en"),
        ),
        ("Удалено! Я больше не помню номер твоего паспорта.", None),
        ("わかりました。明日の8時にお知らせします。", None),
        ("", None),
        ("ok", None),
        ("12:30 ✅", None),
        ("https://example.com", None),
    ];

    /// Texts of a few words, as models write them, with their languages.
    const SHORT_TEXTS: [(&str, Option<&str>); 54] = [
        ("Alles klar!", Some("de")),
        ("vergiss es", Some("de")),
        ("hallo wie gehts", Some("de")),
        ("nenn mir drei Städte", Some("de")),
        ("Beide Erinnerungen stehen.", Some("de")),
        ("Erledigt.", Some("de")),
        ("Ist notiert.", Some("de")),
        ("Gerne, mache ich.", Some("de")),
        ("Milch ist auf der Liste.", Some("de")),
        ("Ich erinnere dich um 9.", Some("de")),
        ("C'est fait.", Some("fr")),
        ("D'accord !", Some("fr")),
        ("C'est noté, merci.", Some("fr")),
        ("Je m'en occupe.", Some("fr")),
        ("Le lait est sur ta liste.", Some("fr")),
        ("Gedaan!", Some("nl")),
        ("Ik zet het erop.", Some("nl")),
        ("Komt goed.", Some("nl")),
        ("Melk staat op je lijst.", Some("nl")),
        ("Ik herinner je eraan.", Some("nl")),
        ("Hecho.", Some("es")),
        ("Claro, te lo recuerdo.", Some("es")),
        ("Fatto!", Some("it")),
        ("Certo, te lo ricordo.", Some("it")),
        ("Pronto, está feito.", Some("pt")),
        ("Não se esqueça disso.", Some("pt")),
        ("Klart, det är gjort.", Some("sv")),
        ("Jag påminner dig.", Some("sv")),
        ("Done!", Some("en")),
        ("I set it for 9.", Some("en")),
        ("Sure, will do.", Some("en")),
        // As people type, without accents.
        ("recuerdame manana a las 9 llamar a Bo", Some("es")),
        ("me lembra amanha de correr", Some("pt")),
        ("ricordami domani di correre", Some("it")),
        // As people ask for things.
        ("añade leche", Some("es")),
        ("gasté 40 en zapatos", Some("es")),
        ("apunta: PIN 4471", Some("es")),
        ("pon pan en la lista", Some("es")),
        ("¿cuánto gasté este mes?", Some("es")),
        ("ajoute du lait", Some("fr")),
        ("décale à 19h", Some("fr")),
        ("aggiungi latte", Some("it")),
        ("svegliami alle 7", Some("it")),
        ("metti pane sulla lista", Some("it")),
        ("adiciona leite", Some("pt")),
        ("40 Euro für Schuhe ausgegeben", Some("de")),
        ("grüße", Some("de")),
        ("spåra", Some("sv")),
        ("add jalapeños to it", Some("en")),
        ("Milk added", None),
        ("Rom", None),
        ("Juno 9:30", None),
        ("Gotowe, przypomnę jutro.", None),
        ("Hotovo, připomenu zítra.", None),
    ];

    #[test]
    fn the_language_of_a_few_words_is_known() {
        let found = SHORT_TEXTS.map(|(text, _)| (text, language_of(text)));
        assert_eq!(found, SHORT_TEXTS);
    }

    #[test]
    fn texts_of_other_scripts_are_in_no_such_language() {
        for text in ["", "ok 9:30", "às três, añade", "Größe"] {
            assert!(may_have_sentences(text), "{text}");
        }
        for text in ["да, 9:30", "わかりました", "Zażółć", "ok 👍 Готово"] {
            assert!(!may_have_sentences(text), "{text}");
        }
    }

    #[test]
    fn a_foreign_language_is_known_by_its_words() {
        for (text, language) in [
            ("erinnere mich um 15 uhr an museum", Some("de")),
            ("erinnere mich morgen an den Zahnarzt", Some("de")),
            ("rappelle-moi demain à 9 heures", Some("fr")),
            ("tengo que llamar a mi madre mañana", Some("es")),
            ("our door code is 4321", None),
            ("my car is in b3", None),
            ("so die was an am in", None),
            ("remind me at 3 to call", None),
            ("bo is at the gym", None),
            ("pasta al dente", None),
            ("danke", None),
            ("museum on die street", None),
            ("i am in love", None),
        ] {
            assert_eq!(
                foreign_language_of(text, &Words::new(text)),
                language,
                "{text}"
            );
        }
    }

    #[test]
    fn the_language_of_a_text_is_known() {
        for (text, language) in TEXTS {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
