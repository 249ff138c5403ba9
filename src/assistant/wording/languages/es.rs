//! The texts in Spanish.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "es",
    detected: Lang::Spa,
    frequent_words: "ahora al algo anota apunta asi así avisame avísame añade bien buenas buenos claro como con cuando de del desde dicho día \
                     días el ella en entendido eres es esa ese eso esta este esto estoy está estás fue \
                     gasté gracias ha hace haré has hasta hay he hecho hola hoy la las le les listo llamar lo los \
                     luego manana mañana me mi mucho muy más nada ni no nos o para perfecto pero pon por porque \
                     puedo pues que quieres qué recordaré recuerda recuerdame recuérdame recuerdo se si sin sobre son soy su supuesto sí \
                     tarde te tengo tiene tienes todo tu un una ya yo",
    date: "{weekday}, {day} de {month} de {year}",
    weekdays: "lunes martes miércoles jueves viernes sábado domingo",
    months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    reminder: "⏰ Recordatorio: {}",
    late: "esto llega tarde, era para: {}",
    missed: "desde la última vez tocaba {times} veces, la última: {}",
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
    answers: Some(CommandAnswers {
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
        still_answering: "Aún estoy con tu último mensaje. Di «undo» cuando lo haya contestado.",
        back_again: "Vale, lo he deshecho. Aquí están otra vez:",
        cancelled: "Vale, estos recordatorios quedan cancelados:",
        forgotten: "Vale, he olvidado esto: {}",
    }),
};
