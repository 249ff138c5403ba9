//! The texts in Italian.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "it",
    detected: Lang::Ita,
    frequent_words: "abbiamo adesso aggiungi ai al alla alle allora anche ancora appena bene buona buongiorno c \
                     capito certo che chi ci ciao come con cosa così da dal dalla dei del della di domani \
                     dopo dove e era essere fa fare fatto fra già gli grazie ha hai ho i il in inviato io \
                     la le lo loro ma me metti mi mia mio molto ne nel nella nessun niente no noi non nulla o \
                     oggi ora ore per perché perfetto piu più poi prima puoi qualcosa quando quello questa \
                     questo qui ricorda ricordami ricorderò ricordo sarà se sei si sono sta sto su sul sulla svegliami sì te ti tu \
                     tua tuo tutto un una uno va vado è",
    date: "{weekday} {day} {month} {year}",
    weekdays: "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    months: "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    reminder: "⏰ Promemoria: {}",
    late: "arriva in ritardo, era previsto: {}",
    missed: "era previsto {times} volte dall'ultimo, l'ultima: {}",
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
    answers: Some(CommandAnswers {
        named: "Sei {}.",
        unnamed: "Non so ancora come ti chiami.",
        subscribed: "Hai un abbonamento.",
        plan: "Hai un abbonamento ({}).",
        free: "Non hai un abbonamento.",
        kept: "Ecco cosa conservo per te: note: {}, promemoria: {reminders}.",
        zone: "Il tuo fuso orario è {}.",
        no_zone: "Non conosco il tuo fuso orario, quindi gli orari sono in UTC.",
        unlimited: "I tuoi messaggi sono illimitati.",
        used: "Oggi hai usato {} messaggi su {limit}; te ne restano {left} fino a mezzanotte UTC.",
        nothing_to_undo: "Non c'è nulla che possa annullare. Ciò che ho impostato, spostato o tolto si può annullare per 10 minuti.",
        undone_already: "Ho già annullato l'ultima modifica e non posso tornare più indietro. Non è cambiato nulla.",
        too_late: "Sono passati più di 10 minuti, quindi non posso più annullarlo. Non è cambiato nulla.",
        still_answering: "Sono ancora sul tuo ultimo messaggio. Di' «undo» quando avrò risposto.",
        back_again: "Va bene, ho annullato. Di nuovo qui:",
        cancelled: "Va bene, questi promemoria sono cancellati:",
        forgotten: "Va bene, ho dimenticato questo: {}",
    }),
};
