//! The texts in Swedish.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "sv",
    detected: Lang::Swe,
    frequent_words: "aldrig alla allt alltid antecknat att av bara bra dag de dem den denna det dig din \
                     ditt du där efter eftersom eller en ett fick finns fixat från för gjorde gjort god \
                     gör ha han har hej hon honom hur här i idag igen ikväll imorgon inga ingen inget \
                     inte ja jag kan klar klart klockan kommer kunde lite man med men mer mig min mitt \
                     mycket måste nej ni nu när någon något och ocksá också om oss på påminnelse påminner \
                     redan ringa sedan sen ser sig sin ska skickat skulle som så tack till tills ut utan \
                     vad var vara vem vet vi vid vill än är över",
    date: "{weekday} {day} {month} {year}",
    weekdays: "måndag tisdag onsdag torsdag fredag lördag söndag",
    months: "januari februari mars april maj juni juli augusti september oktober november december",
    reminder: "⏰ Påminnelse: {}",
    late: "det här kommer sent, det skulle ha kommit: {}",
    missed: "det skulle ha kommit {times} gånger sedan förra, senast: {}",
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
    answers: Some(CommandAnswers {
        named: "Du är {}.",
        unnamed: "Jag vet inte vad du heter än.",
        subscribed: "Du har en prenumeration.",
        plan: "Du har en prenumeration ({}).",
        free: "Du har ingen prenumeration.",
        kept: "Det här har jag åt dig: anteckningar: {}, påminnelser: {reminders}.",
        zone: "Din tidszon är {}.",
        no_zone: "Din tidszon är inte känd, så tider är i UTC.",
        unlimited: "Dina meddelanden är obegränsade.",
        used: "Du har använt {} av {limit} meddelanden i dag; {left} är kvar till midnatt UTC.",
        nothing_to_undo: "Det finns inget jag kan ångra. Det jag har ställt in, flyttat eller tagit bort kan ångras i 10 minuter.",
        undone_already: "Jag har redan ångrat den senaste ändringen och kan inte gå längre tillbaka. Inget har ändrats.",
        too_late: "Det är mer än 10 minuter sedan, så jag kan inte ångra det längre. Inget har ändrats.",
        still_answering: "Jag håller fortfarande på med ditt senaste meddelande. Säg ”undo” när jag har svarat.",
        back_again: "Okej, det har jag ångrat. Tillbaka igen:",
        cancelled: "Okej, de här påminnelserna är borttagna:",
        forgotten: "Okej, det här har jag glömt: {}",
    }),
};
