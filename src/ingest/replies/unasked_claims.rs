//! Replies that claim a change for which nothing was called, where the builtin assistant does not
//! understand the message: in other languages, and in words that it doesn't know. A claim is a
//! promise to remind, or, after a request by its words, an answer that begins with "done". By words,
//! as no tool tells.

use super::model_turn::{CallTotals, ModelTurn};
use super::statements::{clauses, sentences};
use crate::assistant::wording::NamedTimes;
use crate::clock::Zone;

/// Promises to remind, in lower case: all parts of one stand in a clause, in that order.
#[rustfmt::skip]
const PROMISES: [&[&str]; 78] = [
    &["i'll remind you"], &["i will remind you"], &["i'm going to remind you"],
    &["set a reminder"], &["set your reminder"], &["scheduled a reminder"],
    &["reminder is set"], &["reminder's set"], &["reminder has been set"], &["i'll wake you"],
    &["ich erinnere dich"], &["ich erinnere sie"], &["erinnere ich dich"], &["erinnere ich sie"],
    &["werde dich", "erinnern"], &["werde ich dich", "erinnern"], &["werde sie", "erinnern"],
    &["ich wecke dich"], &["erinnerung", "gestellt"], &["erinnerung", "eingestellt"],
    &["erinnerung", "eingerichtet"], &["erinnerung", "gesetzt"], &["erinnerung", "erstellt"],
    &["te recordaré"], &["te lo recordaré"], &["se lo recordaré"], &["le recordaré"],
    &["voy a recordarte"], &["te voy a recordar"], &["te avisaré"], &["recordatorio", "programado"],
    &["recordatorio", "creado"], &["recordatorio", "puesto"], &["programado un recordatorio"],
    &["puesto un recordatorio"], &["creado un recordatorio"],
    &["je te rappellerai"], &["je te le rappellerai"], &["je vous rappellerai"],
    &["je vous le rappellerai"], &["je vais te rappeler"], &["je vais te le rappeler"],
    &["je te le rappelle"], &["je te préviendrai"], &["rappel", "programmé"], &["rappel", "créé"],
    &["rappel", "enregistré"],
    &["ti ricorderò"], &["te lo ricorderò"], &["ve lo ricorderò"], &["ti avviserò"],
    &["promemoria", "impostato"], &["promemoria", "creato"], &["impostato", "promemoria"],
    &["ik herinner je"], &["ik herinner u"], &["herinner ik je"], &["zal je", "herinneren"],
    &["herinnering", "ingesteld"], &["herinnering", "gezet"], &["herinnering", "gepland"],
    &["vou te lembrar"], &["vou lembrar você"], &["vou lembrar-te"], &["te lembrarei"],
    &["lembrarei você"], &["eu te lembro"], &["lembrete", "criado"], &["lembrete", "definido"],
    &["lembrete", "agendado"], &["lembrete", "programado"],
    &["jag påminner dig"], &["påminner jag dig"], &["ska", "påminna dig"],
    &["kommer att påminna dig"], &["påminnelse", "inställd"], &["påminnelsen", "inställd"],
    &["påminnelse", "skapad"],
];
/// Such words in a clause with a promise: it is an offer, a condition or a denial, or tells
/// something.
const NO_PROMISES: [&str; 52] = [
    "can", "could", "can't", "not", "would", "shall", "should", "if", "never", "kann", "könnte",
    "soll", "sollte", "würde", "nicht", "keine", "falls", "wenn", "puedo", "podría", "quieres",
    "no", "si", "nunca", "peux", "pourrais", "veux", "pas", "que", "posso", "potrei", "vuoi",
    "non", "se", "che", "kan", "zou", "wil", "niet", "geen", "als", "poderia", "quer", "não",
    "vill", "inte", "skulle", "ingen", "att", "hätte", "ai", "aucun",
];
/// Words of a condition that count anywhere in their sentence.
const CONDITIONS: [&str; 32] = [
    " if you", "if you ", "tell me", "let me know", "just say", "once you", "wenn du", "wenn sie",
    "falls du", "sobald du", "sag mir", "si me", "si quieres", "en cuanto me", "dime", "si tu",
    "si vous", "dès que tu", "dis-moi", "dites-moi", "se vuoi", "se mi", "dimmi", "appena mi",
    "als je", "zodra je", "zeg me", "se você", "se me", "diga", "om du", "säg ",
];
/// Whole first clauses of answers that say that something was done.
#[rustfmt::skip]
const DONE: [&str; 72] = [
    "erledigt", "ist erledigt", "schon erledigt", "notiert", "ist notiert", "hab ich notiert",
    "gemerkt", "gespeichert", "ist gespeichert", "hinzugefügt", "eingetragen", "ist eingetragen",
    "gelöscht", "ist gelöscht", "gestellt", "ist gestellt", "eingestellt", "ist eingestellt",
    "gemacht", "wird gemacht", "abgesagt",
    "listo", "ya está", "hecho", "anotado", "apuntado", "guardado", "añadido", "agregado", "borrado",
    "eliminado", "cancelado", "programado",
    "c'est fait", "fait", "c'est noté", "noté", "ajouté", "c'est ajouté", "enregistré",
    "c'est enregistré", "supprimé", "annulé",
    "fatto", "annotato", "segnato", "salvato", "aggiunto", "cancellato", "eliminato",
    "gedaan", "klaar", "genoteerd", "geregeld", "toegevoegd", "verwijderd", "ingesteld",
    "opgeslagen",
    "feito", "pronto", "salvo", "adicionado", "apagado",
    "klart", "det är klart", "fixat", "gjort", "det är gjort", "noterat", "antecknat", "sparat",
    "tillagt",
];
/// Beginnings of words with which something is asked for.
#[rustfmt::skip]
const ASKING: [&str; 82] = [
    "erinner", "merk", "vergiss", "lösch", "streich", "notier", "trag", "füge", "setz", "stell",
    "weck", "schreib", "verschieb", "änder", "sag",
    "recuérda", "recuerda", "acuérda", "anota", "apunta", "añad", "agrega", "borra", "olvida",
    "cancela", "quita", "avisa", "avísa", "despiérta", "ponme", "programa", "cambia",
    "rappel", "souviens", "note", "ajoute", "supprim", "efface", "oublie", "annule", "réveill",
    "préviens", "mets", "chang",
    "ricorda", "annota", "segna", "aggiungi", "cancella", "elimina", "dimentica", "annulla",
    "avvisa", "sveglia", "metti", "imposta",
    "herinner", "onthoud", "noteer", "voeg", "verwijder", "vergeet", "annuleer", "waarschuw",
    "verzet", "zet",
    "lembr", "adicion", "acrescent", "apag", "esquec", "esqueç", "acord", "coloqu",
    "påminn", "anteckna", "lägg", "glöm", "avboka", "väck", "sätt", "ställ",
];

impl ModelTurn<'_> {
    /// The reply says that something was set or changed, and nothing was.
    pub(super) fn claims_unasked(&self, text: &str, totals: &CallTotals) -> bool {
        let may_act = !self.plan.tools.is_empty() || self.plan.lacks_tools;
        if !may_act || self.pending.unprompted || self.may_be_done(totals) {
            return false;
        }
        let asked = &self.context.message.text;
        promises(text) && !self.tells_of_open(text) || is_request(asked) && says_done(text)
    }

    /// It may tell of a reminder that is open: the message asks for none, or it names their time.
    fn tells_of_open(&self, text: &str) -> bool {
        let dialog = &self.context.dialog;
        if dialog.open.is_empty() {
            return false;
        }
        let zone = self.context.user.timezone.unwrap_or(Zone::UTC);
        let named = self.times_in(text);
        let mut open = NamedTimes::default();
        for reminder in &dialog.open {
            let at = reminder.send_at.utc().with_timezone(&zone);
            open.add(self.times_in(&at.format("%Y-%m-%dT%H:%M").to_string()));
        }
        let is_of_open = named.names_hour() && !named.has_other_hour(&open);
        let asked = &self.context.message.text;
        is_of_open || self.plan.request.is_none() && (asked.contains('?') || !is_request(asked))
    }
}

/// Whether a text promises to remind.
fn promises(text: &str) -> bool {
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
    if NO_PROMISES.iter().any(|word| is_word(word)) {
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

/// Whether a text begins with "done".
fn says_done(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = sentences(text).into_iter().next();
    let first = first.filter(|first| !first.is_question);
    let clause = first.and_then(|first| clauses(first.text).into_iter().next());
    clause.is_some_and(|clause| {
        let is_mark = |c: char| !c.is_alphanumeric();
        DONE.contains(&clause.trim_matches(is_mark))
    })
}

/// Whether a message asks for something by its words.
fn is_request(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphabetic());
    words.any(|word| ASKING.iter().any(|beginning| word.starts_with(beginning)))
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
            "Pronto!",
        ] {
            assert!(says_done(text), "{text}");
        }
        for text in [
            "Listo para salir.", "Erledigt?", "Hier ist das Rezept.", "Klart vatten är gott.", "",
        ] {
            assert!(!says_done(text), "{text}");
        }
        assert!(is_request("bitte füge Milch hinzu"));
        assert!(!is_request("wie wird das Wetter?"));
    }
}
