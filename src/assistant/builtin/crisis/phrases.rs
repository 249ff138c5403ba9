//! What people write who may be suicidal or in danger, in lower case and without apostrophes. It
//! must not know how a message is looked through.

/// Explicit statements by the writer about themselves.
pub(super) const PHRASES: [&str; 125] = [
    "rather be dead", "swallowed a whole bottle", "swallowed the whole bottle",
    "swallowed a bottle of", "pills and want to take them all",
    "pills and i want to take them all", "goodbye forever", "trying to hurt me",
    "broke into my house", "broke into my home", "broke into my apartment", "broke into my flat",
    "sucidal thoughts", "wish i could disappear", "wish i could just disappear",
    "hope i dont wake up tomorrow", "hope i never wake up", "kill myself", "kill my self",
    "killing myself", "kms", "unalive myself", "off myself", "end my life", "ending my life",
    "end it all", "take my own life", "taking my own life", "take my life", "hang myself",
    "shoot myself", "cut myself", "cutting myself", "drown myself", "hurt myself",
    "hurting myself", "harm myself", "harming myself", "commit suicide", "committing suicide",
    "thinking about suicide", "thinking of suicide", "thoughts of suicide", "suicidal thoughts",
    "better off dead", "better off without me", "no reason to live", "nothing to live for",
    "life isnt worth living", "life is not worth living", "my life is worthless",
    "tired of living", "wish i was dead", "wish i were dead", "wish i could die",
    "wish i was never born", "someone is trying to kill me", "he is going to kill me",
    "hes going to kill me", "she is going to kill me", "shes going to kill me", "wants to kill me",
    "threatened to kill me", "threatens to kill me", "tried to kill me", "kill herself",
    "kill himself", "kill themselves", "killing herself", "killing himself", "is suicidal",
    "shes suicidal", "hes suicidal", "isnt worth living", "not worth living", "point of living",
    "point in living", "nobody would miss me", "no one would miss me", "nobody will miss me",
    "no one will miss me", "would care if i died", "im not safe", "i am not safe",
    "breaking into my house", "breaking into my home", "breaking into my apartment",
    "breaking into my flat", "break into my house", "someone is following me",
    "someones following me", "having a heart attack", "having a stroke", "he will hurt me",
    "she will hurt me", "hes going to hurt me", "shes going to hurt me", "life isnt worth it",
    "life is not worth it", "ending it all", "sleep and never wake up", "sleep and not wake up",
    "never wake up again", "wish id never been born", "wish i had never been born",
    "wish i was not born", "suicide note", "a goodbye note", "swallowed bleach", "drank bleach",
    "drinking bleach", "was raped", "been raped", "got raped", "he has a knife", "she has a knife",
    "he has a gun", "she has a gun", "call 911", "dial 911", "call an ambulance",
    "need an ambulance", "isnt breathing", "is not breathing", "stopped breathing",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
pub(super) const PHRASES_OF_I: [&str; 66] = [
    "want too die", "sucidal", "dont want to wake up tomorrow", "dont want to wake up anymore",
    "dont wanna wake up anymore", "took a whole bottle", "took the whole bottle", "bleeding out",
    "want to die", "wanna die", "wana die", "want 2 die", "feel like dying", "want to be dead",
    "ready to die", "going to die by suicide", "suicidal", "suicidel", "dont want to live",
    "do not want to live", "dont wanna live", "dont want to be alive", "do not want to be alive",
    "dont want to be here anymore", "dont want to be here any more", "dont wanna be here anymore",
    "dont wanna be here any more", "do not want to be here anymore", "dont wanna be alive",
    "dont wanna exist", "want to not exist", "wish to die", "dont want to exist",
    "cant go on living", "cant live like this anymore", "dont feel safe", "in danger",
    "being abused", "being beaten", "took too many pills", "took all my pills",
    "took all the pills", "took all of my pills", "took a lot of pills", "took a bunch of pills",
    "took a bottle of pills", "took an overdose", "taken an overdose", "overdosed",
    "jump off a bridge", "jump off the bridge", "jump off a building", "jump off a roof",
    "jump off the roof", "jump in front of a train", "being followed", "cant breathe",
    "cant do this anymore", "cannot do this anymore", "cant do this any more",
    "cant take it anymore", "cant take this anymore", "cant go on anymore", "cant go on like this",
    "want to disappear", "wanna disappear",
];

/// What people say of boredom, after "want to die".
pub(super) const IDIOMS: [&str; 16] = [
    "of boredom", "of laughter", "laughing", "of embarrassment", "of cringe", "of shame",
    "from boredom", "my hair", "on chocolate", "on sugar", "on candy", "on cake", "on cookies",
    "on coffee", "on netflix", "on pizza",
];

/// What somebody says who may want to end their life, where little follows.
pub(super) const ENDING: [&str; 17] = [
    "hope i dont wake up", "dont want to wake up", "dont wanna wake up", "want to end it",
    "wanna end it", "going to end it", "gonna end it", "ready to end it", "just end it",
    "want it to end", "plan to end it", "planning to end it", "cant go on", "cannot go on",
    "ive been cutting", "i have been cutting", "been cutting again",
];

/// What may follow it: anything else is what is to be ended.
pub(super) const ENDING_FOLLOWS: [&str; 17] = [
    "all", "now", "today", "tonight", "already", "please", "finally", "forever", "for good",
    "so badly", "so bad", "soon", "because", "like this", "myself", "again", "anymore",
];

/// What nobody means who writes that they end it all, where it is the last word.
pub(super) const THINGS: [&str; 10] = [
    "emails", "mails", "messages", "notifications", "reminders", "alarms", "calls", "meetings",
    "events", "subscriptions",
];

/// What people do who hurt themselves by accident, after "cut myself", and what is no harm.
pub(super) const ACCIDENTS: [&str; 27] = [
    "some slack", "shaving", "while", "cooking", "chopping", "slicing", "peeling", "cutting",
    "opening", "gardening", "running", "playing", "skiing", "climbing", "falling", "lifting",
    "on a", "on an", "on the", "on some", "on my", "by accident", "accidentally", "at the gym",
    "in the kitchen", "at work", "at football",
];

/// Violence, after a person: "my boyfriend hits me".
pub(super) const VIOLENCE: [&str; 16] = [
    "hitting me", "hits me", "is hitting me", "beats me", "beat me up", "beats me up",
    "is beating me", "chokes me", "choked me", "punched me", "raped me", "hit me", "slapped me",
    "hurts me", "is raping me", "strangled me",
];
