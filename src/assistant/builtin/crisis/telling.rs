//! The pre-filter of crisis messages. A message without any of these words, all in ASCII, isn't
//! searched for the phrases of a crisis.

use crate::assistant::builtin::word_set::WordSet;

/// Each phrase contains one of these words, or one that is not ASCII.
pub(super) static TELLING: WordSet = WordSet::new(&[
    "911", "abused", "acabar", "alive", "ambulance", "ammazzare", "ammazzarmi", "ammazzo",
    "anymore", "beat", "beaten", "beating", "beats", "better", "bleach", "bleeding", "born",
    "bottle", "break", "breaking", "breathe", "breathing", "broke", "bunuh", "cannot", "cant",
    "choked", "chokes", "cutting", "danger", "dead", "die", "died", "disappear", "dood", "dying",
    "end", "ending", "exist", "finir", "finita", "followed", "following", "goodbye", "gun",
    "halni", "heart", "here", "herself", "hidup", "himself", "hit", "hits", "hitting", "hurt",
    "hurts", "intihar", "itseni", "jeena", "jump", "kill", "kms", "knife", "kuolla", "leben",
    "leva", "leve", "leven", "life", "like", "liv", "live", "livet", "living", "mabuhay",
    "magpakamatay", "magpapakamatay", "mamatay", "marna", "matar", "matarme", "mati", "mezelf",
    "mir", "miss", "mor", "more", "morir", "morire", "morirme", "morrer", "mort", "mourir",
    "myself", "overdose", "overdosed", "pills", "punched", "raped", "raping", "safe", "selbstmord",
    "selbstmordgedanken", "self", "sinucid", "slapped", "sterben", "sterven", "strangled",
    "stroke", "sucidal", "suicidal", "suicidar", "suicidarme", "suicidarmi", "suicide", "suicidel",
    "suicider", "suizidgedanken", "tablets", "themselves", "togliermi", "tot", "traiesc", "tuer",
    "uccidere", "uccidermi", "um", "umbringen", "umrzec", "umzubringen", "vida", "viure", "viver",
    "vivere", "viviendo", "vivir", "vivre", "wake", "worthless", "zelfmoord",
]);
