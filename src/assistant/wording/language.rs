//! The language of a text, for a sentence that is added to it.

use whatlang::{Detector, Lang};

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

/// The language of a text, as a tag of BCP 47. `None`: it is none of those that have sentences, or
/// the text is too short to tell.
pub fn language_of(text: &str) -> Option<&'static str> {
    let beginning: String = text.chars().take(CHARS_MAX).collect();
    let found = Detector::with_allowlist(LANGUAGES.to_vec()).detect(&beginning)?;
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
    found.is_reliable().then_some(tag)
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

    #[test]
    fn the_language_of_a_text_is_known() {
        for (text, language) in TEXTS {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
