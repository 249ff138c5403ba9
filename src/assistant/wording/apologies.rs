//! Wording for replies that could not be made, in the person's language where it is known and
//! stands in the table. It never mentions the cause, which is logged.

use super::calendar;
use super::language::entry;
use crate::clock::{Timestamp, Zone};

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
    not_done: &'static str,
    not_all_done: &'static str,
    not_known: &'static str,
    nothing_sent: &'static str,
    account_stays: &'static str,
    no_export: &'static str,
    what_is_set: &'static str,
    what_was_done: &'static str,
    times_in_utc: &'static str,
    cancelled: &'static str,
    forgotten: &'static str,
    unseen_photos: &'static str,
    message_cut: &'static str,
    english_only: &'static str,
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
    not_done: "(This was not done: {}.)",
    not_all_done: "(Not all of this was done.)",
    not_known: "(It is not known whether this was done; please look there.)",
    nothing_sent: "(Nothing was sent to your own chat for this message.)",
    account_stays: "(Your account is not deleted. Ask whoever runs this service, or sign in and send POST /account/deletion with the confirmation “DELETE MY ACCOUNT”; 30 days later everything is deleted for good.)",
    no_export: "(No data was exported. Ask whoever runs this service, or sign in and send POST /account/export.)",
    what_is_set: "(What is set: {}.)",
    what_was_done: "(What was done: {}.)",
    times_in_utc: "(Times are in UTC: your time zone is not known yet.)",
    cancelled: "“{}”, cancelled",
    forgotten: "“{}”, forgotten",
    unseen_photos: "(Photos of this message that were not looked at: {}.)",
    message_cut: "(Your message was too long to be read as a whole; I read its beginning and its end.)",
    english_only: "Without a language model I understand only English, so I've done nothing. For example: “remind me at 15:00 to …”. Whoever runs me can connect a language model.",
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
        not_done: "(Das wurde nicht gemacht: {}.)",
        not_all_done: "(Nicht alles davon wurde gemacht.)",
        not_known: "(Ob das gemacht wurde, ist nicht bekannt; bitte sieh dort nach.)",
        nothing_sent: "(In deinen eigenen Chat wurde für diese Nachricht nichts geschickt.)",
        account_stays: "(Dein Konto ist nicht gelöscht. Bitte den Betreiber dieses Dienstes darum, oder melde dich an und sende POST /account/deletion mit der Bestätigung „DELETE MY ACCOUNT“; 30 Tage später wird alles endgültig gelöscht.)",
        no_export: "(Es wurden keine Daten exportiert. Bitte den Betreiber dieses Dienstes darum, oder melde dich an und sende POST /account/export.)",
        what_is_set: "(Eingestellt ist: {}.)",
        what_was_done: "(Gemacht wurde: {}.)",
        times_in_utc: "(Uhrzeiten sind in UTC: deine Zeitzone ist noch nicht bekannt.)",
        cancelled: "„{}“, abgesagt",
        forgotten: "„{}“, vergessen",
        unseen_photos: "(Nicht angesehene Fotos dieser Nachricht: {}.)",
        message_cut: "(Deine Nachricht war zu lang, um sie ganz zu lesen; gelesen habe ich Anfang und Ende.)",
        english_only: "Ohne Sprachmodell verstehe ich nur Englisch, deshalb habe ich nichts getan. Zum Beispiel: “remind me at 15:00 to …”. Wer mich betreibt, kann ein Sprachmodell anschließen.",
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
        not_done: "(Esto no se ha hecho: {}.)",
        not_all_done: "(No se ha hecho todo.)",
        not_known: "(No se sabe si esto se ha hecho; míralo allí, por favor.)",
        nothing_sent: "(Para este mensaje no se ha enviado nada a tu propio chat.)",
        account_stays: "(Tu cuenta no está eliminada. Pídelo a quien administra este servicio, o inicia sesión y envía POST /account/deletion con la confirmación «DELETE MY ACCOUNT»; 30 días después se borra todo definitivamente.)",
        no_export: "(No se ha exportado ningún dato. Pídelos a quien administra este servicio, o inicia sesión y envía POST /account/export.)",
        what_is_set: "(Lo que está programado: {}.)",
        what_was_done: "(Lo que se ha hecho: {}.)",
        times_in_utc: "(Las horas están en UTC: aún no se conoce tu zona horaria.)",
        cancelled: "«{}», cancelado",
        forgotten: "«{}», olvidado",
        unseen_photos: "(Fotos de este mensaje que no se han mirado: {}.)",
        message_cut: "(Tu mensaje era demasiado largo para leerlo entero; he leído el principio y el final.)",
        english_only: "Sin un modelo de lenguaje solo entiendo inglés, así que no he hecho nada. Por ejemplo: “remind me at 15:00 to …”. Quien me administra puede conectar un modelo de lenguaje.",
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
        not_done: "(Ceci n'a pas été fait : {}.)",
        not_all_done: "(Tout n'a pas été fait.)",
        not_known: "(On ne sait pas si cela a été fait ; vérifie là-bas, s'il te plaît.)",
        nothing_sent: "(Rien n'a été envoyé dans ta propre conversation pour ce message.)",
        account_stays: "(Ton compte n'est pas supprimé. Demande à qui gère ce service, ou connecte-toi et envoie POST /account/deletion avec la confirmation « DELETE MY ACCOUNT » ; 30 jours plus tard, tout est effacé définitivement.)",
        no_export: "(Aucune donnée n'a été exportée. Demande-les à qui gère ce service, ou connecte-toi et envoie POST /account/export.)",
        what_is_set: "(Ce qui est programmé : {}.)",
        what_was_done: "(Ce qui a été fait : {}.)",
        times_in_utc: "(Les heures sont en UTC : ton fuseau horaire n'est pas encore connu.)",
        cancelled: "« {} », annulé",
        forgotten: "« {} », oublié",
        unseen_photos: "(Photos de ce message qui n'ont pas été regardées : {}.)",
        message_cut: "(Ton message était trop long pour être lu en entier ; j'en ai lu le début et la fin.)",
        english_only: "Sans modèle de langage, je ne comprends que l'anglais, je n'ai donc rien fait. Par exemple : “remind me at 15:00 to …”. Qui m'administre peut connecter un modèle de langage.",
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
        not_done: "(Questo non è stato fatto: {}.)",
        not_all_done: "(Non è stato fatto tutto.)",
        not_known: "(Non si sa se questo è stato fatto; controlla lì, per favore.)",
        nothing_sent: "(Per questo messaggio non è stato inviato nulla nella tua chat personale.)",
        account_stays: "(Il tuo account non è eliminato. Chiedilo a chi gestisce questo servizio, oppure accedi e invia POST /account/deletion con la conferma «DELETE MY ACCOUNT»; 30 giorni dopo tutto viene cancellato definitivamente.)",
        no_export: "(Nessun dato è stato esportato. Chiedili a chi gestisce questo servizio, oppure accedi e invia POST /account/export.)",
        what_is_set: "(Quello che è impostato: {}.)",
        what_was_done: "(Quello che è stato fatto: {}.)",
        times_in_utc: "(Gli orari sono in UTC: il tuo fuso orario non è ancora noto.)",
        cancelled: "«{}», annullato",
        forgotten: "«{}», dimenticato",
        unseen_photos: "(Foto di questo messaggio che non sono state guardate: {}.)",
        message_cut: "(Il tuo messaggio era troppo lungo per leggerlo tutto; ho letto l'inizio e la fine.)",
        english_only: "Senza un modello linguistico capisco solo l'inglese, quindi non ho fatto nulla. Per esempio: “remind me at 15:00 to …”. Chi mi gestisce può collegare un modello linguistico.",
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
        not_done: "(Dit is niet gedaan: {}.)",
        not_all_done: "(Niet alles hiervan is gedaan.)",
        not_known: "(Het is niet bekend of dit gedaan is; kijk het daar na.)",
        nothing_sent: "(Voor dit bericht is niets naar je eigen chat gestuurd.)",
        account_stays: "(Je account is niet verwijderd. Vraag het aan wie deze dienst beheert, of meld je aan en stuur POST /account/deletion met de bevestiging “DELETE MY ACCOUNT”; 30 dagen later wordt alles definitief gewist.)",
        no_export: "(Er zijn geen gegevens geëxporteerd. Vraag ze aan wie deze dienst beheert, of meld je aan en stuur POST /account/export.)",
        what_is_set: "(Dit is ingesteld: {}.)",
        what_was_done: "(Dit is gedaan: {}.)",
        times_in_utc: "(Tijden zijn in UTC: je tijdzone is nog niet bekend.)",
        cancelled: "“{}”, geannuleerd",
        forgotten: "“{}”, vergeten",
        unseen_photos: "(Foto's van dit bericht die niet bekeken zijn: {}.)",
        message_cut: "(Je bericht was te lang om helemaal te lezen; ik heb het begin en het einde gelezen.)",
        english_only: "Zonder taalmodel begrijp ik alleen Engels, dus ik heb niets gedaan. Bijvoorbeeld: “remind me at 15:00 to …”. Wie mij beheert, kan een taalmodel aansluiten.",
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
        not_done: "(Isto não foi feito: {}.)",
        not_all_done: "(Nem tudo isto foi feito.)",
        not_known: "(Não se sabe se isto foi feito; verifique lá, por favor.)",
        nothing_sent: "(Nada foi enviado para o teu próprio chat por esta mensagem.)",
        account_stays: "(A tua conta não foi eliminada. Pede-o a quem gere este serviço, ou inicia sessão e envia POST /account/deletion com a confirmação “DELETE MY ACCOUNT”; 30 dias depois tudo é apagado definitivamente.)",
        no_export: "(Nenhum dado foi exportado. Pede-os a quem gere este serviço, ou inicia sessão e envia POST /account/export.)",
        what_is_set: "(O que está programado: {}.)",
        what_was_done: "(O que foi feito: {}.)",
        times_in_utc: "(As horas estão em UTC: o teu fuso horário ainda não é conhecido.)",
        cancelled: "“{}”, cancelado",
        forgotten: "“{}”, esquecido",
        unseen_photos: "(Fotos desta mensagem que não foram vistas: {}.)",
        message_cut: "(A tua mensagem era longa demais para ler inteira; li o começo e o fim.)",
        english_only: "Sem um modelo de linguagem só entendo inglês, por isso não fiz nada. Por exemplo: “remind me at 15:00 to …”. Quem me administra pode conectar um modelo de linguagem.",
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
        not_done: "(Det här har inte gjorts: {}.)",
        not_all_done: "(Allt av det här har inte gjorts.)",
        not_known: "(Det är inte känt om det här har gjorts; titta efter där.)",
        nothing_sent: "(Inget har skickats till din egen chatt för det här meddelandet.)",
        account_stays: "(Ditt konto är inte raderat. Be den som driver tjänsten, eller logga in och skicka POST /account/deletion med bekräftelsen ”DELETE MY ACCOUNT”; 30 dagar senare raderas allt för gott.)",
        no_export: "(Inga data har exporterats. Be den som driver tjänsten, eller logga in och skicka POST /account/export.)",
        what_is_set: "(Det här är inställt: {}.)",
        what_was_done: "(Det här har gjorts: {}.)",
        times_in_utc: "(Tiderna är i UTC: din tidszon är inte känd än.)",
        cancelled: "”{}”, avbokad",
        forgotten: "”{}”, glömd",
        unseen_photos: "(Foton i det här meddelandet som inte har granskats: {}.)",
        message_cut: "(Ditt meddelande var för långt för att läsas helt; jag läste början och slutet.)",
        english_only: "Utan språkmodell förstår jag bara engelska, så jag har inte gjort något. Till exempel: “remind me at 15:00 to …”. Den som driver mig kan ansluta en språkmodell.",
    },
];

/// `language`: a BCP 47 tag; English for languages that are not in the table.
fn sentences(language: Option<&str>) -> &'static Sentences {
    entry(&OTHERS, |one| one.language, language).unwrap_or(&ENGLISH)
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

/// After what a language model said, where it tried to do these things and failed, and did others.
/// Without any: it is not known which.
pub fn not_done(things: &[String], language: Option<&str>) -> String {
    let sentences = sentences(language);
    match things {
        [] => sentences.not_all_done.to_owned(),
        _ => sentences.not_done.replace("{}", &things.join(", ")),
    }
}

/// After what a language model said of a call of another server's tool whose result never came.
pub fn not_known(language: Option<&str>) -> &'static str {
    sentences(language).not_known
}

/// In a group, after what a language model said of an answer in the person's own chat that it did
/// not send.
pub fn nothing_sent(language: Option<&str>) -> &'static str {
    sentences(language).nothing_sent
}

/// After what a language model said of the deletion of an account, where it did not say how.
pub fn account_stays(language: Option<&str>) -> &'static str {
    sentences(language).account_stays
}

/// The apology that a file of all data can't be made by a message.
pub fn no_export(language: Option<&str>) -> &'static str {
    sentences(language).no_export
}

/// The reminders that are set, each its text and its time, after or in place of what a language
/// model said of other times.
pub fn what_is_set(reminders: &[NextReminder], language: Option<&str>) -> String {
    let each = reminders.iter().map(|one| reminder_at(one, language));
    let all: Vec<String> = each.collect();
    sentences(language)
        .what_is_set
        .replace("{}", &all.join("; "))
}

/// After a language model told an hour to somebody whose zone is not known.
pub fn times_in_utc(language: Option<&str>) -> &'static str {
    sentences(language).times_in_utc
}

/// A reminder with its next time.
pub struct NextReminder<'r> {
    pub text: &'r str,
    pub at: Timestamp,
    pub zone: Zone,
    /// How often it comes, in English; only English sentences tell it.
    pub often: Option<&'r str>,
}

pub fn reminder_at(reminder: &NextReminder, language: Option<&str>) -> String {
    let time = calendar::date_and_time(reminder.at, reminder.zone, language);
    let is_english = sentences(language).language == ENGLISH.language;
    let often = reminder.often.filter(|_| is_english);
    let often = often.map_or_else(String::new, |often| format!(", {often}"));
    format!("“{}”, {time}{often}", reminder.text)
}

/// A reminder that was cancelled, by its text.
pub fn reminder_cancelled(text: &str, language: Option<&str>) -> String {
    sentences(language).cancelled.replace("{}", text)
}

/// A memory that was forgotten.
pub fn memory_forgotten(text: &str, language: Option<&str>) -> String {
    sentences(language).forgotten.replace("{}", text)
}

/// After what a language model said of something else: what its calls did, each in words.
pub fn what_was_done(things: &[String], language: Option<&str>) -> String {
    let sentence = sentences(language).what_was_done;
    sentence.replace("{}", &things.join("; "))
}

/// After what a language model said of other photos: the numbers of those that it did not see, in
/// their order.
pub fn unseen_photos(numbers: &[usize], language: Option<&str>) -> String {
    let spans = numbers.chunk_by(|one, next| one + 1 == *next);
    let each: Vec<String> = spans
        .map(|span| match span {
            [first, .., last] => format!("{first}–{last}"),
            _ => span.iter().map(usize::to_string).collect(),
        })
        .collect();
    sentences(language)
        .unseen_photos
        .replace("{}", &each.join(", "))
}

/// After what a language model said of a message of which it was shown only two parts.
pub fn message_cut(language: Option<&str>) -> &'static str {
    sentences(language).message_cut
}

/// For a message in a language that the builtin assistant doesn't read.
pub fn english_only(language: &str) -> &'static str {
    sentences(Some(language)).english_only
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
                one.apology, one.refused, one.overloaded, one.called_elsewhere, one.not_done,
                one.what_is_set, one.what_was_done, one.unseen_photos,
            ] {
                assert_eq!(with_name.matches("{}").count(), 1, "{with_name}");
            }
            for alone in [
                one.without_model, one.cut_short, one.nothing_done, one.not_done, one.not_all_done,
                one.not_known, one.message_cut, one.nothing_sent, one.account_stays, one.no_export,
                one.what_is_set, one.what_was_done, one.unseen_photos,
            ] {
                assert!(alone.starts_with('(') && alone.ends_with(')'), "{alone}");
            }
            assert!(one.account_stays.contains("POST /account/deletion"));
            assert!(one.account_stays.contains("DELETE MY ACCOUNT"));
            assert!(one.no_export.contains("POST /account/export"));
            assert!(one.english_only.contains("“remind me at 15:00 to …”"));
        }
    }
}
