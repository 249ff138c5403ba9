//! The answers to `status`, `usage` and `undo` in the languages that have sentences besides English:
//! these commands are never left to a language model, which would answer in the person's language.

use super::account::{AccountFacts, status, usage};
use super::language::entry;
use super::reminders::reminders_cancelled;
use super::times::zone_name;
use super::undo::{
    NOTHING_TO_UNDO, TOO_LATE_TO_UNDO, UNDONE_ALREADY, brought_back, memory_taken_back,
};
use super::{calendar, list, quoted};
use crate::assistant::LocalNow;
use crate::clock::{Timestamp, Zone};

/// The sentences of one language; `{}` is filled in.
struct FixedAnswers {
    /// Primary subtag of BCP 47.
    language: &'static str,
    named: &'static str,
    unnamed: &'static str,
    subscribed: &'static str,
    /// With the name of the plan.
    plan: &'static str,
    free: &'static str,
    /// Also `{reminders}`.
    kept: &'static str,
    zone: &'static str,
    no_zone: &'static str,
    unlimited: &'static str,
    /// Messages used today, of `{limit}`, with `{left}`.
    used: &'static str,
    nothing_to_undo: &'static str,
    undone_already: &'static str,
    too_late: &'static str,
    back_again: &'static str,
    cancelled: &'static str,
    forgotten: &'static str,
}

const OTHERS: [FixedAnswers; 7] = [
    FixedAnswers {
        language: "de",
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
        back_again: "Okay, das habe ich zurückgenommen. Wieder da:",
        cancelled: "Okay, diese Erinnerungen sind gestrichen:",
        forgotten: "Okay, das habe ich vergessen: {}",
    },
    FixedAnswers {
        language: "es",
        named: "Eres {}.",
        unnamed: "Todavía no sé tu nombre.",
        subscribed: "Tienes una suscripción.",
        plan: "Tienes una suscripción ({}).",
        free: "No tienes suscripción.",
        kept: "Esto guardo para ti: notas: {}, recordatorios: {reminders}.",
        zone: "Tu zona horaria es {}.",
        no_zone: "No sé tu zona horaria, así que las horas están en UTC.",
        unlimited: "Tus mensajes son ilimitados.",
        used: "Hoy has usado {} de {limit} mensajes; te quedan {left} hasta la medianoche UTC.",
        nothing_to_undo: "No hay nada que pueda deshacer. Lo que programé, moví o quité se puede deshacer durante 10 minutos.",
        undone_already: "Ya deshice el último cambio y no puedo volver más atrás. No ha cambiado nada.",
        too_late: "De eso hace más de 10 minutos, así que ya no puedo deshacerlo. No ha cambiado nada.",
        back_again: "Vale, lo he deshecho. Aquí están otra vez:",
        cancelled: "Vale, estos recordatorios quedan cancelados:",
        forgotten: "Vale, he olvidado esto: {}",
    },
    FixedAnswers {
        language: "fr",
        named: "Tu es {}.",
        unnamed: "Je ne connais pas encore ton nom.",
        subscribed: "Tu as un abonnement.",
        plan: "Tu as un abonnement ({}).",
        free: "Tu n'as pas d'abonnement.",
        kept: "Voici ce que je garde pour toi : notes : {}, rappels : {reminders}.",
        zone: "Ton fuseau horaire est {}.",
        no_zone: "Je ne connais pas ton fuseau horaire, les heures sont donc en UTC.",
        unlimited: "Tes messages sont illimités.",
        used: "Tu as utilisé {} messages sur {limit} aujourd'hui ; il en reste {left} jusqu'à minuit UTC.",
        nothing_to_undo: "Il n'y a rien que je puisse annuler. Ce que j'ai programmé, déplacé ou supprimé peut être annulé pendant 10 minutes.",
        undone_already: "J'ai déjà annulé le dernier changement et je ne peux pas remonter plus loin. Rien n'a changé.",
        too_late: "C'était il y a plus de 10 minutes, je ne peux donc plus l'annuler. Rien n'a changé.",
        back_again: "D'accord, c'est annulé. De nouveau là :",
        cancelled: "D'accord, ces rappels sont supprimés :",
        forgotten: "D'accord, j'ai oublié ceci : {}",
    },
    FixedAnswers {
        language: "it",
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
        back_again: "Va bene, ho annullato. Di nuovo qui:",
        cancelled: "Va bene, questi promemoria sono cancellati:",
        forgotten: "Va bene, ho dimenticato questo: {}",
    },
    FixedAnswers {
        language: "nl",
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
        back_again: "Oké, dat heb ik ongedaan gemaakt. Weer terug:",
        cancelled: "Oké, deze herinneringen zijn geannuleerd:",
        forgotten: "Oké, dit ben ik vergeten: {}",
    },
    FixedAnswers {
        language: "pt",
        named: "O seu nome é {}.",
        unnamed: "Ainda não sei o seu nome.",
        subscribed: "Tem uma assinatura.",
        plan: "Tem uma assinatura ({}).",
        free: "Não tem assinatura.",
        kept: "Isto é o que guardo: notas: {}, lembretes: {reminders}.",
        zone: "O seu fuso horário é {}.",
        no_zone: "Não sei o seu fuso horário, por isso as horas estão em UTC.",
        unlimited: "As suas mensagens são ilimitadas.",
        used: "Hoje foram usadas {} de {limit} mensagens; restam {left} até a meia-noite UTC.",
        nothing_to_undo: "Não há nada que eu possa desfazer. O que marquei, movi ou retirei pode ser desfeito durante 10 minutos.",
        undone_already: "Já desfiz a última alteração e não posso voltar mais atrás. Nada mudou.",
        too_late: "Isso foi há mais de 10 minutos, por isso já não posso desfazer. Nada mudou.",
        back_again: "Certo, desfiz isso. De volta:",
        cancelled: "Certo, estes lembretes foram cancelados:",
        forgotten: "Certo, esqueci isto: {}",
    },
    FixedAnswers {
        language: "sv",
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
        back_again: "Okej, det har jag ångrat. Tillbaka igen:",
        cancelled: "Okej, de här påminnelserna är borttagna:",
        forgotten: "Okej, det här har jag glömt: {}",
    },
];

/// `None`: English.
fn answers(language: Option<&str>) -> Option<&'static FixedAnswers> {
    entry(&OTHERS, |one| one.language, language)
}

/// The answer to `status`. `language`: a tag of BCP 47.
pub fn status_in(language: Option<&str>, facts: &AccountFacts) -> String {
    let Some(words) = answers(language) else {
        return status(facts);
    };
    let name = match facts.name.map(str::trim) {
        Some(name) if !name.is_empty() => words.named.replace("{}", name),
        _ => words.unnamed.to_owned(),
    };
    let plan = match (facts.subscribed, facts.plan) {
        (true, Some(plan)) => words.plan.replace("{}", plan),
        (true, None) => words.subscribed.to_owned(),
        (false, _) => words.free.to_owned(),
    };
    let kept = words.kept.replace("{}", &facts.memories.to_string());
    let kept = kept.replace("{reminders}", &facts.reminders.to_string());
    let zone = match facts.timezone {
        Some(zone) => words.zone.replace("{}", &zone_name(zone)),
        None => words.no_zone.to_owned(),
    };
    let usage = usage_in(language, facts);
    format!("{name} {plan}\n{usage}\n{kept}\n{zone}")
}

/// The answer to `usage`.
pub fn usage_in(language: Option<&str>, facts: &AccountFacts) -> String {
    match (answers(language), facts.daily_limit) {
        (None, _) => usage(facts),
        (Some(words), None) => words.unlimited.to_owned(),
        (Some(words), Some(limit)) => {
            let used = facts.messages_used_today.max(0);
            let left = limit.saturating_sub(used).max(0);
            let text = words.used.replace("{}", &used.to_string());
            let text = text.replace("{limit}", &limit.to_string());
            text.replace("{left}", &left.to_string())
        }
    }
}

pub fn nothing_to_undo_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(NOTHING_TO_UNDO, |words| words.nothing_to_undo)
}

pub fn undone_already_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(UNDONE_ALREADY, |words| words.undone_already)
}

pub fn too_late_to_undo_in(language: Option<&str>) -> &'static str {
    answers(language).map_or(TOO_LATE_TO_UNDO, |words| words.too_late)
}

/// After "undo": the newest memory is forgotten.
pub fn memory_taken_back_in(language: Option<&str>, text: &str) -> String {
    match answers(language) {
        Some(words) => words.forgotten.replace("{}", &quoted(text)),
        None => memory_taken_back(text),
    }
}

/// After "undo": what was set is cancelled.
pub fn set_taken_back_in(language: Option<&str>, reminders: &[(&str, Timestamp)]) -> String {
    let Some(words) = answers(language) else {
        return reminders_cancelled(reminders);
    };
    let lines = reminders.iter().map(|(what, _)| quoted(what));
    list(words.cancelled, lines, reminders.len())
}

/// Deleted items were restored.
pub fn brought_back_in(
    language: Option<&str>,
    reminders: &[(&str, Timestamp)],
    memories: &[String],
    now: LocalNow,
) -> String {
    let Some(words) = answers(language) else {
        return brought_back(reminders, memories, now);
    };
    let zone = now.zone.unwrap_or(Zone::UTC);
    let lines = reminders.iter().map(|(what, at)| {
        let at = calendar::date_and_time(*at, zone, language);
        format!("{at}: {}", quoted(what))
    });
    let lines = lines.chain(memories.iter().map(|text| quoted(text)));
    list(words.back_again, lines, reminders.len() + memories.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_places() {
        for one in &OTHERS {
            for with_value in [
                one.named, one.plan, one.kept, one.zone, one.used, one.forgotten,
            ] {
                assert_eq!(with_value.matches("{}").count(), 1, "{with_value}");
            }
            for part in ["{limit}", "{left}"] {
                assert_eq!(one.used.matches(part).count(), 1, "{}", one.used);
            }
            assert_eq!(one.kept.matches("{reminders}").count(), 1, "{}", one.kept);
            for title in [one.back_again, one.cancelled] {
                assert!(title.ends_with(':'), "{title}");
            }
        }
    }

    #[test]
    fn fixed_commands_are_answered_in_the_persons_language() {
        let facts = AccountFacts {
            name: Some("Ana"),
            messages_used_today: 3,
            daily_limit: Some(10),
            memories: 2,
            reminders: 1,
            ..AccountFacts::default()
        };
        assert_eq!(
            status_in(Some("de-AT"), &facts),
            "Du bist Ana. Du hast kein Abonnement.\nHeute hast du 3 von 10 Nachrichten verbraucht; bis Mitternacht UTC bleiben 7.\nDas habe ich für dich: Notizen: 2, Erinnerungen: 1.\nDeine Zeitzone ist nicht bekannt, deshalb sind Uhrzeiten in UTC."
        );
        for english in [None, Some("en"), Some("xx")] {
            assert_eq!(status_in(english, &facts), status(&facts));
            assert_eq!(usage_in(english, &facts), usage(&facts));
            assert_eq!(nothing_to_undo_in(english), NOTHING_TO_UNDO);
        }
        // 4 March 2026, 12:00 UTC.
        let at = Timestamp(1_772_625_600_000);
        assert_eq!(
            brought_back_in(Some("es"), &[("correr", at)], &[], LocalNow::new(at, None)),
            "Vale, lo he deshecho. Aquí están otra vez:\n• miércoles, 4 de marzo de 2026, 12:00: correr"
        );
        assert_eq!(
            set_taken_back_in(Some("fr"), &[("courir", at)]),
            "D'accord, ces rappels sont supprimés :\n• courir"
        );
    }
}
