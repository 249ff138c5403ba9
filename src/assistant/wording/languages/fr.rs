//! The texts in French.

use super::{CommandAnswers, Lang, LanguageTexts};

pub(super) const TEXTS: LanguageTexts = LanguageTexts {
    tag: "fr",
    detected: Lang::Fra,
    frequent_words: "accord ai ajoute aller alors appeler après as au aucun aujourd aussi aux avec avez bien \
                     bonjour bonne bonsoir c ce cela ces cette comme d daccord dans de décale demain des dois du \
                     elle en entendu envoyé es est et faire fait faut heure heures hui il ils j jamais je \
                     jour l la le les leur lui m ma mais me merci mes moi mon n ne non nos noté nous on \
                     ont ou oui où par parfait pas peu peux plus pour qu quand que quel quelle qui quoi \
                     rappel rappelle rappellerai rien s sa sans se ses si soir son sont suis sur t ta te \
                     tes toi ton toujours tous tout très tu un une vais voilà votre vous y à ça été êtes \
                     être",
    date: "{weekday} {day} {month} {year}",
    weekdays: "lundi mardi mercredi jeudi vendredi samedi dimanche",
    months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    reminder: "⏰ Rappel : {}",
    late: "ce rappel est en retard, il était prévu : {}",
    missed: "il était prévu {times} fois depuis le dernier, la dernière : {}",
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
    answers: Some(CommandAnswers {
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
        still_answering: "Je suis encore sur ton dernier message. Dis « undo » quand j'y aurai répondu.",
        back_again: "D'accord, c'est annulé. De nouveau là :",
        cancelled: "D'accord, ces rappels sont supprimés :",
        forgotten: "D'accord, j'ai oublié ceci : {}",
    }),
};
