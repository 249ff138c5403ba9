//! Wording for replies that could not be made, in the person's language where it is known and
//! stands in the table. It never mentions the cause, which is logged.

/// The sentences of one language; `{}` is filled in.
struct Sentences {
    /// Primary subtag of BCP 47.
    language: &'static str,
    apology: &'static str,
    refused: &'static str,
    overloaded: &'static str,
    without_model: &'static str,
    cut_short: &'static str,
    called_elsewhere: &'static str,
    nothing_done: &'static str,
}

const ENGLISH: Sentences = Sentences {
    language: "en",
    apology: "Sorry, {} can't find the words right now. Please try again in a moment.",
    refused: "That's something {} would rather not answer. Is there anything else?",
    overloaded: "{} is talking with a lot of people right now. Please try again in a minute.",
    without_model: "(The language model did not answer, so this is from the basic assistant.)",
    cut_short: "(That was too long for this chat; this is its beginning.)",
    called_elsewhere: "Before that I had already called {}; what was done there stays done.",
    nothing_done: "(Nothing was set, noted or changed for this message.)",
};

const OTHERS: [Sentences; 7] = [
    Sentences {
        language: "de",
        apology: "Entschuldigung, {} findet gerade nicht die richtigen Worte. Bitte versuche es gleich noch einmal.",
        refused: "Darauf möchte {} lieber nicht antworten. Gibt es noch etwas anderes?",
        overloaded: "{} spricht gerade mit sehr vielen Leuten. Bitte versuche es in einer Minute noch einmal.",
        without_model: "(Das Sprachmodell hat nicht geantwortet; das hier ist vom einfachen Assistenten.)",
        cut_short: "(Das war zu lang für diesen Chat; das ist der Anfang.)",
        called_elsewhere: "Davor hatte ich schon {} aufgerufen; was dort geschehen ist, bleibt.",
        nothing_done: "(Für diese Nachricht wurde nichts eingestellt, notiert oder geändert.)",
    },
    Sentences {
        language: "es",
        apology: "Lo siento, {} no encuentra las palabras ahora mismo. Inténtalo de nuevo en un momento, por favor.",
        refused: "{} prefiere no responder a eso. ¿Hay algo más?",
        overloaded: "{} está hablando con mucha gente ahora mismo. Inténtalo de nuevo en un minuto, por favor.",
        without_model: "(El modelo de lenguaje no respondió; esto es del asistente básico.)",
        cut_short: "(Era demasiado largo para este chat; este es el principio.)",
        called_elsewhere: "Antes de eso ya había llamado a {}; lo que se hizo allí queda hecho.",
        nothing_done: "(Para este mensaje no se ha programado, anotado ni cambiado nada.)",
    },
    Sentences {
        language: "fr",
        apology: "Pardon, {} ne trouve pas ses mots pour l'instant. Réessaie dans un moment, s'il te plaît.",
        refused: "{} préfère ne pas répondre à cela. Y a-t-il autre chose ?",
        overloaded: "{} parle avec beaucoup de monde en ce moment. Réessaie dans une minute, s'il te plaît.",
        without_model: "(Le modèle de langage n'a pas répondu ; ceci vient de l'assistant de base.)",
        cut_short: "(C'était trop long pour cette conversation ; en voici le début.)",
        called_elsewhere: "Avant cela, j'avais déjà appelé {} ; ce qui y a été fait reste fait.",
        nothing_done: "(Rien n'a été programmé, noté ni modifié pour ce message.)",
    },
    Sentences {
        language: "it",
        apology: "Mi dispiace, {} non trova le parole in questo momento. Riprova tra poco, per favore.",
        refused: "{} preferisce non rispondere a questo. C'è altro?",
        overloaded: "{} sta parlando con molte persone in questo momento. Riprova tra un minuto, per favore.",
        without_model: "(Il modello linguistico non ha risposto; questo viene dall'assistente di base.)",
        cut_short: "(Era troppo lungo per questa chat; questo è l'inizio.)",
        called_elsewhere: "Prima avevo già chiamato {}; ciò che è stato fatto lì resta fatto.",
        nothing_done: "(Per questo messaggio non è stato impostato, annotato né cambiato nulla.)",
    },
    Sentences {
        language: "nl",
        apology: "Sorry, {} kan even de juiste woorden niet vinden. Probeer het over een ogenblik nog eens.",
        refused: "Daar geeft {} liever geen antwoord op. Is er nog iets anders?",
        overloaded: "{} praat op dit moment met heel veel mensen. Probeer het over een minuut nog eens.",
        without_model: "(Het taalmodel gaf geen antwoord; dit komt van de eenvoudige assistent.)",
        cut_short: "(Dat was te lang voor deze chat; dit is het begin.)",
        called_elsewhere: "Daarvoor had ik {} al aangeroepen; wat daar gedaan is, blijft gedaan.",
        nothing_done: "(Voor dit bericht is niets ingesteld, genoteerd of gewijzigd.)",
    },
    Sentences {
        language: "pt",
        apology: "Desculpe, {} não encontra as palavras agora. Tente novamente daqui a pouco, por favor.",
        refused: "{} prefere não responder a isso. Há mais alguma coisa?",
        overloaded: "{} está falando com muita gente agora. Tente novamente em um minuto, por favor.",
        without_model: "(O modelo de linguagem não respondeu; isto é do assistente básico.)",
        cut_short: "(Era longo demais para este chat; este é o começo.)",
        called_elsewhere: "Antes disso eu já tinha chamado {}; o que foi feito lá continua feito.",
        nothing_done: "(Nada foi programado, anotado nem alterado para esta mensagem.)",
    },
    Sentences {
        language: "sv",
        apology: "Förlåt, {} hittar inte orden just nu. Försök igen om en stund.",
        refused: "Det vill {} helst inte svara på. Är det något annat?",
        overloaded: "{} pratar med väldigt många just nu. Försök igen om en minut.",
        without_model: "(Språkmodellen svarade inte; det här kommer från den enkla assistenten.)",
        cut_short: "(Det var för långt för den här chatten; det här är början.)",
        called_elsewhere: "Innan dess hade jag redan anropat {}; det som gjordes där är gjort.",
        nothing_done: "(Inget har ställts in, antecknats eller ändrats för det här meddelandet.)",
    },
];

/// `language`: a BCP 47 tag; English for languages that are not in the table.
fn sentences(language: Option<&str>) -> &'static Sentences {
    let primary = language.and_then(|tag| tag.split(['-', '_']).next());
    let mut others = OTHERS.iter();
    let found =
        primary.and_then(|primary| others.find(|one| one.language.eq_ignore_ascii_case(primary)));
    found.unwrap_or(&ENGLISH)
}

/// Why there is no reply, as the apology puts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Apology {
    /// A language model failed, or took too long.
    NoWords,
    /// A language model refused to answer.
    Refused,
    /// Too many replies are pending.
    Overloaded,
}

pub fn apology(why: Apology, persona: &str, language: Option<&str>) -> String {
    let sentences = sentences(language);
    let sentence = match why {
        Apology::NoWords => sentences.apology,
        Apology::Refused => sentences.refused,
        Apology::Overloaded => sentences.overloaded,
    };
    sentence.replace("{}", persona)
}

/// After an apology, where other servers were asked to do something before.
pub fn called_elsewhere(tools: &[&str], language: Option<&str>) -> String {
    let sentence = sentences(language).called_elsewhere;
    sentence.replace("{}", &tools.join(", "))
}

/// After what the builtin assistant did in a language model's place.
pub fn without_model(language: Option<&str>) -> &'static str {
    sentences(language).without_model
}

/// After what a language model said of a request for which it did nothing.
pub fn nothing_done(language: Option<&str>) -> &'static str {
    sentences(language).nothing_done
}

/// After the beginning of a reply that is longer than a chat takes.
pub fn cut_short(language: Option<&str>) -> &'static str {
    sentences(language).cut_short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apologies_are_in_the_language_of_the_person() {
        for (language, part) in [
            (None, "Sorry, Juno can't"),
            (Some("en-GB"), "Sorry, Juno can't"),
            (Some("xx"), "Sorry, Juno can't"),
            (Some(""), "Sorry, Juno can't"),
            (Some("de"), "Juno findet"),
            (Some("DE-at"), "Juno findet"),
            (Some("pt_BR"), "Juno não encontra"),
        ] {
            let reply = apology(Apology::NoWords, "Juno", language);
            assert!(reply.contains(part), "{language:?}: {reply}");
        }
        for one in OTHERS.iter().chain([&ENGLISH]) {
            for with_name in [
                one.apology, one.refused, one.overloaded, one.called_elsewhere,
            ] {
                assert_eq!(with_name.matches("{}").count(), 1, "{with_name}");
            }
            for alone in [one.without_model, one.cut_short, one.nothing_done] {
                assert!(alone.starts_with('(') && alone.ends_with(')'), "{alone}");
            }
        }
    }
}
