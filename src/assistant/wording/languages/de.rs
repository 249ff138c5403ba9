//! The texts in German.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "de",
    detected: Lang::Deu,
    frequent_words: "aber alle alles als am an auch auf ausgegeben bei bin bis bist bitte da danke dann das dass \
                     dein deine dem den der des dich die dir doch drei du ein eine einen einer er erinnere \
                     erinnerung erinnerungen erledigt es fertig für ganz gehts gemacht gern gerne gesendet gestrichen gut \
                     guten hab habe hallo hast hat heute hier ich ihm ihn ihr im immer ist ja jetzt kann \
                     kannst kein keine keinen klar los mach mache machen mal mehr mein meine mich mir mit \
                     morgen nach natürlich nein nenn nicht nichts noch notiert nur ob oder schon schön sehr \
                     sich sie sind soll steht stehen tut uhr um und uns vergessen vergiss verstanden viel von vor wann was weil wenn wer \
                     werde wie wieder wir wird wo wurde zu zum zur zwei über",
    date: "{weekday}, {day}. {month} {year}",
    weekdays: "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    months: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    reminder: "⏰ Erinnerung: {}",
    late: "das kommt zu spät, es war fällig: {}",
    missed: "es war seit dem letzten Mal {times}-mal fällig, zuletzt: {}",
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
    answers: Some(CommandAnswers {
        named: "Du bist {}.",
        unnamed: "Deinen Namen weiß ich noch nicht.",
        subscribed: "Du hast ein Abonnement.",
        plan: "Du hast ein Abonnement ({}).",
        free: "Du hast kein Abonnement.",
        kept: "Das habe ich für dich: Notizen: {}, Erinnerungen: {reminders}.",
        zone: "Deine Zeitzone ist {}.",
        no_zone: "Deine Zeitzone ist nicht bekannt, deshalb sind Uhrzeiten in UTC.",
        unlimited: "Deine Nachrichten sind unbegrenzt.",
        used: "Heute hast du {} von {limit} Nachrichten verbraucht; bis Mitternacht UTC bleiben {left}.",
        nothing_to_undo: "Es gibt nichts, was ich zurücknehmen kann. Was ich eingestellt, verschoben oder gelöscht habe, lässt sich 10 Minuten lang zurücknehmen.",
        undone_already: "Die letzte Änderung habe ich schon zurückgenommen, und weiter zurück geht es nicht. Es hat sich nichts geändert.",
        too_late: "Das ist mehr als 10 Minuten her, deshalb kann ich es nicht mehr zurücknehmen. Es hat sich nichts geändert.",
        still_answering: "Ich bin noch bei deiner letzten Nachricht. Sag „undo“, wenn ich sie beantwortet habe.",
        back_again: "Okay, das habe ich zurückgenommen. Wieder da:",
        cancelled: "Okay, diese Erinnerungen sind gestrichen:",
        forgotten: "Okay, das habe ich vergessen: {}",
    }),
};
