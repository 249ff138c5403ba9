//! The language of a text, for a sentence that is added to it.

use std::sync::LazyLock;

use whatlang::{Detector, Lang};

use crate::assistant::text::word_set::{HashedWord, WordMap};
use crate::assistant::text::words::Words;

/// Characters of a text that are looked at.
const CHARS_MAX: usize = 1_000;
/// The languages that have such sentences.
const LANGUAGES: [Lang; 8] = [
    Lang::Eng,
    Lang::Deu,
    Lang::Spa,
    Lang::Fra,
    Lang::Ita,
    Lang::Nld,
    Lang::Por,
    Lang::Swe,
];

/// Frequent words of each language, for texts that are too short for their letters to tell.
const FREQUENT_WORDS: [(&str, &str); 8] = [
    (
        "en",
        "about add all am an and any are at be been call can cancel could cut did do does \
         doing don done for forgotten from get glad good got great had happy has have hello \
         he her here hi his hour hours how i if in is it its know let ll made me min minutes more my not of okay \
         on or our please re remember remembered remind reminder reminders sent set show \
         sorry sure tell thank thanks that the then there they this to today tomorrow up ve \
         was we what when where which will with would yes yet you your told called need no she him anymore",
    ),
    (
        "de",
        "aber alle alles als am an auch auf bei bin bis bist bitte da danke dann das dass \
         dein deine dem den der des dich die dir doch drei du ein eine einen einer er erinnere \
         erinnerung erinnerungen erledigt es fertig für ganz gehts gemacht gern gerne gesendet gestrichen gut \
         guten hab habe hallo hast hat heute hier ich ihm ihn ihr im immer ist ja jetzt kann \
         kannst kein keine keinen klar los mach mache machen mal mehr mein meine mich mir mit \
         morgen nach natürlich nein nenn nicht nichts noch notiert nur ob oder schon schön sehr \
         sich sie sind soll steht stehen tut uhr um und uns vergessen vergiss verstanden viel von vor wann was weil wenn wer \
         werde wie wieder wir wird wo wurde zu zum zur zwei über",
    ),
    (
        "es",
        "ahora al algo anota asi así avisame avísame bien buenas buenos claro como con cuando de del desde dicho día \
         días el ella en entendido eres es esa ese eso esta este esto estoy está estás fue \
         gracias ha hace haré has hasta hay he hecho hola hoy la las le les listo llamar lo los \
         luego manana mañana me mi mucho muy más nada ni no nos o para perfecto pero por porque \
         puedo pues que quieres qué recordaré recuerda recuerdame recuérdame recuerdo se si sin sobre son soy su supuesto sí \
         tarde te tengo tiene tienes todo tu un una ya yo",
    ),
    (
        "fr",
        "accord ai aller alors appeler après as au aucun aujourd aussi aux avec avez bien \
         bonjour bonne bonsoir c ce cela ces cette comme d daccord dans de demain des dois du \
         elle en entendu envoyé es est et faire fait faut heure heures hui il ils j jamais je \
         jour l la le les leur lui m ma mais me merci mes moi mon n ne non nos noté nous on \
         ont ou oui où par parfait pas peu peux plus pour qu quand que quel quelle qui quoi \
         rappel rappelle rappellerai rien s sa sans se ses si soir son sont suis sur t ta te \
         tes toi ton toujours tous tout très tu un une vais voilà votre vous y à ça été êtes \
         être",
    ),
    (
        "it",
        "abbiamo adesso ai al alla alle allora anche ancora appena bene buona buongiorno c \
         capito certo che chi ci ciao come con cosa così da dal dalla dei del della di domani \
         dopo dove e era essere fa fare fatto fra già gli grazie ha hai ho i il in inviato io \
         la le lo loro ma me mi mia mio molto ne nel nella nessun niente no noi non nulla o \
         oggi ora ore per perché perfetto piu più poi prima puoi qualcosa quando quello questa \
         questo qui ricorda ricordami ricorderò ricordo sarà se sei si sono sta sto su sul sì te ti tu \
         tua tuo tutto un una uno va vado è",
    ),
    (
        "nl",
        "aan af al alles als altijd bedankt ben bent bij binnen dag dan dank dat de deze die \
         dit doe doen door dus echt een en er ga gaat gedaan geen genoteerd goed goede graag \
         haar had hallo heb hebben hebt heeft hem herinner herinnering het hier hij hoe hoi \
         ik in is ja je jij jou jouw kan klaar komt kun kunt maar mag me mee meer met mij \
         mijn moet morgen na naar nee niet niets nog nu of oké om onze ook op over prima snap \
         staat te toch tot tussen u uit uur van vanavond vandaag veel verstuurd voor waar \
         waren was wat we weer weet wel wie wij wil wordt zal ze zeker zich zijn zo zonder",
    ),
    (
        "pt",
        "agora amanha amanhã ao aos as assim até bem boa bom certo claro com como da das de depois \
         dia disso do dos e ela ele em entendi entendido então enviado era essa esse estou \
         está eu feito fiz foi hoje horas há isso já lembra lembrar lembrarei lembre lembrete lhe ligar \
         mais mas me mesmo meu minha muito na nada nao nas nem no nos nossa não o obrigada \
         obrigado olá os ou para pela pelo perfeito pode por porque posso pronto quando que \
         quem se sem ser seu sim sou sua são também te tem tenho tudo tá um uma vai vamos \
         você vou à às é",
    ),
    (
        "sv",
        "aldrig alla allt alltid antecknat att av bara bra dag de dem den denna det dig din \
         ditt du där efter eftersom eller en ett fick finns fixat från för gjorde gjort god \
         gör ha han har hej hon honom hur här i idag igen ikväll imorgon inga ingen inget \
         inte ja jag kan klar klart klockan kommer kunde lite man med men mer mig min mitt \
         mycket måste nej ni nu när någon något och ocksá också om oss på påminnelse påminner \
         redan ringa sedan sen ser sig sin ska skickat skulle som så tack till tills ut utan \
         vad var vara vem vet vi vid vill än är över",
    ),
];

/// A bit for each language of which a word is frequent, in their order above.
static LANGUAGES_OF: LazyLock<WordMap<u8>> = LazyLock::new(|| {
    let each = FREQUENT_WORDS.iter().enumerate();
    let words = each.flat_map(|(at, (_, words))| words.split(' ').map(move |word| (word, 1 << at)));
    WordMap::merged(words, |one, other| one | other)
});

/// The entry of a table of texts for a language, by the first part of its BCP 47 tag. `None` without
/// a tag, and for languages that are not in the table.
pub(super) fn entry<'t, T>(
    table: &'t [T],
    language_of: impl Fn(&T) -> &'static str,
    tag: Option<&str>,
) -> Option<&'t T> {
    let primary = tag?.split(['-', '_']).next()?;
    let mut entries = table.iter();
    entries.find(|one| language_of(one).eq_ignore_ascii_case(primary))
}

/// Letters of other languages, as Polish, Czech and Turkish, that none of those with sentences has.
const OTHER_LETTERS: [char; 16] = [
    'ę', 'ł', 'ś', 'ż', 'ź', 'ć', 'ń', 'ą', 'ř', 'ě', 'ů', 'ğ', 'ş', 'ı', 'ő', 'ű',
];

/// The language of a text, as a tag of BCP 47. `None`: it is none of those that have sentences, or
/// the text doesn't tell.
pub fn language_of(text: &str) -> Option<&'static str> {
    let beginning = beginning(text);
    let found = Detector::with_allowlist(LANGUAGES.to_vec()).detect(beginning)?;
    let tag = match found.lang() {
        Lang::Eng => "en",
        Lang::Deu => "de",
        Lang::Spa => "es",
        Lang::Fra => "fr",
        Lang::Ita => "it",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Swe => "sv",
        // Some scripts name one language, whatever is asked for.
        _ => return None,
    };
    match found.is_reliable() {
        true => Some(tag),
        false if beginning.contains(OTHER_LETTERS) => None,
        false => language_by_words(beginning, 1),
    }
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
    let text = text.to_lowercase();
    let has_addresses = text.contains(ADDRESS_MARK);
    let is_plain = |word: &&str| !has_addresses || !word.contains(ADDRESS_MARK);
    let plain = text.split_ascii_whitespace().filter(is_plain);
    let words = plain.flat_map(|word| word.split(|c: char| !c.is_alphabetic()));
    let words = words.filter(|word| !word.is_empty());
    language_of_words(words.map(HashedWord::from), known_min)
}

fn language_of_words<'a>(
    words: impl Iterator<Item = HashedWord<'a>>,
    known_min: usize,
) -> Option<&'static str> {
    let (mut count, mut scores) = (0, [0; FREQUENT_WORDS.len()]);
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
    (is_known && second.is_none()).then_some(FREQUENT_WORDS[first].0)
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
    const SHORT_TEXTS: [(&str, Option<&str>); 39] = [
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
