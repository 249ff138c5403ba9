//! What people write who may want to die or to hurt themselves, as `spelling::plain` writes it. It
//! must not know how a message is looked through.

/// Explicit statements by the writer about themselves or somebody near.
pub(super) const PHRASES: &[&str] = &[
    "rather be dead", "pills and want to take them all", "pills and i want to take them all",
    "goodbye forever", "goodbye cruel world", "wish i could disappear", "hope i never wake up",
    "hope i dont wake up tomorrow", "kill myself", "killing myself", "killed myself", "unalive",
    "unaliving myself", "off myself", "offing myself", "neck myself", "rope myself",
    "delete myself from", "yeet myself", "toaster bath", "end my life", "end my own life",
    "ending my life", "ending my own life", "end it all", "ending it all", "take my own life",
    "taking my own life", "take my life", "taking my life", "hang myself", "hanging myself",
    "shoot myself", "shooting myself", "cut myself", "cutting myself", "cut my wrists",
    "cutting my wrists", "slit my wrists", "slitting my wrists", "slit my throat", "drown myself",
    "poison myself", "hurt myself", "hurting myself", "harm myself", "harming myself", "self harm",
    "self-harm", "selfharm", "self harming", "self-harming", "selfharming", "suicidal thoughts",
    "suicidal ideation", "better off dead", "better off without me", "better without me",
    "better if i was dead", "better if i were dead", "better if i died", "better if i was gone",
    "better if i wasnt here", "world without me", "no reason to live", "reason to live",
    "reason to keep living", "reason to stay alive", "nothing to live for",
    "life isnt worth living", "isnt worth living", "not worth living", "worth living anymore",
    "my life is worthless", "my life is pointless", "life is pointless", "life has no meaning",
    "tired of living", "tired of life", "tired of being alive", "tired of existing",
    "sick of living", "sick of life", "done with life", "done with living", "hate being alive",
    "hate living", "hate my life", "give up on life", "giving up on life", "given up on life",
    "will to live", "wish i was dead", "wish i were dead", "wish i could die", "wish i would die",
    "wish i was never born", "wish i wasnt born", "wish i wasnt alive",
    "wish i wasnt here anymore", "wish id never been born", "wish i had never been born",
    "wish i didnt exist", "wish i never existed", "kill herself", "kill himself",
    "kill themselves", "killing herself", "killing himself", "killing themselves", "is suicidal",
    "she is suicidal", "he is suicidal", "theyre suicidal", "point of living", "point in living",
    "point of life", "point in life anymore", "point of being alive", "point in being alive",
    "point in going on", "nobody would miss me", "nobody will miss me", "anyone would miss me",
    "anyone miss me", "would care if i died", "would care if i was gone",
    "would care if i disappeared", "cares if i die", "care if i die", "care if i live or die",
    "notice if i died", "notice if i was gone", "notice if i disappeared", "life isnt worth it",
    "sleep and never wake up", "sleep and not wake up", "asleep and never wake up",
    "asleep and not wake up", "never wake up again", "never waking up again", "a goodbye note",
    "my goodbye note", "how to tie a noose", "tie a noose", "painless way to die",
    "painless ways to die", "painless death", "painless suicide", "easiest way to die",
    "easy way to die", "quickest way to die", "best way to die", "fastest way to die",
    "ways to die", "way to die", "how many pills to die", "how many pills would it take",
    "pills does it take to", "pills to overdose", "lethal dose", "deserve to die",
    "dont deserve to live", "should be dead", "might as well die", "might as well be dead",
    "hope i die", "hoping i die", "let me die", "end my pain", "end my suffering", "end this pain",
    "end the suffering", "end this suffering", "make the pain stop", "i should die",
    "i should have died", "want to die by suicide", "join her in heaven", "join him in heaven",
    "join them in heaven", "please kill me", "someone kill me please", "relapsed cutting",
    "started cutting again", "think about dying", "thinking about dying",
    "think about death all the time", "thinking about death", "nothing matters anymore",
    "see the point anymore", "why am i alive", "shouldnt be alive", "help me die",
    "paracetamol to die", "tylenol to die", "ibuprofen to die", "xanax to die", "cutting himself",
    "cutting herself", "cutting themselves", "cuts himself", "cuts herself", "hurting herself",
    "hurting himself", "my goodbye letter", "goodbye letter to everyone",
    "goodbye letter to my family", "cut my arms", "cut my thighs", "cutting my arms",
    "cutting my thighs", "cutting my legs", "be with my mom in heaven", "be with my dad in heaven",
    "no point anymore", "think i can do this anymore", "think i can go on",
    "think i can take it anymore",
];

/// The same, if the word "i" or "im" is at most `BEFORE_MAX` words before.
pub(super) const PHRASES_OF_I: &[&str] = &[
    "suicidal", "want to die", "feel like dying", "want to be dead", "ready to die",
    "trying to die", "dont want to live", "dont want to be alive", "dont want to be here anymore",
    "dont want to be around anymore", "dont want to be on this earth", "dont want to exist",
    "dont want to be in this world", "dont want to wake up tomorrow",
    "dont want to wake up anymore", "dont want to wake up again", "dont want to go on living",
    "dont want to keep living", "dont want to keep going", "dont want this life",
    "dont feel like living", "want to not exist", "want to stop existing",
    "want to cease to exist", "want to not be alive", "want to stop living", "want out of life",
    "wish to die", "cant go on living", "cant keep living", "cant live anymore",
    "cant live like this", "cant live with myself", "rather die than live", "ctb",
    "jump off a bridge", "jump off the bridge", "jump off a building", "jump off the building",
    "jump off a roof", "jump off the roof", "jumping off a bridge", "jumping off a building",
    "jump off my balcony", "jump off the balcony", "jump in front of a train",
    "jump in front of a bus", "jump in front of a car", "walk into traffic",
    "step in front of a train", "crash my car into", "drive off a bridge", "cant do this anymore",
    "cant take it anymore", "cant take this anymore", "cant handle it anymore",
    "cant handle this anymore", "cant cope anymore", "cant bear it anymore",
    "cant bear this anymore", "cant do it anymore", "cant do life anymore", "cant go on anymore",
    "cant go on like this", "want to disappear", "want to sleep forever", "am better dead",
    "im better dead", "worthless", "a burden to", "hate myself", "cut again",
];

/// What is said of boredom and fun, after the phrases of "I" and those of an overdose.
pub(super) const IDIOMS: &[&str] = &[
    "of boredom", "of laughter", "laughing", "of embarrassment", "of cringe", "of shame",
    "of cuteness", "from boredom", "from laughing", "my hair", "on chocolate", "on sugar",
    "on candy", "on cake", "on cookies", "on coffee", "on netflix", "on pizza", "on tiktok",
    "on memes", "on cheese", "on carbs", "on sushi", "on ice cream", "on tv", "on christmas",
    "on cuteness",
];

/// What somebody says who may want to end their life, where little follows.
pub(super) const ENDING: &[&str] = &[
    "just end it", "hope i dont wake up", "dont want to wake up", "want to end it",
    "going to end it", "ready to end it", "should end it", "might end it", "ill end it",
    "thinking of ending it", "thinking about ending it", "considering ending it", "want it to end",
    "want it all to end", "want everything to end", "plan to end it", "planning to end it",
    "cant go on", "cant keep going", "dont want to go on", "ive been cutting",
    "been cutting again", "want to be gone", "ready to be gone", "this is goodbye",
    "i give up on everything", "want to jump", "im a burden", "feel like a burden",
];

/// What may follow it: anything else is what is to be ended.
pub(super) const ENDING_FOLLOWS: &[&str] = &[
    "all", "now", "today", "tonight", "already", "please", "finally", "forever", "for good",
    "so badly", "so bad", "badly", "bad", "soon", "because", "like this", "myself", "again",
    "anymore", "rn", "right now", "sometimes", "lately", "and",
];

/// What a whole message says.
pub(super) const WHOLE: &[&str] = &[
    "suicidal", "kms", "self harm", "kill me", "someone kill me", "dead inside",
    "i feel dead inside", "i feel dead", "im dead inside", "crisis line", "crisis hotline",
    "i need someone to talk to", "im not ok", "im not okay",
];

/// What nobody means who writes that they end it all, where it is the last word.
pub(super) const THINGS: &[&str] = &[
    "emails", "mails", "messages", "notifications", "reminders", "alarms", "calls", "meetings",
    "events", "subscriptions",
];

/// What people do who hurt themselves by accident, after "cut myself", and what is no harm.
pub(super) const ACCIDENTS: &[&str] = &[
    "some slack", "shaving", "while", "cooking", "chopping", "slicing", "peeling", "cutting",
    "opening", "gardening", "running", "playing", "skiing", "climbing", "falling", "lifting",
    "on a", "on an", "on the", "on some", "on my", "by accident", "accidentally", "at the gym",
    "in the kitchen", "at work", "at football", "in the foot",
];

/// What else the word suicide is said of: before it, and after it.
pub(super) const NO_SUICIDE_BEFORE: &[&str] = &[
    "career", "social", "political", "financial", "commercial", "economic", "its",
];
pub(super) const NO_SUICIDE_AFTER: &[&str] = &[
    "squad", "door", "doors", "bomber", "bombers", "bombing", "bombings", "attack", "attacks",
    "vest", "mission", "missions", "sprints", "runs", "drills", "squeeze", "king", "wings",
    "sauce", "burger", "girls", "blonde", "prevention training", "prevention course",
    "prevention workshop", "prevention meeting", "prevention week", "prevention month",
    "prevention day", "prevention talk", "prevention walk", "silence",
];
