//! The texts in Dutch.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "nl",
    detected: Lang::Nld,
    frequent_words: "aan af al alles als altijd bedankt ben bent bij binnen dag dan dank dat de deze die \
                     dit doe doen door dus echt een en er ga gaat gedaan geen genoteerd goed goede graag \
                     haar had hallo heb hebben hebt heeft hem herinner herinnering het hier hij hoe hoi \
                     ik in is ja je jij jou jouw kan klaar komt kun kunt maar mag me mee meer met mij \
                     mijn moet morgen na naar nee niet niets nog nu of oké om onze ook op over prima snap \
                     staat te toch tot tussen u uit uur van vanavond vandaag veel verstuurd voor waar \
                     waren was wat we weer weet wel wie wij wil wordt zal ze zeker zich zijn zo zonder",
    date: "{weekday} {day} {month} {year}",
    weekdays: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    months: "januari februari maart april mei juni juli augustus september oktober november december",
    reminder: "⏰ Herinnering: {}",
    late: "dit komt te laat, het was gepland: {}",
    missed: "het was sinds de vorige {times} keer gepland, het laatst: {}",
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
    answers: Some(CommandAnswers {
        named: "Je bent {}.",
        unnamed: "Ik weet je naam nog niet.",
        subscribed: "Je hebt een abonnement.",
        plan: "Je hebt een abonnement ({}).",
        free: "Je hebt geen abonnement.",
        kept: "Dit bewaar ik voor je: notities: {}, herinneringen: {reminders}.",
        zone: "Je tijdzone is {}.",
        no_zone: "Je tijdzone is niet bekend, dus tijden zijn in UTC.",
        unlimited: "Je berichten zijn onbeperkt.",
        used: "Je hebt vandaag {} van de {limit} berichten gebruikt; tot middernacht UTC heb je er nog {left}.",
        nothing_to_undo: "Er is niets wat ik ongedaan kan maken. Wat ik heb ingesteld, verplaatst of weggehaald, kan 10 minuten lang ongedaan worden gemaakt.",
        undone_already: "De laatste wijziging heb ik al ongedaan gemaakt en verder terug kan ik niet. Er is niets veranderd.",
        too_late: "Dat is meer dan 10 minuten geleden, dus ik kan het niet meer ongedaan maken. Er is niets veranderd.",
        still_answering: "Ik ben nog met je laatste bericht bezig. Zeg “undo” als ik het beantwoord heb.",
        back_again: "Oké, dat heb ik ongedaan gemaakt. Weer terug:",
        cancelled: "Oké, deze herinneringen zijn geannuleerd:",
        forgotten: "Oké, dit ben ik vergeten: {}",
    }),
};
