//! What people say of somebody who took too much medicine or poison, in the notation of `grammar`.

use super::CrisisKind::{Emergency, Overdose};
use super::pattern_set::{PatternSet, context::*};

pub(super) const OVERDOSE: [PatternSet; 4] = [
    PatternSet {
        kind: Overdose,
        language: "en",
        yields_to: FICTION | REQUEST | PAST,
        patterns: TOO_MUCH,
    },
    PatternSet {
        kind: Overdose,
        language: "en",
        yields_to: FICTION | PAST,
        patterns: ASKED_FOR,
    },
    PatternSet {
        kind: Overdose,
        language: "en",
        yields_to: LAUGHTER | FICTION | REQUEST | PAST,
        patterns: NAMED,
    },
    PatternSet {
        kind: Emergency,
        language: "en",
        yields_to: LAUGHTER | FICTION | REQUEST | PAST,
        patterns: POISONED,
    },
];

const TOO_MUCH: &[&str] = &[
    "TOOK|take .. MANY .. of|the|my|his|her|their|our|sleeping? .. PILLS",
    "TOOK .. MANY .. PILLS",
    "TOOK all my|her|his|the|our|of PILLS",
    "TOOK .. MANY .. bottle|pack|box|packet|strip|blister $|ON|at|in_one",
    "swallowed pills|tablets|meds|medication",
    "I|NEAR|CHILD|WHO .. took|taken|takes pills|tablets $|and|help|please|i|now",
    "swallowed|took|drank .. bottle|box|pack|packet|strip|blister|handful of PILLS",
    "PILLS .. took|swallowed|ate .. all|them_all|whole|many",
    "took|swallowed|drank|taken poison",
    "took|taken|take|taking an? overdose",
    "i ATE .. POISON",
    "^ ATE .. POISON",
    "drank|drink|drinking|swallowed|swallow bleach|antifreeze|detergent|poison",
    "too much|many PILLS",
    "I|NEAR|CHILD|WHO .. took .. way too? much|many $|ON|of",
    "TOOK .. PILLS .. ALCOHOL",
    "TOOK .. PILLS and? BE not answering|responding|reacting|replying|waking|moving|picking_up|AWAKE",
    "mixed|mix|combined .. PILLS .. ALCOHOL|with",
    "washed .. PILLS .. down",
    "PILLS .. washed",
    "want|going|about|ready|thinking|tempted to? overdose|overdosing|od",
    "want|going|about|ready to? take|swallow .. all|whole .. PILLS|them|bottle",
];

/// Patterns in a text to be reminded of. "take all my pills tonight" may be what a doctor
/// prescribed.
const ASKED_FOR: &[&str] = &[
    "remind .. take|swallow .. all .. PILLS .. at_once|in_one_go",
    "remind .. take|swallow too much|many PILLS",
    "remind .. take|swallow .. PILLS all at_once|in_one_go",
    "remind .. take|swallow .. whole|entire bottle|box|pack|packet|strip of PILLS",
];

const NAMED: &[&str] = &[
    "overdosed",
    "overdosing",
    "NEAR|CHILD|WHO|I .. overdose",
    "overdose of|on|help|$",
    "NEAR|WHO .. injected|shot_up .. blue|not|passed_out|unconscious|too",
];

const POISONED: &[&str] = &[
    "CHILD ... ATE|got_into|got_hold|got_at|opened .. PILLS",
    "CHILD ... took .. my|grandmas|grandpas|our|some|moms|dads|the|wrong|NEAR .. PILLS",
    "CHILD|he|she|old .. ATE|got_into|got_hold|drank|had|put|sprayed .. POISON|cleaning",
    "CHILD .. ATE .. cigarette|cigarettes|edible|edibles|gummies|coin|needle|glass|battery|batteries|magnet|nicotine|weed",
    "NEAR|CHILD|WHO .. ATE .. POISON|poisonous|toxic|antifreeze|bleach",
    "NEAR|CHILD|WHO .. poisoned $|ON|by|himself",
    "I|NEAR|CHILD|WHO .. have|has|got|be|think .. poisoning|poisoned",
    "food poisoning .. not|blood|hospital",
    "I|NEAR|CHILD|WHO .. ATE|had .. mushroom|mushrooms|berry|berries|plant|leaves|seeds ... SICK|hallucinating|poisonous|toxic|cramps|not_sure",
    "ATE .. poisonous|toxic|unknown mushroom|mushrooms|berry|berries|plant",
    "CHILD .. ATE .. mushroom|mushrooms|berry|berries|plant ... garden|woods|forest|wild",
    "ATE .. mushroom|mushrooms|berry|berries ... vomit|vomiting|vomited|throwing_up|SICK",
    "CHILD ... ATE .. wild|garden|unknown mushroom|mushrooms|berry|berries|plant",
    "I|NEAR|CHILD|WHO .. TOOK .. PILLS .. twice|double|thrice|three_times|by_mistake|by_accident|wrong|accidentally|instead",
    "I|NEAR|CHILD|WHO .. TOOK .. twice|double|three_times|wrong|too_much|extra|instead .. PILLS",
    "I|NEAR|CHILD|WHO .. TOOK .. PILLS .. and ... SICK|racing|not|heart|unconscious",
    "I|NEAR|CHILD|WHO took|taken|ate|swallowed|drank something ... SICK|racing|dying|not|unconscious|pass_out",
    "took .. wrong PILLS",
    "gave|given|give|gives .. too_much|wrong|double|twice|too_many|whole|extra .. PILLS|dose|dosage|medicine|medication",
    "gave|given|give|gives CHILD|my .. too_much|wrong|double|twice|too_many .. dose|medicine|PILLS|syrup|drops",
    "gave|given|give .. PILLS .. by_mistake|by_accident|twice|instead|accidentally",
    "gave|given|give|giving|TOOK|had|got .. 2x|3x|4x|5x|10x|20x|100x|times|double|triple|twice|wrong .. dose|dosage",
    "POISON|PILLS and .. CHILD too|also|as_well|ATE|might|may|maybe|had|did",
    "I .. took|taken|swallowed .. PILLS .. scared|regret|sorry|help|dizzy|tired|die|sleepy|faint",
    "scared|regret|sorry|help .. took|taken|swallowed .. PILLS",
    "accidentally|mistake .. TOOK|drank .. PILLS|POISON|twice",
    "breathed|inhaled|inhaling|breathing .. fumes|gas|chlorine|smoke|bleach",
    "mixed bleach|ammonia|chlorine and|with|into",
    "bottle|box|pack|packet .. is empty ... CHILD|PILLS|drank|ate",
    "CHILD ... PILLS ... bottle|box|pack .. empty|open",
    "poison control",
    "CHILD ... drank|ate|swallowed ... whole|entire|all bottle|box|pack|packet|tube",
    "CHILD ... drank|ate|swallowed ... syrup|drops|ointment|cream",
    "ATE .. poisonous|toxic",
    "NEAR|WHO|I|CHILD .. od on|again|$|and|ON",
    "CHILD ... PILLS ... ate|swallowed|took|mouth|chewed",
    "NEAR|CHILD|WHO|I ATE|drank|swallowed .. something|unlabeled|unknown|mushrooms .. vomiting|choking|garage|blue|not|sick|throwing_up|bottle",
    "ate|eaten .. death cap|cherry|caps",
    "CHILD|old .. swallowed something|coin|a_coin|it|button|pin|toy|stone|lego|bead",
    "CHILD|he|she .. put|puts .. pill|pills|battery|tablet|magnet|coin .. mouth|nose|ear",
    "CHILD .. drank|ate|drinks|swallowed .. perfume|shampoo|soap|lotion|aftershave|mouthwash|sunscreen|paint|glue|oil|hairspray|conditioner|nail_polish|essential_oil|hand_sanitizer|alcohol|vodka|wine|beer|whiskey",
    "alcohol poisoning",
    "drank|drunk .. so|too much .. wake|wake_up|breathing|unconscious|respond",
    "grams|gram of PILLS",
    "TOOK .. double|twice|triple .. dose|thinner|PILLS",
    "overdose|overdosing|overdosed on PILLS|fentanyl|heroin|drugs",
    "drugged me|my|$",
    "thinner|antidepressant|heart_pills|sleeping_pill|blood_pressure_pills|sedative .. twice|double|overdose|too_many",
];
