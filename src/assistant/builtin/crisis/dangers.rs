//! What people write whom somebody hurts or threatens, and what they write in an emergency, as
//! `spelling::plain` writes it. It must not know how a message is looked through.

/// What somebody does to the writer, or what the writer fears of them.
pub(super) const DANGERS: &[&str] = &[
    "trying to hurt me", "broke into my house", "broke into my home", "broke into my apartment",
    "broke into my flat", "breaking into my house", "breaking into my home",
    "breaking into my apartment", "breaking into my flat", "break into my house",
    "break into my home", "someone is in my house", "someone is in my home",
    "someone is in my flat", "someone is in my apartment", "intruder in my",
    "intruder in the house", "someone is trying to get in", "someone is outside my window",
    "someone is at my window", "trying to kill me", "going to kill me", "wants to kill me",
    "threatened to kill me", "threatens to kill me", "threatening to kill me", "tried to kill me",
    "says hell kill me", "said hell kill me", "wants to hurt me", "threatened to hurt me",
    "going to hurt me", "will hurt me", "hell hurt me", "shell hurt me", "hell kill me",
    "going to hit me", "going to beat me up", "tried to hurt me", "im not safe",
    "not safe at home", "someone is following me", "man following me", "guy following me",
    "man is following me", "guy is following me", "was raped", "been raped", "got raped",
    "raped me", "sexually assaulted", "sexually abused", "molested", "molesting me", "has a knife",
    "has a gun", "stalking me", "threatened me with", "forced me to have sex",
    "forced himself on me", "forced herself on me", "forces me to have sex",
    "touched me inappropriately", "touches me inappropriately", "domestic violence",
    "domestic abuse", "abusive relationship", "abusive husband", "abusive boyfriend",
    "abusive partner", "abusive wife", "abusive girlfriend", "abusive ex", "abusive home",
    "abusive household", "abusive parents", "abusive dad", "abusive father", "abusive mom",
    "abusive mother", "husband is abusive", "boyfriend is abusive", "partner is abusive",
    "wife is abusive", "girlfriend is abusive", "dad is abusive", "father is abusive",
    "mom is abusive", "mother is abusive", "he is abusive", "she is abusive", "abuses me",
    "abused me", "abusing me", "spiked my drink", "kidnapped me", "held hostage",
    "holding me hostage", "wont let me leave", "wont let me out", "locked me in", "locks me in",
    "afraid to go home", "scared to go home", "terrified to go home", "dont feel safe at home",
    "scared of my husband", "afraid of my husband", "scared of my boyfriend",
    "afraid of my boyfriend", "scared of my partner", "afraid of my partner", "scared of my dad",
    "afraid of my dad", "scared of my father", "afraid of my father", "scared of my stepdad",
    "afraid of my stepdad", "scared of my wife", "afraid of my wife", "scared of my ex",
    "afraid of my ex", "my dad hits", "dad is hitting", "hitting my mom", "hits my mom",
    "hit my mom", "beating my mom", "beats my mom", "hitting her kids", "beats his wife",
    "beating his wife", "beating up his wife", "hits his wife", "said he would kill me",
    "said she would kill me", "someone in my house", "somebody in my house", "trying to break in",
    "ex is outside my", "is outside my house", "is outside my door",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
pub(super) const DANGERS_OF_I: &[&str] = &[
    "dont feel safe", "in danger", "being abused", "being beaten", "being followed",
    "being stalked", "being threatened", "being blackmailed", "being hit", "being attacked",
    "got beaten up", "been beaten up", "was beaten up", "got beat up", "was attacked",
    "got attacked", "was assaulted", "got assaulted", "been assaulted", "was abused", "got mugged",
    "was mugged", "was kidnapped", "been kidnapped", "was drugged", "scared of him",
    "afraid of him", "scared hell find me", "afraid hell find me", "scared hell hurt me",
];

/// Violence against the writer, with a person before it: "my boyfriend hits me".
pub(super) const VIOLENCE: &[&str] = &[
    "hitting me", "hits me", "hit me", "beats me", "beat me", "beating me", "beat me up",
    "beats me up", "chokes me", "choked me", "choking me", "punched me", "punches me",
    "punching me", "slapped me", "slaps me", "slapping me", "hurts me", "hurt me", "hurting me",
    "strangled me", "strangling me", "kicked me", "kicks me", "kicking me", "burned me", "bit me",
    "stabbed me", "shot me", "pushed me down", "pushes me around", "pushed me against",
    "pushed me into", "threw me against", "threw me down", "threw me on", "threw me into",
    "grabbed me by", "dragged me", "pulled my hair", "shoved me", "shoves me", "smacked me",
    "smacks me", "attacked me", "threatens me", "threatened me", "rapes me", "raping me",
    "threatening me", "touched me", "touches me", "touching me", "gets violent", "got violent",
    "is violent", "became violent",
];

/// What is no violence, after it: "he beats me at chess", "hit me up".
pub(super) const NO_VIOLENCE: &[&str] = &[
    "at chess", "at fifa", "at cards", "at poker", "at tennis", "at golf", "at ping pong",
    "at pool", "at darts", "at mario kart", "at scrabble", "at bowling", "at monopoly",
    "at everything", "at it", "at that", "at this", "at my own game", "at uno", "at catan",
    "at football", "at basketball", "at squash", "at badminton", "in chess", "in fifa", "in cards",
    "in tennis", "in poker", "in golf", "in mario kart", "in a game", "in the game", "in a race",
    "in the race", "in every game", "in pool", "in uno", "to it", "to the", "to that", "home",
    "by 1", "by 2", "by a", "up for", "up on", "up if", "up when", "up later", "up about",
    "up today", "up tomorrow", "up again", "with the news", "with a question", "with the bill",
    "with a bill", "with a snowball", "with a pillow", "with a joke", "with an offer",
    "with a deal", "with the truth", "with an idea", "with your", "with that", "like a truck",
    "that", "the other day that", "with a link", "with a text", "with a message", "with facts",
    "out of the water", "out of the group", "out of the chat", "off the team", "from the group",
    "from the chat", "an email", "a message", "a text", "a look", "a dm", "a mail", "a smile",
    "back with", "back about", "back on", "early", "until", "off the", "off",
];
/// The same where it ends the message.
pub(super) const NO_VIOLENCE_ENDS: &[&str] = &["up", "back", "first"];
/// The word before it, if nobody does it: "then it hits me".
pub(super) const NOBODY: &[&str] = &[
    "it", "that", "this", "which", "what", "reality", "news", "sun", "cold", "heat", "wave",
    "hunger", "ball", "song", "jetlag", "caffeine", "coffee", "wind", "realization", "they",
    "prices", "traffic", "smell",
];

/// An emergency, whoever it happens to.
pub(super) const EMERGENCIES: &[&str] = &[
    "having a heart attack", "having a stroke", "having a seizure", "has a seizure",
    "having seizures", "call 911", "dial 911", "call 112", "call 999", "dial 112", "dial 999",
    "call an ambulance", "need an ambulance", "get an ambulance", "send an ambulance",
    "call the ambulance", "call ambulance", "isnt breathing", "not breathing", "stopped breathing",
    "cant breath", "cant breathe", "trouble breathing", "difficulty breathing", "hard to breathe",
    "hard to breath", "struggling to breathe", "gasping for air", "chest pain", "chest pains",
    "pain in my chest", "pains in my chest", "pain in his chest", "pain in her chest",
    "tightness in my chest", "pressure in my chest", "pressure on my chest", "chest tightness",
    "chest is tight", "chest feels tight", "chest hurts", "chest is hurting",
    "chest is killing me", "wont stop bleeding", "isnt stopping bleeding",
    "cant stop the bleeding", "bleeding wont stop", "bleeding heavily", "bleeding badly",
    "bleeding a lot", "bleeding everywhere", "bleeding from my head", "bleeding from his head",
    "bleeding from her head", "losing a lot of blood", "lost a lot of blood", "coughing up blood",
    "coughing blood", "vomiting blood", "throwing up blood", "throat is closing",
    "throat is swelling", "throat is swollen shut", "anaphylactic shock", "anaphylaxis",
    "having an allergic reaction", "face is drooping", "lips are blue", "lips are turning blue",
    "carbon monoxide alarm is", "house is on fire", "flat is on fire", "apartment is on fire",
    "kitchen is on fire", "building is on fire", "car is on fire", "house is burning",
    "im in a car accident", "was in a car accident", "been in a car accident",
    "was in a car crash", "been in a car crash", "got hit by a car", "was hit by a car",
    "been hit by a car", "been stabbed", "was stabbed", "got stabbed", "been shot", "was shot",
    "no pulse", "help im dying", "think im dying", "drank antifreeze", "drank detergent",
    "ate rat poison", "swallowed a battery", "swallowed a magnet", "heart stopped beating",
    "im drowning help", "is unconscious", "he is unconscious", "she is unconscious",
    "theyre unconscious", "is unresponsive", "he is unresponsive", "she is unresponsive",
    "think i had a stroke", "think i had a heart attack", "think i had a seizure", "broke my neck",
    "cut off my finger", "overdose symptoms", "left arm is numb", "face is numb", "face went numb",
    "left side is numb", "blood everywhere", "severe allergic reaction", "bad allergic reaction",
    "swallowed a coin", "swallowed a button", "fire in my kitchen", "fire in my house",
    "fire in my flat", "fire in my apartment", "smell gas",
];

/// The same where little follows: "last year" may.
pub(super) const EMERGENCIES_ENDING: &[&str] = &[
    "had a heart attack", "had a stroke", "had a car accident", "crashed my car",
];

/// The same after a person: "my dad collapsed".
pub(super) const EMERGENCIES_OF_PERSON: &[&str] = &[
    "collapsed", "is choking", "is turning blue", "turning blue", "is drowning", "wont wake up",
    "doesnt wake up", "isnt waking up", "not waking up", "has collapsed", "had a seizure",
    "stopped moving", "isnt moving", "is having a fit", "is bleeding out", "fainted and wont wake",
    "passed out and wont", "passed out and isnt", "passed out and hit", "is in cardiac arrest",
    "choking", "fainted", "isnt responding", "not responding",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
pub(super) const EMERGENCIES_OF_I: &[&str] = &["bleeding out", "choking"];

/// What is no emergency, after the words.
pub(super) const NO_EMERGENCY: &[&str] = &[
    "from laughing", "from bench", "from push ups", "from pushups", "from working out",
    "from lifting", "laughing", "im laughing", "this season", "in emails", "in debt",
    "in paperwork", "in laundry", "bias", "hazard", "in deadlines", "in mails", "in homework",
    "with laughter", "onto the sofa", "onto the couch", "onto the bed", "when i see", "when i saw",
    "because of the price",
];
/// The same after words of sleep and exhaustion, unlike after "stopped breathing".
pub(super) const NO_EMERGENCY_OF_SLEEP: &[&str] = &[
    "at", "before", "early", "on time", "in the morning", "on this", "on the", "on sofa",
    "in work", "in bed", "to", "down", "again in the playoffs", "under my", "into bed",
    "for school", "for work", "from the gym",
];
/// Words of sleep and exhaustion.
pub(super) const OF_SLEEP: &[&str] = &["wake", "waking", "passed", "choking", "fainted"];

/// Poison or too much medicine, whoever took it.
pub(super) const OVERDOSES: &[&str] = &[
    "swallowed a whole bottle", "swallowed the whole bottle", "swallowed a bottle of",
    "swallowed bleach", "drank bleach", "drinking bleach", "drink bleach", "drank poison",
    "swallowed poison", "took poison", "took too many pills", "took too many tablets",
    "took too many sleeping pills", "took too much medication", "took too much medicine",
    "took too much xanax", "took too much fentanyl", "took all my pills", "took all her pills",
    "took all his pills", "took all their pills", "took all the pills", "took all of my pills",
    "took all my meds", "took all of my meds", "took all my medication", "took a lot of pills",
    "took a bunch of pills", "took a bottle of pills", "took an overdose", "taken an overdose",
    "taking an overdose", "take an overdose", "take all my pills", "taking all my pills",
    "take all the pills", "swallow all my pills", "swallowed all my pills", "swallowed pills",
    "swallowed a bunch of pills", "ate a whole bottle of pills", "took a whole bottle",
    "took the whole bottle", "overdosed", "overdosing", "want to overdose", "going to overdose",
    "took a bunch of my meds", "took a bunch of meds", "took a lot of meds",
    "took a lot of my meds",
];

/// What a whole message says in an emergency.
pub(super) const WHOLE_EMERGENCIES: &[&str] = &[
    "911", "emergency", "this is an emergency", "its an emergency", "i need help now emergency",
    "ambulance", "im dying", "im going to die", "help im going to die", "theres a fire", "fire",
];

/// What is also said of laughter and heat, and the words that tell so.
pub(super) const LAUGHED_AT: &[&str] =
    &["cant breathe", "cant breath", "choking", "hard to breathe"];
pub(super) const LAUGHTER: &[&str] =
    &["lol", "lmao", "lmfao", "😂", "🤣", "haha", "hahaha", "rofl"];
